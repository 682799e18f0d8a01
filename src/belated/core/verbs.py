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

A verb is a plain function with the arguments of its declaration, made when it is declared, that looks the class up and
calls what it finds. Python calls a function from a function without leaving its loop. An object that can be called, or
arguments that are gathered and spread again, take three times as long, and a round of a learner calls a dozen verbs.
What else a verb has are attributes of that function (:class:`Verb`).
"""

import functools
import inspect
import keyword
from collections.abc import Callable
from types import FrameType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from belated.core import numba_door
from belated.core.checks import shown
from belated.core.errors import InvalidArgument, MissingVerb
from belated.core.parts import is_part_class

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Implementation = TypeVar("Implementation", bound=Callable[..., Any])

_WRITTEN = "<verb>"
"""The name of the file that the code of a verb seems to be in."""

_OWN_NAMES = ("_implementations", "_type")
"""What the code of a verb uses besides its arguments."""

_PLAIN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


class Implementations(dict[type, Callable[..., Any]]):
    """What a verb does, by the class of its first argument; what is missing is the verb's default, or an error."""

    verb: "Verb[..., Any]"

    def __missing__(self, part_class: type) -> Callable[..., Any]:
        if self.verb.default is None:
            raise MissingVerb(_missing(self.verb, part_class.__name__))
        return self.verb.default


class _Verbs(type):
    """The class of :class:`Verb`, whose objects are functions."""

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, FunctionType) and isinstance(vars(thing).get("implementations"), Implementations)


class Verb(Generic[Arguments, Result], metaclass=_Verbs):
    """What a verb has besides its call: a function that :func:`verb` has made carries these as attributes.

    There are no objects of this class itself. ``isinstance(thing, Verb)`` says whether a function is a verb.
    """

    __name__: str
    implementations: Implementations
    default: Callable[..., Result] | None
    """What is done for classes that register nothing, if anything is."""
    plain: set[type]
    """The classes whose implementation is for Python only."""
    given: dict[type, Callable[..., Result]]
    """What the compiler has been given, which it remembers."""

    if TYPE_CHECKING:

        def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            """Do it, the way that the class of the first argument does it."""

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
            raise MissingVerb(_missing(self, type(part).__name__))


def verb(declaration: Callable[Arguments, Result]) -> Verb[Arguments, Result]:
    """Turn a declaration (signature and docstring, empty body) into a verb.

    Args:
        declaration: A function with an empty body, whose first argument is the part.

    Returns:
        The verb; parts register with ``@verb.on(Class)``.

    Raises:
        InvalidArgument: The declaration is no function, or it has no argument, one with a default, ``*`` or ``**``, or
            one of the two names that the code of a verb uses itself.
    """
    if not isinstance(declaration, FunctionType):
        raise InvalidArgument(f"`verb({shown(declaration)})`: must be a function, written with `def`", "declaration")
    parameters = inspect.signature(declaration).parameters.values()
    name = declaration.__name__
    if not name.isidentifier() or keyword.iskeyword(name) or name in _OWN_NAMES:
        name = "verb"  # in the code alone: it is called what its declaration is called
    if not parameters or any(each.kind not in _PLAIN or each.default is not each.empty for each in parameters):
        wanted = "must have the part as its first argument, and arguments with plain names and without defaults"
        raise InvalidArgument(f"`verb({name})`: {wanted}", "declaration")
    for each in parameters:
        if each.name in _OWN_NAMES:
            wanted = f"must have no argument that is called {each.name}, which the code of a verb uses itself"
            raise InvalidArgument(f"`verb({name})`: {wanted}", "declaration")
    arguments = ", ".join(each.name for each in parameters)
    first, _, _ = arguments.partition(",")
    implementations = Implementations()
    home: dict[str, Any] = dict(zip(_OWN_NAMES, (implementations, type), strict=True))
    text = f"def {name}({arguments}):\n    return _implementations[_type({first})]({arguments})"
    exec(compile(text, _WRITTEN, "exec"), home)  # noqa: S102  # as NamedTuple does; all of the text are names
    made = functools.update_wrapper(home[name], declaration)
    methods = {name: MethodType(getattr(Verb, name), made) for name in ("on", "otherwise", "knows", "require")}
    vars(made).update(implementations=implementations, default=None, plain=set(), given={}, **methods)
    found = cast(Verb[Arguments, Result], made)
    implementations.verb = found
    numba_door.teach(made, MethodType(_for_compiler, found))
    return found


def called_in(frame: FrameType) -> tuple[Verb[..., Any], Any] | None:
    """The verb and the part of a call, if the frame is that of a verb; for messages about what has failed in it."""
    if frame.f_code.co_filename != _WRITTEN:
        return None
    return frame.f_globals["_implementations"].verb, frame.f_locals[frame.f_code.co_varnames[0]]


def _for_compiler(verb: Verb[..., Result], *argument_types: Any) -> Callable[..., Result] | None:
    """The compiler asks with types in place of values; ``None`` makes it report a typing error at the call."""
    part_class = numba_door.class_of(argument_types[0])
    implementation = verb.implementations.get(part_class, verb.default)
    if part_class in verb.plain or implementation is None:
        return None
    return verb.given.setdefault(part_class, implementation)


def _missing(verb: Verb[..., Any], class_name: str) -> str:
    known = ", ".join(sorted(c.__name__ for c in verb.implementations)) or "none yet"
    name = verb.__name__
    return f"`{name}` has no implementation for {class_name}; register one with @{name}.on (known: {known})"


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
