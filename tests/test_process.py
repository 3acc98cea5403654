"""The process around a command: streams that are closed, full or read no more, and Ctrl-C more than once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from fable_solve.cli import process
from fable_solve.cli.progress import COMPILING, counter
from fable_solve.solver.engines import uninterrupted
from fable_solve.solver.errors import Interrupted

START = (sys.executable, "-c", "from fable_solve.cli.main import main; main()")
RUN = ("simulate", "feuilles", "--games", "10")


def shell(script: str, *arguments: str) -> tuple[int, str, str]:
    """Run ``script``, in which "$@" is the command; its exit code, stdout and stderr."""
    words = ("bash", "-o", "pipefail", "-c", script, "bash", *START, *arguments)
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr.replace(COMPILING + "\n", "")


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("games",), RUN, (*RUN, "--format", "json")]
)
def test_a_closed_stdout_is_one_line(arguments: tuple[str, ...]) -> None:
    line = "error: output: expected a stdout that can be written to, got a closed one\n"
    assert shell('"$@" >&-', *arguments) == (1, "", line)


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("enumerate", "cigale", "--format", "csv"), RUN]
)
def test_who_reads_no_more_is_no_fault(arguments: tuple[str, ...]) -> None:
    # `true` has gone before anything is written.
    assert shell('"$@" | true', *arguments) == (0, "", "")
    code, out, err = shell('"$@" | head -1', *arguments)
    assert (code, out.count("\n"), err) == (0, 1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_stdout_is_one_line_and_a_full_stderr_none() -> None:
    assert shell('"$@" >/dev/full', *RUN) == (1, "", "error: output: No space left on device\n")
    talks = ("bench", "--only", "matrix.solve", "--seconds", "0.01", "--jobs", "1")
    code, out, err = shell('"$@" 2>/dev/full', *talks)
    assert (code, err) == (0, "")
    assert "matrix.solve" in out
    assert shell('"$@" 2>/dev/full', *RUN, "--seed", "-1") == (2, "", "")


def test_closed_streams_are_nobodys_files(tmp_path: Path) -> None:
    # The first file opened would be number 0, 1 or 2, and what is said on stderr would go into it.
    code, out, err = shell('"$@" <&- 2>&-', *RUN, "--out", str(tmp_path))
    assert (code, err) == (0, "")
    assert "10 games by random" in out
    assert pl.read_parquet(tmp_path / "blocks" / "*.parquet").height == 10
    assert shell('"$@" 2>&-', *RUN, "--seed", "-1") == (2, "", "")


@pytest.fixture
def _listening() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    process.listen()
    yield
    signal.signal(signal.SIGINT, before[0])
    sys.unraisablehook = before[1]


@pytest.mark.usefixtures("_listening")
def test_an_interrupt_that_was_swallowed_is_repeated() -> None:
    with pytest.raises(Interrupted, match="interrupted after 7 games"), counter("games") as progress:
        progress(6, 10)
        with pytest.raises(KeyboardInterrupt):  # as in a callback of compiled code, which goes on
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        progress(7, 10)


class Gone:
    """Does something when it goes."""

    def __init__(self, last: Callable[[], object]) -> None:
        self.last = last

    def __del__(self) -> None:
        self.last()


@pytest.mark.usefixtures("_listening")
def test_an_interrupt_while_an_object_goes_has_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Interrupted, match="interrupted after 7 games"), counter("games") as progress:
        progress(6, 10)
        Gone(lambda: signal.raise_signal(signal.SIGINT))
        progress(7, 10)
    assert capfd.readouterr().err == ""
    Gone(lambda: int("one"))
    assert "ValueError" in capfd.readouterr().err  # other faults are still told


@pytest.mark.usefixtures("_listening")
def test_an_interrupt_that_is_held_back_is_heard_at_the_end() -> None:
    reached = False
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        with ThreadPoolExecutor() as pool:  # elsewhere nothing is held back
            pool.submit(lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)).result()
        reached = True
    assert reached


def test_a_second_interrupt_ends_at_once() -> None:
    # The first is told, but what it interrupts does not end; the second needs nobody's consent.
    script = """
import time
from fable_solve.cli import main, process

def work(arguments):
    while True:
        try:
            print("ready", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass

main.run = work
main.main()
"""
    running = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    for _ in range(2):
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    assert (running.returncode, err) == (130, process.AT_ONCE.decode())
