"""Checks of what users hand in: each returns the value in its canonical form, or raises and names the argument.

``where`` is the call as the user wrote it (``"dogd_sc"``), ``name`` the argument. Messages read
"`dogd_sc(strong_convexity=0.0)`: must be > 0".
"""

import math
import operator
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from belated.core.arrays import Anything, Matrix, Vector
from belated.core.errors import InvalidArgument

_SHOWN = 60

MOST = 2**62
"""The largest whole number that counts anything; all of them fit into 64 bits, with room for a sum of two."""

SMALLEST, LARGEST = 1e-50, 1e50
"""Constants of learners lie between these."""

LARGEST_ENTRY = 1e100
"""Feedback and first decisions have no entry beyond this."""


def shown(value: Any) -> str:
    """``repr`` of a value, cut to a length that fits a message."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the repr of an unknown class may raise anything, and that of int does for 4300 digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def refuse(where: str, name: str, value: Any, allowed: str) -> NoReturn:
    """Raise :class:`InvalidArgument` in the house's format."""
    raise InvalidArgument(f"`{where}({name}={shown(value)})`: {allowed}", name)


def number(where: str, name: str, value: Any) -> float:
    """Return ``value`` as a float if it is a finite real number, else raise InvalidArgument."""
    if type(value) is float and math.isfinite(value):  # what nearly all values are
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        refuse(where, name, value, "must be a real number")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        refuse(where, name, value, "must be finite")
    return result


def positive(where: str, name: str, value: Any) -> float:
    """A finite real number above zero."""
    result = number(where, name, value)
    if result <= 0.0:
        refuse(where, name, value, "must be > 0")
    return result


def not_negative(where: str, name: str, value: Any) -> float:
    """A finite real number that is zero or more."""
    result = number(where, name, value)
    if result < 0.0:
        refuse(where, name, value, "must be >= 0")
    return result


def probability(where: str, name: str, value: Any) -> float:
    """A real number in [0, 1]."""
    result = number(where, name, value)
    if not 0.0 <= result <= 1.0:
        refuse(where, name, value, "must lie in [0, 1]")
    return result


def moderate(where: str, name: str, value: Any) -> float:
    """A positive number that is neither tiny nor huge: products of a few such numbers and of feedback stay finite."""
    result = positive(where, name, value)
    if not SMALLEST <= result <= LARGEST:
        refuse(where, name, value, f"must lie in [{SMALLEST:g}, {LARGEST:g}]")
    return result


