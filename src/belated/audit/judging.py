"""How each assumption is judged, by the words in which cards and the paper name it.

A card says in words what a learner asks for: "strongly convex and smooth", "lipschitz or strong convexity". Such a text
is taken apart at "or", "and" and commas, and each word has a function here. Words without one, such as "scale", name a
choice of the user or something that no run shows; they cannot be seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from belated.audit.evidence import Evidence, Met
from belated.audit.verdicts import (
    HOLDS,
    KNOWN,
    MEASURED,
    NONE,
    UNSEEN,
    VIOLATED,
    Verdict,
    all_of_them,
    any_of_them,
    finding,
)
from belated.domains.base import Domain
from belated.losses.base import Constants

_SLACK = 1e-6
"""What is measured may exceed a constant by this part of it, which is rounding."""

_SEPARATORS = re.compile(r" and |, (?![^\[]*\])|; ")
"""Where a text of several words is taken apart: a comma within brackets, as in [-1, 1], belongs to its word."""


class Scene(NamedTuple):
    """Everything that a judgement may look at.

    Args:
        losses: L, beta and alpha of the losses over the domain; ``None`` if the problem does not tell them.
        measured: Whether these were measured on a sample of the losses.
        domain: The learner's domain.
        told: What the learner was told.
        seen: What runs have shown.
    """

    losses: Constants | None
    measured: bool
    domain: Domain
    told: Mapping[str, float]
    seen: Evidence

    @property
    def largest_norm(self) -> float:
        """A bound on the norms of the elements of the domain, about the origin."""
        return float(np.linalg.norm(self.domain.centre)) + self.domain.outer_radius


def judged(text: str, scene: Scene) -> Verdict:
    """The verdict on a text of a card.

    Args:
        text: Alternatives joined by "or", each of them words joined by "and" or by commas. What comes before a colon
            says when they are needed.
        scene: What there is to look at.

    Returns:
        A verdict whose line is the text.
    """
    words = text.rpartition(": ")[2]
    if words in JUDGES:
        return JUDGES[words](scene).about(text)
    alternatives = re.split(r",? or ", words)
    verdicts = [all_of_them(_word(word, scene) for word in _SEPARATORS.split(each)) for each in alternatives]
    return any_of_them(verdicts).about(text)


def _word(word: str, scene: Scene) -> Verdict:
    judge = JUDGES.get(word)
    if judge is None:
        return finding(UNSEEN, NONE, f"nothing is known here of {word!r}: a choice, or what no run shows")
    return judge(scene)


def _refuted(met: Met, reason: str, **numbers: float) -> Verdict:
    """A violation that a round has shown."""
    place = f"{reason}, in round {met.round} of seed {met.seed}"
    return finding(VIOLATED, MEASURED, place, met=met.value, **numbers)._replace(round=met.round, seed=met.seed)


def _not_refuted(scene: Scene, what: str, **numbers: float) -> Verdict:
    seen = scene.seen
    where = f"in {seen.rounds} rounds of {len(seen.seeds)} {'run' if len(seen.seeds) == 1 else 'runs'}"
    return finding(UNSEEN, MEASURED, f"nothing {where} refutes it: {what}", **numbers)


def lipschitz_losses(scene: Scene) -> Verdict:
    """Every gradient is at most L long; L is the problem's."""
    met, true = scene.seen.gradient, math.inf if scene.losses is None else scene.losses.lipschitz
    if scene.losses is not None and not math.isfinite(true):
        return finding(VIOLATED, KNOWN, "the gradients of these losses have no bound over the domain")
    if met.there and met.value > true * (1.0 + _SLACK):
        return _refuted(met, f"a gradient is {met.value:g} long, and L is said to be {true:g}", lipschitz=true)
    if scene.losses is None or scene.measured:
        return _not_refuted(scene, f"the longest gradient is {met.value:g}", met=met.value)
    return finding(HOLDS, KNOWN, f"L = {true:g} over the domain", lipschitz=true)


