"""Compiled kernels: what lies on disk is used only if it is whole and ours; Python plays the same games."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from fable_solve.solver import codecache
from fable_solve.solver.codecache import CodeCache, cache_folder
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules

Damage = Callable[[Path], object]


def twice(x: int) -> int:
    return 2 * x


def thrice(x: int) -> int:
    return 3 * x


def run(folder: Path, function: Callable[[Any], Any] = twice, argument: Any = 21) -> tuple[Any, int]:
    """(result, whether the code was found on disk) of a kernel as a new process would meet it."""
    kernel: Any = numba.njit(function)
    kernel._cache = CodeCache(function, folder)
    return kernel(argument), sum(kernel.stats.cache_hits.values())


def test_code_is_found_again_by_kernel_and_signature(tmp_path: Path) -> None:
    assert run(tmp_path) == (42, 0)
    assert run(tmp_path) == (42, 1)
    assert run(tmp_path, argument=1.5) == (3.0, 0)  # compiled for float64
    assert run(tmp_path, thrice) == (63, 0)
    assert run(tmp_path, argument=1.5) == (3.0, 1)
    assert len(list(tmp_path.iterdir())) == 3


DAMAGES: dict[str, Damage] = {
    "emptied": lambda file: file.write_bytes(b""),
    "cut within the digest": lambda file: os.truncate(file, 20),
    "cut in the middle": lambda file: os.truncate(file, file.stat().st_size // 2),
    "without its last byte": lambda file: os.truncate(file, file.stat().st_size - 1),
    "garbage": lambda file: file.write_bytes(bytes(range(256)) * 40),
    "one bit flipped": lambda file: file.write_bytes(file.read_bytes()[:-9] + b"?" + file.read_bytes()[-8:]),
    "unreadable": lambda file: (file.unlink(), file.symlink_to(file)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_code_is_replaced(tmp_path: Path, damage: Damage) -> None:
    run(tmp_path)
    (file,) = tmp_path.iterdir()
    damage(file)
    assert run(tmp_path) == (42, 0)
    assert run(tmp_path) == (42, 1)


def test_the_code_of_another_signature_is_not_run(tmp_path: Path) -> None:
    # Run as code for integers, that for floating-point numbers would read the wrong register.
    run(tmp_path)
    (integers,) = tmp_path.iterdir()
    run(tmp_path, argument=1.5)
    (floats,) = set(tmp_path.iterdir()) - {integers}
    shutil.copy(floats, integers)
    assert run(tmp_path) == (42, 0)


def test_a_folder_removed_during_a_run_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    run(folder)
    shutil.rmtree(folder)
    assert run(folder, thrice) == (63, 0)
    assert run(folder, thrice) == (63, 1)


def test_a_folder_that_cannot_be_made_costs_compiling(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert run(tmp_path / "file" / "cache") == (42, 0)


SIZES = """
import sys
import numpy as np
from fable_solve.solver.kernel_bits import size, lowest
sizes = [kernel(np.uint64(6)) for kernel in (size, lowest)[:: int(sys.argv[1])]]
print(sorted(sizes), sum(sum(kernel.stats.cache_hits.values()) for kernel in (size, lowest)))
"""
"""6 is 110 in binary digits: two ones, the lowest at place 1."""


def start(code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, env=kept | environment, stdout=subprocess.PIPE, text=True)


def test_two_processes_may_write_at_once(tmp_path: Path) -> None:
    both = [start(SIZES, order, XDG_CACHE_HOME=str(tmp_path)) for order in ("1", "-1")]
    assert all(process.communicate()[0].startswith("[1, 2] ") for process in both)
    assert start(SIZES, "1", XDG_CACHE_HOME=str(tmp_path)).communicate()[0] == "[1, 2] 2\n"
    # Two kernels in one folder, named by the sources, and no file left half written.
    assert len([file for file in tmp_path.rglob("*") if file.is_file()]) == 2


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
"""A disk on which files end after 1,000 bytes: the code of a kernel has some more."""


@pytest.mark.skipif(os.name == "nt", reason="limits of a process are POSIX")
def test_a_full_disk_is_no_fault_of_the_command(tmp_path: Path) -> None:
    for _ in range(2):
        process = start(LIMITED + SIZES, "1", XDG_CACHE_HOME=str(tmp_path))
        assert process.communicate()[0] == "[1, 2] 0\n"
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a folder of temporary files of one's own."""
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(sys, "platform", "linux")
    codecache._passing.cache_clear()
    return tmp_path


