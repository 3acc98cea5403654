"""Bits of 64-bit words, compiled to the machine's own instructions.

A place is 0 for the lowest bit. Every function takes words as ``uint64``. Where nothing is compiled, Python's
own integers count the bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import config, types
from numba.extending import intrinsic

from fable_solve.solver.jit import COMPILED, kernel

_WORD = ir.IntType(64)
_FALSE = ir.Constant(ir.IntType(1), 0)
SLOW_DEPOSIT = ("znver1", "znver2")
"""Processors that have the deposit instruction, but take dozens of cycles for it."""


def _has_deposit() -> bool:
    """Whether kernels are compiled for a processor with a fast deposit instruction."""
    settings: Any = config
    return bool(
        COMPILED
        and settings.CPU_NAME is None
        and settings.CPU_FEATURES is None
        and binding.get_host_cpu_features().get("bmi2")
        and binding.get_host_cpu_name() not in SLOW_DEPOSIT
    )


def _instruction(plain: Callable[[int], int], name: str, *flags: Any) -> Any:
    """The instruction of this name on one word; what it does as ``plain`` Python if nothing is compiled."""
    if not COMPILED:
        return lambda word: plain(int(word))

    def typed(context: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(arguments[0], *flags)

        return types.int64(types.uint64), code

    return intrinsic(typed)


def _deposit_typed(context: Any, bits: Any, mask: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_WORD, _WORD])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=kind), arguments)

    return types.uint64(types.uint64, types.uint64), code


_ones = _instruction(int.bit_count, "ctpop")
_trailing = _instruction(lambda word: (word & -word).bit_length() - 1 if word else 64, "cttz", _FALSE)
_leading = _instruction(lambda word: 64 - word.bit_length(), "ctlz", _FALSE)
_deposit: Any = intrinsic(_deposit_typed)


@kernel
def bit(place: Any) -> Any:
    """The word with this bit alone."""
    return np.uint64(1) << np.uint64(place)


@kernel
def size(word: Any) -> Any:
    """Number of bits set."""
    return _ones(np.uint64(word))


@kernel
def lowest(word: Any) -> Any:
    """Place of the lowest bit set; 64 of none."""
    return _trailing(np.uint64(word))


@kernel
def length(word: Any) -> Any:
    """Place of the highest bit set, plus 1; 0 of none."""
    return 64 - _leading(np.uint64(word))


@kernel
def nth_plain(word: Any, k: Any) -> Any:
    """Place of the bit of ``word`` with ``k`` set bits below it; there must be one."""
    word = np.uint64(word)
    for _ in range(k):
        word &= word - np.uint64(1)
    return _trailing(word)


@kernel
def nth_deposit(word: Any, k: Any) -> Any:
    """The same by a deposit: bit ``k`` goes where the word has its bit ``k``, counted from the lowest."""
    return _trailing(_deposit(bit(k), np.uint64(word)))


nth = nth_deposit if _has_deposit() else nth_plain
