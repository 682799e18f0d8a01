"""Names as people write them: one spelling for all of them, and suggestions for one that is not known."""

import difflib
import re
from collections.abc import Iterable

_LONGEST_WORD = 60
"""Letters of the unknown name that are compared; the time that this takes grows with their square."""


def suggestion(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """The end of a message about an unknown name: the nearest known names or, if none is near, what there is.

    Args:
        word: The unknown name.
        known: The names that there are.
        otherwise: What to say if none of them is near; by default the whole list.

    Returns:
        A clause without a full stop, such as ``"did you mean bursts?"`` or ``"there are loss, regret"``.

    Example:
        >>> suggestion("burst", ["bursts", "drift"]), suggestion("x", ["bursts", "drift"])
        ('did you mean bursts?', 'there are bursts, drift')
    """
    names = list(known)
    near = difflib.get_close_matches(word[:_LONGEST_WORD], names)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(names) or 'none'}" if otherwise is None else otherwise


def spoken(name: str) -> str:
    """The name of a class as people write it in words.

    >>> spoken("RandomQuadratic"), spoken("L1Ball")
    ('random-quadratic', 'l1-ball')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def spelled(name: str) -> str:
    """A name as somebody may write it, in the one form of all its spellings: ``DOGD_SC`` is ``dogd-sc``."""
    return spoken(name).replace("_", "-")
