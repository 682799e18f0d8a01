"""What a function is made of, as a digest.

What a function does depends on its code, on everything that it calls, on the constants that these read, and, through
the verbs, on the classes of the parts that it is given. The digest covers all of that and nothing else: two functions
with the same digest do the same and compile to the same machine code, on any day and in any process. It is the key
under which compiled code is kept on disk, so a change of any line that matters finds no old code, and a change of a
line that does not matter finds its own. What cannot be looked into is ``opaque``: code that uses it is not kept.

Functions, verbs and classes are numbered in the order in which a walk from the start meets them, and each has a text
that says what every name in its code stands for: a value, the name of something in NumPy, or one of these numbers. So
names that have exchanged what they stand for are noticed, functions that call each other need no special care, and the
numbers are the same in every process, because the walk takes names in alphabetical order.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from belated.core.code_names import (
    References,
    attributes_in,
    code_text,
    is_door,
    is_standard,
    names_in,
    public_name,
    references,
)
from belated.core.contents import code_in, is_plain, is_table, is_wrapped_by_numba
from belated.core.errors import CannotCompile, PlainPython
from belated.core.members import is_special, members_of
from belated.core.parts import fingerprint
from belated.core.verbs import Verb

_LIBRARY = __name__.partition(".")[0]

_MAKE_ARRAYS = {"arange", "array", "empty", "empty_like", "full", "ones", "zeros", "zeros_like"}
"""Functions of NumPy that numba knows, and whose result takes new memory."""


class Closure:
    """All that ``start`` reaches when it is called with such ``arguments``.

    ``digest`` is that of the whole. ``opaque`` says that something in it could not be looked into, and ``shared`` that
    it calls functions which somebody has given to numba, and whose machine code they use, too.

    Args:
        start: A function or a verb.
        arguments: What it is called with. Only the classes of parts among them matter, and, in plain Python, functions
            and objects that parts hold, since these may be called.
        plain: Whether it runs as plain Python. Then methods of parts may be called, and those that have a name which
            occurs in the code, or that operators call, are part of the closure. What functions of this library use is
            not opaque then, and its classes are not looked into: whoever asks knows the library by its version.

    Raises:
        PlainPython: The closure includes an implementation which is marked so.
        CannotCompile: It includes an implementation of which numba remembers another version.
    """

    def __init__(self, start: Callable[..., Any], arguments: tuple[Any, ...], *, plain: bool = False) -> None:
        self._start = start
        self._plain = plain
        self._references: dict[FunctionType, References] = {}
        self._classes = _classes_in(arguments)
        self._names: set[str] = set()
        self.held = [each for each in code_in(arguments) if not self._is_known(each)] if plain else []
        complete = False
        while not complete:
            classes, names = len(self._classes), len(self._names)
            self.opaque = self.shared = False
            self._walk = _Walk(self, start)
            complete = len(self._names) == names and not self._would_add(list(self._classes)[classes:])
        self.digest = self._walk.digest(named=True)

    def _would_add(self, met: list[type]) -> bool:
        """Whether the walk would be another one if it had known from the start the classes that it has met.

        In machine code a class adds what verbs of the walk do for it, and most classes that are met have no verbs.
        """
        verbs = [each for each in self._walk.things if isinstance(each, Verb)]
        return any(self._plain or any(part_class in verb.implementations for verb in verbs) for part_class in met)

    @property
    def nameless(self) -> str:
        """The digest that does not change when functions are renamed or moved and what they do stays the same."""
        return self._walk.digest(named=False)

    @cached_property
    def functions(self) -> dict[FunctionType, str]:
        """Every function with a text of what it is itself and of what its names stand for, in this process."""
        alone = _Alone(self)
        return {each: alone.text(each) for each in self._walk.things if _is_function(each)}

    @property
    def makes_arrays(self) -> bool:
        """Whether a function in it calls one of NumPy's that make arrays, as ``np.empty(3)`` does."""
        return any(
            attribute in _MAKE_ARRAYS and function.__globals__.get(name) is np
            for function in self._references
            for name, attribute in attributes_in(function.__code__)
        )

    def references(self, function: FunctionType) -> References:
        """What the names in the code of ``function`` stand for; found out once."""
        if function not in self._references:
            self._references[function] = references(function)
            self._names |= names_in(function.__code__) if self._plain else set()
        return self._references[function]

    def used(self, function: FunctionType) -> References:
        """The same with what the function carries under names that may be read: ``function.limit = 3``."""
        found = self.references(function)
        if not vars(function):
            return found
        read = self._names if self._plain else {name for name in vars(function) if not is_special(name)}
        return [*found, *((f"attribute {name}", vars(function)[name]) for name in sorted(vars(function).keys() & read))]

    def meet(self, part_class: type) -> None:
        """Take note of the class of a part."""
        self._classes.setdefault(part_class)

    def implementations(self, verb: Verb[..., Any]) -> Iterator[tuple[type, Any]]:
        """Those of the classes; they must be for compilation, and still be those that numba has been given."""
        for each in [known for known in self._classes if known in verb.implementations]:
            if each in verb.plain:
                raise PlainPython(f"`{verb.__name__}` of {each.__name__} is plain Python")
            if verb.given.get(each, verb.implementations[each]) is not verb.implementations[each]:
                raise changed(self._start)
            yield each, verb.implementations[each]

    def members(self, owner: type) -> Iterator[tuple[str, Any]]:
        """What of a class, and of those that it derives from, may be used by the code.

        That is what has a name which occurs in the code, and every method that Python calls without its name, such as
        ``__mul__``.
        """
        if self._plain and (hasattr(owner, "_fields") or issubclass(owner, Enum) or self.holds(owner)):
            for place, base in enumerate(base for base in owner.__mro__ if not self._is_known(base)):
                yield from ((f"{place} {name}", member) for name, member in members_of(base, self._names))

    def holds(self, thing: Any) -> bool:
        """Whether a class is one of an object among the arguments."""
        return any(thing is each for each in self.held)

    def classes_with_methods(self) -> list[type]:
        """The classes whose methods may be called without a verb: all of them in plain Python, none in machine code."""
        return list(self._classes) if self._plain else []

    def trusts(self, thing: Any) -> bool:
        """Whether a function or class need not be looked into, because it is the library's."""
        return self._plain and str(thing.__module__).partition(".")[0] == _LIBRARY

    def _is_known(self, thing: Any) -> bool:
        """Whether it is a class that need not be looked into."""
        return isinstance(thing, type) and bool(
            self.trusts(thing) or is_standard(thing.__module__) or public_name(thing)
        )


