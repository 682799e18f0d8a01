"""Labels that are assumed while rows wait: when, in which order, and how predictions end."""

import pytest

import belated as bl
from belated.models import Sparse, adagrad, adaptive_revision, dogd_sc, dual_averaging, ftrl_proximal, mixed, two_speeds
from belated.models.verbs import adapt, amend
from support.players import as_bytes

EVERY_STEP = [
    adagrad(0.5),
    ftrl_proximal(0.5),
    adaptive_revision(0.4),
    dogd_sc(0.3, radius=0.9),
    dual_averaging(0.6),
    two_speeds(),
    mixed([two_speeds(), adaptive_revision(), dual_averaging()]),
]
every_step = pytest.mark.parametrize("step", EVERY_STEP, ids=lambda step: type(step).__name__)


def started(step, **options):
    return bl.models.logistic(Sparse(3), step=step, while_waiting="assume", **options).start()


def numbers(predictor):
    machine = predictor._running.machine
    return machine.table.tobytes(), machine.memory.tobytes()


@every_step
def test_a_label_equal_to_the_assumed_one_changes_nothing(step):
    predictor = started(step, wait=1.0)
    predictor.predict(([0], [2.0]), "a", at=0.0)
    predictor.predict(([0, 1], [1.0, 1.0]), "b", at=5.0)
    before = numbers(predictor)
    assert predictor.learn("a", 0, at=5.5)
    assert numbers(predictor) == before
    assert predictor.waiting == ("b",)
    assert not predictor.learn("a", 0, at=6.5)
    with pytest.raises(bl.errors.AlreadyAnswered):
        predictor.learn("a", 1, at=6.5)


@every_step
def test_the_assumed_label_is_learned_in_the_meantime_and_the_real_one_in_the_end(step):
    predictor, row = started(step, wait=1.0), ([0], [1.0])
    predictor.predict(row, "a", at=0.0)
    predictor.predict(([1], [1.0]), "b", at=0.5)
    assert predictor.look(row) == 0.5
    predictor.predict(([1], [1.0]), "c", at=1.2)
    assert predictor.look(row) < 0.5
    predictor.learn("a", 1, at=1.3)
    assert predictor.look(row) > 0.5


# The order at one moment, and how predictions end


@pytest.mark.parametrize(("moment", "direct"), [(2.0, True), (2.1, False)])
def test_an_answer_at_the_moment_of_the_assumption_comes_first(moment, direct):
    step = adaptive_revision(0.4)
    predictor, plain = started(step, wait=2.0), bl.models.logistic(Sparse(3), step=step).start()
    for each in (predictor, plain):
        each.predict(([0], [1.0]), "a", at=0.0)
        each.learn("a", 1, at=moment)
    assert (numbers(predictor) == numbers(plain)) == direct


def test_an_assumption_comes_before_a_prediction_of_the_same_moment():
    predictor = started(adagrad(0.5))
    predictor.predict(([0], [1.0]), "a", at=3.0)
    assert predictor.predict(([0], [1.0]), "b", at=3.0).value < 0.5


def test_a_deadline_comes_before_an_assumption_of_the_same_moment():
    predictor = started(adagrad(0.5), wait=2.0)
    predictor.predict(([0], [1.0]), "a", at=0.0, deadline=2.0)
    predictor.predict(([1], [1.0]), "b", at=2.0)
    assert predictor.waiting == ("b",)
    with pytest.raises(bl.errors.AlreadyAnswered, match="deadline has passed"):
        predictor.learn("a", 1, at=2.0)


def test_deadlines_and_assumptions_come_in_the_order_of_their_moments():
    """Row a is assumed at 4, row b has its deadline at 3: what b teaches is known when a is assumed."""
    predictor, twin = started(adagrad(0.5), wait=4.0), bl.models.logistic(Sparse(3), step=adagrad(0.5)).start()
    predictor.predict(([0], [1.0]), "a", at=0.0)
    predictor.predict(([0], [2.0]), "b", at=1.0, deadline=3.0)
    twin.predict(([0], [1.0]), "a", at=0.0)
    twin.predict(([0], [2.0]), "b", at=1.0)
    for key in ("b", "a"):
        twin.learn(key, 0, at=4.0)
    predictor.predict(([1], [1.0]), "c", at=4.5)
    assert predictor._running.machine.table.tobytes() == twin._running.machine.table.tobytes()


def test_after_the_horizon_the_row_is_dropped_and_the_assumption_stays():
    predictor = started(adagrad(0.5), wait=1.0, horizon=10.0)
    predictor.predict(([0], [1.0]), "a", at=0.0)
    predictor.predict(([1], [1.0]), "b", at=5.0)
    table = predictor._running.machine.table[0].copy()
    predictor.predict(([1], [1.0]), "c", at=11.0)
    assert predictor.waiting == ("b", "c")
    assert predictor._running.machine.table[0].tolist() == table.tolist()
    with pytest.raises(bl.errors.AlreadyAnswered, match="deadline has passed"):
        predictor.learn("a", 0, at=11.0)


def test_giving_up_leaves_what_was_assumed():
    predictor = started(dual_averaging(0.5))
    predictor.predict(([0], [1.0]), "a", at=0.0)
    predictor.predict(([1], [1.0]), "b", at=1.0)
    before = numbers(predictor)
    predictor.give_up("a")
    assert numbers(predictor) == before
    assert predictor.waiting == ("b",)


@pytest.mark.parametrize("verb", [adapt, amend])
def test_an_interrupt_within_an_event_changes_nothing(verb, monkeypatch):
    step = adaptive_revision(0.4)
    predictor = started(step, wait=1.0)
    predictor.predict(([0, 1], [1.0, 2.0]), "a", at=0.0)
    predictor.predict(([2], [1.0]), "b", at=0.9)
    if verb is amend:
        predictor.predict(([1], [1.0]), "c", at=1.5)
    before, original = as_bytes(predictor.state()), verb.implementations[type(step)]

    def interrupted(*call):
        original(*call)
        call[6][:] = -1.0
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(verb.implementations, type(step), interrupted)
        with pytest.raises(KeyboardInterrupt):
            predictor.learn("a", 1, at=1.5) if verb is amend else predictor.predict(([1], [1.0]), "c", at=1.5)
    if verb is amend:  # the key was closed before, and is open again for whoever looks
        predictor._keys.closed.pop("a")
    assert as_bytes(predictor.state()) == before
    assert predictor.learn("a", 1, at=1.6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"wait": -1.0}, "must be >= 0"),
        ({"wait": 3.0, "horizon": 3.0}, r"must be less than the horizon 3\.0"),
        ({"wait": 1.0, "while_waiting": "nothing"}, "needs while_waiting='assume'"),
        ({"wait": 0.0, "while_waiting": "hold"}, "needs while_waiting='assume'"),
        ({"outcomes": "sum"}, "needs while_waiting='hold'"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(options, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        bl.models.logistic(Sparse(3), **{"while_waiting": "assume", **options})
