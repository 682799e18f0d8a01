"""Calls that are right, of everything that is exported: changed in one argument, they become calls that are wrong.

Of named learners, domains, losses, laws of delay and problems these are the calls that their examples make: they are
noted while the examples run, so that a new member of a registry needs nothing here. Other functions are called with
the arguments in ``USUAL``, by their names.
"""

import functools
import sys
from inspect import Parameter, isclass, isfunction, signature
from types import ModuleType

import numpy as np

import belated as bl
from belated import delays, domains
from belated.audit.adversaries import Adversary
from belated.core.errors import InvalidArgument
from belated.core.verbs import Verb
from belated.learners.catalogue import EXAMPLES
from belated.sim import problems
from support.losses import members
from support.players import HOMES

ELSEWHERE = ("adapters", "client", "errors", "journal", "open", "service")
"""What is about a process, a network or another library; the tests of these rooms have bad arguments of their own."""

FOR_CODE = ("extend.compilable", "extend.frozen", "extend.verb")
"""What is applied to the code of a part when that is written."""

BY_NAME = (Adversary, bl.models.Named, problems.LocallyPermuted, problems.Recorded)
"""Classes that people make and that no example makes. Others are made by the library."""

LEARNER = bl.ogd_sc(bl.Ball(3), strong_convexity=2.0)
LOG = bl.read_log([{"t": 1, "a": 2, "y": 1, "x": 0.5}], decided_at="t", answered_at="a", label="y")
USUAL = {
    "algorithm": bl.ogd_sc,
    "base": LEARNER,
    "bound": 1.0,
    "comparator": np.ones(3),
    "decisions": np.ones((3, 3)) / 2.0,
    "delays": [1, 2, 1],
    "diameter": 2.0,
    "dim": 3,
    "domain": bl.Ball(3),
    "exp_concavity": 0.5,
    "features": np.ones((3, 3)) / 2.0,
    "function": lambda number: 0.1,
    "gamma": 0.5,
    "gradients": np.ones((3, 3)) / 2.0,
    "inner_radius": 1.0,
    "label_bound": 1.0,
    "largest_norm": 1.0,
    "law": delays.Fixed(2),
    "learner": LEARNER,
    "learners": {"ogd": LEARNER},
    "length": 1.0,
    "lipschitz": 1.0,
    "log": LOG,
    "loss": bl.losses.Linear(3),
    "model": bl.models.logistic(),
    "models": {"default": bl.models.logistic()},
    "order": None,
    "path": "missing",
    "predictor": bl.models.logistic().start(),
    "probe_radius": 0.1,
    "problem": problems.RandomQuadratic(3),
    "radius": 1.0,
    "rate": 0.1,
    "rates": [0.1, 0.2],
    "regulariser": 1.0,
    "result": bl.simulate({"ogd": LEARNER}, problems.RandomQuadratic(3), delays.Fixed(1), rounds=5, seeds=1),
    "rounds": 5,
    "rows": np.ones((5, 3)),
    "run": None,
    "scale": 1.0,
    "seeds": 1,
    "setting": {},
    "folder": "missing",
    "smoothness": 2.0,
    "spread": 1.0,
    "steps": [bl.models.adagrad(), bl.models.dual_averaging()],
    "strong_convexity": 2.0,
    "window": 3,
}
OWN = {
    "compare": {"delays": delays.Fixed(1)},
    "recommended": {"delays": delays.Fixed(1)},
    "read_log": {"decided_at": "t", "answered_at": "a", "label": "y", "source": [{"t": 1, "a": 2, "y": 1, "x": 0.5}]},
    "record_run": {"delays": delays.Fixed(1)},
    "simulate": {"delays": delays.Fixed(1)},
    "worst_case": {
        "bound": functools.partial(bl.bounds.theorem_1, strong_convexity=2.0, radius=1.0, lipschitz=1.0),
        "losses": bl.adversaries.StronglyConvex(2.0),
        "steps": 3,
        "tries": 2,
    },
}
"""Where a name means something else than elsewhere."""


def exports():
    """Every function and class that is exported, by the name that people write after ``bl.``."""
    found = {}
    for name in sorted(set(bl.__all__) - set(ELSEWHERE)):
        value = getattr(bl, name)
        if isinstance(value, ModuleType):
            inner = getattr(value, "__all__", [each for each in vars(value) if not each.startswith("_")])
            found |= {f"{name}.{each}": getattr(value, each) for each in inner}
        else:
            found[name] = value
    return {
        name: value
        for name, value in found.items()
        if (isclass(value) or isfunction(value)) and not isinstance(value, Verb) and name not in FOR_CODE
    }


def uses():
    """For each name that is exported the calls to start from, as the arguments that they have."""
    noted, codes, given = {}, {}, exports()
    for name, value in given.items():
        codes.setdefault(_code(value), (name, value))
    codes.pop(None, None)

    def note(frame, event, _):
        if event == "call" and frame.f_code in codes:
            name, value = codes[frame.f_code]
            seen.append((name, {each: frame.f_locals[each] for each in signature(value).parameters}))

    for example in _examples():
        seen, before = [], sys.getprofile()
        sys.setprofile(note)
        try:
            example()
        except InvalidArgument:
            seen = []
        finally:
            sys.setprofile(before)
        for name, arguments in seen:
            left_out = frozenset(each for each, value in arguments.items() if value is None)
            noted.setdefault(name, {}).setdefault(left_out, arguments)
    found = {name: list(several.values()) for name, several in noted.items()}
    for name, value in given.items():
        if name not in found and _code(value) and (isfunction(value) or issubclass(value, BY_NAME)):
            own, parameters = OWN.get(name, {}), signature(value).parameters.values()
            usual = {
                each.name: own.get(each.name, each.default) for each in parameters if each.kind is not each.VAR_KEYWORD
            }
            found[name] = [{each: USUAL[each] if left is Parameter.empty else left for each, left in usual.items()}]
    return found


def call(function, arguments):
    """Call it, also where it takes any number of arguments by place."""
    places = [name for name, each in signature(function).parameters.items() if each.kind is each.VAR_POSITIONAL]
    if not places:
        return function(**arguments)
    return function(*(value for name, value in arguments.items() if name not in places), *arguments[places[0]])


def _examples():
    """Functions without arguments that make something by what is exported."""
    for example in EXAMPLES.values():
        for home in HOMES:
            yield functools.partial(example, home)
    for family in domains.EVERY:
        yield functools.partial(family.example, 3)
    for family in (*delays.EVERY, *problems.EVERY):
        yield family.example
    yield members


def _code(value):
    """The code of a function or of a constructor; none for a verb, and where Python has written the constructor."""
    if isfunction(value):
        return value.__code__
    constructor = next((vars(value)[name] for name in ("__new__", "__init__") if name in vars(value)), None)
    code = getattr(getattr(constructor, "__func__", constructor), "__code__", None)
    return None if code is None or "_cls" in code.co_varnames else code
