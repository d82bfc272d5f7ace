"""How the library uses Numba. Only this folder uses Numba's internals; see internals.py."""
