"""Positions of Cigale: read, written back, scored, enumerated, solved."""

from __future__ import annotations

from fable_solve.solver.games.cigale.document import dump, parse

__all__ = ["dump", "parse"]
