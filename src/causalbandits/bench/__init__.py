"""How fast the engine is on this machine, and how far from what the machine could do: `causalbandits bench`."""
