"""States to and from named arrays.

A policy's state is a NamedTuple of arrays, nested. Flattened, each array gets the path to it as its name
(``policy.arrivals.step.decision``), which is what is saved; nothing is ever pickled.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from belated.core.arrays import Anything
from belated.core.errors import StateMismatch


def copied(state: Any) -> Any:
    """The same state in fresh arrays."""
    if isinstance(state, np.ndarray):
        return state.copy()
    return type(state)._make(copied(item) for item in state)


def named_arrays(state: Any, path: str) -> Iterator[tuple[str, Anything]]:
    """Every array of a state with its path."""
    if isinstance(state, np.ndarray):
        yield path, state
    else:
        for name, item in zip(state._fields, state, strict=True):
            yield from named_arrays(item, f"{path}.{name}")


def restored(template: Any, saved: Mapping[str, Any], path: str) -> Any:
    """A state like ``template`` with the arrays of ``saved``, each checked for shape, type and finiteness."""
    if isinstance(template, np.ndarray):
        return saved_array(saved, path, template.dtype, template.shape)
    items = zip(template._fields, template, strict=True)
    return type(template)._make(restored(item, saved, f"{path}.{name}") for name, item in items)


def saved_array(saved: Mapping[str, Any], name: str, dtype: Any, shape: tuple[int | None, ...]) -> Anything:
    """A copy of the array ``name``; ``None`` in the shape stands for any size."""
    array = np.asarray(saved[name])
    fits = len(array.shape) == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype != dtype:
        wanted = f"{np.dtype(dtype)} of shape {tuple('any' if size is None else size for size in shape)}"
        raise StateMismatch(f"state[{name!r}]: must be {wanted}, got {array.dtype} of shape {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise StateMismatch(f"state[{name!r}]: must be finite")
    return array.copy()
