"""Every test that the page of errata names must exist, and every entry must say its kind."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
DEFINED = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}


def test_every_test_that_the_page_names_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 15
    assert named <= DEFINED, named - DEFINED


def test_every_entry_says_what_it_is():
    """Each heading of the third level is followed by its kind: a typo, a constant, a reading or something to build."""
    entries = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    assert len(entries) > 20
    for entry in entries:
        kind = re.search(r"^\*(typo|constant|reading|build)[.:,]", entry, re.MULTILINE)
        assert kind, entry.splitlines()[0]
