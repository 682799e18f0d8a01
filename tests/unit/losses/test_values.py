"""Values and gradients against independent formulas; gradients by complex steps, which are exact up to rounding."""

import numpy as np
import pytest

from belated.losses import Loss
from support.losses import described, members, naive_gradient, naive_value


@pytest.mark.parametrize("dim", [1, 2, 7])
@pytest.mark.parametrize("index", range(len(members())), ids=[described(loss) for loss in members()])
def test_values_and_gradients_agree_with_the_definition(index: int, dim: int) -> None:
    loss: Loss = members(dim)[index]
    rng = np.random.default_rng(31)
    for row in loss.example_rows(rng, 20):
        point = rng.uniform(0.05, 2.0, dim)
        expected = naive_value(loss, row, point).real
        assert loss.value(row, point) == pytest.approx(expected, rel=1e-12, abs=1e-13)
        np.testing.assert_allclose(loss.gradient(row, point), naive_gradient(loss, row, point), rtol=1e-11, atol=1e-12)
