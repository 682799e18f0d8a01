"""A model is a description; a predictor is a run of it.

Named models (:mod:`belated.models.named`) are functions that compose a link, a recipe for features and a step into a
:class:`Model`. The description is immutable and may be started any number of times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from belated.core.parts import fingerprint
from belated.models.features import Recipe
from belated.models.links import Link
from belated.models.verbs import Step
from belated.models.waiting import Waiting

if TYPE_CHECKING:
    from belated.models.predictor import Predictor


@dataclass(frozen=True, eq=False)
class Model:
    """What a named model returns.

    Args:
        name: The name in messages and saved states.
        link: How margins are held against labels.
        features: The recipe by which examples become rows.
        step: What is kept for each slot, and how it learns.
        labels: The kind of labels that may be told, a key of ``READERS``.
        slopes: ``"arrival"`` or ``"decision"``: at which weights slopes are taken.
        waiting: What is done while a label has not come.
    """

    name: str
    link: Link
    features: Recipe
    step: Step
    labels: str
    slopes: str
    waiting: Waiting

    @property
    def fingerprint(self) -> str:
        """A digest of the whole description; a saved state carries it."""
        return fingerprint((self.name, self.link, self.features, self.step, self.labels, self.slopes, self.waiting))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def start(self) -> Predictor:
        """A new run, which has seen nothing.

        Returns:
            A predictor. Predictors share nothing with each other.
        """
        from belated.models.predictor import new_predictor  # which imports this module

        return new_predictor(self)

    def resume(self, state: Mapping[str, Any]) -> Predictor:
        """Go on from a saved state; every later prediction is the same, bit for bit.

        Args:
            state: What ``predictor.state()`` returned, also after a stay in a file of NumPy's.

        Returns:
            A predictor of its own: the one that was saved knows nothing of it.

        Raises:
            StateMismatch: The state belongs to another model, or is damaged.
        """
        from belated.models.predictor import resumed_predictor  # which imports this module

        return resumed_predictor(self, state)
