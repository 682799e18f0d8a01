"""A predictor from outside: keys, duplicates, deadlines and the order of what happens at one moment."""

import threading
from datetime import UTC, datetime

import numpy as np
import pytest

import belated as bl
from belated.models import Sparse, adagrad, keys
from belated.models.encoders import new_encoder
from support.compiler import needs_compiler
from support.players import as_bytes

STEP = adagrad(0.5)


def started(**options):
    return bl.models.logistic(Sparse(3), step=STEP, **options).start()


def learned(predictor):
    """What the model would predict for its three features by now."""
    return [round(predictor.look(([i], [1.0])), 6) for i in range(3)]


def test_labels_are_learned_whenever_they_come():
    one, other = started(), started()
    for predictor, order in ((one, "abc"), (other, "abc")):
        for place, key in enumerate("abc"):
            predictor.predict(([place], [1.0]), key)
        for key in order:
            assert predictor.learn(key, key == "b")
    assert learned(one) == learned(other)
    assert learned(one)[1] > 0.5 > learned(one)[0]


def test_the_same_label_again_is_a_duplicate_and_another_one_an_error():
    predictor = started()
    predictor.predict(([0], [1.0]), "a")
    assert predictor.learn("a", 1)
    before = as_bytes(predictor.state())
    assert not predictor.learn("a", True)
    assert as_bytes(predictor.state()) == before
    with pytest.raises(bl.errors.AlreadyAnswered, match="another label was learned for it"):
        predictor.learn("a", 0)


def test_a_key_that_was_answered_may_be_used_again():
    predictor = started()
    for label in (1, 0):
        predictor.predict(([0], [1.0]), "a")
        assert predictor.learn("a", label)
    with pytest.raises(bl.errors.AlreadyAnswered):
        predictor.learn("a", 1)


def test_keys_are_numbers_by_default():
    predictor = started()
    assert [predictor.predict(([0], [1.0])).key for _ in range(3)] == [1, 2, 3]
    assert predictor.waiting == (1, 2, 3)
    assert repr(predictor) == "<logistic predictor: 3 predictions made, 3 waiting for their labels>"


def test_a_key_out_of_an_array_is_the_whole_number():
    predictor = started()
    for key in np.arange(2):
        assert type(predictor.predict(([0], [1.0]), key).key) is int
    assert predictor.learn(np.int64(0), 1)
    assert not predictor.learn(0, 1)
    predictor.give_up(np.uint8(1))
    assert predictor.waiting == ()
    with pytest.raises(bl.errors.InvalidArgument, match="str"):
        predictor.predict(([0], [1.0]), np.float64(3.0))


def test_a_datetime_is_told_how_to_become_a_moment():
    predictor = started()
    with pytest.raises(bl.errors.InvalidArgument, match=r"timestamp\(\)"):
        predictor.predict(([0], [1.0]), at=datetime(2026, 1, 1, tzinfo=UTC))
    assert predictor.waiting == ()


def test_answered_keys_are_forgotten_in_the_end(monkeypatch):
    monkeypatch.setattr(keys, "MOST_ANSWERED", 2)
    predictor = started()
    for number in range(1, 5):
        predictor.predict(([0], [1.0]))
        predictor.learn(number, 1)
    assert not predictor.learn(4, 1)
    with pytest.raises(bl.errors.UnknownKey, match="has ended more than 2 answers ago"):
        predictor.learn(1, 1)


def test_giving_up_learns_nothing():
    predictor, untouched = started(), started()
    predictor.predict(([0], [1.0]), "a")
    predictor.give_up("a")
    assert learned(predictor) == learned(untouched)
    assert predictor.waiting == ()
    with pytest.raises(bl.errors.AlreadyAnswered, match="it was given up"):
        predictor.learn("a", 1)


def test_weights_count():
    light, heavy = started(), started()
    for predictor, weight in ((light, 0.01), (heavy, 1.0)):
        predictor.predict(([0], [1.0]), "a")
        predictor.learn("a", 1, weight=1.0)
        predictor.predict(([0], [1.0]), "b")
        predictor.learn("b", 0, weight=weight)
    assert learned(light)[0] > learned(heavy)[0]


