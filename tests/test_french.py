"""French is complete: whatever studies and commands say is looked up, and the catalogue knows it.

A text needs no entry if it holds only numbers, signs and names that are the same in every language: of games,
modes, policies, sides, keys and values of rule data, cards and tiles (:func:`is_name`).
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font

import fable_solve.reports.language as languages
from fable_solve.cli.main import run
from fable_solve.reports import html, terminal
from fable_solve.reports.figures import Drawing, draw
from fable_solve.reports.language import speaking, translated
from fable_solve.reports.markdown import markdown
from fable_solve.reports.phrases import Language
from fable_solve.solver import registry
from fable_solve.solver.decisions import study
from fable_solve.solver.records import recorded
from fable_solve.solver.result import Chart, Series
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules, parse_setting
from fable_solve.solver.study import Request

ROOT = Path(__file__).parent.parent
VALUES = {
    *("exact", "reach"),  # leaf_bonus
    *("last", "first", "random"),  # placer
    *("hit", "miss", "alone", "others"),
}
"""Values of rule data that reports name as they are typed."""


@cache
def names() -> frozenset[str]:
    """Words that are the same in every language."""
    found = {*VALUES, *registry.names()}
    for spec in map(registry.get, registry.names()):
        found |= {*spec.modes, *spec.policies, *spec.sides, *spec.title.split()}
        found |= {entry.key for entry in load_rules(spec.name, []).entries}
    cards = import_module("fable_solve.solver.games.chenille.cards").KINDS
    tiles = import_module("fable_solve.solver.games.butterfly.tiles").KINDS
    paths = (f"{kind}{insect}" for kind in "YBNR" for insect in "abcdef")
    return frozenset({*found, *cards, *tiles, *paths})


def is_name(text: str) -> bool:
    """Is nothing left of ``text`` but numbers, signs, single letters and names?"""
    if text.startswith(('"', "[", "{")) or text in ("true", "false"):
        return json.loads(text) is not None  # a value as JSON
    if text.replace(" ", "_") in names():
        return True  # a key as a heading
    words = re.findall(r"[^\W\d_]{2,}[\w@]*", text)
    return all(word.partition("@")[0] in names() for word in words)


@dataclass(frozen=True)
class Recording(Language):
    """A language that remembers what it was asked in vain."""

    missing: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    """What it answered, which may be asked again."""

    def __call__(self, text: str) -> str:
        said = super().__call__(text)
        if self.find(text) is None and text not in self.given and not is_name(text):
            self.missing.add(text)
        self.given.add(said)
        return said


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    """French, spoken and recorded."""
    known = languages.language("fr")
    recording = Recording(**{one.name: getattr(known, one.name) for one in fields(Language)})
    monkeypatch.setattr(languages, "language", {"en": Language("en"), "fr": recording}.__getitem__)
    with speaking("fr"):
        yield recording


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs a study with small numbers and shows it in every form."""

    def shown(name: str, mode: str | None = None, players: tuple[int, ...] = (), **options: Any) -> None:
        monkeypatch.setattr(import_module(f"fable_solve.solver.games.{name}.human"), "GAMES", 2)
        spec = registry.get(name)
        rules = load_rules(name, [parse_setting(text) for text in options.pop("settings", ())])
        objective = options.pop("objective", None)
        given = {one.name.replace("-", "_"): one.default for one in spec.study_options} | options
        players = players or (spec.default_players,)
        result = study(spec, Request(rules, spec.check_mode(mode), players, objective, 0, given))
        terminal.print_result(result, "table")
        said = translated(result, languages.current())
        html.page(said, {one.name: Drawing(one.name, "<svg/>") for one in (*result.charts, *result.boards)})
        markdown(said)

    return shown


CIGALE: tuple[dict[str, Any], ...] = (
    {"mode": "automne", "boards": 20},
    {"mode": "automne", "boards": 20, "objective": "cards", "settings": ("chain_rule=strict", "ants=5")},
    {"mode": "hiver", "boards": 20, "players": (2, 3, 4)},
    {"mode": "hiver", "boards": 2, "objective": "points"},
)


@pytest.mark.parametrize("options", CIGALE)
def test_cigale(french: Recording, show: Callable[..., None], options: dict[str, Any]) -> None:
    show("cigale", **options)
    assert sorted(french.missing) == []


