"""Every error that belated raises on purpose: one small tree, each leaf also a fitting built-in.

Catch :class:`BelatedError` for all of them, or the built-in that you would catch anyway. A message names the
argument, the value that was given and what is allowed; whatever raised it has changed nothing. There are two kinds of
exceptions to that. After :class:`StoreFailed`, :class:`ServiceAway` or :class:`ServiceFailed` it is not known whether
the last call was stored. :class:`SomeRefused` comes from many calls at once, some of which were done.
"""

from typing import Any


class BelatedError(Exception):
    """Base class of every error that belated raises on purpose."""


class InvalidArgument(BelatedError, ValueError):
    """A value that cannot be used: wrong shape, not finite, out of range; ``argument`` is the name it was given by."""

    def __init__(self, message: str, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


class NameTaken(InvalidArgument):
    """A name that belongs to another learner."""


class Archived(InvalidArgument):
    """A learner that makes no further decisions."""


class UnknownRound(BelatedError, LookupError):
    """Feedback for a round that was never asked."""


class AlreadyAnswered(BelatedError, LookupError):
    """Feedback for a round that has been answered or given up before, or giving up such a round."""


class UnknownKey(BelatedError, LookupError):
    """A label for a key under which no prediction was made, or that was answered long ago and is forgotten."""


class UnknownDecision(BelatedError, LookupError):
    """A report on a decision that was never made."""


class NothingOwed(BelatedError, LookupError):
    """Feedback although every round that was asked has been answered."""


class RoundRequired(BelatedError, TypeError):
    """Feedback without its round, for a learner that must know it."""


class SharedPlayer(BelatedError, RuntimeError):
    """A call to a player that another thread is using at this moment; the call has changed nothing."""


class StateMismatch(BelatedError, ValueError):
    """A saved state that does not belong to the learner that should resume it, or that is damaged."""


class NumericalFailure(BelatedError, ArithmeticError):
    """Finite input led to a result that is not finite."""


class OutsideDomain(BelatedError, ValueError):
    """A learner has played a point that does not lie in its domain, where losses may be as small as one likes."""


class AssumptionViolated(BelatedError, ValueError):
    """Something that a learner's promise takes for granted is not so; ``round`` is the round that has shown it, if any.

    ``round`` is ``None`` if it follows from the definition of the losses, the domain or the learner.
    """

    def __init__(self, message: str, round: int | None = None) -> None:
        super().__init__(message)
        self.round = round


class ProofBroken(BelatedError, ArithmeticError):
    """A step of a proof that does not hold on a run; ``step`` is its name, ``round`` the round, if it has one."""

    def __init__(self, message: str, step: str | None = None, round: int | None = None) -> None:
        super().__init__(message)
        self.step = step
        self.round = round


class MissingVerb(BelatedError, TypeError):
    """A part was used in a place for which it has registered no implementation."""


class AmbiguousPart(BelatedError, TypeError):
    """Two classes of parts with the same name, which a saved state could not tell apart."""


class CannotCompile(BelatedError, TypeError):
    """Code that runs as plain Python only; what asked for machine code goes on without it."""


class PlainPython(CannotCompile):
    """Code that runs as plain Python on purpose: it was registered so, or the compiler is switched off."""


class BadRow(BelatedError, ValueError):
    """A row of a log that cannot be used; the message says where it is, what it holds and what is allowed.

    ``source`` is the name of the file or table, and ``line`` the row's line in the file; a table without lines counts
    its rows from 1. ``column`` is the name of the column, or None if the row as a whole is meant. ``value`` is what was
    found there.
    """

    def __init__(
        self,
        message: str,
        source: str | None = None,
        line: int | None = None,
        column: str | None = None,
        value: object = None,
    ) -> None:
        super().__init__(message)
        self.source = source
        self.line = line
        self.column = column
        self.value = value


class UsedUp(BelatedError, RuntimeError):
    """A second pass over rows that can be read only once, such as those of a generator."""


class Conflict(BelatedError, RuntimeError):
    """Events that do not follow the end of their stream, or of which one is stored already; nothing was stored."""


class StoreFailed(BelatedError, OSError):
    """A store that cannot be opened, read or written. After a failed write, open it anew and read what it has."""


class StoreInUse(BelatedError, RuntimeError):
    """A store that another process, or another object of this one, has opened for writing."""


class StoreBusy(BelatedError, RuntimeError):
    """More events wait to be stored than are allowed to wait; nothing was accepted, and trying again later is safe."""


class StoreDamaged(BelatedError, ValueError):
    """A store whose events are not those that were written: one is missing, was changed or has a wrong place.

    ``stream`` is the stream, and ``number`` the first number that is missing or wrong there; both are ``None`` if the
    damage has no such place.
    """

    def __init__(self, message: str, stream: str | None = None, number: int | None = None) -> None:
        super().__init__(message)
        self.stream = stream
        self.number = number


class NotAllowed(BelatedError, PermissionError):
    """A service does not know the key that it was given, or the key is not for this."""


class UnknownLearner(BelatedError, KeyError):
    """A service has no learner or model of this name."""

    __str__ = Exception.__str__  # that of KeyError would put the message into quotes


class ServiceAway(BelatedError, ConnectionError):
    """A service cannot be reached, or has no time. Whether it has heard the call is not known; repeating it is safe."""


class ServiceFailed(BelatedError, RuntimeError):
    """A service has failed in a way that it does not know itself, or something else has answered in its place."""


class SomeRefused(BelatedError, ValueError):
    """Some calls of many were refused, and all others were done.

    ``replies`` has the result of each call in the order in which they were given, or the error in its place.
    """

    def __init__(self, message: str, replies: list[Any]) -> None:
        super().__init__(message)
        self.replies = replies


class WorkersDiffer(BelatedError, RuntimeError):
    """A worker of a sweep has other versions or other files than the process that planned it; it has run nothing."""


class WorkersLost(BelatedError, RuntimeError):
    """The workers of a sweep have died, or cannot write, and none of the runs that are left was finished."""


class NotKept(UserWarning):
    """Finished runs could not be written to a store; the result of the simulation has them. A warning, not an error."""


class RunsAsPython(UserWarning):
    """A long simulation runs many times more slowly than it could. A warning, not an error."""


class LopsidedLabels(UserWarning):
    """Labels of one kind come first, and a model that learns them as they come is misled. A warning, not an error."""


class OutsideRange(UserWarning):
    """A value was learned that is outside of the range that was declared for a knob. A warning, not an error."""
