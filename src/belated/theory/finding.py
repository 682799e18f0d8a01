"""Find the bounds of a learner: by its parts, from the constants that it was told and from those of a problem.

No learner is listed here by name. Each statement (:mod:`belated.theory.statements`) looks at the parts of the learner
and says what it makes of them: nothing, its constants, or what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.catalogue import CARDS
from belated.learners.learner import Learner
from belated.losses.base import Constants
from belated.theory.statement import Bound, Lacks, Setting
from belated.theory.statements import EVERY
from belated.theory.statements.elsewhere import computed_elsewhere


def of(
    learner: Learner,
    problem: Any,
    *,
    initial: ArrayLike | None = None,
    domain: Domain | None = None,
    statement: str | None = None,
) -> Bound:
    """The regret bound of a learner on the losses of a problem, with everything filled in but the delays.

    By default it is the sharpest statement that is proved. What was told to the learner is read off the learner, and
    compared with the problem.

    Args:
        learner: A learner, such as ``bl.dogd_sc(domain, strong_convexity=2.0)``.
        problem: What has a method ``constants(domain)``, such as ``bl.problems.RandomQuadratic(10)``; or the constants
            L, beta and alpha themselves, as ``bl.losses.Constants(...)``.
        initial: The first decision, as it is given to ``start``; by default the centre.
        domain: The set over which the problem's constants are taken; by default the learner's domain. It must hold all
            points that are played.
        statement: The name of another statement, such as ``"theorem_1"``; :func:`all_of` lists them.

    Returns:
        A :class:`~belated.theory.bounds.Bound`, whose ``value(delays)`` and ``curve(delays)`` are numbers.

    Raises:
        InvalidArgument: No bound is known for this learner, or what it assumes does not hold of the problem. The
            message says what is missing, and which statements there are.

    Example:
        >>> import belated as bl
        >>> learner = bl.dogd_sc(bl.Ball(10), strong_convexity=2.0)
        >>> bound = of(learner, bl.problems.RandomQuadratic(10))
        >>> bound.name, bound.certainty, dict(bound.constants)["diameter"]
        ('certificate_squares', 'proved here', 2.0)
        >>> round(bound.value([2, 3, 2, 1, 4, 1, 3] * 100), 1)
        318.3
    """
    if statement is not None and not isinstance(statement, str):
        checks.refuse("bounds.of", "statement", statement, "must be the name of a statement, such as 'theorem_1'")
    found, reasons = look_up(setting_of("bounds.of", learner, problem, initial, domain))
    known = {bound.name: bound for bound in found}
    if statement is None:
        proved = [bound for bound in found if bound.proved]
        if proved:
            return proved[0]
        checks.refuse("bounds.of", "learner", learner.name, _why_none(learner, reasons))
    if statement not in known:
        there = f"there are {', '.join(known)}" if known else _why_none(learner, reasons)
        lacking = f"; {reasons[statement]}" if statement in reasons and known else ""
        wanted = f"is no statement that holds of {learner.name} on this problem{lacking}; {there}"
        checks.refuse("bounds.of", "statement", statement, wanted)
    return known[statement]


def all_of(
    learner: Learner, problem: Any, *, initial: ArrayLike | None = None, domain: Domain | None = None
) -> tuple[Bound, ...]:
    """Every bound that is known for a learner on the losses of a problem, the sharpest proved one first.

    Args:
        learner: A learner, such as ``bl.dogd_sc(domain, strong_convexity=2.0)``.
        problem: What has a method ``constants(domain)``, or the constants themselves, as for :func:`of`.
        initial: The first decision, as it is given to ``start``; by default the centre.
        domain: The set over which the problem's constants are taken; by default the learner's domain.

    Returns:
        The bounds; none if the learner has no bound, or none that holds of this problem.

    Raises:
        InvalidArgument: ``learner`` is no learner, ``problem`` has no constants, or ``initial`` is no first decision.

    Example:
        >>> import belated as bl
        >>> learner = bl.dogd_sc(bl.Ball(10), strong_convexity=2.0)
        >>> [bound.name for bound in all_of(learner, bl.problems.RandomQuadratic(10))]
        ['certificate_squares', 'certificate', 'theorem_1']
    """
    return tuple(look_up(setting_of("bounds.all_of", learner, problem, initial, domain))[0])


def setting_of(
    where: str, learner: Any, problem: Any, initial: ArrayLike | None, domain: Domain | None
) -> tuple[Setting, bool]:
    """What statements read, and whether the problem's constants were measured."""
    if not isinstance(learner, Learner):
        checks.refuse(where, "learner", learner, "must be a learner, such as dogd_sc(Ball(10), strong_convexity=2.0)")
    check_problem(where, problem)
    check_dimension(where, learner, problem)
    start = learner.first_decision(initial, where=where)
    losses = constants_over(where, problem, learner.domain if domain is None else domain)
    return Setting(learner, losses, start), type(losses) is not Constants


