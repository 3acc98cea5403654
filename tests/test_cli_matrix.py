"""``fable-solve matrix`` from files to output: formats, the contract's document, and every malformed file."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest

from fable_solve.cli.main import run
from fable_solve.solver import exact, nfg, programmes
from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.gamefiles import parse_csv, parse_json
from fable_solve.solver.matrix import MatrixGame
from fable_solve.solver.nfg import parse_nfg, to_nfg
from fable_solve.solver.numerals import numeral

PENNIES = "1,-1\n-1,1\n"
DILEMMA = "3,0\n5,1\n\n3,5\n0,1\n"

# The example of the format's description: 3 x 2, cells with the first player's action running fastest.
SELTEN = """NFG 1 R "Selten (IJGT, 75), Figure 2, normal form"
{ "Player 1" "Player 2" } { 3 2 }

1 1 0 2 0 2 1 1 0 3 2 0
"""
SELTEN_OUTCOMES = """NFG 1 R "Selten (IJGT, 75), Figure 2, normal form" { "Player 1" "Player 2" }
{
{ "1" "2" "3" }
{ "1" "2" }
}
"a comment, with a \\" and { braces }"
{
{ "" 1, 1 }
{ "both" 0, 2 }
{ "" 0, 3 }
{ "" 2, 0 }
}
1 2 2 1 3 4
"""


def call(capsys, *args: str) -> tuple[int, str, str]:
    code = run(["matrix", *args])
    out = capsys.readouterr()
    return code, out.out, out.err


def written(tmp_path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def document(capsys, path: str) -> dict:
    code, out, err = call(capsys, path, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_document_of_a_zero_sum_game(capsys, tmp_path):
    # Matching pennies: both mix evenly, value 0, nothing can vary.
    answer = document(capsys, written(tmp_path, "pennies.csv", PENNIES))
    assert answer["value"] == 0.0
    assert answer["zero_sum"] is True
    assert answer["equilibria"] == [
        {"row": [0.5, 0.5], "column": [0.5, 0.5], "payoffs": [0.0, 0.0], "exploitability": 0.0}
    ]
    assert answer["ranges"] == {"row": [[0.5, 0.5]] * 2, "column": [[0.5, 0.5]] * 2}
    assert answer["complete"] is True
    assert answer["ranges_complete"] is True
    assert answer["ranges_method"] == "exact"
    assert answer["certificate"]["kind"] == "exact"
    # Nothing is rounded but the probabilities, which as floats are exact to 2**-53 = 1.1e-16.
    assert answer["certificate"]["tolerance"] == 2e-16
    assert answer["certificate"]["exploitability"] == 0.0
    assert answer["certificate"]["relative_exploitability"] == 0.0


def test_document_of_a_game_with_two_payoffs(capsys, tmp_path):
    # The prisoners' dilemma: only defection, payoffs (1, 1); no value.
    answer = document(capsys, written(tmp_path, "dilemma.csv", DILEMMA))
    assert answer["value"] is None
    assert answer["zero_sum"] is False
    assert [e["payoffs"] for e in answer["equilibria"]] == [[1.0, 1.0]]
    assert answer["ranges"]["row"] == [[0.0, 0.0], [1.0, 1.0]]


def test_a_large_game_with_two_payoffs_has_only_bounds_beyond_the_limit(capsys, tmp_path):
    rows = [[(7 * i * i + 3 * j * j + i * j) % 23 for j in range(12)] for i in range(12)]
    columns = [[(5 * i * i + 11 * j * j + 2 * i * j) % 29 for j in range(12)] for i in range(12)]
    path = written(tmp_path, "large.json", json.dumps({"row": rows, "column": columns}))
    code, out, _ = call(capsys, path, "--format", "json", "--limit", "300000")
    answer = json.loads(out)
    assert code == 0
    assert answer["complete"] is False
    assert answer["ranges"] == {"row": [[0.0, 1.0]] * 12, "column": [[0.0, 1.0]] * 12}
    assert answer["ranges_complete"] is False
    assert answer["ranges_method"].startswith("outer bounds, proved")
    assert len(answer["equilibria"]) >= 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("game.csv", DILEMMA),
        ("game.csv", "\ufeff3, 0\r\n5 ,1\r\n \r\n\r\n3,5\r\n0,1\r\n\r\n"),
        ("game.csv", '"3","0"\n"5","1"\n\n3,5\n0,1'),
        ("game.JSON", '{"row": [[3, 0], [5, 1]], "column": [[3, 5], [0, 1]]}'),
        ("game.nfg", 'NFG 1 R "" { "" "" } { 2 2 } 3 3 5 0 0 5 1 1'),
    ],
)
def test_every_format_gives_the_same_document(capsys, tmp_path, name, text):
    expected = document(capsys, written(tmp_path, "expected.csv", DILEMMA))
    assert document(capsys, written(tmp_path, name, text)) == expected


@pytest.mark.parametrize("text", [PENNIES, '{"row": [[1, -1], [-1, 1]]}', " [[1, -1], [-1, 1]]", None])
def test_standard_input_is_told_by_its_start(capsys, monkeypatch, text):
    text = text or to_nfg(MatrixGame([[1, -1], [-1, 1]]), "")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert document(capsys, "-")["value"] == 0.0


def test_csv_and_table_show_what_the_document_holds(capsys, tmp_path):
    path = written(tmp_path, "rps.csv", "0,1,-1\n-1,0,1\n1,-1,0\n0,1,-1\n")
    answer = document(capsys, path)
    rows = list(csv.DictReader(io.StringIO(call(capsys, path, "--format", "csv")[1])))
    for number, equilibrium in enumerate(answer["equilibria"], start=1):
        for player in ("row", "column"):
            lines = [r for r in rows if r["equilibrium"] == str(number) and r["player"] == player]
            assert [float(r["probability"]) for r in lines] == equilibrium[player]
            assert [[float(r["lowest"]), float(r["highest"])] for r in lines] == answer["ranges"][player]
    code, out, err = call(capsys, path)
    assert (code, err) == (0, "")
    assert "Value to the row player: 0" in out
    assert "2 extreme equilibria" in out


def test_a_tolerance_that_rounding_cannot_reach_is_exit_3(capsys, tmp_path):
    # The even mixture over three actions is not a float, so its exploitability is not 0.
    path = written(tmp_path, "odd.csv", "1,0,0\n0,3,0\n0,0,7\n")
    code, out, err = call(capsys, path, "--tolerance", "0", "--format", "json")
    assert code == 3
    assert err.startswith("error: expected an exploitability of at most 0 of the payoffs' range, got ")
    assert err.count("\n") == 1
    # What was reached is the same answer as with the default tolerance, and says its exploitability.
    assert json.loads(out) == document(capsys, path)
    assert 0 < json.loads(out)["equilibria"][0]["exploitability"] <= 1e-15
    code, out, _ = call(capsys, path, "--tolerance", "0")
    assert (code, out) == (3, call(capsys, path)[1])


@pytest.mark.parametrize("text", ["1,-1\n-1,1\n", "1,-1\n-1,1\n\n-1,1\n1,-2\n"])
def test_what_bad_methods_reach_is_printed_too(capsys, tmp_path, monkeypatch, text):
    # No method ends: the even mixtures, whose gains are those of the game worked out by hand.
    monkeypatch.setattr(exact, "check_length", too_large)
    monkeypatch.setattr(programmes, "mixtures", lambda game: [])
    code, out, err = call(capsys, written(tmp_path, "game.csv", text), "--format", "json")
    answer = json.loads(out)
    # Zero-sum: matching pennies, the even mixtures are the equilibrium. Otherwise the second player gains
    # 0 - (-1/4) by the first column, of a range of 3.
    expected = 0.0 if answer["zero_sum"] else 0.25
    assert answer["equilibria"][0]["exploitability"] == expected
    assert answer["certificate"]["tolerance"] >= expected
    assert code == (0 if answer["zero_sum"] else 3)
    assert answer["complete"] is False
    assert err.count("\n") == (0 if answer["zero_sum"] else 1)


def too_large(*_: object) -> None:
    raise TooLarge("operations", 2, 1)


def test_the_tolerance_covers_the_rounding_of_the_value(capsys, tmp_path):
    # Saddle points of 1e9 + 1e-9 and of 1/3: a float near 1e9 is right to 2**-24 = 6e-8, near 1/3 to 2**-55.
    for text in ("1000000000.000000001", "1/3", "-98765432123456789/1000", "1e300", "1e-300"):
        answer = document(capsys, written(tmp_path, "one.csv", text))
        error = abs(Fraction(answer["value"]) - Fraction(text))
        assert error <= Fraction(answer["certificate"]["tolerance"])
    out = call(capsys, written(tmp_path, "one.csv", "1000000000.000000001"))[1]
    assert "How sure: exact (±2e-07); the tolerance is that of value and payoffs" in out
    assert "exploitability at most 0, 0 of the payoffs' range" in " ".join(out.split())
    # The value is printed with every digit of the float, not with fewer than the tolerance says.
    assert (
        "Value to the row player: 0.3333333333333333\n"
        in call(capsys, written(tmp_path, "one.csv", "1/3"))[1]
    )


def test_an_action_in_use_does_not_look_unused(capsys, tmp_path):
    # [[1e20, 0], [0, 1]]: row 1 is played with 1 / (1 + 1e20) = 1e-20, and its range is that point.
    out = call(capsys, written(tmp_path, "small.csv", "1e20,0\n0,1\n"))[1]
    line = next(line for line in out.splitlines() if line.split()[1:3] == ["row", "1"])
    assert line.split()[3:6] == ["1e-20"] * 3


def test_numbers_are_taken_literally(capsys, tmp_path):
    # 0.1 + 0.2 against 0.3: as decimals the column player is indifferent, so both columns may be played.
    answer = document(capsys, written(tmp_path, "tenths.csv", "0.3,3e-1,3/10\n"))
    assert answer["ranges"]["column"] == [[0.0, 1.0]] * 3
    assert parse_csv("0.1,.5,-1/3\n", "f").exact[0] == ((Fraction(1, 10), Fraction(1, 2), Fraction(-1, 3)),)
    assert parse_json("[[0.1, 1e2, -0]]", "f").exact[0] == ((Fraction(1, 10), 100, 0),)


CSV_FAULTS = [
    ("", "expected at least one row of payoffs, got an empty file"),
    ("\n \n", "expected at least one row of payoffs, got an empty file"),
    ("1,2\n3\n", "line 2: expected 2 payoffs, as in the first row, got 1"),
    ("1,2\n3,x\n", "line 2, column 2: expected a number such as 3, -0.5 or 1/3, got 'x'"),
    ("1,\n", "line 1, column 2: expected a number such as 3, -0.5 or 1/3, got ''"),
    ("nan,1\n", "line 1, column 1: expected a number such as 3, -0.5 or 1/3, got 'nan'"),
    ("inf\n", "line 1, column 1: expected a number such as 3, -0.5 or 1/3, got 'inf'"),
    ("1_0\n", "line 1, column 1: expected a number such as 3, -0.5 or 1/3, got '1_0'"),
    ("١\n", "line 1, column 1: expected a number such as 3, -0.5 or 1/3, got '١'"),
    ("1/0\n", "line 1, column 1: expected a number such as 3, -0.5 or 1/3, got '1/0'"),
    ("1e999\n", "line 1, column 1: expected 0 or a number of size 1e-300 to 1e300, got '1e999'"),
    ("1e999999999999\n", "line 1, column 1: expected 0 or a number of size 1e-300 to 1e300"),
    ("1e-301\n", "line 1, column 1: expected 0 or a number of size 1e-300 to 1e300, got '1e-301'"),
    ("9" * 500 + "\n", "line 1, column 1: expected a number such as 3, -0.5 or 1/3, got '9999"),
    ("1\n\n2\n\n3\n", "line 5: expected at most two blocks of payoffs, got a third"),
    (
        "1,2\n\n\n1\n2\n",
        "line 4, column block: expected 1 x 2 payoffs of the column player, as for the row player, got 2 x 1",
    ),
    ('1,"2\n', "line 1: expected comma-separated payoffs, got unexpected end of data"),
    ("1,\x00\n", "line 1, column 2: expected a number such as 3, -0.5 or 1/3, got '\\x00'"),
]
CSV_FAULTS += [
    # Only LF, CRLF and CR end a line: what else Python calls a line end is part of a cell.
    ("1,2\f3,4\n", "line 1, column 2: expected a number such as 3, -0.5 or 1/3, got '2\\x0c3'"),
    ("1,2\n3,4\u20285\n", "line 2, column 2: expected a number such as 3, -0.5 or 1/3, got '4\\u20285'"),
    ("1\r2\r\nx\n", "line 3, column 1: expected a number"),
    ("1\x852\n", "line 1, column 1: expected a number"),
]
JSON_FAULTS = [
    ("", "expected valid JSON, got Expecting value: line 1 column 1 (char 0)"),
    ("{", "expected valid JSON"),
    ("3", "top level: expected a table with row and column, or a list of rows, got 3"),
    ("[]", "top level: expected a table with row and column, or a list of rows, got []"),
    ("null", "top level: expected a table with row and column, or a list of rows, got null"),
    ('"x"', 'top level: expected a table with row and column, or a list of rows, got "x"'),
    ("[[]]", "[0]: expected a list of payoffs, got []"),
    ("[1, 2]", "[0]: expected a list of payoffs, got 1"),
    ('[[1], "1"]', '[1]: expected a list of payoffs, got "1"'),
    ('[[1], {"a": 1}]', "[1]: expected a list of payoffs, got a table"),
    ("{}", "row: expected a value (the key is required), got none"),
    ('{"row": 3}', "row: expected a list of rows of payoffs, got 3"),
    ('{"row": [[1, "2"]]}', 'row[0][1]: expected a number, got "2"'),
    ('{"row": [[1, [2]]]}', "row[0][1]: expected a number, got a list"),
    ('{"row": [[true]]}', "row[0][0]: expected a number, got true"),
    ('{"row": [[null]]}', "row[0][0]: expected a number, got null"),
    ('{"row": [[1, NaN]]}', "row[0][1]: expected a number such as 3, -0.5 or 1/3, got NaN"),
    ('{"row": [[-Infinity]]}', "row[0][0]: expected a number such as 3, -0.5 or 1/3, got -Infinity"),
    ('{"row": [[1, 2], [3]]}', "row[1]: expected 2 payoffs, as in the first row, got 1"),
    ('{"row": [[1]], "column": [[1, 2]]}', "column: expected 1 x 1 payoffs of the column player"),
    ('{"row": [[1]], "columns": [[1]]}', "columns: expected a known key (nearest: column), got 'columns'"),
    ('{"row": [[1]], "column": null}', "column: expected a list of rows of payoffs, got null"),
    ('{"row": [[1]], "\\u001b": 1}', '"\\u001b": expected a known key'),
    ('{"row": [[1]], "row": [[2]]}', "row: expected each key once, got the key twice"),
    ("[" * 100_000, "expected valid JSON, got too deep a nesting"),
    ("[[1e999999999]]", "[0][0]: expected 0 or a number of size 1e-300 to 1e300"),
]
HEAD = 'NFG 1 R "" { "a" "b" } '
NFG_FAULTS = [
    ("", "line 1: expected NFG (a strategic game starts with NFG 1 R), got the end of the file"),
    ("EFG 2 R", "line 1: expected NFG (a strategic game starts with NFG 1 R), got 'EFG'"),
    ("NFG 2 R", "line 1: expected 1 (a strategic game starts with NFG 1 R), got '2'"),
    ("NFG 1 Q", "line 1: expected R or D (the kind of numbers), got 'Q'"),
    ("NFG 1 R title", "line 1: expected the title in double quotes, got 'title'"),
    ('NFG 1 R "title', "line 1: expected the title in double quotes, got '\"'"),
    ('NFG 1 R "" { "a" "b" "c" } { 1 1 1 } 1 1 1', "players: expected 2 players, got 3"),
    ('NFG 1 R "" { ' + '"a" ' * 400, "players: expected 2 players, got more than 300"),
    ('NFG 1 R "" { "a" } { 1 } 1', "players: expected 2 players, got 1"),
    (HEAD + "{ 2 2 2 2 }", "actions: expected 2 players, got the actions of a third"),
    (HEAD + "{ 0 1 }", "actions: expected at least one action for each player, got none"),
    (HEAD + "{ 1.5 1 }", "line 1: expected a number of actions, got '1.5'"),
    (HEAD + "{ 1 1 } 1", "line 1: expected 2 payoffs, two a cell, got the end of the file"),
    (HEAD + "{ 1 1 }\r1\rx", "line 3: expected a number such as 3, -0.5 or 1/3, got 'x'"),
    (HEAD + "{ -1 1 }", "line 1: expected a number of actions, got '-1'"),
    (HEAD + "{ 1 1 }\n1\nx", "line 3: expected a number such as 3, -0.5 or 1/3, got 'x'"),
    (HEAD + "{ 1 1 } 1 2 3", "line 1: expected the end of the file after the last cell, got '3'"),
    (HEAD + '{ { "x } ', 'line 1: expected a text in double quotes or "}", got \'"\''),
    (HEAD + '{ 1 1 } { { "" 1 } } 1', "line 1: expected two payoffs, got '}'"),
    (
        HEAD + '{ 1 1 } { { "" 1 1 } } 2',
        "line 1: expected 1 outcome numbers from 0 to 1, one a cell, got '2'",
    ),
    (HEAD + '{ 1 1 } { { "" 1 1 } ', "line 1: expected an outcome"),
]


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [("csv", *fault) for fault in CSV_FAULTS]
    + [("json", *fault) for fault in JSON_FAULTS]
    + [("nfg", *fault) for fault in NFG_FAULTS],
)
def test_malformed_files_are_one_line_with_the_place(capsys, tmp_path, suffix, text, message):
    path = written(tmp_path, f"game.{suffix}", text)
    code, out, err = call(capsys, path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("game.txt", b"1\n", "expected a file ending in .csv, .json or .nfg, got .txt"),
        ("game", b"1\n", "expected a file ending in .csv, .json or .nfg, got no suffix"),
        ("game.csv", b"1,\xff\n", "expected text in UTF-8, got byte 0xff at 2"),
        ("game.csv", None, "expected a readable file, got no such file"),
    ],
)
def test_files_that_cannot_be_read(capsys, tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert call(capsys, str(path)) == (2, "", f"error: {path}: {message}\n")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("wide.csv", ",".join(["1"] * 302), "line 1: ... at least 302 actions of a player, the limit is 300"),
        ("tall.csv", "1\n" * 999, "line 1: ... at least 999 actions of a player, the limit is 300"),
        ("much.csv", "1\n" * 400_000, "... at least 400000 commas and line ends, the limit is 360000"),
        ("tall.json", json.dumps([[1]] * 301), "... at least 301 actions of a player, the limit is 300"),
        ("tall.json", '{"row": [[[1]]' + ",3" * 9999 + "]}", "row: ... at least 10000 actions of a player"),
        ("wide.json", json.dumps([[1] * 500]), "[0]: ... at least 500 actions of a player"),
        ("much.json", '{"row": ["x"' + ",[1]" * 400_000, "... at least 400000 commas, the limit is 360000"),
        ("tall.nfg", HEAD + "{ 301 1 }", "... at least 301 actions of a player, the limit is 300"),
        ("named.nfg", HEAD + '{ { "a"' + ' "b"' * 400, "... at least 301 actions of a player"),
        ("huge.nfg", HEAD + "{ 1000000 1 }", "... at least 1000000 actions of a player"),
        ("absurd.nfg", HEAD + "{ 99999999999 1 }", "... at least 99999999999 actions of a player"),
        ("much.nfg", HEAD + "{ 1 1 } {" + '{ "" 1 1 }' * 90_001, "... at least 90001 outcomes, the limit is"),
    ],
)
def test_a_game_with_too_many_actions_is_exit_4(capsys, tmp_path, name, text, message):
    # Where the size can be seen it is the one in the message; every line starts with the file.
    path = written(tmp_path, name, text)
    code, out, err = call(capsys, path)
    assert (code, out) == (4, "")
    assert err.startswith(f"error: {path}: " + message.replace("...", "too large to solve exactly:"))
    assert err.count("\n") == 1


def test_a_file_too_long_is_refused_before_it_is_read_as_a_game(capsys, tmp_path):
    path = written(tmp_path, "long.csv", "1" * (17 * 2**20))
    expected = "expected at most 16 MiB (a game of 300 x 300 takes less), got 17.0 MiB"
    assert call(capsys, path) == (2, "", f"error: {path}: {expected}\n")


def test_the_largest_game_fits_in_every_format():
    # 300 x 300 with two payoffs of 17 digits a cell: below all limits on sizes.
    payoffs = [[Fraction(10**16 + 300 * i + j, 10**16) for j in range(300)] for i in range(300)]
    decimals = "\n".join(",".join(f"{float(a):.17f}" for a in line) for line in payoffs)
    rows = "[" + ",\n".join(f"[{line}]" for line in decimals.splitlines()) + "]"
    for parse, text in (
        (parse_csv, f"{decimals}\r\n\r\n{decimals}"),
        (parse_json, f'{{"row": {rows}, "column": {rows}}}'),
        (parse_nfg, to_nfg(MatrixGame(payoffs, payoffs), "")),
    ):
        assert len(text) < 16 * 2**20
        assert parse(text, "f").shape == (300, 300)


def test_surplus_numbers_are_not_read(monkeypatch):
    # Two cells of two payoffs each, then a million more: the reader stops at the first of them.
    read = []
    monkeypatch.setattr(nfg, "numeral", lambda text: read.append(text) or numeral(text))
    with pytest.raises(BadInput, match="end of the file after the last cell, got '7'"):
        parse_nfg(HEAD + "{ 2 1 } 1 2 3 4" + " 7" * 10**6, "f")
    assert read == ["2", "1", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    "option", [("--limit", "0"), ("--tolerance", "-1"), ("--tolerance", "2"), ("--format", "x")]
)
def test_options_out_of_range(capsys, tmp_path, option):
    code, out, err = call(capsys, written(tmp_path, "pennies.csv", PENNIES), *option)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: matrix: {option[0]}: expected ")


def test_a_tolerance_that_is_no_number(capsys, tmp_path):
    code, out, err = call(capsys, written(tmp_path, "pennies.csv", PENNIES), "--tolerance", "nan")
    assert (code, out, err) == (2, "", "error: tolerance: expected a number of at least 0, got nan\n")


def test_both_versions_of_the_format_give_the_published_table():
    # Row and column player's payoffs as the format's description reads its own example.
    row = ((1, 1), (0, 0), (0, 2))
    column = ((1, 1), (2, 3), (2, 0))
    for text in (SELTEN, SELTEN_OUTCOMES):
        assert parse_nfg(text, "f").exact == (row, column)


def test_outcome_zero_pays_nobody():
    game = parse_nfg(HEAD + '{ 2 1 } { { "" 1/3 -.5e1 } } 0 1', "f")
    assert game.exact == (((0,), (Fraction(1, 3),)), ((0,), (-5,)))


@pytest.mark.parametrize(
    "game",
    [
        MatrixGame([[1, -1], [-1, 1]]),
        MatrixGame([[Fraction(1, 3), 0.1, -2e9]], [[5, 6, Fraction("1e-9")]], ['a "b"'], ["\\", "é {", ""]),
    ],
)
def test_the_writer_round_trips(game):
    again = parse_nfg(to_nfg(game, 'a "title" \\', game.row_names, game.column_names), "f")
    assert again.exact == game.exact
    assert (again.row_names, again.column_names) == (game.row_names, game.column_names)


def test_the_longest_numbers_are_still_numbers():
    assert numeral("1e300") == 10**300
    assert numeral("-" + "0" * 300 + "1.5") == Fraction(-3, 2)
    with pytest.raises(BadInput):
        numeral("1e+")
