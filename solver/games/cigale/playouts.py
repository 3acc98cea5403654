"""Whole games by compiled kernels: the tables they need, made once for a game and its policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.blocks import Block, from_standing
from fable_solve.solver.games.cigale.cards import NO_INSECT, TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.chains import Chain, legal_chains
from fable_solve.solver.games.cigale.kernel_automne import AutumnRules, play_autumns
from fable_solve.solver.games.cigale.hiver import Hiver
from fable_solve.solver.games.cigale.kernel_automne_random import (
    INSECT_BITS,
    MOST_PLACES,
    SmallSquare,
    play_random_autumns,
)
from fable_solve.solver.games.cigale.kernel_chains import Chains
from fable_solve.solver.games.cigale.kernel_hiver import WinterRules, play_winters
from fable_solve.solver.games.cigale.kernel_market import Market
from fable_solve.solver.games.cigale.kernel_round import FIELD, Stage
from fable_solve.solver.games.cigale.market import price_counts
from fable_solve.solver.games.cigale.payment import Counts, compositions, type_payments
from fable_solve.solver.games.cigale.play import NO_HOLES, Cigale
from fable_solve.solver.games.cigale.policies import POLICIES, exact_value, red_ant_names, round_of_cards

CODES = 28
ONE = 1 << 53
"""Uniform numbers are whole multiples of ``1 / ONE``."""
MOST_ANTS = 64
"""Most ants for which all rounds are tabulated (48,000 of them)."""


def compiled(game: Cigale, policies: tuple[str, ...]) -> Callable[[int, int, Any], Block] | None:
    """``(first, count, keys[sources + seats]) -> Block`` with ``policies`` at the seats.

    ``None`` only under ``stage`` with more than ``MOST_ANTS`` ants: its rounds are too many for a table.
    """
    if "stage" in policies and game.rules.ants > MOST_ANTS:
        return None
    names = list(POLICIES)
    ids = np.array([names.index(policy) for policy in policies])
    stage = stage_tables(game.rules.ants if "stage" in policies else 1)
    play = _hiver if isinstance(game, Hiver) else _automne
    return play(game, ids, stage)


def _automne(game: Cigale, policies: Any, stage: Stage) -> Callable[[int, int, Any], Block]:
    holes = frozenset(range(len(game.rules.deck), game.height * game.width))
    chains, rules = chain_tables(game, holes), automne_rules(game)
    square = small_square(game, chains) if not policies.any() and not holes else None

    def play(first: int, count: int, keys: Any) -> Block:
        scores, standing = np.empty((count, game.players)), np.empty((count, game.players), np.int64)
        lengths, counters = np.empty(count, np.int32), np.empty((count, len(keys)), np.uint64)
        written = scores, standing, lengths, counters
        if square is None:
            play_autumns(first, keys, policies, rules, chains, stage, *written)
        else:
            places = game.height * game.width
            play_random_autumns(first, keys, game.players, rules, square, places, *written)
        return from_standing(first, scores, standing, lengths, np.zeros(count, np.bool_), counters)

    return play


def small_square(game: Cigale, chains: Chains) -> SmallSquare | None:
    """Tables for random players, if the square and the insects are few enough and there is a chain."""
    species = [len(types) for types in game.rules.insect_cards.values()]
    fits = game.height * game.width <= MOST_PLACES and max(species, default=0) < 1 << INSECT_BITS
    if not fits or not len(chains.places):
        return None
    parts = sum(1 << FIELD * path_type for path_type in range(len(TYPES)))
    codes = range(CODES)
    return SmallSquare(
        np.array([sum(1 << int(place) for place in chain) * parts for chain in chains.places], np.uint64),
        np.array([FIELD * type_of(code) for code in codes]),
        np.array([insect_unit(insect_of(code)) for code in codes], np.uint64),
    )


def automne_rules(game: Cigale) -> AutumnRules:
    """The rule data of automne as arrays."""
    rules = game.rules
    shelf, sets = np.array(rules.shelf_points), np.array(rules.insect_points)
    largest = len(TYPES) * int(shelf.max()) + rules.ants * int(np.diff(sets).max())
    return AutumnRules(
        np.array(rules.deck, np.uint8),
        card_units(),
        shelf,
        sets,
        rules.shelves_to_end,
        most_equal(rules.deck),
        largest.bit_length(),
    )


def _hiver(game: Cigale, policies: Any, stage: Stage) -> Callable[[int, int, Any], Block]:
    chains, market = chain_tables(game, NO_HOLES), market_tables(game)
    rules = hiver_rules(game)

    def play(first: int, count: int, keys: Any) -> Block:
        scores, standing = np.empty((count, game.players)), np.empty((count, game.players), np.int64)
        lengths, stopped = np.empty(count, np.int32), np.empty(count, np.bool_)
        counters = np.empty((count, len(keys)), np.uint64)
        play_winters(
            first, keys, policies, rules, market, chains, stage, scores, standing, lengths, stopped, counters
        )
        block = from_standing(first, scores, standing, lengths, stopped, counters)
        block.winners[stopped] = game.players
        return block

    return play


def hiver_rules(game: Cigale) -> WinterRules:
    """The rule data of hiver as arrays."""
    rules, kinds = game.rules, provision_kinds(game)
    provisions = [kinds.index(kind) for kind in rules.provision_pile(game.players)]
    return WinterRules(
        np.array(rules.deck, np.uint8),
        card_units(),
        np.array(provisions, np.uint8),
        most_equal(rules.deck),
        most_equal(provisions),
        rules.starting_cards,
        rules.row_size,
        rules.points_to_win,
        rules.stall_guard,
        rules.empty_hand_bonus,
        rules.swap_target == "uncovered",
        rules.red_ant_reward == "miss",
        (len(TYPES) * int(np.diff(rules.provision_points).max())).bit_length(),
    )


def provision_kinds(game: Cigale) -> list[str]:
    """Kinds of Provision in use, sorted."""
    return sorted(set(game.rules.provision_pile(game.players)))


def market_tables(game: Cigale) -> Market:
    """Prices and payments of the kinds in use."""
    rules = game.rules
    rate = rules.substitution_cards if rules.substitution else None
    prices = [tuple(price_counts(rules.prices, kind, TYPES)) for kind in provision_kinds(game)]
    payments = [type_payments(price, rate) for price in prices]
    pays = np.array([counts for some in payments for counts in some], np.uint8).reshape(-1, len(TYPES))
    return Market(
        np.array(prices, np.int64).reshape(-1, len(TYPES)),
        pays,
        pays.sum(axis=1),
        np.cumsum([0, *map(len, payments)]),
        np.array(rules.provision_points),
        np.array([count // rate if rate else 0 for count in range(len(rules.deck) + rules.ants + 1)]),
        np.array([sum(price) for price in prices], np.int64),
        int(pays.max(initial=0)),
    )


def insect_unit(insect: int) -> int:
    """Word of one insect card, ten bits a species; nothing for a plain card."""
    return 0 if insect == NO_INSECT else 1 << INSECT_BITS * insect


def most_equal(items: Sequence[int]) -> int:
    """Largest number of equal items."""
    return max(Counter(items).values(), default=0)


def card_units() -> NDArray[np.uint64]:
    """Word of counts of each card's code; ``[28]``."""
    return np.array([1 << FIELD * type_of(code) for code in range(CODES)], np.uint64)


