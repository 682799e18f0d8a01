"""The agenda of a run: what is refused leaves no line in it, what has ended leaves it soon, and time goes with it."""

import pytest

import belated as bl
from belated.models import Sparse, adagrad, keys
from support.interrupting import interrupted_at
from support.players import as_bytes

ROW, OTHER = ([0], [1.0]), ([1], [1.0])


def started(named=bl.models.logistic, **options):
    return named(Sparse(3), step=adagrad(0.5), **options).start()


def overflowing(predictor):
    """Make the margin of slot 2 so large that nothing can be predicted for a value of 1e100."""
    predictor._running.machine.table[2, 0] = 1e300
    return [2], [1e100]


@pytest.mark.parametrize("label", [0, 1])
def test_a_label_that_is_held_already_lets_no_time_pass(label):
    """Neither as a duplicate nor as an error: what is due by then is not done, and others may still come before."""
    predictor = started(horizon=10.0, while_waiting="hold")
    predictor.predict(ROW, "a", at=0.0)
    predictor.predict(OTHER, "b", at=5.0)
    predictor.learn("b", 1, at=6.0)
    before = as_bytes(predictor.state())
    if label:
        assert not predictor.learn("b", label, at=12.0)
    else:
        with pytest.raises(bl.errors.AlreadyAnswered, match="another label was told for it"):
            predictor.learn("b", label, at=12.0)
    assert as_bytes(predictor.state()) == before
    assert predictor.learn("a", 1, at=7.0)


def test_the_deadline_of_a_prediction_that_failed_is_not_that_of_the_next_one():
    predictor = started()
    large = overflowing(predictor)
    with pytest.raises(bl.errors.NumericalFailure):
        predictor.predict(large, "a", at=0.0, deadline=5.0)
    predictor.predict(ROW, "a", at=0.0, deadline=100.0)
    predictor.predict(OTHER, "b", at=10.0)
    assert predictor.waiting == ("a", "b")


def test_nor_is_that_of_a_prediction_that_was_interrupted():
    at, stopped = 1, True
    while stopped:
        predictor = started()
        stopped = interrupted_at(at, lambda it=predictor: it.predict(ROW, "a", at=0.0, deadline=5.0))
        if "a" not in predictor.waiting:
            predictor.predict(ROW, "a", at=0.0, deadline=100.0)
            predictor.predict(OTHER, "b", at=10.0)
            assert predictor.waiting == ("a", "b"), f"interrupted at line {at}"
        at += 1
    assert at > 20


@pytest.mark.parametrize("options", [{"horizon": 1e9}, {"while_waiting": "assume", "wait": 1e9}])
def test_the_agenda_is_as_long_as_what_waits(options):
    predictor = started(**options)
    for number in range(5):
        predictor.predict(ROW, f"old {number}")
    for number in range(1000):
        predictor.predict(ROW, number)
        predictor.learn(number, 1)
    assert len(predictor._keys._agenda) <= 4 * 6 + keys.IDLE + 2
    assert len(predictor.waiting) == 5
    kept = started(**options)
    for number in range(5):
        kept.predict(ROW, f"old {number}")
    for number in range(1000):
        kept.predict(ROW, number)
    for number in range(1000):
        kept.give_up(number)
    for each in (predictor, kept):  # no line of those that wait was dropped
        each._times.predictions = 2 * 10**9
        each._endings.pass_time(2e9, at_it=True)
        assert each.waiting == (() if "horizon" in options else tuple(f"old {number}" for number in range(5)))
        assert not each._keys._agenda


@pytest.mark.parametrize("verb", ["predict", "learn"])
def test_time_goes_on_to_what_was_due_even_if_the_event_fails(verb):
    """Otherwise an event could come before a deadline that has passed."""
    predictor = started(bl.models.squared)
    predictor.predict(ROW, "due", at=0.0, deadline=5.0)
    predictor.predict(([2], [1e100]), "large", at=0.0)
    large = overflowing(predictor)
    with pytest.raises(bl.errors.NumericalFailure):
        predictor.predict(large, "new", at=9.0) if verb == "predict" else predictor.learn("large", 1.0, at=9.0)
    assert predictor.waiting == ("large",)
    with pytest.raises(bl.errors.InvalidArgument, match=r"must not be before 5\.0"):
        predictor.predict(ROW, "early", at=4.0)
    predictor.predict(ROW, "next", at=5.0)


