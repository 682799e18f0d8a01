"""The audit of assumptions: each is broken in one round, or by definition, and the audit must name it.

A run in which everything is kept is the counterpart: nothing may be called violated there.
"""

import math
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import xarray as xr

import belated as bl
from belated.audit.judging import JUDGES
from belated.audit.told import told
from belated.core.errors import AssumptionViolated, InvalidArgument
from belated.domains import EVERY as DOMAINS
from belated.learners.catalogue import CARDS, EXAMPLES
from belated.losses import EVERY as LOSSES
from belated.losses.base import Constants, Loss, gradient, value
from support.engine import can_tell, rows_for

BALL, ROUNDS, BAD = bl.Ball(2), 12, 7


class Fields(NamedTuple):
    size: int


class Kinked(Loss, Fields):
    """|x - y| - (x + y) / 10, convex and with a kink along x = y; its gradient there is that of one side."""

    __slots__ = ()
    dim = row_size = 2

    def _constants(self, rows, domain):
        return Constants(2.0, 0.0, math.inf)

    @classmethod
    def example(cls, dim):
        return cls(dim)

    def example_rows(self, rng, rounds):
        return np.zeros((rounds, 2))


@value.on(Kinked, compiled=False)
def kinked_value(loss, row, point):
    return abs(point[0] - point[1]) - 0.1 * (point[0] + point[1])


@gradient.on(Kinked, compiled=False)
def kinked_gradient(loss, row, point, out):
    side = 1.0 if point[0] >= point[1] else -1.0
    out[:] = side - 0.1, -side - 0.1


class Claimed:
    """A problem that claims constants which its rows need not keep; without claims it tells none."""

    def __init__(self, loss, rows, claimed=None):
        self.loss, self.table = loss, np.asarray(rows, dtype=float)
        if claimed is not None:
            self.constants = lambda domain: claimed

    def rows(self, seed, rounds):
        return self.table[:rounds]


def tame(worse=None):
    """Linear losses of slope 1; row ``BAD`` is another one if it is given."""
    rows = np.tile([0.6, 0.8], (ROUNDS, 1))
    if worse is not None:
        rows[BAD - 1] = worse
    return Claimed(bl.losses.Linear(2), rows, Constants(1.0, 0.0, 0.0))


def curved(claimed, curvature):
    """Losses (c / 2) |x|^2 - <b, x>, whose curvature is not the one that is claimed."""
    return Claimed(bl.losses.Quadratic(2, curvature), np.tile([0.3, -0.2], (ROUNDS, 1)), claimed)


def result_of(learner, problem, delays, seeds=(0,), rounds=ROUNDS):
    return bl.simulate(
        {"a": learner}, problem, bl.delays.Trace(delays), rounds, list(seeds), record="all", regret_at=[]
    )


def test_nothing_is_violated_where_everything_is_kept():
    found = bl.assumptions(bl.dogd_sc(bl.Ball(10), 2.0), bl.problems.RandomQuadratic(10))
    assert found.holds
    assert [each.status for each in found.of_paper] == ["holds"] * 5
    assert {each.status for each in found.of_learner} == {"holds"}
    assert {each.evidence for each in found} == {"known"}
    found.require()
    *lines, last = str(found).splitlines()
    assert len(lines) == len(found.verdicts)
    assert last == "Assumptions of dogd_sc: 11 hold, 0 violated, 0 cannot be seen"
    assert repr(found) == f"<{last}>"


def test_dbgd_on_a_loss_with_kinks_is_caught_by_definition():
    """The loss knows that it has kinks; the curvature that was met across one is shown with it."""
    problem = bl.problems.Recorded(Kinked(2), np.zeros((40, 2)))
    found = bl.assumptions(bl.dbgd(BALL, 0.1, 0.01), problem)
    line = found["losses: convex and smooth"]
    assert (line.status, line.evidence) == ("violated", "known")
    assert "kinks" in line.reason
    assert line.numbers["met"] > 50  # about 1 / delta
    with pytest.raises(
        AssumptionViolated, match=r"^`assumptions\(learner='dbgd'\)`: losses: convex and smooth: .*kinks"
    ):
        found.require()
    assert not bl.assumptions(bl.dogd(BALL, 0.1), problem).violated  # descent by gradients does not mind


