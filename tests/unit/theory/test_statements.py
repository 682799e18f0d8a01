"""Bounds of learners: constants of the learner, the problem and the start, and numbers that naive sums have, too.

The sums are written here from the pages of ``docs/derivations``, round by round, and each is also evaluated with one
plausible mistake, which must change it.
"""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.delays import NEVER
from belated.learners.parts.rates import PerFeedback, PerRound
from belated.learners.verbs import inverse_rate
from belated.losses.base import Constants
from belated.papers import wan2021
from belated.theory.prefixes import prefixes
from belated.theory.statements import EVERY
from belated.theory.statements.dogd import inverse_rates
from support.bounded import BALL, BOUNDS, CASES, CURVED, LINEAR
from support.runs import arrivals_by_round

any_delays = st.lists(st.integers(1, 4) | st.integers(1, 40) | st.just(NEVER), min_size=1, max_size=20)
numbers = {"rel": 1e-9, "abs": 1e-12}


def cut(delays):
    return [min(d, len(delays) - t) for t, d in enumerate(delays)]


def in_flight(delays, t):
    """o_t: rounds k <= t whose feedback comes after the end of round t."""
    return sum(k <= t < k + d - 1 for k, d in enumerate(delays, start=1))


def missing(delays, t):
    """sigma_t: rounds k < t whose feedback comes at the end of round t or later."""
    return sum(k < t <= k + d - 1 for k, d in enumerate(delays, start=1))


PRINTED = {
    "low": {"dogd-sc": 2760.50, "bdogd-sc": 2896.14, "bdogd-sc-two-point": 311438.36},
    "high": {"dogd-sc": 27604.99, "bdogd-sc": 27926.36, "bdogd-sc-two-point": 3113099.83},
}
CORRECTED = {
    "low": {
        "dogd-sc": {"certificate": 376.81, "certificate_squares": 335.29},
        "bdogd-sc": {
            "theorem_2_corrected": 2896.14,
            "theorem_2_certificate": 494.43,
            "theorem_2_squares": 453.05,
        },
        "bdogd-sc-two-point": {
            "theorem_3": 311438.36,
            "theorem_3_corrected": 217337.49,
            "theorem_3_certificate": 33051.63,
            "theorem_3_squares": 32675.11,
        },
    },
    "high": {
        "dogd-sc": {"certificate": 5194.51, "certificate_squares": 4261.01},
        "bdogd-sc": {
            "theorem_2_corrected": 27926.36,
            "theorem_2_certificate": 5337.94,
            "theorem_2_squares": 4406.37,
        },
        "bdogd-sc-two-point": {
            "theorem_3": 3113099.83,
            "theorem_3_corrected": 2172733.02,
            "theorem_3_certificate": 393643.75,
            "theorem_3_squares": 382602.81,
        },
    },
}
AS_PRINTED = {"dogd-sc": "theorem_1", "bdogd-sc": "theorem_2", "bdogd-sc-two-point": "theorem_3_printed"}


@pytest.mark.parametrize("setting", PRINTED)
@pytest.mark.parametrize("name", AS_PRINTED)
def test_the_theorems_in_the_papers_two_settings(setting, name):
    """T = 1000, n = 10, with the paper's start: as printed, and the corrected and sharper forms beside it."""
    setup = wan2021.setup(setting, 1000)
    asked = {"learner": setup.learners()[name], "problem": wan2021.PROBLEM, "initial": setup.initial()[name]}
    printed = bl.bounds.of(**asked, statement=AS_PRINTED[name])
    assert round(printed.value(setup.delays), 2) == PRINTED[setting][name]
    others = {bound.name: round(bound.value(setup.delays), 2) for bound in bl.bounds.all_of(**asked)}
    others.pop(AS_PRINTED[name])
    assert others == CORRECTED[setting][name]
    assert bl.bounds.of(**asked).value(setup.delays) == pytest.approx(min(others.values()), abs=0.01)


