"""``worst_case``: what it finds can be run, kept and drawn, and depends on its seeds alone; and what it refuses."""

import json
import math
from functools import partial

import numpy as np
import pytest

import belated as bl
from belated.audit import stage
from belated.audit.course_figure import draw
from belated.audit.defaults import losses_of
from belated.core.errors import InvalidArgument, StateMismatch
from support import bounded
from support.compiler import needs_compiler

BOUND = partial(bl.bounds.dda, radius=1.0, lipschitz=1.0)
SMALL = {"steps": 6, "tries": 3, "seeds": 2, "workers": 1}
BOX = bl.Box([-1.0, 0.0, 2.0], [2.0, 1.0, 3.0])
CASES = {
    "linear": (bl.dda(bl.Ball(2), 1.0), None),
    "strongly convex": (bl.dogd_sc(BOX, 0.7), None),
    "exp-concave": (bl.ons(BOX, 1.0, 0.1), None),
    "composite": (bl.composite_ftrl(bl.Ball(3), 0.5, 1.0), None),
    "shares": (bl.hedge(bl.Simplex(3)), bl.adversaries.Convex(2.0**0.5)),
    "copies": (bl.bold(bl.ogd(bl.Ball(1), 0.1)), None),
}


def searched(learner, losses=None, rounds=9, bound=lambda delays: 1.0, **options):
    return bl.worst_case(learner, bound, rounds, losses=losses, **(SMALL | options))


@pytest.mark.parametrize("name", CASES)
def test_what_is_found_can_be_simulated(name):
    learner, losses = CASES[name]
    case = searched(learner, losses, any_start=name == "strongly convex")
    result = bl.simulate({"it": learner}, **case.setting)
    assert result.regret.item() == pytest.approx(case.regret, rel=1e-9, abs=1e-9)
    assert result.delays.to_numpy()[0].tolist() == case.delays.tolist()
    assert np.linalg.norm(case.gradients, axis=1) == pytest.approx(case.losses.lipschitz)


def test_the_default_losses_are_those_of_the_card():
    assert losses_of(bl.dda(bl.Ball(1), 3.0), 3.0) == bl.adversaries.Convex(3.0)
    for learner in (bl.dogd_sc(bl.Ball(1), 0.7), bl.ftdl(bl.Ball(1), 0.7), bl.curvature_ftrl(bl.Ball(1), 0.7, 1.0)):
        assert losses_of(learner, 2.0) == bl.adversaries.StronglyConvex(0.7, 2.0)
    assert losses_of(bl.ons(bl.Ball(1), gamma=0.3), 1.0) == bl.adversaries.ExpConcave(0.3)
    assert losses_of(bl.composite_ftrl(bl.Ball(1), 0.3, 1.0), 1.0) == bl.adversaries.Composite(0.3)


def test_a_search_depends_on_its_seeds_and_not_on_threads():
    learner = bl.dda(bl.Ball(1), 1.0)
    one, two = (searched(learner, bound=BOUND, seeds=[3, 5], workers=workers) for workers in (1, 2))
    parts = [searched(learner, bound=BOUND, seeds=[seed]) for seed in (3, 5)]
    assert repr(one) == repr(two) == repr(max(parts, key=lambda case: case.ratio))
    assert one.ratio == one.regret / one.bound
    assert one.bound == BOUND(one.delays)


def test_a_bound_may_be_an_object_or_look_at_the_run():
    class Bound:
        def value(self, delays):
            return BOUND(delays)

    learner = bl.dda(bl.Ball(1), 1.0)
    seen = []

    def of_run(run):
        seen.append(run)
        return BOUND(run.delays)

    after = searched(learner, rounds=3, bound=bl.adversaries.AfterRun(of_run))
    assert (
        searched(learner, rounds=3, bound=Bound()).ratio
        == after.ratio
        == searched(learner, rounds=3, bound=BOUND).ratio
    )
    for run in seen[::7]:
        assert run.gradients.shape == run.decisions.shape == (3, 1)
        assert run.decisions[0] == 0.0


@needs_compiler
def test_compiled_searches_find_the_same(monkeypatch):
    learner = bl.dogd_sc(bl.Ball(1), 0.5)
    found = []
    for worth in (10**9, 0):
        monkeypatch.setattr(stage, "ROUNDS_WORTH_COMPILING", worth)
        found.append(searched(learner, any_start=True))
    plain, quick = found
    assert quick.regret == plain.regret
    assert (quick.decisions == plain.decisions).all()
    assert repr(quick) == repr(plain)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"learner": "dda"}, "must be a learner"),
        ({"learner": bl.dogd(bl.Euclidean(1), rate=0.1)}, "bounded domain"),
        ({"learner": bl.bdogd_sc(bl.Ball(1), 1.0, probe_radius=0.1)}, "must be told gradients"),
        ({"learner": bl.vaw(bl.Euclidean(1), 1.0, 1.0)}, "must be told gradients"),
        ({"rounds": 0}, "rounds"),
        ({"bound": 3.0}, "must be a function of the delays"),
        ({"bound": lambda delays: 0.0}, "must be a finite number > 0"),
        ({"bound": lambda delays: "much"}, "bound"),
        ({"bound": bl.bounds.dda}, "use functools.partial, or bl.bounds.of"),
        ({"losses": bl.losses.Linear(1)}, "must be a family"),
        ({"steps": 0}, "steps"),
        ({"tries": -1}, "tries"),
        ({"seeds": []}, "seeds"),
    ],
)
def test_what_cannot_be_searched_is_refused(arguments, words):
    usual = {"learner": bl.dda(bl.Ball(1), 1.0), "bound": BOUND, "rounds": 8, "steps": 1, "tries": 1, "seeds": 1}
    with pytest.raises(InvalidArgument, match=words):
        bl.worst_case(**(usual | arguments))


