"""What a command is: a name, a line of help, its options, and what it does.

A command's file imports at its top only what is cheap. NumPy, numba and matplotlib take a second or more, for which
nobody should wait to see the help; they are imported where the command runs.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

LONGEST_SHOWN = 60
"""How many letters of a wrong argument a message repeats."""


FIGURES_PACKAGES = ("jinja2", "matplotlib")
"""What comes with ``belated[figures]`` only."""

STORE_PACKAGE = "psycopg"
"""What comes with ``belated[postgresql]`` only."""


class Command(NamedTuple):
    """One subcommand. ``run`` returns the exit code. A command with parts is called as ``belated NAME PART``."""

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    parts: "tuple[Command, ...]" = ()


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


@contextmanager
def needing_store() -> Iterator[None]:
    """Around what opens a store: a missing package is told in the sentence of the store, which has the command."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name != STORE_PACKAGE:
            raise
        raise CommandFailed(str(missing)) from None


def whole_number(least: int, reason: str = "", most: int | None = None) -> Callable[[str], int]:
    """Make a parser for options that count something.

    Args:
        least: The smallest number that is accepted.
        reason: What is added to the message about a smaller one.
        most: The largest number that is accepted; ``None`` for any.

    Returns:
        A function from the text of an option to the number. It also takes whole numbers in the form of a real one,
        such as ``1e4`` or ``20.0``, and refuses ``1.5``.
    """

    def parse(text: str) -> int:
        number = _whole(text)
        if number is None:
            given = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
            raise argparse.ArgumentTypeError(f"must be a whole number, not {given!r}")
        if number < least:
            raise argparse.ArgumentTypeError(f"must be >= {least}, not {number}{reason}")
        if most is not None and number > most:
            raise argparse.ArgumentTypeError(f"must be <= {most}, not {number}")
        return number

    return parse


def _whole(text: str) -> int | None:
    """The whole number that a text stands for; ``None`` if it stands for none."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError, OverflowError):  # OverflowError: infinity
        number = float(text)
        return int(number) if number == int(number) else None
    return None


def directory(text: str) -> Path:
    """A parser for options that name a directory."""
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return Path(text)


def group(name: str, help: str, parts: tuple[Command, ...]) -> Command:
    """A command that does nothing by itself and has parts that do."""

    def nothing(options: argparse.Namespace) -> int:
        raise AssertionError(f"{name} has parts, of which one is run")

    return Command(name, help, lambda parser: None, nothing, parts)
