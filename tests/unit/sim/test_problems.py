"""Problems: the same losses from NumPy alone, and constants that hold for whatever is drawn."""

import math

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.domains import EVERY
from belated.sim.problems import MeasuredConstants, OwnProblem, RandomQuadratic, Recorded

DIM = 4


@pytest.mark.parametrize("seed", [0, 7, 2**40])
def test_anybody_can_draw_the_same_rows_with_numpy_alone(seed):
    expected = np.random.default_rng(seed).uniform(-1, 1, (30, DIM))
    assert np.array_equal(RandomQuadratic(DIM).rows(seed, 30), expected)


def test_a_longer_run_begins_with_the_rows_of_a_shorter_one():
    problem = RandomQuadratic(DIM)
    assert np.array_equal(problem.rows(3, 50)[:20], problem.rows(3, 20))


def test_the_loss_is_the_squared_norm_plus_a_linear_term():
    rng = np.random.default_rng(1)
    row, x = rng.normal(size=DIM), rng.normal(size=DIM)
    loss = RandomQuadratic(DIM).loss
    assert loss.value(row, x) == pytest.approx(np.sum(x**2) + np.sum(row * x), rel=1e-14)
    assert loss.gradient(row, x) == pytest.approx(2 * x + row, rel=1e-14)


@pytest.mark.parametrize("domain", [family.example(DIM) for family in EVERY], ids=lambda d: type(d).__name__)
def test_constants_hold_over_the_domain_for_any_row(domain):
    lipschitz, beta, alpha = RandomQuadratic(DIM).constants(domain)
    assert (beta, alpha) == (2.0, 2.0)
    rng = np.random.default_rng(2)
    for corner in rng.choice([-1.0, 1.0], (50, DIM)):
        x = domain.project(10.0 * rng.normal(size=DIM))
        assert np.linalg.norm(2 * x + corner) <= lipschitz * (1 + 1e-12)


def test_the_lipschitz_constant_is_the_least_on_a_ball_about_the_origin():
    """It is reached where x is longest and points along the largest b, and equals the paper's 2 + sqrt(10)."""
    constants = RandomQuadratic(10).constants(bl.Ball(10))
    x = b = np.ones(10)
    assert constants.lipschitz == pytest.approx(np.linalg.norm(2 * x / np.linalg.norm(x) + b), rel=1e-14)
    assert constants.lipschitz == pytest.approx(2 + math.sqrt(10), rel=1e-15)


def test_constants_on_another_dimension_are_refused():
    with pytest.raises(InvalidArgument, match=r"`RandomQuadratic.constants\(domain=.*must have dimension 4"):
        RandomQuadratic(DIM).constants(bl.Ball(3))


@pytest.mark.parametrize("dim", [0, -1, 2.0, "2", None, True])
def test_the_dimension_must_be_a_positive_whole_number(dim):
    with pytest.raises(InvalidArgument, match=r"^`RandomQuadratic\(dim="):
        RandomQuadratic(dim)


def test_recorded_rows_are_the_same_for_every_seed_and_nobody_can_change_them():
    given = np.arange(12.0).reshape(4, 3)
    problem = Recorded(bl.losses.Quadratic(3), given)
    given[0, 0] = 99.0
    assert np.array_equal(problem.rows(0, 4), np.arange(12.0).reshape(4, 3))
    assert np.array_equal(problem.rows(5, 2), problem.rows(0, 4)[:2])
    with pytest.raises(ValueError, match="read-only"):
        problem.rows(0, 4)[0, 0] = 1.0


