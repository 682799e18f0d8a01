"""Linking labels to predictions where no keys are given: by the features, which are handed over with both.

Libraries such as river call ``predict(x)`` at the question and ``learn(x, y)`` at the answer. A label belongs to the
oldest prediction without a label whose features are equal: the same names, values and types of values, in any order.

=============================================  ========================================================================
what happens                                   what is done
=============================================  ========================================================================
a label comes for features that were asked     it is learned as the late label of that prediction
two open predictions have equal features       the older one gets the first label; if the labels come in another order,
                                               each is held against the margins of the other prediction
a label comes for features that nobody asked   a prediction is made now, and the label is learned as its label
the same object is asked twice in a row        it counts as one prediction
more predictions wait than are remembered      the oldest one is given up; its label, if it comes, is like the third
=============================================  ========================================================================

What is lost without a link is what was predicted: the experts of the step ``two_speeds`` are then compared by what they
predict when the label comes, and ``slopes="decision"`` is the same as ``"arrival"``.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from belated.core import checks, errors
from belated.models.keys import Key
from belated.models.labels import READERS
from belated.models.model import Model
from belated.models.predictor import Prediction


class Linked:
    """A run of a model whose labels are told by features.

    Args:
        model: A model with named features and without a horizon.
        remembered: How many predictions may wait for their labels at the most.
    """

    def __init__(self, model: Model, remembered: int) -> None:
        self.predictor = model.start()
        self._remembered = remembered
        self._marks: dict[Key, bytes] = {}  # in the order of the predictions
        self._keys: dict[bytes, deque[Key]] = {}
        self._asked: Any = None
        self._answer = 0.0
        self._interrupted = False

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_asked": None}  # nobody else has the same object

    def ask(self, where: str, example: Any) -> float:
        """Predict the label of an example, and remember the example until its label comes.

        Args:
            where: The call, for messages.
            example: A mapping from names to words, numbers or nothing.

        Returns:
            The prediction.

        Raises:
            InvalidArgument: The example is not what the model takes.
        """
        features = named(where, example)
        mark = _mark(features)
        if self._asked is example and self._marks and mark == self._marks[next(reversed(self._marks))]:
            return self._answer
        with self._in_line():
            prediction = self._predicted(features, mark)
        self._asked, self._answer = example, prediction.value
        return prediction.value

    def learn(self, where: str, example: Any, label: Any, weight: Any) -> None:
        """Learn a label, as the late label of its prediction if there was one.

        Args:
            where: The call, for messages.
            example: The features, as they were when the prediction was asked for.
            label: The label, of the kind that the model was declared for.
            weight: How much the event counts, > 0.

        Raises:
            InvalidArgument: An argument is not what it must be; nothing has changed then.
        """
        features = named(where, example)
        READERS[self.predictor.model.labels](where, "y", label)
        checks.moderate(where, "w", weight)
        mark = _mark(features)
        self._asked = None
        with self._in_line():
            if mark not in self._keys:
                self._predicted(features, mark)
            key = self._keys[mark][0]
            self.predictor.learn(key, label, weight=weight)
            self._forget(key)

    @contextmanager
    def _in_line(self) -> Iterator[None]:
        """Change the run and its links together; what an interrupt has left is put in order before that."""
        if self._interrupted:
            self._tidy()
        self._interrupted = True
        try:
            yield
        except errors.BelatedError:  # which has changed neither of them
            self._interrupted = False
            raise
        self._interrupted = False

    def _tidy(self) -> None:
        """Give up predictions without a link, and drop links without a prediction."""
        for key in self.predictor.waiting:
            if key not in self._marks:
                self.predictor.give_up(key)
        waiting = set(self.predictor.waiting)
        self._marks = {key: mark for key, mark in self._marks.items() if key in waiting}
        self._keys = {}
        for key, mark in self._marks.items():
            self._keys.setdefault(mark, deque()).append(key)

    def _predicted(self, features: dict[str, Any], mark: bytes) -> Prediction:
        prediction = self.predictor.predict(features)
        self._marks[prediction.key] = mark
        self._keys.setdefault(mark, deque()).append(prediction.key)
        if len(self._marks) > self._remembered:
            oldest = next(iter(self._marks))
            self.predictor.give_up(oldest)
            self._forget(oldest)
        return prediction

    def _forget(self, key: Key) -> None:
        """Drop the link of a prediction that has ended; it is the oldest one with its features."""
        mark = self._marks.pop(key)
        self._keys[mark].popleft()
        if not self._keys[mark]:
            del self._keys[mark]


def named(where: str, example: Any) -> dict[str, Any]:
    """The features of an example under texts, since libraries allow other names, such as 0, 1, 2.

    Args:
        where: The call, for messages.
        example: A mapping from names to words, numbers or nothing.

    Returns:
        A new mapping, sorted by name: sums of weights do not depend on the order in which features were given.

    Raises:
        InvalidArgument: It is no mapping, or two names are the same as texts.
    """
    if not isinstance(example, Mapping):
        checks.refuse(where, "x", example, "must be a mapping from names to words and numbers")
    features = {name if isinstance(name, str) else repr(name): value for name, value in example.items()}
    if len(features) < len(example):
        checks.refuse(where, "x", example, "two names are the same when they are written as texts")
    return dict(sorted(features.items()))


def _mark(features: dict[str, Any]) -> bytes:
    """A digest of features that are sorted by name; the same in every process."""
    content = repr([(name, type(value).__name__, value) for name, value in features.items()])
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
