"""A predictor: one run of a model, through two verbs.

``predict`` says what the label of an example will be, and remembers the example under a key. ``learn`` hands over the
label of a key, whenever it comes and in any order. ``give_up`` says of a key that no label will come.

Each of them is checked whole before anything changes, and none is ever half done. There is no clock: time is what the
caller says with ``at``, or else the number of predictions made so far. At one moment answers come before deadlines,
deadlines before assumptions, and assumptions before predictions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from belated.core import checks, errors
from belated.core.arrays import Vector
from belated.learners.playing.guard import Guard
from belated.models.beginnings import Beginnings, Begun
from belated.models.encoders import encoded, encoded_table, new_encoder
from belated.models.endings import Endings
from belated.models.keys import ANSWERED, Closed, Key, Keys, checked_key, plain_key
from belated.models.labels import READERS
from belated.models.lopsided import Answers, Lopsided, lopsided
from belated.models.rows import joined
from belated.models.running import Running
from belated.models.saving import RunContents, check_restored, fresh_machine, restored_contents, saved_state
from belated.models.times import Times, check_moment

if TYPE_CHECKING:
    from belated.models.model import Model


class Prediction(NamedTuple):
    """What :meth:`Predictor.predict` returns.

    ``value`` is the probability of the label 1, or the number that is forecast; the label is told by ``key``.
    """

    value: float
    key: Key


class Predictor:
    """One run of a model. Made by ``model.start()`` or ``model.resume(state)``."""

    def __init__(self, model: Model, contents: RunContents) -> None:
        self.model = model
        self._encoder, self._times, self._keys = contents.encoder, contents.times, contents.keys
        self._answers, self._assumes = contents.answers, model.waiting.way == "assume"
        at_arrival = model.slopes == "arrival"
        self._running = Running(model.name, model.step, model.link, at_arrival, self._assumes, contents.machine)
        self._beginnings = Beginnings(self._running, contents.keys, contents.encoder, contents.times)
        self._endings = Endings(model.waiting, self._running, contents.keys, contents.times, contents.answers)
        self._read_label = READERS[model.labels]
        self._guard = Guard()

    def __repr__(self) -> str:
        made, waiting = self._times.predictions, len(self._keys.open)
        return f"<{self.model.name} predictor: {made} predictions made, {waiting} waiting for their labels>"

    @property
    def waiting(self) -> tuple[Key, ...]:
        """The keys whose labels have not come, oldest first, also after an interrupt.

        Raises:
            SharedPlayer: Another thread is using the predictor.
        """
        token = self._guard.taken(f"{self.model.name}.waiting")
        try:
            self._tidy()
            return tuple(self._keys.open)
        finally:
            self._guard.free.append(token)

    @property
    def lopsided(self) -> Lopsided:
        """Whether labels of one kind come first, which a model that learns labels as they come learns too often.

        Never clear if labels are held or assumed. It takes as long as what is overdue is long, so look now and then and
        not after every label.
        """
        kind, now = self.model.labels, self._times.now if self._times.told else float(self._times.predictions)
        unsaid = kind == "number" and self.model.waiting.horizon == 0.0
        found = lopsided(self._answers, self._keys, now, None if unsaid else self.model.waiting.assumed)
        if kind != "0/1":
            return found
        return found._replace(recent=0.5 * (found.recent + 1.0), overall=0.5 * (found.overall + 1.0))

    def compile(self) -> bool:
        """Compile the arithmetic now, which takes seconds, or load it if it was compiled before.

        A predictor does this by itself after a thousand predictions. Predictions are the same, bit for bit.

        Returns:
            False if the compiler is switched off or cannot compile a part; events go on as plain Python then.

        Raises:
            SharedPlayer: Another thread is using the predictor.
        """
        token = self._guard.taken(f"{self.model.name}.compile")
        try:
            return self._running.compile()
        finally:
            self._guard.free.append(token)

    def look(self, features: Any) -> float:
        """The prediction for an example that no label will be told for; nothing is remembered.

        Args:
            features: An example, as for :meth:`predict`.

        Returns:
            What ``predict(features).value`` would be now, but for what the step notes at a prediction.

        Raises:
            InvalidArgument: The example is not what the model's recipe takes.
            SharedPlayer: Another thread is using the predictor.
        """
        where = f"{self.model.name}.look"
        token = self._guard.taken(where)
        try:
            return float(self._running.look(joined([encoded(self._encoder, where, features).row]))[0])
        finally:
            self._guard.free.append(token)

    def look_many(self, examples: Any) -> Vector:
        """What :meth:`look` says of each of many examples, bit for bit, in much less time.

        Args:
            examples: For a model with ``Dense`` features an array with one example in each row, with ``Sparse`` ones a
                sparse matrix of SciPy; or, as for every model, a list of examples.

        Returns:
            An array with a prediction for each example.

        Raises:
            InvalidArgument: One of the examples is not what the model's recipe takes.
            NumericalFailure: The features of one are so large that no prediction can be computed.
            SharedPlayer: Another thread is using the predictor.
        """
        where = f"{self.model.name}.look_many"
        token = self._guard.taken(where)
        try:
            return self._running.look(encoded_table(self._encoder, where, examples))
        finally:
            self._guard.free.append(token)

    def predict(self, features: Any, key: Key | None = None, *, at: Any = None, deadline: Any = None) -> Prediction:
        """Predict the label of an example, and remember the example until the label comes.

        Args:
            features: The example, as the model's recipe takes it: a mapping from names to words and numbers, or indices
                and values, or an array. A row that the recipe has made before is taken, too.
            key: Your own id of the event, a text or a whole number; by default the number of the prediction.
            at: The moment of the prediction, a number in any unit. Give it in every call of a run, or in none.
            deadline: The moment from which no answer is itself an answer, in the unit of ``at``; by default ``at`` plus
                the model's horizon, if it has one.

        Returns:
            The prediction, and its key.

        Raises:
            InvalidArgument: An argument is not what it must be, or the key is waiting already.
            NumericalFailure: The features are so large that no prediction can be computed, or a label that is due by
                then cannot be learned. What was due before that is done, and time has gone on to it.
            SharedPlayer: Another thread is using the predictor.
        """
        where = f"{self.model.name}.predict"
        token = self._guard.taken(where)
        try:
            self._tidy()
            moment = self._times.checked(where, at)
            name = self._beginnings.next_number if key is None else checked_key(where, key)
            last = self._last_moment(where, moment, deadline)
            row = encoded(self._encoder, where, features)
            if name in self._keys.open:
                checks.refuse(where, "key", name, "this key is waiting for its label already")
            self._endings.pass_time(moment, at_it=True)
            assumed_at = moment + self.model.waiting.wait if self._assumes else math.inf
            value = self._beginnings.predict(Begun(name, row, moment, at), last, assumed_at)
            return Prediction(value, name)
        finally:
            self._guard.free.append(token)

    def learn(self, key: Key, label: Any, *, at: Any = None, weight: float = 1.0) -> bool:
        """Hand over the label of a prediction, whenever it comes.

        Args:
            key: The key of the prediction.
            label: The label, of the kind that the model was declared for.
            at: The moment in which the label came, as for :meth:`predict`.
            weight: How much the event counts, > 0; whole numbers are not the same as telling the label several times.
                Of several outcomes, the one that is learned counts with its own weight; if they are added up or
                averaged, all must have the same.

        Returns:
            Whether the label was new. False if the same label was told for this key before: it counts once.

        Raises:
            InvalidArgument: An argument is not what it must be.
            UnknownKey: No prediction was made under this key, or it was answered long ago and is forgotten.
            AlreadyAnswered: Another label was told for this key, it was given up, or its deadline has passed.
            NumericalFailure: The label cannot be learned, as for :meth:`predict`.
            SharedPlayer: Another thread is using the predictor.
        """
        where = f"{self.model.name}.learn"
        token = self._guard.taken(where)
        try:
            self._tidy()
            moment = self._times.checked(where, at)
            number = self._read_label(where, "label", label)
            size = checks.moderate(where, "weight", weight)
            key = plain_key(key)
            found = self._keys.found(where, key, number)
            if found is None:
                return False
            if found.deadline < moment:
                raise errors.AlreadyAnswered(
                    f"`{where}(key={checks.shown(key)})`: its deadline {found.deadline!r} had passed at {moment!r}, so "
                    "the assumed label was learned"
                )
            holds = self.model.waiting.way == "hold" and found.deadline < math.inf
            if holds and self._endings.is_held(where, key, found, number, size):
                return False
            self._endings.pass_time(moment, at_it=False)
            if holds:
                self._endings.hold(key, found, number, size)
            else:
                self._endings.close(key, found, Closed(ANSWERED, number), size, moment)
            self._times.go_on(moment, at)
            return True
        finally:
            self._guard.free.append(token)

    def give_up(self, key: Key) -> None:
        """Say that no label will come for a prediction; the model learns nothing from it, and its memory is free.

        If a label was assumed of it by now, that stays learned.

        Args:
            key: The key of the prediction.

        Raises:
            UnknownKey: No prediction was made under this key, or it was answered long ago and is forgotten.
            AlreadyAnswered: It was answered or given up before, or a label is held for it. A held label that cannot be
                learned at its deadline, as a ``NumericalFailure`` has said, may be given up.
            SharedPlayer: Another thread is using the predictor.
        """
        where = f"{self.model.name}.give_up"
        token = self._guard.taken(where)
        try:
            self._tidy()
            key = plain_key(key)
            found = self._keys.found(where, key, None)
            assert found is not None  # noqa: S101  # without a label there is no duplicate
            self._endings.give_up(where, key, found)
        finally:
            self._guard.free.append(token)

    def state(self) -> dict[str, Any]:
        """All of the run, with the rows that wait, from which ``model.resume`` goes on.

        Returns:
            Named arrays and plain values, copies that you may change; nothing in them is pickled.

        Raises:
            NumericalFailure: A number of the run is not finite any more, so that nobody could go on from it.
            SharedPlayer: Another thread is using the predictor.
        """
        token = self._guard.taken(f"{self.model.name}.state")
        try:
            self._tidy()
            contents = RunContents(self._encoder, self._running.machine, self._times, self._keys, self._answers)
            return saved_state(self.model, contents)
        finally:
            self._guard.free.append(token)

    def __reduce__(self) -> tuple[Any, ...]:
        return resumed_predictor, (self.model, self.state())  # for copies, too

    # What the verbs are made of

    def _tidy(self) -> None:
        """Bring to its end what an interrupt has struck in an earlier call."""
        self._beginnings.tidy()
        self._endings.tidy()

    def _last_moment(self, where: str, moment: float, deadline: Any) -> float:
        """The deadline of a prediction; infinity if it has none."""
        if deadline is None:
            horizon = self.model.waiting.horizon
            return moment + horizon if horizon > 0.0 else math.inf
        last = checks.number(where, "deadline", deadline)
        check_moment(where, "deadline", last)
        if last < moment:
            checks.refuse(where, "deadline", deadline, f"must not be before {moment!r}, the moment of the prediction")
        return last


def new_predictor(model: Model) -> Predictor:
    """A run of ``model`` that has seen nothing."""
    contents = RunContents(new_encoder(model.features), fresh_machine(model), Times(), Keys(), Answers())
    return Predictor(model, contents)


def resumed_predictor(model: Model, saved: Mapping[str, Any]) -> Predictor:
    """A run of ``model`` from what ``Predictor.state`` returned."""
    predictor = Predictor(model, restored_contents(model, saved))
    try:
        again = predictor.state()
    except errors.NumericalFailure as problem:  # margins may be finite as they are saved, and not as they are kept
        raise errors.StateMismatch(str(problem)) from None
    check_restored(saved, again)
    return predictor