def test_theorem_3_as_printed_lacks_its_c():
    """Twice the probe radius doubles c; the last term R L ln T / r does not notice."""
    numbers = {}
    for c in (1.0, 2.0):
        learner = bl.bdogd_sc_two_point(BALL, 1.0, c * math.log(100) / 100)
        for name in ("theorem_3", "theorem_3_printed"):
            numbers[name, c] = bl.bounds.of(learner, CURVED, statement=name).value([2] * 100)
    more = 2 * math.log(100)  # L c ln T
    assert numbers["theorem_3", 1.0] == pytest.approx(numbers["theorem_3_printed", 1.0])
    assert numbers["theorem_3", 2.0] - numbers["theorem_3", 1.0] == pytest.approx(4 * more)
    assert numbers["theorem_3_printed", 2.0] - numbers["theorem_3_printed", 1.0] == pytest.approx(3 * more)


@given(any_delays)
@settings(max_examples=30)
@example([NEVER] * 5)
def test_a_sharper_statement_is_never_above_the_next(delays):
    order = [statement.name for statement in EVERY]
    for case in CASES.values():
        known = [each for each in bl.bounds.all_of(case.learner, case.losses) if each.proved]
        assert [each.name for each in known] == sorted((each.name for each in known), key=order.index)
        values = [each.value(delays) for each in known]
        assert all(a <= b * (1 + 1e-9) for a, b in pairwise(values)), case.learner.name


def naive_squares(delays, beta, diameter, lipschitz, last=lambda end: end - 1):
    """(C') from the page; ``last`` is where the drift of a feedback ends."""
    late, rounds = cut(delays), len(delays)
    arrivals = arrivals_by_round(late)
    received = np.cumsum([len(arrivals[t]) for t in range(1, rounds + 1)])
    steps = {t: 2 * len(arrivals[t]) / (beta * received[t - 1]) if arrivals[t] else 0.0 for t in range(1, rounds + 1)}
    total = sum(steps[t] * lipschitz**2 * (in_flight(late, t) + len(arrivals[t]) / 2) for t in range(1, rounds + 1))
    for k, d in enumerate(late, start=1):
        drift = sum(steps[i] for i in range(k, last(k + d - 1) + 1))
        total += beta / 2 * min(diameter, lipschitz * drift) ** 2
    return total


@given(any_delays, st.floats(0.1, 5.0), st.floats(0.1, 5.0))
def test_the_squares_are_those_of_the_page(delays, beta, lipschitz):
    learner = bl.dogd_sc(BALL, beta)
    bound = bl.bounds.of(learner, Constants(lipschitz, beta, beta), statement="certificate_squares")
    assert bound.value(delays) == pytest.approx(naive_squares(delays, beta, 2.0, lipschitz), **numbers)


def test_a_drift_that_is_one_step_too_long_is_noticed():
    right = naive_squares([3, 1, 2, 5, 1, 1], 1.0, 2.0, 0.1)
    assert naive_squares([3, 1, 2, 5, 1, 1], 1.0, 2.0, 0.1, last=lambda end: end) > right * 1.01


RATES = {
    "ogd": bl.ogd(BALL, 1.0),
    "adaptive": bl.dogd(BALL, lipschitz=1.0),
    "doubling": bl.dogd(BALL, bl.rates.doubling(BALL, 1.0)),
    "listed": bl.dogd(BALL, [0.4, 0.3, 0.1]),
    "langford": bl.langford(BALL, 3, lipschitz=1.0),
}


def rates_of_the_ledger(rate, delays):
    """h_t as the learner has it, for delays that were cut off at the end."""
    ledger, arrivals, found = Ledger(), arrivals_by_round(cut(delays)), []
    for t in range(1, len(delays) + 1):
        ledger = after_arrivals(after_play(ledger), len(arrivals[t]))
        found.append(inverse_rate(rate, ledger) if arrivals[t] else None)
    return found


@given(any_delays)
@settings(max_examples=40)
def test_inverse_rates_are_those_that_the_learner_has(delays):
    """In rounds in which something arrives; in the last round of each prefix everything does."""
    for learner in RATES.values():
        rate = learner.policy.arrivals.step.rate
        every, last = inverse_rates(rate, prefixes("test", delays))
        for t, h in enumerate(rates_of_the_ledger(rate, delays)[:-1]):
            assert h is None or h == pytest.approx(every[t], rel=1e-12)
        ends = [rates_of_the_ledger(rate, delays[:p])[-1] for p in range(1, len(delays) + 1)]
        assert ends == pytest.approx(last.tolist(), rel=1e-12)


