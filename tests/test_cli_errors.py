"""Bad input at the command line: one line that says what was expected, what came and where; the exit code."""

# ruff: noqa: E501 (a table is read by its rows)

from __future__ import annotations

from pathlib import Path

import pytest

from fable_solve.cli.main import run

SQUARE = 'game = "cigale"\nmode = "automne"\nboard = ["Y B N R", "Y B N R", "Y B N R", "Y B N R"]\n'


def fails(capsys: pytest.CaptureFixture[str], *args: str, code: int = 2) -> str:
    """The one line on stderr of a command that must fail with ``code`` and print nothing else."""
    assert run(list(args)) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ") and err.count("\n") == 1, err
    return err.removeprefix("error: ").strip()


FILES = [
    # (file name, content, what the line says)
    ("no.toml", None, "no.toml: expected a readable file, got no such file"),
    ("folder.toml", "folder", "folder.toml: expected a readable file, got a folder"),
    ("square.yaml", SQUARE, "square.yaml: expected a file ending in .toml or .json, got .yaml"),
    ("square", SQUARE, "square: expected a file ending in .toml or .json, got no suffix"),
    ("square.toml", "game = \n", "square.toml: expected valid TOML, got"),
    ("square.json", '{"game": "cigale",', "square.json: line 1: expected valid JSON, got a fault: "),
    ("square.json", "[1, 2]", "square.json: expected a table of keys, got [1, 2]"),
    ("square.json", '{"game": NaN}', "square.json: expected valid JSON, got a fault: NaN"),
    # Python reads integers of at most 4300 digits, and hexadecimal ones of any length
    ("square.toml", f"ant = {'9' * 10_000}\n", "square.toml: expected numbers of at most 4300 digits, got a longer one"),
    ("square.toml", f'game = "cigale"\nant = [0x{"9" * 10_000}]\n', "square.toml: ant[0]: expected numbers of at most 4300 digits, got"),
    ("square.json", f'{{"ant": {"9" * 10_000}}}', "square.json: expected numbers of at most 4300 digits, got a longer one"),
    ("square.json", "[" * 100_000, "square.json: expected valid JSON, got too deep a nesting"),
    ("square.toml", "", "square.toml: game: expected a key 'game'"),
    ("square.toml", "\x00", "square.toml: expected valid TOML"),
    ("square.toml", 'game = "cigales"\n', "(nearest: cigale), got 'cigales'"),
    ("square.toml", "game = 3\n", "square.toml: game: expected one of"),
    ("square.toml", SQUARE.replace("automne", "winter"), "square.toml: mode: expected one of automne, hiver"),
    ("square.toml", SQUARE + "shelfs = 1\n", "shelfs: expected a known key (nearest: shelves), got 'shelfs'"),
    ("square.toml", SQUARE.replace('"Y B N R"]', '"Y B N"]'), "board[3]: expected 4 cards as in the first row, got 3"),
    ("square.toml", SQUARE.replace('["Y B', '["G B'), "expected a card (type Y B N R, optional insect a-f), got 'G'"),
    ("square.toml", SQUARE.replace('["Y B', '["Yg B'), "expected a card (type Y B N R, optional insect a-f), got 'Yg'"),
    ("square.toml", SQUARE.replace('["Y B N R", ', "[3, "), "board[0]: expected a valid string, got 3"),
    ("square.toml", 'game = "cigale"\nboard = []\n', "square.toml: board: expected at least one row"),
    ("square.toml", 'game = "cigale"\nboard = "Y B"\n', "square.toml: board: expected a list, got 'Y B'"),
    ("square.toml", SQUARE + "ant = 2\n", "square.toml: ant: expected a seat from 0 to 1, got 2"),
    ("square.toml", SQUARE + "ant = 1\ncigale = 1\n", "square.toml: cigale: expected another seat than the ant's, got 1"),
    ("square.toml", SQUARE + "players = 1\n", "square.toml: players: expected greater than or equal to 2, got 1"),
    ("square.toml", SQUARE + "players = 5\n", "square.toml: players: expected less than or equal to 4, got 5"),
    ("square.toml", SQUARE + "players = true\n", "square.toml: players: expected a valid integer, got True"),
    ("square.toml", SQUARE + "shelves = [[0, 0, 0, 9], [0, 0, 0, 0]]\n", "shelves[0][3]: expected a place from 0 to 4, got 9"),
    ("square.toml", SQUARE + "shelves = [[0, 0, 0, 0]]\n", "shelves: expected 2 lists, one a player, got 1"),
    ("square.toml", SQUARE + 'insects = [["g"], []]\n', "insects[0][0]: expected an insect a-f, with or without its type, got 'g'"),
    ("square.toml", SQUARE + 'row = ["red"]\n', "square.toml: row: expected a key of mode automne"),
    ("square.toml", SQUARE + "[rules]\nants = 17\n", "square.toml: board: expected at least 17 squares (one an ant), got 16"),
    ("square.toml", SQUARE + "[rules]\nants = 0\n", "square.toml: rules.ants: expected greater than or equal to 1, got 0"),
    ("square.toml", SQUARE + "[rules]\nant = 5\n", "square.toml: rules.ant: expected a known key (nearest: ants), got 'ant'"),
    ("square.toml", SQUARE + '[rules]\nchain_rule = "line"\n', "square.toml: rules.chain_rule: expected 'touching', 'connected', 'path' or 'strict', got 'line'"),
    ("square.toml", SQUARE.replace("[", '[". . . .", ". . . .", ". . . ."]\nx = [', 1), "x: expected a known key"),
    ("square.json", '{"game": "cigale", "ant": 0, "ant": 1}', "expected valid JSON, got a fault: key 'ant' twice"),
    ("square.json", '{"game": "cigale", "board": ["Y", null]}', "square.json: board[1]: expected a value, got null"),
    ("square.toml", SQUARE + "[rules]\nboard = [5, 5]\n", "rules.board: expected the size of the position's board, [4, 4], got [5, 5]"),
    ("square.toml", 'game = "cigale"\nboard = ["Y . B"]\n[rules]\nants = 2\n', "board on which 2 ants can form a chain"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "line"), FILES)
