"""Child processes that react to Ctrl-C, however the suite itself was started.

A process in the background of a script ignores the signal of Ctrl-C. Its children inherit this, unless they reset the
signal.
"""

import signal


def hear_ctrl_c() -> None:
    """To be called in the child before it becomes another program (``preexec_fn``)."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
