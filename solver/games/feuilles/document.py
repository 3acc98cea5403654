"""Positions of 61 Feuilles d'automne: reading, writing, scoring and listing what may be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, field_validator

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles.play import ROLLS, Choice, Feuilles, Sheet, State
from fable_solve.solver.games.feuilles.rules import Rules, make_game
from fable_solve.solver.games.feuilles.sheet import EMPTY, NAMES, Rows, Zone, is_full
from fable_solve.solver.positions import Position
from fable_solve.solver.registry import get
from fable_solve.solver.result import Answer
from fable_solve.solver.rules import RuleData
from fable_solve.solver.schema import Int, Model, Str, shown, validate

ONE_ROW = ("lilies", "mugs", "mushrooms")
IN_ORDER = ("lilies", "mushrooms")
Die = Annotated[Int, Field(ge=1, le=6)]


class SheetDocument(Model):
    """One ``[[sheets]]`` table."""

    pumpkins: tuple[Str, ...]
    lilies: Str
    skewers: tuple[Str, ...]
    mugs: Str
    burrow: tuple[Str, ...]
    mushrooms: Str
    leaf_total: Int
    leaf_points: Int = 0
    zone_bonus: tuple[Int, ...] = ()


class Document(Model):
    """A position without its ``game`` and ``rules``."""

    players: Int | None = None
    round: Int
    dice: tuple[Die, ...] | None = None
    closed_bonus: tuple[Int, ...] = ()
    sheets: tuple[SheetDocument, ...]

    @field_validator("dice")
    @classmethod
    def _three(cls, dice: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if dice is not None and len(dice) != 3:
            raise BadInput("three dice", len(dice))
        return dice


def parse(body: dict[str, Any], source: str, rules: RuleData, mode: str | None) -> Position:
    """The position a document describes; raises :class:`BadInput` naming the place inside ``source``."""
    document = validate(Document, body, source)
    players = len(document.sheets) if document.players is None else document.players
    model: Rules = rules.model
    _in_range(players, 1, model.max_players, f"{source}: players", " players")
    if len(document.sheets) != players:
        raise BadInput(
            f"{players} sheet{'s' if players > 1 else ''}", len(document.sheets), where=f"{source}: sheets"
        )
    _in_range(document.round, 0, model.rounds, f"{source}: round")
    sheets = tuple(
        _sheet(model, sheet, f"{source}: sheets[{index}]") for index, sheet in enumerate(document.sheets)
    )
    given = _zone_numbers(document.closed_bonus, f"{source}: closed_bonus")
    roll = None if document.dice is None else tuple(sorted(document.dice))
    state = State(document.round, roll, _closed(given, sheets), sheets)  # type: ignore[arg-type]
    game = make_game(model, players, mode, None)
    if roll is not None and game.is_over(state):
        raise BadInput("no dice (the game is over)", list(roll), where=f"{source}: dice")
    return Position(get("feuilles"), mode, rules, game, state, source)


def _closed(given: tuple[int, ...], sheets: Sequence[Sheet]) -> tuple[int, ...]:
    """Zones whose bonus is gone: those the document names and those completed on any sheet."""
    full = {zone for sheet in sheets for zone, rows in enumerate(sheet.zones, 1) if is_full(rows)}
    return tuple(sorted(full.union(given)))


def _in_range(value: int, low: int, high: int, where: str, unit: str = "") -> None:
    if not low <= value <= high:
        raise BadInput(f"{low} to {high}{unit}", shown(value), where=where)


def _zone_numbers(zones: tuple[int, ...], where: str) -> tuple[int, ...]:
    for index, zone in enumerate(zones):
        _in_range(zone, 1, len(NAMES), f"{where}[{index}]")
        if zone in zones[:index]:
            raise BadInput("every zone at most once", f"{zone} again", where=f"{where}[{index}]")
    return tuple(sorted(zones))


def _sheet(rules: Rules, document: SheetDocument, where: str) -> Sheet:
    zones = tuple(
        _rows(zone, name, getattr(document, name), f"{where}.{name}")
        for zone, name in zip(rules.zones, NAMES, strict=True)
    )
    _in_range(document.leaf_total, 0, rules.leaf_target + 5, f"{where}.leaf_total")
    _in_range(document.leaf_points, 0, rules.leaf_points, f"{where}.leaf_points")
    earned = _zone_numbers(document.zone_bonus, f"{where}.zone_bonus")
    for zone in earned:
        if not is_full(zones[zone - 1]):
            raise BadInput("zones that are full on this sheet", zone, where=f"{where}.zone_bonus")
    return Sheet(zones, document.leaf_total, document.leaf_points, earned)


def _rows(zone: Zone, name: str, given: str | tuple[str, ...], where: str) -> Rows:
    """The rows of a zone, checked; a zone filled in order is given by its filled cells alone."""
    rows = (given,) if isinstance(given, str) else given
    if name in IN_ORDER:
        if len(rows[0]) > zone.sizes[0] or EMPTY in rows[0]:
            raise BadInput(f"at most {zone.sizes[0]} filled cells in order", shown(given), where=where)
        rows = (rows[0].ljust(zone.sizes[0], EMPTY),)
    try:
        zone.check_shape(rows)
        zone.check(rows)
    except BadInput as error:
        place = "" if name in ONE_ROW else error.where
        raise BadInput(error.expected, error.got, where=f"{where}{place}") from None
    return rows


def dump(position: Position) -> dict[str, Any]:
    """The document of a position; reading it gives the same position."""
    state: State = position.state
    document: dict[str, Any] = {"game": "feuilles", "players": len(state.sheets), "round": state.round}
    if state.roll is not None:
        document["dice"] = list(state.roll)
    document["closed_bonus"] = list(state.closed)
    document["sheets"] = [_sheet_document(sheet) for sheet in state.sheets]
    if position.rules.changed:
        document["rules"] = position.rules.changed
    return document


def _sheet_document(sheet: Sheet) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name, rows in zip(NAMES, sheet.zones, strict=True):
        text = rows[0].rstrip(EMPTY) if name in IN_ORDER else rows[0]
        document[name] = text if name in ONE_ROW else list(rows)
    return {
        **document,
        "leaf_total": sheet.leaf_total,
        "leaf_points": sheet.leaf_points,
        "zone_bonus": list(sheet.zone_bonus),
    }


def score(position: Position) -> Answer:
    """Each seat's score as the table stands, with what it is made of."""
    game, state = position.game, position.state
    scores = [game.score(sheet) for sheet in state.sheets]
    rows = [
        (
            seat,
            total,
            *zone_points(game, sheet),
            sheet.leaf_points,
            game.rules.zone_bonus * len(sheet.zone_bonus),
        )
        for seat, (sheet, total) in enumerate(zip(state.sheets, scores, strict=True))
    ]
    columns = ("seat", "score", *NAMES, "leaf points", "zone bonuses")
    return Answer({"game": "feuilles", "scores": scores}, columns, rows, "Score")


