"""The figures, in the style of the paper's: speed beside C and NumPy, scaling, and where the time of a start goes."""

import io
from collections.abc import Mapping, Sequence

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from belated.output.drawing import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, STYLE, VERMILION
from belated.papers.wan2021 import LABELS
from benchmarks.loops import NUMPY, SIMULATE, TUNED, C, Speed
from benchmarks.promises import Findings
from benchmarks.report import duration
from benchmarks.scaling import Scaling
from benchmarks.starts import Starts
from benchmarks.timing import Spread

GREY = "#777777"

LOOKS: Mapping[str, tuple[str, str, str]] = {
    C: (BLACK, "--", "s"),
    SIMULATE: (BLUE, "-", "o"),
    TUNED: (GREY, ":", "^"),
    NUMPY: (VERMILION, "-.", "D"),
}
"""Colour, dashes and marker of each contender."""

PARTS = (
    (BLUE, "white"),
    (ORANGE, BLACK),
    (GREEN, "white"),
    (SKY, BLACK),
    (VERMILION, "white"),
    (PURPLE, BLACK),
    (GREY, "white"),
)
"""Colours of the parts of a start, the longest first, and of what is written on them."""


WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
"""What is behind words that lie across a line."""


def drawings(found: Findings) -> dict[str, bytes]:
    """All figures by the name of their file, each as PNG and as SVG."""
    with matplotlib.style.context(["default", STYLE]):
        figures = {"speed": _speed(found), "scaling": _scaling(found)}
        if found.starts is not None:
            figures["starts"] = _starts(found.starts)
        return {f"{name}.{kind}": _saved(figure, kind) for name, figure in figures.items() for kind in ("png", "svg")}


def _saved(figure: Figure, kind: str) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=kind, dpi=150, metadata={"Date": None, "Creator": None} if kind == "svg" else {})
    return file.getvalue()


