"""Strategic games of two players in Gambit's ``.nfg`` format: payoff version, outcome version, and a writer.

::

    NFG 1 R "title" { "player" "player" }
    { 3 2 }  or  { { "a" "b" "c" } { "l" "r" } }      actions of each player, counted or named
    "comment"                                          optional
    1 1 0 2 ...                                        payoff version: both payoffs of each cell
    { { "" 1, 1 } { "" 0, 2 } ... }  1 2 0 ...         outcome version: outcomes, then one number a cell

Cells come with the first player's action running fastest. Outcome 0 pays nobody anything. Commas and line
ends are blanks. Source: the description of the format in the Gambit documentation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fable_solve.solver.errors import BadInput, FableSolveError, TooLarge
from fable_solve.solver.matrix import MatrixGame
from fable_solve.solver.numerals import MAX_ACTIONS, numeral
from fable_solve.solver.schema import shown

_TOKEN = re.compile(
    r'"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)"|(?P<brace>[{}])|(?P<word>[^\s,{}"]+)|(?P<open>")', re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


class _Reader:
    """The tokens of one file, read one by one from left to right; every error names the line."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source
        self.matches = _TOKEN.finditer(text)
        self.token = self._following()

    def _following(self) -> _Token | None:
        match = next(self.matches, None)
        if match is None:
            return None
        return _Token(match.lastgroup or "", match[match.lastgroup or 0], match.start())

    def advance(self) -> None:
        self.token = self._following()

    def fail(self, expected: str, token: _Token | None) -> BadInput:
        where = len(self.text) if token is None else token.start
        got = "the end of the file" if token is None else shown(token.text)
        line = max(self.text.count(end, 0, where) for end in "\n\r") + 1
        return BadInput(expected, got, where=f"{self.source}: line {line}")

    def take(self, expected: str, kind: str, text: str | None = None) -> str:
        token = self.token
        if token is None or token.kind != kind or (text is not None and token.text != text):
            raise self.fail(expected, token)
        self.advance()
        return _ESCAPE.sub(r"\1", token.text) if kind == "text" else token.text

    def sees(self, kind: str, text: str | None = None) -> bool:
        token = self.token
        return token is not None and token.kind == kind and (text is None or token.text == text)

    def number(self, expected: str) -> Fraction:
        token = self.token
        if token is None or token.kind != "word":
            raise self.fail(expected, token)
        self.advance()
        try:
            return numeral(token.text)
        except BadInput as error:
            raise self.fail(error.expected, token) from None

    def count(self, expected: str, largest: int | None = None) -> int:
        """A whole number from 0, to ``largest`` if given."""
        token = self.token
        value = self.number(expected)
        if value.denominator != 1 or value < 0 or (largest is not None and value > largest):
            raise self.fail(expected, token)
        return int(value)

    def texts(self, expected: str, too_many: FableSolveError) -> tuple[str, ...]:
        """``{ "a" "b" ... }``; raises ``too_many`` once there are more than actions allowed."""
        self.take(expected, "brace", "{")
        found = []
        while not self.sees("brace", "}"):
            found.append(self.take('a text in double quotes or "}"', "text"))
            if len(found) > MAX_ACTIONS:
                raise too_many
        self.take(expected, "brace", "}")
        return tuple(found)

    def too_large(self, count: int, unit: str = "actions of a player", limit: int = MAX_ACTIONS) -> TooLarge:
        return TooLarge(unit, count, limit, where=self.source)


def parse_nfg(text: str, source: str) -> MatrixGame:
    """The two-player game in ``text``; raises :class:`BadInput` with the line, or :class:`TooLarge`."""
    reader = _Reader(text, source)
    for word in ("NFG", "1"):
        reader.take(f"{word} (a strategic game starts with NFG 1 R)", "word", word)
    if not reader.sees("word", "D"):
        reader.take("R or D (the kind of numbers)", "word", "R")
    else:
        reader.advance()
    reader.take("the title in double quotes", "text")
    crowd = BadInput("2 players", f"more than {MAX_ACTIONS}", where=f"{source}: players")
    _two(reader, reader.texts('the players, as { "Row" "Column" }', crowd))
    names = _actions(reader)
    if reader.sees("text"):
        reader.advance()
    cells = _outcome_cells(reader, names) if reader.sees("brace", "{") else _payoff_cells(reader, names)
    if reader.token is not None:
        raise reader.fail("the end of the file after the last cell", reader.token)
    m, n = map(len, names)
    row, column = ([[cells[j * m + i][k] for j in range(n)] for i in range(m)] for k in (0, 1))
    return MatrixGame(row, column, *names)


