"""A log that fits no memory, replayed in one pass by a process of its own: its peak memory and its speed.

``python -m benchmarks.labels.large EVENTS`` is such a process. Rows are made while they are read: three words, a label
that depends on one of them, and an answer that comes some ten thousand questions later.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import belated as bl
from benchmarks.labels.effort import Effort
from benchmarks.memory import own_peak
from benchmarks.timing import note

PIECE = 8192
LATE = 10_000
"""The mean delay, in questions."""


class Large(NamedTuple):
    """Events of the log, seconds of the processor for all of them, megabytes at the peak, and two losses."""

    events: int
    seconds: float
    megabytes: float
    loss: float
    constant: float


def measure(effort: Effort) -> Large:
    """Run the process."""
    note(f"a log of {effort.large:,} events")
    line = [sys.executable, "-m", "benchmarks.labels.large", str(effort.large)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)  # noqa: S603  # this file
    return Large(**json.loads(done.stdout))


def rows(questions: int) -> Iterator[dict[str, Any]]:
    """So many questions with their answers, one after the other."""
    rng = np.random.default_rng(3)
    effects = rng.normal(size=1000)
    for first in range(0, questions, PIECE):
        count = min(PIECE, questions - first)
        page, user = rng.integers(0, 1000, count), rng.zipf(1.5, count) % 100_000
        label = rng.random(count) < 1.0 / (1.0 + np.exp(1.0 - effects[page]))
        late = rng.exponential(LATE, count).astype(np.int64) + 1
        cells = (page.tolist(), user.tolist(), label.tolist(), late.tolist())
        for at, (this, who, bought, after) in enumerate(zip(*cells, strict=True), start=first):
            yield {
                "at": at,
                "page": f"p{this}",
                "user": f"u{who}",
                "hour": f"h{at // 4000 % 24}",
                "known": at + after,
                "bought": int(bought),
            }


def main() -> None:
    """Replay such a log, and print what it took."""
    events = int(sys.argv[1])
    log = bl.read_log(rows(events // 2), decided_at="at", answered_at="known", label="bought")
    begun = time.process_time()
    result = bl.replay({"default": bl.models.logistic()}, log, progress=False)
    found = Large(
        result.asked + result.told,
        time.process_time() - begun,
        own_peak(),
        result.mean_loss("default"),
        result.mean_loss("constant"),
    )
    sys.stdout.write(json.dumps(found._asdict()))


if __name__ == "__main__":
    main()
