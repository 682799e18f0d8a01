"""The one door to numba: every name of numba that the library uses, and what happens where one is missing.

numba promises hardly any of these names to anybody. So each is looked up at the moment when it is needed, and where a
version of numba does not have it, the library does with less. No bit of any result depends on how much is there.

==================================================  ================================================================
what is missing                                     what is done instead
==================================================  ================================================================
numba's disk cache, ``loads``, the setting ``OPT``  nothing is kept on disk
the option ``_nrt``                                 code is compiled with numba's memory management
the setting ``SLP_VECTORIZE``, the compiler's lock  sums are not put side by side
the option ``forceinline``                          LLVM decides by itself which calls to replace by what they call
the option ``no_cfunc_wrapper``                     compiling takes a little longer
how code and its environments are kept              compiling takes longer (:mod:`belated.core.emission`)
what LLVM knows of the processor                    losses are drawn by NumPy alone
how arguments are read, the types of generators     code that draws random numbers runs as plain Python
anything else, or numba itself                      everything runs as plain Python, and long simulations say so
the compiler, by ``NUMBA_DISABLE_JIT``              everything runs as plain Python, as was asked for
==================================================  ================================================================
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from hashlib import blake2b
from importlib import import_module
from typing import Any

from belated.core.waiting import is_loaded, wait_for

Code = Callable[..., Any]

_lessons: list[tuple[Callable[..., Any], Callable[..., Any]]] = []
"""What the compiler has yet to be told. To load it takes half a second, and much is done without it."""


_loaded = False


def _found(module: str, name: str) -> Any:
    """Look up a name of numba; raises whatever importing the module and reading the name raise.

    An import of numba that Ctrl-C stops half-way cannot be repeated in the same process: some of numba's modules are
    left, and take for granted that the others are there. So the first import is work that is waited for: whoever waits
    is interrupted at once, and the import goes on to its end. Who asks meanwhile waits for it.
    """
    global _loaded
    if not _loaded:
        wait_for(partial(import_module, "numba"))
        _loaded = True
    return getattr(import_module(module), name)


def teach(function: Callable[..., Any], implementation_for: Callable[..., Any]) -> None:
    """Tell the compiler how ``function`` is compiled: at once if numba is loaded, else when something is compiled.

    That may also be somebody's own code: numba calls :func:`tell_all` before it compiles anything, since this package
    names it in its entry points.

    Args:
        function: What code that is compiled calls.
        implementation_for: Given the types of its arguments, returns what to compile in its place, or ``None``.
    """
    if is_loaded("numba"):
        with suppress(Exception):  # which is told when something is to be compiled
            _register(function, implementation_for)
            return
    _lessons.append((function, implementation_for))


def _register(function: Callable[..., Any], implementation_for: Callable[..., Any]) -> None:
    overload = _found("numba.extending", "overload")
    overload(function, jit_options=_inlined(), strict=False)(implementation_for)


def tell_all() -> None:
    """Tell the compiler all that it has yet to be told; raises whatever keeps it from listening, now and next time."""
    if not _lessons:  # the lock is left alone: an interrupt while it is taken may leave it taken for good
        return
    with _lock() or nullcontext():
        while _lessons:
            _register(*_lessons[0])
            del _lessons[0]


def _inlined() -> dict[str, bool]:
    """The options for code that should not be called but copied: a call costs as much as the few operations inside.

    No wrapper is made by which C code could call it. Nobody does, and making it takes a tenth of the compiler's time.
    Where nothing is to be optimised (``NUMBA_OPT=0``), calls are calls, which takes a tenth less, too.
    """
    try:
        options = _found("numba.core.cpu", "CPUTargetOptions")
        wanted = ["no_cfunc_wrapper", *["forceinline"] * (_optimised() != "O0")]
    except Exception:
        return {}
    return {name: True for name in wanted if hasattr(options, name)}


def class_of(kind: Any) -> type:
    """The NamedTuple class that a type of numba stands for; that of ``None`` for any other type."""
    found: type = getattr(kind, "instance_class", type(None))
    return found


def is_array(kind: Any) -> bool:
    """Whether a type of numba is that of arrays."""
    return isinstance(kind, _found("numba.core.types", "Array"))


def is_whole(kind: Any) -> bool:
    """Whether a type of numba is that of whole numbers."""
    return isinstance(kind, _found("numba.core.types", "Integer"))


def switched_off() -> bool:
    """Whether numba was told not to compile, as by ``NUMBA_DISABLE_JIT=1`` in the environment."""
    try:
        return bool(_found("numba.core.config", "DISABLE_JIT"))
    except Exception:
        return False


def has_wide_vectors() -> bool:
    """Whether the processor is known to work on four or more numbers of 64 bits at once, as those with AVX2 do."""
    try:
        return bool(_found("llvmlite.binding", "get_host_cpu_features")().get("avx2", False))
    except Exception:
        return False


def kinds_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that numba has for ``arguments``; raises whatever keeps numba from having them."""
    tell_all()
    return tuple(map(_found("numba", "typeof"), arguments))


