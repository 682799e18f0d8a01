"""The numbers of a run: they exist twice, in rows that can be copied as a whole."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from belated.core.ledger import COUNTS, Ledger
from belated.learners.playing.numbers import TwoSides
from belated.learners.playing.state import named_arrays


class Leaf(NamedTuple):
    reals: Any
    table: Any
    wholes: Any


class Tree(NamedTuple):
    left: Any
    right: Any


LEDGER = Ledger(9, 1, 5, 4, 3, 20, 18)


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    size, rows, columns, wholes = (draw(st.integers(0, 4)) for _ in range(4))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return Leaf(rng.normal(size=size), rng.normal(size=(rows, columns)), rng.integers(-9, 9, wholes))


states = st.recursive(leaves(), lambda inner: st.builds(Tree, inner, inner), max_leaves=4)


def two_sides(state: Any, growing: frozenset[str] = frozenset()) -> TwoSides:
    return TwoSides(None, state, LEDGER, growing)


def contents(state: Any) -> list[tuple[str, str, tuple[int, ...], bytes]]:
    return [(name, array.dtype.str, array.shape, array.tobytes()) for name, array in named_arrays(state, "")]


@given(states)
def test_the_first_side_is_the_state_and_copying_its_rows_makes_the_second(state):
    sides = two_sides(state)
    assert contents(sides.states[0]) == contents(state)
    assert sides.ledger(0) == LEDGER
    assert sides.ledger(1) == Ledger()
    for table in (sides.reals, sides.wholes):
        table[1] = table[0]
    assert contents(sides.states[1]) == contents(state)
    assert sides.ledger(1) == LEDGER


@given(states)
def test_the_sides_share_nothing_with_each_other_nor_with_the_state(state):
    sides = two_sides(state)
    before = contents(state)
    for _, array in named_arrays(sides.states[0], ""):
        array[...] = 7
    assert contents(state) == before
    assert sides.ledger(0) == LEDGER, "the ledger lies beside them"
    assert all((array == 0).all() for _, array in named_arrays(sides.states[1], ""))
    filled = (sides.reals[0] == 7).sum(), (sides.wholes[0, COUNTS:] == 7).sum()
    assert filled == (sides.reals.shape[1], sides.wholes.shape[1] - COUNTS), "no room is left between them"


@given(states)
def test_the_arrays_of_a_side_lie_as_fresh_ones_do(state):
    """The compiler's types depend on it."""
    for _, array in named_arrays(two_sides(state).states[1], ""):
        assert array.flags.c_contiguous
        assert array.flags.writeable


@given(states, st.data())
def test_arrays_that_grow_lie_behind_the_others(state, data):
    names = [name for name, _ in named_arrays(state, "policy")]
    growing = frozenset(data.draw(st.lists(st.sampled_from(names), unique=True)))
    sides = two_sides(state, growing)
    assert contents(sides.states[0]) == contents(state)
    for name, array in named_arrays(sides.states[0], "policy"):
        array[...] = 1 if name in growing else 2
    assert (sides.reals[0, : sides.checked] == 2).all()
    assert (sides.reals[0, sides.checked :] == 1).all()