def chain_tables(game: Cigale, holes: frozenset[int]) -> Chains:
    """Legal chains of the game's square with ``holes``."""
    rules, places = game.rules, game.height * game.width
    chains = legal_chains(game.height, game.width, holes, rules.ants, rules.chain_rule)
    covering = [words(cell in chain for chain in chains) for cell in range(places)]
    return Chains(
        np.array(chains, np.uint16).reshape(-1, rules.ants),
        np.array(covering),
        words(True for _ in chains),
    )


def words(members: Iterator[bool]) -> NDArray[np.uint64]:
    """A set of chains as 64-bit words, chain c being bit ``c % 64`` of word ``c // 64``.

    >>> words(iter([True, False, True])).tolist()
    [5]
    """
    packed = np.packbits(np.fromiter(members, np.bool_), bitorder="little")
    return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)


def stage_tables(ants: int) -> Stage:
    """Every round of ``ants`` ants counted in cards."""
    rounds = sorted(
        compositions(ants, (ants,) * len(TYPES)),
        key=lambda counts: (-exact_value(tuple(sorted(counts))), counts),
    )
    values = [exact_value(tuple(sorted(counts))) for counts in rounds]
    starts = [i for i in range(len(rounds)) if i == 0 or values[i] != values[i - 1]]
    span = ants + 1
    row = np.zeros(span**3, np.int32)
    for i, (y, b, n, _) in enumerate(rounds):
        row[(y * span + b) * span + n] = i
    return Stage(
        np.array(rounds, np.uint8),
        np.array([*starts, len(rounds)]),
        row,
        np.array([_limits(counts) for counts in rounds], np.uint64),
        np.array([_red(counts) for counts in rounds], np.uint64),
    )


def _limits(counts: Counts) -> list[list[int]]:
    """For both roles, the smallest draws that name a type after type 0, 1 and 2."""
    guess = round_of_cards(counts)
    return [_thresholds(counts, guess.ant), _thresholds(counts, guess.cigale)]


def _thresholds(counts: Counts, shares: tuple[float, ...]) -> list[int]:
    """Smallest ``u`` of ``0 .. ONE`` for which ``Stream.weighted`` over the covered types goes beyond type
    0, 1 and 2 when it draws ``u / ONE``; the last covered type is never passed."""
    covered = [t for t, count in enumerate(counts) if count]
    found = []
    for t in range(len(TYPES) - 1):
        passed = shares[: sum(other <= t for other in covered)]
        found.append(_least(passed) if len(passed) < len(covered) else ONE)
    return found


def _least(shares: tuple[float, ...]) -> int:
    """Smallest ``u`` for which ``u / ONE``, less all ``shares`` one after the other, is not negative."""

    def left(u: int) -> float:
        rest = u * 2.0**-53
        for share in shares:
            rest -= share
        return rest

    u = round(sum(shares) * ONE)
    while u > 0 and left(u - 1) >= 0.0:
        u -= 1
    while left(u) < 0.0:
        u += 1
    return u


def _red(counts: Counts) -> int:
    """Set of types that a Red Ant names."""
    covered = [t for t, count in enumerate(counts) if count]
    return sum(1 << covered[i] for i in red_ant_names(round_of_cards(counts)))
