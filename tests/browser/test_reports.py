"""The reports of the paper, of a comparison and of a log, opened from the file system in a real browser."""

import csv
import itertools
from contextlib import contextmanager

import numpy as np
import pytest

from belated.output.page.scales import Scale, read_text, tick_text, ticks
from support.reports import Report

LEARNERS = {"dogd-sc": [3.0, 4.0, 5.0], "dda": [40.0, 50.0, 45.0], "a name that is rather long, with commas": [9, 8, 7]}
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}
PHONE = {"width": 390, "height": 844}


def pages():
    """The files of three reports, by their names."""
    from belated.comparisons.page import report_page as of_comparison
    from belated.output.drawing import Drawing
    from belated.papers import report as paper
    from belated.papers.summary import rows
    from belated.papers.wan2021 import reproduce
    from belated.replays import report as logs
    from support.comparisons import invented
    from support.late_logs import late_log

    reproduction = reproduce(seeds=range(2), rounds=40)
    with pytest.MonkeyPatch.context() as quickly:
        quickly.setattr(logs.log_figure, "draw", lambda summary: Drawing(b"", b""))
        described = logs.describe_files(late_log(300).describe(), "How late answers are", "belated log", ("Beware.",))
    return {
        "paper": paper.report_page(reproduction, rows(reproduction)),
        "compare": of_comparison(invented(LEARNERS), ("runs.nc",)),
        "log": described["report.html"],
    }


