"""Broken copies: a function of the library with one piece of its text replaced, in its place for a while."""

import contextlib
import inspect
import sys

import pytest

from belated.core.verbs import Verb


@contextlib.contextmanager
def broken(function, piece, other):
    """The library with ``piece`` of the text of a function replaced by ``other``, as plain Python runs it."""
    text = inspect.getsource(function)
    assert text.count(piece) == 1, f"{function.__name__} has this {text.count(piece)} times: {piece}"
    made, home = {}, vars(sys.modules[function.__module__])
    text = text[text.index("def ") :].replace(piece, other)
    exec(f"from __future__ import annotations\n{text}", home, made)
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if not name.startswith("belated."):
                continue
            for key, value in list(vars(module).items()):
                if value is function:
                    patch.setattr(module, key, made[function.__name__])
                elif isinstance(value, Verb):
                    if value.default is function:
                        patch.setattr(value, "default", made[function.__name__])
                    for part, implementation in list(value.implementations.items()):
                        if implementation is function:
                            patch.setitem(value.implementations, part, made[function.__name__])
        yield
