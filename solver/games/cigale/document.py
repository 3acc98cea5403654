"""The position format of Cigale: a document read into a state, and written back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.cards import (
    HOLE,
    SPECIES,
    TYPES,
    card,
    format_card,
    insect_of,
    parse_card,
    parse_place,
)
from fable_solve.solver.games.cigale.rules import Rules, make_game
from fable_solve.solver.games.cigale.state import LAY, State
from fable_solve.solver.positions import Position
from fable_solve.solver.rules import RuleData
from fable_solve.solver.schema import Int, Model, Str, join, shown, validate

AUTOMNE_KEYS = ("shelves", "insects")
HIVER_KEYS = ("reserves", "provisions", "row", "discard", "provision_pile")

Round = Annotated[Int, Field(ge=1, le=1_000_000)]


class Document(Model):
    """The keys of a position beside ``game``, ``mode`` and ``rules``."""

    board: list[Str]
    players: Annotated[Int, Field(ge=2, le=4)] = 2
    ant: Int = 0
    cigale: Int | None = None
    shelves: list[list[Int]] | None = None
    insects: list[list[Str]] | None = None
    deck: list[Str] | None = None
    removed: list[Str] = Field(default_factory=list)
    round: Round = 1
    reserves: list[list[Str]] | None = None
    provisions: list[list[Str]] | None = None
    row: list[Str] = Field(default_factory=list)
    discard: list[Str] = Field(default_factory=list)
    provision_pile: list[Str] | None = None


@dataclass(frozen=True)
class Details:
    """What a document says beyond the state."""

    removed: tuple[int, ...]
    insects: tuple[tuple[str, ...], ...]
    """Automne: the kept insect cards as written, with or without their type."""
    round: int
    pile_given: bool
    pile_error: BadInput | None
    """Why no draw pile can be told, if none was given and the cards seen exceed the components."""
    notes: tuple[str, ...]

    def require_pile(self) -> None:
        """Raise the fault of the draw pile; called by whatever draws from it."""
        if self.pile_error is not None:
            raise self.pile_error


def parse(body: dict[str, Any], source: str, rules: RuleData, mode: str | None) -> Position:
    """The position that ``body`` describes; raises :class:`BadInput` naming the place in ``source``.

    A draw pile that is needed but not given is the full deck less every card seen and ``removed``; if
    that is impossible the fault is kept in ``details`` and raised by whoever needs the pile. A kept
    insect written without its type is taken to be the first unseen card of its species in the order
    Y B N R, and a note says so.
    """
    document = validate(Document, body, source)
    _check_mode_keys(document, source, mode)
    board, height, width = _board(document.board, f"{source}: board")
    model: Rules = rules.model
    if model.ants > height * width:
        raise BadInput(
            f"at least {model.ants} squares (one an ant)", height * width, where=f"{source}: board"
        )
    if "board" in rules.changed and model.board != [height, width]:
        expected = f"the size of the position's board, [{height}, {width}]"
        raise BadInput(expected, shown(model.board), where=f"{source}: rules.board")
    ant, cigale = _seats(document, source)
    game = make_game(model, document.players, mode, height=height, width=width)
    state = State(LAY, ant, cigale, board, pile=())
    fill = _hiver if mode == "hiver" else _automne
    state = fill(document, state, model, source)
    state, details = _with_pile(document, state, model, source)
    return Position(registry.get("cigale"), mode, rules, game, game.start_round(state), source, details)


def _check_mode_keys(document: Document, source: str, mode: str | None) -> None:
    foreign, other = (AUTOMNE_KEYS, "automne") if mode == "hiver" else (HIVER_KEYS, "hiver")
    for key in foreign:
        if key in document.model_fields_set:
            raise BadInput(f"a key of mode {mode}", f"{key!r}, a key of {other}", where=join(source, key))


def _board(rows: Sequence[str], where: str) -> tuple[tuple[int, ...], int, int]:
    """Cards of the square in reading order, its height and its width."""
    places = [row.split() for row in rows]
    if not places or not places[0]:
        raise BadInput("at least one row of at least one card", shown(list(rows)), where=where)
    width = len(places[0])
    for r, row in enumerate(places):
        if len(row) != width:
            raise BadInput(f"{width} cards as in the first row", len(row), where=f"{where}[{r}]")
    board = tuple(parse_place(text, f"{where}[{r}]") for r, row in enumerate(places) for text in row)
    return board, len(places), width


def _seats(document: Document, source: str) -> tuple[int, int]:
    players = document.players
    cigale = (document.ant + 1) % players if document.cigale is None else document.cigale
    for key, seat in (("ant", document.ant), ("cigale", cigale)):
        if not 0 <= seat < players:
            raise BadInput(f"a seat from 0 to {players - 1}", seat, where=join(source, key))
    if cigale == document.ant:
        raise BadInput("another seat than the ant's", cigale, where=join(source, "cigale"))
    return document.ant, cigale


def _per_player(values: list[list[Any]] | None, players: int, where: str, default: list[Any]) -> Any:
    """One list a player, or the default for each."""
    if values is None:
        return [default] * players
    if len(values) != players:
        raise BadInput(f"{players} lists, one a player", len(values), where=where)
    return values


def _automne(document: Document, state: State, rules: Rules, source: str) -> State:
    shelves = _per_player(document.shelves, document.players, join(source, "shelves"), [0] * len(TYPES))
    top = len(rules.shelf_points) - 1
    for p, places in enumerate(shelves):
        where = join(source, f"shelves[{p}]")
        if len(places) != len(TYPES):
            raise BadInput(f"{len(TYPES)} places, in the order {' '.join(TYPES)}", len(places), where=where)
        for s, place in enumerate(places):
            if not 0 <= place <= top:
                raise BadInput(f"a place from 0 to {top}", place, where=f"{where}[{s}]")
    return state._replace(shelves=tuple(map(tuple, shelves)), insects=_kept(document, source))


def _kept(document: Document, source: str) -> tuple[tuple[int, ...], ...]:
    """Kept insect cards of each player by species."""
    lists = _per_player(document.insects, document.players, join(source, "insects"), [])
    kept = []
    for p, texts in enumerate(lists):
        counts = Counter(_species(text, join(source, f"insects[{p}][{i}]")) for i, text in enumerate(texts))
        kept.append(tuple(counts[species] for species in SPECIES))
    return tuple(kept)


def _species(text: str, where: str) -> str:
    """The species letter of a kept insect, written ``a`` or ``Ya``."""
    letters = text if len(text) != 1 else "Y" + text
    if len(letters) == 2 and letters[0] in TYPES and letters[1] in SPECIES:
        return letters[1]
    raise BadInput("an insect a-f, with or without its type", shown(text), where=where)


def _hiver(document: Document, state: State, rules: Rules, source: str) -> State:
    players = document.players
    reserves = _per_player(document.reserves, players, join(source, "reserves"), [])
    bought = _per_player(document.provisions, players, join(source, "provisions"), [])
    if len(document.row) > rules.row_size:
        raise BadInput(f"at most {rules.row_size} Provisions", len(document.row), where=join(source, "row"))
    return state._replace(
        reserves=tuple(_cards(texts, join(source, f"reserves[{p}]")) for p, texts in enumerate(reserves)),
        discard=_cards(document.discard, join(source, "discard")),
        provisions=tuple(
            _kinds(names, rules, join(source, f"provisions[{p}]")) for p, names in enumerate(bought)
        ),
        row=_kinds(document.row, rules, join(source, "row")),
        round=document.round,
    )


def _cards(texts: Sequence[str], where: str) -> tuple[int, ...]:
    return tuple(sorted(parse_card(text, f"{where}[{i}]") for i, text in enumerate(texts)))


def _kinds(names: Sequence[str], rules: Rules, where: str) -> tuple[str, ...]:
    for i, name in enumerate(names):
        if name not in rules.provisions:
            raise BadInput(f"one of {', '.join(rules.provisions)}", shown(name), where=f"{where}[{i}]")
    return tuple(sorted(names))


def _with_pile(document: Document, state: State, rules: Rules, source: str) -> tuple[State, Details]:
    """``state`` with its draw pile and Provision pile, and what else the document says."""
    removed = _cards(document.removed, join(source, "removed"))
    written = tuple(tuple(texts) for texts in document.insects or ())
    notes: list[str] = []
    error = None
    try:
        if document.deck is not None:
            state = state._replace(pile=_cards(document.deck, join(source, "deck")))
        else:
            state = state._replace(pile=_default_pile(state, rules, removed, written, source, notes))
        if state.reserves:
            state = state._replace(provision_pile=_provision_pile(document, state, rules, source))
    except _Exceeded as fault:
        error = BadInput(fault.expected, fault.got, where=fault.where)
    details = Details(removed, written, document.round, document.deck is not None, error, tuple(notes))
    return state, details


class _Exceeded(BadInput):
    """More cards seen than there are: a fault only where the pile is needed."""


def _default_pile(
    state: State,
    rules: Rules,
    removed: Sequence[int],
    written: Sequence[Sequence[str]],
    source: str,
    notes: list[str],
) -> tuple[int, ...]:
    """The full deck less the cards seen and ``removed``."""
    left = Counter(rules.deck)
    typed = [parse_card(text, source) for texts in written for text in texts if len(text) == 2]
    visible = [code for code in state.board if code != HOLE]
    for code in [*visible, *typed, *(c for hand in state.reserves for c in hand), *state.discard, *removed]:
        _take(left, code, f"{format_card(code)} cards", rules.deck.count(code), source)
    for text in [text for texts in written for text in texts if len(text) == 1]:
        species = SPECIES.index(text)
        unseen = [card(t, species) for t in range(len(TYPES)) if left[card(t, species)] > 0]
        held = sum(insect_of(code) == species for code in rules.deck)
        code = unseen[0] if unseen else card(0, species)
        _take(left, code, f"cards with insect {text}", held, source)
        notes.append(f"kept insect {text}: its type is not given, taken to be {format_card(code)}")
    return tuple(sorted(left.elements()))


def _take(left: Counter[Any], item: Any, name: str, held: int, source: str) -> None:
    if left[item] <= 0:
        raise _Exceeded(f"at most {held} {name} (or a key deck)", held + 1, where=source)
    left[item] -= 1


def _provision_pile(document: Document, state: State, rules: Rules, source: str) -> tuple[str, ...]:
    if document.provision_pile is not None:
        return _kinds(document.provision_pile, rules, join(source, "provision_pile"))
    left = Counter(rules.provision_pile(document.players))
    held = dict(left)
    for kind in [*state.row, *(kind for kinds in state.provisions for kind in kinds)]:
        _take(left, kind, f"{kind} Provisions", held.get(kind, 0), source)
    return tuple(sorted(left.elements()))


def dump(position: Position) -> dict[str, Any]:
    """The document of a position; parsing it gives the same state and details."""
    state, details = position.state, position.details
    width = position.game.width
    texts = [format_card(code) for code in state.board]
    document: dict[str, Any] = {
        "game": "cigale",
        "mode": position.mode,
        "players": position.game.players,
        "board": [" ".join(texts[i : i + width]) for i in range(0, len(texts), width)],
        "ant": state.ant,
        "cigale": state.cigale,
        "round": details.round,
        "removed": _texts(details.removed),
    }
    if details.pile_given:
        document["deck"] = _texts(state.pile)
    if position.mode == "hiver":
        document |= {
            "reserves": [_texts(hand) for hand in state.reserves],
            "provisions": [list(kinds) for kinds in state.provisions],
            "row": list(state.row),
            "discard": _texts(state.discard),
        }
        if details.pile_error is None:
            document["provision_pile"] = list(state.provision_pile)
    else:
        document |= {
            "shelves": [list(places) for places in state.shelves],
            "insects": [list(texts) for texts in details.insects] or [[] for _ in state.insects],
        }
    if position.rules.changed:
        document["rules"] = position.rules.changed
    return document


def _texts(codes: Sequence[int]) -> list[str]:
    return [format_card(code) for code in codes]
