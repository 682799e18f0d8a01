"""``simulate``: labels, sums, regret, independence of everything that should not matter, and refusals.

What a single run does is tested in ``test_protocol``; here a naive loop through the tests' own driver is the witness
for the whole.
"""

import io
import math

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize

import belated as bl
from belated.core import streams
from belated.core.errors import InvalidArgument, MissingVerb, NumericalFailure
from belated.delays import NEVER
from belated.learners.parts.estimators import TwoPoint
from belated.learners.verbs import probe
from belated.sim import simulation
from support.runs import arrivals_by_round, record

DIM, ROUNDS, SEEDS = 3, 25, [0, 4, 11]
BALL = bl.Ball(DIM)
PROBLEM = bl.problems.RandomQuadratic(DIM)
LAW = bl.delays.Never(bl.delays.Geometric(4.0), 0.25)
LEARNERS = {
    "exact": bl.dogd_sc(BALL, 2.0),
    "coordinates": bl.bdogd_sc(BALL, 2.0, 0.1),
    "two points": bl.bdogd_sc_two_point(BALL, 2.0, 0.1),
    "sequential": bl.dbgd(BALL, 0.2, 0.1),
}
REGRET_AT = [1, 2, 10, 25]
WHOLE = ("cumulative_loss", "centre_cumulative_loss", "delays", "arrivals", "in_flight")
PARTIAL = ("regret", "centre_regret", "best_loss", "best_gap")


@pytest.fixture(scope="module")
def result():
    return bl.simulate(LEARNERS, PROBLEM, LAW, ROUNDS, SEEDS, regret_at=REGRET_AT)


def naive_rows(seed):
    return np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, DIM))


def delays_of(seed, law=LAW):
    """As documented: from a child of the seed."""
    return law.draw(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(streams.DELAYS,))), ROUNDS).tolist()


def f(b, x):
    return float(np.sum(x**2) + np.sum(b * x))


def same(one, other, but=()):
    return all(getattr(one, name).identical(getattr(other, name)) for name in WHOLE + PARTIAL if name not in but)


# Labels


def test_delays_are_those_that_were_drawn_and_arrays_have_their_names(result):
    assert result.delays.values.tolist() == [delays_of(seed) for seed in SEEDS]
    assert all(getattr(result, name).name == name for name in WHOLE + PARTIAL)
    assert repr(result).startswith("<Result (learner: 4, seed: 3, round: 25) with cumulative_loss")


def test_everything_is_labelled_by_what_it_depends_on(result):
    expected = {
        "cumulative_loss": ("learner", "seed", "round"),
        "centre_cumulative_loss": ("learner", "seed", "round"),
        "regret": ("learner", "seed", "round"),
        "centre_regret": ("learner", "seed", "round"),
        "best_loss": ("seed", "round"),
        "best_gap": ("seed", "round"),
        "delays": ("seed", "round"),
        "arrivals": ("seed", "round"),
        "in_flight": ("seed", "round"),
    }
    assert {name: getattr(result, name).dims for name in WHOLE + PARTIAL} == expected
    for name in WHOLE:
        assert getattr(result, name)["round"].values.tolist() == list(range(1, ROUNDS + 1))
    for name in PARTIAL:
        assert getattr(result, name)["round"].values.tolist() == REGRET_AT
    for name in expected:
        assert getattr(result, name)["seed"].values.tolist() == SEEDS
    assert result.regret["learner"].values.tolist() == list(LEARNERS)


def test_by_default_regret_is_after_the_last_round(result):
    last = bl.simulate(LEARNERS, PROBLEM, LAW, ROUNDS, SEEDS)
    assert last.regret["round"].values.tolist() == [ROUNDS]
    assert np.allclose(last.regret.sel(round=ROUNDS), result.regret.sel(round=ROUNDS), rtol=1e-13)


