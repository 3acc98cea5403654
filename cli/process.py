"""The process around a command: its standard streams, whatever becomes of them, and Ctrl-C.

The first Ctrl-C interrupts the command, which says what was kept; the second ends the process at once.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn, cast

from fable_solve.solver.errors import ExitCode

AT_ONCE = b"error: interrupted twice, ended at once; what was finished before is kept\n"


def listen() -> None:
    """Hear Ctrl-C from now on."""
    signal.signal(signal.SIGINT, _interrupt)
    sys.unraisablehook = _unraisable


def leave(code: int) -> NoReturn:
    """End the process with ``code``; a Ctrl-C while it ends has no more to interrupt."""
    signal.signal(signal.SIGINT, _end)
    _drop_unwritten()
    sys.exit(code)


def repeat_interrupt() -> None:
    """Interrupt again: compiled code that is being loaded, or an object that went, may have swallowed the
    first."""
    if signal.getsignal(signal.SIGINT) is _end:
        raise KeyboardInterrupt


def _unraisable(what: Any) -> None:
    """An interrupt while an object goes interrupts nothing; it is repeated and needs no traceback."""
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)


def _interrupt(*_: Any) -> None:
    signal.signal(signal.SIGINT, _end)
    raise KeyboardInterrupt


def _end(*_: Any) -> None:
    with suppress(OSError):
        os.write(2, AT_ONCE)
    os._exit(ExitCode.INTERRUPTED)


def mend_streams() -> None:
    """Make up for standard streams that are closed, and for a stderr that takes no text.

    The next file opened would take a closed stream's place, and what goes to the stream go into the file.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    encoding = sys.stderr.encoding if sys.stderr else None
    # Without a buffer, which an interrupt just after a line is written would make write it again.
    sys.stderr = io.TextIOWrapper(
        cast(Any, _Talk(2, "w", closefd=False)), encoding, "backslashreplace", write_through=True
    )


class _Talk(io.FileIO):
    """What nobody can hear is no failure of what is said."""

    def write(self, text: Any, /) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)


def _drop_unwritten() -> None:
    """Lead a stdout that takes no more text into nothing, so that its rest is not tried again."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
