"""Why a run has stopped: which part of a learner, or which loss, did what in which round.

The loop only finds out that a round went wrong. What follows here takes place once, when it has stopped, so it may look
at everything: what was raised and by which verb of which part, the points that were played, and the rates.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix
from belated.core.checks import LARGEST_ENTRY, shown
from belated.core.errors import BelatedError, NumericalFailure, OutsideDomain
from belated.core.ledger import Ledger
from belated.core.verbs import called_in
from belated.learners import Learner
from belated.learners.verbs import inverse_rate

FAR = 1e20
"""A decision with an entry beyond this has run away, which is told beside what came of it."""


class Failure(NamedTuple):
    """The round in which a run has stopped; ``ledger`` counts it."""

    name: str
    learner: Learner
    seed: int
    ledger: Ledger

    @property
    def place(self) -> str:
        """Learner, round and seed, in words."""
        return f"`simulate`: learner {self.name}, round {self.ledger.round} of seed {self.seed}"

    def of_exception(self, problem: ArithmeticError) -> NumericalFailure:
        """The error about what a part has raised: the verb, the part, and the line of code.

        Args:
            problem: What was raised, with its traceback.

        Returns:
            An error to raise from ``problem``.
        """
        frames = list(_frames(problem))
        inner, line = frames[-1]
        calls = [call for frame, _ in frames if (call := called_in(frame))]
        who = f"`{calls[-1][0].__name__}` of {shown(calls[-1][1])}" if calls else "a part"
        place = f"in {inner.f_code.co_name}, {Path(inner.f_code.co_filename).name} line {line}"
        message = f"{self.place}: {who} raised {type(problem).__name__}: {problem} ({place})"
        asked = self.ledger._replace(arrived=1, received=self.ledger.received + 1)  # how many it were is not known
        rate = None if calls and calls[-1][0] is inverse_rate else self._bad_rate(asked)
        return NumericalFailure(f"{message}; {rate}" if rate else message)

    def of_numbers(self, points: Matrix) -> BelatedError:
        """The error about a round whose numbers cannot be used.

        Args:
            points: What was played in the round.

        Returns:
            An error to raise: about the learner if a point is not finite or lies outside, about the loss otherwise.
        """
        domain = self.learner.domain
        if not np.isfinite(points).all():
            found = (
                self._bad_rate(self._before()) or "a part of the learner has failed, such as a step, and not the loss"
            )
            return NumericalFailure(f"{self.place}: the decision is not finite: {found}")
        for point in points:
            if not domain.contains(point):
                distance = float(np.linalg.norm(point - domain.project(point)))
                where = f"the point {shown(point)} lies outside of {shown(domain)}, {distance:.3g} from its nearest"
                return OutsideDomain(f"{self.place}: {where} element; a learner must play inside its domain")
        bound = self.learner.interface.label_bound
        limits = f"is not finite or beyond {LARGEST_ENTRY:g}"
        limits += f", or its label is beyond the learner's label_bound {bound:g}" if math.isfinite(bound) else ""
        largest = float(np.abs(points).max())
        limits += f"; the learner has run away, its decision has an entry of {largest:.3g}" if largest > FAR else ""
        of_round = f"the loss of {self.name} in round {self.ledger.round} of seed {self.seed}"
        return NumericalFailure(f"`simulate`: {of_round}, or its gradient, {limits}")

    def _before(self) -> Ledger:
        """The ledger at the end of the round before, when the decision was made; of its arrivals one is known of."""
        now = self.ledger
        return now._replace(
            round=now.round - 1,
            arrived=1,
            received=now.received - now.arrived,
            in_flight=now.outstanding,
            play_weight=now.play_weight - 1 - 2 * now.outstanding,
            arrival_weight=now.arrival_weight - now.arrived * (now.arrived + 2 * now.in_flight),
        )

    def _bad_rate(self, ledger: Ledger) -> str | None:
        """The first rate among the learner's parts that is no positive number then, in words."""
        if ledger.received == 0:
            return None  # nobody has asked for a rate
        for rate in filter(inverse_rate.knows, _parts(self.learner.policy)):
            told = f"`inverse_rate` of {shown(rate)}"
            try:
                with np.errstate(all="ignore"):
                    found = float(inverse_rate(rate, ledger))
            except Exception as problem:  # where compiled code has gone on with nan
                return f"{told} raises {type(problem).__name__}: {problem} for round {ledger.round}"
            if not 0.0 < found < math.inf:
                return f"{told} gives {found:g} for round {ledger.round}"
        return None


def _frames(problem: BaseException) -> Iterator[tuple[FrameType, int]]:
    """Where an exception came by, the innermost last."""
    here = problem.__traceback__
    while here is not None:
        yield here.tb_frame, here.tb_lineno
        here = here.tb_next


def _parts(value: Any) -> Iterator[Any]:
    """A part and all that it is made of."""
    if isinstance(value, tuple):
        yield value
        for each in value:
            yield from _parts(each)
