"""Named policies of Cigale: ``random``, ``greedy`` and ``stage``.

``random``  lays a uniform chain, names and guesses uniformly among the types under ants, and takes a
            uniform listed option elsewhere.
``greedy``  thinks of the cards it would like: a type is worth the points its cards would bring its collector
            at once (automne: shelf places and insects; hiver: the best purchase they allow), and a hundredth
            of a point a card. The Ant lays the chain whose types are worth most in all; Ant and Cigale name
            and guess each type with a chance in proportion to its worth to themselves; a Red Ant names the
            type best for the Ant. It swaps insects only for a better purchase, always buys the Provision
            worth most, and pays with as few cards as it can.
``stage``   plays the equilibrium of the round counted in cards: the chain of highest value, Choix and guess
            mixed as the guessing game asks; a Red Ant names the type most likely to be chosen and missed.
            It swaps and buys like ``greedy``.

Ties are broken by the seat's own stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.games.cigale.cards import HOLE, NO_INSECT, TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.chains import legal_chains
from fable_solve.solver.games.cigale.guessing import Guess, solve_guess
from fable_solve.solver.games.cigale.market import affords, purchase_gain
from fable_solve.solver.games.cigale.play import types_under
from fable_solve.solver.games.cigale.stakes import track
from fable_solve.solver.games.cigale.state import CHOOSE, LAY, SWAP, State
from fable_solve.solver.policy import Policy
from fable_solve.solver.rng import Stream

TIE = 1e-12

Table = NDArray[np.float64]


def random(game: Any, state: State, seat: int, stream: Stream) -> Any:
    """A uniform legal action; a Red Ant names only types under ants."""
    if state.phase == CHOOSE:
        return stream.choice(types_under(state.board, state.chain))
    return stream.choice(game.legal_actions(state, seat))


def greedy(game: Any, state: State, seat: int, stream: Stream) -> Any:
    """The best cards for oneself, without a thought for what the others expect."""
    if state.phase == LAY:
        worths = type_worths(game, state, seat)
        return stream.choice(_best(game.chains(state), np.where(worths > 0, worths, 0.0).sum(axis=1)))
    if state.phase == CHOOSE:
        wanted = seat if seat in (state.ant, state.cigale) else state.ant
        types = types_under(state.board, state.chain)
        worths = worths_of(game, state, wanted, incidence_of(state.chain, len(state.board)))[0]
        if wanted != seat:
            return stream.choice(_best(types, worths[list(types)]))
        shares = worths[list(types)] / worths[list(types)].sum()
        return stream.weighted(list(zip(types, shares.tolist(), strict=True)))
    return _trade(game, state, seat, stream)


def stage(game: Any, state: State, seat: int, stream: Stream) -> Any:
    """The equilibrium of the round in which each card is worth 1 to whoever collects it."""
    if state.phase == LAY:
        counts = _type_counts(state.board, _incidence(game, state)).tolist()
        values = [exact_value(tuple(sorted(row))) for row in counts]
        best = max(values)
        return stream.choice(list(compress(game.chains(state), [value == best for value in values])))
    if state.phase == CHOOSE:
        return _stage_choice(state, seat, stream)
    return _trade(game, state, seat, stream)


def _stage_choice(state: State, seat: int, stream: Stream) -> Any:
    types = types_under(state.board, state.chain)
    held = Counter(type_of(state.board[cell]) for cell in state.chain)
    guess = round_of_cards(tuple(held[t] for t in range(len(TYPES))))
    if seat == state.ant:
        return stream.weighted(list(zip(types, guess.ant, strict=True)))
    if seat == state.cigale:
        return stream.weighted(list(zip(types, guess.cigale, strict=True)))
    return stream.choice([types[i] for i in red_ant_names(guess)])


def red_ant_names(guess: Guess) -> list[int]:
    """Indices of the covered types most likely to be chosen and missed."""
    drawn = [p * (1 - q) for p, q in zip(guess.ant, guess.cigale, strict=True)]
    return _best(range(len(drawn)), np.array(drawn))


@lru_cache(maxsize=65536)
def round_of_cards(counts: tuple[int, ...]) -> Guess:
    """Equilibrium of a chain over ``counts`` cards of each type ``[4]``, in cards; entries by covered type.

    >>> round(round_of_cards((2, 2, 1, 1)).value, 9)
    0.666666667
    """
    gains = [float(count) for count in counts if count]
    return solve_guess(gains, gains)


@lru_cache(maxsize=65536)
def exact_value(counts: tuple[int, ...]) -> Fraction:
    """Value of :func:`round_of_cards`, so that equal ones are equal; ``counts`` sorted.

    Naming ``i`` in proportion to ``1 / n_i`` on a support of ``k`` types is worth ``(k - 2) / sum(1 / n_i)``
    whatever is guessed; the best support of each size has the largest counts.

    >>> exact_value((1, 1, 2, 2)), exact_value((0, 2, 2, 2)), exact_value((0, 0, 0, 6))
    (Fraction(2, 3), Fraction(2, 3), Fraction(-6, 1))
    """
    shares = accumulate(Fraction(1, count) for count in reversed(counts) if count)
    return max((k - 2) / share for k, share in enumerate(shares, 1))


def _best(items: Sequence[Any], values: Table) -> list[Any]:
    """Items whose value is the largest, to rounding."""
    return [items[i] for i in np.flatnonzero(values >= values.max() - TIE).tolist()]


# --- what cards are worth at once


def type_worths(game: Any, state: State, seat: int) -> Table:
    """Worth to ``seat`` of collecting each type under each legal chain; ``[chains, 4]``.

    100 a point gained at once and 1 a card. Insects are counted as if each card came alone.
    """
    return worths_of(game, state, seat, _incidence(game, state))


def worths_of(game: Any, state: State, seat: int, chains: NDArray[np.int64]) -> Table:
    counts = _type_counts(state.board, chains)
    points = point_table(game, state, seat)[np.arange(len(TYPES)), counts]
    if state.insects:
        points = points + chains @ _insect_points(game, state, seat)
    worths: Table = np.where(counts > 0, 100.0 * points + counts, -np.inf)
    return worths


def point_table(game: Any, state: State, seat: int) -> Table:
    """Points gained at once by ``n`` cards of a type (insects aside); ``[4, ants + 1]``."""
    rules = game.rules
    if state.shelves:
        return np.array([track(rules.shelf_points, place, rules.ants) for place in state.shelves[seat]])
    held = _by_type(state.reserves[seat])
    return np.array(
        [
            [buying_gain(game, state, seat, _more(held, t, n)) for n in range(rules.ants + 1)]
            for t in range(len(TYPES))
        ]
    )


def buying_gain(game: Any, state: State, seat: int, held: tuple[int, ...]) -> float:
    """Most points one purchase from the row brings ``seat`` with ``held`` cards of each type."""
    rules = game.rules
    rate = rules.substitution_cards if rules.substitution else None
    gains = [
        purchase_gain(state.provisions[seat], kind, rules.provision_points)
        for kind in set(state.row)
        if _can_pay(held, rules.prices[kind], rate)
    ]
    return float(max(gains, default=0))


@lru_cache(maxsize=65536)
def _can_pay(held: tuple[int, ...], price: str, rate: int | None) -> bool:
    return affords(held, [price.count(letter) for letter in TYPES], rate)


def _insect_points(game: Any, state: State, seat: int) -> Table:
    """Points each card of the square would bring by its insect, in its type's column; ``[places, 4]``."""
    gains = [track(game.rules.insect_points, held, 1)[1] for held in state.insects[seat]]
    points = np.zeros((len(state.board), len(TYPES)))
    for cell, code in enumerate(state.board):
        if code != HOLE and insect_of(code) != NO_INSECT:
            points[cell, type_of(code)] = gains[insect_of(code)]
    return points