def told_lipschitz(scene: Scene) -> Verdict:
    """What the learner was told as L bounds every gradient that it is told."""
    told, seen = scene.told.get("lipschitz"), scene.seen
    met = seen.told_gradient if seen.told_gradient.there else seen.gradient
    if told is None:
        return finding(UNSEEN, NONE, "the learner was not told an L that can be read off it")
    if met.there and met.value > told * (1.0 + _SLACK):
        return _refuted(met, f"it was told L = {told:g}, and a gradient is {met.value:g} long", told=told)
    if scene.losses is None or scene.measured:
        return _not_refuted(scene, f"it was told L = {told:g}, the longest gradient is {met.value:g}", told=told)
    true = scene.losses.lipschitz + scene.told.get("regulariser", 0.0) * scene.largest_norm
    if true <= told * (1.0 + _SLACK):
        return finding(HOLDS, KNOWN, f"it was told L = {told:g}, and the losses have {true:g}", told=told, true=true)
    what = f"it was told L = {told:g}; the losses allow {true:g}, and the longest gradient was {met.value:g}"
    return _not_refuted(scene, what, told=told, true=true)


def strongly_convex(scene: Scene) -> Verdict:
    """The losses have some curvature everywhere, the same in all rounds."""
    return _curved(scene, 0.0, "strongly convex losses have a beta > 0")


def told_convexity(scene: Scene) -> Verdict:
    """What the learner was told as beta is at most the curvature of the losses."""
    told = scene.told.get("strong_convexity")
    if told is None:
        return finding(UNSEEN, NONE, "the learner was not told a beta that can be read off it")
    return _curved(scene, told, f"it was told beta = {told:g}")


def regularised(scene: Scene) -> Verdict:
    """The losses contain the regulariser that the learner was told: they are at least as curved as it is."""
    told = scene.told.get("regulariser")
    if told is None:
        return finding(UNSEEN, NONE, "the learner was not told a regulariser that can be read off it")
    return _curved(scene, told, f"it was told a regulariser of {told:g}")


def _curved(scene: Scene, least: float, why: str) -> Verdict:
    """The losses have at least this curvature, or more than none if it is 0."""
    met = scene.seen.least_curvature
    if scene.losses is not None and not scene.measured:
        true = scene.losses.strong_convexity
        good = true > 0.0 and true >= least * (1.0 - _SLACK)
        reason = f"{why}, and the losses have {true:g}"
        return finding(HOLDS if good else VIOLATED, KNOWN, reason, told=least, true=true)
    if met.there and (met.value < least * (1.0 - _SLACK) - _SLACK or met.value <= _SLACK * (1.0 + abs(least))):
        return _refuted(met, f"{why}, and between two points of a run the curvature is {met.value:g}", told=least)
    return _not_refuted(scene, f"{why}, the least curvature between two points is {met.value:g}", told=least)


def smooth(scene: Scene) -> Verdict:
    """Gradients change by at most alpha times the distance: there are no kinks."""
    met = scene.seen.most_curvature
    if scene.losses is None:
        return _not_refuted(scene, f"the largest curvature between two points is {met.value:g}")
    true = scene.losses.smoothness
    if not math.isfinite(true):
        shown = f"; the curvature between two points of a run is {met.value:g}" if met.there else ""
        verdict = finding(VIOLATED, KNOWN, f"these losses have kinks: they have no alpha{shown}", met=met.value)
        return verdict._replace(round=met.round or None, seed=met.seed if met.round else None)
    if met.there and met.value > true * (1.0 + _SLACK) + _SLACK:
        reason = f"alpha is said to be {true:g}, and between two points of a run the curvature is {met.value:g}"
        return _refuted(met, reason, smoothness=true)
    if scene.measured:
        return _not_refuted(scene, f"alpha = {true:g} of the rows that were measured", smoothness=true)
    return finding(HOLDS, KNOWN, f"alpha = {true:g} over the domain", smoothness=true)


def convex(scene: Scene) -> Verdict:
    """No loss lies below its tangents; losses of the library are convex by definition."""
    met = scene.seen.least_curvature
    if met.there and met.value < -_SLACK * (1.0 + abs(scene.seen.most_curvature.value)):
        return _refuted(met, f"between two points of a run the curvature is {met.value:g}")
    if scene.losses is not None and not scene.measured:
        return finding(HOLDS, KNOWN, "a problem that tells beta >= 0 has convex losses")
    return _not_refuted(scene, f"the least curvature between two points is {met.value:g}")


def linear(scene: Scene) -> Verdict:
    """The losses have no curvature at all."""
    if scene.losses is None or scene.measured:
        return _not_refuted(scene, f"the largest curvature is {scene.seen.most_curvature.value:g}")
    flat = scene.losses.smoothness == 0.0
    return finding(HOLDS if flat else VIOLATED, KNOWN, f"alpha = {scene.losses.smoothness:g}")


