"""Chains: published counts, brute force over all sets, and counts by hand."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.games.cigale.chains import CHAIN_RULES, legal_chains, neighbours

NONE: frozenset[int] = frozenset()


@pytest.mark.parametrize(
    ("rule", "count"), [("touching", 1444), ("connected", 496), ("path", 260), ("strict", 148)]
)
def test_full_square(rule: str, count: int) -> None:
    # Counts stated with the rules of the game for six ants on the 4x4 square.
    assert len(legal_chains(4, 4, NONE, 6, rule)) == count


def brute_force(
    height: int, width: int, holes: frozenset[int], ants: int, rule: str
) -> list[tuple[int, ...]]:
    """Every set of squares tried against the definition of the rule."""
    near = neighbours(height, width, holes)
    squares = [square for square in range(height * width) if square not in holes]
    return [chain for chain in combinations(squares, ants) if fits(near, chain, rule)]


def fits(near: list[int], chain: tuple[int, ...], rule: str) -> bool:
    links = {square: [other for other in chain if near[square] >> other & 1] for square in chain}
    if len(chain) == 1:
        return True
    if rule == "touching":
        return all(links.values())
    reached, ahead = {chain[0]}, [chain[0]]
    while ahead:
        for other in links[ahead.pop()]:
            if other not in reached:
                reached.add(other)
                ahead.append(other)
    if len(reached) < len(chain):
        return False
    if rule == "connected":
        return True
    if rule == "strict":
        return sorted(map(len, links.values())) == [1, 1] + [2] * (len(chain) - 2)
    return any(walk(links, [start], len(chain)) for start in chain)


def walk(links: dict[int, list[int]], path: list[int], length: int) -> bool:
    if len(path) == length:
        return True
    return any(walk(links, [*path, step], length) for step in links[path[-1]] if step not in path)


def test_against_brute_force() -> None:
    random = Random(1)
    for _ in range(60):
        height, width, ants = random.randint(1, 4), random.randint(1, 5), random.randint(1, 6)
        holes = frozenset(square for square in range(height * width) if random.random() < 0.2)
        for rule in CHAIN_RULES:
            assert list(legal_chains(height, width, holes, ants, rule)) == brute_force(
                height, width, holes, ants, rule
            )


def test_counts_by_hand() -> None:
    # A row of five: three ants in a chain start at square 0, 1 or 2; a hole in the middle leaves none.
    assert legal_chains(1, 5, NONE, 3, "path") == ((0, 1, 2), (1, 2, 3), (2, 3, 4))
    assert legal_chains(1, 5, frozenset({2}), 3, "path") == ()
    # Two pairs left and right of the hole touch in pairs without being connected.
    assert legal_chains(1, 5, frozenset({2}), 4, "touching") == ((0, 1, 3, 4),)
    # The 2x2 square closes to a ring: a Hamiltonian path exists, but every ant has two neighbours.
    assert legal_chains(2, 2, NONE, 4, "path") == ((0, 1, 2, 3),)
    assert legal_chains(2, 2, NONE, 4, "strict") == ()
    assert len(legal_chains(3, 3, NONE, 1, "strict")) == 9


def test_limits() -> None:
    assert legal_chains(2, 2, NONE, 5, "path") == ()
    with pytest.raises(BadInput, match="touching, connected, path, strict"):
        legal_chains(2, 2, NONE, 2, "straight")
    with pytest.raises(TooLarge, match="the limit is 100"):
        legal_chains(6, 6, NONE, 12, "touching", limit=100)
