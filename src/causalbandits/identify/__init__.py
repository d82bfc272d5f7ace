"""What rounds teach: latent projection, districts and factors. Graphs only, no numbers."""
