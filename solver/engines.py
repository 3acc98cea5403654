"""Where blocks of episodes are played: in this thread, in threads or in processes (or on a cluster,
:mod:`fable_solve.solver.cluster`).

An engine takes ranges of episode numbers and gives back what its ``task`` makes of each. It knows nothing of
order, storage or stopping: whoever submits waits for the results in the order of the blocks, so the results
are the same for every engine and any number of workers.

Compiled play-outs release the interpreter's lock and run in threads; others run in processes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from threading import Event, Thread, current_thread, main_thread
from typing import Any, NamedTuple, Protocol

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
        with uninterrupted():
            return self._pool.submit(_work, numbers)

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Interrupts held back: a process started here never sees any, and this one hears them at the end."""
    if current_thread() is not main_thread():  # which alone is interrupted
        yield
        return
    heard: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with _masked():
            yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _masked() -> Iterator[None]:
    """What is started here inherits that it hears no interrupts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let them through again
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
