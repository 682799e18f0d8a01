"""Rows of cells as lines of text, in columns, and paragraphs."""

import textwrap
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines with a column for each cell, under a header and a rule; nothing is wrapped.

    >>> print(table(("step", "slack"), [("drift", "0.25")]))
    step   slack
    -----  -----
    drift  0.25
    """
    widths = [max(len(cell) for cell in column) for column in zip(header, *rows, strict=True)]
    ruled = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in ruled
    )


def paragraph(text: str, width: int, indent: str = "") -> str:
    """The text in lines of at most so many columns; words stay whole.

    >>> print(paragraph("one two three", 9, indent="  "))
      one two
      three
    """
    lines = textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)
