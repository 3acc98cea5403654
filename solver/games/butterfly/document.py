"""The position format of Butterfly: a document read into a state, and written back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, field_validator

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.butterfly.play import FACINGS, GAP, NOWHERE, Butterfly, State
from fable_solve.solver.games.butterfly.rules import Cells, Rules, check_inside, net_cells
from fable_solve.solver.games.butterfly.tiles import (
    CATEGORY,
    GRASSHOPPERS,
    INDEX,
    KINDS,
    NOTHING,
    collected,
    counts,
    listed,
)
from fable_solve.solver.positions import Position
from fable_solve.solver.rules import RuleData
from fable_solve.solver.schema import Int, Model, Str, join, shown, validate

MAX_SQUARES = 1024
MAX_OF_A_KIND = 255


class Hedgehog(Model):
    """Where the hedgehog stands and which way it looks."""

    row: Int
    col: Int
    facing: Str


class Document(Model):
    """The keys of a position beside ``game`` and ``rules``."""

    board: list[Str]
    players: Annotated[Int, Field(ge=2, le=5)] | None = None
    nets: list[Any] | None = None
    hedgehog: Hedgehog | None = None
    collections: list[list[Str]] | None = None
    discarded: list[Str] = Field(default_factory=list)
    bag: list[Str] | None = None
    to_move: Int = 0

    @field_validator("hedgehog", mode="before")
    @classmethod
    def _table(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise BadInput("a table with row, col and facing", shown(value))
        return value


@dataclass(frozen=True)
class Details:
    """What a document says beyond the state."""

    collections: tuple[tuple[int, ...], ...]
    """Kinds of each player's tiles in the order taken."""
    discarded: tuple[int, ...]
    bag_error: BadInput | None
    """Why the bag cannot be told, if it was not given and the tiles seen exceed the components."""

    def require_bag(self) -> None:
        """Raise the fault of the bag; called by whatever may draw from it."""
        if self.bag_error is not None:
            raise self.bag_error


def parse(body: dict[str, Any], source: str, rules: RuleData, mode: str | None = None) -> Position:
    """The position that ``body`` describes; raises :class:`BadInput` naming the place in ``source``.

    Nets that are not given are those of the rule data on a full-size square, and none on any other board
    (a list of squares in the rule data holds for every board). A bag that is not given is the components
    less every tile seen; if that is impossible the fault is kept in ``details`` and raised by whoever
    needs the bag.
    """
    document = validate(Document, body, source)
    board, rows, cols = _board(document.board, f"{source}: board")
    collections = _collections(document, source)
    players = len(collections)
    discarded = _discarded(document.discarded, join(source, "discarded"))
    nets = _nets(document, rules, players, (rows, cols), source)
    square, facing = _hedgehog(document.hedgehog, rows, cols, source)
    if not 0 <= document.to_move < players:
        raise BadInput(f"a seat from 0 to {players - 1}", document.to_move, where=join(source, "to_move"))
    given = None if document.bag is None else _kinds(document.bag, join(source, "bag"))
    lying = tuple(kind for kind in board if kind != GAP)
    owned = {f"collections[{p}]": kinds for p, kinds in enumerate(collections)}
    _countable({"board": lying, **owned, "discarded": discarded, "bag": given or ()}, source)
    seen = [*lying, *(kind for kinds in collections for kind in kinds)]
    bag, fault = _bag(given, [*seen, *discarded], rules.model, source)
    held = tuple(collected(kinds) for kinds in collections)
    state = State(board, bag, held, square, facing, document.to_move, False)
    stock = counts([*seen, *listed(bag)])
    game = Butterfly(rules.model, players, None, rows, cols, nets, stock)
    details = Details(collections, discarded, fault if nets else None)
    return Position(registry.get("butterfly"), None, rules, game, state, source, details)


def _kind(text: str, where: str) -> int:
    if text not in INDEX:
        raise BadInput(
            "a tile (r, b, g, y + 1-5 or x, F, d1-d9, l1-l9, s1-s9, B, h10-h15, w4-w7)",
            shown(text),
            where=where,
        )
    return INDEX[text]


def _kinds(texts: Sequence[str], where: str) -> tuple[int, ...]:
    return tuple(_kind(text, f"{where}[{i}]") for i, text in enumerate(texts))


def _board(lines: Sequence[str], where: str) -> tuple[bytes, int, int]:
    """Kinds of the tiles in reading order (``GAP`` where taken), rows and columns."""
    places = [line.split() for line in lines]
    if not places or not places[0]:
        raise BadInput("at least one row of at least one square", shown(list(lines)), where=where)
    cols = len(places[0])
    for r, row in enumerate(places):
        if len(row) != cols:
            raise BadInput(f"{cols} squares as in the first row", len(row), where=f"{where}[{r}]")
    if len(places) * cols > MAX_SQUARES:
        raise BadInput(f"at most {MAX_SQUARES} squares", len(places) * cols, where=where)
    board = bytes(
        GAP if text == "." else _kind(text, f"{where}[{r}]") for r, row in enumerate(places) for text in row
    )
    return board, len(places), cols


