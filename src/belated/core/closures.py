"""What a compiled function is made of, as a digest.

Machine code depends on the function that was compiled, on everything that it calls, on the constants that these read,
and, through the verbs, on the classes of the parts that it is given. The digest covers all of that and nothing else:
two functions with the same digest compile to the same code, on any day and in any process. It is the key under which
compiled code is kept on disk, so a change of any line that matters finds no old code, and a change of a line that does
not matter finds its own.
"""

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from belated.core.errors import PlainPython
from belated.core.verbs import Verb

_STRANGERS = ("builtins", "math", "numpy", "numba")
"""Modules whose functions do not change without a change of version, which is noted elsewhere."""


def closure_digest(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A digest of ``function`` and of all that it reaches when it is called with such ``arguments``.

    Raises :class:`~belated.core.errors.PlainPython` if that includes an implementation which is marked so.
    """
    classes = {type(part) for part in _parts(arguments)}
    while True:
        pieces: dict[str, None] = {}
        found = classes | set(_walk(function, classes, pieces))
        if found == classes:
            break
        classes = found
    digest = hashlib.blake2b(digest_size=16)
    for piece in sorted(pieces):
        digest.update(f"{len(piece)}:{piece}".encode(errors="backslashreplace"))
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[tuple[Any, ...]]:
    """Every NamedTuple within ``value``."""
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            yield value
        for item in value:
            yield from _parts(item)


def _walk(start: Callable[..., Any], classes: set[type], pieces: dict[str, None]) -> Iterator[type]:
    """Note in ``pieces`` what ``start`` reaches; yields the NamedTuple classes that it names on the way."""
    seen: set[int] = set()
    waiting: list[Any] = [start]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        thing = getattr(thing, "py_func", thing)  # a function that numba has wrapped
        if isinstance(thing, Verb):
            for each in classes & thing.plain:
                raise PlainPython(f"`{thing.__name__}` of {each.__name__} is plain Python")
            waiting += [thing.implementations[each] for each in classes if each in thing.implementations]
        elif isinstance(thing, FunctionType):
            pieces[f"{thing.__module__}.{thing.__qualname__} {_code(thing.__code__)} {thing.__defaults__!r}"] = None
            waiting += _named(thing)
        elif isinstance(thing, type):
            pieces[f"{thing.__module__}.{thing.__qualname__}{getattr(thing, '_fields', '')}"] = None
            if hasattr(thing, "_fields"):
                yield thing
        elif isinstance(thing, np.ndarray):
            pieces[f"{thing.dtype} {thing.shape} {thing.tobytes().hex()}"] = None
        elif not isinstance(thing, ModuleType):
            pieces[repr(thing)] = None


def _code(code: CodeType) -> str:
    constants = [_code(constant) if isinstance(constant, CodeType) else repr(constant) for constant in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames} {code.co_freevars}"


def _named(function: FunctionType) -> list[Any]:
    """The values of the global names, of attributes of modules, and of the outer variables that a function uses."""
    names = set(function.__code__.co_names)
    found = [function.__globals__[name] for name in sorted(names) if name in function.__globals__]
    found += [cell.cell_contents for cell in function.__closure__ or ()]
    for module in [thing for thing in found if isinstance(thing, ModuleType)]:
        found += [vars(module)[name] for name in sorted(names) if name in vars(module)]
    return [thing for thing in found if str(getattr(thing, "__module__", "")).partition(".")[0] not in _STRANGERS]