def _two(reader: _Reader, found: Sequence[object]) -> None:
    if len(found) != 2:
        raise BadInput("2 players", len(found), where=f"{reader.source}: players")


def _actions(reader: _Reader) -> list[tuple[str, ...]]:
    """The names of both players' actions, numbers where only counts are given."""
    expected = 'both players\' actions, as { 3 2 } or { { "a" "b" } { "c" "d" } }'
    reader.take(expected, "brace", "{")
    names: list[tuple[str, ...]] = []
    while not reader.sees("brace", "}"):
        if reader.sees("brace"):
            names.append(reader.texts(expected, reader.too_large(MAX_ACTIONS + 1)))
        else:
            count = reader.count("a number of actions")
            if count > MAX_ACTIONS:
                raise reader.too_large(count)
            names.append(tuple(str(k + 1) for k in range(count)))
        if len(names) > 2:
            raise BadInput("2 players", "the actions of a third", where=f"{reader.source}: actions")
    reader.take(expected, "brace", "}")
    _two(reader, names)
    for actions in names:
        if not actions:
            raise BadInput("at least one action for each player", "none", where=f"{reader.source}: actions")
    return names


def _payoff_cells(reader: _Reader, names: list[tuple[str, ...]]) -> list[tuple[Fraction, Fraction]]:
    m, n = map(len, names)
    expected = f"{2 * m * n} payoffs, two a cell"
    return [(reader.number(expected), reader.number(expected)) for _ in range(m * n)]


def _outcome_cells(reader: _Reader, names: list[tuple[str, ...]]) -> list[tuple[Fraction, Fraction]]:
    m, n = map(len, names)
    outcomes = [(Fraction(0), Fraction(0))]
    reader.take("the outcomes", "brace", "{")
    while not reader.sees("brace", "}"):
        reader.take('an outcome, as { "name" 1, -1 }', "brace", "{")
        reader.take("the outcome's name in double quotes", "text")
        outcomes.append((reader.number("two payoffs"), reader.number("two payoffs")))
        if len(outcomes) - 1 > MAX_ACTIONS**2:
            raise reader.too_large(len(outcomes) - 1, "outcomes", MAX_ACTIONS**2)
        reader.take('"}" after the two payoffs of an outcome', "brace", "}")
    reader.take("the outcomes' end", "brace", "}")
    last = len(outcomes) - 1
    expected = f"{m * n} outcome numbers from 0 to {last}, one a cell"
    return [outcomes[reader.count(expected, last)] for _ in range(m * n)]


def to_nfg(
    game: MatrixGame, title: str, row_names: Sequence[str] = (), column_names: Sequence[str] = ()
) -> str:
    """The game in the payoff version, with exact payoffs; :func:`parse_nfg` gives the same game back.

    >>> print(to_nfg(MatrixGame([[1, -1], [-1, 1]]), "Matching pennies", "HT", "HT"), end="")
    NFG 1 R "Matching pennies" { "Row" "Column" }
    { { "H" "T" } { "H" "T" } }
    <BLANKLINE>
    1 -1 -1 1
    -1 1 1 -1
    """
    names = (tuple(row_names) or game.row_names, tuple(column_names) or game.column_names)
    actions = " ".join("{ " + " ".join(map(_quoted, side)) + " }" for side in names)
    row, column = game.exact
    m, n = game.shape
    lines = [" ".join(f"{row[i][j]} {column[i][j]}" for i in range(m)) for j in range(n)]
    head = f'NFG 1 R {_quoted(title)} {{ "Row" "Column" }}\n{{ {actions} }}\n\n'
    return head + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
