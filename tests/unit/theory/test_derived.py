"""The bounds of ``docs/derivations`` against their formulas, written out round by round from the pages, and misused.

Every formula is also evaluated with one feedback too many missing in each round, a plausible mistake, and must then
give another number: the comparison has the power to notice.
"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import belated as bl
from belated.core.errors import InvalidArgument
from belated.delays import NEVER

any_delays = st.lists(st.integers(1, 6) | st.integers(1, 60) | st.just(NEVER), min_size=1, max_size=25)
few_delays = st.lists(st.integers(1, 12) | st.just(NEVER), min_size=1, max_size=10)
constants = st.floats(0.05, 20.0)
numbers = {"rel": 1e-12}


def missing(delays):
    """U_t for t = 1..T: the rounds k < t with k + d_k - 1 >= t."""
    numbered = list(enumerate(delays, start=1))
    return [[k for k, d in numbered if k < t <= k + d - 1] for t, _ in numbered]


def one_too_many(delays):
    """The mutant: every round counts as missing when it is played."""
    return [[*rounds, t] for t, rounds in enumerate(missing(delays), start=1)]


def charge(delays, lacks):
    return sum(1 + 2 * len(rounds) for rounds in lacks(delays))


def naive_dogd(delays, lacks, rate, diameter, lipschitz):
    late = sum(len(rounds) for rounds in lacks(delays))
    return diameter**2 / (2 * rate) + rate * lipschitz**2 * (len(delays) / 2 + late)


def naive_sequential_dogd(delays, lacks, rate, diameter, lipschitz):
    """Half a square per step, and a whole one per pair of rounds of which one is missing when the other is played."""
    pairs = [(i, k) for k, rounds in enumerate(lacks(delays), start=1) for i in rounds]
    return diameter**2 / (2 * rate) + sum(rate * lipschitz**2 / 2 for _ in delays) + rate * lipschitz**2 * len(pairs)


def naive_dogd_adaptive(delays, lacks, diameter, lipschitz):
    return math.sqrt(2) * diameter * lipschitz * math.sqrt(charge(delays, lacks))


def naive_dda(delays, lacks, radius, lipschitz):
    return 2 * math.sqrt(radius**2 / 2) * lipschitz * math.sqrt(charge(delays, lacks))


def naive_ftdl(delays, lacks, strong_convexity, diameter, lipschitz):
    total = 0.0
    for t, rounds in enumerate(lacks(delays), start=1):
        c = lipschitz * (lipschitz + (lipschitz + strong_convexity * diameter) * len(rounds))
        total += c / (strong_convexity * t)
    return total


def balanced(curvature, reach, charges):
    """a_T P, each a_t searched for in its equation a_t P = A_{t-1} + c_t / (mu t + a_t)."""
    spent = 0.0
    for t, c in enumerate(charges, start=1):

        def excess(a, spent=spent, t=t, c=c):
            return a * reach - spent - c / (curvature * t + a)

        a = brentq(excess, 0.0, (spent + c / (curvature * t)) / reach, xtol=1e-300, rtol=1e-15)
        spent += c / (curvature * t + a)
    return spent


def naive_curvature_ftrl(delays, lacks, strong_convexity, radius, diameter, lipschitz):
    late = [len(rounds) for rounds in lacks(delays)]
    charges = [lipschitz * (lipschitz + (lipschitz + strong_convexity * diameter) * s) for s in late]
    return 2 * balanced(strong_convexity, radius**2 / 2, charges)


def naive_composite_ftrl(delays, lacks, regulariser, largest_norm, lipschitz):
    late = [len(rounds) for rounds in lacks(delays)]
    charges = [lipschitz**2 / 2 + (lipschitz + regulariser * largest_norm) * lipschitz * s for s in late]
    return 2 * balanced(regulariser, largest_norm**2 / 2, charges)


def naive_skipping(delays, lacks, radius, diameter, lipschitz):
    """The rule at the end of every round but the last: whoever is missing and older than sqrt(2 V) is given up."""
    rounds, weight, given_up = len(delays), 0, set()
    for t in range(1, rounds + 1):
        weight += 1 + 2 * len(set(lacks(delays)[t - 1]) - given_up)
        if t < rounds:
            still = {k for k in range(1, t + 1) if k + delays[k - 1] - 1 > t} - given_up
            given_up |= {k for k in still if t - k > math.sqrt(2 * weight)}
    return math.sqrt(2 * weight) * radius * lipschitz + len(given_up) * lipschitz * diameter


FORMULAS = {
    "dogd": (naive_dogd, ["rate", "diameter", "lipschitz"]),
    "sequential_dogd": (naive_sequential_dogd, ["rate", "diameter", "lipschitz"]),
    "dogd_adaptive": (naive_dogd_adaptive, ["diameter", "lipschitz"]),
    "dda": (naive_dda, ["radius", "lipschitz"]),
    "ftdl": (naive_ftdl, ["strong_convexity", "diameter", "lipschitz"]),
    "curvature_ftrl": (naive_curvature_ftrl, ["strong_convexity", "radius", "diameter", "lipschitz"]),
    "composite_ftrl": (naive_composite_ftrl, ["regulariser", "largest_norm", "lipschitz"]),
    "skipping": (naive_skipping, ["radius", "diameter", "lipschitz"]),
}


@pytest.mark.parametrize("name", FORMULAS)
@given(delays=any_delays, values=st.lists(constants, min_size=4, max_size=4))
@example(delays=[1], values=[1.0] * 4)
@example(delays=[NEVER] * 5, values=[1.0] * 4)
@example(delays=[5, 4, 3, 2, 1], values=[0.5, 2.0, 3.0, 0.1])
@example(delays=[NEVER, 1, NEVER] + [1] * 40, values=[0.5, 2.0, 3.0, 0.1])
def test_bounds_from_counts_are_their_formulas(name, delays, values):
    naive, names = FORMULAS[name]
    known = dict(zip(names, values, strict=False))
    found = getattr(bl.bounds, name)(delays, **known)
    assert found == pytest.approx(naive(delays, missing, **known), **numbers)
    assert found != pytest.approx(naive(delays, one_too_many, **known), **numbers)


def test_some_of_these_runs_give_rounds_up():
    lost, known = [NEVER] + [1] * 19, {"radius": 1.0, "lipschitz": 1.0}
    near, far = (bl.bounds.skipping(lost, diameter=across, **known) for across in (1.0, 2.0))
    assert far - near == pytest.approx(1.0)  # one round was given up, and then V stopped growing by two
    assert near - 1.0 < bl.bounds.dda(lost, **known)


@settings(max_examples=30)
@given(st.lists(st.sampled_from([1, 1, 1, 2, 9, NEVER]), min_size=1, max_size=40))
@example([NEVER] + [1] * 19)
@example([9, NEVER, 1] * 13)
def test_the_rule_of_skipping_is_that_of_the_learner(delays):
    """The bound counts by its own code. What the wrapper has counted in a run with these delays is the same."""
    player = bl.skipping(bl.dda(bl.Ball(1), 1.0)).start()
    for t in range(1, len(delays) + 1):
        player.ask()
        for k in [k for k in range(1, t + 1) if k + delays[k - 1] - 1 == t < len(delays)]:
            player.tell([0.0], round=k)
    state, known = player.state(), {"radius": 0.5**0.5, "lipschitz": 1.0}
    waited, given_up = int(state["policy.counts"][5]), int(state["policy.marks"][1])
    found = bl.bounds.skipping(delays, diameter=1.0, **known)
    assert found == pytest.approx(math.sqrt(waited) + given_up, **numbers)


def naive_hedge(delays, lacks, dim, spread):
    """ln n / eta_T and b^2 / 8 times the sum of eta_t (1 + 2 sigma_t), the sum replaced by what bounds it."""
    weight = charge(delays, lacks)
    return math.log(dim) / math.sqrt(math.log(dim) / weight) + spread**2 / 8 * 2 * math.sqrt(math.log(dim) * weight)


@given(any_delays, st.integers(2, 40), constants)
@example([1], 2, 2.0)
def test_hedge_is_its_formula(delays, dim, spread):
    found = bl.bounds.hedge(delays, dim=dim, spread=spread)
    assert found == pytest.approx(naive_hedge(delays, missing, dim, spread), **numbers)
    assert found != pytest.approx(naive_hedge(delays, one_too_many, dim, spread), **numbers)
    root = math.sqrt(math.log(dim) * charge(delays, missing))
    assert bl.bounds.hedge(delays, dim=dim, spread=2.0) == pytest.approx(2 * root, **numbers)
    assert bl.bounds.hedge(delays, dim=dim, spread=1.0) == pytest.approx(1.25 * root, **numbers)


def naive_one_point_dda(delays, lacks, radius, inner_radius, lipschitz, bound, dim, probe_radius):
    size, total = dim * bound / probe_radius, 0.0
    for rounds in lacks(delays):
        total += size**2 + 2 * lipschitz * (size * math.sqrt(len(rounds)) + lipschitz * len(rounds))
    reach = (1 - probe_radius / inner_radius) ** 2 * radius**2 / 2
    looking = lipschitz + lipschitz * radius / inner_radius
    return 2 * math.sqrt(reach * total) + probe_radius * len(delays) * looking


@given(any_delays, *[constants] * 4, st.integers(1, 9), st.floats(0.01, 0.9))
@example([1], 1.0, 1.0, 1.0, 1.0, 1, 0.5)
def test_one_point_dda_is_its_formula(delays, more, inner, steep, most, dim, part):
    known = {"radius": inner + more, "inner_radius": inner, "lipschitz": steep, "bound": most, "dim": dim}
    known["probe_radius"] = part * inner
    found = bl.bounds.one_point_dda(delays, **known)
    assert found == pytest.approx(naive_one_point_dda(delays, missing, **known), **numbers)
    assert found != pytest.approx(naive_one_point_dda(delays, one_too_many, **known), **numbers)


def naive_dbgd(delays, lacks, rate, radius, inner_radius, lipschitz, smoothness, dim, probe_radius):
    estimates = min(math.sqrt(dim) * lipschitz, lipschitz + math.sqrt(dim) * smoothness * probe_radius / 2)
    moving = naive_dogd(delays, lacks, rate, radius - probe_radius * radius / inner_radius, estimates)
    looking = math.sqrt(dim) * smoothness * radius + lipschitz + lipschitz * radius / inner_radius
    return moving + len(delays) * probe_radius * looking


@given(any_delays, *[constants] * 5, st.integers(1, 9), st.floats(0.01, 0.9))
@example([1], 1.0, 1.0, 1.0, 1.0, 1.0, 1, 0.5)
def test_dbgd_is_its_formula(delays, rate, more, inner, steep, smooth, dim, part):
    known = {"rate": rate, "radius": inner + more, "inner_radius": inner, "lipschitz": steep, "smoothness": smooth}
    known |= {"dim": dim, "probe_radius": part * inner}
    found = bl.bounds.dbgd(delays, **known)
    assert found == pytest.approx(naive_dbgd(delays, missing, **known), **numbers)
    assert found != pytest.approx(naive_dbgd(delays, one_too_many, **known), **numbers)


def tables(seed, rounds, count):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, rounds, int(rng.integers(1, 5))))


def naive_vaw(delays, lacks, features, regulariser, label_bound, comparator):
    """Labels that are missing, one by one, each seen from both ends; matrices inverted."""
    lack = lacks(delays)
    total, quadratic = 0.0, []
    for t in range(len(delays)):
        matrix = regulariser * np.eye(features.shape[1]) + sum(np.outer(z, z) for z in features[: t + 1])
        quadratic.append(float(features[t] @ np.linalg.inv(matrix) @ features[t]))
        total += quadratic[t] / 2 + sum(quadratic[t] + quadratic[k - 1] for k in lack[t])
    return regulariser / 2 * float(np.linalg.norm(comparator)) ** 2 + label_bound**2 * total


@given(any_delays, constants, constants, st.integers(0, 2**32))
@example([1], 1.0, 1.0, 0)
def test_vaw_is_its_formula(delays, held, most, seed):
    features = tables(seed, len(delays), 1)[0]
    known = {"regulariser": held, "label_bound": most, "comparator": features[0]}
    found = bl.bounds.vaw(delays, features, **known)
    assert found == pytest.approx(naive_vaw(delays, missing, features, **known), **numbers)
    assert found != pytest.approx(naive_vaw(delays, one_too_many, features, **known), **numbers)


def naive_ons(delays, lacks, gradients, decisions, lipschitz, exp_concavity, diameter, weight=None):
    gamma = min(1 / (4 * lipschitz * diameter), exp_concavity) / 2
    a = 1 / (gamma * diameter**2) if weight is None else weight
    total = a / 2 * diameter**2
    for t, rounds in enumerate(lacks(delays)):
        inverse = np.linalg.inv(
            a * np.eye(gradients.shape[1]) + gamma * sum(np.outer(g, g) for g in gradients[: t + 1])
        )
        for k in [*(k - 1 for k in rounds), t]:
            along = abs(float(gradients[k] @ (decisions[t] - decisions[k])))
            total += (1 + gamma * along) * math.sqrt(
                float(gradients[t] @ inverse @ gradients[t]) * float(gradients[k] @ inverse @ gradients[k])
            )
    return total


@given(few_delays, *[constants] * 3, st.none() | constants, st.integers(0, 2**32))
@example([1], 1.0, 1.0, 1.0, None, 0)
def test_ons_is_its_formula(delays, steep, alpha, across, weight, seed):
    gradients, decisions = tables(seed, len(delays), 2)
    gradients *= steep / np.linalg.norm(gradients, axis=1).max()
    known = {"lipschitz": steep, "exp_concavity": alpha, "diameter": across, "weight": weight}
    found = bl.bounds.ons(delays, gradients, decisions, **known)
    assert found == pytest.approx(naive_ons(delays, missing, gradients, decisions, **known), **numbers)
    assert found != pytest.approx(naive_ons(delays, one_too_many, gradients, decisions, **known), **numbers)


@given(*[constants] * 3, st.none() | constants)
def test_the_bound_of_ons_bends_and_holds_as_the_learner_does(steep, alpha, radius, weight):
    """One round without a gradient leaves (a / 2) Dm^2; another gradient tells gamma."""
    ball = bl.Ball(1, radius)
    policy = bl.ons(ball, steep, alpha, weight).policy
    known = {"lipschitz": steep, "exp_concavity": alpha, "diameter": ball.diameter, "weight": weight}
    still = bl.bounds.ons([1], [[0.0]], [[0.0]], **known)
    assert still == pytest.approx(policy.weight / 2 * ball.diameter**2, **numbers)
    moved = bl.bounds.ons([1], [[steep]], [[0.0]], **known) - still
    assert moved == pytest.approx(steep**2 / (policy.weight + policy.bend * steep**2), rel=1e-9)


def test_weights_are_those_that_the_learners_end_with():
    """2 a_T P with the a_T that the last decision was made with."""
    delays, ball = [3, 1, 2, 9, 1, NEVER, 2, 1], bl.Ball(2, 1.5, [0.5, 0.0])
    sizes = {"radius": 1.5, "diameter": 3.0}
    cases = [
        (
            bl.curvature_ftrl(ball, 0.5, 2.0),
            1.5,
            bl.bounds.curvature_ftrl(delays, strong_convexity=0.5, lipschitz=2.0, **sizes),
        ),
        (
            bl.composite_ftrl(ball, 0.5, 2.0),
            2.0,
            bl.bounds.composite_ftrl(delays, regulariser=0.5, largest_norm=2.0, lipschitz=2.0),
        ),
    ]
    for learner, reach, bound in cases:
        player = learner.start()
        for t in range(1, len(delays) + 1):
            player.ask()
            for k in [k for k in range(1, t + 1) if k + delays[k - 1] - 1 == t < len(delays)]:
                player.tell([1.0, -1.0], round=k)
        held = float(player.state()["policy.arrivals.step.held"][0])
        assert bound == pytest.approx(2 * held * reach**2 / 2, **numbers)


@given(any_delays, constants, constants)
def test_what_the_pages_say_about_one_bound_and_another(delays, size, steep):
    """The best constant rate costs sqrt(2) less than the adaptive one, and on a ball twice what DDA does."""
    total = bl.bounds.counts(delays).play_weight
    best = bl.bounds.dogd(delays, rate=2 * size / (steep * math.sqrt(total)), diameter=2 * size, lipschitz=steep)
    adaptive = bl.bounds.dogd_adaptive(delays, diameter=2 * size, lipschitz=steep)
    assert adaptive == pytest.approx(math.sqrt(2) * best, **numbers)
    assert adaptive == pytest.approx(2 * bl.bounds.dda(delays, radius=size, lipschitz=steep), **numbers)
    skipped = bl.bounds.skipping(delays, radius=size, diameter=2 * size, lipschitz=steep)
    assert skipped <= 2 * bl.bounds.dda(delays, radius=size, lipschitz=steep) * (1 + 1e-12)


@given(any_delays, *[constants] * 3, st.floats(0.0, 100.0))
def test_the_balanced_weight_is_within_two_of_any_constant(delays, beta, radius, steep, other):
    known = {"strong_convexity": beta, "diameter": 2 * radius, "lipschitz": steep}
    late = [len(rounds) for rounds in missing(delays)]
    charges = [steep * (steep + (steep + 2 * beta * radius) * s) for s in late]
    spent = other * radius**2 / 2 + sum(c / (beta * t + other) for t, c in enumerate(charges, start=1))
    assert bl.bounds.curvature_ftrl(delays, radius=radius, **known) <= 2 * spent * (1 + 1e-9)
    assert bl.bounds.ftdl(delays, **known) == pytest.approx(
        sum(c / (beta * t) for t, c in enumerate(charges, start=1)), **numbers
    )


CALLS: dict[str, Any] = {name: ([], dict.fromkeys(names, 1.0), {}) for name, (_, names) in FORMULAS.items()} | {
    "hedge": ([], {"spread": 1.0}, {"dim": 3}),
    "one_point_dda": (
        [],
        {"radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "bound": 1.0, "probe_radius": 0.5},
        {"dim": 3},
    ),
    "dbgd": (
        [],
        dict.fromkeys(["rate", "radius", "inner_radius", "lipschitz", "smoothness"], 1.0) | {"probe_radius": 0.5},
        {"dim": 3},
    ),
    "vaw": ([np.ones((3, 2))], {"regulariser": 1.0, "label_bound": 1.0}, {"comparator": [0.0, 0.0]}),
    "ons": ([np.full((3, 2), 0.5)] * 2, {"lipschitz": 1.0, "exp_concavity": 1.0, "diameter": 1.0, "weight": 1.0}, {}),
}


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "1", 1e200])
@pytest.mark.parametrize(
    ("name", "argument"), [(name, each) for name, (_, given, _) in CALLS.items() for each in given]
)
def test_constants_must_be_positive_and_the_message_names_the_call(name, argument, value):
    seen, positive, others = CALLS[name]
    with pytest.raises(InvalidArgument, match=rf"^`{name}\({argument}="):
        getattr(bl.bounds, name)([1, 2, 3], *seen, **positive | others | {argument: value})


@pytest.mark.parametrize("delays", [[], [0, 1], [1.5], [[1]], None, [NEVER + 1]])
@pytest.mark.parametrize("name", CALLS)
def test_delays_must_be_whole_and_at_least_one(name, delays):
    seen, positive, others = CALLS[name]
    with pytest.raises(InvalidArgument, match=rf"^`{name}\(delays="):
        getattr(bl.bounds, name)(delays, *seen, **positive | others)


@pytest.mark.parametrize(
    ("name", "argument", "value", "message"),
    [
        ("hedge", "dim", 1, "must be >= 2"),
        ("hedge", "dim", 2.0, "must be a whole number"),
        ("one_point_dda", "dim", 0, "must be >= 1"),
        ("one_point_dda", "probe_radius", 1.0, "must be < the inner radius 1"),
        ("dbgd", "dim", 0, "must be >= 1"),
        ("dbgd", "probe_radius", 1.0, "must be < the inner radius 1"),
        ("vaw", "comparator", [0.0], r"must have shape \(2,\)"),
        ("vaw", "comparator", [0.0, math.nan], "must be finite"),
    ],
)
def test_other_arguments_are_checked_too(name, argument, value, message):
    seen, positive, others = CALLS[name]
    with pytest.raises(InvalidArgument, match=rf"^`{name}\({argument}=.*\)`: {message}"):
        getattr(bl.bounds, name)([1, 2, 3], *seen, **positive | others | {argument: value})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((2, 2)), "must have a row for each of the 3 delays, got 2"),
        (np.ones(3), "must have shape"),
        (np.full((3, 2), math.inf), "must be finite"),
        (np.full((3, 2), 1e101), "must have entries of size at most 1e"),
        ("features", "must be an array of real numbers"),
    ],
)
@pytest.mark.parametrize(
    ("name", "place", "argument"), [("vaw", 0, "features"), ("ons", 0, "gradients"), ("ons", 1, "decisions")]
)
def test_tables_must_have_a_row_for_each_round(name, place, argument, table, message):
    seen, positive, others = CALLS[name]
    seen = [table if i == place else each for i, each in enumerate(seen)]
    with pytest.raises(InvalidArgument, match=rf"^`{name}\({argument}=.*\)`: {message}"):
        getattr(bl.bounds, name)([1, 2, 3], *seen, **positive, **others)


def test_gradients_beyond_the_bound_are_refused():
    """The promise does not hold for them."""
    known = {"lipschitz": 1.0, "exp_concavity": 1.0, "diameter": 1.0}
    bl.bounds.ons([1], [[0.6, 0.8]], [[0.0, 0.0]], **known)
    with pytest.raises(
        InvalidArgument, match=r"^`ons\(gradients=.*\)`: must have norms of at most lipschitz = 1, row 1 "
    ):
        bl.bounds.ons([1, 1], [[0.6, 0.8], [0.7, 0.8]], [[0.0, 0.0]] * 2, **known)


def test_what_a_run_has_seen_is_not_changed():
    features = np.arange(1.0, 7.0).reshape(3, 2)
    before = features.copy()
    bl.bounds.vaw([1, 2, 3], features, regulariser=1.0, label_bound=1.0, comparator=[0.0, 0.0])
    bl.bounds.ons([1, 2, 3], features, features, lipschitz=8.0, exp_concavity=1.0, diameter=1.0)
    assert np.array_equal(features, before)
