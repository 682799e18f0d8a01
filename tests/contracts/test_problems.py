"""What every problem whose losses are drawn must keep, run over the registry: a new one is tested by being in it."""

import copy
import inspect
import pickle
import textwrap
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, asdict, fields
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import streams
from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument
from belated.domains import EVERY as EVERY_DOMAIN
from belated.domains import Ball, Domain
from belated.sim import problems
from belated.sim.problems import EVERY, DrawnProblem, LateLabels, Regression, RowSampler
from support.losses import laws_broken, spread_points

MEMBERS: list[DrawnProblem] = [
    *(family.example() for family in EVERY),
    problems.RandomQuadratic(1),
    problems.DriftingQuadratic(1, speed=0.3, noise=0.0),
    problems.DriftingQuadratic(3, speed=2.0, noise=4.0),
    problems.SignFlips(1, period=1),
    problems.SignFlips(3, period=7),
    problems.IllConditioned(2, condition=1.0),
    problems.LateLabels(1, l2=0.0),
    problems.LateLabels(3, l2=0.5, flip_every=7),
    problems.Pricing(noise=1.0),
    problems.ForecastExperts(2),
    problems.Regression(1, noise=0.0),
    problems.Separable(2, features=2, margin=2.0),
]
MOVING = [problem for problem in MEMBERS if hasattr(problem, "comparators")]

every_problem = pytest.mark.parametrize("problem", MEMBERS, ids=repr)
every_moving = pytest.mark.parametrize("problem", MOVING, ids=repr)


def concrete(family: type[Any]) -> Iterator[type[Any]]:
    if family is not DrawnProblem:
        yield family
    for child in family.__subclasses__():
        yield from concrete(child)


def in_chunks(sampler: RowSampler, cuts: list[int], rounds: int) -> Matrix:
    ends = [0, *sorted(min(cut, rounds) for cut in cuts), rounds]
    return np.concatenate([sampler.take(after - before).copy() for before, after in pairwise(ends)])


def test_the_registry_holds_every_problem_that_is_drawn_once() -> None:
    ours = [family for family in concrete(DrawnProblem) if family.__module__.startswith("belated.sim.")]
    assert sorted(ours, key=str) == sorted(EVERY, key=str)
    assert all(getattr(bl.problems, family.__name__) is family for family in EVERY)


# Rows


@every_problem
def test_rows_are_valid_tables_for_the_loss(problem: DrawnProblem) -> None:
    for rounds in (1, 2, 200):
        rows = problem.rows(3, rounds)
        assert rows.shape == (rounds, problem.loss.row_size)
        assert rows.dtype == np.float64
        assert rows.flags.c_contiguous
        np.testing.assert_array_equal(problem.loss.check_rows("test", rows), rows)
    sampler: Any = problem.sampler(3)
    assert sampler.valid, "which is why they need not be looked at again"
    assert sampler.take(0).shape == (0, problem.loss.row_size)


@every_problem
@settings(max_examples=20)
@given(seed=st.integers(0, 2**62), cuts=st.lists(st.integers(0, 300), max_size=6))
def test_chunks_do_not_change_the_rows(problem: DrawnProblem, seed: int, cuts: list[int]) -> None:
    assert in_chunks(problem.sampler(seed), cuts, 300).tobytes() == problem.rows(seed, 300).tobytes()


@every_problem
def test_one_round_at_a_time_and_very_many_at_once_give_the_same_rows(problem: DrawnProblem) -> None:
    whole = problem.rows(7, 20_000).copy()
    assert in_chunks(problem.sampler(7), list(range(200)), 20_000).tobytes() == whole.tobytes()
    assert in_chunks(problem.sampler(7), list(range(0, 20_000, 999)), 20_000).tobytes() == whole.tobytes()


class FromOneGenerator(Regression):
    """Broken on purpose: all features of a chunk, then all labels, so that chunks change the numbers."""

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        class Sampler:
            def take(self, rounds: int) -> Matrix:
                return np.column_stack([rng.uniform(-1, 1, (rounds, 3)), rng.uniform(-1, 1, rounds)])

        return Sampler()