@pytest.mark.parametrize("options", [{"horizon": 5.0}, {"while_waiting": "assume"}])
def test_a_label_that_cannot_be_assumed_says_which_key_it_is_and_can_be_given_up(options):
    predictor = started(bl.models.squared, **options)
    predictor.predict(([2], [1e100]), "large", at=0.0)
    overflowing(predictor)
    before = as_bytes(predictor.state())
    with pytest.raises(bl.errors.NumericalFailure, match="those of key 'large', whose label is assumed at"):
        predictor.predict(ROW, "new", at=9.0)
    assert as_bytes(predictor.state()) == before
    predictor.give_up("large")
    predictor.predict(ROW, "new", at=9.0)


def test_a_held_label_that_cannot_be_learned_can_be_given_up():
    model = {"horizon": 5.0, "while_waiting": "hold"}
    predictor = started(bl.models.squared, **model)
    predictor.predict(([2], [1e100]), "large", at=0.0)
    predictor.learn("large", 1.0, at=1.0)
    with pytest.raises(bl.errors.AlreadyAnswered, match="is held until"):
        predictor.give_up("large")
    overflowing(predictor)
    for again in (predictor, predictor.model.resume(predictor.state())):
        with pytest.raises(bl.errors.NumericalFailure, match="those of key 'large'"):
            again.predict(ROW, "new", at=9.0)
        again.give_up("large")
        again.predict(ROW, "new", at=9.0)
        assert again.waiting == ("new",)


def test_moments_are_so_small_that_sums_of_them_are_finite():
    predictor = started()
    for wrong in ({"at": 1e101}, {"at": -1e101}, {"at": 0.0, "deadline": 1e101}):
        with pytest.raises(bl.errors.InvalidArgument, match=r"must be at most 1e\+100 in size"):
            predictor.predict(ROW, "a", **wrong)
    for wrong in ({"horizon": 1e101}, {"while_waiting": "assume", "wait": 1e101}):
        with pytest.raises(bl.errors.InvalidArgument, match=r"must be at most 1e\+100 in size"):
            started(**wrong)
    predictor.predict(ROW, "a", at=-1e100)
    assert predictor.learn("a", 1, at=1e100)
    assert predictor.model.resume(predictor.state()).waiting == ()


# Keys


@pytest.mark.parametrize("verb", ["learn", "give_up"])
def test_truth_values_are_no_keys_for_anybody(verb):
    predictor = started()
    predictor.predict(ROW, 1)
    before = as_bytes(predictor.state())
    with pytest.raises(bl.errors.UnknownKey):
        predictor.learn(True, 1) if verb == "learn" else predictor.give_up(True)
    assert as_bytes(predictor.state()) == before


def test_keys_that_could_not_be_saved_are_refused():
    predictor = started()
    for key in (True, 1.0, (1,), b"a", 2**2048, -(2**5000), 10**9999, "\ud83d\ude00"):
        with pytest.raises(bl.errors.InvalidArgument, match="key="):
            predictor.predict(ROW, key)
    assert predictor.waiting == ()


def test_other_keys_come_back_from_a_state():
    odd = ("", "\0", "\ud83d", "\udc80x", "😀", "ä", 0, -1, 2**63, 2**64, -(2**2048) + 1)
    predictor = started()
    for key in odd:
        predictor.predict(ROW, key)
    again = predictor.model.resume(predictor.state())
    assert again.waiting == odd
    assert all(again.learn(key, 1) for key in odd)


def test_margins_that_are_too_large_to_be_kept_are_no_state():
    predictor = bl.models.logistic(Sparse(3)).start()
    predictor.predict(ROW, "a")
    state = predictor.state()
    state["open.margins"][0, 0] = 1e300
    with pytest.raises(bl.errors.StateMismatch, match=r"'open\.margins' is not finite"):
        predictor.model.resume(state)


def test_a_state_that_nobody_could_resume_is_not_made():
    predictor = started()
    predictor._running.machine.table[0, 1] = float("inf")
    with pytest.raises(bl.errors.NumericalFailure, match=r"'table\.lanes' is not finite"):
        predictor.state()
