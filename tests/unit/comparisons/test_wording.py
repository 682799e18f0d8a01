"""Settings in words: what problems, laws and classes of anybody's own are called."""

from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.comparisons import shipped
from belated.comparisons.makers import named
from belated.comparisons.wording import described, summary
from belated.delays import EVERY, DelayLaw
from belated.sim import problems
from support.comparisons import BASIC, setting
from support.own_parts import Bowl


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (bl.delays.Fixed(1), "fixed, delay 1"),
        (bl.delays.Geometric(2.5), "geometric, mean 2.5"),
        (bl.delays.Uniform(1, 1_000_000), "uniform, least 1, most 1000000"),
        (bl.delays.Periodic([2, 3, 1]), "periodic, delays 2, 3, 1"),
        (bl.delays.Trace(np.ones(13, dtype=int)), "trace, delays (13 numbers)"),
        (bl.delays.Never(bl.delays.Burst(7), 0.25), "never, law burst (period 7), probability 0.25"),
        (
            bl.delays.Mixture([bl.delays.Fixed(1), bl.delays.Geometric(20)], [3, 1]),
            "mixture, laws fixed (delay 1), geometric (mean 20), weights 0.75, 0.25",
        ),
        (problems.RandomQuadratic(2), "random quadratic, dim 2"),
        (problems.LateLabels(20, l2=0.01), "late labels, dim 20, l2 0.01"),
        (problems.LateLabels(20, l2=0.01, flip_every=50), "late labels, dim 20, l2 0.01, flip every 50"),
        (
            problems.LocallyPermuted(problems.RandomQuadratic(2), 5),
            "locally permuted, problem random quadratic (dim 2), window 5",
        ),
        (problems.Recorded(bl.losses.Linear(2), [[1.0, 2.0]]), "recorded, loss linear (dim 2)"),
    ],
)
def test_by_hand(thing: Any, words: str) -> None:
    assert described(thing) == words


def test_a_dimension_that_is_told_anyway_is_not_told_twice() -> None:
    assert described(problems.RandomQuadratic(2), 2) == "random quadratic"
    assert described(problems.ForecastExperts(8), 8) == "forecast experts"
    assert described(problems.Pricing(1.0), 1) == "pricing, noise 1"


@pytest.mark.parametrize("law", EVERY)
def test_every_law_has_a_line_of_words(law: type[DelayLaw]) -> None:
    words = described(law.example())
    assert words.isprintable()
    assert 3 < len(words) < 150
    assert words.split(",")[0] in {name.replace("-", " ") for name in named(DelayLaw)}


class OwnLaw(bl.delays.Geometric):
    """Of Geometric it has the argument, too."""

    __slots__ = ()


class MyHTTPProblem:
    loss = Bowl(3)

    def __init__(self, *anything: object, **more: object) -> None:
        self.anything = len


def test_classes_of_ones_own_are_called_by_their_names() -> None:
    assert described(OwnLaw(2.5)) == "own law, mean 2.5"
    assert described(MyHTTPProblem(), 3) == "my httpproblem"
    assert described(len) == "builtin function or method"


def test_the_summary_of_shipped_settings() -> None:
    made = shipped.read("paper-low", rounds=30, seeds=2)
    assert summary(made, 2) == (
        "random quadratic, n = 10; delays periodic, delays 2, 3, 2, 1, 4, 1, 3; "
        "ogd-sc, no delay: delays fixed, delay 1; 30 rounds, 2 seeds"
    )


def test_one_is_not_many_and_several_are_counted() -> None:
    assert summary(setting(), 1).endswith("; 20 rounds, 1 seed")
    own = "[learners.{0}]\nname = 'dda'\ndelays = {{ name = 'fixed', delay = 1 }}\n"
    assert "; 2 learners have delays of their own; " in summary(setting(BASIC + own.format("a") + own.format("b")), 3)
