"""Courses: all of them are listed, a stretched one has its rounds twice, and no change leaves what cannot be played."""

import math

import numpy as np

from belated.audit.changes import (
    FILL_MINUS,
    FLIP,
    KINDS,
    OF_DELAYS,
    blocks,
    change_signs,
    changed,
    shift_the_start,
    slide_a_part,
    tape,
    turn_signs,
)
from belated.audit.courses import Course, every_delays, every_sign, plain_course, stretched


def course(signs, delays, start=0.0):
    return Course(np.array(signs), np.array(delays), start)


def written(one):
    return one.signs.tolist(), one.delays.tolist(), one.start


def test_every_list_of_delays_comes_once():
    for rounds in (1, 3, 5):
        found = {tuple(delays.tolist()) for delays in every_delays(rounds)}
        assert len(found) == math.factorial(rounds)
        assert all(1 <= d <= rounds - t for delays in found for t, d in enumerate(delays))


def test_the_walk_meets_all_signs_whose_first_is_plus():
    for rounds in (1, 2, 5):
        signs, met = np.ones(rounds, dtype=np.int64), {(1,) * rounds}
        for place in every_sign(rounds).tolist():
            signs[place] = -signs[place]
            met.add(tuple(signs.tolist()))
        assert len(met) == 2 ** (rounds - 1)
        assert all(each[0] == 1 for each in met)


def test_a_stretched_course_has_its_rounds_twice():
    longer = stretched(course([1, -1, 1], [3, 1, 1], 0.5), 7)
    assert written(longer) == ([1, 1, -1, -1, 1, 1, 1], [6, 5, 1, 1, 1, 1, 1], 0.5)
    assert stretched(course([1, 1, 1], [2, 2, 1]), 6).delays.tolist() == [4, 3, 4, 3, 1, 1]


def test_signs_are_flipped_or_filled_from_either_end():
    signs = np.array([1, 1, 1, 1])
    change_signs(signs, FLIP, 2, 0)
    assert signs.tolist() == [1, 1, -1, 1]
    change_signs(signs, FILL_MINUS, 1, 0)
    assert signs.tolist() == [-1, -1, -1, 1]


def test_every_change_leaves_a_course_that_can_be_played():
    rng, one = np.random.default_rng(2), plain_course(9)
    for _ in range(300):
        before = written(one)
        other = changed(one, (*OF_DELAYS, shift_the_start, turn_signs), rng)
        assert written(one) == before
        one = other
        assert set(one.signs.tolist()) <= {1, -1}
        assert all(1 <= d <= 9 - t for t, d in enumerate(one.delays.tolist()))
        assert -1.0 <= one.start <= 1.0
    assert blocks(9, False, rng).start == 0.0


def test_a_part_slides_with_its_arrivals():
    """Dropping a round and doubling another moves the rounds between, and what was held back to a round still is."""

    class Drawn:
        def __init__(self, dropped, doubled):
            self.places = np.array([dropped, doubled])

        def integers(self, low, high, size):
            return self.places

    one = course([1, -1, -1, 1, 1], [1, 3, 2, 1, 1])
    assert written(slide_a_part(one, Drawn(0, 3))) == ([-1, -1, 1, 1, 1], [4, 3, 2, 1, 1], 0.0)
    assert written(slide_a_part(one, Drawn(4, 0))) == ([1, 1, -1, -1, 1], [2, 1, 3, 2, 1], 0.0)
    assert slide_a_part(one, Drawn(2, 2)) is one


def test_tapes_have_kinds_and_places():
    drawn = tape(np.random.default_rng(0), 7, 200)
    assert set(drawn[:, :, 0].ravel().tolist()) == set(range(KINDS))
    assert set(drawn[:, :, 1:].ravel().tolist()) == set(range(7))
