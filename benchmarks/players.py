"""``ask`` and ``tell``, with all their checks, compiled and not, and bursts, beside a round of the plain NumPy loop.

The player is told the gradients of a run of DOGD-SC, each at the end of the round in which it arrives. They are
computed beforehand: whoever uses a player has their own losses. At the end the player must be where that run was.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.learners import Player
from benchmarks.effort import Effort
from benchmarks.loops import Disagreement
from benchmarks.numpy_loop import plain_loop
from benchmarks.setup import BETA, DELAYS, chunks, first_decision, learner
from benchmarks.timing import Spread, Work, in_turns, note, ratio, spread

DIM = 10
ANONYMOUS, NAMED, NUMPY = "ask and tell", "ask and tell with the round", "a round of the NumPy loop"
BEFORE, BURST = "ask and tell before compiling", "a feedback of a burst that is told at once"
PLAIN_ROUNDS, IN_A_BURST, BURSTS = 2000, 1000, 10


class Script(NamedTuple):
    """The gradients of a run, the rounds (from 1) that are answered at the end of each round, and the last decision."""

    gradients: Matrix
    arrivals: list[list[int]]
    last: Vector


class PlayerSpeed(NamedTuple):
    """Seconds a round of each contender, and how much more the player needs than the NumPy loop."""

    seconds: dict[str, Spread]
    of_numpy: dict[str, Spread]
    compiled: bool


def measure(effort: Effort) -> PlayerSpeed:
    """Players beside the NumPy loop."""
    note("ask and tell")
    rounds = round(50_000 * effort.seconds)
    script = _script(rounds)
    compiled = hasattr(Player, "compile")
    for named in (False, True):
        last = _played(_player(), script, named)
        if not np.allclose(last, script.last, rtol=1e-9, atol=1e-12):
            raise Disagreement(f"a player ends at {last}, and the same run elsewhere at {script.last}")
    plain = [_start() for _ in range(effort.repetitions)]
    waiting = [[_waiting(IN_A_BURST) for _ in range(BURSTS)] for _ in range(effort.repetitions)]
    burst = script.gradients[:IN_A_BURST]
    players = {named: [_player() for _ in range(effort.repetitions)] for named in (False, True)}
    taken = in_turns(
        {
            ANONYMOUS: Work(lambda: _played(players[False].pop(), script, named=False), rounds),
            NUMPY: Work(lambda: plain_loop(DIM, rounds), rounds),
            NAMED: Work(lambda: _played(players[True].pop(), script, named=True), rounds),
            BEFORE: Work(lambda: _played(plain.pop(), script, named=False, rounds=PLAIN_ROUNDS), PLAIN_ROUNDS),
            BURST: Work(lambda: _told(waiting.pop(), burst), BURSTS * IN_A_BURST),
        },
        effort.repetitions,
    )
    return PlayerSpeed(
        {who: spread(samples) for who, samples in taken.items()},
        {who: ratio(taken[who], taken[NUMPY]) for who in (ANONYMOUS, NAMED, BEFORE, BURST)},
        compiled,
    )


def _start() -> Player:
    return learner("dogd-sc", DIM).start(initial=first_decision("dogd-sc", DIM))


def _waiting(asked: int) -> Player:
    """A player that has been asked so often, and told nothing."""
    player = _player()
    for _ in range(asked):
        player.ask()
    return player


def _player() -> Player:
    player = _start()
    compile_now = getattr(player, "compile", None)
    if compile_now is not None:
        compile_now()
    return player


def _played(player: Player, script: Script, named: bool, rounds: int | None = None) -> Vector:
    """Where the player stands after the rounds of the script, or after the first of them."""
    ask, tell, gradients = player.ask, player.tell, script.gradients
    for arrived in script.arrivals[:rounds]:
        ask()
        for number in arrived:
            if named:
                tell(gradients[number - 1], round=number)
            else:
                tell(gradients[number - 1])
    return ask().decision


def _told(players: list[Player], burst: Matrix) -> None:
    """Tell every one of the players a burst: a single one is over before the clock has moved much."""
    for player in players:
        player.tell_many(burst)


def _script(rounds: int) -> Script:
    """A run of DOGD-SC, written down: slowly, and by the formulas of the paper."""
    rows = np.concatenate([rows.copy() for rows in chunks(DIM, rounds)])
    gradients, decision, received = np.empty((rounds, DIM)), first_decision("dogd-sc", DIM), 0
    arrivals: list[list[int]] = [[] for _ in range(rounds + max(DELAYS))]
    for t in range(rounds):
        gradients[t] = 2.0 * decision + rows[t]
        arrivals[t + DELAYS[t % len(DELAYS)] - 1].append(t + 1)
        if arrivals[t]:
            received += len(arrivals[t])
            total = sum(gradients[number - 1] for number in arrivals[t])
            decision = decision - total * (2.0 / (BETA * received))
            decision = decision / max(1.0, math.sqrt(float(decision @ decision)))
    return Script(gradients, arrivals[:rounds], decision)
