"""What a simulation must not depend on, to the last bit: workers, company of other seeds, what is recorded, and whether
its loop is compiled, for the library's parts and for a user's own.

Chunks are made short here, so that a short run has many of them.
"""

import math
import warnings

import numpy as np
import pytest

import belated as bl
from belated.core.errors import NumericalFailure, OutsideDomain, RunsAsPython
from belated.learners import Learner
from belated.losses.base import gradient, value
from belated.sim import plain_or_compiled, plan
from belated.sim.plan import log_spaced, plan_of
from belated.sim.result import CURVES, MEASURES
from support.compiler import needs_compiler
from support.own_parts import BOWLS, CUBES, Bowl, DeclaredCube

DIM, ROUNDS, SEEDS = 3, 70, [0, 4, 11]
BALL = bl.Ball(DIM)
PROBLEM = bl.problems.RandomQuadratic(DIM)
LAW = bl.delays.Never(bl.delays.Geometric(12.0), 0.1)
LEARNERS = {"exact": bl.dogd_sc(BALL, 2.0), "two points": bl.bdogd_sc_two_point(BALL, 2.0, 0.1)}
PLAIN, COMPILED = 10**9, 1


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    monkeypatch.setattr(plan, "LEAST_ROUNDS_PER_CHUNK", 8)
    monkeypatch.setattr(plan, "MOST_ROUNDS_PER_CHUNK", 8)


@pytest.fixture
def worth_compiling(monkeypatch):
    return lambda rounds: monkeypatch.setattr(
        plain_or_compiled, "NUMBERS_WORTH_COMPILING", rounds * plain_or_compiled.LEAST_NUMBERS_PER_ROUND
    )


def result(learners=LEARNERS, problem=PROBLEM, seeds=SEEDS, **settings):
    settings = {"regret_at": [20, ROUNDS], **settings}
    return bl.simulate(learners, problem, LAW, ROUNDS, seeds, **settings)


def same(one, other):
    return all(getattr(one, name).identical(getattr(other, name)) for name in CURVES + MEASURES)


def same_numbers(one, other):
    return all(
        getattr(one, name).values.tobytes() == getattr(other, name).values.tobytes() for name in CURVES + MEASURES
    )


@pytest.mark.parametrize("worth", [PLAIN, COMPILED])
def test_no_bit_depends_on_the_number_of_workers(worth, worth_compiling):
    worth_compiling(worth)
    alone = result(workers=1)
    assert not alone.interrupted
    for workers in (2, 5, 50):
        assert same(alone, result(workers=workers))


def test_no_bit_depends_on_whether_the_loop_is_compiled(worth_compiling):
    worth_compiling(PLAIN)
    plain = result()
    worth_compiling(COMPILED)
    assert same(plain, result())


@pytest.mark.parametrize("workers", [1, 5])
def test_seeds_one_at_a_time_are_as_seeds_together(workers):
    together = result(workers=workers)
    for seed in SEEDS:
        alone = result(seeds=[seed], workers=workers)
        for name in CURVES + MEASURES:
            assert getattr(alone, name).identical(getattr(together, name).sel(seed=[seed]))


@pytest.mark.parametrize("size", [1, 7, 70, 4096])
def test_curves_do_not_depend_on_the_chunks(size, monkeypatch):
    """Best decisions may, in their last digits: their sums are added up in chunks."""
    expected = result()
    monkeypatch.setattr(plan, "LEAST_ROUNDS_PER_CHUNK", size)
    monkeypatch.setattr(plan, "MOST_ROUNDS_PER_CHUNK", size)
    found = result()
    assert all(getattr(found, name).identical(getattr(expected, name)) for name in CURVES)
    assert found.best_loss.values == pytest.approx(expected.best_loss.values, rel=1e-12)


@pytest.mark.parametrize("worth", [PLAIN, COMPILED])
@pytest.mark.parametrize("record", ["log", [1, 8, 9, 33], 5, np.array([70])])
def test_what_is_recorded_are_the_same_numbers(worth, record, worth_compiling):
    worth_compiling(worth)
    everything, some = result(record="all"), result(record=record)
    chosen = log_spaced(ROUNDS).tolist() if isinstance(record, str) else np.atleast_1d(record).tolist()
    rounds = sorted({*chosen, 20, ROUNDS})
    for name in CURVES:
        assert getattr(some, name).identical(getattr(everything, name).sel(round=rounds))
    for name in MEASURES:
        assert getattr(some, name).identical(getattr(everything, name))


# A user's own parts


@needs_compiler
def test_a_users_loss_gives_the_same_numbers_compiled_declared_or_in_vain(worth_compiling):
    worth_compiling(COMPILED)
    found = []
    for bowl in BOWLS:
        problem = bl.problems.Recorded(bowl(DIM), bowl(DIM).example_rows(np.random.default_rng(1), ROUNDS))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append((result({"exact": LEARNERS["exact"]}, problem), caught))
    (compiled, none), (declared, silent), (obscure, (warning,)) = found
    assert same_numbers(compiled, declared)
    assert same_numbers(compiled, obscure)
    assert not none
    assert not silent
    assert warning.category is RunsAsPython
    assert str(warning.message).startswith("exact runs as plain Python, which takes many times as long: `play_chunk`")
    assert warning.filename == __file__ or warning.filename.endswith("test_same_results.py"), "it names the caller"