@given(any_delays)
@settings(max_examples=40)
def test_the_bound_of_falling_rates_is_that_of_the_page(delays):
    late = cut(delays)
    arrivals = arrivals_by_round(late)
    for learner in RATES.values():
        h = rates_of_the_ledger(learner.policy.arrivals.step.rate, delays)
        total = 4.0 * h[-1] / 2
        for t, inverse in enumerate(h, start=1):
            came = len(arrivals[t])
            total += came * (came / 2 + in_flight(late, t)) / inverse if came else 0.0
        bound = bl.bounds.of(learner, LINEAR, statement="dogd_falling")
        assert bound.value(delays) == pytest.approx(total, **numbers)


@given(any_delays, st.floats(0.2, 3.0))
def test_the_sums_of_dda_are_those_of_the_page(delays, told):
    """a_t comes from the L that was told, and the costs from the L of the losses, whichever is larger."""
    bound = bl.bounds.of(bl.dda(BALL, told), LINEAR, statement="dda_in_sums")
    spent, total, held = 0, 0.0, 0.0
    for t in range(1, len(delays) + 1):
        spent += 1 + 2 * missing(delays, t)
        held = math.sqrt(2) * told * math.sqrt(spent)
        total += (1 + 2 * missing(delays, t)) / (2 * held)
    assert bound.value(delays) == pytest.approx(held / 2 + total, **numbers)


@given(any_delays)
def test_the_halved_charges_of_ftdl(delays):
    bound = bl.bounds.of(bl.ftdl(BALL, 1.0), CURVED)
    charges = [4 + 2 * (2 + 2) * s if (s := missing(delays, t)) else 2 for t in range(1, len(delays) + 1)]
    assert bound.value(delays) == pytest.approx(sum(c / t for t, c in enumerate(charges, start=1)), **numbers)


def harmonic(rounds):
    return sum(1 / t for t in range(1, rounds + 1))


def test_copies_that_play_in_turn():
    """Three copies in 8 rounds play 3, 3 and 2; L^2 / (2 beta) = 2. A longer delay is not covered."""
    bound = BOUNDS["weinberger_ordentlich"]
    assert bound.value([3] * 8) == pytest.approx(2 * (harmonic(3) + harmonic(3) + harmonic(2)))
    assert bound.value([4] * 8) == math.inf
    assert bound.value([1, 1, 4]) < math.inf  # cut off at the third round, it is one of 1


