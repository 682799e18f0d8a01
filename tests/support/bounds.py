"""The bounds as functions of positional arguments, in the order of their signatures, so that tests stay short."""

from inspect import signature

from belated.theory import bounds


def _positional(function):
    names = list(signature(function).parameters)[1:]

    def call(delays, *values, **named):
        return function(delays, **dict(zip(names, values, strict=False)), **named)

    return call


counts = bounds.counts
theorem_1 = _positional(bounds.theorem_1)
theorem_2 = _positional(bounds.theorem_2)
theorem_3 = _positional(bounds.theorem_3)
certificate = _positional(bounds.certificate)
