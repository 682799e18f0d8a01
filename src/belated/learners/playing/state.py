"""States to and from named arrays.

A policy's state is a NamedTuple of arrays, nested. Flattened, each array gets the path to it as its name
(``policy.arrivals.step.decision``), which is what is saved; nothing is ever pickled. Everything here survives a JSON
file (arrays as lists) and ``numpy.savez`` (plain values as arrays without dimensions).
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from belated.core import checks
from belated.core.arrays import Anything
from belated.core.errors import InvalidArgument, StateMismatch
from belated.core.parts import is_part_class

KINDS = (np.dtype(np.float64), np.dtype(np.int64))
"""What arrays of a state may hold: real numbers or whole ones."""


def checked_state(where: str, state: Any) -> Any:
    """``state`` if it is one: a NamedTuple of arrays of float64 or int64 and of other such NamedTuples.

    Args:
        where: The verb that has made it, and for which part, such as ``"begin(Discounted)"``.
        state: What the verb has returned.

    Returns:
        The same state.

    Raises:
        InvalidArgument: It is no NamedTuple, or a field holds something else. The message names class and field.
    """
    if not is_part_class(type(state)):
        kind = type(state).__name__
        raise InvalidArgument(f"`{where}`: must return a state, a NamedTuple of arrays, but returns {kind}", "state")
    for name, item in zip(state._fields, state, strict=True):
        if is_part_class(type(item)):
            checked_state(where, item)
        elif not isinstance(item, np.ndarray) or item.dtype not in KINDS:
            kind = f"an array of {item.dtype}" if isinstance(item, np.ndarray) else f"of type {type(item).__name__}"
            raise InvalidArgument(
                f"`{where}`: {type(state).__name__}.{name} is {kind}; the fields of a state must be arrays of float64 "
                "or int64, or NamedTuples of these, because verbs change them in place: for a single number take an "
                "array of size one, np.zeros(1)",
                "state",
            )
    return state


def named_arrays(state: Any, path: str) -> Iterator[tuple[str, Anything]]:
    """Every array of a state with its path."""
    if isinstance(state, np.ndarray):
        yield path, state
    else:
        for name, item in zip(state._fields, state, strict=True):
            yield from named_arrays(item, f"{path}.{name}")


def restored(template: Any, saved: Mapping[str, Any], path: str, growing: frozenset[str]) -> Any:
    """A state like ``template`` with the arrays of ``saved``, each checked for shape, type and finiteness.

    Those that are ``growing`` may have any number of rows.
    """
    if isinstance(template, np.ndarray):
        shape = (None, *template.shape[1:]) if path in growing else template.shape
        return saved_array(saved, path, template.dtype, shape)
    items = zip(template._fields, template, strict=True)
    return type(template)._make(restored(item, saved, f"{path}.{name}", growing) for name, item in items)


def saved_array(saved: Mapping[str, Any], name: str, dtype: Any, shape: tuple[int | None, ...]) -> Anything:
    """A copy of the array ``name``; ``None`` in the shape stands for any size."""
    wanted = f"{np.dtype(dtype)} of shape {tuple('any' if size is None else size for size in shape)}"
    array = checks.any_array("resume", name, saved[name], wanted)
    least = tuple(0 if size is None else size for size in shape)
    if array.size == 0 and 0 in least:  # an empty list in a JSON file has forgotten its type and inner dimensions
        rows = len(array) if shape[0] is None and array.ndim else least[0]
        array = np.empty((rows, *least[1:]), dtype)
    fits = len(array.shape) == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype != dtype:
        raise StateMismatch(f"state[{name!r}]: must be {wanted}, got {array.dtype} of shape {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise StateMismatch(f"state[{name!r}]: must be finite")
    return array.copy()


def saved_text(saved: Mapping[str, Any], name: str) -> str:
    """The text ``name``; StateMismatch if it is something else."""
    text = saved[name]
    if not isinstance(text, str):
        raise StateMismatch(f"state[{name!r}]: must be text, got {checks.shown(text)}")
    return text


def plain(saved: Mapping[str, Any]) -> dict[str, Any]:
    """``saved`` with arrays without dimensions turned back into the plain values that they hold."""
    return {
        name: value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
        for name, value in saved.items()
    }


def generator_values(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a bit generator as plain values; its two numbers of 128 bits as hexadecimal text."""
    return {
        "random.state": f"{state['state']['state']:x}",
        "random.increment": f"{state['state']['inc']:x}",
        "random.has_uint32": state["has_uint32"],
        "random.uinteger": state["uinteger"],
    }


def restored_generator(rng: np.random.Generator, saved: Mapping[str, Any]) -> np.random.Generator:
    """``rng`` in the state that :func:`generator_values` wrote down."""
    kept = [checks.count("resume", name, saved[name], least=0) for name in ("random.has_uint32", "random.uinteger")]
    if kept[0] > 1 or kept[1] >= 2**32:
        raise StateMismatch("state['random...'] is not the state of a random generator: half a draw is out of range")
    try:
        rng.bit_generator.state = {
            "bit_generator": type(rng.bit_generator).__name__,
            "state": {"state": _hexadecimal(saved, "random.state"), "inc": _hexadecimal(saved, "random.increment")},
            "has_uint32": kept[0],
            "uinteger": kept[1],
        }
    except (ValueError, OverflowError) as problem:
        raise StateMismatch(f"state['random...'] is not the state of a random generator: {problem}") from None
    return rng


def _hexadecimal(saved: Mapping[str, Any], name: str) -> int:
    """The number that the text ``name`` stands for, in the one form in which it is written."""
    text = saved_text(saved, name)
    number = int(text, 16)
    if f"{number:x}" != text:
        raise StateMismatch(f"state[{name!r}]: must be hexadecimal digits from 0 to f, got {checks.shown(text)}")
    return number


def state_digest(state: Mapping[str, Any]) -> str:
    """A digest of all names and values of a state, in their order."""
    digest = hashlib.blake2b(digest_size=16)
    for name, value in state.items():
        array = isinstance(value, np.ndarray)
        content = value.tobytes() if array else repr(value).encode()
        digest.update(f"{name}:{value.shape if array else ''}:{len(content)}:".encode() + content)
    return digest.hexdigest()
