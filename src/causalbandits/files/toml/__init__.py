"""Problem files in TOML: read them, check them, write them."""