def count(where: str, name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """A whole number, at least ``least`` and at most ``most``."""
    if isinstance(value, (bool, np.bool_)):
        refuse(where, name, value, "must be a whole number")
    try:
        result = operator.index(value)
    except TypeError:
        refuse(where, name, value, "must be a whole number")
    if result < least:
        refuse(where, name, value, f"must be >= {least}")
    if result > most:
        refuse(where, name, value, f"must be <= {most}")
    return result


def items(where: str, name: str, value: Any, wanted: str) -> tuple[Any, ...]:
    """What a list or another iterable holds, in a tuple; ``wanted`` says what that is. A text is no list of letters."""
    if not isinstance(value, str | bytes) and not isinstance(value, type):
        with suppress(TypeError):
            return tuple(value)
    refuse(where, name, value, f"must be a list of {wanted}")


def any_array(where: str, name: str, value: Any, wanted: str) -> Anything:
    """``value`` as an array of any kind; ``wanted`` says what it should have been if it cannot be one."""
    if isinstance(value, np.ma.MaskedArray):
        refuse(where, name, value, "must not be a masked array: what is behind the mask is not known")
    try:
        return np.asarray(value)
    except Exception:  # whatever the __array__ of an unknown class raises, there is no array
        refuse(where, name, value, f"must be {wanted}")


def real_array(where: str, name: str, value: Any, copy: bool | None = True) -> Vector:
    """A float64 copy of real numbers, of any shape; ``copy=None``: a copy only if one is needed.

    The numbers may be infinite or NaN if they were so before. A finite number of a longer format is refused if float64
    cannot hold it.
    """
    raw = any_array(where, name, value, "an array of real numbers")
    if raw.dtype.kind not in "iuf":
        refuse(where, name, value, f"must be an array of real numbers, got dtype {raw.dtype}")
    if raw.dtype == np.float64:
        return np.array(raw, dtype=np.float64, order="C", copy=copy)
    with np.errstate(over="ignore"):  # what only a longer format can hold becomes infinite, which is looked for
        result = np.array(raw, dtype=np.float64, order="C", copy=copy)
    if raw.dtype.itemsize > result.itemsize:
        beyond = np.isinf(result) & np.isfinite(raw)
        if beyond.any():
            place = tuple(int(i) for i in np.argwhere(beyond)[0])
            entry = f"entry [{', '.join(map(str, place))}]" if place else "it"
            refuse(where, name, value, f"must be within the range of float64, {entry} is finite and beyond it")
    return result


def _finite_array(where: str, name: str, value: Any, result: Vector) -> Vector:
    with np.errstate(all="ignore"):
        total = float(result.sum())
    if math.isfinite(total):  # which takes one pass, and is so only if all of them are
        return result
    good = np.isfinite(result)
    if not good.all():
        first = np.argwhere(~good)[0]
        place = ", ".join(str(i) for i in first)
        refuse(where, name, value, f"must be finite, entry [{place}] is {result[tuple(first)]}")
    return result


def vector(where: str, name: str, value: Any, size: int | None = None, besides: float = 0.0) -> Vector:
    """A finite one-dimensional float64 copy, of a given size if one is given; entries may also be ``besides``."""
    result = real_array(where, name, value)
    if result.ndim != 1 or result.size != (size if size is not None else result.size or 1):
        wanted = "a non-empty vector" if size is None else f"shape ({size},)"
        refuse(where, name, value, f"must have {wanted}, got shape {result.shape}".replace("have a", "be a"))
    _finite_array(where, name, value, result if math.isfinite(besides) else np.where(result == besides, 0.0, result))
    return result


def moderate_vector(where: str, name: str, value: Any, size: int) -> Vector:
    """A finite vector whose entries are small enough to be added, squared and divided by a probe radius."""
    result = vector(where, name, value, size)
    largest = float(np.abs(result).max())
    if largest > LARGEST_ENTRY:
        refuse(where, name, value, f"must have entries of size at most {LARGEST_ENTRY:g}, the largest is {largest:g}")
    return result


def moderate_rows(where: str, name: str, value: Any, size: int) -> Matrix:
    """Vectors as of :func:`moderate_vector`, one in each row, possibly none; errors name the first that is wrong."""
    rows = value if isinstance(value, list | tuple) else ()
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        _check_each(where, name, rows, size)
    try:
        result = real_array(where, name, value)
    except InvalidArgument:
        _check_each(where, name, rows, size)
        raise
    if result.shape == (0,):  # an empty list
        result = result.reshape(0, size)
    if result.ndim != 2 or result.shape[1] != size:
        _check_each(where, name, rows, size)
        refuse(where, name, value, f"must have shape (any number, {size}), got shape {result.shape}")
    if not np.abs(result).max(initial=0.0) <= LARGEST_ENTRY:
        _check_each(where, name, result, size)
    return result


def _check_each(where: str, name: str, rows: Iterable[Any], size: int) -> None:
    for place, row in enumerate(rows):
        moderate_vector(where, f"{name}[{place}]", row, size)


def spread_vector(where: str, name: str, value: Any, size: int) -> Vector:
    """A vector as of :func:`moderate_vector`, or a number that stands for every entry of one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and abs(value) > LARGEST_ENTRY:
        refuse(where, name, value, f"must be at most {LARGEST_ENTRY:g} in size")
    return moderate_vector(where, name, np.full(size, value, dtype=np.float64) if is_number else value, size)


def matrix(where: str, name: str, value: Any, columns: int | None = None) -> Matrix:
    """A finite two-dimensional float64 array with at least one row, of a given width if one is given.

    What is such an array already is not copied: tables are large, and the library writes into none.
    """
    result = np.require(real_array(where, name, value, copy=None), requirements="A")
    if result.ndim != 2 or result.size == 0 or (columns is not None and result.shape[1] != columns):
        width = "columns" if columns is None else f"{columns}"
        refuse(where, name, value, f"must have shape (rows, {width}), got shape {result.shape}")
    return _finite_array(where, name, value, result)
