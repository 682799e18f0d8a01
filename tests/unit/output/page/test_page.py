"""A page: nothing leaves its file, the same blocks give the same bytes, and drawing, JSON and blocks agree."""

import json
import math
import re

import numpy as np
import pytest

from belated.output.page import page as making
from belated.output.page.blocks import (
    Axis,
    Code,
    Curve,
    Curves,
    Facts,
    Group,
    Intervals,
    Look,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    Verdicts,
)
from belated.output.page.delays import law, traffic
from belated.output.page.page import banded, page
from support.reports import Report, reaching_out

NASTY = "</script><script>alert(1)</script> & <!-- \"x\" 'y' \udce9 日"


def curves(name="loss", points=2000, **given):
    """A picture with a band, a line and dots, of more points than are kept."""
    rng = np.random.default_rng(0)
    xs = list(range(1, points + 1))
    walk = rng.normal(size=points).cumsum() + 200.0
    made = (
        Curve("one", xs, walk.tolist(), (walk - 1).tolist(), (walk + 1).tolist()),
        Curve("two", xs, [math.nan, *(20.0 / each for each in xs[1:])], mark="step"),
        Curve("three", [1, 10, 100], [1.0, 2.0, 3.0], mark="dots", look=Look("grey")),
    )
    return Curves(name, "Loss by round", Axis("Round"), Axis("Loss"), made, **given)


def everything():
    rows = (Row("one", 2.0, 1.0, 3.0, "2.0", "1"), Row("four", 40.0, math.nan, math.nan, "40", "2", filled=False))
    table = Table("numbers", ("name", "value"), (Group("Some", (("one", "2.0"),)),), 1, ("n", "v"), (("one", 1 / 3),))
    ranks = Intervals("rank", "Ranks", Axis("Score"), rows, wide=True)
    plain = Table("words", ("name", "value"), (Group("", (("one", "2.0"),)),))
    verdict = Verdict("It is so.", "did not hold", "If it is.", (("Low", "it is not."),))
    return [
        Section("Pictures", (Text("Look."), curves(wide=True), ranks)),
        Section("Tables", (table, plain, Facts((("Command", ("run ", Code("this"), ".")),)), Verdicts((verdict,)))),
    ]  # fmt: skip


def made(sections=None, **given):
    return Report(page("A title", everything() if sections is None else sections, **given))


@pytest.fixture(scope="module")
def whole():
    return made(kicker="Kind", lead="Found.", warnings=["Beware."], command="belated paper", files=["runs.nc"])


def test_everything_is_on_the_page(whole):
    for words in (
        "Kind",
        "Found.",
        "Beware.",
        "belated paper",
        "runs.nc",
        "It is so.",
        "did not hold",
        "run this.",
        "Some",
    ):
        assert words in whole.words
    assert whole.classed("did-not-hold")
    assert whole.classed("warning")
    assert "belated paper" not in made().words


def test_nothing_reaches_out_of_the_file(whole):
    assert reaching_out(whole) == []


@pytest.mark.parametrize(
    "broken",
    [
        '<script src="https://somewhere/lib.js"></script>',
        '<link rel="stylesheet" href="//somewhere/a.css">',
        '<img src="picture.png">',
        "<style>@import 'x';</style>",
        "<style>p { background: url(x.png) }</style>",
        "<script>fetch('x')</script>",
    ],
)
def test_what_reaches_out_is_noticed(whole, broken):
    assert reaching_out(Report(whole.source.replace("</body>", f"{broken}</body>").encode())) != []


def test_the_same_blocks_give_the_same_bytes():
    assert page("A title", everything()) == page("A title", everything())


def test_names_of_any_letters_stay_names():
    figure = curves()._replace(title=NASTY, curves=(Curve(NASTY, [1, 2], [1.0, 2.0]),), caption=NASTY)
    ranks = Intervals("ranks", NASTY, Axis(NASTY), (Row(NASTY, 1.0, 0.0, 2.0, "1", NASTY),))
    table = Table("t", (NASTY, "b"), (Group(NASTY, ((NASTY, "1"),)),))
    sections = [Section(NASTY, (Text((NASTY, Code(NASTY))), figure, ranks, table, Facts(((NASTY, NASTY),))))]
    found = Report(page(NASTY, sections, kicker=NASTY, lead=NASTY, warnings=[NASTY], command=NASTY, files=[NASTY]))
    assert len(found.all("script")) == 4, "three pieces of data and the script"
    assert "alert" not in "".join(f"{name}{attrs}" for name, attrs in found.elements if "alert" in name)
    assert found.numbers("loss")["curves"][0]["name"] == NASTY
    assert found.words.count("alert(1)") >= 12


def test_data_that_could_end_its_element_is_noticed(monkeypatch):
    """A copy that does not escape; the reader of pages finds elements that nobody wrote, or data that are none."""
    monkeypatch.setattr(making, "as_json", lambda data: making.Markup(json.dumps(data)))
    figure = curves()._replace(curves=(Curve(NASTY, [1, 2], [1.0, 2.0]),))
    with pytest.raises((AssertionError, json.JSONDecodeError)):
        assert len(made([Section("x", (figure,))]).all("script")) == 2


