"""The three kinds of quadratic form against full matrices."""

import re

import numpy as np
import pytest

from belated.core.errors import InvalidArgument
from belated.losses.forms import DenseForm, Diagonal, Form, Scaled, form_of
from belated.losses.heights import height, slope
from support.losses import described, matrix_of, random_semidefinite

DIM = 4
RNG = np.random.default_rng(8)
FORMS: list[Form] = [
    Scaled(1.5),
    Scaled(0.0),
    Diagonal([0.0, 1.0, 3.0, 0.5]),
    DenseForm(random_semidefinite(RNG, DIM, DIM)),
    DenseForm(random_semidefinite(RNG, DIM, 2)),
]
every_form = pytest.mark.parametrize("form", FORMS, ids=described)


@every_form
def test_verbs_agree_with_the_matrix(form: Form) -> None:
    matrix, point, out = matrix_of(form, DIM), np.array([0.3, -1.0, 2.0, 0.7]), np.empty(DIM)
    linear = np.array([0.5, 0.1, -3.0, 1.1])
    slope(form, linear, point, out)
    np.testing.assert_allclose(out, matrix @ point + linear, rtol=1e-14)
    np.testing.assert_allclose(form.image(point), matrix @ point, rtol=1e-14)
    assert height(form, linear, point) == pytest.approx(0.5 * point @ matrix @ point + linear @ point, rel=1e-14)


@every_form
def test_eigenvalues_and_spectrum_agree_with_the_matrix(form: Form) -> None:
    matrix = matrix_of(form, DIM)
    eigenvalues = np.linalg.eigvalsh(matrix)
    assert form.smallest == pytest.approx(eigenvalues[0], abs=1e-14)
    assert form.smallest >= 0.0
    assert form.largest == pytest.approx(eigenvalues[-1], rel=1e-14)
    values, axes = form.spectrum(DIM)
    columns = np.eye(DIM) if axes is None else axes
    np.testing.assert_allclose(columns @ np.diag(values) @ columns.T, matrix, atol=1e-14)


@every_form
def test_arithmetic_agrees_with_that_of_matrices_and_keeps_the_class(form: Form) -> None:
    matrix = matrix_of(form, DIM)
    for result, expected in [
        (form.times(2.5), 2.5 * matrix),
        (form.shifted(0.25), matrix + 0.25 * np.eye(DIM)),
    ]:
        assert type(result) is type(form)
        np.testing.assert_allclose(matrix_of(result, DIM), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("curvature", "expected"),
    [
        (2, Scaled(2.0)),
        ([1.0, 2.0], Diagonal([1.0, 2.0])),
        ([[2.0, 1.0], [1.0, 2.0]], DenseForm([[2.0, 1.0], [1.0, 2.0]])),
    ],
)
def test_a_users_number_vector_or_matrix_becomes_the_form_that_it_means(curvature: object, expected: Form) -> None:
    assert form_of("Quadratic", "curvature", curvature, 2) == expected


@pytest.mark.parametrize(
    ("curvature", "complaint"),
    [
        (-1.0, "must be >= 0"),
        (float("inf"), "must be finite"),
        ("steep", "must be a real number"),
        ([1.0, -2.0], "must be >= 0, entry [1] is -2"),
        ([1.0, 2.0, 3.0], "must have shape (2,), got shape (3,)"),
        ([[1.0, 0.5], [0.4, 1.0]], "must be symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "must be positive semidefinite, has the eigenvalue -1"),
        ([[1.0, 0.0]], "must be square, got shape (1, 2)"),
    ],
)
def test_what_is_no_form_is_refused_by_name(curvature: object, complaint: str) -> None:
    with pytest.raises(InvalidArgument, match=r"`Quadratic\(curvature=.*" + re.escape(complaint)):
        form_of("Quadratic", "curvature", curvature, 2)


def test_forms_check_their_own_arguments() -> None:
    with pytest.raises(InvalidArgument, match=r"`Scaled\(factor=-1.0\)`: must be >= 0"):
        Scaled(-1.0)
    with pytest.raises(InvalidArgument, match=r"`Diagonal\(entries=\[-1.0\]\)`: must be >= 0"):
        Diagonal([-1.0])
    with pytest.raises(InvalidArgument, match=r"`DenseForm\(matrix=.*must be symmetric"):
        DenseForm([[1.0, 1.0], [0.0, 1.0]])


def test_asymmetry_within_rounding_is_averaged_away() -> None:
    matrix = np.array([[2.0, 1.0], [1.0 + 1e-15, 2.0]])
    kept = DenseForm(matrix).matrix
    assert kept[0, 1] == kept[1, 0]


def test_a_form_owns_frozen_arrays() -> None:
    entries = np.array([1.0, 2.0])
    form = Diagonal(entries)
    entries[0] = 7.0
    assert form.entries[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        form.entries[0] = 7.0
