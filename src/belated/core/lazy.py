"""Names of a room that are loaded on first use, so that one file of it can be used without waiting for the others."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def loader(room: str, home_of: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a room.

    Args:
        room: The room's ``__name__``.
        home_of: Its public names, each with the file of the room that it lives in.

    Returns:
        A function that loads a name from its file, once; afterwards the room has it as any other name.
    """

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{room}.{home_of[name]}"), name)
        setattr(importlib.import_module(room), name, value)
        return value

    return load
