"""The steps of models that are learners of the catalogue on short rows: the two give the same predictions."""

import math
from importlib import import_module

import numpy as np
import pytest

import belated as bl
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates.weights import PlayWeight
from belated.learners.parts.steps.leader import Flat, leader
from belated.models import (
    adagrad,
    adaptive_revision,
    composite,
    dogd_sc,
    dual_averaging,
    ftrl_proximal,
)
from belated.models.features import Sparse
from support.broken import broken
from support.compiler import needs_compiler
from support.models import sigmoid

# the functions of the package have the names of their files
FILES = [f"belated.models.{name}" for name in ("adaptive_revision", "dogd_sc", "ftrl_proximal", "leader")]
revision_file, descent_file, proximal_file, leader_file = map(import_module, FILES)

DIM = 9
SPACE, BALL = bl.Euclidean(DIM + 1), bl.Ball(DIM + 1, radius=0.7)
LIPSCHITZ = 2.0


def whole_space_dda(scale):
    return from_arrivals("dda", SPACE, Batch(leader(SPACE, Flat(), PlayWeight(1.0 / scale))))


PAIRS = {
    "adagrad": (adagrad(0.4), bl.adagrad(SPACE, 0.4, eps=1e-8)),
    "ftrl_proximal": (ftrl_proximal(0.4), bl.ftrl_proximal(SPACE, 0.4, eps=0.0, beta=1.0)),
    "ftrl_proximal with penalties": (
        ftrl_proximal(0.6, beta=0.3, l1=0.2, l2=0.1),
        bl.ftrl_proximal(SPACE, 0.6, eps=0.0, beta=0.3, l1=0.2, l2=0.1),
    ),
    "adaptive_revision": (adaptive_revision(0.5), bl.adaptive_revision(SPACE, 0.5)),
    "dual_averaging": (dual_averaging(0.8), whole_space_dda(0.8)),
    "dual_averaging in a ball": (
        dual_averaging(0.7 / (math.sqrt(2.0) * LIPSCHITZ), radius=0.7),
        bl.dda(BALL, LIPSCHITZ),
    ),
    "composite": (composite(0.1), bl.composite_ftrl(SPACE, 0.1)),
    "composite in a ball": (composite(0.02, radius=0.7), bl.composite_ftrl(BALL, 0.02)),
    "composite with caution": (
        composite(0.02, radius=0.7, lipschitz=LIPSCHITZ, caution=0.5),
        bl.composite_ftrl(BALL, 0.02, LIPSCHITZ, 0.5),
    ),
    "dogd_sc": (dogd_sc(0.3), bl.dogd_sc(SPACE, 0.3)),
    "dogd_sc in a ball": (dogd_sc(0.3, radius=0.7), bl.dogd_sc(BALL, 0.3)),
}


def slope(link, margin, label):
    """The slope of the loss, for labels as people tell them."""
    return sigmoid(margin) - label if link == "logistic" else margin - label


class Composite:
    """What a player of ``dogd_sc`` must be told so that the regulariser's slope is that of where the step ends."""

    def __init__(self, player, regulariser):
        self.player, self.regulariser, self.received = player, regulariser, 0

    def gradient(self, gradient, present):
        self.received += 1
        h = 0.5 * self.regulariser * self.received
        return gradient + self.regulariser * (h * present - gradient) / (h + self.regulariser)


def difference(name, link="logistic", seed=0, rounds=120, compiled=False):
    """The largest relative difference of what step and learner predict, in a run with late labels in any order."""
    step, learner = PAIRS[name]
    rng, remembered, worst = np.random.default_rng(seed), {}, 0.0
    model = {"logistic": bl.models.logistic, "squared": bl.models.squared}[link]
    predictor, player = model(Sparse(DIM), step=step, slopes="decision").start(), learner.start(np.zeros(DIM + 1))
    if compiled:
        assert predictor.compile()
    told = Composite(player, step.strong_convexity) if name.startswith("dogd_sc") else None
    for number in range(1, rounds + 1):
        size = rng.integers(1, 5)
        slots = rng.choice(DIM, size, replace=False)
        values = rng.normal(size=size) if number % 2 else np.ones(size)
        row = np.zeros(DIM + 1)
        row[slots], row[DIM] = values, 1.0
        point = player.ask().point
        margin = float(point @ row)
        expected = sigmoid(margin) if link == "logistic" else margin
        apart = abs(predictor.predict((slots, values), number).value - expected)
        worst = max(worst, apart / max(1.0, abs(expected)))
        remembered[number] = row, margin
        while remembered and rng.random() < 0.6:
            key = int(rng.choice(list(remembered)))
            row, margin = remembered.pop(key)
            if rng.random() < 0.1:
                predictor.give_up(key)
                player.give_up(key)
                continue
            label = float(rng.integers(2)) if link == "logistic" else float(rng.normal(1.0, 2.0))
            weight = float(rng.choice([1.0, 0.5, 3.0]))
            gradient = weight * slope(link, margin, label) * row
            predictor.learn(key, label, weight=weight)
            player.tell(gradient if told is None else told.gradient(gradient, point), round=key)
            if told is not None:
                break  # that learner adds up what comes between two rounds, the step does not
    return worst


@pytest.mark.parametrize("link", ["logistic", "squared"])
@pytest.mark.parametrize("name", PAIRS)
def test_a_step_is_the_learner_of_the_catalogue(name, link):
    assert max(difference(name, link, seed) for seed in range(3)) < 1e-12


