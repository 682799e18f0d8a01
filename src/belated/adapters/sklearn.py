"""Models of belated as estimators of scikit-learn.

scikit-learn hands over features and labels together, so there is no delay here: every row is predicted, and its label
learned at once, in the order of the rows. ``fit`` is one pass over the rows by a model that has learned nothing,
``partial_fit`` one pass that goes on. ``predict`` changes nothing. The same calls give the same bits; nothing is drawn.

Columns of arrays are scaled by the values that came before, and NaN counts as missing. Sparse matrices are taken as
they are. Unless a model is given, the first call settles which of the two it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from belated.adapters.tables import WORDS, blocks, checked_weights, has_words, model_for, rows
from belated.core import checks
from belated.models.features import Recipe, Sparse
from belated.models.labels import READERS
from belated.models.model import Model
from belated.models.named import logistic, squared
from belated.models.predictor import Predictor

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as missing:
    if missing.name != "sklearn":
        raise
    raise ModuleNotFoundError(
        "scikit-learn is missing; to install it: pip install 'belated[sklearn]'", name="sklearn"
    ) from None

LARGEST_ODDS = 700.0
"""Logarithms of odds lie between minus this and this: a probability that is rounded to 1 has no finite odds."""


class _Online(BaseEstimator):
    """What the two estimators share: checked arrays, and one pass over the rows."""

    model: Model | None
    predictor_: Predictor
    _kinds: tuple[str, ...]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = not (isinstance(self.model, Model) and isinstance(self.model.features, Sparse))
        return tags

    def _checked(self, X: Any, y: Any = "no_validation", reset: bool = False) -> Any:
        """Arrays as scikit-learn checks them; NaN is allowed where it is a missing number."""
        try:
            return validate_data(
                self,
                X,
                y,
                reset=reset,
                accept_sparse="csr",
                dtype=np.float64,
                ensure_all_finite="allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True,
                **({} if isinstance(y, str) else {"y_numeric": isinstance(self, RegressorMixin)}),
            )
        except ValueError as problem:
            if "could not convert string" not in str(problem) or not has_words(X):  # it may be a word in y
                raise
            raise ValueError(f"{problem}. {WORDS}") from problem

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Around a fit: if it fails, the estimator has the attributes that it had before, all of which fit together."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _chosen(self, default: Callable[[Recipe], Model], X: Any) -> Model:
        """The model of a new run, for rows like those of ``X``."""
        return model_for(type(self).__name__, self.model, self._kinds, default, X)

    def _learned(self, X: Any, labels: Any, weights: Any) -> Self:
        for row, label, weight in zip(
            rows(self.predictor_.model.features, X), labels.tolist(), weights.tolist(), strict=True
        ):
            if weight > 0.0:  # a row of weight zero is as if it were not there
                self.predictor_.learn(self.predictor_.predict(row).key, label, weight=weight)
        return self

    def _forecasts(self, X: Any) -> Any:
        check_is_fitted(self)
        checked = self._checked(X)
        return np.concatenate(
            [self.predictor_.look_many(block) for block in blocks(self.predictor_.model.features, checked)]
        )


class OnlineClassifier(ClassifierMixin, _Online):
    """A classifier of scikit-learn for two classes, which learns one row after the other.

    Args:
        model: A model of :func:`belated.models.logistic` with labels 0 and 1, features ``Dense(columns)`` or
            ``Sparse(columns)``, and without a horizon. By default it is made for the first rows that come:
            ``logistic(Dense(columns))`` for arrays, ``logistic(Sparse(columns))`` for sparse matrices.

    After the first rows the estimator has ``classes_``, ``n_features_in_`` and ``predictor_``, the run itself.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = np.where(X[:, 0] > X[:, 1], "up", "down")
        >>> estimator = OnlineClassifier().fit(X[:150], y[:150])
        >>> float(estimator.score(X[150:], y[150:])) > 0.9
        True
    """

    classes_: Any
    _kinds = ("logistic",)

    def __init__(self, model: Model | None = None) -> None:
        self.model = model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was learned, and learn from all rows, once and in their order.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.
            y: The class of each row; two different ones.
            sample_weight: How much each row counts, zero or more; by default 1.

        Returns:
            The estimator itself.

        Raises:
            InvalidArgument: The model does not fit the data.
            ValueError: The data cannot be used, or there are not exactly two classes.
        """
        with self._whole():
            return self._fitted(X, y, None, sample_weight, anew=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, once and in their order.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.
            y: The class of each row.
            classes: The two classes, needed in the first call only, since ``y`` may have one of them.
            sample_weight: How much each row counts, zero or more; by default 1.

        Returns:
            The estimator itself.

        Raises:
            InvalidArgument: The model does not fit the data.
            ValueError: The data cannot be used, or classes are missing, too many, or others than before.
        """
        first = not hasattr(self, "predictor_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        with self._whole():
            return self._fitted(X, y, classes, sample_weight, anew=first)

    def _fitted(self, X: Any, y: Any, classes: Any, sample_weight: Any, anew: bool) -> Self:
        X, y = self._checked(X, y, reset=anew)
        check_classification_targets(y)
        known = np.unique(y if classes is None else classes) if anew else self.classes_
        if classes is not None and not np.array_equal(known, np.unique(classes)):
            checks.refuse(type(self).__name__, "classes", classes, f"must be the same in every call, {known.tolist()}")
        if known.size != 2:
            # The first two sentences are those that scikit-learn asks for.
            kind = type_of_target(known) if known.size > 2 else "one class"
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}. "
                f"{type(self).__name__} needs two classes, got {known.size}"
            )
        others = np.setdiff1d(y, known)
        if others.size:
            checks.refuse(type(self).__name__, "y", others, f"must be one of the two classes {known.tolist()}")
        labels, weights = (y == known[1]).astype(np.int64), checked_weights(type(self).__name__, X, sample_weight)
        if anew:
            self.predictor_, self.classes_ = self._chosen(logistic, X).start(), known
        return self._learned(X, labels, weights)

    def decision_function(self, X: Any) -> Any:
        """The logarithm of the odds of the second class for each row; above 0 the second class is predicted.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.

        Returns:
            An array with one number for each row, from -700 to 700.

        Raises:
            ValueError: The data cannot be used.
            NotFittedError: Nothing was learned yet.
        """
        probability = self._forecasts(X)
        with np.errstate(divide="ignore"):
            odds = np.log(probability) - np.log1p(-probability)
        return np.clip(odds, -LARGEST_ODDS, LARGEST_ODDS)

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the two classes for each row, in the order of ``classes_``.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.

        Returns:
            An array of shape (rows, 2).

        Raises:
            ValueError: The data cannot be used.
            NotFittedError: Nothing was learned yet.
        """
        probability = self._forecasts(X)
        return np.column_stack([1.0 - probability, probability])

    def predict(self, X: Any) -> Any:
        """The more probable class for each row; the first one if both are equally probable.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.

        Returns:
            An array with one class for each row.

        Raises:
            ValueError: The data cannot be used.
            NotFittedError: Nothing was learned yet.
        """
        second = self._forecasts(X) > 0.5
        return self.classes_[second.astype(np.int64)]


class OnlineRegressor(RegressorMixin, _Online):
    """A regressor of scikit-learn, which learns one row after the other.

    Args:
        model: A model of :func:`belated.models.squared` or :func:`belated.models.poisson`, otherwise as for
            :class:`OnlineClassifier`.

    After the first rows the estimator has ``n_features_in_`` and ``predictor_``, the run itself.
    """

    _kinds = ("squared", "poisson")

    def __init__(self, model: Model | None = None) -> None:
        self.model = model

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was learned, and learn from all rows, once and in their order.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.
            y: The number for each row; at least 0 for a model of counts.
            sample_weight: How much each row counts, zero or more; by default 1.

        Returns:
            The estimator itself.

        Raises:
            InvalidArgument: The model does not fit the data.
            ValueError: The data cannot be used.
        """
        with self._whole():
            return self._fitted(X, y, sample_weight, anew=True)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more rows, once and in their order.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.
            y: The number for each row; at least 0 for a model of counts.
            sample_weight: How much each row counts, zero or more; by default 1.

        Returns:
            The estimator itself.

        Raises:
            InvalidArgument: The model does not fit the data.
            ValueError: The data cannot be used.
        """
        with self._whole():
            return self._fitted(X, y, sample_weight, anew=not hasattr(self, "predictor_"))

    def _fitted(self, X: Any, y: Any, sample_weight: Any, anew: bool) -> Self:
        X, y = self._checked(X, y, reset=anew)
        weights = checked_weights(type(self).__name__, X, sample_weight)
        model = self._chosen(squared, X) if anew else self.predictor_.model
        for label in y.tolist():
            READERS[model.labels](type(self).__name__, "y", label)
        if anew:
            self.predictor_ = model.start()
        return self._learned(X, y, weights)

    def predict(self, X: Any) -> Any:
        """The number that is forecast for each row.

        Args:
            X: Features, an array or a sparse matrix, one row for each example.

        Returns:
            An array with one number for each row.

        Raises:
            ValueError: The data cannot be used.
            NotFittedError: Nothing was learned yet.
        """
        return self._forecasts(X)
