"""Who looks at a player, saves it or copies it changes nothing of the run: no answer, no error, no count, no state.

Two players have the same events. One of them is left alone. The other one is looked at between any two events, and is
now and then replaced by what comes of resuming its state, or by a copy.
"""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

from belated.core.errors import BelatedError, StateMismatch
from belated.learners.catalogue import EXAMPLES
from belated.learners.playing.open_rounds import OpenRounds
from support.players import as_bytes, ask, telling, typical

LETTING_GO = ["restarting", "skipping"]

READERS = {
    "state": lambda player: player.state(),
    "repr": repr,
    "ledger": lambda player: player.ledger,
    "open_rounds": lambda player: outcome(lambda: player.open_rounds),
    "copy": copy.deepcopy,
}
REPLACEMENTS = {
    "resume": lambda player: player.learner.resume(player.state()),
    "copy": copy.copy,
    "pickle": lambda player: pickle.loads(pickle.dumps(player)),
}


def outcome(call):
    """What a call returns, or the error that it raises, as something that can be compared."""
    try:
        result = call()
    except BelatedError as problem:
        return type(problem).__name__, str(problem)
    return [np.asarray(each).tobytes() for each in result] if isinstance(result, tuple) else result


def events(learner, rng, rounds):
    """Calls for one player after another: most rounds are answered at once, and then odd things happen to old ones."""
    for asked in range(1, rounds + 1):
        yield ask
        if rng.random() < 0.75:
            yield told(learner, rng, asked)
        at = [int(rng.integers(1, asked + 2)), None][rng.integers(2)]  # None: what has just been let go of
        odd = rng.random()
        if odd < 0.2:
            yield lambda player, at=at: player.give_up(at or last_let_go(player))
        elif odd < 0.4:
            yield told(learner, rng, at)
        elif odd < 0.45:
            feedback = telling(learner, rng.normal(size=learner.interface.feedback_size))
            yield lambda player, feedback=feedback: player.tell(feedback)


def told(learner, rng, at):
    feedback = telling(learner, rng.normal(size=learner.interface.feedback_size))
    return lambda player: player.tell(feedback, round=at or last_let_go(player))


def last_let_go(player):
    """The last round that the learner has let go of and nobody has answered; a round that was never asked if none is.

    This is the round for which it matters whether the player has taken notice of that yet.
    """
    progress = player._progress
    unknown = (k for k in range(player._oldest_wanted() - 1, 0, -1) if k not in player._rounds.closed)
    return next((k for k in unknown if not progress.applied.knows(k) and not progress.waiting.knows(k)), 10**6)


def chosen(rng, calls):
    return calls[list(calls)[rng.integers(len(calls))]]


def compare(learner, seed, rounds):
    """Play with both, and fail at the first difference."""
    rng = np.random.default_rng(seed)
    alone, watched = learner.start(seed=seed), learner.start(seed=seed)
    for event in events(learner, rng, rounds):
        if rng.random() < 0.3:
            chosen(rng, READERS)(watched)
        if rng.random() < 0.15:
            watched = chosen(rng, REPLACEMENTS)(watched)
        assert outcome(partial(event, watched)) == outcome(partial(event, alone))
        assert watched.ledger == alone.ledger
        assert repr(watched) == repr(alone)
    assert outcome(lambda: watched.open_rounds) == outcome(lambda: alone.open_rounds)
    assert as_bytes(watched.state()) == as_bytes(alone.state())


def compare_often(learner):
    for seed in range(2, 8):
        compare(learner, seed, rounds=80)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_reader_changes_nothing(name):
    compare(typical(name), seed=1, rounds=25)


@pytest.mark.parametrize("name", LETTING_GO)
def test_a_reader_changes_nothing_of_learners_that_let_go_of_rounds(name):
    compare_often(typical(name))


def by_memo(rounds, number):
    """The mutant: a round is open as long as somebody remembers it, so that it matters when memos are dropped."""
    return number in rounds.memos


def without_the_late(rounds, asked, memo, applied, original=OpenRounds.cross_off):
    """The mutant: that a late round was told is known only until the next ask, or until the player is saved."""
    original(rounds, asked, memo, type(applied)(applied))


@pytest.mark.parametrize(("method", "mutant"), [("has", by_memo), ("cross_off", without_the_late)])
@pytest.mark.parametrize("name", LETTING_GO)
def test_a_reader_that_changes_something_is_noticed(name, method, mutant, monkeypatch):
    monkeypatch.setattr(OpenRounds, method, mutant)
    with pytest.raises((AssertionError, StateMismatch)):
        compare_often(typical(name))
