"""Every view on every screen, what the checks of views find, and the arithmetic behind what is shown."""

import numpy as np
import pytest

from support.browsing import lacking


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_fits_a_phone_has_names_and_can_be_read(served, watch, theme):
    name = f"view-in-{theme}-with-a-name-that-is-rather-long"
    path = served.learner(name, dim=12)
    for decision in ("first", "second"):
        served.post(f"{path}/ask", decision=decision)
    served.post(f"{path}/tell", decision="first", feedback=[0.5] * 12)
    watched = watch(color_scheme=theme, viewport={"width": 390, "height": 844})
    assert lacking(watched.page) == []
    page = watched.log_in(served.key)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    assert dark == (theme == "dark")
    at = f"#/learner/{name}"
    views = {
        "#/": ".learners tbody tr",
        "#/new": "form",
        "#/keys": "tbody tr",
        at: ".decisions tbody tr",
        f"{at}/decision/first": ".timeline li",
    }
    for view, shown in views.items():
        page.goto(f"/{view}")
        page.locator(shown).first.wait_for()
        assert lacking(page) == [], view
        page.set_viewport_size({"width": 1280, "height": 800})
        assert lacking(page) == [], view
        page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/{at}")
    page.get_by_role("button", name="Settings").click()
    assert lacking(page) == []


BREAKS = {
    "no name": "document.querySelector('main').append(document.createElement('button'))",
    "twice": "document.querySelector('main').append(document.querySelector('#said').cloneNode())",
    "wide": "document.querySelector('h1').style.width = '500px'",
    "contrast": "document.querySelector('h1').style.color = '#999999'",
}


@pytest.mark.parametrize("broken", BREAKS)
def test_what_is_wrong_with_a_view_is_found(watch, broken):
    page = watch(color_scheme="light", viewport={"width": 390, "height": 844}).page
    page.get_by_label("Key").wait_for()
    assert lacking(page) == []
    page.evaluate(BREAKS[broken])
    assert any(each.startswith(broken) for each in lacking(page))


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("document.body.setAttribute('style', 'color: red')", "policy: style-src"),
        ("document.head.append(Object.assign(document.createElement('script'), {text: '1'}))", "policy: script-src"),
        ("new Image().src = 'http://localhost:9/x.png'", "policy: img-src"),
        ("location.href = 'http://127.0.0.1:9/'", "foreign: http://127.0.0.1:9/"),
        ("setTimeout(() => { throw new Error('of its own') })", "error: of its own"),
    ],
)
def test_what_goes_wrong_on_a_page_is_noticed(watch, broken, told):
    watched = watch()
    watched.page.evaluate(f"() => {{ {broken}; }}")
    for _ in range(100):
        if any(told in each for each in watched.wrong):
            break
        watched.page.wait_for_timeout(50)
    assert any(told in each for each in watched.wrong)
    watched.wrong.clear()


SHOWN = [
    ("format.js", "span(192)", "3 min 12 s"),
    ("format.js", "span(0.0421)", "42.1 ms"),
    ("format.js", "span(59.7)", "1 min"),
    ("format.js", "span(90061)", "1 d 1 h"),
    ("format.js", "span(3605)", "1 h"),
    ("format.js", "span(null)", "\N{EN DASH}"),
    (
        "format.js",
        "behind(20).split('.')[0]",
        "The clock of the service's machine is some seconds behind the last event",
    ),
    ("format.js", "behind(60).split('.')[0]", "The clock of the service's machine is a minute behind the last event"),
    ("format.js", "behind(90061).split('.')[0]", "The clock of the service's machine is 1 d 1 h behind the last event"),
    ("format.js", "rate(0.2)", "0.2"),
    ("format.js", "rate(0.004)", "< 0.01"),
    ("format.js", "rate(1234.5)", "1\u202f235"),
    ("format.js", "number(-0.123456)", "\N{MINUS SIGN}0.1235"),
    ("format.js", "number(1e-9)", "1.00e\N{MINUS SIGN}9"),
    ("format.js", "decided({points: [[0.5, -2]]})", "(0.5, \N{MINUS SIGN}2)"),
    ("format.js", "decided({points: [[1], [2], [3], [4]]})", "1, 2, 3, \N{HORIZONTAL ELLIPSIS} (4 points)"),
    ("format.js", "decided({points: [[0, 0, 0, 0]]})", "(0, 0, 0, \N{HORIZONTAL ELLIPSIS} 4 in all)"),
    ("format.js", "plain([-33.49])", "\N{MINUS SIGN}33.49"),
    ("format.js", "plain([1, [2, 3]])", "(1, (2, 3))"),
    ("format.js", "plain([11.056924927737795], (value) => file.exact(value))", "11.056924927737795"),
    ("format.js", "utc(1700000000123456)", "2023-11-14 22:13:20.123456 UTC"),
    ("form.js", "typed(' 1, .5,2 ')", [1, 0.5, 2]),
    ("form.js", "typed('(0.5, \N{MINUS SIGN}2)')", [0.5, -2]),
    ("form.js", "typed('[[1, 0], [0, 1]]')", [[1, 0], [0, 1]]),
    ("form.js", "typed('1,')", "1,"),
    ("form.js", "typed('.5')", 0.5),
    ("form.js", "typed('1e999')", "1e999"),
    (
        "actions.js",
        "changed({timeout: 5, lower: 1, late: 'ignore'}, {timeout: 4, upper: [2], late: 'ignore'})",
        {"timeout": 5, "lower": [1], "upper": None},
    ),
    (
        "charts.js",
        "ranges([1, 10], [3, 4, 5]).map((each) => each.words)",
        ["less than 1 s", "1 s to 10 s", "10 s or more"],
    ),
]


def test_numbers_are_shown_as_people_read_them_and_read_as_people_type_them(watch):
    page = watch().page
    for file, call, shown in SHOWN:
        assert page.evaluate(f"import('/{file}').then((file) => file.{call})") == shown, call


def test_the_line_of_traffic_is_the_difference_of_counters(watch):
    """Between two looks the counter rises evenly, also while the tab was hidden for long."""
    code = """async (looks) => {
      const history = await import("/history.js");
      looks.forEach(([at, asked]) => history.remember({name: "a", asked, answered: 0, noted: 0}, at));
      return history.rates("a", "asked");
    }"""
    looks = [[100.5, 0], [101.5, 3], [103.5, 7], [111.5, 7], [112.5, 12]]
    at, counts = zip(*looks, strict=True)
    moments = [102 + 2 * step for step in range(6)]
    seen = [float(np.interp(each, at, counts)) for each in moments]
    naive = [[moments[i + 1], (seen[i + 1] - seen[i]) / 2] for i in range(5)]
    assert watch().page.evaluate(code, looks) == [[moment, pytest.approx(rate)] for moment, rate in naive]
