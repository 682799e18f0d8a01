"""The perceptron and its copies against a few lines of NumPy; mistakes are counted, and bounded where they must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument, RoundRequired
from belated.learners.algorithms.mesterharm import mesterharm
from belated.learners.algorithms.perceptron import Classifier, perceptron, receive_class
from belated.learners.algorithms.solid import solid
from belated.learners.algorithms.weinberger_ordentlich import weinberger_ordentlich
from belated.learners.parts.wrappers import copies
from belated.learners.verbs import receive
from belated.sim.problems.separable import Separable
from support.naive import rounds_arriving
from support.players import as_bytes
from support.strategies import delay_sequences, seeds

ROUNDS = 30


class Naive:
    """The perceptron, from its definition: all classes tie until something is learned."""

    def __init__(self, classes, features, first):
        self.w, self.first = np.zeros((classes, features)), np.asarray(first)

    def predict(self, z):
        scores = self.w @ z
        return self.first if np.ptp(scores) == 0.0 else np.eye(len(scores))[np.argmax(scores)]

    def learn(self, z, x, y):
        self.w = self.w + np.outer(np.eye(len(x))[y] - x, z)


def naive_mesterharm(make, features, labels, delays):
    """A list of perceptrons, of which those that wait for nothing queue up."""
    copies, idle, played, points = [], [], {}, []
    for t, z in enumerate(features, start=1):
        if not idle:
            copies.append(make())
            idle.append(len(copies) - 1)
        owner = idle.pop(0)
        played[t] = owner, copies[owner].predict(z)
        points.append(played[t][1])
        for k in rounds_arriving(delays, t):
            owner, x = played[k]
            copies[owner].learn(features[k - 1], x, labels[k - 1])
            idle.append(owner)
    return np.array(points)


def naive_single(make, features, labels, delays):
    """One perceptron that learns of what it played, when it hears of it."""
    only, points = make(), []
    for t, z in enumerate(features, start=1):
        points.append(only.predict(z))
        for k in rounds_arriving(delays, t):
            only.learn(features[k - 1], points[k - 1], labels[k - 1])
    return np.array(points)


def data(seed, classes, features, rounds=ROUNDS):
    """Small whole numbers, so that scores tie now and then, and no sum is rounded."""
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 3, (rounds, features)).astype(float), rng.integers(0, classes, rounds)


def played(learner, features, labels, delays, start=None):
    player, points = learner.start(start), []
    for t, z in enumerate(features, start=1):
        points.append(player.ask(context=z).point)
        for k in rounds_arriving(delays, t):
            player.tell([float(labels[k - 1])], round=k)
    return np.array(points)


def agrees(wrap, witness, classes, m, delays, seed, corner):
    features, labels = data(seed, classes, m, len(delays))
    first = np.eye(classes)[-1] if corner else np.full(classes, 1.0 / classes)
    learner = wrap(perceptron(bl.Simplex(classes), features=m))
    expected = witness(lambda: Naive(classes, m, first), features, labels, delays)
    return np.array_equal(played(learner, features, labels, delays, first), expected)


WAYS = {
    "copies": (mesterharm, naive_mesterharm),
    "one": (lambda base: base, naive_single),
    "solid": (solid, naive_single),
}


# A share of 1/2 or 1/4 is exact in binary, and ties of witness and learner are then the same.
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=15)
@given(st.sampled_from([2, 4]), st.integers(1, 6), delay_sequences(ROUNDS), seeds, st.booleans())
def test_it_is_the_definition(way, classes, m, delays, seed, corner):
    assert agrees(*WAYS[way], classes, m, delays, seed, corner)


@settings(max_examples=15)
@given(st.integers(2, 6), st.integers(1, 6), delay_sequences(ROUNDS), seeds)
def test_it_is_the_definition_for_any_number_of_classes_from_a_corner(classes, m, delays, seed):
    assert agrees(*WAYS["copies"], classes, m, delays, seed, corner=True)


@pytest.mark.parametrize("wrap", [mesterharm, lambda base: weinberger_ordentlich(base, 1), solid])
def test_without_delay_it_is_the_perceptron(wrap):
    (features, labels), now = data(5, 3, 4), [1] * ROUNDS
    base = perceptron(bl.Simplex(3), features=4)
    assert played(wrap(base), features, labels, now).tobytes() == played(base, features, labels, now).tobytes()


@pytest.mark.parametrize("delay", [2, 3, 7])
def test_with_a_fixed_delay_it_is_copies_in_turn(delay):
    (features, labels), late = data(6, 3, 4), [delay] * ROUNDS
    base = perceptron(bl.Simplex(3), features=4)
    in_turn = played(weinberger_ordentlich(base, delay), features, labels, late)
    assert played(mesterharm(base), features, labels, late).tobytes() == in_turn.tobytes()


def test_it_is_bold():
    features, labels = data(7, 3, 4)
    delays = np.random.default_rng(1).integers(1, 9, ROUNDS)
    base = perceptron(bl.Simplex(3), features=4)
    same = played(bl.bold(base), features, labels, delays)
    assert played(mesterharm(base), features, labels, delays).tobytes() == same.tobytes()


def test_three_rounds_by_hand():
    """From the centre of two classes: w = (-z, z) / 2 after y = 1 at z = (2, 0)."""
    player = perceptron(bl.Simplex(2), features=2).start()
    assert player.ask(context=[2.0, 0.0]).point.tolist() == [0.5, 0.5]
    player.tell([1.0], round=1)
    assert player.ask(context=[1.0, 5.0]).point.tolist() == [0.0, 1.0]
    assert player.state()["policy.weights"].tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    player.tell([0.0], round=2)  # a mistake
    assert player.ask(context=[0.0, 1.0]).point.tolist() == [1.0, 0.0]
    assert player.state()["policy.weights"].tolist() == [[0.0, 5.0], [0.0, -5.0]]


def test_only_mistakes_teach():
    features, labels = data(8, 3, 4)
    player = perceptron(bl.Simplex(3), features=4).start([0.0, 0.0, 1.0])
    right = wrong = 0
    for z, y in zip(features, labels, strict=True):
        before = player.state()["policy.weights"]
        play = player.ask(context=z)
        player.tell([float(y)], round=play.round)
        player.ask(context=np.zeros(4))  # the label counts when the next round is played
        changed = not np.array_equal(before, player.state()["policy.weights"])
        mistaken = play.point[y] != 1.0
        assert changed == (mistaken and z.any())
        right, wrong = right + (not mistaken), wrong + mistaken
    assert right > 3
    assert wrong > 3


@pytest.mark.parametrize("label", [-1.0, 3.0, 0.5, 1e100])
@pytest.mark.parametrize("wrapped", [lambda base: base, mesterharm])
def test_a_label_that_is_no_class_is_refused_and_changes_nothing(label, wrapped):
    player = wrapped(perceptron(bl.Simplex(3), features=1)).start()
    player.ask(context=[1.0])
    before = as_bytes(player.state())
    for told in ([label], np.array([label])):
        with pytest.raises(InvalidArgument, match=r"must be a class, from 0 to 2"):
            player.tell(told, round=1)
    assert as_bytes(player.state()) == before
    player.tell([2], round=1)


def test_losses_must_have_the_classes_of_the_learner():
    rows = np.random.default_rng(0).uniform(0.0, 1.0, (5, 4))
    problem = bl.problems.Recorded(bl.losses.SquaredError(3), rows)
    with pytest.raises(InvalidArgument, match=r"must have 3 classes as labels, as Misclassification\(3, 3\) does"):
        bl.simulate({"it": perceptron(bl.Simplex(3), features=3)}, problem, bl.delays.Fixed(1), 5, [0])


def test_another_simplex_has_other_corners_and_the_same_classes():
    features, labels = data(9, 3, 4)
    delays = np.random.default_rng(2).integers(1, 9, ROUNDS)
    plain, other = (
        played(perceptron(simplex, features=4), features, labels, delays, [1.0, 0.0, 0.0])
        if simplex.floor == 0.0
        else played(perceptron(simplex, features=4), features, labels, delays, [1.5, 0.25, 0.25])
        for simplex in (bl.Simplex(3), bl.Simplex(3, total=2.0, floor=0.25))
    )
    assert np.array_equal(other, 0.25 + 1.25 * plain)


@pytest.mark.parametrize("wrap", [lambda base: base, mesterharm])
def test_the_losses_of_a_run_add_up_to_its_mistakes(wrap):
    problem, delays, start = Separable(3, 5, 0.3), bl.delays.Uniform(1, 6), np.eye(3)[0]
    learner = wrap(perceptron(bl.Simplex(3), features=5))
    result = bl.simulate({"it": learner}, problem, delays, 200, [4], initial=start)
    rows = problem.rows(4, 200)
    late = delays.sampler(bl.core.streams.delays(4)).take(200)
    points = played(learner, rows[:, :-1], rows[:, -1].astype(int), late, start)
    naive = np.cumsum(points.argmax(axis=1) != rows[:, -1])
    assert np.array_equal(result.cumulative_loss.values.reshape(-1), naive)
    assert naive[-1] > 0


@pytest.mark.parametrize("seed", range(3))
def test_mistakes_stay_within_the_bound_when_classes_are_separable(seed):
    problem, longest, rounds = Separable(3, 4, 1.0), 5, 500
    base = perceptron(bl.Simplex(3), features=4)
    learners = {"now": base, "late": base, "copies": mesterharm(base)}
    radius = np.linalg.norm(problem.rows(seed, rounds)[:, :-1], axis=1).max()
    most = 2.0 * 3 * radius**2  # three weights of length one
    factors = {"now": 1, "late": 1 + 2 * (longest - 1), "copies": longest}
    for name, learner in learners.items():
        law = bl.delays.Fixed(1 if name == "now" else longest)
        result = bl.simulate({name: learner}, problem, law, rounds, [seed], regret_at=[])
        assert 0.0 < float(result.cumulative_loss.values.reshape(-1)[-1]) <= factors[name] * most


def not_conservative(policy, state, ledger, feedback, memo, scratch):
    """A plausible mistake: a class that was right is learned again."""
    receive_class(
        policy, state, ledger, feedback, np.append(memo[:-1], (feedback[0] + 1) % policy.domain.size), scratch
    )


def only_towards(policy, state, ledger, feedback, memo, scratch):
    """Another: nothing is taken from the class that was played."""
    before = state.weights.copy()
    receive_class(policy, state, ledger, feedback, memo, scratch)
    np.maximum(state.weights, before, out=state.weights)


def of_the_present(policy, state, ledger, feedback, memo, scratch):
    """And another: compared with what would be played now, from the class with the largest score."""
    now = np.append(memo[:-1], float((state.weights @ memo[:-1]).argmax()))
    receive_class(policy, state, ledger, feedback, now, scratch)


@pytest.mark.parametrize("mutant", [not_conservative, only_towards, of_the_present])
def test_wrong_lessons_are_noticed(mutant, monkeypatch):
    delays = np.random.default_rng(3).integers(1, 6, ROUNDS)
    assert agrees(*WAYS["one"], 4, 3, delays, 1, corner=True)
    monkeypatch.setitem(receive.implementations, Classifier, mutant)
    assert not agrees(*WAYS["one"], 4, 3, delays, 1, corner=True)


def test_a_label_for_the_wrong_copy_is_noticed(monkeypatch):
    def next_one(policy, state, ledger, feedback, memo, scratch):
        other = np.append(memo[:-1], (memo[-1] + 1) % state.marks[copies.NUMBER])
        copies.receive_copies(policy, state, ledger, feedback, other, scratch)

    delays = np.random.default_rng(3).integers(1, 6, ROUNDS)
    assert agrees(*WAYS["copies"], 4, 3, delays, 1, corner=True)
    monkeypatch.setitem(receive.implementations, copies.Copies, next_one)
    assert not agrees(*WAYS["copies"], 4, 3, delays, 1, corner=True)


@pytest.mark.parametrize(
    ("misuse", "match"),
    [
        (lambda: perceptron(bl.Ball(2), features=2), r"`perceptron\(domain=Ball.*must be a Simplex"),
        (lambda: perceptron(bl.Simplex(2), features=0), r"`perceptron\(features=0\)`: must be >= 1"),
        (lambda: mesterharm(bl.ogd(bl.Simplex(2), 1.0)), r"`mesterharm\(base='ogd'\)`: must be a classifier"),
        (lambda: mesterharm(bl.vaw(bl.Euclidean(2), 1.0)), r"`mesterharm\(base='vaw'\)`: must be a classifier"),
    ],
)
def test_misuse_fails_at_construction(misuse, match):
    with pytest.raises(InvalidArgument, match=match):
        misuse()


def test_losses_with_other_features_are_refused():
    with pytest.raises(InvalidArgument, match="must have 2 features and labels"):
        bl.simulate({"it": perceptron(bl.Simplex(3), features=2)}, Separable(3, 5, 0.3), bl.delays.Fixed(1), 5, [0])


def test_the_round_is_needed():
    player = mesterharm(perceptron(bl.Simplex(2), features=1)).start()
    player.ask(context=[1.0])
    with pytest.raises(RoundRequired):
        player.tell([1.0])
