"""What is on a page of a report: its elements, its text, the numbers beside its pictures, and what leaves the file."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "img", "br"}

ADDRESS = re.compile(r"""\w+://|["'(=]\s*//|@import|\burl\(|\bimport\s*\(|\bfetch\s*\(|XMLHttp""")
"""How a page could reach out of its file."""


class Report(HTMLParser):
    """A page that was read; every element must be closed where it should be, and no id be there twice."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.source = content.decode()
        self.elements: list[tuple[str, dict[str, Any]]] = []
        self.text = ""
        self.data: list[dict[str, Any]] = []
        self._open: list[tuple[str, dict[str, Any]]] = []
        self.feed(self.source)
        self.close()
        assert self._open == []
        ids = [attrs["id"] for _, attrs in self.elements if "id" in attrs]
        assert len(ids) == len(set(ids))

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag
        self.text += " " if tag in ("td", "th", "dt", "dd", "p", "li", "button") else ""

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == ("script", {"type": "application/json"}):
            self.data.append(json.loads(data))
        elif not {"style", "title", "script"} & {tag for tag, _ in self._open}:
            self.text += data

    @property
    def words(self) -> str:
        """The text with single spaces."""
        return " ".join(self.text.split())

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def classed(self, name: str) -> list[dict[str, Any]]:
        return [attrs for _, attrs in self.elements if name in (attrs.get("class") or "").split()]

    def numbers(self, file: str) -> dict[str, Any]:
        """The numbers of the picture or table whose file has this name."""
        (found,) = [each for each in self.data if each["file"] == file]
        return found

    def curve(self, file: str, name: str) -> tuple[list[float], list[float]]:
        """The points of a curve of a picture."""
        data = self.numbers(file)
        (found,) = [each for each in data["curves"] if each["name"] == name]
        return data["points"][found["over"]], found["y"]


def reaching_out(report: Report) -> list[str]:
    """Everything in a page that names something outside of it."""
    addresses = [
        attrs[key] for _, attrs in report.elements for key in ("src", "href", "srcset", "data") if key in attrs
    ]
    found = [each for each in addresses if not each.startswith("data:")]
    return found + ADDRESS.findall(report.source)
