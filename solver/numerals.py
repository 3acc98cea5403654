"""Numbers as people write them, taken literally: 0.1 is one tenth, 1/3 a third."""

from __future__ import annotations

import re
from fractions import Fraction

from fable_solve.solver.errors import BadInput
from fable_solve.solver.schema import shown

MAX_ACTIONS = 300
"""Largest number of actions a player may have in a game that is read from a file."""

MAX_PAYOFFS = 2 * MAX_ACTIONS**2
"""Largest number of payoffs of both players."""

MAX_TEXT = 16 * 2**20
"""Longest text of a game, in characters: more than the largest game takes in any reasonable spelling."""

MAX_LENGTH = 400
"""Longest number, in characters."""

MAX_EXPONENT = 300
"""Numbers lie between 10**-300 and 10**300 in size, or are 0."""

_NUMERAL = re.compile(
    r"[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]+))?)"
)


def numeral(text: str) -> Fraction:
    """The number that ``text`` writes: a whole number, a decimal, or a fraction.

    Raises :class:`BadInput` for anything else, without a place.

    >>> numeral("0.1"), numeral("-2/6"), numeral("1e-3")
    (Fraction(1, 10), Fraction(-1, 3), Fraction(1, 1000))
    """
    match = _NUMERAL.fullmatch(text)
    if match is None or len(text) > MAX_LENGTH:
        raise BadInput("a number such as 3, -0.5 or 1/3", shown(text))
    if abs(int(match["exponent"] or 0)) > MAX_EXPONENT:
        raise _out_of_range(text)
    try:
        value = Fraction(text)
    except ZeroDivisionError:
        raise BadInput("a number such as 3, -0.5 or 1/3", shown(text)) from None
    if value and not Fraction(1, 10**MAX_EXPONENT) <= abs(value) <= 10**MAX_EXPONENT:
        raise _out_of_range(text)
    return value


def _out_of_range(text: str) -> BadInput:
    return BadInput(f"0 or a number of size 1e-{MAX_EXPONENT} to 1e{MAX_EXPONENT}", shown(text))