DETERMINISTIC = [
    name
    for name, each in bounded.CASES.items()
    if each.bound.proved and not each.bound.in_expectation and each.learner.interface.feedback == "gradient"
]


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_bound_of_a_learner_brings_the_constants_of_its_losses(name):
    each = bounded.CASES[name]
    found = bl.worst_case(each.learner, each.bound, 3, progress=False)
    assert 0.0 < found.ratio <= 1.0 + 1e-9
    assert found.bound == each.bound.value(found.delays)
    steepest = found.gradients + each.learner.interface.regulariser * found.decisions
    assert np.linalg.norm(steepest, axis=1).max() <= each.losses.lipschitz + 1e-9
    curvature = getattr(found.losses, "strong_convexity", getattr(found.losses, "regulariser", 0.0))
    assert curvature == each.losses.strong_convexity
    if each.learner.interface.regulariser == 0.0:
        assert found.losses.lipschitz == each.losses.lipschitz


CENTRED = ("dogd", "dda_in_sums", "dda")


@pytest.mark.parametrize("name", [name for name in DETERMINISTIC if bounded.CASES[name].bound.name in CENTRED])
def test_with_any_start_a_bound_is_that_of_the_start(name):
    each = bounded.CASES[name]
    found = bl.worst_case(each.learner, each.bound, 3, any_start=True, progress=False)
    assert found.ratio <= 1.0 + 1e-9
    there = bl.bounds.of(each.learner, each.losses, initial=found.initial, statement=each.bound.name)
    assert found.bound == there.value(found.delays)
    fixed = bl.worst_case(each.learner, each.bound.value, 3, losses=found.losses, any_start=True, progress=False)
    assert fixed.ratio > 1.0, "the bound for the centre does not hold for other starts"


def test_another_steepness_than_that_of_the_bound_is_refused():
    learner = bl.dogd(bl.Ball(1), rate=0.5)
    bound = bl.bounds.of(learner, bl.losses.Constants(lipschitz=3.0, strong_convexity=0.0, smoothness=0.0))
    for more in ({"lipschitz": 5.0}, {"losses": bl.adversaries.Convex(5.0)}):
        with pytest.raises(InvalidArgument, match=r"bound.*, 3"):
            bl.worst_case(learner, bound, 3, **more)
    assert "after 3 rounds with L = 3, signs" in repr(bl.worst_case(learner, bound, 3, lipschitz=3.0))


def test_losses_without_the_curvature_of_the_bound_would_break_it():
    each = bounded.CASES["bold"]
    steep = bl.adversaries.Convex(each.losses.lipschitz)
    assert bl.worst_case(each.learner, each.bound, 3, losses=steep, progress=False).ratio > 1.0


def test_a_bound_that_promises_nothing_is_refused():
    with pytest.raises(InvalidArgument, match="must promise something"):
        bl.worst_case(bl.dda(bl.Ball(1), 1.0), lambda delays: math.inf, 3)


@pytest.fixture(scope="module")
def case():
    return searched(bl.dogd_sc(bl.Ball(2), 0.5), any_start=True)


def test_a_case_comes_back_from_its_file(case, tmp_path):
    case.save(tmp_path / "new" / "case.json")
    back = bl.WorstCase.load(tmp_path / "new" / "case.json")
    for name, value in vars(case).items():
        assert (
            np.array_equal(getattr(back, name), value)
            if isinstance(value, np.ndarray)
            else getattr(back, name) == value
        )
    assert back.problem.digest() == case.problem.digest()


def damaged(text):
    whole = json.loads(text)
    whole["case"]["delays"][0] += 1
    return json.dumps(whole)


def of_another_version(text):
    return text.replace('"schema": 1', '"schema": 2')


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (damaged, "does not have its digest"),
        (of_another_version, "schema 2"),
        (lambda text: text[:40], "not a file"),
        (lambda text: "[]", "not a file"),
        (lambda text: '{"kind": "a letter"}', "not a file"),
    ],
)
def test_a_changed_file_is_refused(case, tmp_path, change, words):
    path = tmp_path / "case.json"
    case.save(path)
    path.write_text(change(path.read_text()))
    with pytest.raises(StateMismatch, match=words):
        bl.WorstCase.load(path)


def test_a_case_can_be_drawn(case):
    assert draw(case).svg.startswith(b"<?xml")
    assert case.figure().get_suptitle().startswith("dogd_sc: regret")