def test_the_check_of_chunks_has_power() -> None:
    broken = FromOneGenerator(3, 0.1)
    assert (in_chunks(broken.sampler(0), [100], 300) != broken.rows(0, 300)).any()


@every_problem
def test_rows_are_a_function_of_the_seed(problem: DrawnProblem) -> None:
    rows = [problem.rows(seed, 50).copy() for seed in (0, 0, 1, 2**62)]
    assert rows[0].tobytes() == rows[1].tobytes()
    assert (rows[0] != rows[2]).any()
    assert (rows[2] != rows[3]).any()


@every_problem
def test_runs_share_nothing(problem: DrawnProblem) -> None:
    alone = problem.rows(1, 30).copy()
    one, other = problem.sampler(1), problem.sampler(2)
    woven = []
    for _ in range(30):
        other.take(1)[:] = 0.0
        woven.append(one.take(1)[0].copy())
    assert np.array(woven).tobytes() == alone.tobytes()


def recipe(family: type[DrawnProblem]) -> str:
    """The lines of NumPy in a docstring that make the rows."""
    _, _, after = inspect.cleandoc(family.__doc__ or "").partition("::\n\n")
    lines = after.splitlines()
    return textwrap.dedent("\n".join(lines[: next((i for i, line in enumerate(lines) if line == ""), len(lines))]))


@every_problem
@pytest.mark.parametrize("seed", [0, 2**40])
def test_the_docstring_says_how_to_make_the_same_rows_with_numpy_alone(problem: DrawnProblem, seed: int) -> None:
    names: dict[str, Any] = {"np": np, "seed": seed, "rounds": 250, **asdict(problem)}  # type: ignore[call-overload]  # they are dataclasses
    exec(recipe(type(problem)), names)
    np.testing.assert_allclose(problem.rows(seed, 250), names["rows"], rtol=1e-12, atol=1e-14)


# Constants


