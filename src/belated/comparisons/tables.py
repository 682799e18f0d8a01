r"""The ranking of a comparison as a table: of plain values, as text, as CSV, in Markdown and in LaTeX.

Everywhere the first is the best, less is better, and an = before a rank says that this learner, compared seed by seed,
cannot be told from the first.
"""

import csv
import io
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from belated.comparisons.ranking import Interval

if TYPE_CHECKING:
    from belated.comparisons.comparison import Comparison

COLUMNS = (
    "rank",
    "learner",
    "seeds",
    "score_mean",
    "score_low",
    "score_high",
    "behind_mean",
    "behind_low",
    "behind_high",
    "tied_with_first",
    "cumulative_loss_mean",
    "cumulative_loss_low",
    "cumulative_loss_high",
)

LESS = "Less is better, and ranks go by the mean over the seeds."

TIES = "= before a rank: it cannot be told from the first, because the interval of its distance holds 0."
"""What the mark before a rank says."""

MIXED = "A learner without = may stand above one with it: it is less far behind, but surely so."
"""Said where a learner that is surely behind the first has less than one that may not be."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
}
"""What stands for a sign that LaTeX would take for a command, or set as another one."""

_LIGATURE = re.compile(r"([-'`,])(?=\1)|[?!](?=`)")
"""A sign that LaTeX would set as one with the next: two hyphens as a dash, for example."""


def as_rows(comparison: "Comparison") -> list[dict[str, Any]]:
    """A dictionary of plain numbers and texts for each learner, the best first, with the keys :data:`COLUMNS`."""
    found = []
    for standing in comparison.ranking:
        numbers = [*standing.score, *standing.behind, standing.tied, *standing.cumulative_loss]
        values = [standing.rank, standing.learner, comparison.seeds, *numbers]
        found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def as_csv(comparison: "Comparison") -> str:
    """The ranking with the digits that floating point has; ends of intervals are empty for a single seed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in as_rows(comparison):
        cells = (int(value) if isinstance(value, bool) else value for value in row.values())
        writer.writerow(["" if cell != cell else cell for cell in cells])
    return text.getvalue()


def cells(comparison: "Comparison") -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the ranking, for people."""
    measure = comparison.setting.measure.title.lower()
    header = ("rank", "learner", measure, "95 % interval", "behind the first", "95 % interval")
    digits = decimals([standing.score.mean for standing in comparison.ranking])
    body: list[tuple[str, ...]] = [
        (
            f"{'=' if standing.tied else ''}{standing.rank}",
            standing.learner,
            f"{standing.score.mean:.{digits}f}",
            _ends(standing.score, digits),
            "-" if standing.rank == 1 else f"{standing.behind.mean:.{digits}f}",
            "-" if standing.rank == 1 else _ends(standing.behind, digits),
        )
        for standing in comparison.ranking
    ]
    return header, body


def narrow_cells(comparison: "Comparison") -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The same in fewer letters: how far an interval reaches either way, since its ends are as far from its mean."""
    _, body = cells(comparison)
    digits = decimals([standing.score.mean for standing in comparison.ranking])
    header = ("rank", "learner", comparison.setting.measure.title.lower(), "± (95 %)", "behind", "± (95 %)")
    rows: list[tuple[str, ...]] = [
        (
            *line[:3],
            _either_way(each.score, digits),
            line[4],
            "-" if line[5] == "-" else _either_way(each.behind, digits),
        )
        for each, line in zip(comparison.ranking, body, strict=True)
    ]
    return header, rows


def as_text(comparison: "Comparison") -> str:
    """The ranking in columns of letters, with lines below it that say how to read it."""
    header, body = cells(comparison)
    lines: list[Sequence[str]] = [header, ["-" * _widest(column) for column in zip(header, *body, strict=False)], *body]
    widths = [_widest(column) for column in zip(*lines, strict=True)]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(line.rstrip() for line in [*padded, "", *legend(comparison)])


def as_markdown(comparison: "Comparison") -> str:
    """The ranking as a table in Markdown; the best is bold."""
    header, body = cells(comparison)
    lines = [header, ("---:", "---", "---:", "---", "---:", "---")]
    for number, (rank, learner, score, *others) in enumerate(body):
        bold = "**" if number == 0 else ""
        name = re.sub(r"([\\`*_$<>\[\]~|&])", r"\\\1", learner)
        lines.append((rank, f"{bold}{name}{bold}", f"{bold}{score}{bold}", *others))
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", " ".join(legend(comparison))])


def as_latex(comparison: "Comparison") -> str:
    r"""The ranking as a ``tabular`` of LaTeX, which needs ``\usepackage{booktabs}``; the best is bold."""
    header, body = cells(comparison)
    lines = [r"\begin{tabular}{rlrlrl}", r"\toprule"]
    lines += [" & ".join(escaped(f"{cell[0].upper()}{cell[1:]}") for cell in header) + r" \\", r"\midrule"]
    for number, (rank, learner, score, ends, behind, behind_ends) in enumerate(body):
        best = number == 0
        words = [
            f"${rank}$",
            rf"\textbf{{{escaped(learner)}}}" if best else escaped(learner),
            rf"$\mathbf{{{score}}}$" if best else f"${score}$",
            *(_in_math(each) for each in (ends, behind, behind_ends)),
        ]
        lines.append(" & ".join(words) + r" \\")
    lines += [r"\bottomrule"]
    lines += [rf"\multicolumn{{6}}{{l}}{{\footnotesize {escaped(each)}}} \\" for each in legend(comparison)]
    return "\n".join([*lines, r"\end{tabular}"])


def escaped(text: str) -> str:
    r"""A text that LaTeX sets as it stands.

    >>> print(escaped("50 % of $x_1$"))
    50 \% of \$x\_1\$
    """
    return "".join(_LATEX.get(each, each) for each in _LIGATURE.sub("\\g<0>\0", text)).replace("\0", "{}")


def decimals(scores: list[float]) -> int:
    """As many for the whole table as the smallest score needs for three digits, and at least two."""
    smallest = min((abs(score) for score in scores if score != 0.0), default=1.0)
    return min(max(2, 2 - math.floor(math.log10(smallest))), 8)


def legend(comparison: "Comparison") -> list[str]:
    """How to read a ranking: which direction is good, what = says if it is there, and what else has to be known."""
    ties = [standing.tied for standing in comparison.ranking]
    mixed = any(ties[place] and not all(ties[1:place]) for place in range(2, len(ties)))
    return [LESS, *[TIES] * any(ties), *[MIXED] * mixed, *comparison.notes]


def _in_math(cell: str) -> str:
    """A number or two with "to" between them, whose signs are then minus signs; a dash for what there is not."""
    return "--" if cell == "-" else " to ".join(f"${each}$" for each in cell.split(" to "))


def _widest(column: Sequence[str]) -> int:
    return max(len(cell) for cell in column)


def _ends(given: Interval, digits: int) -> str:
    return "-" if given.low != given.low else f"{given.low:.{digits}f} to {given.high:.{digits}f}"


def _either_way(given: Interval, digits: int) -> str:
    return "-" if given.low != given.low else f"± {(given.high - given.low) / 2.0:.{digits}f}"
