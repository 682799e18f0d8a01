"""Looking at a player from outside, byte for byte."""

import numpy as np


def as_bytes(state):
    """A saved state as one comparable value: names, types, shapes and every byte of every array."""
    return [
        (name, value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else (name, repr(value))
        for name, value in state.items()
    ]


def zero_feedback(learner):
    return np.zeros(learner.shape.feedback_size)


def answered_once(learner, seed=0):
    """A player in mid-run: three rounds asked, the second answered and applied, the first told and not yet applied."""
    player = learner.start(seed=seed)
    player.ask()
    player.ask()
    player.tell(np.linspace(0.1, 0.3, learner.shape.feedback_size), round=2)
    player.ask()
    player.tell(np.linspace(0.2, -0.1, learner.shape.feedback_size), round=1)
    return player