def test_dbgd_on_a_loss_that_hides_its_kinks_is_caught_by_what_it_meets():
    hidden = Claimed(Kinked(2), np.zeros((40, 2)), Constants(2.0, 0.0, 1.0))
    line = bl.assumptions(bl.dbgd(BALL, 0.1, 0.01), hidden)["losses: convex and smooth"]
    assert (line.status, line.evidence) == ("violated", "measured")
    assert 1 <= line.round <= 40
    assert line.numbers["met"] > 50 > line.numbers["smoothness"]


def test_one_gradient_that_is_too_long_is_named_with_its_round():
    learner = bl.dda(BALL, lipschitz=1.0)
    assert bl.assumptions(learner, tame()).holds
    found = bl.assumptions(
        learner, tame(worse=[3.0, 4.0]), result=result_of(learner, tame(worse=[3.0, 4.0]), [2] * ROUNDS)
    )
    for line in ("Assumption 1: losses are Lipschitz", "must be known: lipschitz"):
        verdict = found[line]
        assert (verdict.status, verdict.evidence, verdict.round, verdict.seed) == ("violated", "measured", BAD, 0)
        assert verdict.numbers["met"] == pytest.approx(5.0)
    with pytest.raises(AssumptionViolated, match=r"must be known: lipschitz: .*in round 7 of seed 0") as caught:
        found.require()
    assert caught.value.round == BAD


def test_a_constant_that_was_told_is_compared_with_the_one_that_is_known():
    """Nothing met is longer than 0.5, but the losses allow 1: that is no violation, and no proof."""
    short = Claimed(bl.losses.Linear(2), np.tile([0.3, 0.4], (ROUNDS, 1)), Constants(1.0, 0.0, 0.0))
    verdict = bl.assumptions(bl.dda(BALL, 0.5), short)["must be known: lipschitz"]
    assert (verdict.status, verdict.evidence) == ("cannot be seen", "measured")
    assert bl.assumptions(bl.dda(BALL, 1.0), short)["must be known: lipschitz"].status == "holds"


def test_what_is_measured_can_refute_and_not_prove():
    """A problem that tells no constants: nothing holds, and a curvature that is too small is met."""
    learner = bl.dogd_sc(BALL, 2.0)
    flat = bl.assumptions(learner, curved(None, 1.0))["must be known: strong convexity"]
    assert (flat.status, flat.evidence) == ("violated", "measured")
    assert flat.numbers["met"] == pytest.approx(1.0)
    enough = bl.assumptions(learner, curved(None, 2.0))
    assert enough["must be known: strong convexity"].status == "cannot be seen"
    assert enough["Assumption 3: losses are strongly convex"].status == "cannot be seen"
    assert {each.status for each in enough.of_paper if each.evidence == "measured"} == {"cannot be seen"}


