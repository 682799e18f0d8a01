"""Encoders: make rows of examples, by a recipe and by the scales of the numbers that came before.

``encode`` checks an example whole and makes its row; nothing is changed. ``notice`` then lets the scales follow the
numbers of that row. So an example that is refused, or only looked at, leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix
from belated.models.features import MOST_ENTRIES, Dense, Named, Recipe, Sparse
from belated.models.hashing import MISSING, NUMBER, WORD, crossed, token
from belated.models.rows import NO_VALUES, Row, row_of
from belated.models.scaling import SEEN, no_scales, notice, scaled

MOST_TOKENS = 2**20
"""So many tokens are kept, so that they need not be computed again; then all are dropped."""

MOST_NUMERIC = 2**14
"""So many names may have numbers."""

LARGEST_NUMBER = checks.LARGEST_ENTRY


class Encoded(NamedTuple):
    """A row, and the numbers in it that scales are to follow.

    Of each number there are the name or place of its feature, how many values of that had come before, and itself.
    """

    row: Row
    numbers: tuple[tuple[Any, int, float], ...]


class NamedEncoder:
    """Encodes mappings from names to words and numbers; ``names`` are the numeric ones, in the order of the scales."""

    def __init__(self, recipe: Named, names: list[str], scales: Matrix) -> None:
        self.recipe, self.signature, self.scales = recipe, recipe.signature, scales
        self._places = {name: place for place, name in enumerate(names)}
        self._categorical = frozenset(recipe.categorical)
        self._in_crosses = frozenset(name for pair in recipe.crosses for name in pair)
        self._tokens: dict[tuple[str, ...], int] = {}

    @property
    def names(self) -> list[str]:
        """The names that have had numbers, in the order of the scales."""
        return list(self._places)

    def encode(self, where: str, example: Any) -> Encoded:
        """The row of an example; InvalidArgument, which names the feature, if there is none."""
        if not isinstance(example, Mapping):
            checks.refuse(where, "features", example, "must be a mapping from names to words and numbers")
        shift, tokens = 64 - self.recipe.bits, self._tokens
        slots: list[int] = []
        values: list[float] = []
        numbers: list[tuple[Any, int, float]] = []
        words: dict[str, int] = {}
        for name, value in example.items():
            found = tokens.get((name, value)) if type(value) is str else None
            if found is None:
                word = self._word(where, name, value)
                if word is None:
                    number = float(value)
                    slots.append(self._token(name, NUMBER, "") >> shift)
                    place = self._places.get(name)
                    known = no_scales(1)[0] if place is None else self.scales[place]
                    values.append(scaled(known, number))
                    numbers.append((name, int(known[SEEN]), number))
                    continue
                found = self._token(name, *word)
            slots.append(found >> shift)
            values.append(1.0)
            words[name] = found
        for one, two in self.recipe.crosses:
            if one in words and two in words:
                slots.append(crossed(words[one], words[two]) >> shift)
                values.append(1.0)
        slots.append(self.recipe.dim)
        values.append(1.0)
        if len(slots) > MOST_ENTRIES:
            checks.refuse(where, "features", example, f"must have at most {MOST_ENTRIES - 1} features, with crosses")
        return Encoded(row_of(slots, values if numbers else [], self.signature), tuple(numbers))

    def notice(self, encoded: Encoded) -> None:
        """Let the scales follow the numbers of a row that :meth:`encode` has made."""
        for name, seen, number in encoded.numbers:
            place = self._places.get(name)
            if place is None:
                place = self._new_place(name)
            notice(self.scales, place, seen, number)

    def _word(self, where: str, name: Any, value: Any) -> tuple[str, str] | None:
        """The kind and the word of a feature that has one; ``None`` for a number."""
        if not isinstance(name, str):
            checks.refuse(where, "features", name, "names of features must be texts")
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
        if name not in self._places and len(self._places) == MOST_NUMERIC:
            checks.refuse(where, name, value, f"at most {MOST_NUMERIC} names may have numbers")
        return None

    def _token(self, name: str, kind: str, word: str) -> int:
        """The token, from memory if it was computed before; words share the memory with the other kinds."""
        key = (name, word) if kind == WORD else (name, kind, word)
        found = self._tokens.get(key)
        if found is None:
            if len(self._tokens) >= MOST_TOKENS:
                self._tokens.clear()
            found = self._tokens[key] = token(name, kind, word)
        return found

    def _new_place(self, name: str) -> int:
        """A row more for a numeric name that is new; the arrays double when they are full."""
        place = len(self._places)
        if place == len(self.scales):
            self.scales = np.concatenate([self.scales, no_scales(max(4, place))])
        self._places[name] = place
        return place


class SparseEncoder:
    """Encodes indices and values as they are."""

    def __init__(self, recipe: Sparse) -> None:
        self.recipe, self.signature = recipe, recipe.signature

    def encode(self, where: str, example: Any) -> Encoded:
        """The row of a pair of arrays, or of a sparse row of SciPy; InvalidArgument if it is none."""
        if hasattr(example, "tocsr"):
            example = example.tocsr()
            if example.shape[0] != 1:
                checks.refuse(where, "features", example, f"must have one row, got shape {example.shape}")
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

    def notice(self, encoded: Encoded) -> None:
        """Do nothing: values are taken as they are."""


class DenseEncoder:
    """Encodes arrays of numbers, scaled column by column if the recipe says so."""

    def __init__(self, recipe: Dense, scales: Matrix) -> None:
        self.recipe, self.signature, self.scales = recipe, recipe.signature, scales

    def encode(self, where: str, example: Any) -> Encoded:
        """The row of an array; InvalidArgument if it has another size or is infinite somewhere."""
        given = checks.real_array(where, "features", example)
        if given.shape != (self.recipe.dim,):
            checks.refuse(where, "features", example, f"must have shape ({self.recipe.dim},), got shape {given.shape}")
        known = np.flatnonzero(given == given)
        if not np.abs(given[known]).max(initial=0.0) <= LARGEST_NUMBER:
            checks.refuse(where, "features", example, f"numbers must be at most {LARGEST_NUMBER:g} in size")
        seen = self.scales[:, SEEN]
        numbers = tuple((place, int(seen[place]), float(given[place])) for place in known.tolist())
        values = [scaled(self.scales[place], number) if self.recipe.scale else number for place, _, number in numbers]
        slots = [*known.tolist(), self.recipe.dim]
        return Encoded(row_of(slots, [*values, 1.0], self.signature), numbers if self.recipe.scale else ())

    def notice(self, encoded: Encoded) -> None:
        """Let the scales follow the numbers of a row that :meth:`encode` has made."""
        for place, seen, number in encoded.numbers:
            notice(self.scales, place, seen, number)


Encoder = NamedEncoder | SparseEncoder | DenseEncoder


def new_encoder(recipe: Recipe) -> Encoder:
    """An encoder that has seen nothing yet."""
    if isinstance(recipe, Named):
        return NamedEncoder(recipe, [], no_scales(4))
    return SparseEncoder(recipe) if isinstance(recipe, Sparse) else DenseEncoder(recipe, no_scales(recipe.dim))
