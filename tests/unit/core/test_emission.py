"""Machine code is made of outermost functions only, and afterwards numba has everything that it would have had."""

import ctypes
import importlib
import itertools
import sys

import numba
import numpy as np
import pytest
from numba.core import codegen, config
from numba.core.environment import lookup_environment

from belated.core import emission, numba_door
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile
from support.compiler import needs_compiler

pytestmark = needs_compiler

SOURCE = """
import numba
from numba.extending import overload

from belated.core.verbs import compilable

@compilable
def checked(x):
    if x < 0.0:
        raise ValueError("below zero by", x)
    return x

@compilable
def root(x):
    return checked(x) ** 0.5

@numba.njit
def fallen(x):
    if x < 1.0:
        return 1.0
    return x * fallen(x - 1.0)

@numba.njit(cache=True)
def kept(x):
    return checked(x) + 1.0

def said(x):
    return x - 1.0

@overload(said, jit_options={"cache": True})
def said_for_compiler(x):
    return lambda x: x - 1.0

@numba.njit
def total(table):
    return table.copy().sum()

@numba.njit
def tail(table):
    return table[1:]

def built_on_arrays(table):
    return total(table) + tail(table)[0]

def built_on_kept(x):
    return 2.0 * kept(x)

def built_on_said(x):
    return 2.0 * said(x)

def twice(x):
    return 2.0 * root(x)

def factorial(x):
    return 2.0 * fallen(x)

def refused(x):
    return root(x) + len(str(type(x).__mro__))
"""

_numbers = itertools.count()


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A module whose functions nobody has compiled."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    numba_door.tell_all()
    name = f"emission_shop_{next(_numbers)}"
    (tmp_path / f"{name}.py").write_text(SOURCE)
    return __import__(name)


@pytest.fixture
def made(monkeypatch):
    """The functions that become machine code, in the order in which they do, as numba is told to."""
    names, make = [], codegen.JITCodeLibrary._finalize_final_module

    def watched(library):
        names.append(library.name)
        make(library)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_finalize_final_module", watched)
    return names


@pytest.fixture
def compiled_ones(monkeypatch):
    """Every library that has been let to wait."""
    libraries, wait = [], emission._Demand.wait

    def watched(self, library):
        libraries.append(library)
        wait(self, library)

    monkeypatch.setattr(emission._Demand, "wait", watched)
    return libraries


def environments_are_set(libraries):
    """Whether machine code finds the environment of every function, as it does where numba has made all of it."""
    for library in libraries:
        engine = library._codegen._engine
        for variable in library._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is None:
                continue
            if not engine.is_symbol_defined(variable.name):
                return False
            place = ctypes.c_void_p.from_address(engine.get_global_value_address(variable.name))
            if place.value != id(environment):
                return False
    return True


def test_only_the_outermost_function_becomes_machine_code(shop, made, compiled_ones):
    assert compiled(shop.twice, 9.0)(9.0) == 6.0
    assert [name for name in made if name != "nrt"] == ["twice"]  # numba's own runtime is made once in a process
    assert {"checked", "root", "twice"} <= {library.name for library in compiled_ones}
    assert environments_are_set(compiled_ones)


@pytest.mark.parametrize("name", ["JITCodeLibrary", "JITCPUCodegen", "lookup_environment"])
def test_without_a_name_of_numba_all_of_them_do(shop, made, name, monkeypatch):
    found = numba_door._found

    def without(module, sought):
        if sought == name:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return found(module, sought)

    monkeypatch.setattr(numba_door, "_found", without)
    assert compiled(shop.twice, 9.0)(9.0) == 6.0
    assert {"checked", "root", "twice"} <= set(made)


def test_an_error_of_an_inner_function_is_told_with_its_words(shop):
    with pytest.raises(ValueError, match="below zero") as told:
        compiled(shop.twice, 9.0)(-4.0)
    assert told.value.args == ("below zero by", -4.0)


def test_a_function_calls_the_copies_that_it_has_been_given(shop, compiled_ones):
    """And not what another process has called by the same name, whose code was read from disk."""
    compiled(shop.twice, 9.0)
    (outermost,) = [library for library in compiled_ones if library.name == "twice"]
    assert {function.linkage.name for function in outermost.get_defined_functions()} <= {"external", "internal"}


def test_code_of_others_may_come_from_disk_meanwhile(shop):
    assert shop.kept(8.0) == 9.0
    assert not shop.kept.stats.cache_hits
    again = importlib.reload(shop)
    assert compiled(again.built_on_kept, 8.0)(8.0) == 18.0
    assert again.kept.stats.cache_hits
    assert again.kept(7.0) == 8.0
    with pytest.raises(ValueError, match="below zero"):
        again.kept(-1.0)


def test_code_of_others_may_be_kept_on_disk_meanwhile(shop):
    assert compiled(shop.built_on_said, 8.0)(8.0) == 14.0


def test_functions_of_others_that_make_arrays_are_as_if_their_owner_had_called_them_first(shop):
    """With memory management: the owner gets arrays that keep the memory in which they lie."""
    table = np.arange(4.0)
    assert compiled(shop.built_on_arrays, table)(table) == 7.0
    assert shop.total(table) == 6.0
    before = sys.getrefcount(table)
    part = shop.tail(table)
    assert part.tolist() == [1.0, 2.0, 3.0]
    assert sys.getrefcount(table) == before + 1
    del part
    assert sys.getrefcount(table) == before


def test_a_function_that_calls_itself(shop):
    assert compiled(shop.factorial, 4.0)(4.0) == 48.0


def methods():
    return dict(vars(codegen.JITCodeLibrary)), dict(vars(codegen.JITCPUCodegen))


def test_somebody_elses_code_may_build_on_what_a_refused_function_has_left(shop, compiled_ones):
    before = methods()
    with pytest.raises(CannotCompile):
        compiled(shop.refused, 9.0)
    assert "root" in {library.name for library in compiled_ones}
    assert environments_are_set(compiled_ones)
    assert methods() == before, "numba is as it was"
    root = shop.root
    theirs = numba.njit(nogil=True, error_model="numpy")(lambda x: root(x) + 1.0)
    assert theirs(9.0) == 4.0
    with pytest.raises(ValueError, match="below zero") as told:
        theirs(-4.0)
    assert told.value.args == ("below zero by", -4.0)


# --- the tests above have power: each of these is a way in which code could be left behind


def never_settled(monkeypatch):
    monkeypatch.setattr(emission._Demand, "settle", lambda self: None)


def never_set(monkeypatch):
    monkeypatch.setattr(emission._Demand, "_environments", lambda self, library: {})


@pytest.mark.parametrize("mistake", [never_settled, never_set])
def test_environments_that_are_left_behind_would_be_noticed(shop, compiled_ones, mistake, monkeypatch):
    mistake(monkeypatch)
    with pytest.raises(CannotCompile):
        compiled(shop.refused, 9.0)
    assert not environments_are_set(compiled_ones)
