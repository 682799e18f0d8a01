"""``belated store``: look into a store of durable learners, copy it, and check that it is what was written.

A store that is in use cannot be opened by a second process. ``backup`` copies it all the same; the other commands then
do their work on the copy. ``check``, ``export`` and ``replay`` do not change the store, and work where nothing can be
written.
"""

import argparse
import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from belated.cli.command import Command, CommandFailed, group, needing_store
from belated.cli.layout import WIDEST, table
from belated.cli.terminal import is_watched, say

if TYPE_CHECKING:
    from belated.journal import Store

SQLITE = "sqlite:///"


def add_address(parser: argparse.ArgumentParser) -> None:
    """The address of the store, as `belated.open` takes it."""
    parser.add_argument("address", metavar="STORE", help="such as sqlite:///knob.db or postgresql://user@host/name")


def add_backup(parser: argparse.ArgumentParser) -> None:
    """The store, and the new file."""
    add_address(parser)
    parser.add_argument("file", type=Path, metavar="FILE", help="the copy, which must not exist yet")


def backup(options: argparse.Namespace) -> int:
    """Copy a store of SQLite, which may be in use, to a new file."""
    from belated.core.errors import StoreInUse
    from belated.journal.sqlite_damage import check_log
    from belated.journal.sqlite_file import copied

    if not options.address.startswith(SQLITE):
        raise CommandFailed("only stores of SQLite are copied; for PostgreSQL there is pg_dump")
    if options.file.exists():
        raise CommandFailed(f"{options.file} exists already, and back-ups are not overwritten")
    path = str(_existing(options.address).resolve())
    with suppress(StoreInUse), _opened(options.address):  # whoever has it in use has looked at the log
        check_log(path, options.address)
    try:
        copied(path, options.file)
    except (OSError, sqlite3.Error) as error:
        said = (error.strerror if isinstance(error, OSError) else None) or error
        raise CommandFailed(f"cannot copy to {options.file}: {said}") from error
    say(f"Copied to {options.file}\nCheck it: belated store check {SQLITE}{options.file}")
    return 0


def export(options: argparse.Namespace) -> int:
    """Print every event as a line of JSON."""
    from belated.core.errors import StoreDamaged
    from belated.journal import export_lines
    from belated.journal.lines import INCOMPLETE

    with _opened(options.address) as store:
        try:
            for line in export_lines(store):
                say(line)
        except StoreDamaged as problem:
            say(f"{INCOMPLETE}{json.dumps(str(problem))}}}")
            raise
    return 0


def check(options: argparse.Namespace) -> int:
    """Look at all of the store, compute every digest anew, and say how many events there are."""
    from belated.journal import verify

    with _opened(options.address) as store:
        store.check()
        rows = [(name, f"{verify(store, name).events:,}") for name in store.streams()]
    _tell("Every event is what was written.", ("learner", "events"), rows)
    return 0


def replay(options: argparse.Namespace) -> int:
    """Let every learner live through its events again, and compare what comes out with what was recorded.

    Snapshots are not used. They are compared, too.
    """
    from belated.service.names import is_reserved
    from belated.service.opening import new_desk
    from belated.service.snapshots import Compared
    from belated.sim.watching import bar_of

    rows, wrong, others = [], [], []
    with _opened(options.address) as store, bar_of(None, is_watched(), "event") as bar:
        store.check()
        for name in store.streams():
            if is_reserved(name):
                others.append(name)
                continue
            life, snapshots = new_desk(store, name).life, Compared(store, name)
            for event in store.read(name):
                life.replay(event)
                snapshots.look_at(life)
                bar.update(1)
            described = life.description.name if life.description is not None else "-"
            rows.append((name, described, f"{life.end.number:,}", f"{len(life.decisions.open):,}", str(snapshots)))
            wrong += [name] * bool(snapshots.different)
    header = ("learner", "of", "events", "open decisions", "snapshots")
    _tell("Every decision comes out as it was recorded.", header, rows)
    for name in others:
        say(f"{name} is no learner, and was left out.")
    if wrong:
        raise CommandFailed(
            f"a snapshot of {', '.join(wrong)} is not what the events say, though it is whole. The events are right; "
            "please report this"
        )
    return 0


def key(options: argparse.Namespace) -> int:
    """Make a key of an admin, for those who have lost theirs; whoever may write the store may do this."""
    from belated.service.engine import wall_clock
    from belated.service.keys import STREAM, Keys

    with _opened(options.address, reading=False) as store:
        event, secret = Keys(store.read(STREAM)).make("made by the command line", ("admin",), None, wall_clock())
        store.append([event])
    say(f"A new key, of an admin. It is shown this once:\n\n    {secret}")
    return 0


@contextmanager
def _opened(address: str, reading: bool = True) -> "Iterator[Store]":
    """A store that is there; a wrong address makes no new one. Only files can be opened for reading alone."""
    from belated.journal import open_store
    from belated.journal.sqlite import open_sqlite

    path = _existing(address) if address.startswith(SQLITE) else None
    with needing_store():
        opened: Store = open_sqlite(path, reading=True) if path is not None and reading else open_store(address)
    with closing(opened) as store:
        yield store


def _existing(address: str) -> Path:
    path = Path(address.removeprefix(SQLITE))
    if not path.is_file():
        raise CommandFailed(f"there is no file {path}")
    return path


def _tell(sentence: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    say(f"{sentence}\n\n{table(header, rows, width)}" if rows else "The store is empty.")


COMMAND = group(
    "store",
    "look into a store of durable learners, copy it or check it",
    (
        Command("backup", "copy a store of SQLite to a new file, while it is in use", add_backup, backup),
        Command("export", "print every event as a line of JSON", add_address, export),
        Command("check", "look for damage, and compute every digest anew", add_address, check),
        Command("key", "make a key of an admin for a store that is not in use", add_address, key),
        Command("replay", "let every learner decide again, and compare bit for bit", add_address, replay),
    ),
)
