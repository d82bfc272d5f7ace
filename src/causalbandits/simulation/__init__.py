"""Simulate policies in a world: many runs, single runs round by round, and sweeps."""