def bounded(scene: Scene) -> Verdict:
    """The domain lies in a ball."""
    radius = scene.domain.outer_radius
    good = math.isfinite(radius)
    reason = f"R = {radius:g} about its centre" if good else "the domain has no end"
    return finding(HOLDS if good else VIOLATED, KNOWN, reason, radius=radius)


def roomy(scene: Scene) -> Verdict:
    """The domain contains a ball about its centre, within its affine hull, and probes fit into it."""
    inner, probe = scene.domain.inner_radius, scene.told.get("probe_radius", 0.0)
    reason = f"r = {inner:g} about its centre" + (f", and the probe radius is {probe:g}" if probe else "")
    return finding(HOLDS if inner > probe else VIOLATED, KNOWN, reason, inner_radius=inner)


def values_bounded(scene: Scene) -> Verdict:
    """No value that is told is larger in size than what the learner was told."""
    told, met = scene.told.get("bound"), scene.seen.size
    if told is None:
        return finding(UNSEEN, NONE, "the learner was not told an M that can be read off it")
    if met.there and met.value > told * (1.0 + _SLACK):
        return _refuted(met, f"it was told M = {told:g}, and a value is {met.value:g} in size", told=told)
    return _not_refuted(scene, f"it was told M = {told:g}, the largest value is {met.value:g}", told=told)


def labels_bounded(scene: Scene) -> Verdict:
    """No label is larger in size than what the learner was told."""
    told, met = scene.told.get("label_bound"), scene.seen.label
    if told is None:
        return finding(VIOLATED, KNOWN, "the learner was not told a bound on the labels, without which nothing holds")
    if met.there and met.value > told * (1.0 + _SLACK):
        return _refuted(met, f"it was told Y = {told:g}, and a label is {met.value:g} in size", told=told)
    return _not_refuted(scene, f"it was told Y = {told:g}, the largest label is {met.value:g}", told=told)


def small_entries(scene: Scene) -> Verdict:
    """Entries of gradients lie in [-1, 1]."""
    met = scene.seen.entry
    if met.there and met.value > 1.0 + _SLACK:
        return _refuted(met, f"an entry of a gradient is {met.value:g} in size, and may be 1")
    if scene.losses is not None and not scene.measured and scene.losses.lipschitz <= 1.0 + _SLACK:
        return finding(HOLDS, KNOWN, f"no gradient is longer than L = {scene.losses.lipschitz:g}")
    return _not_refuted(scene, f"the largest entry of a gradient is {met.value:g} in size")


def fixed_delay(scene: Scene) -> Verdict:
    """Every delay is exactly the one that the learner was told."""
    return _delays(scene, lambda delay, told: delay != told, "exactly")


def largest_delay(scene: Scene) -> Verdict:
    """No delay is longer than the one that the learner was told."""
    return _delays(scene, lambda delay, told: delay > told, "at most")


def _delays(scene: Scene, wrong: Callable[[int, float], bool], words: str) -> Verdict:
    """The delays of all runs against the one that was told; those that end after the last round do not matter."""
    told, runs = scene.told.get("delay"), scene.seen.delays
    if told is None or runs is None:
        missing = (
            "the learner was not told a delay" if told is None else "there is no result whose delays could be seen"
        )
        return finding(UNSEEN, NONE, missing)
    for seed, delays in zip(scene.seen.seeds, runs, strict=True):
        for number, delay in enumerate(delays.tolist(), start=1):
            if wrong(delay, told) and number + min(delay, told) - 1 < delays.size:
                reason = f"every delay must be {words} {told:g}, and one is {delay}"
                return _refuted(Met(float(delay), seed, number), reason, told=told)
    return _not_refuted(scene, f"every delay is {words} {told:g}", told=told)


JUDGES: Mapping[str, Callable[[Scene], Verdict]] = MappingProxyType(
    {
        "convex": convex,
        "strongly convex": strongly_convex,
        "smooth": smooth,
        "linear": linear,
        "plus a known regulariser": regularised,
        "gradients with entries in [-1, 1]": small_entries,
        "strong convexity": told_convexity,
        "lipschitz": told_lipschitz,
        "gradient bound": told_lipschitz,
        "regulariser": regularised,
        "bounded domain": bounded,
        "a bounded domain": bounded,
        "bound": values_bounded,
        "bound on the labels": labels_bounded,
        "range of the losses": small_entries,
        "the delay, fixed": fixed_delay,
        "the delay": largest_delay,
        "largest delay": largest_delay,
    }
)
"""The judgement of each word of the cards that can be judged."""
