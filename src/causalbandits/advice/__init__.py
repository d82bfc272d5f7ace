"""Advice before an experiment: which policy to choose."""
