"""Names that people give to learners, decisions and reports: every store can keep them, every page can show them."""

from __future__ import annotations

from typing import Any

from belated.core import checks

LONGEST = 200
"""A name has at most so many characters."""

RESERVED = "#"
"""Streams whose names begin so are no learners: what runs the learners may keep its own events there."""


def checked_name(where: str, argument: str, name: Any) -> str:
    """A name, if it can be one.

    Args:
        where: The call that it was given to.
        argument: What it is called there.
        name: The name.

    Returns:
        The same name.

    Raises:
        InvalidArgument: It is no text, is empty or too long, or has characters that cannot be printed.
    """
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST or not name.isprintable():
        checks.refuse(where, argument, name, f"must be a text of 1 to {LONGEST} characters that can be printed")
    return name


def checked_learner_name(where: str, argument: str, name: Any) -> str:
    """A name of a learner, if it can be one: it must also fit into the path of an address.

    Args:
        where: The call that it was given to.
        argument: What it is called there.
        name: The name.

    Returns:
        The same name.

    Raises:
        InvalidArgument: It is no name, begins with ``#``, has a slash in it, or is ``.`` or ``..``.
    """
    checked_name(where, argument, name)
    if is_reserved(name) or "/" in name or name in (".", ".."):
        checks.refuse(where, argument, name, "must not begin with #, nor have a / in it, nor be . or ..")
    return str(name)


def is_reserved(name: str) -> bool:
    """Whether a stream of this name is no learner."""
    return name.startswith(RESERVED)
