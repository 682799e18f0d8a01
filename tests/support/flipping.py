"""One wrong bit in a store of SQLite, many times: what is said of it by ``belated store check``, and by an opening?

``python flipping.py FLIPS SEED`` counts it for the file of a stopped store, and for the log of a killed one. Half of
the bits are in the first 24 bytes of pages, where SQLite keeps how events are found.
"""

import random
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import belated as bl
from belated.core.errors import StateMismatch, StoreDamaged, StoreFailed
from belated.journal import export_lines, verify
from belated.journal.sqlite import open_sqlite

PAGE, HEAD = 4096, 24
LOG_HEAD, FRAME_HEAD = 32, 24
ENDS = ("", "-wal")
BATCH = 5
"""So many events are stored together."""


class Said(NamedTuple):
    """What was said of a store: ``refused``; ``harmless`` if nothing has changed; else ``silent``."""

    check: str
    opening: str


class Flipping:
    """Stores with one wrong bit each.

    ``files`` has the bytes of the file and of its log. ``flipped`` is the end of the name of the file that is damaged.
    """

    def __init__(self, folder, killed=False):
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.flipped = folder / "flipped.db", "-wal" if killed else ""
        self.decisions = [f"order-{number}" for number in range(150)]
        events = lived(self.decisions)
        with closing(open_sqlite(folder / "made.db")) as store:
            for start in range(0, len(events), BATCH):
                store.append(events[start : start + BATCH])
            if killed:
                for end in ENDS:
                    shutil.copyfile(folder / f"made.db{end}", f"{self.path}{end}")
        if not killed:
            shutil.copyfile(folder / "made.db", self.path)
        self.files = {end: read(f"{self.path}{end}") for end in ENDS}
        with closing(open_sqlite(self.path, reading=True)) as store:
            self.truth = self._seen(store)

    def _seen(self, store):
        """What a store shows: its lines, and what it finds of each decision."""
        return list(export_lines(store)), [store.find("price", decision) for decision in self.decisions]

    def places(self, dice):
        """Endless places of bits, every second one in the head of a page or of a frame of the log."""
        size = len(self.files[self.flipped])
        start, length = (LOG_HEAD, FRAME_HEAD + PAGE) if self.flipped else (0, PAGE)
        while True:
            yield dice.randrange(size), dice.randrange(8)
            yield start + dice.randrange((size - start) // length) * length + dice.randrange(HEAD), dice.randrange(8)

    def put(self, place, bit):
        """Write the files, with one bit turned round."""
        for end, content in self.files.items():
            file = Path(f"{self.path}{end}")
            if not content:
                file.unlink(missing_ok=True)
                continue
            wrong = bytearray(content)
            if end == self.flipped:
                wrong[place] ^= 1 << bit
            file.write_bytes(wrong)
        Path(f"{self.path}-shm").unlink(missing_ok=True)

    def said(self, place, bit):
        """What is said of the store with this bit wrong."""
        self.put(place, bit)
        return Said(self._judged(self._checked), self._judged(self._opened))

    def _judged(self, look):
        try:
            return "harmless" if look() == self.truth else "silent"
        except (StoreDamaged, StoreFailed, StateMismatch):
            return "refused"

    def _checked(self):
        """The steps of ``belated store check``; then what the store shows."""
        with closing(open_sqlite(self.path, reading=True)) as store:
            store.check()
            for stream in store.streams():
                verify(store, stream)
            return self._seen(store)

    def _opened(self):
        with bl.open(f"sqlite:///{self.path}") as store:
            return self._seen(store.journal)


def lived(decisions):
    """The events of a learner that was asked and told all that."""
    with bl.open("memory://") as store:
        price = store.create("price", bl.dogd_sc(bl.Ball(2), 2.0))
        for decision in decisions:
            price.ask(key=decision)
            price.tell([0.5, -0.5], key=decision)
        return list(store.journal.read("price"))


def read(path):
    """The bytes of a file; none if it is not there."""
    return Path(path).read_bytes() if Path(path).exists() else b""


def main():
    flips, seed = int(sys.argv[1]), int(sys.argv[2])
    for killed in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            flipping = Flipping(Path(folder), killed)
            places = flipping.places(random.Random(seed))
            counts = Counter(flipping.said(*next(places)) for _ in range(flips))
        sys.stdout.write("log of a killed store\n" if killed else "file of a stopped store\n")
        for said, count in counts.most_common():
            sys.stdout.write(f"{count:8} check: {said.check}, opening: {said.opening}\n")


if __name__ == "__main__":
    main()
