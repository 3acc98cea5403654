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
    for key, entry in shipped(game).items():
        assert entry["status"] in STATUSES, key
        assert entry["source"] and entry["note"], key
        assert set(entry) <= {"value", "status", "source", "note", "alternatives", "whole"}, key
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


def test_tables_merge_and_vectors_of_counts_are_replaced() -> None:
    data: dict[str, Any] = {
        "prices": {"value": {"red": "R", "blue": "B"}},
        "deck": {
            "value": {"egg": 2, "sun": 2},
            "whole": True,
            "alternatives": {"none": {"egg": 0, "sun": 0}},
        },
    }
    values = {key: entry["value"] for key, entry in data.items()}
    assert lay(values, Layer("x", {"prices": {"red": "Y"}}), data)["prices"] == {"red": "Y", "blue": "B"}
    assert lay(values, Layer("x", {"deck": {"egg": 1}}), data)["deck"] == {"egg": 1, "sun": 0}
    assert lay(values, parse_setting("deck.egg=1"), data)["deck"] == {"egg": 1, "sun": 2}
    assert lay(values, parse_setting("deck=none"), data)["deck"] == {"egg": 0, "sun": 0}
    assert values["deck"] == {"egg": 2, "sun": 2}  # nothing shipped was touched
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
