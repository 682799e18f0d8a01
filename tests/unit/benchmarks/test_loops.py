"""What is timed beside ``simulate`` is the same algorithm: over some hundred rounds, cumulative losses agree.

``simulate`` runs as plain Python here, which gives the same bits as the compiled loop.
"""

import pytest

from benchmarks import setup
from benchmarks.c_loop import CLoops, compiler
from benchmarks.numpy_loop import plain_loop, tuned_loop

ROUNDS = 300
CLOSE = 1e-11


@pytest.fixture(scope="module")
def c_loops() -> CLoops:
    command = compiler()
    if command is None:
        pytest.skip("there is no C compiler")
    return CLoops(command)


@pytest.mark.parametrize("dim", [1, 10])
@pytest.mark.parametrize("name", setup.PARAMETERS)
def test_the_c_loop_is_the_same_algorithm(c_loops, name, dim):
    assert c_loops.run(name, dim, ROUNDS) == pytest.approx(setup.simulated(name, dim, ROUNDS), rel=CLOSE)


@pytest.mark.parametrize("loop", [plain_loop, tuned_loop])
@pytest.mark.parametrize("dim", [1, 10])
def test_the_numpy_loops_are_the_same_algorithm(loop, dim):
    assert loop(dim, ROUNDS) == pytest.approx(setup.simulated("dogd-sc", dim, ROUNDS), rel=CLOSE)


@pytest.mark.parametrize(
    "wrong",
    [
        {"per_feedback": 1.01 * setup.BETA / 2},
        {"per_feedback": 0.0, "per_round": setup.BETA / 2},
        {"per_feedback": 0.0, "constant": 10.0},
    ],
)
def test_another_rate_would_be_noticed(c_loops, monkeypatch, wrong):
    other = dict(setup.PARAMETERS) | {"dogd-sc": setup.PARAMETERS["dogd-sc"]._replace(**wrong)}
    monkeypatch.setattr("benchmarks.c_loop.PARAMETERS", other)
    assert c_loops.run("dogd-sc", 10, ROUNDS) != pytest.approx(setup.simulated("dogd-sc", 10, ROUNDS), rel=1e-6)


def test_other_delays_would_be_noticed(c_loops, monkeypatch):
    monkeypatch.setattr("benchmarks.c_loop.delays_of", lambda name: setup.DELAYS[::-1])
    assert c_loops.run("dogd-sc", 10, ROUNDS) != pytest.approx(setup.simulated("dogd-sc", 10, ROUNDS), rel=1e-6)
