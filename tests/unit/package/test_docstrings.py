"""Docstrings: every public name has one that says something, and documents each of its arguments.

Two kinds of function need no docstring of their own: implementations of verbs, which the verb documents, and members
that override what a base class documents.
"""

import ast
import importlib
import inspect
import pkgutil
import pydoc
import re
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated.core.verbs import Verb

FEWEST_WORDS = 5
NAMES = [each.name for each in pkgutil.walk_packages(bl.__path__, "belated.") if not each.name.endswith("__main__")]


def registered(function):
    """Whether a decorator such as ``@project.on(Ball)`` makes this the implementation of a verb."""
    called = [each.func if isinstance(each, ast.Call) else each for each in function.decorator_list]
    return any(isinstance(each, ast.Attribute) and each.attr in ("on", "otherwise") for each in called)


def definitions(tree, prefix=()):
    """Every public class and function with its path, those of classes included and those of functions not."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield (*prefix, node.name), node
            if isinstance(node, ast.ClassDef):
                yield from definitions(node, (*prefix, node.name))


def lacking(source, module):
    """What in a module has no docstring or one that is too short to say anything."""
    tree = ast.parse(source)
    for path, node in [((), tree), *definitions(tree)]:
        words = len((ast.get_docstring(node) or "").split())
        if words >= FEWEST_WORDS:
            continue
        if words == 0 and isinstance(node, ast.FunctionDef) and (registered(node) or inherited(module, path)):
            continue
        yield ".".join(path) or "the module itself"


def inherited(module, path):
    """Whether a base class documents the member at ``path``."""
    if len(path) < 2:
        return False
    owner = module
    for name in path[:-1]:
        owner = getattr(owner, name)
    return any(inspect.getdoc(vars(base).get(path[-1])) for base in owner.__mro__[1:] if path[-1] in vars(base))


@pytest.mark.parametrize("name", ["belated", *NAMES])
def test_docstrings_inform(name):
    module = importlib.import_module(name)
    source = Path(module.__file__).read_text(encoding="utf-8")
    assert list(lacking(source, module)) == []


MUTE = '''"""A module that says what it is."""
def nothing(): ...
def short():
    """A few."""
@verb.on(Part)
def exempt(): ...
@verb.on(Part)
def curt():
    """x_t."""
class Loud:
    """A class that says what it is."""
    def member(self): ...
    def _own(self): ...
'''


def test_what_says_nothing_is_found():
    module = type("module", (), {"Loud": type("Loud", (), {})})
    assert list(lacking(MUTE, module)) == ["nothing", "short", "curt", "Loud.member"]


def public():
    """Every public function and class by its public path."""
    for name in bl.__all__:
        thing = getattr(bl, name)
        if not inspect.ismodule(thing):
            yield f"bl.{name}", thing
            continue
        for inner in getattr(thing, "__all__", ()):
            member = getattr(thing, inner)
            if inspect.isclass(member) or inspect.isfunction(member):
                yield f"bl.{name}.{inner}", member


NOT_MADE_BY_HAND = {
    "bl.Certificate",
    "bl.Comparison",
    "bl.Growth",
    "bl.Log",
    "bl.Player",
    "bl.client.Receipt",
    "bl.client.Refused",
    "bl.client.RemotePlay",
    "bl.client.RemotePlayer",
    "bl.client.RemotePrediction",
    "bl.client.RemotePredictor",
    "bl.journal.End",
    "bl.journal.Event",
    "bl.journal.Verified",
    "bl.logs.Asked",
    "bl.logs.Counts",
    "bl.logs.Log",
    "bl.logs.LogSummary",
    "bl.logs.Lopsidedness",
    "bl.logs.Told",
    "bl.models.Prediction",
    "bl.models.Predictor",
    "bl.problems.MeasuredConstants",
    "bl.Replay",
    "bl.replays.Choice",
    "bl.replays.DelayCost",
    "bl.replays.DelayPoint",
    "bl.replays.Difference",
    "bl.replays.Mark",
    "bl.replays.ModelRanking",
    "bl.replays.ModelStanding",
    "bl.replays.Quality",
    "bl.replays.Replay",
    "bl.Result",
    "bl.service.DurablePlay",
    "bl.service.DurablePlayer",
    "bl.service.DurablePrediction",
    "bl.service.DurablePredictor",
    "bl.Sweep",
    "bl.WorstCase",
    "bl.adversaries.Played",
    "bl.sweeps.Failure",
    "bl.sweeps.Response",
    "bl.sweeps.Sweep",
    "bl.delays.Arrivals",
    "bl.delays.Sampler",
}
"""Classes whose objects are results: nobody calls their constructors."""


def callables():
    """Public functions, constructors and methods. A method that overrides a documented one need not repeat that.

    Verbs are left out: one table explains the arguments of all of them (``docs/reference/extend.md``).
    """
    for path, thing in public():
        if isinstance(thing, Verb):
            continue
        if not inspect.isclass(thing):
            yield path, thing
            continue
        if issubclass(thing, BaseException) or thing is Any:  # names of kinds, such as Policy, are for annotations only
            continue
        if path not in NOT_MADE_BY_HAND and not getattr(thing, "_is_protocol", False):
            yield path, thing
        for name, member in vars(thing).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                above = [vars(base).get(name) for base in thing.__mro__[1:]]
                if not any(inspect.getdoc(each) for each in above if each is not None):
                    yield f"{path}.{name}", member


def parameters(thing):
    try:
        names = list(inspect.signature(thing).parameters)
    except ValueError:  # a class without a constructor of its own
        return []
    return [name for name in names if name not in ("self", "cls")]


def undocumented(thing):
    """The arguments that the docstring does not explain, under ``Args:``, a line for each."""
    arguments = (inspect.getdoc(thing) or "").partition("\nArgs:\n")[2]
    lines = [line.strip() for line in arguments.splitlines() if line.startswith("    ")]
    return [name for name in parameters(thing) if not any(re.match(rf"\*{{0,2}}{name}: ", line) for line in lines)]


CALLABLES = dict(callables())


@pytest.mark.parametrize("path", CALLABLES)
def test_every_argument_is_documented_where_it_is_called(path):
    assert undocumented(CALLABLES[path]) == []


def test_a_missing_argument_is_found():
    def half(first, second):
        """Do half of it.

        Args:
            first: The one that is documented.
        """

    assert undocumented(half) == ["second"]


@pytest.mark.parametrize("path", [path for path, _ in public()])
def test_help_is_readable(path):
    text = pydoc.render_doc(dict(public())[path], renderer=pydoc.plaintext)
    assert "numpy._typing" not in text
