"""From a plain function to machine code: compiled once for each combination of types, and kept on disk.

``compiled(function, *arguments)`` gives the machine code of a function for arguments of these types. Four things make
it more than a decorator:

* *Fast.* Code is first compiled without numba's memory management, whose counting of references costs a short round
  more than its arithmetic. That works for all code that makes no arrays; what does make some is compiled again with it.
  The result is the bare entry point: it unpacks nested parts in a tenth of a microsecond, where a call through numba's
  dispatcher spends ten on looking at them. It must be given arguments of the very types that it was compiled for.
* *Vectorised.* Sums are written in interleaved parts (:mod:`belated.core.reductions`), which LLVM has to put side by
  side; that pass is on in every C compiler and off in numba, after errors of an LLVM of 2022. It is on here, and the
  suite compares compiled loops with plain ones bit for bit.
* *Kept.* numba's own disk cache looks at the file of the outermost function only, and would go on using old code after
  a change in any other. Here the key is a digest of everything that the code is made of
  (:mod:`belated.core.closures`), one file for each entry, so that processes that start together can only write the
  same thing. The place is numba's: ``NUMBA_CACHE_DIR``, else beside the source, else the user's cache directory. Where
  nothing can be written or what is there cannot be read, code is compiled as if there were no cache.
* *Optional.* Code that cannot be compiled raises :class:`~belated.core.errors.CannotCompile`; the same function then
  still runs as plain Python, slower, with the same results. So does everything where numba is switched off
  (``NUMBA_DISABLE_JIT``), cannot be imported, or lacks a name that is needed. What numba must have, and what is done
  without, is in :mod:`belated.core.numba_door`, which is the only file that knows it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from belated.core import numba_door
from belated.core.closures import Closure, changed, part_classes
from belated.core.errors import CannotCompile, PlainPython
from belated.core.waiting import wait_for

_REASONS = ("Unknown attribute", "Untyped global name", "No implementation of function Function(", "Use of ", "Cannot ")
"""How lines begin in which numba says what it does not know."""

_LIBRARY = __name__.partition(".")[0]


class _Outcome(NamedTuple):
    """What came of compiling: the code, and what keeps it alive, or why there is none."""

    digest: str
    code: Callable[..., Any] | None
    owner: Any
    lean: bool
    problem: str


_shown: dict[Any, str] = {}
"""Every function that numba has been given to compile, with the text of what it was then."""

_outcomes: dict[Any, _Outcome] = {}
"""By function and types of arguments, for as long as the process lives."""


def compiled(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Compile a function, or find the code that was compiled before, in this process or on disk.

    An interrupt leaves nothing half done: the code is there at the next call, or is compiled then.

    Args:
        function: A function that numba understands.
        arguments: Values of the types that it will be called with.

    Returns:
        The machine code, to be called with arguments of these very types.

    Raises:
        PlainPython: The code is plain Python on purpose, or numba is switched off by ``NUMBA_DISABLE_JIT``.
        CannotCompile: The code cannot be compiled, or something in it has changed since it was.
    """
    _check_switch(function)
    try:
        kinds = numba_door.kinds_of(arguments)
    except Exception as problem:  # numba has no type for one of them, or there is no numba
        _closure(function, arguments)  # has something to say first if all of it is meant to be plain Python
        raise CannotCompile(_told(function, problem)) from problem
    closure = _closure(function, arguments)

    def made() -> _Outcome:
        with numba_door.alone():
            _check_switch(function)
            outcome = _known(function, kinds, closure)  # another thread may have made it by now
            if outcome is None:
                keep = not closure.opaque and all(_importable(each) for each in part_classes(arguments))
                outcome = _outcomes[function, kinds] = _outcome(function, kinds, closure, keep)
            return outcome

    outcome = _known(function, kinds, closure) or wait_for(made)
    if outcome.digest != closure.digest:
        raise changed(function)
    if outcome.code is None:
        raise CannotCompile(outcome.problem)
    return outcome.code


def in_use() -> bool:
    """Whether this process has asked for machine code before, so that numba is loaded, if it can be."""
    return bool(_outcomes)


def _check_switch(function: Callable[..., Any]) -> None:
    if numba_door.switched_off():
        raise PlainPython(f"`{function.__name__}` is not compiled: the compiler is switched off by NUMBA_DISABLE_JIT")


