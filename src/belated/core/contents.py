"""What values are made of, for digests that must not take one value for another.

The ``repr`` of a value does not say all of it: NumPy shortens a long array, and an object may be shown by its address,
which another object has in the next process. So a digest takes a value apart until only numbers, texts and arrays are
left. Lists, dictionaries and sets have members; any other object is taken apart as a copy of it would be made, which
is what ``copy`` and ``pickle`` ask an object for. What does not let itself be taken apart is equal to itself only.
"""

from collections.abc import Iterable, Iterator
from copyreg import __newobj__, __newobj_ex__  # type: ignore[attr-defined]  # they are not in the stubs
from enum import Enum
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from belated.core.code_names import public_name

_PLAIN = {bool, int, float, complex, str, bytes, type(None), type(...)}


class KnownByText:
    """An object that its ``repr`` stands for, whatever else it holds."""

    __slots__ = ()


class Opened(NamedTuple):
    """A value taken apart: a text, and the members that with it make the value."""

    text: str
    members: list[Any]


def is_plain(value: Any) -> bool:
    """Whether the ``repr`` of a value says all of it."""
    return type(value) in _PLAIN or (isinstance(value, np.generic) and not isinstance(value, np.void))


def is_table(value: Any) -> bool:
    """Whether a value is an array whose bytes say all of it, but for the types of its columns and its shape."""
    return type(value) in (np.ndarray, np.memmap) and not value.dtype.hasobject


def is_wrapped_by_numba(value: Any) -> bool:
    """Whether it is what numba's decorators make of a function; other objects may say to have any attribute."""
    return str(type(value).__module__).partition(".")[0] == "numba" and hasattr(value, "py_func")


def opened(value: Any) -> Opened | None:
    """A value that is neither plain nor a table, taken apart by one step; ``None`` if it does not let itself be."""
    kind = type(value)
    if isinstance(value, Enum):
        return Opened(Enum.__repr__(value), [] if is_plain(value.value) else [value.value])
    if kind in (list, set, frozenset, tuple):
        return Opened(f"{kind.__name__}[{len(value)}]", list(value))
    if kind is dict:  # its order counts, as sums over it depend on that
        return Opened(f"dict[{len(value)}]", [each for item in value.items() for each in item])
    if kind in (np.ndarray, np.memmap):
        return Opened(f"{value.dtype}{value.shape}", value.ravel().tolist())
    if isinstance(value, np.void):
        return Opened("void", [np.asarray(value)])
    if isinstance(value, MethodType):
        return Opened("method", [value.__func__, value.__self__])
    if is_wrapped_by_numba(value):
        return Opened(f"numba {sorted(getattr(value, 'targetoptions', {}).items())}", [value.py_func])
    name = public_name(value)
    return Opened(name, []) if name else _copied(value)


def code_in(value: Any, around: tuple[int, ...] = ()) -> Iterator[Any]:
    """Functions and classes within a value, and the classes of objects within it, but not those of tuples.

    ``NotImplemented`` stands for what cannot be looked into.
    """
    if is_plain(value) or is_table(value) or isinstance(value, KnownByText) or id(value) in around:
        return
    members: Iterable[Any] = ()
    if isinstance(value, tuple):
        members = value
    elif isinstance(value, FunctionType | type):
        yield value
    else:
        found = opened(value)
        members = found.members if found else ()
        if not found:
            yield NotImplemented
        elif not (isinstance(value, MethodType) or public_name(type(value))):
            yield type(value)
    for each in members:
        yield from code_in(each, (*around, id(value)))


def _copied(value: Any) -> Opened | None:
    """What a copy of an object would be made of."""
    try:
        made = value.__reduce_ex__(4)
    except Exception:  # a function, an open file, a lock, or an object that does not want to be copied
        return None
    if isinstance(made, str):
        return Opened(made, [])
    maker, arguments, state, items, pairs = (*made, None, None, None)[:5]
    own = maker in (__newobj__, __newobj_ex__, type(value))
    taken = [each for each in arguments if each is not type(value)]
    if isinstance(state, dict) and all(isinstance(name, str) for name in state):
        state = dict(sorted(state.items()))  # attributes have no order
    text = "" if own else f"{maker.__module__}.{getattr(maker, '__qualname__', '')}"
    return Opened(text, [taken, state, list(items or ()), [list(pair) for pair in pairs or ()]])
