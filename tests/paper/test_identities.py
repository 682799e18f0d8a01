"""Identities of the learners: equations that hold exactly, for any delays, domain and loss.

Bursts (several arrivals in a round) and active projections are generated on purpose.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.learners.catalogue import EXAMPLES, typical
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies.arrivals import Batch, Sequential
from belated.learners.parts.policies.gradient import Direct
from belated.learners.parts.rates import ConstantRate, SquareRoot, scale
from belated.learners.parts.steps.descent import Descent
from belated.learners.parts.steps.leader import Leader
from belated.learners.verbs import rest
from support.identity import check_dogd_sc_steps
from support.players import context_for, only_for_some
from support.runs import arrivals_by_round, feedback_of, record, step_of
from support.strategies import delay_sequences, domains, seeds

DIM, ROUNDS, BETA = 3, 10, 2.0
loss = bl.losses.Quadratic(DIM, curvature=BETA)
magnitudes = st.sampled_from([0.3, 1.0, 20.0])
"""The last makes minimisers lie far outside, so that projections are active nearly always."""

few = settings(max_examples=20)
"""For what is tried with every learner, one after the other: together they draw a thousand."""


def with_property(holds):
    """The labels of the catalogue's examples for which something holds, by what they are made of and not by name."""
    return [label for label in EXAMPLES if holds(typical(label, DIM))]


def arrival_rule(learner):
    return getattr(learner.policy, "arrivals", None)


def moves_when_told(learner):
    """Steps either move by feedback alone, or are leaders, which wait for the first one."""
    return step_of(learner) is not None and (not rest.knows(step_of(learner)) or isinstance(step_of(learner), Leader))


descent_learners = with_property(
    lambda learner: (
        isinstance(learner.policy, Direct)
        and isinstance(arrival_rule(learner), Batch)
        and isinstance(step_of(learner), Descent)
    )
)
patient_learners = with_property(moves_when_told)
batch_learners = with_property(lambda learner: isinstance(arrival_rule(learner), Batch))
anonymous_learners = with_property(lambda learner: not learner.needs_round)


def test_learners_are_chosen_by_what_they_are_made_of():
    """Known ones are where they belong: a property that holds for none would test nothing."""
    assert {"ogd", "dogd, doubling", "dogd_sc", "khashabi"} <= set(descent_learners)
    assert not {"dda", "ftdl", "bdogd_sc", "dbgd"} & set(descent_learners)
    assert {"dogd_sc", "dbgd", "dda", "ftdl"} <= set(patient_learners)
    assert {"dogd_sc", "bdogd_sc_two_point", "dda", "ftdl"} <= set(batch_learners)
    assert "dbgd" not in batch_learners
    assert {"dogd_sc", "dbgd", "dda"} <= set(anonymous_learners)
    assert not {"bdogd_sc_two_point", "ftdl"} & set(anonymous_learners)


def rows_of(seed, magnitude=1.0, rounds=ROUNDS):
    return np.random.default_rng(seed).uniform(-1, 1, (rounds, DIM)) * magnitude


def example(name, domain):
    """The catalogue's learner, or ``None`` where it refuses an unbounded domain or one that is not for it."""
    try:
        return EXAMPLES[name](domain)
    except bl.errors.InvalidArgument:
        assert not np.isfinite(domain.diameter) or only_for_some(name)
        return None


@given(domains(DIM), delay_sequences(ROUNDS), seeds, magnitudes)
def test_p2_step_identity_of_dogd_sc(domain, delays, seed, magnitude):
    rows = rows_of(seed, magnitude)
    trace = record(bl.dogd_sc(domain, BETA), loss, rows, delays)
    check_dogd_sc_steps(trace, lambda k, x: loss.gradient(rows[k - 1], x), domain, delays, BETA)


@given(domains(DIM), delay_sequences(ROUNDS), seeds, magnitudes)
def test_p2_step_identity_of_bdogd_sc(domain, delays, seed, magnitude):
    """BDOGD-SC is DOGD-SC on the shrunk domain with estimated gradients, and must pass the same check as such."""
    rows, delta = rows_of(seed, magnitude), min(0.05, domain.inner_radius / 4)
    basis = np.array([domain.embed(e) for e in np.eye(domain.hull_dim)])

    def estimated(k, x):
        centre = loss.value(rows[k - 1], x)
        return sum((loss.value(rows[k - 1], x + delta * e) - centre) / delta * e for e in basis)

    trace = record(bl.bdogd_sc(domain, BETA, delta), loss, rows, delays)
    check_dogd_sc_steps(trace, estimated, domain.shrink(delta), delays, BETA)


