"""The door to numba: if a name of numba is missing, the library works without it and gives the same bits."""

import inspect
import itertools
import json
import os
import signal
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import config, cpu
from numba.core.dispatcher import Dispatcher

import belated as bl
from belated.core import compiling, numba_door
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile, PlainPython, RunsAsPython
from belated.core.stacks import overwrite
from belated.sim import plain_or_compiled
from support.compiler import needs_compiler
from support.processes import hear_ctrl_c

SOURCE = """
from typing import Any, NamedTuple

from belated.core.verbs import compilable, verb

class Square(NamedTuple):
    side: float

@verb
def area(part: Any) -> float: ...

@area.on(Square)
def area_square(part):
    return part.side * part.side

@compilable
def helped(x):
    return x + 1.0

def twice(part):
    return helped(area(part)) * 2.0

def refused(part):
    return len(str(type(part).__mro__))
"""

_numbers = itertools.count()


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Call it for a new module of functions that nobody has compiled, whose code is kept in ``tmp_path / "cache"``."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    numba_door.tell_all()  # what is still to be told is not that of the shop
    monkeypatch.setattr(numba_door, "_lessons", [])

    def opened() -> Any:
        name = f"shop_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(SOURCE)
        return __import__(name)

    yield opened
    numba_door._own_files.cache_clear()


@pytest.fixture
def hide(monkeypatch):
    """Call it to hide a name of numba from the library, and not from numba itself."""

    def hidden(module: str, name: str) -> None:
        found = numba_door._found

        def without(*sought: str) -> Any:
            if sought == (module, name):
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            return found(*sought)

        monkeypatch.setattr(numba_door, "_found", without)
        numba_door._own_files.cache_clear()

    return hidden


def outcome_of(function):
    (outcome,) = [each for (known, _), each in compiling._outcomes.items() if known is function]
    return outcome


def kept_in(tmp_path):
    return [file.suffix for file in sorted((tmp_path / "cache").rglob("*.nb?"))]


@needs_compiler
def test_with_everything_there_code_is_lean_and_kept(shop, tmp_path):
    """Without this, the tests below would show nothing."""
    module = shop()
    assert compiled(module.twice, module.Square(3.0))(module.Square(3.0)) == 20.0
    assert outcome_of(module.twice).lean
    assert kept_in(tmp_path) == [".nbc", ".nbi"]


CIRCLE = """
import numba

@numba.njit
def even(n):
    if n == 0:
        return True
    return odd(n - 1)

@numba.njit
def odd(n):
    if n == 0:
        return False
    return even(n - 1)

def is_even(n):
    return even(n)
"""


@needs_compiler
def test_code_of_functions_that_call_each_other_in_a_circle_is_not_kept(shop, tmp_path):
    """numba would end the process that reads it back."""
    shop()
    (tmp_path / "circle.py").write_text(CIRCLE)
    module = __import__("circle")
    assert compiled(module.is_even, 4)(4)
    assert not compiled(module.is_even, 4)(7)
    assert kept_in(tmp_path) == []


@needs_compiler
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("numba.core.caching", "IndexDataCacheFile"),
        ("numba.core.caching", "FunctionCache"),
        ("numba.cloudpickle", "loads"),
    ],
)
def test_without_a_class_of_the_cache_nothing_is_kept(shop, hide, tmp_path, module, name):
    hide(module, name)
    made = shop()
    assert compiled(made.twice, made.Square(3.0))(made.Square(3.0)) == 20.0
    assert outcome_of(made.twice).lean
    assert kept_in(tmp_path) == []


@needs_compiler
@pytest.mark.parametrize("method", ["_dump", "_load_index", "_open_for_write"])
def test_without_a_method_of_the_cache_no_code_is_kept(shop, monkeypatch, tmp_path, method):
    monkeypatch.delattr(f"numba.core.caching.IndexDataCacheFile.{method}")
    module = shop()
    assert compiled(module.twice, module.Square(3.0))(module.Square(3.0)) == 20.0
    assert ".nbc" not in kept_in(tmp_path)