@needs_compiler
def test_a_users_domain_gives_the_same_numbers_compiled_declared_or_in_vain(worth_compiling):
    worth_compiling(COMPILED)
    found = []
    for cube in CUBES:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append((result({"exact": bl.dogd_sc(cube(DIM, 0.3), 2.0)}), [each.category for each in caught]))
    (compiled, none), (declared, silent), (obscure, heard) = found
    assert same_numbers(compiled, declared)
    assert same_numbers(compiled, obscure)
    assert (none, silent, heard) == ([], [], [RunsAsPython])


def test_short_simulations_are_not_compiled(monkeypatch):
    def compiled(*arguments):
        raise AssertionError("compiled")

    monkeypatch.setattr(plain_or_compiled, "compiled", compiled)
    result()
    monkeypatch.setattr(
        plain_or_compiled,
        "NUMBERS_WORTH_COMPILING",
        ROUNDS * len(SEEDS) * plain_or_compiled.LEAST_NUMBERS_PER_ROUND + 1,
    )
    result()
    monkeypatch.setattr(
        plain_or_compiled, "NUMBERS_WORTH_COMPILING", ROUNDS * len(SEEDS) * plain_or_compiled.LEAST_NUMBERS_PER_ROUND
    )
    with pytest.raises(AssertionError, match="compiled"):
        result()


@pytest.mark.parametrize(("dim", "rounds"), [(1, 10_000), (10, 10_000), (100, 1000), (1000, 100)])
def test_it_is_the_numbers_that_make_a_simulation_long(dim, rounds, monkeypatch):
    tried = []
    monkeypatch.setattr(
        plain_or_compiled, "compiled", lambda *arguments: tried.append(arguments) or plain_or_compiled.plain_loop
    )
    learner, loss = bl.dogd_sc(bl.Ball(dim), 2.0), bl.losses.Quadratic(dim)
    for number, times in ((rounds - 1, 0), (rounds, 1)):
        plain_or_compiled.loop_for("it", learner, loss, plan_of(number, dim, np.array([number])), seeds=1)
        assert len(tried) == times


# Numbers out of range


@pytest.mark.parametrize("worth", [PLAIN, COMPILED])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_loss_out_of_range_names_learner_round_and_seed(worth, workers, worth_compiling):
    worth_compiling(worth)
    rows = np.zeros((ROUNDS, DIM))
    rows[41] = 1e305
    rows[43] = 1e306
    problem = bl.problems.Recorded(PROBLEM.loss, rows)
    message = (
        r"^`simulate`: the loss of exact in round 42 of seed 11, or its gradient, is not finite or beyond 1e\+100$"
    )
    with pytest.raises(NumericalFailure, match=message):
        result({"exact": LEARNERS["exact"]}, problem, [11], workers=workers, initial=[0.5, 0.5, 0.5])


@pytest.mark.parametrize("worth", [PLAIN, pytest.param(COMPILED, marks=needs_compiler)])
def test_a_point_outside_of_the_domain_names_learner_round_and_seed(worth, worth_compiling):
    """The same machine code as for an honest learner, which is what it is but for its domain."""
    worth_compiling(worth)
    small = bl.Ball(DIM, radius=0.1)
    learner = Learner("wide", small, small, LEARNERS["exact"].policy)
    with pytest.raises(
        OutsideDomain, match=r"^`simulate`: learner wide, round 4 of seed 11: the point .*, 0\.67 from its"
    ):
        bl.simulate({"wide": learner}, PROBLEM, bl.delays.Fixed(3), ROUNDS, [11])


class Steep(Bowl):
    """Python raises an error where machine code goes on with an infinite number."""

    __slots__ = ()


@value.on(Steep, compiled=False)
def steep_value(loss, row, point):
    return math.exp(row[0])


@gradient.on(Steep, compiled=False)
def steep_gradient(loss, row, point, out):
    out[:] = 0.0


def test_a_loss_that_raises_an_arithmetic_error_names_learner_round_and_seed():
    rows = np.zeros((ROUNDS, DIM))
    rows[41] = 1000.0
    message = (
        r"^`simulate`: learner exact, round 42 of seed 11: `value` of Steep\(.*\) raised OverflowError: math "
        r"range error \(in steep_value, test_same_results.py line \d+\)$"
    )
    with pytest.raises(NumericalFailure, match=message):
        result({"exact": LEARNERS["exact"]}, bl.problems.Recorded(Steep(DIM), rows), [11])


def test_an_error_in_a_users_part_is_the_users(monkeypatch):
    """It is neither hidden nor taken for something else."""

    def broken(cube, point, out):
        raise LookupError("of the user's own")

    learner = bl.dogd_sc(DeclaredCube(DIM, 0.3), 2.0)
    monkeypatch.setitem(bl.domains.base.project.implementations, DeclaredCube, broken)
    with pytest.raises(LookupError, match="of the user's own"):
        result({"exact": learner}, workers=2)
