"""Bits of a word, compared with Python's own integers."""

from __future__ import annotations

import numpy as np
import pytest

from fable_solve.solver.kernel_bits import bit, length, lowest, nth, nth_plain, size
from fable_solve.solver.rng import Stream

WORDS = [0, 1, 1 << 63, (1 << 64) - 1, 0b1011000, *(Stream(7, i).bits() for i in range(20))]


@pytest.mark.parametrize("word", [np.uint64(word) for word in WORDS])
def test_bits_of_a_word(word: np.uint64) -> None:
    """The places are those of the ones in the word's binary digits, read from the right."""
    places = [place for place, digit in enumerate(reversed(f"{int(word):b}")) if digit == "1"]
    assert size(word) == len(places)
    assert lowest(word) == (places[0] if places else 64)
    assert length(word) == (places[-1] + 1 if places else 0)
    assert [nth(word, k) for k in range(len(places))] == places
    assert [nth_plain(word, k) for k in range(len(places))] == places
    assert sum(int(bit(place)) for place in places) == word
