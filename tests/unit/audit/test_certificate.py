"""Certificates: what they say, what they refuse, and that no number that is none passes for one."""

import dataclasses
import json
import re

import numpy as np
import pytest

import belated as bl
from belated.audit.certificate import TOLERANCE, Step
from belated.audit.stating import Label, equal, every, once, total
from belated.core.errors import InvalidArgument, ProofBroken
from support.doctored import Dome

BALL = bl.Ball(2)
LABEL = Label("name", "source", "statement")
ROUNDS = np.array([4, 5, 6])


def run_of(learner, rounds=12):
    return bl.record_run(learner, bl.problems.RandomQuadratic(learner.domain.dim), bl.delays.Fixed(3), rounds)


@pytest.fixture(scope="module")
def sound():
    return bl.certify(run_of(bl.dogd_sc(BALL, 2.0)))


@pytest.fixture(scope="module")
def broken():
    return bl.certify(run_of(bl.dogd_sc(BALL, 2.0)), strong_convexity=4.0)


def test_a_certificate_that_holds(sound):
    assert sound.holds
    assert sound.failed == ()
    sound.require()
    assert str(sound).endswith("All 16 steps hold.")
    assert "FAILS" not in str(sound)
    assert sound.constants["longest_delay"] == 3


def test_a_certificate_that_does_not(broken):
    assert not broken.holds
    assert broken.failed == ("strong convexity", "Lemma 3, second part", "Lemma 4")
    with pytest.raises(ProofBroken, match=r"strong convexity.*in round \d+.*also broken: Lemma 3, second") as raised:
        broken.require()
    assert raised.value.step == "strong convexity"
    assert raised.value.round == broken.steps[6].round
    assert str(broken).count("FAILS") == 3
    assert broken.verdict.startswith(
        "BROKEN: the step 'strong convexity' of dogd_sc (proof of Theorem 1) does not hold"
    )


def test_its_text_has_a_line_for_each_step(sound):
    lines = str(sound).splitlines()
    assert lines[0].startswith(
        "Theorem 1 of Wan, Tu and Zhang, on 12 rounds of dogd-sc; strong convexity 2, lipschitz "
    )
    steps = [line for line in lines if line.startswith("ok ")]
    assert [line[4:].partition("  ")[0] for line in steps] == [step.name for step in sound.steps]
    assert max(map(len, lines)) <= 100
    assert len(lines) == 2 + 1 + 2 + len(sound.steps) + 2, "the title, the table, and a line at the end"
    assert repr(sound) == "<Certificate: Theorem 1 of Wan, Tu and Zhang, 16 of 16 steps hold>"


def test_only_of_steps_that_fail_it_has_what_they_say(broken):
    lines = str(broken).splitlines()
    below = [lines[number + 1].strip() for number, line in enumerate(lines) if line.startswith("FAILS")]
    failed = [step for step in broken.steps if not step.holds]
    assert below == [f"{step.source}: {step.statement}" for step in failed]
    assert max(map(len, lines)) <= 100
    said = sum(step.statement[:20] in str(broken) for step in broken.steps)
    assert said == len(failed)
    verbose = broken.text(60, verbose=True)
    assert all(step.statement[:20] in verbose for step in broken.steps)
    assert max(len(line) for line in verbose.splitlines() if not line.startswith("BROKEN")) <= 68
    assert lines[-1] == broken.summary
    assert broken.summary.endswith(", and 2 more of 16 steps.")


def test_slack_that_is_rounding_is_shown_as_none():
    kept = once(LABEL, 1.0 + 1e-12, 1.0, 1.0, 1)
    assert (kept.holds, kept.slack < 0.0) == (True, True)
    found = bl.Certificate("a", "b", 1, {}, (kept, once(LABEL, 1.0 + 1e-6, 1.0, 1.0, 1)))
    assert [row[-2] for row in found.cells()[1]] == ["0", "-1e-06"]


def test_it_is_plain_values_and_a_frame(broken):
    plain = json.loads(json.dumps(broken.to_dict()))
    assert plain["holds"] is False
    assert [step["name"] for step in plain["steps"] if not step["holds"]] == list(broken.failed)
    frame = broken.to_frame()
    assert list(frame.columns) == list(Step._fields)
    assert frame.slack.tolist() == [step.slack for step in broken.steps]


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (bl.ogd(BALL, lipschitz=5.0), "bdogd_sc, composite_ftrl, dda, dogd, dogd_sc"),
        (
            bl.dogd(BALL, lipschitz=5.0),
            "only at a constant rate, as dogd(domain, rate=0.01) has; this one has CountAdaptive",
        ),
        (bl.dogd_sc(bl.Euclidean(2), 2.0), "on a bounded domain: the proof needs R"),
        (bl.bdogd_sc(bl.Euclidean(2), 2.0, 0.1), "on a bounded domain: the proof needs R"),
    ],
    ids=["no chain", "another rate", "unbounded", "unbounded bandit"],
)
def test_a_run_without_a_proof_is_refused(learner, message):
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        bl.certify(run_of(learner))


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"lipshitz": 3.0}, "has no such constant; it has strong_convexity, lipschitz, radius, longest_delay"),
        ({"lipschitz": 0.0}, "must be > 0"),
        ({"radius": np.nan}, "must be finite"),
        ({"lipschitz": 1e308}, "must lie in [1e-50, 1e+50]"),
        ({"total_lateness": 3}, "dogd_sc has no such constant"),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(claims, message):
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        bl.certify(run_of(bl.dogd_sc(BALL, 2.0)), **claims)


