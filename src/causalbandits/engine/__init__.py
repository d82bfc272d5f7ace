"""The compiled parts: random streams, ties, indices, the sampler, the loop. Knows the policy contract, no policy."""