@needs_compiler
@pytest.mark.parametrize("name", ["adaptive_revision", "composite with caution", "dogd_sc in a ball"])
def test_a_compiled_step_is_the_learner_of_the_catalogue(name):
    assert difference(name, compiled=True) < 1e-12


MUTANTS = {
    "no bowl": ("ftrl_proximal", proximal_file.add_gradient, "(math.sqrt(float(lane[SQUARES])) - before)", "0.0"),
    "bowl about the new weight": (
        "ftrl_proximal",
        proximal_file.add_gradient,
        "/ step.scale * held",
        "/ step.scale * proximal_weight(step, lane)",
    ),
    "no l1": ("ftrl_proximal with penalties", proximal_file.proximal_weight, "- step.l1", ""),
    "l2 without the scale": (
        "ftrl_proximal with penalties",
        proximal_file.proximal_weight,
        "step.scale * step.l2",
        "step.l2",
    ),
    "no notes": ("adaptive_revision", revision_file.note_totals, "table[slots[i], TOTAL]", "0.0"),
    "no revision": ("adaptive_revision", revision_file.revise, "(eta - after) * between", "0.0 * between"),
    "z may fall": (
        "adaptive_revision",
        revision_file.revise,
        "max(float(lane[LARGEST]), float(lane[SQUARES]))",
        "max(float(lane[SQUARES]), 1e-9)",
    ),
    "overtaking once": ("adaptive_revision", revision_file.revise, "+ 2.0 * gradient", "+ gradient"),
    "missing once": ("dual_averaging", leader_file.decide_leader, "2.0 * float", "1.0 * float"),
    "counted after the play": (
        "dual_averaging",
        leader_file.renew_factor,
        "after_play(Ledger(made, 0, received, missing, 0, int(memory[PLAY_WEIGHT]), 0))",
        "Ledger(made, 0, received, missing, 0, max(1, int(memory[PLAY_WEIGHT])), 0)",
    ),
    "lost labels stay missing": ("dual_averaging", leader_file.lose_for_leader, "-= 1.0", "-= 0.0"),
    "labels stay missing": ("dual_averaging", leader_file.adapt_leader, "memory[MISSING] -= 1.0", "pass"),
    "norm without the cross term": (
        "composite in a ball",
        leader_file.add_slope,
        "(2.0 * float(table[slots[i], 0]) + gradient)",
        "gradient",
    ),
    "no projection": ("composite in a ball", leader_file.renew_factor, "norm <= step.radius * total", "True"),
    "nothing spent": ("composite with caution", leader_file.decide_leader, "memory[SPENT] = memory[UPCOMING]", "pass"),
    "spent at every event": (
        "composite with caution",
        leader_file.renew_factor,
        "memory[UPCOMING] = memory[SPENT]",
        "pass",
    ),
    "regulariser by label": ("dogd_sc", descent_file.adapt_descent, "0.5 * step", "1.0 * step"),
    "no shrinking": ("dogd_sc", descent_file.adapt_descent, "held / total)", "1.0)"),
    "no ball": ("dogd_sc in a ball", descent_file.descend, "norm > step.radius", "False"),
    "norm of before": ("dogd_sc in a ball", descent_file.descend, "(move - 2.0 * factor * was)", "move"),
    "norm not shrunk": ("dogd_sc in a ball", descent_file.shrink, "by * by", "by"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_step_with_a_mistake_would_be_caught(mutant):
    name, *change = MUTANTS[mutant]
    with broken(*change):
        assert difference(name) > 1e-5


def weight_of(predictor):
    memory, lane = predictor._running.machine.memory, predictor._running.machine.table[0]
    return memory[descent_file.FACTOR] * descent_file.stored(memory, lane)


def test_weights_that_shrink_for_long_stay_in_range():
    """A ball that is left at every label makes the common factor tiny; slots that nobody sees shrink along with it."""
    predictor = bl.models.squared(Sparse(2), step=dogd_sc(1e-6, radius=1e-3)).start()
    for number in range(1, 400):
        slot = 0 if number == 1 else 1
        predictor.predict(([slot], [1e6]), number)
        predictor.learn(number, 1e6)
        memory = predictor._running.machine.memory
        assert descent_file.SMALL <= memory[descent_file.FACTOR] <= 2.0
        assert abs(weight_of(predictor)) <= 1.001e-3
    assert memory[descent_file.PRESENT] > 2.0, "the range was left more than twice"
    assert weight_of(predictor) == 0.0
    assert predictor.look(([1], [1e6])) == pytest.approx(1e3, rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ftrl_proximal(0.0), "must be > 0"),
        (lambda: ftrl_proximal(beta=0.0), "must be > 0"),
        (lambda: ftrl_proximal(l1=-1.0), "must be >= 0"),
        (lambda: adaptive_revision(-1.0), "must be > 0"),
        (lambda: dual_averaging(0.0), "must be > 0"),
        (lambda: dual_averaging(radius=0.0), "must be > 0"),
        (lambda: composite(0.0), "must be > 0"),
        (lambda: composite(0.1, lipschitz=1.0), "needs a radius"),
        (lambda: composite(0.1, radius=1.0, lipschitz=1.0, caution=2.0), r"must lie in \[0, 1\]"),
        (lambda: dogd_sc(float("nan")), "must be"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        call()