def test_losses_without_a_constant_that_the_proof_needs_are_refused():
    run = run_of(bl.bdogd_sc(BALL, 2.0, 0.1))
    u = run.best.point
    best = run.best._replace(value=float(run.rows.sum(axis=0) @ u - len(run.rows) * (u @ u) / 2))
    run = dataclasses.replace(run, loss=Dome(2), best=best)
    with pytest.raises(InvalidArgument, match="for which lipschitz is finite"):
        bl.certify(run)


def test_only_runs_are_certified():
    with pytest.raises(InvalidArgument, match="must be a Run"):
        bl.certify(bl.dogd_sc(BALL, 2.0))


def test_an_own_run_on_an_unbounded_set_has_a_proof_where_none_needs_the_diameter():
    assert bl.certify(run_of(bl.dogd(bl.Euclidean(2), rate=0.1))).holds
    assert bl.certify(run_of(bl.composite_ftrl(bl.Euclidean(2), 2.0))).holds


# How a step is stated


def test_the_round_of_least_slack_is_named():
    step = every(LABEL, np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.5, 9.0]), np.ones(3), ROUNDS)
    assert (step.left, step.right, step.slack, step.round, step.holds) == (2.0, 2.5, 0.5, 5, True)


def test_of_a_step_that_fails_the_first_round_is_named_though_later_ones_miss_by_more():
    step = every(LABEL, np.array([1.0, 2.0, 9.0]), np.ones(3), np.ones(3), ROUNDS)
    assert (step.left, step.round, step.holds) == (2.0, 5, False)


def test_rounds_in_which_both_sides_are_nothing_are_not_named_unless_there_is_no_other():
    nothing = np.zeros(3)
    assert every(LABEL, nothing, np.array([0.0, 0.0, 1.0]), np.ones(3), ROUNDS).round == 6
    assert every(LABEL, nothing, nothing, np.ones(3), ROUNDS).round == 4
    assert every(LABEL, np.array([1.0, 0.0, 0.0]), nothing, np.ones(3), ROUNDS).round == 4


@pytest.mark.parametrize(("miss", "holds"), [(0.5 * TOLERANCE, True), (2.0 * TOLERANCE, False)])
def test_what_is_allowed_for_rounding_is_relative_to_the_sizes(miss, holds):
    ones, size = np.ones(3), np.full(3, 7.0)
    assert every(LABEL, ones + 7.0 * miss, ones, size, ROUNDS).holds == holds
    assert equal(LABEL, np.array([[7.0 * miss]]), np.zeros((1, 1)), size[:1], ROUNDS[:1]).holds == holds
    assert once(LABEL, 1.0 + 7.0 * miss, 1.0, 7.0, 3).holds == holds
    assert total(LABEL, np.array([5.0, 5.0 + 20.0 * miss]), np.array([5.0, 5.0])).holds == holds


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_does_not_hold(bad):
    some = np.array([0.0, bad, 0.0])
    assert not every(LABEL, some, np.ones(3), np.ones(3), ROUNDS).holds
    assert every(LABEL, some, np.ones(3), np.ones(3), ROUNDS).round == 5
    assert not total(LABEL, some, np.ones(3)).holds
    assert not once(LABEL, bad, 1.0, 1.0, None).holds


def test_a_statement_about_no_round_holds_and_names_none():
    empty = np.zeros(0)
    step = every(LABEL, empty, empty, empty, np.zeros(0, dtype=np.int64))
    assert step.holds
    assert step.round is None


def test_a_sum_names_the_round_whose_terms_leave_least():
    step = total(LABEL, np.array([1.0, 4.0, 0.0]), np.array([2.0, 3.0, 2.0]))
    assert (step.left, step.right, step.round, step.holds) == (5.0, 7.0, 2, True)
    assert total(LABEL, np.array([1.0, 4.0]), np.array([2.0, 3.0]), ROUNDS[1:]).round == 6
