"""The best fixed decision of a stream: as good as that of the whole table, in little memory."""

import math
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument, NumericalFailure
from belated.domains import EVERY, Ball, Box, Domain, Euclidean
from belated.losses import Linear, Logistic, LogWealth, Loss, Quadratic, SquaredError, SquaredHinge
from belated.losses.base import gradient, value
from belated.losses.logistic import logistic_slope, logistic_value
from belated.losses.prediction import link_slope, link_value
from belated.sim import compensated, tables
from belated.sim.compensated import ColumnSums, Total, missing_at_most
from belated.sim.hindsight import Best, begin_search, best_fixed, objectives, prefix_bests, searches
from belated.sim.tables import Given
from support.exact import assert_true, exact, least
from support.losses import described, members
from support.tables import Torn, Watched, streamed

DIM = 3
SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=4)
PREFIXES = st.sets(st.integers(1, 25), min_size=1, max_size=4).map(sorted)


def bits(bests: list[Best]) -> list[tuple[bytes, float, float]]:
    return [(best.point.tobytes(), best.value, best.gap) for best in bests]


def result(search: Any, *arguments: Any) -> list[Best] | str:
    """What a search finds, or how it refuses, but for who was asked."""
    try:
        found: list[Best] = search(*arguments)
    except InvalidArgument as refusal:
        return str(refusal).partition("(")[2]
    return found


@given(
    st.sampled_from(members(DIM)), st.sampled_from([family.example(DIM) for family in EVERY]), SEEDS, SIZES, PREFIXES
)
@settings(max_examples=80, deadline=None)
def test_a_stream_is_solved_like_the_whole_table(
    loss: Loss, domain: Domain, seed: int, sizes: list[int], prefixes: list[int]
) -> None:
    assert_like_the_whole(loss, domain, loss.example_rows(np.random.default_rng(seed), 25), prefixes, sizes)


def assert_like_the_whole(loss: Loss, domain: Domain, rows: Matrix, prefixes: list[int], sizes: list[int]) -> None:
    whole = result(prefix_bests, loss, rows, domain, prefixes)
    chunks = result(streamed, loss, rows, domain, prefixes, sizes)
    if isinstance(whole, str) or isinstance(chunks, str):
        assert isinstance(whole, str)
        assert isinstance(chunks, str)
        assert chunks.startswith("domain=")
        return
    assert len(chunks) == len(prefixes)
    for one, other, length in zip(whole, chunks, prefixes, strict=True):
        assert domain.contains(other.point)
        at_centre = math.fsum(value(loss, row, np.array(domain.centre)) for row in rows[:length])
        allowed = 1e-9 * (abs(at_centre) + abs(at_centre - other.value))
        assert other.gap <= 2.0 * one.gap + allowed
        if math.isfinite(one.gap):
            assert abs(one.value - other.value) <= one.gap + other.gap


@pytest.mark.parametrize("loss", members(DIM), ids=described)
def test_the_same_chunks_give_the_same_bits(loss: Loss) -> None:
    rows = loss.example_rows(np.random.default_rng(1), 40)
    domain = Box([0.1] * DIM, [1.0] * DIM)
    once, again = (streamed(loss, rows, domain, [5, 11, 40], [3, 7]) for _ in range(2))
    assert bits(once) == bits(again)


def hard(form: str, rng: np.random.Generator) -> tuple[Loss, Matrix]:
    """Rows of many sizes that all but cancel."""
    scales = 10.0 ** rng.uniform(-5.0, 5.0, DIM + 1)
    half = rng.normal(size=(15, DIM + 1)) * scales * 10.0 ** rng.uniform(0.0, 8.0, (15, 1))
    rows = np.concatenate([half, -half + rng.normal(size=half.shape) * scales])
    if form == "squares":
        return SquaredError(DIM, l2=float(rng.choice([0.0, 1e-6]))), rows
    return Quadratic(DIM, 10.0 ** rng.uniform(-5.0, 5.0, DIM)), rows[:, :DIM]


def checked(form: str, bounded: bool, seed: int, sizes: list[int]) -> None:
    """Certificates against fractions: after a quarter of the rows, a half (where they pile up), and all."""
    rng = np.random.default_rng(seed)
    loss, rows = hard(form, rng)
    domain = Box([-1.0] * DIM, [2.0] * DIM) if bounded else Euclidean(DIM)
    prefixes = [8, 15, 30]
    for length, best in zip(prefixes, streamed(loss, rows, domain, prefixes, sizes), strict=True):
        f = exact(loss, rows[:length])
        minimum = least(f, domain)
        assert minimum is not None
        assert math.isfinite(best.gap)
        assert_true(best, f, minimum)


