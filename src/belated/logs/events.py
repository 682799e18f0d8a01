"""The two things that a log can say: a question was asked, and a question was answered."""

from typing import NamedTuple

Value = float | str | None
"""What a cell of an example holds: a number, a text, or None for a gap."""

Label = float | str
"""What an answer says: a number or a text."""

Key = int | str
"""What a question is called: a text or a whole number from a column of the log, or the number of its row."""


class Asked(NamedTuple):
    """A decision was due: the example was known at ``time``, and its label was not."""

    time: int
    """Microseconds since 1970 UTC; if the log has plain numbers without a unit as times, that number."""
    key: Key
    """The name of the question, which its answer repeats."""
    example: dict[str, Value]
    """The features by name. The dictionary belongs to the receiver of the event."""
    weight: float = 1.0
    """How much the question counts, 1 if the log has no column of weights."""
    deadline: int | None = None
    """The time after which an answer is no longer awaited, or None. The log still yields an answer that comes later."""


class Told(NamedTuple):
    """The label of an earlier question became known at ``time``."""

    time: int
    """The time of the answer, on the same clock as that of the questions."""
    key: Key
    """The key of the question."""
    label: Label
    """The label: a finite number or a text."""


Event = Asked | Told
