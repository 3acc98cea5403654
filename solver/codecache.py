"""Compiled kernels on disk: a file for each kernel and signature, found by its name, believed by its digest.

numba's own cache keeps an index beside the code: a damaged file fails every later run, and of two processes
that write at once one may leave an index that names the other's code. Here a file that is cut short or
damaged is as good as none, and is replaced; a disk that fails while one is written costs that file only.

The file holds the SHA-256 of the rest, then the pickled ``(key, compiled code)``. Unpickling runs code, so a
folder is used only if nobody else can have written into it.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

DIGEST_SIZE = 32
_dumps: Any = dumps
_Compiled: Any = CompileResult


class CodeCache(NullCache):
    """What numba asks of the cache of one kernel: ``load_overload`` and ``save_overload``."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function, self._folder = function, folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code compiled for a signature; ``None`` if there is none, or none that can be believed."""
        target.refresh()
        key = (signature, target.codegen().magic_tuple())
        with suppress(OSError):
            content = self._file(key).read_bytes()
            digest, rest = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
            if sha256(rest).digest() == digest:
                stored, code = pickle.loads(rest)
                return _Compiled._rebuild(target, *code) if stored == key else None
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keeps the code for later processes, if it can be kept at all."""
        if compiled.lifted or compiled.library.has_dynamic_globals:
            return
        key = (signature, compiled.codegen.magic_tuple())
        rest = _dumps((key, compiled._reduce()))
        with suppress(OSError):
            _replace(self._file(key), sha256(rest).digest() + rest)

    def _file(self, key: object) -> Path:
        """The name says all that the code depends on, but for the kernels it calls: those name the folder."""
        function, code = self._function, self._function.__code__
        source = function.__module__, function.__qualname__, code.co_firstlineno, _digest(code.co_filename)
        whole = repr((source, sys.implementation.cache_tag, numba.__version__, key))
        return self._folder / f"{function.__name__}-{sha256(whole.encode()).hexdigest()[:32]}"


@cache
def _digest(source: str) -> str:
    return sha256(Path(source).read_bytes()).hexdigest()


def _replace(path: Path, content: bytes) -> None:
    """Writes a file under another name first, so that nobody ever finds half of it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def cache_folder(digest: str) -> Path | None:
    """Where code is kept that was compiled from sources of this ``digest``; ``None`` if there is no place.

    The user's own choice (``NUMBA_CACHE_DIR``), or the first safe folder: in the user's cache, with the
    temporary files, or a new one that goes with this process.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"]).absolute() / digest
    for folder in _candidates(digest):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_safe(folder):
                with tempfile.TemporaryFile(dir=folder):
                    return folder
    with suppress(OSError):
        return Path(_passing().name)
    return None


def _candidates(digest: str) -> Iterator[Path]:
    user = _user_cache()
    if user.is_absolute():
        yield user / "fable-solve" / digest
    with suppress(OSError):
        owner = os.geteuid() if hasattr(os, "geteuid") else 0
        yield Path(tempfile.gettempdir()) / f"fable-solve-{owner}-{digest}"


def _user_cache() -> Path:
    """The folder of the user's caches; a relative one is not to be used, and stands for none."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if given.is_absolute():
        return given
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    with suppress(RuntimeError):  # a user without a home
        return Path("~/Library/Caches" if sys.platform == "darwin" else "~/.cache").expanduser()
    return Path()


def _is_safe(folder: Path) -> bool:
    """Whether nobody but this user can have put anything into ``folder``."""
    if os.name == "nt":  # the mode says nothing there, and both folders lie in the user's profile
        return True
    found = folder.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & others


@cache
def _passing() -> tempfile.TemporaryDirectory[str]:
    """A new folder for this process alone, removed when it ends."""
    return tempfile.TemporaryDirectory(prefix="fable-solve-")