@pytest.mark.parametrize("name", descent_learners)
@few
@given(domains(DIM), delay_sequences(ROUNDS), seeds, magnitudes)
def test_p2_every_descent_learner_steps_by_the_sum_of_what_arrived(name, domain, delays, seed, magnitude):
    """h_t (x_t - x') = sum of g_k, with the h_t that the step tells: whatever the rate, it is a descent step."""
    learner = example(name, domain)
    if learner is None:
        return
    trace = record(learner, loss, rows_of(seed, magnitude), delays)
    for t, told in enumerate(trace.arrivals):
        before, after = trace.decisions[t], trace.decisions[t + 1]
        if not told:
            assert np.array_equal(before, after)
            continue
        total = np.sum([trace.feedback[k] for k in told], axis=0)
        moved = trace.inverse_rates[t] * (before - trace.unprojected[t])
        assert moved == pytest.approx(total, rel=1e-9, abs=1e-9 * (1.0 + trace.inverse_rates[t]))
        assert after == pytest.approx(domain.project(trace.unprojected[t]), abs=1e-12)


@given(domains(DIM), delay_sequences(ROUNDS), seeds, st.floats(1e-3, 1e3))
def test_p3_inverse_rate_is_half_beta_times_received(domain, delays, seed, beta):
    trace = record(bl.dogd_sc(domain, beta), loss, rows_of(seed), delays)
    received, arrived = 0, arrivals_by_round(delays)
    for t in range(1, ROUNDS + 1):
        received += len(arrived[t])
        assert trace.inverse_rates[t - 1] == 0.5 * (beta * received)


@pytest.mark.parametrize("name", patient_learners)
@few
@given(domains(DIM), delay_sequences(ROUNDS), seeds)
def test_p4_nothing_moves_before_the_first_arrival(name, domain, delays, seed):
    learner = example(name, domain)
    if learner is None:
        return
    decisions = record(learner, loss, rows_of(seed), delays).decisions
    first = min((k + d - 1 for k, d in enumerate(delays, start=1) if k + d - 1 <= ROUNDS), default=ROUNDS + 1)
    for decision in decisions[:first]:
        assert np.array_equal(decision, decisions[0])


@given(domains(DIM), seeds, magnitudes, st.floats(0.01, 100.0))
def test_p5_without_delay_dogd_sc_is_ogd_sc_with_half_the_curvature(domain, seed, magnitude, beta):
    rows = rows_of(seed, magnitude)
    ours = record(bl.dogd_sc(domain, beta), loss, rows, [1] * ROUNDS).decisions
    theirs = record(bl.ogd_sc(domain, beta / 2), loss, rows, [1] * ROUNDS).decisions
    assert np.array_equal(ours, theirs)


@given(domains(DIM), seeds)
def test_p5_without_delay_dogd_sc_is_not_ogd_sc_with_the_same_curvature(domain, seed):
    rows = rows_of(seed, 0.1) + 0.05
    ours = record(bl.dogd_sc(domain, BETA), loss, rows, [1] * ROUNDS).decisions
    theirs = record(bl.ogd_sc(domain, BETA), loss, rows, [1] * ROUNDS).decisions
    assert not np.array_equal(ours, theirs)


@given(domains(DIM, bounded=True), seeds, magnitudes)
def test_p5_without_delay_dogd_is_ogd(domain, seed, magnitude):
    rows = rows_of(seed, magnitude)
    ours = record(bl.dogd(domain, SquareRoot(scale("test", domain, 2.0))), loss, rows, [1] * ROUNDS).decisions
    assert np.array_equal(ours, record(bl.ogd(domain, 2.0), loss, rows, [1] * ROUNDS).decisions)


@given(domains(DIM, bounded=True), st.integers(1, 40))
def test_p5_without_delay_the_count_adaptive_rate_is_that_of_ogd_with_twice_the_gradients(domain, rounds):
    """W_t = t/2 without delay, so eta_t = Dm / (L sqrt(2 t))."""
    rows = rows_of(rounds, rounds=rounds)
    adaptive = record(bl.dogd(domain, bl.rates.count_adaptive(domain, 2.0)), loss, rows, [1] * rounds)
    assert adaptive.inverse_rates == pytest.approx(
        [2.0 / domain.diameter * np.sqrt(2 * t) for t in range(1, rounds + 1)]
    )


@pytest.mark.parametrize("name", EXAMPLES)
@few
@given(domains(DIM), delay_sequences(ROUNDS), seeds)
def test_p6_delays_beyond_the_end_do_not_matter(name, domain, delays, seed):
    learner = example(name, domain)
    if learner is None:
        return
    cut = [min(delay, ROUNDS - t + 1) for t, delay in enumerate(delays, start=1)]
    rows = rows_of(seed)
    whole, truncated = (record(learner, loss, rows, d).decisions[:ROUNDS] for d in (delays, cut))
    assert np.array_equal(whole, truncated)


