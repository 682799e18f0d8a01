"""Compiled code against the plain code that it is made of: a player's turn and the simulator's loop, the same bits.

Compiling takes seconds. So each learner is compiled here once as a turn, on its home domain, and a variant of a learner
only if it has a part that no other turn has. Loops are compiled only in the few combinations with a domain and a loss
that it takes to have every class of policies, every domain and every loss in some loop. Both are made in one test,
since the second finds much of its code compiled by the first. ``make soak`` compiles all turns, also on a set without
interior, and all loops.
"""

import numpy as np
import pytest

import belated as bl
from belated.core import compiling
from belated.core.closures import part_classes
from belated.core.compiling import compiled
from belated.learners.catalogue import EXAMPLES
from belated.learners.playing.turn import plain_turn
from belated.learners.verbs import receive
from belated.sim.feedback import exchange
from belated.sim.round_loop import play_chunk
from support.compiler import needs_compiler
from support.engine import DIM, EVERY, begun, example, parts_of, rows_for, run_engine, same_bits
from support.players import as_bytes, ask, telling, typical

pytestmark = needs_compiler


def compiled_loop(learner, loss):
    like = begun(learner, loss, 2, 1)
    return compiled(play_chunk, *like.arguments(np.zeros((1, loss.row_size)), np.ones(1, dtype=np.int64)))


def check_loop(name):
    """Compare the plain with the compiled loop in four runs; return how many of them do not fail."""
    learner, loss = EVERY[name]
    machine_code = compiled_loop(learner, loss)
    random, finished = np.random.default_rng(8), 0
    for rounds, longest, rounds_per_week in [(60, 9, 7), (60, 80, 16), (300, 40, 300), (200, 4, 1)]:
        delays, rows = random.integers(1, longest, rounds, endpoint=True), rows_for(learner, loss, longest, rounds)
        plain = run_engine(learner, loss, rows, delays, rounds_per_week, 5)
        assert same_bits(run_engine(learner, loss, rows, delays, rounds_per_week, 5, loop=machine_code), plain)
        finished += plain is not None
    return finished


def ingredients(name):
    """What differs between loops: loss, domain, kinds of answers, and the policies, whose verbs are what a loop calls.

    What policies are made of, such as steps and rates, is compiled with each learner's turn.
    """
    learner, loss = EVERY[name]
    policies = {each for each in part_classes(learner.policy) if each in receive.implementations}
    kinds = part_classes(exchange(learner)) | {("draws", learner.interface.draws)}
    return {type(loss), type(learner.domain)} | policies | kinds


def home(name):
    """Where a learner's turn is compiled: on a ball, or on a simplex, or elsewhere if it takes neither."""
    learners = (example(name, domain_class.example(DIM)) for domain_class in (bl.Ball, bl.Simplex))
    return next((learner for learner in learners if learner is not None), None) or typical(name)


def enough(names, missing):
    """Some of the names, with every ingredient that is missing and that they have: at each step one that brings most.

    Of equals a quadratic loss is taken, since its gradients depend on the decision.
    """
    chosen = []
    while missing & set().union(*(MADE_OF[name] for name in names)):
        chosen.append(max(names, key=lambda name: (len(MADE_OF[name] & missing), name.endswith("-Quadratic"))))
        missing -= MADE_OF[chosen[-1]]
    return chosen


def few():
    """Every policy and every loss, with learners at home, where their turns are compiled, too.

    Other domains come with a small learner.
    """
    homes = {name: type(home(name).domain).__name__ for name in EXAMPLES}
    at_home = [name for name in MADE_OF if parts_of(name)[1] == homes[parts_of(name)[0]]]
    small = [name for name in MADE_OF if parts_of(name)[0] == "dogd_sc"]
    missing = set().union(*MADE_OF.values())
    return enough(at_home, missing) + enough(small, missing)


MADE_OF = {name: ingredients(name) for name in EVERY if "LogWealth" not in name or "Simplex" in name}
"""Of all combinations but those in which wealth becomes negative, where every run fails."""

FEW = few()


def check_turn(learner, compile):
    """Two players through the same events; after five rounds the second is compiled.

    Feedback is late and comes in bursts, and some rounds are given up.
    """
    players, rng, owed = [learner.start(seed=3), learner.start(seed=3)], np.random.default_rng(4), []
    for number in range(1, 13):
        if number == 6:
            compile(players[1])
        plays = [ask(player) for player in players]
        assert len({(play.round, play.points.tobytes(), play.decision.tobytes()) for play in plays}) == 1
        owed.append(number)
        for late in [each for each in owed if rng.random() < 0.4]:
            owed.remove(late)
            if late % 5 == 0:
                for player in players:
                    player.give_up(late)
                continue
            feedback = telling(learner, rng.normal(size=learner.interface.feedback_size))
            for player in players:
                player.tell(feedback, round=late)
        states = [player.state() for player in players]
        assert as_bytes(states[0]) == as_bytes(states[1])


