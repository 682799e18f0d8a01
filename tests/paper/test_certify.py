"""Certificates find what is wrong: every line of every chain can fail, and twelve bugs are named by the right line.

The numbers of the lines are compared with those of ``support.proofs``, which computes them from the definitions round
by round and shares nothing with the room ``audit``.
"""

import dataclasses
import math

import numpy as np
import pytest

import belated as bl
from belated.audit.chains import CHAINS
from belated.domains import EVERY
from belated.papers import wan2021
from support import bounds
from support.doctored import BALL, BROKEN, SOUND, recorded
from support.mutants import GRADIENT_AT_CURRENT, MUTANTS
from support.proofs import prove, stories
from support.runs import arrivals_by_round

BETA, ROUNDS, DIM = 2.0, 24, 3
LOSS = bl.losses.Quadratic(DIM, curvature=BETA)

CAUSES = {
    "arrivals one round late": "rest",
    "beta instead of beta/2": "rate",
    "beta/4": "rate",
    "h counts rounds": "rate",
    "h counts non-empty rounds": "rate",
    "step uses h_{t-1}": "rate",
    "mean instead of sum": "step",
    GRADIENT_AT_CURRENT: "gradient",
    "keeps one of F_t": "step",
    "sequential, not batch": "step",
    "no projection": "projection",
    "sign flipped (ascent)": "step",
}
"""What each bug breaks first. Feedback that is applied a round late moves decisions in rounds in which none arrives."""


def bounded_domains():
    return [domain for domain in (family.example(DIM) for family in EVERY) if math.isfinite(domain.diameter)]


def cases():
    """Domain, rows and delays: bursts and overtaking, minimisers inside the domain and far outside."""
    rng = np.random.default_rng(12)
    for i, domain in enumerate(bounded_domains()):
        rows = rng.uniform(-1, 1, (ROUNDS, DIM)) * (0.5, 8.0)[i % 2]
        yield domain, rows, [2, 6, 1, 4, 5, 3] * 4


def played(learner, rows, delays):
    problem = bl.problems.Recorded(LOSS, rows)
    return bl.record_run(learner, problem, bl.delays.Trace(delays), len(rows))


def with_gradients_at_current(learner, rows, delays):
    """The caller's bug: feedback is computed when it arrives, at the decision of *that* round."""
    right, player, arrived = played(learner, rows, delays), learner.start(), arrivals_by_round(delays)
    decisions, feedback = [], np.array(right.feedback)
    for t in range(1, len(rows) + 2):
        decisions.append(player.ask().decision)
        for k in arrived[t] if t <= len(rows) else ():
            feedback[k - 1] = LOSS.gradient(rows[k - 1], decisions[-1])
            player.tell(feedback[k - 1], round=k)
    return dataclasses.replace(right, decisions=decisions, feedback=feedback, unprojected=None, inverse_rates=None)


def buggy(name, domain, rows, delays):
    """The run of a mutant that claims to be one of DOGD-SC."""
    record = with_gradients_at_current if name == GRADIENT_AT_CURRENT else played
    run = record(MUTANTS[name](domain, BETA), rows, delays)
    return dataclasses.replace(run, learner=bl.dogd_sc(domain, BETA))


def test_a_step_is_expected_for_every_mutant():
    assert CAUSES.keys() == MUTANTS.keys()


@pytest.mark.parametrize("name", MUTANTS)
def test_every_bug_is_found_and_the_right_step_is_named(name):
    causes = []
    for domain, rows, delays in cases():
        right, wrong = played(bl.dogd_sc(domain, BETA), rows, delays), buggy(name, domain, rows, delays)
        if not np.allclose(right.decisions, wrong.decisions, rtol=0, atol=1e-7):
            causes.append(bl.certify(wrong).failed[:1])
    assert len(causes) >= 3, "the bug no longer matters in these runs"
    assert set(causes) == {(CAUSES[name],)}