@pytest.mark.parametrize("name", batch_learners)
@few
@given(domains(DIM), delay_sequences(ROUNDS), seeds, st.randoms(use_true_random=False))
def test_p7_batch_learners_do_not_care_about_the_order_within_a_round(name, domain, delays, seed, random):
    learner = example(name, domain)
    if learner is None:
        return
    rows = rows_of(seed)
    in_order = record(learner, loss, rows, delays).decisions
    shuffled = record(learner, loss, rows, delays, order=lambda ks: random.sample(ks, len(ks))).decisions
    assert np.allclose(in_order, shuffled, rtol=0, atol=1e-10 * max(1.0, np.abs(in_order).max()))


def test_p7_has_power_a_sequential_learner_cares():
    ball, delays = bl.Ball(DIM), [4, 3, 2, 1]
    learner = from_arrivals("sequential", ball, Sequential(Descent(ball, ConstantRate(0.2))))
    rows = rows_of(1, 5.0, rounds=4)
    runs = [record(learner, loss, rows, delays, order=order).decisions for order in (list, lambda ks: ks[::-1])]
    assert not np.allclose(*runs)


@pytest.mark.parametrize("name", ["dogd_sc", "bdogd_sc", "bdogd_sc_two_point", "dogd, count-adaptive"])
@given(domains(DIM, bounded=True), st.integers(1, 4), seeds)
def test_p8_copies_chosen_idle_or_by_the_clock_agree_when_the_delay_is_fixed(name, domain, delay, seed):
    """A player for each residue of t modulo d, or the longest idle one: the same, and players share nothing."""
    learner, rows = EXAMPLES[name](domain), rows_of(seed)
    assert np.array_equal(by_the_clock(learner, rows, delay), longest_idle(learner, rows, delay))


def answer(learner, row, play):
    return feedback_of(learner)(loss, row, play)


def by_the_clock(learner, rows, delay):
    players, waiting, decisions = [learner.start(seed=i) for i in range(delay)], {}, []
    for t in range(1, len(rows) + 1):
        player = players[(t - 1) % delay]
        play = player.ask()
        decisions.append(play.decision)
        waiting[t] = (player, play.round, answer(learner, rows[t - 1], play))
        if t - delay + 1 >= 1:
            owner, number, feedback = waiting.pop(t - delay + 1)
            owner.tell(feedback, round=number)
    return decisions


def longest_idle(learner, rows, delay):
    idle, created, waiting, decisions = [], 0, {}, []
    for t in range(1, len(rows) + 1):
        if not idle:
            idle.append(learner.start(seed=created))
            created += 1
        player = idle.pop(0)
        play = player.ask()
        decisions.append(play.decision)
        waiting.setdefault(t + delay - 1, []).append((player, play.round, answer(learner, rows[t - 1], play)))
        for owner, number, feedback in waiting.pop(t, []):
            owner.tell(feedback, round=number)
            idle.append(owner)
    return decisions


@pytest.mark.parametrize("name", anonymous_learners)
@few
@given(domains(DIM), delay_sequences(ROUNDS), seeds)
def test_p9_anonymous_learners_do_not_use_the_round(name, domain, delays, seed):
    learner = example(name, domain)
    if learner is None:
        return
    rows = rows_of(seed)
    with_rounds = record(learner, loss, rows, delays, stamp=True).decisions
    assert np.array_equal(with_rounds, record(learner, loss, rows, delays, stamp=False).decisions)


@pytest.mark.parametrize("name", anonymous_learners)
@few
@given(domains(DIM), seeds, st.randoms(use_true_random=False))
def test_p9_wrong_rounds_do_not_mislead_anonymous_learners(name, domain, seed, random):
    """A burst is told with its rounds shuffled: the payloads arrive in the same order under other names."""
    learner = example(name, domain)
    if learner is None:
        return
    rows, outcomes = rows_of(seed), []
    for shuffle in (lambda ks: ks, lambda ks: random.sample(ks, len(ks))):
        player, payloads = learner.start(), []
        for number, row in enumerate(rows, start=1):
            play = player.ask(context_for(learner, number))
            payloads.append(answer(learner, row, play))
        for payload, number in zip(payloads, shuffle(list(range(1, ROUNDS + 1))), strict=True):
            player.tell(payload, round=number)
        outcomes.append(player.ask(context_for(learner)).decision)
    assert np.array_equal(*outcomes)


