"""The process around a command: its standard streams, whatever becomes of them, and Ctrl-C.

The first Ctrl-C interrupts the command, which says what was kept; the second ends the process at once.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from fable_solve.solver.errors import ExitCode

AT_ONCE = b"error: interrupted twice, ended at once; what was finished before is kept\n"


def listen() -> None:
    """Hear Ctrl-C from now on."""
    signal.signal(signal.SIGINT, _interrupt)


def leave(code: int) -> NoReturn:
    """End the process with ``code``; a Ctrl-C while it ends has no more to interrupt."""
    signal.signal(signal.SIGINT, _end)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            silence_broken(stream)
    sys.exit(code)


def repeat_interrupt() -> None:
    """Interrupt again: compiled code that is being loaded may have swallowed the first."""
    if signal.getsignal(signal.SIGINT) is _end:
        raise KeyboardInterrupt


def _interrupt(*_: Any) -> None:
    signal.signal(signal.SIGINT, _end)
    raise KeyboardInterrupt


def _end(*_: Any) -> None:
    with suppress(OSError):
        os.write(2, AT_ONCE)
    os._exit(ExitCode.INTERRUPTED)


def fill_streams() -> None:
    """Put nothing in the place of closed standard streams, which the next opened file would take."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def silence_broken(stream: TextIO | None) -> None:
    """Lead a stream that takes no more text into nothing, so that its rest is not tried again."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def talk(line: str) -> None:
    """Say a line on stderr, if anybody can hear it."""
    with suppress(OSError):
        print(line, file=sys.stderr)  # noqa: T201
