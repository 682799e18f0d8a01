"""Expert advice against separate players of the bases and weights by multiplication, its reductions, and mutants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.core.stacks import level
from belated.learners.parts.policies.hints import GivenHint
from belated.learners.parts.wrappers import experts
from belated.learners.verbs import receive, settle
from support.runs import arrivals_by_round
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, domains, seeds

LIPSCHITZ, ROUNDS = 3.0, 12


def naive(bases, gradient, delays, contexts=None, regulariser=0.0, start=None):
    """A list of players that are all told the same; the weights of each round afresh from all gradients received."""
    players, domain = [base.start(start) for base in bases], bases[0].domain
    reach = np.linalg.norm(domain.centre) + domain.outer_radius
    spread = (LIPSCHITZ + regulariser * reach) * domain.diameter
    arrived, said, g, received, xs, charge = arrivals_by_round(delays), {}, {}, [], [], 0
    for t in range(1, len(delays) + 2):
        charge += 1 + 2 * (t - 1 - len(received))
        rate = 2 / spread * math.sqrt(math.log(len(bases)) / charge)
        context = None if contexts is None else contexts[t - 1]
        said[t] = [player.ask(context).decision for player in players]
        lost = np.array(
            [
                sum(g[k] @ said[k][i] + regulariser / 2 * said[k][i] @ said[k][i] for k in received)
                for i in range(len(bases))
            ]
        )
        odds = np.exp(-rate * (lost - lost.min()))
        xs.append((odds / odds.sum()) @ np.array(said[t]))
        if t <= len(delays):
            g[t] = gradient(t, xs[-1])
            for k in arrived[t]:
                received.append(k)
                for player in players:
                    player.tell(g[k], round=k)
    return np.array(xs)


def several(domain):
    """Of several kinds, some with neighbours of their kind, some with a memo."""
    return [
        bl.dogd(domain, rate=0.05),
        bl.dogd(domain, rate=0.6),
        bl.ftdl(domain, strong_convexity=2.0),
        bl.dda(domain, lipschitz=1.0),
        bl.dda(domain, lipschitz=9.0),
        bl.adaptive_revision(domain, scale=0.3),
        bl.dogd(domain, bl.rates.count_adaptive(domain, lipschitz=2.0)),
    ]


def composites(domain):
    return [bl.composite_ftrl(domain, 0.5, lipschitz=1.0, caution=each) for each in (0.0, 0.03, 0.1, 1.0)]


def gap(bases, delays, seed, contexts=None, regulariser=0.0):
    domain = bases[0].domain
    rows = np.random.default_rng(seed).normal(0, 3, (len(delays) + 1, domain.dim))

    def gradient(t, x):
        return rows[t] + x

    ours = decisions_of(bl.expert_advice(bases, LIPSCHITZ), gradient, delays, contexts=contexts)
    return np.abs(ours - naive(bases, gradient, delays, contexts, regulariser)).max()


@settings(max_examples=25)
@given(domains(3, bounded=True), delay_sequences(ROUNDS), seeds)
def test_it_is_hedge_over_players_of_the_bases(domain, delays, seed):
    assert gap(several(domain), delays, seed) < 1e-9


@settings(max_examples=25)
@given(domains(3, bounded=True), delay_sequences(ROUNDS), seeds)
def test_a_known_regulariser_counts_among_the_losses(domain, delays, seed):
    assert gap(composites(domain), delays, seed, regulariser=0.5) < 1e-9


@pytest.mark.parametrize("dim", [1, 2, 4, 6])
def test_in_other_dimensions(dim):
    box, delays = bl.Box([-1.0] * dim, [0.5] * dim), mixed_delays(np.random.default_rng(dim), 30)
    assert gap(several(box), delays, dim) < 1e-10
    assert gap(composites(box), delays, dim, regulariser=0.5) < 1e-10


def test_every_base_is_given_the_context():
    simplex, rng = bl.Simplex(3), np.random.default_rng(7)
    hinted = [bl.odaftrl(simplex, hint=GivenHint()), bl.odaftrl(simplex, 2.0, GivenHint())]
    bases = [*hinted, bl.dorm_plus(simplex, hint=GivenHint()), hinted[0]]
    assert gap(bases, mixed_delays(rng, 30), 8, contexts=rng.normal(0, 1, (31, 3))) < 1e-10


def every_kind():
    ball = bl.Ball(3)
    return [*several(ball), bl.delayed_frank_wolfe(ball, rate=0.1), bl.ons(ball, 3.0, 0.5), composites(ball)[1]]


@pytest.mark.parametrize("base", every_kind(), ids=lambda base: base.name)
@pytest.mark.parametrize("number", [1, 2, 5])
def test_those_who_agree_are_followed_exactly(base, number):
    """One base bit for bit; more of it number for number, where 0.0 and -0.0 are the same."""
    rng = np.random.default_rng(9)
    rows, delays, start = rng.normal(0, 2, (61, 3)), mixed_delays(rng, 60), [0.25, -0.5, 0.0]
    alone = decisions_of(base, lambda t, x: rows[t] + x, delays, start)
    ours = decisions_of(bl.expert_advice([base] * number, LIPSCHITZ), lambda t, x: rows[t] + x, delays, start)
    assert np.array_equal(ours, alone)
    assert number > 1 or ours.tobytes() == alone.tobytes()


def test_the_order_of_the_bases_does_not_matter():
    bases, rng = several(bl.Ball(2)), np.random.default_rng(10)
    rows, delays = rng.normal(0, 2, (41, 2)), mixed_delays(rng, 40)
    one, other = (
        decisions_of(bl.expert_advice(each, LIPSCHITZ), lambda t, x: rows[t] + x, delays)
        for each in (bases, bases[::-1])
    )
    assert np.abs(one - other).max() < 1e-12


def test_neighbours_of_one_kind_are_kept_in_a_stack():
    policy = bl.expert_advice(several(bl.Ball(2)), LIPSCHITZ).policy
    groups, node = [], policy.experts
    while isinstance(node, experts.Both):
        groups.append(len(node.first.policies))
        node = node.rest
    assert [*groups, len(node.policies)] == [2, 1, 2, 1, 1]


def test_by_hand():
    box = bl.Box([-1.0], [1.0])
    player = bl.expert_advice([bl.dogd(box, 0.25), bl.dogd(box, 0.75)], lipschitz=1.0).start()
    assert player.ask().point.tolist() == [0.0]
    player.tell([1.0], round=1)
    assert player.ask().point.tolist() == [-0.5], "both had been at 0"
    player.tell([1.0], round=2)  # they were at -1/4 and -3/4 and go on to -1/2 and -1; V_3 = 3
    share = 1 / (1 + math.exp(-0.5 * math.sqrt(math.log(2) / 3)))  # of the second: eta is 2/2 sqrt(ln 2 / 3)
    assert player.ask().point == pytest.approx([-0.5 - 0.5 * share], abs=1e-15)


def charged_with_the_mean(policy, state, ledger, feedback, memo, scratch):
    said = memo.copy()
    said[-policy.prior.size * policy.dim :] = np.tile(state.decision, policy.prior.size)
    experts.receive_advice(policy, state, ledger, feedback, said, scratch)


def charged_with_what_they_say_now(policy, state, ledger, feedback, memo, scratch):
    said = memo.copy()
    said[-policy.prior.size * policy.dim :] = state.decisions.ravel()
    experts.receive_advice(policy, state, ledger, feedback, said, scratch)


def tells_the_first_only(policy, state, ledger, feedback, memo, scratch):
    receive(policy.first, state.first, ledger, feedback, memo[: policy.memo_split], scratch)


def mixes_up_the_memos(policy, state, ledger, feedback, memo, scratch):
    experts.receive_both(policy, state, ledger, feedback, np.roll(memo, 1), scratch)


def settles_the_first_of_a_kind_only(policy, state, ledger):
    settle(policy.policies[0], level(state, 0), ledger)


@pytest.mark.parametrize(
    ("verb", "part", "mutant"),
    [
        (receive, experts.Advice, charged_with_the_mean),
        (receive, experts.Advice, charged_with_what_they_say_now),
        (receive, experts.Both, tells_the_first_only),
        (receive, experts.Both, mixes_up_the_memos),
        (settle, experts.Alike, settles_the_first_of_a_kind_only),
    ],
)
def test_the_comparison_notices_wrong_experts(verb, part, mutant, monkeypatch):
    monkeypatch.setitem(verb.implementations, part, mutant)
    assert gap(several(bl.Ball(3)), mixed_delays(np.random.default_rng(0), 30), 0) > 1e-3


def test_the_comparison_notices_a_regulariser_that_is_not_charged():
    assert gap(composites(bl.Ball(3)), mixed_delays(np.random.default_rng(0), 30), 0) > 1e-3


def test_what_is_refused():
    ball = bl.Ball(2)
    good, composite = bl.dogd(ball, 0.1), bl.composite_ftrl(ball, regulariser=0.5)
    wrong = {
        "must be a list of learners": [[], "dogd", good],
        "must be a learner, such as": [["dogd"], [good, None]],
        "must be a learner whose memory does not grow": [[good, bl.bold(good)]],
        "must be told gradients": [[bl.dbgd(ball, 0.1, 0.1)], [bl.vaw(bl.Euclidean(2), 1.0)]],
        "must have the domain of the first base, Ball": [[good, bl.dogd(bl.Ball(2, radius=2.0), 0.1)]],
        "must have the regulariser and the context": [[good, composite], [composite, bl.composite_ftrl(ball, 0.25)]],
        "must have a bounded domain": [[bl.dogd(bl.Euclidean(2), 0.1)]],
    }
    for message, cases in wrong.items():
        for bases in cases:
            with pytest.raises(InvalidArgument, match=rf"`expert_advice\(bases?=.*\)`: {message}"):
                bl.expert_advice(bases, 1.0)
    with pytest.raises(InvalidArgument, match=r"`expert_advice\(lipschitz=0.0\)`: must be > 0"):
        bl.expert_advice([good], 0.0)
