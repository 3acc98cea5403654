"""Runs kept in a folder: killed, damaged, changed and continued, they end as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from folders import contents

from fable_solve.cli import runs
from fable_solve.cli.main import run as command
from fable_solve.cli.progress import COMPILING

START = "from fable_solve.cli.main import main; main()"
RUN = ("simulate", "feuilles", "--players", "3", "--games", "40500", "--block", "1000", "--seed", "8")


def fable(*arguments: str, **options: object) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen([sys.executable, "-c", START, *arguments], **pipes)  # type: ignore[call-overload]


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


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """The same run in a folder of its own."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


@pytest.fixture
def unfinished(folder: Path) -> Path:
    """The same run, stopped before its last block."""
    (folder / "summary.json").unlink()
    (folder / "seats.csv").unlink()
    sorted((folder / "blocks").iterdir())[-1].unlink()
    return folder


def files_of(folder: Path) -> list[Path]:
    return sorted((folder / "blocks").iterdir())


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
    whole: Path, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = files_of(folder)
    blocks[3].write_bytes(blocks[3].read_bytes()[:-10])  # cut short
    spoilt = bytearray(blocks[5].read_bytes())
    spoilt[len(spoilt) // 2] ^= 1  # one bit
    blocks[5].write_bytes(spoilt)
    blocks[7].write_bytes(b"")
    blocks[9].unlink()
    read = Path.read_bytes

    def broken(path: Path) -> bytes:
        if path == blocks[11]:
            raise OSError(5, os.strerror(5), str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", broken)
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    monkeypatch.undo()
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize("keep", ["episodes", "counts"])
def test_a_block_is_believed_under_its_own_number_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], keep: str
) -> None:
    arguments = (*RUN, "--keep", keep, "--out", str(tmp_path / "run"))
    assert simulate(capsys, *arguments)[0] == 0
    before = contents(tmp_path / "run")
    one, other, third, fourth = files_of(tmp_path / "run")[1:5]
    one.rename(one.with_name(one.name.replace("000000001000", "000000002000")))
    other.rename(other.with_name(other.name.replace("000000002000", "000000001000")))
    content = third.read_bytes()
    third.write_bytes(fourth.read_bytes())
    fourth.write_bytes(content)
    assert simulate(capsys, *arguments, "--resume")[0] == 0
    assert contents(tmp_path / "run") == before


def test_a_block_of_another_run_is_not_believed(
    whole: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(capsys, *RUN, "--seed", "9", "--out", str(tmp_path / "other"))[0] == 0
    files_of(folder)[0].unlink()
    foreign = files_of(tmp_path / "other")[0]
    shutil.copy(foreign, folder / "blocks")
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    assert contents(folder) == contents(whole)


def test_nothing_of_ours_is_left_over(whole: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = files_of(folder)
    for name in (
        "000000000500-0123456789abcdef.parquet",  # between the blocks
        "000000001000-0123456789abcdef.parquet",  # a second of one number
        "000000041000-0123456789abcdef.parquet",  # beyond the end
        "999999999999-0123456789abcdef.parquet",
        f".{blocks[4].name}.77.part",  # being written when its process was killed
    ):
        shutil.copy(blocks[4], folder / "blocks" / name)
    blocks[4].unlink()
    (folder / ".partial" / "former").mkdir(parents=True)
    (folder / ".partial" / "run.json").write_text("{")
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    assert contents(folder) == contents(whole)
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in whole.iterdir())


def fifo(path: Path) -> None:
    os.mkfifo(path)


def somewhere_else(path: Path) -> None:
    path.symlink_to("/nowhere/at/all")


BLOCK = "blocks/000000003000-0123456789abcdef.parquet"


@pytest.mark.parametrize("resume", [(), ("--resume",)], ids=["anew", "resumed"])
@pytest.mark.parametrize("name", ["run.json", "seats.csv", "summary.json", "blocks", BLOCK])
@pytest.mark.parametrize("make", [Path.mkdir, fifo, somewhere_else])
def test_what_is_no_file_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    make: Callable[[Path], None],
    resume: tuple[str, ...],
) -> None:
    if name == "blocks":
        shutil.rmtree(folder / name)
        make = fifo if make is Path.mkdir else make
    elif name != BLOCK:
        (folder / name).unlink()
    make(folder / name)
    before = contents(folder)
    code, out, err = simulate(capsys, *RUN, "--out", str(folder), *resume)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {folder / name}: expected a f") and err.count("\n") == 1  # file, folder
    assert contents(folder) == before
    assert os.path.lexists(folder / name)


@pytest.mark.parametrize("name", ["notes.txt", "junk.parquet", "000000003000-0123456789abcdef.parquet.part"])
def test_files_of_others_among_the_blocks_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = folder / "blocks" / name
    path.write_text("mine")
    before = contents(folder)
    for resume in ((), ("--resume",)):
        code, out, err = simulate(capsys, *RUN, "--out", str(folder), *resume)
        assert (code, out) == (1, "")
        assert err == f"error: {path}: expected files of blocks alone, got one of another name\n"
    assert contents(folder) == before


def test_a_read_only_folder_of_blocks_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder / "blocks")  # root may all
    code, _, err = simulate(capsys, *RUN, "--out", str(folder), "--resume")
    assert code == 1
    assert (
        err == f"error: {folder / 'blocks'}: expected a folder that can be written to, got a read-only one\n"
    )


def test_a_folder_that_goes_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, save = tmp_path / "run", runs.BlockFolder.save

    def vanishing(store: runs.BlockFolder, numbers: range, content: bytes) -> None:
        save(store, numbers, content)
        if numbers.start == 2000:
            shutil.rmtree(folder)

    monkeypatch.setattr(runs.BlockFolder, "save", vanishing)
    code, out, err = simulate(capsys, *RUN, "--out", str(folder))
    assert (code, out) == (1, "")
    assert err == (
        f"error: {folder / 'blocks'}: expected a folder that can be written to, got: "
        "No such file or directory\n"
    )


