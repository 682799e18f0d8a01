"""Random laws follow the distribution that they name: chi-square tests against SciPy's, each shown to have power."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from belated.core.arrays import Integers, Vector
from belated.core.errors import InvalidArgument
from belated.delays import LONGEST, NEVER, DelayLaw, Fixed, Geometric, Mixture, Never, Pareto, Poisson, Trace, Uniform

DRAWS = 20_000
CumulativeProbability = Callable[[Integers], Vector]


def p_value(law: DelayLaw, at_most: CumulativeProbability) -> float:
    """Chi-square test of one fixed sample against P(d <= k), over cells with at least 50 expected draws each."""
    delays = law.draw(np.random.default_rng(20), DRAWS)
    reachable = np.arange(1, 2000)
    edges, cumulative = [], [0.0]
    for k, probability in zip(reachable, at_most(reachable), strict=True):
        if DRAWS * min(probability - cumulative[-1], 1.0 - probability) >= 50:
            edges.append(k)
            cumulative.append(probability)
    observed = np.diff([0, *(np.count_nonzero(delays <= edge) for edge in edges), DRAWS])
    return float(stats.chisquare(observed, DRAWS * np.diff([*cumulative, 1.0])).pvalue)


def uniform(least: int, most: int) -> CumulativeProbability:
    at_most: CumulativeProbability = stats.randint(least, most + 1).cdf
    return at_most


def geometric(mean: float) -> CumulativeProbability:
    at_most: CumulativeProbability = stats.geom(1 / mean).cdf
    return at_most


def poisson(mean: float) -> CumulativeProbability:
    at_most: CumulativeProbability = stats.poisson(mean - 1, loc=1).cdf
    return at_most


def pareto(shape: float, scale: float) -> CumulativeProbability:
    at_most: CumulativeProbability = stats.pareto(shape, scale=scale).cdf
    return at_most


def mixture(share: float, one: CumulativeProbability, other: CumulativeProbability) -> CumulativeProbability:
    return lambda k: share * one(k) + (1 - share) * other(k)


def no_delay(k: Integers) -> Vector:
    return (k >= 1).astype(np.float64)


AGREE = [
    (Uniform(1, 10), uniform(1, 10)),
    (Uniform(4, 5), uniform(4, 5)),
    (Geometric(6.0), geometric(6.0)),
    (Geometric(1.5), geometric(1.5)),
    (Poisson(4.5), poisson(4.5)),
    (Poisson(30.0), poisson(30.0)),
    (Pareto(0.8, 0.25), pareto(0.8, 0.25)),
    (Pareto(2.5, 7.3), pareto(2.5, 7.3)),
    (Pareto(1.5), pareto(1.5, 1.0)),
    (Mixture([Fixed(1), Geometric(20.0)], [3, 1]), mixture(0.75, no_delay, geometric(20.0))),
    (Mixture([Uniform(1, 3), Never(Uniform(2, 9), 0.0)], [2, 8]), mixture(0.2, uniform(1, 3), uniform(2, 9))),
]
DISAGREE = [
    (Uniform(1, 10), uniform(1, 11)),
    (Uniform(1, 10), uniform(2, 10)),
    (Geometric(6.0), geometric(6.4)),
    (Geometric(6.0), lambda k: geometric(6.0)(k - 1)),
    (Poisson(4.5), poisson(4.7)),
    (Poisson(4.5), stats.poisson(4.5).cdf),
    (Pareto(0.8, 0.25), pareto(0.9, 0.25)),
    (Pareto(2.5, 7.3), lambda k: pareto(2.5, 7.3)(k + 1)),
    (Mixture([Fixed(1), Geometric(20.0)], [3, 1]), mixture(0.72, no_delay, geometric(20.0))),
]


@pytest.mark.parametrize(
    ("law", "at_most"), AGREE, ids=lambda value: repr(value) if isinstance(value, DelayLaw) else ""
)
def test_delays_follow_their_law(law: DelayLaw, at_most: CumulativeProbability) -> None:
    assert p_value(law, at_most) > 0.001


@pytest.mark.parametrize(
    ("law", "at_most"), DISAGREE, ids=lambda value: repr(value) if isinstance(value, DelayLaw) else ""
)
def test_the_comparison_notices_a_slightly_different_law(law: DelayLaw, at_most: CumulativeProbability) -> None:
    assert p_value(law, at_most) < 1e-6


def correlation(values: Integers, others: Integers) -> float:
    return float(stats.spearmanr(values, others).statistic)


@pytest.mark.parametrize("law", [Uniform(1, 10), Geometric(6.0), Poisson(4.5), Pareto(0.8), Never(Uniform(1, 9), 0.3)])
def test_rounds_are_independent(law: DelayLaw) -> None:
    delays = law.draw(np.random.default_rng(4), DRAWS)
    assert abs(correlation(delays[1:], delays[:-1])) < 4 / math.sqrt(DRAWS)


def test_uniform_stays_within_its_limits_and_reaches_both() -> None:
    delays = Uniform(3, 7).draw(np.random.default_rng(0), DRAWS)
    assert (delays.min(), delays.max()) == (3, 7)


def test_mean_one_means_no_delay() -> None:
    for law in (Geometric(1.0), Poisson(1.0), Uniform(1, 1)):
        assert (law.draw(np.random.default_rng(0), 1000) == 1).all()


def test_a_default_pareto_is_late_at_least_once() -> None:
    assert Pareto(1.0).draw(np.random.default_rng(0), DRAWS).min() == 2


def test_the_heaviest_tails_stop_at_the_longest_delay() -> None:
    for law in (Pareto(5e-324), Pareto(1e-3), Pareto(0.5, scale=float(LONGEST))):
        delays = law.draw(np.random.default_rng(0), 1000)
        assert delays.max() == LONGEST
        assert delays.min() >= 1
    assert (Pareto(1e300, scale=5e-324).draw(np.random.default_rng(0), 1000) == 1).all()


def test_the_largest_means_stay_below_the_longest_delay() -> None:
    for law in (Geometric(2.0**53), Poisson(2.0**53)):
        delays = law.draw(np.random.default_rng(0), 10_000)
        assert 2.0**52 < delays.mean() < 2.0**54
        assert delays.max() < LONGEST


def test_never_loses_the_share_that_it_names_and_keeps_the_rest() -> None:
    law = Never(Uniform(1, 4), 0.3)
    delays = law.draw(np.random.default_rng(11), DRAWS)
    lost = delays == NEVER
    assert stats.binomtest(int(lost.sum()), DRAWS, 0.3).pvalue > 0.001
    assert stats.binomtest(int(lost.sum()), DRAWS, 0.32).pvalue < 1e-6
    assert stats.chisquare(np.bincount(delays[~lost], minlength=5)[1:]).pvalue > 0.001


def test_never_is_all_or_nothing_at_the_ends() -> None:
    assert (Never(Fixed(2), 0.0).draw(np.random.default_rng(0), 1000) == 2).all()
    assert (Never(Fixed(2), 1.0).draw(np.random.default_rng(0), 1000) == NEVER).all()


def test_a_mixture_ignores_the_scale_of_its_weights_and_skips_those_of_zero() -> None:
    laws = [Fixed(1), Fixed(2), Fixed(3)]
    for weights in ([1.0, 3.0, 0.0], [5e307, 1.5e308, 0.0], [1e-320, 3e-320, 0.0]):
        delays = Mixture(laws, weights).draw(np.random.default_rng(0), 1000)
        assert set(delays.tolist()) == {1, 2}
    assert Mixture(laws, [1, 3, 0]) == Mixture(laws, [2, 6, 0])


def test_a_recorded_law_limits_the_laws_around_it() -> None:
    trace = Trace([1, 2, 3])
    assert Never(trace, 0.5).longest_run == 3
    assert Mixture([Fixed(1), trace, Trace([1, 1])], [1, 1, 1]).longest_run == 2
    assert Mixture([Fixed(1)], [1]).longest_run == math.inf


@pytest.mark.parametrize("law_class", [Geometric, Poisson])
@pytest.mark.parametrize("mean", [0, 0.99, -2.0, math.nan, math.inf, 2.0**54, 10**400, True, "3", None, [2.0]])
def test_a_bad_mean_is_refused(law_class: type[DelayLaw], mean: object) -> None:
    with pytest.raises(InvalidArgument, match=rf"^`{law_class.__name__}\(mean=.*\)`: must "):
        law_class(mean)  # type: ignore[call-arg]  # that is the point


@pytest.mark.parametrize(
    ("least", "most", "message"),
    [
        (0, 3, r"`Uniform\(least=0\)`: must be >= 1"),
        (1, 0, r"`Uniform\(most=0\)`: must be >= 1"),
        (4, 3, r"`Uniform\(most=3\)`: must be >= least = 4"),
        (1, NEVER + 1, r"`Uniform\(most=\d+\)`: must be <= 4611686018427387904"),
        (1.0, 3, r"`Uniform\(least=1.0\)`: must be a whole number"),
        (1, math.nan, r"`Uniform\(most=nan\)`: must be a whole number"),
    ],
)
def test_bad_limits_are_refused(least: int, most: int, message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{message}"):
        Uniform(least, most)


@pytest.mark.parametrize(
    ("shape", "scale", "message"),
    [
        (0.0, 1.0, r"`Pareto\(shape=0.0\)`: must be > 0"),
        (math.nan, 1.0, r"`Pareto\(shape=nan\)`: must be finite"),
        (1.0, -1.0, r"`Pareto\(scale=-1.0\)`: must be > 0"),
        (1.0, math.inf, r"`Pareto\(scale=inf\)`: must be finite"),
        (1.0, 2.0**62, r"`Pareto\(scale=4.*\)`: must be <= 2\.3"),
    ],
)
def test_bad_tails_are_refused(shape: float, scale: float, message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{message}"):
        Pareto(shape, scale)


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan, True, None])
def test_a_bad_probability_is_refused(probability: float) -> None:
    with pytest.raises(InvalidArgument, match=r"^`Never\(probability=.*\)`: must "):
        Never(Fixed(1), probability)


@pytest.mark.parametrize(
    ("laws", "weights", "message"),
    [
        ([], [], r"`Mixture\(laws=\(\)\)`: must name at least one law"),
        ([Fixed(1), 2], [1, 1], r"`Mixture\(laws=2\)`: must be a law of delay"),
        ([Fixed(1)], [1, 1], r"`Mixture\(weights=.*\)`: must have shape \(1,\), got shape \(2,\)"),
        ([Fixed(1), Fixed(2)], [1, -1], r"`Mixture\(weights=.*\)`: must be >= 0 and not all 0"),
        ([Fixed(1), Fixed(2)], [0, 0], r"`Mixture\(weights=.*\)`: must be >= 0 and not all 0"),
        ([Fixed(1), Fixed(2)], [1, math.nan], r"`Mixture\(weights=.*\)`: must be finite"),
    ],
)
def test_a_bad_mixture_is_refused(laws: list[DelayLaw], weights: list[float], message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{message}"):
        Mixture(laws, weights)


def test_only_a_law_can_be_lost() -> None:
    with pytest.raises(InvalidArgument, match=r"^`Never\(law=3\)`: must be a law of delay"):
        Never(3, 0.5)  # type: ignore[arg-type]  # that is the point
