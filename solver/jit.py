"""Compiled kernels: ``numba.njit`` with a disk cache that follows the kernels' sources.

A kernel module is named ``kernel*.py`` and decorates with ``@kernel``. numba's own cache does not notice a
change in a helper of another file, so the cache folder is named by a hash of all kernel sources; it lies
in the user's cache folder, which also serves a package installed read-only. ``NUMBA_CACHE_DIR`` wins.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event as numba_event

from fable_solve.solver import compiling

F = TypeVar("F", bound=Callable[..., Any])


def _user_cache() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    return Path("~/.cache").expanduser()


def _cache_folder() -> Path:
    sources = sorted(Path(__file__).parent.rglob("kernel*.py"))
    digest = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    folder = _user_cache() / "fable-solve" / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        fallback = (
            Path(tempfile.gettempdir())
            / f"fable-solve-{os.getuid() if hasattr(os, 'getuid') else 0}"
            / digest
        )
        fallback.mkdir(parents=True, exist_ok=True, mode=0o700)
        return fallback


if "NUMBA_CACHE_DIR" not in os.environ:
    settings: Any = numba.config
    settings.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = str(_cache_folder())


class _Listener(numba_event.Listener):
    """Passes on that a compilation starts."""

    def on_start(self, event: Any) -> None:
        for listener in compiling.listeners:
            listener()

    def on_end(self, event: Any) -> None:
        pass


register: Any = numba_event.register
register("numba:compile", _Listener())


def kernel(function: F) -> F:
    """``function`` compiled on its first call (nopython, releasing the GIL, cached on disk)."""
    decorate: Any = numba.njit(cache=True, nogil=True, error_model="numpy")
    compiled: F = decorate(function)
    return compiled


def lean(function: F) -> F:
    """A kernel that allocates nothing, written out wherever another lean kernel calls it.

    For the many small steps of a hot loop: none of its arrays' references is counted, which would cost more
    than the step itself, and no call passes shapes and strides on. The outermost kernel must be lean as well.
    """
    options: Any = {"cache": True, "nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
    compiled: F = numba.njit(**options)(function)
    return compiled


def step(function: F) -> F:
    """A step of lean kernels that cannot be called from Python, which saves a third of its compilation; it is
    kept on disk as a part of the kernels that call it."""
    options: Any = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: F = numba.njit(**options)(function)
    return compiled
