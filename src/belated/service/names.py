"""Names that people give to learners, decisions and reports: every store can keep them, every page can show them."""

from __future__ import annotations

from typing import Any

from belated.core import checks

LONGEST = 200
"""A name has at most so many characters."""


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
