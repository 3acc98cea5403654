"""The evidence of a round as tables; every column explained, every number with its interval beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.cigale.cards import TYPES, card, format_card
from fable_solve.solver.games.cigale.evidence import Evidence
from fable_solve.solver.games.cigale.shapes import shape_text
from fable_solve.solver.games.cigale.squares import Squares
from fable_solve.solver.result import Table

UNITS = {"cards": "cards", "points": "points"}


def interval(name: str, estimate: Mean | None) -> dict[str, float | None]:
    """Columns ``name``, ``name_low``, ``name_high``: the mean and its 95 % interval."""
    if estimate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    half = estimate.half_width
    return {name: estimate.mean, f"{name}_low": estimate.mean - half, f"{name}_high": estimate.mean + half}


def all_tables(evidence: Evidence) -> tuple[Table, ...]:
    tables = [shape_table, mixing_table, habit_table, chain_rule_table, player_table]
    if evidence.varies:
        tables.insert(0, value_table)
    if evidence.without_insects is not None:
        tables.append(insect_table)
    if evidence.shelves:
        tables.append(shelf_table)
    return (*(table(evidence) for table in tables), square_table(evidence))


def value_table(evidence: Evidence) -> Table:
    """Distribution of the value of the round."""
    from fable_solve.solver.estimate import quantiles

    value = evidence.squares.value
    levels = (0, 5, 25, 50, 75, 95, 100)
    unit = UNITS[evidence.objective]
    found = quantiles(value, levels)
    frame = pl.DataFrame({"percentile": list(levels), "value": [round(found[level], 12) for level in levels]})
    return Table(
        "value",
        "Value of the round to the Ant, over the dealt squares",
        frame,
        {"percentile": "share of squares at or below (%)", "value": f"value of the best chain ({unit})"},
    )


def shape_table(evidence: Evidence) -> Table:
    """Shapes: how often there, how often best, worth; and their equilibrium for cards."""
    rows = []
    for shape in evidence.shapes:
        if shape.available.mean == 0.0:
            continue
        game = shape.game
        rows.append(
            {
                "shape": shape_text(game.shape),
                "available": shape.available.mean,
                "best": shape.best.mean,
                "best_low": shape.best.low,
                "best_high": shape.best.high,
                **interval("value", shape.value),
                "value_cards": game.guess.value,
                "caught_cards": game.caught,
                "moved_cards": game.moved,
                "red_name": game.red_name,
                "red_chance": game.red_chance,
            }
        )
    frame = pl.DataFrame(rows).sort("best", "value", descending=True, nulls_last=True)
    return Table(
        "shapes",
        "Shapes of chain, best first",
        frame if evidence.mode == "hiver" else frame.drop("red_name", "red_chance"),
        {
            "shape": "cards of each type under the ants, types forgotten",
            "available": "share of squares with such a chain",
            "best": "share of squares on which it is worth as much as any chain (ties count)",
            "best_low": "95 % interval, low",
            "best_high": "95 % interval, high",
            "value": f"mean value of the best such chain ({UNITS[evidence.objective]})",
            "value_low": "95 % interval, low",
            "value_high": "95 % interval, high",
            "value_cards": "value for cards (exact)",
            "caught_cards": "probability that the Cigale guesses right, for cards (exact)",
            "moved_cards": "expected number of cards collected by either, for cards (exact)",
            "red_name": "cards of the type a Red Ant does best to name, for cards (exact)",
            "red_chance": "probability that this name draws a card (exact)",
        },
    )


def mixing_table(evidence: Evidence) -> Table:
    """Mean mixtures on the best chain by its shape and the type's cards (and insects, where they score)."""
    squares, board = evidence.squares, evidence.board
    scored = evidence.without_insects is not None
    insects = squares.insects if scored else np.zeros_like(squares.insects)
    rows = []
    for index, shape in enumerate(board.shapes):
        here = squares.shape == index
        for cards in sorted(set(shape), reverse=True):
            for kept in range(cards + 1):
                picked = (squares.counts == cards) & (insects == kept) & here[:, None]
                if picked.any():
                    rows.append(_mixing_row(squares, shape_text(shape), cards, kept, picked))
    frame = pl.DataFrame(rows)
    return Table(
        "mixing",
        "How the Choix and the guess are mixed on the best chain",
        frame if scored else frame.drop("insects"),
        {
            "shape": "shape of the best chain (the first in reading order where several are best)",
            "cards": "cards of the type under the ants",
            "insects": "insects on them",
            "named": "mean probability that the Ant names such a type",
            "guessed": "mean probability that the Cigale guesses it",
            "named_least": "smallest such probability of the Ant",
            "named_most": "largest such probability of the Ant",
            "types": "types of this kind seen",
        },
    )


