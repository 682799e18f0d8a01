"""What a sweep varies: how paths are read, what is refused and in which words, and what a random search draws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.comparisons.document import parsed
from belated.core.errors import InvalidArgument
from belated.sweeps.axes import Axes, axes_of
from belated.sweeps.drawing import Range, drawn
from support.sweeping import written


def paths(toml: str) -> dict[str, tuple]:
    document = parsed("my.toml", f'{toml}\n[learners.dogd]\n[learners."a.b, c"]\n')
    return {axis.name: axis.values for axis in axes_of(document).axes}


def test_a_path_may_be_written_in_every_way_that_toml_has() -> None:
    forms = [
        '[grid]\n"delays.mean" = [1, 2]',
        "[grid]\ndelays.mean = [1, 2]",
        "[grid.delays]\nmean = [1, 2]",
        "[grid]\ndelays = { mean = [1, 2] }",
    ]
    assert [paths(form) for form in forms] == [{"delays.mean": (1, 2)}] * 4


def test_labels_with_dots_and_commas_are_one_name() -> None:
    name = 'learners."a.b, c".rate'
    assert paths(f"[grid]\n'{name}' = [1.0]") == {name: (1.0,)}
    assert paths('[grid.learners."a.b, c"]\nrate = [1.0]') == {name: (1.0,)}


def test_points_are_all_combinations_and_the_last_path_changes_first() -> None:
    axes = axes_of(written(grid={"rounds": [5, 6], "delays.mean": [1, 2, 3]}))
    assert axes.points() == [(rounds, mean) for rounds in (5, 6) for mean in (1, 2, 3)]


REFUSED = [
    ({}, "grid: must have one path or more"),
    ([1], "grid: must be a table of paths"),
    ({"delays.mean": []}, 'grid."delays.mean": must be a list of one value or more'),
    ({"delays.mean": 5}, "must be a list of one value or more, not 5"),
    ({"delays.mean": {}}, "must be a list of one value or more"),
    ({"delays.mean": [5, 5]}, "must be a list of different values, and has 5 twice"),
    ({"delays.mean": [5, 5.0]}, "must be a list of different values, and has 5 and 5.0, which are the same"),
    ({"initial": [0.0, -0.0]}, "and has 0.0 and -0.0, which are the same"),
    ({"initial": [[1, 2], [1, 2.0]]}, "and has [1, 2] and [1, 2.0], which are the same"),
    ({"a = {} #": [1]}, "a setting has no 'a = {} #' to vary"),
    ({"delays = {mean = 3} #": [1]}, "a setting has no 'delays = {mean = 3} #' to vary"),
    ({"delays] #": [1]}, "a setting has no 'delays] #' to vary"),
    ({"delays = 1\nrounds": [1]}, "to vary"),
    ({"delays.a" + ".a" * 3000: [1]}, "must be a path of at most 20 names, and has 3002"),
    ({("delays", "mean"): [1]}, "grid: must have texts for paths, such as \"delays.mean\", not ('delays', 'mean')"),
    ({"delays": {3: [1]}}, 'grid.delays: must have texts for paths, such as "delays.mean", not 3'),
    ({"delays.mean": [5, {1}]}, "must be numbers, texts, lists and tables"),
    ({"dellays.mean": [5]}, "a setting has no 'dellays' to vary; did you mean delays"),
    ({"seeds": [1, 2]}, "every setting is run on all seeds"),
    ({"title": ["a"]}, "a setting has no 'title' to vary"),
    ({"rounds.x": [1]}, "rounds has nothing below it"),
    ({"learners": [1]}, "must name a learner: learners.dogd-sc, learners.two"),
    ({"learners.dogdsc.rate": [1]}, "there is no learner 'dogdsc'; did you mean dogd-sc?"),
    ({"delays": ["fixed"], "delays.mean": [5]}, "must not be varied together with delays, which it is a part of"),
    ({f"learners.two.x{i}": list(range(20)) for i in range(4)}, "must have at most 100000 points, and has 160000"),
]


@pytest.mark.parametrize(("grid", "message"), REFUSED)
def test_a_grid_that_cannot_be_is_refused(grid: object, message: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        axes_of(written(grid=grid))
    assert message in str(error.value)


RATE = "learners.two.rate"
REFUSED_RANGES = [
    ({RATE: {"from": 1, "to": 2}}, "`samples` must be a whole number from 1 to 10000, and is missing"),
    ({"samples": 0, RATE: [1]}, "random.samples: `samples` must be"),
    ({"samples": True, RATE: [1]}, "not True"),
    ({"samples": 3, "seed": -1, RATE: [1]}, "`seed` must be a whole number from 0"),
    ({"samples": 3}, "must have one path or more"),
    ({"samples": 3, RATE: {"from": 1}}, "`to` must be a number of size at most 1e+300, not None"),
    ({"samples": 3, RATE: {"from": "1", "to": 2}}, "`from` must be a number of size at most 1e+300, not '1'"),
    ({"samples": 3, RATE: {"from": math.inf, "to": 2}}, "`from` must be a number of size at most 1e+300, not inf"),
    ({"samples": 3, RATE: {"from": 1, "to": 10**400}}, "`to` must be a number of size at most 1e+300, not 1000"),
    ({"samples": 3, RATE: {"from": -(10**400), "to": 1}}, "`from` must be a number of size at most 1e+300, not -100"),
    ({"samples": 3, RATE: {"from": math.nan, "to": 1}}, "`from` must be a number of size at most 1e+300, not nan"),
    ({"samples": 3, RATE: {"from": 2, "to": 2}}, "`from` must be below `to`"),
    ({"samples": 3, RATE: {"from": 0, "to": 2, "scale": "log"}}, "`from` must be above 0 on a logarithmic scale"),
    ({"samples": 3, RATE: {"from": 1, "to": 2, "scale": "lg"}}, "`scale` must be one of uniform, log"),
    ({"samples": 3, RATE: {"from": 1, "two": 2}}, "a range has no such key; did you mean to?"),
    ({"samples": 3, RATE: []}, "must be a list of one value or more"),
]


@pytest.mark.parametrize(("ranges", "message"), REFUSED_RANGES)
def test_a_random_search_that_cannot_be_is_refused(ranges: object, message: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        axes_of(written(grid=None, random=ranges))
    assert message in str(error.value)


def test_a_sweep_has_a_grid_or_ranges_and_not_both() -> None:
    for tables in ({"grid": None}, {"random": {"samples": 1, RATE: [1]}}):
        with pytest.raises(InvalidArgument, match=r"must have a table \[grid\] .* or a table \[random\]"):
            axes_of(written(**tables))


def test_a_random_search_has_a_value_of_every_path_for_each_sample() -> None:
    ranges = {"samples": 4, RATE: {"from": 0.1, "to": 1.0}, "learners": {"dogd-sc": {"strong_convexity": [1.0, 2.0]}}}
    axes = axes_of(written(grid=None, random=ranges))
    assert [axis.name for axis in axes.axes] == [RATE, "learners.dogd-sc.strong_convexity"]
    assert axes.random
    assert len(axes.points()) == 4


ENDS = st.tuples(st.integers(1, 50), st.integers(1, 50)).map(lambda ends: (ends[0], sum(ends)))


@given(ENDS, st.sampled_from(["uniform", "log"]), st.booleans(), st.integers(0, 9))
def test_what_is_drawn_lies_between_the_ends_and_goes_on(
    ends: tuple[int, int], scale: str, whole: bool, seed: int
) -> None:
    low, high = ends if whole else (float(ends[0]), float(ends[1]))
    spread = Range(low, high, scale, ())
    values = drawn(spread, 30, seed, 1)
    assert all(low <= value <= high for value in values)
    assert all(isinstance(value, int) == whole for value in values)
    assert drawn(spread, 10, seed, 1) == values[:10], "a longer search begins as a shorter one"
    assert drawn(spread, 30, seed, 2) != values or low == high


def test_values_that_only_look_alike_are_different() -> None:
    for values in ([True, 1], ["5", 5], [2**53, 2**53 + 1], [1e300, 10**300], [0.5, [0.5]]):
        (axis,) = axes_of(written(grid={"initial": values})).axes
        assert axis.values == tuple(values)


@pytest.mark.parametrize("scale", ["uniform", "log"])
def test_the_widest_range_can_be_drawn_from(scale: str) -> None:
    low = 1 if scale == "log" else -(10**300)
    values = drawn(Range(low, 10**300, scale, ()), 20, 0, 0)
    assert all(isinstance(value, int) and low <= value <= 10**300 for value in values)


def test_every_choice_and_both_ends_are_drawn() -> None:
    assert set(drawn(Range(0, 0, "choice", ("a", "b", "c")), 100, 0, 0)) == {"a", "b", "c"}
    assert set(drawn(Range(1, 3, "uniform", ()), 100, 0, 0)) == {1, 2, 3}


def test_a_logarithmic_scale_has_as_many_values_in_each_decade() -> None:
    values = drawn(Range(1e-4, 1.0, "log", ()), 4000, 0, 0)
    shares = [sum(10.0**power <= value < 10.0 ** (power + 1) for value in values) / 4000 for power in range(-4, 0)]
    assert shares == pytest.approx([0.25] * 4, abs=0.03)


def test_an_axis_of_a_learner_has_an_owner() -> None:
    owners = [axis.owner for axis in axes_of(written()).axes]
    assert owners == [None, "dogd-sc"]
    assert isinstance(axes_of(written()), Axes)
