"""Verbs: functions on which a part registers its implementation, in plain Python and in compiled code alike.

A verb is declared once, with the meaning of its arguments::

    @verb
    def project(domain: Domain, point: Vector, out: Vector) -> None:
        '''Write into ``out`` the nearest element of ``domain`` to ``point``.'''

and every part says in its own file how it does that::

    @project.on(Ball)
    def project_ball(ball: Ball, point: Vector, out: Vector) -> None: ...

``project(domain, point, out)`` then picks the implementation by the class of its first argument. Called from Python
it looks the class up at run time, like :func:`functools.singledispatch`. Called from code that numba compiles, the
class is part of the argument's type, so the choice is made while compiling and nothing of it remains in the machine
code. Adding a part therefore needs no switch anywhere, and arithmetic is written once.

A verb that can be made of others has an implementation for all classes that register none, :meth:`Verb.otherwise`.

Implementations must use what both worlds share: loops, ``math`` and indexing. Written so, the two give the same bits.
"""

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, Generic, ParamSpec, TypeVar

from belated.core import numba_door
from belated.core.checks import shown
from belated.core.errors import InvalidArgument, MissingVerb
from belated.core.parts import is_part_class

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Implementation = TypeVar("Implementation", bound=Callable[..., Any])


class Verb(Generic[Arguments, Result]):
    """A function chosen by the class of its first argument. Make one with :func:`verb`."""

    __name__: str

    def __init__(self, declaration: Callable[Arguments, Result]) -> None:
        functools.update_wrapper(self, declaration)
        self.implementations: dict[type, Callable[..., Result]] = {}
        self.default: Callable[..., Result] | None = None
        self.plain: set[type] = set()
        self.given: dict[type, Callable[..., Result]] = {}
        """What the compiler has been given, which it remembers."""
        numba_door.teach(self, self._for_compiler)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Do it, the way that the class of the first argument does it."""
        part = args[0]
        implementation = self.implementations.get(type(part), self.default)
        if implementation is None:
            raise MissingVerb(self._missing(type(part).__name__))
        return implementation(*args, **kwargs) if kwargs else implementation(*args)  # which is half as long a way

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Become a method where a class has a verb as an attribute, as functions do.

        This also makes ``help`` take a verb for a function, and show the arguments of its declaration.
        """
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<verb {self.__name__}>"

    def on(self, *part_classes: type, compiled: bool = True) -> Callable[[Implementation], Implementation]:
        """Register the decorated function as this verb's implementation for the given classes.

        Args:
            part_classes: Classes of parts, each a ``NamedTuple``.
            compiled: ``False`` says that the function is plain Python, which the compiler need not try to understand.

        Returns:
            A decorator that leaves the function as it is.

        Raises:
            InvalidArgument: One of the classes is no ``NamedTuple``. Parts are saved, compared and compiled by their
                fields, which another class does not have.

        Example:
            >>> from typing import NamedTuple
            >>> from belated.extend import Ledger, inverse_rate
            >>> class Slow(NamedTuple):
            ...     start: float
            >>> @inverse_rate.on(Slow)
            ... def slow_inverse_rate(rate: Slow, ledger: Ledger) -> float:
            ...     return rate.start + ledger.round
            >>> inverse_rate(Slow(2.0), Ledger(round=3))
            5.0
        """
        for part_class in part_classes:
            if not is_part_class(part_class):
                label = getattr(part_class, "__qualname__", None) or shown(part_class)
                raise InvalidArgument(
                    f"`{self.__name__}.on({label})`: must be the class of a part, and {label} is no NamedTuple; a part "
                    "is written as `class Name(NamedTuple)`, with a field for everything that it holds",
                    "part_classes",
                )

        def register(implementation: Implementation) -> Implementation:
            for part_class in part_classes:
                self.implementations[part_class] = implementation
                (self.plain.discard if compiled else self.plain.add)(part_class)
            return implementation

        return register

    def otherwise(self, implementation: Implementation) -> Implementation:
        """Register the decorated function for all classes that have no implementation of their own."""
        self.default = implementation
        return implementation

    def knows(self, part: object) -> bool:
        """Whether the class of ``part`` has registered an implementation."""
        return type(part) in self.implementations

    def require(self, part: object) -> None:
        """Raise :class:`MissingVerb` unless the class of ``part`` has registered an implementation."""
        if not self.knows(part):
            raise MissingVerb(self._missing(type(part).__name__))

    def _for_compiler(self, *argument_types: Any) -> Callable[..., Result] | None:
        """The compiler asks with types in place of values; ``None`` makes it report a typing error at the call."""
        part_class = numba_door.class_of(argument_types[0])
        implementation = self.implementations.get(part_class, self.default)
        if part_class in self.plain or implementation is None:
            return None
        return self.given.setdefault(part_class, implementation)

    def _missing(self, class_name: str) -> str:
        known = ", ".join(sorted(c.__name__ for c in self.implementations)) or "none yet"
        name = self.__name__
        return f"`{name}` has no implementation for {class_name}; register one with @{name}.on (known: {known})"


def verb(declaration: Callable[Arguments, Result]) -> Verb[Arguments, Result]:
    """Turn a declaration (signature and docstring, empty body) into a verb.

    Args:
        declaration: A function with an empty body, whose first argument is the part.

    Returns:
        The verb; parts register with ``@verb.on(Class)``.
    """
    return Verb(declaration)


def compilable(function: Implementation) -> Implementation:
    """Mark a plain function that implementations of verbs call; in Python it stays exactly what it is.

    Args:
        function: A function that keeps to the rules of a verb.

    Returns:
        The same function.
    """
    numba_door.teach(function, lambda *argument_types: function)
    return function


def compiled_as(loop: Callable[..., Any]) -> Callable[[Implementation], Implementation]:
    """Mark a plain function in whose place compiled code has a loop: the two must come to the same bits.

    Python is slow at loops over arrays. Where a single operation of NumPy, or a loop over a list, does the same as the
    loop to the last bit, plain Python has that.

    Args:
        loop: A function with the same arguments that keeps to the rules of a verb.

    Returns:
        A decorator that leaves the function as it is, but for the attribute ``loop``.
    """

    def mark(function: Implementation) -> Implementation:
        vars(function)["loop"] = loop  # where a digest of what the code is made of finds it
        numba_door.teach(function, lambda *argument_types: loop)
        return function

    return mark