class _Texts(ABC):
    """Texts of functions, verbs and classes, each of which says what the names in its code stand for."""

    def __init__(self, closure: Closure) -> None:
        self._closure = closure

    @abstractmethod
    def mention(self, thing: Any) -> str:
        """What stands for a function, a verb or a class where it is used."""

    def text(self, thing: Any) -> str:
        """What a function, a verb or a class is itself."""
        if isinstance(thing, Verb):
            chosen = [(self.meaning(each), self.meaning(found)) for each, found in self._closure.implementations(thing)]
            return f"{chosen} {self.meaning(thing.default)}"
        if isinstance(thing, FunctionType):
            trusted = self._closure.trusts(thing)
            used = [(name, self.meaning(value, trusted)) for name, value in self._closure.used(thing)]
            return f"{code_text(thing.__code__)} {used}"
        fields, members = getattr(thing, "_fields", ""), self._closure.members(thing)
        values = [(each.name, self.meaning(each.value)) for each in thing] if issubclass(thing, Enum) else ""
        return f"{fields} {values} {[(name, self.meaning(value)) for name, value in members]}"

    def meaning(self, thing: Any, trusted: bool = False) -> str:
        """What a name stands for: a value, or the mention of something that has a text of its own."""
        if isinstance(thing, Enum):
            return f"{self.meaning(type(thing))}.{thing.name}"
        if is_plain(thing) or is_table(thing):
            return fingerprint(thing)
        if isinstance(thing, tuple):
            return f"{self.meaning(type(thing))}({', '.join(self.meaning(each, trusted) for each in thing)})"
        if isinstance(thing, ModuleType):
            self._closure.opaque |= is_door(thing) and not trusted
            return f"module {public_name(thing)}"
        if is_wrapped_by_numba(thing):  # by a decorator, whose options may change the code
            self._closure.shared = True
            options = sorted(getattr(thing, "targetoptions", {}).items())
            return f"{options} {self.meaning(thing.py_func)}"
        name = public_name(thing)
        if name:
            self._closure.opaque |= is_door(thing) and not trusted
            return name
        if isinstance(thing, type):
            known = hasattr(thing, "_fields") or issubclass(thing, Enum) or self._closure.holds(thing)
            self._closure.opaque |= not (known or trusted or self._closure.trusts(thing))
            if hasattr(thing, "_fields"):
                self._closure.meet(thing)
        elif not isinstance(thing, FunctionType):
            self._closure.opaque |= not trusted
            return type(thing).__qualname__
        return self.mention(thing)


