"""Labels as people have them, and as links have them.

============  ==========================  =====================================
``labels``    what may be told            the link has
============  ==========================  =====================================
``"0/1"``     0 or 1, or a truth value    -1 or +1
``"-1/1"``    -1 or 1                     the same
``"number"``  any number                  the same
``"count"``   any number >= 0             the same
============  ==========================  =====================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from belated.core import checks

TAKEN = {
    "0/1": "0 or 1, or a truth value",
    "-1/1": "-1 or 1",
    "number": f"a number of at most {checks.LARGEST_ENTRY:g} in size",
    "count": f"a number from 0 to {checks.LARGEST_ENTRY:g}",
}
"""What each kind of labels takes, in words."""


def _zero_one(where: str, name: str, label: Any) -> float:
    if isinstance(label, (bool, np.bool_, int, float, np.integer, np.floating)):
        if label == 1:
            return 1.0
        if label == 0:
            return -1.0
    return checks.refuse(where, name, label, f"must be {TAKEN['0/1']}; labels='-1/1' takes {TAKEN['-1/1']}")


def _signs(where: str, name: str, label: Any) -> float:
    number = checks.number(where, name, label)
    if abs(number) != 1.0:
        checks.refuse(where, name, label, f"must be {TAKEN['-1/1']}; labels='0/1' takes {TAKEN['0/1']}")
    return number


def _number(where: str, name: str, label: Any) -> float:
    number = checks.number(where, name, label)
    if abs(number) > checks.LARGEST_ENTRY:
        checks.refuse(where, name, label, f"must be at most {checks.LARGEST_ENTRY:g} in size")
    return number


def _count(where: str, name: str, label: Any) -> float:
    number = _number(where, name, label)
    if number < 0.0:
        checks.refuse(where, name, label, "must be >= 0")
    return number


Reader = Callable[[str, str, Any], float]

READERS: dict[str, Reader] = {"0/1": _zero_one, "-1/1": _signs, "number": _number, "count": _count}
"""For each kind of labels, a function of the call, the name of the argument and the label that was told."""
