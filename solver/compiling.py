"""Who is told when a kernel has to be compiled, which takes seconds, once on each machine."""

from __future__ import annotations

from collections.abc import Callable

listeners: list[Callable[[], None]] = []
"""Called at the start of each compilation; one found in the disk cache is none."""
