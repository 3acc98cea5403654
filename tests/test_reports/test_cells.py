"""Numbers as readers see them; expected texts follow from four significant digits, by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fable_solve.reports.cells import clean, plain, show, show_column
from fable_solve.reports.documents import csv_text, json_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (-0.0, "0"),
        (2 / 3, "0.6667"),
        (-2 / 3, "-0.6667"),
        (12345.678, "12,346"),
        (9999, "9999"),
        (12345, "12,345"),
        (1e-9, "1e-09"),
        (1e20, "1e+20"),
        (0.5, "0.5"),
        (float("nan"), "–"),
        (None, "–"),
        (False, "no"),
        (np.float64(0.25), "0.25"),
        (np.int64(3), "3"),
        ([[0, 1], [2, 3]], "[[0, 1], [2, 3]]"),
        ("", ""),
    ],
)
def test_one_value(value: object, text: str) -> None:
    assert show(value) == text


def test_a_column_shares_its_decimals() -> None:
    assert show_column([1.5, 12.25, -3.0, None]) == ["1.50", "12.25", "-3.00", "–"]


def test_a_value_below_the_decimals_keeps_its_digits() -> None:
    # 1234.5 leaves no decimals at four digits, at which 0.00321 would read as nothing.
    assert show_column([1234.5, 0.00321]) == ["1234", "0.00321"]


def test_no_value_but_zero_reads_as_zero() -> None:
    values = [10.0**k * m for k in range(-7, 8) for m in (1.0, 2.5, -7.7)]
    assert all(float(text.replace(",", "")) != 0 for text in show_column(values))


def test_rounding_errors_read_as_zero() -> None:
    # 1e-19 is less than half of the last bit of 0.5, which is 2**-54 = 5.6e-17.
    assert show_column([0.5, 1e-19, -1e-19]) == ["0.5", "0.0", "0.0"]


def test_rounding_moves_a_value_by_less_than_its_column_shows() -> None:
    values = [(-1) ** n * 1.37**n for n in range(-20, 20)]
    for value, text in zip(values, show_column(values), strict=True):
        # Half a unit of the fourth digit of the largest, 1.37**19 = 396, or half of its own second digit.
        assert abs(float(text.replace(",", "")) - value) <= max(0.05, abs(value) * 0.05)


def test_control_characters_do_not_reach_a_terminal() -> None:
    assert clean("a\x1b]0;b\x07\u202e\r\nc") == "a\ufffd]0;b\ufffd\ufffd\ufffd\nc"


def test_plain_has_builtin_types_only() -> None:
    document = {"a": np.array([1, 2]), 3: (np.float64("nan"), float("inf")), "b": np.bool_(True)}
    assert plain(document) == {"a": [1, 2], "3": [None, None], "b": True}


def test_json_keeps_order_letters_and_precision() -> None:
    text = json_text({"z": "Été", "a": 0.1 + 0.2})
    assert text == '{\n  "z": "Été",\n  "a": 0.30000000000000004\n}\n'
    assert json.loads(json_text({"z": "Été"}, ascii_only=True)) == {"z": "Été"}


def test_csv_keeps_precision() -> None:
    text = csv_text(("name", "value"), [('say "x", y', 1 / 3), (None, True), ([[0, 1]], np.float64(0.1))])
    assert text == 'name,value\n"say ""x"", y",0.3333333333333333\n,true\n"[[0, 1]]",0.1\n'
