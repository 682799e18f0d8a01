"""A learner is a description; a player is a run of it.

Named algorithms are functions that compose parts into a :class:`Learner`. The description is immutable and may be
started any number of times.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.parts import fingerprint
from belated.domains.base import Domain
from belated.domains.base import checked_domain as checked_domain
from belated.learners.parts.policies.gradient import Direct, Estimated
from belated.learners.playing.player import Player, begin_player, resume_player
from belated.learners.playing.state import checked_state
from belated.learners.verbs import (
    ArrivalRule,
    Estimator,
    Interface,
    Policy,
    absorb,
    begin,
    decision,
    estimate,
    full,
    interface,
    play,
    probe,
    receive,
    settle,
)


@dataclass(frozen=True, eq=False)
class Learner:
    """What a named algorithm returns.

    ``domain`` is the set in which every point lies that is played; ``decision_domain`` the one in which decisions
    lie: the same, or a shrunk one for learners that probe around their decision.

    Args:
        name: The name in messages and saved states.
        domain: Where all points lie that are played.
        decision_domain: Where decisions lie.
        policy: The behaviour, a part that has registered ``interface``, ``begin``, ``decision``, ``play``, ``receive``
            and ``settle``.

    Raises:
        MissingVerb: The policy, or a part in it, has not registered one of these verbs.
        InvalidArgument: ``name`` is no text, one of the domains is none, the interface is not possible, or ``begin``
            returns no NamedTuple of arrays.
    """

    name: str
    domain: Domain
    decision_domain: Domain
    policy: Policy

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            checks.refuse("Learner", "name", self.name, "must be a text")
        checked_domain(self.name, self.domain)
        checked_domain(self.name, self.decision_domain, "decision_domain")
        for needed in (begin, decision, play, receive, settle):
            needed.require(self.policy)
        checked_state(f"begin({type(self.policy).__name__})", begin(self.policy, self.decision_domain.centre))
        given = self.interface
        kinds = {"gradient": self.domain.dim, "values": given.queries, "label": 1}
        expected = kinds.get(given.feedback)
        several = given.feedback == "values"
        wrong = {
            f"feedback must be one of {', '.join(kinds)}, not {checks.shown(given.feedback)}": expected is None,
            f"queries must be {'at least 1' if several else '1'}, not {given.queries}": (
                given.queries < 1 if several else given.queries != 1
            ),
            f"feedback_size must be {expected}, not {given.feedback_size}": given.feedback_size != expected,
            "context_size must be between 0 and memo_size, which the context is part of": not (
                0 <= given.context_size <= given.memo_size
            ),
            f"scratch_size must be >= 0, not {given.scratch_size}": given.scratch_size < 0,
        }
        for message, is_so in wrong.items():
            if is_so:
                checks.refuse(self.name, "interface", given, message)

    @property
    def interface(self) -> Interface:
        """What the learner shows and wants: points per round, numbers per feedback, numbers remembered per round."""
        return interface(self.policy)

    @property
    def needs_round(self) -> bool:
        """Whether ``tell`` must say which round the feedback belongs to."""
        return self.interface.memo_size > 0

    @property
    def fingerprint(self) -> str:
        """A digest of the whole description; a saved state carries it."""
        return fingerprint((self.name, self.domain, self.policy))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Learner) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def first_decision(self, initial: ArrayLike | None = None, *, where: str | None = None) -> Vector:
        """Where a run starts: ``initial`` if it may, by default the centre of the decision domain.

        Args:
            initial: A point of ``decision_domain``, or ``None`` for its centre.
            where: The call that ``initial`` was given to, for the message of the error; by default ``start``.

        Returns:
            The point as a vector that the caller may change.

        Raises:
            InvalidArgument: ``initial`` has the wrong size, is not finite or lies outside.
        """
        where, domain = where or f"{self.name}.start", self.decision_domain
        first = checks.moderate_vector(where, "initial", domain.centre if initial is None else initial, domain.dim)
        if not domain.contains(first):
            checks.refuse(where, "initial", initial, f"must lie in {domain!r}")
        return first

    def start(self, initial: ArrayLike | None = None, seed: int = 0) -> Player:
        """A new run from a first decision.

        Args:
            initial: A point of ``decision_domain``; by default its centre.
            seed: A whole number from 0 on, from which learners that play at random draw. Others do not use it.

        Returns:
            A player that has not been asked yet. Players share nothing with each other.

        Raises:
            InvalidArgument: ``initial`` lies outside or is no point, or ``seed`` is not a whole number from 0 on.
        """
        return begin_player(self, initial, seed)

    def resume(self, state: Mapping[str, Any]) -> Player:
        """Go on from a saved state; every later decision is the same, bit for bit.

        Args:
            state: What ``player.state()`` returned, also after a stay in a JSON file or in one of NumPy's.

        Returns:
            A player of its own: the one that was saved, and others that resume the same state, know nothing of it.

        Raises:
            StateMismatch: The state belongs to another learner, or is damaged.
        """
        return resume_player(self, state)

    def behind(self, name: str, estimator: Estimator) -> Learner:
        """This learner fed with an estimator's gradients in place of exact ones, playing in the estimator's domain.

        Args:
            name: The name of the new learner.
            estimator: What makes a gradient of the values that are told: a part that has registered ``interface``,
                ``probe`` and ``estimate``, with the fields ``domain``, where its points lie, and ``dim``.

        Returns:
            A learner that is told values.

        Raises:
            MissingVerb: The estimator has not registered one of these verbs.
            InvalidArgument: This learner does more with what it is told than to hand it to an arrival rule: it adds a
                regulariser or a curvature of its own, keeps copies, or is not told gradients at all.
        """
        for needed in (interface, probe, estimate):
            needed.require(estimator)
        if not isinstance(self.policy, Direct) or self.policy.regulariser != 0.0:
            why = "this learner does more with a gradient than to hand it to an arrival rule; take one such as dogd"
            checks.refuse(f"{self.name}.behind", "estimator", estimator, why)
        policy = Estimated(estimator, self.policy.arrivals, estimator.dim)
        return Learner(name, estimator.domain, self.decision_domain, policy)


def from_arrivals(name: str, domain: Domain, arrivals: ArrivalRule) -> Learner:
    """A learner that is told gradients and combines them by the given arrival rule.

    Args:
        name: The name in messages and saved states.
        domain: The set that decisions come from.
        arrivals: The arrival rule, such as ``Batch(step)``, which sums what arrives together.

    Returns:
        The learner.

    Raises:
        InvalidArgument: ``domain`` is no domain, or ``arrivals`` no arrival rule: it has not registered ``absorb``. A
            step must be wrapped.
        MissingVerb: The arrival rule has not registered ``begin``, ``decision`` or ``settle``.
    """
    if not absorb.knows(arrivals):
        checks.refuse(name, "arrivals", arrivals, "must be an arrival rule; wrap a step in one, such as Batch(step)")
    for needed in (begin, decision, settle):
        needed.require(arrivals)
    return Learner(name, domain, domain, Direct(arrivals, checked_domain(name, domain).dim))


def checked_base(where: str, base: Any) -> Learner:
    """``base`` if it is a learner that can be wrapped: one whose memory does not grow."""
    if not isinstance(base, Learner):
        checks.refuse(where, "base", base, "must be a learner, such as ogd_sc(Ball(10), strong_convexity=2.0)")
    if full.knows(base.policy):
        checks.refuse(where, "base", base.name, "must be a learner whose memory does not grow with what is in flight")
    return base


def bounded_domain(where: str, domain: Any) -> Domain:
    """``domain`` if it is one, bounded, and more than a point."""
    if not 0.0 < checked_domain(where, domain).diameter < math.inf:
        wanted = "must be bounded, with more than one element: its size decides how large steps may be"
        checks.refuse(where, "domain", domain, wanted)
    return checked_domain(where, domain)


def checked_probe_radius(where: str, domain: Any, probe_radius: Any) -> float:
    """``probe_radius`` if ``domain`` is a domain, and probes of that size fit into it."""
    if checked_domain(where, domain).hull_dim == 0:
        checks.refuse(where, "domain", domain, "must have more than one element: there is nothing to probe")
    size = checks.moderate(where, "probe_radius", probe_radius)
    if size >= domain.inner_radius:
        checks.refuse(
            where, "probe_radius", probe_radius, f"must be < the inner radius {domain.inner_radius:g} of the domain"
        )
    return size
