"""The first study of Chenille: who wins under each reading, in play and exactly on small games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.games.chenille.cells import (
    CROSSED,
    SIDES,
    SMALL,
    Cell,
    Exact,
    at_most,
    exact,
    play,
)
from fable_solve.solver.games.chenille.compare import Difference, differences
from fable_solve.solver.games.chenille.readings import readings
from fable_solve.solver.games.chenille.views import (
    DECISIONS,
    chart_name,
    differences_table,
    exact_charts,
    exact_table,
    games_table,
    scores_table,
    win_charts,
    wins_table,
)
from fable_solve.solver.result import Certificate, Finding, Result, Section
from fable_solve.solver.study import Request


def run(request: Request) -> Result:
    """Play and exact values under every deck and every rule for the second card."""
    found = readings(request.rules)
    steps = len(found) * (len(SIDES) + len(SMALL)) + len(CROSSED)
    done = 0

    def step(result: Any) -> Any:
        nonlocal done
        done += 1
        request.progress(done, steps)
        return result

    cells = [step(play(request, reading, pair)) for pair in SIDES for reading in found]
    cells += [step(play(request, found[0], pair)) for pair in CROSSED]
    values = [step(exact(small, reading)) for small in SMALL for reading in found]
    compared = [
        item
        for pair in SIDES
        for item in differences([cell for cell in cells if cell.policies == pair][: len(found)])
    ]
    own = found[0].redraw
    findings = (
        *_played([cell for cell in cells if cell.reading.redraw == own]),
        *_solved([item for item in values if item.reading.redraw == own]),
    )
    return Result(
        game="chenille",
        title="Chenille terre ciel: who wins",
        question="How often do the Chenilles win, and how far do the missing Envol card and the rule for the "
        "second card change it?",
        summary=_summary(cells, compared, values),
        mode=None,
        players=request.players,
        objective="win",
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=_assumptions(request),
        findings=findings,
        tables=(
            wins_table(cells),
            differences_table(compared, found[0]),
            exact_table(values),
            games_table(cells),
            scores_table(cells),
        ),
        charts=(*win_charts(cells), *exact_charts(values)),
        sections=_sections(values),
        method=_method(request.options["games"]),
        parameters=dict(request.options),
        command=request.command,
    )


def _played(cells: Sequence[Cell]) -> list[Finding]:
    return [
        Finding(
            f"win share of the Chenilles ({cell.reading.label}, Guepe {cell.policies[0]}, "
            f"Chenilles {cell.policies[1]})",
            cell.wins.mean,
            cell.wins.certificate,
            "share",
            f"A {cell.policies[0]} Guepe loses {cell.wins.mean:.1%} of its games against {cell.policies[1]} "
            f"Chenilles ({cell.reading.label}).",
        )
        for cell in cells
    ]


def _solved(values: Sequence[Exact]) -> list[Finding]:
    return [
        Finding(
            f"value of the small game on the {item.small.name} ({item.reading.label})",
            item.value,
            Certificate.exact(item.error, "open discards, best start, both sides optimal"),
            "probability",
            f"On the {item.small.name} the Chenilles win with probability {item.probability} "
            f"({item.reading.label}).",
        )
        for item in values
    ]


def _summary(
    cells: Sequence[Cell], compared: Sequence[Difference], values: Sequence[Exact]
) -> tuple[str, ...]:
    own = cells[0].reading
    by_pair = {cell.policies: cell.wins for cell in cells if cell.reading == own}
    alike, keen = by_pair["random", "random"], by_pair["greedy", "greedy"]
    worth = [item for item in values if item.small == SMALL[-1]]
    forms = {
        item.reading.redraw: [other for other in worth if other.reading.redraw == item.reading.redraw]
        for item in worth
    }
    best = "; ".join(f"{_range(items)} with {redraw} redraw" for redraw, items in forms.items())
    return (
        f"With {own.label}, the Chenilles win {alike.mean:.1%} of random games (95 %: {alike.low:.1%} to "
        f"{alike.high:.1%}) and {keen.mean:.1%} of greedy ones ({keen.low:.1%} to {keen.high:.1%}).",
        *(
            told_apart(policy, [item for item in compared if item.cell.policies == (policy, policy)])
            for policy, _ in SIDES
        ),
        f"Exactly, in a race of two caterpillars to one butterfly on the full ring, under best play by both "
        f"the Chenilles win with probability {best}.",
    )


def told_apart(policy: str, compared: Sequence[Difference]) -> str:
    """What the games say of the other readings against the asked one: nothing that chance explains too."""
    names = {
        what: [item.cell.reading.short for item in compared if item.apart == what]
        for what in ("more", "less", "open")
    }
    said = [f"{what} often with {', '.join(names[what])}" for what in ("more", "less") if names[what]]
    head = f"With both sides {policy}"
    if not said:
        shares = [item.cell.wins.mean for item in compared]
        return (
            f"{head}, {compared[0].cell.games:,} games a reading do not tell any other reading from this "
            f"one: the Chenilles win {min(shares):.1%} to {max(shares):.1%} of them."
        )
    rest = f"; no difference from it is shown for {', '.join(names['open'])}" if names["open"] else ""
    return f"{head}, they win {' and '.join(said)}{rest}."


def _range(items: Sequence[Exact]) -> str:
    """The values of one small game over the decks, smallest to largest."""
    if all(item.null for item in items):
        return f"{at_most(max(item.value + item.error for item in items))} whatever the deck"
    low, high = (pick(items, key=lambda item: item.value) for pick in (min, max))
    return f"{low.probability} (deck {low.reading.deck}) to {high.probability} (deck {high.reading.deck})"


def _assumptions(request: Request) -> tuple[tuple[str, str], ...]:
    texts = {
        "discards": "nobody says whether the Chenilles learn the cards never turned; games were played with "
        f"{request.rules.values['discards']} discards, exact values are for open ones",
        "turn_limit": "a game without an end is stopped and counted for the Guepe; see the number stopped",
    }
    deck = "the card list has no Envol although the rules describe one; every deck below is one reading"
    return (("deck", deck), *((key, texts[key]) for key in request.rules.assumed))


def _sections(values: Sequence[Exact]) -> tuple[Section, ...]:
    return (
        Section(
            "Play",
            (
                "Random play chooses uniformly; greedy play looks one card ahead. Neither is best play: the "
                "shares say how the readings compare, not what the game is worth.",
            ),
            ("wins", "differences", "wins_random", "wins_greedy"),
        ),
        Section(
            "Best play on small games",
            (
                "Values are exact for open discards, where the Chenilles also know the cards never turned; "
                "with hidden discards they win at most as often.",
                *_why_nothing(values),
            ),
            ("exact_values", *map(chart_name, SMALL)),
        ),
    )


def _why_nothing(values: Sequence[Exact]) -> tuple[str, ...]:
    """What makes a forced second card so strong for the Guepe, where it leaves the Chenilles nothing."""
    forced = [item for item in values if item.reading.redraw == "forced"]
    if not all(item.null for item in forced):
        return ()
    return (
        "With a forced second card the value of these small games is 0, within the tolerance. Two wasp cards "
        "beside a favourable card that cannot be played are then a sure flight, whichever card is turned, "
        "where with an optional one the Chenilles would pass. That such flights suffice to stop every "
        "caterpillar here is computed, not argued, and nothing follows for the whole game.",
    )


def _method(games: int) -> tuple[str, ...]:
    return (
        "The Chenilles are one side: what one of them knows all know, they share the result, and who of them "
        "acts changes nothing on the table. So every number here holds for 2 to 6 players.",
        f"Each reading is played {games:,} times by each pair of policies, with the same random "
        "numbers for all readings; intervals are Wilson's, 95 %. A difference is stated only where "
        "Newcombe's interval of it (paired), 95 % for all comparisons of one pair of policies together, "
        "excludes 0.",
        f"The stored tables count {DECISIONS}.",
        "Small games are solved table by table from the most advanced one, by value iteration inside a "
        "table; the error bound rests on the chance, one in three a cycle, that a caterpillar must move.",
    )
