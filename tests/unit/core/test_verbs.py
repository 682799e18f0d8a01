"""Verbs choose by class, the same in plain Python and in compiled code, through nested parts."""

import functools
import inspect
import math
import pydoc
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import pytest

from belated.core.errors import InvalidArgument, MissingVerb
from belated.core.verbs import Verb, verb
from support.compiler import needs_compiler


@verb
def area(shape: Any, scale: float) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The area of ``shape``, enlarged by ``scale`` in every direction."""


class Square(NamedTuple):
    side: float


class Rectangle(NamedTuple):
    width: float
    height: float


class Both(NamedTuple):
    one: Any
    other: Any


class Stranger(NamedTuple):
    side: float


@area.on(Square)
def area_square(square: Square, scale: float) -> float:
    return (square.side * scale) ** 2


@area.on(Rectangle)
def area_rectangle(rectangle: Rectangle, scale: float) -> float:
    return rectangle.width * rectangle.height * scale * scale


@area.on(Both)
def area_both(both: Both, scale: float) -> float:
    return area(both.one, scale) + area(both.other, scale)


SHAPES = [
    (Square(0.1), (0.1 * 3.0) ** 2),
    (Rectangle(0.1, 0.7), 0.1 * 0.7 * 3.0 * 3.0),
    (Both(Square(0.1), Rectangle(0.1, 0.7)), (0.1 * 3.0) ** 2 + 0.1 * 0.7 * 3.0 * 3.0),
    (Both(Rectangle(2.0, 3.0), Both(Square(1.0), Square(2.0))), 54.0 + (9.0 + 36.0)),
]


@numba.njit
def compiled(shape: Any, scale: float) -> float:
    return area(shape, scale)


@pytest.mark.parametrize(("shape", "expected"), SHAPES)
def test_the_class_of_the_first_argument_chooses(shape: Any, expected: float) -> None:
    assert area(shape, 3.0) == expected


@needs_compiler
@pytest.mark.parametrize(("shape", "expected"), SHAPES)
def test_compiled_code_gives_the_same_bits(shape: Any, expected: float) -> None:
    assert compiled(shape, 3.0) == area(shape, 3.0) == expected


def test_an_implementation_stays_an_ordinary_function() -> None:
    assert area_square(Square(2.0), 1.0) == 4.0


def test_a_verb_looks_like_its_declaration() -> None:
    assert area.__name__ == "area"
    assert area.__doc__ is not None
    assert area.__doc__.startswith("The area of")


def test_help_shows_the_arguments_of_the_declaration() -> None:
    assert str(inspect.signature(area)) == "(shape: Any, scale: float) -> float"
    written = pydoc.plain(pydoc.render_doc(area))
    assert "\narea(shape: Any, scale: float) -> float\n    The area of" in written


def test_a_verb_takes_the_names_of_its_declaration() -> None:
    assert area(Square(2.0), scale=3.0) == area(shape=Square(2.0), scale=3.0) == 36.0
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'scale'"):
        area(Square(2.0))  # type: ignore[call-arg]  # as somebody might


def test_only_plain_arguments_can_be_declared() -> None:
    for wrong in (lambda: 0.0, lambda shape, scale=1.0: 0.0, lambda *shapes: 0.0, lambda shape, *, scale: 0.0):
        with pytest.raises(InvalidArgument, match=r"^`verb\(verb\)`: must have the part as its first argument"):
            verb(wrong)


def test_verbs_are_told_from_other_functions() -> None:
    assert isinstance(area, Verb)
    assert not isinstance(area_square, Verb)
    assert not isinstance(vars(area)["__wrapped__"], Verb)
    look_alike = lambda shape: shape  # noqa: E731  # which only looks like one
    vars(look_alike)["implementations"] = dict(area.implementations)
    assert not isinstance(look_alike, Verb)


def test_a_verb_in_a_class_is_a_method() -> None:
    tile: Any = type("Tile", (Square,), {"enlarged": area})
    assert tile.enlarged is area
    with pytest.raises(MissingVerb, match="for Tile"):
        tile(2.0).enlarged(3.0)


@pytest.mark.parametrize(
    "wrong", [type("Plain", (), {}), int, tuple, dataclass(frozen=True)(type("Data", (), {})), area_square, Square(1.0)]
)
def test_only_classes_of_named_tuples_are_parts(wrong: Any) -> None:
    known = dict(area.implementations)
    with pytest.raises(
        InvalidArgument, match=r"^`area\.on\(.*\)`: must be the class of a part, and .* is no NamedTuple"
    ):
        area.on(Square, wrong)
    assert area.implementations == known


def test_a_part_without_the_verb_is_named_with_those_that_have_it() -> None:
    expected = (
        r"^`area` has no implementation for Stranger; register one with @area.on \(known: Both, Rectangle, Square\)$"
    )
    with pytest.raises(MissingVerb, match=expected):
        area(Stranger(1.0), 1.0)
    with pytest.raises(MissingVerb, match="for Stranger"):
        area(Both(Square(1.0), Stranger(1.0)), 1.0)


@needs_compiler
def test_compiled_code_refuses_a_part_without_the_verb() -> None:
    with pytest.raises(numba.TypingError):
        compiled(Stranger(1.0), 1.0)
    with pytest.raises(numba.TypingError):
        compiled(1.0, 1.0)


def test_a_subclass_must_register_for_itself() -> None:
    class Tile(Square):
        __slots__ = ()

    with pytest.raises(MissingVerb, match="for Tile"):
        area(Tile(1.0), 1.0)


def test_one_implementation_may_serve_several_classes() -> None:
    @verb
    def width(shape: Any) -> float:  # type: ignore[empty-body]  # declarations have no body
        """How wide."""

    with pytest.raises(MissingVerb, match=r"\(known: none yet\)"):
        width(Square(1.0))

    @width.on(Square, Stranger)
    def width_of_side(shape: Any) -> float:
        return float(shape.side)

    assert [width(Square(1.0)), width(Stranger(2.0))] == [1.0, 2.0]


@verb
def outline(shape: Any) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The length of the outline, more or less."""


