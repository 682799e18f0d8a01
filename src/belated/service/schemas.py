"""JSON Schema of everything that :func:`~belated.service.making.made` makes, from signatures and docstrings.

A form can be made of it without knowing any algorithm. Each schema stands for itself. A domain, a base learner or a
step within a step is described by its names only, since it may hold further ones without end; what its arguments are is
said where it is listed itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import Parameter, getdoc, isclass
from typing import Any, get_args, get_origin

from numpy.typing import ArrayLike

from belated.core.arrays import Vector
from belated.core.calling import missing
from belated.domains.base import Domain
from belated.learners.catalogue import CARDS
from belated.learners.learner import Learner
from belated.models.verbs import Step
from belated.service.words import ALGORITHMS, DOMAINS, Maker, choices, form, is_function, makes, takes_function

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The version of JSON Schema; it is a name, and nothing is read from there."""

Schema = dict[str, Any]

NUMBERS: Schema = {"type": "array", "items": {"type": "number"}}
TABLE: Schema = {"type": "array", "items": NUMBERS}

GAP: Schema = {"type": "null"}

PLAIN: Sequence[tuple[Any, Schema]] = (
    (float, {"type": "number"}),
    (int, {"type": "integer"}),
    (bool, {"type": "boolean"}),
    (str, {"type": "string"}),
    (type(None), GAP),
    (Vector, NUMBERS),
    (ArrayLike, {"anyOf": [{"type": "number"}, NUMBERS, TABLE]}),
    (ArrayLike | None, {"anyOf": [{"type": "number"}, NUMBERS, TABLE, GAP]}),
)
"""What annotations mean that hold nothing else."""

_FUNCTION = re.compile(r"As for :func:`(\w+)`\.")
_ENTRY = re.compile(r"(\w+): (.*)")
_ROLE = re.compile(r":\w+:`~?([^`]*)`")


@cache
def catalogue() -> Mapping[str, Any]:
    """What can be made: every algorithm and every domain, with the schemas of their arguments.

    Returns:
        ``{"algorithms": [{"name", "kind", "title", "arguments"}], "domains": [{"name", "arguments"}]}``.
    """
    algorithms = [
        {
            "name": name,
            "kind": "learner" if name in CARDS else "model",
            "title": _title(name),
            "arguments": whole(maker),
        }
        for name, maker in ALGORITHMS.items()
    ]
    return {
        "algorithms": algorithms,
        "domains": [{"name": name, "arguments": whole(maker)} for name, maker in DOMAINS.items()],
    }


def whole(maker: Maker) -> Schema:
    """The schema of all arguments of a function or class, as a document of its own."""
    return {"$schema": DIALECT, **_arguments(maker)}


def _title(name: str) -> str:
    return CARDS[name].title if name in CARDS else (getdoc(ALGORITHMS[name]) or "").partition("\n")[0]


def _arguments(maker: Maker, deep: bool = True) -> Schema:
    texts, parameters = explained(maker), form(maker).parameters.values()
    properties = {parameter.name: _property(parameter, texts, deep) for parameter in parameters}
    needed = [each.name for each in parameters if each.default is Parameter.empty]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _property(parameter: Parameter, texts: Mapping[str, str], deep: bool) -> Schema:
    """The schema of one argument, with its default where JSON can hold that."""
    found = dict(schema_of(parameter.annotation, deep))
    if parameter.kind is Parameter.VAR_POSITIONAL:
        found = {"type": "array", "items": found, "minItems": 1}
    default = list(parameter.default) if type(parameter.default) is tuple else parameter.default
    if default is None and found:
        found = _any([found, GAP])
    if default is not Parameter.empty and (default is None or isinstance(default, bool | int | float | str | list)):
        found["default"] = default
    return {**found, **({"description": texts[parameter.name]} if parameter.name in texts else {})}


def schema_of(annotation: Any, deep: bool = True) -> Schema:
    """What may stand for an argument of this annotation; unless ``deep``, steps are said by their names only."""
    for kind, schema in PLAIN:
        if annotation == kind:
            return schema
    if annotation is Any:
        return {}
    for kind, title in ((Domain, "domain"), (Learner, "learner"), (Step, "step")):
        if annotation == kind:
            return {"title": title, **_parts(choices(kind), deep and kind == Step)}
    inner, origin = get_args(annotation), get_origin(annotation)
    if isclass(origin) and issubclass(origin, Iterable):
        return {"type": "array", "items": schema_of(inner[0], deep)}
    members = [each for each in inner if not choices(each) and not is_function(each)]
    parts = _shown(choices(annotation))
    return _any([*([_parts(parts, detailed=True)] if parts else []), *(schema_of(each, deep) for each in members)])


def _shown(makers: Mapping[str, Maker]) -> Mapping[str, Maker]:
    """One name for each thing that can be made: that of the function that people call, if there is one."""
    order = sorted(makers, key=lambda name: isclass(makers[name]))
    best: dict[Any, str] = {}
    for name in order:
        best.setdefault(makes(makers[name]), name)
    return {name: makers[name] for name in order if name in best.values() and not takes_function(makers[name])}


def _any(schemas: Iterable[Schema]) -> Schema:
    """Any of these, each of them once."""
    found: list[Schema] = []
    for schema in schemas:
        found += [each for each in (schema["anyOf"] if [*schema] == ["anyOf"] else [schema]) if each not in found]
    return dict(found[0]) if len(found) == 1 else {"anyOf": found}


def _parts(makers: Mapping[str, Maker], detailed: bool) -> Schema:
    """A mapping with one name and its arguments, or the name alone where nothing else is needed."""
    alone = [name for name, maker in makers.items() if not missing(form(maker), {})]
    if detailed:
        inner: Schema = {"properties": {name: _arguments(maker, deep=False) for name, maker in makers.items()}}
        inner["additionalProperties"] = False
    else:
        inner = {"propertyNames": {"enum": [*makers]}, "additionalProperties": {"type": "object"}}
    table = {"type": "object", "minProperties": 1, "maxProperties": 1, **inner}
    return {"anyOf": [table, {"enum": alone}]} if alone else table


@cache
def explained(maker: Maker) -> Mapping[str, str]:
    """What the docstring of a maker says of each argument."""
    found: dict[str, str] = {}
    for name, text in _entries(getdoc(maker) or ""):
        other = _FUNCTION.search(text)
        if other and other[1] in ALGORITHMS and ALGORITHMS[other[1]] is not maker:
            text = _FUNCTION.sub(explained(ALGORITHMS[other[1]]).get(name, ""), text)
        found[name] = _ROLE.sub(r"\1", text).replace("``", "").strip()
    return found


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The names and texts of the section of arguments."""
    lines = iter(text.splitlines())
    name, words = "", [""]
    for line in lines:
        if line.strip() == "Args:":
            break
    for line in lines:
        if not line.startswith("    "):
            break
        entry = _ENTRY.fullmatch(line.strip()) if not line.startswith("     ") else None
        if entry:
            if name:
                yield name, " ".join(words)
            name, words = entry[1], [entry[2]]
        else:
            words.append(line.strip())
    if name:
        yield name, " ".join(words)
