"""Machine code for those functions only whose address somebody asks for.

numba makes machine code of every function as soon as it is compiled. Those of this library are small and call each
other: a simulator's loop has more than a hundred. They are copied into the loop before machine code is made of it, and
nobody ever calls one of them by itself, so that their own machine code is never run. To optimise them and to make it
takes a third of the compiler's time.

So while this library compiles, a function that is compiled waits. It is optimised and made into machine code when its
address is asked for, which numba does for the outermost function, and for none that is only called from compiled code.
Afterwards everything that others may build upon is as numba leaves it: a function has an *environment*, the objects of
Python that it uses, and machine code reads the place of that from a variable. The variable is set as soon as there is
machine code that has it.

The names of numba are looked up through :mod:`belated.core.numba_door`. Where one is missing, numba does as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from belated.core import numba_door


@contextmanager
def on_demand() -> Iterator[None]:
    """A context in which machine code is made on demand. The caller has the compiler's lock."""
    try:
        libraries = numba_door._found("numba.core.codegen", "JITCodeLibrary")
        generators = numba_door._found("numba.core.codegen", "JITCPUCodegen")
        demand = _Demand(libraries, generators, numba_door._found("numba.core.environment", "lookup_environment"))
    except Exception:  # whatever keeps numba from having one of these names
        yield
        return
    for_libraries = {
        "_optimize_final_module": lambda library: None,
        "_finalize_final_module": lambda library: demand.wait(library),
        "get_pointer_to_function": lambda library, name: demand.address(library, name),
        "_get_compiled_object": lambda library: demand.machine_code(library),
    }
    for_generators = {"set_env": lambda generator, name, environment: demand.set_if_there(generator, name, environment)}
    try:
        with _replaced(libraries, for_libraries), _replaced(generators, for_generators):
            yield
    finally:
        demand.settle()


@contextmanager
def _replaced(owner: type, methods: dict[str, Any]) -> Iterator[None]:
    """Within it a class has other methods. What it has inherited before, it inherits afterwards."""
    before = {name: vars(owner)[name] for name in methods if name in vars(owner)}
    try:
        for name, method in methods.items():
            setattr(owner, name, method)
        yield
    finally:
        for name in methods:
            delattr(owner, name)
        for name, method in before.items():
            setattr(owner, name, method)


class _Demand:
    """What waits to be made into machine code, and the methods of numba that do it."""

    def __init__(self, libraries: Any, generators: Any, environment_of: Any) -> None:
        self.optimise = libraries._optimize_final_module
        self.make = libraries._finalize_final_module
        self.find = libraries.get_pointer_to_function
        self.read = libraries._get_compiled_object
        self.set = generators.set_env
        self._environment_of = environment_of
        self._waiting: dict[Any, None] = {}

    def wait(self, library: Any) -> None:
        """Take a library of one function and what that calls, which is complete, in place of making machine code.

        One that comes from a cache on disk has its machine code already, which is to be put into its place.
        """
        if library._object_caching_enabled and library._compiled_object is not None:
            self.make(library)
            return
        library._finalized = True  # so that others may copy what is in it
        self._waiting[library] = None

    def address(self, library: Any, name: str) -> int:
        """The address of a function of the library; 0 if it has none of that name."""
        library._ensure_finalized()  # copies what it calls into it, and lets it wait
        if library in self._waiting and _has(library._final_module, name):
            self._make_now(library)
        address: int = self.find(library, name)
        return address

    def machine_code(self, library: Any) -> bytes:
        """The machine code, for somebody who keeps it on disk."""
        if library in self._waiting:
            self._make_now(library)
        code: bytes = self.read(library)
        return code

    def set_if_there(self, generator: Any, name: str, environment: Any) -> None:
        """Set the variable of an environment, if there is machine code that has it."""
        if generator._engine.is_symbol_defined(name):
            self.set(generator, name, environment)

    def settle(self) -> None:
        """Make machine code of what no other has copied: after an error, or where a call was looked at and not made."""
        for library in list(self._waiting):
            engine = library._codegen._engine
            if not all(engine.is_symbol_defined(name) for name in self._environments(library)):
                with suppress(Exception):  # what is wrong with it was told when it was compiled
                    self._make_now(library)

    def _make_now(self, library: Any) -> None:
        del self._waiting[library]
        _keep_inside(library._final_module)
        self.optimise(library)
        self.make(library)
        for name, environment in self._environments(library).items():
            self.set_if_there(library._codegen, name, environment)

    def _environments(self, library: Any) -> dict[str, Any]:
        """The environments of all functions that are in the library, by the names of their variables."""
        names = [variable.name for variable in library._final_module.global_variables]
        found = {name: self._environment_of(name) for name in names}
        return {name: environment for name, environment in found.items() if environment is not None}


def _has(module: Any, name: str) -> bool:
    """Whether a function of that name is written in the module, and not only called."""
    try:
        return not module.get_function(name).is_declaration
    except NameError:
        return False


def _keep_inside(module: Any) -> None:
    """Let a function call the copies that it has been given, and not what has the same name elsewhere.

    The names have numbers that another process gives to other functions, and its code may have been read from disk.
    """
    for function in module.functions:
        if not function.is_declaration and function.linkage.name == "linkonce_odr":
            function.linkage = "internal"