def test_positions(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | None,
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if content == "folder":
        Path(name).mkdir()
    elif content is not None:
        Path(name).write_text(content)
    assert line in fails(capsys, "advise", name)


OPTIONS = [
    (["cigales"], "expected a command or a game (nearest: cigale), got 'cigales'"),
    (["cigale", "--boards", "-5"], "--boards: expected a number in the range 2<=x<=1000000, got -5"),
    (["cigale", "--boards", "1e9"], "--boards: expected an integer, got '1e9'"),
    (["cigale", "--boards", "99999999999"], "--boards: expected a number in the range"),
    (["cigale", "--players", "1"], "--players: expected 2 to 4"),
    (["cigale", "--players", "5"], "--players: expected 2 to 4"),
    (["cigale", "--players", "4-2"], "--players: expected 2 to 4"),
    (["cigale", "--players", "two"], "--players: expected 2 to 4"),
    (["cigale", "--mode", "winter"], "--mode: expected one of automne, hiver, got 'winter'"),
    (["cigale", "--objective", "glory"], "--objective: expected one of 'cards', 'points', 'margin', 'win', got 'glory'"),
    (["cigale", "--chain-rule", "line"], "--chain-rule: chain_rule: expected 'touching'"),
    (["cigale", "--chain-rule", "path", "--set", "chain_rule=strict"], "expected --chain-rule or --set chain_rule=..., got both"),
    (["cigale", "--set", "ants"], "--set: expected KEY=VALUE, got 'ants'"),
    (["cigale", "--set", "ants=six"], "--set: ants: expected a valid integer, got 'six'"),
    (["cigale", "--set", "antz=6"], "--set: antz: expected a known key (nearest: ants), got 'antz'"),
    (["cigale", "--set", "path_cards.Y=3", "--out", "-"], "--set: path_cards: expected a value that fits the others (insect_cards: at most 3 insects on Y cards, not 6)"),
    (["cigale", "--set", "board=[7, 7]", "--out", "-"], "path_cards: expected at least 49 path cards for the square, got 48"),
    (["cigale", "--set", "board=[2, 2]", "--out", "-"], "ants: expected a square on which the ants can form a chain, got none"),
    (["cigale", "--seed", "-1"], "--seed: expected a number in the range"),
    (["cigale", "--rules", "no.toml"], "no.toml: expected a readable file"),
    (["cigale", "--position", "no.toml", "--out", "-"], "no.toml: expected a readable file"),
    (["cigale", "--format", "xml"], "--format: expected one of 'table', 'json', 'csv', 'md', got 'xml'"),
    (["enumerate", "cigale", "--mode", "winter"], "--mode: expected one of automne, hiver, got 'winter'"),
    (["rules", "cigal"], "GAME: expected one of butterfly, chenille, cigale, feuilles (nearest: cigale), got 'cigal'"),
    (["rules"], "rules: expected GAME, got nothing"),
    (["advise"], "advise: expected POSITION, got nothing"),
    (["--colour"], "expected a known option (nearest: --"),
    (["cigale", "--bords", "3"], "cigale: expected a known option (nearest: --boards), got --bords"),
    (["bench", "--seconds", "nan"], "--seconds: expected a number from 0.01 to 3600, got nan"),
    (["rules", "cigale", "--set", "prices.pink=YY"], "--set: prices: expected a known key (nearest: "),
    (["rules", "cigale", "--set", "shelf_points=[]"], "--set: shelf_points: expected at least 2 entries, got []"),
    (["cigale", "--out", ""], "--out: expected a folder or -, got ''"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "line"), OPTIONS)
def test_options(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert line in fails(capsys, *args)
    assert not list(tmp_path.iterdir())  # nothing half written


def test_mode_of_a_position_wins_over_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "square.toml"
    path.write_text(SQUARE)
    assert "--mode: expected the position's mode 'automne', got 'hiver'" in fails(
        capsys, "advise", str(path), "--mode", "hiver"
    )


def test_too_many_cards_matter_only_where_the_pile_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "square.toml"
    path.write_text('game = "cigale"\nboard = ["Ya Ya", "B N"]\n[rules]\nants = 2\n')
    assert run(["advise", str(path), "--objective", "cards"]) == 0
    capsys.readouterr()
    assert "expected at most 1 Ya cards (or a key deck), got 2" in fails(capsys, "solve", str(path))


def test_out_is_never_somebody_elses_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    line = fails(capsys, "cigale", "--boards", "2", "--out", str(tmp_path), code=1)
    assert "expected a new or empty folder or one of our reports, got other files" in line
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_full_square_is_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "square.toml"
    path.write_text(SQUARE)
    line = fails(capsys, "solve", str(path), "--max-states", "2000", code=4)
    assert line.startswith("too large to solve exactly: at least ") and "the limit is 2000" in line


def test_a_full_square_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Whatever the limit, the sequences of cards that may come are counted, not played.
    for mode in ("automne", "hiver"):
        path = tmp_path / "square.toml"
        path.write_text(SQUARE.replace("automne", mode))
        line = fails(capsys, "solve", str(path), "--max-states", "1000000000", code=4)
        assert line.startswith("too large to solve exactly: at least ")


def test_a_position_of_another_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "endgame.toml"
    path.write_text('game = "butterfly"\nboard = ["F"]\n')
    line = fails(capsys, "cigale", "--out", "-", "--boards", "2", "--position", str(path))
    assert line == f"{path}: game: expected 'cigale', got 'butterfly'"


def test_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*args: object, **keys: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fable_solve.solver.games.cigale.studies.gather", interrupt)
    line = fails(capsys, "cigale", "--out", "-", code=130)
    assert line == "interrupted after 0 steps; nothing was written"