@needs_compiler
def test_without_the_lean_option_code_has_memory_management(shop, monkeypatch):
    monkeypatch.delattr(cpu._options_mixin, "_nrt")
    module = shop()
    assert compiled(module.twice, module.Square(3.0))(module.Square(3.0)) == 20.0
    assert not outcome_of(module.twice).lean


@needs_compiler
def test_without_the_option_to_inline_calls_are_calls(shop, monkeypatch):
    monkeypatch.setattr(config, "OPT", 0)
    assert numba_door._inlined() == {"no_cfunc_wrapper": True}
    monkeypatch.setattr(config, "OPT", 3)
    assert numba_door._inlined() == {"forceinline": True, "no_cfunc_wrapper": True}
    monkeypatch.delattr(cpu._options_mixin, "no_cfunc_wrapper")
    assert numba_door._inlined() == {"forceinline": True}
    monkeypatch.delattr(cpu._options_mixin, "forceinline")
    assert numba_door._inlined() == {}
    module = shop()
    assert compiled(module.twice, module.Square(3.0))(module.Square(3.0)) == 20.0


@needs_compiler
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("numba.core.config", "reload_config"),
        ("numba.core.config", "DISABLE_JIT"),
        ("numba.core", "config"),
        ("numba.core.compiler_lock", "global_compiler_lock"),
        ("numba.core.cpu", "CPUTargetOptions"),
    ],
)
def test_without_a_setting_or_the_lock_code_is_compiled_all_the_same(shop, hide, monkeypatch, module, name):
    hide(module, name)
    made, seen, original = shop(), [], Dispatcher.compile

    def watched(self, kinds):
        seen.append(vars(config)["SLP_VECTORIZE"])
        return original(self, kinds)

    monkeypatch.setattr(Dispatcher, "compile", watched)
    assert compiled(made.twice, made.Square(3.0))(made.Square(3.0)) == 20.0
    assert set(seen) == {int(name not in ("config", "global_compiler_lock"))}, "nothing is set that others might see"
    assert vars(config)["SLP_VECTORIZE"] == 0


def test_without_what_llvm_knows_of_the_processor_its_vectors_count_as_narrow(hide, monkeypatch):
    for wide in (True, False):
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda wide=wide: {"avx2": wide})
        assert numba_door.has_wide_vectors() == wide
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: {"neon": True})
    assert not numba_door.has_wide_vectors()
    hide("llvmlite.binding", "get_host_cpu_features")
    assert not numba_door.has_wide_vectors()


@needs_compiler
def test_without_the_class_of_its_errors_a_refusal_is_a_refusal(shop, hide):
    hide("numba.core.errors", "NumbaError")
    module = shop()
    for _ in range(2):
        with pytest.raises(CannotCompile, match=r"^`refused` cannot be compiled: "):
            compiled(module.refused, module.Square(3.0))
    assert compiled(module.twice, module.Square(3.0))(module.Square(3.0)) == 20.0


@needs_compiler
@pytest.mark.parametrize(("module", "name"), [("numba", "njit"), ("numba", "typeof"), ("numba.extending", "overload")])
def test_without_a_name_that_everything_needs_there_is_plain_python(shop, hide, module, name):
    hide(module, name)
    made = shop()
    with pytest.raises(
        CannotCompile, match=rf"^`twice` cannot be compiled: module '{module}' has no attribute '{name}'"
    ):
        compiled(made.twice, made.Square(3.0))
    assert made.twice(made.Square(3.0)) == 20.0


@needs_compiler
def test_without_a_dispatcher_that_compiles_there_is_plain_python(shop, monkeypatch):
    monkeypatch.delattr(Dispatcher, "compile")
    module = shop()
    with pytest.raises(CannotCompile, match=r"^`twice` cannot be compiled: .* has no attribute 'compile'"):
        compiled(module.twice, module.Square(3.0))


