"""Studies read back from their folders: the same page, one document, clear refusals."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fable_solve.cli.main import run
from fable_solve.reports.archive import ARCHIVE, load
from fable_solve.reports.collect import collected
from fable_solve.reports.html import drawings, page
from fable_solve.reports.output import write_report
from fable_solve.solver.errors import Refused
from fable_solve.solver.result import Result


@pytest.fixture
def folder(result: Result, tmp_path: Path) -> Path:
    write_report(result, str(tmp_path / "one"))
    return tmp_path / "one"


def test_a_study_read_back_gives_the_same_page(result: Result, folder: Path) -> None:
    again = load(folder)
    assert page(again, drawings(again)) == (folder / "report.html").read_text(encoding="utf-8")
    assert again.findings == result.findings
    assert all(
        ours.frame.equals(theirs.frame) for ours, theirs in zip(again.tables, result.tables, strict=True)
    )


def test_several_studies_stand_in_one_page(result: Result, folder: Path, tmp_path: Path) -> None:
    write_report(replace(result, title="Another study"), str(tmp_path / "two"))
    text = collected([folder, tmp_path / "two"], "html", "Both", tmp_path / "all" / "page.html")
    identifiers = re.findall(r'\sid="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(identifiers)
    assert 'href="#s2-study">Another study</a>' in text
    # The page lies beside the two folders.
    assert {"../one/tables/shapes.csv", "../two/tables/shapes.csv"} <= set(
        re.findall(r'href="([^"#]+)"', text)
    )
    assert text.count("<h1>") == 1 and "<h1>Both</h1>" in text


def test_markdown_says_what_the_page_says(result: Result, folder: Path) -> None:
    text = collected([folder], "md", "unused", None)
    assert text.startswith(f"# {result.title}\n")
    assert "| value of the round | 0.6667 cards | exact, ± 1e-09 |" in text
    assert "lay it wherever it is found" in text
    # The odd string is text, not markup.
    assert "\\<script\\>alert(1)\\</script\\> & $x^2$" in text
    assert not re.search(r"(?<!\\)<", text)
    assert "one/plots/square.svg)" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected the report of a study, got a damaged one"),
        ("[]", "expected the report of a study, got a damaged one"),
        ('{"program": "fable-solve"}', "expected the report of a study, got a damaged one"),
        (
            '{"program": "fable-solve", "version": "0.1.0", "digest": "", "result": {"charts": 5}}',
            "got a damaged one; the study's command makes it again",
        ),
        ('{"program": "other", "version": "9"}', "got one of other 9"),
    ],
)
def test_what_is_no_study_is_refused(folder: Path, content: str, message: str) -> None:
    (folder / ARCHIVE).write_text(content)
    with pytest.raises(Refused, match=re.escape(message)):
        load(folder)


def test_lost_and_damaged_tables_are_refused(folder: Path, tmp_path: Path) -> None:
    path, again = folder / "tables" / "shapes.parquet", "fable-solve cigale --set ants=5 --seed 7 --out"
    for content in (b"PAR1", b"", path.read_bytes()[:100]):
        path.write_bytes(content)
        told = f"{path}: expected a table of the report, got a damaged one; {again} {folder} makes it again"
        with pytest.raises(Refused, match=re.escape(told)):
            load(folder)
    path.unlink()
    with pytest.raises(Refused, match=r"shapes\.parquet: expected a table of the report, got none; "):
        load(folder)
    path.mkdir()
    with pytest.raises(Refused, match=r"shapes\.parquet: expected a table of the report, got none; "):
        load(folder)
    with pytest.raises(Refused, match="nowhere: expected the folder of a report, got: No such file"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("there", "changed"),
    [('"kind": "bar"', '"kind": "pie"'), ('"rules": {', '"rules": 5, "more": {'), ('"shapes"', '"../../x"')],
)
def test_a_report_that_was_changed_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], there: str, changed: str
) -> None:
    path = folder / ARCHIVE
    path.write_text(path.read_text(encoding="utf-8").replace(there, changed, 1), encoding="utf-8")
    assert run(["report", str(folder)]) == 1
    out, err = capsys.readouterr()
    told = f"error: {path}: expected the report of a study, got a damaged one; the study's command makes"
    assert (out, err.startswith(told), err.count("\n")) == ("", True, 1)


def test_the_command_writes_a_file_or_prints(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", str(folder), str(folder), "--out", str(tmp_path / "all.html")]) == 0
    assert (tmp_path / "all.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert run(["report", str(folder), "--format", "md"]) == 0
    assert capfd.readouterr().out.startswith("# La Cigale")
    assert run(["report", str(tmp_path), "--out", str(tmp_path / "none.html")]) == 1
    assert not (tmp_path / "none.html").exists()
    assert run(["report", str(folder), "--out", str(tmp_path / "no" / "such.html")]) == 1


def test_the_archive_is_plain_json(folder: Path) -> None:
    document = json.loads((folder / ARCHIVE).read_text(encoding="utf-8"))
    assert document["result"]["command"] == "fable-solve cigale --set ants=5 --seed 7"
    assert all(table["frame"] is None for table in document["result"]["tables"])