def test_no_line_of_the_terminal_begins_with_a_sign(
    french: Recording, show: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The spaces before such signs are unbroken; thousands are not parted either."""
    show("cigale", mode="hiver", boards=20, players=(3,))
    printed = capsys.readouterr().out
    assert "\u00a0%" in printed
    assert re.findall(r"^\s*[:;!?%»].*", printed, re.MULTILINE) == []


@pytest.mark.parametrize("players", [(1,), (2,), (1, 2)])
def test_feuilles(french: Recording, show: Callable[..., None], players: tuple[int, ...]) -> None:
    show("feuilles", players=players, games=10)
    assert sorted(french.missing) == []
    # an entry for names ({=}) must not take a sentence for one
    assert [said for said in french.given if re.search(r"\b(with|the|play)\b", said)] == []


@pytest.mark.long
@pytest.mark.parametrize("settings", [(), ("redraw=forced", "discards=open")])
def test_chenille(french: Recording, show: Callable[..., None], settings: tuple[str, ...]) -> None:
    for games in (2, 60):
        show("chenille", games=games, settings=settings)
    assert sorted(french.missing) == []


@pytest.mark.long
@pytest.mark.parametrize("objective", [None, "margin", "score"])
@pytest.mark.parametrize("settings", [(), ("nets=none",), ("placer=first",), ("placer=random",)])
def test_butterfly(
    french: Recording, show: Callable[..., None], objective: str | None, settings: tuple[str, ...]
) -> None:
    players = (2,) if objective == "margin" else (2, 3)
    few = {"games": 2, "strong_games": 2, "watched": 4, "nodes": 1}
    show("butterfly", players=players, objective=objective, settings=settings, **few)
    assert sorted(french.missing) == []


def test_lines_of_rules_to_remember(french: Recording) -> None:
    """Also those that no list has now: which are chosen may change."""
    for name in registry.names():
        human = import_module(f"fable_solve.solver.games.{name}.human")
        for lines in human.CANDIDATES.values():
            for line in lines.values():
                french(line.words)
    assert sorted(french.missing) == []


CASES = ROOT / "tests" / "cases"
POSITIONS = (
    "cigale-round-03", "cigale-round-12", "cigale-exact-0", "chenille-exact-0", "butterfly-exact-00",
    "butterfly-nets-03", "feuilles-exact-00", "feuilles-x-00",
)  # fmt: skip


def commands() -> Iterator[list[str]]:
    yield ["games"]
    for name in registry.names():
        yield ["rules", name]
        yield ["enumerate", name]
        yield ["simulate", name, "--games", "4"]
    yield ["simulate", "cigale", "--mode", "hiver", "--players", "3", "--games", "4", "--set", "ants=5"]
    yield ["rules", "cigale", "--mode", "hiver"]
    yield ["advise", str(CASES / "butterfly-exact-00.toml"), "--nodes", "10"]
    for case in POSITIONS:
        yield from ([command, str(CASES / f"{case}.toml")] for command in ("advise", "score", "enumerate"))
        if "round" not in case:
            yield ["solve", str(CASES / f"{case}.toml")]


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: " ".join(command[:2])[-40:])
def test_commands(french: Recording, command: list[str]) -> None:
    assert run([*command, "--lang", "fr"]) == 0
    assert sorted(french.missing) == []


@pytest.mark.long
@pytest.mark.parametrize(("name", "players"), [("butterfly", 2), ("butterfly", 3), ("feuilles", 1)])
def test_recorded_games(french: Recording, tmp_path: Path, name: str, players: int) -> None:
    played = setup(registry.get(name), players, ("random",), load_rules(name, []))
    (tmp_path / "game.jsonl").write_text("\n".join(recorded(played, 1)))
    nodes = ["--nodes", "50"] if (name, players) == ("butterfly", 2) else []
    assert run(["advise", str(tmp_path / "game.jsonl"), *nodes, "--lang", "fr"]) == 0
    assert sorted(french.missing) == []


def test_matrix(french: Recording, tmp_path: Path) -> None:
    for payoffs in ("1,-1\n-1,1\n", "1,-1\n-1,1\n\n2,1\n1,3\n"):
        (tmp_path / "game.csv").write_text(payoffs)
        assert run(["matrix", str(tmp_path / "game.csv"), "--lang", "fr"]) == 0
    assert sorted(french.missing) == []


COMPARISONS = (
    ["balance", "cigale", "chenille", "--games", "40", "--policies", "random,greedy"],
    ["balance", "feuilles", "--players", "1-2", "--games", "40", "--policies", "random"],
    [
        "balance",
        "butterfly",
        "--players",
        "2",
        "--reading",
        "placer=first",
        "--games",
        "40",
        "--policies",
        "random",
    ],
    ["balance", "chenille", "--against", "redraw=forced", "--games", "40", "--policies", "random"],
    ["balance", "feuilles", "--players", "1", "--games", "40", "--policies", "random,greedy"],
    ["tournament", "cigale", "--games", "1024", "--policies", "random,greedy,stage"],
    ["tournament", "chenille", "--games", "1024", "--policies", "random,greedy"],
    ["tune", "cigale", "--param", "ants=5,6", "--target", "0.5", "--games", "2000"],
    [
        "tune",
        "cigale",
        "--param",
        "ants=5,6",
        "--param",
        "shelves_to_end=1,2",
        "--target",
        "0.5",
        "--games",
        "2000",
    ],
    [
        "tune",
        "feuilles",
        "--param",
        "leaf_target=51,61",
        "--target",
        "9",
        "--metric",
        "mean",
        "--games",
        "2000",
    ],
    ["tune", "butterfly", "--param", "placer=first,last", "--target", "0.5", "--games", "2000"],
)


@pytest.mark.long
@pytest.mark.parametrize("command", COMPARISONS, ids=" ".join)
def test_comparisons(french: Recording, tmp_path: Path, command: list[str]) -> None:
    assert run([*command, "--lang", "fr", "--out", str(tmp_path / "out")]) == 0
    assert sorted(french.missing) == []


# --- what is the same in every language, and numbers


def test_keys_and_what_users_set_stay_as_typed(
    french: Recording, show: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (french("rounds"), french("strict")) == ("tours", "chemin strict")  # as words of ours
    assert run(["rules", "feuilles", "--lang", "fr"]) == 0
    show("cigale", boards=2, settings=("chain_rule=strict",))
    printed = capsys.readouterr().out
    assert re.search(r"^rounds  ", printed, re.MULTILINE)
    assert re.search(r"^chain_rule +strict$", printed, re.MULTILINE)


def test_numbers_are_shown_once() -> None:
    """Shown twice, 0,063 would be taken for an English 63 with a sign for thousands."""
    said = languages.language("fr")("The largest change of the mean value, with touching, is +0.063.")
    assert said.endswith("est de +0,063.")


def test_ticks_have_french_numbers() -> None:
    """Text is drawn as outlines, each glyph named by its number in the font."""
    font = FT2Font(findfont("DejaVu Sans"))
    stop, comma = (f'"#c-DejaVuSans-{font.get_char_index(ord(sign)):x}"' for sign in ".,")
    chart = Chart("c", "line", "A", "B", "C", "D", (Series("", [0, 1], [0.25, 0.75]),))
    for code, there, gone in (("en", stop, comma), ("fr", comma, stop)):
        with speaking(code):
            svg = draw(chart).svg
        assert there in svg
        assert gone not in svg


# --- nothing in the catalogue that nobody says any more


def test_every_sentence_of_the_catalogue_is_said_somewhere() -> None:
    """At least half of the runs of three words of a longer entry stand in a string of the source."""
    written = "\n".join(strings()).replace("_", " ")
    for key in (*languages.language("fr").texts, *languages.language("fr").parts):
        pieces = [re.findall(r"\S*\w\S*", piece) for piece in re.split(r"\{[#=]?\}", key)]
        runs = [" ".join(words[at : at + 3]) for words in pieces for at in range(len(words) - 2)]
        assert len(runs) < 6 or 2 * sum(run in written for run in runs) >= len(runs), key


def strings() -> Iterator[str]:
    """Every string of the source, of the rule data and of the templates."""
    for folder in ("solver", "reports", "cli"):
        for path in (ROOT / folder).rglob("*.py"):
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            yield from (
                node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )
    for path in (ROOT / "seeds").glob("*.toml"):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).values():
            yield from (entry["source"], entry["note"])
    for path in (ROOT / "reports" / "templates").glob("*.html"):
        yield path.read_text(encoding="utf-8")


def test_seats_have_their_article() -> None:
    def french(text: str) -> str:
        return " ".join(languages.language("fr")(text).split())  # no-break spaces, too

    assert french("In equilibrium seat 0 plays greedy 100%; seat 1 plays stage 100%.") == (
        "À l’équilibre, le siège 0 joue greedy 100 % ; le siège 1 joue stage 100 %."
    )
    said = french(
        "Fairest: cigale hiver 2 greedy, where seat 0 wins 49.3% (45.9% to 52.6%) and an even share is 50.0%."
    )
    assert said.startswith(
        "Le plus équitable : cigale hiver 2 greedy, où le siège 0 gagne 49,3 % des parties"
    )
