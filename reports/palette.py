"""Colours that stay apart for colour-blind readers and, with their lightness, in grey.

The hues are those of M. Okabe and K. Ito, Color Universal Design (2008).
"""

from __future__ import annotations

from collections.abc import Iterable

SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#F0E442")

PATHS = {"Y": "#F0E442", "B": "#56B4E9", "N": "#8C6239", "R": "#D55E00"}
"""The four path types; brown is not among the eight hues and is told apart by being the darkest."""

_OTHERS = ("#009E73", "#E69F00", "#0072B2", "#CC79A7", "#F0E442", "#56B4E9", "#D55E00", "#8C6239", "#BBBBBB")


def board_colours(keys: Iterable[str]) -> dict[str, str]:
    """A fill for each colour key, in the order given; the path types keep their own.

    >>> board_colours(["Y", "tile"])
    {'Y': '#F0E442', 'tile': '#009E73'}
    """
    keys = list(keys)
    taken = {PATHS[key] for key in keys if key in PATHS}
    free = [colour for colour in _OTHERS if colour not in taken] or list(_OTHERS)
    others = [key for key in keys if key not in PATHS]
    fills = {key: free[number % len(free)] for number, key in enumerate(others)}
    return {key: PATHS.get(key) or fills[key] for key in keys}


def ink(fill: str) -> str:
    """Black or white, whichever reads better on ``fill`` (relative luminance of WCAG 2.1).

    >>> ink("#F0E442"), ink("#8C6239")
    ('#000000', '#FFFFFF')
    """
    channels = [int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#FFFFFF"