@pytest.mark.parametrize("name", MUTANTS)
def test_bugs_are_found_without_a_record_of_the_steps(name):
    """Decisions and gradients are enough to find them; the cause is then told less exactly."""
    for domain, rows, delays in cases():
        right, wrong = played(bl.dogd_sc(domain, BETA), rows, delays), buggy(name, domain, rows, delays)
        bare = dataclasses.replace(wrong, unprojected=None, inverse_rates=None)
        if not np.allclose(right.decisions, wrong.decisions, rtol=0, atol=1e-7):
            assert bl.certify(bare).failed[:1] in [("gradient",), ("rest",), ("projection",)]


# Every line can fail


def test_every_chain_has_a_broken_run_for_each_of_its_steps():
    for name in CHAINS:
        steps = [step.name for step in bl.certify(recorded(SOUND[name](BALL))).steps]
        assert sorted(steps) == sorted(BROKEN[name])
        assert len(set(steps)) == len(steps)


@pytest.mark.parametrize(("name", "step"), [(name, step) for name, steps in BROKEN.items() for step in steps])
def test_a_run_that_breaks_a_step_is_named_by_it(name, step):
    run, claims = BROKEN[name][step]()
    certificate = bl.certify(run, **claims)
    assert certificate.algorithm == name
    assert certificate.failed[0] == step
    with pytest.raises(bl.errors.ProofBroken, match=step) as raised:
        certificate.require()
    assert raised.value.step == step


# And does not fail where it should not


def learners_for(domain, beta, steep):
    reach = float(np.linalg.norm(domain.centre)) + domain.outer_radius
    return (
        bl.dogd_sc(domain, beta),
        bl.bdogd_sc(domain, beta, domain.inner_radius / 5),
        bl.dogd(domain, rate=0.1),
        bl.dda(domain, steep),
        bl.composite_ftrl(domain, beta),
        bl.composite_ftrl(domain, beta / 2, steep + beta * reach, caution=0.2),
    )


def test_true_runs_hold_on_every_domain_from_any_start():
    """With bursts, active projections, delays beyond the end; rounding takes no hundredth of what is allowed for it."""
    rng, seen = np.random.default_rng(8), set()
    for domain, loss, rows, delays, beta in list(stories())[::2]:
        steep = loss.constants(rows, domain).lipschitz
        point = domain.project(domain.centre + domain.diameter * rng.normal(size=DIM))
        for learner in learners_for(domain, beta, steep):
            problem, law = bl.problems.Recorded(loss, rows), bl.delays.Trace(delays)
            run = bl.record_run(learner, problem, law, len(rows), initial=learner.decision_domain.project(point))
            certificate = bl.certify(run)
            assert certificate.holds, certificate.verdict
            assert all(step.slack >= -step.allowance / 100 for step in certificate.steps)
            seen |= {certificate.algorithm}
    assert seen == set(CHAINS)


@pytest.mark.parametrize("delays", [[bl.delays.NEVER], [1], [bl.delays.NEVER] * 5, [5, 4, 3, 2, 1], [9, 7, 9, 7, 1]])
def test_feedback_that_never_comes_or_comes_all_at_once(delays):
    rows = np.random.default_rng(2).uniform(-4, 4, (len(delays), DIM))
    for learner in learners_for(bl.Ball(DIM), BETA, 20.0):
        assert bl.certify(played(learner, rows, delays)).holds


# The numbers are right


def numbers(certificate):
    return {step.name: (step.left, step.right) for step in certificate.steps}