@pytest.fixture(scope="module")
def reports(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = pages()
    for name, content in made.items():
        (folder / f"{name}.html").write_bytes(content)
    return {name: ((folder / f"{name}.html").as_uri(), Report(content)) for name, content in made.items()}


@contextmanager
def opened(browser, address, **given):
    """A page of its own; at the end nothing may have gone wrong on it, and nothing have been asked of a network."""
    context = browser.new_context(locale="de-DE", **given)
    context.set_default_timeout(10_000)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("request", lambda request: wrong.append(request.url) if not known(request.url, address) else None)
    page.goto(address)
    yield page
    context.close()
    assert wrong == []


def known(url, address):
    return url == address or url.startswith(("data:", "blob:"))


WIDE = """() => {
  const room = document.documentElement.clientWidth;
  const out = [...document.body.querySelectorAll("*")].filter((node) => node.checkVisibility()
    && !node.closest("svg, .scroll > *, .unseen") && node.getBoundingClientRect().right > room + 1);
  return [...out.map((node) => `wide: ${node.outerHTML.slice(0, 100)}`),
    ...(document.documentElement.scrollWidth > room ? ["the page scrolls sideways"] : [])];
}"""

TINY = """() => [...document.querySelectorAll("svg.drawing text")].map((node) => [node, node.getBoundingClientRect()])
  .filter(([, { height }]) => height > 0 && height < 11).map(([node]) => `tiny: ${node.textContent}`)"""


CUT = """() => [...document.querySelectorAll(".scroll:has(.cards)")].filter((node) => innerWidth < 500
  && node.scrollWidth > node.clientWidth + 1).map((node) => `cut: ${node.textContent.slice(0, 100)}`)"""
"""On a phone every cell of a table of many columns is seen without scrolling sideways."""


def lacking(page):
    """What on a page has no name, is too wide, cut off, too small or too pale."""
    from support.browsing import NAMELESS, PALE

    return [each for check in (NAMELESS, WIDE, CUT, TINY, PALE) for each in page.evaluate(check)]


@pytest.mark.parametrize("name", ["paper", "compare", "log"])
def test_reports_fit_a_phone_and_a_desk_in_both_themes(browser, reports, name):
    with opened(browser, reports[name][0], viewport=PHONE) as page:
        for theme, size in itertools.product(GROUNDS, (PHONE, {"width": 1280, "height": 800})):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size(size)
            assert lacking(page) == [], (theme, size)
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == GROUNDS[theme]


BREAKS = {
    "no name": "document.querySelector('figure').append(document.createElement('button'))",
    "wide": "document.querySelector('figure').style.width = '500px'",
    "cut": "document.querySelectorAll('.cards td').forEach((each) => { each.style.display = 'table-cell'; "
    "each.style.whiteSpace = 'nowrap'; })",
    "tiny": "document.querySelector('svg.drawing:not([hidden])').style.width = '200px'",
    "contrast": "document.querySelector('h1').style.color = '#999999'",
}


def test_what_is_wrong_with_a_report_is_found(browser, reports):
    with opened(browser, reports["compare"][0], color_scheme="light", viewport=PHONE) as page:
        page.evaluate("document.querySelectorAll('svg.wide').forEach((each) => each.remove())")
        for wrong, deed in BREAKS.items():
            page.evaluate(deed)
            assert any(each.startswith(wrong) for each in lacking(page)), wrong


def shown(page, name):
    """In which pictures lines of a name are drawn: the ids of the pictures."""
    return page.evaluate(
        """(name) => [...document.querySelectorAll("figure")].filter((figure) => {
          const entries = [...figure.querySelectorAll(".legend button")];
          const own = entries.find((each) => each.children[1].textContent === name);
          return own && [...figure.querySelectorAll(`.inner [data-series="${own.dataset.series}"]`)]
            .some((each) => each.getBoundingClientRect().width > 0);
        }).map((figure) => figure.id)""",
        name,
    )


def test_a_learner_is_hidden_in_all_pictures_by_mouse_and_by_keys(browser, reports):
    with opened(browser, reports["paper"][0]) as page:
        before = shown(page, "DOGD-SC")
        assert len(before) == 6, "losses, regrets and step sizes, in two settings"
        others = shown(page, "OGD-SC")
        button = page.locator("figure").nth(1).locator(".legend button", has_text="DOGD-SC").last
        assert button.get_attribute("aria-pressed") == "true"
        button.click()
        assert shown(page, "DOGD-SC") == []
        assert shown(page, "OGD-SC") == others
        assert set(page.locator(".legend button[aria-pressed=false] span").all_inner_texts()) == {"DOGD-SC"}
        page.keyboard.press("Space")  # the focus is still there
        assert shown(page, "DOGD-SC") == before
        page.keyboard.press("Enter")
        page.locator("[data-all]:visible").first.click()
        assert shown(page, "DOGD-SC") == before
        assert page.locator("[data-all]:visible").count() == 0


def taken_along(page, data, place):
    """Whether the file of a picture or a table has its name and its numbers."""
    with page.expect_download() as waiting:
        page.locator("button[data-csv]").nth(place).click()
    found = list(csv.reader(waiting.value.path().read_text().splitlines()))
    rows = [[number(cell) for cell in row] for row in found[1:]]
    return waiting.value.suggested_filename == f"{data['file']}.csv" and rows == wanted(data)


def test_every_number_can_be_taken_along(browser, reports):
    address, report = reports["paper"]
    with opened(browser, address, accept_downloads=True) as page:
        assert page.locator("button[data-csv]").count() == len(report.data) == 17
        for place in (0, 4, 8, 15):  # two pictures with bands, a table, and step sizes with gaps
            assert taken_along(page, report.data[place], place)
        table = {"header": ["a"], "rows": [['x,"y"\n', None]]}
        assert page.evaluate("(data) => belated.csv(belated.rowsOf(data))", table) == 'a\n"x,""y""\n",\n'


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def wanted(data):
    """The rows of a file, from the numbers beside a picture or a table."""
    if "rows" in data:
        return [
            [float(cell) if isinstance(cell, int) else "" if cell is None else cell for cell in row]
            for row in data["rows"]
        ]
    banded = any("low" in curve for curve in data["curves"])
    return [
        [curve["name"], float(x), *("" if each[place] is None else each[place] for each in columns)]
        for curve in data["curves"]
        for columns in [
            [curve["y"], *([curve.get("low", [None] * 600), curve.get("high", [None] * 600)] if banded else [])]
        ]
        for place, x in enumerate(data["points"][curve["over"]])
    ]


def test_numbers_are_read_out_and_parts_looked_at(browser, reports):
    address, report = reports["paper"]
    with opened(browser, address, viewport={"width": 1180, "height": 900}) as page:
        figure = page.locator("figure").first
        drawing = figure.locator("svg.drawing:visible")
        drawing.scroll_into_view_if_needed()
        state = "(figure) => [...figure.querySelectorAll('.at, .legend, .plot')].map((each) => each.innerHTML)"
        before = figure.evaluate(state)
        box = drawing.bounding_box()
        left, width = box["x"] + box["width"] * 46 / 420, box["width"] * 362 / 420
        page.mouse.move(left + width * (20 - 1) / 39, box["y"] + 100)
        rounds, losses = report.curve("figure1_low", "DOGD")
        assert figure.locator(".at").inner_text() == "Round: 20"
        assert rounds[19] == 20
        assert read_text(losses[19]) in figure.locator(".legend button", has_text="DOGD").first.inner_text()
        page.mouse.down()
        page.mouse.move(left + width * (30 - 1) / 39, box["y"] + 105, steps=3)
        page.mouse.up()
        view = [float(each) for each in figure.locator("svg.inner").first.get_attribute("viewBox").split()]
        assert view == pytest.approx([362 * 19 / 39, 0, 362 * 10 / 39, 216], abs=1.0)
        marks = [float(each) for each in drawing.locator(".axes text[text-anchor=middle]").all_text_contents()]
        assert marks == [20, 22, 24, 26, 28, 30]
        page.keyboard.press("ArrowLeft")
        assert figure.locator(".at").inner_text() == "Round: 29"
        figure.get_by_role("button", name="Reset zoom").click()
        page.mouse.move(0, 0)
        after = figure.evaluate(state)
        assert [each.replace(' tabindex="0"', "") for each in after] == [
            each.replace(' tabindex="0"', "") for each in before
        ]


def test_scales_can_be_changed(browser, reports):
    with opened(browser, reports["paper"][0]) as page:
        figure = page.locator("figure").first
        seen = figure.locator("svg.drawing:visible")
        found = []
        for axis in ("x", "y", "x"):
            figure.get_by_role("button", name=f"Logarithmic {axis} axis").click()
            assert seen.count() == 1
            found.append((seen.get_attribute("data-x"), seen.get_attribute("data-y")))
        assert found == [("log", "linear"), ("log", "log"), ("linear", "log")]


def same_arithmetic(page):
    """Whether the script finds the marks and the words that Python finds, for axes of every kind."""
    rng = np.random.default_rng(0)
    vectors = []
    for log, kind, most in itertools.product((False, True), ("number", "span", "date"), (3, 6)):
        for _ in range(12):
            low = float(10.0 ** rng.uniform(-3, 7) * (1 if log or rng.random() < 0.7 or kind == "span" else -1))
            high = low * 10.0 ** rng.uniform(0.1, 6) if log else low + 10.0 ** rng.uniform(-1, 11)
            vectors.append((log, low, float(high), kind, most))
    made = [ticks(Scale(log, low, high), kind, most) for log, low, high, kind, most in vectors]
    several = [(kind, places) for (*_, kind, _), places in zip(vectors, made, strict=True) if len(places) > 1]
    words = [(each, kind, places[1] - places[0]) for kind, places in several for each in places]
    reads = [(each, kind) for each, kind, _ in words] + [(each, "number") for each in (0, 12.5, 1e-9, 1e15, -3.25e5)]
    of_script = "(all) => all.map((each) => belated.%s(...each))"
    found = page.evaluate(of_script % "ticks", vectors)
    return (
        all(one == pytest.approx(other, rel=1e-9) for one, other in zip(found, made, strict=True))
        and page.evaluate(of_script % "tickText", words) == [tick_text(*each) for each in words]
        and page.evaluate(of_script % "readText", reads) == [read_text(*each) for each in reads]
    )


def test_the_script_has_the_arithmetic_of_the_drawings(browser, reports):
    with opened(browser, reports["log"][0]) as page:
        assert same_arithmetic(page)


def hides(page, report):
    page.locator(".legend button", has_text="DOGD-SC").first.click()
    return shown(page, "DOGD-SC") == []


MUTANTS = {
    "marks that are not round": ("[1, 2, 5, 10].find", "[1, 2, 4, 10].find", lambda page, _: same_arithmetic(page)),
    "other units": ('[3600, "h"]', '[3000, "h"]', lambda page, _: same_arithmetic(page)),
    "a learner that stays": ('classList.toggle("off", off)', 'classList.toggle("away", off)', hides),
    "one number for all": ("curve.y[at], ...more", "curve.y[0], ...more", lambda p, r: taken_along(p, r.data[0], 0)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_script_that_is_wrong_is_noticed(browser, reports, tmp_path, name):
    before, after, right = MUTANTS[name]
    source = reports["paper"][1].source
    assert source.count(before) == 1
    (tmp_path / "broken.html").write_text(source.replace(before, after))
    with opened(browser, (tmp_path / "broken.html").as_uri(), accept_downloads=True) as page:
        assert not right(page, reports["paper"][1])


def test_without_scripts_and_on_paper_the_same_is_shown(browser, reports):
    address, report = reports["compare"]
    with opened(browser, address, java_script_enabled=False, viewport=PHONE) as page:
        assert page.locator("svg.drawing:visible").count() == len(report.all("figure"))
        assert page.locator(".tools:visible").count() == 0
        assert page.locator("table:visible").count() == len(report.all("table"))
    with opened(browser, address, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.locator(".tools:visible").count() == 0
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.locator("svg.drawing:visible").count() == len(report.all("figure"))
        assert page.pdf(format="A4").startswith(b"%PDF")
