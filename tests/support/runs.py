"""Runs of a player with everything recorded that an identity may need: decisions, x', h, who was told what and when.

The driver here is the tests' own and shares nothing with ``belated.sim``: delays become a plain dict of arrivals.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from support.players import context_for, telling


def arrivals_by_round(delays):
    """F_t as a dict, straight from its definition {k : k + d_k - 1 = t}."""
    table = defaultdict(list)
    for k, delay in enumerate(delays, start=1):
        table[k + delay - 1].append(k)
    return table


_KEPT = ("policy.arrivals.step.unprojected", "policy.arrivals.step.inverse_rate")
"""What descent has in its state. States without it are not asked for in every round, since asking takes long."""


@dataclass
class Trace:
    """x_1..x_{T+1} in ``decisions``; entry t - 1 of the others belongs to the end of round t.

    Only steps that keep them in their state, as descent does, have ``unprojected`` and ``inverse_rates``.
    """

    decisions: list = field(default_factory=list)
    points: list = field(default_factory=list)
    unprojected: list = field(default_factory=list)
    inverse_rates: list = field(default_factory=list)
    arrivals: list = field(default_factory=list)
    feedback: dict[int, Any] = field(default_factory=dict)


def gradient_feedback(loss, row, play):
    return loss.gradient(row, play.decision)


def value_feedback(loss, row, play):
    return [loss.value(row, point) for point in play.points]


def label_feedback(learner):
    """Losses without labels have some number in each row that will do."""
    return lambda loss, row, play: telling(learner, row[-1:])


def feedback_of(learner):
    known = learner.interface.regulariser

    def gradient_without(loss, row, play):
        return gradient_feedback(loss, row, play) - known * play.decision

    told = gradient_without if known else gradient_feedback
    return {"gradient": told, "values": value_feedback, "label": label_feedback(learner)}[learner.interface.feedback]


def step_of(learner):
    """The step of a learner that has one arrival rule with one step, else ``None``."""
    return getattr(getattr(learner.policy, "arrivals", None), "step", None)


def _context(learner, rows, t):
    """What the row of a round tells beforehand; in the round after the last, anything."""
    size = learner.interface.context_size
    return rows[t - 1, :size] if size and t <= len(rows) and rows.shape[1] > size else context_for(learner, t)


def record(learner, loss, rows, delays, initial=None, seed=0, order=list, stamp=True):
    """Play a round for each row and ask once more, so that the last arrivals are seen to have their effect.

    ``order`` rearranges the rounds told at the end of a round; ``stamp`` says whether they are told with their round.
    """
    player, trace, arrived = learner.start(initial, seed), Trace(), arrivals_by_round(delays)
    answer, descends = feedback_of(learner), set(_KEPT) <= set(player.state())
    for t in range(1, len(rows) + 2):
        play = player.ask(_context(learner, rows, t))
        trace.decisions.append(play.decision)
        trace.points.append(play.points)
        if t > 1 and descends:
            unprojected, inverse_rate = map(player.state().__getitem__, _KEPT)
            trace.unprojected.append(unprojected)
            trace.inverse_rates.append(float(inverse_rate[0]))
        if t <= len(rows):
            trace.feedback[t] = answer(loss, rows[t - 1], play)
            told = order(arrived[t])
            trace.arrivals.append(told)
            for k in told:
                player.tell(trace.feedback[k], round=k if stamp or learner.needs_round else None)
    return trace
