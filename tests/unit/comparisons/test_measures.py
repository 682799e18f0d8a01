"""What learners are ranked by is what the simulation says."""

import numpy as np
import pytest

import belated as bl
from belated.comparisons import run
from belated.comparisons.measures import MEASURES
from support.comparisons import changed, setting

PROBLEM = bl.problems.DriftingQuadratic(dim=2, speed=0.05, noise=0.1)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_the_curve_of_that_name(name: str) -> None:
    problem = '{ name = "drifting-quadratic", dim = 2, speed = 0.05, noise = 0.1 }'
    made = setting(changed(problem=problem, measure=f"'{name}'"))
    curves = run(made).curves
    learners = {label: entry.learner for label, entry in made.entries.items()}
    result = bl.simulate(learners, PROBLEM, bl.delays.Fixed(2), 20, range(3), regret_at=range(1, 21))
    expected = {
        "regret": result.regret,
        "dynamic-regret": bl.dynamic_regret(result, PROBLEM),
        "loss": result.cumulative_loss,
    }[name]
    assert curves.score.values.tobytes() == expected.values.tobytes()
    assert curves.cumulative_loss.values.tobytes() == result.cumulative_loss.values.tobytes()
    assert curves.score.dims == ("learner", "seed", "round")
    assert np.array_equal(curves["round"], np.arange(1, 21))


def test_only_a_moving_optimum_has_dynamic_regret() -> None:
    fits = {name: measure.fits(bl.problems.RandomQuadratic(2)) for name, measure in MEASURES.items()}
    assert fits == {"regret": True, "dynamic-regret": False, "loss": True}
    assert all(measure.fits(PROBLEM) for measure in MEASURES.values())
    assert [measure.name for measure in MEASURES.values()] == list(MEASURES)
