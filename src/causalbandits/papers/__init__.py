"""Papers reproduced: one file each."""
