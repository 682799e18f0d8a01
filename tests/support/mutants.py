"""Twelve plausible bugs in DOGD-SC, each a small change of one part. The step identity must notice all of them.

A mutant is a function from a domain and beta to a learner. Two of the bugs sit in the caller, not in the learner
(feedback applied a round late, gradients taken at the current decision); they are modelled where they would happen.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from belated.domains.base import project
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies.arrivals import Batch, Sequential
from belated.learners.parts.rates import PerFeedback
from belated.learners.parts.steps.descent import Descent, DescentState
from belated.learners.verbs import absorb, begin, decision, inverse_rate, move, settle


def _rate(name, formula):
    """A rate that is wrong in the given way: ``formula(beta, ledger)``."""
    rate_class = namedtuple(name, ["strong_convexity"])
    inverse_rate.on(rate_class)(lambda rate, ledger: formula(rate.strong_convexity, ledger))
    return lambda domain, beta: from_arrivals("dogd_sc", domain, Batch(Descent(domain, rate_class(beta))))


class _WrongStep(NamedTuple):
    domain: Any
    rate: Any


class NoProjection(_WrongStep):
    pass


class Ascent(_WrongStep):
    pass


class CountsBatches(_WrongStep):
    """h grows by beta/2 for every non-empty round."""


for step_class in (NoProjection, Ascent, CountsBatches):
    begin.on(step_class)(lambda step, initial: DescentState(initial.copy(), initial.copy(), np.zeros(1)))
    decision.on(step_class)(lambda step, state, out: np.copyto(out, state.decision))


@move.on(NoProjection)
def _(step, state, ledger, gradient):
    state.inverse_rate[0] = inverse_rate(step.rate, ledger)
    state.unprojected[:] = state.decision - gradient / state.inverse_rate[0]
    state.decision[:] = state.unprojected


@move.on(Ascent)
def _(step, state, ledger, gradient):
    state.inverse_rate[0] = inverse_rate(step.rate, ledger)
    state.unprojected[:] = state.decision + gradient / state.inverse_rate[0]
    project(step.domain, state.unprojected, state.decision)


@move.on(CountsBatches)
def _(step, state, ledger, gradient):
    state.inverse_rate[0] += step.rate.strong_convexity / 2
    state.unprojected[:] = state.decision - gradient / state.inverse_rate[0]
    project(step.domain, state.unprojected, state.decision)


class _WrongBatch(NamedTuple):
    step: Any


class Mean(_WrongBatch):
    pass


class KeepsOne(_WrongBatch):
    pass


class RoundLate(_WrongBatch):
    pass


class HeldState(NamedTuple):
    total: Any
    held: Any
    step: Any


for rule_class in (Mean, KeepsOne, RoundLate):
    decision.on(rule_class)(lambda rule, state, out: decision(rule.step, state.step, out))
    begin.on(rule_class)(
        lambda rule, initial: HeldState(np.zeros(initial.size), np.zeros(initial.size + 1), begin(rule.step, initial))
    )


@absorb.on(Mean, RoundLate)
def _(rule, state, ledger, gradient):
    state.total[:] += gradient


@absorb.on(KeepsOne)
def _(rule, state, ledger, gradient):
    state.total[:] = gradient


@settle.on(Mean)
def _(rule, state, ledger):
    if ledger.arrived:
        move(rule.step, state.step, ledger, state.total / ledger.arrived)
        state.total[:] = 0.0


@settle.on(KeepsOne)
def _(rule, state, ledger):
    if ledger.arrived:
        move(rule.step, state.step, ledger, state.total)
        state.total[:] = 0.0


@settle.on(RoundLate)
def _(rule, state, ledger):
    if state.held[-1]:
        move(rule.step, state.step, ledger._replace(received=ledger.received - ledger.arrived), state.held[:-1])
    state.held[:-1], state.held[-1] = state.total, ledger.arrived
    state.total[:] = 0.0


def _step(step_class):
    return lambda domain, beta: from_arrivals("dogd_sc", domain, Batch(step_class(domain, PerFeedback(beta))))


def _rule(rule_class):
    return lambda domain, beta: from_arrivals("dogd_sc", domain, rule_class(Descent(domain, PerFeedback(beta))))


def _correct(domain, beta):
    return from_arrivals("dogd_sc", domain, Batch(Descent(domain, PerFeedback(beta))))


GRADIENT_AT_CURRENT = "gradient at current x"

MUTANTS = {
    "arrivals one round late": _rule(RoundLate),
    "beta instead of beta/2": _rate("FullBeta", lambda beta, ledger: beta * ledger.received),
    "beta/4": _rate("QuarterBeta", lambda beta, ledger: beta / 4 * ledger.received),
    "h counts rounds": _rate("CountsRounds", lambda beta, ledger: beta / 2 * ledger.round),
    "h counts non-empty rounds": _step(CountsBatches),
    "step uses h_{t-1}": _rate(
        "PreviousH", lambda beta, ledger: beta / 2 * (ledger.received - ledger.arrived or ledger.received)
    ),
    "mean instead of sum": _rule(Mean),
    GRADIENT_AT_CURRENT: _correct,
    "keeps one of F_t": _rule(KeepsOne),
    "sequential, not batch": _rule(Sequential),
    "no projection": _step(NoProjection),
    "sign flipped (ascent)": _step(Ascent),
}
