"""How single values read: numbers rounded for people, text made safe for a terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from fable_solve.solver.result import Certificate

DASH = "–"
"""What stands where there is no value."""

DIGITS = 4
"""Significant digits of a rounded number."""

SPACES = "\n\u00a0\u202f"
"""Spaces that are text: between lines, and where no line may end."""

CERTIFICATES = {
    "exact": "proved, up to the numerical tolerance",
    "bracket": "proved to lie between the two bounds",
    "sampled": "a mean of n independent samples, with its 95 % interval",
}

_ROUNDING = 2.0**-52
"""Relative rounding error of a double."""


def plain(value: Any) -> Any:
    """``value`` with builtin types only, as JSON and CSV know them; a number that is not finite is None."""
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_numeric(column: Sequence[Any]) -> bool:
    """Does ``column`` hold numbers, and nothing else but gaps?"""
    return any(map(is_number, column)) and all(cell is None or is_number(cell) for cell in column)


def show(value: Any) -> str:
    """One value as a reader sees it.

    >>> show(0.123456), show(12345678), show(None), show(True)
    ('0.1235', '12,345,678', '–', 'yes')
    """
    return show_column([value])[0]


def show_column(values: Sequence[Any], *, small: bool = False) -> list[str]:
    """The cells of one column: floats with a common number of decimals, so that they align.

    The largest number has ``DIGITS`` significant digits; one too small for these decimals is
    written with its own, unless it is below the rounding error of the largest and not ``small``.

    >>> show_column([12.3456, 0.5, 0.00012, None])
    ['12.35', '0.50', '0.00012', '–']
    """
    cells = [plain(value) for value in values]
    floats = [cell for cell in cells if isinstance(cell, float)]
    largest = max(map(abs, floats), default=0.0)
    if not small:
        cells = [0.0 if isinstance(c, float) and abs(c) < _ROUNDING * largest else c for c in cells]
    decimals = _decimals([cell for cell in cells if isinstance(cell, float)], largest)
    comma = "," if any(is_number(cell) and abs(cell) >= 10_000 for cell in cells) else ""
    return [_cell(cell, decimals, comma) for cell in cells]


def show_by_unit(values: Sequence[Any], units: Sequence[str]) -> list[str]:
    """The cells of a column in several units: those of one unit have a common number of decimals.

    >>> show_by_unit([25.453, 0.8633, 5.9333], ["points", "share", "points"])
    ['25.45', '0.8633', '5.93']
    """
    by_unit = {unit: [v for v, own in zip(values, units, strict=True) if own == unit] for unit in units}
    shown = {unit: iter(show_column(column)) for unit, column in by_unit.items()}
    return [next(shown[unit]) for unit in units]


def _decimals(floats: Sequence[float], largest: float) -> int:
    """Fewest decimals that show every one of ``floats`` as ``DIGITS`` digits of the largest do."""
    if largest == 0:
        return 0
    most = max(0, min(8, DIGITS - 1 - math.floor(math.log10(largest))))
    texts = [f"{value:.{most}f}" for value in floats if not _too_small(value, most)]
    if most == 0 or not texts:
        return most
    return max(len(text.partition(".")[2].rstrip("0")) for text in texts)


def _too_small(value: float, decimals: int) -> bool:
    """Would ``value`` lose everything but one digit, or all of them, at so many decimals?"""
    return 0 < abs(value) < 0.5 * 10.0 ** (1 - decimals) and float(f"{value:.{decimals}f}") != value


def _cell(cell: Any, decimals: int, comma: str) -> str:
    if cell is None:
        return DASH
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:{comma}}"
    if isinstance(cell, float):
        return _float(cell, decimals, comma)
    if isinstance(cell, str):
        return clean(cell)
    return clean(json.dumps(cell, ensure_ascii=False))


def _float(value: float, decimals: int, comma: str) -> str:
    if abs(value) >= 1e15 or _too_small(value, decimals):
        return f"{value:.{DIGITS}g}"
    text = f"{value:{comma}.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def sure(certificate: Certificate) -> str:
    """How sure a number is, without the kind of its certificate.

    >>> sure(Certificate.exact(1e-9)), sure(Certificate.sampled(0.51, 0.535, 2000))
    ('± 1e-09', '0.510 to 0.535, n = 2000')
    """
    if certificate.kind == "exact":
        return f"± {show(certificate.tolerance)}"
    low, high = show_column([certificate.low, certificate.high])
    size = "" if certificate.kind == "bracket" else f", n = {show(certificate.n)}"
    return f"{low} to {high}{size}"


def certificate_key(certificates: Iterable[Certificate]) -> dict[str, str]:
    """The kinds of certificate among ``certificates``, each with what it says."""
    kinds = {certificate.kind for certificate in certificates}
    return {kind: text for kind, text in CERTIFICATES.items() if kind in kinds}


def clean(text: str) -> str:
    """``text`` without control characters, which could steer a terminal; unbroken spaces are none.

    >>> clean("red\\x1b[31m")
    'red\ufffd[31m'
    """
    return "".join(
        character if character.isprintable() or character in SPACES else "\ufffd" for character in text
    )


def heading(name: str) -> str:
    """A column's name as a heading, which may wrap between its words; a setting stays as it is typed.

    >>> heading("first_seat (captures_to_win=4)")
    'first seat (captures_to_win=4)'
    """
    words = name.split(" ")
    return clean(" ".join(word if "=" in word else word.replace("_", " ") for word in words))
