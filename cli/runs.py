"""The folder of a run: its blocks as Parquet files, kept as they are finished, and what they are blocks of.

``run.json`` says what was played; ``blocks/NUMBER-DIGEST.parquet`` holds one block, named by the number of
its first episode and a digest of its bytes. So a block is whole or missing: a file whose bytes do not give
its digest is damaged, and is played again. Files are written under another name and renamed; nothing else is
needed to go on after a run was killed at any moment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fable_solve.reports.documents import PROGRAM, csv_text, json_text
from fable_solve.reports.output import SUMMARY, claim_folder, parquet, refusing, summary_at, write_files
from fable_solve.solver.errors import Refused

if TYPE_CHECKING:
    from fable_solve.solver.blocks import Block
    from fable_solve.solver.result import Answer
    from fable_solve.solver.rollout import Match
    from fable_solve.solver.tally import Tally

RUN = "run.json"
BLOCKS = "blocks"
NAME = re.compile(r"(\d{12})-([0-9a-f]{16})\.parquet")
KEPT = ("episodes", "counts")
"""What is kept of a block: every episode, or how often each score, win and length occurred."""


@dataclass
class BlockFolder:
    """The blocks under ``folder`` (:class:`fable_solve.solver.simulation.Store`)."""

    folder: str
    kept: str = KEPT[0]
    by_workers: bool = False

    def load(self, numbers: range) -> Tally | None:
        for path in self._found.get(numbers.start, ()):
            counts = self._read(path)
            if counts is not None and counts.games == len(numbers):
                return counts
            path.unlink(missing_ok=True)
        return None

    def encode(self, match: Match, block: Block, counts: Tally) -> bytes:
        from fable_solve.solver import blocks, tally

        episodes = self.kept == KEPT[0]
        return parquet(blocks.frame(block, match.names) if episodes else tally.frame(counts))

    def save(self, numbers: range, content: bytes) -> None:
        name = f"{numbers.start:012d}-{_digest(content)}.parquet"
        _write(Path(self.folder) / BLOCKS / name, content)

    def cut(self, games: int) -> None:
        for path in self.paths():
            if _first(path) >= games:
                path.unlink(missing_ok=True)

    def paths(self) -> list[Path]:
        """Files of all blocks, in order."""
        files = (Path(self.folder) / BLOCKS).glob("*.parquet")
        return sorted(path for path in files if NAME.fullmatch(path.name))

    @cached_property
    def _found(self) -> dict[int, list[Path]]:
        """Files of the blocks that were there before the run, by the number of their first episode."""
        found: dict[int, list[Path]] = {}
        for path in self.paths():
            found.setdefault(_first(path), []).append(path)
        return found

    def _read(self, path: Path) -> Tally | None:
        """The counts of a block, ``None`` if its bytes are not those that were written."""
        import polars as pl

        from fable_solve.solver import blocks, tally

        content = path.read_bytes()
        if not path.stem.endswith(_digest(content)):
            return None
        table = pl.read_parquet(BytesIO(content))
        return tally.tally(blocks.from_frame(table)) if self.kept == KEPT[0] else tally.from_frame(table)


def open_run(blocks: BlockFolder, setup: dict[str, Any], games: int, resume: bool) -> None:
    """Make a folder ready for the blocks of the run that ``setup`` describes.

    A new or empty folder is taken; one that holds a finished run or report of ours is emptied of it; one that
    holds the same run is continued if ``resume`` says so. Raises :class:`Refused` otherwise.
    """
    folder, path = blocks.folder, Path(blocks.folder)
    begun, setup = _document(path / RUN), {"program": PROGRAM, **setup}
    if resume and begun is not None:
        _check_same(begun, setup, blocks, games)
        (path / SUMMARY).unlink(missing_ok=True)
    elif begun is not None and not (path / SUMMARY).exists():
        raise Refused(f"{folder}: expected a new or empty folder, got a run that was not finished "
                      "(--resume continues it)")  # fmt: skip
    else:
        claim_folder(folder)
        if resume and (path / SUMMARY).exists():
            raise Refused(f"{folder}: expected a run to continue, got a report without {RUN}")
        _discard(path)
    with refusing(path):
        (path / BLOCKS).mkdir(parents=True, exist_ok=True)
        for unfinished in (path / BLOCKS).glob("*.part"):
            unfinished.unlink(missing_ok=True)
        _write(path / RUN, json_text(setup).encode())


def _check_same(begun: dict[str, Any], setup: dict[str, Any], blocks: BlockFolder, games: int) -> None:
    for key in (*setup, *begun):
        if begun.get(key) != setup.get(key):
            wanted, there = setup.get(key), begun.get(key)
            raise Refused(f"{blocks.folder}: expected a run with {key} {wanted}, got one with {there}")
    last = max(map(_first, blocks.paths()), default=-1)
    if last >= games:
        raise Refused(f"{blocks.folder}: expected --games above the {last} that were begun, got {games}")


def _discard(folder: Path) -> None:
    """Take a finished run of ours out of a folder, its summary first: what is left could be continued."""
    if not (folder / RUN).exists():
        return
    (folder / SUMMARY).unlink(missing_ok=True)
    for path in BlockFolder(str(folder)).paths():
        path.unlink(missing_ok=True)


def _document(path: Path) -> dict[str, Any] | None:
    """The run described at ``path``; ``None`` where there is none of ours."""
    found = summary_at(path)
    return found if found.get("program") == PROGRAM else None


def _first(path: Path) -> int:
    return int(path.name[:12])


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def write_simulation(answer: Answer, blocks: BlockFolder) -> tuple[str, ...]:
    """Write the summary of a finished run beside its blocks; returns all paths of the run.

    Raises :class:`Refused` when writing fails; the blocks are then kept, and the run can be continued.
    """
    files = (RUN, *(f"{BLOCKS}/{path.name}" for path in blocks.paths()), "seats.csv", SUMMARY)
    document = answer.document | {"program": PROGRAM, "files": list(files)}
    contents: dict[str, Callable[[], bytes]] = {
        "seats.csv": lambda: csv_text(answer.columns, answer.rows).encode(),
        SUMMARY: lambda: json_text(document).encode(),
    }
    write_files(contents, blocks.folder, beside=files)
    return files
