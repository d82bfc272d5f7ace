"""Every use of Numba beyond its public interface, and what each buys."""