# Deadlines


def test_at_the_deadline_no_answer_is_the_assumed_label():
    predictor, told = started(horizon=10.0), started()
    for each in (predictor, told):
        each.predict(([0], [1.0]), "a", at=0.0)
    told.learn("a", 0, at=10.0)
    predictor.predict(([1], [1.0]), "b", at=10.0)
    assert learned(predictor) == learned(told)
    with pytest.raises(bl.errors.AlreadyAnswered, match="its deadline has passed, so the assumed label was learned"):
        predictor.learn("a", 0, at=11.0)


def test_an_answer_at_the_deadline_is_in_time_and_one_after_it_is_not():
    for moment, fine in ((10.0, True), (10.5, False)):
        predictor = started(horizon=10.0)
        predictor.predict(([0], [1.0]), "a", at=0.0)
        before = as_bytes(predictor.state())
        if fine:
            assert predictor.learn("a", 1, at=moment)
            assert learned(predictor)[0] > 0.5
            continue
        with pytest.raises(bl.errors.AlreadyAnswered, match=r"its deadline 10\.0 had passed at 10\.5"):
            predictor.learn("a", 1, at=moment)
        assert as_bytes(predictor.state()) == before


def test_deadlines_come_in_their_order_and_before_a_prediction_of_the_same_moment():
    """The assumed labels are learned in the order of the deadlines, not of the predictions."""
    predictor, naive = started(assumed=1, slopes="decision"), started(slopes="decision")
    for key, slot, deadline in (("a", 0, 9.0), ("b", 1, 4.0), ("c", 0, 4.0)):
        predictor.predict(([slot], [1.0]), key, at=0.0, deadline=deadline)
        naive.predict(([slot], [1.0]), key, at=0.0)
    for key in ("b", "c", "a"):
        naive.learn(key, 1, at=9.0)
    last = predictor.predict(([0], [1.0]), "d", at=9.0)
    assert last.value == naive.predict(([0], [1.0]), "d", at=9.0).value
    assert predictor.waiting == ("d",)


def test_without_times_a_horizon_counts_predictions():
    predictor = started(horizon=2)
    for number in range(3):
        predictor.predict(([number % 3], [1.0]))
    assert predictor.waiting == (2, 3)


def test_held_labels_are_learned_at_the_deadline_together_with_the_others():
    predictor = started(horizon=10.0, while_waiting="hold")
    naive = started()
    for place, key in enumerate("ab"):
        predictor.predict(([place], [1.0]), key, at=float(place))
        naive.predict(([place], [1.0]), key, at=float(place))
    assert predictor.learn("a", 1, at=2.0)
    assert not predictor.learn("a", 1, at=3.0)
    assert learned(predictor) == [0.5] * 3
    with pytest.raises(bl.errors.AlreadyAnswered, match="another label was told for it"):
        predictor.learn("a", 0, at=3.0)
    naive.learn("a", 1, at=12.0)
    naive.learn("b", 0, at=12.0)
    predictor.predict(([2], [1.0]), "c", at=12.0)
    assert learned(predictor) == learned(naive)
    assert not predictor.learn("a", 1, at=13.0)


@pytest.mark.parametrize(("outcomes", "expected"), [("first", 4.0), ("last", 2.5), ("sum", 9.5), ("mean", 9.5 / 3)])
def test_several_outcomes_are_reduced(outcomes, expected):
    model = bl.models.squared(Sparse(3), step=STEP, horizon=5.0, while_waiting="hold", outcomes=outcomes)
    one, naive = model.start(), bl.models.squared(Sparse(3), step=STEP).start()
    for each in (one, naive):
        each.predict(([0], [1.0]), "a", at=0.0)
    for label in (4.0, 3.0, 2.5):
        try:
            one.learn("a", label, at=1.0)
        except bl.errors.AlreadyAnswered:
            assert outcomes == "first"
    naive.learn("a", expected, at=5.0)
    one.predict(([1], [1.0]), "b", at=5.0)
    assert one.look(([0], [1.0])) == naive.look(([0], [1.0]))


