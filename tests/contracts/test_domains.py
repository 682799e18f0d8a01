"""What every domain must keep, run over all families, several dimensions, shrunk ones and products."""

import copy
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument
from belated.domains import EVERY, SLACK, Domain, Product, base
from support.domains import (
    CASES,
    DIMS,
    FAR,
    ROUNDING,
    check_isometry,
    check_least,
    check_membership,
    check_nearest_at_any_size,
    check_probes_stay_inside,
    check_projection,
    directions,
    finite_vectors,
    least_on,
    probe_of,
    same_bits,
    scale,
    searched_projection,
    several,
    vectors,
    violation,
)


def over(cases: dict[str, Domain]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("domain", list(cases.values()), ids=list(cases))


each_case = over(CASES)
each_bounded = over({name: domain for name, domain in CASES.items() if math.isfinite(domain.outer_radius)})
each_body = over({name: domain for name, domain in CASES.items() if 0.0 < domain.outer_radius < math.inf})
each_family = pytest.mark.parametrize("family", EVERY, ids=lambda family: family.__name__)
few = settings(max_examples=10)  # of each of the five or so cases of a family


# --- projection and membership


@each_case
@few
@given(st.data())
def test_project_is_the_projection(domain: Domain, data: st.DataObject) -> None:
    point, other = data.draw(vectors(domain.dim)), data.draw(vectors(domain.dim))
    check_projection(domain, domain.project, point, other)


@each_case
@settings(max_examples=4)
@given(st.data())
def test_project_finds_what_a_general_solver_finds(domain: Domain, data: st.DataObject) -> None:
    point = data.draw(vectors(domain.dim, 5.0))
    np.testing.assert_allclose(domain.project(point), searched_projection(domain, point), rtol=0.0, atol=2e-6)


@each_case
@few
@given(st.data())
def test_contains_agrees_with_the_definition(domain: Domain, data: st.DataObject) -> None:
    point = data.draw(vectors(domain.dim, 4.0))
    if data.draw(st.booleans()):
        point = domain.project(point)
        assert violation(domain, point) <= SLACK
    miss = violation(domain, point)
    assume(not 1e-10 < miss < 1e-6)
    assert domain.contains(point) == (miss <= 1e-10)


@each_case
@few
@given(st.data())
def test_elements_within_are_not_touched(domain: Domain, data: st.DataObject) -> None:
    element = 0.5 * domain.centre + 0.5 * domain.project(data.draw(vectors(domain.dim)))
    assert same_bits(domain.project(element), element)


@each_case
@few
@given(st.data())
def test_out_may_be_the_point_itself(domain: Domain, data: st.DataObject) -> None:
    point = data.draw(vectors(domain.dim))
    apart = np.full(domain.dim, 7.0)
    base.project(domain, point, apart)
    base.project(domain, point, point)
    assert same_bits(point, apart)


@each_case
def test_no_finite_point_is_too_small_or_too_large(domain: Domain) -> None:
    for size in (1e-300, 1e-200, 1e20, 1e200):
        for signs in (np.ones(domain.dim), (-1.0) ** np.arange(domain.dim), np.eye(domain.dim)[0]):
            assert domain.contains(domain.project(size * signs)), size


each_far = over(FAR)


def unless_too_large(domain: Domain, point: Vector) -> Vector:
    """The point, or a tenth of it where the domain has no bounds: its nearest element may be twice as large."""
    return point if math.isfinite(domain.outer_radius) else 0.1 * point


@each_far
@settings(max_examples=6)
@given(st.data())
def test_far_small_and_large_sets_hold_what_is_made_for_them(domain: Domain, data: st.DataObject) -> None:
    reach = min(domain.outer_radius, 1e3)
    near = domain.centre + reach * data.draw(vectors(domain.dim, 3.0))
    along = data.draw(directions(domain.hull_dim))
    check_membership(domain, domain.contains, near, along)
    check_nearest_at_any_size(domain, domain.project, near)
    anywhere = unless_too_large(domain, data.draw(finite_vectors(domain.dim)))
    check_membership(domain, domain.contains, anywhere, along)
    check_nearest_at_any_size(domain, domain.project, anywhere)


@each_case
@settings(max_examples=10)
@given(st.data())
def test_project_is_right_for_every_finite_point(domain: Domain, data: st.DataObject) -> None:
    check_nearest_at_any_size(domain, domain.project, unless_too_large(domain, data.draw(finite_vectors(domain.dim))))


@each_far
def test_far_sets_do_not_hold_what_is_clearly_outside(domain: Domain) -> None:
    if math.isfinite(domain.outer_radius):
        step = domain.embed(np.eye(domain.hull_dim)[0])
        outside = 1e-6 * domain.outer_radius + 1e-14 * float(np.abs(domain.centre).max())
        assert not domain.contains(domain.minimise(-step) + 3.0 * outside * step)


@over({name: domain for name, domain in FAR.items() if "1-at" in name and math.isfinite(domain.outer_radius)})
def test_a_player_far_away_plays_elements_and_can_be_resumed(domain: Domain) -> None:
    rng = np.random.default_rng(4)
    for learner in (bl.dogd_sc(domain, 1e-3), bl.bdogd_sc(domain, 1e-3, 0.1 * domain.inner_radius)):
        player = learner.start()
        for _ in range(5):
            points = np.atleast_2d(player.ask().point if learner.name == "dogd_sc" else player.ask().points)
            assert all(domain.contains(point) for point in points)
            player.tell(rng.normal(size=domain.dim if learner.name == "dogd_sc" else len(points)))
            learner.resume(player.state())


@each_case
def test_not_a_number_is_not_taken_for_an_element(domain: Domain) -> None:
    for place in range(domain.dim):
        point = domain.centre.copy()
        point[place] = math.nan
        out = np.zeros(domain.dim)
        base.project(domain, point, out)
        assert not np.isfinite(out).all()


# --- linear forms


@each_case
@few
@given(st.data())
def test_minimise_is_least(domain: Domain, data: st.DataObject) -> None:
    direction = data.draw(vectors(domain.dim))
    elements = [domain.centre, domain.project(data.draw(vectors(domain.dim)))]
    if least_on(domain, direction) is not None:
        elements.append(domain.project(domain.centre - 1e3 * direction))
        check_least(domain, domain.minimise, direction, elements)


@each_case
@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200])
def test_minimise_sees_the_direction_and_not_its_size(domain: Domain, size: float) -> None:
    direction = np.linspace(-1.0, 2.0, domain.dim)
    ordinary, extreme = least_on(domain, direction), least_on(domain, size * direction)
    if ordinary is None or extreme is None:
        assert ordinary is extreme
    else:
        np.testing.assert_allclose(extreme, ordinary, rtol=0.0, atol=ROUNDING * scale(ordinary))


