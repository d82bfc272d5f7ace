"""Exact money: amounts with at most six decimals, kept as whole millionths.

Floats would be wrong: floor(3.3 / 1.1) is 2 in floats.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from .errors import InputError

UNIT = 1_000_000  # millionths in one unit of money
LARGEST = 2**53 // UNIT  # about nine billion: up to here every sum is exact even as a float

Money = int | float | str | Decimal


def millionths(amount: Money, what: str) -> int:
    """The amount in millionths. Refuse an amount that is not positive or has more than six decimals."""
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


def amount_of(whole: int) -> float:
    """An amount in millionths as a number, such as 50 or 1.1. It is for people: nothing exact is computed from it."""
    return whole // UNIT if whole % UNIT == 0 else whole / UNIT


def decimal_text(whole: int) -> str:
    """An amount in millionths as a decimal number: 1100000 becomes "1.1"."""
    return f"{Decimal(whole) / UNIT:f}"
