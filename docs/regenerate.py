"""Everything in the documentation that a program printed, printed again: ``make docs``.

- ``images`` holds figures of reports, made by the commands in ``PICTURES``.
- ``commands.md`` is made of the ``--help`` of every command.
- In each page a block after ``<!-- run -->`` holds commands (``$ ...``) and what they print. The commands are
  run in an empty folder in which the page's examples lie (blocks that start with ``# NAME.toml`` and the
  like), and their output is put in place of what stands there.

``--check`` changes nothing and fails if anything would change; ``--only commands`` looks at ``commands.md``
alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
COMMANDS = DOCS / "commands.md"
PICTURES = {
    "balance.svg": (
        "balance --policies greedy --games 20000 --pairs 0 --watch 0",
        "first_greedy",
    ),
    "square.svg": ("cigale --mode hiver --boards 200", "square"),
}
"""File in ``images`` -> a command that takes ``--out``, and the figure of its report."""

FILE = re.compile(r"```\w+\n# ([\w.-]+\.\w+)\n(.*?)```", re.DOTALL)
RUN = re.compile(r"(<!-- run -->\n```\w*\n)(.*?)(```)", re.DOTALL)
HEAD = """# Commands

Made from `fable-solve COMMAND --help` by `make docs`.
"""


def commands() -> str:
    """The reference of all commands."""
    from fable_solve.cli.main import COMMANDS as names
    from fable_solve.solver import registry

    parts = [HEAD, _help([])]
    for name in [*registry.names(), *sorted(names)]:
        parts += [f"## {name}\n", _help([name])]
    return "\n".join(parts)


def _help(words: list[str]) -> str:
    text = _output(f"fable-solve {' '.join([*words, '--help'])}", DOCS)
    return f"```text\n{text}```\n"


def pictures() -> dict[Path, str]:
    """The content of every figure."""
    made = {}
    for name, (command, figure) in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            _output(f"fable-solve {command} --out report", Path(folder))
            plot = Path(folder) / "report" / "plots" / f"{figure}.svg"
            made[DOCS / "images" / name] = plot.read_text(encoding="utf-8")
    return made


def page(text: str) -> str:
    """A page with the output of its commands as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.findall(text):
            (Path(folder) / name).write_text(content, encoding="utf-8")
        return RUN.sub(lambda block: block[1] + _again(block[2], Path(folder)) + block[3], text)


def _again(block: str, folder: Path) -> str:
    lines = [line for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{line}\n{_output(line[2:], folder)}" for line in lines)


def _output(command: str, folder: Path) -> str:
    """What a shell command prints on its standard output, at the width of a page."""
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(places), "COLUMNS": "100"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 3, 4):  # what is printed of an answer that was not reached belongs there
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", choices=["commands"])
    options = parser.parse_args()
    made = {COMMANDS: commands()}
    if not options.only:
        made |= pictures()
        made |= {path: page(path.read_text(encoding="utf-8")) for path in PAGES if path != COMMANDS}
    stale = [
        path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        print(f"{'stale' if options.check else 'written'}: {path.name}")
    sys.exit(1 if stale and options.check else 0)


if __name__ == "__main__":
    main()
