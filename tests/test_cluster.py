"""Runs on a cluster: a scheduler and workers of Dask as processes on this machine, one of which dies."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import contents

from fable_solve.cli.main import run as command
from fable_solve.cli.progress import COMPILING

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")

RUN = ("simulate", "butterfly", "--games", "60000", "--block", "1000", "--seed", "4")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run on this machine alone."""
    folder = tmp_path_factory.mktemp("cluster") / "whole"
    assert command([*RUN, "--out", str(folder)]) == 0
    return folder


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        common = ("--scheduler-file", str(self.file))
        self.processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0", *common)]
        while not self.file.exists() or not self.file.read_text().endswith("}"):
            assert self.processes[0].poll() is None
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.worker() for _ in range(2)]

    def worker(self) -> subprocess.Popen[bytes]:
        where = ("--host", "127.0.0.1", "--no-dashboard", "--no-nanny")
        process = self._start("worker", self.address, "--nthreads", "1", *where)
        self.processes.append(process)
        return process

    @staticmethod
    def _start(*arguments: str) -> subprocess.Popen[bytes]:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([sys.executable, "-m", "dask", *arguments], **quiet)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    try:
        yield found
    finally:
        found.close()


@pytest.mark.parametrize("how", [(), ("--shared",)], ids=["returned", "shared"])
def test_a_worker_that_dies_loses_nothing(
    cluster: Cluster, whole: Path, tmp_path: Path, how: tuple[str, ...]
) -> None:
    folder = tmp_path / "run"
    arguments = [*RUN, "--engine", "dask", "--scheduler", cluster.address, "--out", str(folder), *how]
    start = "from fable_solve.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", start, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and len(list((folder / "blocks").glob("*.parquet"))) < 5:
        time.sleep(0.01)
    running = process.poll() is None
    cluster.workers[0].kill()
    cluster.worker()  # one that comes late is taken too
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert running, "the run was over before the worker died"
    assert contents(folder) == contents(whole)
    assert json.loads((whole / "summary.json").read_text())["games"] == 60_000
    assert "60,000 games by random" in out


def test_a_cluster_of_this_machine(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert command([*RUN, "--engine", "dask", "--jobs", "2", "--out", str(folder)]) == 0
    assert contents(folder) == contents(whole)
    assert capsys.readouterr().err.replace(COMPILING + "\n", "") == ""


def test_nobody_answers(capsys: pytest.CaptureFixture[str]) -> None:
    code = command(["simulate", "butterfly", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"])
    out, err = capsys.readouterr()
    assert (code, out) == (1, "")
    assert err.startswith("error: --scheduler: expected a Dask scheduler that answers, got tcp://127.0.0.1:9")
    assert err.count("\n") == 1
