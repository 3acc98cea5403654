"""The evidence of a round as charts (plain data) and the example square as a board."""

from __future__ import annotations

import numpy as np

from fable_solve.solver.games.cigale.advise import TYPE_NAMES, ChainGame, mixture_text, sentence
from fable_solve.solver.games.cigale.cards import HOLE, TYPES, format_card, type_of
from fable_solve.solver.games.cigale.evidence import Evidence
from fable_solve.solver.games.cigale.shapes import shape_text
from fable_solve.solver.result import Board, Chart, Series

BINS = 24


def all_charts(evidence: Evidence) -> tuple[Chart, ...]:
    charts = [shape_chart(evidence), mixing_chart(evidence), habit_chart(evidence)]
    if evidence.varies:
        charts.insert(0, value_chart(evidence))
        charts.append(chain_rule_chart(evidence))
    if evidence.shelves:
        charts += [shelf_chart(evidence), name_chart(evidence)]
    if evidence.mode == "hiver":
        charts.append(red_chart(evidence))
    return tuple(charts)


def value_chart(evidence: Evidence) -> Chart:
    values, unit = evidence.squares.value, evidence.objective
    heights, edges = np.histogram(values, bins=BINS)
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
    return Chart(
        "value_distribution",
        "step",
        "Value of the round over the dealt squares",
        f"value to the Ant ({unit})",
        "share of squares",
        f"The median is {middle:.3g} {unit}; nine squares in ten lie between {low:.3g} and {high:.3g}.",
        (
            Series(
                f"{len(values):,} squares",
                ((edges[:-1] + edges[1:]) / 2).tolist(),
                (heights / len(values)).tolist(),
            ),
        ),
        percent=True,
    )


def shape_chart(evidence: Evidence) -> Chart:
    shown = sorted(
        (shape for shape in evidence.shapes if shape.available.mean > 0), key=lambda shape: -shape.best.mean
    )
    labels = [shape_text(shape.game.shape) for shape in shown]
    return Chart(
        "shape_shares",
        "bar",
        "Shapes of chain: how often there, how often best",
        "cards of each type under the ants",
        "share of squares",
        "; ".join(
            f"{label}: there on {shape.available.mean:.0%}, best on {shape.best.mean:.0%}"
            for label, shape in zip(labels, shown, strict=True)
        ),
        (
            Series("available", labels, [shape.available.mean for shape in shown]),
            Series(
                "among the best",
                labels,
                [shape.best.mean for shape in shown],
                [shape.best.half_width for shape in shown],
            ),
        ),
        percent=True,
    )


def mixing_chart(evidence: Evidence) -> Chart:
    """Mean mixtures by number of cards, on the shapes that are most often best."""
    squares, shapes = evidence.squares, evidence.board.shapes
    common = sorted(range(len(shapes)), key=lambda index: -int((squares.shape == index).sum()))[:3]
    labels, named, guessed = [], [], []
    for index in common:
        here = (squares.shape == index)[:, None]
        for cards in sorted(set(shapes[index]), reverse=True):
            picked = (squares.counts == cards) & here
            if picked.any():
                labels.append(f"a {cards} in {shape_text(shapes[index])}")
                named.append(float(squares.mixtures[:, 0][picked].mean()))
                guessed.append(float(squares.mixtures[:, 1][picked].mean()))
    return Chart(
        "mixtures",
        "bar",
        "How to mix: naming and guessing by number of cards",
        "cards of the type, in the shape of the best chain",
        "mean probability of one such type",
        "; ".join(
            f"{label}: named {p:.0%}, guessed {q:.0%}"
            for label, p, q in zip(labels, named, guessed, strict=True)
        ),
        (Series("Ant names it", labels, named), Series("Cigale guesses it", labels, guessed)),
        percent=True,
    )


def habit_chart(evidence: Evidence) -> Chart:
    labels = ["Ant: lays and names the most cards", "Cigale: guesses the frequent type"]
    series = []
    for habits in evidence.habits:
        losses = (habits.most_cards, habits.frequent_guess)
        series.append(
            Series(
                f"in {habits.objective} (n = {habits.most_cards.n:,})",
                labels,
                [loss.mean for loss in losses],
                [loss.half_width for loss in losses],
            )
        )
    return Chart(
        "habit_losses",
        "bar",
        "What plain habits lose a round",
        "habit",
        "loss against the value of the round",
        "; ".join(
            f"{label}: {', '.join(f'{s.y[i]:.2f} {s.label}' for s in series)}"
            for i, label in enumerate(labels)
        ),
        tuple(series),
    )


