"""The page of a reproduction: complete in one file, accessible, and true to its numbers."""

import base64
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from belated.papers import report
from belated.papers.wan2021 import LEARNERS, Reproduction, reproduce
from support.reproductions import invented

VOID = {"meta", "link", "img"}


class Page(HTMLParser):
    """Elements with their attributes, the text, and a check that every element is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, Any]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.text += " " if tag in ("td", "dt") else ""

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self.open):
            self.text += data

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def contents(small: Reproduction) -> dict[str, bytes]:
    return report.contents(small)


@pytest.fixture(scope="module")
def page(contents: dict[str, bytes]) -> Page:
    return Page(contents["report.html"].decode())


def test_the_page_needs_nothing_beside_itself(contents: dict[str, bytes], page: Page) -> None:
    addresses = [attrs[key] for _, attrs in page.elements for key in ("src", "href", "srcset") if key in attrs]
    assert len(addresses) == 3
    assert all(address.startswith("data:") for address in addresses)
    assert not page.all("script")
    around_the_figures = re.sub(rb"base64,[^\"]*", b"", contents["report.html"])
    assert not re.search(rb"//|url\(|@import", around_the_figures)


def test_the_figures_in_the_page_are_those_beside_it(contents: dict[str, bytes], page: Page) -> None:
    for number, image in enumerate(page.all("img"), start=1):
        assert (
            base64.b64decode(image["src"].removeprefix("data:image/svg+xml;base64,")) == contents[f"figure{number}.svg"]
        )
        assert "cumulative loss" in image["alt"]


def test_the_page_is_put_into_place_last() -> None:
    assert report.NAMES[-1] == "report.html"


def test_the_page_can_be_read_aloud(page: Page) -> None:
    assert page.all("html")[0]["lang"] == "en"
    assert all(cell["scope"] in ("col", "row", "rowgroup") for cell in page.all("th"))
    headings = [tag for tag, _ in page.elements if tag in ("h1", "h2", "h3")]
    assert headings == ["h1", "h2", "h2", "h2", "h2"]
    labels = {attrs["aria-labelledby"] for _, attrs in page.elements if "aria-labelledby" in attrs}
    assert labels <= {attrs.get("id") for _, attrs in page.elements}


def test_the_page_tells_the_numbers_the_parameters_and_the_verdicts(small: Reproduction, page: Page) -> None:
    text = " ".join(page.text.split())
    for setting in ("low", "high"):
        for name in LEARNERS:
            regret = small.runs.regret.sel(setting=setting, learner=name)
            assert f"{float(regret.mean()):.2f} ± {float(regret.std(ddof=1)):.2f}" in text
        assert f"{float(small.runs.rate.sel(setting=setting)):.7f}" in text
    assert text.count("Theorem 1") == 2
    assert "belated paper --seeds 3 --rounds 60" in text
    assert "0 to 2" in text
    assert f"NumPy {np.__version__}" in text
    verdicts = [attrs for attrs in page.all("p") if attrs.get("class", "").startswith("verdict")]
    assert len(verdicts) == 6


def test_a_claim_that_fails_is_said_to_fail() -> None:
    ends = {name: [10.0, 12.0] for name in LEARNERS} | {"dogd": [1.0, 2.0]}
    text = Page(report.contents(invented(ends))["report.html"].decode()).text
    assert "did not hold" in text
    assert "all held" not in " ".join(text.split())


def test_one_seed_and_a_seed_that_no_command_starts_with() -> None:
    text = " ".join(Page(report.contents(reproduce(seeds=[5], rounds=5))["report.html"].decode()).text.split())
    assert "over 1 seed and 5 rounds" in text
    assert "cannot be judged" in text
    assert "standard deviation either way" not in text
    assert "belated paper --seeds" not in text
    assert "Seeds 5;" in text
