"""What the code of a function is, as text, and what the names in it stand for at this moment.

A name may be a global one, an outer variable, an attribute of a module or a default argument. Things of other packages
that do not change without a change of version, such as ``math.sqrt`` and ``numpy.exp``, are known by their names there.
"""

import builtins
import dis
import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from operator import attrgetter
from types import CodeType, FunctionType, ModuleType
from typing import Any

References = list[tuple[str, Any]]
"""Names, as the code uses them, with what they stand for."""

_STRANGERS = ("builtins", "math", "numpy", "scipy", "numba")
"""Packages whose functions and classes do not change without a change of version, which is noted elsewhere."""

_STANDARD = {"abc", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "numbers"}
_STANDARD |= {"pathlib", "random", "reprlib", "typing", "uuid"}
"""Modules of Python whose classes parts derive from or hold; they do not change without a change of its version."""

_DOORS = {name: getattr(builtins, name) for name in ("eval", "exec", "globals", "locals", "vars", "__import__")}
"""Functions through which code reaches what it does not name."""

_DOOR_ADDRESSES = {id(builtins), *map(id, _DOORS.values())}

_DOOR_NAMES = {"__builtins__", "__dict__", "__globals__", "__subclasses__"}
"""Attributes through which it does."""

_UFUNCS = ("numpy", "scipy.special")
"""Modules of functions that do not say where they come from."""

_FLAGS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE
"""Others say where the code stands, such as within another function."""


def references(function: FunctionType) -> References:
    """What every name in a function's code stands for, in an order that is the same in every process.

    Of a module, only the attributes count whose names occur in the code. A module that has two names is looked into
    under the first of them. ``NotImplemented`` stands for what cannot be looked into: an outer variable that has no
    value yet, a module that is imported within the function, unless it is known by its version, and whatever is read
    through ``globals()`` and the like. A name that is put together while the code runs is not seen, though:
    ``getattr(module, "rate" + suffix)``.
    """
    code, known = function.__code__, function.__globals__
    read, imported, doors = _named(code)
    places: dict[int, str] = {}
    found: References = [(name, known[name]) for name in read if name in known]
    found += zip((f"outer {name}" for name in code.co_freevars), _cells(function), strict=True)
    found += [(f"default {place}", value) for place, value in enumerate(function.__defaults__ or ())]
    found += [(f"default {name}", value) for name, value in sorted((function.__kwdefaults__ or {}).items())]
    found += [(f"import {name}", NotImplemented) for name in imported if not _is_strange(name) or name == "builtins"]
    found += [(f"through {name}", NotImplemented) for name in doors if name not in known or name in _DOOR_NAMES]
    for path, thing in found:  # grows meanwhile
        if isinstance(thing, ModuleType) and not public_name(thing) and id(thing) not in places:
            found += [(f"{path}.{name}", vars(thing)[name]) for name in sorted(names_in(code) & vars(thing).keys())]
        if isinstance(thing, ModuleType):
            places.setdefault(id(thing), path)
    return [(f"{path} = {places.get(id(thing), '')}", thing) for path, thing in found]


def public_name(thing: Any) -> str:
    """The name of something in a package that is known by its version; empty if it is not found under that name."""
    if isinstance(thing, ModuleType):
        name = thing.__name__
        return name if _is_strange(name) and _at(name) is thing else ""
    own = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    home = getattr(thing, "__module__", None) or getattr(getattr(thing, "__objclass__", None), "__module__", None)
    if isinstance(own, str):
        for module in (home,) if isinstance(home, str) else _UFUNCS:
            if _is_strange(module) and _at(module, own) is thing:
                return f"{module}.{own}"
    return ""


def is_door(thing: Any) -> bool:
    """Whether code that uses this may reach anything at all, so that its names do not tell what it does."""
    return id(thing) in _DOOR_ADDRESSES


def is_standard(module: Any) -> bool:
    """Whether classes and functions of a module are known by the version of Python."""
    return str(module).partition(".")[0] in _STANDARD


@cache
def code_text(code: CodeType) -> str:
    """All of a code that decides what it does, without names of files and numbers of lines."""
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _FLAGS
    variables = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    instructions = code.co_code.hex(), code.co_exceptiontable.hex()
    return f"{counts} {instructions} {_constant(code.co_consts)} {variables}"


@cache
def names_in(code: CodeType) -> frozenset[str]:
    """The names that it uses, also within functions of its own, and texts, since ``getattr`` takes a name as a text."""
    return frozenset(set(_texts(code.co_consts)).union(code.co_names, *map(names_in, _inner(code))))


@cache
def attributes_in(code: CodeType) -> frozenset[tuple[str, str]]:
    """The attributes of global names that it reads, such as ``("np", "empty")``, also within functions of its own."""
    found = {
        (one.argval, other.argval)
        for one, other in pairwise(_steps(code))
        if one.opname == "LOAD_GLOBAL" and other.opname in ("LOAD_ATTR", "LOAD_METHOD")
    }
    return frozenset(found.union(*map(attributes_in, _inner(code))))


def _texts(constants: Iterable[Any]) -> Iterator[str]:
    """The texts among constants, also within tuples and sets, which a loop may go through."""
    for each in constants:
        if isinstance(each, str):
            yield each
        elif isinstance(each, tuple | frozenset):
            yield from _texts(each)


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return code_text(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    if isinstance(value, frozenset):  # its order differs between processes
        return f"{{{', '.join(sorted(map(_constant, value)))}}}"
    return repr(value)


def _inner(code: CodeType) -> list[CodeType]:
    """The codes of comprehensions and functions within."""
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


@cache
def _named(code: CodeType) -> tuple[list[str], list[str], list[str]]:
    """The global names that it reads, the modules that are imported when it runs, and ways to what it does not name.

    All of that in functions of its own, too. Instructions tell names apart: an attribute may be called like something
    global that it is not.
    """
    inner = list(map(_named, _inner(code)))
    read = {name for names, _, _ in inner for name in names}
    imported = {module for _, modules, _ in inner for module in modules}
    steps = _steps(code)
    for place, each in enumerate(steps):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            read.add(each.argval)
        elif (
            each.opname == "IMPORT_NAME"
        ):  # after the number of dots in front of the name, and what is taken from there
            imported.add("." * steps[place - 2].argval + each.argval)
    doors = (read & _DOORS.keys()) | (names_in(code) & _DOOR_NAMES)
    return sorted(read), sorted(imported), sorted(doors)


def _steps(code: CodeType) -> list[dis.Instruction]:
    return [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it has no value yet
            yield NotImplemented


def _is_strange(module: str) -> bool:
    return module.partition(".")[0] in _STRANGERS


def _at(module: str, name: str = "") -> Any:
    """What is found under a name of a module, or the module itself; ``None`` if nothing is."""
    try:
        found = import_module(module)
        return attrgetter(name)(found) if name else found
    except (ImportError, AttributeError):
        return None
