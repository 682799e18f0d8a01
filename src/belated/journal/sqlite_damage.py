"""Is a file of SQLite what was written? Its tables, its indexes, and its write-ahead log.

SQLite has no checksum in the file: one wrong bit in the head of a page can hide the events behind it, or whole streams,
and no query complains. So the structure of every page is looked at, and the events are counted both in their table and
in the index. The log has checksums. SQLite leaves out everything behind a frame whose checksum is wrong, since that is
how a write looks which a power cut has ended; so what was left out is looked at, too.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any, NoReturn

import numpy as np

from belated.core.errors import StoreDamaged, StoreFailed
from belated.journal.migrations import check_version, migrations

APPLICATION = 0x62656C61
"""Marks a file as a store of belated: the letters ``bela``."""

DAMAGE = ("malformed", "decode", "integer overflow")
"""Words by which SQLite says that a file is not what was written."""

TABLES = "SELECT type, name, tbl_name, sql FROM sqlite_master"

# For each stream: how many events there are, and the sum of their numbers; then the same of those with a decision.
IN_TABLE = """SELECT stream, count(*), sum(number),
    count(decision), sum(CASE WHEN decision IS NOT NULL THEN number END)
    FROM events NOT INDEXED GROUP BY stream"""
IN_INDEX = """SELECT stream, count(*), sum(number)
    FROM events INDEXED BY one_of_each WHERE decision IS NOT NULL GROUP BY stream"""

LOG_HEAD, FRAME_HEAD = 32, 24
"""Bytes before the frames of a log, and before the page in each frame."""

MAGIC = (0x377F0682, 0x377F0683)
"""How a log begins: its checksums are over words in little-endian order, or in big-endian order."""

FRAMES = 1024
"""So many frames of a log are looked at together."""


def check_tables(connection: Any, address: str, whole: bool) -> int:
    """Look for damage that reading the events in their order does not show. It changes nothing.

    Args:
        connection: A connection to the file.
        address: The address, for messages.
        whole: Whether to compare each entry of the index with the table, too; this takes three times as long.

    Returns:
        How many migrations the store has seen.

    Raises:
        StoreDamaged: The file is not what was written.
        StoreFailed: It cannot be read, is no store, or was made by a later version.
    """
    try:
        connection.execute("BEGIN")  # so that nobody writes between two queries
        try:
            return _check_tables(connection, address, whole)
        finally:
            connection.execute("ROLLBACK")
    except (StoreFailed, StoreDamaged):
        raise
    except Exception as problem:
        raise unreadable(address, problem) from problem


def _check_tables(connection: Any, address: str, whole: bool) -> int:
    ((mark,),), ((version,),) = connection.execute("PRAGMA application_id"), connection.execute("PRAGMA user_version")
    found, steps = set(connection.execute(TABLES)), migrations("sqlite")
    if not found and not mark:
        raise StoreFailed(
            f"{address} is no store: the database is empty. Remove the file if a new store is meant, or else restore a "
            "back-up."
        )
    if mark != APPLICATION:
        raise StoreFailed(f"{address} is a database of another program, and was left as it is")
    check_version(address, version, len(steps))
    if version < 1 or not found >= _tables(steps[:version]):
        damaged(address, "its tables are not those of a store")
    for (said,) in connection.execute("PRAGMA integrity_check(1)" if whole else "PRAGMA quick_check(1)"):
        if said != "ok":
            damaged(address, " ".join(said.replace("*** in database main ***", "").split()))
    decided = list[tuple[Any, ...]]()
    for stream, count, total, *of_decisions in connection.execute(IN_TABLE):
        if total != count * (count + 1) // 2:
            damaged(address, f"the events of {stream!r} are not numbered from 1 to their end")
        decided += [(stream, *of_decisions)] if of_decisions[0] else []
    if decided != list(connection.execute(IN_INDEX)):
        damaged(address, "the index has not the same events as the table")
    return int(version)


def _tables(steps: list[list[str]]) -> set[tuple[Any, ...]]:
    """How a new database describes the tables that migrations leave."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in [each for step in steps for each in step]:
            connection.execute(statement)
        return set(connection.execute(TABLES))


