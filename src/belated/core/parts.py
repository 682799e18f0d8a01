"""Parts: the immutable descriptions that everything is made of.

A part is a ``NamedTuple``, because numba compiles code that takes one and specialises it through all nested parts.
Tuples of arrays have awkward manners, though: ``==`` is ambiguous, they do not hash, and a constructor with
friendlier arguments than the stored fields does not survive a copy. :class:`Part` mends that. A part with its own
constructor is written as two classes, the stored fields and the manners::

    class _BallFields(NamedTuple):
        centre: Vector
        radius: float

    class Ball(Domain, _BallFields):          # Domain is a Part
        __slots__ = ()

        def __new__(cls, dim: int, radius: float = 1.0) -> "Ball":
            return cls._make((frozen(np.zeros(dim)), positive("Ball", "radius", radius)))

A part whose fields are plain numbers or other parts is simply a ``NamedTuple``.
"""

import hashlib
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from belated.core.code_names import public_name
from belated.core.contents import KnownByText, is_plain, is_table, opened
from belated.core.errors import AmbiguousPart


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


def is_part_class(value: object) -> bool:
    """Whether ``value`` is a class whose objects are parts: a ``NamedTuple``, or a class derived from one."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def fingerprint(part: Any) -> str:
    """A digest of a part's class and of every value in it; equal parts and only they share it.

    A saved state carries the fingerprint of its learner, so that it cannot be resumed by another one unnoticed. The
    class counts by its name and not by the module that it lives in, so a state outlives a file that moves.

    Args:
        part: A NamedTuple of numbers, texts, arrays and other parts, nested freely. Lists, dictionaries, sets and
            other objects count by what they hold, and functions by what they do. What cannot be looked into is equal to
            itself only.

    Returns:
        32 hexadecimal digits, the same in every process and on every machine if all of the part can be looked into.

    Raises:
        AmbiguousPart: Two classes of different modules have the same name, so the name does not identify a part.
    """
    digest = hashlib.blake2b(digest_size=16)
    for piece in _pieces(part):
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)
    return digest.hexdigest()


_modules: dict[str, str] = {}
"""The module of every class whose identity was asked for, by that identity."""

_SCRIPTS = ("__main__", "__mp_main__")
"""How the modules are called that Python was started with; they may have another name when they are imported."""


def identity(part_class: type) -> str:
    """The stable name of a part's class: its own name, behind ``belated:`` for those of this library.

    Raises:
        AmbiguousPart: A class of another module has the same name.
    """
    module = part_class.__module__
    name = part_class.__qualname__ if module.partition(".")[0] != "belated" else f"belated:{part_class.__qualname__}"
    if module not in _SCRIPTS:
        first = _modules.setdefault(name, module)
        if first != module:
            raise AmbiguousPart(
                f"two parts are called {part_class.__qualname__}, one in {first} and one in {module}; a saved state "
                "knows a part by its name, so rename one of them"
            )
    return name


_kept: dict[int, Any] = {}
"""Everything that is known by its address, by that address: as long as it is kept, nothing else can have it."""


def _pieces(value: Any, around: tuple[int, ...] = ()) -> Iterator[bytes]:
    """All of a value as bytes; ``around`` has the addresses of what it lies in, which may hold itself."""
    if isinstance(value, tuple):
        yield f"{identity(type(value))}[{len(value)}]".encode()
        for item in value:
            yield from _pieces(item, around)
    elif is_table(value):
        yield f"{value.dtype.str}{value.shape}".encode()
        if value.dtype.names:
            yield str(value.dtype.descr).encode()
        yield value.tobytes()
    elif is_plain(value) or isinstance(value, KnownByText):
        yield f"{type(value).__name__}:{value!r}".encode()
    elif isinstance(value, type):
        yield f"{type(value).__name__}:{type.__repr__(value)}".encode()
    elif isinstance(value, FunctionType):
        yield _function_text(value).encode()
    elif id(value) in around:
        yield f"circle {around[::-1].index(id(value))}".encode()
    else:
        yield from _pieces_of_object(value, (*around, id(value)))


def _pieces_of_object(value: Any, around: tuple[int, ...]) -> Iterator[bytes]:
    found = opened(value)
    if found is None:
        yield _address(value).encode()
        return
    yield f"{public_name(type(value)) or identity(type(value))}:{found.text}".encode()
    yield len(found.members).to_bytes(8, "little")
    for member in sorted(found.members, key=fingerprint) if isinstance(value, set | frozenset) else found.members:
        yield from _pieces(member, around)


def _function_text(function: FunctionType) -> str:
    from belated.core.closures import Closure  # which needs this module itself

    try:
        closure = Closure(function, (), plain=True)
    except Exception:  # something that fails when it is looked at
        return _address(function)
    return f"function:{closure.nameless}{_address(function) if closure.opaque else ''}"


def _address(value: Any) -> str:
    _kept[id(value)] = value
    return f"{type(value).__name__} at {id(value)}"


def leaves(part: Any) -> Iterator[Any]:
    """Everything that a part holds and that is no part itself, in the order of the fields, nested parts included."""
    if isinstance(part, tuple):
        for item in part:
            yield from leaves(item)
    else:
        yield part


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
