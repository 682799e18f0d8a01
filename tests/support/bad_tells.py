"""Tells that a player in mid-run must refuse, each with the error that it must raise."""

import numpy as np

from belated.core import errors


class Stubborn:
    """An argument that can be neither made into an array nor printed."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")


def bad_tells(learner):
    """Arguments for a player with three rounds asked and the first two told, and the class of the error."""
    size = learner.interface.feedback_size
    good = np.zeros(size)
    nan, infinite = good.copy(), good.copy()
    nan[-1], infinite[0] = np.nan, -np.inf
    huge, masked = np.full(size, 1.01e100), np.ma.array(good, mask=[True] + [False] * (size - 1))
    wrong_values = [
        (np.zeros(size + 1), errors.InvalidArgument),
        (np.zeros((1, size)), errors.InvalidArgument),
        (0.0, errors.InvalidArgument),
        ([], errors.InvalidArgument),
        (None, errors.InvalidArgument),
        ("gradient", errors.InvalidArgument),
        (np.zeros(size, dtype=complex), errors.InvalidArgument),
        (nan, errors.InvalidArgument),
        (infinite, errors.InvalidArgument),
        (huge, errors.InvalidArgument),
        (masked, errors.InvalidArgument),
        (Stubborn(), errors.InvalidArgument),
    ]
    wrong_rounds = [
        (99, errors.UnknownRound),
        (4, errors.UnknownRound),
        (2, errors.AlreadyAnswered),
        (1, errors.AlreadyAnswered),
        (0, errors.InvalidArgument),
        (-1, errors.InvalidArgument),
        (1.5, errors.InvalidArgument),
        (True, errors.InvalidArgument),
        ("3", errors.InvalidArgument),
        (10**5000, errors.InvalidArgument),
    ]
    for values, error in wrong_values:
        yield {"feedback": values, "round": 3}, error
    for number, error in wrong_rounds:
        yield {"feedback": good, "round": number}, error
    if learner.needs_round:
        yield {"feedback": good}, errors.RoundRequired
