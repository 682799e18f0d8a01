"""Events for tests of the journal, and a store of a dozen lines that the stores are compared with."""

from belated.core.errors import Conflict
from belated.journal import START, End, chained
from belated.journal.store import Part


def following(store, stream, count, kind="told", key="k", body=b"{}"):
    """Events that follow the end of a stream, about decisions that nobody else has."""
    end = store.end(stream)
    return after(end, stream, count, kind, key, body)


def after(end, stream, count, kind="told", key="k", body=b"{}"):
    events, chain = [], end.chain
    for number in range(end.number + 1, end.number + 1 + count):
        events.append(chained(chain, stream, number, kind, f"d-{number}", key, 1_000 + number, body))
        chain = events[-1].chain
    return events


BEGIN = End(0, START, 0)


def keep(store, stream, kept, size=2):
    """Keep a whole snapshot, in parts of so many bytes."""
    parts = [kept.body[i : i + size] for i in range(0, len(kept.body), size)] or [b""]
    for place, body in enumerate(parts):
        store.keep(stream, Part(kept.number, place, body, place == len(parts) - 1))


class Naive:
    """What a store is: a list of events in which nothing may stand that must not. It is slow, and shares nothing."""

    def __init__(self):
        self.events, self.snapshots = [], {}

    def append(self, events):
        new = list(self.events)
        for event in events:
            about = (event.stream, event.decision, event.kind, event.key)
            keyed = event.decision is not None and event.key is not None
            if event.number != 1 + sum(each.stream == event.stream for each in new) or (
                keyed and any((each.stream, each.decision, each.kind, each.key) == about for each in new)
            ):
                raise Conflict("no")
            new.append(event)
        self.events = new

    def read(self, stream, after=0):
        return [each for each in self.events if each.stream == stream and each.number > after]

    def streams(self):
        return sorted({each.stream for each in self.events})

    def end(self, stream):
        found = self.read(stream)
        return End(found[-1].number, found[-1].chain, found[-1].at) if found else BEGIN

    def keep(self, stream, snapshot):
        self.snapshots[stream, snapshot.number] = snapshot

    def kept(self, stream):
        return sorted((each for (name, _), each in self.snapshots.items() if name == stream), reverse=True)[:2]