def _speed(found: Findings) -> Figure:
    figure = Figure(figsize=(11.5, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _rates(left, found.dimensions)
    _shares(right, found.learners, found.costs)
    return figure


def _rates(axes: Axes, speeds: Sequence[Speed]) -> None:
    dims = [speed.dim for speed in speeds]
    for who, (color, dashes, marker) in LOOKS.items():
        if who not in speeds[0].seconds:
            continue
        took = [speed.seconds[who] for speed in speeds]
        rates = [1 / each.median for each in took]
        axes.fill_between(
            dims,
            [1 / each.high for each in took],
            [1 / each.low for each in took],
            color=color,
            alpha=0.16,
            linewidth=0,
        )
        axes.plot(dims, rates, color=color, linestyle=dashes, marker=marker, markersize=5, linewidth=2.0, label=who)
    _titled(axes, "DOGD-SC: rounds per second", "one worker, drawing the losses included; medians and quartiles")
    axes.set(xscale="log", yscale="log", xlabel="Dimension n", ylabel="Rounds a second")
    axes.set_xticks(dims, [f"{dim:,}" for dim in dims])
    axes.minorticks_off()
    axes.legend(frameon=False, loc="upper right")


def _shares(axes: Axes, speeds: Sequence[Speed], costs: Mapping[str, Spread]) -> None:
    for place, speed in enumerate(speeds):
        share, end = speed.times_as_fast.get(C), 0.0
        if share is not None:
            axes.barh(place, share.median, color=BLUE, height=0.55)
            axes.plot([share.low, share.high], [place, place], color=BLACK, linewidth=1.4)
            end = max(share.high, share.median)
        told = [f"{share.median:.2f}"] if share is not None else ["no C loop"]
        if speed.points > 1:
            told.append(f"a point costs {costs[speed.learner].median:.2f}")
        axes.text(end + 0.02, place, "; ".join(told), va="center", fontsize=9.5, color="#222222", bbox=WHITE)
    _titled(axes, "Learners of the paper beside C", "n = 10; lines are quartiles; a point in rounds of DOGD-SC")
    axes.axvline(1.0, color=BLACK, linestyle="--", linewidth=1.2)
    axes.set_yticks(range(len(speeds)), [LABELS[speed.learner].replace(", ", ",\n") for speed in speeds])
    axes.set(xlim=(0, 1.5), ylim=(len(speeds) - 0.4, -0.6), xlabel="Speed as a share of the C loop's")
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")


def _scaling(found: Findings) -> Figure:
    figure = Figure(figsize=(11.5, 7.6), layout="constrained")
    panels = figure.subplots(2, 2).flat
    _panel(next(panels), found.rounds, "against rounds", "Rounds T", "Time a round", flat=True)
    longest = next(panels)
    _panel(longest, found.delay, "against the longest delay", "Longest delay", "Time a round", flat=True)
    if found.delay_in_c is not None:
        _beside(longest, found.delay_in_c)
    _panel(next(panels), found.dims, "against the dimension", "Dimension n", "Time a round", flat=False)
    _panel(next(panels), found.seeds, "against seeds", "Seeds", "Time in all", flat=False)
    figure.supxlabel(
        "DOGD-SC, n = 10 unless on the axis, one worker; medians, with bands between quartiles",
        fontsize=9.5,
        color="#444444",
    )
    return figure


def _panel(axes: Axes, found: Scaling, title: str, size: str, time: str, flat: bool) -> None:
    sizes, took = list(found.seconds), list(found.seconds.values())
    medians = [each.median for each in took]
    guide = "green: within 20 % of the least" if flat else "dashed: proportional"
    _titled(axes, f"{time} {title}", f"exponent {found.exponent:.2f}; {guide}")
    if flat:
        axes.axhspan(min(medians), 1.2 * min(medians), color=GREEN, alpha=0.14, linewidth=0)
        axes.set_ylim(0, 1.3 * max(each.high for each in took))
    else:
        proportional = [medians[-1] * each / sizes[-1] for each in sizes]
        axes.plot(sizes, proportional, color=GREY, linestyle="--", linewidth=1.2)
        axes.set_yscale("log")
    axes.fill_between(
        sizes, [each.low for each in took], [each.high for each in took], color=BLUE, alpha=0.16, linewidth=0
    )
    axes.plot(sizes, medians, color=BLUE, marker="o", markersize=5, linewidth=2.0)
    axes.set(xscale="log", xlabel=size, ylabel=time)
    axes.yaxis.set_major_formatter(lambda value, _: duration(value) if value > 0 else "0")
    axes.minorticks_off()


def _beside(axes: Axes, in_c: Scaling) -> None:
    """The C loop in the same panel, and room for it."""
    color, dashes, marker = LOOKS[C]
    medians = [each.median for each in in_c.seconds.values()]
    axes.plot(list(in_c.seconds), medians, color=color, linestyle=dashes, marker=marker, markersize=4, linewidth=1.4)
    axes.annotate("C", (max(in_c.seconds), medians[-1]), (-12, 4), textcoords="offset points", fontsize=9.5)
    axes.set_ylim(0, max(axes.get_ylim()[1], 1.15 * max(medians)))


def _starts(starts: Starts) -> Figure:
    figure = Figure(figsize=(11.5, 3.4), layout="constrained")
    rows = {"First ever": starts.cold_parts, "Warm": starts.warm_parts}
    names = sorted(starts.cold_parts, key=lambda name: -starts.cold_parts[name])
    for axes, (title, parts) in zip(figure.subplots(2, 1), rows.items(), strict=True):
        start, total = 0.0, sum(parts.values())
        for name, (color, text) in zip(names, PARTS, strict=False):
            width = parts.get(name, 0.0)
            axes.barh(0, width, left=start, color=color, edgecolor="white", linewidth=1.0, label=name)
            if width > 0.05 * total:
                axes.text(start + width / 2, 0, duration(width), ha="center", va="center", fontsize=9.5, color=text)
            start += width
        axes.set_yticks([0], [f"{title}\n{duration(total)}"])
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, total)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
    top, bottom = figure.axes
    _titled(
        top, "belated paper: where the time goes", "on one core, so that the parts add up; each bar has its own scale"
    )
    bottom.set_xlabel("Seconds")
    handles, labels = top.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9.5)
    return figure


def _titled(axes: Axes, title: str, below: str) -> None:
    axes.set_title(f"{title}\n", fontsize=12)
    told = axes.text(0, 1.025, below, transform=axes.transAxes, fontsize=9.5, color="#444444")
    told.set_in_layout(False)  # or it would narrow the axes
