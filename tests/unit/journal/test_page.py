"""The page of the journal: each promise names a test that there is, and each limit is that of the code."""

import re
from pathlib import Path

from belated.journal import events, writer
from support.pages import table

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8")
TESTS = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py")))


def test_every_promise_names_a_test():
    heads, *rows = table(PAGE, "store")
    assert heads[1:] == ["process killed", "power lost", "disk full, sync fails", "two writers", "reply lost"]
    assert [row[0] for row in rows] == ["memory", "SQLite", "PostgreSQL"]
    for row in rows:
        for cell in row[1:]:
            names = re.findall(r"`(test_\w+)`", cell)
            assert names or cell in ("all is gone", "there is no disk")
            assert all(f"def {name}(" in TESTS for name in names), cell


def test_the_limits_are_those_of_the_code():
    limits = {row[0]: row[1] for row in table(PAGE, "what")[1:]}
    assert f"1 to {events.LONGEST_TEXT} characters" in limits["names of streams, decisions and keys"]
    assert limits["kind"] == f"1 to {events.LONGEST_KIND} characters"
    assert limits["body"] == f"{events.LARGEST_BODY // 2**20} MiB"
    assert limits["bodies of one submission to the writer"] == f"{writer.SUBMISSION_BYTES // 2**20} MiB"
    assert f"{writer.BATCH:,} events or {writer.BATCH_BYTES // 2**20} MiB" in limits["one batch of the writer"]
