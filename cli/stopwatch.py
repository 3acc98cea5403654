"""Runs the games' benchmarks against the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import click

from fable_solve.solver import registry
from fable_solve.solver.bench import Benchmark, core_benchmarks, play_benchmarks
from fable_solve.solver.result import Answer


def measure(seconds: float, only: str) -> Answer:
    """One row a kernel: units of work a second on one core, and the time of the first call."""
    kernels = []
    for benchmark in _benchmarks():
        if only in benchmark.name:
            click.echo(f"{benchmark.name} ...", err=True)
            kernels.append(_row(benchmark, seconds))
    if not kernels:
        names = ", ".join(benchmark.name for benchmark in _benchmarks())
        raise click.UsageError(f"--only: expected part of one of {names}, got {only!r}")
    columns = ("name", "per_second", "cores", "unit", "first_call_seconds")
    rows = [tuple(kernel[column] for column in columns) for kernel in kernels]
    return Answer({"kernels": kernels}, columns, rows, "Throughput on one core")


def _benchmarks() -> list[Benchmark]:
    found = core_benchmarks()
    for name in registry.names():
        spec = registry.get(name)
        found += [*spec.benchmarks(), *play_benchmarks(spec)]
    return found


def _row(benchmark: Benchmark, seconds: float) -> dict[str, object]:
    run = benchmark.prepare()
    first = _timed(run, 1)
    amount, taken = 1, _timed(run, 1)
    while taken < seconds:
        amount = max(amount * 2, int(amount * 1.2 * seconds / max(taken, 1e-9)))
        amount = min(amount, benchmark.most)
        taken = _timed(run, amount)
        if amount == benchmark.most:
            break
    return {
        "name": benchmark.name,
        "per_second": round(amount * benchmark.scale / taken, 1),
        "cores": 1,
        "unit": benchmark.unit,
        "first_call_seconds": round(first, 3),
    }


def _timed(run: Callable[[int], None], amount: int) -> float:
    started = time.perf_counter()
    run(amount)
    return time.perf_counter() - started
