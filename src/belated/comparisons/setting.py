"""A comparison that can be run: a problem, a domain, a law of delay, and learners with all that they must know.

The keys of a setting, in TOML:

================  ======================================================================================================
key               meaning
================  ======================================================================================================
``title``         a line about it
``about``         what it models, and what to look for
``rounds``        T (default: 1000)
``seeds``         how many, counted from 0 (default: 20), or a list of them
``measure``       what learners are ranked by: ``"regret"`` against the best fixed decision, ``"dynamic-regret"``
                  against those of the problem's moving optimum, or ``"loss"``
``initial``       the first decision of all learners: a number for every entry, or a list (default: the centre); who
                  looks around starts at the nearest decision that leaves room for it
``problem``       its name and arguments
``domain``        likewise (default: the problem's own; recorded ones have none)
``delays``        likewise
``learners``      a table for each, under the name that it has in the results: ``name`` (default: the same), arguments,
                  and optionally an ``initial`` and ``delays`` of its own
================  ======================================================================================================

Arguments that a learner needs and the setting does not give are those that its theory recommends for the problem's
constants, the rounds and the delays of the first seed: see :class:`~belated.learners.card.Facts`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from belated.comparisons.document import Document
from belated.comparisons.makers import Knowledge, make
from belated.comparisons.measures import MEASURES, Measure
from belated.comparisons.positions import Key
from belated.core import checks, streams
from belated.core.arrays import Vector
from belated.core.checks import shown
from belated.core.errors import BelatedError, InvalidArgument
from belated.delays import DelayLaw, Fixed
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.card import Facts
from belated.losses.base import Constants, value
from belated.sim import simulate
from belated.sim.plan import plan_of
from belated.sim.problems import Problem
from belated.sim.source import Source

KEYS = ("title", "about", "rounds", "seeds", "measure", "initial", "problem", "domain", "delays", "learners")
OWN = ("initial", "delays")
"""What a learner's table may have beside its arguments."""

MOST_SEEDS = 100_000
MOST_ROUNDS = 2**31 - 1
"""The largest number that the files of a report have."""

LOOKED_AT = 20_000
"""Of how many rounds the losses are looked at for their size, and how many delays are drawn at once."""


class Entry(NamedTuple):
    """A learner, where it starts (``None``: at the centre), and the delays that it meets."""

    learner: Learner
    initial: Vector | None
    delays: DelayLaw


@dataclass(frozen=True)
class Setting:
    """What is compared on what; ``tables`` is what was written, ``told`` what learners were told besides."""

    name: str
    title: str
    about: str
    rounds: int
    seeds: tuple[int, ...]
    measure: Measure
    problem: Problem
    domain: Domain
    delays: DelayLaw
    facts: Facts
    entries: Mapping[str, Entry]
    told: Mapping[Key, Mapping[str, Any]]
    tables: Mapping[str, Any]


def setting_of(document: Document, name: str) -> Setting:
    """The setting that a document describes, or an error that names the line and the key."""
    document.check_keys((), document.tables, KEYS, "a setting")
    for key in ("problem", "delays", "learners"):
        if key not in document.tables:
            document.refuse((), f"`{key}` is missing")
    rounds, seeds = _rounds(document), _seeds(document)
    problem = make(document, ("problem",), Problem)
    domain = _domain(document, problem)
    law = _law(document, ("delays",), rounds)
    facts = _facts(document, problem, domain, law, rounds, seeds[0])
    measure = _measure(document, problem)
    knowledge = Knowledge(problem, domain, facts)
    entries = _entries(document, knowledge, law, seeds[0])
    return Setting(
        name,
        _text(document, "title", name),
        _text(document, "about", ""),
        rounds,
        seeds,
        measure,
        problem,
        domain,
        law,
        facts,
        entries,
        knowledge.told,
        document.tables,
    )


def _entries(document: Document, knowledge: Knowledge, law: DelayLaw, seed: int) -> dict[str, Entry]:
    tables = document.tables["learners"]
    if not isinstance(tables, Mapping) or not tables:
        document.refuse(("learners",), "must be tables, one or more, such as [learners.dogd-sc]")
    entries = {}
    for label, table in tables.items():
        key: Key = ("learners", label)
        if not label.strip() or not label.isprintable():
            document.refuse(key, f"must have a name that can be printed, not {shown(label)}")
        own = [each for each in OWN if isinstance(table, Mapping) and each in table]
        delays, known = law, knowledge
        if "delays" in own:
            delays = _law(document, (*key, "delays"), knowledge.facts.rounds)
            known = replace(knowledge, facts=_with_delays(knowledge.facts, delays, seed))
        learner = make(document, key, Learner, known, label, OWN)
        _check_fit(document, key, knowledge.problem, knowledge.domain, learner)
        initial = _initial(document, (*key, "initial") if "initial" in own else ("initial",), learner)
        entries[label] = Entry(learner, initial, delays)
    return entries


def _check_fit(document: Document, key: Key, problem: Problem, domain: Domain, learner: Learner) -> None:
    """The learner is for this domain and for this problem, as one round shows."""
    if learner.domain != domain:
        document.refuse((*key, "domain"), f"must be the setting's, {domain!r}")
    try:
        simulate({str(key[-1]): learner}, problem, Fixed(1), 1, [0], prefixes=[], workers=1)
    except BelatedError as error:
        document.refuse(key, str(error))


