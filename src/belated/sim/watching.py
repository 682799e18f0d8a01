"""Bars and lines of progress on the standard error, which never end what they tell of.

The standard error may be missing, closed, full, or a pipe that nobody reads any more. A simulation of hours must not be
lost to any of these, so what cannot be shown is left out.
"""

import os
import sys
from contextlib import suppress
from typing import Any

from tqdm import tqdm

MANY = 10_000
"""From so many on, a bar counts in thousands and millions; fewer are shown as they are."""


class Unfailing:
    """A stream that loses what cannot be written. Nothing at all can be, if ``stream`` is ``None``.

    It is equal to no other stream on purpose: tqdm flushes the standard streams themselves before it begins a bar on
    one of them, and these may fail.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None)

    def write(self, text: str) -> int:
        """Write what can be written, and say that all was."""
        self._try("write", text)
        return len(text)

    def flush(self) -> None:
        """Hand over what was written, if somebody takes it."""
        self._try("flush")

    def _try(self, what: str, *arguments: str) -> None:
        if self._stream is None:
            return
        try:
            getattr(self._stream, what)(*arguments)
        except BrokenPipeError:
            # What is in the buffer would be tried again when the process ends, which then ends with the code 120.
            with suppress(OSError, ValueError, AttributeError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)
        except (OSError, ValueError):  # ValueError: closed by Python code
            return

    def fileno(self) -> int:
        """The number of the file, which tqdm asks a terminal's width of."""
        return int(self._stream.fileno())


class Bar(tqdm):  # type: ignore[misc]  # tqdm has no types
    """A bar that has no thread beside it: a process that has one should not be forked, as sweeps do."""

    monitor_interval = 0


def is_shown(progress: bool | None) -> bool:
    """Whether progress is to be shown: as somebody wants it or, by default, if the standard error is a terminal."""
    if progress is not None or sys.stderr is None:
        return bool(progress)
    with suppress(ValueError):  # closed by Python code
        return bool(sys.stderr.isatty())
    return False


def bar_of(total: int | None, progress: bool | None, unit: str = "round") -> Any:
    """A bar that counts up to ``total``, or just counts if that is not known; shown or not."""
    return Bar(
        total=total,
        miniters=1,  # else a bar that was fast for a while is shown late
        unit=unit,
        unit_scale=total is None or total >= MANY,
        disable=not is_shown(progress),
        file=Unfailing(sys.stderr),
        dynamic_ncols=True,  # else tqdm asks only the standard streams themselves for their width
    )


def announce(line: str) -> None:
    """Write a line above the bars that there may be."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            tqdm.write(line, file=sys.stderr)
