"""The folder of a report: refused before the work starts, replaced as a whole or not at all.

Everything is written under ``OUT/.partial`` first and then moved file by file, ``summary.json`` last.
While files move, those they replace wait under ``OUT/.partial/former``, to be put back if anything fails.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from fable_solve.reports.documents import PROGRAM, csv_text, json_text, study_document
from fable_solve.reports.language import current, translated
from fable_solve.solver.errors import Refused
from fable_solve.solver.result import Result

if TYPE_CHECKING:
    import polars as pl

PARTIAL, FORMER = ".partial", "former"
SUMMARY = "summary.json"
REPORT = "report.html"


def claim_folder(out: str) -> None:
    """Check that a report may be written to ``out``; nothing is left behind.

    Raises :class:`Refused` unless ``out`` is new, empty or holds an earlier report of ours, and can be
    written to.
    """
    folder = Path(out)
    probe = folder / PARTIAL
    with refusing(folder):
        for path in (probe, folder, *folder.parents):
            check_folder(path)
        if folder.exists() and not _is_ours(folder):
            raise Refused(f"{out}: expected a new or empty folder or one of our reports, got other files")
        if not probe.exists():
            new = _make_folder(probe)
            _remove_empty(new)
        elif not os.access(folder, os.W_OK):
            raise Refused(f"{out}: expected a folder that can be written to, got a read-only one")


def check_folder(path: Path) -> None:
    """Raises :class:`Refused` if something else than a folder is at ``path``."""
    if path.is_symlink() and not path.exists():
        raise Refused(f"{path}: expected a folder, got a symbolic link that leads nowhere")
    if path.exists() and not path.is_dir():
        raise Refused(f"{path}: expected a folder, got a file")


def write_report(result: Result, out: str) -> tuple[str, ...]:
    """Write the report of ``result`` under ``out``; returns the relative paths written.

    Files of the former report that are not written again are removed, all others left alone.
    Raises :class:`Refused` when writing fails; the former report is then as it was.
    """
    contents = _contents(result)
    files = (*contents, SUMMARY)
    contents[SUMMARY] = lambda: json_text(study_document(result, files)).encode()
    return write_files(contents, out)


def _contents(result: Result) -> dict[str, Callable[[], bytes]]:
    """The report's files but the summary: relative path -> what makes its bytes."""
    from fable_solve.reports.archive import ARCHIVE, dump
    from fable_solve.reports.html import drawings, page

    shown = translated(result, current())
    figures = drawings(shown)
    contents: dict[str, Callable[[], bytes]] = {
        REPORT: lambda: page(shown, figures).encode(),
        ARCHIVE: lambda: dump(result),
    }
    for table in result.tables:
        contents[f"tables/{table.name}.parquet"] = partial(parquet, table.frame)
        contents[f"tables/{table.name}.csv"] = partial(_csv, table.frame)
    for name, drawing in figures.items():
        contents[f"plots/{name}.svg"] = drawing.file().encode
    return contents


def write_files(
    contents: Mapping[str, Callable[[], bytes]], out: str, beside: Sequence[str] = ()
) -> tuple[str, ...]:
    """Write all of ``contents`` (relative path -> what makes its bytes) under ``out``, or nothing.

    Files of a former report go, but for those ``beside``, which are there already and belong to this one.
    """
    folder, files = Path(out), tuple(contents)
    with refusing(folder), _partial(folder) as draft:
        for name, content in contents.items():
            path = draft / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content())
        _publish(draft, folder, files, _stale(folder, (*files, *beside)))
    return files


def write_file(path: Path, content: bytes) -> None:
    """Write one file as a whole or not at all; raises :class:`Refused`."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with refusing(path.parent):
        try:
            part.write_bytes(content)
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def parquet(frame: pl.DataFrame) -> bytes:
    """A table as the content of a Parquet file."""
    stream = BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


def _csv(frame: pl.DataFrame) -> bytes:
    if any(kind.is_nested() for kind in frame.dtypes):  # lists, which polars does not write
        return csv_text(frame.columns, frame.iter_rows()).encode()
    return frame.write_csv().encode()


def _publish(draft: Path, folder: Path, files: Sequence[str], stale: Sequence[str]) -> None:
    """Move ``files`` from ``draft`` into ``folder`` and take ``stale`` out; all of it or nothing."""
    former = draft / FORMER
    undo: list[Callable[[], object]] = []

    def move(source: Path, target: Path) -> None:
        undo.extend(path.rmdir for path in reversed(_make_folder(target.parent)))
        undo.append(partial(target.replace, source))  # first: an interrupt may come between
        source.replace(target)

    try:
        for name in (*stale, *files):
            if (folder / name).exists() or (folder / name).is_symlink():
                move(folder / name, former / name)
            if name in files:
                move(draft / name, folder / name)
    except BaseException:
        for step in reversed(undo):
            with suppress(OSError):
                step()
        raise
    for parent in {(folder / name).parent for name in stale} - {folder}:
        with suppress(OSError):
            parent.rmdir()


def _stale(folder: Path, files: Sequence[str]) -> list[str]:
    """Files that the former report lists and this one lacks, as far as they lie inside ``folder``."""
    listed = summary_at(folder / SUMMARY).get("files")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    written = set(files)
    return [name for name in names if name not in written and _is_inside(name) and (folder / name).is_file()]


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _is_ours(folder: Path) -> bool:
    names = {path.name for path in folder.iterdir()}
    marks = (folder / SUMMARY, folder / PARTIAL / SUMMARY, folder / PARTIAL / FORMER / SUMMARY)
    return names <= {PARTIAL} or any(summary_at(mark).get("program") == PROGRAM for mark in marks)


def summary_at(path: Path) -> dict[str, Any]:
    """The JSON document at ``path``; empty where there is none that can be read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}  # a pipe would wait
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


@contextmanager
def _partial(folder: Path) -> Iterator[Path]:
    """An empty ``.partial`` in ``folder``, gone afterwards, together with folders made for nothing."""
    draft = folder / PARTIAL
    if draft.exists():
        shutil.rmtree(draft)
    new: list[Path] = []
    try:
        new = _make_folder(draft)
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        _remove_empty(new)


def _make_folder(folder: Path) -> list[Path]:
    """Make ``folder``; returns the folders that had to be made, innermost first."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return new


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def refusing(folder: Path) -> Iterator[None]:
    """Turn an operating-system error into one line that names the folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        wanted = "room on the disk" if full else "a folder that can be written to"
        raise Refused(f"{folder}: expected {wanted}, got: {reason}") from error