@given(any_delays)
def test_idle_copies_pay_at_most_the_bound(delays):
    """The rounds that each copy really plays, if the copy that has been idle longest plays next."""
    idle, played, arrivals, owner = [], [], arrivals_by_round(cut(delays)), {}
    for t in range(1, len(delays) + 1):
        if not idle:
            idle.append(len(played))
            played.append(0)
        owner[t] = idle.pop(0)
        played[owner[t]] += 1
        idle.extend(owner[k] for k in arrivals[t])
    bound = BOUNDS["bold"]
    assert sum(2 * harmonic(rounds) for rounds in played) <= bound.value(delays) * (1 + 1e-12)
    if len(delays) % len(played) == 0:
        assert bound.value(delays) == pytest.approx(len(played) * 2 * harmonic(len(delays) // len(played)))


@pytest.mark.parametrize("statement", [each for each in EVERY if each.concave], ids=lambda each: each.name)
def test_what_is_summed_over_copies_is_concave(statement):
    curve = BOUNDS[statement.name].curve([1] * 300)
    assert np.all(np.diff(curve, 2) <= 1e-9)
    assert np.all(np.diff(curve) > 0)


def test_langfords_learner_is_covered_at_exactly_its_delay():
    """With h_t = beta N_t it is DOGD-SC that was told 2 beta."""
    bound, same = BOUNDS["langford_strongly_convex"], bl.dogd_sc(BALL, 2.0)
    other = bl.bounds.of(same, CURVED, statement="certificate")
    for rounds in (1, 2, 3, 9):
        assert bound.value([3] * rounds) == pytest.approx(other.value([3] * rounds))
    assert bound.value([3, 3, 2, 3]) < math.inf  # in the fourth round all is cut off
    assert bound.value([3, 1, 3, 3]) == math.inf
    assert bound.value([4] * 6) == math.inf


@pytest.mark.parametrize(
    ("statement", "function", "renamed"),
    [
        ("theorem_1", bl.bounds.theorem_1, {}),
        ("certificate", bl.bounds.certificate, {}),
        ("theorem_2", bl.bounds.theorem_2, {}),
        ("theorem_3", bl.bounds.theorem_3, {}),
        ("dogd", bl.bounds.dogd, {"distance": "diameter"}),
        ("sequential_dogd", bl.bounds.sequential_dogd, {"distance": "diameter"}),
        ("dogd_adaptive", bl.bounds.dogd_adaptive, {"factor": None}),
        ("dda", bl.bounds.dda, {"factor": None}),
        ("skipping", bl.bounds.skipping, {}),
        ("ftdl", bl.bounds.ftdl, {}),
        ("curvature_ftrl", bl.bounds.curvature_ftrl, {"factor": None}),
        ("hedge", bl.bounds.hedge, {"surprise": None, "size": None}),
    ],
)
def test_bounds_are_the_functions_with_the_same_constants(statement, function, renamed):
    delays = [2, 1, 5, 1, NEVER, 3, 1, 1, 2]
    known = {renamed.get(name, name): value for name, value in BOUNDS[statement].constants.items()}
    known.pop(None, None)
    assert BOUNDS[statement].value(delays) == pytest.approx(function(delays, **known), rel=1e-12)


def test_bounds_with_other_constants_are_their_functions():
    delays = [2, 1, 5, 1, NEVER, 3, 1, 1, 2]
    composite = bl.bounds.composite_ftrl(delays, regulariser=1.0, largest_norm=1.0, lipschitz=3.0)
    assert BOUNDS["composite_ftrl"].value(delays) == pytest.approx(composite)
    size = {"radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "dim": 2}
    one = bl.bounds.one_point_dda(delays, **size, bound=1.0, probe_radius=0.5)
    assert BOUNDS["one_point_dda"].value(delays) == pytest.approx(one)
    smooth = Constants(1.0, 0.0, 0.5)
    dbgd = bl.bounds.of(bl.dbgd(BALL, 0.2, 0.01), smooth)
    assert dbgd.value(delays) == pytest.approx(
        bl.bounds.dbgd(delays, rate=0.2, smoothness=0.5, probe_radius=0.01, **size)
    )


def test_a_start_elsewhere_has_its_own_constants():
    start, delays = [0.6, 0.8], [2, 1, 3, 1]
    centre, edge = (bl.bounds.of(bl.dogd(BALL, 0.5), LINEAR, initial=x) for x in (None, start))
    assert (centre.constants["distance"], edge.constants["distance"]) == (1.0, 2.0)
    dda = [bl.bounds.of(bl.dda(BALL, 1.0), LINEAR, initial=x, statement="dda") for x in (None, start)]
    assert dda[1].value(delays) == pytest.approx(2.5 * dda[0].value(delays))
    prior = bl.bounds.of(bl.hedge(bl.Simplex(2)), LINEAR, initial=[0.25, 0.75])
    assert prior.constants["surprise"] == pytest.approx(math.log(4))


def test_learners_are_known_by_their_parts_and_not_by_their_names():
    other = bl.dogd(BALL, PerFeedback(1.0))
    assert bl.bounds.of(other, CURVED).name == "certificate_squares"
    assert bl.bounds.of(bl.dogd(BALL, PerRound(1.0)), CURVED).name == "ogd_sc_harmonic"


def test_a_curvature_that_is_overstated_leaves_the_certificate_up_to_a_factor_of_two():
    names = [each.name for each in bl.bounds.all_of(bl.dogd_sc(BALL, 2.0), CURVED)]
    assert names == ["certificate"]
    with pytest.raises(InvalidArgument, match=r"strong_convexity=2.01, which must be at most"):
        bl.bounds.of(bl.dogd_sc(BALL, 2.01), CURVED)


class Told(bl.problems.OwnProblem):
    """Losses |x|^2 / 2 whose constants are measured."""

    def __init__(self):
        self.loss = bl.losses.Quadratic(2, 1.0)

    def rows(self, seed, rounds):
        return np.zeros((rounds, 2))


def test_it_is_said_whether_the_constants_of_a_problem_were_measured():
    learner = bl.dogd_sc(BALL, 1.0)
    assert bl.bounds.of(learner, Told()).measured
    assert not bl.bounds.of(learner, CURVED).measured
    assert not bl.bounds.of(bl.dogd_sc(BALL, 2.0), bl.problems.RandomQuadratic(2)).measured


KINKED = Constants(1.0, 0.0, math.inf)


@pytest.mark.parametrize(
    ("learner", "losses", "initial", "message"),
    [
        (bl.dogd_sc(BALL, 1.0), LINEAR, None, r"strong_convexity=1, which must be at most"),
        (bl.dda(BALL, 0.5), Constants(math.inf, 0.0, 0.0), None, "a bound L on the norms of the gradients"),
        (
            bl.skipping(bl.dda(BALL, 0.5)),
            LINEAR,
            None,
            "told lipschitz=0.5, and the gradients of the losses are as long as 1",
        ),
        (bl.skipping(bl.dda(BALL, 1.0)), LINEAR, [0.5, 0.0], "for a start at the centre"),
        (bl.skipping(bl.dogd_sc(BALL, 1.0)), CURVED, None, "around dda only"),
        (bl.dbgd(BALL, 0.2, 0.01), KINKED, None, "needs smooth losses, and these have kinks"),
        (bl.dogd_sc(bl.Euclidean(2), 1.0), CURVED, None, "needs a bounded domain"),
        (bl.composite_ftrl(BALL, 1.0, 3.0), CURVED, [0.5, 0.0], "nearest to the origin"),
        (bl.composite_ftrl(BALL, 1.0, 2.0), CURVED, None, "may be as long as 3"),
        (bl.dogd(BALL, [0.1, 0.2]), LINEAR, None, "rates that never grow, and the listed ones do"),
        (bl.hedge(bl.Simplex(2), rate=0.1), LINEAR, None, "for the default rate"),
        (bl.flaxman(BALL, 0.1, 0.1), LINEAR, None, r"needs M, .* bl.bounds.flaxman\("),
        (bl.vaw(bl.Euclidean(2), 1.0, 1.0), LINEAR, None, r"from its features: bl.bounds.vaw\("),
        (bl.ons(BALL, gamma=0.1), LINEAR, None, r"from its data: bl.bounds.ons\("),
        (bl.khashabi(BALL, 1.0), CURVED, None, "Its card promises none: where feedback always comes m > 4"),
        (bl.bold(bl.khashabi(BALL, 1.0)), CURVED, None, "its base must have a bound without delay"),
        (bl.bold(bl.ogd_sc(BALL, 3.0)), CURVED, None, "its base must .*: it was told strong_convexity=3"),
    ],
)
def test_a_learner_without_a_bound_says_why(learner, losses, initial, message):
    with pytest.raises(
        InvalidArgument, match=rf"^`bounds.of\(learner='{learner.name}'\)`: has no bound here: .*{message}"
    ):
        bl.bounds.of(learner, losses, initial=initial)
    assert bl.bounds.all_of(learner, losses, initial=initial) == ()


def test_misuse_is_refused():
    learner = bl.dogd_sc(BALL, 1.0)
    with pytest.raises(InvalidArgument, match=r"statement='theorem_9'\)`: is no statement .*there are certificate_squ"):
        bl.bounds.of(learner, CURVED, statement="theorem_9")
    with pytest.raises(InvalidArgument, match=r"statement='theorem_1'\)`: .*told strong_convexity=2.*there are certif"):
        bl.bounds.of(bl.dogd_sc(BALL, 2.0), CURVED, statement="theorem_1")
    with pytest.raises(InvalidArgument, match=r"bounds.of\(learner='x'\)`: must be a learner"):
        bl.bounds.of("x", CURVED)
    with pytest.raises(InvalidArgument, match=r"bounds.of\(problem=.*must have a method `constants\(domain\)`"):
        bl.bounds.of(learner, object())
    with pytest.raises(InvalidArgument, match=r"bounds.of\(initial="):
        bl.bounds.of(learner, CURVED, initial=[3.0, 0.0])
    bound = bl.bounds.of(learner, CURVED)
    for wrong in ([0], [4], [], [1.5], [[1]]):
        with pytest.raises(InvalidArgument, match=r"^`certificate_squares.curve\(prefixes="):
            bound.curve([1, 1, 1], wrong)
    with pytest.raises(InvalidArgument, match=r"^`certificate_squares.value\(delays="):
        bound.value([0])


def test_bounds_cannot_be_changed_and_say_what_they_are():
    bound = bl.bounds.of(bl.dogd_sc(BALL, 1.0), CURVED, statement="theorem_1")
    with pytest.raises(AttributeError):
        bound.name = "other"
    with pytest.raises(TypeError):
        bound.constants["radius"] = 3.0
    said = "theorem_1 of dogd_sc (proved in the paper): strong_convexity=1, radius=1, lipschitz=2; Wan, Tu and Zhang"
    assert str(bound).startswith(said)
    assert repr(bound) == f"<Bound {bound}>"
    assert "\\" not in str(bound)
    assert bound._repr_latex_() == f"${bound.formula}$"
    assert bound == bl.bounds.of(bl.dogd_sc(BALL, 1.0), CURVED, statement="theorem_1")


def test_a_bound_from_measured_constants_says_so():
    class Own(bl.problems.OwnProblem):
        loss = bl.losses.Quadratic(2, curvature=2.0)

        def rows(self, seed, rounds):
            return np.ones((rounds, 2))

    bound = bl.bounds.of(bl.dogd(BALL, rate=0.1), Own())
    assert "(proved here, for constants measured on the rows): rate=0.1, distance=1" in str(bound)


def test_a_class_in_place_of_a_problem_is_told():
    with pytest.raises(InvalidArgument, match=r"is a class; did you mean RandomQuadratic\(\.\.\.\)\?"):
        bl.bounds.of(bl.dogd_sc(BALL, 1.0), bl.problems.RandomQuadratic)


def test_delays_of_several_seeds_and_laws_are_told():
    learner, problem = bl.dogd_sc(BALL, 2.0), bl.problems.RandomQuadratic(2)
    delays = bl.simulate({"it": learner}, problem, bl.delays.Fixed(2), 5, 2, record="all").delays
    bound = bl.bounds.of(learner, problem)
    assert bound.curve(delays.sel(seed=1)).shape == (5,)
    with pytest.raises(InvalidArgument, match=r"choose one seed: delays.sel\(seed=0\)"):
        bound.curve(delays)
    with pytest.raises(InvalidArgument, match=r"is a law; give delays that were drawn, such as run\.delays"):
        bound.value(bl.delays.Geometric(mean=5))


def test_constants_may_be_taken_over_another_domain():
    """RandomQuadratic has L = 2 R + sqrt(2)."""
    learner, problem = bl.dogd_sc(BALL, 2.0), bl.problems.RandomQuadratic(2)
    wide = bl.bounds.of(learner, problem, domain=bl.Ball(2, radius=3.0))
    assert wide.constants["lipschitz"] == pytest.approx(6 + math.sqrt(2))


def test_the_reference_has_every_formula_with_its_certainty_and_its_source():
    page = Path(__file__).parents[3].joinpath("docs", "reference", "bounds.md").read_text(encoding="utf-8")
    lower = [bl.bounds.lower(losses, BALL) for losses in (LINEAR, CURVED)]
    for each in (*EVERY, *lower):
        assert f": {each.certainty}. {each.source}.\n\n$$\n{each.formula}\n$$\n" in page, each.name
        assert f"**`{each.name}`**, " in page
