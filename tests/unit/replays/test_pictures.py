"""The pictures on the pages about logs have the numbers of the results."""

import numpy as np
import pytest

from belated import models
from belated.replays import compare_models, cost_of_delay, pictures
from belated.replays.result import CONSTANT
from support.late_logs import late_log


@pytest.fixture(scope="module")
def summary():
    return late_log(600).describe()


@pytest.fixture(scope="module")
def ranking():
    return compare_models(late_log(300), models.logistic(bits=5), hindsight=(1, 2))


def test_a_log_in_flight_answered_and_by_age(summary):
    flight, answered, labels = pictures.of_log(summary)
    (curve,) = flight.curves
    assert (min(curve.low), max(curve.high)) == (summary.in_flight.min(), summary.in_flight.max())
    first = summary.in_flight[: pictures.TOGETHER]
    assert curve.y[0] == pytest.approx(first.mean())
    assert (curve.low[0], curve.high[0]) == (first.min(), first.max())
    (share,) = answered.curves
    assert list(share.x) == [0.0, *summary.ages]
    assert list(share.y) == [0.0, *(100.0 * summary.share_answered)]
    means, overall = labels.curves
    assert list(means.y) == summary.lopsidedness.means.tolist()
    assert set(overall.y) == {summary.lopsidedness.overall}
    assert flight.x.kind == "number", "ticks, which are no dates"


def test_a_log_with_dates_has_them_in_milliseconds():
    rows = [{"at": f"2013-01-{day:02d}T00:00:00Z", "known": f"2013-01-{day:02d}T06:00:00Z", "y": day % 2}
            for day in range(1, 29)]  # fmt: skip
    from belated.logs import read_log

    found = read_log(rows, decided_at="at", answered_at="known", label="y").describe()
    flight, answered, _ = pictures.of_log(found)
    assert (flight.x.kind, answered.x.kind) == ("date", "span")
    begin = np.array([flight.curves[0].x[0]]).astype("datetime64[ms]")[0]
    assert str(begin) == "2013-01-01T00:00:00.000"


def test_a_ranking_behind_the_first_and_by_time(ranking):
    ranks, by_time = pictures.of_ranking(ranking)
    named = {row.name: row for row in ranks.rows}
    for each in ranking.standings:
        assert named[each.name][1:4] == tuple(each.behind)
        assert float(named[each.name].words) == pytest.approx(each.mean_loss, abs=1e-4)
    for mark in ranking.marks:
        row = named[f"{mark.name}, in hindsight"]
        assert (row.mean, row.low, row.high) == (-mark.regret.mean, -mark.regret.upper, -mark.regret.lower)
        assert not row.filled
    replay = ranking.replay
    _, _, weights = pictures.joined(replay)
    assert [curve.name for curve in by_time.curves] == [each.name for each in ranking.standings]
    for curve, each in zip(by_time.curves, ranking.standings, strict=True):
        total = sum(np.array(curve.y) * weights)
        wanted = replay.losses[replay.names.index(each.entry)].sum() - replay.losses[replay.names.index(CONSTANT)].sum()
        assert total == pytest.approx(wanted)


def test_calibration_has_a_dot_for_each_group(ranking):
    found = pictures.of_calibration(ranking)
    for curve, each in zip(found.curves, ranking.standings, strict=False):
        means, shares, _ = ranking.replay.quality[each.entry].calibration
        assert (list(curve.x), list(curve.y)) == (means.tolist(), shares.tolist())
    assert found.curves[-1].x == found.curves[-1].y


def test_the_cost_of_delay_has_a_point_for_each_factor():
    cost = cost_of_delay(late_log(300), models.logistic(bits=5), [0.0, 1.0, 3.0])
    found = pictures.of_cost(cost)
    losses, now = found.curves
    assert list(losses.y) == [each.mean_loss for each in cost.points]
    assert set(now.y) == {cost.point(1.0).mean_loss}
    for each, low, high in zip(cost.points, losses.low, losses.high, strict=True):
        ends = cost.point(1.0).mean_loss + each.change.lower, cost.point(1.0).mean_loss + each.change.upper
        assert (low, high) == pytest.approx(ends)
    assert found.x.names[0] == "at once"
    assert found.x.names[2].startswith("\N{MULTIPLICATION SIGN} 3\n")