def _mixing_row(squares: Squares, shape: str, cards: int, insects: int, picked: Any) -> dict[str, Any]:
    named, guessed = squares.mixtures[:, 0][picked], squares.mixtures[:, 1][picked]
    return {
        "shape": shape,
        "cards": cards,
        "insects": insects,
        "named": float(named.mean()),
        "guessed": float(guessed.mean()),
        "named_least": float(named.min()),
        "named_most": float(named.max()),
        "types": int(picked.sum()),
    }


def insect_table(evidence: Evidence) -> Table:
    """What insects under the best chain are worth."""
    squares = evidence.squares
    covered = squares.insects.sum(axis=1)
    rows = [
        {
            "insects": int(count),
            "share": float((covered == count).mean()),
            **interval("value", mean(squares.value[covered == count])),
        }
        for count in np.unique(covered)
        if (covered == count).sum() > 1
    ]
    return Table(
        "insects",
        "Insects under the best chain",
        pl.DataFrame(rows),
        {
            "insects": "insects under the ants of the best chain",
            "share": "share of squares",
            "value": "mean value of the round (points)",
            "value_low": "95 % interval, low",
            "value_high": "95 % interval, high",
        },
    )


def habit_table(evidence: Evidence) -> Table:
    """What plain habits lose a round."""
    names = {
        "most_cards": "Ant: most cards of one type, and names them",
        "frequent_guess": "Cigale: stands on the most frequent type",
    }
    rows = [
        {
            "habit": text,
            "unit": habits.objective,
            **interval("loss", getattr(habits, name)),
            "squares": habits.most_cards.n,
        }
        for habits in evidence.habits
        for name, text in names.items()
    ]
    return Table(
        "habits",
        "What plain habits lose a round against a best response",
        pl.DataFrame(rows),
        {
            "habit": "what the player always does",
            "unit": "what is counted",
            "loss": "mean loss against the value of the round",
            "loss_low": "95 % interval, low",
            "loss_high": "95 % interval, high",
            "squares": "squares dealt",
        },
    )


def chain_rule_table(evidence: Evidence) -> Table:
    """The four readings of the chain rule on the same squares."""
    rows = [
        {
            "chain_rule": item.rule,
            "chains": item.chains,
            **interval("value", item.value),
            **interval("change", item.change),
        }
        for item in evidence.chain_rules
    ]
    return Table(
        "chain_rules",
        "The four readings of the chain rule, on the same squares",
        pl.DataFrame(rows),
        {
            "chain_rule": "reading",
            "chains": "legal chains of the square (exact)",
            "value": f"mean value of the round ({UNITS[evidence.objective]})",
            "value_low": "95 % interval, low",
            "value_high": "95 % interval, high",
            "change": f"mean change against {evidence.rules.chain_rule}, paired by square",
            "change_low": "95 % interval, low",
            "change_high": "95 % interval, high",
        },
    )


