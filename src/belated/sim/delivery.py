"""How feedback gets from the round that has sent it to the learner: one by one, or added up on the way.

Most learners with a gradient step do nothing with the gradients that arrive together but add them up. Then they are
added up when they are sent, in the order of play, as the learner would have done: one sum for each round of arrival is
all that has to be stored and read again, and the bits are the same. What arrives in a later week is stored by itself
until that week begins, as for all learners (:mod:`belated.sim.calendar`).
"""

from typing import Any, NamedTuple

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.verbs import compilable, verb
from belated.learners.verbs import add_up, receive, settle, settle_sum
from belated.sim.calendar import (
    NONE,
    Calendar,
    Shelf,
    deal_out,
    dealt_before,
    first_place,
    free_chain,
    next_place,
    place_for_later,
    release,
    slot_for_round,
)


class OneByOne(NamedTuple):
    """Every feedback is received by itself."""


class AddedUp(NamedTuple):
    """Feedback is added up on the way, and its sum is received."""


class Letter(NamedTuple):
    """Where a round writes its feedback and what is remembered for it."""

    feedback: Vector
    memo: Vector


@verb
def deal(delivery: Any, calendar: Calendar, week: int, policy: Any, scratch: Vector) -> bool:  # type: ignore[empty-body]
    """Begin a week, with what was sent before and arrives in it. False, and nothing is done, if there is no room."""


@verb
def letter(delivery: Any, calendar: Calendar, week: int, at: int) -> Letter:  # type: ignore[empty-body]
    """The letter of a round, which arrives in round ``at``, counted from the beginning of ``week``; ``NONE``: never."""


@verb
def post(delivery: Any, calendar: Calendar, at: int, sent: Letter, policy: Any, scratch: Vector) -> None:
    """Send a letter that is written."""


@verb
def due(delivery: Any, calendar: Calendar, here: int) -> int:  # type: ignore[empty-body]
    """How many letters arrive at the end of round ``here`` of the week, which has been played."""


@verb
def deliver(
    delivery: Any, calendar: Calendar, here: int, policy: Any, state: Any, ledger: Ledger, scratch: Vector
) -> None:
    """Let the policy receive what arrives in round ``here`` of the week, in order of play, and settle."""


@compilable
def _lying(shelf: Shelf, place: int) -> Letter:
    return Letter(shelf.feedback[place], shelf.memo[place])


@letter.on(OneByOne)
def letter_in_its_place(delivery: OneByOne, calendar: Calendar, week: int, at: int) -> Letter:
    """Where it will be read: in the list of its round, or in the chain of its week."""
    if at == NONE:
        return _lying(calendar.spare, 0)
    if at < calendar.first.size:
        return _lying(calendar.soon, slot_for_round(calendar, at))
    return _lying(calendar.later, place_for_later(calendar, week, at))


@deal.on(OneByOne)
def deal_one_by_one(delivery: OneByOne, calendar: Calendar, week: int, policy: Any, scratch: Vector) -> bool:
    """Sort what waits for this week by its rounds."""
    if calendar.waiting[week] > calendar.dealt.feedback.shape[0]:
        return False
    deal_out(calendar, week)
    return True


@due.on(OneByOne)
def due_one_by_one(delivery: OneByOne, calendar: Calendar, here: int) -> int:
    """What was sent before this week began, and since then."""
    return int(calendar.dealt_end[here]) - dealt_before(calendar, here) + int(calendar.length[here])


@post.on(OneByOne)
def post_nothing(delivery: OneByOne, calendar: Calendar, at: int, sent: Letter, policy: Any, scratch: Vector) -> None:
    """Do nothing: the letter was written where it will be read."""


@deliver.on(OneByOne)
def deliver_one_by_one(
    delivery: OneByOne, calendar: Calendar, here: int, policy: Any, state: Any, ledger: Ledger, scratch: Vector
) -> None:
    """What was sent before this week began comes first."""
    dealt = dealt_before(calendar, here)
    from_before = int(calendar.dealt_end[here]) - dealt
    following = int(calendar.first[here])
    for k in range(ledger.arrived):
        shelf = calendar.dealt
        place = dealt + k
        if k >= from_before:
            shelf = calendar.soon
            place = following
            following = int(calendar.following[place])
            release(calendar, place)
        receive(policy, state, ledger, shelf.feedback[place], shelf.memo[place], scratch)
    calendar.length[here] = 0
    settle(policy, state, ledger)


@letter.on(AddedUp)
def letter_to_be_added(delivery: AddedUp, calendar: Calendar, week: int, at: int) -> Letter:
    """In the chain of its week, if that is a later one; else in a place that the next letter has as well."""
    if at < calendar.first.size:
        return _lying(calendar.spare, 0)
    return _lying(calendar.later, place_for_later(calendar, week, at))


@post.on(AddedUp)
def post_onto_the_sum(
    delivery: AddedUp, calendar: Calendar, at: int, sent: Letter, policy: Any, scratch: Vector
) -> None:
    """Add to the sum of its round, if that is in the present week."""
    if NONE < at < calendar.first.size:
        _add_to_sum(calendar, at, sent, policy, scratch)


@deal.on(AddedUp)
def deal_onto_the_sums(delivery: AddedUp, calendar: Calendar, week: int, policy: Any, scratch: Vector) -> bool:
    """Add what waits for this week to the sums of its rounds, before anything that is sent in this week."""
    place = first_place(calendar, week)
    for _ in range(calendar.waiting[week]):
        _add_to_sum(calendar, int(calendar.arrival[place]), _lying(calendar.later, place), policy, scratch)
        place = next_place(calendar, place)
    free_chain(calendar, week)
    return True


@due.on(AddedUp)
def due_in_the_sum(delivery: AddedUp, calendar: Calendar, here: int) -> int:
    return int(calendar.length[here])


@deliver.on(AddedUp)
def deliver_the_sum(
    delivery: AddedUp, calendar: Calendar, here: int, policy: Any, state: Any, ledger: Ledger, scratch: Vector
) -> None:
    settle_sum(policy, state, ledger, calendar.sums[here])
    calendar.length[here] = 0


@compilable
def _add_to_sum(calendar: Calendar, at: int, sent: Letter, policy: Any, scratch: Vector) -> None:
    """Add a letter to the sum of round ``at`` of the present week."""
    add_up(policy, sent.feedback, sent.memo, scratch, calendar.length[at] == 0, calendar.sums[at])
    calendar.length[at] += 1
