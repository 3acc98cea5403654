"""Where blocks of episodes are played: in this thread, in threads, in processes, or on a Dask cluster.

An engine takes ranges of episode numbers and gives back what its ``task`` makes of each. It knows nothing of
order, storage or stopping: whoever submits waits for the results in the order of the blocks, so the results
are the same for every engine and any number of workers.

Compiled play-outs release the interpreter's lock and run in threads; others run in processes.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context, parent_process
from threading import Event, Thread
from typing import Any, NamedTuple, Protocol

from fable_solve.solver.errors import Refused
from fable_solve.solver.rollout import Match, Setup

Stopped = Callable[[], bool]
"""Whether nobody waits for results any more."""

Task = Callable[[Match, range, Stopped], Any]
"""What is made of a block; can be sent to a worker."""


class Pending(Protocol):
    """A block that is being played."""

    def result(self) -> Any:
        """What the task made of it, once it is done."""


class Engine(Protocol):
    """Plays blocks; to be closed, which gives up those not yet done."""

    @property
    def workers(self) -> int: ...

    def submit(self, numbers: range) -> Pending: ...

    def close(self) -> None: ...


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def local(run: Setup, match: Match, task: Task, workers: int) -> Engine:
    """This machine: one worker is this thread itself."""
    if workers == 1:
        return Here(match, task)
    return Threads(match, task, workers) if match.compiled else Processes(run, task, workers)


@dataclass(frozen=True)
class _Later:
    """Played when its result is asked for."""

    play: Callable[[], Any]

    def result(self) -> Any:
        return self.play()


def ready(result: Any) -> Pending:
    """A block that need not be played: its result is there."""
    return _Later(lambda: result)


class Here:
    """Blocks are played one after another in the thread that asks for them."""

    workers = 1

    def __init__(self, match: Match, task: Task) -> None:
        self._match, self._task = match, task

    def submit(self, numbers: range) -> Pending:
        return _Later(lambda: self._task(self._match, numbers, lambda: False))

    def close(self) -> None:
        pass


class Threads:
    """Blocks of compiled play-outs, one thread a core."""

    def __init__(self, match: Match, task: Task, workers: int) -> None:
        self._match, self._task, self.workers = match, task, workers
        self._stop = Event()
        self._pool: Executor = ThreadPoolExecutor(workers)

    def submit(self, numbers: range) -> Pending:
        return self._pool.submit(self._task, self._match, numbers, self._stop.is_set)

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)


class Processes:
    """Blocks played by the rules in Python, one process a core."""

    def __init__(self, run: Setup, task: Task, workers: int) -> None:
        context = get_context("spawn")
        self._stop, self.workers = context.Event(), workers
        self._pool = ProcessPoolExecutor(workers, context, _start_worker, (run, task, self._stop))

    def submit(self, numbers: range) -> Pending:
        with _uninterrupted():
            return self._pool.submit(_work, numbers)

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Interrupts held back, so that a process started here never sees any; they are the parent's."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(NamedTuple):
    match: Match
    task: Task
    stop: Any
    """Set once nobody waits for blocks any more."""


_worker: _Worker | None = None
"""What a worker process works with."""


def _start_worker(run: Setup, task: Task, stop: Any) -> None:
    """Build the game, once a worker; the parent's end is the worker's too."""
    global _worker  # noqa: PLW0603  (a worker process belongs to one run)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _worker = _Worker(run.build(), task, stop)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(numbers: range) -> Any:
    assert _worker is not None
    return _worker.task(_worker.match, numbers, _worker.stop.is_set)


class Cluster:
    """Blocks played by the workers of a Dask scheduler; a block whose worker dies is played by another.

    Without an ``address`` a cluster of ``workers`` processes is started on this machine, reachable from it
    alone, and ended with the run. Raises :class:`Refused` if Dask is missing or nobody answers.
    """

    def __init__(self, run: Setup, task: Task, address: str | None, workers: int) -> None:
        self._own = None
        self._job = pickle.dumps((run, task))
        distributed = _distributed()
        try:
            if address is None:
                self._own = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard": False},
                )
            self._client = distributed.Client(self._own or address, timeout=10, set_as_default=False)
        except (OSError, ValueError) as error:
            raise Refused(
                f"--scheduler: expected a Dask scheduler that answers, got {address}: {error}"
            ) from error

    @property
    def workers(self) -> int:
        """Threads of all workers there are now, at least 1."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, numbers: range) -> Pending:
        pending: Future[Any] = self._client.submit(
            _remote, self._job, version("fable-solve"), numbers, key=f"block-{numbers.start}-{id(self)}"
        )
        return pending

    def close(self) -> None:
        with suppress(TimeoutError):  # workers in the middle of a block end with their processes
            self._client.close(timeout=1)
            if self._own is not None:
                self._own.close(timeout=1)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise Refused("--engine dask: expected the extra 'cluster' (pip install 'fable-solve[cluster]'), "
                      "got no Dask") from None  # fmt: skip
    return distributed


def _remote(job: bytes, wanted: str, numbers: range) -> Any:
    """What a cluster's worker does with a block."""
    if version("fable-solve") != wanted:
        raise Refused(f"expected workers with fable-solve {wanted}, got {version('fable-solve')}")
    match, task = _built(job)
    return task(match, numbers, lambda: False)


@cache
def _built(job: bytes) -> tuple[Match, Task]:
    run, task = pickle.loads(job)
    return run.build(), task
