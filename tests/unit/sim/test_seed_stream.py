"""Where losses and delays come from: the same however they are cut, and checked before compiled code trusts them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core import streams
from belated.core.errors import InvalidArgument
from belated.delays import NEVER
from belated.sim.plan import MOST_ROUNDS_PER_CHUNK, Plan
from belated.sim.seed_stream import SeedStream

DIM = 2
LOSS = bl.losses.Quadratic(DIM)


def source_of(problem, law=None, rounds=10, size=4, seed=3):
    return SeedStream(problem, problem.loss, law or bl.delays.Fixed(1), seed, Plan(rounds, size, np.array([rounds])))


class Whole:
    """A problem that gives all rows at once, and counts how often it is asked."""

    loss = LOSS

    def __init__(self, rows=None):
        self.given, self.asked = rows, []

    def rows(self, seed, rounds):
        self.asked.append((seed, rounds))
        return np.arange(float(rounds * DIM)).reshape(rounds, DIM) if self.given is None else self.given


class Streamed(Whole):
    """The same in chunks; all rows at once must not be asked for."""

    def __init__(self, change=lambda rows, begin: rows):
        self.change = change

    def rows(self, seed, rounds):
        raise AssertionError("the rows were to be had in chunks")

    def sampler(self, seed):
        problem = self

        class Sampler:
            taken = 0

            def take(self, rounds):
                begin, self.taken = self.taken, self.taken + rounds
                rows = np.arange(float(begin * DIM), float(self.taken * DIM)).reshape(rounds, DIM)
                return problem.change(rows, begin)

        return Sampler()


@pytest.mark.parametrize("make", [Whole, Streamed])
@pytest.mark.parametrize("size", [1, 3, 4, 10])
def test_rows_come_in_the_chunks_of_the_plan_and_are_those_of_the_problem(make, size):
    chunks = list(source_of(make(), size=size).with_delays())
    assert [len(chunk.rows) for chunk in chunks] == Plan(10, size, np.array([10])).chunks()
    assert np.array_equal(np.concatenate([chunk.rows for chunk in chunks]), np.arange(20.0).reshape(10, 2))
    for chunk in chunks:
        assert chunk.rows.dtype == np.float64
        assert chunk.rows.flags.c_contiguous
        assert chunk.delays.dtype == np.int64
        assert chunk.delays.flags.c_contiguous


def test_a_problem_without_a_sampler_is_asked_once_for_its_seed():
    problem = Whole()
    source = source_of(problem)
    list(source.with_delays())
    list(source.chunks(10))
    assert problem.asked == [(3, 10)]


@given(st.integers(1, 30), st.integers(1, 12), st.data())
def test_the_first_rows_are_the_same_however_many_are_asked_for_and_however_often(rounds, size, data):
    size = min(size, rounds)
    some = data.draw(st.integers(1, rounds))
    expected = bl.problems.RandomQuadratic(DIM).rows(3, rounds)
    source = source_of(bl.problems.RandomQuadratic(DIM), rounds=rounds, size=size)
    for _ in range(2):
        assert np.array_equal(np.concatenate([rows.copy() for rows in source.chunks(some)]), expected[:some])
    assert np.array_equal(np.concatenate([chunk.rows.copy() for chunk in source.with_delays()]), expected)


@given(st.sampled_from(bl.delays.EVERY), st.integers(1, 12))
def test_delays_are_those_that_the_law_draws_from_their_own_stream(family, size):
    law = family.example()
    rounds = int(min(30, law.longest_run))
    source = source_of(Whole(), law, rounds, min(size, rounds))
    found = np.concatenate([chunk.delays for chunk in source.with_delays()])
    assert np.array_equal(found, law.draw(streams.delays(3), rounds))


# What is wrong with the rows


def changed(at, value):
    rows = np.zeros((10, DIM))
    rows[at] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((9, DIM)), r"must have 10 rows for seed 3, got 9$"),
        (np.zeros((11, DIM)), r"must have 10 rows for seed 3, got 11$"),
        (np.zeros((10, DIM + 1)), r"must have shape \(rows, 2\), got shape \(10, 3\) \(row 0 is that of round"),
        (np.zeros(10), r"must have shape \(rows, 2\)"),
        (np.zeros((0, DIM)), r"must have shape \(rows, 2\)"),
        (changed((7, 1), np.nan), r"must be finite, entry \[7, 1\] is nan \(row 0 is that of round"),
        (changed((2, 0), np.inf), r"must be finite, entry \[2, 0\] is inf \(row 0 is that of round"),
        (
            np.zeros((10, DIM), dtype=complex),
            r"must be an array of real numbers, got dtype complex128 \(row 0 is that of round",
        ),
        (
            np.zeros((10, DIM), dtype=object),
            r"must be an array of real numbers, got dtype object \(row 0 is that of round",
        ),
        (np.ma.zeros((10, DIM)), r"must not be a masked array"),
        (None, r"must be an array of real numbers"),
        ("rows", r"must be an array of real numbers"),
    ],
)
def test_wrong_rows_are_refused_with_what_is_wrong(rows, message):
    class Given(Whole):
        def rows(self, seed, number):
            return rows

    with pytest.raises(InvalidArgument, match=message):
        list(source_of(Given()).with_delays())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows, begin: rows[1:] if begin else rows, r"must have 4 rows for seed 3, got 3$"),
        (lambda rows, begin: rows.T if begin else rows, r"must have shape \(rows, 2\)"),
        (
            lambda rows, begin: rows * (np.nan if begin else 1.0),
            r"must be finite, entry \[0, 0\] is nan \(row 0 is that of round",
        ),
    ],
)
def test_wrong_rows_of_a_later_chunk_are_refused_when_they_come(change, message):
    stream = source_of(Streamed(change)).with_delays()
    assert len(next(stream).rows) == 4
    with pytest.raises(InvalidArgument, match=message):
        next(stream)


def test_rows_of_any_kind_of_number_become_real_ones():
    for rows in (np.ones((10, DIM), dtype=np.int8), np.ones((10, DIM), dtype=np.float32), [[1, 1]] * 10):
        (chunk,) = source_of(Whole(rows), size=10).with_delays()
        assert chunk.rows.dtype == np.float64
        assert (chunk.rows == 1.0).all()


def test_rows_that_lie_the_other_way_round_are_put_right():
    rows = np.asfortranarray(np.arange(20.0).reshape(10, DIM))
    (chunk,) = source_of(Whole(rows), size=10).with_delays()
    assert chunk.rows.flags.c_contiguous
    assert np.array_equal(chunk.rows, rows)


# What is wrong with the delays


class Law(bl.delays.Fixed):
    """A law of somebody's own that draws whatever its ``drawn`` says."""

    __slots__ = ()
    drawn = None

    def _begin(self, rng):
        return type(self).drawn


