"""How work that takes seconds is waited for, and how it is known whether a module is loaded that takes as long.

The rooms from core to learners know neither threads nor clocks, so by themselves they just do such work. There is a
better way, in which Ctrl-C is heard meanwhile; :mod:`belated.patience` has it, and hands it over with :func:`wait_by`.
It also knows what the process has loaded, and hands that over with :func:`know_by`.
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


def anything(module: str) -> bool:
    """Take every module for loaded, so that nothing is put off."""
    return True


_known: Callable[[str], bool] = anything


def is_loaded(module: str) -> bool:
    """Whether a module is loaded already, so that to use it does not take the time of loading it."""
    return _known(module)


def know_by(known: Callable[[str], bool]) -> Callable[[str], bool]:
    """Let :func:`is_loaded` find out in another way from now on.

    Args:
        known: Is given the name of a module; returns whether it is loaded.

    Returns:
        The way until now.
    """
    global _known
    before, _known = _known, known
    return before
