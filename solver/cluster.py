"""Blocks played by the workers of a Dask scheduler, on any number of machines.

What goes wrong on a cluster is told in one line of :class:`Refused`: a scheduler that is lost or falls
silent, workers that die on a block, workers with another package. Workers that have not come yet are waited
for.
"""

from __future__ import annotations

import asyncio
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from multiprocessing import active_children
from threading import Thread
from typing import Any

from fable_solve.solver.engines import Pending, Task, uninterrupted
from fable_solve.solver.errors import BadInput, FableSolveError, Refused
from fable_solve.solver.rollout import Match, Setup

ADDRESS = re.compile(r"((tcp|tls|wss?)://)?(\[[\w.:%]+\]|[\w.-]+):(?P<port>\d{1,5})", re.ASCII)

PATIENCE = 10
"""Seconds within which a scheduler has to answer at first."""

SILENCE = 60
"""Seconds within which it has to answer later."""

LOOK = 1
"""Seconds between two looks whether there is anybody who plays a block."""

CLOSE = 0.5
"""Seconds the workers of an own cluster have to end by themselves."""

Told = Callable[[str], object]
"""Told what a run waits for."""


def check(address: str | None) -> None:
    """Raises :class:`BadInput` for an ``address`` that can be none, :class:`Refused` if Dask is missing or no
    scheduler answers there."""
    found = ADDRESS.fullmatch(address) if address is not None else None
    if address is not None and not (found and 0 < int(found["port"]) < 2**16):
        raise BadInput("an address like tcp://HOST:PORT", repr(address), where="--scheduler")
    distributed = _distributed()
    if address is not None:
        with _quiet(), _answering(f"--scheduler {address}", "a Dask scheduler that answers"):
            kind = asyncio.run(asyncio.wait_for(_kind(distributed, address), PATIENCE))
        if kind != "Scheduler":
            raise Refused(f"--scheduler {address}: expected a Dask scheduler, got a {kind}")


async def _kind(distributed: Any, address: str) -> str:
    """What answers at ``address``."""
    arguments = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, timeout=PATIENCE, connection_args=arguments) as server:
        return str((await server.identity())["type"])


class Cluster:
    """Blocks played by the workers of a Dask scheduler; a block whose worker dies is played by another.

    Without an ``address`` a cluster of ``workers`` processes is started on this machine, reachable from it
    alone, and ended with the run. Raises what :func:`check` does; the blocks raise :class:`Refused`.
    """

    def __init__(self, run: Setup, task: Task, address: str | None, workers: int, told: Told) -> None:
        check(address)
        self.place = f"--scheduler {address}" if address else "--engine dask"
        self._job, self._told, self._waiting = pickle.dumps((run, task)), told, False
        self._others = set(active_children())
        self._client: Any = None
        self._own: Any = None
        distributed = _distributed()
        try:
            with uninterrupted(), _quiet(), _answering(self.place, "a Dask scheduler that answers"):
                self._own = None if address else _own(distributed, workers)
                self._client = distributed.Client(
                    self._own or address, timeout=PATIENCE, set_as_default=False
                )
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:
        """Threads of all workers there are now, at least 1."""
        return max(1, self.threads())

    def threads(self) -> int:
        """Threads of all workers there are now; says when there are none."""
        ask = partial(self._client.scheduler.ncores, workers=None)
        with self.answering():
            asked = _aside(partial(self._client.sync, ask, callback_timeout=SILENCE))
        if not asked and not self._waiting and self._own is None:
            self._told(f"{self.place}: waiting for workers, there are none now")
        self._waiting = not asked
        return sum(asked.values())

    def submit(self, numbers: range) -> Pending:
        key = f"fable-solve-{self._client.id}-{numbers.start}"
        sent = pickle.dumps(_Sent(self._job, numbers))
        with self.answering():
            future = _aside(partial(self._client.submit, pickle.loads, sent, key=key))
        return _Remote(self, numbers, future)

    def answering(self) -> Any:
        return _answering(self.place, "a scheduler until the end of the run", (OSError, CancelledError))

    def close(self) -> None:
        closing = Thread(target=self._close, daemon=True)
        closing.start()
        closing.join(CLOSE)
        if self._own is not None:
            for child in set(active_children()) - self._others:  # in the middle of a block, or starting
                child.kill()
        closing.join(CLOSE)

    def _close(self) -> None:
        for part in (self._client, self._own):
            if part is not None:
                part.close()