def test_the_lines_of_theorem_1_have_the_numbers_of_the_definitions():
    for domain, loss, rows, delays, beta in list(stories())[:12]:
        proof = prove(domain, loss, rows, delays, beta)
        problem, law = bl.problems.Recorded(loss, rows), bl.delays.Trace(delays)
        found = numbers(bl.certify(bl.record_run(bl.dogd_sc(domain, beta), problem, law, len(rows))))
        known = (delays, beta, proof.radius, proof.lipschitz)
        steps = {t: len(ks) / proof.h[t] for t, ks in proof.arrived.items() if ks}
        between = [sum(steps.get(i, 0.0) for i in range(t, t + d - 1)) for t, d in enumerate(delays, start=1)]
        assert found["Lemma 3, first part"] == pytest.approx(
            (sum(between), 2 * max(delays) * sum(steps.values())), rel=1e-9
        )
        logarithm = 1 + math.log(len(delays) / len(proof.arrived[proof.first]))
        assert found["Lemma 3, second part"] == pytest.approx((sum(steps.values()) / 2, logarithm / beta), rel=1e-9)
        assert found["Theorem 1"] == pytest.approx((proof.regret, bounds.theorem_1(*known)), rel=1e-9)
        drifted = sum(float(np.linalg.norm(proof.x[t] - proof.x[t + d - 1])) for t, d in enumerate(delays, start=1))
        cost = max(delays) * proof.lipschitz**2 / 2 * sum(steps.values())
        assert found["Lemma 2"][1] == pytest.approx(beta * proof.radius * drifted + cost, rel=1e-9)


def test_no_comparator_is_worse_for_lemma_2_than_the_one_that_it_is_checked_at():
    rng = np.random.default_rng(4)
    for domain, loss, rows, delays, beta in list(stories())[:12]:
        proof = prove(domain, loss, rows, delays, beta)
        problem, law = bl.problems.Recorded(loss, rows), bl.delays.Trace(delays)
        worst = numbers(bl.certify(bl.record_run(bl.dogd_sc(domain, beta), problem, law, len(rows))))["Lemma 2"][0]
        for _ in range(20):
            u = domain.project(domain.centre + domain.diameter * rng.normal(size=DIM))
            left = sum(
                float(proof.g[t] @ (proof.x[t + d - 1] - u)) - beta / 2 * float(np.sum((proof.x[t] - u) ** 2))
                for t, d in enumerate(delays, start=1)
            )
            assert left <= worst + 1e-9 * (1 + abs(worst))


def test_bounds_are_those_of_the_library():
    """At the centre of a ball, where the bound of DDA and that of the whole diameter can be compared with."""
    rows, delays = np.random.default_rng(2).uniform(-8, 8, (ROUNDS, DIM)), [2, 6, 1, 4, 5, 3] * 4
    ball, steep = bl.Ball(DIM), 20.0
    dda = bl.certify(played(bl.dda(ball, steep), rows, delays))
    best = played(bl.dda(ball, steep), rows, delays).best.point
    full = bl.bounds.dda(delays, radius=1.0, lipschitz=steep)
    assert numbers(dda)["bound"][1] == pytest.approx(full / 2 * (1 + float(best @ best)), rel=1e-12)
    weighted = bl.certify(played(bl.composite_ftrl(ball, 1.0, steep), rows, delays))
    known = bl.bounds.composite_ftrl(delays, regulariser=1.0, largest_norm=1.0, lipschitz=steep)
    assert numbers(weighted)["balance"] == pytest.approx((known / 2, known / 2), rel=1e-9)
    descent = played(bl.dogd(ball, rate=0.1), rows, delays)
    distance = float(np.linalg.norm(descent.best.point))
    longest = float(np.linalg.norm(descent.feedback, axis=1).max())
    wanted = bl.bounds.dogd(delays, rate=0.1, diameter=distance, lipschitz=longest)
    assert numbers(bl.certify(descent))["bound"][1] == pytest.approx(wanted, rel=1e-12)


def test_the_papers_runs_hold_with_the_papers_bounds():
    """The bounds that the paper's constants give, at the paper's size; the runs are those of ``belated paper``."""
    for setting in wan2021.SETTINGS:
        setup = wan2021.setup(setting, 1000)
        for name in ("dogd-sc", "bdogd-sc"):
            learner, first = setup.learners()[name], setup.initial()[name]
            run = bl.record_run(learner, wan2021.PROBLEM, setup.law, 1000, initial=first)
            certificate = bl.certify(run, lipschitz=wan2021.CONSTANTS.lipschitz)
            assert certificate.holds, certificate.verdict
            assert certificate.steps[-1].right == pytest.approx(setup.bounds()[name], rel=1e-9)
