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

from belated.core.errors import CannotCompile, PlainPython
from belated.core.parts import fingerprint
from belated.core.verbs import Verb

_STRANGERS = ("builtins", "math", "numpy", "numba")
"""Modules whose functions do not change without a change of version, which is noted elsewhere."""


def closure_digest(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A digest of ``function`` and of all that it reaches when it is called with such ``arguments``.

    Raises :class:`~belated.core.errors.PlainPython` if that includes an implementation which is marked so.
    """
    classes = part_classes(arguments)
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


def part_classes(value: Any) -> set[type]:
    """The classes of all NamedTuples within ``value``."""
    if not isinstance(value, tuple):
        return set()
    return {type(value)} - {tuple} | {each for item in value for each in part_classes(item)}


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
            waiting += _implementations(start, thing, classes)
        elif isinstance(thing, FunctionType):
            pieces[f"{thing.__module__}.{thing.__qualname__} {_code(thing.__code__)} {thing.__defaults__!r}"] = None
            waiting += _named(thing)
        elif isinstance(thing, type):
            pieces[f"{thing.__module__}.{thing.__qualname__}{getattr(thing, '_fields', '')}"] = None
            if hasattr(thing, "_fields"):
                yield thing
        else:
            pieces[fingerprint(thing) if isinstance(thing, tuple | np.ndarray) else repr(thing)] = None
            yield from part_classes(thing)


def _implementations(start: Callable[..., Any], verb: Verb[..., Any], classes: set[type]) -> list[Any]:
    """Those of the given classes; they must be for compilation, and still be those that numba has been given."""
    known = [each for each in classes if each in verb.implementations]
    for each in known:
        if each in verb.plain:
            raise PlainPython(f"`{verb.__name__}` of {each.__name__} is plain Python")
        if verb.given.get(each, verb.implementations[each]) is not verb.implementations[each]:
            raise changed(start)
    return [verb.implementations[each] for each in known]


def changed(function: Callable[..., Any]) -> CannotCompile:
    """What is said of a function of which numba remembers another version: it never looks twice."""
    return CannotCompile(
        f"`{function.__name__}`: something that it uses has changed since it was compiled; define the classes of your "
        "own parts anew, or start a new process"
    )


def _code(code: CodeType) -> str:
    constants = [_code(constant) if isinstance(constant, CodeType) else repr(constant) for constant in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames} {code.co_freevars}"


def _names(code: CodeType) -> set[str]:
    """The names that it uses, also within comprehensions and functions of its own."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _named(function: FunctionType) -> list[Any]:
    """The values of the global names, of attributes of modules, and of the outer variables that a function uses."""
    names = sorted(_names(function.__code__))
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    found += [cell.cell_contents for cell in function.__closure__ or ()]
    values: list[Any] = []
    seen: set[int] = set()
    while found:
        thing = found.pop()
        if not isinstance(thing, ModuleType):
            values.append(thing)
        elif id(thing) not in seen:
            seen.add(id(thing))
            found += [vars(thing)[name] for name in names if name in vars(thing)]
    return [value for value in values if str(getattr(value, "__module__", "")).partition(".")[0] not in _STRANGERS]
