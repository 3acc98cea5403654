"""Golden playthroughs: every kind of game still plays as its file tells (see playthroughs/regenerate.py)."""

import pytest
from playthroughs.regenerate import FOLDER, kinds, path, playthrough


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: path(*kind).stem)
def test_play_is_as_told(kind):
    told = path(*kind)
    assert told.exists(), "no such file yet: run python tests/playthroughs/regenerate.py"
    assert playthrough(*kind) == told.read_bytes().decode()


def test_no_file_is_left_over():
    assert {file.name for file in FOLDER.glob("*.txt")} == {path(*kind).name for kind in kinds()}