def test_a_single_round_of_regret_may_be_a_number():
    few = bl.simulate(LEARNERS, PROBLEM, LAW, ROUNDS, [0], regret_at=7)
    assert few.regret["round"].values.tolist() == [7]


# Values


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_cumulative_losses_are_those_of_a_naive_loop(result, name, seed):
    rows = naive_rows(seed)
    trace = record(LEARNERS[name], PROBLEM.loss, rows, delays_of(seed), seed=seed)
    played, centre, total, centre_total = [], [], 0.0, 0.0
    for row, points, x in zip(rows, trace.points[:ROUNDS], trace.decisions[:ROUNDS], strict=True):
        total += sum(f(row, point) for point in points) / len(points)
        centre_total += f(row, x)
        played.append(total)
        centre.append(centre_total)
    found = result.cumulative_loss.sel(learner=name, seed=seed)
    assert found.values == pytest.approx(played, rel=1e-12, abs=1e-12)
    assert result.centre_cumulative_loss.sel(learner=name, seed=seed).values == pytest.approx(
        centre, rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("last", REGRET_AT)
def test_regret_is_against_the_best_decision_of_the_rounds_so_far(result, seed, last):
    """The sum of t losses is t|x|^2 + B.x, least on the unit ball at -B/(2t), scaled back if that is too long."""
    total = naive_rows(seed)[:last].sum(axis=0)
    x = -total / (2 * last)
    x = x / max(1.0, float(np.linalg.norm(x)))
    least = last * float(x @ x) + float(total @ x)
    at = {"seed": seed, "round": last}
    assert float(result.best_loss.sel(at)) == pytest.approx(least, rel=1e-12, abs=1e-12)
    for regret, cumulative in (
        (result.regret, result.cumulative_loss),
        (result.centre_regret, result.centre_cumulative_loss),
    ):
        assert regret.sel(at).values == pytest.approx(cumulative.sel(at).values - least, rel=1e-12, abs=1e-12)


def test_regret_against_another_solver_where_there_is_no_formula():
    loss = bl.losses.Logistic(DIM, l2=0.2)
    rows = loss.example_rows(np.random.default_rng(8), 20)
    found = bl.simulate({"a": bl.ogd_sc(BALL, 0.2)}, bl.problems.Recorded(loss, rows), bl.delays.Fixed(1), 20, [0])
    ball = [{"type": "ineq", "fun": lambda x: 1.0 - float(x @ x)}]
    solved = minimize(
        lambda x: sum(loss.value(r, x) for r in rows), np.zeros(DIM), method="SLSQP", constraints=ball, tol=1e-13
    )
    assert solved.success
    assert float(found.best_loss.sel(round=20, seed=0)) == pytest.approx(solved.fun, abs=1e-6)
    assert float(found.best_gap.max()) <= 1e-6


def test_the_best_loss_is_certified(result):
    assert (result.best_gap >= 0.0).all()
    assert (result.best_gap <= 1e-8 * (1.0 + np.abs(result.best_loss))).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_arrivals_and_what_is_in_flight_follow_their_definitions(result, seed):
    delays, arrived = delays_of(seed), arrivals_by_round(delays_of(seed))
    assert any(d > ROUNDS for d in delays), "some feedback should never come"
    rounds = range(1, ROUNDS + 1)
    assert result.arrivals.sel(seed=seed).values.tolist() == [len(arrived[t]) for t in rounds]
    missing = [sum(k + d - 1 > t for k, d in enumerate(delays[:t], start=1)) for t in rounds]
    assert result.in_flight.sel(seed=seed).values.tolist() == missing


def test_feedback_after_the_last_round_changes_nothing():
    delays = [2, 9, 1, 4, 3, 1, 5, 2]
    cut = [min(d, 8 - t) for t, d in enumerate(delays)]
    late = [d if d <= 8 - t else NEVER for t, d in enumerate(delays)]
    runs = [bl.simulate(LEARNERS, PROBLEM, bl.delays.Trace(each), 8, [3]) for each in (delays, cut, late)]
    assert runs[0].cumulative_loss.identical(runs[1].cumulative_loss)
    assert same(runs[0], runs[2], but=("delays",))
    assert int(runs[0].in_flight.sel(round=8, seed=3)) == 3, "those of rounds 2, 7 and 8"


def test_each_learner_starts_where_it_is_told():
    first = {"exact": [0.6, 0.0, 0.0], "two points": [0.0, 0.9, 0.0]}
    found = bl.simulate(LEARNERS, PROBLEM, bl.delays.Fixed(NEVER), 4, [2], initial=first)
    rows = np.random.default_rng(2).uniform(-1, 1, (4, DIM))
    for name in LEARNERS:
        x = np.array(first.get(name, [0.0, 0.0, 0.0]))
        expected = np.cumsum([f(row, x) for row in rows])
        assert found.centre_cumulative_loss.sel(learner=name, seed=2).values == pytest.approx(
            expected, rel=1e-12, abs=1e-12
        )


def test_one_first_decision_for_all():
    found = bl.simulate(LEARNERS, PROBLEM, LAW, 5, [2], initial=[0.1, 0.2, 0.3])
    each = bl.simulate(LEARNERS, PROBLEM, LAW, 5, [2], initial={name: [0.1, 0.2, 0.3] for name in LEARNERS})
    assert same(found, each)
    at_first = found.centre_cumulative_loss.sel(round=1)
    assert at_first.values == pytest.approx(f(np.random.default_rng(2).uniform(-1, 1, DIM), np.array([0.1, 0.2, 0.3])))


def test_a_number_stands_for_every_entry_of_a_first_decision():
    of_vectors = bl.simulate(LEARNERS, PROBLEM, LAW, 5, [2], initial=[0.3, 0.3, 0.3])
    for initial in (0.3, np.float64(0.3), dict.fromkeys(LEARNERS, 0.3)):
        assert same(bl.simulate(LEARNERS, PROBLEM, LAW, 5, [2], initial=initial), of_vectors)


# What must not matter


def test_the_same_call_gives_the_same_numbers(result):
    assert same(result, bl.simulate(LEARNERS, PROBLEM, LAW, ROUNDS, SEEDS, regret_at=REGRET_AT))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_alone_gives_the_same_numbers_as_in_company(result, name):
    alone = bl.simulate({name: LEARNERS[name]}, PROBLEM, LAW, ROUNDS, SEEDS, regret_at=REGRET_AT)
    for field in ("cumulative_loss", "centre_cumulative_loss", "regret", "centre_regret"):
        assert getattr(alone, field).sel(learner=name).identical(getattr(result, field).sel(learner=name))
    assert alone.best_loss.identical(result.best_loss)
    assert alone.arrivals.identical(result.arrivals)


def test_the_order_of_learners_does_not_matter(result):
    backwards = dict(reversed(LEARNERS.items()))
    found = bl.simulate(backwards, PROBLEM, LAW, ROUNDS, SEEDS, regret_at=REGRET_AT)
    assert found.regret["learner"].values.tolist() == list(backwards)
    assert found.regret.sel(learner=list(LEARNERS)).identical(result.regret)


def test_a_seed_alone_gives_the_same_numbers_as_among_others(result):
    alone = bl.simulate(LEARNERS, PROBLEM, LAW, ROUNDS, [11], regret_at=REGRET_AT)
    for field in WHOLE + PARTIAL:
        assert getattr(alone, field).identical(getattr(result, field).sel(seed=[11]))


def test_a_longer_run_begins_with_a_shorter_one(result):
    short = bl.simulate(LEARNERS, PROBLEM, LAW, 10, SEEDS, regret_at=[1, 2, 10])
    assert short.cumulative_loss.identical(result.cumulative_loss.sel(round=slice(1, 10)))
    assert short.arrivals.identical(result.arrivals.sel(round=slice(1, 10)))
    assert short.regret.identical(result.regret.sel(round=[1, 2, 10]))


def test_seeds_differ(result):
    assert len(np.unique(result.regret.sel(learner="exact", round=ROUNDS))) == len(SEEDS)
    assert len(np.unique(result.arrivals.values, axis=0)) == len(SEEDS)


def test_the_law_of_delay_does_not_touch_the_losses(result):
    other = bl.simulate(LEARNERS, PROBLEM, bl.delays.Uniform(1, 9), ROUNDS, SEEDS, regret_at=REGRET_AT)
    assert other.best_loss.identical(result.best_loss)
    assert not other.arrivals.identical(result.arrivals)


def test_the_problem_does_not_touch_the_delays(result):
    other = bl.simulate({"a": bl.ogd_sc(bl.Ball(7), 2.0)}, bl.problems.RandomQuadratic(7), LAW, ROUNDS, SEEDS)
    assert other.arrivals.identical(result.arrivals)


@pytest.mark.parametrize("law", [bl.delays.Fixed(1), LAW])
def test_directions_come_from_the_learners_own_stream(law):
    """u_t is a Gaussian vector from a child of the seed, normalised, whatever the delays and the losses are."""
    own = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(streams.LEARNER,)))
    drawn = np.array([own.standard_normal(DIM) for _ in range(ROUNDS)])
    directions = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    points, original = [], probe.implementations[TwoPoint]

    def spied(estimator, centre, rng, scratch, out, memo):
        original(estimator, centre, rng, scratch, out, memo)
        points.append(out.copy())

    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(probe.implementations, TwoPoint, spied)
        bl.simulate({"two points": LEARNERS["two points"]}, PROBLEM, law, ROUNDS, [4])
    found = [(pair[0] - pair[1]) / 0.2 for pair in points]
    assert np.allclose(found, directions, atol=1e-12)


