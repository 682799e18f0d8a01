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
  (:mod:`belated.core.closures`), one entry a file, so that processes that start together can only write the same
  thing. The place is numba's: ``NUMBA_CACHE_DIR``, else beside the source, else the user's cache directory. Where
  nothing can be written or what is there cannot be read, code is compiled as if there were no cache.
* *Optional.* Code that cannot be compiled raises :class:`~belated.core.errors.CannotCompile`; the same function then
  still runs as plain Python, slower, with the same results.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numba import config, njit, typeof
from numba.cloudpickle import loads  # the format of numba's own cache files, and of nothing of ours
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError

from belated.core.closures import Closure, changed, part_classes
from belated.core.errors import CannotCompile

_REASONS = ("Unknown attribute", "Untyped global name", "No implementation of function Function(", "Use of ", "Cannot ")
"""How lines begin in which numba says what it does not know."""


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
    """The machine code of ``function`` for arguments of the types that ``arguments`` have."""
    try:
        types = tuple(typeof(argument) for argument in arguments)
    except ValueError as problem:  # numba has no type for one of them
        _closure(function, arguments)  # has something to say first if all of it is meant to be plain Python
        raise CannotCompile(_told(function, problem)) from problem
    closure = _closure(function, arguments)
    outcome = _outcomes.get((function, types))
    if outcome is None or (outcome.code is None and outcome.digest != closure.digest):
        keep = not closure.opaque and all(_importable(each) for each in part_classes(arguments))
        outcome = _outcome(function, types, closure, keep)
        _outcomes[function, types] = outcome
    if outcome.digest != closure.digest:
        raise changed(function)
    if outcome.code is None:
        raise CannotCompile(outcome.problem)
    return outcome.code


def layout(value: Any) -> Any:
    """What machine code takes for granted of an argument: kinds, dimensions and order of arrays, classes of parts."""
    if isinstance(value, tuple):
        return type(value), *map(layout, value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.ndim, value.flags.c_contiguous, value.flags.aligned
    return type(value)


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


def _outcome(function: Callable[..., Any], types: tuple[Any, ...], closure: Closure, keep: bool) -> _Outcome:
    digest = closure.digest
    dispatchers = {lean: _dispatcher(function, digest, lean, keep) for lean in (True, False)}
    for lean, dispatcher in dispatchers.items():
        kept = dispatcher._cache.load_overload(types, dispatcher.targetctx)
        if kept is not None:
            return _Outcome(digest, kept.entry_point, kept, lean, "")
    # numba compiles every function once, with the constants that it then reads, and remembers it.
    if any(_shown.setdefault(each, text) != text for each, text in closure.functions.items()):
        raise changed(function)
    problem = ""
    for lean, dispatcher in dispatchers.items():
        try:
            with _vectorised():
                return _Outcome(digest, dispatcher.compile(types), dispatcher, lean, "")
        except NumbaError as error:
            problem = _told(function, error)
        except Exception as error:  # numba raises errors of many kinds; that of a moment must not be remembered
            raise CannotCompile(_told(function, error)) from error
    return _Outcome(digest, None, None, False, problem)


@contextmanager
def _vectorised() -> Iterator[None]:
    """What numba compiles meanwhile is vectorised; nothing else is compiled meanwhile."""
    with global_compiler_lock:
        config.reload_config()  # or the compiler does, where the environment has changed, and forgets what is set here
        before = vars(config)["SLP_VECTORIZE"]
        try:
            vars(config)["SLP_VECTORIZE"] = 1
            yield
        finally:
            vars(config)["SLP_VECTORIZE"] = before


def _dispatcher(function: Callable[..., Any], digest: str, lean: bool, keep: bool) -> Any:
    options: dict[str, Any] = {"_nrt": False} if lean else {}
    dispatcher: Any = njit(nogil=True, error_model="numpy", **options)(function)
    if not keep:
        return dispatcher
    try:
        way = "lean" if lean else "managed"
        dispatcher._cache = _OwnFile(function, f"{function.__name__}-{digest}-{way}-vectorised")
    except Exception:  # numba finds no place to write to, or no file that the function comes from
        dispatcher._cache = NullCache()
    return dispatcher


def _told(function: Callable[..., Any], problem: Exception) -> str:
    """Messages of numba run over pages; the reason is in the last of the lines that give one, then comes the place."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    reasons = [line for line in lines if line.startswith(_REASONS)] or lines[:2] or [type(problem).__name__]
    places = [line.rstrip(":") for line in lines if line.startswith("File ")]
    places = [place for place in places if "belated" not in place] or places
    return f"`{function.__name__}` cannot be compiled: {' '.join([reasons[-1], *places[-1:]])}"


class _Sealed(IndexDataCacheFile):
    """numba's files, with a digest of the code in them: what a disk has damaged must not be run."""

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)  # type: ignore[no-untyped-call]  # as numba is
        super()._save_data(name, (_seal(content), content))  # type: ignore[no-untyped-call]  # as numba is

    def _load_data(self, name: str) -> Any:
        seal, content = super()._load_data(name)  # type: ignore[no-untyped-call]  # as numba is
        if seal != _seal(content):
            raise OSError(f"{name} is damaged")
        return loads(content)


def _seal(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


class _OwnFile(FunctionCache):
    """numba's cache with a file for every digest; a cache that fails is no cache."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]  # as numba is
        self._cache_file = _Sealed(self._cache_path, name, source_stamp="")  # type: ignore[no-untyped-call]  # as numba is

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            kept = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]  # as numba is
        except Exception:  # a damaged file can raise anything; without it, what comes now can be kept
            with suppress(Exception):
                self.flush()  # type: ignore[no-untyped-call]  # as numba is
            return None
        # Two processes that save at once may leave an index and code that do not belong together.
        return kept if kept is not None and kept.signature.args == sig else None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(Exception):  # a full disk, a directory that was removed
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]  # as numba is
