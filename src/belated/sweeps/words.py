"""Plain values as one text each, so that two of them are equal exactly if their texts are; and the names in a path."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.comparisons.document import Document
from belated.comparisons.positions import Key
from belated.core.checks import shown

LONGEST_RANGE = 10**6
"""Of a range that is written out as a list."""


def canonical(value: Any) -> str:
    """Plain values as JSON with sorted keys; 1 and 1.0 are different, as they are in TOML.

    >>> canonical({"b": 1, "a": [1.0, "x"]})
    '{"a":[1.0,"x"],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def words_of(document: Document, place: Key, value: Any) -> str:
    """The text of a value that somebody wrote; what is no plain value, such as a date, is refused."""
    try:
        return canonical(value)
    except (TypeError, ValueError, RecursionError):
        culprit, it = _culprit(place, value)
        document.refuse(culprit, f"must be numbers, texts, lists and tables, not {shown(it)}")


def _culprit(place: Key, value: Any) -> tuple[Key, Any]:
    """The first value within tables that has no text, and where it is."""
    for name, each in value.items() if isinstance(value, Mapping) else ():
        try:
            canonical({name: each})
        except (TypeError, ValueError):
            return _culprit((*place, name), each) if isinstance(name, str) else (place, {name: each})
        except RecursionError:  # a table that holds itself
            break
    return place, value


def plain(value: Any) -> Any:
    """What somebody wrote in Python as a file would have it: arrays and ranges are lists, and NumPy's numbers numbers.

    >>> plain({"a": range(3)})
    {'a': [0, 1, 2]}
    """
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, range) and value[:LONGEST_RANGE] == value:
        return list(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if type(value) in (list, tuple) else value  # and no part, which is a tuple


def one_form(text: str) -> str:
    """What :func:`canonical` has made of values, with every whole number written as one.

    >>> one_form('[5.0,{"a":-0.0,"b":0.5}]')
    '[5,{"a":0,"b":0.5}]'
    """
    return canonical(json.loads(text, parse_float=_whole_if_it_is))


def _whole_if_it_is(digits: str) -> float:
    number = float(digits)
    return int(number) if number.is_integer() else number


def names_in(key: str) -> tuple[str, ...]:
    """The names in a dotted key; what TOML cannot read as one is a single name.

    It must be a key in front of a value and in a header alike: in front of a value, ``a = {} #`` would pass for ``a``.

    >>> names_in('learners."dogd, slow".rate'), names_in("a = {} #")
    (('learners', 'dogd, slow', 'rate'), ('a = {} #',))
    """
    try:
        tomllib.loads(f"[{key}]")
        found: Any = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        return (key,)
    names = []
    while isinstance(found, Mapping):
        ((name, found),) = found.items()
        names.append(name)
    return tuple(names)
