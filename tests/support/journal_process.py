"""A process that writes to a store and says so, for tests that kill it.

``python journal_process.py ADDRESS`` prints ``open`` and then the number of each event when it is stored. With
``--hopeful`` it is broken: it prints a number when the event is handed over, and what is handed over after the tenth is
never stored.
"""

import sys
import threading

from belated.journal import Writer, open_store
from support.journals import following


def say(words):
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


class Stuck:
    """A store in front of another one, which lets ten events through."""

    def __init__(self, store):
        self.address, self.end, self._store = store.address, store.end, store

    def append(self, events):
        if events[0].number > 10:
            threading.Event().wait()
        self._store.append(events)


def main():
    address, *options = sys.argv[1:]
    store = open_store(address)
    hopeful = "--hopeful" in options
    writer = Writer(Stuck(store) if hopeful else store)
    say("open")
    for event in following(store, "a", 100_000):
        stored = writer.submit([event])
        if not hopeful:
            stored.result()
        say(event.number)


if __name__ == "__main__":
    main()
