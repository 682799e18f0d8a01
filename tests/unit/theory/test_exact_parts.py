"""A proof is about parts of exact classes: a subclass may register other arithmetic, and inherits no bound."""

import dataclasses
import sys

import numpy as np
import pytest

import belated as bl
from belated.audit.told import told
from belated.core.errors import InvalidArgument
from belated.core.verbs import Verb
from belated.domains.base import Domain
from belated.extend import inverse_rate
from support.bounded import CASES


class Fast(bl.rates.PerFeedback):
    """A rate that has the fields of DOGD-SC's, and another arithmetic."""

    __slots__ = ()


@inverse_rate.on(Fast)
def _(rate, ledger):
    return 1e-3


HOMES = [module for name, module in sys.modules.items() if name.startswith("belated.learners")]
VERBS = [thing for module in HOMES for thing in vars(module).values() if isinstance(thing, Verb)]


@pytest.fixture
def subclassed(monkeypatch):
    """A part, as one of a new subclass of its class that does the same in all verbs."""

    def made(part):
        own = type("Own", (type(part),), {"__slots__": ()})
        for verb in VERBS:
            if verb.knows(part):
                monkeypatch.setitem(verb.implementations, own, verb.implementations[type(part)])
        return own._make(part)

    return made


def is_part(thing):
    return hasattr(thing, "_fields") and not isinstance(thing, Domain)


def disguised(part, subclassed):
    """All copies of nested parts in which one part is of a subclass."""
    if is_part(part):
        yield subclassed(part)
        for name in part._fields:
            yield from (part._replace(**{name: other}) for other in disguised(getattr(part, name), subclassed))
    elif type(part) is tuple:
        for place, inner in enumerate(part):
            yield from ((*part[:place], other, *part[place + 1 :]) for other in disguised(inner, subclassed))


@pytest.mark.parametrize("name", CASES)
def test_no_statement_is_about_a_learner_with_a_part_of_a_subclass(name, subclassed):
    case = CASES[name]
    policies = list(disguised(case.learner.policy, subclassed))
    assert len(policies) >= 2
    for policy in policies:
        other = dataclasses.replace(case.learner, policy=policy)
        assert name not in [bound.name for bound in bl.bounds.all_of(other, case.losses)], policy


def test_a_rate_of_a_subclass_has_no_bound_though_its_regret_would_break_it():
    domain, rows = bl.Ball(1), np.tile([[1.0], [-1.0]], (20, 1))
    learner = bl.dogd(domain, Fast(2.0))
    problem = bl.problems.Recorded(bl.losses.Quadratic(1, curvature=2.0), rows)
    with pytest.raises(InvalidArgument, match="has no bound here"):
        bl.bounds.of(learner, problem)
    assert told(learner) == {}
    assert told(bl.dogd(domain, bl.rates.PerFeedback(2.0))) == {"strong_convexity": 2.0}


def test_a_certificate_goes_by_the_definition_whatever_the_class_of_the_rate():
    """A chain reads beta off a rate of any class, and computes the rates itself: a subclass is found out."""
    learner = dataclasses.replace(bl.dogd(bl.Ball(1), Fast(2.0)), name="dogd_sc")
    run = bl.record_run(learner, bl.problems.RandomQuadratic(1), bl.delays.Fixed(2), rounds=6)
    assert bl.certify(run).failed[0] == "rate"
    true = dataclasses.replace(bl.dogd(bl.Ball(1), bl.rates.PerFeedback(2.0)), name="dogd_sc")
    assert bl.certify(bl.record_run(true, bl.problems.RandomQuadratic(1), bl.delays.Fixed(2), rounds=6)).holds
