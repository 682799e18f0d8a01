"""``belated serve`` on a disk that takes its time, for tests that kill it.

``python serve_process.py SECONDS [--hasty] [--rude] OPTIONS...`` lets each commit take so many seconds, so that replies
which do not wait for it are early by far. With ``--hasty`` it is broken: it hands events over, and answers. With
``--rude`` it ends at once when it is asked to.
"""

import sys
import time

from belated.cli import main
from belated.journal.sqlite import SqliteStore
from belated.service.http import serving
from belated.service.http.commits import Commits

append = SqliteStore.append


async def at_once(commits, desk=None):
    commits._hand_over([] if desk is None else [desk])


if __name__ == "__main__":
    seconds, *options = sys.argv[1:]

    def slowly(store, events):
        time.sleep(float(seconds))
        append(store, events)

    SqliteStore.append = slowly  # type: ignore[method-assign]
    if "--hasty" in options:
        Commits.everything = at_once  # type: ignore[method-assign,assignment]
    if "--rude" in options:
        serving.DRAIN = 0
    sys.exit(main(["serve", *(each for each in options if each not in ("--hasty", "--rude"))]))