@pytest.mark.parametrize(("outcomes", "label", "weight"), [("first", 4.0, 3.0), ("last", 2.5, 2.0)])
def test_the_outcome_that_counts_has_its_own_weight(outcomes, label, weight):
    model = bl.models.squared(Sparse(3), step=STEP, horizon=5.0, while_waiting="hold", outcomes=outcomes)
    one, naive = model.start(), bl.models.squared(Sparse(3), step=STEP).start()
    for each in (one, naive):
        each.predict(([0], [1.0]), "a", at=0.0)
    assert one.learn("a", 4.0, at=1.0, weight=3.0)
    assert one.learn("a", 4.0 if outcomes == "first" else 2.5, at=2.0, weight=2.0) is (outcomes == "last")
    naive.learn("a", label, at=5.0, weight=weight)
    one.predict(([1], [1.0]), "b", at=5.0)
    assert one.look(([0], [1.0])) == naive.look(([0], [1.0]))


@pytest.mark.parametrize("outcomes", ["sum", "mean"])
def test_outcomes_that_are_added_up_have_one_weight(outcomes):
    model = bl.models.squared(Sparse(3), step=STEP, horizon=5.0, while_waiting="hold", outcomes=outcomes)
    predictor = model.start()
    predictor.predict(([0], [1.0]), "a", at=0.0)
    predictor.learn("a", 4.0, at=1.0, weight=3.0)
    before = as_bytes(predictor.state())
    with pytest.raises(
        bl.errors.InvalidArgument, match=r"weight=1\.0\)`: must be 3\.0 as before: one label is learned"
    ):
        predictor.learn("a", 5.0, at=1.0)
    assert as_bytes(predictor.state()) == before
    assert model.resume(predictor.state()).learn("a", 5.0, at=1.0, weight=3.0)


@pytest.mark.parametrize("outcomes", ["first", "last", "sum", "mean"])
def test_a_label_that_is_held_is_not_given_up(outcomes):
    model = bl.models.squared(Sparse(3), step=STEP, horizon=5.0, while_waiting="hold", outcomes=outcomes)
    predictor = model.start()
    for key in "ab":
        predictor.predict(([0], [1.0]), key, at=0.0)
    predictor.learn("a", 4.0, at=1.0)
    before = as_bytes(predictor.state())
    with pytest.raises(bl.errors.AlreadyAnswered, match=r"a label was told for it, and is held until 5\.0"):
        predictor.give_up("a")
    assert as_bytes(predictor.state()) == before
    predictor.give_up("b")
    predictor.predict(([1], [1.0]), "c", at=5.0)
    assert predictor.look(([0], [1.0])) > 0.0, "the label of a was learned"


@pytest.mark.parametrize("outcomes", ["sum", "mean"])
@pytest.mark.parametrize("labels", ["0/1", "-1/1"])
@pytest.mark.parametrize("kind", [bl.models.logistic, bl.models.squared_hinge])
def test_classes_are_not_added_up(kind, labels, outcomes):
    """Two clicks would be the label 2, and a click and none the label 0, from which nothing is learned."""
    with pytest.raises(bl.errors.InvalidArgument, match=r"outcomes='.*a sum of classes is no class"):
        kind(Sparse(3), labels=labels, horizon=5.0, while_waiting="hold", outcomes=outcomes)