def _known(function: Callable[..., Any], kinds: tuple[Any, ...], closure: Closure) -> _Outcome | None:
    """What came of compiling this before, unless it failed and something has changed since."""
    outcome = _outcomes.get((function, kinds))
    return None if outcome and outcome.code is None and outcome.digest != closure.digest else outcome


def layout(value: Any) -> Any:
    """What machine code takes for granted of an argument: kinds, dimensions and order of arrays, classes of parts."""
    if isinstance(value, np.ndarray):  # the most frequent: this is asked at the beginning of every run
        flags = value.flags
        return value.dtype, value.ndim, flags.c_contiguous, flags.aligned
    return (type(value), *map(layout, value)) if isinstance(value, tuple) else type(value)


def _closure(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Closure:
    try:
        return Closure(function, arguments)
    except CannotCompile:
        raise
    except Exception as problem:  # a stranger's repr, a variable that has no value yet
        raise CannotCompile(_told(function, problem)) from problem


def _importable(part_class: type) -> bool:
    """Whether another process finds the same class under its name: only then can it find code that was made for it."""
    if part_class.__module__ == "__main__":
        return False
    try:
        return attrgetter(part_class.__qualname__)(import_module(part_class.__module__)) is part_class
    except (ImportError, AttributeError):
        return False


def _outcome(function: Callable[..., Any], kinds: tuple[Any, ...], closure: Closure, keep: bool) -> _Outcome:
    digest, problem = closure.digest, ""
    ways = list(_ways(function, f"{function.__name__}-{digest}" if keep else None, closure))
    for way in ways:
        kept = way.loaded(kinds)
        if kept is not None:
            return _Outcome(digest, *kept, way.lean, "")
    # numba compiles every function once, with the constants that it then reads, and remembers it.
    if any(_shown.setdefault(each, text) != text for each, text in closure.functions.items()):
        raise changed(function)
    for way in ways:
        try:
            return _Outcome(digest, *way.compiled(kinds), way.lean, "")
        except Exception as error:  # numba raises errors of many kinds; that of a moment must not be remembered
            problem = _told(function, error, closure.functions)
            if way is ways[-1] and not numba_door.is_verdict(error):
                raise CannotCompile(problem) from error
    return _Outcome(digest, None, None, False, problem)


def _ways(function: Callable[..., Any], name: str | None, closure: Closure) -> Iterator[numba_door.Way]:
    """Without memory management if numba can do without, then with it.

    Where arrays are made, it cannot, and finds that out when all is nearly compiled: half of the time is saved by not
    trying. Functions that somebody has given to numba would be compiled without it as well. They would stay so for
    their owner, who may get arrays from them whose memory nobody keeps.
    """
    if not closure.shared and not closure.makes_arrays:
        with suppress(Exception):
            yield numba_door.Way(function, True, name)
    try:
        yield numba_door.Way(function, False, name)
    except Exception as problem:
        raise CannotCompile(_told(function, problem)) from problem


def _told(function: Callable[..., Any], problem: Exception, functions: Iterable[FunctionType] = ()) -> str:
    """Messages of numba run over pages; the reason is in the last of the lines that give one, then comes the place.

    A place in a file that is not the library's, as ``functions`` shows, says more.
    """
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    reasons = [line for line in lines if line.startswith(_REASONS)] or lines[:2] or [type(problem).__name__]
    ours = {each.__code__.co_filename for each in functions if each.__module__.partition(".")[0] == _LIBRARY}
    places = [line.rstrip(":") for line in lines if line.startswith("File ")]
    places = [place for place in places if not any(_is_in(place, file) for file in ours)] or places
    return f"`{function.__name__}` cannot be compiled: {' '.join([reasons[-1], *places[-1:]])}"


def _is_in(place: str, file: str) -> bool:
    """Whether ``File "...", line 3`` is in a file; numba has the way to it from where the process runs."""
    way = place.partition('"')[2].rpartition('"')[0].replace("\\", "/")
    while way.startswith("../"):
        way = way.removeprefix("../")
    return bool(way) and f"/{file}".replace("\\", "/").endswith(f"/{way.removeprefix('/')}")
