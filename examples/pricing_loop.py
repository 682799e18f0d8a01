"""A live pricing loop: a price for each customer, and what it earned hours later.

A shop sells by the kilo, at a price between 5 and 20 euros. Each customer is shown a price that the service decides.
The order is paid hours later; payments come in any order, some of them are reported twice, and some are never reported.
Two days pass in some seconds, because the time of the customers is simulated.

    belated serve                                        # prints a key
    export BELATED_URL=http://127.0.0.1:8000 BELATED_KEY=bl_...
    python examples/pricing_loop.py --hours 24
    python examples/pricing_loop.py --hours 48

The second call goes on where the first has ended, or was killed. The program keeps nothing for that: it begins with the
first customer, and everything that the service has done before is answered from its journal and counts once. So the
last lines are those of a single call. The service may be stopped and started again meanwhile; calls are repeated until
it is back.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from belated.client import Client, RemotePlayer, Retries

NAME = "example-price"
"""What the service calls the learner; no other one should have this name."""

LOWEST, HIGHEST, FIRST, DEAREST_ORDER = 5.0, 20.0, 15.0, 70.0
"""The range of prices, the price to begin with, and the most that an order brings, all in euros."""

CUSTOMERS, SLOWEST, PATIENCE = 30, 5, 8
"""Customers in an hour, how many hours a payment takes at most (and one at least), and when nobody waits for it."""

RANGES = {
    "lower": [LOWEST],
    "upper": [HIGHEST],
    "values": [-DEAREST_ORDER, 0.0],  # it looks for small numbers, so of revenue the negative is told
    "rounds": 1500,
    "delay": 100,
}
WEEK = 7 * 24 * 3600.0
"""So many seconds of the service's own clock decisions wait if this program is never run again."""

PATIENT = Retries(tries=1000, longest=1.0, budget=120.0)  # so long the service may be away
SHOWN_HOURS, SEED = 6, 11


class Customer(NamedTuple):
    """A customer: how much is bought at which price, and when the payment is reported, if at all."""

    key: str
    hour: int
    appetite: float
    reported: float
    twice: bool

    def spends(self, price: float) -> float:
        """What the customer spends at a price: most of them find 13 euros too dear, and some do not."""
        kilos = 6.0 / (1.0 + math.exp((price - 13.0) / 1.5))
        return min(price * kilos * self.appetite, DEAREST_ORDER)


def customers(hour: int) -> list[Customer]:
    """The customers of an hour, the same in every process."""
    rng = np.random.default_rng([SEED, hour])
    found = []
    for number in range(CUSTOMERS):
        appetite = max(0.0, 1.0 + 0.25 * rng.standard_normal())
        delay = math.inf if rng.random() < 0.05 else rng.uniform(1.0, SLOWEST)
        found.append(Customer(f"hour-{hour}-{number}", hour, appetite, hour + delay, rng.random() < 0.1))
    return found


def reports(hour: int) -> list[Customer]:
    """Whose payments are reported within an hour, in a random order; some of them twice."""
    recent = [each for earlier in range(max(0, hour - SLOWEST), hour) for each in customers(earlier)]
    due = [each for each in recent if hour <= each.reported < hour + 1]
    due += [each for each in due if each.twice]
    np.random.default_rng([SEED, hour, 1]).shuffle(due)
    return due


def lost(hour: int) -> list[Customer]:
    """The customers of an earlier hour whose payments are not waited for any more."""
    return [each for each in customers(hour - PATIENCE) if each.reported == math.inf] if hour >= PATIENCE else []


def live(knob: RemotePlayer, hours: int) -> Iterator[dict[Customer, float]]:
    """Live through the hours: the price of each customer, hour by hour."""
    prices: dict[str, float] = {}
    for hour in range(hours):
        due = reports(hour)
        knob.tell_many([(each.key, [-each.spends(prices[each.key])]) for each in due])
        for each in lost(hour):
            knob.give_up(each.key)  # with a clock that is not simulated, the setting `timeout` does this
        shown = {each: float(knob.ask(key=each.key).point[0]) for each in customers(hour)}
        prices.update({each.key: price for each, price in shown.items()})
        yield shown


def best_price(shown: dict[Customer, float]) -> float:
    """The price, in steps of ten cents, that would have earned most if every customer had got it."""
    candidates = np.arange(LOWEST, HIGHEST + 0.05, 0.1)
    return float(max(candidates, key=lambda price: sum(each.spends(price) for each in shown)))


def run(knob: RemotePlayer, hours: int) -> None:
    """Live through the hours, and print what came of them."""
    every: dict[Customer, float] = {}
    for hour, shown in enumerate(live(knob, hours), start=1):
        every.update(shown)
        if hour % SHOWN_HOURS == 0 or hour == hours:
            last = {each: price for each, price in every.items() if each.hour >= hour - SHOWN_HOURS}
            earned = sum(each.spends(price) for each, price in last.items()) / len(last)
            print(f"hour {hour:3d}: price {np.mean(list(last.values())):5.2f}, earned {earned:5.2f} each", flush=True)
    best = best_price(every)
    earned, possible = (
        sum(each.spends(p) for each, p in prices.items()) for prices in (every, dict.fromkeys(every, best))
    )
    print(
        f"earned {earned:.0f} euros, {earned / possible:.0%} of the {possible:.0f} at the best fixed price, {best:.2f}"
    )


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description="A price for each customer, and what it earned hours later.")
    parser.add_argument("--url", default=os.environ.get("BELATED_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--key", default=os.environ.get("BELATED_KEY"), help="a key of the scope admin")
    parser.add_argument("--hours", type=int, default=48, help="the hour at which to stop (default: 48)")
    arguments = parser.parse_args()
    with Client(arguments.url, arguments.key, retries=PATIENT) as client:
        run(client.create(NAME, {"ranges": RANGES}, initial=[FIRST], timeout=WEEK), arguments.hours)


if __name__ == "__main__":
    main()