@pytest.mark.parametrize("probe", [0.1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_rounding_is_no_violation(probe, scale):
    """Steep losses without curvature, at points that are very close to each other: differences are mostly rounding."""
    assert not bl.assumptions(bl.dbgd(BALL, 0.01 / scale, probe), steep(scale)).violated


def steep(scale):
    rows = scale * np.random.default_rng(0).normal(size=(30, 2))
    return Claimed(bl.losses.Linear(2), rows, Constants(10 * scale, 0.0, 0.0))


def test_rounding_that_is_not_allowed_for_is_a_violation(monkeypatch):
    """The mutant: differences are taken as exact, and a linear loss seems to be bent."""
    monkeypatch.setattr("belated.audit.evidence._ROUNDING", 0.0)
    assert bl.assumptions(bl.dbgd(BALL, 0.01, 1e-9), steep(1.0)).violated


def test_losses_that_are_not_convex_are_met():
    bent = bl.assumptions(bl.dogd(BALL, 0.1), Claimed(Dome(2), np.zeros((ROUNDS, 2)), None))
    verdict = bent["losses: convex"]
    assert (verdict.status, verdict.evidence) == ("violated", "measured")
    assert verdict.numbers["met"] == pytest.approx(-2.0)


class Dome(Kinked):
    """x - |x|^2, which is not convex."""

    __slots__ = ()


@value.on(Dome, compiled=False)
def dome_value(loss, row, point):
    return point[0] - float(point @ point)


@gradient.on(Dome, compiled=False)
def dome_gradient(loss, row, point, out):
    out[:] = -2.0 * point
    out[0] += 1.0


def test_domains_are_judged_by_definition():
    found = bl.assumptions(bl.dogd_sc(bl.Euclidean(2), 1.0), curved(Constants(math.inf, 1.0, 1.0), 1.0))
    assert found["Assumption 2: the domain is bounded"].status == "violated"
    assert found["Assumption 1: losses are Lipschitz"].status == "violated"
    assert found["must be known: for a promise: bounded domain"].status == "violated"


def test_the_start_that_a_promise_needs():
    learner, problem = bl.skipping(bl.dda(BALL, 1.0)), tame()
    line = "a bound with this start and these constants"
    assert bl.assumptions(learner, problem)[line].status == "holds"
    elsewhere = bl.assumptions(learner, problem, initial=[0.5, 0.0])[line]
    assert elsewhere.status == "violated"
    assert "start at the centre" in elsewhere.reason


def test_a_fixed_delay_that_is_broken_in_one_round():
    learner, problem = bl.langford(BALL, 3, lipschitz=1.0), tame()
    line, delays = "must be known: the delay, fixed", [3] * ROUNDS
    assert bl.assumptions(learner, problem)[line].evidence == "none"
    kept = bl.assumptions(learner, problem, result=result_of(learner, problem, delays))[line]
    assert (kept.status, kept.evidence) == ("cannot be seen", "measured")
    delays[BAD - 1] = 2
    broken = bl.assumptions(learner, problem, result=result_of(learner, problem, delays))[line]
    assert (broken.status, broken.round) == ("violated", BAD)


def several(delays):
    """Something with the delays of several seeds, as a result has them."""
    table = xr.DataArray(
        list(delays.values()),
        dims=("seed", "round"),
        coords={"seed": list(delays), "round": np.arange(1, ROUNDS + 1)},
    )
    return SimpleNamespace(delays=table)


@pytest.mark.parametrize("order", [(4, 7), (7, 4)])
def test_the_delays_of_every_seed_are_looked_at(order):
    """Whatever the order of the seeds, the one that refutes is named."""
    late = {4: [3] * ROUNDS, 7: [3] * (BAD - 1) + [9] + [3] * (ROUNDS - BAD)}
    result = several({seed: late[seed] for seed in order})
    for learner, line in (
        (bl.langford(BALL, 3, lipschitz=1.0), "must be known: the delay, fixed"),
        (bl.weinberger_ordentlich(bl.ogd(BALL, 1.0), 3), "must be known: the delay"),
        (bl.adaptive_revision(bl.Euclidean(2), 1.0), "order of arrival: that of play"),
    ):
        found = bl.assumptions(learner, tame(), result=result)
        verdict = next(each for each in found if each.line.startswith(line))
        assert (verdict.status, verdict.seed) == ("violated", 7), line
        assert "seed 7" in verdict.reason
        assert not found.holds


def test_constants_that_are_no_numbers_are_refused():
    for beta in (np.nan, -1.0, "2"):
        with pytest.raises(InvalidArgument, match=r"^`assumptions\(problem=.*must have a strong_convexity that is"):
            bl.assumptions(bl.dogd_sc(BALL, 1.0), curved(Constants(2.0, beta, 1.0), 1.0))


def test_the_order_of_arrival_matters_to_some_learners_only():
    whole, line = bl.adaptive_revision(bl.Euclidean(2), 1.0), "order of arrival: that of play"
    swapped = [1, 3, 1, *[1] * (ROUNDS - 3)]
    found = [
        bl.assumptions(whole, tame(), result=result_of(whole, tame(), each))[line] for each in ([2] * ROUNDS, swapped)
    ]
    assert [each.status for each in found] == ["cannot be seen", "violated"]
    assert found[1].round == 3
    other = bl.dda(BALL, 1.0)
    assert (
        bl.assumptions(other, tame(), result=result_of(other, tame(), swapped))["order of arrival: any"].status
        == "holds"
    )


def test_labels_and_values_are_compared_with_their_bounds():
    rows = np.column_stack([np.ones((ROUNDS, 2)), np.ones(ROUNDS)])
    rows[BAD - 1, -1] = 3.0
    labels = Claimed(bl.losses.SquaredError(2), rows)
    forecaster = bl.vaw(bl.Euclidean(2), 1.0, label_bound=2.0)
    verdict = bl.assumptions(forecaster, labels)["must be known: bound on the labels"]
    assert (verdict.status, verdict.round, verdict.numbers["met"]) == ("violated", BAD, 3.0)
    loud = bl.one_point_dda(BALL, 1.0, 0.1, 0.5)
    assert bl.assumptions(loud, tame())["must be known: bound"].status == "violated"
    assert (
        bl.assumptions(bl.one_point_dda(BALL, 1.0, 2.0, 0.5), tame())["must be known: bound"].status == "cannot be seen"
    )


def test_an_alternative_that_was_not_chosen_is_no_excuse():
    """Langford's learner was told beta and not L."""
    line = "must be known: lipschitz or strong convexity"
    wrong = bl.langford(BALL, 1, strong_convexity=3.0)
    assert bl.assumptions(wrong, curved(Constants(2.0, 1.0, 1.0), 1.0))[line].status == "violated"
    right = bl.langford(BALL, 1, strong_convexity=1.0)
    assert bl.assumptions(right, curved(Constants(2.0, 1.0, 1.0), 1.0))[line].status == "holds"


@pytest.mark.parametrize(
    ("learner", "known"),
    [
        (bl.ogd(BALL, 3.0), {"lipschitz": 3.0}),
        (bl.dogd(BALL, lipschitz=3.0), {"lipschitz": 3.0}),
        (bl.langford(BALL, 4, lipschitz=3.0), {"lipschitz": 3.0, "delay": 4}),
        (bl.dda(BALL, 3.0), {"lipschitz": 3.0}),
        (bl.composite_ftrl(BALL, 0.5, 3.0), {"regulariser": 0.5, "lipschitz": 3.0}),
        (bl.ftdl(BALL, 0.5), {"strong_convexity": 0.5}),
        (bl.bdogd_sc(BALL, 0.5, 0.1), {"strong_convexity": 0.5, "probe_radius": 0.1}),
        (bl.one_point_dda(BALL, 3.0, 2.0, 0.1), {"lipschitz": 3.0, "bound": 2.0, "probe_radius": 0.1}),
        (bl.weinberger_ordentlich(bl.ogd_sc(BALL, 0.5), 3), {"strong_convexity": 0.5, "delay": 3}),
        (bl.vaw(bl.Euclidean(2), 1.0), {}),
    ],
)
def test_what_was_told_is_read_off_the_parts(learner, known):
    assert told(learner) == pytest.approx(known)


def typical(label):
    """The learner and a loss that can tell it what it wants, on the first domain that it takes."""
    for family in DOMAINS:
        try:
            learner = EXAMPLES[label](family.example(3))
        except InvalidArgument:
            continue
        losses = [each.example(3) for each in LOSSES]
        return learner, next(loss for loss in losses if can_tell(loss, learner.interface))
    raise LookupError(label)


@pytest.mark.parametrize("label", EXAMPLES)
def test_every_learner_can_be_audited(label):
    """Every line of the card is there once, in its words, with one of the three verdicts and its evidence."""
    learner, loss = typical(label)
    problem = bl.problems.Recorded(loss, rows_for(learner, loss, 0, 12))
    found, card = bl.assumptions(learner, problem), CARDS[learner.name]
    lines = [each.line for each in found]
    assert len(set(lines)) == len(lines)
    assert {f"losses: {card.losses}", *(f"must be known: {text}" for text in card.known)} <= set(lines)
    for each in found:
        assert each.status in ("holds", "violated", "cannot be seen")
        assert each.evidence in ("known", "measured", "none")
        assert each.evidence == "known" or each.status != "holds", each.line
        assert each.reason
        assert (each.status == "violated" and each.evidence == "measured") <= (each.round is not None)


def test_every_word_that_is_judged_is_on_a_card():
    texts = " | ".join(text for card in CARDS.values() for text in (card.losses, *card.known))
    assert [word for word in JUDGES if word not in texts] == []


def test_misuse_is_refused():
    learner = bl.dogd_sc(BALL, 1.0)
    with pytest.raises(InvalidArgument, match=r"^`assumptions\(learner='x'\)`: must be a learner"):
        bl.assumptions("x", tame())
    with pytest.raises(InvalidArgument, match=r"^`assumptions\(problem=.*must be a problem"):
        bl.assumptions(learner, object())
    with pytest.raises(InvalidArgument, match=r"^`assumptions\(result=3\)`: must be a result"):
        bl.assumptions(learner, tame(), result=3)
    with pytest.raises(InvalidArgument, match=r"^`assumptions\(initial="):
        bl.assumptions(learner, tame(), initial=[3.0, 0.0])
    with pytest.raises(InvalidArgument, match=r"^`assumptions\(line='x'\)`: must be one of 'Assumption 1"):
        bl.assumptions(learner, tame())["x"]
    thin = bl.simulate({"a": learner}, tame(), bl.delays.Fixed(1), ROUNDS, [0], record=[3, 9], regret_at=[9])
    with pytest.raises(InvalidArgument, match=r"^`assumptions\(delays=.*must have every round of the run"):
        bl.assumptions(learner, tame(), result=thin)


def test_gradients_that_are_told_without_a_regulariser_are_measured_so():
    """Of x + b the learner is told b alone, of length 0.36; L of the losses is 1.36, and 2.36 is certainly enough."""
    problem, line = curved(Constants(1.36, 1.0, 1.0), 1.0), "must be known: for a promise: lipschitz, bounded domain"
    verdicts = [bl.assumptions(bl.composite_ftrl(BALL, 1.0, given), problem)[line] for given in (0.3, 0.4, 2.36)]
    assert [each.status for each in verdicts] == ["violated", "cannot be seen", "holds"]
    assert verdicts[0].numbers["met"] == pytest.approx(math.sqrt(0.13))


def test_what_cannot_be_seen_does_not_hold():
    found = bl.assumptions(bl.langford(BALL, delay=2, lipschitz=1.0), tame())
    assert found.violated == ()
    assert [each.status for each in found.unseen] == ["cannot be seen"] * len(found.unseen)
    assert found.unseen
    assert not found.holds
    assert f"0 violated, {len(found.unseen)} cannot be seen; of the paper's, 1 do" in repr(found)
    found.require()


def test_what_khashabi_was_told_can_be_read():
    assert told(bl.khashabi(BALL, 2.0)) == {"strong_convexity": 2.0}


def test_a_comma_within_brackets_is_part_of_a_word():
    steep = Claimed(bl.losses.Linear(2), np.full((ROUNDS, 2), 3.0), Constants(5.0, 0.0, 0.0))
    found = bl.assumptions(bl.hedge(bl.Simplex(2)), steep)
    line = next(each for each in found if each.line.startswith("losses: "))
    assert line.status == "violated"
    assert "an entry of a gradient is 3" in line.reason


def test_arguments_that_were_mixed_up_are_told():
    learner, problem = bl.dogd_sc(BALL, 2.0), bl.problems.RandomQuadratic(2)
    with pytest.raises(TypeError, match="positional"):
        bl.assumptions(learner, problem, BALL)
    with pytest.raises(InvalidArgument, match=r"did you mean RandomQuadratic\("):
        bl.assumptions(learner, bl.problems.RandomQuadratic)
    for call in (bl.assumptions, bl.bounds.of):
        with pytest.raises(InvalidArgument, match=r"problem=.*must have dimension 2, as the learner has; it has 3"):
            call(learner, bl.problems.RandomQuadratic(3))