def law_that_draws(function):
    return type("Law", (Law,), {"__slots__": (), "drawn": staticmethod(function)})(1)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        (lambda first, rounds: np.zeros(rounds, dtype=np.int64), r"must draw delays from 1 to NEVER, drew 0\.\.0$"),
        (lambda first, rounds: np.full(rounds, -(2**63)), r"must draw delays from 1 to NEVER"),
        (lambda first, rounds: np.full(rounds, NEVER + 1), r"must draw delays from 1 to NEVER"),
        (lambda first, rounds: np.full(rounds, 2**64 - 1, dtype=np.uint64), r"must draw delays from 1 to NEVER"),
        (lambda first, rounds: np.ones(rounds), r"must draw 10 whole numbers, drew float64 of shape \(10,\)$"),
        (lambda first, rounds: np.ones(rounds, dtype=bool), r"must draw 10 whole numbers, drew bool"),
        (lambda first, rounds: np.ones(rounds, dtype=object), r"must draw 10 whole numbers, drew object"),
        (lambda first, rounds: np.ones(rounds - 1, dtype=int), r"must draw 10 whole numbers, .*shape \(9,\)$"),
        (lambda first, rounds: np.ones(rounds + 1, dtype=int), r"must draw 10 whole numbers, .*shape \(11,\)$"),
        (lambda first, rounds: np.ones((rounds, 1), dtype=int), r"must draw 10 whole numbers, .*shape \(10, 1\)$"),
        (lambda first, rounds: np.ones((), dtype=int), r"must draw 10 whole numbers, .*shape \(\)$"),
    ],
)
def test_wrong_delays_are_refused_with_what_is_wrong(drawn, message):
    with pytest.raises(InvalidArgument, match=rf"^`simulate\(delays=Law\(.*\)\)`: {message}"):
        list(source_of(Whole(), law_that_draws(drawn)).with_delays())


def test_wrong_delays_of_a_later_chunk_are_refused_when_they_come():
    law = law_that_draws(lambda first, rounds: np.full(rounds, 1 if first == 1 else 0))
    stream = source_of(Whole(), law, rounds=MOST_ROUNDS_PER_CHUNK + 1, size=MOST_ROUNDS_PER_CHUNK).with_delays()
    next(stream)
    with pytest.raises(InvalidArgument, match="must draw delays from 1 to NEVER"):
        next(stream)


@pytest.mark.parametrize("drawn", [lambda first, rounds: [[1]] * rounds, lambda first, rounds: None])
def test_delays_that_are_no_array_are_refused(drawn):
    with pytest.raises(InvalidArgument, match="must draw 10 whole numbers"):
        list(source_of(Whole(), law_that_draws(drawn)).with_delays())


@pytest.mark.parametrize(
    "drawn",
    [
        lambda first, rounds: np.full(rounds, NEVER),
        lambda first, rounds: np.full(rounds, 3, dtype=np.uint8),
        lambda first, rounds: np.full(2 * rounds, 3)[::2],
    ],
)
def test_whole_delays_of_any_kind_become_those_of_the_loop(drawn):
    for chunk in source_of(Whole(), law_that_draws(drawn)).with_delays():
        assert chunk.delays.dtype == np.int64
        assert chunk.delays.flags.c_contiguous
        assert chunk.delays.tolist() == drawn(1, len(chunk.rows)).tolist()
