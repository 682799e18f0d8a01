"""An interrupt at any line of the library that a call runs."""

import sys

import belated as bl


class Interrupted(BaseException):
    """Raised in place of KeyboardInterrupt, so that the test does not hide a real Ctrl-C."""


def interrupted_at(line_number, call):
    """Run ``call`` and raise at that line of library code, counted as executed; return whether it got that far."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if frame.f_globals.get("__name__", "").partition(".")[0] != bl.__name__:
            return None
        if event == "line":
            seen += 1
            if seen == line_number:
                raise Interrupted
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupted:
        return True
    finally:
        sys.settrace(previous)
    return False
