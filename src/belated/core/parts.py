"""Parts: the immutable descriptions that everything is made of.

A part is a ``NamedTuple``, because numba compiles code that takes one and specialises it through all nested parts.
Tuples of arrays have awkward manners, though: ``==`` is ambiguous, they do not hash, and a constructor with
friendlier arguments than the stored fields does not survive a copy. :class:`Part` mends that. A part with its own
constructor is written as two classes, the stored fields and the manners::

    class BallFields(NamedTuple):
        center: Vector
        radius: float

    class Ball(Domain, BallFields):          # Domain is a Part
        __slots__ = ()

        def __new__(cls, dim: int, radius: float = 1.0) -> "Ball":
            return cls._make((frozen(np.zeros(dim)), positive("Ball", "radius", radius)))

A part whose fields are plain numbers or other parts is simply a ``NamedTuple``.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np


class Part:
    """Equality, hash, copying and a readable form for NamedTuples that hold arrays. Put it first among the bases."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and fingerprint(self) == fingerprint(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(fingerprint(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), tuple(self))  # type: ignore[arg-type]  # a Part is always mixed into a NamedTuple

    def __repr__(self) -> str:
        names = self._fields  # type: ignore[attr-defined]  # as above
        fields = ", ".join(f"{name}={_shown(getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({fields})"


def fingerprint(part: Any) -> str:
    """A digest of a part's class and of every value in it; equal parts and only they share it.

    A saved state carries the fingerprint of its learner, so that it cannot be resumed by another one unnoticed.
    """
    digest = hashlib.blake2b(digest_size=16)
    for piece in _pieces(part):
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    if isinstance(value, tuple):
        yield f"{type(value).__module__}.{type(value).__qualname__}[{len(value)}]".encode()
        for item in value:
            yield from _pieces(item)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode()
        yield value.tobytes()
    else:
        yield f"{type(value).__name__}:{value!r}".encode()


def _rebuild(part_class: Any, fields: tuple[Any, ...]) -> Any:
    """A copy of a part is as immutable as the part: its arrays are frozen again, which copying forgets."""
    for field in fields:
        if isinstance(field, np.ndarray):
            field.flags.writeable = False
    return part_class._make(fields)


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, threshold=6, edgeitems=2, precision=4, separator=", ").replace("\n", "")
    return repr(value)
