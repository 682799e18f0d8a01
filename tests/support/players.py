"""Looking at a player from outside, byte for byte."""

import numpy as np

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.catalogue import CARDS, EXAMPLES


def as_bytes(state):
    """A saved state as one comparable value: names, types, shapes and every byte of every array."""
    return [
        (name, value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else (name, repr(value))
        for name, value in state.items()
    ]


def zero_feedback(learner):
    return np.zeros(learner.interface.feedback_size)


def telling(learner, numbers):
    """Feedback made of any numbers: these, as far as they are in bounds, or a class for those who are told one."""
    classes, bound = learner.interface.classes, learner.interface.label_bound
    return [int(abs(numbers[0]) % 1e6 * 10) % classes] if classes else np.clip(numbers, -bound, bound)


def only_for_some(label):
    """Whether the card of an example says that the learner is for certain bounded domains only, such as simplices."""
    return not CARDS[label.split(",")[0]].domains.startswith(("any", "bounded"))


DIM = 3
BALL = bl.Ball(DIM, radius=1.5, centre=[0.5, -0.5, 1.0])
HOMES = (BALL, bl.Box([-1.0, -2.0, 0.0], [2.0, 0.5, 3.0]), bl.Simplex(DIM), bl.Euclidean(DIM))

OTHER_HOMES = (bl.Ball(DIM), bl.Box([0.0] * DIM, [1.0] * DIM), bl.Simplex(DIM, total=2.0), bl.Euclidean(DIM + 1))


def typical(name, homes=HOMES):
    """A typical use of a learner of the catalogue, on the first of these domains that it takes."""
    for home in homes:
        try:
            return EXAMPLES[name](home)
        except InvalidArgument:
            continue
    raise AssertionError(f"{name} takes none of {homes}")


def ask(player):
    """Ask, with a context for those that want one."""
    return player.ask(context_for(player.learner, player.ledger.round + 1))


def context_for(learner, number=1):
    """What ``ask`` has to be given in some round: nothing, as a rule."""
    size = learner.interface.context_size
    return np.cos(np.arange(size) + number) if size else None


def answered_once(learner, seed=0):
    """A player in mid-run: three rounds asked, the second answered and applied, the first told and not yet applied."""
    player = learner.start(seed=seed)
    player.ask(context_for(learner, 1))
    player.ask(context_for(learner, 2))
    player.tell(telling(learner, np.linspace(0.1, 0.3, learner.interface.feedback_size)), round=2)
    player.ask(context_for(learner, 3))
    player.tell(telling(learner, np.linspace(0.2, -0.1, learner.interface.feedback_size)), round=1)
    return player
