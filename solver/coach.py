"""What the decisions of a recorded game lost, and what its chance events were worth.

An evaluator says what each seat may expect of a state, ``W(x)``, and of an action there, ``Q(x, a)``. With
``a*`` the best action of whoever decides, every change of what a seat may expect has a name::

    loss    Q(x, a*) - Q(x, a)      what a decision of the seat gave away
    others  Q(x, a) - Q(x, a*)      what a decision of another seat gave or took
    luck    W(x') - E W             what chance did, against its average
    model   what remains            by how much the evaluator contradicts itself: 0 where it is exact

These are differences that telescope, so for every seat of every game, whatever the evaluator::

    value at the start + luck - loss + others + model = result

Where several seats choose at the same time each has its own loss, and what the others' choices did to it
belongs to the model, which did not know them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Game
from fable_solve.solver.records import Record, Step, choices
from fable_solve.solver.result import Answer, Certificate

LISTS = ("actions", "starts", "chains")
"""Keys under which advice lists its actions, best first."""
SUMS = ("start", "luck", "loss", "others", "model", "result")


class Evaluator(Protocol):
    """What seats may expect, in the returns of its game."""

    how: str
    """How values that are not exact were found."""

    def value(self, state: Any) -> Sequence[float]:
        """Every seat's value of a state that is not terminal; of a chance node the expectation."""

    def worth(self, state: Any, seat: int, action: Any) -> dict[int, float]:
        """What an action of ``seat`` is worth, by seat: to all of them, or to ``seat`` alone where several
        choose at the same time."""

    def best(self, state: Any, seat: int) -> Any:
        """The action of ``seat`` that is worth most to it."""

    def is_exact(self, state: Any) -> bool:
        """Whether what is said of a state and its actions is proved."""


@dataclass(frozen=True)
class Effect:
    """What a step did; lists have one entry a seat."""

    step: Step
    value: tuple[float, ...]
    """What the seats could expect before it."""
    best: dict[int, Any]
    """The best action of each seat that decided."""
    loss: tuple[float, ...]
    luck: tuple[float, ...]
    others: tuple[float, ...]
    model: tuple[float, ...]
    exact: bool


def judged(game: Game, evaluator: Evaluator, steps: Sequence[Step], end: Any) -> list[Effect]:
    """The effect of every step of a game that ended in ``end``."""
    states = [step.state for step in steps] + [end]
    values = [_value(game, evaluator, state) for state in states]
    return [_effect(game, evaluator, *one) for one in zip(steps, values, values[1:], strict=False)]


def _value(game: Game, evaluator: Evaluator, state: Any) -> tuple[float, ...]:
    over = game.player_to_move(state) == TERMINAL
    return tuple(game.returns(state) if over else evaluator.value(state))


def expected(game: Game, evaluator: Evaluator, state: Any) -> tuple[float, ...]:
    """Every seat's value of a chance node as the mean over its outcomes."""
    total = [0.0] * game.players
    for outcome, probability in game.chance_outcomes(state):
        for seat, value in enumerate(_value(game, evaluator, game.successor(state, outcome))):
            total[seat] += probability * value
    return tuple(total)


def _effect(
    game: Game, evaluator: Evaluator, step: Step, before: tuple[float, ...], after: tuple[float, ...]
) -> Effect:
    seats = range(game.players)
    loss, luck, others = ([0.0] * game.players for _ in range(3))
    best: dict[int, Any] = {}
    exact = evaluator.is_exact(step.state)
    if step.mover == CHANCE:
        mean = expected(game, evaluator, step.state)
        luck = [after[seat] - mean[seat] for seat in seats]
    for mover, action in choices(step.mover, step.action):
        best[mover] = evaluator.best(step.state, mover)
        most, got = (evaluator.worth(step.state, mover, one) for one in (best[mover], action))
        loss[mover] = most[mover] - got[mover]
        for seat in got.keys() - {mover}:
            others[seat] += got[seat] - most[seat]
    named = [luck[seat] - loss[seat] + others[seat] for seat in seats]
    model = tuple(after[seat] - before[seat] - named[seat] for seat in seats)
    return Effect(step, before, best, tuple(loss), tuple(luck), tuple(others), model, exact)


def review(record: Record, objective: str | None = None, nodes: int | None = None) -> Answer:
    """The loss of each decision, the luck of each chance event, and how they make up each seat's result."""
    coach, position = record.position.spec.coach, record.position
    game, evaluator = coach.judge(position, objective, nodes)
    effects = judged(game, evaluator, record.steps, record.end)
    seats = _sums(game, evaluator, record, effects)
    events = [event for effect in effects for event in _events(coach, game, effect)]
    exact = all(effect.exact for effect in effects)
    document = {
        "game": position.spec.name,
        "objective": game.objective,
        **({"certificate": Certificate.exact().document()} if exact else {"method": evaluator.how}),
        "seats": seats,
        "events": events,
    }
    rows = [row for event in events for row in _rows(event)]
    columns = ("line", "seat", "event", "best", "value", "loss", "luck", "model", "certificate")
    title = f"{position.spec.title}, a recorded game: {game.objective} lost by decisions, made by luck"
    footer = (*map(_sentence, seats), _sure(evaluator, effects))
    return Answer(document, columns, rows, title, ROUGH if _is_rough(seats) else (), footer)


