"""Everything that the library needs of Numba beyond `njit`. Numba's internals are used in this folder alone; see internals.py."""
