"""Reports in a real browser: no error, no request, tables that sort, a square that agrees with ``advise``.

Run where Chromium is found (``CHROMIUM`` names it); ``make test-browser`` fails without one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fable_solve.cli.main import run
from fable_solve.reports.output import write_report
from fable_solve.solver.result import Result

pytestmark = pytest.mark.browser

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "expected Chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *QUIET])
        yield browser
        browser.close()


class Watched:
    """A page with what it said on the console and asked of the network."""

    def __init__(self, browser: Any, path: Path, width: int = 1200) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())


@pytest.fixture(scope="module")
def cigale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "cigale"
    assert run(["cigale", "--boards", "50", "--out", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("width", [400, 1200])
def test_pages_open_without_error_request_or_sideways_scrolling(
    browser: Any, cigale: Path, result: Result, tmp_path: Path, width: int
) -> None:
    write_report(result, str(tmp_path / "example"))
    for folder in (cigale, tmp_path / "example"):
        watched = Watched(browser, folder / "report.html", width)
        assert watched.said == []
        assert [url for url in watched.asked if not url.startswith(("file:", "data:"))] == []
        assert len(watched.asked) == 1
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
        watched.page.close()


def test_tables_sort_by_value(browser: Any, result: Result, tmp_path: Path) -> None:
    write_report(result, str(tmp_path))
    page = Watched(browser, tmp_path / "report.html").page
    table = page.locator("table", has=page.locator("caption", has_text="Shapes by value"))
    names = table.locator("tbody th")
    assert names.all_inner_texts() == ["(2,2,1,1)", "(3,2,1)", "(2,2,2)", "(4,1,1)", "(3,3)"]
    table.get_by_role("button", name="squares").click()
    # squares: 840, 1620, 1860, 123456 and 140, the smallest first
    assert names.all_inner_texts() == ["(3,3)", "(2,2,2)", "(3,2,1)", "(2,2,1,1)", "(4,1,1)"]
    table.get_by_role("button", name="squares").click()
    assert names.all_inner_texts()[0] == "(4,1,1)"
    assert table.locator("th[aria-sort=descending]").count() == 1
    # What is missing comes last either way.
    table.locator("td[data-value='123456'], td[data-value='123456.0']").evaluate(
        "cell => { delete cell.dataset.value; cell.textContent = '–'; }"
    )
    for _ in ("ascending", "descending"):
        table.get_by_role("button", name="squares").click()
        assert names.all_inner_texts()[-1] == "(4,1,1)"


def test_headings_that_sort_are_printed_on_every_page(browser: Any, result: Result, tmp_path: Path) -> None:
    write_report(result, str(tmp_path))
    page = Watched(browser, tmp_path / "report.html").page
    page.emulate_media(media="print", color_scheme="dark")
    # Chromium repeats a heading on the next page, but neither buttons in it nor what sticks to the window.
    for selector, name, wanted in (
        (".table thead th", "position", "static"),
        ("thead button", "display", "contents"),
    ):
        found = page.locator(selector).evaluate_all(f"all => all.map(one => getComputedStyle(one).{name})")
        assert set(found) == {wanted}
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.close()


def test_the_square_of_the_page_agrees_with_advise(
    browser: Any, cigale: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    watched = Watched(browser, cigale / "report.html")
    page, dice = watched.page, random.Random(5)
    for number in range(50):
        square = [
            [dice.choice("YBNR") + dice.choice(["", "", *"abcdef"]) for _ in range(4)] for _ in range(4)
        ]
        if number % 5 == 0:
            square[dice.randrange(4)][dice.randrange(4)] = "."
        shelves = [[dice.randrange(5) for _ in range(4)] for _ in range(2)]
        kept = [[dice.randrange(3) for _ in range(6)] for _ in range(2)]
        objective = ("points", "cards")[number % 2]
        set_page(page, square, shelves, kept, objective)
        shown = page.evaluate(ANSWER)
        expected = advised(square, shelves, kept, objective, tmp_path, capfd)
        assert shown["legal"] == expected["legal_chains"]
        assert shown["value"] == pytest.approx(expected["value"], abs=1e-9)
        for ours, theirs in zip(shown["chains"], expected["chains"], strict=True):
            assert ours["cells"] == [4 * row + column for row, column in theirs["cells"]]
            assert ours["value"] == pytest.approx(theirs["value"], abs=1e-9)
            assert ours["ant"] == pytest.approx(theirs["ant"], abs=1e-9)
            assert ours["cigale"] == pytest.approx(theirs["cigale"], abs=1e-9)
    assert watched.said == []


ANSWER = """() => {
  const games = document.getElementById("explore").explorer.ranked();
  const named = (shares) =>
    Object.fromEntries(Object.entries(shares).map(([kind, share]) => ["YBNR"[kind], share]));
  const chains = games.slice(0, 5).map((game) =>
    ({ cells: game.chain, value: game.value, ant: named(game.ant), cigale: named(game.cigale) }));
  return { legal: games.length, value: games[0].value, chains };
}"""

CLICKS = """([types, insects, shelves, kept, objective]) => {
  const root = document.getElementById("explore"), state = root.explorer.state;
  const until = (button, right) => { for (let n = 0; !right() && n < 9; n++) button.click(); };
  root.querySelectorAll(".place").forEach((place, cell) => {
    const [card, insect] = place.querySelectorAll("button");
    until(card, () => state.types[cell] === (types[cell] === -1 ? 0 : types[cell]));
    until(insect, () => state.insects[cell] === insects[cell]);
    if (types[cell] === -1) until(card, () => state.types[cell] === null);
  });
  const fields = [...root.querySelectorAll("fieldset")];
  fields.forEach((field, role) => [...field.querySelectorAll("input")].forEach((input, at) => {
    input.value = at < 4 ? shelves[role][at] : kept[role][at - 4];
    input.dispatchEvent(new Event("input"));
  }));
  const choice = root.querySelector("select");
  choice.value = objective;
  choice.dispatchEvent(new Event("change"));
}"""


def set_page(page: Any, square: Any, shelves: Any, kept: Any, objective: str) -> None:
    """Bring the page's square to the asked one by its own buttons and sliders."""
    cards = [card for row in square for card in row]
    types = ["YBNR".index(card[0]) if card != "." else -1 for card in cards]
    insects = ["abcdef".index(card[1]) if len(card) > 1 else None for card in cards]
    page.evaluate(CLICKS, [types, insects, shelves, kept, objective])


def advised(
    square: Any, shelves: Any, kept: Any, objective: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    document = {
        "game": "cigale",
        "players": 2,
        "board": [" ".join(row) for row in square],
        "shelves": shelves,
        "insects": [
            [letter for letter, n in zip("abcdef", own, strict=True) for _ in range(n)] for own in kept
        ],
        "ant": 0,
        "deck": [],
    }
    path = folder / "square.json"
    path.write_text(json.dumps(document))
    capfd.readouterr()
    assert run(["advise", str(path), "--objective", objective, "--format", "json"]) == 0
    answer: dict[str, Any] = json.loads(capfd.readouterr().out)
    return answer
