"""Languages: a catalogue fills in sentences, numbers take the language's signs, the rest is left alone."""

from __future__ import annotations

import re

import pytest

from fable_solve.reports.cells import clean
from fable_solve.reports.language import CODES, catalogue, current, language, speaking, unbroken
from fable_solve.reports.phrases import NUMBER, Language

FRENCH = Language(
    "fr",
    {
        "{} of {} games, by {}.": "{1} parties, dont {0}, par {2}.",
        "{} games.": "{} parties.",
        "{#} to {#}": "de {} à {}",
        "{#} cards lost": "{0} {0|carte perdue|cartes perdues}",
        "the Ant": "la Fourmi",
    },
    {"random": "au hasard", "{}, {}": "{} et {}"},
    decimal=",",
    thousands="\u202f",
    percent="\u00a0%",
    semicolon="\u202f; ",
)


def test_sentences_are_filled_in() -> None:
    assert (
        FRENCH("12,345.5 of 20,000 games, by the Ant.")
        == "20\u202f000 parties, dont 12\u202f345,5, par la Fourmi."
    )
    assert FRENCH("3 games.") == "3 parties."


def test_a_numbered_hole_takes_numbers_alone() -> None:
    assert FRENCH("0.510 to -1e-09") == "de 0,510 à -1e-09"
    assert FRENCH("how to mix") == "how to mix"


def test_words_agree_with_their_number() -> None:
    # French: plural from 2 on, so 1.9 is singular
    assert [FRENCH(f"{number} cards lost") for number in ("0", "-1.9", "2", "1,000")] == [
        "0 carte perdue",
        "-1,9 carte perdue",
        "2 cartes perdues",
        "1\u202f000 cartes perdues",
    ]


def test_english_says_one_of_something_in_the_singular() -> None:
    english = Language("en")
    for many, one in {
        "Tree search of 1 nodes: 1 moves ahead, then estimated.": "of 1 node: 1 move ahead,",
        "1 legal offers": "1 legal offer",
        "cigale, 1 players: 1 games by random": "1 player: 1 game by",
        "… 1 more rows in": "1 more row in",
    }.items():
        assert one in english(many)
    for text in ("21 games", "0.1 games", "1,000 games", "11 games", "seat 1 moves", "butterfly 2-1 games"):
        assert english(text) == text


def test_sentences_and_clauses_are_looked_up_one_by_one() -> None:
    assert FRENCH("3 games. 1 of 2 games, by us.") == "3 parties. 2 parties, dont 1, par us."
    assert FRENCH("1 to 2; 3 cards lost") == "de 1 à 2\u202f; 3 cartes perdues"
    assert FRENCH("3 games. Nothing known.") == "3 games. Nothing known."


def test_parts_serve_inside_holes_only() -> None:
    assert FRENCH("1 of 2 games, by random, the Ant.") == "2 parties, dont 1, par au hasard et la Fourmi."
    assert FRENCH("random") == "random"
    assert FRENCH("a, b") == "a, b"


def test_percent_takes_its_space() -> None:
    assert FRENCH("12.5%") == FRENCH("12.5 %") == "12,5\u00a0%"


def test_signs_are_not_parted_from_their_words() -> None:
    assert unbroken("a : b ; « c » ! 5 %") == "a\u00a0: b\u202f; «\u00a0c\u00a0»\u202f! 5\u00a0%"
    assert clean("5\u00a0% ; 1\u202f000") == "5\u00a0% ; 1\u202f000"  # and are no control characters


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
    for entries in (language(code).texts, language(code).parts):
        for key, entry in entries.items():
            holes = len(re.findall(r"\{[#=]?\}", key))
            numbered = {str(at) for at in range(holes)}
            plain = re.findall(r"\{(\d*)\}", entry)
            assert set(re.findall(r"\{(\d+)\|", entry)) <= numbered, key
            assert plain == [""] * holes or set(plain) == numbered, key


@pytest.mark.parametrize("code", CODES[1:])
def test_catalogues_say_nothing_twice(code: str) -> None:
    keys = [(name, key) for name, table in catalogue(code) for key in table]
    assert sorted(set(keys)) == sorted(keys)