def test_time_does_not_run_back_and_is_told_always_or_never():
    predictor = started()
    predictor.predict(([0], [1.0]), "a", at=5.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"must not be before 5\.0"):
        predictor.learn("a", 1, at=4.0)
    with pytest.raises(bl.errors.InvalidArgument, match="must be given in every call, or in none"):
        predictor.learn("a", 1)
    untimed = started()
    untimed.predict(([0], [1.0]), "a")
    with pytest.raises(bl.errors.InvalidArgument, match="must be given from the first call on"):
        untimed.learn("a", 1, at=4.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"while_waiting": "pray"}, "must be one of 'nothing', 'hold'"),
        ({"horizon": 0.0}, "must be > 0"),
        ({"outcomes": "max"}, "must be one of 'first', 'last'"),
        ({"outcomes": "sum"}, "needs while_waiting='hold'"),
        ({"outcomes": "sum", "while_waiting": "hold"}, "needs labels that are numbers"),
        ({"outcomes": "mean", "while_waiting": "hold", "labels": "-1/1"}, "needs labels that are numbers"),
        ({"labels": "yes/no"}, "must be one of '0/1', '-1/1'"),
        ({"slopes": "now"}, "must be one of 'arrival', 'decision'"),
        ({"assumed": 2}, "must be 0 or 1"),
        ({"bits": 3}, "must not be given together with features"),
        ({"step": 0.1}, "must be a step for models"),
    ],
)
def test_bad_arguments_of_a_model_are_refused(options, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        bl.models.logistic(Sparse(3), **options)


def test_a_row_of_another_recipe_is_refused():
    row = new_encoder(Sparse(3)).encode("here", ([1], [2.0])).row
    predictor = started()
    assert predictor.predict(row).value == 0.5
    with pytest.raises(bl.errors.InvalidArgument, match="made by another recipe"):
        bl.models.logistic(Sparse(4)).start().predict(row)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_a_row_that_cannot_be_written_to_is_the_same_row(compiled):
    """As rows are that were read from a file which is mapped into memory."""
    row = new_encoder(Sparse(3)).encode("here", ([1], [2.0])).row
    plain, frozen = started(), started()
    for predictor, locked in ((plain, False), (frozen, True)):
        assert not compiled or predictor.compile()
        for array in (row.slots, row.values):
            array.flags.writeable = not locked
        predictor.predict(row, "a")
        predictor.learn("a", 1)
    assert as_bytes(plain.state()) == as_bytes(frozen.state())


@pytest.mark.parametrize("label", [0, 1, -1, 0.5, 2, None, "1", np.nan])
@pytest.mark.parametrize("kind", ["0/1", "-1/1"])
def test_labels_are_those_that_were_declared(kind, label):
    predictor = bl.models.logistic(Sparse(3), labels=kind).start()
    predictor.predict(([0], [1.0]), "a")
    if label in ((0, 1) if kind == "0/1" else (-1, 1)):
        assert predictor.learn("a", label)
        return
    with pytest.raises(bl.errors.InvalidArgument, match="label="):
        predictor.learn("a", label)


def test_counts_are_not_negative():
    predictor = bl.models.poisson(Sparse(3)).start()
    predictor.predict(([0], [1.0]), "a")
    with pytest.raises(bl.errors.InvalidArgument, match="must be >= 0"):
        predictor.learn("a", -1)


def test_two_threads_at_once_are_refused(monkeypatch):
    predictor, entered, leave = started(), threading.Event(), threading.Event()
    original = predictor._encoder.encode

    def slow(*arguments):
        entered.set()
        assert leave.wait(60)
        return original(*arguments)

    monkeypatch.setattr(predictor._encoder, "encode", slow)
    thread = threading.Thread(target=predictor.predict, args=(([0], [1.0]),))
    thread.start()
    assert entered.wait(60)
    for call in (predictor.state, predictor.compile, lambda: predictor.learn(1, 1), lambda: predictor.give_up(1)):
        with pytest.raises(bl.errors.SharedPlayer):
            call()
    leave.set()
    thread.join()
    assert predictor.waiting == (1,)


def test_a_margin_that_is_not_finite_is_an_error_that_changes_nothing():
    predictor = bl.models.squared(Sparse(3), step=adagrad(0.1)).start()
    predictor.predict(([0], [1e100]), "a")
    table = predictor._running.machine.table
    table[0, 0] = 1e300
    before = as_bytes(predictor.state())
    for call in (
        lambda: predictor.predict(([0], [1e100]), "b"),
        lambda: predictor.look(([0], [1e100])),
        lambda: predictor.learn("a", 1.0),
    ):
        with pytest.raises(bl.errors.NumericalFailure, match="is not finite"):
            call()
        assert as_bytes(predictor.state()) == before
    table[0, 0] = 0.0
    assert predictor.learn("a", 1.0)
