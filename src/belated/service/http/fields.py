"""What is wrong with a body, in words that say what to do: the field that is meant, or the words that are allowed.

The decoder tells what is wrong and where in one sentence. Here that sentence is read, and the type of the body tells
what there could have been in that place. A sentence of another form is passed on as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.inspect import ListType, LiteralType, Metadata, StructType, Type, UnionType, type_info

from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

_LONGEST = 60
"""Letters of a wrong word that are repeated."""

_SAID = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<place>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[[^\]]*\]")
_NAMED = re.compile(r"[^`']*[`'](?P<word>.*)[`']", re.DOTALL)


def explained(error: msgspec.ValidationError, takes: Any) -> InvalidArgument:
    """What is wrong with a body, with the name of the field that it is about.

    Args:
        error: What the decoder says.
        takes: The type of the whole body.

    Returns:
        The error to be raised.
    """
    said = _SAID.fullmatch(str(error))
    what, place = (said["what"], said["place"] or "") if said else (str(error), "")
    named = [step[1] for step in _STEP.finditer(place) if step[1]]
    argument = named[-1] if named else None
    quoted = _NAMED.fullmatch(what)
    for beginning, explain in _EXPLAINED.items():
        if what.startswith(beginning) and quoted:
            return explain(quoted["word"][:_LONGEST], _found(type_info(takes), place), argument)
    return InvalidArgument(str(error), argument)


def _unknown(word: str, here: Type, argument: str | None) -> InvalidArgument:
    known = [field.encode_name for field in here.fields] if isinstance(here, StructType) else []
    return InvalidArgument(f"there is no field `{word}` here; {suggestion(word, known)}", word)


def _missing(word: str, here: Type, argument: str | None) -> InvalidArgument:
    return InvalidArgument(f"`{word}` must be given", word)


def _not_allowed(word: str, here: Type, argument: str | None) -> InvalidArgument:
    allowed = ", ".join(map(str, here.values)) if isinstance(here, LiteralType) else "others"
    return InvalidArgument(f"`{argument}` must be one of {allowed}, not {word!r}", argument)


_EXPLAINED: Mapping[str, Callable[[str, Type, str | None], InvalidArgument]] = {
    "Object contains unknown field": _unknown,
    "Object missing required field": _missing,
    "Invalid enum value": _not_allowed,
}
"""What is said instead of sentences that begin so."""


def _found(whole: Type, place: str) -> Type:
    """The type that stands in a place of a body."""
    found = _plain(whole)
    for step in _STEP.finditer(place):
        if step[1] and isinstance(found, StructType):
            found = next((_plain(field.type) for field in found.fields if field.encode_name == step[1]), found)
        elif isinstance(found, ListType):
            found = _plain(found.item_type)
    return found


def _plain(found: Type) -> Type:
    """A type without its notes; of several the one that has parts."""
    while isinstance(found, Metadata):
        found = found.type
    if isinstance(found, UnionType):
        parts = [_plain(each) for each in found.types]
        return next((each for each in parts if isinstance(each, StructType | ListType | LiteralType)), parts[0])
    return found
