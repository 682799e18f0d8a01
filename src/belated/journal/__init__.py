"""The journal: events that stay. What was accepted is appended, and everything else is a fold over it.

====================  =============================================================================================
``events``            ``Event``, and the digest that ties it to all events before it
``order``             what every store asks of the events that are to be stored together
``store``             the protocol ``Store``, its addresses and ``open_store``
``memory``            a store in memory, which the others are compared with
``sqlite``            a store in one file; ``sqlite_file`` makes it, locks it and copies it
``sqlite_damage``     is the file, and its log, what was written?
``postgresql``        a store on a PostgreSQL server; the only file that imports psycopg
``migrations``        the tables, as numbered files of SQL in ``sql/``
``writer``            ``Writer``: a thread that stores what has come together while it stored the last batch
``verifying``         walks the digests of a stream and names the first event that is wrong
``lines``             a store as lines of JSON, and back
====================  =============================================================================================

There is no clock here: whoever makes an event says when it happened. Names are loaded on first use.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.journal.events import START as START
    from belated.journal.events import Event as Event
    from belated.journal.events import chained as chained
    from belated.journal.lines import export_lines as export_lines
    from belated.journal.lines import import_lines as import_lines
    from belated.journal.store import End as End
    from belated.journal.store import Kept as Kept
    from belated.journal.store import Store as Store
    from belated.journal.store import open_store as open_store
    from belated.journal.verifying import Verified as Verified
    from belated.journal.verifying import verify as verify
    from belated.journal.writer import Writer as Writer

__all__ = [
    "START",
    "End",
    "Event",
    "Kept",
    "Store",
    "Verified",
    "Writer",
    "chained",
    "export_lines",
    "import_lines",
    "open_store",
    "verify",
]

__getattr__ = loader(
    __name__,
    {
        "START": "events",
        "End": "store",
        "Event": "events",
        "Kept": "store",
        "Store": "store",
        "Verified": "verifying",
        "Writer": "writer",
        "chained": "events",
        "export_lines": "lines",
        "import_lines": "lines",
        "open_store": "store",
        "verify": "verifying",
    },
)
