"""Many states in one: a stack has the fields of a state, with one more dimension in front of every array.

A wrapper that keeps several copies of a learner keeps their states so. ``level(stack, i)`` is the state of copy i, as
views: what a verb changes there, it changes in the stack. A wrapper that lets a learner begin anew keeps its first
state, and has ``overwrite`` copy that over the present one. ``finite`` looks for numbers that are out of range. Plain
Python and compiled code do all three alike; for the latter, a function for the class at hand is written out field by
field, since a compiler must know every type.
"""

from typing import Any

import numpy as np

from belated.core import numba_door
from belated.core.arrays import Anything
from belated.core.vectors import all_finite


def stacked(state: Any, copies: int) -> Any:
    """A stack of so many copies of ``state``."""
    if isinstance(state, np.ndarray):
        return np.repeat(state[np.newaxis], copies, axis=0)
    return type(state)._make(stacked(item, copies) for item in state)


def joined(first: Any, second: Any) -> Any:
    """The levels of one stack, then those of another of the same kind."""
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    return type(first)._make(joined(one, two) for one, two in zip(first, second, strict=True))


def level(stack: Any, i: int) -> Any:
    """The state at place ``i``, as views."""
    if isinstance(stack, np.ndarray):
        part: Anything = stack[i]
        return part
    return type(stack)._make(level(item, i) for item in stack)


def _level_for_compiler(stack: Any, i: Any) -> Any:
    # Arrays are indexed in place: without memory management, no function may return one, but a tuple of some it may.
    names: dict[str, Any] = {"level": level, "State": numba_door.class_of(stack)}
    items = [
        f"stack[{place}][i]" if numba_door.is_array(item) else f"level(stack[{place}], i)"
        for place, item in enumerate(stack.types)
    ]
    exec(f"def of_class(stack, i):\n    return State({', '.join(items)})", names)  # noqa: S102  # text of our own, as above
    return names["of_class"]


numba_door.teach(level, _level_for_compiler)


def overwrite(state: Any, source: Any) -> None:
    """Make every number of ``state`` that of ``source``, a state of the same kind, in place."""
    if isinstance(state, np.ndarray):
        state[...] = source
    else:
        for item, other in zip(state, source, strict=True):
            overwrite(item, other)


def _overwrite_for_compiler(state: Any, source: Any) -> Any:
    if not numba_door.is_array(state):
        names: dict[str, Any] = {"overwrite": overwrite}
        lines = [f"    overwrite(state[{place}], source[{place}])" for place in range(len(state.types))]
        exec("\n".join(["def of_class(state, source):", *lines]), names)  # noqa: S102  # text of our own, as above
        return names["of_class"]

    def of_rows(state: Any, source: Any) -> None:
        for i in range(state.shape[0]):
            overwrite(state[i], source[i])

    def of_numbers(state: Any, source: Any) -> None:
        for i in range(state.size):
            state[i] = source[i]

    return of_numbers if state.ndim == 1 else of_rows


numba_door.teach(overwrite, _overwrite_for_compiler)


def finite(state: Any) -> bool:
    """Whether no number of ``state`` is infinite or NaN.

    Args:
        state: A NamedTuple of arrays, nested; or one array.

    Returns:
        True if every real number in it is finite. Whole numbers always are.
    """
    if isinstance(state, np.ndarray):
        return bool(np.isfinite(state).all())
    return all(finite(item) for item in state)


def _finite_for_compiler(state: Any) -> Any:
    if not numba_door.is_array(state):
        names: dict[str, Any] = {"finite": finite}
        checks = [f"finite(state[{place}])" for place in range(len(state.types))]
        exec(f"def of_class(state):\n    return {' and '.join(checks) or True}", names)  # noqa: S102  # text of our own, as above
        return names["of_class"]

    def of_whole_numbers(state: Any) -> bool:
        return True

    def of_rows(state: Any) -> bool:
        fine = True
        for i in range(state.shape[0]):
            fine = finite(state[i]) and fine
        return fine

    def of_numbers(state: Any) -> bool:
        return all_finite(state)

    if numba_door.is_whole(state.dtype):
        return of_whole_numbers
    return of_numbers if state.ndim == 1 else of_rows


numba_door.teach(finite, _finite_for_compiler)