def _collections(document: Document, source: str) -> tuple[tuple[int, ...], ...]:
    where = join(source, "collections")
    lists = document.collections
    if lists is None:
        lists = [[]] * (document.players or 2)
    players = document.players or len(lists)
    if len(lists) != players or not 2 <= players <= 5:
        expected = f"{players} lists, one a player" if document.players else "2 to 5 lists, one a player"
        raise BadInput(expected, len(lists), where=where)
    return tuple(_kinds(texts, f"{where}[{p}]") for p, texts in enumerate(lists))


def _discarded(texts: Sequence[str], where: str) -> tuple[int, ...]:
    kinds = _kinds(texts, where)
    for i, kind in enumerate(kinds):
        if CATEGORY[kind] != GRASSHOPPERS:
            raise BadInput("a grasshopper (s1-s9)", shown(texts[i]), where=f"{where}[{i}]")
    return kinds


def _nets(document: Document, rules: RuleData, players: int, size: tuple[int, int], source: str) -> Cells:
    if document.nets is not None:
        where = join(source, "nets")
        try:
            cells = net_cells(document.nets)
        except BadInput as error:
            raise BadInput(error.expected, error.got, where=f"{where}{error.where}") from None
        return check_inside(cells, *size, where)
    model: Rules = rules.model
    side = model.square[str(players)]
    if isinstance(model.nets, str) and size != (side, side):
        return ()
    return check_inside(model.net_squares(side), *size, rules.place("nets"))


def _hedgehog(hedgehog: Hedgehog | None, rows: int, cols: int, source: str) -> tuple[int, int]:
    """Square and facing of the hedgehog, which may stand on a tile or on a gap."""
    if hedgehog is None:
        return NOWHERE, 0
    for key, place, size in (("row", hedgehog.row, rows), ("col", hedgehog.col, cols)):
        if not 0 <= place < size:
            raise BadInput(f"a number from 0 to {size - 1}", place, where=join(source, f"hedgehog.{key}"))
    if len(hedgehog.facing) != 1 or hedgehog.facing not in FACINGS:
        raise BadInput("N, E, S or W", shown(hedgehog.facing), where=join(source, "hedgehog.facing"))
    return hedgehog.row * cols + hedgehog.col, FACINGS.index(hedgehog.facing)


def _countable(places: dict[str, tuple[int, ...]], source: str) -> None:
    """Raise :class:`BadInput` at the place where the tiles of a kind become too many to be counted."""
    total = [0] * len(KINDS)
    for place, kinds in places.items():
        for kind in kinds:
            total[kind] += 1
            if total[kind] > MAX_OF_A_KIND:
                expected = f"at most {MAX_OF_A_KIND} tiles of a kind in all"
                raise BadInput(expected, f"more of {KINDS[kind]}", where=join(source, place))


def _bag(
    given: tuple[int, ...] | None, seen: list[int], rules: Rules, source: str
) -> tuple[bytes, BadInput | None]:
    """The bag, given or what is left of the components; with the fault if that is impossible."""
    if given is not None:
        return counts(given), None
    total = [seen.count(kind) for kind in range(len(KINDS))]
    for kind, count in enumerate(rules.components):
        if total[kind] > count:
            expected = f"at most {count} {KINDS[kind]} (no bag is given, so the tiles must fit the box)"
            return NOTHING, BadInput(expected, total[kind], where=source)
    return bytes(count - total[kind] for kind, count in enumerate(rules.components)), None


def dump(position: Position) -> dict[str, Any]:
    """The position as its document.

    Collections stand in the order taken where the document gave them so; a state reached by play knows no
    order, and its collections stand in the order of the tile list.
    """
    game, state, details = position.game, position.state, position.details
    document: dict[str, Any] = {"game": "butterfly", "players": game.players}
    document["board"] = [" ".join("." if text == "*" else text for text in row) for row in game.drawn(state)]
    document["nets"] = [list(cell) for cell in game.nets]
    if state.square != NOWHERE:
        row, col = game.cell(state.square)
        document["hedgehog"] = {"row": row, "col": col, "facing": FACINGS[state.facing]}
    document["collections"] = [
        _names(kinds if collected(kinds) == held else listed(held))
        for kinds, held in zip(details.collections, state.held, strict=True)
    ]
    document["discarded"] = _names(details.discarded)
    if details.bag_error is None:
        document["bag"] = _names(listed(state.bag))
    document["to_move"] = state.seat
    if position.rules.changed:
        document["rules"] = position.rules.changed
    return document


def _names(kinds: Sequence[int]) -> list[str]:
    return [KINDS[kind] for kind in kinds]