def test_more_rounds_than_were_recorded_are_refused():
    problem = Recorded(bl.losses.Quadratic(1), [[1.0], [2.0]])
    with pytest.raises(InvalidArgument, match=r"^`simulate\(rounds=3\)`: must be <= 2, the rows that were recorded$"):
        problem.rows(0, 3)


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [1.0], [[math.nan]], [["a"]], np.empty((0, 1))])
def test_rows_that_do_not_fit_the_loss_are_refused(rows):
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(rows="):
        Recorded(bl.losses.Quadratic(1), rows)


def test_recorded_needs_a_loss():
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(loss='quadratic'\)`: must be a loss"):
        Recorded("quadratic", [[1.0]])


def test_recorded_shows_what_it_is_without_all_of_its_rows():
    shown = repr(Recorded(bl.losses.Quadratic(1), np.zeros((1000, 1))))
    assert shown.startswith("Recorded(Quadratic(")
    assert shown.endswith(", 1000 rows)")


def test_recorded_constants_hold_for_every_row():
    loss, rows = bl.losses.Logistic(2, l2=0.5), [[1.0, 2.0, 1.0], [3.0, -1.0, -1.0]]
    assert Recorded(loss, rows).constants(bl.Ball(2)) == loss.constants(rows, bl.Ball(2))


# Rows in a file


@pytest.fixture
def saved(tmp_path):
    """A function that saves rows to a file."""

    def save(rows, name="rows.npy"):
        np.save(tmp_path / name, rows)
        return tmp_path / name

    return save


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", ">f8", "f4", "i2"])
@pytest.mark.parametrize("as_text", [True, False])
def test_rows_in_a_file_are_the_same_as_rows_in_memory(saved, order, dtype, as_text):
    rows = np.asarray(np.random.default_rng(6).integers(-9, 9, (60, 3)), dtype=dtype, order=order)
    path = saved(rows)
    loss, ball = bl.losses.Quadratic(3), bl.Ball(3)
    file, memory = Recorded(loss, str(path) if as_text else path), Recorded(loss, rows)
    assert file.longest_run == memory.longest_run == 60
    assert np.array_equal(file.rows(0, 25), memory.rows(0, 25))
    assert file.constants(ball) == memory.constants(ball)
    results = [
        bl.simulate({"a": bl.dogd_sc(ball, 1.0)}, problem, bl.delays.Fixed(3), 50, [0, 1]) for problem in (file, memory)
    ]
    assert results[0].to_dataset().identical(results[1].to_dataset())


@pytest.mark.parametrize("in_a_file", [True, False])
def test_recorded_rows_come_in_chunks(saved, in_a_file):
    rows = np.arange(30.0).reshape(10, 3)
    problem = Recorded(bl.losses.Quadratic(3), saved(rows) if in_a_file else rows)
    for chunks in ([10], [3, 3, 4], [1] * 10):
        sampler = problem.sampler(5)
        assert np.array_equal(np.concatenate([sampler.take(size) for size in chunks]), rows)
        with pytest.raises(InvalidArgument, match=r"must be <= 10, the rows that were recorded"):
            sampler.take(1)


def test_a_file_is_opened_and_not_read(saved):
    problem = Recorded(bl.losses.Quadratic(3), saved(np.ones((5000, 3))))
    assert isinstance(problem.rows(0, 5000), np.memmap)
    assert repr(problem).endswith("rows.npy)")
    assert ", 5000 rows in " in repr(problem)


@pytest.mark.parametrize("rows", [np.zeros((4, 2)), np.zeros(4), np.zeros(()), np.zeros((0, 3)), np.zeros((4, 3, 1))])
def test_a_file_with_a_table_of_another_shape_is_refused(saved, rows):
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(rows='.*\)`: must hold a table with 3 columns, got shape"):
        Recorded(bl.losses.Quadratic(3), saved(rows))


def test_a_file_that_cannot_be_read_is_refused(saved, tmp_path):
    whole = saved(np.zeros((400, 3))).read_bytes()
    contents = {
        "cut.npy": whole[: len(whole) // 2],
        "header.npy": whole[:40],
        "empty.npy": b"",
        "text.npy": b"1.0, 2.0, 3.0\n" * 9,
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    saved(np.array([[None, 1.0, 2.0]]), "objects.npy")
    for name in [*contents, "objects.npy", "absent.npy", "."]:
        with pytest.raises(InvalidArgument, match=r"^`Recorded\(rows='.*\)`: must be a readable \.npy file: "):
            Recorded(bl.losses.Quadratic(3), tmp_path / name)


def test_a_file_of_several_tables_is_refused(tmp_path):
    np.savez(tmp_path / "rows.npz", rows=np.zeros((4, 3)))
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(rows='.*\)`: must be a readable \.npy file"):
        Recorded(bl.losses.Quadratic(3), tmp_path / "rows.npz")


@pytest.mark.parametrize("dtype", [complex, "U3", bool, "M8[s]", "f8,f8"])
def test_a_file_without_real_numbers_is_refused(saved, dtype):
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(rows='.*\)`: must hold .*real numbers, got dtype"):
        Recorded(bl.losses.Quadratic(3), saved(np.zeros((4, 3), dtype=dtype)))


def test_numbers_in_a_file_that_are_not_finite_are_refused_when_they_come(saved):
    rows = np.zeros((9000, 3))
    rows[8500, 2] = np.inf
    problem = Recorded(bl.losses.Quadratic(3), saved(rows))
    learners = {"a": bl.ogd_sc(bl.Ball(3), 1.0)}
    bl.simulate(learners, problem, bl.delays.Fixed(1), 100, [0])
    with pytest.raises(InvalidArgument, match=r"must be finite, entry \[\d+, 2\] is inf"):
        bl.simulate(learners, problem, bl.delays.Fixed(1), 9000, [0])


def test_random_rows_are_the_same_in_chunks():
    sampler = RandomQuadratic(DIM).sampler(9)
    chunks = [sampler.take(size).copy() for size in (1, 7, 100, 2, 9000)]
    rows = np.random.default_rng(9).uniform(-1.0, 1.0, (9110, DIM))
    assert np.concatenate(chunks).tobytes() == RandomQuadratic(DIM).rows(9, 9110).tobytes() == rows.tobytes()


# Problems of one's own


class Uneven(OwnProblem):
    """Linear terms that are larger in later seeds."""

    def __init__(self, l2=0.0):
        self.loss = bl.losses.SquaredError(2, l2=l2)

    def rows(self, seed, rounds):
        return (1 + seed) * np.random.default_rng(seed).uniform(-1, 1, (rounds, 3))


def test_constants_of_ones_own_problem_are_those_of_the_rows_drawn():
    problem, ball = Uneven(l2=0.25), bl.Ball(2, radius=3.0)
    seeds, rounds = (0, 4, 2), 50
    found = problem.constants(ball, seeds, rounds)
    every = np.concatenate([problem.rows(seed, rounds) for seed in seeds])
    assert found == problem.loss.constants(every, ball)
    assert found.strong_convexity == 0.25, "which the loss knows whatever is drawn"
    each = [problem.loss.constants(row, ball) for row in every]
    assert found == (max(row.lipschitz for row in each), 0.25, max(row.smoothness for row in each))


def test_measured_constants_say_that_they_are():
    found = Uneven().constants(bl.Ball(2))
    assert isinstance(found, bl.losses.Constants)
    assert repr(found).startswith("MeasuredConstants(lipschitz=")
    assert not isinstance(RandomQuadratic(2).constants(bl.Ball(2)), MeasuredConstants), "those are known"
    assert Uneven().constants(bl.Ball(2), seeds=[40]).lipschitz > 2 * found.lipschitz, "a sample is not everything"


def test_a_learner_can_be_made_from_them():
    problem, ball = Uneven(), bl.Ball(2)
    lipschitz = problem.constants(ball, seeds=[3], rounds=40).lipschitz
    result = bl.simulate({"dda": bl.dda(ball, lipschitz)}, problem, bl.delays.Fixed(2), 40, [3])
    assert float(result.best_gap.max()) < 1e-6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": []}, r"^`Uneven\.constants\(seeds=\[\]\)`: must be one or more seeds$"),
        ({"rounds": 0}, r"^`Uneven\.constants\(rounds=0\)`: must be >= 1$"),
        ({"domain": bl.Ball(3)}, r"^`SquaredError\.constants\(domain=.*must have dimension 2"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        Uneven().constants(**{"domain": bl.Ball(2), **arguments})


def test_a_problem_of_ones_own_needs_rows():
    class Bare(OwnProblem):
        pass

    with pytest.raises(TypeError, match="rows"):
        Bare()
