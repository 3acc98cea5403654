"""The rule data of Cigale as a checked model, and the game it makes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, field_validator, model_validator

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.cards import SPECIES, TYPES, full_deck
from fable_solve.solver.schema import Bool, Int, Model, Str, shown, unknown_key

if TYPE_CHECKING:
    from fable_solve.solver.games.cigale.play import Cigale

Count = Annotated[Int, Field(ge=0, le=1000)]
Positive = Annotated[Int, Field(ge=1, le=1000)]
Points = Annotated[Int, Field(ge=0, le=1_000_000)]
Scale = Annotated[list[Points], Field(min_length=2, max_length=100)]
ChainRule = Literal["touching", "connected", "path", "strict"]


class Rules(Model):
    """Every number and option of the rules; the fields are the keys of the data file."""

    path_cards: dict[Str, Count]
    insect_cards: dict[Str, Str]
    board: Annotated[list[Positive], Field(min_length=2, max_length=2)]
    ants: Positive
    chain_rule: ChainRule
    shelf_points: Scale
    insect_points: Scale
    shelves_to_end: Annotated[Int, Field(ge=1, le=4)]
    insects_visible: Bool
    provisions: Annotated[dict[Str, Count], Field(min_length=1, max_length=100)]
    provision_kinds: dict[Str, list[Str]]
    prices: dict[Str, Str]
    provision_points: Scale
    points_to_win: Positive
    row_size: Positive
    starting_cards: Count
    substitution: Bool
    substitution_cards: Annotated[Int, Field(ge=1, le=12)]
    empty_hand_bonus: Bool
    swap_target: Literal["any", "uncovered"]
    red_ant_reward: Literal["match", "miss"]
    power_cards: Bool
    stall_guard: Annotated[Int, Field(ge=1, le=100_000)]

    @field_validator("path_cards")
    @classmethod
    def _types(cls, value: dict[str, int]) -> dict[str, int]:
        if set(value) != set(TYPES):
            raise BadInput("counts for the types Y, B, N and R", shown(", ".join(value)))
        return value

    @field_validator("insect_cards")
    @classmethod
    def _species(cls, value: dict[str, str]) -> dict[str, str]:
        for species, types in value.items():
            if species not in SPECIES or len(species) != 1:
                raise BadInput("a species a to f", shown(species))
            _check_letters(types, species)
        return value

    @field_validator("shelf_points", "insect_points", "provision_points")
    @classmethod
    def _rising(cls, value: list[int]) -> list[int]:
        if sorted(value) != value:
            raise BadInput("points that never fall", shown(value))
        return value

    @field_validator("prices")
    @classmethod
    def _prices(cls, value: dict[str, str]) -> dict[str, str]:
        for kind, price in value.items():
            _check_letters(price, kind)
            if not 1 <= len(price) <= 12:
                raise BadInput("a price of 1 to 12 cards", str(len(price)), where=kind)
        return value

    @field_validator("power_cards")
    @classmethod
    def _power(cls, value: bool) -> bool:
        if value:
            raise BadInput("false (the effects of power cards are published nowhere)", "true")
        return value

    @model_validator(mode="after")
    def _cross(self) -> Rules:
        for letter in TYPES:
            with_insect = sum(types.count(letter) for types in self.insect_cards.values())
            if with_insect > self.path_cards[letter]:
                raise BadInput(
                    f"at most {self.path_cards[letter]} insects on {letter} cards",
                    with_insect,
                    where="insect_cards",
                )
        for kind in self.provisions:
            if kind not in self.prices:
                raise BadInput("a price for each kind", f"none for {shown(kind)}", where="prices")
        for kind in self.prices:
            if kind not in self.provisions:
                raise unknown_key(kind, list(self.provisions), "prices")
        for players, kinds in self.provision_kinds.items():
            _check_kinds(players, kinds, self.provisions)
        return self

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """Codes of all path cards, sorted."""
        return full_deck(self.path_cards, self.insect_cards)

    def provision_pile(self, players: int) -> tuple[str, ...]:
        """Provision cards in use with ``players`` players, sorted by name."""
        kinds = self.provision_kinds[str(players)]
        return tuple(sorted(kind for kind in kinds for _ in range(self.provisions[kind])))


def _check_letters(types: str, where: str) -> None:
    for letter in types:
        if letter not in TYPES:
            raise BadInput("types Y, B, N, R, one letter a card", shown(types), where=where)


def _check_kinds(players: str, kinds: list[str], known: dict[str, int]) -> None:
    where = f"provision_kinds.{players}"
    if players not in ("2", "3", "4"):
        raise BadInput("a number of players from 2 to 4", shown(players), where=where)
    if len(set(kinds)) != len(kinds):
        raise BadInput("different kinds", shown(", ".join(kinds)), where=where)
    for kind in kinds:
        if kind not in known:
            raise BadInput(f"one of {', '.join(known)}", shown(kind), where=where)


def make_game(
    rules: Rules,
    players: int,
    mode: str | None,
    objective: str | None = None,
    *,
    height: int | None = None,
    width: int | None = None,
) -> Cigale:
    """The game for ``players`` seats in ``mode``, by default for the win share.

    Raises :class:`BadInput` if it cannot be dealt.

    A position gives the ``height`` and ``width`` of its square; then nothing is dealt and only the
    number of ants is checked against it.
    """
    from fable_solve.solver.games.cigale.automne import Automne
    from fable_solve.solver.games.cigale.hiver import Hiver

    if not 2 <= players <= 4:
        raise BadInput("2 to 4 players", players, where="players")
    rows, columns = height or rules.board[0], width or rules.board[1]
    if rules.ants > rows * columns:
        raise BadInput(f"at least {rules.ants} squares (one an ant)", rows * columns, where="board")
    if height is None and mode == "hiver":
        _check_deal(rules, rows * columns + players * rules.starting_cards)
    elif height is None:
        _check_deal(rules, rows * columns)
    kind = Hiver if mode == "hiver" else Automne
    return kind(rules, players, objective or "win", rows, columns)


def _check_deal(rules: Rules, needed: int) -> None:
    if needed > len(rules.deck):
        raise BadInput(f"at least {needed} cards for the deal", len(rules.deck), where="path_cards")