def is_verdict(problem: Exception) -> bool:
    """Whether numba has understood the code and refuses it, so that there is no use in trying again."""
    try:
        return isinstance(problem, _found("numba.core.errors", "NumbaError"))
    except Exception:
        return True


@contextmanager
def alone() -> Iterator[None]:
    """A context in which no other thread compiles, and in which numba has read its settings from the environment."""
    with _lock() or nullcontext():
        with suppress(Exception):
            _found("numba.core.config", "reload_config")()
        yield


def _lock() -> Any:
    try:
        return _found("numba.core.compiler_lock", "global_compiler_lock")
    except Exception:
        return None


@contextmanager
def _vectorised() -> Iterator[None]:
    """Within it sums are put side by side. Without the lock that would also change what others compile."""
    try:
        settings = vars(_found("numba.core", "config")) if _lock() else {}
        before = settings["SLP_VECTORIZE"]
    except Exception:
        yield
        return
    try:
        settings["SLP_VECTORIZE"] = 1
        yield
    finally:
        settings["SLP_VECTORIZE"] = before


@contextmanager
def _generators_read_in_c(kinds: tuple[Any, ...]) -> Iterator[None]:
    """Within it, code that is compiled takes generators of random numbers apart without running any Python.

    What numba makes for it calls functions of ctypes. Where the handler of a signal raises in one of these, as that of
    Ctrl-C does, numba goes on with a null pointer, and the process dies. It also takes a reference to the generator,
    which lean code never gives back.

    Args:
        kinds: The types of the arguments. Without a generator among them nothing is changed.
    """
    generator = next((type(kind) for kind in kinds if type(kind).__name__ == "NumPyRandomGeneratorType"), None)
    if generator is None:
        yield
        return
    if _lock() is None:
        raise AttributeError("without its lock, numba cannot be told for a moment how to take a generator apart")
    import_module("numba.core.boxing")  # which enters numba's own readers into the table
    readers = _found("numba.core.pythonapi", "_unboxers").functions
    before = readers[generator]
    try:
        readers[generator] = _read_generator
        yield
    finally:
        readers[generator] = before


def _read_generator(kind: Any, generator: Any, context: Any) -> Any:
    """Write code that reads what numba needs of a NumPy generator from the C structure behind it, ``bitgen_t``.

    NumPy promises this structure and the capsule that has its address (``numpy/random/bitgen.h``). To get there is to
    read two attributes, which is done in C, where no handler of a signal is run. The caller of the compiled code keeps
    the generator alive.

    Args:
        kind: The type of generators.
        generator: The place of the argument in the code.
        context: What numba has for writing code that reads an argument.

    Returns:
        The places of the value, and of the flag that says that reading it has failed.
    """
    tools, ir = import_module("numba.core.cgutils"), import_module("llvmlite.ir")
    builder, python = context.builder, context.pyapi
    failed = tools.alloca_once_value(builder, tools.true_bit)
    value = tools.create_struct_proxy(kind)(context.context, builder)
    bits = tools.create_struct_proxy(_found("numba.core.types", "NumPyRandomBitGeneratorType")("bit_generator"))(
        context.context, builder
    )
    get_pointer = tools.get_or_insert_function(
        builder.module, ir.FunctionType(tools.voidptr_t, [tools.voidptr_t] * 2), "PyCapsule_GetPointer"
    )
    owner = python.object_getattr_string(generator, "bit_generator")
    with tools.if_likely(builder, tools.is_not_null(builder, owner)):
        capsule = python.object_getattr_string(owner, "capsule")
        with tools.if_likely(builder, tools.is_not_null(builder, capsule)):
            name = context.context.insert_const_string(builder.module, "BitGenerator")
            structure = builder.call(get_pointer, [capsule, name])
            with tools.if_likely(builder, tools.is_not_null(builder, structure)):
                word = ir.IntType(tools.intp_t.width)
                words = builder.bitcast(structure, word.as_pointer())
                bits.parent = owner
                names = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
                for at, field in enumerate(names):
                    setattr(bits, field, builder.load(builder.gep(words, [word(at)])))
                bits.state_address = bits.state
                value.bit_generator, value.parent = bits._getvalue(), generator
                builder.store(tools.false_bit, failed)
            python.decref(capsule)
        python.decref(owner)
    return _found("numba.extending", "NativeValue")(value._getvalue(), is_error=builder.load(failed))


