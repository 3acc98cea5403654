"""The readings of the rules that the study compares: which Envol cards there are, and the second card."""

from __future__ import annotations

from dataclasses import dataclass

from fable_solve.solver.rules import Layer, RuleData, load_rules, shipped

REDRAWS = ("optional", "forced")


@dataclass(frozen=True)
class Reading:
    """One deck with one rule for the second card; the rest of the rule data as asked for."""

    deck: str
    redraw: str
    rules: RuleData

    @property
    def label(self) -> str:
        return f"deck {self.deck}, redraw {self.redraw}"

    @property
    def short(self) -> str:
        """The label inside a list."""
        return f"{self.deck} ({self.redraw})"


def readings(rules: RuleData) -> list[Reading]:
    """The asked reading first, then every other named deck and rule for the second card."""
    own_deck, own_redraw = deck_name(rules), rules.values["redraw"]
    base = Layer("rules", rules.changed)
    found = []
    for redraw in sorted(REDRAWS, key=lambda name: name != own_redraw):
        for deck, counts in {own_deck: rules.values["deck"], **_named_decks()}.items():
            layer = Layer(f"reading {deck}", {"deck": counts, "redraw": redraw})
            found.append(Reading(deck, redraw, load_rules("chenille", [base, layer])))
    return found


def deck_name(rules: RuleData) -> str:
    """The name of the deck of ``rules``: ``default``, a named alternative or ``given``."""
    names = [name for name, counts in _named_decks().items() if counts == rules.values["deck"]]
    return names[0] if names else "given"


def _named_decks() -> dict[str, dict[str, int]]:
    entry = shipped("chenille")["deck"]
    return {"default": entry["value"], **entry["alternatives"]}
