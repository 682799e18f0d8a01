"""Encoders: make rows of examples, by a recipe and by the scales of the numbers that came before.

``encode`` checks an example whole and makes its row; nothing is changed. ``notice`` then lets the scales follow the
numbers of that row. So an example that is refused, or only looked at, leaves no trace. New scales are computed from
those that the row was made with, so noticing a row twice, as after an interrupt, is the same as noticing it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Matrix
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile
from belated.models.features import MOST_ENTRIES, Dense, Named, Recipe, Sparse
from belated.models.hashing import MISSING, NUMBER, WORD, crossed, token
from belated.models.keys import TWO_HALVES, is_saved_as_it_is
from belated.models.rows import NO_VALUES, Row, RowTable, joined, row_of
from belated.models.scaling import COLUMNS, NOTHING_SEEN, followed, no_scales, scale_table, scaled

MOST_TOKENS = 2**20
"""So many tokens are kept, so that they need not be computed again; then all are dropped."""

MOST_NUMERIC = 2**14
"""So many names may have numbers."""

NUMBERS_WORTH_COMPILING = 2**14
"""From so many numbers in a table on they are scaled by machine code."""

LARGEST_NUMBER = checks.LARGEST_ENTRY


class Encoded(NamedTuple):
    """A row, and the numbers in it that scales are to follow.

    Of each number there are the name or place of its feature, the scale that it was held against, and itself.
    """

    row: Row
    numbers: Sequence[tuple[Any, Sequence[float], float]]


class NamedEncoder:
    """Encodes mappings from names to words and numbers; ``names`` are the numeric ones, in the order of the scales.

    Scales are kept as lists here: one event has a few numbers, and Python reads a list faster than a row of an array.
    """

    def __init__(self, recipe: Named, names: list[str], scales: Matrix) -> None:
        self.recipe, self.signature = recipe, recipe.signature
        self._scales: dict[str, Sequence[float]] = dict(zip(names, scales.tolist(), strict=True))
        self._categorical = frozenset(recipe.categorical)
        self._in_crosses = frozenset(name for pair in recipe.crosses for name in pair)
        self._tokens: dict[str, dict[Any, int]] = {}
        self._kept = 0

    @property
    def names(self) -> list[str]:
        """The names that have had numbers, in the order of the scales."""
        return list(self._scales)

    @property
    def scales(self) -> Matrix:
        """A copy of the scales, with a row for each of the names."""
        return np.array(list(self._scales.values())).reshape(-1, COLUMNS)

    def encode(self, where: str, example: Any) -> Encoded:
        """The row of an example; InvalidArgument, which names the feature, if there is none."""
        if type(example) is not dict and not isinstance(example, Mapping):  # asking for a Mapping takes time
            checks.refuse(where, "features", example, "must be a mapping from names to words and numbers")
        shift, tokens, scales, crosses = 64 - self.recipe.bits, self._tokens, self._scales, self.recipe.crosses
        slots: list[int] = []
        numbers: list[tuple[Any, Sequence[float], float]] = []
        values: list[tuple[int, float]] = []
        words: dict[str, int] = {}
        fresh = 0
        for name, value in example.items():
            kind, known = type(value), None
            if kind is str:
                try:
                    found: int | None = tokens[name][value]
                except KeyError:
                    found = self._found(where, name, value)
            elif (kind is float or kind is int) and abs(value) <= LARGEST_NUMBER and (known := scales.get(name)):
                found = None  # what has a scale was found to be a number before
            else:
                found = self._found(where, name, value)
            if found is None:
                number, scale = float(value), known or scales.get(name, NOTHING_SEEN)
                if scale is NOTHING_SEEN:
                    fresh += 1  # an example may bring many new names at once
                    if len(scales) + fresh > MOST_NUMERIC:
                        checks.refuse(where, name, value, f"at most {MOST_NUMERIC} names may have numbers")
                numbers.append((name, scale, number))
                values.append((len(slots), scaled(scale, number)))
                slots.append(self._token(name, NUMBER, "") >> shift)
                continue
            slots.append(found >> shift)
            if crosses:
                words[name] = found
        for one, two in crosses:
            if one in words and two in words:
                slots.append(crossed(words[one], words[two]) >> shift)
        slots.append(self.recipe.dim)
        if len(slots) > MOST_ENTRIES:
            checks.refuse(where, "features", example, f"must have at most {MOST_ENTRIES - 1} features, with crosses")
        return Encoded(row_of(slots, _spread_out(values, len(slots)), self.signature), numbers)

    def notice(self, encoded: Encoded) -> None:
        """Let the scales follow the numbers of a row that :meth:`encode` has made."""
        for name, known, number in encoded.numbers:
            self._scales[name] = followed(known, number)

    def _found(self, where: str, name: Any, value: Any) -> int | None:
        """The token of a feature that has a word, or is missing; ``None`` for a number."""
        word = self._word(where, name, value)
        return None if word is None else self._token(name, *word)

    def _word(self, where: str, name: Any, value: Any) -> tuple[str, str] | None:
        """The kind and the word of a feature that has one; ``None`` for a number."""
        if not isinstance(name, str):
            checks.refuse(where, "features", name, "names of features must be texts")
        if name not in self._tokens and not is_saved_as_it_is(name):
            checks.refuse(where, "features", name, f"names of features {TWO_HALVES}")
        if isinstance(value, str):
            return WORD, value
        if value is None:
            return MISSING, ""
        if isinstance(value, (bool, np.bool_)):
            return WORD, str(bool(value))
        if not isinstance(value, (int, float, np.integer, np.floating)):
            checks.refuse(where, name, value, "a feature must be a text, a truth value, a number or None")
        real = value if isinstance(value, int) else float(value)  # only Python's own may be beyond all real numbers
        if real != real:
            return MISSING, ""
        if not abs(real) <= LARGEST_NUMBER:
            checks.refuse(where, name, value, f"a number must be at most {LARGEST_NUMBER:g} in size")
        number = float(real)
        if name in self._categorical:
            return WORD, str(int(number)) if number.is_integer() else repr(number)
        if name in self._in_crosses:
            checks.refuse(where, name, value, f"is in a cross, so it must be a word, or categorical=[{name!r}]")
        return None

    def _token(self, name: str, kind: str, word: str) -> int:
        """The token, from memory if it was computed before."""
        key = word if kind == WORD else (kind,)  # which is no word
        try:
            return self._tokens[name][key]
        except KeyError:
            if self._kept >= MOST_TOKENS:
                self._tokens.clear()
                self._kept = 0
            found = self._tokens.setdefault(name, {})[key] = token(name, kind, word)
            self._kept += 1
            return found


class SparseEncoder:
    """Encodes indices and values as they are."""

    def __init__(self, recipe: Sparse) -> None:
        self.recipe, self.signature = recipe, recipe.signature

    def encode(self, where: str, example: Any) -> Encoded:
        """The row of a pair of arrays, or of a sparse row of SciPy; InvalidArgument if it is none."""
        if hasattr(example, "tocsr"):
            example = example.tocsr()
            if example.shape != (1, self.recipe.dim):
                checks.refuse(
                    where, "features", example, f"must have shape (1, {self.recipe.dim}), got {example.shape}"
                )
            example = example.indices, example.data
        if not isinstance(example, tuple | list) or len(example) != 2:
            checks.refuse(where, "features", example, "must be a pair of arrays, indices and values, or a sparse row")
        values = checks.real_array(where, "features", example[1])
        slots = checks.any_array(where, "features", example[0], "indices")
        if slots.ndim != 1 or values.shape != slots.shape or (slots.size and slots.dtype.kind not in "iu"):
            checks.refuse(where, "features", example, "must be as many whole numbers as values, in one dimension each")
        if slots.size >= MOST_ENTRIES:
            checks.refuse(where, "features", example, f"must have at most {MOST_ENTRIES - 1} entries")
        if slots.size and (int(slots.min()) < 0 or int(slots.max()) >= self.recipe.dim):
            checks.refuse(where, "features", example, f"indices must lie in 0, ..., {self.recipe.dim - 1}")
        if not np.abs(values).max(initial=0.0) <= LARGEST_NUMBER:
            checks.refuse(where, "features", example, f"values must be at most {LARGEST_NUMBER:g} in size")
        with_intercept = np.append(slots.astype(np.uint32), np.uint32(self.recipe.dim))
        plain = bool((values == 1.0).all())
        return Encoded(Row(with_intercept, NO_VALUES if plain else np.append(values, 1.0), self.signature), ())

    def encode_table(self, where: str, table: Any) -> RowTable:
        """The rows of a sparse matrix of SciPy; InvalidArgument if one of them is none."""
        given = table.tocsr()
        sizes, values = np.diff(given.indptr), checks.real_array(where, "features", given.data)
        if given.shape[1] != self.recipe.dim or sizes.max(initial=0) >= MOST_ENTRIES:
            wanted = f"must have {self.recipe.dim} columns, and at most {MOST_ENTRIES - 1} entries in a row"
            checks.refuse(where, "features", table, wanted)
        if not np.abs(values).max(initial=0.0) <= LARGEST_NUMBER:
            checks.refuse(where, "features", table, f"values must be at most {LARGEST_NUMBER:g} in size")
        ends = given.indptr[1:].astype(np.int64)
        slots = np.insert(given.indices.astype(np.uint32), ends, np.uint32(self.recipe.dim))
        return RowTable(_starts(sizes), slots, np.insert(values, ends, 1.0))

    def notice(self, encoded: Encoded) -> None:
        """Do nothing: values are taken as they are."""


class DenseEncoder:
    """Encodes arrays of numbers, scaled column by column if the recipe says so."""

    def __init__(self, recipe: Dense, scales: Matrix) -> None:
        self.recipe, self.signature = recipe, recipe.signature
        self._scales: list[Sequence[float]] = scales.tolist()

    @property
    def scales(self) -> Matrix:
        """A copy of the scales, with a row for each column."""
        return np.array(self._scales)

    def encode(self, where: str, example: Any) -> Encoded:
        """The row of an array; InvalidArgument if it has another size or is infinite somewhere."""
        given = checks.real_array(where, "features", example)
        if given.shape != (self.recipe.dim,):
            checks.refuse(where, "features", example, f"must have shape ({self.recipe.dim},), got shape {given.shape}")
        known = np.flatnonzero(given == given)
        if not np.abs(given[known]).max(initial=0.0) <= LARGEST_NUMBER:
            checks.refuse(where, "features", example, f"numbers must be at most {LARGEST_NUMBER:g} in size")
        places, reals = known.tolist(), given[known].tolist()
        if not self.recipe.scale:
            return Encoded(row_of([*places, self.recipe.dim], [*reals, 1.0], self.signature), ())
        numbers = [(place, self._scales[place], number) for place, number in zip(places, reals, strict=True)]
        values = [scaled(scale, number) for _, scale, number in numbers]
        return Encoded(row_of([*places, self.recipe.dim], [*values, 1.0], self.signature), numbers)

    def encode_table(self, where: str, table: Any) -> RowTable:
        """The rows of an array with one for each example; InvalidArgument if it is none."""
        given = checks.real_array(where, "features", table)
        if given.shape != (len(given), self.recipe.dim):
            wanted = f"must have shape (rows, {self.recipe.dim}), got shape {given.shape}"
            checks.refuse(where, "features", table, wanted)
        known = given == given
        if not np.abs(given[known]).max(initial=0.0) <= LARGEST_NUMBER:
            checks.refuse(where, "features", table, f"numbers must be at most {LARGEST_NUMBER:g} in size")
        if self.recipe.scale:
            _scaler(given.size)(self.scales, given)
        one = np.ones((len(given), 1))
        slots = np.broadcast_to(np.arange(self.recipe.dim + 1, dtype=np.uint32), (len(given), self.recipe.dim + 1))
        there = np.hstack([known, one.astype(bool)])
        return RowTable(_starts(known.sum(axis=1)), slots[there], np.hstack([given, one])[there])

    def notice(self, encoded: Encoded) -> None:
        """Let the scales follow the numbers of a row that :meth:`encode` has made."""
        for place, known, number in encoded.numbers:
            self._scales[place] = followed(known, number)


Encoder = NamedEncoder | SparseEncoder | DenseEncoder


def encoded(encoder: Encoder, where: str, features: Any) -> Encoded:
    """The row of an example, or the example itself if it is a row of the same recipe."""
    if isinstance(features, Row):
        if features.signature != encoder.signature:
            checks.refuse(where, "features", features, "this row was made by another recipe than the model's")
        return Encoded(features, ())
    return encoder.encode(where, features)


def encoded_table(encoder: Encoder, where: str, examples: Any) -> RowTable:
    """The rows of many examples, at once where they are in an array or a sparse matrix."""
    if isinstance(encoder, DenseEncoder) and isinstance(examples, np.ndarray) and examples.ndim == 2:
        return encoder.encode_table(where, examples)
    if isinstance(encoder, SparseEncoder) and hasattr(examples, "tocsr"):
        return encoder.encode_table(where, examples)
    listed = checks.items(where, "examples", examples, "examples")
    return joined([encoded(encoder, where, each).row for each in listed])


def _starts(sizes: Any) -> Integers:
    """Where rows begin that have so many entries, and an intercept each."""
    return np.concatenate([[0], np.cumsum(sizes + 1)]).astype(np.int64)


def _scaler(numbers: int) -> Any:
    """``scale_table``, as machine code if so many numbers are worth it."""
    try:
        return scale_table if numbers < NUMBERS_WORTH_COMPILING else compiled(scale_table, no_scales(1), no_scales(1))
    except CannotCompile:
        return scale_table


def _spread_out(values: list[tuple[int, float]], size: int) -> list[float]:
    """Values at their places among ones; nothing if there are none."""
    row = [1.0] * size if values else []
    for place, value in values:
        row[place] = value
    return row


def new_encoder(recipe: Recipe) -> Encoder:
    """An encoder that has seen nothing yet."""
    if isinstance(recipe, Named):
        return NamedEncoder(recipe, [], no_scales(0))
    return SparseEncoder(recipe) if isinstance(recipe, Sparse) else DenseEncoder(recipe, no_scales(recipe.dim))
