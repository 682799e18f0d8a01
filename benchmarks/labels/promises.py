"""What we aim at, and whether it was reached in this run. Nothing fails here."""

from typing import NamedTuple

from benchmarks.labels.large import Large
from benchmarks.labels.live import WITH_NUMBERS, WORDS_ONLY
from benchmarks.labels.purchases import AS_THEY_COME, HELD, Purchases
from benchmarks.labels.quality import Quality
from benchmarks.labels.speed import Speed
from benchmarks.promises import Promise
from benchmarks.timing import Spread

MARGIN = 0.008
"""By so much our log-loss is to be below that of the best peer, on words and on their pairs."""

FAR = 0.1
"""So much worse than a constant is far worse."""

MOST_MICROSECONDS, MOST_MEGABYTES = 25.0, 1000.0


class Findings(NamedTuple):
    """All that was measured."""

    quality: list[Quality]
    purchases: Purchases
    speed: Speed
    live: dict[str, Spread]
    large: Large


def promises(found: Findings) -> list[Promise]:
    """All of them."""
    return [
        *(_quality(each) for each in found.quality),
        *_purchases(found.purchases),
        _live(found.live),
        Promise(
            f"a log of {found.large.events:,} events in one pass, with less than 1 GB",
            f"{found.large.megabytes:.0f} MB, {found.large.events / found.large.seconds:,.0f} events per second",
            found.large.megabytes < MOST_MEGABYTES,
        ),
    ]


def _quality(found: Quality) -> Promise:
    digits = 1 if found.task.of_numbers else 4
    shown = f"{found.difference.shown(digits)}, beside {found.best}"
    if found.task.features in ("A", "B") and not found.task.of_numbers:
        claim = f"flights {found.task.name}: at least {MARGIN} below the best peer, more than chance"
        return Promise(claim, shown, found.difference.mean <= -MARGIN and found.difference.upper < 0.0)
    return Promise(f"flights {found.task.name}: not worse than the best peer", shown, found.difference.mean <= 0.0)


def _purchases(found: Purchases) -> list[Promise]:
    worst = min(AS_THEY_COME, key=lambda name: found.differences[name].mean)
    least, held = found.differences[worst], found.differences[HELD]
    return [
        Promise(
            f"purchases, as labels come: everybody at least {FAR} worse than a constant",
            f"the best of them {least.shown(3)}, {worst.partition(',')[0]}",
            least.mean >= FAR,
        ),
        Promise("purchases, held: below the constant, more than chance", held.shown(4), held.upper < 0.0),
    ]


def _live(found: dict[str, Spread]) -> Promise:
    took, beside = (1e6 * found[name].median for name in (WORDS_ONLY, WITH_NUMBERS))
    claim = f"live, predict and learn of {WORDS_ONLY}, or {WITH_NUMBERS}: at most {MOST_MICROSECONDS:.0f} µs together"
    return Promise(claim, f"{took:.1f} µs, {beside:.1f} µs", max(took, beside) <= MOST_MICROSECONDS)
