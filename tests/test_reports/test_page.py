"""Figures and the page: one file, the same bytes every time, nothing fetched, nothing unescaped."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from fable_solve.reports.figures import Drawing, draw
from fable_solve.reports.html import MAX_ROWS, page
from fable_solve.reports.palette import PATHS, SERIES, ink
from fable_solve.solver.result import Chart, Result, Series

VOID = {"meta", "link", "br", "img", "hr", "input"}
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


class Outline(HTMLParser):
    """Elements with their attributes; fails on an element closed out of turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def drawings(result: Result) -> dict[str, Drawing]:
    return {item.name: draw(item) for item in (*result.charts, *result.boards)}


@pytest.fixture(scope="module")
def text(result: Result, drawings: dict[str, Drawing]) -> str:
    return page(result, drawings)


@pytest.fixture(scope="module")
def outline(text: str) -> Outline:
    return Outline(text)


def test_figures_are_well_formed_and_described(result: Result, drawings: dict[str, Drawing]) -> None:
    for item in (*result.charts, *result.boards):
        root = ElementTree.fromstring(drawings[item.name].file().encode())
        assert root.attrib["role"] == "img" and "viewBox" in root.attrib
        # 8 inches at the 72 points of an SVG inch are 768 pixels: readable at 800.
        assert float(root.attrib["width"].removesuffix("pt")) <= 8 * 72
        title, description = root[0], root[1]
        assert title.tag.endswith("title") and description.tag.endswith("desc")
        assert (description.text or "").startswith(item.alt[:10])


def test_figures_hold_vectors_only(drawings: dict[str, Drawing]) -> None:
    for drawing in drawings.values():
        assert "<image" not in drawing.svg and "<script" not in drawing.svg and "<text" not in drawing.svg


def test_figures_do_not_depend_on_the_users_settings(result: Result, drawings: dict[str, Drawing]) -> None:
    with mpl.rc_context({"lines.linewidth": 9, "axes.facecolor": "black", "svg.fonttype": "none"}):
        assert draw(result.charts[1]) == drawings[result.charts[1].name]
        assert mpl.rcParams["lines.linewidth"] == 9


def test_lines_of_one_place_are_bars() -> None:
    lines = [Series(name, [3], [value], [0.1]) for name, value in (("even", 0.0), ("first", -0.2))]
    bars = Series("", ["even", "first"], [0.0, -0.2], [0.1, 0.1])
    chart = Chart("one", "line", "Title", "seats", "in even shares", "alt", tuple(lines))
    assert draw(chart) == draw(replace(chart, kind="bar", x_label="seats: 3", series=(bars,)))


def test_titles_are_not_cut_by_long_labels() -> None:
    labels = [f"cell {number} of a comparison by a reading of the rules" for number in range(3)]
    title = "T" * 60
    long, short = (
        Chart("cut", "bar", title, "cell", "share", "alt", (Series("", names, [1.0, 2.0, 3.0]),))
        for names in (labels, ["a", "b", "c"])
    )
    # The title, drawn last, starts at 1 % of 576 points from the left, wherever the axes start.
    for one in (long, short):
        svg = draw(one).svg
        assert svg[svg.rindex('id="cut-text_') :].split("translate(")[1].startswith("5.76 ")


def test_odd_charts_are_drawn() -> None:
    def chart(kind: str, *series: Series, **more: object) -> Chart:
        return Chart("odd", kind, "$\\frac{", "$x", "$$y", "-- ]]> &", series, **more)  # type: ignore[arg-type]

    nan = float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("bar", "line", "step"):
            draw(chart(kind))
            draw(chart(kind, Series("一", ["a"], [0.0])))
            draw(chart(kind, Series("a", [1, 2], [nan, 1.0]), Series("b", [3, 2], [-1.0, 1e9])))
        draw(chart("heatmap", cells=((nan, 1.0), (0.0, 0.0)), x_labels=("a", "b"), y_labels=("c", "d")))
        draw(chart("heatmap", cells=((1.0,),), x_labels=("a",), y_labels=("b",), percent=True))


def test_identifiers_are_unique_and_found(text: str) -> None:
    identifiers = re.findall(r'\sid="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers))
    uses = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    assert uses and uses <= set(identifiers)


def test_nothing_is_fetched(text: str, outline: Outline) -> None:
    assert set(re.findall(r"""https?://[^"'\s<)]+""", text)) <= NAMESPACES
    assert not re.search(r"@import|url\((?!#)", text)
    for tag, attributes in outline.elements:
        assert not (attributes.keys() & {"src", "srcset", "data", "poster"}), tag
    assert [a["href"] for a in outline.all("link")] == ["data:,"]
    assert all(str(a["href"]).startswith("tables/") for a in outline.all("a"))


def test_values_are_escaped(result: Result, text: str, outline: Outline) -> None:
    assert "<script>alert" not in text
    assert len(outline.all("script")) == 1
    assert "\x1b" not in text
    shown = "".join(outline.text)
    # The odd string stands in a finding, a paragraph, a table, a chart's title, description and caption.
    assert shown.count("<script>alert(1)</script> & $x^2$ \ufffd[31m Été") == 6


def test_structure_for_every_reader(outline: Outline) -> None:
    assert outline.all("html") == [{"lang": "en"}]
    assert "viewport" in [meta.get("name") for meta in outline.all("meta")]
    headings = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))
    assert all(cell.get("scope") in ("row", "col") for cell in outline.all("th"))
    assert len(outline.all("svg")) == 6 and all(svg["role"] == "img" for svg in outline.all("svg"))


def test_the_page_says_what_it_must(result: Result, outline: Outline) -> None:
    shown = " ".join(" ".join(outline.text).split())
    order = [result.question, result.summary[0], "Headline numbers", "The best chain", "Shapes are counts"]
    order += ["More results", "insect_points", "Changed for this run", "Method", result.command]
    places = [shown.index(words) for words in order]
    assert places == sorted(places)
    for words in ("exact", "bracket", "sampled", "1.62 to 1.87", "two relaxations", "3f1c9a52b7d0", "54,321"):
        assert words in shown
    assert f"The first {MAX_ROWS} of {MAX_ROWS + 50} rows; the file has them all." in shown
    assert "Stored only" not in shown


def test_a_result_with_nothing_to_show(result: Result) -> None:
    bare = replace(
        result, findings=(), tables=(), charts=(), boards=(), sections=(), method=(), assumptions=()
    )
    bare = replace(bare, mode=None, objective=None, command="", rules={"digest": "0"}, parameters={})
    assert "No value is assumed" in "".join(Outline(page(bare, {})).text)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2.1."""

    def luminance(colour: str) -> float:
        values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_stands_out(text: str) -> None:
    # WCAG 2.1 AA asks 4.5 for text; light, dark and print palettes, on the page and on a card.
    palettes = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", text, re.S)
    ]
    assert len(palettes) == 3
    for colours in palettes:
        for ground in ("page", "card"):
            for name in ("text", "soft", "accent", "exact", "bracket", "sampled"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def test_labels_stand_out_on_squares() -> None:
    for fill in (*PATHS.values(), *SERIES):
        assert contrast(ink(fill), fill) >= 4.5