class Pair(NamedTuple):
    numbers: Any
    others: Any


def over(target, source):
    overwrite(target, source)


@needs_compiler
def test_without_the_type_of_arrays_stacks_are_plain_python(hide):
    hide("numba.core.types", "Array")
    target, source = Pair(np.zeros(2), np.zeros(3)), Pair(np.ones(2), np.ones(3))
    with pytest.raises(CannotCompile, match=r"^`over` cannot be compiled: "):
        compiled(over, target, source)
    over(target, source)
    assert target.others.tolist() == [1.0] * 3


@needs_compiler
def test_the_first_name_that_is_missing_does_not_hide_code_that_is_plain_on_purpose(shop, hide):
    hide("numba", "typeof")
    module = shop()
    module.area.on(module.Square, compiled=False)(module.area_square)
    with pytest.raises(PlainPython, match=r"^`area` of Square is plain Python$"):
        compiled(module.twice, module.Square(3.0))


def run_of_everything():
    """Losses of a simulation, and decisions of a player that wants to compile: all as text."""
    ball, problem = bl.Ball(2), bl.problems.RandomQuadratic(2)
    learner = bl.dogd_sc(ball, 2.0)
    result = bl.simulate({"one": learner}, problem, bl.delays.Geometric(3.0), 60, [0, 1])
    player, decisions = learner.start(), []
    for _ in range(30):
        decisions.append(player.ask().decision.tolist())
        player.tell(2.0 * np.array(decisions[-1]) + 0.3)
    return json.dumps([result.cumulative_loss.values.tolist(), result.regret.values.tolist(), decisions])


def test_with_the_compiler_switched_off_nothing_is_compiled_and_nobody_is_warned(monkeypatch):
    expected = run_of_everything()
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    monkeypatch.setattr(plain_or_compiled, "NUMBERS_WORTH_COMPILING", 0)
    monkeypatch.setattr("belated.learners.playing.runner.ASKS_WORTH_COMPILING", 3)
    monkeypatch.setattr("belated.sim.compensated.LONG", 0)
    monkeypatch.setattr(compiling, "_outcomes", {})
    assert run_of_everything() == expected
    assert compiling._outcomes == {}
    assert not bl.dogd_sc(bl.Ball(2), 2.0).start().compile()


ALONE = """
import json, sys, warnings
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))  # None: cannot be imported
import numpy as np
import belated as bl
from belated.learners.playing import runner
from belated.sim import plain_or_compiled

RUN
plain_or_compiled.NUMBERS_WORTH_COMPILING, runner.ASKS_WORTH_COMPILING = 0, 3
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    print(run_of_everything())
print(sorted({each.category.__name__ for each in heard}), bl.dogd_sc(bl.Ball(2), 2.0).start().compile())
"""


