"""Errors reach the user from wherever they are raised."""

import pickle

import pytest

from fable_solve.solver.errors import BadInput, Interrupted, NotConverged, Refused, TooLarge, UnknownGame


@pytest.mark.parametrize(
    "error",
    [
        BadInput("a number", "x", where="file: key"),
        UnknownGame("a game", "x"),
        TooLarge("states", 5, 3, hint="fewer tiles", where="file"),
        NotConverged("0.1 is not 0.01"),
        Refused("no"),
        Interrupted("after 3 games"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_come_back_from_a_worker(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.exit_code == error.exit_code
