"""The sampler and the loop for one processor core."""
