"""What a compiled function is made of, as a digest.

Machine code depends on the function that was compiled, on everything that it calls, on the constants that these read,
and, through the verbs, on the classes of the parts that it is given. The digest covers all of that and nothing else:
two functions with the same digest compile to the same code, on any day and in any process. It is the key under which
compiled code is kept on disk, so a change of any line that matters finds no old code, and a change of a line that does
not matter finds its own. What cannot be looked into is ``opaque``: code that uses it is not kept.
"""

import dis
import hashlib
from collections.abc import Callable
from enum import Enum
from functools import cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from belated.core.errors import CannotCompile, PlainPython
from belated.core.parts import fingerprint
from belated.core.verbs import Verb

_STRANGERS = ("builtins", "math", "numpy", "numba")
"""Modules whose functions and classes do not change without a change of version, which is noted elsewhere."""

_PLAIN_VALUES = (bool, int, float, complex, str, bytes, type(None), np.generic, np.ndarray)


class Closure:
    """All that ``start`` reaches when it is called with such ``arguments``.

    ``digest`` is that of the whole; ``functions`` has every function with a text of what it is itself, the constants
    that it reads included; ``opaque`` says that something in it could not be looked into. ``nameless`` is a digest of
    the same in which ``start``, a plain function, counts by what it does and not by its name and module. The functions
    that it calls keep their names there: without them, two that have exchanged their bodies could not be told apart.
    """

    def __init__(self, start: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._start = start
        self._classes = part_classes(arguments)
        found: set[type] | None = None
        while found is None or not found <= self._classes:
            self._classes |= found or set()
            self.functions: dict[Any, str] = {}
            self.opaque = False
            self._pieces: set[str] = set()
            found = self._walk()
        self.digest = _digest_of(self._pieces | set(self.functions.values()))

    @property
    def nameless(self) -> str:
        """The digest that does not change when ``start`` is renamed or moved to another module."""
        own = self.functions[self._start].removeprefix(f"{_path(self._start)} ")
        others = {text for function, text in self.functions.items() if function is not self._start}
        return _digest_of(self._pieces | others | {own})

    def _walk(self) -> set[type]:
        """Go through everything; the NamedTuple classes that are met on the way."""
        met: set[type] = set()
        waiting: list[Any] = [self._start]
        seen: set[int] = set()
        while waiting:
            thing = waiting.pop()
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            thing = self._unwrapped(thing)
            if isinstance(thing, Verb):
                waiting += self._implementations(thing)
            elif isinstance(thing, FunctionType):
                named = _named(thing)
                self.functions[thing] = self._text(thing, named)
                waiting += named
            elif isinstance(thing, type):
                self._pieces.add(f"{thing.__module__}.{thing.__qualname__}{getattr(thing, '_fields', '')}")
                if hasattr(thing, "_fields"):
                    met.add(thing)
            elif isinstance(thing, tuple):
                met |= part_classes(thing)
        return met

    def _unwrapped(self, thing: Any) -> Any:
        """The function within what numba's decorators make of one; its options may change the code."""
        if not hasattr(thing, "py_func"):
            return thing
        self._pieces.add(repr(sorted(getattr(thing, "targetoptions", {}).items())))
        return thing.py_func

    def _implementations(self, verb: Verb[..., Any]) -> list[Any]:
        """Those of the classes; they must be for compilation, and still be those that numba has been given."""
        known = [each for each in self._classes if each in verb.implementations]
        for each in known:
            if each in verb.plain:
                raise PlainPython(f"`{verb.__name__}` of {each.__name__} is plain Python")
            if verb.given.get(each, verb.implementations[each]) is not verb.implementations[each]:
                raise changed(self._start)
        return [verb.implementations[each] for each in known] + [verb.default] * (verb.default is not None)

    def _text(self, function: FunctionType, named: list[Any]) -> str:
        values = [self._value(each) for each in named]
        constants = sorted(value for value in values if value)
        own = f"{_path(function)} {_code(function.__code__)}"
        return f"{own} {function.__defaults__!r} {function.__kwdefaults__!r} {constants}"

    def _value(self, thing: Any) -> str:
        """A constant as text; nothing for what is looked at elsewhere."""
        if isinstance(thing, Enum):
            return f"{type(thing).__qualname__}.{thing.name} = {thing.value!r}"
        if isinstance(thing, type) and issubclass(thing, Enum):
            return " ".join(self._value(member) for member in thing)
        if isinstance(thing, type):
            self.opaque |= not hasattr(thing, "_fields")
            return ""
        if isinstance(thing, Verb | FunctionType) or hasattr(thing, "py_func"):
            return ""
        if isinstance(thing, (tuple, *_PLAIN_VALUES)):
            return fingerprint(thing)
        self.opaque = True
        return type(thing).__qualname__


def closure_digest(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A digest of ``function`` and of all that it reaches when it is called with such ``arguments``.

    Raises :class:`~belated.core.errors.PlainPython` if that includes an implementation which is marked so.
    """
    return Closure(function, arguments).digest


def part_classes(value: Any) -> set[type]:
    """The classes of all NamedTuples within ``value``."""
    if not isinstance(value, tuple):
        return set()
    return {type(value)} - {tuple} | {each for item in value for each in part_classes(item)}


def changed(function: Callable[..., Any]) -> CannotCompile:
    """What is said of a function of which numba remembers another version: it never looks twice."""
    return CannotCompile(
        f"`{function.__name__}`: something that it uses has changed since it was compiled; define the classes of your "
        "own parts anew, or start a new process"
    )


def _digest_of(pieces: set[str]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for piece in sorted(pieces):
        digest.update(f"{len(piece)}:{piece}".encode(errors="backslashreplace"))
    return digest.hexdigest()


def _path(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _code(code: CodeType) -> str:
    constants = [_code(constant) if isinstance(constant, CodeType) else repr(constant) for constant in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames} {code.co_freevars}"


def _names(code: CodeType) -> set[str]:
    """The names that it uses, also within comprehensions and functions of its own."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


@cache
def _global_names(code: CodeType) -> frozenset[str]:
    """Those of them that are global: an attribute may be called like something global that it is not."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = (each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    return frozenset(own).union(*map(_global_names, inner))


def _named(function: FunctionType) -> list[Any]:
    """The values of the global names, of attributes of modules, and of the outer variables that a function uses."""
    names = sorted(_names(function.__code__))
    found = [
        function.__globals__[name] for name in sorted(_global_names(function.__code__) & function.__globals__.keys())
    ]
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
    return [value for value in values if not _is_stranger(value)]


def _is_stranger(value: Any) -> bool:
    known = isinstance(value, type | FunctionType | BuiltinFunctionType | np.ufunc)
    return known and str(getattr(value, "__module__", "numpy")).partition(".")[0] in _STRANGERS
