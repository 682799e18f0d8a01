"""What a sweep varies: paths into a document, with the values that each is given.

A grid has a list of values for each path, and every combination of them is a point. A random search has a range for
each path, and draws its points from a seed of its own. A path is written as TOML writes a key: ``delays.mean``,
``learners."dogd, slow".rate``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.positions import Key
from belated.comparisons.writing import quoted
from belated.core.checks import shown
from belated.core.spelling import suggestion
from belated.sweeps.drawing import SCALES, Range, drawn
from belated.sweeps.kinds import KINDS, Kind, kind_of
from belated.sweeps.words import names_in, one_form, words_of

MOST_POINTS = 100_000
MOST_SAMPLES = 10_000
MOST_NAMES = 20
"""Of a path. No setting is as deep as that."""

LARGEST_END = 1e300
"""Of a range: its width, and what is drawn from it, must be floating-point numbers, too."""

OPTIONS = ("samples", "seed")
"""What the table of a random search has besides paths."""


@dataclass(frozen=True)
class Axis:
    """A path into the document, as keys and in words, where it was written down, and its values."""

    path: tuple[str, ...]
    place: Key
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The path as TOML writes it."""
        return ".".join(map(quoted, self.path))

    @property
    def owner(self) -> str | None:
        """The label of the learner or model whose setting it is; ``None`` if it is a circumstance that all meet."""
        return self.path[1] if self.path[0] in (kind.table for kind in KINDS.values()) else None


@dataclass(frozen=True)
class Axes:
    """Every path that is varied. In a random search each has a value for every sample, in a grid its own list."""

    axes: tuple[Axis, ...]
    random: bool

    def points(self) -> list[tuple[Any, ...]]:
        """The values of all paths, point by point; in a grid the last path changes first."""
        columns = [axis.values for axis in self.axes]
        return list(zip(*columns, strict=True)) if self.random else list(product(*columns))


def axes_of(document: Document) -> Axes:
    """Read the table ``grid`` or ``random`` of a document, whichever it has."""
    given = [key for key in ("grid", "random") if key in document.tables]
    if len(given) != 1:
        wanted = "must have a table [grid] with lists of values, or a table [random] with ranges"
        document.refuse(tuple(given[-1:]), f"{wanted}{', and not both' if given else ''}")
    root = given[0]
    table = document.tables[root]
    if not isinstance(table, Mapping):
        document.refuse((root,), f"must be a table of paths, not {shown(table)}")
    if root == "grid":
        axes = tuple(
            _checked(document, Axis(path, place, _list(document, place, value)))
            for path, place, value in _leaves(document, table, root, lambda value: not isinstance(value, Mapping))
        )
    else:
        axes = _drawn_axes(document, table)
    if not axes:
        document.refuse((root,), f'must have one path or more, such as "{kind_of(document).example}"')
    _check_apart(document, axes)
    found = Axes(axes, root == "random")
    number = 1 if found.random else math.prod(len(axis.values) for axis in axes)
    if number > MOST_POINTS:
        document.refuse((root,), f"must have at most {MOST_POINTS} points, and has {number}")
    return found


def _leaves(
    document: Document, table: Mapping[str, Any], root: str, is_leaf: Callable[[Any], bool]
) -> Iterator[tuple[tuple[str, ...], Key, Any]]:
    """Every path with where it stands and what it has; only keys of the outer table may have several names in one."""

    def below(path: tuple[str, ...], place: Key, value: Any) -> Iterator[tuple[tuple[str, ...], Key, Any]]:
        if len(path) > MOST_NAMES:
            document.refuse(place, f"must be a path of at most {MOST_NAMES} names, and has {len(path)}")
        if is_leaf(value) or not value:
            yield path, place, value
        else:
            for key, each in _texts(document, place, value).items():
                yield from below((*path, key), (*place, key), each)

    for key, value in _texts(document, (root,), table).items():
        yield from below(names_in(key), (root, key), value)


def _texts(document: Document, place: Key, table: Mapping[Any, Any]) -> Mapping[str, Any]:
    """The table, if all of its keys are texts, as those of a file are."""
    for key in table:
        if not isinstance(key, str):
            example = kind_of(document).example
            document.refuse(place, f'must have texts for paths, such as "{example}", not {shown(key)}')
    return table


