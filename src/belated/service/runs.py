"""Runs of learners and of models behind the same three verbs, by the names that people give to decisions.

A desk (:mod:`belated.service.desk`) knows decisions by their ids, and values as JSON has them. A run turns both into
what a player or a predictor takes, and gives plain values back. What it is told has been accepted by the desk; what the
player or predictor refuses is refused whole, and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from belated.core import checks
from belated.core.errors import InvalidArgument
from belated.learners.learner import Learner
from belated.learners.playing.player import Player
from belated.models.model import Model
from belated.models.predictor import Predictor
from belated.service.units import ScaledPlayer, begun

Given = Mapping[str, Any]
"""What was given with a command, as plain values."""

_REAL = np.dtype(np.float64)

MOST_NUMBERS = 50_000
"""The points of one decision have at most so many numbers, so that every decision can be stored."""

SECOND = 1e6
"""Microseconds: models are told seconds."""


class DurableRun(Protocol):
    """What a desk needs of a run."""

    @property
    def player(self) -> Player | None:
        """The player, to be looked at only, if it is the run of a learner."""

    def ask(self, decision: str, given: Given, at: int) -> dict[str, Any]:
        """Make a decision, and return it as plain values."""

    def tell(self, decision: str, given: Given, at: int) -> None:
        """Learn what came of a decision that is open."""

    def give_up(self, decision: str) -> None:
        """Say that nothing will ever be told of a decision that is open."""

    def waits_for(self, decision: str) -> bool:
        """Whether a decision that has timed out can still be told."""

    def compile(self) -> bool:
        """Compile the arithmetic now, or load it; false if that cannot be done."""

    def state(self) -> dict[str, Any]:
        """The state of the player or predictor, as named arrays and plain values."""

    def contents(self) -> dict[str, Any]:
        """All of the run, as named arrays and plain values."""

    def go_on(self, contents: Given) -> None:
        """Go on from what :meth:`contents` returned."""


class PlayerRun:
    """A player, whose rounds have ids."""

    def __init__(self, player: Player | ScaledPlayer, rounds: dict[str, int]) -> None:
        self._player, self._rounds = player, rounds

    @property
    def player(self) -> Player:
        """The player, to be looked at only; it decides in the unit box if people have units of their own."""
        return self._player.inner if isinstance(self._player, ScaledPlayer) else self._player

    def ask(self, decision: str, given: Given, at: int) -> dict[str, Any]:
        """Play the next round, with its context if the learner takes one."""
        if given:
            only("ask", given, ("context",))
        play = self._player.ask(given.get("context"))
        self._rounds[decision] = play.round
        return {"round": play.round, "points": play.points.tolist()}

    def tell(self, decision: str, given: Given, at: int) -> None:
        """Hand over the feedback of a round."""
        if len(given) != 1 or "feedback" not in given:
            only("tell", given, ("feedback",))
        feedback = needed(given, "feedback")
        if type(feedback) is list:
            feedback = in_an_array(feedback)
        elif isinstance(feedback, int | float):  # of learners that are told one number
            feedback = [feedback]
        self._player.tell(feedback, round=self._rounds[decision])
        del self._rounds[decision]

    def give_up(self, decision: str) -> None:
        """Give up the round of a decision."""
        self._player.give_up(self._rounds[decision])
        del self._rounds[decision]

    def waits_for(self, decision: str) -> bool:
        """Whether its round is open: at the timeout it may have been given up, or an outcome may have been learned."""
        return decision in self._rounds

    def compile(self) -> bool:
        """Compile the arithmetic of the player, or load it; false if that cannot be done."""
        return self._player.compile()

    def state(self) -> dict[str, Any]:
        """The player's state; ids of open rounds are with the desk."""
        return self._player.state()

    def contents(self) -> dict[str, Any]:
        """The state of the player, and the round of each decision that may still be told."""
        return {"state": self._player.state(), "rounds": dict(self._rounds)}

    def go_on(self, contents: Given) -> None:
        """Go on from what was returned by :meth:`contents` of a run of the same learner."""
        before, state = self._player, contents["state"]
        again = before.resumed(state) if isinstance(before, ScaledPlayer) else before.learner.resume(state)
        self._player, self._rounds = again, dict(contents["rounds"])


