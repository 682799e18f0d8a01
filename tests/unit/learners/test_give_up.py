"""Rounds that are given up, by the caller or by the learner: what is kept of them, and what comes of a late answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.learners.catalogue import EXAMPLES
from belated.learners.parts.wrappers import copies
from belated.learners.playing.inbox import Inbox
from belated.learners.verbs import oldest_wanted
from support.players import as_bytes, ask, typical, zero_feedback

every_learner = pytest.mark.parametrize("name", EXAMPLES)
BALL = bl.Ball(2)
SEGMENT = bl.Box([-1.0], [1.0])


def size_of(state):
    return sum(np.size(value) for value in state.values())


@every_learner
def test_what_cannot_be_given_up_is_a_clear_error_and_changes_nothing(name):
    learner = typical(name)
    player = learner.start()
    for _ in range(4):
        ask(player)
    player.tell(zero_feedback(learner), round=1)
    ask(player)
    player.tell(zero_feedback(learner), round=2)
    player.give_up(3)
    before = as_bytes(player.state())
    wrong = [
        (1, errors.AlreadyAnswered),
        (2, errors.AlreadyAnswered),
        (3, errors.AlreadyAnswered),
        (6, errors.UnknownRound),
        (0, errors.InvalidArgument),
        (1.5, errors.InvalidArgument),
        ("4", errors.InvalidArgument),
    ]
    for number, error in wrong:
        with pytest.raises(error, match=rf"`{learner.name}\.give_up\(round=.*\)`: "):
            player.give_up(number)
        assert as_bytes(player.state()) == before


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "restarting"])  # which lets go of round 2
def test_a_round_that_was_given_up_is_not_waited_for_and_not_taken(name):
    learner = typical(name)
    player = learner.start()
    for _ in range(3):
        ask(player)
    player.give_up(2)
    for asked in range(4, 7):  # refused before the next ask, after it, and when it is crossed off
        with pytest.raises(errors.AlreadyAnswered, match=r"tell\(round=2\)`: this round has been answered or given up"):
            player.tell(zero_feedback(learner), round=2)
        again = learner.resume(player.state())
        with pytest.raises(errors.AlreadyAnswered):
            again.tell(zero_feedback(learner), round=2)
        assert np.array_equal(ask(again).points, ask(player).points)
        assert as_bytes(again.state()) == as_bytes(player.state())
        assert (player.ledger.round, player.ledger.in_flight, player.ledger.received) == (asked, asked - 1, 0)
    assert 2 not in player.state()["owed.round"]


def test_when_all_is_answered_or_given_up_nothing_is_owed():
    player = bl.dogd_sc(BALL, 2.0).start()
    for _ in range(3):
        player.ask()
    player.give_up(2)
    player.tell([1.0, 0.0])
    player.tell([1.0, 0.0])
    for _ in range(2):
        with pytest.raises(errors.NothingOwed, match="all 3 rounds asked have been answered or given up"):
            player.tell([1.0, 0.0])
        with pytest.raises(errors.NothingOwed):
            player.give_up(3)
        player = player.learner.resume(player.state())
    player.ask()
    assert (player.ledger.in_flight, player.ledger.received) == (1, 2)
    player.tell([1.0, 0.0], round=4)


@pytest.mark.parametrize("name", ["dogd_sc", "adaptive_revision", "one_point_dda", "hedge"])
def test_giving_up_leaves_no_hole(name):
    """However many rounds are lost, the state is as large as that of a run in which nothing is."""
    learner = typical(name)
    player = learner.start()
    for _ in range(300):
        play = ask(player)
        if play.round % 3:
            player.tell(zero_feedback(learner), round=play.round)
        else:
            player.give_up(play.round)
    few = learner.start()
    ask(few)
    assert size_of(player.state()) <= size_of(few.state()) + 20


@pytest.mark.parametrize("name", ["bold", "gold", "dftbl", "skipping", "restarting", "weinberger_ordentlich"])
def test_the_memory_of_a_learner_does_not_grow_with_what_is_given_up(name):
    learner = typical(name)
    player, sizes = learner.start(), []
    for number in range(1, 401):
        play = ask(player)
        if play.round % 5:
            player.tell(zero_feedback(learner), round=play.round)
        elif play.round > 5:
            player.give_up(play.round - 5)  # it is waited for a while
        if number % 100 == 0:
            sizes.append(size_of(player.state()))
    assert sizes[-1] <= sizes[0] + 10 * player.learner.domain.dim, sizes


def test_a_copy_comes_back_and_goes_on_from_where_it_was():
    player = bl.bold(bl.ogd_sc(bl.Ball(1), 2.0)).start()
    player.ask()
    player.tell([1.0], round=1)
    assert player.ask().point == [-0.5]  # the first copy, in its second round
    player.give_up(2)
    assert player.ask().point == [-0.5], "the same copy again: it has learned nothing"
    player.tell([1.0], round=3)
    assert player.ask().point == pytest.approx([-0.5 - 1.0 / 6.0]), "beta t, t = 3: it has played a round in vain"
    assert player.state()["policy.marks"][copies.NUMBER] == 1


def test_a_block_is_complete_without_what_was_given_up():
    """Of two rounds in a block the first is given up: the step is that of the second alone."""
    learner = bl.dftbl(SEGMENT, rate=0.125, block_length=2, probe_radius=0.5)
    player = learner.start()
    first, second = player.ask(), player.ask()
    player.give_up(1)
    player.tell([1.0], round=2)
    step = (player.ask().decision - first.decision) / (second.point - second.decision)
    assert step == pytest.approx([-0.125 * 1.0 / 0.5 / 0.5])


def test_what_is_in_flight_for_a_rate_is_without_what_was_given_up():
    """DDA: h grows with V, the sum of 1 + 2 sigma, and sigma of round 3 is 1 in place of 2."""
    kept, lost = (bl.dda(bl.Ball(1), lipschitz=1.0).start() for _ in range(2))
    for player in (kept, lost):
        player.ask()
        player.ask()
    lost.give_up(1)
    for player in (kept, lost):
        player.ask()
    assert kept.ledger.play_weight - lost.ledger.play_weight == 2
    assert (kept.ledger.outstanding, lost.ledger.outstanding) == (2, 1)


def test_skipping_does_not_wait_for_what_the_caller_gives_up():
    learner = bl.skipping(bl.dda(bl.Ball(1), lipschitz=1.0))
    player = learner.start()
    for _ in range(3):
        player.ask()
    player.give_up(1)
    player.ask()
    state = player.state()
    assert state["policy.marks"].tolist() == [2, 1], "the oldest is 2, one is given up"
    assert state["policy.counts"][3] == 3, "in flight, for the base"


# What a learner lets go of by itself


def lets_go():
    """Of these, the first round is let go of in round 30 at the latest."""
    return {
        "skipping": bl.skipping(bl.dogd_sc(BALL, 2.0)),
        "restarting": bl.restarting(bl.dogd_sc(BALL, 2.0), first=26),
    }


def test_these_are_all_that_let_go():
    assert set(oldest_wanted.implementations) == {type(learner.policy) for learner in lets_go().values()}


def kept_waiting(learner, rounds=30, lost=(1,)):
    player = learner.start()
    for number in range(1, rounds + 1):
        player.ask()
        if number not in lost:
            player.tell([0.1, -0.2], round=number)
    return player


@pytest.mark.parametrize("name", lets_go())
def test_what_a_learner_has_let_go_of_is_forgotten_and_a_late_answer_is_counted_and_ignored(name):
    player, twin = kept_waiting(lets_go()[name]), kept_waiting(lets_go()[name])
    assert 1 not in player.state()["owed.round"]
    for _ in range(2):
        player = player.learner.resume(player.state())
        player.tell([9.0, 9.0], round=1)
        with pytest.raises(errors.AlreadyAnswered):
            player.tell([9.0, 9.0], round=1)
        with pytest.raises(errors.AlreadyAnswered):
            player.tell([9.0, 9.0], round=2)
        assert np.array_equal(player.ask().points, twin.ask().points)
        assert player.ledger.received == twin.ledger.received + 1
        assert player.ledger.in_flight == twin.ledger.in_flight - 1
        player, twin = kept_waiting(lets_go()[name]), kept_waiting(lets_go()[name])


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("name", lets_go())
def test_what_a_learner_has_let_go_of_is_answered_or_given_up_once(name, resumed):
    """Round 1 is answered late, round 3 given up late, and nothing more is taken of either, however long one waits."""
    player = kept_waiting(lets_go()[name], lost=(1, 3))
    assert player.ledger.in_flight == 3, "with round 30, whose feedback waits for the next ask"
    assert not {1, 3} & set(player.open_rounds)
    player.tell([9.0, 9.0], round=1)
    player.give_up(3)
    for asked in range(31, 34):
        for number in (1, 3):
            with pytest.raises(errors.AlreadyAnswered):
                player.tell([9.0, 9.0], round=number)
            with pytest.raises(errors.AlreadyAnswered):
                player.give_up(number)
        if resumed:
            player = player.learner.resume(player.state())
        player.ask()
        assert (player.ledger.round, player.ledger.received, player.ledger.in_flight) == (asked, 29, asked - 30)


@pytest.mark.parametrize("name", lets_go())
def test_giving_up_what_the_learner_has_let_go_of_changes_the_count_and_no_more(name):
    player, twin = kept_waiting(lets_go()[name]), kept_waiting(lets_go()[name])
    player.give_up(1)
    for _ in range(3):
        assert np.array_equal(player.ask().points, twin.ask().points)
        assert player.ledger.in_flight == twin.ledger.in_flight - 1
    state, other = player.state(), twin.state()
    differing = {name for name in state if np.asarray(state[name] != other[name]).any()}
    assert {name for name in differing if not name.startswith("ledger.")} == {"closed", "digest"}


@pytest.mark.parametrize("name", lets_go())
def test_a_run_of_which_all_is_given_up_has_in_flight_what_is_open(name):
    player = lets_go()[name].start()
    for number in range(1, 201):
        player.ask()
        if number > 16:
            player.give_up(number - 16)
    assert player.open_rounds == tuple(range(185, 201))
    player.ask()
    assert player.ledger.in_flight == 17
    assert player.state()["closed"].tolist() == [[1, 184]]


@pytest.mark.parametrize("name", lets_go())
def test_the_state_does_not_grow_with_what_has_been_let_go_of(name):
    learner, sizes = lets_go()[name], []
    player = learner.start()
    for number in range(1, 2001):
        player.ask()
        if number % 100:
            player.tell([0.1, -0.2], round=number)
        if number in (500, 2000):
            sizes.append(len(player.state()["owed.round"]))
    assert sizes[1] <= sizes[0] + 5


@given(st.lists(st.integers(1, 60), min_size=40, max_size=40), st.sampled_from(sorted(lets_go())))
def test_dropping_memos_changes_no_decision(delays, name):
    """The witness is a player that keeps them all and hands everything over."""

    def played():
        player, points = lets_go()[name].start(), []
        for t in range(1, 41):
            points.append(player.ask().points)
            for k in range(1, t + 1):
                if k + delays[k - 1] - 1 == t:
                    player.tell(points[k - 1][0] - [0.3, 0.1 * k], round=k)
        return np.array(points).tobytes(), player.ledger

    expected = played()
    own = dict(oldest_wanted.implementations)
    try:
        oldest_wanted.implementations.clear()
        assert played() == expected
    finally:
        oldest_wanted.implementations.update(own)


def test_a_policy_that_lets_go_of_what_it_needs_is_found(monkeypatch):
    """The mutant: a round too few is kept, so that its feedback is not handed over."""

    def too_much(policy, state, ledger):
        return ledger.round

    def points():
        player, result = bl.restarting(bl.dogd_sc(BALL, 2.0), first=50).start(), []
        for t in range(1, 11):
            result.append(player.ask().points.tolist())
            if t > 2:
                player.tell([0.3, 0.1], round=t - 2)
        return result

    expected = points()
    monkeypatch.setitem(oldest_wanted.implementations, type(lets_go()["restarting"].policy), too_much)
    assert points() != expected


# --- which rounds are open


@every_learner
def test_open_rounds_are_those_asked_and_neither_answered_nor_given_up(name):
    """What ``tell`` does not refuse as answered and the learner has not let go of, at every point of a run."""
    learner = typical(name)
    player, expected, rng = learner.start(), set(), np.random.default_rng(5)
    assert player.open_rounds == ()
    for t in range(1, 9):
        ask(player)
        expected.add(t)
        assert player.open_rounds == wanted(player, expected)
        for number in sorted(expected):
            if rng.random() < 0.4:
                done = player.give_up if rng.random() < 0.3 else lambda k: player.tell(zero_feedback(learner), round=k)
                done(number)
                expected.discard(number)
                assert player.open_rounds == wanted(player, expected)
        again = learner.resume(player.state())
        assert again.open_rounds == player.open_rounds
        assert repr(again) == repr(player)


def wanted(player, expected):
    """Those of ``expected`` that the learner still waits for."""
    return tuple(sorted(number for number in expected if number >= player._oldest_wanted()))


def test_rounds_of_feedback_without_a_stamp_are_not_invented():
    player = bl.dogd_sc(BALL, 2.0).start()
    for _ in range(3):
        player.ask()
    player.tell([1.0, 0.0])
    for _ in range(2):
        with pytest.raises(errors.RoundRequired, match=r"`dogd_sc\.open_rounds`: .* which 2 of 3 rounds are open"):
            player.open_rounds  # noqa: B018  # that it raises is the point
        player = player.learner.resume(player.state())
    player.tell([1.0, 0.0], round=2)
    player.tell([1.0, 0.0])
    assert player.open_rounds == (), "when nothing is in flight, nothing is open"
    player.ask()
    with pytest.raises(errors.RoundRequired):
        player.open_rounds  # noqa: B018  # as above


def test_open_rounds_that_take_no_notice_of_what_waits_would_be_wrong(monkeypatch):
    player = bl.dogd_sc(BALL, 2.0).start()
    for _ in range(3):
        player.ask()
    player.tell([1.0, 0.0], round=2)
    assert player.open_rounds == (1, 3)
    monkeypatch.setattr(Inbox, "knows", lambda inbox, number: False)
    assert player.open_rounds == (1, 2, 3)


def test_a_player_says_what_became_of_its_rounds():
    player = bl.skipping(bl.dogd(BALL, rate=0.5)).start()
    for _ in range(5):
        player.ask()
    player.give_up(2)
    player.tell([1.0, 0.0], round=4)
    expected = "<skipping player: 5 rounds asked, 1 answered, 1 given up, 3 in flight>"
    assert repr(player) == expected
    player.ask()
    assert repr(player) == expected.replace("5 rounds", "6 rounds").replace("3 in", "4 in")
    player.tell([1.0, 0.0], round=1)  # which it has let go of by now, or not: it is answered
    assert ", 2 answered, 1 given up, 3 in flight>" in repr(player)
