"""Players against the paper's pseudo-code, over random delays, domains and losses, to 1e-12."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.learners import bdogd_sc, bdogd_sc_two_point, dbgd, dogd, dogd_sc, khashabi, ogd, ogd_sc
from belated.learners.parts.rates import count_adaptive, doubling
from belated.losses import EVERY as LOSSES
from support import naive
from support.runs import record
from support.strategies import delay_sequences, domains, seeds

DIM, ROUNDS = 3, 9
CLOSE = 1e-12


def problem(loss_class, seed):
    """A loss and its rows; scaled up where the loss allows it, so that projections are active."""
    loss = loss_class.example(DIM)
    return loss, loss.example_rows(np.random.default_rng(seed), ROUNDS)


losses = st.sampled_from([loss_class for loss_class in LOSSES if loss_class.__name__ != "LogWealth"])
"""All but log-wealth, which is finite only where wealth is positive; it has its own test on the simplex."""


def agree(learner, naive_decisions, loss, rows, delays, **kwargs):
    trace = record(learner, loss, rows, delays, **kwargs)
    gap = np.abs(np.array(trace.decisions) - np.array(naive_decisions)).max()
    assert gap <= CLOSE * max(1.0, np.abs(naive_decisions).max())


@given(domains(DIM), losses, delay_sequences(ROUNDS), seeds)
def test_dogd_sc(domain, loss_class, delays, seed):
    loss, rows = problem(loss_class, seed)
    witness = naive.dogd_sc(lambda t, x: loss.gradient(rows[t - 1], x), delays, domain.project, domain.centre, 0.7)
    agree(dogd_sc(domain, 0.7), witness, loss, rows, delays)


@given(domains(DIM), losses, delay_sequences(ROUNDS), seeds)
def test_dogd_constant(domain, loss_class, delays, seed):
    loss, rows = problem(loss_class, seed)
    witness = naive.dogd(lambda t, x: loss.gradient(rows[t - 1], x), delays, domain.project, domain.centre, 0.8)
    agree(dogd(domain, 0.8), witness, loss, rows, delays)


@given(domains(DIM, bounded=True), losses, delay_sequences(ROUNDS), seeds)
def test_dogd_count_adaptive(domain, loss_class, delays, seed):
    loss, rows = problem(loss_class, seed)
    lipschitz = 3.0

    def eta(t):
        history = [naive.counts(delays, i) for i in range(1, t + 1)]
        weight = sum(arrived * (arrived / 2 + missing) for arrived, _, missing, _ in history)
        return domain.diameter / (2 * lipschitz * np.sqrt(weight))

    witness = naive.dogd(lambda t, x: loss.gradient(rows[t - 1], x), delays, domain.project, domain.centre, eta)
    agree(dogd(domain, count_adaptive(domain, lipschitz)), witness, loss, rows, delays)


@given(domains(DIM, bounded=True), losses, delay_sequences(ROUNDS), seeds)
def test_dogd_doubling(domain, loss_class, delays, seed):
    loss, rows = problem(loss_class, seed)
    lipschitz, guess = 3.0, [1]

    def eta(t):
        while sum(1 + 2 * naive.counts(delays, i)[3] for i in range(1, t + 1)) > guess[0]:
            guess[0] *= 2
        return domain.diameter / (lipschitz * np.sqrt(guess[0]))

    witness = naive.dogd(lambda t, x: loss.gradient(rows[t - 1], x), delays, domain.project, domain.centre, eta)
    agree(dogd(domain, doubling(domain, lipschitz)), witness, loss, rows, delays)


@given(domains(DIM), losses, delay_sequences(ROUNDS), seeds)
def test_khashabi(domain, loss_class, delays, seed):
    loss, rows = problem(loss_class, seed)
    witness = naive.dogd(
        lambda t, x: loss.gradient(rows[t - 1], x),
        delays,
        domain.project,
        domain.centre,
        lambda t: 2 / (0.7 * t * naive.counts(delays, t)[0]),
    )
    agree(khashabi(domain, 0.7), witness, loss, rows, delays)


@given(domains(DIM, bounded=True), losses, seeds)
def test_ogd_and_ogd_sc_without_delay(domain, loss_class, seed):
    loss, rows = problem(loss_class, seed)
    x, y = [domain.centre], [domain.centre]
    for t in range(1, ROUNDS + 1):
        x.append(domain.project(x[-1] - domain.diameter / (3.0 * np.sqrt(t)) * loss.gradient(rows[t - 1], x[-1])))
        y.append(domain.project(y[-1] - 1 / (0.7 * t) * loss.gradient(rows[t - 1], y[-1])))
    agree(ogd(domain, lipschitz=3.0), x, loss, rows, [1] * ROUNDS)
    agree(ogd_sc(domain, 0.7), y, loss, rows, [1] * ROUNDS)


def basis_of(domain):
    return [domain.embed(e) for e in np.eye(domain.hull_dim)]


def radius_of(domain):
    return min(0.1, domain.inner_radius / 3)


@given(domains(DIM), losses, delay_sequences(ROUNDS), seeds)
def test_bdogd_sc_and_dbgd(domain, loss_class, delays, seed):
    """The estimator divides differences by delta: rounding of the values is magnified, so values are matched too."""
    loss, rows = problem(loss_class, seed)
    delta, basis = radius_of(domain), basis_of(domain)
    inside = domain.shrink(delta)

    def f(t, x):
        return loss.value(rows[t - 1], x)

    witness = naive.bdogd_sc(f, delays, inside.project, inside.centre, 0.7, delta, basis)
    agree(bdogd_sc(domain, 0.7, delta), witness, loss, rows, delays)
    witness = naive.dbgd(f, delays, inside.project, inside.centre, 0.8, delta, basis)
    agree(dbgd(domain, 0.8, delta), witness, loss, rows, delays)


@given(domains(DIM), losses, delay_sequences(ROUNDS), seeds)
def test_two_point(domain, loss_class, delays, seed):
    loss, rows = problem(loss_class, seed)
    delta = radius_of(domain)
    inside = domain.shrink(delta)
    learner = bdogd_sc_two_point(domain, 0.7, delta)
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(2**32 - 1,)))
    directions = []
    for _ in range(ROUNDS):
        normal = rng.standard_normal(domain.hull_dim)
        directions.append(domain.embed(normal / np.linalg.norm(normal)))
    witness = naive.two_point(
        lambda t, x: loss.value(rows[t - 1], x),
        delays,
        inside.project,
        inside.centre,
        0.7,
        delta,
        directions,
        domain.hull_dim,
    )
    agree(learner, witness, loss, rows, delays, seed=5)


@pytest.mark.parametrize("learner_name", ["dogd_sc", "bdogd_sc"])
@given(delay_sequences(ROUNDS), seeds)
def test_log_wealth_on_the_simplex(learner_name, delays, seed):
    from belated.domains import Simplex
    from belated.losses import LogWealth

    domain, loss = Simplex(DIM), LogWealth(DIM)
    rows = loss.example_rows(np.random.default_rng(seed), ROUNDS)
    if learner_name == "dogd_sc":
        witness = naive.dogd_sc(lambda t, x: loss.gradient(rows[t - 1], x), delays, domain.project, domain.centre, 0.7)
        agree(dogd_sc(domain, 0.7), witness, loss, rows, delays)
    else:
        inside = domain.shrink(0.1)
        witness = naive.bdogd_sc(
            lambda t, x: loss.value(rows[t - 1], x), delays, inside.project, inside.centre, 0.7, 0.1, basis_of(domain)
        )
        agree(bdogd_sc(domain, 0.7, 0.1), witness, loss, rows, delays)
