"""What Python code has called to make a learner, as the JSON that says the same.

While a function runs, every call of a maker (:mod:`belated.service.words`) is noted with its arguments and what it has
returned. So the JSON comes from the calls themselves, and not from the code under test.
"""

import sys
from inspect import isclass, isfunction

import numpy as np

from belated.service.words import ALGORITHMS, DOMAINS, PARTS, STEPS, form

EVERY = {**PARTS, **STEPS, **DOMAINS, **ALGORITHMS}


def _code(maker):
    """The code of a function or constructor; that of a plain NamedTuple may be shared by others, and tells nothing."""
    code = maker.__code__ if isfunction(maker) else getattr(maker.__new__, "__code__", None)
    return None if code is None or "_cls" in code.co_varnames else code


CODES = {_code(maker): name for name, maker in EVERY.items() if _code(maker) is not None}
CLASSES = {maker: name for name, maker in PARTS.items() if isclass(maker)}


class Noted:
    """Makers that were called while a function ran."""

    def __init__(self):
        self.calls = {}
        self._kept = []
        self._open = {}

    def run(self, function, *arguments):
        """What the function returns, with notes of what it called."""
        before = sys.getprofile()
        sys.setprofile(self._profile)
        try:
            return function(*arguments)
        finally:
            sys.setprofile(before)

    def _profile(self, frame, event, value):
        if frame.f_code not in CODES:
            return
        if event == "call":
            self._open[id(frame)] = {name: each for name, each in frame.f_locals.items() if name != "cls"}
        elif event == "return" and value is not None:
            self._kept.append(value)  # so that no other object gets its address
            self.calls.setdefault(id(value), (CODES[frame.f_code], self._open.pop(id(frame))))

    def written(self, value):
        """A value as JSON: what was called to make it, or the value itself."""
        if id(value) in self.calls:
            name, arguments = self.calls[id(value)]
            given = {
                each: self.written(inner) for each, inner in arguments.items() if not _is_default(name, each, inner)
            }
            return {name: given}
        if type(value) in CLASSES:
            return {CLASSES[type(value)]: {each: self.written(getattr(value, each)) for each in value._fields}}
        if isinstance(value, np.ndarray):
            return value.tolist()
        return [self.written(each) for each in value] if isinstance(value, list | tuple) else value


def _is_default(name, argument, value):
    default = form(EVERY[name]).parameters[argument].default
    return value is default


def spec_of(function, *arguments):
    """What a function returns, a learner or model, and the specification that says how it was made."""
    noted = Noted()
    found = noted.run(function, *arguments)
    ((name, given),) = noted.written(found).items()
    return found, {"algorithm": name, "arguments": given}
