"""Runs kept in a folder: killed, damaged, changed and continued, they end as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from fable_solve.cli import runs
from fable_solve.cli.main import run as command
from fable_solve.cli.progress import COMPILING

START = "from fable_solve.cli.main import main; main()"
RUN = ("simulate", "feuilles", "--players", "3", "--games", "40500", "--block", "1000", "--seed", "8")


def fable(*arguments: str, **options: object) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen([sys.executable, "-c", START, *arguments], **pipes)  # type: ignore[call-overload]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def simulate(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = command(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err.replace(COMPILING + "\n", "")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    assert command([*RUN, "--out", str(folder)]) == 0
    return folder


def test_what_a_run_leaves(whole: Path) -> None:
    summary = json.loads((whole / "summary.json").read_text())
    assert sorted(summary["files"]) == sorted(contents(whole))
    episodes = pl.read_parquet(whole / "blocks" / "*.parquet")
    assert episodes.height == 3 * 40_500
    assert episodes["episode"].unique().sort().to_list() == list(range(40_500))
    by_seat = episodes.group_by("seat").agg(pl.col("score").mean()).sort("seat")["score"]
    assert by_seat.to_list() == pytest.approx([seat["mean"] for seat in summary["seats"]])


@pytest.mark.parametrize("jobs", ["1", "8"])
def test_any_number_of_workers_leaves_the_same(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    assert simulate(capsys, *RUN, "--out", str(tmp_path), "--jobs", jobs)[0] == 0
    assert contents(tmp_path) == contents(whole)


@pytest.mark.slow
def test_memory_is_bounded_by_blocks(tmp_path: Path) -> None:
    # Ten million sheets, each kept: as columns they would take 320 MB, as objects 100 times as much.
    process = fable("simulate", "feuilles", "--games", "10000000", "--out", str(tmp_path))
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    assert used.ru_maxrss < 1 << 20  # KiB: 1 GiB
    assert json.loads((tmp_path / "summary.json").read_text())["games"] == 10_000_000


def killed_and_continued(folder: Path, whole: Path, trials: int, jobs: str) -> int:
    """Kill the run ``trials`` times, each time at a random moment, then let it end; returns how often it was
    killed with blocks on disk but not all of them."""
    chance, begun = random.Random(trials), 0
    for _ in range(trials):
        process = fable(*RUN, "--out", str(folder), "--resume", "--jobs", jobs)
        before = len(list((folder / "blocks").glob("*")))
        wanted = before + chance.randrange(6)  # blocks more, or some time before the first
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if len(list((folder / "blocks").glob("*"))) >= wanted:
                time.sleep(chance.random() * 0.01)
                break
        process.kill()
        process.communicate()
        begun += 0 < len(list((folder / "blocks").glob("*.parquet"))) < 41
    process = fable(*RUN, "--out", str(folder), "--resume", "--jobs", jobs)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert contents(folder) == contents(whole)
    return begun


def test_a_killed_run_is_continued(whole: Path, tmp_path: Path) -> None:
    assert killed_and_continued(tmp_path / "run", whole, 5, "2") > 0


@pytest.mark.slow
@pytest.mark.parametrize("trial", range(6))
def test_a_run_killed_many_times_is_continued(whole: Path, tmp_path: Path, trial: int) -> None:
    assert killed_and_continued(tmp_path / "run", whole, 10 + trial, "12"[trial % 2]) > 0


def test_ctrl_c_says_how_to_go_on(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = fable("simulate", "feuilles", "--games", "100000000", "--out", str(folder), "--block", "1000")
    deadline = time.monotonic() + 60
    while len(list((folder / "blocks").glob("*.parquet"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    err = err.replace(COMPILING + "\n", "")
    assert process.returncode == 130
    assert "--resume goes on from there" in err
    assert err.count("\n") == 1
    assert "at any time the run might have ended" in " ".join(out.split())
    kept = len(list((folder / "blocks").glob("*.parquet")))
    assert f"{kept * 1000:,} games" in out
    assert not (folder / "summary.json").exists()


def test_a_damaged_block_is_played_again(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert simulate(capsys, *RUN, "--out", str(folder))[0] == 0
    blocks = sorted((folder / "blocks").iterdir())
    blocks[3].write_bytes(blocks[3].read_bytes()[:-10])  # cut short
    spoilt = bytearray(blocks[5].read_bytes())
    spoilt[len(spoilt) // 2] ^= 1  # one bit
    blocks[5].write_bytes(spoilt)
    blocks[7].write_bytes(b"")
    blocks[9].unlink()
    (folder / "blocks" / "junk.parquet.77.part").write_bytes(b"half a blo")
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    assert contents(folder) == contents(whole)


def test_a_run_continued_with_more_games(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    few = [*RUN, "--out", str(folder)]
    few[few.index("40500")] = "2300"
    assert simulate(capsys, *few)[0] == 0
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    assert contents(folder) == contents(whole)
    code, _, err = simulate(capsys, *few, "--resume")
    assert (code, err) == (
        1,
        f"error: {folder}: expected --games above the 40000 that were begun, got 2300\n",
    )
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (("--seed", "9"), "seed 9, got one with 8"),
        (("--players", "4"), "players 4, got one with 3"),
        (("--policies", "greedy"), "policies ['greedy'], got one with ['random']"),
        (("--block", "999"), "block 999, got one with 1000"),
        (("--keep", "counts"), "keep counts, got one with episodes"),
        (("--set", "leaf_bonus=reach"), "'leaf_bonus': 'reach'"),
    ],
)
def test_another_run_is_not_continued(
    whole: Path, capsys: pytest.CaptureFixture[str], changes: tuple[str, ...], told: str
) -> None:
    before = contents(whole)
    code, out, err = simulate(capsys, *RUN, *changes, "--out", str(whole), "--resume")
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {whole}: expected a run with")
    assert told in err
    assert contents(whole) == before


def test_a_run_of_another_version_is_not_continued(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert simulate(capsys, *RUN, "--out", str(folder))[0] == 0
    document = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(document | {"version": "0.0.1"}))
    code, _, err = simulate(capsys, *RUN, "--out", str(folder), "--resume")
    assert code == 1
    assert "got one with 0.0.1" in err


def test_an_unfinished_run_is_not_replaced(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert simulate(capsys, *RUN, "--out", str(folder))[0] == 0
    (folder / "summary.json").unlink()
    code, _, err = simulate(capsys, *RUN, "--out", str(folder))
    assert code == 1
    assert "got a run that was not finished (--resume continues it)" in err


def test_two_at_once_lose_nothing(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = fable(*RUN, "--out", str(folder))
    while first.poll() is None and not list((folder / "blocks").glob("*.parquet")):
        time.sleep(0.01)
    second = fable(*RUN, "--out", str(folder), "--resume")
    for process in (first, second):
        process.communicate()
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize("damaged", ["", "{", "[]", "null", "3", "{}"])
def test_a_finished_run_with_a_damaged_description_is_replaced(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], damaged: str
) -> None:
    folder = tmp_path / "run"
    assert simulate(capsys, *RUN, "--policies", "greedy", "--out", str(folder))[0] == 0
    (folder / "run.json").write_text(damaged)
    assert simulate(capsys, *RUN, "--out", str(folder))[0] == 0
    assert contents(folder) == contents(whole)


def test_a_report_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "summary.json").write_text('{"program": "fable-solve"}')
    code, _, err = simulate(capsys, *RUN, "--out", str(tmp_path), "--resume")
    assert code == 1
    assert "expected a run to continue, got a report without run.json" in err


def test_a_precision_ends_a_continued_run_where_it_would_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ("simulate", "feuilles", "--precision", "0.2", "--block", "500", "--seed", "3", "--out")
    assert simulate(capsys, *run, str(tmp_path / "whole"))[0] == 0
    assert simulate(capsys, *run, str(tmp_path / "run"), "--shared", "--jobs", "2")[0] == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
    (tmp_path / "run" / "summary.json").unlink()
    sorted((tmp_path / "run" / "blocks").iterdir())[-1].unlink()
    assert simulate(capsys, *run, str(tmp_path / "run"), "--resume", "--jobs", "1")[0] == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def test_counts_are_enough_for_a_summary(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = tmp_path / "run"
    assert simulate(capsys, *RUN, "--keep", "counts", "--out", str(counted))[0] == 0
    (counted / "summary.json").unlink()
    assert simulate(capsys, *RUN, "--keep", "counts", "--out", str(counted), "--resume")[0] == 0
    assert (counted / "seats.csv").read_bytes() == (whole / "seats.csv").read_bytes()
    assert sum(map(len, contents(counted).values())) < sum(map(len, contents(whole).values()))


def test_a_full_disk_keeps_the_finished_blocks(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, write, written = tmp_path / "run", Path.write_bytes, list[Path]()

    def full(path: Path, content: bytes) -> int:
        if "blocks" in path.parts:
            written.append(path)
            if len(written) > 4:
                write(path, content[:100])
                raise OSError(28, os.strerror(28), str(path))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    code, _, err = simulate(capsys, *RUN, "--out", str(folder))
    monkeypatch.undo()
    assert code == 1
    assert err.count("\n") == 1
    assert "No space left on device" in err and "--resume" in err
    assert len(list((folder / "blocks").iterdir())) == 4
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    assert contents(folder) == contents(whole)


def test_blocks_are_named_by_what_they_hold(whole: Path) -> None:
    for path in (whole / "blocks").iterdir():
        assert runs.NAME.fullmatch(path.name)
        assert path.stem[13:] == runs._digest(path.read_bytes())
