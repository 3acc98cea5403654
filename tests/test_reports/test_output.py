"""The folder of a report: what may be replaced, and that it is replaced whole or not at all."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from folders import contents

from fable_solve.reports.output import claim_folder, write_report
from fable_solve.solver.errors import Refused
from fable_solve.solver.result import Result, Table


@pytest.fixture
def small(result: Result) -> Result:
    """The example with one board and one table: five files, quick to write."""
    return replace(result, charts=(), tables=result.tables[:1], sections=())


def test_everything_is_written_and_listed(result: Result, tmp_path: Path) -> None:
    files = write_report(result, str(tmp_path / "a" / "b"))
    written = contents(tmp_path / "a" / "b")
    assert set(files) == set(written)
    assert files[-1] == "summary.json"
    assert {"report.html", "tables/stored.csv", "tables/stored.parquet", "plots/square.svg"} <= set(files)
    summary = json.loads(written["summary.json"])
    assert summary["files"] == list(files)
    assert summary["results"][0]["sentence"] == "What the Ant gains."
    assert summary["parameters"] == {"boards": 2000} and summary["command"] == result.command
    frame = pl.read_csv(tmp_path / "a" / "b" / "tables" / "shapes.csv")
    assert frame["value"].to_list() == result.tables[0].frame["value"].to_list()
    assert pl.read_parquet(tmp_path / "a" / "b" / "tables" / "shapes.parquet").equals(result.tables[0].frame)


def test_a_table_of_lists_is_written(small: Result, tmp_path: Path) -> None:
    frame = pl.DataFrame({"cells": [[[0, 1], [1, 1]], None], "value": [0.1, 0.2]})
    write_report(replace(small, tables=(Table("chains", "Chains", frame),)), str(tmp_path))
    text = (tmp_path / "tables" / "chains.csv").read_text()
    assert text == 'cells,value\n"[[0, 1], [1, 1]]",0.1\n,0.2\n'


def test_the_same_result_gives_the_same_bytes(result: Result, tmp_path: Path) -> None:
    write_report(result, str(tmp_path / "one"))
    write_report(result, str(tmp_path / "two"))
    write_report(result, str(tmp_path / "two"))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_new_and_empty_folders_are_accepted_and_left_as_they_were(tmp_path: Path) -> None:
    claim_folder(str(tmp_path / "a" / "b"))
    assert list(tmp_path.iterdir()) == []
    claim_folder(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_our_own_report_is_accepted(small: Result, tmp_path: Path) -> None:
    write_report(small, str(tmp_path))
    before = contents(tmp_path)
    claim_folder(str(tmp_path))
    assert contents(tmp_path) == before


def test_leftovers_of_a_killed_run_are_accepted(small: Result, tmp_path: Path) -> None:
    (tmp_path / ".partial" / "tables").mkdir(parents=True)
    (tmp_path / ".partial" / "tables" / "half.csv").write_text("a,b\n1")
    claim_folder(str(tmp_path))
    files = write_report(small, str(tmp_path))
    assert set(contents(tmp_path)) == set(files)


def test_a_run_killed_while_files_moved_is_accepted(tmp_path: Path) -> None:
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial" / "summary.json").write_text('{"program": "fable-solve"}')
    (tmp_path / "report.html").write_text("moved already")
    claim_folder(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("thesis.tex", "years of work"),
        ("summary.json", '{"program": "another"}'),
        ("summary.json", "[1, 2]"),
        ("summary.json", "not json"),
        ("report.html", "<p>mine</p>"),
    ],
)
def test_folders_of_others_are_refused(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(Refused, match="expected a new or empty folder or one of our reports") as caught:
        claim_folder(str(tmp_path))
    assert "\n" not in str(caught.value) and caught.value.exit_code == 1
    assert contents(tmp_path) == {name: text.encode()}


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="file: expected a folder, got a file"):
        claim_folder(str(tmp_path / "file"))
    with pytest.raises(Refused, match="file: expected a folder, got a file"):
        claim_folder(str(tmp_path / "file" / "below"))


@pytest.mark.parametrize("below", ["", "a/b"])
def test_a_link_that_leads_nowhere_is_refused(below: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(Refused, match="link: expected a folder, got a symbolic link that leads nowhere"):
        claim_folder(str(tmp_path / "link" / below))


def test_a_link_to_a_folder_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far")
    claim_folder(str(tmp_path / "link"))


@pytest.mark.parametrize("name", ["summary.json", ".partial"])
def test_a_pipe_is_not_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(Refused, match="expected a"):
        claim_folder(str(tmp_path))


def test_a_report_killed_while_its_former_files_moved_is_accepted(tmp_path: Path) -> None:
    (tmp_path / ".partial" / "former").mkdir(parents=True)
    (tmp_path / ".partial" / "former" / "summary.json").write_text('{"program": "fable-solve"}')
    (tmp_path / "report.html").write_text("not moved yet")
    claim_folder(str(tmp_path))


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", deny)
    with pytest.raises(Refused, match="expected a folder that can be written to, got: Permission denied"):
        claim_folder(str(tmp_path / "new"))


def test_stale_files_go_and_files_of_others_stay(result: Result, small: Result, tmp_path: Path) -> None:
    write_report(replace(small, tables=result.tables), str(tmp_path))
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "tables" / "mine.csv").write_text("x\n1\n")
    files = write_report(replace(small, boards=()), str(tmp_path))
    assert set(contents(tmp_path)) == {*files, "notes.txt", "tables/mine.csv"}
    assert not (tmp_path / "plots").exists()


def test_a_summary_cannot_name_files_outside(small: Result, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    write_report(small, str(folder))
    (tmp_path / "precious").write_text("keep")
    document = json.loads((folder / "summary.json").read_text())
    document["files"] += ["../precious", str(tmp_path / "precious"), "..", 7]
    (folder / "summary.json").write_text(json.dumps(document))
    write_report(small, str(folder))
    assert (tmp_path / "precious").read_text() == "keep"


def fail_at(call: int, error: BaseException, original: Any) -> Any:
    """``original``, which raises ``error`` once, at its ``call``-th call."""
    count = 0

    def failing(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == call:
            raise error
        return original(*arguments, **options)

    return failing


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", range(1, 6))
@pytest.mark.parametrize(("error", "seen"), [(FULL, Refused), (KeyboardInterrupt(), KeyboardInterrupt)])
def test_a_failed_write_leaves_the_former_report(
    call: int,
    error: BaseException,
    seen: type[BaseException],
    small: Result,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Five files are written: page, Parquet, CSV, board, summary.
    write_report(small, str(tmp_path))
    before = contents(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", fail_at(call, error, Path.write_bytes))
    with pytest.raises(seen):
        write_report(replace(small, title="Another"), str(tmp_path))
    assert contents(tmp_path) == before
    assert not (tmp_path / ".partial").exists()


@pytest.mark.parametrize("call", range(1, 13))
def test_a_failed_move_puts_the_former_report_back(
    call: int, result: Result, small: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Twelve moves: the stale Parquet and CSV go (2), then five files go out (5) and five come in (5).
    write_report(replace(small, tables=result.tables[:2]), str(tmp_path))
    before = contents(tmp_path)
    monkeypatch.setattr(Path, "replace", fail_at(call, FULL, Path.replace))
    with pytest.raises(Refused, match="No space left on device"):
        write_report(replace(small, title="Another"), str(tmp_path))
    assert contents(tmp_path) == before
    monkeypatch.undo()
    write_report(replace(small, title="Another"), str(tmp_path))
    assert "Another" in (tmp_path / "report.html").read_text()


def test_a_failed_first_report_leaves_nothing(
    small: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "replace", fail_at(3, FULL, Path.replace))
    with pytest.raises(Refused):
        write_report(small, str(tmp_path / "a" / "b"))
    assert list(tmp_path.iterdir()) == []