def zone_points(game: Feuilles, sheet: Sheet) -> list[int]:
    """Points of each zone, completion bonuses not counted."""
    return [zone.points(rows) for zone, rows in zip(game.rules.zones, sheet.zones, strict=True)]


def item(choice: Choice) -> dict[str, Any]:
    """A choice as the contract writes it: null for what is not written, ``x`` the jokers placed."""
    written = bool(choice.zone)
    return {
        "zone": choice.zone if written else None,
        "number": choice.number if written else None,
        "leaf": choice.leaf,
        "cell": choice.cell if written else None,
        "x": [{"zone": zone, "cell": cell} for zone, cell in choice.x],
    }


def item_row(entry: dict[str, Any]) -> tuple[Any, ...]:
    """The cells of a table row of one item."""
    jokers = " ".join(f"{joker['zone']}:{joker['cell']}" for joker in entry["x"])
    return (*(entry[key] for key in ("zone", "number", "leaf", "cell")), jokers)


ITEM_COLUMNS = ("zone", "number", "leaf", "cell", "x (zone:cell)")


def enumerate_actions(position: Position) -> Answer:
    """Every choice that leads to a different sheet: of the roll if there is one, else of any roll.

    With several sheets every item names its seat.
    """
    return _listing(position.game, position.state)


def enumerate_game(rules: RuleData, mode: str | None) -> Answer:
    """Every choice of the first round: each number a die can bring, on an empty sheet."""
    game = make_game(rules.model, 1, mode, None)
    return _listing(game, game.initial_state())


def _listing(game: Feuilles, state: State) -> Answer:
    several = game.players > 1
    items = []
    for seat in range(0 if game.is_over(state) else game.players):
        choices = every_choice(game, state, state.sheets[seat])
        items += [{**({"seat": seat} if several else {}), **item(choice)} for choice in choices]
    columns = (("seat",) if several else ()) + ITEM_COLUMNS
    rows = [((entry["seat"],) if several else ()) + item_row(entry) for entry in items]
    document = {"game": "feuilles", "count": len(items), "items": items}
    return Answer(document, columns, rows, f"{len(items)} choices")


def every_choice(game: Feuilles, state: State, sheet: Sheet) -> list[Choice]:
    """The choices of a sheet with the roll of ``state``, or with any roll if there is none."""
    rolls = [roll for roll, _ in ROLLS] if state.roll is None else [state.roll]
    return sorted({choice for roll in rolls for choice in game.choices(sheet, roll)})
