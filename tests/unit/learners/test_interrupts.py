"""Ctrl-C in a live player: machine code runs no Python that could be interrupted, and a real process survives it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from belated.core import compiling, numba_door
from belated.core.compiling import compiled
from support.compiler import needs_compiler
from support.players import ask, telling, typical

pytestmark = needs_compiler
DRAWING = ["bdogd_sc_two_point", "gold"]


def python_called_in(call):
    """The names of the Python functions that a call runs: at each of them the handler of a signal may raise."""
    called = []

    def note(frame, event, argument):
        if event == "call":
            called.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return called


def drawn(rng, out):
    out[0] = rng.random()


def test_machine_code_that_draws_runs_no_python_and_keeps_no_reference():
    rng, witness, out = np.random.default_rng(5), np.random.default_rng(5), np.empty(1)
    code = compiled(drawn, rng, out)
    references = sys.getrefcount(rng)
    for _ in range(3):
        assert python_called_in(lambda: code(rng, out)) == ["<lambda>"]
        assert out[0] == witness.random()
    assert sys.getrefcount(rng) == references


@pytest.mark.parametrize(
    "generator", [None, type("Half", (), {"bit_generator": 1})(), type("Odd", (), {"bit_generator": pytest})()]
)
def test_what_is_no_generator_is_an_error_of_python(generator, monkeypatch):
    monkeypatch.setattr(pytest, "capsule", 1, raising=False)
    out = np.empty(1)
    with pytest.raises((AttributeError, ValueError), match=r"bit_generator|capsule|PyCapsule"):
        compiled(drawn, np.random.default_rng(5), out)(generator, out)


def drawn_as_numba_does(rng, out):
    out[0] = rng.random()


def test_as_numba_reads_generators_python_is_run_and_references_pile_up(monkeypatch):
    """The mutant: numba's own way. The test above would fail."""
    monkeypatch.setattr(numba_door, "_read_generator", numba_own_reader())
    rng, out = np.random.default_rng(5), np.empty(1)
    code = compiled(drawn_as_numba_does, rng, out)
    references = sys.getrefcount(rng)
    assert "cast" in python_called_in(lambda: code(rng, out))
    assert sys.getrefcount(rng) > references


def numba_own_reader():
    from numba.core import boxing

    return boxing.unbox_numpy_random_generator


def test_numba_is_left_as_it_was():
    from numba.core import pythonapi, types

    compiled(drawn, np.random.default_rng(5), np.empty(1))
    assert pythonapi._unboxers.functions[types.NumPyRandomGeneratorType] is numba_own_reader()


def never_drawn(rng, out):
    out[0] = rng.random()


@pytest.mark.parametrize(
    ("module", "name"),
    [("numba.core.pythonapi", "_unboxers"), ("numba.core.compiler_lock", "global_compiler_lock")],
)
def test_where_a_generator_cannot_be_read_so_there_is_plain_python(module, name, monkeypatch):
    found = numba_door._found

    def without(*sought):
        if sought == (module, name):
            raise AttributeError(f"there is no {name}")
        return found(*sought)

    monkeypatch.setattr(numba_door, "_found", without)
    monkeypatch.setattr(compiling, "_outcomes", {})
    with pytest.raises(compiling.CannotCompile, match=r"^`never_drawn` cannot be compiled: "):
        compiled(never_drawn, np.random.default_rng(5), np.empty(1))


@pytest.mark.parametrize("name", [*DRAWING, "dogd_sc"])
def test_a_compiled_turn_runs_no_python(name):
    learner = typical(name)
    player = learner.start()
    assert player.compile()
    turn, called = player._runner.turn, []
    player._runner.turn = lambda *arguments: called.extend(python_called_in(lambda: turn(*arguments))) or True
    for _ in range(3):
        player.tell(telling(learner, np.full(learner.interface.feedback_size, 0.1)), round=ask(player).round)
    assert called == ["<lambda>"] * 3


INTERRUPTED = """
import signal, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from support.players import as_bytes, telling, typical

TIMES, armed = 250, []

def interrupt(number, frame):
    if armed:
        armed.clear()  # once for each time, so that what follows here is left in peace
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
for name in sys.argv[2:]:
    learner = typical(name)
    player, twin, heard = learner.start(seed=1), learner.start(seed=1), 0
    feedback = telling(learner, np.full(learner.interface.feedback_size, 0.1))
    assert player.compile() and twin.compile()
    signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
    while heard < TIMES:
        try:
            armed.append(True)
            while True:
                if player.open_rounds:
                    player.tell(feedback, round=player.open_rounds[0])
                player.ask()
        except KeyboardInterrupt:
            heard += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    if player.open_rounds:
        player.tell(feedback, round=player.open_rounds[0])
    for number in range(1, player.ledger.round + 1):
        twin.ask()
        twin.tell(feedback, round=number)
    assert as_bytes(player.state()) == as_bytes(twin.state()), name
    print(name, heard)
"""


def test_a_process_survives_hundreds_of_interrupts_and_has_lost_nothing():
    """Each of the interrupts raises wherever the process is: in a tell, between two calls, or within an ask."""
    tests = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", INTERRUPTED, tests, *DRAWING]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n") == [*(f"{name} 250" for name in DRAWING), ""]
