"""Checks refuse arguments of strange types with an error that names the argument, whatever the object does."""

import numpy as np
import pytest

import belated as bl
from belated.core import checks


class Stubborn:
    def __array__(self, *args, **kwargs):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")


def test_what_cannot_be_shown_is_named_by_its_type():
    assert checks.shown(Stubborn()) == "<Stubborn>"
    assert checks.shown(10**5000) == "<int>"


@pytest.mark.parametrize(
    "value", [Stubborn(), [10**5000, 0], [[1], [2, 3]], np.ma.array([1.0, 2.0], mask=[False, True])]
)
def test_what_is_no_vector_is_refused(value):
    with pytest.raises(bl.errors.InvalidArgument, match=r"`there\(this="):
        checks.vector("there", "this", value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bl.delays.Trace(np.ma.array([1, 2], mask=[False, True])),
        lambda: bl.delays.Fixed(10**5000),
        lambda: bl.dogd_sc(bl.Ball(2), 10**5000),
        lambda: bl.log_probe_radius(10**400),
        lambda: bl.bounds.theorem_1([1, 2], strong_convexity=1.0, radius=1.0, lipschitz=1e200),
        lambda: bl.bounds.certificate([1, 2], strong_convexity=1.0, radius=1.0, lipschitz=1e200),
        lambda: bl.simulate(
            {"a": bl.dogd_sc(bl.Ball(2), 1.0)}, bl.problems.RandomQuadratic(2), bl.delays.Fixed(1), 10**30, [0]
        ),
    ],
)
def test_extremes_are_belated_errors(call):
    with pytest.raises(bl.errors.InvalidArgument):
        call()


def test_whole_numbers_have_a_largest():
    assert checks.count("there", "this", 2**62) == 2**62
    with pytest.raises(bl.errors.InvalidArgument, match="must be <= 4611686018427387904"):
        checks.count("there", "this", 2**62 + 1)


with np.errstate(over="ignore"):
    HUGE = np.ldexp(np.longdouble(1.0), 2000)  # infinite already where the longest format is that of a float


def told(feedback):
    player = bl.dogd_sc(bl.Ball(2), 2.0).start()
    player.ask()
    player.tell(feedback)


@pytest.mark.parametrize(
    "call",
    [
        lambda: told(np.array([HUGE, 0.0])),
        lambda: told([0.0, -HUGE]),
        lambda: bl.dogd_sc(bl.Ball(2), HUGE),
        lambda: bl.dogd_sc(bl.Ball(2), 2.0).start([HUGE, 0.0]),
        lambda: bl.Ball(2, radius=HUGE),
        lambda: bl.Simplex(2, total=HUGE),
        lambda: bl.Ellipsoid(np.eye(2) * HUGE),
        lambda: bl.losses.Quadratic(2, np.eye(2) * HUGE),
        lambda: bl.problems.Recorded(bl.losses.Quadratic(2), np.full((3, 2), HUGE)).rows(0, 3),
    ],
)
def test_a_number_that_only_a_longer_format_can_hold_is_refused_without_a_warning(call):
    with pytest.raises(bl.errors.InvalidArgument):
        call()


def test_what_a_longer_format_has_within_range_is_taken():
    assert checks.vector("there", "this", np.array([1.5, 1e300], dtype=np.longdouble)).tolist() == [1.5, 1e300]


needs_longer = pytest.mark.skipif(bool(np.isinf(HUGE)), reason="no format here is longer than float64")


@needs_longer
@pytest.mark.parametrize(
    ("lower", "upper"),
    [([0.0], [HUGE]), ([-HUGE], [0.0]), ([-np.inf], np.array([HUGE])), ([np.longdouble(-np.inf), -HUGE], [1.0, 1.0])],
)
def test_a_side_of_a_box_that_is_finite_and_too_long_is_not_taken_for_infinite(lower, upper, monkeypatch):
    with pytest.raises(
        bl.errors.InvalidArgument, match=r"^`Box\(.*within the range of float64, entry \[\d\] is finite"
    ):
        bl.Box(lower, upper)
    monkeypatch.setattr(checks, "real_array", unguarded)
    assert np.isinf(bl.Box(lower, upper)).any(), "what the check is for"


def unguarded(where, name, value, copy=True):
    with np.errstate(over="ignore"):
        return np.array(np.asarray(value), dtype=np.float64)


def test_infinities_of_a_longer_format_are_infinite():
    box = bl.Box(np.array([-np.inf, 0.0], dtype=np.longdouble), np.array([1.0, np.inf], dtype=np.longdouble))
    assert box == bl.Box([-np.inf, 0.0], [1.0, np.inf])
