"""Positions of Butterfly: read, written back, scored, enumerated, solved, advised on."""

from __future__ import annotations

from fable_solve.solver.games.butterfly.document import dump, parse

__all__ = ["dump", "parse"]