class Ends:
    """A generator whose numbers are all at an end of their range, which makes the rarest losses."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def random(self, size: Any = None, out: Vector | None = None) -> Any:
        numbers = self._rng.choice([0.0, 1.0 - 2.0**-53], size if out is None else out.shape)
        if out is not None:
            out[:] = numbers
        return numbers

    def uniform(self, low: float, high: float, size: Any = None) -> Any:
        return low + (high - low) * self.random(size)

    def standard_normal(self, size: Any) -> Any:
        return self._rng.standard_normal(size)  # has no ends


def regions(problem: DrawnProblem) -> Iterator[Domain]:
    yield problem.domain
    for family in EVERY_DOMAIN:
        try:
            yield family.example(problem.loss.dim)
        except InvalidArgument:  # too few dimensions for it
            continue


@every_problem
@pytest.mark.parametrize("drawn_from", [streams.losses, Ends])
def test_constants_hold_whatever_is_drawn(
    problem: DrawnProblem, drawn_from: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "losses", drawn_from)
    loss, rows = problem.loss, np.concatenate([problem.rows(seed, 2) for seed in (4, 5)])
    for domain in regions(problem):
        constants = problem.constants(domain)
        points = spread_points(loss, rows, domain, np.random.default_rng(5), 4)
        assert laws_broken(loss.value, loss.gradient, constants, rows, points) == set(), domain


@every_problem
def test_constants_are_finite_where_the_problem_lives_and_cannot_be_much_better(problem: DrawnProblem) -> None:
    domain = problem.domain
    lipschitz, beta, alpha = problem.constants(domain)
    assert np.isfinite([lipschitz, beta, alpha]).all()
    assert 0.0 <= beta <= alpha
    rows = problem._extremes(domain.centre)
    points = spread_points(problem.loss, rows, domain, np.random.default_rng(5), 4)
    broken = laws_broken(
        problem.loss.value, problem.loss.gradient, bl.losses.Constants(0.7 * lipschitz, beta, alpha), rows, points
    )
    assert broken == {"lipschitz"}


class Careless(LateLabels):
    """Broken on purpose: its constants hold for a typical row, not for the largest one."""

    def _extremes(self, centre: Vector) -> Matrix:
        typical: Matrix = super()._extremes(centre) / np.append(np.full(self.dim, 3**0.5), 1.0)
        return typical


def test_the_check_of_constants_has_power(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "losses", Ends)
    problem = Careless(4, l2=0.1)
    rows = problem.rows(0, 3)
    points = spread_points(problem.loss, rows, problem.domain, np.random.default_rng(5), 4)
    constants = problem.constants(problem.domain)
    assert "lipschitz" in laws_broken(problem.loss.value, problem.loss.gradient, constants, rows, points)


@every_problem
def test_constants_on_another_dimension_are_refused(problem: DrawnProblem) -> None:
    name, dim = type(problem).__name__, problem.loss.dim
    with pytest.raises(
        InvalidArgument, match=rf"^`{name}\.constants\(domain=.*must have dimension {dim}, got {dim + 1}$"
    ):
        problem.constants(Ball(dim + 1))


# Comparators


@every_moving
def test_comparators_are_decisions_of_the_domain_and_the_same_for_any_number_of_rounds(problem: Any) -> None:
    path = problem.comparators(5, 3000)
    assert path.shape == (3000, problem.loss.dim)
    assert all(problem.domain.contains(point) for point in path[::7])
    assert problem.comparators(5, 100).tobytes() == path[:100].tobytes()
    assert in_chunks(problem.comparator_sampler(5), [1, 2, 1000, 1700], 3000).tobytes() == path.tobytes()
    assert (problem.comparators(6, 100) != path[:100]).any()


# Values


@every_problem
def test_problems_are_values_made_of_plain_numbers(problem: DrawnProblem) -> None:
    for twin in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem)), eval(repr(problem), vars(problems))):
        assert twin == problem
        assert hash(twin) == hash(problem)
        assert twin.digest() == problem.digest()
    for other in MEMBERS:
        assert (other == problem) == (other is problem)
        assert (other.digest() == problem.digest()) == (other is problem)
    for field in fields(problem):  # type: ignore[arg-type]  # they are dataclasses
        assert type(getattr(problem, field.name)) in (int, float)
        with pytest.raises(FrozenInstanceError):
            setattr(problem, field.name, 1)


@every_problem
@pytest.mark.parametrize("rounds", [-1, 2.0, True, "3", None])
def test_a_bad_number_of_rounds_is_refused(problem: Any, rounds: Any) -> None:
    with pytest.raises(InvalidArgument, match=rf"^`{type(problem).__name__}\.rows\(rounds="):
        problem.rows(0, rounds)
    if problem in MOVING:
        with pytest.raises(InvalidArgument, match=rf"^`{type(problem).__name__}\.comparators\(rounds="):
            problem.comparators(0, rounds)


@every_problem
@pytest.mark.parametrize("seed", [-1, 2.0, True, "3", None])
def test_a_bad_seed_is_refused(problem: Any, seed: Any) -> None:
    with pytest.raises(InvalidArgument, match=rf"^`{type(problem).__name__}\.sampler\(seed="):
        problem.rows(seed, 3)
    if problem in MOVING:
        with pytest.raises(InvalidArgument, match=rf"^`{type(problem).__name__}\.comparator_sampler\(seed="):
            problem.comparators(seed, 3)


# In use


@every_problem
def test_learners_can_be_compared_on_it(problem: DrawnProblem) -> None:
    domain = problem.domain
    lipschitz = problem.constants(domain).lipschitz
    learners = {"dda": bl.dda(domain, lipschitz), "dogd": bl.dogd(domain, bl.rates.count_adaptive(domain, lipschitz))}
    result = bl.simulate(learners, problem, bl.delays.Geometric(4.0), rounds=60, seeds=[0, 1])
    assert np.isfinite(result.cumulative_loss).all()
    assert float(result.best_gap.max()) < 1e-6
    for name, learner in learners.items():
        player = learner.start()
        assert problem.domain.contains(player.ask().point), name
        first = problem.loss.value(problem.rows(0, 1)[0], domain.centre)
        assert float(result.cumulative_loss.sel(learner=name, seed=0, round=1)) == pytest.approx(first, rel=1e-12)
