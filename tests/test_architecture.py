"""Who may know whom: imports are read off the sources, and what a light command loads off a fresh process."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import fable_solve.cli
import fable_solve.reports
import fable_solve.solver

FOLDERS = {
    part.__name__.rpartition(".")[2]: Path(part.__file__).parent
    for part in (fable_solve.cli, fable_solve.reports, fable_solve.solver)
}
GAMES = "fable_solve.solver.games"


@dataclass(frozen=True)
class Import:
    """One import of ``target`` by ``module``; ``typing_only`` inside ``if TYPE_CHECKING``."""

    module: str
    target: str
    typing_only: bool
    at_top: bool


def sources() -> list[tuple[str, ast.Module]]:
    """(dotted name, syntax tree) of every module of the command line, the reports and the library."""
    found = []
    for part, folder in FOLDERS.items():
        for file in sorted(folder.rglob("*.py")):
            inside = file.relative_to(folder).with_suffix("").parts
            name = ".".join(("fable_solve", part, *inside)).removesuffix(".__init__")
            found.append((name, ast.parse(file.read_text(encoding="utf-8"))))
    return found


SOURCES = sources()


def imports(name: str, tree: ast.Module) -> Iterator[Import]:
    for top in tree.body:
        guarded = isinstance(top, ast.If) and "TYPE_CHECKING" in ast.unparse(top.test)
        for node in ast.walk(top):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{name} imports relatively"
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            yield from (Import(name, target, guarded, node in tree.body) for target in targets)


IMPORTS = [found for name, tree in SOURCES for found in imports(name, tree)]


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def breaches(of: str, *forbidden: str, typing_too: bool = True) -> list[str]:
    """Imports from modules under ``of`` of anything under ``forbidden``."""
    return [
        f"{found.module} imports {found.target}"
        for found in IMPORTS
        if within(found.module, of)
        and within(found.target, *forbidden)
        and (typing_too or not found.typing_only)
    ]


def test_the_sources_are_found():
    # An empty walk would make every test below true.
    assert {name for name, _ in SOURCES} >= {"fable_solve.cli.main", "fable_solve.reports.output", GAMES}
    assert len(IMPORTS) > 200


def test_the_library_knows_no_front_end():
    shown = ("click", "rich", "matplotlib", "jinja2")
    assert not breaches("fable_solve.solver", "fable_solve.cli", "fable_solve.reports", *shown)


def test_reports_know_results_and_errors_only():
    allowed = ("fable_solve.reports", "fable_solve.solver.result", "fable_solve.solver.errors")
    assert not [
        f"{found.module} imports {found.target}"
        for found in IMPORTS
        if within(found.module, "fable_solve.reports")
        and within(found.target, "fable_solve")
        and not within(found.target, *allowed)
    ]
    assert not breaches("fable_solve.reports", "click")


def test_the_command_line_reaches_games_through_the_registry():
    assert not breaches("fable_solve.cli", GAMES)


def test_the_core_knows_no_game():
    core = [found for found in IMPORTS if not within(found.module, GAMES)]
    assert not [f"{f.module} imports {f.target}" for f in core if f.target.startswith(GAMES + ".")]


def test_no_game_knows_another():
    games = [found for found in IMPORTS if found.module.startswith(GAMES + ".")]
    for found in games:
        own = ".".join(found.module.split(".")[:4])
        assert within(found.target, own) or not within(found.target, GAMES), found


def test_the_library_has_no_clock_and_no_global_randomness():
    assert not breaches("fable_solve.solver", "time", "datetime", "random", "secrets", "uuid")


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Every call with its callee as written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


WRITERS = {"write_text", "write_bytes", "write_csv", "write_parquet", "to_csv", "unlink", "rename", "rmtree"}
"""Methods that change files, whatever object they are called on."""


WRITING = re.compile(r"(mode=)?'[rwaxbt+]*[wax+][rwaxbt+]*'")
"""A literal argument that opens a file for writing."""


def is_forbidden(callee: str, call: ast.Call) -> bool:
    """Printing, writing or deleting files, and numpy's global generator."""
    method = callee.rpartition(".")[2]
    if method == "open":
        return any(WRITING.fullmatch(ast.unparse(part)) for part in (*call.args, *call.keywords))
    legacy = callee.startswith(("np.random.", "numpy.random.")) and method not in {"default_rng", "Generator"}
    return callee in {"print", "input"} or method in WRITERS or legacy


def test_the_library_neither_prints_nor_writes():
    cache = "fable_solve.solver.codecache"  # keeps compiled code, and nothing else
    assert not [
        f"{name}:{call.lineno} calls {callee}"
        for name, tree in SOURCES
        if within(name, "fable_solve.solver") and name != cache
        for callee, call in calls(tree)
        if is_forbidden(callee, call)
    ]


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("print(1)", True),
        ("open('f', 'w')", True),
        ("path.open(mode='ab')", True),
        ("path.open('rb')", False),
        ("open('wax')", True),  # read as a mode: no file of the library has such a name
        ("path.write_text('x')", True),
        ("np.random.rand(3)", True),
        ("np.random.default_rng(3)", False),
        ("tree.walk()", False),
    ],
)
def test_the_check_itself(code, forbidden):
    ((callee, call),) = list(calls(ast.parse(code)))[:1]
    assert is_forbidden(callee, call) == forbidden


LIGHT = (
    "fable_solve.cli.main",
    "fable_solve.solver.registry",
    "fable_solve.solver.game",
    "fable_solve.cli.study",
)
HEAVY = ("numpy", "polars", "numba", "pydantic", "scipy", "nashpy", "matplotlib", "jinja2", "rich", "dask")


def test_descriptions_of_games_are_light():
    described = {name for name, _ in SOURCES if within(name, GAMES) and name.count(".") == 3}
    for found in IMPORTS:
        if found.module in described | set(LIGHT) and found.at_top:
            assert not within(found.target, *HEAVY), found


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["simulate", "--help"], 0),
        (["cigale", "--help"], 0),
        (["nonsense"], 2),
        (["--nonsense"], 2),
        (["simulate", "cigale", "--nonsense"], 2),
        (["simulate", "cigale", "--games", "0"], 2),
        (["games", "--format", "nonsense"], 2),
    ],
)
def test_light_commands_load_click_only(arguments, code):
    script = (
        "import sys\n"
        "from fable_solve.cli.main import run\n"
        f"code = run({arguments!r})\n"
        f"heavy = sorted(set(sys.modules) & {set(HEAVY)!r})\n"
        "print(int(code), ','.join(heavy) or 'light', file=sys.stderr)\n"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert process.stderr.splitlines()[-1] == f"{code} light"