@dataclass(frozen=True)
class _Remote:
    """A block that a worker plays."""

    cluster: Cluster
    numbers: range
    future: Any

    def result(self) -> Any:
        error = self._error()
        try:
            if self.future.status == "error":
                raise Refused(f"{self.cluster.place}: {self._told(error)}") from error
            with self.cluster.answering():
                return _aside(self.future.result)
        finally:
            self.future.release()

    def _error(self) -> BaseException | None:
        """What went wrong, once the block is done."""
        while True:
            with suppress(TimeoutError):
                found: BaseException | None = _aside(partial(self.future.exception, timeout=LOOK))
                return found
            self.cluster.threads()

    def _told(self, error: BaseException | None) -> str:
        block = f"games {self.numbers.start:,} to {self.numbers.stop - 1:,}"
        if isinstance(error, FableSolveError):
            return str(error)
        if type(error).__name__ == "KilledWorker":
            return f"expected workers that live, got {block}, on which one after another died"
        wanted = f"workers that can play {block}, with fable-solve {version('fable-solve')}"
        return f"expected {wanted}, got {type(error).__name__}: {error}"


def _aside(call: Callable[[], Any]) -> Any:
    """What ``call`` gives or raises in a thread of its own: an interrupt leaves it, and Dask undisturbed."""
    made: Future[Any] = Future()

    def make() -> None:
        try:
            made.set_result(call())
        except BaseException as error:
            made.set_exception(error)

    Thread(target=make, daemon=True).start()
    return made.result()


def _own(distributed: Any, workers: int) -> Any:
    """A cluster on this machine whose workers are being started."""
    own = distributed.LocalCluster(
        n_workers=0,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard": False},
        silence_logs="CRITICAL",
    )
    own.scale(workers)
    return own


@contextmanager
def _answering(place: str, expected: str, lost: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Tells in our words that a scheduler is not there; ``lost`` are the errors of one that was."""
    try:
        yield
    except TimeoutError as error:
        raise Refused(f"{place}: expected {expected}, got no answer") from error
    except (CancelledError, OSError, ValueError, RuntimeError) as error:
        got = "a lost connection" if isinstance(error, lost) else f"{type(error).__name__}: {error}"
        raise Refused(f"{place}: expected {expected}, got {got}") from error


def _distributed() -> Any:
    """Dask, whose log is silent unless somebody uses it beside this."""
    try:
        if "distributed" not in sys.modules:
            import dask

            names = ("distributed", "distributed.client", "tornado.application")
            dask.config.set({"logging": dict.fromkeys(names, "critical")})
        import distributed
    except ImportError:
        raise Refused("--engine dask: expected the extra 'cluster' (pip install 'fable-solve[cluster]'), "
                      "got no Dask") from None  # fmt: skip
    return distributed


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True)
class _Sent:
    """A block that is played where it is unpickled.

    That is done by a task: a worker that cannot unpickle the task itself, for want of this package, dies.
    """

    job: bytes
    numbers: range

    def __reduce__(self) -> tuple[Any, ...]:
        return _play, (version("fable-solve"), self.job, self.numbers)


def _play(wanted: str, job: bytes, numbers: range) -> Any:
    """What a cluster's worker does with a block."""
    if version("fable-solve") != wanted:
        raise Refused(f"expected workers with fable-solve {wanted}, got {version('fable-solve')}")
    match, task = _built(job)
    return task(match, numbers, lambda: False)


@lru_cache(maxsize=2)
def _built(job: bytes) -> tuple[Match, Task]:
    """The game and what is made of its blocks; a worker may serve several runs."""
    run, task = pickle.loads(job)
    return run.build(), task
