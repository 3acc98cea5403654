"""Compiled kernels: ``numba.njit`` with a disk cache that follows the kernels' sources.

A kernel module is named ``kernel*.py`` and decorates with ``@kernel``. A kernel's code depends on the kernels
it calls, wherever they stand, so the cache folder is named by a hash of all kernel sources
(:mod:`fable_solve.solver.codecache`). With ``NUMBA_DISABLE_JIT=1`` nothing is compiled: the kernels run as
the Python they are written in, a thousand times slower, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event as numba_event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from fable_solve.solver import compiling
from fable_solve.solver.codecache import CodeCache, cache_folder

F = TypeVar("F", bound=Callable[..., Any])

_settings: Any = numba.config
COMPILED = not _settings.DISABLE_JIT
"""Whether kernels are compiled (``NUMBA_DISABLE_JIT`` is not set)."""


def _sources_digest() -> str:
    """Hash of all that kernels are compiled from: their sources, and the constants of the random streams."""
    folder = Path(__file__).parent
    sources = [*sorted(folder.rglob("kernel*.py")), folder / "rng.py"]
    return sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


_FOLDER = cache_folder(_sources_digest()) if COMPILED else None


class _Listener(numba_event.Listener):
    """Passes on that a compilation starts."""

    def on_start(self, event: Any) -> None:
        for listener in compiling.listeners:
            listener()

    def on_end(self, event: Any) -> None:
        pass


register: Any = numba_event.register
register("numba:compile", _Listener())


def _compiled(function: F, kept: bool, **options: Any) -> F:
    """``function`` compiled on its first call, and ``kept`` on disk (nopython, no GIL, C's division)."""
    if not COMPILED:  # words wrap around as they do when compiled
        return np.errstate(all="ignore")(function)
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if kept and _FOLDER:
        compiled._cache = CodeCache(function, _FOLDER)
    result: F = compiled
    return result


_Library: Any = JITCodeLibrary
_Compiler: Any = Compiler


class _Linked(_Library):  # type: ignore[misc]
    """Code that is linked into that of its callers and optimised there alone.

    numba optimises a function and makes machine code of it before it links it into a caller and does both
    again. What is never called from Python needs neither, nor what numba keeps at run time of it.
    """

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _Linked:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """The environment of code that runs has a place in memory; here there is none."""


class _LinkedCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler, its result :class:`_Linked`."""

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


def kernel(function: F) -> F:
    """``function`` compiled on its first call (nopython, releasing the GIL, cached on disk)."""
    return _compiled(function, kept=True)


def lean(function: F) -> F:
    """A kernel that allocates nothing, written out wherever another lean kernel calls it.

    For the many small steps of a hot loop: none of its arrays' references is counted, which would cost more
    than the step itself, and no call passes shapes and strides on. The outermost kernel must be lean as well.
    """
    return _compiled(function, kept=True, forceinline=True, _nrt=False)


def step(function: F) -> F:
    """A step of lean kernels that cannot be called from Python, which saves most of its compilation; it is
    kept on disk as a part of the kernels that call it."""
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _LinkedCompiler}
    return _compiled(function, kept=False, forceinline=True, _nrt=False, **wrappers)


def part(function: F) -> F:
    """A step that only one lean kernel calls: written into it before it is compiled, so that it is compiled
    once and not again with every kernel around it."""
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _compiled(function, kept=False, inline="always", _nrt=False, **wrappers)
