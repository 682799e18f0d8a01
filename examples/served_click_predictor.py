"""A click predictor behind a service, for web servers that must answer also while the service is away.

Visitors see an offer. The service says for each of them how probable a click is. Two hours later a job knows who has
clicked, and reports it. A web server cannot wait: if there is no prediction in time, it takes a fallback, from which
nothing is learned. The job does not want to care either: what it cannot deliver waits in a file, the spool.

    belated serve                                        # prints a key
    export BELATED_URL=http://127.0.0.1:8000 BELATED_KEY=bl_...
    python examples/served_click_predictor.py --spool clicks.spool

A day passes in some seconds, because the time of the visitors is simulated. The last line compares the log-loss of what
was predicted with that of the best constant in hindsight. Try it again with a new store, and stop the service in
between: the predictions of that time are fallbacks, and no report is lost. Run again with the same store, it predicts
what it has predicted before, and counts nothing twice.

``examples/click_predictor.py`` does the same in one process, without a service.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from belated import errors
from belated.client import Client, RemotePrediction, Retries

NAME = "example-clicks"
"""What the service calls the model; no other one should have this name."""

VISITS, KNOWN_AFTER, SEED = 60, 2, 7
"""Visits in an hour, after how many hours clicks are known, and the seed of the simulated world."""

PAGES = {"home": 0.05, "search": 0.15, "newsletter": 0.45}
"""How probable a click is on each page, by day and on a computer."""

MODEL = {
    "algorithm": "logistic",
    "arguments": {
        "features": {"models.Named": {"bits": 12, "categorical": ["hour"], "crosses": ["page", "device"]}},
    },
}
FALLBACK = 0.2
"""What is predicted if the service says nothing in time."""

IMPATIENT = Retries(tries=2, first=0.01)


class Visit(NamedTuple):
    """A visitor of the simulated world, and whether there is a click."""

    key: str
    features: dict[str, str | int]
    clicked: bool


def visits(hour: int) -> list[Visit]:
    """The visits of an hour; the same in every process."""
    rng = np.random.default_rng([SEED, hour])
    found = []
    for number in range(VISITS):
        page, device = str(rng.choice(list(PAGES))), str(rng.choice(["phone", "computer"]))
        chance = PAGES[page] * (1.5 if device == "phone" else 1.0) * (0.5 if hour % 24 < 6 else 1.0)
        features: dict[str, str | int] = {"page": page, "device": device, "hour": hour % 24}
        found.append(Visit(f"hour-{hour}-{number}", features, bool(rng.random() < chance)))
    return found


def live(client: Client, hours: int, within: float) -> Iterator[list[RemotePrediction]]:
    """Live through the hours: the predictions of each of them."""
    clicks = client.predictor(NAME)
    for hour in range(hours):
        if hour >= KNOWN_AFTER:
            clicks.learn_many((each.key, each.clicked) for each in visits(hour - KNOWN_AFTER))
        yield [clicks.predict(each.features, each.key, fallback=FALLBACK, within=within) for each in visits(hour)]


def log_loss(predicted: list[float], clicked: list[bool]) -> float:
    """The mean log-loss of predictions."""
    return -sum(math.log(p if click else 1.0 - p) for p, click in zip(predicted, clicked, strict=True)) / len(clicked)


def run(client: Client, hours: int, within: float) -> Iterator[str]:
    """Live through the hours, and say what came of them, line by line."""
    predicted: list[float] = []
    clicked: list[bool] = []
    fallbacks = 0
    for hour, found in enumerate(live(client, hours, within)):
        predicted += [each.value for each in found]
        clicked += [each.clicked for each in visits(hour)]
        absent = sum(each.fallback for each in found)
        fallbacks += absent
        means = f"predicted {np.mean(predicted[-VISITS:]):.3f}, clicked {np.mean(clicked[-VISITS:]):.3f}"
        yield f"hour {hour:2d}: {means}" + (f", {absent} fallbacks" if absent else "")
    try:
        client.flush()
    except errors.ServiceAway:
        yield f"{client.spooled} reports wait in the spool for the next run"
    rate = float(np.mean(clicked))
    constant = log_loss([rate] * len(clicked), clicked)
    ours = log_loss(predicted, clicked)
    yield f"log-loss {ours:.4f}, of the constant {rate:.3f} {constant:.4f}; {fallbacks} of {len(clicked)} are fallbacks"


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description="A click predictor behind a service.")
    parser.add_argument("--url", default=os.environ.get("BELATED_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--key", default=os.environ.get("BELATED_KEY"), help="a key of the scope admin")
    parser.add_argument("--spool", type=Path, help="a file for reports that cannot be delivered (default: none)")
    parser.add_argument("--hours", type=int, default=24, help="the hour at which to stop (default: 24)")
    parser.add_argument("--within", type=float, default=0.25, help="seconds to wait for a prediction (default: 0.25)")
    arguments = parser.parse_args()
    with Client(arguments.url, arguments.key, retries=IMPATIENT, spool=arguments.spool) as client:
        client.create(NAME, MODEL)
        for line in run(client, arguments.hours, arguments.within):
            print(line, flush=True)


if __name__ == "__main__":
    main()
