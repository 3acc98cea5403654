"""Policies of both sides.

``random``: every choice uniform over the different legal actions; the Chenilles always turn a second card.

``greedy`` looks one card ahead and counts, for the Chenilles, (steps / 3)^2 for each caterpillar (1 step on
Terre, 2 on Ciel, 3 a butterfly), so that later steps weigh more; a captured one takes away its own and
``butterflies_to_win / captures_to_win``. All is counted in units of ``1 / (9 captures_to_win)``, that is, in
integers. In a player's words:

- Guepe, start: the opposite pair with the most slots within two places of a wasp or across from it.
- Guepe, offer: the three cards whose average outcome is worst for the Chenilles: strong wasp cards beside
  favourable cards that cannot be played. Equal offers are drawn at random.
- Guepe, move: as many captures as possible, counting those on Ciel more; then as many caterpillars as
  possible within two places of a wasp or across from it.
- Chenilles, caterpillar: the step that counts most (save, then spin, then lay); then as few caterpillars as
  possible within two places of a wasp or across from it.
- Chenilles, second card: turned if it helps on average, over the two cards laid if the discards are open,
  else over all cards not seen since the Guepe last took them all back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fable_solve.solver.games.chenille.cards import KINDS, WASP_CARDS, Offer
from fable_solve.solver.games.chenille.play import Chenille, Phase, State
from fable_solve.solver.games.chenille.ring import BUTTERFLY, RESERVE, fly, slots
from fable_solve.solver.policy import uniform
from fable_solve.solver.rng import Stream

NINTHS = {"oeuf": 1, "cocon": 3, "envol": 5}
"""What a step adds to (steps / 3)^2, in ninths."""


def random(game: Chenille, state: State, seat: int, stream: Stream) -> Any:
    """Uniform over the different legal actions; always a second card."""
    return "redraw" if state.phase == Phase.DECIDE else uniform(game, state, seat, stream)


def greedy(game: Chenille, state: State, seat: int, stream: Stream) -> Any:
    """The best action one card ahead (see the module); equal actions are drawn at random."""
    actions = game.legal_actions(state, seat)
    if state.phase == Phase.START:
        return _largest(actions, lambda wasps: _slots_near(state, wasps), stream)
    if state.phase == Phase.OFFER:
        gains = {kind: card_gain(game, state, kind) for kind in KINDS}
        return _largest(actions, lambda offer: -offer_gain(game, gains, offer), stream)
    if state.phase == Phase.DECIDE:
        return "redraw" if second_card_gain(game, state) > 0 else "pass"
    if state.revealed in WASP_CARDS:
        return _largest(actions, lambda move: _flight_merit(game, state, move), stream)
    return _largest(actions, lambda move: _step_merit(game, state, move), stream)


def card_gain(game: Chenille, state: State, kind: str) -> int | None:
    """What carrying out a card adds to the Chenilles' count, ``None`` if it is not playable."""
    moves = game.moves(state, kind)
    if not moves:
        return None
    if kind in WASP_CARDS:
        return -max(_captured(game, state, move[1:]) for move in moves)
    return max(_step_gain(game, move) for move in moves)


def offer_gain(game: Chenille, gains: dict[str, int | None], offer: Offer) -> int:
    """The sum over the card turned first; an unplayable one leads to a second if that helps or is forced.

    Twice the cards laid times the mean: of the cards that may be turned second there are two at most.
    """
    total = 0
    for index, kind in enumerate(offer):
        gain = gains[kind]
        others = [gains[other] or 0 for other in (*offer[:index], *offer[index + 1 :])]
        if gain is None and kind != "soleil" and others:
            second = sum(others) * 2 // len(others)
            total += max(second, 0) if game.rules.redraw == "optional" else second
        else:
            total += 2 * (gain or 0)
    return total


def second_card_gain(game: Chenille, state: State) -> int:
    """The gain of a second card, summed over the cards it may be as far as the Chenilles know."""
    counts = Counter(state.offer)
    if not game.open:
        counts = Counter(dict(zip(KINDS, game.deck, strict=True)))
        counts.subtract(event for event in state.seen if event in KINDS)
    return sum(count * (card_gain(game, state, kind) or 0) for kind, count in counts.items() if count)


def _step_gain(game: Chenille, move: Any) -> int:
    start, to = move
    kind = "oeuf" if start == RESERVE else "envol" if to == BUTTERFLY else "cocon"
    return NINTHS[kind] * game.rules.captures_to_win


def _captured(game: Chenille, state: State, places: Iterable[int]) -> int:
    """What the Chenilles lose by captures on ``places``."""
    return sum(state.caterpillars[place] * loss(game, state.ring[place][0]) for place in set(places))


def loss(game: Chenille, kind: str) -> int:
    """What a caterpillar captured on a Terre or Ciel place (``T``, ``C``) takes away."""
    return 9 * game.rules.butterflies_to_win + {"T": 1, "C": 4}[kind] * game.rules.captures_to_win


def _flight_merit(game: Chenille, state: State, move: Any) -> tuple[int, int]:
    """Captures first, then the caterpillars left that are near a wasp."""
    assert state.wasps is not None
    left = [0 if i in move[1:] else count for i, count in enumerate(state.caterpillars)]
    return _captured(game, state, move[1:]), _sum_near(left, fly(state.wasps, move))


def _step_merit(game: Chenille, state: State, move: Any) -> tuple[int, int]:
    """The step first, then as few caterpillars as possible near a wasp."""
    assert state.wasps is not None
    counts = list(state.caterpillars)
    for place, change in zip(move, (-1, 1), strict=True):
        if not isinstance(place, str):
            counts[place] += change
    return _step_gain(game, move), -_sum_near(counts, state.wasps)


def _slots_near(state: State, wasps: Sequence[int]) -> int:
    return _sum_near([slots(place) for place in state.ring], wasps)


def _sum_near(counts: Sequence[int], wasps: Sequence[int]) -> int:
    """The counts on places within two places of a wasp or across from it, each place once."""
    places = len(counts)
    return sum(counts[place] for place in {place for wasp in wasps for place in near(places, wasp)})


def near(places: int, wasp: int) -> set[int]:
    """The places within two places of a wasp or across from it."""
    return {(wasp + step) % places for step in (-2, -1, 1, 2, places // 2)}


def _largest(actions: Sequence[Any], merit: Callable[[Any], Any], stream: Stream) -> Any:
    """An action of largest merit."""
    merits = [merit(action) for action in actions]
    best = max(merits)
    return stream.choice([action for action, own in zip(actions, merits, strict=True) if own == best])


POLICIES: dict[str, Any] = {"random": random, "greedy": greedy}