def _list(document: Document, place: Key, given: Any) -> tuple[Any, ...]:
    """The values of a path, which are different; 5 and 5.0 are one number, and would have one label in the results."""
    if not isinstance(given, list | tuple) or not given:
        document.refuse(place, f"must be a list of one value or more, not {shown(given)}")
    seen: dict[str, Any] = {}
    for value in given:
        text = one_form(words_of(document, place, value))
        if text in seen:
            twice = [shown(each) for each in (seen[text], value)]
            both = f"{twice[0]} twice" if twice[0] == twice[1] else f"{twice[0]} and {twice[1]}, which are the same"
            document.refuse(place, f"must be a list of different values, and has {both}")
        seen[text] = value
    return tuple(given)


def _checked(document: Document, axis: Axis) -> Axis:
    """The axis, if such a document can have its path; what only its thing can tell is found when that is made."""
    kind = kind_of(document)
    first, *inner = axis.path
    if first in kind.fixed:
        document.refuse(axis.place, f"must not be varied: {kind.fixed[first]}")
    if first not in kind.swept:
        why = kind.without.get(first) or suggestion(first, kind.swept)
        document.refuse(axis.place, f"{kind.what} has no {shown(first)} to vary; {why}")
    if first in kind.plain and inner:
        document.refuse(axis.place, f"{first} has nothing below it; vary {first!r} itself")
    if first == kind.table:
        _check_label(document, axis, kind)
    return axis


def _check_label(document: Document, axis: Axis, kind: Kind) -> None:
    """Whether a path into the table of learners or models begins with one of their labels."""
    table = document.tables.get(kind.table)
    labels = list(table) if isinstance(table, Mapping) else []
    if len(axis.path) == 1:
        paths = ", ".join(f"{kind.table}.{quoted(each)}" for each in labels)
        document.refuse(axis.place, f"must name a {kind.one}: {paths}")
    if axis.path[1] not in labels:
        hint = suggestion(axis.path[1], labels)
        document.refuse(axis.place, f"there is no {kind.one} {shown(axis.path[1])}; {hint}")


def _check_apart(document: Document, axes: tuple[Axis, ...]) -> None:
    """No path goes through what another one replaces."""
    for one, other in combinations(sorted(axes, key=lambda axis: len(axis.path)), 2):
        if other.path[: len(one.path)] == one.path:
            document.refuse(other.place, f"must not be varied together with {one.name}, which it is a part of")


def _drawn_axes(document: Document, table: Mapping[str, Any]) -> tuple[Axis, ...]:
    samples = _option(document, table, "samples", None, 1, MOST_SAMPLES)
    seed = _option(document, table, "seed", 0, 0, 2**31 - 1)
    paths = {key: value for key, value in table.items() if key not in OPTIONS}
    leaf = lambda value: not isinstance(value, Mapping) or not {"from", "to", "scale"}.isdisjoint(value)  # noqa: E731
    axes = []
    for number, (path, place, given) in enumerate(_leaves(document, paths, "random", leaf)):
        spread = _range(document, place, given)
        axes.append(_checked(document, Axis(path, place, drawn(spread, samples, seed, number))))
    return tuple(axes)


def _option(document: Document, table: Mapping[str, Any], name: str, default: int | None, least: int, most: int) -> int:
    given = table.get(name, default)
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        place: Key = ("random", name) if name in table else ("random",)
        wanted = f"must be a whole number from {least} to {most}"
        document.refuse(place, f"`{name}` {wanted}, {f'not {shown(given)}' if name in table else 'and is missing'}")
    return given


def _range(document: Document, place: Key, given: Any) -> Range:
    """A range, or a list of values to choose from."""
    if not isinstance(given, Mapping):
        return Range(0.0, 0.0, "choice", _list(document, place, given))
    document.check_keys(place, given, ("from", "to", "scale"), "a range")
    low: Any = given.get("from")
    high: Any = given.get("to")
    scale = given.get("scale", "uniform")
    if not isinstance(scale, str) or scale not in SCALES:
        document.refuse(place, f"`scale` must be one of {', '.join(SCALES)}, not {shown(scale)}")
    for name, end in (("from", low), ("to", high)):
        if isinstance(end, bool) or not isinstance(end, int | float) or not abs(end) <= LARGEST_END:
            document.refuse(place, f"`{name}` must be a number of size at most {LARGEST_END:g}, not {shown(end)}")
    if not low < high:
        document.refuse(place, f"`from` must be below `to`, and they are {shown(low)} and {shown(high)}")
    if scale == "log" and low <= 0:
        document.refuse(place, f"`from` must be above 0 on a logarithmic scale, not {shown(low)}")
    return Range(low, high, scale, ())
