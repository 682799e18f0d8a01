"""Tables of rows, arrays or sparse matrices in the format CSR, as the examples of a model with columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from belated.core import checks
from belated.models.features import Dense, Recipe, Sparse
from belated.models.model import Model

BLOCK = 4096
"""So many rows are looked at at once."""


WORDS = (
    "Columns must hold numbers here: OneHotEncoder or OrdinalEncoder of scikit-learn make numbers of words, and a "
    "model with named features, such as belated.models.logistic(), takes words as they are"
)
"""What to do about words, said where there are some."""


def has_words(table: Any) -> bool:
    """Whether a table that cannot be used has texts in it that spell no numbers."""
    if hasattr(table, "tocsr"):
        return False
    for cell in np.asarray(table, dtype=object).ravel().tolist():
        if isinstance(cell, str):
            try:
                float(cell)
            except ValueError:
                return True
    return False


def model_for(where: str, given: Any, kinds: tuple[str, ...], default: Callable[[Recipe], Model], table: Any) -> Model:
    """The model for rows like those of a table.

    Args:
        where: The caller, for messages.
        given: The model that was given, or ``None``.
        kinds: The names of models that may be given.
        default: Makes a model of a recipe, if none was given.
        table: An array, or a sparse matrix.

    Returns:
        The model.

    Raises:
        InvalidArgument: The model that was given is of another kind, or does not have the columns of the table.
    """
    columns = table.shape[1]
    if given is None:
        return default(Dense(columns) if isinstance(table, np.ndarray) else Sparse(columns))
    if not isinstance(given, Model) or given.name not in kinds:
        wanted = " or ".join(f"bl.models.{kind}(...)" for kind in kinds)
        checks.refuse(where, "model", given, f"must be {wanted}, or None")
    if not isinstance(given.features, Dense | Sparse) or given.features.dim != columns:
        checks.refuse(where, "model", given, f"must have features Dense({columns}) or Sparse({columns})")
    if given.labels == "-1/1":
        checks.refuse(where, "model", given, "must have labels='0/1', which stand for the two classes")
    if given.waiting.horizon > 0.0:
        checks.refuse(where, "model", given, "must have no horizon: labels come with the features")
    return given


def rows(recipe: Recipe, table: Any) -> Iterator[Any]:
    """The rows of a table as a recipe takes them, whichever kind of table they are in.

    Args:
        recipe: ``Dense`` or ``Sparse``, with as many columns as the table.
        table: An array, or a sparse matrix in the format CSR.

    Yields:
        An array for each row, or the indices and values of its entries.
    """
    dense = isinstance(recipe, Dense)
    if isinstance(table, np.ndarray):
        for row in table:
            if dense:
                yield row
            else:
                entries = np.flatnonzero(row)
                yield entries, row[entries]
        return
    for first, last in zip(table.indptr[:-1], table.indptr[1:], strict=True):
        slots, values = table.indices[first:last], table.data[first:last]
        if dense:
            filled = np.zeros(table.shape[1])
            np.add.at(filled, slots, values)
            yield filled
        else:
            yield slots, values


def blocks(recipe: Recipe, table: Any) -> Iterator[Any]:
    """The rows of a table as ``Predictor.look_many`` takes them, some thousands at a time, so that memory is bounded.

    Args:
        recipe: ``Dense`` or ``Sparse``, with as many columns as the table.
        table: An array, or a sparse matrix in the format CSR.

    Yields:
        An array, or a sparse matrix, or a list of rows, with the next rows.
    """
    is_array = isinstance(table, np.ndarray)
    for first in range(0, table.shape[0], BLOCK):
        block = table[first : first + BLOCK]
        if isinstance(recipe, Dense):
            yield block if is_array else block.toarray()
        else:
            yield list(rows(recipe, block)) if is_array else block


def checked_weights(where: str, table: Any, weights: Any) -> Any:
    """One weight for each row of a table, whose numbers are checked, too.

    Args:
        where: The caller, for messages.
        table: An array, or a sparse matrix.
        weights: A number for each row, one for all, or ``None`` for 1.

    Returns:
        An array with a number for each row.

    Raises:
        InvalidArgument: Weights are negative, too large or all zero, or there are too few or too many; or a number of
            the table is too large for a model.
    """
    count = table.shape[0]
    numbers = table if isinstance(table, np.ndarray) else table.data
    if numbers.size and not np.nanmax(np.abs(numbers), initial=0.0) <= checks.LARGEST_ENTRY:
        checks.refuse(where, "X", table, f"must have numbers of size at most {checks.LARGEST_ENTRY:g}")
    if weights is None:
        return np.ones(count)
    given = checks.real_array(where, "sample_weight", weights)
    if given.shape not in ((), (count,)):
        checks.refuse(where, "sample_weight", weights, f"must have shape ({count},), got shape {given.shape}")
    if not ((given == 0.0) | ((given >= checks.SMALLEST) & (given <= checks.LARGEST))).all():
        allowed = f"must be 0 or lie in [{checks.SMALLEST:g}, {checks.LARGEST:g}]"
        checks.refuse(where, "sample_weight", weights, allowed)
    if not given.any():
        checks.refuse(where, "sample_weight", weights, "at least one weight must not be zero")
    return np.broadcast_to(given, (count,))