def _optimised() -> str:
    """How far LLVM optimises, by ``NUMBA_OPT``: a long run must not find code that was compiled to be tried once."""
    return f"O{int(_found('numba.core.config', 'OPT'))}"


class Way:
    """One of the ways to compile a function.

    Args:
        function: What to compile.
        lean: Whether to do without numba's memory management.
        name: The name under which code is kept on disk; ``None`` to keep nothing.
    """

    def __init__(self, function: Callable[..., Any], lean: bool, name: str | None) -> None:
        self.lean = lean
        options: dict[str, Any] = {"_nrt": False} if lean else {}
        self._dispatcher = _found("numba", "njit")(nogil=True, error_model="numpy", **options)(function)
        self._files: Any = None
        if name is not None:
            with suppress(Exception):  # no place to write to, no file that the function comes from, or no such cache
                way = f"{'lean' if lean else 'managed'}-vectorised-interruptible-{_optimised()}"
                self._files = _own_files()(function, f"{name}-{way}")
                self._dispatcher._cache = self._files

    def loaded(self, kinds: tuple[Any, ...]) -> tuple[Code, Any] | None:
        """The code that is on disk for arguments of these types, and what keeps it alive."""
        try:
            kept = self._files and self._files.load_overload(kinds, self._dispatcher.targetctx)
            return (kept.entry_point, kept) if kept is not None else None
        except Exception:  # what cannot be loaded can be compiled
            return None

    def compiled(self, kinds: tuple[Any, ...]) -> tuple[Code, Any]:
        """The code for arguments of these types, and what keeps it alive. To be called within :func:`alone`."""
        from belated.core.emission import on_demand  # which asks this file for names

        with _vectorised(), _generators_read_in_c(kinds), on_demand() if _lock() else nullcontext():
            return self._dispatcher.compile(kinds), self._dispatcher


_CALLED_BY_ADDRESS = ".numba.unresolved$"
"""How numba names addresses by which functions call each other in a circle. Code that is read back lacks them."""


@cache
def _own_files() -> Any:
    """A class: numba's cache with a file for every name, sealed by a digest of the code; a cache that fails is none."""
    loads = _found("numba.cloudpickle", "loads")  # the format of numba's own cache files, and of nothing of ours
    index_and_data: Any = _found("numba.core.caching", "IndexDataCacheFile")
    function_cache: Any = _found("numba.core.caching", "FunctionCache")

    class Sealed(index_and_data):  # type: ignore[misc]  # known when it is looked up
        """What a disk has damaged must not be run."""

        def _save_data(self, name: str, data: Any) -> None:
            content = self._dump(data)
            super()._save_data(name, (_seal(content), content))

        def _load_data(self, name: str) -> Any:
            seal, content = super()._load_data(name)
            if seal != _seal(content):
                raise OSError(f"{name} is damaged")
            return loads(content)

    class OwnFiles(function_cache):  # type: ignore[misc]  # known when it is looked up
        def __init__(self, function: Callable[..., Any], name: str) -> None:
            super().__init__(function)
            self._cache_file = Sealed(self._cache_path, name, source_stamp="")

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                kept = super().load_overload(sig, target_context)
            except Exception:  # a damaged file can raise anything; without it, what comes now can be kept
                with suppress(Exception):
                    self.flush()
                return None
            # Two processes that save at once may leave an index and code that do not belong together.
            return kept if kept is not None and kept.signature.args == sig else None

        def save_overload(self, sig: Any, data: Any) -> None:
            with suppress(Exception):  # a full disk, a directory that was removed
                names = [variable.name for variable in data.library._final_module.global_variables]
                if not any(name.startswith(_CALLED_BY_ADDRESS) for name in names):
                    super().save_overload(sig, data)

    return OwnFiles


def _seal(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def keep_out() -> None:
    """Keep all other threads out of LLVM from now on, after a thread that is in there has come out.

    A process must not end while a thread is in LLVM: what that works on is taken away, or Python ends the thread in the
    midst of it, and either may crash.
    """
    with suppress(Exception):
        import_module("llvmlite.binding.ffi").lib._lock.__enter__()