ROUGH = (
    "what was not foreseen is larger than what decisions lost: the losses tell better moves from worse, "
    "they are no points",
)


def _is_rough(seats: Sequence[dict[str, Any]]) -> bool:
    """Whether the evaluator was off by more than the decisions that it judges."""
    return any(abs(sums["model"]) > sums["loss"] > 0 for sums in seats)


def _sums(
    game: Game, evaluator: Evaluator, record: Record, effects: Sequence[Effect]
) -> list[dict[str, Any]]:
    start, result = _value(game, evaluator, record.position.state), game.returns(record.end)
    return [
        {
            "seat": seat,
            "start": start[seat],
            **{key: sum(getattr(effect, key)[seat] for effect in effects) for key in SUMS[1:-1]},
            "result": result[seat],
        }
        for seat in range(game.players)
    ]


def _events(coach: Any, game: Game, effect: Effect) -> Iterator[dict[str, Any]]:
    """A step as documents: one a line of the record."""
    step = effect.step
    sure = "exact" if effect.exact else "estimated"
    whole = {key: list(getattr(effect, key)) for key in ("value", "luck", "others", "model")}
    if step.mover == CHANCE:
        item = coach.item(game, step.state, step.action)
        text = coach.text(game, step.state, step.action)
        yield {"line": step.lines[0], "chance": item, "text": text, **whole, "certificate": sure}
    lines = step.lines if step.mover == SIMULTANEOUS else (0,) * step.mover + step.lines
    for seat, action in choices(step.mover, step.action):
        best = effect.best[seat]
        yield {
            "line": lines[seat],
            "seat": seat,
            "action": coach.item(game, step.state, action),
            "text": coach.text(game, step.state, action),
            "best": coach.item(game, step.state, best),
            "best_text": coach.text(game, step.state, best),
            "loss": effect.loss[seat],
            **(_own(whole, seat) if step.mover == SIMULTANEOUS else whole),
            "certificate": sure,
        }


def _own(whole: dict[str, list[float]], seat: int) -> dict[str, list[float]]:
    """What a step did to one seat: where all choose, each seat's share stands on its own line."""
    alone = {
        key: [number if at == seat else 0.0 for at, number in enumerate(numbers)]
        for key, numbers in whole.items()
    }
    return alone | {"value": whole["value"]}


def _rows(event: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """A decision as a row, a chance event as one a seat."""
    seats = [event["seat"]] if "seat" in event else range(len(event["value"]))
    for seat in seats:
        decided = "seat" in event
        best = ("-" if event["loss"] == 0.0 else event["best_text"]) if decided else None
        loss, luck = (event["loss"], None) if decided else (None, event["luck"][seat])
        numbers = (event["value"][seat], loss, luck, event["model"][seat])
        rounded = (None if number is None else round(number, 9) for number in numbers)
        yield (event["line"], seat, event["text"], best, *rounded, event["certificate"])


def _sentence(sums: dict[str, Any]) -> str:
    others = f" {sums['others']:+.2f} by the others' decisions," if sums["others"] else ""
    return (
        f"Seat {sums['seat']}: {sums['start']:.2f} at the start, {sums['luck']:+.2f} by luck, "
        f"{0.0 - sums['loss']:+.2f} by its own decisions,{others} {sums['model']:+.2f} not foreseen (model): "
        f"{sums['result']:.2f}."
    )


def _sure(evaluator: Evaluator, effects: Sequence[Effect]) -> str:
    proved = sum(effect.exact for effect in effects)
    if proved == len(effects):
        return "Every value is exact."
    return (
        f"{proved} of {len(effects)} steps exact, the others estimated: {evaluator.how}. "
        "Model: by how much estimates contradict themselves from one step to the next."
    )


def with_losses(answer: Answer) -> Answer:
    """Advice with what each action loses against the best one of its seat, beside its value."""
    key = next((key for key in LISTS if key in answer.document), "")
    entries = answer.document.get(key, [])
    if not entries or {"dice", "loss"} & entries[0].keys() or len(entries) != len(answer.rows):
        return answer
    best: dict[Any, float] = {}
    losses = [abs(best.setdefault(one.get("seat"), one["value"]) - one["value"]) for one in entries]
    values = tuple(one["value"] for one in entries)
    at = 1 + list(zip(*answer.rows, strict=True)).index(values)
    rows = [(*row[:at], loss, *row[at:]) for row, loss in zip(answer.rows, losses, strict=True)]
    columns = (*answer.columns[:at], "loss", *answer.columns[at:])
    listed = [_beside(entry, loss) for entry, loss in zip(entries, losses, strict=True)]
    document = {**answer.document, key: listed}
    return replace(answer, document=document, columns=columns, rows=rows)


def _beside(entry: dict[str, Any], loss: float) -> dict[str, Any]:
    """An entry with its loss after its value."""
    after: dict[str, Any] = {}
    for key, value in entry.items():
        after[key] = value
        if key == "value":
            after["loss"] = loss
    return after
