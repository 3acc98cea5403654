"""What compiled games look up: chains as sets of bits, rounds in equilibrium, prices; and their scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.games.cigale.cards import NO_INSECT, TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.chains import legal_chains
from fable_solve.solver.games.cigale.kernel_automne import AutumnRules, AutumnTable
from fable_solve.solver.games.cigale.kernel_automne_random import INSECT_BITS, MOST_PLACES, SmallSquare
from fable_solve.solver.games.cigale.kernel_chains import Chains, Sets
from fable_solve.solver.games.cigale.kernel_hiver import WinterRules
from fable_solve.solver.games.cigale.kernel_market import Market, WinterTable
from fable_solve.solver.games.cigale.kernel_round import FIELD, MARKS, Stage
from fable_solve.solver.games.cigale.market import price_counts
from fable_solve.solver.games.cigale.payment import Counts, compositions, type_payments
from fable_solve.solver.games.cigale.play import Cigale
from fable_solve.solver.games.cigale.policies import exact_value, red_ant_names, round_of_cards

CODES = len(TYPES) * MARKS
ONE = 1 << 53
"""Uniform numbers are whole multiples of ``1 / ONE``."""


# --- rule data


def automne_rules(game: Cigale) -> AutumnRules:
    """The rule data of automne as arrays."""
    rules = game.rules
    return AutumnRules(
        np.array(rules.deck, np.uint8),
        card_units(),
        np.array(rules.shelf_points),
        np.array(rules.insect_points),
        rules.shelves_to_end,
        most_equal(rules.deck),
    )


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
    listed = np.array([counts for some in payments for counts in some], np.uint8).reshape(-1, len(TYPES))
    return Market(
        np.array(prices, np.int64).reshape(-1, len(TYPES)),
        listed,
        listed.sum(axis=1, dtype=np.int64),
        np.cumsum([0, *map(len, payments)]),
        np.array(rules.provision_points),
        np.array([count // rate if rate else 0 for count in range(len(rules.deck) + rules.ants + 1)]),
        np.array([sum(price) for price in prices], np.int64),
    )


def most_equal(items: Sequence[int]) -> int:
    """Largest number of equal items."""
    return max(Counter(items).values(), default=0)


def card_units() -> NDArray[np.uint64]:
    """Word of counts of each card's code; ``[28]``."""
    return np.array([1 << FIELD * type_of(code) for code in range(CODES)], np.uint64)


# --- chains


def chain_tables(game: Cigale, holes: frozenset[int]) -> Chains:
    """Legal chains of the game's square with ``holes``."""
    rules, places = game.rules, game.height * game.width
    chains = legal_chains(game.height, game.width, holes, rules.ants, rules.chain_rule)
    return Chains(
        np.array(chains, np.uint16).reshape(-1, rules.ants),
        np.array([words(place in chain for chain in chains) for place in range(places)]),
        words(True for _ in chains),
    )


def words(members: Iterable[bool]) -> NDArray[np.uint64]:
    """A set of chains as 64-bit words, chain c being bit ``c % 64`` of word ``c // 64``.

    >>> words([True, False, True]).tolist()
    [5]
    """
    packed = np.packbits(np.fromiter(members, np.bool_), bitorder="little")
    return np.pad(packed, (0, -len(packed) % 8)).view("<u8").astype(np.uint64)


def small_square(game: Cigale, chains: Chains) -> SmallSquare | None:
    """Tables for random players, if the square and the insects are few enough and there is a chain."""
    species = [len(types) for types in game.rules.insect_cards.values()]
    fits = game.height * game.width <= MOST_PLACES and max(species, default=0) < 1 << INSECT_BITS
    if not fits or not len(chains.places):
        return None
    parts = sum(1 << FIELD * path_type for path_type in range(len(TYPES)))
    return SmallSquare(
        np.array([sum(1 << int(place) for place in chain) * parts for chain in chains.places], np.uint64),
        np.array([FIELD * type_of(code) for code in range(CODES)]),
        np.array([_insect_unit(insect_of(code)) for code in range(CODES)], np.uint64),
    )


def _insect_unit(insect: int) -> int:
    return 0 if insect == NO_INSECT else 1 << INSECT_BITS * insect


# --- rounds in equilibrium


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
        span,
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


# --- scratch


def chain_sets(game: Cigale, chains: Chains, most_points: int, bonus: int) -> Sets:
    """Sets of chains; no sum of points is above ``most_points``, and ``bonus`` places bring some."""
    count, bits, sum_bits = len(chains.every), game.rules.ants.bit_length(), most_points.bit_length()
    types, span = len(TYPES), game.rules.ants + 1
    return Sets(
        np.zeros((count, types, bits), np.uint64),
        np.zeros((count, types, 1 << bits), np.uint64),
        chains.every.copy(),
        np.zeros(count, np.uint64),
        np.zeros((game.players, types, span), np.int64),
        np.zeros(bonus, np.int64),
        np.zeros((count, sum_bits), np.uint64),
        np.zeros((types, sum_bits, span), np.uint16),
    )


def automne_sets(game: Cigale, chains: Chains) -> Sets:
    """Sets of chains for automne: points come from shelves and insects."""
    rules = game.rules
    most = len(TYPES) * max(rules.shelf_points) + rules.ants * int(np.diff(rules.insect_points).max())
    return chain_sets(game, chains, most, game.height * game.width)


def hiver_sets(game: Cigale, chains: Chains) -> Sets:
    """Sets of chains for hiver: points come from one purchase for each type."""
    return chain_sets(game, chains, len(TYPES) * int(np.diff(game.rules.provision_points).max()), 0)


def automne_table(game: Cigale, streams: int) -> AutumnTable:
    """A table of automne with nothing on it."""
    seats, types = game.players, len(TYPES)
    return AutumnTable(
        np.zeros(streams, np.uint64),
        np.zeros(len(game.rules.deck), np.uint8),
        np.zeros(game.height * game.width, np.uint8),
        np.zeros((seats, types), np.int64),
        np.zeros(seats, np.int64),
        np.zeros((seats, MARKS), np.int64),
        np.zeros(game.rules.ants, np.int64),
        np.zeros(types),
    )


def hiver_table(game: Cigale, market: Market, streams: int) -> WinterTable:
    """A table of hiver with nothing on it."""
    seats, types, ants = game.players, len(TYPES), game.rules.ants
    places, kinds = game.height * game.width, len(market.prices)
    return WinterTable(
        streams=np.zeros(streams, np.uint64),
        pile=np.zeros(len(game.rules.deck), np.uint8),
        code=np.zeros(places, np.uint8),
        provisions=np.zeros(len(game.rules.provision_pile(seats)), np.uint8),
        stock=np.zeros(4, np.int64),
        row=np.zeros(kinds, np.int64),
        discard=np.zeros(CODES, np.int64),
        owned=np.zeros((seats, kinds), np.int64),
        points=np.zeros(seats, np.int64),
        held=np.zeros((seats, CODES), np.int64),
        typed=np.zeros((seats, types), np.int64),
        hands=np.zeros(seats, np.int64),
        named=np.zeros(seats, np.int64),
        taken=np.zeros(ants, np.int64),
        swapped=np.zeros(ants, np.int64),
        after=np.zeros((1, types), np.int64),
        own=np.zeros(MARKS, np.int64),
        several=np.zeros(MARKS, np.int64),
        options=np.zeros((MARKS, places), np.int64),
        subsets=np.zeros((types, MARKS + 1, int(market.payments.max(initial=0)) + 1), np.int64),
        worths=np.zeros(types),
    )
