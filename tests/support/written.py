"""Everything that a setting can name, as a user would write it: tables that make the library's own examples."""

import inspect
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import Any
from unittest import mock

import numpy as np

from belated.comparisons.words import spoken
from belated.core.errors import InvalidArgument
from belated.domains import EVERY
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.catalogue import CARDS, NAMED

DOMAINS: dict[str, dict[str, Any]] = {
    "ball": {"dim": 2, "radius": 1.5, "centre": [0.5, -1.0]},
    "box": {"lower": [0.0, 1.0], "upper": [1.0, 3.0]},
    "simplex": {"dim": 2, "total": 2.0, "floor": 0.1},
    "l1-ball": {"dim": 2, "radius": 1.5},
    "ellipsoid": {"semi_axes": [2.0, 1.0], "centre": [0.5, 0.5]},
    "halfspace": {"normal": [1.0, -2.0], "offset": -0.5},
    "product": {"first": {"name": "ball", "dim": 1}, "others": [{"name": "box", "lower": [0], "upper": [1]}]},
    "euclidean": {"dim": 2},
}

DELAYS: dict[str, dict[str, Any]] = {
    "fixed": {"delay": 5},
    "periodic": {"delays": [2, 3, 2, 1, 4, 1, 3]},
    "burst": {"period": 8},
    "trace": {"delays": [3, 1, 4, 1, 5, 9, 2, 6]},
    "uniform": {"least": 1, "most": 10},
    "geometric": {"mean": 6},
    "poisson": {"mean": 4.5},
    "pareto": {"shape": 0.8, "scale": 0.25},
    "never": {"law": {"name": "uniform", "least": 1, "most": 5}, "probability": 0.3},
    "mixture": {
        "laws": [{"name": "fixed", "delay": 1}, {"name": "geometric", "mean": 20}],
        "weights": [3, 1],
    },
}

LOSSES: dict[str, dict[str, Any]] = {
    "linear": {"dim": 2},
    "quadratic": {"dim": 2, "curvature": 2.0},
    "squared-error": {"dim": 2, "l2": 0.1},
    "logistic": {"dim": 2, "l2": 0.1},
    "squared-hinge": {"dim": 2, "l2": 0.1},
    "log-wealth": {"dim": 2},
    "misclassification": {"dim": 2, "features": 2},
}

PROBLEMS: dict[str, dict[str, Any]] = {
    "random-quadratic": {"dim": 2},
    "drifting-quadratic": {"dim": 2, "speed": 0.02, "noise": 0.5},
    "sign-flips": {"dim": 2, "period": 20},
    "ill-conditioned": {"dim": 2, "condition": 100},
    "late-labels": {"dim": 2, "l2": 0.01},
    "pricing": {"noise": 0.5},
    "forecast-experts": {"experts": 2},
    "regression": {"dim": 2, "noise": 0.5},
    "separable": {"dim": 3, "features": 5, "margin": 0.1},
    "locally-permuted": {"problem": {"name": "random-quadratic", "dim": 2}, "window": 3},
    "recorded": {"loss": {"name": "linear", "dim": 2}, "rows": [[1.0, 2.0]] * 20},
}


@cache
def example(name: str, variant: str = "") -> tuple[Domain, Learner, dict[str, Any]]:
    """A learner's example on the first domain that it is for, and the arguments of it as a table."""
    calls: dict[int, tuple[Learner, dict[str, Any]]] = {}

    def watched(function: Callable[..., Learner]) -> Callable[..., Learner]:
        def call(*given: Any, **options: Any) -> Learner:
            made = function(*given, **options)
            arguments = inspect.signature(function).bind(*given, **options).arguments
            table = {key: written(value) for key, value in arguments.items() if key != "domain"}
            calls[id(made)] = made, {"name": spoken(function.__name__.replace("_", "-")), **table}
            return made

        return call

    def written(value: Any) -> Any:
        if isinstance(value, Learner):
            return calls[id(value)][1]
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            fields = {key: written(each) for key, each in value._asdict().items()}
            return {"name": spoken(type(value).__name__), **fields}
        return [written(each) for each in value] if isinstance(value, list | tuple) else value

    modules = [module for path, module in sys.modules.items() if path.startswith("belated.learners.")]
    with ExitStack() as patched:
        for each, function in NAMED.items():
            for module in modules:
                if vars(module).get(each) is function:
                    patched.enter_context(mock.patch.object(module, each, watched(function)))
        return _made(name, variant, calls)


def _made(name: str, variant: str, calls: dict[int, tuple[Learner, dict[str, Any]]]) -> tuple[Domain, Learner, Any]:
    refusal = None
    for family in EVERY:
        domain = family.example(2)
        try:
            made = CARDS[name].examples[variant](domain)
        except InvalidArgument as error:
            refusal = refusal or error
            continue
        plain = made, {"name": name.replace("_", "-")}  # who needs nothing but a domain is its own example
        return domain, made, calls.get(id(made), plain)[1]
    raise refusal or LookupError(name)


def arguments_of(spoken_name: str) -> dict[str, Any]:
    """The arguments with which a learner's example is made, as a table."""
    table = example(spoken_name.replace("-", "_"))[2]
    return {key: value for key, value in table.items() if key != "name"}
