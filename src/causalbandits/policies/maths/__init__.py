"""Mathematics that policies share: compiled functions over arrays. They know no problem and no policy."""
