"""Tables of the ranking: by hand, and what Markdown and LaTeX make of any name."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.comparisons import tables
from belated.comparisons.tables import (
    COLUMNS,
    LESS,
    MIXED,
    TIES,
    as_csv,
    as_latex,
    as_markdown,
    as_rows,
    as_text,
    cells,
    decimals,
    legend,
    narrow_cells,
)
from support.comparisons import invented

APART = invented({"b_1": [1.0, 2.0], "a": [0.5, 3.5], "c": [-700.0, -702.0]})
"""Nobody is tied with the first."""

CLOSE = invented({"50 %": [1.0, 1.0], "b|c": [-3.0, 6.0], "d": [7.0, 7.5]})
"""The second is tied with the first."""


def test_the_table_by_hand() -> None:
    lines = as_csv(invented({"b, c": [1.0, 3.0], "a": [2.0, 4.0]})).splitlines()
    assert lines[0].split(",") == list(COLUMNS)
    assert lines[1].startswith('1,"b, c",2,2.0,')
    assert lines[2].split(",")[:3] + lines[2].split(",")[6:10] == ["2", "a", "2", "1.0", "1.0", "1.0", "0"]


def test_one_seed_has_empty_cells_and_dashes() -> None:
    single = invented({"a": [1.0], "b": [2.5]})
    assert as_csv(single).splitlines()[1:] == ["1,a,1,1.0,,,0.0,,,0,3.0,,", "2,b,1,2.5,,,1.5,,,0,7.5,,"]
    assert cells(single)[1] == [("1", "a", "1.00", "-", "-", "-"), ("2", "b", "2.50", "-", "1.50", "-")]


def test_the_table_for_people() -> None:
    header, body = cells(invented({"a": [1.0, 1.0], "b": [1.0, 3.0], "c": [0.5, 1000.5], "d": [-3.0, 6.0]}))
    assert header == ("rank", "learner", "regret", "95 % interval", "behind the first", "95 % interval")
    assert body == [
        ("1", "a", "1.00", "1.00 to 1.00", "-", "-"),
        ("=2", "d", "1.50", "-55.68 to 58.68", "0.50", "-56.68 to 57.68"),
        ("=3", "b", "2.00", "-10.71 to 14.71", "1.00", "-11.71 to 13.71"),
        ("=4", "c", "500.50", "-5852.60 to 6853.60", "499.50", "-5853.60 to 6852.60"),
    ]


def test_the_table_for_narrow_terminals_has_half_of_each_interval() -> None:
    header, body = narrow_cells(invented({"a": [1.0, 1.0], "b": [1.0, 3.0], "c": [0.5, 1000.5]}))
    assert header == ("rank", "learner", "regret", "± (95 %)", "behind", "± (95 %)")
    assert body == [
        ("1", "a", "1.00", "± 0.00", "-", "-"),
        ("=2", "b", "2.00", "± 12.71", "1.00", "± 12.71"),
        ("=3", "c", "500.50", "± 6353.10", "499.50", "± 6353.10"),
    ]
    assert narrow_cells(invented({"a": [1.0], "b": [2.5]}))[1][1] == ("2", "b", "2.50", "-", "1.50", "-")


def test_a_table_has_one_number_of_decimals() -> None:
    _, body = cells(invented({"a": [0.0125, 0.0125], "b": [-700.0, 800.0], "c": [30.0, 30.0]}))
    assert [row[2] for row in body] == ["0.0125", "30.0000", "50.0000"]
    assert body[1][3:] == ("30.0000 to 30.0000", "29.9875", "29.9875 to 29.9875")


@pytest.mark.parametrize(
    ("scores", "digits"),
    [
        ([0.0], 2),
        ([0.0, -0.0, 3.0], 2),
        ([1.0, 1e9], 2),
        ([-12.345], 2),
        ([0.999], 3),
        ([0.5, 800.0], 3),
        ([0.1], 3),
        ([-0.0123], 4),
        ([1e-5, 5.0], 7),
        ([2e-17, 5.0], 8),
        ([5e-324], 8),
    ],
)
def test_the_smallest_score_has_three_digits(scores: list[float], digits: int) -> None:
    assert decimals(scores) == digits
    assert decimals(scores[::-1]) == digits


# --- plain values ---


def test_rows_are_plain_values() -> None:
    rows = as_rows(CLOSE)
    assert [tuple(row) for row in rows] == [COLUMNS] * 3
    assert {type(value) for row in rows for value in row.values()} == {int, str, float, bool}
    assert [(row["rank"], row["learner"], row["tied_with_first"]) for row in rows] == [
        (1, "50 %", False),
        (2, "b|c", True),
        (3, "d", False),
    ]
    first = CLOSE.ranking[1]
    assert (rows[1]["score_mean"], rows[1]["behind_low"], rows[1]["cumulative_loss_high"]) == (
        first.score.mean,
        first.behind.low,
        first.cumulative_loss.high,
    )
    assert CLOSE.to_rows() == rows
    assert math.isnan(as_rows(invented({"a": [1.0]}))[0]["score_low"])


# --- for people ---


def test_text_by_hand() -> None:
    assert as_text(CLOSE).splitlines() == [
        "rank  learner  regret  95 % interval    behind the first  95 % interval",
        "----  -------  ------  ---------------  ----------------  ---------------",
        "1     50 %     1.00    1.00 to 1.00     -                 -",
        "=2    b|c      1.50    -55.68 to 58.68  0.50              -56.68 to 57.68",
        "3     d        7.25    4.07 to 10.43    6.25              3.07 to 9.43",
        "",
        LESS,
        TIES,
    ]
    assert as_text(APART).splitlines()[-1] == LESS


def test_the_legend_says_how_to_read_the_ranking() -> None:
    """Nothing is explained that is not there, and what looks odd is."""
    assert legend(APART) == [LESS]
    assert legend(CLOSE) == [LESS, TIES]
    odd = invented({"a": [1.0, 1.0], "b": [2.0, 2.0], "c": [-3.0, 8.0]})
    assert [f"{'=' if each.tied else ''}{each.rank}" for each in odd.ranking] == ["1", "2", "=3"]
    assert legend(odd) == [LESS, TIES, MIXED]
    assert legend(invented({"a": [1.0]})) == [LESS]


@pytest.mark.parametrize(
    ("unheard", "note"),
    [
        ((), []),
        (("a", "b"), ["No feedback reached any learner within 20 rounds: nobody has learnt anything."]),
        (("b",), ["No feedback reached b within 20 rounds: no learner of these has learnt anything."]),
    ],
)
def test_whom_no_feedback_has_reached_is_said_wherever_the_ranking_is(
    unheard: tuple[str, ...], note: list[str]
) -> None:
    comparison = replace(invented({"a": [1.0, 1.0], "b": [2.0, 2.0]}), unheard=unheard)
    assert comparison.notes == note
    for shown in (repr(comparison), comparison.to_markdown(), comparison.to_latex()):
        assert ("No feedback reached" in shown) == bool(note)
        assert all(each in shown for each in note)


def test_a_comparison_shows_its_ranking() -> None:
    shown = repr(CLOSE).splitlines()
    assert shown[:3] == ["my", "random quadratic, n = 2; delays fixed, delay 2; 20 rounds, 2 seeds", ""]
    assert "\n".join(shown[3:]) == as_text(CLOSE)
    assert "2 seeds, interrupted\n" in repr(invented({"a": [1.0, 2.0]}, interrupted=True))


def test_markdown_by_hand() -> None:
    assert as_markdown(CLOSE).splitlines() == [
        "| rank | learner | regret | 95 % interval | behind the first | 95 % interval |",
        "| ---: | --- | ---: | --- | ---: | --- |",
        "| 1 | **50 %** | **1.00** | 1.00 to 1.00 | - | - |",
        r"| =2 | b\|c | 1.50 | -55.68 to 58.68 | 0.50 | -56.68 to 57.68 |",
        "| 3 | d | 7.25 | 4.07 to 10.43 | 6.25 | 3.07 to 9.43 |",
        "",
        f"{LESS} {TIES}",
    ]
    assert CLOSE.to_markdown() == as_markdown(CLOSE)


def test_latex_by_hand() -> None:
    assert as_latex(CLOSE).splitlines() == [
        r"\begin{tabular}{rlrlrl}",
        r"\toprule",
        r"Rank & Learner & Regret & 95 \% interval & Behind the first & 95 \% interval \\",
        r"\midrule",
        r"$1$ & \textbf{50 \%} & $\mathbf{1.00}$ & $1.00$ to $1.00$ & -- & -- \\",
        r"$=2$ & b\textbar{}c & $1.50$ & $-55.68$ to $58.68$ & $0.50$ & $-56.68$ to $57.68$ \\",
        r"$3$ & d & $7.25$ & $4.07$ to $10.43$ & $6.25$ & $3.07$ to $9.43$ \\",
        r"\bottomrule",
        rf"\multicolumn{{6}}{{l}}{{\footnotesize {LESS}}} \\",
        rf"\multicolumn{{6}}{{l}}{{\footnotesize {TIES}}} \\",
        r"\end{tabular}",
    ]
    assert CLOSE.to_latex() == as_latex(CLOSE)
    assert as_latex(APART).count("multicolumn") == 1


LABELS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.sampled_from("\\{}$&#%_~^<>|\"'`-,?! "), min_size=1)
MARKS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\char34{}": '"',
    **{rf"\{sign}": sign for sign in "{}$&#%_"},
    "{}": "",
}
"""What LaTeX sets for its commands."""


def as_set(text: str) -> str:
    """What LaTeX makes of a text: commands as the signs that they stand for, and ligatures as one sign."""
    pieces = re.split("|".join(map(re.escape, MARKS)), text)
    assert not re.search(r"[\\{}$&#%_~^<>|\"]", "".join(pieces)), "a sign that means something else"
    assert not any(re.search(r"--|''|``|,,|[?!]`", piece) for piece in pieces), "two signs that are set as one"
    return re.sub("|".join(map(re.escape, MARKS)), lambda found: MARKS[found[0]], text)


@given(LABELS)
def test_latex_sets_every_name_as_it_is(label: str) -> None:
    assert as_set(tables.escaped(label)) == label


@pytest.mark.parametrize("broken", ["a_b", "a--b", "a|b", "50 %", r"\input", "?`"])
def test_names_that_were_not_escaped_would_be_seen(broken: str) -> None:
    """The check above has power."""
    with pytest.raises(AssertionError):
        assert as_set(broken) == broken


@given(LABELS)
def test_no_name_breaks_a_row(label: str) -> None:
    """Cells are between bars, or between ampersands, that are not escaped."""
    comparison = invented({label: [1.0, 2.0], "other": [3.0, 4.0]})
    row = as_markdown(comparison).splitlines()[2]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 7
    assert re.sub(r"\\(.)", r"\1", row.split(" | ")[1] if " | " not in label else f"**{label}**") == f"**{label}**"
    line = as_latex(comparison).splitlines()[4]
    assert len(re.findall(r"(?<!\\)&", line)) == 5
    assert line.endswith(r" \\")