def _initial(document: Document, key: Key, learner: Learner) -> Vector | None:
    """A first decision: one number stands for every entry."""
    given, domain = document.at(key), learner.domain
    if given is None:
        return None
    try:
        filled = np.full(domain.dim, given) if isinstance(given, int | float) else given
        point = checks.moderate_vector("setting", "initial", filled, domain.dim)
        if not domain.contains(point):
            checks.refuse("setting", "initial", given, f"must lie in {domain!r}")
    except InvalidArgument as error:
        document.refuse(key, str(error))
    inside = learner.decision_domain
    return point if inside.contains(point) else np.array(inside.project(point))


def _domain(document: Document, problem: Problem) -> Domain:
    if "domain" in document.tables:
        domain: Domain = make(document, ("domain",), Domain)
    elif hasattr(problem, "domain"):
        domain = problem.domain
    else:
        document.refuse((), "`domain` is missing: recorded losses have none of their own")
    if domain.dim != problem.loss.dim:
        document.refuse(
            ("domain",), f"must have the dimension of the problem, {problem.loss.dim}, and has {domain.dim}"
        )
    return domain


def _law(document: Document, key: Key, rounds: int) -> DelayLaw:
    law: DelayLaw = make(document, key, DelayLaw)
    if rounds > law.longest_run:
        document.refuse(key, f"must have delays for {rounds} rounds, and has {law.longest_run}")
    return law


def _facts(document: Document, problem: Problem, domain: Domain, law: DelayLaw, rounds: int, seed: int) -> Facts:
    """What may be known, from the problem's constants and the first seed's delays and losses."""
    longest = getattr(problem, "longest_run", math.inf)
    if rounds > longest:
        document.refuse(("rounds",), f"must be <= {int(longest)}, the rounds that the problem has")
    try:
        known = _constants(problem, domain)
        highest = _highest(problem, domain, min(rounds, LOOKED_AT), seed)
    except BelatedError as error:
        document.refuse(("problem",), str(error))
    bound = highest + known.lipschitz * domain.outer_radius
    return _with_delays(Facts(rounds, known.lipschitz, known.strong_convexity, bound, 0, 0), law, seed)


def _with_delays(facts: Facts, law: DelayLaw, seed: int) -> Facts:
    """The facts under these delays, as the first seed has them."""
    sampler, longest, total = law.sampler(streams.delays(seed)), 0, 0
    for start in range(0, facts.rounds, LOOKED_AT):
        left = np.arange(facts.rounds - start, max(0, facts.rounds - start - LOOKED_AT), -1)
        late = np.minimum(sampler.take(left.size), left)
        longest, total = max(longest, int(late.max())), total + int(late.sum())
    return facts._replace(delay=longest, total_delay=total)


def _highest(problem: Problem, domain: Domain, rounds: int, seed: int) -> float:
    """The largest size of the losses at the centre."""
    loss, center = problem.loss, np.asarray(domain.center)
    plan = plan_of(rounds, loss.row_size, np.array([rounds]))
    pieces = Source(problem, loss, Fixed(1), seed, plan).pieces(rounds)  # whose delays nobody asks for
    return max(abs(float(value(loss, row, center))) for rows in pieces for row in rows)


def _constants(problem: Problem, domain: Domain) -> Constants:
    """The problem's, which are infinite where the domain has no end."""
    if not math.isfinite(domain.outer_radius):
        return Constants(math.inf, 0.0, math.inf)
    known: Constants = problem.constants(domain)  # type: ignore[attr-defined]  # those that have a name have it
    return known


def _measure(document: Document, problem: Problem) -> Measure:
    name = document.tables.get("measure", "regret")
    if not isinstance(name, str) or name not in MEASURES:
        document.refuse(("measure",), f"must be one of {', '.join(MEASURES)}, not {shown(name)}")
    measure = MEASURES[name]
    if not measure.fits(problem):
        document.refuse(("measure",), f"{measure.title.lower()} needs a problem whose optimum moves")
    return measure


def _rounds(document: Document) -> int:
    given = document.tables.get("rounds", 1000)
    if not _whole(given, 1, MOST_ROUNDS):
        document.refuse(("rounds",), f"must be a whole number from 1 to {MOST_ROUNDS}, not {shown(given)}")
    return int(given)


def _seeds(document: Document) -> tuple[int, ...]:
    given = document.tables.get("seeds", 20)
    if not isinstance(given, list):
        if not _whole(given, 1, MOST_SEEDS):
            wanted = f"must be a whole number from 1 to {MOST_SEEDS}, or a list of seeds"
            document.refuse(("seeds",), f"{wanted}, not {shown(given)}")
        return tuple(range(given))
    for i, seed in enumerate(given):
        if not _whole(seed, 0, MOST_ROUNDS):
            document.refuse(("seeds", i), f"must be a whole number from 0 to {MOST_ROUNDS}, not {shown(seed)}")
    if not given or len(set(given)) < len(given):
        document.refuse(("seeds",), "must be one or more different seeds")
    return tuple(given)


def _whole(given: Any, least: int, most: int) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and least <= given <= most


def _text(document: Document, key: str, default: str) -> str:
    given = document.tables.get(key, default)
    if not isinstance(given, str):
        document.refuse((key,), f"must be a text, not {shown(given)}")
    line = " ".join(given.split())
    if not line.isprintable():
        document.refuse((key,), f"must be a text that can be printed, not {shown(given)}")
    return line or default
