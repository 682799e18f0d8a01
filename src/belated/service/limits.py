"""How large a thing may be that somebody describes from outside: everything is known before memory is taken for it.

A few characters of JSON can ask for any amount of memory: ``{"dim": 1000000000}``. So values are counted before they
are read, and learners and models are measured before they are made. A learner begins when it is described, with the
arrays of its state. How these grow is not written down for each algorithm: it is measured on the small examples of the
catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numpy as np

from belated.core import checks
from belated.core.errors import InvalidArgument
from belated.core.parts import is_part_class
from belated.domains.base import Domain
from belated.learners.catalogue import EXAMPLES, typical
from belated.learners.learner import Learner
from belated.learners.verbs import begin
from belated.models.model import Model
from belated.models.verbs import lanes, margin_count, memory_size, notes
from belated.service.runs import MOST_NUMBERS

MOST_VALUES = 60_000
"""So many values may be given, on all levels together."""

LONGEST_LIST = 200
"""A list of anything but numbers has at most so many entries."""

LONGEST_TEXT = 10_000
"""A text has at most so many characters."""

LARGEST = 2**63
"""No whole number is as large as this."""

MOST_STATE = 9_000_000
"""The state of a learner or model has at most so many numbers, which take 72 MB: room for the model that people get who
say nothing but its name, with 2^20 slots."""

MOST_ESTIMATED = 2**20
"""An estimate that leaves out constant factors must be below this, so that what is made then is not much larger."""

UNKNOWN = 2
"""The power by which a state is assumed to grow with a number that no example has."""

PLAIN = (str, int, float, bool, type(None))


class Growing(NamedTuple):
    """What was measured: the power by which states grow with a part's whole number, and the parts that grow like n."""

    powers: Mapping[tuple[type, str], int]
    linear: frozenset[type]


def check_values(where: str, argument: str, values: Any, deepest: int, most: int = MOST_VALUES) -> None:
    """Refuse what is no JSON, and what is larger or deeper than anything that can be meant.

    Args:
        where: The call that the values were given to.
        argument: What they are called there.
        values: Anything.
        deepest: How deep lists and mappings may be nested.
        most: How many values there may be, on all levels together.

    Raises:
        InvalidArgument: There is something else than texts, numbers, truth values, gaps, lists and mappings from texts
            in it, or too much.
    """
    count, level = 0, [values]
    for _ in range(deepest + 1):
        below: list[Any] = []
        for value in level:
            inner = _inner(where, argument, value)
            count += len(inner)
            if count > most:
                _refuse(where, argument, f"must have at most {most} values, on all levels together")
            below += inner
        level = below
        if not level:
            return
    _refuse(where, argument, f"must be nested at most {deepest} deep")


def _refuse(where: str, argument: str, allowed: str) -> NoReturn:
    """Refuse what is too large to be shown."""
    raise InvalidArgument(f"`{where}({argument}=...)`: {allowed}", argument)


def _inner(where: str, argument: str, value: Any) -> list[Any]:
    """What a value consists of."""
    if isinstance(value, Mapping):
        for name in value:
            _check_plain(where, argument, name, str)
        return list(value.values())
    if isinstance(value, list | tuple):
        if len(value) > LONGEST_LIST and not all(type(each) in (int, float) for each in value):
            _refuse(where, argument, f"a list that is not of numbers has at most {LONGEST_LIST} entries")
        return list(value)
    _check_plain(where, argument, value, *PLAIN)
    return []


def _check_plain(where: str, argument: str, value: Any, *kinds: type) -> None:
    if type(value) not in kinds:
        checks.refuse(where, argument, value, "must be of texts, numbers, truth values, gaps, lists and mappings")
    if type(value) is int and abs(value) >= LARGEST:
        checks.refuse(where, argument, value, f"must have whole numbers below {LARGEST}")
    if type(value) is str and len(value) > LONGEST_TEXT:
        checks.refuse(where, argument, value, f"must have texts of at most {LONGEST_TEXT} characters")


def state_size(learner: Learner) -> int:
    """How many numbers the state of a learner has when it begins."""
    return size_at(learner.policy, np.asarray(learner.decision_domain.centre))


