"""Child processes that hear Ctrl-C, however the suite itself was started.

What runs in the background of a script ignores the signal of Ctrl-C, and so do its children unless they are told
otherwise.
"""

import signal


def hear_ctrl_c() -> None:
    """To be called in the child before it becomes another program (``preexec_fn``)."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
