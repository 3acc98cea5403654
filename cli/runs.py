"""The folder of a run: its blocks as Parquet files, kept as they are finished, and what they are blocks of.

``run.json`` says what was played; ``blocks/NUMBER-DIGEST.parquet`` holds one block, named by the number of
its first episode and a digest of the run, that number and its bytes. So a block is whole or missing: a file
that is damaged, or was written for another number or another run, does not give its digest, and is played
again. Files are written under another name and renamed; nothing else is needed to go on after a run was
killed at any moment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fable_solve.reports.documents import PROGRAM, csv_text, json_text
from fable_solve.reports.language import current
from fable_solve.reports.output import (
    SUMMARY,
    check_folder,
    claim_folder,
    parquet,
    refusing,
    summary_at,
    write_file,
    write_files,
)
from fable_solve.reports.terminal import tell
from fable_solve.solver.errors import Refused
from fable_solve.solver.schema import shown

if TYPE_CHECKING:
    from fable_solve.solver.blocks import Block
    from fable_solve.solver.result import Answer
    from fable_solve.solver.rollout import Match
    from fable_solve.solver.tally import Tally

RUN, SEATS, BLOCKS = "run.json", "seats.csv", "blocks"
NAME = re.compile(r"(\d{12})-([0-9a-f]{16})\.parquet")
PART = re.compile(rf"\.{NAME.pattern}\.\d+\.part")
"""A block that was being written by the process of that number."""


@dataclass
class BlockFolder:
    """The blocks under ``folder`` (:class:`fable_solve.solver.simulation.Store`)."""

    folder: str
    run: dict[str, Any]
    """What is played, as ``run.json`` says it; ``block`` is the number of episodes of a block, ``keep`` what
    is kept of it: every episode, or ``counts`` how often each score, win and length occurred."""
    by_workers: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs to know."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def load(self, numbers: range) -> Tally | None:
        kept: Tally | None = None
        with refusing(self.path):
            for path in self._found.pop(numbers.start, ()):
                counts = self._read(path) if kept is None else None
                if counts is not None and counts.games == len(numbers):
                    kept = counts
                else:
                    path.unlink(missing_ok=True)
        return kept

    def encode(self, match: Match, block: Block, counts: Tally) -> bytes:
        from fable_solve.solver import blocks, tally

        return parquet(tally.frame(counts) if self._counts else blocks.frame(block, match.names))

    def save(self, numbers: range, content: bytes) -> None:
        write_file(self.path / self._name(numbers.start, content), content)

    def cut(self, games: int) -> None:
        with refusing(self.path):
            for path in self.paths():
                if _first(path) >= games or not self._begins(_first(path)):
                    path.unlink(missing_ok=True)
            self._drop_parts()

    @property
    def path(self) -> Path:
        return Path(self.folder) / BLOCKS

    def paths(self) -> list[Path]:
        """Files of all blocks, in order."""
        return sorted(path for path in self.path.glob("*.parquet") if NAME.fullmatch(path.name))

    def kept(self) -> str:
        """What is there of a run that has not ended, and what becomes of it."""
        return f"blocks kept in {self.folder}: {len(self.paths()):,}; --resume goes on from there"

    def open(self) -> None:
        """Make the folder, empty or with blocks to go on from."""
        with refusing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            if not os.access(self.path, os.W_OK | os.X_OK):
                raise Refused(f"{self.path}: expected a folder that can be written to, got a read-only one")
            self._drop_parts()

    def check(self) -> None:
        """Raises :class:`Refused` if anything is there that no run leaves."""
        check_folder(self.path)
        with refusing(self.path):
            for path in self.path.iterdir() if self.path.exists() else ():
                if not NAME.fullmatch(path.name) and not PART.fullmatch(path.name):
                    raise Refused(f"{path}: expected files of blocks alone, got one of another name")
                check_file(path)

    def holds_its_run(self) -> bool:
        """Whether a block is there that was written for this run."""
        return any(self._content(path) is not None for path in self.paths())

    def last(self, games: int) -> int:
        """Number of the first episode of the last block at or beyond ``games``, -1 if there is none."""
        beyond = (path for path in reversed(self.paths()) if _first(path) >= games)
        sound = (path for path in beyond if self._begins(_first(path)) and self._content(path) is not None)
        return next(map(_first, sound), -1)

    @cached_property
    def _found(self) -> dict[int, list[Path]]:
        """Files of the blocks that were there before the run, by the number of their first episode."""
        found: dict[int, list[Path]] = {}
        for path in self.paths():
            found.setdefault(_first(path), []).append(path)
        return found

    @property
    def _counts(self) -> bool:
        return bool(self.run["keep"] == "counts")

    def _begins(self, number: int) -> bool:
        """Whether a block of this run begins with that episode."""
        return bool(number % self.run["block"] == 0)

    def _drop_parts(self) -> None:
        for path in self.path.glob("*.part"):
            if PART.fullmatch(path.name):
                path.unlink(missing_ok=True)

    def _read(self, path: Path) -> Tally | None:
        """The counts of a block, ``None`` if it is not what was written for this run."""
        import polars as pl

        from fable_solve.solver import blocks, tally

        content = self._content(path)
        if content is None:
            return None
        table = pl.read_parquet(BytesIO(content))
        return tally.from_frame(table) if self._counts else tally.tally(blocks.from_frame(table))

    def _content(self, path: Path) -> bytes | None:
        try:
            content = path.read_bytes()
        except OSError:
            return None
        return content if path.name == self._name(_first(path), content) else None

    def _name(self, first: int, content: bytes) -> str:
        digest = blake2b(content, digest_size=8, key=self._key, salt=first.to_bytes(16, "big"))
        return f"{first:012d}-{digest.hexdigest()}.parquet"

    @cached_property
    def _key(self) -> bytes:
        return blake2b(json_text(self.run).encode()).digest()


def open_run(blocks: BlockFolder, games: int, resume: bool) -> None:
    """Make a folder ready for ``blocks``.

    A new or empty folder is taken; one that holds a finished run or report of ours is emptied of it; one that
    holds the same run is continued if ``resume`` says so. Raises :class:`Refused` otherwise, and for anything
    in the place of a file of the run that is none; nothing is changed then.
    """
    folder = Path(blocks.folder)
    check_folder(folder)
    for name in (RUN, SEATS, SUMMARY):
        check_file(folder / name)
    blocks.check()
    _check_begun(blocks, games, resume)
    beside = [f"{BLOCKS}/{path.name}" for path in blocks.paths()] if resume else []
    write_files({RUN: lambda: json_text(blocks.run).encode()}, blocks.folder, beside=beside)
    (folder / SUMMARY).unlink(missing_ok=True)
    blocks.open()


def _check_begun(blocks: BlockFolder, games: int, resume: bool) -> None:
    """Raises :class:`Refused` unless the run may take the folder as it is."""
    folder, path = blocks.folder, Path(blocks.folder)
    begun, ended = _ours(path / RUN), _ours(path / SUMMARY)
    if begun and resume:
        _check_same(begun, blocks, games)
    elif begun and not ended:
        raise Refused(f"{folder}: expected a new or empty folder, got a run that was not finished "
                      "(--resume continues it)")  # fmt: skip
    elif begun or (ended and not resume):
        claim_folder(folder)
        if begun and ended:
            tell("note", current()(f"the finished run in {folder} is replaced (games: {ended.get('games')})"))
    elif (path / RUN).exists() or (path / BLOCKS).exists():
        _check_undescribed(blocks, resume)
    else:
        claim_folder(folder)
        if ended:
            raise Refused(f"{folder}: expected a run to continue, got a report without {RUN}")


def _check_same(begun: dict[str, Any], blocks: BlockFolder, games: int) -> None:
    for key in (*blocks.run, *begun):
        if begun.get(key) != blocks.run.get(key):
            wanted, there = (shown(run.get(key), 300) for run in (blocks.run, begun))
            raise Refused(f"{blocks.folder}: expected a run with {key} {wanted}, got one with {there}")
    last = blocks.last(games)
    if last >= games:
        raise Refused(f"{blocks.folder}: expected --games above {last:,}, where the last block of the run "
                      f"begins, got {games:,}")  # fmt: skip


def _check_undescribed(blocks: BlockFolder, resume: bool) -> None:
    """A run whose description is lost is known by its blocks: one that is sound is of this run."""
    if resume and blocks.holds_its_run():
        return
    path = Path(blocks.folder) / RUN
    got = "a damaged one" if path.exists() else "none"
    way = "no block there is of the run asked for" if resume else "--resume with its options continues it"
    raise Refused(f"{path}: expected the description of a run, got {got}; {way}; nothing was changed")


def check_file(path: Path) -> None:
    """Raises :class:`Refused` if something else than a file is at ``path``."""
    if os.path.lexists(path) and not path.is_file():
        raise Refused(f"{path}: expected a file, got {'a folder' if path.is_dir() else 'something else'}")


def _ours(path: Path) -> dict[str, Any] | None:
    """The document at ``path`` if it is one of ours."""
    found = summary_at(path)
    return found if found.get("program") == PROGRAM else None


def _first(path: Path) -> int:
    return int(path.name[:12])


def write_simulation(answer: Answer, blocks: BlockFolder) -> tuple[str, ...]:
    """Write the summary of a finished run beside its blocks; returns all paths of the run.

    Raises :class:`Refused` when writing fails or a block has gone; the others are then kept, and the run can
    be continued.
    """
    paths, wanted = blocks.paths(), -(-answer.document["games"] // blocks.run["block"])
    if len(paths) != wanted:
        raise Refused(f"{blocks.path}: expected {wanted:,} blocks, got {len(paths):,}")
    files = (RUN, *(f"{BLOCKS}/{path.name}" for path in paths), SEATS, SUMMARY)
    document = answer.document | {"program": PROGRAM, "files": list(files)}
    contents: dict[str, Callable[[], bytes]] = {
        SEATS: lambda: csv_text(answer.columns, answer.rows).encode(),
        SUMMARY: lambda: json_text(document).encode(),
    }
    write_files(contents, blocks.folder, beside=files)
    return files