def test_numbers_beside_the_picture_are_those_of_the_blocks(whole):
    block = curves()
    for curve in block.curves:
        xs, ys = whole.curve("loss", curve.name)
        assert len(xs) <= 600
        assert (xs[0], xs[-1]) == (curve.x[0], curve.x[-1])
        wanted = dict(zip(curve.x, curve.y, strict=True))
        for x, y in zip(xs, ys, strict=True):
            assert y is None if math.isnan(wanted[x]) else y == pytest.approx(wanted[x], rel=1e-6)
    one, two, three = whole.numbers("loss")["curves"]
    assert one["over"] == two["over"] != three["over"]
    assert np.subtract(one["high"], one["low"]) == pytest.approx(2.0, rel=1e-4)
    assert whole.numbers("rank")["rows"] == [["one", 2, 1, 3], ["four", 40, None, None]]
    assert whole.numbers("numbers") == {"file": "numbers", "header": ["n", "v"], "rows": [["one", 1 / 3]]}
    assert whole.numbers("words")["rows"] == [["one", "2.0"]]


def drawings(source):
    """Every drawing: its attributes, and the paths of its series."""
    for drawing in re.findall(
        r'<svg class="drawing.*?</svg>\s*</svg>|<svg class="drawing.*?</svg></svg>', source, re.S
    ):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', drawing.partition(">")[0]))
        inner = drawing.partition('<svg class="inner"')[2]
        series = re.findall(r'<g data-series="(\d+)">(.*?)</g>', inner)
        yield (
            attributes,
            {int(number): re.findall(r'<path class="([^"]*)" d="([^"]*)">', paths) for number, paths in series},
        )


def points_of(path):
    """The corners of a path of relative steps."""
    found, x, y = [], 0.0, 0.0
    for command, numbers in re.findall(r"([MlLHVz])([^MlLHVz]*)", path):
        given = [float(each) for each in re.findall(r"-?\d*\.?\d+", numbers)]
        if command in "Ml":
            x, y = (given[0], given[1]) if command == "M" else (x + given[0], y + given[1])
            found.append((x, y))
    return found


def misdrawn(report, file):
    """By how much, at most, a line that is drawn misses the numbers beside it, in units of the drawing."""
    data, worst = report.numbers(file), 0.0
    for attributes, series in drawings(report.source):
        if attributes.get("data-y") is None:
            continue
        x0, x1, y0, y1 = map(float, attributes["data-view"].split())
        _, _, width, height = map(float, attributes["data-box"].split())
        logs = [attributes[f"data-{axis}"] == "log" for axis in "xy"]
        (x0, x1), (y0, y1) = ([math.log10(each) for each in ends] if log else ends
                              for ends, log in zip(((x0, x1), (y0, y1)), logs, strict=True))  # fmt: skip
        for curve in data["curves"]:
            drawn = points_of(series[curve["series"]][-1][1])
            for x, y in zip(data["points"][curve["over"]], curve["y"], strict=True):
                if y is None:
                    continue
                across, up = (math.log10(each) if log else each for each, log in zip((x, y), logs, strict=True))
                place = (across - x0) / (x1 - x0) * width
                wanted = (1.0 - (up - y0) / (y1 - y0)) * height
                near = [each for each in drawn if abs(each[0] - place) < 0.02]
                line = np.interp(place, *zip(*drawn, strict=True)) if not near else None
                worst = max(worst, min([abs(each[1] - wanted) for each in near] or [abs(line - wanted)]))
    return worst


def test_what_is_drawn_are_the_numbers_in_every_scale(whole):
    found = list(drawings(whole.source))
    assert len(found) == 12, "two widths; two by two scales of the curves, and two of the intervals"
    shown = [attributes for attributes, _ in found if "hidden" not in attributes]
    assert len(shown) == 4
    assert misdrawn(whole, "loss") < 0.2


def test_a_curve_that_is_drawn_wrongly_is_noticed(monkeypatch):
    share = making.curves.Scale.share
    monkeypatch.setattr(
        making.curves.Scale, "share", lambda self, value: share(self, value * (1.01 if self.log else 1.0))
    )
    assert misdrawn(made(), "loss") > 0.2


def test_looks_differ_and_belong_to_names():
    several = tuple(Curve(f"learner {place}", [1, 2], [place, 2.0 * place]) for place in range(28))
    figure = curves()._replace(curves=several)
    found = made([Section("x", (figure, figure._replace(name="again", curves=several[::-1])))])
    keys = re.findall(r'<svg class="key".*?<path class="line (\w+) (\w+)"', found.source)
    assert len(set(keys)) == 28
    assert keys[:28] == keys[28:][::-1]
    series = re.findall(r'<button type="button" data-series="(\d+)"', found.source)
    assert series[:28] == series[28:][::-1]


def test_the_legend_says_the_last_numbers():
    figure = curves()._replace(curves=(Curve("one", [1, 2, 3], [1.0, 2.0, 3.5], [0.5] * 3, [4.25] * 3),))
    found = made([Section("x", (figure,))])
    assert "Round: 3 one 3.5 0.5 to 4.25" in found.words


