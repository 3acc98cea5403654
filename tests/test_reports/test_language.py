"""Languages: a catalogue fills in sentences, numbers take the language's signs, the rest is left alone."""

from __future__ import annotations

import re

import pytest

from fable_solve.reports.language import CODES, NUMBER, Language, current, language, speaking

FRENCH = Language(
    "fr",
    {
        "{} of {} games, by {}.": "{1} parties, dont {0}, par {2}.",
        "{} games.": "{} parties.",
        "the Ant": "la Fourmi",
    },
    ",",
    "\u202f",
)


def test_sentences_are_filled_in() -> None:
    assert (
        FRENCH("12,345.5 of 20,000 games, by the Ant.")
        == "20\u202f000 parties, dont 12\u202f345,5, par la Fourmi."
    )
    assert FRENCH("3 games.") == "3 parties."


def test_the_entry_with_most_words_of_its_own_wins() -> None:
    assert FRENCH("1 of 2 games, by us.") == "2 parties, dont 1, par us."


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.5 and 1,234", ["0.5", "1,234"]),
        ("version 0.1.0, 10.0.0.1", []),
        ("0.512–0.523 %", ["0.512", "0.523"]),
        ("(2,2,1,1)", []),  # a shape of a chain is no number
        ("-1,234,567.25.", ["-1,234,567.25"]),
        ("2-4 players, 3.", []),
    ],
)
def test_numbers_are_told_from_other_digits(text: str, numbers: list[str]) -> None:
    assert NUMBER.findall(text) == numbers


def test_english_is_what_is_written() -> None:
    assert current()("1,234.5 of x") == "1,234.5 of x"
    with speaking("fr"):
        assert current().code == "fr"
    assert current().code == "en"


@pytest.mark.parametrize("code", CODES[1:])
def test_catalogues_have_the_holes_of_their_keys(code: str) -> None:
    for key, entry in language(code).texts.items():
        holes = key.count("{}")
        numbered = {str(at) for at in range(holes)}
        found = re.findall(r"\{(\d*)\}", entry)
        assert found == [""] * holes or set(found) == numbered, key
