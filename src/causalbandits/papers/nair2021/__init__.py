"""Budgeted and Non-budgeted Causal Bandits (Nair, Patil & Sinha 2021), reproduced."""

from .paper import PAPER

__all__ = ["PAPER"]
