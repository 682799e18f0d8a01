"""What plain Python has in place of a loop must come to the same bits as the loop, and as the loop when compiled."""

import sys
from types import FunctionType

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import belated
from belated.core import ledger, reductions, vectors
from belated.core.closures import Closure
from belated.core.compiling import compiled
from belated.core.verbs import compiled_as
from belated.domains import ball
from belated.learners import verbs as learning
from belated.learners.parts import estimators
from belated.learners.playing import turn
from support.compiler import needs_compiler

NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, -0.0, 5e-324, 1e200, -1.7e308])
FORMS = {
    vectors.copy_into: lambda x, y, a, b: (x, np.append(y, a)),
    vectors.fill: lambda x, y, a, b: (x, a),
    vectors.add_into: lambda x, y, a, b: (x, y),
    vectors.begin_sum: lambda x, y, a, b: (x, y),
    vectors.subtract_scaled: lambda x, y, a, b: (x, a, y, np.empty(x.size)),
    vectors.all_finite: lambda x, y, a, b: (x,),
    reductions.dot: lambda x, y, a, b: (x, y),
    reductions.squared_distance: lambda x, y, a, b: (x, y),
    ledger.counted: lambda x, y, a, b: range(x.size, x.size + ledger.COUNTS),
    ledger.read_ledger: lambda x, y, a, b: (np.arange(x.size, x.size + 9),),
    ball.pull: lambda x, y, a, b: (x, y, a, b, np.empty(x.size)),
    estimators.move_along: lambda x, y, a, b: (x, y, a, y),
    learning.desk_of: lambda x, y, a, b: (None, x, x.reshape(1, -1), y),
    turn.copy_row: lambda x, y, a, b: (np.array([x, y]), 1, 0),
}
"""Every function for which compiled code has a loop, and how it may be called."""


def test_these_are_all():
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == belated.__name__]
    marked = [each for module in modules for each in vars(module).values() if "loop" in vars_of(each)]
    assert set(marked) == set(FORMS)


def vars_of(each):
    return vars(each) if isinstance(each, FunctionType) else {}


def outcome(function, arguments):
    """What a call returns and what it leaves in its arguments, as bytes; one NaN is as good as another."""
    called = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    for place, each in enumerate(arguments):
        called[place] = called[next(i for i, other in enumerate(arguments) if other is each)]
    with np.errstate(all="ignore"):
        returned = function(*called)
    found = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    numbers = [np.atleast_1d(np.asarray(each, dtype=float)) for each in (*called, *found)]
    return [np.where(np.isnan(each), np.nan, each).tobytes() for each in numbers]


def vectors_of(size):
    return st.lists(NUMBERS, min_size=size, max_size=size).map(np.array)


SIZES = st.integers(1, 11) | st.sampled_from([64, 65, 70])
CALLS = SIZES.flatmap(lambda size: st.tuples(vectors_of(size), vectors_of(size), NUMBERS, NUMBERS))


@pytest.mark.parametrize("function", FORMS, ids=lambda each: each.__name__)
@settings(max_examples=60)
@given(CALLS)
@example((np.array([-0.0, -0.0]), np.array([0.0, -0.0]), -0.0, 1.0))
@example((np.array([1.7e308, 1.7e308]), np.array([0.0, 1.0]), 1.0, 1.0))
@example((np.array([0.3, 0.7, -1.1]), np.array([0.1, -0.2, 5e-324]), 1.0, 0.7))
def test_plain_python_does_the_same_as_the_loop(function, call):
    arguments = FORMS[function](*call)
    assert outcome(function, arguments) == outcome(function.loop, arguments)


@needs_compiler
@pytest.mark.parametrize("function", FORMS, ids=lambda each: each.__name__)
def test_compiled_code_does_the_same(function):
    rng = np.random.default_rng(3)
    for size in (1, 2, 10, 70):
        arguments = FORMS[function](rng.normal(size=size), rng.normal(size=size), 0.3, 0.7)
        code = compiled(function.loop, *arguments)
        assert outcome(code, arguments) == outcome(function, arguments)


@pytest.mark.parametrize(
    ("function", "mutant"),
    [
        (reductions.dot, lambda x, y: float(np.sum(x * y))),
        (reductions.dot, lambda x, y: sum((x * y).tolist())),
        (vectors.all_finite, lambda x: bool(np.isfinite(x.sum()))),
        (vectors.subtract_scaled, lambda x, a, y, out: np.subtract(x, np.divide(y, 1 / a), out)[:0].size or None),
        (ball.pull, lambda x, y, s, f, out: np.add(y, (f * s) * (x - y), out)[:0].size or None),
    ],
)
def test_other_orders_and_other_roundings_are_noticed(function, mutant):
    rng = np.random.default_rng(5)
    calls = [(rng.normal(size=11), rng.normal(size=11), 0.3, 0.7) for _ in range(20)]
    calls.append((np.full(2, 1.7e308), np.ones(2), 1.0, 1.0))
    arguments = [FORMS[function](*call) for call in calls]
    assert any(outcome(mutant, each) != outcome(function.loop, each) for each in arguments)


def test_a_change_of_the_loop_is_a_change_of_the_code():
    def digest(loop):
        @compiled_as(loop)
        def plain(x):
            return 2.0 * x

        def start(x):
            return plain(x)

        return Closure(start, (1.0,)).digest

    assert digest(lambda x: x + x) != digest(lambda x: x + x + 0.0)
    assert digest(lambda x: x + x) == digest(lambda x: x + x)