def of_known_parts():
    """The variants of learners, such as "dorm, last gradient", of whose parts each is in a turn that comes before."""
    known, nothing_new = set(), set()
    for name in sorted(EXAMPLES, key=lambda name: "," in name):
        parts = part_classes(home(name).policy)
        if "," in name and parts <= known and not any(parts_of(each)[0] == name for each in FEW):
            nothing_new.add(name)
        known |= parts
    return nothing_new


def turns():
    """Every learner at home, with the loops that are compiled of it.

    In the soak also on a set without interior, and variants of known parts.
    """
    left_to_the_soak = of_known_parts()
    for name in EXAMPLES:
        loops = [each for each in FEW if parts_of(each)[0] == name]
        marks = [pytest.mark.soak] if name in left_to_the_soak else []
        yield pytest.param(home(name), loops, id=f"{name}-{type(home(name).domain).__name__}", marks=marks)
        flat = example(name, bl.Simplex.example(DIM))
        if flat is not None and flat != home(name):
            yield pytest.param(flat, [], id=f"{name}-Simplex", marks=pytest.mark.soak)


@pytest.mark.parametrize(("learner", "loops"), list(turns()))
def test_compiling_changes_no_bit(learner, loops, monkeypatch):
    """In mid-run, and without memory management, so that compiled loops stay fast."""
    monkeypatch.setattr(compiling, "_outcomes", {})

    def compile(player):
        assert player.compile()
        assert player._runner.turn is not plain_turn
        lean = {function.__name__: outcome.lean for (function, _), outcome in compiling._outcomes.items()}
        assert lean["take_turn"]
        assert all(lean.values())

    check_turn(learner, compile)
    for name in loops:
        assert check_loop(name) == 4, "no run fails"


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(EVERY.keys() - set(FEW)))
def test_compiling_any_loop_changes_no_bit(name):
    check_loop(name)


def exercised_policies():
    """The classes of all policies that some learner of the catalogue is made of."""
    return {each for name in EXAMPLES for each in part_classes(typical(name).policy)} & receive.implementations.keys()


def test_the_few_loops_that_are_compiled_are_enough():
    tried = set().union(*(MADE_OF[name] for name in FEW))
    assert tried == set().union(*MADE_OF.values())
    assert tried >= {*bl.domains.EVERY, *bl.losses.EVERY, *exercised_policies()}
    assert {loop for turn in turns() if not turn.marks for loop in turn.values[1]} == set(FEW)


def test_the_turns_that_are_compiled_have_every_part_and_every_learner():
    every, compiled_here = (set(EXAMPLES) - left for left in (set(), of_known_parts()))
    assert {part for name in compiled_here for part in part_classes(home(name).policy)} == {
        part for name in every for part in part_classes(home(name).policy)
    }
    assert {name.partition(",")[0] for name in compiled_here} == {name.partition(",")[0] for name in every}


def test_learners_compile_without_memory_management():
    """That is what makes the loop fast; on a ball, since a few domains do make arrays."""
    learner, loss = EXAMPLES["bdogd_sc_two_point"](bl.Ball(DIM)), bl.losses.Quadratic(DIM)
    code = compiled_loop(learner, loss)
    (outcome,) = [each for each in compiling._outcomes.values() if each.code is code]
    assert outcome.lean


# --- the comparison has power: each of these is a turn with one mistake


def one_bit_off(*arguments):
    fine = plain_turn(*arguments)
    points = arguments[-3]
    points[0, 0] = np.nextafter(points[0, 0], np.inf)
    return fine


def one_draw_more(*arguments):
    arguments[13].standard_normal()
    return plain_turn(*arguments)


def an_arrival_missed(*arguments):
    return plain_turn(*arguments[:7], max(0, arguments[7] - 1), *arguments[8:])


@pytest.mark.parametrize("turn", [one_bit_off, one_draw_more, an_arrival_missed])
def test_a_compiled_turn_that_did_something_else_would_be_caught(turn):
    learner = typical("bdogd_sc_two_point")
    check_turn(learner, lambda player: setattr(player._runner, "turn", plain_turn))
    with pytest.raises(AssertionError):
        check_turn(learner, lambda player: setattr(player._runner, "turn", turn))
