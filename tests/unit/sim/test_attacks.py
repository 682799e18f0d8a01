"""Arguments that must not reach compiled code, which does not check the types and sizes of its arguments."""

import numpy as np
import pytest

import belated as bl
from belated.core.errors import BelatedError, InvalidArgument, RunsAsPython
from belated.domains.base import contains, embed, minimise, project
from belated.learners import Learner
from belated.learners.verbs import Interface, interface
from belated.losses import Quadratic
from belated.losses.base import Constants, gradient, value
from belated.losses.quadratic import quadratic_gradient, quadratic_value
from belated.sim import plain_or_compiled
from belated.sim.hindsight import best_fixed
from belated.sim.plan import plan_of
from belated.sim.run import Run
from support.compiler import needs_compiler
from support.own_parts import Bowl, Cube, bowl_gradient, bowl_value

DIM, ROUNDS = 3, 40


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch):
    monkeypatch.setattr(plain_or_compiled, "NUMBERS_WORTH_COMPILING", 1)


def losses(learner, problem, **options):
    return bl.simulate({"one": learner}, problem, bl.delays.Geometric(5.0), ROUNDS, [3], **options).cumulative_loss


class Turned(Quadratic):
    """A loss whose own check of rows returns them in an order of memory that compiled code does not know."""

    __slots__ = ()

    def check_rows(self, where, rows):
        return np.asfortranarray(super().check_rows(where, rows))


value.on(Turned)(quadratic_value)
gradient.on(Turned)(quadratic_gradient)


def test_rows_are_put_in_order_whatever_a_losses_own_check_returns():
    rows = np.random.default_rng(4).uniform(-1.0, 1.0, (ROUNDS, DIM))
    learner = bl.dogd_sc(bl.Ball(DIM), 2.0)

    class FromOutside:
        """Not a table that was looked at when it was given."""

        def __init__(self, loss):
            self.loss = loss

        def rows(self, seed, rounds):
            return rows[:rounds]

    plain = losses(learner, FromOutside(Quadratic(DIM, 2.0)))
    assert losses(learner, FromOutside(Turned(DIM, 2.0))).identical(plain)


class WholeCube(Cube):
    """A domain whose centre is of whole numbers."""

    __slots__ = ()

    @property
    def centre(self):
        return np.zeros(self[0].size, dtype=np.int64)


def test_a_centre_of_whole_numbers_is_one_of_real_numbers():
    for verb in (contains, embed, minimise, project):
        verb.on(WholeCube)(verb.implementations[Cube])
    problem = bl.problems.RandomQuadratic(DIM)
    whole, real = (bl.dogd_sc(cube(DIM, 0.3), 2.0) for cube in (WholeCube, Cube))
    for initial in (None, [0.1, 0.2, -0.1]):
        assert losses(whole, problem, initial=initial).identical(losses(real, problem, initial=initial))


class Fickle:
    """A problem whose loss is of another kind whenever it is asked for."""

    def __init__(self):
        self.asked = 0

    @property
    def loss(self):
        self.asked += 1
        return Quadratic(DIM, curvature=np.eye(DIM) if self.asked % 2 else np.ones(DIM))

    def rows(self, seed, rounds):
        return np.zeros((rounds, DIM))


def test_a_loss_that_changes_its_kind_is_not_mistaken():
    learner, start = bl.dogd_sc(bl.Ball(DIM), 2.0), [0.5, 0.1, 0.0]
    same = bl.problems.Recorded(Quadratic(DIM, 1.0), np.zeros((ROUNDS, DIM)))
    assert losses(learner, Fickle(), initial=start).values == pytest.approx(losses(learner, same, initial=start).values)


class Wide(Quadratic):
    """A quadratic whose rows have a weight of their own, so that the sum of its rows says nothing."""

    __slots__ = ()
    row_size = property(lambda self: self.size + 1)

    def _constants(self, rows, domain):
        return Constants(10.0, 1.0, 3.0)


@value.on(Wide)
def wide_value(loss, row, point):
    return row[loss.size] * quadratic_value(loss, row[: loss.size], point)


