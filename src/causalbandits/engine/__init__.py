"""The compiled engine: random streams, the sampler, the loop. It knows the policy contract, and no policy."""