def test_the_three_streams_of_a_seed_are_three():
    first = [make(9).random(4).tolist() for make in (streams.losses, streams.delays, streams.learner)]
    assert len({tuple(each) for each in first}) == 3


# The dataset


def test_a_dataset_holds_everything_and_gives_it_back(result):
    dataset = result.to_dataset()
    assert isinstance(dataset, xr.Dataset)
    assert set(dataset.data_vars) == set(WHOLE + PARTIAL)
    assert dict(dataset.sizes) == {
        "learner": len(LEARNERS),
        "seed": len(SEEDS),
        "round": ROUNDS,
    }
    for name in set(WHOLE) - {"delays"}:
        assert dataset[name].equals(getattr(result, name))
    never = (result.delays == NEVER).values
    assert never.any()
    assert np.array_equal(np.isinf(dataset["delays"]), never)
    assert np.array_equal(dataset["delays"].values[~never], result.delays.values[~never])
    for name in PARTIAL:
        assert dataset[name].sel(round=REGRET_AT).equals(getattr(result, name))
        assert dataset[name].dropna("round").equals(getattr(result, name)), "nothing is known of other rounds"


def test_a_dataset_survives_a_file(result, tmp_path):
    dataset = result.to_dataset()
    dataset.to_netcdf(tmp_path / "runs.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "runs.nc", engine="scipy") as stored:
        xr.testing.assert_equal(stored.load(), dataset)


def test_results_are_compared_as_objects(result):
    """Not field by field: arrays have no single truth."""
    itself = result
    assert result == itself
    assert result != bl.simulate(LEARNERS, PROBLEM, LAW, ROUNDS, SEEDS, regret_at=REGRET_AT)
    assert len({result, itself}) == 1


# The bar


def test_a_bar_is_shown_on_the_standard_error_and_only_there(capfd):
    bl.simulate(LEARNERS, PROBLEM, LAW, 5, [0, 1], progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "two points" in err
    assert "100%" in err


class Terminal(io.StringIO):
    """A standard error that somebody looks at."""

    def isatty(self):
        return True


@pytest.mark.parametrize(("progress", "shown"), [(None, True), (True, True), (False, False)])
def test_by_default_there_is_a_bar_on_a_terminal(progress, shown, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    bl.simulate(LEARNERS, PROBLEM, LAW, 5, [0, 1], progress=progress)
    assert ("100%" in terminal.getvalue()) == shown


@pytest.mark.parametrize("progress", [None, False])
def test_elsewhere_nothing_is_shown_unasked(progress, capfd):
    bl.simulate(LEARNERS, PROBLEM, LAW, 5, [0, 1], progress=progress)
    assert capfd.readouterr() == ("", "")


# Refusals


@pytest.fixture
def no_run(monkeypatch):
    """A refusal must come before anything is played."""

    def played(*arguments):
        raise AssertionError("a run was begun")

    monkeypatch.setattr(simulation, "run_jobs", played)
    monkeypatch.setattr(simulation, "loop_for", played)


def refused(message, **changes):
    arguments = {"learners": LEARNERS, "problem": PROBLEM, "delays": LAW, "rounds": 9, "seeds": [0], **changes}
    with pytest.raises(InvalidArgument, match=message) as caught:
        bl.simulate(**arguments)
    assert isinstance(caught.value, ValueError)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("rounds", [0, -3, 2.0, "9", None, True, math.nan])
def test_rounds_must_be_a_positive_whole_number(rounds):
    refused(r"^`simulate\(rounds=.*\)`: must be (>= 1|a whole number)$", rounds=rounds)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("learners", [{}, [], None, LEARNERS["exact"], [LEARNERS["exact"]]])
def test_learners_must_be_a_mapping_that_is_not_empty(learners):
    refused(r"^`simulate\(learners=.*must map one or more names to learners", learners=learners)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("learners", [{"a": "dogd_sc"}, {"a": bl.dogd_sc}, {"a": None}, {1: LEARNERS["exact"]}])
def test_names_must_be_mapped_to_learners(learners):
    refused(r"^`simulate\(learners=\{.*\)`: must map names to learners, such as dogd_sc", learners=learners)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize(
    "domain", [bl.Ball(DIM, 2.0), bl.Ball(DIM, centre=[1.0, 0.0, 0.0]), bl.Box([-1.0] * 3, [1.0] * 3)]
)
def test_learners_must_share_their_domain(domain):
    learners = {"a": LEARNERS["exact"], "b": bl.dogd_sc(domain, 2.0)}
    refused(r"^`simulate\(learners='b'\)`: must have the same domain as 'a' to be compared$", learners=learners)


def test_a_learner_that_probes_shares_the_domain_it_plays_in(result):
    """Its decisions live in a smaller one; that is no difference."""
    assert LEARNERS["coordinates"].decision_domain != BALL
    assert "coordinates" in result.regret["learner"]


@pytest.mark.usefixtures("no_run")
def test_the_problem_must_have_the_dimension_of_the_learners():
    message = r"^`simulate\(problem=RandomQuadratic\(dim=4\)\)`: must have dimension 3, as the learners do$"
    refused(message, problem=bl.problems.RandomQuadratic(4))


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("problem", [None, "quadratic", bl.losses.Quadratic(3), np.zeros((9, 3))])
def test_the_problem_must_be_one(problem):
    refused(r"^`simulate\(problem=.*must be a problem, such as RandomQuadratic", problem=problem)


class Odd:
    """A problem whose rows are as given, whatever was asked for."""

    loss = PROBLEM.loss

    def __init__(self, rows):
        self.given = rows

    def rows(self, seed, rounds):
        return self.given


def test_a_problem_must_keep_its_promises():
    with_nan = np.zeros((9, 3))
    with_nan[4, 1] = np.nan
    refused(r"must have 9 rows for seed 0, got 8$", problem=Odd(np.zeros((8, 3))))
    refused(r"^`simulate\(problem=.*: `simulate\(rows=.*must have shape \(rows, 3\)", problem=Odd(np.zeros((9, 2))))
    refused(r"^`simulate\(problem=.*: `simulate\(rows=.*must be finite, entry \[4, 1\] is nan", problem=Odd(with_nan))


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("delays", [None, [1, 2], 3, bl.delays.Fixed, "Fixed(1)"])
def test_delays_must_be_a_law(delays):
    refused(r"^`simulate\(delays=.*must be a law of delay, such as Periodic", delays=delays)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("law", [bl.delays.Trace([1] * 8), bl.delays.Never(bl.delays.Trace([1] * 8), 0.5)])
def test_a_recorded_law_must_be_long_enough(law):
    refused(r"^`simulate\(rounds=9\)`: must be <= 8, the rounds that (Trace|Never)", delays=law)


@pytest.mark.usefixtures("no_run")
def test_a_recorded_problem_must_be_long_enough():
    problem = bl.problems.Recorded(PROBLEM.loss, np.zeros((8, 3)))
    refused(r"^`simulate\(rounds=9\)`: must be <= 8, the rounds that Recorded", problem=problem)


def test_recorded_delays_and_losses_of_just_the_right_length_are_enough():
    problem = bl.problems.Recorded(PROBLEM.loss, np.ones((8, 3)))
    found = bl.simulate(LEARNERS, problem, bl.delays.Trace([1] * 8), 8, [0, 1])
    assert np.array_equal(found.best_loss.sel(seed=0), found.best_loss.sel(seed=1))


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize(
    "seeds", [0, -3, None, 2.5, True, 10**9, np.array(0), np.array(2.5), np.array(True), np.ma.masked]
)
def test_seeds_must_be_some_or_their_number(seeds):
    refused(r"^`simulate\(seeds=.*\)`: must be (>= 1|a whole number|<= 1000000)$", seeds=seeds)


@pytest.mark.parametrize("number", [3, np.int64(3), np.array(3)])
def test_a_number_of_seeds_counts_from_zero_as_in_compare(number):
    found = bl.simulate(LEARNERS, PROBLEM, LAW, 3, number)
    assert found.to_dataset().identical(bl.simulate(LEARNERS, PROBLEM, LAW, 3, range(3)).to_dataset())
    assert bl.compare(LEARNERS, PROBLEM, LAW, 3, number).setting.seeds == (0, 1, 2)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("seeds", [[], range(0), [0, 0], [1, 2, 1], (3, np.int64(3))])
def test_seeds_must_be_there_and_differ(seeds):
    refused(r"^`simulate\(seeds=.*\)`: must be one or more different seeds, or their number$", seeds=seeds)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("seeds", [[0, -1], [0.0], ["0"], [None], [True], "ab"])
def test_each_seed_must_be_a_whole_number_from_zero(seeds):
    refused(r"^`simulate\(seeds=.*\)`: must be (>= 0|a whole number)$", seeds=seeds)


def test_seeds_may_be_anything_that_can_be_gone_through_once():
    found = bl.simulate(LEARNERS, PROBLEM, LAW, 3, (2 * i for i in range(2)))
    assert found.regret["seed"].values.tolist() == [0, 2]


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize(
    "regret_at", [[3, 2], [2, 2], [1, 10], 10, [[1, 2], [3]], 0, [0, 3], [-1], [1.0, 2.0], "3", [True], [[1, 2]]]
)
def test_rounds_of_regret_must_grow_within_the_run(regret_at):
    refused(r"^`simulate\(regret_at=.*\)`: must be increasing rounds", regret_at=regret_at)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("record", ["some", [3, 2], [10], 0, [1.5], [[1]]])
def test_record_must_be_a_word_or_growing_rounds(record):
    refused(r"^`simulate\(record=.*\)`: must be (\"all\", \"log\" or|increasing) rounds", record=record)


@pytest.mark.usefixtures("no_run")
@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_workers_must_be_a_positive_whole_number(workers):
    refused(r"^`simulate\(workers=.*\)`: must be (>= 1|a whole number)$", workers=workers)


@pytest.mark.usefixtures("no_run")
def test_first_decisions_must_be_of_learners_that_take_part():
    initial = {"exact": [0.0] * 3, "absent": [0.0] * 3}
    refused(r"^`simulate\(initial=\{'absent'.*must name learners, which are exact, coordinates", initial=initial)


@pytest.mark.usefixtures("no_run")
def test_a_number_that_is_no_first_decision_is_refused():
    refused(r"^`simulate\(initial=.*must lie in Ball.*, for the learner 'exact'$", initial=0.9)
    refused(r"^`simulate\(initial=True\)`: ", initial=True)
    refused(r"^`simulate\(initial=1e\+300\)`: must be at most", initial=1e300)
    refused(r"^`simulate\(initial=.*must be finite", initial=math.nan)


@pytest.mark.usefixtures("no_run")
def test_first_decisions_must_lie_where_decisions_may():
    """For one that probes that is the shrunk domain; and the refusal comes before the others have played."""
    refused(r"^`simulate\(initial=.*must lie in Ball.*, for the learner 'exact'$", initial=[1.0, 1.0, 0.0])
    refused(r"^`simulate\(initial=.*must lie in Ball\(.*radius=0.9\), for", initial=[0.95, 0.0, 0.0])
    refused(r"^`simulate\(initial=.*must have shape \(3,\).*'two points'$", initial={"two points": [0.0]})
    refused(r"^`simulate\(initial=.*must be finite, .*for the learner", initial={"exact": [math.nan, 0.0, 0.0]})


def test_losses_that_are_not_finite_are_an_error_that_names_learner_round_and_seed():
    wide = bl.Ball(1, radius=10.0)
    problem = bl.problems.Recorded(bl.losses.Quadratic(1, 1e307), [[0.0], [0.0]])
    with pytest.raises(NumericalFailure, match=r"^`simulate`: the loss of a in round 1 of seed 6"):
        bl.simulate({"a": bl.dogd_sc(wide, 2.0)}, problem, bl.delays.Fixed(1), 2, [6], initial=[9.0])


def test_without_rounds_of_regret_there_are_curves_and_no_regret():
    learners, problem = {"a": bl.dogd_sc(bl.Ball(2), 2.0)}, bl.problems.RandomQuadratic(2)
    result = bl.simulate(learners, problem, bl.delays.Fixed(2), 30, [0, 1], regret_at=[])
    assert result.regret.sizes == {"learner": 1, "seed": 2, "round": 0}
    assert result.best_loss.sizes == {"seed": 2, "round": 0}
    whole = bl.simulate(learners, problem, bl.delays.Fixed(2), 30, [0, 1])
    assert result.cumulative_loss.identical(whole.cumulative_loss)
    assert result.to_dataset().attrs == {"interrupted": 0, "thinned": 0}


class Forgotten(bl.losses.Linear):
    """A loss that has registered nothing."""

    __slots__ = ()


def test_a_loss_without_its_verbs_is_refused_before_anything_is_compiled():
    problem = bl.problems.Recorded(Forgotten(2), np.zeros((20_000, 2)))
    with pytest.raises(MissingVerb, match=r"^`value` has no implementation for Forgotten"):
        bl.simulate({"a": bl.ogd_sc(bl.Ball(2), 2.0)}, problem, bl.delays.Fixed(1), 20_000, [0])


def test_a_problem_must_have_rows():
    class Bare:
        loss = bl.losses.Linear(2)

    with pytest.raises(InvalidArgument, match=r"^`simulate\(problem=.*\)`: must have a method `rows` or `sampler`"):
        bl.simulate({"a": bl.ogd_sc(bl.Ball(2), 2.0)}, Bare(), bl.delays.Fixed(1), 5, [0])
