"""Numbers for Prometheus: requests by route and status, the clock, and every learner when somebody looks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from belated.service.door import DurableStore
from belated.service.keys import ApiKey
from belated.service.looking import summary

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

COUNTED = {
    "asked": "Decisions that were made",
    "answered": "Decisions that were answered",
    "noted": "Reports that were recorded and not learned",
    "timed_out": "Decisions that timed out",
    "given_up": "Decisions that were given up",
}


class Metrics:
    """The numbers of one service. Requests are counted in plain lists, since there are many of them.

    Args:
        store: The learners.
    """

    def __init__(self, store: DurableStore) -> None:
        self._store = store
        self._requests: dict[tuple[str, int], int] = {}
        self._times: dict[str, list[float]] = {}
        """For each route the number of requests in each bucket, of those beyond the last, and the sum of all times."""

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request.

        Args:
            route: Its method and path.
            status: The status of its reply.
            seconds: How long it took.
        """
        self._requests[route, status] = self._requests.get((route, status), 0) + 1
        times = self._times.get(route)
        if times is None:
            times = self._times[route] = [0.0] * (len(BUCKETS) + 2)
        times[bisect_left(BUCKETS, seconds)] += 1
        times[-1] += seconds

    def shown(self, key: ApiKey | None) -> tuple[bytes, str]:
        """All numbers as text, with what kind of text it is.

        Args:
            key: Whose request it is: only learners that it sees are shown.
        """
        registry = CollectorRegistry()
        registry.register(self)
        registry.register(_Learners(self._store, self._store.clock(), key))
        return generate_latest(registry), CONTENT_TYPE_LATEST

    def collect(self) -> Iterator[Metric]:
        """What was counted, and the clock, in the form that Prometheus collects."""
        requests = CounterMetricFamily("belated_requests", "Requests", labels=["route", "status"])
        for (route, status), number in self._requests.items():
            requests.add_metric([route, str(status)], number)
        times = HistogramMetricFamily("belated_request_seconds", "Time to the reply", labels=["route"])
        for route, (*counts, total) in self._times.items():
            edges = [*map(str, BUCKETS), "+Inf"]
            times.add_metric([route], list(zip(edges, accumulate(counts), strict=True)), total)
        behind = GaugeMetricFamily("belated_clock_behind_seconds", "By how much the clock is behind the last event")
        behind.add_metric([], self._store.clock_behind)
        yield from (requests, times, behind)


class _Learners:
    """Every learner as it is now, in the form that Prometheus collects."""

    def __init__(self, store: DurableStore, now: int, key: ApiKey | None) -> None:
        self._store, self._now, self._key = store, now, key

    def collect(self) -> Iterator[Metric]:
        shown = [
            summary(self._store.desk(name).life, self._now)
            for name in self._store
            if not self._key or self._key.sees(name)
        ]
        for name, words in COUNTED.items():
            counter = CounterMetricFamily(f"belated_{name}", words, labels=["learner"])
            for each in shown:
                counter.add_metric([each["name"]], each[name])
            yield counter
        pending = GaugeMetricFamily("belated_pending", "Decisions that wait for feedback", labels=["learner"])
        oldest = GaugeMetricFamily("belated_oldest_pending_seconds", "Age of the oldest of them", labels=["learner"])
        loss = GaugeMetricFamily("belated_progressive_loss", "Mean loss so far", labels=["learner"])
        for each in shown:
            pending.add_metric([each["name"]], each["pending"])
            since = each["oldest_pending_at"]
            oldest.add_metric([each["name"]], 0.0 if since is None else max(0, self._now - since) / 1e6)
            if each["loss"] is not None:
                loss.add_metric([each["name"]], each["loss"]["mean"])
        yield from (pending, oldest, loss)