def player_table(evidence: Evidence) -> Table:
    """The same round with 2, 3 and 4 players."""
    rows = []
    least, most = evidence.over_best(evidence.red_ant)
    reds_count = evidence.mode == "hiver" and evidence.objective == "cards"
    for players in (2, 3, 4):
        reds = players - 2 if reds_count else 0
        rows.append(
            {
                "players": players,
                **interval("ant", evidence.value),
                "plays": 2 / players,
                "red_ants": reds,
                **interval("red_least", least if reds else None),
                **interval("red_most", most if reds else None),
            }
        )
    frame = pl.DataFrame(rows)
    red_columns = [name for name in frame.columns if name.startswith("red_")]
    return Table(
        "players",
        "The round by number of players",
        frame if reds_count else frame.drop(red_columns),
        {
            "players": "players",
            "ant": f"value to the Ant against the Cigale ({UNITS[evidence.objective]})",
            "ant_low": "95 % interval, low",
            "ant_high": "95 % interval, high",
            "plays": "share of rounds in which a seat is Ant or Cigale (all seats alike, in the long run)",
            "red_ants": "Red Ants",
            "red_least": "cards a Red Ant draws a round with the best name, least over the Ant's best chains",
            "red_least_low": "95 % interval, low",
            "red_least_high": "95 % interval, high",
            "red_most": "the same, most over the Ant's best chains",
            "red_most_low": "95 % interval, low",
            "red_most_high": "95 % interval, high",
        },
        note="" if evidence.mode == "hiver" else "In automne only the Ant and the Cigale act in a round.",
    )


def shelf_table(evidence: Evidence) -> Table:
    """The round by both players' places on one shelf."""
    rows = [
        {
            "ant_place": cell.ant,
            "cigale_place": cell.cigale,
            **interval("value", cell.value),
            "named": cell.names,
            "guessed": cell.guesses,
        }
        for cell in evidence.shelves
    ]
    return Table(
        "shelves",
        "How the places on one shelf (yellow) change the round",
        pl.DataFrame(rows),
        {
            "ant_place": "place of the Ant's cube",
            "cigale_place": "place of the Cigale's cube",
            "value": "mean value of the round (points)",
            "value_low": "95 % interval, low",
            "value_high": "95 % interval, high",
            "named": "mean probability that the Ant names yellow",
            "guessed": "mean probability that the Cigale guesses yellow",
        },
        headline=False,
        note=f"Other shelves at 0, no insect kept; the same {evidence.shelves[0].value.n} squares for all.",
    )


def square_table(evidence: Evidence) -> Table:
    """One row a dealt square (stored, not shown)."""
    squares, board = evidence.squares, evidence.board
    chains = [
        " ".join(f"{square // board.width},{square % board.width}" for square in c) for c in board.chains
    ]
    texts = np.array([[format_card(card(t, s)) for s in range(-1, 6)] for t in range(len(TYPES))])
    rows = texts[squares.types.astype(int), squares.species.astype(int) + 1]
    columns: dict[str, Any] = {
        "square": np.arange(len(squares.value)),
        "board": [_board_text(row, board.width) for row in rows.tolist()],
        "value": squares.value,
        "chain": [chains[index] for index in squares.best.tolist()],
        "shape": [shape_text(board.shapes[index]) for index in squares.shape.tolist()],
        "insects": squares.insects.sum(axis=1),
        "ant_most_cards": squares.naive[:, 0],
        "cigale_frequent_guess": squares.naive[:, 1],
    }
    for i, letter in enumerate(TYPES):
        columns[f"named_{letter}"] = squares.mixtures[:, 0, i]
        columns[f"guessed_{letter}"] = squares.mixtures[:, 1, i]
    return Table(
        "squares",
        "Every dealt square",
        pl.DataFrame(columns),
        {
            "board": "rows of the square, separated by /",
            "value": "value of the best chain to the Ant",
            "chain": "its squares (row,column)",
            "insects": "insects under the ants",
        },
        headline=False,
    )


def _board_text(cells: list[str], width: int) -> str:
    return " / ".join(" ".join(cells[i : i + width]) for i in range(0, len(cells), width))
