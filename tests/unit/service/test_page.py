"""The files of the page: small, from here alone, and such that a strict policy and hostile names cannot hurt them."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

PAGE = {each.name: each.read_text(encoding="utf-8") for each in files("belated.service").joinpath("page").iterdir()}
LONGEST = 300

FORBIDDEN = {
    "foreign": r"(?:https?:)?//(?!www\.w3\.org/2000/svg)[a-z]+\.[a-z]",
    "markup": r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|DOMParser|srcdoc",
    "code": r"\beval\(|new Function|javascript:|setTimeout\(\s*[\"'`]",
    "inline": r"<style|\sstyle=|\son[a-z]+=[\"']|<script(?![^>]*\ssrc=)|setAttribute\([\"']style|[{,]\s*style:",
    "kept": r"localStorage|document\.cookie|indexedDB",
}


def wrong(text: str) -> list[str]:
    """What a file of the page must not have and has."""
    found = [name for name, pattern in FORBIDDEN.items() if re.search(pattern, text)]
    return found + ["long"] * (text.count("\n") >= LONGEST)


@pytest.mark.parametrize("name", PAGE)
def test_a_file_of_the_page_is_small_and_needs_nothing_else(name: str) -> None:
    assert wrong(PAGE[name]) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script type="module" src="https://cdn.example.org/x.js"></script>', "foreign"),
        ('@import url("//fonts.example.org/a.css")', "foreign"),
        ("cell.innerHTML = each.name;", "markup"),
        ("setTimeout('look()', 1000)", "code"),
        ("<script>start()</script>", "inline"),
        ('<p style="color: red">', "inline"),
        ("<button onclick='go()'>", "inline"),
        ("localStorage.setItem('key', text)", "kept"),
        ("\n" * LONGEST, "long"),
    ],
)
def test_what_must_not_be_in_a_file_is_found(text: str, found: str) -> None:
    assert wrong(text) == [found]


USES = re.compile(r"(?:href=|src=)\"/([\w.]+)\"|from \"\./([\w.]+)\"")


def used(texts: dict[str, str]) -> set[str]:
    """The files that are reached from the page itself."""
    found, left = set[str](), ["index.html"]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [first or second for first, second in USES.findall(texts[name])]
    return found


def test_every_file_is_used_and_every_file_that_is_used_is_there() -> None:
    assert used(PAGE) == {*PAGE}


def test_a_file_that_nobody_uses_or_that_is_missing_is_noticed() -> None:
    assert used({**PAGE, "old.js": ""}) != {*PAGE, "old.js"}
    with pytest.raises(KeyError, match=r"form\.js"):
        used({name: text for name, text in PAGE.items() if name != "form.js"})
