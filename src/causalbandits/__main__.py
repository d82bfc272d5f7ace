"""python -m causalbandits: the command line."""

from .cli import main

main()