@each_case
def test_the_zero_form_is_least_at_some_element(domain: Domain) -> None:
    assert domain.contains(domain.minimise(np.zeros(domain.dim)))


# --- balls, diameter, hull


@each_body
@few
@given(st.data())
def test_the_inner_ball_lies_in_the_set(domain: Domain, data: st.DataObject) -> None:
    assert domain.contains(domain.centre + domain.inner_radius * domain.embed(data.draw(directions(domain.hull_dim))))


@each_body
def test_the_inner_ball_cannot_be_larger(domain: Domain) -> None:
    """Its radius is the least distance from the centre to a supporting plane, over the planes' normals in the hull.

    Candidates are the coordinate axes within the hull, random directions, and the outward normals of projections.
    """
    basis = np.array([domain.embed(unit) for unit in np.eye(domain.hull_dim)])
    along = np.random.default_rng(0).normal(size=(300, domain.hull_dim)) @ basis
    outside = (domain.centre + size * direction for direction in along for size in (1.05 * domain.inner_radius, 9.0))
    normals = [*basis.T @ basis, *-basis.T @ basis, *along, *(point - domain.project(point) for point in outside)]
    units = [normal / np.linalg.norm(normal) for normal in normals if np.linalg.norm(normal) > 1e-6]
    distances = [unit @ (domain.centre - domain.minimise(unit)) for unit in units]
    assert domain.inner_radius * (1.0 - ROUNDING) <= min(distances) <= 1.05 * domain.inner_radius


@each_case
@few
@given(st.data())
def test_the_outer_ball_and_the_diameter_hold_the_set(domain: Domain, data: st.DataObject) -> None:
    one, two = (domain.project(data.draw(vectors(domain.dim))) for _ in range(2))
    assert np.linalg.norm(one - domain.centre) <= domain.outer_radius * (1.0 + ROUNDING)
    assert np.linalg.norm(one - two) <= domain.diameter * (1.0 + ROUNDING)


def settled(move: Callable[[Matrix], Matrix], ends: Matrix) -> Matrix:
    """The point at which another move changes nothing, or the point after a hundred moves."""
    for _ in range(100):
        before, ends = ends, move(ends)
        if same_bits(before, ends):
            break
    return ends