def size_at(policy: Any, initial: Any) -> int:
    """How many numbers a policy begins with."""
    return sum(int(np.asarray(each).size) for each in _leaves(begin(policy, initial)))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def check_size(where: str, argument: str, found: Learner | Model) -> None:
    """Refuse a learner or model that would play or keep too many numbers.

    Args:
        where: The call that it was given to.
        argument: What it is called there.
        found: The learner or model.

    Raises:
        InvalidArgument: It is too large.
    """
    if isinstance(found, Model):
        step = found.step
        needed = (found.features.dim + 1) * lanes(step) + memory_size(step) + margin_count(step) + notes(step)
    else:
        needed = state_size(found)
        played = found.interface.queries * found.domain.dim
        if max(played, found.interface.memo_size, found.interface.scratch_size) > MOST_NUMBERS:
            checks.refuse(where, argument, found.name, f"may play at most {MOST_NUMBERS} numbers in a round")
    if needed > MOST_STATE:
        wanted = f"would keep {needed} numbers, and {MOST_STATE} are allowed"
        checks.refuse(where, argument, found.name, wanted)


@cache
def is_square(name: str) -> bool:
    """Whether the state of a named algorithm grows faster than the dimension does."""
    small, middle, large = (state_size(typical(name, dim)) for dim in (3, 5, 7))
    return large - middle > middle - small


@cache
def growing() -> Growing:
    """What makes states larger, from the examples of the catalogue."""
    powers: dict[tuple[type, str], int] = {}
    linear: set[type] = set()
    for label in EXAMPLES:
        learner = typical(label, 4)
        for part, name, changed in _enlarged(learner.policy):
            found = _power(learner, changed)
            powers[part, name] = max(found, powers.get((part, name), 0))
        if not is_square(label):
            linear.update(map(type, parts_in(learner.policy)))
    return Growing(powers, frozenset(linear))


def _power(learner: Learner, changed: Sequence[Any]) -> int:
    """How a state grows from a learner's policy to two others, in which a number is larger by one and by two."""
    initial = np.asarray(learner.decision_domain.centre)
    try:
        first, second, third = (size_at(policy, initial) for policy in (learner.policy, *changed))
    except Exception:  # a number that other parts must agree with, as a domain's
        return 1
    return int(second > first) + int(third - second > second - first)


def parts_in(value: Any) -> Iterator[Any]:
    """Every part in a value, itself first if it is one."""
    if isinstance(value, tuple):
        if is_part_class(type(value)):
            yield value
        for each in value:
            yield from parts_in(each)


def _enlarged(value: Any) -> Iterator[tuple[type, str, list[Any]]]:
    """A policy with one of its whole numbers larger by one and by two, for each of them, with its class and name."""
    if not isinstance(value, tuple):
        return
    names = getattr(value, "_fields", None) or range(len(value))
    for place, (name, each) in enumerate(zip(names, value, strict=True)):
        if type(each) is int and is_part_class(type(value)):
            yield type(value), name, [_with(value, place, each + more) for more in (1, 2)]
        for part, inner, changed in _enlarged(each):
            yield part, inner, [_with(value, place, policy) for policy in changed]


def _with(value: Any, place: int, changed: Any) -> Any:
    fields = (*value[:place], changed, *value[place + 1 :])
    return type(value)._make(fields) if is_part_class(type(value)) else fields


def estimated(value: Any, dim: int) -> int:
    """A rough size of the state that a description stands for, without constant factors, before it begins.

    Args:
        value: A policy, or something in it.
        dim: The dimension of the domain.

    Returns:
        What arrays and whole numbers in it amount to. A number that makes states larger multiplies what lies beside it,
        as the number of copies does, unless it is the dimension.
    """
    if isinstance(value, np.ndarray):
        return int(value.size)
    if not isinstance(value, tuple):
        return abs(value) if type(value) is int else 0
    if isinstance(value, Domain):
        return int(value.dim)
    known, times, inner = growing(), 1, 0
    for name, each in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
        if type(each) is not int:
            inner += estimated(each, dim)
        elif each != dim:
            times *= max(1, abs(each)) ** known.powers.get((type(value), name), UNKNOWN)
    square = is_part_class(type(value)) and type(value) not in known.linear
    return times * (max(inner, dim) * dim if square else max(inner, 1))
