"""How work that takes seconds is waited for.

The rooms from core to learners know neither threads nor clocks, so by themselves they just do such work. There is a
better way, in which Ctrl-C is heard meanwhile; :mod:`belated.patience` has it, and hands it over with :func:`wait_by`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")
Waiting = Callable[[Callable[[], Any]], Any]


def at_once(work: Callable[[], Value]) -> Value:
    """Do the work here and now."""
    return work()


_waiting: Waiting = at_once


def wait_for(work: Callable[[], Value]) -> Value:
    """Have the work done; returns what it returns, and raises what it raises."""
    value: Value = _waiting(work)
    return value


def wait_by(waiting: Waiting) -> Waiting:
    """Let :func:`wait_for` do work in another way from now on.

    Args:
        waiting: Is given the work, a function without arguments; returns what that returns, and raises what it raises.

    Returns:
        The way until now.
    """
    global _waiting
    before, _waiting = _waiting, waiting
    return before
