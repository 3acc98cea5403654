"""Runs the games' benchmarks against the clock."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from fable_solve.solver import registry
from fable_solve.solver.bench import Benchmark, core_benchmarks, play_benchmarks
from fable_solve.solver.result import Answer

MOST = 1_000_000
"""Largest amount asked of one call: games of a call lie in memory together."""

START = "import sys; from fable_solve.cli.stopwatch import start; start(sys.argv[1])"


def measure(seconds: float, only: str, cores: int, starts: bool) -> Answer:
    """One row a kernel: units of work a second on one core and on ``cores``, and the time to the first.

    ``starts`` adds what a new process takes from its start to its first unit, with all kernels to be
    compiled (``first``) and with none (``warm``).
    """
    chosen = [benchmark for benchmark in _benchmarks() if _is_asked(benchmark, only)]
    if not chosen:
        names = ", ".join(benchmark.name for benchmark in _benchmarks() if benchmark.default)
        raise click.UsageError(f"--only: expected part of one of {names}, got {only!r}")
    kernels, rows = list[dict[str, Any]](), list[tuple[Any, ...]]()
    for benchmark in chosen:
        click.echo(f"{benchmark.name} ...", err=True)
        found = _timings(benchmark, seconds, cores, starts)
        kernels += found
        one, many, times = found[0], found[-1], [found[0][key] for key in _times(starts)]
        everywhere = many["per_second"] if many is not one else None
        rows.append((one["name"], one["unit"], one["per_second"], everywhere, *times))
    columns = ("name", "unit", "per_second", f"on_{cores}_core{'s' * (cores > 1)}", *_times(starts))
    return Answer({"kernels": kernels}, columns, rows, "Throughput on one core and on all")


def _times(starts: bool) -> tuple[str, ...]:
    return ("first_start_seconds", "warm_start_seconds") if starts else ("first_call_seconds",)


def _benchmarks() -> list[Benchmark]:
    found = core_benchmarks()
    for name in registry.names():
        spec = registry.get(name)
        found += [*spec.benchmarks(), *play_benchmarks(spec)]
    return found


def _is_asked(benchmark: Benchmark, only: str) -> bool:
    return only in benchmark.name if only else benchmark.default


def _timings(benchmark: Benchmark, seconds: float, cores: int, starts: bool) -> list[dict[str, Any]]:
    """One entry for one core, and one for all where they can share the work."""
    began = time.perf_counter()
    run = benchmark.prepare()
    run(1)
    first = time.perf_counter() - began
    amount, rate = _rate([run], 1, seconds)
    times = _starts(benchmark.name) if starts else {"first_call_seconds": round(first, 3)}
    entries = [_entry(benchmark, rate, 1) | times]
    if benchmark.compiled and cores > 1:
        runs = [run, *(benchmark.prepare() for _ in range(cores - 1))]
        entries.append(_entry(benchmark, _rate(runs, amount, seconds)[1], cores))
    return entries


def _entry(benchmark: Benchmark, rate: float, cores: int) -> dict[str, Any]:
    per_second = round(rate * benchmark.scale, 1)
    return {"name": benchmark.name, "per_second": per_second, "cores": cores, "unit": benchmark.unit}


def _rate(runs: list[Callable[[int], None]], amount: int, seconds: float) -> tuple[int, float]:
    """An amount that takes each of ``runs`` about ``seconds``, side by side, and all their work a second.

    The amount grows until it takes long enough or is as large as one call may be asked for, which is then
    repeated.
    """
    with ThreadPoolExecutor(len(runs)) as pool:
        taken = _timed(pool, runs, amount, 1)
        while taken < seconds and amount < MOST:
            amount = min(MOST, max(amount * 2, int(amount * 1.2 * seconds / max(taken, 1e-9))))
            taken = _timed(pool, runs, amount, 1)
        times = max(1, round(seconds / taken))
        taken = _timed(pool, runs, amount, times) if times > 1 else taken
    return amount, len(runs) * amount * times / taken


def _timed(pool: ThreadPoolExecutor, runs: list[Callable[[int], None]], amount: int, times: int) -> float:
    def repeat(run: Callable[[int], None]) -> None:
        for _ in range(times):
            run(amount)

    began = time.perf_counter()
    list(pool.map(repeat, runs))
    return time.perf_counter() - began


def _starts(name: str) -> dict[str, float]:
    """Seconds from the start of a new process to its first unit, with an empty cache and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        return {key: round(_process(name, environment, key), 3) for key in _times(True)}


def _process(name: str, environment: dict[str, str], key: str) -> float:
    click.echo(f"{name}: {key.replace('_', ' ').removesuffix(' seconds')} in a new process ...", err=True)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", START, name], env=environment, check=True)
    return time.perf_counter() - began


def start(name: str) -> None:
    """Do one unit of a benchmark: what a new process is started for."""
    next(benchmark for benchmark in _benchmarks() if benchmark.name == name).prepare()(1)