@given(st.sampled_from(["diagonal", "squares"]), st.booleans(), SEEDS, SIZES)
@settings(max_examples=60, deadline=None)
def test_certificates_of_streams_hold_in_exact_arithmetic(
    form: str, bounded: bool, seed: int, sizes: list[int]
) -> None:
    checked(form, bounded, seed, sizes)


@pytest.mark.parametrize("size", [1, 5, 64])
def test_sums_over_chunks_are_rounded_by_no_more_than_they_say(size: int) -> None:
    rng = np.random.default_rng(size)
    loss = SquaredHinge(1)
    rows = np.column_stack([rng.normal(size=300) * 10.0 ** rng.uniform(-8.0, 8.0, 300), rng.choice([-1.0, 1.0], 300)])
    point = np.array([0.75])
    constants = loss.constants(rows, Euclidean(1))
    total = objectives.RowsTotal(objectives.Adder(loss), Torn(rows, [size]), len(rows), constants)
    height = slope = Fraction(0)
    for z, y in rows.tolist():
        missing = max(Fraction(0), 1 - Fraction(y) * Fraction(z) * Fraction(0.75))
        height += missing**2 / 2
        slope -= Fraction(y) * missing * Fraction(z)
    rounding = total.rounding(point)
    assert abs(height - Fraction(total.value(point))) <= Fraction(rounding.value)
    assert abs(slope - Fraction(float(total.gradient(point)[0]))) <= Fraction(float(rounding.gradient[0]))


@pytest.mark.parametrize("loss", [Quadratic(DIM, 2.0), Logistic(DIM, l2=0.1)], ids=described)
def test_a_long_stream_is_certified_as_well_as_a_short_one(loss: Loss) -> None:
    """Relative to F: no sum grows loose with the number of its terms."""
    rows = loss.example_rows(np.random.default_rng(3), 16)
    ball = Ball(DIM)
    short = best_fixed(loss, rows, ball, tolerance=1e-16)
    search = begin_search("test", loss, ball, [16 * 1024], tolerance=1e-16)
    for _ in range(1024):
        search.take(rows)
    (long,) = search.bests(Given(np.tile(rows, (1024, 1))))
    assert long.value == pytest.approx(1024 * short.value, rel=1e-13)
    assert long.gap <= 4 * 1024 * short.gap


# What searches demand, and what they do not mind.


@pytest.mark.parametrize("loss", [Quadratic(2), SquaredError(2), Logistic(2)], ids=described)
def test_rows_after_the_last_prefix_and_empty_chunks_do_not_count(loss: Loss) -> None:
    rows = loss.example_rows(np.random.default_rng(2), 9)
    search = begin_search("test", loss, Ball(2), [2, 6])
    for chunk in (rows[:0], rows[:4], rows[4:4], rows[4:8], rows[8:]):
        search.take(chunk)
    plain = prefix_bests(loss, rows, Ball(2), [2, 6])
    for one, other in zip(search.bests(Given(rows)), plain, strict=True):
        assert abs(one.value - other.value) <= one.gap + other.gap


def test_a_search_without_prefixes_finds_nothing() -> None:
    for loss in (Quadratic(2), SquaredError(2), Logistic(2)):
        search = begin_search("test", loss, Ball(2), [])
        search.take(loss.example_rows(np.random.default_rng(2), 3))
        assert search.bests(Torn(np.empty((0, loss.row_size)), [1])) == []


def test_a_prefix_that_was_never_reached_is_refused() -> None:
    search = begin_search("simulate", Quadratic(2), Ball(2), [1, 3])
    search.take(np.ones((2, 2)))
    with pytest.raises(InvalidArgument, match=r"`simulate\(prefixes=\[1, 3\]\)`: must be <= 2, the number of rows"):
        search.bests(Given(np.ones((2, 2))))


@pytest.mark.parametrize("loss", [SquaredError(2), Logistic(2)], ids=described)
def test_a_table_that_has_lost_rows_is_refused(loss: Loss) -> None:
    rows = loss.example_rows(np.random.default_rng(2), 5)
    search = begin_search("test", loss, Ball(2), [5])
    search.take(rows)
    with pytest.raises(InvalidArgument, match="must give as many rows"):
        search.bests(Given(rows[:4]))


def test_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match=r"`simulate\(domain=.*must have dimension 2, got 3"):
        begin_search("simulate", Quadratic(2), Ball(3), [1])
    with pytest.raises(InvalidArgument, match=r"`simulate\(prefixes=\[2, 1\]\)`: must grow"):
        begin_search("simulate", Quadratic(2), Ball(2), [2, 1])
    with pytest.raises(InvalidArgument, match=r"`simulate\(tolerance=0\)`: must be > 0"):
        begin_search("simulate", Quadratic(2), Ball(2), [1], tolerance=0)


# Compiled or not.


