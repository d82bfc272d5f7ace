"""Advice before an experiment: which policy to take."""
