"""Ranges: the recommended learner in people's own units is the one of the unit box, seen through an affine map."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument, OutsideRange
from belated.learners import catalogue
from belated.learners.card import Facts
from belated.learners.catalogue import NAMED
from belated.service import Ranges, units
from belated.service.making import ordered
from belated.service.ranges import CHOSEN, KINDS, LARGEST_VALUE, STEEPEST, chosen, read_ranges, recommended
from belated.service.units import FARTHEST, Units, begun, outer_domain, scaled_feedback, units_of

PRICE = Ranges([5.0], [20.0], [0.0, 100.0], rounds=1000, delay=50)
PAIR = Ranges([5.0, 0.0], [20.0, 1e6], [-40.0, 100.0], rounds=1000, delay=20)


def learner_of(ranges):
    return chosen(ranges, {})[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("curvature", [None, [0.1, 1e-9]])
def test_a_player_in_own_units_is_a_player_on_the_unit_box_scaled_by_hand(kind, curvature):
    ranges = PAIR._replace(feedback=kind, strong_convexity=curvature)
    learner, start = chosen(ranges, {"seed": 3, "initial": [8.0, 250_000.0]})
    assert learner.name == CHOSEN[kind, curvature is not None][0]
    scaled, plain = begun(learner, start), learner.start([0.2, 0.25], seed=3)
    rng = np.random.default_rng(0)
    for _ in range(40):
        mine, theirs = plain.ask(), scaled.ask()
        by_hand = [[5.0 + 15.0 * u, 0.0 + 1e6 * v] for u, v in mine.points.tolist()]
        assert theirs.round == mine.round
        assert np.allclose(theirs.points, by_hand, rtol=1e-12)
        if kind == "gradient":
            told = rng.normal(size=2) * [3.0, 1e-4]
            plain.tell([told[0] * 15.0 * 2 / 140.0, told[1] * 1e6 * 2 / 140.0], round=mine.round)
        else:
            told = rng.uniform(-40.0, 100.0, len(by_hand))
            plain.tell([(value - 30.0) / 70.0 for value in told], round=mine.round)
        scaled.tell(told.tolist(), round=theirs.round)


edges = st.floats(-1e6, 1e6)
widths = st.floats(1e-3, 1e6)


@given(low=edges, width=widths, place=st.floats(0.0, 1.0))
def test_points_stay_within_their_ranges_and_come_back(low, width, place):
    found = units_of({"lower": [low], "upper": [low + width], "values": [0.0, 1.0]})
    point = found.outside(np.array([[place]]))
    assert low <= point[0, 0] <= low + width
    assert found.inside(point[0])[0] == pytest.approx(place, abs=1e-6)
    assert 0.0 <= found.inside(np.array([low + width]))[0] <= 1.0
    assert found.domain().contains(point[0])


def test_without_the_clip_rounding_leads_out_of_the_range():
    """The guard of ``outside`` is needed: there are ranges whose upper end is not reached exactly."""
    rng = np.random.default_rng(0)
    ends = np.sort(rng.uniform(-10.0, 10.0, (2, 1000)), axis=0)
    assert (ends[0] + (ends[1] - ends[0]) * 1.0 > ends[1]).any()
    assert (Units(ends[0], ends[1], 0.0, 1.0).outside(np.ones((1, 1000))) <= ends[1]).all()


def test_gradients_follow_the_chain_rule():
    """The slope of the scaled cost along the unit box, by differences."""
    found = units_of({"lower": [5.0, 0.0], "upper": [20.0, 1e6], "values": [-40.0, 100.0]})

    def cost(point):
        return 0.2 * (point[0] - 9.0) ** 2 + 3e-11 * (point[1] - 4e5) ** 2

    def inside(place):
        return float(scaled_feedback(found, "values", [cost(found.outside(place[None])[0])], 1)[0])

    place, step = np.array([0.3, 0.7]), 1e-5
    point = found.outside(place[None])[0]
    slopes = scaled_feedback(found, "gradient", [0.4 * (point[0] - 9.0), 6e-11 * (point[1] - 4e5)], 2)
    for i in range(2):
        move = step * np.eye(2)[i]
        assert slopes[i] == pytest.approx((inside(place + move) - inside(place - move)) / (2 * step), rel=1e-6)


def test_values_outside_of_their_range_are_taken_unless_they_are_in_another_unit():
    found = units_of({"lower": [5.0], "upper": [20.0], "values": [0.0, 100.0]})
    assert scaled_feedback(found, "values", [150.0], 1).tolist() == [2.0]
    with pytest.raises(InvalidArgument, match="far outside of the values from 0 to 100"):
        scaled_feedback(found, "values", [50.0 * (FARTHEST + 2)], 1)
    for wrong in (np.nan, np.inf, 1e200, "5", None, [[1.0], 2.0]):
        with pytest.raises(InvalidArgument):
            scaled_feedback(found, "values", wrong, 1)


@pytest.mark.parametrize(
    ("feedback", "stray"),
    [
        (0.0, None),
        (100, None),
        ([50.0, 100.0], None),
        (0.1 + 99.9 + 1e-8, None),  # by rounding
        (100.001, 100.001),
        (-1, -1.0),
        ([50.0, 101.0, -3.0], 101.0),
    ],
)
def test_the_first_value_outside_of_the_declared_range_is_found(feedback, stray):
    assert units_of({"lower": [5.0], "upper": [20.0], "values": [0.0, 100.0]}).stray(feedback) == stray


def test_a_program_is_warned_once_of_values_that_are_outside_and_they_are_learned(tmp_path):
    """Warnings are errors in tests, so a second one would be seen."""
    words = (
        r"^'price': 150 is outside of the values from 0 to 100 that were declared\. It was learned .*sign.*unit.*wider"
    )
    with bl.open(f"sqlite:///{tmp_path}/knob.db") as store:
        knob = store.create("price", PRICE)
        for key in "abcde":
            knob.ask(key=key)
        assert knob.tell([50.0], key="a")
        with pytest.warns(OutsideRange, match=words) as heard:
            assert knob.tell([150.0], key="b")
        assert heard[0].filename == __file__
        assert not knob.tell([150.0], key="b")
        assert store["price"].tell([-1.0], key="c")
        other = store.create("other", PRICE)
        other.ask(key="a")
        with pytest.warns(OutsideRange, match="'other': -5 is outside"):
            other.tell(-5.0, key="a")
        assert [store._desks[name].life.figures.outside for name in ("price", "other")] == [2, 1]
    with bl.open(f"sqlite:///{tmp_path}/knob.db") as store, pytest.warns(OutsideRange, match="'price': 160"):
        store["price"].tell([160.0], key="d")


def test_a_refused_value_leaves_its_decision_open():
    with bl.open("memory://") as store:
        knob = store.create("price", PRICE)
        knob.ask(key="monday")
        with pytest.raises(InvalidArgument, match="far outside"):
            knob.tell([1e9], key="monday")
        for wrong, words in [
            ([-37.5, 1], r"^`tell\(feedback=\[-37.5, 1.0\]\)`: must have 1 number, got 2$"),
            ([], r"^`tell\(feedback=\[\]\)`: must have 1 number, got 0$"),
            ([[50.0]], r"^`tell\(feedback=\[\[50.0\]\]\)`: must have 1 number, got shape \(1, 1\)$"),
        ]:
            with pytest.raises(InvalidArgument, match=words) as caught:
                knob.tell(wrong, key="monday")
            assert caught.value.argument == "feedback"
        assert knob.tell([50.0], key="monday")


def test_the_edge_is_a_first_decision_although_probes_need_room():
    learner, start = chosen(PRICE, {"initial": [5.0]})
    assert 5.0 <= begun(learner, start).ask().point[0] < 8.0
    with pytest.raises(InvalidArgument, match="must lie within the ranges"):
        begun(learner, {**start, "initial": [4.9]})


def test_a_store_keeps_units_and_a_replay_is_the_life(tmp_path):
    address = f"sqlite:///{tmp_path}/knob.db"
    with bl.open(address) as store:
        knob = store.create("price", PRICE, initial=[10.0], seed=4, lower=[6.0], largest_move=3.0)
        points = [knob.ask(key=f"{i}").point.tolist() for i in range(20)]
        for i in range(10):
            knob.tell([(points[i][0] - 12.0) ** 2], key=f"{i}")
    assert all(6.0 <= point[0] <= 20.0 for point in points)
    with bl.open(address) as store:
        again = store.create("price", PRICE, lower=[6.0], largest_move=3.0)
        assert [again.ask(key=f"{i}").point.tolist() for i in range(20)] == points
        following = again.ask(key="next").point.tolist()
    with bl.open(address) as store:
        assert store["price"].ask(key="next").point.tolist() == following
        with pytest.raises(InvalidArgument, match="another learner"):
            store.create("price", PRICE._replace(upper=[30.0]))


def test_a_fixed_point_and_outcomes_are_in_own_units():
    with bl.open("memory://") as store:
        knob = store.create("price", PRICE, timeout=1.0, outcome=[100.0])
        desk = knob._desk
        store.do(desk, lambda now: desk.pause([12.5], now))
        assert knob.ask().point.tolist() == [12.5]
        with pytest.raises(InvalidArgument, match="must lie in"):
            store.do(desk, lambda now: desk.pause([0.5], now))
        with pytest.raises(InvalidArgument, match="far outside"):
            store.do(desk, lambda now: desk.configure({"outcome": [1e9]}, now))
        assert outer_domain(desk.life.description, desk.life.start) == bl.Box([5.0], [20.0])


def revenue_run(ranges, best, rounds, seed, late):
    """Play a knob whose cost is minus a parabola of revenue, with late feedback; the mean of the last fifth."""
    learner, start = chosen(ranges, {"seed": seed})
    player, queue, played = begun(learner, start), [], []
    width = np.subtract(ranges.upper, ranges.lower)
    for moment in range(rounds):
        play = player.ask()
        offs = (play.points - best) / width
        costs = -100.0 + 100.0 * np.mean(offs * offs, axis=1)
        slopes = 200.0 * offs[0] / width / width.size
        queue.append((play.round, slopes if ranges.feedback == "gradient" else costs))
        played.append(play.points.mean(axis=0))
        if moment >= late:
            told, feedback = queue.pop(0)
            player.tell(feedback, round=told)
    return np.mean(played[-rounds // 5 :], axis=0)


@pytest.mark.parametrize(
    ("kind", "curvature", "near"),
    [
        ("value", None, 0.1),
        ("values", None, 0.05),
        ("values", True, 0.02),
        ("gradient", None, 0.05),
        ("gradient", True, 0.01),
    ],
)
def test_a_tuned_knob_finds_the_best_price(kind, curvature, near):
    """The curve is parted over the coordinates, so each has a second derivative of 100 over its width squared."""
    lower, upper, best = np.array([5.0, 0.0]), np.array([20.0, 1e6]), np.array([9.0, 6e5])
    known = (100.0 / (upper - lower) ** 2).tolist() if curvature else None
    rounds = 6000 if kind == "value" else 1500
    ranges = Ranges(lower.tolist(), upper.tolist(), [-100.0, 0.0], rounds, 20, kind, known)
    found = revenue_run(ranges, best, rounds, seed=1, late=20)
    assert (np.abs(found - best) / (upper - lower)).max() < near


def test_ranges_over_the_wire_are_the_same():
    order = ordered({"ranges": json.loads(json.dumps(PAIR._asdict())), "seed": 2})
    assert order.description == learner_of(PAIR)
    assert order.start == {
        "seed": 2,
        "units": {"lower": [5.0, 0.0], "upper": [20.0, 1e6], "values": [-40.0, 100.0]},
    }


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"lower": [20.0]}, "lower"),
        ({"lower": [5.0, 6.0]}, "upper"),
        ({"lower": 5.0}, "lower"),
        ({"lower": ["5"]}, "lower"),
        ({"lower": [0.0] * 101}, "lower"),
        ({"upper": [5.0 + 1e-12]}, "lower"),
        ({"values": [0.0]}, "values"),
        ({"values": [1.0, 1.0]}, "values"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 1.5}, "rounds"),
        ({"delay": 0}, "delay"),
        ({"feedback": "label"}, "feedback"),
        ({"feedback": ["value"]}, "feedback"),
        ({"strong_convexity": -1.0}, "strong_convexity"),
        ({"strong_convexity": 1e-60}, "strong_convexity"),
        ({"depay": 3}, "depay"),
    ],
)
def test_ranges_that_cannot_be_are_refused_by_name(change, argument):
    with pytest.raises(InvalidArgument) as caught:
        ordered({"ranges": {**PRICE._asdict(), **change}})
    assert caught.value.argument == argument


def test_what_is_recommended_is_of_the_catalogue_and_on_the_unit_box():
    for kind, curved in CHOSEN:
        ranges = PAIR._replace(feedback=kind, strong_convexity=[0.1, 1e-9] if curved else None)
        found = recommended(ranges, units_of(ranges._asdict()))
        assert found.name in NAMED
        assert found.domain == bl.Box([0.0, 0.0], [1.0, 1.0])
    assert read_ranges(PRICE._asdict()) == PRICE


def test_a_curvature_counts_in_the_unit_box_where_a_curve_is_flattest():
    """Half the width makes a curve four times as flat; the scale of values is 2 / 100."""
    wide = Ranges([0.0, 0.0], [10.0, 5.0], [0.0, 100.0], 100, feedback="gradient", strong_convexity=0.5)
    assert learner_of(wide) == bl.dogd_sc(bl.Box([0.0, 0.0], [1.0, 1.0]), 0.5 * 25.0 * 2 / 100)


def test_a_wrong_scale_of_gradients_would_be_noticed(monkeypatch):
    """Scaling by the same width for all coordinates is caught by the comparison with code by hand."""
    monkeypatch.setitem(units.SCALED, "gradient", lambda found, told: told * found.width.mean() * found.slope)
    with pytest.raises(AssertionError):
        test_a_player_in_own_units_is_a_player_on_the_unit_box_scaled_by_hand("gradient", None)


CURVES = {
    "logistic, 13": lambda price: 1.0 / (1.0 + np.exp((price - 13.0) / 1.5)),
    "logistic, 10": lambda price: 1.0 / (1.0 + np.exp((price - 10.0) / 2.0)),
    "linear": lambda price: 0.05 + 0.9 * (20.0 - price) / 15.0,
    "exponential": lambda price: np.exp(-(price - 5.0) / 8.0),
}
"""The probability that one unit is sold at a price."""


def earned(values, sells, seed, rounds=2000, late=50):
    """What a price earns whose values were declared so, as part of what the best price does."""
    learner, start = chosen(Ranges([5.0], [20.0], values, rounds=rounds, delay=late), {"seed": seed})
    player, rng, waiting, total = begun(learner, start), np.random.default_rng(seed), [], 0.0
    for _ in range(rounds):
        play = player.ask()
        price = float(play.point[0])
        total += price * sells(price)
        waiting.append((play.round, -price if rng.random() < sells(price) else 0.0))
        if len(waiting) >= late:
            round_, value = waiting.pop(0)
            player.tell([value], round=round_)
    prices = np.linspace(5.0, 20.0, 1501)
    return total / rounds / float(np.max(prices * sells(prices)))


@pytest.mark.soak(sampled=False)
def test_a_range_of_values_that_is_too_wide_costs_what_the_page_says():
    """The experiment of ``docs/making.md``: ten seeds for each curve, and the mean of the worst curve."""
    for values, mean, worst in (([-20.0, 0.0], 0.93, 0.88), ([-100.0, 0.0], 0.83, 0.62)):
        found = [np.mean([earned(values, sells, seed) for seed in range(10)]) for sells in CURVES.values()]
        assert (round(float(np.mean(found)), 2), round(float(min(found)), 2)) == (mean, worst)


CANDIDATES = {
    "one_point_dda": lambda domain, facts: tuned("one_point_dda", domain, facts),
    "dftbl": lambda domain, facts: tuned("dftbl", domain, facts),
    "gold": lambda domain, facts: tuned("gold", domain, facts),
    "flaxman": lambda domain, facts: tuned("flaxman", domain, facts),
    "bold of flaxman": lambda domain, facts: bl.bold(
        tuned("flaxman", domain, facts._replace(rounds=facts.rounds // facts.delay))
    ),
}


def tuned(name, domain, facts):
    return NAMED[name](**catalogue.recommended(name, domain, facts, {}))


def mean_regret(make, dim, rounds, late, noise, seed):
    """What decisions cost above the best one, as part of the range of values; the curve and the noise are random."""
    domain = bl.Box(np.zeros(dim), np.ones(dim))
    player = make(domain, Facts(rounds, STEEPEST, 0.0, LARGEST_VALUE, late, rounds * late)).start(seed=seed)
    rng = np.random.default_rng(seed)
    best, total, waiting = rng.uniform(0.1, 0.9, dim), 0.0, []
    for _ in range(rounds):
        play = player.ask()
        cost = float(np.mean(((play.point - best) / np.maximum(best, 1 - best)) ** 2))
        total += cost
        waiting.append((play.round, np.clip(2 * cost - 1 + noise * rng.standard_normal(), -1, 1)))
        if len(waiting) >= late:
            round_, value = waiting.pop(0)
            player.tell([value], round=round_)
    return total / rounds


@pytest.mark.soak(sampled=False)
@pytest.mark.parametrize(("dim", "rounds", "late"), [(1, 10_000, 50), (1, 1000, 10)])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_what_is_recommended_for_one_value_is_among_the_best(dim, rounds, late, noise):
    """Half of the experiment of ``docs/making.md``: eight random curves for each learner."""
    means = {
        name: np.mean([mean_regret(make, dim, rounds, late, noise, seed) for seed in range(8)])
        for name, make in CANDIDATES.items()
    }
    assert means["one_point_dda"] < 1.25 * min(means.values())
