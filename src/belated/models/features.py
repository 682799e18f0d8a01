"""Recipes: how an example becomes a row.

================  =======================================================  =============================================
recipe            an example is                                            slots
================  =======================================================  =============================================
``Named``         a mapping from names to words, numbers or nothing        2^bits, chosen by a hash of name and word
``Sparse``        a pair of arrays, indices and values, or a sparse row    one for each index
``Dense``         an array of ``dim`` numbers                              one for each column
================  =======================================================  =============================================

Every recipe has one slot more, the last, for the intercept, which is part of every row. A recipe is a description and
never changes. What is learned of the features while they come, the scales of numbers, belongs to the run, in an
*encoder*: ``encode`` makes a row of an example and changes nothing, ``notice`` lets the scales follow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.parts import Part, fingerprint
from belated.models.hashing import MOST_BITS, VERSION

MOST_ENTRIES = 2**14
"""So many features an event may have at the most."""

Cross = tuple[str, str]


class _NamedFields(NamedTuple):
    bits: int
    categorical: tuple[str, ...]
    crosses: tuple[Cross, ...]
    version: int


class Named(Part, _NamedFields):
    """Features by name. Words are categories, numbers are scaled, and what is missing is known to be so.

    ==========================  ==========================================================================
    the example has             the row has
    ==========================  ==========================================================================
    a text, or a truth value    1 in the slot of this name and word
    a number                    the number, scaled (:mod:`~.models.scaling`), in the slot of this name;
                                of names in ``categorical``: 1 in the slot of this name and number
    ``None`` or NaN             1 in the slot for this name being missing
    nothing under this name     nothing
    ==========================  ==========================================================================

    Args:
        bits: The table has 2^bits slots, from 2^1 to 2^24. More slots mean fewer features that share a weight.
        categorical: Names whose numbers are categories, such as an hour or a postal code.
        crosses: Pairs of names. Where both have a word, the row also has 1 in the slot of the two words together.
            Give pairs, or names, of which all pairs are then taken.

    Raises:
        InvalidArgument: An argument is not what it must be.

    Example:
        >>> recipe = Named(bits=18, categorical=["hour"], crosses=["carrier", "origin"])
        >>> recipe.crosses
        (('carrier', 'origin'),)
    """

    __slots__ = ()

    def __new__(cls, bits: int = 20, categorical: Iterable[str] = (), crosses: Sequence[Any] = ()) -> Named:
        """Check the arguments and make the recipe."""
        size = checks.count("Named", "bits", bits, least=1, most=MOST_BITS)
        names = _names("categorical", categorical)
        return cls._make((size, tuple(sorted(set(names))), _crosses(crosses), VERSION))

    @property
    def dim(self) -> int:
        """How many slots there are, without that of the intercept."""
        return 1 << self.bits

    @property
    def signature(self) -> str:
        """A digest of all that decides which slot a feature falls into."""
        return fingerprint(self)


class Sparse(NamedTuple):
    """Rows that are given as indices and values, as other programs and hashing tricks make them.

    Args:
        dim: Indices lie in 0, ..., dim - 1; at most 2^24.
    """

    dim: int

    @property
    def signature(self) -> str:
        """A digest of the recipe."""
        return fingerprint(self)


class Dense(NamedTuple):
    """Arrays of ``dim`` numbers, scaled column by column; NaN is missing and leaves its column out of the row.

    Args:
        dim: How many columns there are, at most 16384.
        scale: Whether to scale the numbers; without it they are taken as they are.
    """

    dim: int
    scale: bool = True

    @property
    def signature(self) -> str:
        """A digest of the recipe."""
        return fingerprint(self)


Recipe = Named | Sparse | Dense


def checked_recipe(where: str, recipe: Any) -> Recipe:
    """``recipe`` if it is one with sizes that are possible; InvalidArgument otherwise."""
    if isinstance(recipe, Named):
        return recipe
    if isinstance(recipe, Sparse):
        return Sparse(checks.count(where, "dim", recipe.dim, most=2**MOST_BITS))
    if isinstance(recipe, Dense):
        if not isinstance(recipe.scale, bool):
            checks.refuse(where, "scale", recipe.scale, "must be True or False")
        return Dense(checks.count(where, "dim", recipe.dim, most=MOST_ENTRIES - 1), recipe.scale)
    return checks.refuse(where, "features", recipe, "must be a recipe: Named(...), Sparse(dim) or Dense(dim)")


def _names(argument: str, names: Any) -> tuple[str, ...]:
    listed = checks.items("Named", argument, names, "names")
    if not all(isinstance(name, str) for name in listed):
        checks.refuse("Named", argument, names, "must be a list of names")
    return listed


def _crosses(crosses: Sequence[Any]) -> tuple[Cross, ...]:
    """Pairs in the order in which they are given; all pairs of a list of names."""
    given = checks.items("Named", "crosses", crosses, "names, or of pairs of names")
    if given and all(isinstance(name, str) for name in given):
        pairs = [(one, two) for place, one in enumerate(given) for two in given[place + 1 :]]
    else:
        pairs = [checks.items("Named", "crosses", pair, "names, or of pairs of names") for pair in given]
        if any(len(pair) != 2 or not all(isinstance(name, str) for name in pair) for pair in pairs):
            checks.refuse("Named", "crosses", crosses, "must be a list of names, or of pairs of names")
    if any(one == two for one, two in pairs) or len(set(pairs)) < len(pairs):
        checks.refuse("Named", "crosses", crosses, "must be pairs of two different names, each pair once")
    return tuple(pairs)
