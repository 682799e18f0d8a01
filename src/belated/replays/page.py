"""A page of HTML that needs nothing beside itself: words, figures and tables, for screens, phones and paper."""

from __future__ import annotations

import base64
import platform
from typing import NamedTuple

import jinja2
import numpy as np

from belated.output.drawing import Drawing
from belated.output.version import installed_version
from belated.replays.tables import Table


class Section(NamedTuple):
    """A part of a page, in this order: a heading, paragraphs, a figure with its words, a table, and a note."""

    heading: str
    words: tuple[str, ...] = ()
    figure: Drawing | None = None
    alternative: str = ""
    """What the figure shows, for those who cannot see it."""
    caption: str = ""
    table: Table | None = None
    texts: int = 1
    """How many columns of the table, from the left, hold texts; the others hold numbers."""
    note: str = ""


class Page(NamedTuple):
    """What is on a page, from top to bottom."""

    kicker: str
    title: str
    lead: str
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    facts: dict[str, str]
    command: str
    """The command that makes this page again."""
    files: tuple[str, ...]
    """What lies beside the page."""


def html(page: Page) -> bytes:
    """The page as a file."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("belated.replays", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["inlined"] = inlined
    versions = {"belated": installed_version(), "NumPy": np.__version__, "Python": platform.python_version()}
    return (
        environment.get_template("page.html.jinja")
        .render(page=page, versions=versions)
        .encode(
            "utf-8",
            "backslashreplace",  # a name of a file need not be text
        )
    )


def inlined(drawing: Drawing) -> str:
    """The image as a data URL. Two SVGs that were pasted into one page would share the names of their parts."""
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.svg).decode()}"
