"""``assumptions``: what a learner's promise takes for granted, line by line, and whether it is so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.audit import judging
from belated.audit.evidence import ROUNDS, Evidence, evidence
from belated.audit.judging import Scene, judged
from belated.audit.told import told
from belated.audit.verdicts import HOLDS, KNOWN, MEASURED, NONE, UNSEEN, VIOLATED, Verdict, finding
from belated.core import checks
from belated.core.arrays import Integers
from belated.core.errors import AssumptionViolated
from belated.domains.base import Domain
from belated.learners.catalogue import CARDS
from belated.learners.learner import Learner
from belated.losses.base import Constants
from belated.theory.counts import whole_run
from belated.theory.finding import check_dimension, check_problem, constants_over, look_up, setting_of

WHERE = "assumptions"

PAPER = {
    "Assumption 1: losses are Lipschitz": judging.lipschitz_losses,
    "Assumption 2: the domain is bounded": judging.bounded,
    "Assumption 3: losses are strongly convex": judging.strongly_convex,
    "Assumption 4: the domain contains a ball": judging.roomy,
    "Assumption 5: losses are smooth": judging.smooth,
}
"""The five assumptions of the paper. Not every learner needs all of them; its card says which."""


@dataclass(frozen=True, repr=False)
class Assumptions:
    """Verdicts on the assumptions of a learner; :func:`assumptions` makes them.

    Args:
        learner: The name of the learner.
        verdicts: A verdict for each line: the paper's five assumptions, the lines of the learner's card, the order in
            which feedback came, and whether there is a bound.
    """

    learner: str
    verdicts: tuple[Verdict, ...]

    @property
    def of_paper(self) -> tuple[Verdict, ...]:
        """The verdicts on the paper's Assumptions 1 to 5, whether or not the learner needs them."""
        return tuple(each for each in self.verdicts if each.line in PAPER)

    @property
    def of_learner(self) -> tuple[Verdict, ...]:
        """The verdicts on what this learner's promise needs."""
        return tuple(each for each in self.verdicts if each.line not in PAPER)

    @property
    def violated(self) -> tuple[Verdict, ...]:
        """Those that this learner needs and that do not hold."""
        return tuple(each for each in self.of_learner if each.status == VIOLATED)

    @property
    def unseen(self) -> tuple[Verdict, ...]:
        """Those that this learner needs and of which nothing says whether they hold."""
        return tuple(each for each in self.of_learner if each.status == UNSEEN)

    @property
    def holds(self) -> bool:
        """Whether all that this learner needs is known to hold: nothing is violated, and nothing cannot be seen."""
        return not self.violated and not self.unseen

    def require(self) -> None:
        """Do nothing if no assumption of the learner is violated.

        Raises:
            AssumptionViolated: One is; the message names the line, the numbers and the round.
        """
        for each in self.violated:
            raise AssumptionViolated(f"`{WHERE}(learner={self.learner!r})`: {each.line}: {each.reason}", each.round)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __getitem__(self, line: str) -> Verdict:
        for each in self.verdicts:
            if each.line == line:
                return each
        lines = ", ".join(repr(each.line) for each in self.verdicts)
        return checks.refuse(WHERE, "line", line, f"must be one of {lines}")

    def __str__(self) -> str:
        lines = [f"{each.status:14} ({each.evidence}) {each.line}: {each.reason}" for each in self.verdicts]
        return "\n".join((*lines, self._summary))

    def __repr__(self) -> str:
        return f"<{self._summary}>"

    @property
    def _summary(self) -> str:
        """How many lines there are of each kind. What the paper assumes and this learner does not need is set apart."""
        held = sum(each.status == HOLDS for each in self.verdicts)
        others = sum(each.status != HOLDS for each in self.of_paper)
        beside = f"; of the paper's, {others} do not, or cannot be seen" if others else ""
        numbers = f"{held} hold, {len(self.violated)} violated, {len(self.unseen)} cannot be seen"
        return f"Assumptions of {self.learner}: {numbers}{beside}"