class _Walk(_Texts):
    """All that is reached from a start, in the order in which it is met, and mentioned by its number in that order."""

    def __init__(self, closure: Closure, start: Any) -> None:
        super().__init__(closure)
        self.things: list[Any] = []
        self._places: dict[int, int] = {}
        self._texts = [self.meaning(each) for each in (start, *closure.classes_with_methods(), *closure.held)]
        for thing in self.things:  # grows meanwhile
            self._texts.append(self.text(thing))

    def mention(self, thing: Any) -> str:
        place = self._places.setdefault(id(thing), len(self.things))
        if place == len(self.things):
            self.things.append(thing)
        return f"#{place}"

    def digest(self, *, named: bool) -> str:
        """That of all texts; without the names of functions, if these are not to count."""
        paths = ["" if _is_function(each) and not named else _path(each) for each in self.things]
        digest = hashlib.blake2b(digest_size=16)
        for text in (*self._texts, *paths):
            digest.update(f"{len(text)}:{text}".encode(errors="backslashreplace"))
        return digest.hexdigest()


class _Alone(_Texts):
    """Texts that can be compared within a process, whatever else has been reached.

    A function that has no values of its own is mentioned by its code, so that it may be defined anew. Anything else is
    mentioned by its identity, which is not used again: who keeps these texts keeps the functions, too.
    """

    def mention(self, thing: Any) -> str:
        if _is_function(thing) and not (thing.__closure__ or thing.__defaults__ or thing.__kwdefaults__):
            return f"{_path(thing)} {code_text(thing.__code__)}"
        return f"{_path(thing)} {id(thing)}"


def _is_function(thing: Any) -> bool:
    """Whether it is a function, and no verb, which is what has been registered on it."""
    return isinstance(thing, FunctionType) and not isinstance(thing, Verb)


def closure_digest(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A digest of ``function`` and of all that it reaches when it is called with such ``arguments``.

    Raises :class:`~belated.core.errors.PlainPython` if that includes an implementation which is marked so.
    """
    return Closure(function, arguments).digest


def part_classes(value: Any) -> set[type]:
    """The classes of all NamedTuples within ``value``."""
    return set(_classes_in(value))


def changed(function: Callable[..., Any]) -> CannotCompile:
    """What is said of a function of which numba remembers another version: it never looks twice."""
    return CannotCompile(
        f"`{function.__name__}`: something that it uses has changed since it was compiled; define the classes of your "
        "own parts anew, or start a new process"
    )


def _classes_in(value: Any) -> dict[type, None]:
    """The classes of all NamedTuples within ``value``, in the order in which they are met."""
    found: dict[type, None] = {}
    if isinstance(value, tuple):
        found = {} if type(value) is tuple else {type(value): None}
        for item in value:
            found |= _classes_in(item)
    return found


def _path(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