@gradient.on(Wide)
def wide_gradient(loss, row, point, out):
    quadratic_gradient(loss, row[: loss.size], point, out)
    for i in range(loss.size):
        out[i] *= row[loss.size]


@pytest.mark.parametrize("rounds", [50, 8000])
def test_a_loss_with_rows_of_another_kind_is_not_taken_for_a_quadratic(rounds):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(-1.0, 1.0, (rounds, DIM)), rng.uniform(0.5, 1.5, rounds)])
    best = best_fixed(Wide(DIM, 2.0), rows, bl.Ball(DIM))
    weights = rows[:, DIM]
    point = -(weights @ rows[:, :DIM]) / (2.0 * weights.sum())
    assert best.point == pytest.approx(point, abs=1e-6)


class Single(Quadratic):
    """A loss whose values have few digits."""

    __slots__ = ()


@value.on(Single, compiled=False)
def single_value(loss, row, point):
    return np.float32(quadratic_value(loss, row, point))


gradient.on(Single)(quadratic_gradient)


def test_losses_of_few_digits_are_added_up_with_all():
    problem = bl.problems.Recorded(Single(DIM, 2.0), np.random.default_rng(0).uniform(-1.0, 1.0, (3000, DIM)))
    learners = {"it": bl.dogd_sc(bl.Ball(DIM), 2.0)}
    result = bl.simulate(learners, problem, bl.delays.Fixed(2), 3000, [0], regret_at=[])
    assert result.cumulative_loss.equals(result.centre_cumulative_loss)


def test_code_is_not_let_loose_on_arguments_of_another_kind():
    loss, plan = Quadratic(DIM), plan_of(ROUNDS, DIM, np.array([ROUNDS]))
    run = Run("it", bl.dogd_sc(bl.Ball(DIM), 2.0), loss, plan, None, 0)
    right = list(run.arguments(np.zeros((1, DIM)), np.ones(1, dtype=np.int64)))
    code = plain_or_compiled._guarded(lambda *arguments: True, tuple(right))
    assert code(*right)
    rows = 5
    for wrong in (np.zeros((1, DIM), dtype=np.int64), np.zeros(DIM), np.zeros((1, 2 * DIM))[:, ::2], 1.0):
        with pytest.raises(BelatedError, match="of another kind"):
            code(*right[:rows], wrong, *right[rows + 1 :])


@pytest.mark.parametrize(
    "given",
    [
        Interface(1, "gradient", DIM - 1, 0, 0),
        Interface(0, "gradient", DIM, 0, 0),
        Interface(2, "gradient", DIM, 0, 0),
        Interface(2, "values", 1, 0, 0),
        Interface(1, "gradient", DIM, 0, -1),
        Interface(1, "guess", DIM, 0, 0),
    ],
)
def test_an_interface_that_cannot_be_is_refused(given, monkeypatch):
    learner = bl.dogd_sc(bl.Ball(DIM), 2.0)
    monkeypatch.setitem(interface.implementations, type(learner.policy), lambda policy: given)
    with pytest.raises(InvalidArgument, match=r"^`other\(interface=Interface"):
        Learner("other", learner.domain, learner.domain, learner.policy)


class Scribbler(Bowl):
    """A loss that uses its row as scratch paper."""

    __slots__ = ()


value.on(Scribbler)(bowl_value)


@gradient.on(Scribbler)
def scribbled(loss, row, point, out):
    row[0] = 0.0
    bowl_gradient(loss, row, point, out)


@needs_compiler
def test_rows_that_are_read_only_stay_as_they_are():
    rows = np.ones((9000, DIM))
    rows.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        best_fixed(Scribbler(DIM), rows, bl.Ball(DIM))
    learner, problem = bl.dogd_sc(bl.Ball(DIM), 2.0), bl.problems.Recorded(Scribbler(DIM), rows)
    with pytest.warns(RunsAsPython, match="runs as plain Python"), pytest.raises(ValueError, match="read-only"):
        losses(learner, problem)
    assert (rows == 1.0).all()