@pytest.mark.parametrize("kind", ["date", "span", "names"])
def test_axes_of_every_kind_are_drawn_and_described(kind):
    axis = Axis("When", kind, names=("at once", "later\n2 d"))
    figure = Curves(
        "f", "F", axis, Axis("y"), (Curve("a", [0.0, 1.0], [1.0, 2.0], [0.0, 1.0], [2.0, 3.0], mark="dots"),)
    )
    words = made([Section("x", (figure,))]).words
    assert {"date": "1970-01-01 00:00", "span": "0 s", "names": "1 at at once, 2 at later, 2 d"}[kind] in words


def test_pictures_without_numbers_can_be_drawn():
    for ys in ([], [math.nan], [0.0], [5.0]):
        figure = Curves("f", "F", Axis("x"), Axis("y"), (Curve("a", [1.0][: len(ys)], ys),))
        assert made([Section("x", (figure,))]).classed("drawing")


def test_delays_are_counted_and_shared():
    few = law("d", "Delays", np.array([1, 2, 2, 9]))
    assert (list(few.curves[0].x), list(few.curves[0].y)) == ([1, 2], [25.0, 50.0])
    assert "25 %" in few.caption, "the one that would end after the last round"
    drawn = np.random.default_rng(0).integers(1, 500, 4000)
    many = law("d", "Delays", drawn).curves[0]
    for delay, share in list(zip(many.x, many.y, strict=True))[::50]:
        assert share == pytest.approx(100.0 * np.mean(drawn > delay))
    arrivals, missing = traffic("t", drawn)[0].curves
    counted = [sum(1 for k, d in enumerate(drawn[:t], start=1) if k + d - 1 >= t + 1) for t in (40, 80, 120)]
    assert missing.low[0] <= counted[0] <= missing.high[0]
    last = [sum(1 for k, d in enumerate(drawn[:t], start=1) if k + d - 1 > t) for t in range(41, 81)]
    assert (missing.low[1], missing.high[1]) == (min(last), max(last))
    assert missing.y[1] == pytest.approx(np.mean(last))
    arrived = [sum(1 for k, d in enumerate(drawn[:t], start=1) if k + d - 1 == t) for t in range(41, 81)]
    assert (arrivals.x[1], arrivals.y[1], missing.x[1]) == (41, max(arrived), 80)


def test_a_burst_is_seen_however_long_the_run():
    """All feedback of 100 rounds arrives at once, which a mean over rounds, or too many rounds, would hide."""
    for rounds in (200, 2000, 20_000):
        picture, *whole = traffic("t", 100 - np.arange(rounds) % 100, ", all")
        arrivals, missing = picture.curves
        assert max(arrivals.y) == 100
        assert max(missing.high) == 99
        assert np.count_nonzero(arrivals.y) == min(rounds, 910) // 100, "ten times 91, with a burst after each 100"
        assert "the most that came in one round" in picture.caption
        assert [each.title for each in whole] == ["In flight, whole run, all"] * (rounds > 910)
    assert picture.caption.startswith("Rounds 1 to 910 of 20,000. Of each 10 rounds:")
    assert whole[0].curves[0].x[-1] == 20_000
    assert all(abs(each - 49.5) < 1.0 for each in whole[0].curves[0].y), "a level, and no thicket"


def test_few_rounds_are_drawn_one_by_one():
    (short,) = traffic("t", np.full(60, 2))
    assert (short.curves[0].y[0], set(short.curves[0].y[1:]), short.caption) == (0, {1}, "")
    assert list(short.curves[1].low) == [], "one round has no least and no most"
    first, whole = traffic("t", np.full(61, 2))
    assert first.caption == "Rounds 1 to 60 of 61."
    assert whole.caption.startswith("Of each 10 or 11 rounds the mean")
    (never,) = traffic("t", np.full(70, 10**9))
    assert list(never.curves[1].high)[-1] == 70


def test_a_band_is_spoken_of_only_where_there_is_one():
    bare, band = Curve("a", [1], [1.0]), Curve("b", [1], [1.0], [0.0], [2.0])
    assert banded([bare], "it") == ""
    assert banded([bare, band], "it") == "The band is it."
    assert banded([band] * 7, "it").startswith("Point at a name to see the band"), "as the sheet of the page hides it"
    assert banded([band._replace(mark="dots")] * 7, "it") == "The pale bar at a point is it."


@pytest.mark.parametrize(("columns", "cards"), [(3, False), (4, True)])
def test_a_wide_table_has_its_heads_at_every_cell_for_narrow_screens(columns, cards):
    header = tuple(f"head {place}" for place in range(columns))
    found = made([Section("x", (Table("t", header, (Group("", (("a",) * columns,) * 2),)),))])
    assert (found.all("table")[0].get("class") == "cards") is cards
    cells = [attrs["data-head"] for tag, attrs in found.elements if tag in ("th", "td") and "data-head" in attrs]
    assert cells == [*header] * 2
    assert found.classed("scroll")[0]["tabindex"] == "0"