posix = pytest.mark.skipif(os.name == "nt", reason="owners and modes are POSIX")


@posix
def test_code_lies_in_the_users_cache(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder("abc") == home / ".cache" / "fable-solve" / "abc"
    assert (home / ".cache" / "fable-solve" / "abc").stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")  # is to be ignored, by the XDG specification
    assert cache_folder("abc") == home / ".cache" / "fable-solve" / "abc"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "other"))
    assert cache_folder("abc") == home / "other" / "fable-solve" / "abc"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home / "chosen"))
    assert cache_folder("abc") == home / "chosen" / "abc"


def fallback(home: Path) -> Path:
    """The folder used if the user's cache is none (here: a file)."""
    (home / ".cache").touch()
    return home / "temporary" / f"fable-solve-{os.geteuid()}-abc"


@posix
def test_without_a_home_code_lies_with_temporary_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = fallback(home)
    assert cache_folder("abc") == expected
    assert expected.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("HOME", "relative")
    assert cache_folder("abc") == expected


def writable_by_others(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def a_link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(folder.parent / "elsewhere")


def somebody_elses(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
    else:
        pytest.skip("only root can give a folder away")


@posix
@pytest.mark.parametrize("lay", [writable_by_others, a_link, somebody_elses])
def test_what_others_may_have_written_is_not_run(home: Path, lay: Callable[[Path], None]) -> None:
    lay(fallback(home))
    used = cache_folder("abc")
    assert used and used != fallback(home) and used.parent == home / "temporary"
    assert used.stat().st_mode & 0o777 == 0o700 and used.stat().st_uid == os.geteuid()
    codecache._passing().cleanup()
    assert not used.exists()


@posix
def test_nor_is_it_in_the_users_cache(home: Path) -> None:
    (home / ".cache" / "fable-solve").mkdir(parents=True)
    writable_by_others(home / ".cache" / "fable-solve" / "abc")
    assert cache_folder("abc") == home / "temporary" / f"fable-solve-{os.geteuid()}-abc"


@posix
def test_no_place_at_all(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fallback(home)
    monkeypatch.setattr(tempfile, "tempdir", str(home / ".cache"))
    assert cache_folder("abc") is None


RUNS = [
    (game, mode, players, policy)
    for game, mode, players, policies in (
        ("cigale", "automne", 2, ("random", "greedy", "stage")),
        ("cigale", "hiver", 3, ("random", "greedy")),
        ("chenille", None, 2, ("random", "greedy")),
        ("butterfly", None, 3, ("random", "greedy")),
        ("feuilles", None, 2, ("random", "greedy")),
    )
    for policy in policies
]
EPISODES = 3


def episodes() -> list[Any]:
    """What the first episodes of ``RUNS`` come to, down to the final state of each random stream."""
    results = []
    for game, mode, players, policy in RUNS:
        match = setup(get(game), players, (policy,), load_rules(game), mode, seed=5).build()
        assert match.compiled
        block = match.block(range(EPISODES))
        columns = (block.scores, block.winners, block.ranks, block.lengths, block.stopped, block.counters)
        results.append([column.tolist() for column in columns])
    return results


def test_python_plays_the_same_games() -> None:
    """With ``NUMBA_DISABLE_JIT=1`` no kernel is compiled, and every game goes as it does compiled."""
    code = "import json, test_jit; print(json.dumps(test_jit.episodes()))"
    path = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    output = start(code, NUMBA_DISABLE_JIT="1", PYTHONPATH=path).communicate()[0]
    assert json.loads(output) == episodes()
