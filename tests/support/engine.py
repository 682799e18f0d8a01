"""The simulator's loop on losses and delays that are given, and the combinations that it is tried on."""

import warnings

import numpy as np

import belated as bl
from belated.core.errors import InvalidArgument, NumericalFailure
from belated.delays import arrivals
from belated.learners.catalogue import EXAMPLES
from belated.losses.base import label
from belated.sim.plain_or_compiled import plain_loop
from belated.sim.plan import Plan
from belated.sim.round_loop import CENTRE, PLAYED
from belated.sim.run import Run, calendar_for
from support.protocol import run as run_player

DIM = 3
ROUNDS = 24


def example(name, domain):
    """The catalogue's learner on a domain, or ``None`` where it does not take that one."""
    try:
        return EXAMPLES[name](domain)
    except InvalidArgument:
        return None


def combinations():
    """Every learner of the catalogue with every domain that it takes and with every loss, by name."""
    for name in EXAMPLES:
        for domain in (domain_class.example(DIM) for domain_class in bl.domains.EVERY):
            for loss in (loss_class.example(DIM) for loss_class in bl.losses.EVERY):
                learner = example(name, domain)
                if learner is not None and can_tell(loss, learner.interface):
                    yield f"{name}-{type(domain).__name__}-{type(loss).__name__}", learner, loss


def parts_of(name):
    """Learner, domain and loss of the combination of that name."""
    return name.rsplit("-", 2)


def rows_for(learner, loss, seed, rounds=ROUNDS):
    """Typical rows, with labels as large as the learner allows."""
    rows, bound = loss.example_rows(np.random.default_rng(seed), rounds), learner.interface.label_bound
    if np.isfinite(bound):
        rows[:, -1] = np.clip(rows[:, -1], -bound, bound)
    return rows


def can_tell(loss, interface):
    """Whether the loss knows what the learner is told."""
    known = label.knows(loss) and interface.classes in (0, getattr(loss, "classes", 0))
    return interface.feedback != "label" or known


EVERY = {name: (learner, loss) for name, learner, loss in combinations()}


def begun(learner, loss, rounds, rounds_per_week, seed=0, initial=None):
    """A run whose calendar has weeks of so many rounds: few, so that short runs have many."""
    run = Run(learner.name, learner, loss, Plan(rounds, rounds, np.arange(1, rounds + 1)), initial, seed)
    run._calendar = calendar_for(learner, rounds, rounds_per_week)
    return run


def run_engine(learner, loss, rows, delays, rounds_per_week, seed=0, initial=None, loop=plain_loop, fed=11):
    """Sums of losses after every round, at the points and at the decision; ``None`` if a number is out of range.

    The rows are handed over ``fed`` at a time, which has nothing to do with the weeks of the calendar.
    """
    rows, delays = np.asarray(rows, dtype=float), np.asarray(delays, dtype=np.int64)
    run = begun(learner, loss, len(rows), rounds_per_week, seed, initial)
    try:
        for start in range(0, len(rows), fed):
            run.take(loop, rows[start : start + fed], delays[start : start + fed])
    except NumericalFailure:
        return None
    return run.record.losses[:, PLAYED], run.record.losses[:, CENTRE]


def run_live(learner, loss, rows, delays, seed=0, initial=None):
    """The same through ``ask`` and ``tell``."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            played, centre = run_player(learner, loss, np.asarray(rows), arrivals(delays), initial, seed)
    except (InvalidArgument, NumericalFailure):  # what is told is out of range, or what follows from it
        return None
    if not (np.isfinite(played).all() and np.isfinite(centre).all()):
        return None
    return played.cumsum(), centre.cumsum()


def same_bits(one, other):
    """Whether two runs are the same to the last bit, or both have failed."""
    if one is None or other is None:
        return one is other
    return all(mine.tobytes() == yours.tobytes() for mine, yours in zip(one, other, strict=True))
