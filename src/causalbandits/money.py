"""Exact money: decimals of at most six places, kept as whole millionths (in floats, 3.3 / 1.1 is 2 and a bit)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from .errors import InputError

UNIT = 1_000_000  # millionths in one unit of money
LARGEST = 2**53 // UNIT  # about nine billion: sums stay whole numbers even as floats

Money = int | float | str | Decimal


def millionths(amount: Money, what: str) -> int:
    """The amount as whole millionths; what is not a positive amount with at most six decimals is refused."""
    try:
        exact = Decimal(str(amount))
    except InvalidOperation:
        raise InputError(f"The {what} must be a number, not {amount!r}.") from None
    if not exact.is_finite() or exact <= 0:
        raise InputError(f"The {what} must be a positive number, not {amount}.")
    if exact > LARGEST:
        raise InputError(f"The {what} must be at most {LARGEST:,}, not {amount}; count in a larger unit.")
    scaled = Fraction(exact) * UNIT
    if scaled.denominator != 1:
        raise InputError(f"The {what} may have at most six decimals, not {amount}.")
    return int(scaled)


def in_words(whole: int) -> str:
    """Millionths as people write them: 1100000 is 1.1."""
    return f"{Decimal(whole) / UNIT:f}"