def chain_rule_chart(evidence: Evidence) -> Chart:
    rules = [item.rule for item in evidence.chain_rules]
    values = [item.value for item in evidence.chain_rules]
    return Chart(
        "chain_rule_values",
        "bar",
        "Readings of the chain rule",
        "reading",
        f"mean value of the round ({evidence.objective})",
        "; ".join(
            f"{item.rule}: {item.chains} chains, {item.value.mean:.3f}" for item in evidence.chain_rules
        ),
        (Series("mean value", rules, [v.mean for v in values], [v.half_width for v in values]),),
    )


def _grid(evidence: Evidence, name: str, title: str, label: str, values: list[float], percent: bool) -> Chart:
    ants = sorted({cell.ant for cell in evidence.shelves})
    cigales = sorted({cell.cigale for cell in evidence.shelves})
    at = {(cell.ant, cell.cigale): value for cell, value in zip(evidence.shelves, values, strict=True)}
    (low, low_at), (high, high_at) = (
        (at[key], key) for key in (min(at, key=lambda k: at[k]), max(at, key=lambda k: at[k]))
    )
    spec = ".0%" if percent else ".2f"
    return Chart(
        name,
        "heatmap",
        title,
        "place of the Cigale's cube on the yellow shelf",
        "place of the Ant's cube on the yellow shelf",
        f"From {low:{spec}} (Ant at {low_at[0]}, Cigale at {low_at[1]}) to {high:{spec}} "
        f"(Ant at {high_at[0]}, Cigale at {high_at[1]}); other shelves empty.",
        cells=tuple(tuple(at[ant, cigale] for cigale in cigales) for ant in ants),
        x_labels=tuple(map(str, cigales)),
        y_labels=tuple(map(str, ants)),
        value_label=label,
        value_format=spec,
        percent=percent,
    )


def shelf_chart(evidence: Evidence) -> Chart:
    values = [cell.value.mean for cell in evidence.shelves]
    return _grid(
        evidence,
        "shelf_values",
        "Value of the round by places on one shelf",
        "points to the Ant",
        values,
        False,
    )


def name_chart(evidence: Evidence) -> Chart:
    values = [cell.names for cell in evidence.shelves]
    title = "How often the Ant names yellow, by places on its shelf"
    return _grid(evidence, "shelf_names", title, "probability", values, True)


def red_chart(evidence: Evidence) -> Chart:
    shown = [shape.game for shape in evidence.shapes if shape.best.mean >= 0.05] or [
        shape.game for shape in evidence.shapes if shape.available.mean > 0
    ]
    labels = [f"{shape_text(game.shape)} (names a {game.red_name})" for game in shown]
    return Chart(
        "red_ant_chances",
        "bar",
        "Red Ants: chance of a card with the best name",
        "shape of the chain (cards of the type to name)",
        "probability of drawing a card",
        "; ".join(f"{label}: {game.red_chance:.1%}" for label, game in zip(labels, shown, strict=True)),
        (Series("best name", labels, [game.red_chance for game in shown]),),
        percent=True,
    )


def square_board(board: tuple[int, ...], width: int, game: ChainGame, objective: str, title: str) -> Board:
    """A square with its best chain marked, the mixtures in the caption."""
    rows = []
    for start in range(0, len(board), width):
        squares = range(start, min(start + width, len(board)))
        rows.append(
            tuple(
                None
                if board[square] == HOLE
                else (format_card(board[square]), TYPES[type_of(board[square])], square in game.chain)
                for square in squares
            )
        )
    ants, cigales = game.ranges
    ant = mixture_text(game.by_type(game.guess.ant), game.by_type([list(r) for r in ants]))
    cigale = mixture_text(game.by_type(game.guess.cigale), game.by_type([list(r) for r in cigales]))
    caption = f"{sentence(game, objective)} Ant: {ant}. Cigale: {cigale}."
    return Board("square", title, tuple(rows), TYPE_NAMES, caption, f"{title}. {caption}")
