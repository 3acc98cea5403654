"""Answers about the games themselves: the list of games and the effective rule data."""

from __future__ import annotations

import json
from dataclasses import asdict

from fable_solve.solver import registry
from fable_solve.solver.result import Answer
from fable_solve.solver.rules import RuleData


def games_answer() -> Answer:
    """Every game with its players, modes, policies and facts."""
    specs = [registry.get(name) for name in registry.names()]
    items = [
        {
            "name": spec.name,
            "title": spec.title,
            "players": list(spec.players),
            "modes": list(spec.modes),
            "policies": list(spec.policies),
            **asdict(spec.facts),
        }
        for spec in specs
    ]
    columns = (
        "name",
        "players",
        "modes",
        "zero-sum",
        "chance",
        "hidden information",
        "simultaneous",
        "length",
    )
    rows = [
        (
            spec.name,
            f"{min(spec.players)}-{max(spec.players)}",
            ", ".join(spec.modes),
            spec.facts.zero_sum,
            spec.facts.chance,
            spec.facts.hidden_information,
            spec.facts.simultaneous,
            spec.facts.length,
        )
        for spec in specs
    ]
    return Answer({"games": items}, columns, rows, title="Games")


def rules_answer(rules: RuleData) -> Answer:
    """The effective rule data, with what is assumed and what was changed marked."""
    entries = [{**asdict(entry), "changed": entry.changed} for entry in rules.entries]
    rows = [
        (
            entry.key,
            json.dumps(entry.value, ensure_ascii=False),
            entry.status + (", changed" if entry.changed else ""),
            entry.source,
            entry.note,
        )
        for entry in rules.entries
    ]
    notes = (
        f"digest {rules.digest}",
        f"assumed: {', '.join(rules.assumed) or 'nothing'}",
        f"changed: {', '.join(rules.changed) or 'nothing'}",
    )
    document = {"game": rules.game, **rules.document(), "entries": entries}
    return Answer(
        document,
        ("key", "value", "status", "source", "note"),
        rows,
        f"Rule data of {rules.game}",
        footer=notes,
    )
