"""Labels that would make what is learned overflow: an error that changes nothing, and the run goes on and is saved."""

import copy

import numpy as np
import pytest

import belated as bl
from belated.models import Sparse, adagrad, dogd_sc, dual_averaging, ftrl_proximal, machine, mixed, two_speeds
from belated.models.links import PoissonCount
from support.compiler import needs_compiler
from support.players import as_bytes

DIVERGING = {"dual_averaging": dual_averaging(0.2), "dogd_sc": dogd_sc(1.0), "mixed": mixed([dual_averaging(0.2)])}


def fed(predictor, number):
    """Rows of some size, squared losses and a step that does not bound its weights: these grow without end."""
    rng = np.random.default_rng(0)
    for key in range(number):
        rows = rng.normal(size=2) * 1e4
        label = float(rng.normal())
        predictor.predict(([0, 1], rows), key)
        before = predictor.state()
        try:
            predictor.learn(key, label)
        except bl.errors.NumericalFailure:
            return key, before
    return None, None


@pytest.mark.parametrize("step", DIVERGING)
def test_a_label_after_which_weights_would_not_be_finite_changes_nothing(step):
    predictor = bl.models.squared(Sparse(3), step=DIVERGING[step]).start()
    key, before = fed(predictor, 100)
    assert key is not None
    assert as_bytes(predictor.state()) == as_bytes(before)
    again = predictor.model.resume(before)
    for each in (predictor, again):
        each.give_up(key)
        assert np.isfinite(each.predict(([2], [1.0]), "other").value)
        assert each.learn("other", 1.0)
    assert as_bytes(predictor.state()) == as_bytes(again.state())


@needs_compiler
def test_runs_that_diverge_are_the_same_compiled_and_plain():
    runs = [bl.models.squared(Sparse(3), step=dual_averaging(0.2)).start() for _ in range(2)]
    assert runs[1].compile()
    (one, plain), (other, code) = (fed(each, 100) for each in runs)
    assert one == other
    assert as_bytes(plain) == as_bytes(code)


@pytest.mark.parametrize("step", [adagrad(0.2), ftrl_proximal(0.3), two_speeds()])
def test_the_largest_numbers_that_are_allowed_leave_a_run_that_can_be_saved(step):
    for named in (bl.models.squared, bl.models.poisson):
        predictor = named(Sparse(3), step=step).start()
        for key, value in enumerate((1.0, 1e100, -1e100, 1e-100, 1.0)):
            predictor.predict(([0, 1], [value, 1.0]), key)
            for label, weight in ((1e100, 1e50), (1e100, 1.0), (0.5, 1.0)):
                try:
                    predictor.learn(key, label, weight=weight)
                    break
                except bl.errors.NumericalFailure:
                    continue
        again = predictor.model.resume(predictor.state())
        assert again.look(([1], [1.0])) == predictor.look(([1], [1.0]))


@pytest.mark.parametrize(("label", "weight", "value"), [(1e31, 1.0, 1.0), (1.0, 1e31, 1.0), (1.0, 1.0, -1e31)])
def test_what_needs_care_is_not_done_without(label, weight, value):
    """Also for counts, whose margins may be moderate where values are not."""
    step, link = adagrad(0.5), PoissonCount()
    run = machine.new_machine(step, Sparse(2), assumes=True)
    slots, values = np.array([0, 2], dtype=np.uint32), np.array([value, 1.0])
    entry = machine.predict_one(step, link, run, slots, values, 1)
    before = copy.deepcopy(run)
    assert not machine.learn_one(step, link, run, entry, label, weight, True, False)
    assert not machine.amend_one(step, link, run, entry, 0.0, label, weight, True, False)
    assert not machine.assume_one(step, link, run, entry, 1e31, True, False)
    assert np.array_equal(run.table, before.table)
    assert all(np.array_equal(*both) for both in zip(run.pending, before.pending, strict=True))
    assert machine.learn_one(step, link, run, entry, label, weight, True, True)