@each_bounded
def test_the_outer_ball_and_the_diameter_are_attained(domain: Domain) -> None:
    """Going again and again to the farthest element in the direction of the last one climbs to a farthest one."""
    rng = np.random.default_rng(1)
    reach = across = 0.0
    for direction in rng.normal(size=(30, domain.dim)):
        ends = np.array([domain.minimise(direction), domain.minimise(-direction)])
        (far,) = settled(lambda ends: np.array([domain.minimise(domain.centre - ends[0])]), ends[:1])
        reach = max(reach, float(np.linalg.norm(far - domain.centre)))
        ends[0] = far
        end, other = settled(
            lambda ends: np.array([domain.minimise(ends[1] - ends[0]), domain.minimise(ends[0] - ends[1])]), ends
        )
        across = max(across, float(np.linalg.norm(end - other)))
    assert reach == pytest.approx(domain.outer_radius, rel=1e-9)
    assert across == pytest.approx(domain.diameter, rel=1e-9)


@each_case
def test_the_longest_side_is_the_largest_difference_of_a_coordinate(domain: Domain) -> None:
    sides = []
    for unit in np.eye(domain.dim):
        ends = least_on(domain, unit), least_on(domain, -unit)
        sides.append(math.inf if ends[0] is None or ends[1] is None else float(unit @ (ends[1] - ends[0])))
    assert domain.longest_side == pytest.approx(max(sides), rel=1e-14)
    assert base.Domain.longest_side.__get__(domain) == pytest.approx(max(sides), rel=1e-14)


@each_case
def test_a_set_is_a_point_or_has_directions(domain: Domain) -> None:
    assert 0 <= domain.hull_dim <= domain.dim
    assert (domain.hull_dim == 0) == (domain.diameter == 0.0) == (domain.outer_radius == 0.0)
    if domain.hull_dim == 0:
        assert domain.inner_radius == math.inf, "there are no probes that could leave it"
        assert domain.shrink(1e3) == domain
        assert domain.embed([]).tolist() == [0.0] * domain.dim


@each_case
def test_the_centre_is_an_element_that_nobody_can_change(domain: Domain) -> None:
    assert domain.centre.shape == (domain.dim,)
    assert domain.contains(domain.centre)
    assert not domain.centre.flags.writeable


@each_case
@few
@given(st.data())
def test_embed_is_an_isometry_into_the_hull(domain: Domain, data: st.DataObject) -> None:
    check_isometry(domain, domain.embed, data.draw(vectors(domain.hull_dim)), data.draw(vectors(domain.hull_dim)))


# --- shrinking


@each_case
@few
@given(st.data())
def test_probes_from_a_shrunk_set_stay_inside(domain: Domain, data: st.DataObject) -> None:
    limit = min(domain.inner_radius, 1e3)
    probe_radius = data.draw(st.floats(1e-3, 0.999)) * limit
    shrunk = domain.shrink(probe_radius)
    assert type(shrunk) is type(domain)
    point, along = data.draw(vectors(domain.dim)), data.draw(directions(domain.hull_dim))
    check_probes_stay_inside(domain, shrunk, probe_radius, point, along)


@over({n: d for n, d in CASES.items() if math.isfinite(d.outer_radius) and not isinstance(d, Product)})
@few
@given(st.data())
def test_a_shrunk_set_is_the_set_scaled_about_its_centre(domain: Domain, data: st.DataObject) -> None:
    direction = data.draw(vectors(domain.dim))
    kept = 1.0 - probe_of(domain) / domain.inner_radius
    expected = domain.centre + kept * (domain.minimise(direction) - domain.centre)
    found = domain.shrink(probe_of(domain)).minimise(direction)
    np.testing.assert_allclose(
        direction @ found, direction @ expected, rtol=0.0, atol=ROUNDING * scale(direction) * 10.0
    )


@each_case
def test_a_probe_as_large_as_the_inner_ball_is_refused(domain: Domain) -> None:
    too_large = [domain.inner_radius, 2.0 * domain.inner_radius] if math.isfinite(domain.inner_radius) else [math.inf]
    for probe_radius in (*too_large, 1e201, 0.0, -1.0, math.nan):
        with pytest.raises(InvalidArgument, match="probe_radius"):
            domain.shrink(probe_radius)


@each_body
def test_a_set_can_be_shrunk_until_nothing_is_left(domain: Domain) -> None:
    speck = domain.shrink(domain.inner_radius * (1.0 - 1e-15))
    assert speck.hull_dim == domain.hull_dim
    assert speck.inner_radius <= 1e-14 * domain.inner_radius
    assert domain.contains(speck.project(np.full(domain.dim, 3.0)))


# --- manners


def held_arrays(part: Any) -> Iterator[Vector]:
    for field in part:
        if isinstance(field, np.ndarray):
            yield field
        elif isinstance(field, tuple):
            yield from held_arrays(field)


