"""A setting in plain words, for the heads of figures and tables."""

from collections.abc import Iterator
from inspect import signature
from typing import Any

import numpy as np

from belated.comparisons.setting import Setting
from belated.comparisons.words import spoken
from belated.core.parts import Part

MOST_NUMBERS = 12
"""Of a longer list only the length is told."""


def summary(setting: Setting, seeds: int) -> str:
    """Problem, dimension, delays, rounds and seeds in a line; ``seeds`` are those that were finished.

    >>> from belated.comparisons import read
    >>> summary(read("experts", rounds=200), 5)
    'forecast experts, n = 20; delays geometric, mean 10; 200 rounds, 5 seeds'
    """
    own = {label: entry.delays for label, entry in setting.entries.items() if entry.delays != setting.delays}
    words = [f"{described(setting.problem, setting.domain.dim)}, n = {setting.domain.dim}"]
    words.append(f"delays {described(setting.delays)}")
    if len(own) == 1:
        words += [f"{label}: delays {described(law)}" for label, law in own.items()]
    elif own:
        words.append(f"{len(own)} learners have delays of their own")
    return "; ".join([*words, f"{counted(setting.rounds, 'round')}, {counted(seeds, 'seed')}"])


def described(thing: Any, known: int | None = None) -> str:
    """The name of a problem or of a law, and the arguments that it was made with.

    Arguments that have their default are left out, and so is a whole number that is ``known`` anyway.

    >>> from belated.delays import Geometric, Never
    >>> described(Never(Geometric(20), 0.2))
    'never, law geometric (mean 20), probability 0.2'
    """
    return ", ".join([_name(thing), *_arguments(thing, known)])


def counted(number: int, what: str) -> str:
    """A number of things, of which there may be one."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _name(thing: Any) -> str:
    return spoken(type(thing).__name__).replace("-", " ").replace("_", " ").strip()


def _arguments(thing: Any, known: int | None) -> Iterator[str]:
    try:
        form = signature(type(thing))
    except (TypeError, ValueError):  # a class of somebody's own, of which Python cannot tell
        return
    for name, parameter in form.parameters.items():
        value = getattr(thing, name, None)
        words = _value(value)
        usual = isinstance(value, int | float | str) and value == parameter.default
        if words and not usual and not (known is not None and value == known and isinstance(value, int)):
            yield f"{name.replace('_', ' ')} {words}"


def _value(value: Any) -> str:
    """An argument in words; nothing for what has no short ones."""
    if isinstance(value, bool | str):
        return str(value).lower()
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, np.ndarray | list | tuple) and not isinstance(value, Part):
        return _list(list(value))
    return _nested(value) if isinstance(value, Part) or hasattr(value, "loss") else ""


def _list(values: list[Any]) -> str:
    words = [_value(each) for each in values]
    return ", ".join(words) if len(words) <= MOST_NUMBERS and all(words) else f"({counted(len(values), 'number')})"


def _nested(thing: Any) -> str:
    arguments = ", ".join(_arguments(thing, None))
    return f"{_name(thing)} ({arguments})" if arguments else _name(thing)