@pytest.mark.parametrize("loss", [Logistic(DIM), SquaredHinge(DIM, l2=0.1), LogWealth(DIM)], ids=described)
def test_compiled_searches_have_the_bits_of_plain_ones(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = loss.example_rows(np.random.default_rng(7), 20)
    domain = Box([0.1] * DIM, [1.0] * DIM)
    found = []
    for numbers in (1, 500, 10**9):
        monkeypatch.setattr(compensated, "LONG", numbers)
        found.append(bits(prefix_bests(loss, rows, domain, [3, 20])))
    assert found[0] == found[1] == found[2]


class Stubborn(Logistic):
    """A loss that no compiler takes."""

    __slots__ = ()


link_value.on(Stubborn)(logistic_value)
link_slope.on(Stubborn)(logistic_slope)


@value.on(Stubborn)
def stubborn_value(loss: Stubborn, row: Vector, point: Vector) -> float:
    prediction = float(np.dot(row[:-1], point.tolist()))
    return float({1.0: math.log1p(math.exp(-prediction)), -1.0: math.log1p(math.exp(prediction))}[float(row[-1])])


@gradient.on(Stubborn)
def stubborn_gradient(loss: Stubborn, row: Vector, point: Vector, out: Vector) -> None:
    out[:] = -row[-1] * row[:-1] / (1.0 + math.exp(row[-1] * float(np.dot(row[:-1], point.tolist()))))


def test_a_loss_that_cannot_be_compiled_is_solved_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compensated, "LONG", 1)
    rows = Logistic(DIM).example_rows(np.random.default_rng(7), 20)
    plain, compiled = (best_fixed(loss, rows, Ball(DIM)) for loss in (Stubborn(DIM), Logistic(DIM)))
    assert abs(plain.value - compiled.value) <= plain.gap + compiled.gap


# Memory.

STREAMABLE: list[Loss] = [Quadratic(DIM), Linear(DIM), SquaredError(DIM), SquaredHinge(DIM, l2=1.0)]


def watched_search(loss: Loss, rounds: int, size: int = 500) -> Watched:
    search = begin_search("test", loss, Ball(DIM), [rounds // 2, rounds], tolerance=1e-3)
    table = Watched(loss, size)
    for chunk in table.chunks(rounds):
        search.take(chunk)
    search.bests(table)
    return table


def peak(loss: Loss, rounds: int) -> int:
    tracemalloc.start()
    try:
        watched_search(loss, rounds)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_flat(loss: Loss) -> None:
    """Of 30 000 rows more, less than a quarter is kept.

    The peak has what all threads of the process allocate, and one that runs tests for pytest-xdist may be sent the
    numbers of some thousand tests meanwhile; so it is compared with the rows, and not with the little that is needed.
    """
    assert watched_search(loss, 10_000).most <= 3
    assert peak(loss, 40_000) - peak(loss, 10_000) < 30_000 * loss.row_size * 8 / 4


@pytest.mark.parametrize("loss", STREAMABLE, ids=described)
def test_memory_does_not_grow_with_the_rounds(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "SMALL", 0)
    assert_flat(loss)


def test_the_measure_of_memory_bears_what_others_allocate_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    for others in (0, 100_000):
        monkeypatch.setattr(f"{__name__}.peak", lambda loss, rounds, most=others: 77_000 + most * (rounds > 10_000))
        assert_flat(Quadratic(DIM))


def test_how_often_a_table_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched_search(Quadratic(DIM), 1000).readings == 1
    assert watched_search(SquaredError(DIM), 1000).readings == 1 + 2
    assert watched_search(SquaredHinge(DIM), 1000).readings == 1 + 1
    monkeypatch.setattr(tables, "SMALL", 0)
    assert watched_search(SquaredHinge(DIM), 1000).readings > 5


# Searches that are wrong, to show that the tests above would notice.


def test_a_search_that_keeps_all_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        assert_flat(SquaredHinge(DIM, l2=1.0))
    monkeypatch.setattr(searches.SquaresSearch, "_fold", lambda self: None)
    monkeypatch.setattr(searches.SquaresSearch, "_mark", lambda self, length: None)
    with pytest.raises(AssertionError):
        assert_flat(SquaredError(DIM))


def test_a_search_that_keeps_views_of_the_callers_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def keeping(self: Any, rows: Matrix) -> None:
        self._waiting.append(rows)

    monkeypatch.setattr(searches.SquaresSearch, "_add", keeping)
    rows = SquaredError(DIM).example_rows(np.random.default_rng(1), 25)
    with pytest.raises(NumericalFailure):
        assert_like_the_whole(SquaredError(DIM), Ball(DIM), rows, [25], [2])


def test_a_sum_without_its_rest_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(self: ColumnSums) -> Total:
        return Total(self._sums, missing_at_most(self.rows, self._lost))

    monkeypatch.setattr(ColumnSums, "total", forgetful)
    with pytest.raises(AssertionError):
        checked("diagonal", False, 1, [4])