@each_case
def test_nobody_can_change_a_domain(domain: Domain) -> None:
    assert not any(array.flags.writeable for array in held_arrays(domain))
    with pytest.raises(AttributeError):
        domain.radius = 2.0  # type: ignore[attr-defined]  # that it has no such attribute is the point


def through_pickle(domain: Domain) -> Any:
    return pickle.loads(pickle.dumps(domain))


each_way_to_copy = pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, through_pickle])


@each_case
@each_way_to_copy
def test_a_copy_is_the_same_domain(domain: Domain, copied: Any) -> None:
    twin = copied(domain)
    assert type(twin) is type(domain)
    assert twin == domain
    assert hash(twin) == hash(domain)
    assert repr(twin) == repr(domain)


@each_family
@each_way_to_copy
def test_nobody_can_change_a_copy(family: type[Domain], copied: Any) -> None:
    assert not any(array.flags.writeable for array in held_arrays(copied(family.example(3))))


@each_family
def test_different_domains_are_not_equal(family: type[Domain]) -> None:
    domain = family.example(3)
    assert domain != family.example(4)
    assert domain != tuple(domain)  # type: ignore[arg-type]  # a domain is a tuple, but no other tuple is a domain
    assert [other for other in EVERY if other.example(3) == domain] == [family]


@each_family
def test_repr_names_the_family_and_its_fields(family: type[Domain]) -> None:
    text = repr(family.example(3))
    assert text.startswith(f"{family.__name__}(")
    assert all(f"{field}=" in text for field in type(family.example(3))._fields)  # type: ignore[attr-defined]  # domains are NamedTuples


@each_family
def test_methods_refuse_what_is_no_vector_of_the_space(family: type[Domain]) -> None:
    domain = family.example(3)
    nonsense: tuple[Any, ...] = ([1.0, 2.0], [[1.0, 2.0, 3.0]], [1.0, math.nan, 0.0], [math.inf, 0.0, 0.0], "abc", None)
    for wrong in nonsense:
        for method in (domain.project, domain.contains, domain.minimise, domain.embed):
            if method == domain.embed and domain.hull_dim == 2 and wrong == [1.0, 2.0]:
                continue
            with pytest.raises(InvalidArgument, match=f"{family.__name__}."):
                method(wrong)


# --- compiled code


def all_verbs(domain: Any, point: Vector, along: Vector, nearest: Vector, least: Vector, embedded: Vector) -> bool:
    base.project(domain, point, nearest)
    base.minimise(domain, point, least)
    base.embed(domain, along, embedded)
    return base.contains(domain, point, 1e-9)


compiled_verbs = numba.njit(all_verbs)


@each_family
@pytest.mark.parametrize("slack", ["x", -1e-9, math.nan, None])
def test_a_slack_that_is_none_is_refused(family: type[Domain], slack: Any) -> None:
    domain = family.example(3)
    with pytest.raises(InvalidArgument, match=rf"`{family.__name__}.contains\(slack="):
        domain.contains(domain.centre, slack)


def hard_points(dim: int) -> Iterator[Vector]:
    rng = np.random.default_rng(dim)
    for power in (-300, -160, -20, -1, 0, 0, 0, 1, 1, 6, 20, 160, 202, 290, 307):
        yield rng.normal(size=dim) * 10.0**power
        yield rng.choice([-1.0, 0.0, 1.0], size=dim) * 10.0**power
    yield rng.choice([-1.7e308, 1.7e308], size=dim)
    yield np.zeros(dim)


@pytest.mark.parametrize(
    "domain", [*(f.example(3) for f in EVERY), several()], ids=lambda d: f"{type(d).__name__}-{d.dim}"
)
def test_compiled_code_gives_the_same_bits(domain: Domain) -> None:
    instances = [domain, domain.shrink(probe_of(domain))]
    if domain != several():
        instances += [case for case in CASES.values() if type(case) is type(domain) and type(domain) is not Product]
        instances += [type(domain).example(dim) for dim in DIMS if type(domain) is not Product]
        instances += [far for far in FAR.values() if type(far) is type(domain) and type(domain) is not Product]
    for instance in instances:
        for point in hard_points(instance.dim):
            outs = [[np.full(instance.dim, 7.0) for _ in range(3)] for _ in range(2)]
            along = point[: instance.hull_dim]
            plain = all_verbs(instance, point, along, *outs[0])
            compiled = compiled_verbs(instance, point, along, *outs[1])
            assert plain == compiled
            assert all(same_bits(one, other) for one, other in zip(*outs, strict=True))