def test_blocks_that_go_are_told(
    tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, save = tmp_path / "run", runs.BlockFolder.save

    def losing(store: runs.BlockFolder, numbers: range, content: bytes) -> None:
        save(store, numbers, content)
        if numbers.start == 2000:
            store.paths()[0].unlink()

    monkeypatch.setattr(runs.BlockFolder, "save", losing)
    code, out, err = simulate(capsys, *RUN, "--out", str(folder))
    monkeypatch.undo()
    assert (code, out) == (1, "")
    assert "blocks: expected 41 blocks, got 40; blocks kept in" in err  # 40,500 games in blocks of 1,000
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
    wanted = "--games above 40,000, where the last block of the run begins"
    assert (code, err) == (1, f"error: {folder}: expected {wanted}, got 2,300\n")
    assert contents(folder) == contents(whole)


def test_one_policy_for_all_or_the_same_for_each_is_one_run(
    whole: Path, unfinished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    each = ("--policies", "random,random, random")
    assert simulate(capsys, *RUN, *each, "--out", str(unfinished), "--resume")[0] == 0
    assert contents(unfinished) == contents(whole)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (("--seed", "9"), "seed 9, got one with 8"),
        (("--players", "4"), "players 4, got one with 3"),
        (("--policies", "greedy"), "policies ['greedy'], got one with ['random']"),
        (("--block", "999"), "block 999, got one with 1000"),
        (("--keep", "counts"), "keep 'counts', got one with 'episodes'"),
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
    assert "got one with '0.0.1'" in err


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


DAMAGED = ["", "{", "[]", "null", "3", "{}", '{"program": "fable-solve", "seed"', '{"program": "another"}',
           f'{{"seed": {"9" * 9999}}}', "\0", "[" * 100_000]  # fmt: skip


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_finished_run_with_a_damaged_description_is_replaced(
    whole: Path, folder: Path, capsys: pytest.CaptureFixture[str], damaged: str
) -> None:
    (folder / "run.json").write_text(damaged)
    assert simulate(capsys, *RUN, "--out", str(folder))[0] == 0
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize("damaged", [*DAMAGED, None])
def test_an_unfinished_run_with_a_damaged_description_is_known_by_its_blocks(
    whole: Path, unfinished: Path, capsys: pytest.CaptureFixture[str], damaged: str | None
) -> None:
    path, run = unfinished / "run.json", (*RUN, "--out", str(unfinished))
    path.unlink()
    if damaged is not None:
        path.write_text(damaged)
    before = contents(unfinished)
    got = "none" if damaged is None else "a damaged one"
    start = f"error: {path}: expected the description of a run, got {got}; "
    assert simulate(capsys, *run) == (
        1, "", start + "--resume with its options continues it; nothing was changed\n"
    )  # fmt: skip
    assert simulate(capsys, *run, "--seed", "9", "--resume") == (
        1, "", start + "no block there is of the run asked for; nothing was changed\n"
    )  # fmt: skip
    assert contents(unfinished) == before
    assert simulate(capsys, *run, "--resume")[0] == 0
    assert contents(unfinished) == contents(whole)


@pytest.mark.parametrize("value", ["1e999", "NaN", '"\\ud800"', "[[[]]]", f"{10**300}", "null"])
def test_values_of_no_run_in_a_description_are_another_run(
    unfinished: Path, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    path = unfinished / "run.json"
    path.write_text(path.read_text().replace('"seed": 8', f'"seed": {value}'))
    code, out, err = simulate(capsys, *RUN, "--out", str(unfinished), "--resume")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "expected a run with seed 8, got one with " in err


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_summary_is_written_again(
    whole: Path, folder: Path, capsys: pytest.CaptureFixture[str], damaged: str
) -> None:
    (folder / "summary.json").write_text(damaged)
    code, _, err = simulate(capsys, *RUN, "--out", str(folder))
    assert code == 1
    assert "got a run that was not finished (--resume continues it)" in err
    assert simulate(capsys, *RUN, "--out", str(folder), "--resume")[0] == 0
    assert contents(folder) == contents(whole)


@pytest.mark.parametrize("left", [[".partial"], [".partial", ".partial/run.json"], ["run.json"]])
def test_a_run_killed_before_its_first_block_is_continued(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], left: list[str]
) -> None:
    for name in left:
        if name.endswith(".json"):
            shutil.copy(whole / "run.json", tmp_path / name)
        else:
            (tmp_path / name).mkdir()
    assert simulate(capsys, *RUN, "--out", str(tmp_path), "--resume")[0] == 0
    assert contents(tmp_path) == contents(whole)


def test_a_report_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "summary.json").write_text('{"program": "fable-solve"}')
    code, _, err = simulate(capsys, *RUN, "--out", str(tmp_path), "--resume")
    assert code == 1
    assert "expected a run to continue, got a report without run.json" in err


def test_a_report_is_replaced_and_files_of_others_stay(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["report.html", "tables/a.csv", "summary.json"]
    (tmp_path / "tables").mkdir()
    for name in files:
        (tmp_path / name).write_text(json.dumps({"program": "fable-solve", "files": files}))
    (tmp_path / "notes.txt").write_text("mine")
    assert simulate(capsys, *RUN, "--out", str(tmp_path))[0] == 0
    assert contents(tmp_path) == contents(whole) | {"notes.txt": b"mine"}
    assert not (tmp_path / "tables").exists()


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
