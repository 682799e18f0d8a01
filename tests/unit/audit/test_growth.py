"""``growth``: exact laws are read exactly, noisy ones by their interval, and horizons are not read at prefixes."""

import numpy as np
import pytest
import xarray as xr

import belated as bl
from belated.audit.laws import Estimate, exponent, jackknifed, local_slopes, open_ended, straightness, verdict
from belated.core.errors import InvalidArgument
from belated.sim.result import CURVES, MEASURES

SIZES = np.round(10.0 ** np.linspace(2, 5, 13))


def result(curves, rounds=SIZES, seeds=None):
    """A result of simulate that has these regrets, by learner: a row for each seed."""
    values = np.array(list(curves.values()))
    coords = {"learner": list(curves), "seed": seeds or list(range(values.shape[1])), "round": rounds.astype(int)}
    fields = dict.fromkeys(CURVES + MEASURES)
    fields["regret"] = xr.DataArray(values, coords, ("learner", "seed", "round"))
    return bl.Result(**fields)


def noisy(curve, seeds=20, noise=0.02):
    rng = np.random.default_rng(4)
    return curve * (1.0 + noise * rng.normal(size=(seeds, curve.size)))


@pytest.mark.parametrize("power", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_exact_laws_have_their_exponent_whatever_the_offset(power):
    rising = np.log(SIZES) if power == 0.0 else SIZES**power
    for offset in (0.0, 30.0):
        assert exponent(SIZES, offset + 5.0 * rising) == pytest.approx(power, abs=2e-3)


def test_slopes_would_take_the_offset_for_a_law():
    """Which is why the law is not read from them: 30 + sqrt(T) has slopes far below one half."""
    assert local_slopes(SIZES, SIZES**0.5) == pytest.approx(0.5)
    assert local_slopes(SIZES, 30.0 + SIZES**0.5)[0] < 0.2
    assert np.isnan(local_slopes(SIZES[:2], np.array([-1.0, 1.0]))).all()


def test_straightness_is_that_of_a_line_against_the_logarithm():
    curve = noisy(3.0 + 2.0 * np.log(SIZES), 1)[0]
    assert straightness(SIZES, curve) == pytest.approx(np.corrcoef(np.log(SIZES), curve)[0, 1] ** 2)
    assert straightness(SIZES, SIZES) < 0.9


def test_the_jackknife_of_a_mean_is_the_interval_of_students_t():
    numbers = np.array([[1.0], [2.0], [4.0], [5.0]])
    found = jackknifed(numbers, lambda curve: curve)[0]
    half = 3.182446305 * np.std(numbers, ddof=1) / 2.0
    assert found == pytest.approx((3.0, 3.0 - half, 3.0 + half))
    assert np.isnan(jackknifed(numbers[:1], lambda curve: curve)[0].low)


@pytest.mark.parametrize(
    ("power", "law"),
    [
        ((0.01, -0.02, 0.04), "log"),
        ((0.01, -0.02, 0.06), "undecided"),
        ((0.5, 0.4, 0.6), "power"),
        ((0.5, 0.04, 0.96), "undecided"),
        ((-0.5, -0.6, -0.4), "slower than log"),
        ((0.5, np.nan, np.nan), "undecided"),
    ],
)
def test_the_interval_decides(power, law):
    assert verdict(Estimate(*power)) == law


def test_an_exponent_at_the_end_of_the_search_has_an_open_interval():
    assert open_ended(Estimate(-1.0, -1.0, -0.99)) == (-1.0, -np.inf, -0.99)
    assert open_ended(Estimate(2.0, 1.99, 2.0)) == (2.0, 1.99, np.inf)
    assert open_ended(Estimate(0.5, 0.4, 0.6)) == (0.5, 0.4, 0.6)


def test_laws_are_told_apart():
    curves = {"dogd-sc": noisy(4.0 + 3.0 * np.log(SIZES)), "dogd": noisy(SIZES**0.5)}
    found = bl.growth(result(curves))
    assert {name: law.law for name, law in found.laws.items()} == {"dogd-sc": "log", "dogd": "power"}
    assert found.laws["dogd"].exponent.low < 0.5 < found.laws["dogd"].exponent.high
    assert found.laws["dogd-sc"].straight > 0.99
    assert np.array(found.laws["dogd"].slopes)[:, 0] == pytest.approx(0.5, abs=0.1)
    assert "dogd-sc: a + b ln T" in repr(found)
    rows = found.to_rows()
    assert len(rows) == 2 * SIZES.size
    assert rows[0]["size"] == 100.0
    assert np.isnan(rows[0]["slope"])
    assert rows[1]["slope"] == found.laws["dogd-sc"].slopes[0].value
    assert rows[5]["regret_mean"] == pytest.approx(curves["dogd-sc"].mean(axis=0)[5])


def test_results_of_several_sizes_are_read_at_their_ends():
    sizes = [1, 10, 100, 1000]
    results = {size: result({"mine": noisy(np.array([1.0, 7.0 * size]))}, np.array([5, 50])) for size in sizes[::-1]}
    for by in ("delay", "dim", "rounds"):
        found = bl.growth(results, by)
        assert found.sizes.tolist() == sizes
        assert found.laws["mine"].exponent.value == pytest.approx(1.0, abs=0.05)


HORIZON = {"bdogd-sc", "dbgd", "mild-ogd", "flaxman"}


@pytest.mark.parametrize("name", sorted(HORIZON))
def test_a_learner_that_knows_the_horizon_is_not_read_at_prefixes(name):
    curves = {name: noisy(SIZES**0.5, 3)}
    with pytest.raises(InvalidArgument, match="tuned to the number of rounds"):
        bl.growth(result(curves))
    ends = {int(size): result({name: curves[name][:, [i]]}, SIZES[[i]]) for i, size in enumerate(SIZES)}
    assert bl.growth(ends).sizes.size == SIZES.size


def test_a_name_of_somebodys_own_must_be_explained():
    curves = {"mine": noisy(SIZES**0.5, 3)}
    with pytest.raises(InvalidArgument, match=r"learners=\{'mine': learner\}"):
        bl.growth(result(curves))
    assert bl.growth(result(curves), learners={"mine": bl.dogd(bl.Ball(1), rate=0.1)}).by == "rounds"
    hidden = {"mine": bl.bdogd_sc(bl.Ball(1), 1.0, probe_radius=0.1)}
    with pytest.raises(InvalidArgument, match="bdogd_sc is tuned"):
        bl.growth(result(curves), learners=hidden)


@pytest.mark.parametrize(
    ("given", "by", "words"),
    [
        (lambda: result({"dogd": noisy(SIZES)}), "seeds", "must be one of rounds, delay, dim"),
        (lambda: result({"dogd": noisy(SIZES)}), "delay", "must be a mapping from each delay"),
        (
            lambda: result({"dogd": noisy(SIZES)[:, :3]}, SIZES[:3]),
            "rounds",
            r"simulate with regret_at=\[...\], at least 4",
        ),
        (lambda: result({"dogd": noisy(SIZES) - 200.0}), "rounds", "mean regret above 0"),
        (lambda: [1, 2], "dim", "must be a result of simulate"),
        (lambda: {}, "dim", "at least 4"),
        (
            lambda: {n: result({"dogd": noisy(SIZES, 2)}, seeds=[n, 9]) for n in (1, 2, 3, 4)},
            "dim",
            "same learners and seeds",
        ),
    ],
)
def test_what_has_no_law_is_refused(given, by, words):
    with pytest.raises(InvalidArgument, match=words):
        bl.growth(given(), by)


@pytest.mark.parametrize("wrong", [{"by": ["rounds"]}, {"by": 5}, {"learners": 5}, {"learners": {"mine": 5}}])
def test_arguments_of_another_kind_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(InvalidArgument, match=rf"^`growth\({name}=.*\)`: must be") as raised:
        bl.growth(result({"mine": noisy(SIZES**0.5, 3)}), **wrong)
    assert raised.value.argument == name