@outline.on(Rectangle)
def outline_of_rectangle(rectangle: Rectangle) -> float:
    return 2.0 * (rectangle.width + rectangle.height)


@outline.otherwise
def outline_by_area(shape: Any) -> float:
    return 4.0 * math.sqrt(area(shape, 1.0))


@numba.njit
def compiled_outline(shape: Any) -> float:
    return outline(shape)


@needs_compiler
def test_what_is_made_of_other_verbs_serves_all_classes_that_say_nothing_else() -> None:
    assert outline(Rectangle(1.0, 4.0)) == compiled_outline(Rectangle(1.0, 4.0)) == 10.0
    assert outline(Square(3.0)) == compiled_outline(Square(3.0)) == 12.0
    with pytest.raises(MissingVerb, match="`area` has no implementation for Stranger"):
        outline(Stranger(1.0))
    with pytest.raises(numba.TypingError):
        compiled_outline(Stranger(1.0))
    assert outline.knows(Rectangle(1.0, 1.0))
    assert not outline.knows(Square(1.0))


@needs_compiler
def test_an_implementation_in_plain_python_is_for_python_only() -> None:
    @verb
    def height(shape: Any) -> float:  # type: ignore[empty-body]  # declarations have no body
        """How high."""

    @height.on(Square, compiled=False)
    def height_of_square(shape: Square) -> float:
        return float(str(shape.side))

    @numba.njit
    def asked(shape: Any) -> float:
        return height(shape)

    assert height(Square(2.0)) == 2.0
    assert height.plain == {Square}
    with pytest.raises(numba.TypingError):
        asked(Square(2.0))
    height.on(Square)(lambda shape: shape.side)
    assert height.plain == set(), "the last registration counts"


def test_only_functions_become_verbs() -> None:
    for wrong in (5, None, len, Square, functools.partial(area, scale=1.0)):
        with pytest.raises(InvalidArgument, match=r"^`verb\(.*\)`: must be a function"):
            verb(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["_type", "_implementations"])
def test_names_that_the_code_of_a_verb_uses_are_no_arguments(name: str) -> None:
    home: dict[str, Any] = {}
    exec(f"def one({name}, y): pass\ndef other(part, {name}): pass", home)
    for declaration in (home["one"], home["other"]):
        with pytest.raises(InvalidArgument, match=f"must have no argument that is called {name}"):
            verb(declaration)


@pytest.mark.parametrize("name", ["_type", "_implementations", "class", "None", "<lambda>", "print"])
def test_a_verb_may_be_called_anything(name: str) -> None:
    def declaration(part: Any) -> float:  # type: ignore[empty-body]
        ...

    declaration.__name__ = name
    made = verb(declaration)
    made.on(Square)(lambda part: 7.0)
    assert made.__name__ == name
    assert made(Square(1.0)) == 7.0
