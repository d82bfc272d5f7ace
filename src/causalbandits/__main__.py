"""python -m causalbandits: the command line."""

from .cli.app import main

main()
