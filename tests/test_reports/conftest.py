"""A made-up study with every kind of finding, table, chart and board, and strings that ask for escaping."""

from __future__ import annotations

import polars as pl
import pytest

from fable_solve.solver.result import (
    Board,
    Certificate,
    Chart,
    Finding,
    Result,
    Section,
    Series,
    Table,
)

ODD = 'odd "name" <script>alert(1)</script> & $x^2$ \x1b[31m Été'

SHAPES = ("(2,2,1,1)", "(3,2,1)", "(2,2,2)", "(4,1,1)", "(3,3)")


@pytest.fixture(scope="session")
def result() -> Result:
    return example()


def example() -> Result:
    return Result(
        game="cigale",
        title="La Cigale et la Fourmi, automne: which chain to lay",
        question="Which chain should the Ant lay, and how should both players mix?",
        summary=(
            "Lay a chain of shape (2,2,1,1): with best play it is worth 0.667 cards to the Ant.",
            "A naive Ant, who always names the most frequent type, loses 1.2 cards a round against a reader.",
            "The first Ant's seat is worth 4 % of win share.",
        ),
        mode="automne",
        players=(2, 3),
        objective="cards",
        seed=7,
        rules={
            "digest": "3f1c9a52b7d0",
            "assumed": ["insects", "insect_points"],
            "changed": {"ants": 5, "chain_rule": "strict"},
        },
        assumptions=(
            ("insects", "each species once on each type; moves the value of a round by less than 0.1 points"),
            ("insect_points", "0, 1, 3, 6, 10 like the shelves; decides which insect is worth a detour"),
        ),
        findings=(
            Finding("value of the round", 2 / 3, Certificate.exact(1e-9), "cards", "What the Ant gains."),
            Finding("win share of seat 0", 0.5213, Certificate.sampled(0.5171, 0.5255, 54321), "share"),
            Finding("value of the game", 1.74, Certificate.bracket(1.62, 1.87, "two relaxations"), "points"),
            Finding("legal chains", 260, Certificate.exact(0.0), "chains", ODD),
        ),
        tables=tables(),
        charts=charts(),
        boards=(board(),),
        sections=(
            Section("The best chain", ("One square as it was dealt, and what to do on it.",), ("square",)),
            Section(
                "Shapes",
                ("Shapes are counts by type, largest first.", ODD),
                ("shape_value", "shapes", "lengths", "shelves"),
            ),
        ),
        method=("Every legal chain is solved in closed form.", "Intervals are 95 %."),
        parameters={"boards": 2000},
        command="fable-solve cigale --set ants=5 --seed 7",
    )


def tables() -> tuple[Table, ...]:
    shapes = pl.DataFrame(
        {
            "shape": SHAPES,
            "value": [0.6666666666, 0.6, 0.6666666666, 0.1234567, None],
            "available": [0.93, 0.81, 0.42, 0.00012, 0.07],
            "squares": [1860, 1620, 840, 123456, 140],
            "advice": [
                "lay it wherever it is found, and name every type with a probability inverse to its count",
                "only where no other is better",
                ODD,
                "",
                None,
            ],
        }
    )
    wide = pl.DataFrame({f"probability_of_type_{at}": [at / 7, 1 / 3] for at in range(12)})
    many = pl.DataFrame({"round": list(range(250)), "cards_left": [32.5 - at / 10 for at in range(250)]})
    return (
        Table("shapes", "Shapes by value", shapes, {"shape": "counts by type", "value": "cards a round"}),
        Table("wide", "A table wider than a page", wide, note="Twelve columns."),
        Table("many", "A long table", many),
        Table("stored", "Stored only", many, headline=False),
    )


def charts() -> tuple[Chart, ...]:
    bars = tuple(
        Series(label, SHAPES, [0.6 - k * 0.1 - at * 0.05 for at in range(5)], [0.02] * 5)
        for k, label in enumerate(("best response", "naive Ant", "naive Cigale", "random"))
    )
    lines = tuple(
        Series(
            label,
            list(range(12)),
            [(at + 1) ** (0.4 + k / 8) for at in range(12)],
            [0.1 + at / 20 for at in range(12)],
        )
        for k, label in enumerate(("2 players", "3 players", "4 players"))
    )
    steps = tuple(
        Series(f"seat {k}", list(range(20)), [max(0.0, 0.11 - abs(at - 9 - k) * 0.012) for at in range(20)])
        for k in range(2)
    )
    policies = Series(
        "win share",
        tuple(f"policy with a long name, number {at}" for at in range(6)),
        [0.2, 0.4, 0.5, 0.55, 0.6, 0.7],
    )
    grid = tuple(tuple(0.2 + 0.05 * r - 0.03 * c for c in range(5)) for r in range(5))
    return (
        Chart(
            "shape_value",
            "bar",
            "Value of a chain by shape",
            "shape",
            "value (cards)",
            "Bars fall from left to right.",
            bars,
        ),
        Chart("growth", "line", ODD, "round", "points", ODD, lines),
        Chart(
            "lengths",
            "step",
            "Length of a game",
            "rounds",
            "share of games",
            "One peak at nine.",
            steps,
            percent=True,
        ),
        Chart(
            "policies",
            "bar",
            "Win share by policy",
            "policy",
            "win share",
            "Rising.",
            (policies,),
            percent=True,
        ),
        Chart(
            "shelves",
            "heatmap",
            "Value by shelves",
            "Ant's shelf",
            "Cigale's shelf",
            "Rises downwards.",
            cells=grid,
            x_labels=tuple("01234"),
            y_labels=tuple("01234"),
            value_label="points",
        ),
    )


def board() -> Board:
    cells = (
        (("Y", "Y", True), ("Ba", "B", True), ("N", "N", True), ("R", "R", False)),
        (("Yc", "Y", False), ("B", "B", True), ("N", "N", False), ("Rd", "R", False)),
        (("Y", "Y", True), ("B", "B", True), None, ("R", "R", False)),
    )
    legend = {"Y": "yellow", "B": "blue", "N": "brown", "R": "red"}
    return Board(
        "square",
        "The example square",
        cells,
        legend,
        "Lay the marked chain.",
        "Six of eleven cards are marked.",
    )
