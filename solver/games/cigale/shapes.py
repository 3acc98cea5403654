"""Shapes of a chain: how many cards of each type it covers, types forgotten, as (2,2,1,1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fable_solve.solver.games.cigale.cards import TYPES
from fable_solve.solver.games.cigale.guessing import Guess, solve_guess

Shape = tuple[int, ...]


def shapes(ants: int, largest: int | None = None, types: int = len(TYPES)) -> Iterator[Shape]:
    """Every way of covering ``ants`` cards of at most ``types`` types, counts falling.

    >>> list(shapes(4))
    [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    """
    if ants == 0:
        yield ()
    if types == 0:
        return
    for first in range(min(ants, largest or ants), 0, -1):
        for rest in shapes(ants - first, first, types - 1):
            yield (first, *rest)


def shape_text(shape: Shape) -> str:
    """``2-2-1-1``."""
    return "-".join(map(str, shape))


@dataclass(frozen=True)
class ShapeGame:
    """A shape as a guessing game for cards, in which a type with n cards is worth n to either side."""

    shape: Shape
    guess: Guess

    @property
    def caught(self) -> float:
        """Probability that the Cigale guesses right, at the equilibrium."""
        return sum(p * q for p, q in zip(self.guess.ant, self.guess.cigale, strict=True))

    @property
    def moved(self) -> float:
        """Expected number of cards collected, by whoever collects them."""
        return sum(p * n for p, n in zip(self.guess.ant, self.shape, strict=True))

    @property
    def red_name(self) -> int:
        """Number of cards of a type a Red Ant does best to name: the largest ``p (1 - q)``."""
        chances = [p * (1 - q) for p, q in zip(self.guess.ant, self.guess.cigale, strict=True)]
        best = max(chances)
        return min(n for n, chance in zip(self.shape, chances, strict=True) if chance > best - 1e-12)

    @property
    def red_chance(self) -> float:
        """Probability that a Red Ant who names it draws a card (reward ``match``)."""
        return max(p * (1 - q) for p, q in zip(self.guess.ant, self.guess.cigale, strict=True))


def shape_game(shape: Shape) -> ShapeGame:
    """The equilibrium for cards of a shape, from the closed form."""
    return ShapeGame(shape, solve_guess(shape, shape))


def exact_value(shape: Shape) -> Fraction:
    """Value for cards of a shape as a fraction: with k types all named, ``(k - 2) / (sum of 1 / n)``.

    The support drops the types with the fewest cards while they are worth no more than the value of the
    rest (the same rule as :func:`~fable_solve.solver.games.cigale.kernel_guess.level`, in fractions). One
    type: ``-n``.

    >>> exact_value((2, 2, 1, 1)), exact_value((3, 2, 1)), exact_value((3, 3)), exact_value((6,))
    (Fraction(2, 3), Fraction(6, 11), Fraction(0, 1), Fraction(-6, 1))
    """
    kept = sorted(shape)
    if len(kept) == 1:
        return Fraction(-kept[0])
    while True:
        value = Fraction(len(kept) - 2) / sum(Fraction(1, n) for n in kept)
        smaller = [n for n in kept if n > value]
        if smaller == kept:
            return value
        kept = smaller
