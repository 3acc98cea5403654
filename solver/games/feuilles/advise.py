"""What a sheet is worth and what to write: exact near the end, by learned values or play-outs before that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.feuilles.document import ITEM_COLUMNS, item, item_row
from fable_solve.solver.games.feuilles.play import ROLLS, Choice, Feuilles, State
from fable_solve.solver.games.feuilles.policies import POLICIES, greedy
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.values import (
    Progress,
    RollValue,
    SheetValue,
    least_sheets,
    sheet_value,
)
from fable_solve.solver.games.feuilles.worth import contradiction, is_known
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer, Certificate
from fable_solve.solver.rollout import finish, streams

EXACT_ROUNDS = 3
"""With so few rounds left advice is exact."""
EXACT_SHEETS = 500
"""... and also while :func:`least_sheets` is at most this, as on a sheet that is nearly full."""
PLAY_OUTS = 1200
"""Games played for a piece of advice that is not exact, shared among the choices of a seat."""
FEWEST = 20
"""Games a choice gets at least."""
METHOD = "greedy play-outs"
LEARNED = "learned values, one round ahead"
MOST_WRONG = 0.5
"""Points by which learned values may contradict themselves; on sheets of good play they stay below."""
KINDS = {METHOD: f"sampled: n {METHOD} each", LEARNED: f"estimated: {LEARNED}"}
MEASURES = {"score": "final score", "win": "share of the win", "margin": "lead over the rival"}
"""What a value is, by objective."""


def solve(position: Position, objective: str | None, max_states: int, progress: Progress) -> Answer:
    """The expected final score of a single sheet under optimal play, and the best choices."""
    game, state = position.game, position.state
    if game.players != 1:
        raise BadInput("one sheet", f"{game.players} sheets", where=f"{position.source}: sheets")
    if objective not in (None, "score"):
        raise BadInput("score, what one sheet can bring", repr(objective), where="--objective")
    if game.is_over(state):
        found = SheetValue(game.scores(state)[0], 1, ())
    else:
        found = sheet_value(game, state, max_states, progress)
    certificate = Certificate.exact(note="backward induction over every roll and choice")
    document = {"value": found.value, "states": found.states, "certificate": certificate.document()}
    footer = (f"Expected final score {found.value:.6f}, {certificate}; {found.states:,} states.",)
    return _answer(document, _exact_entries(found.rolls, state.roll is not None), "score", footer)


def advise(position: Position, objective: str | None, top: int) -> Answer:
    """The best choices for the roll, or for every roll if there is none, best first; ``top`` 0: all.

    With one sheet and few rounds left the values are exact expected final scores. Otherwise a score is what
    the learned values of ``optimised`` promise. For other objectives, and where these values do not know the
    zones or contradict themselves, every choice is tried in the same play-outs of ``greedy`` play by all
    seats, and the value is the mean return.
    """
    game = make_game(position.game.rules, position.game.players, None, objective)
    state: State = position.state
    if game.is_over(state):
        return _answer({}, [], game.objective, ("The game is over: there is nothing to choose.",))
    if game.objective == "score" and game.players == 1 and _is_small(game, state):
        found = sheet_value(game, state)
        certificate = Certificate.exact(note="backward induction over every roll and choice")
        entries = _exact_entries(found.rolls, state.roll is not None)
        return _answer(
            {"certificate": certificate.document()}, _cut(entries, state, top), "score", (str(certificate),)
        )
    if game.objective == "score" and (game.players == 1 or state.roll) and _is_learned(game, state):
        note = (
            "The learned values of the policy optimised (docs: feuilles), not proved; what each choice loses "
            "is surer than the value itself."
        )
        return _answer({"method": LEARNED}, _learned(game, state, top), "score", (note,))
    if state.roll is None:
        raise BadInput("a roll to decide (with more than 3 rounds left or rivals)", "none",
                       where=f"{position.source}: dice")  # fmt: skip
    entries = [entry for seat in range(game.players) for entry in _sampled(game, state, seat, top)]
    note = (
        "Every choice met the same dice; all seats play greedy from then on. Sampled, not proved: "
        "se is the standard error of the mean, low to high its 95 % interval."
    )
    return _answer({"method": METHOD}, entries, game.objective, (note,))


def _is_learned(game: Feuilles, state: State) -> bool:
    """Whether the learned values know the zones and look like themselves one round ahead, for every seat."""
    return is_known(game.rules) and all(
        contradiction(game, state._replace(roll=None), seat) <= MOST_WRONG for seat in range(game.players)
    )


def _learned(game: Feuilles, state: State, top: int) -> list[dict[str, Any]]:
    """The choices of every seat by learned values, or the best choice of each roll of one sheet."""
    from fable_solve.solver.games.feuilles.coach import Judge

    judge = Judge(game)
    if state.roll is None:
        rolls = [
            RollValue(roll, chance, _ranked(judge.choices(state._replace(roll=roll), 0)))
            for roll, chance in ROLLS
        ]
        return _exact_entries(rolls, False)
    return [
        {**({"seat": seat} if game.players > 1 else {}), **item(choice), "value": value}
        for seat in range(game.players)
        for choice, value in _ranked(judge.choices(state, seat))[: top or None]
    ]


def _ranked(choices: dict[Choice, float]) -> tuple[tuple[Choice, float], ...]:
    return tuple(sorted(choices.items(), key=lambda entry: (-entry[1], entry[0])))


def _is_small(game: Feuilles, state: State) -> bool:
    left = game.rules.rounds - state.round
    return left <= EXACT_ROUNDS or least_sheets(game, state.sheets[0], left) <= EXACT_SHEETS


def _exact_entries(rolls: Sequence[RollValue], decided: bool) -> list[dict[str, Any]]:
    """Every choice of the roll that is decided, or the best choice of each roll that may come."""
    if decided:
        return [{**item(choice), "value": value} for roll in rolls for choice, value in roll.choices]
    return [
        {
            "dice": list(roll.roll),
            "probability": roll.probability,
            **item(roll.choices[0][0]),
            "value": roll.choices[0][1],
        }
        for roll in rolls
    ]


def _cut(entries: list[dict[str, Any]], state: State, top: int) -> list[dict[str, Any]]:
    """The ``top`` best choices of a roll; a table of all rolls is not cut."""
    return entries[:top] if top and state.roll is not None else entries


def _sampled(game: Feuilles, state: State, seat: int, top: int) -> list[dict[str, Any]]:
    """The choices of one seat by the mean return of play-outs, best first."""
    choices = game.legal_actions(state, seat)
    games = max(FEWEST, PLAY_OUTS // len(choices))
    means = [
        (choice, mean([_play_out(game, state, seat, choice, number) for number in range(games)]))
        for choice in choices
    ]
    means.sort(key=lambda entry: (-entry[1].mean, entry[0]))
    return [_sampled_entry(game, seat, choice, found) for choice, found in means[: top or None]]


def _sampled_entry(game: Feuilles, seat: int, choice: Choice, found: Mean) -> dict[str, Any]:
    entry = {**({"seat": seat} if game.players > 1 else {}), **item(choice), "value": found.mean}
    sure = found.certificate
    ends = {"se": found.se, "low": sure.low, "high": sure.high, "n": found.n}
    return {**entry, **ends, "certificate": sure.document()}


def _play_out(game: Feuilles, state: State, seat: int, choice: Choice, number: int) -> float:
    """Return of ``seat`` in one game in which it makes ``choice`` and the rest is ``greedy`` play."""
    chance, seats = streams(game, number, 0, "feuilles", "advise")
    joint = [greedy(game, state, other, stream) for other, stream in enumerate(seats)]
    joint[seat] = choice
    after = game.successor(state, joint[0] if game.players == 1 else tuple(joint))
    final, _ = finish(game, after, (POLICIES["greedy"],) * game.players, chance, seats)
    return game.returns(final)[seat]


def _answer(
    head: dict[str, Any], entries: list[dict[str, Any]], objective: str, footer: tuple[str, ...]
) -> Answer:
    """Entries with what their values are: exact expectations, or means of play-outs."""
    method = head.get("method")
    measure = f"{'mean' if method == METHOD else 'expected'} {MEASURES[objective]}"
    kind = KINDS[method] if method else "exact, optimal play"
    document = {"game": "feuilles", "objective": objective, "measure": measure, **head, "actions": entries}
    title = f"Choices; value: {measure} ({kind})"
    return Answer(document, _columns(entries), [_row(entry) for entry in entries], title, footer=footer)


SAMPLED_COLUMNS = ("se", "low", "high", "n")
"""Standard error, 95 % interval and number of play-outs of a sampled value."""


def _columns(entries: list[dict[str, Any]]) -> tuple[str, ...]:
    first = entries[0] if entries else {}
    before = tuple(key for key in ("seat", "dice", "probability") if key in first)
    return (*before, *ITEM_COLUMNS, "value", *(SAMPLED_COLUMNS if "se" in first else ()))


def _row(entry: dict[str, Any]) -> tuple[Any, ...]:
    before: tuple[Any, ...] = (entry["seat"],) if "seat" in entry else ()
    if "dice" in entry:
        before = (" ".join(map(str, entry["dice"])), entry["probability"])
    after = (entry["value"], *(entry[key] for key in SAMPLED_COLUMNS if key in entry))
    return (*before, *item_row(entry), *after)
