"""What of a class may be used by code in which certain names occur.

That is what has one of these names, and every method that Python calls without its name, as ``__mul__`` for ``*``. It
is not what follows from the fields of the class, because Python has made it of them.
"""

from collections.abc import Iterator, Set
from typing import Any

from belated.core.code_names import is_standard

_PASSIVE = {"__annotate__", "__annotate_func__", "__class__", "__weakref__"}
"""Members with two underscores that look like methods, and that no operator calls."""

_ACCESSORS = ("_tuplegetter", "member_descriptor", "getset_descriptor")
"""What a field is in its class."""


def members_of(owner: type, names: Set[str]) -> Iterator[tuple[str, Any]]:
    """The members that a class itself has, without those of its bases, by name and in alphabetical order."""
    for name, member in sorted(vars(owner).items()):
        if name in names or (is_special(name) and _is_called_unnamed(name, member)):
            for each in _bare(member):
                if not _is_made_of_fields(owner, each):
                    yield name, each


def is_special(name: str) -> bool:
    """Whether a name has two underscores on either side."""
    return name.startswith("__") and name.endswith("__")


def _bare(member: Any) -> list[Any]:
    """The functions of a property or of a method that belongs to the class; anything else is what it is."""
    if isinstance(member, property):
        return [each for each in (member.fget, member.fset, member.fdel) if each]
    return [member.__func__ if isinstance(member, staticmethod | classmethod) else member]


def _is_called_unnamed(name: str, member: Any) -> bool:
    return name not in _PASSIVE and (callable(member) or hasattr(member, "__get__"))


def _is_made_of_fields(owner: type, member: Any) -> bool:
    """Whether it is a field, or a method that every NamedTuple, dataclass or Enum has."""
    if type(member).__name__ in _ACCESSORS:
        return True
    module, code = str(getattr(member, "__module__", "")), getattr(member, "__code__", None)
    if module == "collections" or module.startswith("namedtuple_"):
        return True
    if code is not None and "__dataclass_fields__" in vars(owner) and code.co_filename == "<string>":
        return is_special(code.co_name)
    return is_standard(getattr(member, "__globals__", {}).get("__name__", ""))
