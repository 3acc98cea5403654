"""Runs on a cluster: a scheduler and workers of Dask as processes, and all that may befall them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from folders import contents

from fable_solve.cli.main import run as command
from fable_solve.cli.progress import COMPILING
from fable_solve.solver import registry
from fable_solve.solver.cluster import Cluster
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules
from fable_solve.solver.simulation import Task

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")

RUN = ("simulate", "butterfly", "--games", "60000", "--block", "1000", "--seed", "4")
ENDLESS = ("simulate", "butterfly", "--games", "100000000", "--block", "2000", "--seed", "4")
START = "from fable_solve.cli.main import main; main()"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def until(holds: Callable[[], object]) -> None:
    while not holds():
        time.sleep(0.02)


def started(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process group of its own, as a shell starts it."""
    call = [sys.executable, "-c", START, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(call, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr, but for the note on compiling."""
    out, err = process.communicate()
    return process.returncode, out, err.replace(COMPILING + "\n", "")


def blocks(folder: Path) -> int:
    return len(list((folder / "blocks").glob("*.parquet")))


class Hosts:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder, file = folder, folder / "scheduler.json"
        common = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", *common)
        until(lambda: self.scheduler.poll() is not None or (file.exists() and file.read_text().endswith("}")))
        self.address = json.loads(file.read_text())["address"]

    def worker(self, **environment: str) -> subprocess.Popen[bytes]:
        where = ("--host", "127.0.0.1", "--no-dashboard", "--no-nanny", "--nthreads", "1")
        return self._start("worker", self.address, *where, **environment)

    def odd_worker(self, code: str) -> subprocess.Popen[bytes]:
        """A worker whose Python runs ``code`` first."""
        folder = self.folder / f"python-{len(self.processes)}"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(code)
        return self.worker(PYTHONPATH=str(folder))

    def _start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        call = [sys.executable, "-m", "dask", *arguments]
        process = subprocess.Popen(call, env={**os.environ, **environment}, cwd=self.folder, **QUIET)
        self.processes.append(process)
        return process

    @property
    def used(self) -> tuple[str, ...]:
        """Options of a run on these hosts."""
        return ("--engine", "dask", "--scheduler", self.address)

    def end(self, *processes: subprocess.Popen[bytes]) -> None:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    found = Hosts(tmp_path_factory.mktemp("hosts"))
    try:
        yield found
    finally:
        found.end(*found.processes)


@pytest.fixture
def hosts(scheduler: Hosts) -> Iterator[Hosts]:
    """The scheduler, whose workers are those of the test alone."""
    try:
        yield scheduler
    finally:
        scheduler.end(*scheduler.processes[1:])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run on this machine alone."""
    folder = tmp_path_factory.mktemp("cluster") / "whole"
    assert command([*RUN, "--out", str(folder)]) == 0
    assert json.loads((folder / "summary.json").read_text())["games"] == 60_000
    return folder


@pytest.mark.parametrize(
    "how", [(), pytest.param(("--shared",), marks=pytest.mark.slow)], ids=["returned", "shared"]
)
def test_workers_come_late_and_die(hosts: Hosts, whole: Path, tmp_path: Path, how: tuple[str, ...]) -> None:
    folder = tmp_path / "run"
    process = started(*RUN, *hosts.used, "--out", str(folder), *how)
    until((folder / "run.json").exists)
    first, _ = hosts.worker(), hosts.worker()
    until(lambda: process.poll() is not None or blocks(folder) >= 5)
    running = process.poll() is None
    first.kill()
    hosts.worker()  # one that comes late is taken too
    code, out, err = ended(process)
    assert (code, err) in {(0, waiting(hosts)), (0, "")}  # the workers may have been there first
    assert running, "the run was over before the worker died"
    assert contents(folder) == contents(whole)
    assert "60,000 games by random" in out


def waiting(hosts: Hosts) -> str:
    return f"--scheduler {hosts.address}: waiting for workers, there are none now\n"


def test_a_cluster_of_this_machine(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code, _, err = ended(started(*RUN, "--engine", "dask", "--jobs", "2", "--out", str(folder)))
    assert (code, err) == (0, "")
    assert contents(folder) == contents(whole)


def test_no_worker_yet_is_told_and_interrupted(hosts: Hosts) -> None:
    process = started(*RUN, *hosts.used)
    assert process.stderr is not None
    until(lambda: process.stderr.readline() == waiting(hosts))
    os.killpg(process.pid, signal.SIGINT)
    assert ended(process) == (130, "", "error: interrupted after 0 games; nothing was written\n")


def test_the_scheduler_is_lost(whole: Path, tmp_path: Path) -> None:
    folder, own = tmp_path / "run", Hosts(tmp_path)
    process = started(*RUN, *own.used, "--out", str(folder))
    worker = own.worker()
    until(lambda: process.poll() is not None or blocks(folder) >= 1)
    worker.send_signal(signal.SIGSTOP)  # so that the run is not over before
    own.scheduler.kill()
    code, out, err = ended(process)
    own.end(*own.processes)
    assert (code, out) == (1, "")
    assert err.removeprefix(waiting(own)) == (
        f"error: --scheduler {own.address}: expected a scheduler until the end of the run, got a lost "
        f"connection; blocks kept in {folder}: {blocks(folder)}; --resume goes on from there\n"
    )
    assert 1 <= blocks(folder) < 60  # of 60,000 games in blocks of 1,000
    assert command([*RUN, "--out", str(folder), "--resume"]) == 0
    assert contents(folder) == contents(whole)


DIES = """
import os, sys, types
sys.modules["fable_solve.solver.cluster"] = found = types.ModuleType("cluster")
found._play = lambda *_: os._exit(9)
"""


def test_one_worker_after_another_dies_on_a_block(hosts: Hosts, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(4):  # Dask gives a task up with the fourth
        hosts.odd_worker(DIES)
    assert command([*RUN, *hosts.used, "--games", "1000"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.removeprefix(waiting(hosts)) == (
        f"error: --scheduler {hosts.address}: expected workers that live, got games 0 to 999, on which one "
        "after another died\n"
    )


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("sys.modules['fable_solve'] = None", "ModuleNotFoundError: "),
        (
            "sys.modules['fable_solve.solver.simulation'] = None",
            "ModuleNotFoundError: import of ",
        ),
        ("importlib.metadata.version = lambda _: '9.9'", "expected workers with fable-solve 0.1.0, got 9.9"),
    ],
    ids=["no package", "part of it", "another version"],
)
def test_workers_with_another_package(
    hosts: Hosts, code: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts.odd_worker(f"import importlib.metadata, sys; {code}")
    assert command([*RUN, *hosts.used]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    last = err.removeprefix(waiting(hosts))
    assert last.startswith(f"error: --scheduler {hosts.address}: expected workers ")
    assert told in last
    assert last.count("\n") == 1


def test_results_are_not_kept_by_the_cluster(hosts: Hosts) -> None:
    hosts.worker()
    spec = registry.get("butterfly")
    run = setup(spec, 2, ["random"], load_rules("butterfly", []), spec.check_mode(None), 4)
    engine = Cluster(run, Task(True, None), hosts.address, 1, lambda _text: None)
    try:
        for first in range(0, 1000, 100):
            played = engine.submit(range(first, first + 100)).result()
            assert (played.block.first, played.tally.games) == (first, 100)
        held = engine._client.sync(engine._client.scheduler.who_has, keys=None)
        assert len(held) <= 1  # all but perhaps the last, whose release is on its way
    finally:
        engine.close()


@pytest.mark.parametrize(
    "moment", [pytest.param("while workers start", marks=pytest.mark.slow), "while they play"]
)
def test_interrupt_of_an_own_cluster(tmp_path: Path, moment: str) -> None:
    folder = tmp_path / "run"
    process = started(*ENDLESS, "--engine", "dask", "--jobs", "2", "--out", str(folder))
    until((folder / "run.json").exists)
    if moment == "while they play":
        until(lambda: blocks(folder) >= 2)
    else:
        until(lambda: len(group(process.pid)) >= 3)
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130
    assert err.startswith("error: interrupted")
    assert err.endswith(f"blocks kept in {folder}: {blocks(folder):,}; --resume goes on from there\n")
    assert err.count("\n") == 1
    until(lambda: not group(process.pid))


def group(number: int) -> list[str]:
    """Living processes of a group."""
    asked = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    found = [line.split() for line in asked.splitlines()]
    return [state for group, state in found if group == str(number) and not state.startswith("Z")]


@pytest.mark.parametrize(
    "address",
    ["", "foo", "tcp://", "tcp://host", "localhost:99999", "tcp://host:0", "http://host:1", "a b:1"],
)
def test_an_address_that_is_none(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command([*RUN, "--engine", "dask", "--scheduler", address]) == 2
    told = f"error: --scheduler: expected an address like tcp://HOST:PORT, got {address!r}\n"
    assert capsys.readouterr() == ("", told)


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fable_solve.solver.cluster.PATIENCE", 1)


@pytest.mark.usefixtures("short_patience")
def test_nobody_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    scheduler = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert command([*RUN, *scheduler, "--out", str(folder)]) == 1
    out, err = capsys.readouterr()
    told = "error: --scheduler tcp://127.0.0.1:9: expected a Dask scheduler that answers, got "
    assert (out, err[: len(told)], err.count("\n")) == ("", told, 1)
    assert not folder.exists()


@pytest.mark.usefixtures("short_patience")
def test_somebody_listens_and_never_answers(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert command([*RUN, "--engine", "dask", "--scheduler", address]) == 1
    told = f"error: --scheduler {address}: expected a Dask scheduler that answers, got no answer\n"
    assert capsys.readouterr() == ("", told)


def test_a_worker_is_no_scheduler(hosts: Hosts, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    hosts._start("worker", hosts.address, "--no-nanny", "--no-dashboard", "--worker-port", str(port))
    address = f"tcp://127.0.0.1:{port}"
    assert command([*RUN, "--engine", "dask", "--scheduler", address]) == 1
    told = f"error: --scheduler {address}: expected a Dask scheduler, got a Worker\n"
    assert capsys.readouterr() == ("", told)


def test_a_missing_extra_is_seen_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    folder = tmp_path / "run"
    assert command([*RUN, "--engine", "dask", "--out", str(folder)]) == 1
    wanted = "expected the extra 'cluster' (pip install 'fable-solve[cluster]'), got no Dask"
    assert capsys.readouterr() == ("", f"error: --engine dask: {wanted}\n")
    assert not folder.exists()


def test_jobs_are_those_of_the_scheduler(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", "--jobs", "2")
    assert command([*RUN, *asked]) == 2
    told = "error: simulate: --jobs: expected none beside --scheduler, whose workers play, got both\n"
    assert capsys.readouterr() == ("", told)
