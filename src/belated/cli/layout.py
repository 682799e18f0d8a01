"""Text for a terminal: tables whose cells wrap, and lists of a name and what it stands for."""

import textwrap
from collections.abc import Iterable, Sequence

GAP = "  "

WIDEST = 120
"""Lines are not longer than this, however wide the terminal is."""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> str:
    """Rows under a header, in so many columns of letters; a list for each row where that is too narrow for a table."""
    rows = list(rows)
    widths = _widths([header, *rows], width)
    if widths is None:
        return "\n\n".join(f"{row[0]}\n{listed(zip(header[1:], row[1:], strict=True), width)}" for row in rows)
    lines = [_line(header, widths), GAP.join("-" * each for each in widths), *(_line(row, widths) for row in rows)]
    return "\n".join(lines)


def natural_width(header: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """How wide a table is in which no cell wraps.

    >>> natural_width(["rank", "name"], [["1", "dogd-sc"]])
    13
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return sum(widths) + len(GAP) * (len(widths) - 1)


def listed(pairs: Iterable[tuple[str, str]], width: int) -> str:
    """A line for each pair, and more where the second does not fit into one."""
    pairs = list(pairs)
    indent = " " * len(GAP)
    margin = max(len(name) for name, _ in pairs) + 2 * len(GAP)
    return "\n".join(
        wrapped(text, width, first=f"{indent}{name}".ljust(margin), later=" " * margin) for name, text in pairs
    )


def wrapped(text: str, width: int, first: str = "", later: str = "") -> str:
    """A paragraph. Words stay whole, names with hyphens too, even where the terminal is too narrow for them."""
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines) or first.rstrip()


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """What each column gets: as much as it can use, taken away from the widest until all fit; or they cannot."""
    columns = list(zip(*rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    least = [max(len(word) for cell in column for word in cell.split()) for column in columns]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - width
    for _ in range(excess):
        shrinkable = [i for i in range(len(widths)) if widths[i] > least[i]]
        if not shrinkable:
            return None
        widths[max(shrinkable, key=lambda i: widths[i])] -= 1
    return widths


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [wrapped(cell, each).splitlines() for cell, each in zip(row, widths, strict=True)]
    height = max(len(lines) for lines in cells)
    padded = [
        [line.ljust(each) for line in [*lines, *[""] * (height - len(lines))]]
        for lines, each in zip(cells, widths, strict=True)
    ]
    return "\n".join(GAP.join(parts).rstrip() for parts in zip(*padded, strict=True))
