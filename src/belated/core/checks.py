"""Checks of what users hand in: each returns the value in its canonical form, or raises and names the argument.

``where`` is the call as the user wrote it (``"dogd_sc"``), ``name`` the argument. Messages read
"`dogd_sc(strong_convexity=0.0)`: must be > 0".
"""

import math
import operator
from typing import Any, NoReturn

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument

_SHOWN = 60


def shown(value: Any) -> str:
    """``repr`` of a value, cut to a length that fits a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def refuse(where: str, name: str, value: Any, allowed: str) -> NoReturn:
    """Raise :class:`InvalidArgument` in the house's format."""
    raise InvalidArgument(f"`{where}({name}={shown(value)})`: {allowed}")


def number(where: str, name: str, value: Any) -> float:
    """A finite real number."""
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


def count(where: str, name: str, value: Any, least: int = 1) -> int:
    """A whole number, at least ``least``."""
    if isinstance(value, (bool, np.bool_)):
        refuse(where, name, value, "must be a whole number")
    try:
        result = operator.index(value)
    except TypeError:
        refuse(where, name, value, "must be a whole number")
    if result < least:
        refuse(where, name, value, f"must be >= {least}")
    return result


def _real_array(where: str, name: str, value: Any) -> Vector:
    try:
        raw = np.asarray(value)
    except ValueError:
        refuse(where, name, value, "must be an array of real numbers")
    if raw.dtype.kind not in "iuf":
        refuse(where, name, value, f"must be an array of real numbers, got dtype {raw.dtype}")
    return np.array(raw, dtype=np.float64, order="C")


def _finite_array(where: str, name: str, value: Any, result: Vector) -> Vector:
    good = np.isfinite(result)
    if not good.all():
        first = np.argwhere(~good)[0]
        place = ", ".join(str(i) for i in first)
        refuse(where, name, value, f"must be finite, entry [{place}] is {result[tuple(first)]}")
    return result


def vector(where: str, name: str, value: Any, size: int | None = None) -> Vector:
    """A finite one-dimensional float64 copy, of a given size if one is given."""
    result = _real_array(where, name, value)
    if result.ndim != 1 or (size is not None and result.size != size) or result.size == 0:
        wanted = "a non-empty vector" if size is None else f"shape ({size},)"
        refuse(where, name, value, f"must have {wanted}, got shape {result.shape}".replace("have a", "be a"))
    return _finite_array(where, name, value, result)


def matrix(where: str, name: str, value: Any, columns: int | None = None) -> Matrix:
    """A finite two-dimensional float64 copy with at least one row, of a given width if one is given."""
    result = _real_array(where, name, value)
    if result.ndim != 2 or result.size == 0 or (columns is not None and result.shape[1] != columns):
        width = "columns" if columns is None else f"{columns}"
        refuse(where, name, value, f"must have shape (rows, {width}), got shape {result.shape}")
    return _finite_array(where, name, value, result)
