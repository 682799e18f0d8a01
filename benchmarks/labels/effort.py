"""How long to measure: thoroughly for numbers that are quoted, at a glance to see that all of it works."""

from typing import NamedTuple


class Effort(NamedTuple):
    """What is measured, and how often.

    ================  ==============================================================================================
    field             meaning
    ================  ==============================================================================================
    ``flights``       how many flights are replayed, from the first on; ``None`` for all of the year
    ``settings``      how many settings of each peer are tried; ``None`` for all
    ``clicks``        how many clicks the stream of purchases has
    ``rows``          how many rows are predicted and learned in one turn of the comparison of speed
    ``repetitions``   how often all contenders have their turn
    ``live_events``   how many events of a live predictor are timed together
    ``large``         how many events the large log has, questions and answers
    ================  ==============================================================================================
    """

    flights: int | None
    settings: int | None
    clicks: int
    rows: int
    repetitions: int
    live_events: int
    large: int


FULL = Effort(
    flights=None,
    settings=None,
    clicks=200_000,
    rows=50_000,
    repetitions=7,
    live_events=5000,
    large=10_000_000,
)

QUICK = Effort(
    flights=40_000,
    settings=2,
    clicks=40_000,
    rows=10_000,
    repetitions=3,
    live_events=2000,
    large=200_000,
)