def assumptions(
    learner: Learner,
    problem: Any,
    *,
    domain: Domain | None = None,
    result: Any = None,
    initial: ArrayLike | None = None,
) -> Assumptions:
    """Whether what a learner's promise takes for granted holds of a problem, line by line.

    Where losses and domain are known by their definition, a line is proved or refuted. Elsewhere the learner is played
    again, and what it meets can only refute: the largest gradient against L, the curvature between played points
    against beta and alpha, values and labels against their bounds, delays against the one that it was told.

    Args:
        learner: The learner, with the constants that it was told.
        problem: The problem, with ``loss`` and ``rows(seed, rounds)``.
        domain: The set over which the problem's constants are taken; by default the learner's domain.
        result: What ``simulate`` returned for this learner and this problem, with every round recorded. Its seeds are
            played again with its delays. By default 100 rounds of seed 0 are played without delay, and delays cannot be
            seen.
        initial: The first decision, as it was given to ``simulate``; by default the centre.

    Returns:
        The verdicts: ``holds``, ``violated``, ``unseen``, ``require()``, and a line for each as its text.

    Raises:
        InvalidArgument: ``learner`` is no learner, ``problem`` has no losses or rows, the result lacks rounds, or
            ``initial`` is no first decision.

    Example:
        >>> import belated as bl
        >>> found = assumptions(bl.dogd_sc(bl.Ball(2), strong_convexity=5.0), bl.problems.RandomQuadratic(2))
        >>> found.holds
        False
        >>> found["must be known: strong convexity"].reason
        'it was told beta = 5, and the losses have 2'
    """
    if not isinstance(learner, Learner):
        checks.refuse(WHERE, "learner", learner, "must be a learner, such as dogd_sc(Ball(10), strong_convexity=2.0)")
    check_problem(WHERE, problem)
    if not hasattr(problem, "loss") or not hasattr(problem, "rows"):
        checks.refuse(WHERE, "problem", problem, "must be a problem, with `loss` and `rows(seed, rounds)`")
    check_dimension(WHERE, learner, problem)
    learner.first_decision(initial, where=WHERE)
    losses, measured = _constants(problem, learner.domain if domain is None else domain)
    seen = _seen(learner, problem, result, initial)
    scene = Scene(losses, measured, learner.domain, told(learner), seen)
    verdicts = [judge(scene).about(line) for line, judge in PAPER.items()]
    verdicts += _lines_of_card(learner, scene)
    verdicts += [_order(learner, scene), _promise(learner, problem, domain, initial, losses)]
    return Assumptions(learner.name, tuple(verdicts))


def _constants(problem: Any, domain: Domain) -> tuple[Constants | None, bool]:
    """The problem's constants and whether they were measured; nothing if it does not tell them."""
    if getattr(problem, "constants", None) is None:
        return None, True
    found = constants_over(WHERE, problem, domain)
    return found, type(found) is not Constants


def _seen(learner: Learner, problem: Any, result: Any, initial: ArrayLike | None) -> Evidence:
    """What the runs of the result show, or a short run without delay."""
    if result is None:
        rounds = min(ROUNDS, getattr(problem, "longest_run", None) or ROUNDS)
        return evidence(learner, problem, [(0, np.ones(rounds, dtype=np.int64))], initial, late=False)
    delays = getattr(result, "delays", None)
    if delays is None:
        checks.refuse(WHERE, "result", result, "must be a result of `simulate`")
    runs: list[tuple[int, Integers]] = [
        (int(seed), whole_run(WHERE, delays.sel(seed=seed))) for seed in delays["seed"].values
    ]
    return evidence(learner, problem, runs, initial, late=True)


def _lines_of_card(learner: Learner, scene: Scene) -> list[Verdict]:
    """What the card says of losses, of what must be known and of what is told."""
    card = CARDS.get(learner.name)
    if card is None:
        return []
    losses = judged(card.losses, scene).about(f"losses: {card.losses}")
    known = [judged(text, scene).about(f"must be known: {text}") for text in card.known]
    return [losses, *known, _feedback(learner)]


def _feedback(learner: Learner) -> Verdict:
    """What the learner is told; a player refuses anything else, so that it holds of every run."""
    stamped = "with its round" if learner.needs_round else "without its round"
    line = f"is told: {learner.interface.feedback} {stamped}"
    return finding(HOLDS, KNOWN, "a player refuses what has another form").about(line)


def _order(learner: Learner, scene: Scene) -> Verdict:
    """Whether feedback came in the order of play, for learners whose promise says that it must."""
    card, runs = CARDS.get(learner.name), scene.seen.delays
    if card is None or "order of play" not in card.promise:
        return finding(HOLDS, KNOWN, "nothing is assumed of it").about("order of arrival: any")
    line = "order of arrival: that of play"
    if runs is None:
        return finding(UNSEEN, NONE, "there is no result whose delays could be seen").about(line)
    for seed, delays in zip(scene.seen.seeds, runs, strict=True):
        ends = np.minimum(np.arange(delays.size) + np.minimum(delays, delays.size + 1), delays.size + 1)
        sooner = np.flatnonzero(np.diff(ends) < 0)
        if sooner.size:
            number = int(sooner[0]) + 2
            reason = f"the feedback of round {number} comes before that of round {number - 1}, with seed {seed}"
            return finding(VIOLATED, MEASURED, reason).about(line)._replace(round=number, seed=seed)
    return finding(UNSEEN, MEASURED, "so it was in every run").about(line)


def _promise(
    learner: Learner, problem: Any, domain: Domain | None, initial: ArrayLike | None, losses: Constants | None
) -> Verdict:
    """Whether there is a bound for this learner, these constants and this start."""
    line = "a bound with this start and these constants"
    if losses is None:
        return finding(UNSEEN, NONE, "the problem tells no constants").about(line)
    bounds, reasons = look_up(setting_of(WHERE, learner, problem, initial, domain))
    proved = [each for each in bounds if each.proved]
    if proved:
        measured = ", if the constants that were measured are right" if proved[0].measured else ""
        status = UNSEEN if proved[0].measured else HOLDS
        return finding(
            status, MEASURED if measured else KNOWN, f"{proved[0].name}, {proved[0].certainty}{measured}"
        ).about(line)
    if reasons:
        return finding(VIOLATED, KNOWN, next(iter(reasons.values()))).about(line)
    return finding(UNSEEN, NONE, "no statement with all of its constants is known here").about(line)
