"""A setting from words: the tables of a document, made into objects, or an error that names the line and the key.

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

from collections.abc import Mapping
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.makers import make
from belated.comparisons.measures import MEASURES, Measure
from belated.comparisons.positions import Key
from belated.comparisons.recommending import Knowledge, Look, facts_of, look_at
from belated.comparisons.setting import MOST_ROUNDS, MOST_SEEDS, Entry, WrittenSetting, first_decision, is_label
from belated.comparisons.words import check_measure
from belated.core.arrays import Vector
from belated.core.checks import shown
from belated.core.errors import BelatedError, InvalidArgument
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.card import Facts
from belated.sim.problems import Problem

KEYS = ("title", "about", "rounds", "seeds", "measure", "initial", "problem", "domain", "delays", "learners")
OWN = ("initial", "delays")
"""What a learner's table may have beside its arguments."""


def setting_of(document: Document, name: str, look: Look = look_at) -> WrittenSetting:
    """The setting that a document describes, or an error that names the line and the key.

    Args:
        document: The tables.
        name: What the setting is called if it has no title.
        look: What looks at the losses. Who reads many settings with the same losses need look at these only once.

    Raises:
        InvalidArgument: Something cannot be understood or used.
    """
    document.check_keys((), document.tables, KEYS, "a setting")
    for key in ("problem", "delays", "learners"):
        if key not in document.tables:
            document.refuse((), f"`{key}` is missing")
    rounds, seeds = _rounds(document), _seeds(document)
    problem = make(document, ("problem",), Problem)
    domain = _domain(document, problem)
    law = _law(document, ("delays",), rounds)
    facts = _facts(document, problem, domain, law, rounds, seeds[0], look)
    measure = _measure(document, problem)
    knowledge = Knowledge(problem, domain, facts)
    entries = _entries(document, knowledge, law, seeds[0])
    return WrittenSetting(
        title=text_of(document, "title", name),
        rounds=rounds,
        seeds=seeds,
        measure=measure,
        problem=problem,
        domain=domain,
        delays=law,
        entries=entries,
        name=name,
        about=text_of(document, "about", ""),
        facts=facts,
        told=knowledge.told,
        tables=document.tables,
    )


def _entries(document: Document, knowledge: Knowledge, law: DelayLaw, seed: int) -> dict[str, Entry]:
    tables = document.tables["learners"]
    if not isinstance(tables, Mapping) or not tables:
        document.refuse(("learners",), "must be tables, one or more, such as [learners.dogd-sc]")
    entries = {}
    for label, table in tables.items():
        key: Key = ("learners", label)
        if not is_label(label):
            document.refuse(key, f"must have a name that can be printed, not {shown(label)}")
        own = [each for each in OWN if isinstance(table, Mapping) and each in table]
        delays, known = law, knowledge
        if "delays" in own:
            delays = _law(document, (*key, "delays"), knowledge.facts.rounds)
            known = knowledge.under(delays, seed)
        learner = make(document, key, Learner, known, label, OWN)
        _check_fit(document, key, knowledge, learner, seed)
        initial = _initial(document, (*key, "initial") if "initial" in own else ("initial",), learner)
        entries[label] = Entry(learner, initial, delays)
    return entries


def _check_fit(document: Document, key: Key, knowledge: Knowledge, learner: Learner, seed: int) -> None:
    """The learner is for this domain and for this problem, as one round shows."""
    if learner.domain != knowledge.domain:
        document.refuse((*key, "domain"), f"must be the setting's, {knowledge.domain!r}")
    from belated.comparisons.running import check_fit  # needs xarray, and most of what is wrong has been found by now

    try:
        check_fit(str(key[-1]), learner, knowledge.problem, seed)
    except BelatedError as error:
        document.refuse(key, str(error))


def _initial(document: Document, key: Key, learner: Learner) -> Vector | None:
    try:
        return first_decision("setting", document.at(key), learner)
    except InvalidArgument as error:
        document.refuse(key, str(error))


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


def _facts(
    document: Document, problem: Problem, domain: Domain, law: DelayLaw, rounds: int, seed: int, look: Look
) -> Facts:
    longest = getattr(problem, "longest_run", rounds)
    if rounds > longest:
        document.refuse(("rounds",), f"must be <= {int(longest)}, the rounds that the problem has")
    try:
        return facts_of(problem, domain, law, rounds, seed, look)
    except BelatedError as error:
        document.refuse(("problem",), str(error))


def _measure(document: Document, problem: Problem) -> Measure:
    measure = MEASURES[check_measure(document)]
    if not measure.fits(problem):
        document.refuse(("measure",), f"{measure.title.lower()} needs a problem whose optimum moves")
    return measure


def _rounds(document: Document) -> int:
    given = document.tables.get("rounds", 1000)
    rounds = _whole(given, 1, MOST_ROUNDS)
    if rounds is None:
        document.refuse(("rounds",), f"must be a whole number from 1 to {MOST_ROUNDS}, not {shown(given)}")
    return rounds


def _seeds(document: Document) -> tuple[int, ...]:
    given = document.tables.get("seeds", 20)
    if not isinstance(given, list):
        number = _whole(given, 1, MOST_SEEDS)
        if number is None:
            wanted = f"must be a whole number from 1 to {MOST_SEEDS}, or a list of seeds"
            document.refuse(("seeds",), f"{wanted}, not {shown(given)}")
        return tuple(range(number))
    seeds = []
    for i, each in enumerate(given):
        seed = _whole(each, 0, MOST_ROUNDS)
        if seed is None:
            document.refuse(("seeds", i), f"must be a whole number from 0 to {MOST_ROUNDS}, not {shown(each)}")
        seeds.append(seed)
    if not seeds or len(set(seeds)) < len(seeds):
        document.refuse(("seeds",), "must be one or more different seeds")
    return tuple(seeds)


def _whole(given: Any, least: int, most: int) -> int | None:
    """The whole number that is given, perhaps in the form of a real one such as 1e4; ``None`` if it is no such."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        return None
    return int(given) if given == int(given) else None


def text_of(document: Document, key: str, default: str) -> str:
    """A text of a document in one line; ``default`` if it has none."""
    given = document.tables.get(key, default)
    if not isinstance(given, str):
        document.refuse((key,), f"must be a text, not {shown(given)}")
    line = " ".join(given.split())
    if not line.isprintable():
        document.refuse((key,), f"must be a text that can be printed, not {shown(given)}")
    return line or default
