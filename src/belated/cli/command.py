"""What a command is: a name, a line of help, its options, and what it does.

A command's file imports at its top only what is cheap. NumPy, numba and matplotlib take a second or more, for which
nobody should wait to see the help; they are imported where the command runs.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

LONGEST_SHOWN = 60
"""How many letters of a wrong argument a message repeats."""


FIGURES_PACKAGES = ("jinja2", "matplotlib")
"""What comes with ``belated[figures]`` only."""


class Command(NamedTuple):
    """One subcommand. ``run`` returns the exit code."""

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class CommandFailed(Exception):
    """The command cannot do what it was asked for, through no fault of the options; the message is one line."""


@contextmanager
def needing_figures() -> Iterator[None]:
    """Around imports that need what is optional: says what to install."""
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in FIGURES_PACKAGES:
            raise
        raise CommandFailed(f"{package} is missing; install belated[figures]") from None


def whole_number(least: int, reason: str = "") -> Callable[[str], int]:
    """A parser for options that count something."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            given = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
            raise argparse.ArgumentTypeError(f"must be a whole number, not {given!r}") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"must be >= {least}, not {number}{reason}")
        return number

    return parse


def directory(text: str) -> Path:
    """A parser for options that name a directory."""
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return Path(text)