@given(delay_sequences(ROUNDS))
def test_p10_rounds_spent_in_flight_add_up_to_the_counts(delays):
    spent = sum(min(d, ROUNDS - k + 1) - 1 for k, d in enumerate(delays, start=1))
    missing_at_the_end = sum(k + d - 1 > ROUNDS for k, d in enumerate(delays, start=1))
    player, arrived, in_flight = bl.dogd_sc(bl.Ball(1), 1.0).start(), arrivals_by_round(delays), []
    for t in range(1, ROUNDS + 2):
        player.ask()
        in_flight.append(player.ledger.outstanding)
        for k in arrived[t] if t <= ROUNDS else ():
            player.tell([0.0], round=k)
    assert sum(in_flight[1:]) == spent + missing_at_the_end


@given(delay_sequences(ROUNDS), st.floats(0.1, 10.0))
def test_p11_the_double_sum_of_the_proof_is_a_sum_over_rounds(delays, beta):
    r"""sum_t sum_{i=max(t,s)}^{t'-1} \|F_i\|/h_i = sum_i \|F_i\| o_i / h_i, with the virtual rounds after T."""
    arrived = arrivals_by_round(delays)
    last = max(k + d - 1 for k, d in enumerate(delays, start=1))
    f = {i: len(arrived[i]) for i in range(1, last + 1)}
    received = np.cumsum([f[i] for i in range(1, last + 1)])
    h = {i: beta / 2 * received[i - 1] for i in f}
    missing = {i: min(i, ROUNDS) - received[i - 1] for i in f}
    double = sum(f[i] / h[i] for k, d in enumerate(delays, start=1) for i in range(k, k + d - 1) if f[i])
    assert double == pytest.approx(sum(f[i] * missing[i] / h[i] for i in f if f[i]), rel=1e-12, abs=1e-12)


@given(delay_sequences(ROUNDS), seeds)
def test_p14_unconstrained_sequential_is_batch_at_a_constant_rate(delays, seed):
    everywhere, rows = bl.Euclidean(DIM), rows_of(seed)
    batch, sequential = (
        record(
            from_arrivals("dogd", everywhere, rule(Descent(everywhere, ConstantRate(4.0)))), loss, rows, delays
        ).decisions
        for rule in (Batch, Sequential)
    )
    assert np.allclose(batch, sequential, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", EXAMPLES)
@few
@given(domains(DIM), delay_sequences(ROUNDS), seeds, st.integers(0, ROUNDS))
def test_p15_a_resumed_run_has_a_bit_identical_tail(name, domain, delays, seed, when):
    """Interrupted after any number of asks, with feedback told and not yet applied."""
    learner = example(name, domain)
    if learner is None:
        return
    rows, arrived = rows_of(seed), arrivals_by_round(delays)
    player, twin, feedback = learner.start(seed=7), learner.start(seed=7), {}
    for t in range(1, ROUNDS + 1):
        plays = [each.ask(context_for(learner, t)) for each in (player, twin)]
        assert np.array_equal(plays[0].points, plays[1].points)
        feedback[t] = answer(learner, rows[t - 1], plays[0])
        for k in arrived[t]:
            player.tell(feedback[k], round=k)
            twin.tell(feedback[k], round=k)
        if t == when:
            twin = learner.resume(twin.state())
    assert np.array_equal(*(each.ask(context_for(learner)).points for each in (player, twin)))


def test_p16_a_trajectory_computed_by_hand():
    """n = 1, X = [-1, 1], beta = 2 so h_t = N_t, gradients given; rounds 2, 3 and 4 arrive together.

    ====  =======  ===========  =====  ====================================  ========
    t     d_t      F_t          h_t    x'                                    x_{t+1}
    ====  =======  ===========  =====  ====================================  ========
    1     1        {1}          1      0 - 0.5/1        = -0.5               -0.5
    2     3        {}           1                                            -0.5
    3     2        {}           1                                            -0.5
    4     1        {2, 3, 4}    4      -0.5 - (1 + 2 + 1)/4 = -1.5           -1
    5     9        {}           4                                            -1
    6     1        {6}          5      -1 - (-2.5)/5    = -0.5               -0.5
    ====  =======  ===========  =====  ====================================  ========
    """
    gradients, delays = {1: 0.5, 2: 1.0, 3: 2.0, 4: 1.0, 5: 7.0, 6: -2.5}, [1, 3, 2, 1, 9, 1]
    player, arrived, decisions = bl.dogd_sc(bl.Box([-1.0], [1.0]), 2.0).start([0.0]), arrivals_by_round(delays), []
    for t in range(1, 8):
        decisions.append(player.ask().point[0])
        for k in arrived[t] if t <= 6 else ():
            player.tell([gradients[k]])
    assert decisions == [0.0, -0.5, -0.5, -0.5, -1.0, -1.0, -0.5]
    assert player.state()["policy.arrivals.step.unprojected"][0] == -0.5
    assert player.ledger[:5] == (7, 0, 5, 2, 1)
