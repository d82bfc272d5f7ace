"""The speed of the engine on this machine, compared with the limit of the machine: `causalbandits bench`."""