class PredictorRun:
    """A predictor, whose keys are the ids. Its moments are seconds since 1970."""

    player = None

    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor

    def ask(self, decision: str, given: Given, at: int) -> dict[str, Any]:
        """Predict the label of an example."""
        only("predict", given, ("features",))
        return {"value": self._predictor.predict(needed(given, "features"), decision, at=at / SECOND).value}

    def tell(self, decision: str, given: Given, at: int) -> None:
        """Learn the label of an example."""
        only("learn", given, ("label", "weight"))
        self._predictor.learn(decision, needed(given, "label"), at=at / SECOND, weight=given.get("weight", 1.0))

    def give_up(self, decision: str) -> None:
        """Give up the label of an example."""
        self._predictor.give_up(decision)

    def waits_for(self, decision: str) -> bool:
        """Whether a label corrects what was assumed; after a horizon nothing does."""
        waiting = self._predictor.model.waiting
        return waiting.way == "assume" and not waiting.horizon

    def compile(self) -> bool:
        """Compile the arithmetic of the predictor, or load it; false if that cannot be done."""
        return self._predictor.compile()

    def state(self) -> dict[str, Any]:
        """The state of the predictor, with everything that waits."""
        return self._predictor.state()

    def contents(self) -> dict[str, Any]:
        """The state of the predictor, which is all of the run."""
        return {"state": self._predictor.state()}

    def go_on(self, contents: Given) -> None:
        """Go on from what was returned by :meth:`contents` of a run of the same model."""
        self._predictor = self._predictor.model.resume(contents["state"])


def in_an_array(values: list[Any]) -> Any:
    """A list of real numbers as an array, which a player takes in much less time; any other list as it is."""
    try:
        found = np.array(values)
    except ValueError:  # lists of several lengths
        return values
    return found if found.dtype is _REAL else values


def only(call: str, given: Given, names: tuple[str, ...]) -> None:
    """Refuse whatever is given under a name that means nothing here."""
    for name in given:
        if name not in names:
            checks.refuse(call, name, given[name], f"there is no such argument here; there are {', '.join(names)}")


def needed(given: Given, name: str) -> Any:
    """What is given under a name that must be there."""
    if name not in given:
        raise InvalidArgument(f"`{name}` must be given", name)
    return given[name]


def numbers_of(description: Learner | Model) -> int:
    """How many numbers a decision has."""
    return description.interface.queries * description.domain.dim if isinstance(description, Learner) else 1


def started(description: Learner | Model, given: Given) -> DurableRun:
    """A new run.

    Args:
        description: The learner or model.
        given: For a learner ``initial`` and ``seed``, as ``learner.start`` takes them, and ``units`` of
            :mod:`belated.service.units`; nothing for a model.

    Returns:
        The run, which has seen nothing.

    Raises:
        InvalidArgument: An argument is not what it must be.
    """
    if isinstance(description, Model):
        only("create", given, ())
        return PredictorRun(description.start())
    only("create", given, ("initial", "seed", "units"))
    if numbers_of(description) > MOST_NUMBERS:
        checks.refuse("create", "description", description.name, f"may play at most {MOST_NUMBERS} numbers in a round")
    return PlayerRun(begun(description, given), {})


def waits(description: Learner | Model) -> Callable[[int], float]:
    """When a decision of a model that is made at some time times out by itself: a function of that time.

    Of a model with a horizon that is its deadline. Of one that assumes a label after a wait it is that moment. Other
    models and all learners wait for ever, unless a desk is told otherwise.
    """
    if not isinstance(description, Model):
        return lambda at: math.inf
    waiting = description.waiting
    length = waiting.horizon or (waiting.wait if waiting.way == "assume" else math.inf)
    return lambda at: at + length * SECOND