def _by_type(cards: Sequence[int]) -> tuple[int, ...]:
    types = [type_of(code) for code in cards]
    return tuple(types.count(t) for t in range(len(TYPES)))


def _more(held: tuple[int, ...], path_type: int, count: int) -> tuple[int, ...]:
    return (*held[:path_type], held[path_type] + count, *held[path_type + 1 :])


# --- chains as arrays


def _incidence(game: Any, state: State) -> NDArray[np.int64]:
    """Ants of every legal chain; ``[chains, places]`` of 0 and 1, in the order of ``game.chains``."""
    holes = frozenset(cell for cell, code in enumerate(state.board) if code == HOLE)
    return _all_chains(game.height, game.width, holes, game.rules.ants, game.rules.chain_rule)


@lru_cache(maxsize=16)
def _all_chains(
    height: int, width: int, holes: frozenset[int], ants: int, chain_rule: str
) -> NDArray[np.int64]:
    chains = legal_chains(height, width, holes, ants, chain_rule)
    return np.concatenate([incidence_of(chain, height * width) for chain in chains])


def incidence_of(chain: Sequence[int], places: int) -> NDArray[np.int64]:
    """Ants of one chain; ``[1, places]``."""
    ants = np.zeros((1, places), dtype=np.int64)
    ants[0, list(chain)] = 1
    return ants


def _type_counts(board: Sequence[int], chains: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cards of each type under each chain; ``[chains, 4]``."""
    types = [len(TYPES) if code == HOLE else type_of(code) for code in board]
    counts: NDArray[np.int64] = chains @ np.eye(len(TYPES) + 1, len(TYPES), dtype=np.int64)[types]
    return counts


# --- swaps and purchases


def _trade(game: Any, state: State, seat: int, stream: Stream) -> Any:
    """The best swap or purchase."""
    options = game.legal_actions(state, seat)
    rank = swap_rank if state.phase == SWAP else purchase_rank
    ranks = [rank(game, state, seat, option) for option in options]
    best = max(ranks)
    return stream.choice([option for option, rank in zip(options, ranks, strict=True) if rank == best])


def swap_rank(game: Any, state: State, seat: int, cells: Sequence[int]) -> tuple[float, float]:
    """The purchase the cards allow, then the collected cards kept."""
    cards = [*state.reserves[seat], *(state.board[cell] for cell in cells)]
    kept = len(set(cells) & set(game.collected(state, state.choice)))
    return buying_gain(game, state, seat, _by_type(cards)), float(kept)


def purchase_rank(game: Any, state: State, seat: int, purchase: Any) -> tuple[float, float]:
    """Points gained, then few cards paid; no purchase comes last."""
    if purchase is None:
        return -1.0, 0.0
    kind, paid = purchase
    gain = purchase_gain(state.provisions[seat], kind, game.rules.provision_points)
    return float(gain), -float(len(paid))


POLICIES: dict[str, Policy] = {"random": random, "greedy": greedy, "stage": stage}
