"""Rule data: provenance of every value, layers in their order, digest, settings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fable_solve.cli.main import run
from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.rules import STATUSES, Layer, lay, load_rules, parse_setting, shipped


@pytest.mark.parametrize("game", registry.names())
def test_every_value_has_status_and_source(game: str) -> None:
    known = {"value", "status", "source", "note", "alternatives", "left_out"}
    for key, entry in shipped(game).items():
        assert entry["status"] in STATUSES, key
        assert entry["source"] and entry["note"], key
        assert set(entry) <= known, key
    rules = load_rules(game)
    assert rules.changed == {}
    assert set(rules.assumed) == {key for key, entry in shipped(game).items() if entry["status"] == "assumed"}
    assert set(type(rules.model).model_fields) == set(shipped(game))


@pytest.mark.parametrize("game", registry.names())
def test_every_alternative_is_valid(game: str) -> None:
    for key, entry in shipped(game).items():
        for name, value in entry.get("alternatives", {}).items():
            rules = load_rules(game, [Layer("test", {key: name})])
            assert rules.values[key] == value


def test_later_layers_win() -> None:
    layers = [
        Layer("file", {"ants": 5, "chain_rule": "strict"}),
        Layer("position", {"ants": 4}),
        parse_setting("ants=3"),
    ]
    rules = load_rules("cigale", layers)
    assert rules.model.ants == 3 and rules.model.chain_rule == "strict"
    assert rules.changed == {"ants": 3, "chain_rule": "strict"}
    assert "chain_rule" not in rules.assumed  # what the user chose is not assumed


def test_digest_follows_the_values() -> None:
    plain, changed = load_rules("cigale"), load_rules("cigale", [parse_setting("ants=5")])
    assert plain.digest != changed.digest
    assert load_rules("cigale", [parse_setting("ants=6")]).digest == plain.digest


def test_a_table_replaces_one_whose_entries_can_be_none() -> None:
    data: dict[str, Any] = {
        "prices": {"value": {"red": "R", "blue": "B"}},
        "deck": {
            "value": {"egg": 2, "sun": 2},
            "left_out": 0,
            "alternatives": {"none": {"egg": 0, "sun": 0}},
        },
    }
    values = {key: entry["value"] for key, entry in data.items()}
    assert lay(values, Layer("x", {"prices": {"red": "Y"}}), data)["prices"] == {"red": "Y", "blue": "B"}
    assert lay(values, Layer("x", {"deck": {"egg": 1}}), data)["deck"] == {"egg": 1, "sun": 0}
    assert lay(values, parse_setting("deck.egg=1"), data)["deck"] == {"egg": 1, "sun": 2}
    assert lay(values, parse_setting("prices={red = 'Y'}"), data)["prices"] == {"red": "Y", "blue": "B"}
    assert lay(values, parse_setting("deck={}"), data)["deck"] == {"egg": 0, "sun": 0}
    assert lay(values, parse_setting("deck=none"), data)["deck"] == {"egg": 0, "sun": 0}
    assert values["deck"] == {"egg": 2, "sun": 2}  # nothing shipped was touched
    with pytest.raises(BadInput, match=r"--set: prices: expected a table with some of red, blue, got {}"):
        lay(values, parse_setting("prices={}"), data)
    with pytest.raises(BadInput, match=r"x: dekc: expected a known key \(nearest: deck\), got 'dekc'"):
        lay(values, Layer("x", {"dekc": 1}), data)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=3", {"a": 3}),
        ("a.b.c=[1, 2]", {"a": {"b": {"c": [1, 2]}}}),
        ("a = bare-word_1", {"a": "bare-word_1"}),
        ('a="two words"', {"a": "two words"}),
        ("a=true", {"a": True}),
        ("a=1.5", {"a": 1.5}),
        ("a={x = 1}", {"a": {"x": 1}}),
    ],
)
def test_settings(text: str, values: dict[str, Any]) -> None:
    assert parse_setting(text).values == values


@pytest.mark.parametrize("text", ["", "a", "=3", ".a=3", "a..b=3", "a=", "a=two words", "a=1\nb=2", "a=[1"])
def test_what_is_not_a_setting(text: str) -> None:
    with pytest.raises(BadInput, match="--set"):
        parse_setting(text)


def test_rules_of_a_game_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "cigale", "--set", "ants=5", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    entries = {entry["key"]: entry for entry in document["entries"]}
    assert entries["ants"] == {
        "key": "ants", "value": 5, "default": 6, "status": "published", "changed": True,
        "source": entries["ants"]["source"], "note": entries["ants"]["note"],
    }  # fmt: skip
    assert document["changed"] == {"ants": 5}
    assert {"chain_rule", "insect_cards", "insect_points", "prices"} <= set(document["assumed"])


@pytest.mark.parametrize(
    ("game", "setting", "key", "value"),
    [
        ("cigale", "insect_cards={}", "insect_cards", dict.fromkeys("abcdef", "")),
        ("cigale", 'insect_cards={c = "YY"}', "insect_cards", dict.fromkeys("abcdef", "") | {"c": "YY"}),
        ("cigale", "insect_cards.c=YY", "insect_cards", dict.fromkeys("abdef", "YBNR") | {"c": "YY"}),
        (
            "feuilles",
            "leaf_bonuses={}",
            "leaf_bonuses",
            dict.fromkeys(("11", "21", "31", "41", "51", "61"), 0),
        ),
        ("chenille", "ring={T1 = 2}", "ring", {"T1": 2, "T2": 0, "C1": 0, "C2": 0}),
        ("butterfly", "square={2 = 4}", "square", {"2": 4, "3": 7, "4": 8, "5": 9}),
        ("butterfly", "square.2=4", "square", {"2": 4, "3": 7, "4": 8, "5": 9}),
    ],
)
def test_what_a_table_leaves_out(game: str, setting: str, key: str, value: object) -> None:
    """None of it, or the shipped value where there must be one (see the data files)."""
    assert load_rules(game, [parse_setting(setting)]).values[key] == value


@pytest.mark.parametrize(
    ("game", "key"), [("cigale", "prices"), ("cigale", "provision_kinds"), ("butterfly", "square")]
)
def test_a_table_without_effect_is_refused(game: str, key: str) -> None:
    with pytest.raises(BadInput, match=f"^--set: {key}: expected a table with some of .*, got {{}}$"):
        load_rules(game, [parse_setting(f"{key}={{}}")])


def test_data_of_other_numbers_of_players_is_not_checked() -> None:
    # Without flowers, bees and doublers 100 - 13 - 6 - 4 = 77 tiles are left: 8 x 8 (4 players), not 9 x 9.
    settings = [parse_setting(text) for text in ("flowers=0", "bees=0", "doublers=0")]
    rules = load_rules("butterfly", settings)
    assert rules.make_game(4).players == 4
    # With the 4 doublers (the data file) 81 are left, 9 x 9: of the values set the last makes it too few.
    told = r"^--set: doublers: expected a value that fits the others \(square.5: a side whose square 77 tiles"
    with pytest.raises(BadInput, match=told):
        rules.make_game(5)
