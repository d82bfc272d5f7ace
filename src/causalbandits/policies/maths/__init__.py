"""The mathematics that policies share: compiled functions over arrays, which know no problem and no policy."""
