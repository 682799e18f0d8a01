"""Bounds that a search may compare regret with: of the delays alone, or of a whole run.

Most bounds are functions of the delays. Some, as that of the online Newton step, can only be computed after a run, from
its gradients and decisions; and some depend on where the run started. :class:`RunBound` is what all of those have in
common, and :func:`promise_of` makes one promise of anything that can be given as a bound.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from belated.core import checks
from belated.core.arrays import Integers, Matrix
from belated.theory.statement import Bound


class Played(NamedTuple):
    """A run, as a bound that needs more than the delays is told of it.

    Args:
        delays: The delay of each round, cut off at the last.
        gradients: g_1 to g_T in T rows, including those that never came.
        decisions: x_1 to x_T in T rows; the first is where the run started.
    """

    delays: Integers
    gradients: Matrix
    decisions: Matrix


class RunBound(Protocol):
    """A bound that can only be computed after a run, from its data."""

    def of_run(self, run: Played) -> float:
        """The largest regret possible in a run with these delays, gradients and decisions.

        Args:
            run: Delays, gradients and decisions of all rounds.

        Returns:
            A number above 0.
        """


class AfterRun(NamedTuple):
    """A function of a run as a bound, such as ``AfterRun(lambda run: bl.bounds.ons(*run, ...))``.

    Args:
        function: Is given a :class:`Played` and returns the largest regret possible, a number above 0.
    """

    function: Callable[[Played], float]

    def of_run(self, run: Played) -> float:
        """What the function says of a run.

        Args:
            run: Delays, gradients and decisions of all rounds.

        Returns:
            The largest regret possible, a number above 0.
        """
        return float(self.function(run))


class Promise(NamedTuple):
    """A bound as the search asks it; ``by_delays`` says that runs with the same delays have the same bound."""

    of_run: Callable[[Played], Any]
    by_delays: bool

    def value(self, run: Played) -> float:
        """The bound for a run, checked: a number above 0, or infinity where nothing is promised."""
        given = self.of_run(run)
        if isinstance(given, float) and given == math.inf:
            return math.inf
        value = checks.number("worst_case", "bound", given)
        if not value > 0.0:
            wanted = f"must be a finite number > 0 for the delays {checks.shown(run.delays.tolist())}"
            checks.refuse("worst_case", "bound", given, wanted)
        return value


class EveryStart:
    """A bound of ``bl.bounds.of`` for runs that start anywhere: its constants are read anew for each start.

    A bound is made for one first decision, and is smaller than that for another one farther away from the centre.
    """

    def __init__(self, bound: Bound) -> None:
        self._bound = bound
        self._known: dict[bytes, Bound | None] = {}

    def of_run(self, run: Played) -> float:
        """The bound for the start of this run; infinite if the statement promises nothing there."""
        key = run.decisions[0].tobytes()
        if key not in self._known:
            self._known[key] = self._bound.starting_at(run.decisions[0])
        there = self._known[key]
        return math.inf if there is None else there.value(run.delays)


def promise_of(bound: Any, *, anywhere: bool = False) -> Promise:
    """What was given as a bound: an object with ``of_run(run)`` or ``value(delays)``, or a function of the delays.

    Args:
        bound: What was given.
        anywhere: Whether runs start anywhere, so that a bound that was made for one start is made for each.
    """
    if anywhere and isinstance(bound, Bound) and bound.learner is not None:
        return Promise(EveryStart(bound).of_run, False)
    if hasattr(bound, "of_run"):
        return Promise(bound.of_run, False)
    value = getattr(bound, "value", bound)
    if not callable(value):
        wanted = "must be a function of the delays, or have a method `value(delays)` or `of_run(run)`"
        checks.refuse("worst_case", "bound", bound, wanted)
    _check_arguments(value)
    return Promise(lambda run: value(run.delays), True)


def _check_arguments(function: Callable[..., Any]) -> None:
    """Refuse a function that needs more than the delays, as those of ``bl.bounds`` do without their constants."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions that are not written in Python have none
        return
    try:
        signature.bind([1])
    except TypeError as misfit:
        wanted = f"must need the delays alone ({misfit}): use functools.partial, or bl.bounds.of"
        checks.refuse("worst_case", "bound", getattr(function, "__name__", function), wanted)
