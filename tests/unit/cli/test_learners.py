"""``belated learners``: everything is listed, fits the terminal, and a name that is nearly right is helped."""

import json
import re
import subprocess
import sys

import pytest

from belated.cli import layout, main
from belated.cli.learners import COLUMNS, FIELDS
from belated.learners.catalogue import CARDS, NAMED


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["learners", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("columns", ["40", "80", "100", "120", "300"])
def test_every_learner_is_listed_within_the_terminal(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = shown(capsys).splitlines()
    assert max(len(line) for line in lines) <= min(120, int(columns))
    begun = [line.split()[0] for line in lines if line[:1].strip()]
    assert {name.replace("_", "-") for name in NAMED} <= set(begun)


def test_the_table_has_all_columns_at_its_usual_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    lines = shown(capsys).splitlines()
    for heading in ("learner", "losses", "is told", "feedback", "adversary", "must be known", "regret"):
        assert heading in lines[0]
    row = next(line for line in lines if line.startswith("dogd-sc "))
    for cell in ("gradient", "anonymous", "adaptive", "strong", "O(d log T)"):
        assert cell in row


@pytest.mark.parametrize("name", NAMED)
def test_a_learner_has_a_page_in_plain_words(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = shown(capsys, name)
    assert max(len(line) for line in page.splitlines()) <= 100
    words, card = " ".join(page.split()), CARDS[name]
    for text in (card.title, card.losses, card.promise, card.source, card.certainty, "; ".join(card.known)):
        assert " ".join(text.split()) in words
    assert "Must be known: " in words
    assert f"belated.{name}(" in words
    for mark in ("``", ":mod:", ":func:", ":class:", ".. math", ">>>", "===", "\\frac"):
        assert mark not in page


@pytest.mark.parametrize("arguments", [[], ["dogd-sc"]])
def test_what_is_printed_explains_itself(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every column of the table has a line below it; words of a page that say little by themselves have one, too."""
    printed = shown(capsys, *arguments)
    explained = printed.partition("How to read this page:")[2] if arguments else printed
    words = [line.split("  ")[1] for line in explained.splitlines() if re.match(r"  \S", line)]
    for term in FIELDS if arguments else COLUMNS:
        assert term in words
    for term in ("oblivious:", "D0 = D - T") + (("derived here:",) if arguments else ("anonymous:",)):
        assert term in " ".join(explained.split())


def test_fields_that_are_explained_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    page = shown(capsys, "dogd-sc").partition("How to read this page:")[0]
    assert all(re.search(rf"^  {field}  ", page, re.MULTILINE) for field in FIELDS)


def test_the_page_tells_what_the_learner_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    page = " ".join(shown(capsys, "bdogd_sc_two_point").split())
    assert "is told values at 2 points, with its round" in page
    assert "points 2 per round, drawn at random" in page
    assert "belated.bdogd_sc_two_point(domain: Domain, strong_convexity: float, probe_radius: float) -> Learner" in page
    page = " ".join(shown(capsys, "khashabi").split())
    assert "Why it fails: let the feedback of m rounds arrive together" in page
    assert "a negative example, kept" in page


@pytest.mark.parametrize("spelled", ["dogd-sc", "dogd_sc", "DOGD-SC"])
def test_hyphens_underscores_and_capitals_are_the_same(spelled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, spelled).startswith("dogd-sc: Delayed online gradient descent for strongly convex losses\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dodg-sc", "there is no learner 'dodg-sc'; did you mean dogd-sc"),
        ("khashaby", "there is no learner 'khashaby'; did you mean khashabi?\n"),
        ("", "there is no learner ''; belated learners lists them all\n"),
        ("?" * 5000, f"there is no learner '{'?' * 60}...'; belated learners lists them all\n"),
    ],
)
def test_an_unknown_name_is_an_error_with_what_may_be_meant(
    name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learners", name]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"belated learners: {message}")
    assert printed.err.count("\n") == 1


def test_programs_get_everything(capsys: pytest.CaptureFixture[str]) -> None:
    entries = json.loads(shown(capsys, "--json"))
    assert [entry["name"] for entry in entries] == list(NAMED)
    one = json.loads(shown(capsys, "dogd", "--json"))
    assert one in entries
    assert one["known"] == list(CARDS["dogd"].known)
    assert one["variants"] == ["count-adaptive", "doubling", "listed"]
    assert (one["told"], one["points"], one["needs_round"]) == ("gradient", "1", False)
    assert one["description"]["Pitfalls"].startswith("the paper's experiments use")
    options = "rate: float | Rate | None = None, *, lipschitz: float | None = None"
    assert one["signature"] == f"dogd(domain: Domain, {options}) -> Learner"


def test_the_help_imports_nothing_heavy() -> None:
    code = """
import sys
from belated.cli import main
try:
    main(["learners", "--help"])
except SystemExit:
    print(sorted({"numpy", "numba", "scipy"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# --- the layout ---

ROWS = [("one-and-a-half", "a few words here"), ("two", "")]


def test_cells_wrap_and_words_stay_whole() -> None:
    assert layout.table(("name", "what"), ROWS, 23).splitlines() == [
        "name            what",
        "--------------  -------",
        "one-and-a-half  a few",
        "                words",
        "                here",
        "two",
    ]


def test_a_table_takes_no_more_room_than_it_needs() -> None:
    assert layout.table(("name", "what"), ROWS, 200).splitlines()[1] == "--------------  ----------------"


def test_what_is_too_narrow_for_a_table_is_a_list() -> None:
    assert layout.table(("name", "what"), ROWS, 16).splitlines() == [
        "one-and-a-half",
        "  what  a few",
        "        words",
        "        here",
        "",
        "two",
        "  what",
    ]