def check_problem(where: str, problem: Any) -> None:
    """Refuse a class, whose parentheses were forgotten, in place of a problem."""
    if isinstance(problem, type):
        name = problem.__name__
        checks.refuse(where, "problem", name, f"is a class; did you mean {name}(...)?")


def check_dimension(where: str, learner: Learner, problem: Any) -> None:
    """Refuse a problem whose losses are about decisions of another dimension than the learner's."""
    found, wanted = getattr(getattr(problem, "loss", None), "dim", None), learner.domain.dim
    if found is not None and found != wanted:
        checks.refuse(where, "problem", problem, f"must have dimension {wanted}, as the learner has; it has {found}")


def constants_over(where: str, problem: Any, domain: Any) -> Constants:
    """The constants of a problem over a domain, checked; constants are taken as they are.

    Args:
        where: The name of the caller, for error messages.
        problem: A problem, or constants.
        domain: The set over which they are taken.

    Returns:
        L, beta and alpha. A subclass of ``Constants`` stands for constants that were measured on a sample.

    Raises:
        InvalidArgument: The problem has no method ``constants``, the domain does not fit, or what the problem tells
            are no numbers from 0 on.
    """
    if isinstance(problem, Constants):
        return _checked(where, problem, problem)
    if not isinstance(domain, Domain):
        checks.refuse(where, "domain", domain, "must be a domain, such as Ball(10)")
    own = getattr(problem, "constants", None)
    if own is None:
        wanted = (
            "must have a method `constants(domain)`: derive it from OwnProblem, which measures them, or give Constants"
        )
        checks.refuse(where, "problem", problem, wanted)
    return _checked(where, problem, own(domain))


def _checked(where: str, problem: Any, given: Any) -> Constants:
    """Constants as they are, if each is a number from 0 on; L and alpha may be infinite, NaN is none of them."""
    if not isinstance(given, Constants):
        checks.refuse(where, "problem", problem, f"must tell losses.Constants, and tells {checks.shown(given)}")
    for name, value in given._asdict().items():
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not number or not value >= 0.0 or (name == "strong_convexity" and value == np.inf):
            wanted = f"must have a {name} that is a number from 0 on, and has {checks.shown(value)}"
            checks.refuse(where, "problem", problem, wanted)
    return given


def look_up(setting_and_kind: tuple[Setting, bool]) -> tuple[list[Bound], dict[str, str]]:
    """The bounds that hold, and for statements that are about the learner and do not hold, what is missing."""
    setting, measured = setting_and_kind
    bounds, reasons = list[Bound](), dict[str, str]()
    for statement in EVERY:
        try:
            constants = statement.read(setting)
        except Lacks as lack:
            reasons[statement.name] = str(lack)
            continue
        if constants is not None:
            bounds.append(Bound(statement, constants, setting.learner, measured, setting.losses))
    return bounds, reasons


def _why_none(learner: Learner, reasons: dict[str, str]) -> str:
    """Why there is no bound: what is missing, or what is known at all."""
    return "has no bound here: " + next(_explanations(learner, reasons))


def _explanations(learner: Learner, reasons: dict[str, str]) -> Iterator[str]:
    """The reasons that there may be, the most informative one first."""
    yield from reasons.values()
    elsewhere = computed_elsewhere(learner.policy)
    if elsewhere is not None:
        yield elsewhere
    card = CARDS.get(learner.name)
    if card is not None:
        yield f"no statement with all of its constants is known. Its card promises {card.promise} ({card.certainty})"
    yield "no statement is known for a learner that is made of these parts"
