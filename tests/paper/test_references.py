"""Every work that the page of an algorithm, a derivation or the errata names is on the page of references."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTED = re.sub(r"\s+", " ", (ROOT / "docs" / "references.md").read_text(encoding="utf-8"))
WORK = re.compile(r"\b([A-Z][A-Za-z]+)((?:[-, ]|and|others|[A-Z][A-Za-z]+|'s)*?) \(?((?:19|20)\d\d)\b")
NAMING = [
    *(ROOT / "src" / "belated" / "learners").rglob("*.py"),
    *(ROOT / "docs" / "derivations").glob("*.md"),
    ROOT / "docs" / "errata.md",
]


def works(text):
    """First author and year of each work that is named in the text."""
    return {(first, year) for first, _, year in WORK.findall(re.sub(r"\s+", " ", text))}


def listed(first, year):
    """Whether some entry begins with this author and ends with this year."""
    return re.search(rf"(\*\*|named \*){first}\b[^*]* {year}\*", LISTED) is not None


def test_every_work_that_is_named_is_on_the_page():
    named = {work for path in NAMING for work in works(path.read_text(encoding="utf-8"))}
    assert len(named) > 30
    assert sorted(work for work in named if not listed(*work)) == []


def test_works_are_found_and_missing_ones_noticed():
    text = "Azoury and Warmuth 2001 and McMahan, Esposito and\nZhang 2025; Thune, Cesa-Bianchi and Seldin's (2019)"
    assert {("Azoury", "2001"), ("McMahan", "2025"), ("Thune", "2019")} <= works(text)
    assert listed("Qiu", "2025")
    assert not listed("Qiu", "2024")
    assert not listed("Nobody", "2025")