@pytest.mark.parametrize(
    ("absent", "environment", "warned"),
    [(["numba"], {}, [RunsAsPython.__name__]), ([], {"NUMBA_DISABLE_JIT": "1"}, [])],
)
def test_a_process_without_numba_or_with_it_switched_off_has_the_same_results(tmp_path, absent, environment, warned):
    code = ALONE.replace("RUN", inspect.getsource(run_of_everything))
    command = [sys.executable, "-c", code, json.dumps(absent)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [run_of_everything(), f"{warned} False"]


@needs_compiler
def test_code_that_was_optimised_otherwise_has_another_name(monkeypatch):
    def index(level):
        monkeypatch.setattr("numba.core.config.OPT", level)
        return numba_door.Way(index, True, "code")._files._cache_file._index_name

    assert len({index(level) for level in (0, 1, 3)}) == 3


NEAREST = """
import sys
import numpy as np
from belated.core import numba_door
from belated.core.compiling import compiled
from belated.core.verbs import compilable
from belated.domains import Ball
from belated.domains.base import project

def nearest(domain, point, out):
    project(domain, point, out)

assert "numba" not in sys.modules and numba_door._lessons
arguments = Ball(2), np.array([3.0, 4.0]), np.empty(2)
{}
assert not numba_door._lessons

@compilable
def helped(x):
    return x + 1.0

import numba
assert not numba_door._lessons, "with numba loaded, it is told at once"
assert numba.njit(lambda x: helped(x))(1.0) == 2.0
print(arguments[-1].tolist())
"""


@needs_compiler
@pytest.mark.parametrize(
    "use", ["compiled(nearest, *arguments)(*arguments)", "import numba; numba.njit(nearest)(*arguments)"]
)
def test_numba_is_told_before_it_compiles_anything_ours_or_somebody_elses(use):
    ran = subprocess.run([sys.executable, "-c", NEAREST.format(use)], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "[0.6000000000000001, 0.8]", ran.stderr


@needs_compiler
def test_what_numba_did_not_hear_is_told_again(shop, hide, monkeypatch):
    found = numba_door._found
    hide("numba.extending", "overload")
    module = shop()
    with pytest.raises(CannotCompile, match="overload"):
        compiled(module.twice, module.Square(3.0))
    monkeypatch.setattr(numba_door, "_found", found)
    assert compiled(module.twice, module.Square(3.0))(module.Square(3.0)) == 20.0


PRESSED_IN_THE_IMPORT = """
import json, os, signal, sys
import belated as bl
from belated.core import numba_door

simulate = bl.simulate                              # which loads all that has nothing to do with numba

class Presses:
    "Presses Ctrl-C when a module is about to be imported."
    def __init__(self, module):
        self.module = module

    def find_spec(self, name, path=None, target=None):
        if name == self.module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

def simulated():
    learners = {"one": bl.dogd_sc(bl.Ball(2), strong_convexity=2.0)}
    problem = bl.problems.RandomQuadratic(2)
    return simulate(learners, problem, bl.delays.Fixed(2), rounds=10_000, seeds=1).cumulative_loss.sizes["round"]

def in_a_child(module, call, handler=signal.default_int_handler):
    if os.fork():
        os.wait()
        return
    signal.signal(signal.SIGINT, handler)
    sys.meta_path.insert(0, Presses(module))
    heard = "nothing"
    try:
        call()
    except KeyboardInterrupt:
        heard = "Ctrl-C"
    print(json.dumps([module, heard, call()]), flush=True)
    os._exit(0)

assert "numba" not in sys.modules
if sys.argv[1:]:
    for module in sys.argv[1:]:
        in_a_child(module, numba_door.switched_off)
    in_a_child(module, numba_door.switched_off, lambda *signal: print('"own handler"', flush=True))
else:
    in_a_child("numba.core.types", simulated)
    sys.meta_path.insert(0, Presses("numba.core.types"))
    numba_door.switched_off()                       # the process ends by Ctrl-C
"""


def pressed_in_the_import(*modules):
    command = [sys.executable, "-W", "error", "-c", PRESSED_IN_THE_IMPORT, *modules]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=hear_ctrl_c)


@needs_compiler
def test_ctrl_c_in_the_first_import_of_numba_is_heard_and_breaks_nothing():
    """It comes where numba could not be imported again afterwards, and the simulation would run as plain Python."""
    ended = pressed_in_the_import()
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [["numba.core.types", "Ctrl-C", 10_000]]
    assert ended.returncode in (1, -signal.SIGINT), "it has crashed"
    assert ended.stderr.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.soak
@needs_compiler
def test_ctrl_c_may_come_anywhere_in_the_import_and_a_handler_of_ones_own_is_called():
    modules = ["numba", "llvmlite", "llvmlite.binding.ffi", "numba.core.registry", "numba.extending"]
    ended = pressed_in_the_import(*modules)
    told = [[module, "Ctrl-C", False] for module in modules]
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [
        *told,
        "own handler",
        ["numba.extending", "nothing", False],
    ]
