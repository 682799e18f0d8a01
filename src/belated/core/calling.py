"""Calls whose arguments are all given by name, as tables and JSON have them, also those of ``*others``."""

from collections.abc import Callable, Mapping
from inspect import BoundArguments, Parameter, Signature
from typing import Any


def missing(form: Signature, arguments: Mapping[str, Any]) -> list[str]:
    """The names of the arguments that a call needs and that are not given.

    Args:
        form: The signature of what is called.
        arguments: What is given, by name.

    Returns:
        Names, in the order of the signature.
    """
    return [
        each.name
        for each in form.parameters.values()
        if each.default is Parameter.empty and each.kind is not Parameter.VAR_POSITIONAL and each.name not in arguments
    ]


def call(maker: Callable[..., Any], form: Signature, arguments: Mapping[str, Any]) -> Any:
    """What a function or class makes of arguments that are given by name; those of ``*others`` are one list.

    Args:
        maker: What is called.
        form: Its signature.
        arguments: The arguments by name; every name is one of the signature's.

    Returns:
        Whatever it returns.

    Example:
        >>> from inspect import signature
        >>> call(max, signature(lambda first, *others: 0), {"others": [3, 5], "first": 4})
        5
    """
    ordered = {each: arguments[each] for each in form.parameters if each in arguments}
    bound = BoundArguments(form, ordered)
    return maker(*bound.args, **bound.kwargs)
