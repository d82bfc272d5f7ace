"""The adversary: a search for worlds in which a policy fails. `cb.stress` begins it."""