def check_log(path: str, address: str) -> None:
    """Refuse a write-ahead log of which SQLite would leave out what was committed. It changes nothing.

    Every transaction is on the disk before the next one is begun, so a power cut leaves at most one that is not whole.
    If two ends of transactions lie behind the first wrong frame, the first of them was committed.

    Args:
        path: The file of the store; the log lies beside it.
        address: The address, for messages.

    Raises:
        StoreDamaged: The log is not what was written.
        StoreFailed: It cannot be read.
    """
    try:
        log = np.fromfile(f"{path}-wal", np.uint8)
    except FileNotFoundError:
        return
    except OSError as problem:
        raise unreadable(address, problem) from problem
    if len(log) <= LOG_HEAD:
        return
    head = log[:LOG_HEAD].view(">u4")
    order = "<u4" if head[0] == MAGIC[0] else ">u4"
    if head[0] not in MAGIC or (_sums(log[np.newaxis, :24].view(order), np.zeros((1, 2))) != head[6:]).any():
        damaged(address, "the head of its write-ahead log is not what was written")
    length = FRAME_HEAD + int(head[2])
    frames = log[LOG_HEAD : len(log) - (len(log) - LOG_HEAD) % length].reshape(-1, length)
    heads = np.ascontiguousarray(frames[:, :FRAME_HEAD]).view(">u4")  # page, end of a transaction, salts, checksum
    before = np.vstack([head[6:], heads[:-1, 4:]])[: len(frames)]
    is_ours = (heads[:, 2:4] == head[4:6]).any(axis=1)  # a frame from before the log was begun anew has other salts
    for start in range(0, len(frames), FRAMES):
        part = slice(start, start + FRAMES)
        words = np.hstack([frames[part, :8], frames[part, FRAME_HEAD:]]).view(order)
        is_right = (_sums(words, before[part]) == heads[part, 4:]).all(axis=1) & (heads[part, 2:4] == head[4:6]).all(
            axis=1
        )
        if not is_right.all():
            left_out = start + int(is_right.argmin())
            ends = int(np.count_nonzero(is_ours[left_out:] & (heads[left_out:, 1] > 0)))
            if ends > 1:
                damaged(address, f"a frame of its write-ahead log is wrong, and {ends} transactions would be left out")
            return


def _sums(words: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The checksums of rows of words, each beginning with the checksum before it.

    For each pair of words ``a`` and ``b``, SQLite adds ``a + second`` to the first sum and then ``b + first`` to the
    second one. That is linear, so each word counts a number of times that depends on its place alone.
    """
    times, starts = list[Any](), [(1, 0), (0, 1)]
    pair = [(1, 1), (0, 1)]
    for _ in range(words.shape[1] // 2):
        times = pair + times
        pair, starts = ([((a + b) % 2**32, (a + 2 * b) % 2**32) for a, b in each] for each in (pair, starts))
    return words.astype(np.uint32) @ np.array(times, np.uint32) + before.astype(np.uint32) @ np.array(starts, np.uint32)


def damaged(address: str, what: str) -> NoReturn:
    """Say that a file is not what was written."""
    raise StoreDamaged(f"{address} is damaged ({what}). Nothing was changed; restore a back-up.")


def unreadable(address: str, problem: Exception) -> StoreDamaged | StoreFailed:
    """What is said of a file that SQLite cannot read."""
    if any(word in str(problem) for word in DAMAGE):
        return StoreDamaged(f"{address} is damaged ({problem}). Nothing was changed; restore a back-up.")
    if "not a database" in str(problem):
        return StoreFailed(
            f"{address} cannot be opened: {problem}. It was left as it is; restore a back-up if it was a store."
        )
    return StoreFailed(f"{address} could not be read ({problem}). Nothing was changed.")
