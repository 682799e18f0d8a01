"""Learners and models as plain values, so that a journal can keep them, and back.

A description is made of parts, which are NamedTuples of numbers, texts, arrays and other parts. Here each part becomes
a mapping with the name of its class and its fields. What is read back is equal to what was written, by its fingerprint;
a description for which that is not so cannot be written. The composition is kept, and not the call that made it: a
later version of the library that composes an algorithm differently goes on with the old composition.

=======================  ==============================================================================
value                    written as
=======================  ==============================================================================
``None``, truth, text    itself
whole and real number    itself; one that is not finite ``{"number": "inf"}``
a part                   ``{"part": "belated:Ball", "fields": {"radius": 1.0, ...}}``
a tuple                  ``{"tuple": [...]}``
an array                 ``{"array": [...], "type": "<f8", "shape": [2]}``, all numbers in one list
=======================  ==============================================================================

A part of your own is found by the name of its class in a module that is loaded already, since nothing is ever imported
because a file says so. Functions cannot be written: what they do is not in their name.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from belated.core.errors import InvalidArgument, StateMismatch
from belated.core.parts import identity, is_part_class
from belated.learners.learner import Learner
from belated.models.model import Model

Description = Learner | Model

ROOMS = ("core", "domains", "losses", "learners", "models")
"""Where the parts of this library are."""

LEARNER = ("name", "domain", "decision_domain", "policy")
MODEL = ("name", "link", "features", "step", "labels", "slopes", "waiting")
"""The fields of descriptions, in the order in which their classes take them."""


def written(description: Description) -> dict[str, Any]:
    """A learner or a model as plain values.

    Args:
        description: The learner or model.

    Returns:
        A mapping that JSON can hold.

    Raises:
        InvalidArgument: It has something in it that cannot be written, such as a function; the message names it.
    """
    if not isinstance(description, (Learner, Model)):
        raise InvalidArgument(f"a {type(description).__name__} is neither a learner nor a model", "description")
    kind, names = ("learner", LEARNER) if isinstance(description, Learner) else ("model", MODEL)
    found = {"kind": kind, "fingerprint": description.fingerprint}
    for name in names:
        found[name] = _written(getattr(description, name), f"{description.name}.{name}")
    if read_back(found) != description:
        raise InvalidArgument(f"`{description.name}` cannot be written: it would not come back as it is", "description")
    return found


def read_back(values: Mapping[str, Any]) -> Description:
    """The learner or model that :func:`written` was given.

    Args:
        values: What it returned, also after a stay in JSON.

    Returns:
        An equal learner or model.

    Raises:
        StateMismatch: The values are damaged, or name a part that is not known here.
    """
    try:
        kind = values["kind"]
        names, made = {"learner": (LEARNER, Learner), "model": (MODEL, Model)}[kind]
        found: Description = made(**{name: read_field(values[name]) for name in names})
        wanted = values["fingerprint"]
    except StateMismatch:
        raise
    except Exception as problem:
        raise StateMismatch(f"the description of a learner is damaged: {problem}") from problem
    if found.fingerprint != wanted:
        raise StateMismatch(
            f"the description of `{found.name}` does not come back as it was written: a part of it has changed since"
        )
    return found


def _written(value: Any, where: str) -> Any:
    """A value as plain values; ``where`` names it in messages."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if np.isfinite(value) else {"number": repr(value)}
    if is_part_class(kind):
        named = zip(kind._fields, value, strict=True)
        fields = {name: _written(field, f"{where}.{name}") for name, field in named}
        return {"part": _name_of(kind), "fields": fields}
    if kind is tuple:
        return {"tuple": [_written(each, f"{where}[{place}]") for place, each in enumerate(value)]}
    if kind is np.ndarray and value.dtype.kind in "fiub":
        numbers = [_written(each, where) for each in value.ravel().tolist()]
        return {"array": numbers, "type": value.dtype.str, "shape": list(value.shape)}
    raise InvalidArgument(
        f"`{where}` cannot be written: it is a {kind.__name__}, and only numbers, texts, arrays and parts can", where
    )


def read_field(value: Any) -> Any:
    """What a field of a description holds, from plain values; whatever is wrong with them raises something."""
    if isinstance(value, list):
        return tuple(read_field(each) for each in value)
    if not isinstance(value, Mapping):
        return value
    if "number" in value:
        return float(value["number"])
    if "tuple" in value:
        return read_field(value["tuple"])
    if "array" in value:
        found = np.array(list(read_field(value["array"])), dtype=value["type"]).reshape(value["shape"])
        found.flags.writeable = False
        return found
    part, fields = _class_of(value["part"]), value["fields"]
    if {*fields} != {*part._fields}:
        raise StateMismatch(f"the part {value['part']!r} has other fields here than where it was written")
    return part._make(read_field(fields[name]) for name in part._fields)


def _name_of(part: type) -> str:
    """The name by which a class of parts is found again: that of fingerprints, behind its module if it is not ours."""
    name = identity(part)
    return name if name.startswith("belated:") else f"{part.__module__}:{part.__qualname__}"


def _class_of(name: str) -> Any:
    module, _, own = name.partition(":")
    found = _library().get(own) if module == "belated" else getattr(sys.modules.get(module), own, None)
    if not is_part_class(found):
        hint = "" if module == "belated" else f"; import {module} before the store is opened"
        raise StateMismatch(f"the part {own!r} of {module} is not known here{hint}")
    return found


@cache
def _library() -> dict[str, Any]:
    """Every class of parts in this library, by its name."""
    found = {}
    for room in ROOMS:
        package = importlib.import_module(f"belated.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(importlib.import_module(module.name)).values():
                if is_part_class(value) and value.__module__.startswith("belated."):
                    found[value.__qualname__] = value
    return found
