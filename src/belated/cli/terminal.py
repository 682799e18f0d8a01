"""The standard streams, either of which may be closed, full, unread, or without a letter that is to be printed.

Python has ``None`` for a stream that was closed before it started. What a stream could not take stays in its buffer and
fails once more when Python ends, with a traceback; so a stream that has failed is led to nowhere.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from belated.cli.command import CommandFailed


def say(text: str) -> None:
    """Print a result; letters that the output does not have are printed as their codes.

    Raises:
        CommandFailed: it cannot be printed.
        BrokenPipeError: whoever read the output has gone, as ``head`` does.
    """
    if sys.stdout is None:
        raise CommandFailed("cannot print: the standard output is closed")
    with _failing():
        print(_printable(text, sys.stdout))
        sys.stdout.flush()


def flush() -> None:
    """Print what others have left in the buffers; it raises what :func:`say` raises."""
    complain("", end="")
    if sys.stdout is not None:
        with _failing():
            sys.stdout.flush()


def complain(text: str, end: str = "\n") -> None:
    """Print an error if there is somewhere to print it."""
    if sys.stderr is None:
        return
    try:
        print(_printable(text, sys.stderr), end=end, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _lead_to_nowhere(sys.stderr)


def is_watched() -> bool:
    """Whether the standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def _failing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _lead_to_nowhere(sys.stdout)
        raise
    except (OSError, ValueError) as error:  # ValueError: closed by Python code
        _lead_to_nowhere(sys.stdout)
        raise CommandFailed(f"cannot print: {getattr(error, 'strerror', None) or error}") from error


def _printable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _lead_to_nowhere(stream: TextIO) -> None:
    with suppress(OSError, ValueError):  # not a file of the system's
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
