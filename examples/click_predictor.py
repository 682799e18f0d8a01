"""A click predictor that can be stopped and started again, and goes on as if it had never been stopped.

Visitors see an offer, and some of them click on it, minutes later. Nobody ever says "no click": after an hour without
one, it is taken for granted. The predictor says for each visitor how probable a click is, and learns from the answers
to visits of an hour ago.

    python examples/click_predictor.py FOLDER --until 10
    python examples/click_predictor.py FOLDER --until 24

The first call runs the first ten hours of a simulated day and ends. The second call finds in FOLDER what the first has
saved, with the visitors who were still waiting for their answer, and goes on to the end of the day. It prints the same
numbers as a single call would, whose last line is a digest of everything that the predictor knows. A process that is
killed repeats the hour in which it was killed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import belated as bl

VISITS_PER_HOUR, MINUTES, SEED = 40, 60.0, 7
PAGES = {"home": 0.05, "search": 0.15, "newsletter": 0.45}
"""How probable a click is on each page, by day and on a computer."""

MODEL = bl.models.logistic(
    bl.models.Named(bits=12, categorical=["hour"], crosses=["page", "device"]),
    horizon=MINUTES,  # no click within an hour is the answer 0 ...
    while_waiting="hold",  # ... and no click is learned before that, or the model would see clicks only
)


class Visit(NamedTuple):
    """A visitor of the simulated world, and the moment of the click; infinite if there is none within an hour."""

    key: str
    moment: float
    features: dict[str, str | int]
    clicked: float


def visits(hour: int) -> list[Visit]:
    """The visits of an hour, by moment in minutes; the same in every process."""
    rng = np.random.default_rng([SEED, hour])
    found = []
    for number, moment in enumerate(np.sort(rng.uniform(MINUTES * hour, MINUTES * (hour + 1), VISITS_PER_HOUR))):
        page, device = str(rng.choice(list(PAGES))), str(rng.choice(["phone", "computer"]))
        chance = PAGES[page] * (1.5 if device == "phone" else 1.0) * (0.5 if hour < 6 else 1.0)
        delay = rng.exponential(15.0) if rng.random() < chance else np.inf
        features: dict[str, str | int] = {"page": page, "device": device, "hour": hour % 24}
        clicked = float(moment + delay) if delay < MINUTES else np.inf
        found.append(Visit(f"{hour}-{number}", float(moment), features, clicked))
    return found


def events(hour: int) -> Iterator[tuple[float, bool, Visit]]:
    """What happens in an hour, in order: each visit of it, and each click in it (True), also of earlier visits."""
    now = visits(hour)
    clicks = [each for each in [*(visits(hour - 1) if hour else []), *now] if each.clicked // MINUTES == hour]
    happened = [(each.moment, False, each) for each in now] + [(each.clicked, True, each) for each in clicks]
    yield from sorted(happened, key=lambda event: event[0])


def saved_hours(folder: Path) -> int:
    """How many hours the newest file in the folder has; the number is in its name, so that the two belong together."""
    return max((int(path.stem.removeprefix("clicks-")) for path in folder.glob("clicks-*.npz")), default=0)


def run(folder: Path, until: int) -> None:
    """Go on from what is in the folder until an hour, and save after each hour."""
    first = saved_hours(folder)
    predictor = bl.load(MODEL, folder / f"clicks-{first:03d}.npz") if first else MODEL.start()
    for hour in range(first, until):
        said = []
        for moment, click, visit in events(hour):
            if click:
                predictor.learn(visit.key, 1, at=moment)
            else:
                said.append(predictor.predict(visit.features, visit.key, at=moment).value)
        bl.save(predictor, folder / f"clicks-{hour + 1:03d}.npz")
        share = np.mean([np.isfinite(each.clicked) for each in visits(hour)])
        print(f"hour {hour:2d}: predicted {np.mean(said):.4f}, clicked {share:.3f}", flush=True)
    print(f"digest {predictor.state()['digest']}")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description="A click predictor that can be stopped and started again.")
    parser.add_argument("folder", type=Path, help="where the predictor is saved after each hour")
    parser.add_argument("--until", type=int, default=24, help="the hour at which to stop (default: 24)")
    arguments = parser.parse_args()
    run(arguments.folder, arguments.until)


if __name__ == "__main__":
    main()
