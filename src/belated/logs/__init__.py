"""Event logs with true delays: read, put into the order in which the world learnt them, and described.

A pass over a log goes through these files, from the outside in:

================  =================================================================================================
``reading``       ``read_log`` itself: checks its arguments
``log``           ``Log``: begins a pass, and has its counts
``sources``       which reader serves which file or table
``csv_log``       CSV and TSV files; ``jsonl_log``, ``parquet_log`` and ``tables`` read the other kinds
``text_files``    opening files of text, also compressed ones
``columns``       cells become values; ``times`` reads times
``records``       rows become questions and answers
``known``         the keys that are remembered
``order``         the order of events, merged from sorted tables
``counts``        how often each rule was applied
``events``        ``Asked`` and ``Told``, all that a log can say
``describe``      the summary of a log; ``summary`` is its form, and ``lopsided`` its test of early labels
``flights_log``   the flights from New York in 2013, a log that comes with a package
``criteo_log``    the format of Criteo's logs of conversions
================  =================================================================================================

Names are loaded on first use.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.logs.counts import Counts as Counts
    from belated.logs.criteo_log import criteo as criteo
    from belated.logs.events import Asked as Asked
    from belated.logs.events import Told as Told
    from belated.logs.flights_log import flights as flights
    from belated.logs.log import Log as Log
    from belated.logs.lopsided import Lopsidedness as Lopsidedness
    from belated.logs.reading import read_log as read_log
    from belated.logs.summary import LogSummary as LogSummary

__all__ = ["Asked", "Counts", "LogSummary", "Lopsidedness", "Told", "criteo", "flights"]
"""What is public here; ``Log`` and ``read_log`` are public as names of the package."""

__getattr__ = loader(
    __name__,
    {
        "Asked": "events",
        "Counts": "counts",
        "Log": "log",
        "LogSummary": "summary",
        "Lopsidedness": "lopsided",
        "Told": "events",
        "criteo": "criteo_log",
        "flights": "flights_log",
        "read_log": "reading",
    },
)
