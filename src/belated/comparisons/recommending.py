"""What may be known of a problem and of its delays, and the learner that theory recommends for them.

Both ways to compare learners use this file: :func:`recommended` for objects of Python, and the makers of settings in
words for every argument that a setting does not give.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np

from belated.comparisons.positions import Key
from belated.core import checks, streams
from belated.core.errors import BelatedError, InvalidArgument
from belated.core.spelling import suggestion
from belated.delays import DelayLaw, Fixed
from belated.domains.base import Domain
from belated.learners import Learner, catalogue
from belated.learners.card import Facts
from belated.losses.base import Constants, Loss, value
from belated.sim.plan import plan_of
from belated.sim.problems import Problem
from belated.sim.seed_stream import SeedStream

LOOKED_AT = 20_000
"""Of how many rounds the losses are looked at for their size, and how many delays are drawn at once."""

UNKNOWN = Constants(math.inf, 0.0, math.inf)
"""Constants that hold for every convex loss."""


@dataclass(frozen=True)
class Knowledge:
    """What learners may be told. ``told`` notes what each learner of a setting in words was told, by its key."""

    problem: Problem
    domain: Domain
    facts: Facts
    told: dict[Key, dict[str, Any]] = field(default_factory=dict)

    def arguments(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments for the learner of that name, besides those that are given.

        They are those that its theory recommends. What a learner needs, and what neither is a fact nor is given, comes
        from the problem if that has an attribute of the same name, such as ``features`` or ``window``.
        """
        parameters = signature(catalogue.NAMED[name]).parameters.values()
        needed = [each.name for each in parameters if each.default is Parameter.empty and each.name not in given]
        known = ("domain", *Facts._fields)
        own = {
            each: getattr(self.problem, each) for each in needed if each not in known and hasattr(self.problem, each)
        }
        return own | catalogue.recommended(name, self.domain, self.facts, own | dict(given))

    def under(self, law: DelayLaw, seed: int) -> "Knowledge":
        """The same with the delays of another law, as that seed draws them."""
        return replace(self, facts=with_delays(self.facts, law, seed))


def recommended(
    algorithm: Callable[..., Learner],
    problem: Problem,
    delays: DelayLaw,
    rounds: int,
    domain: Domain | None = None,
    seed: int = 0,
    **given: Any,
) -> Learner:
    """Make a learner with the arguments that its theory recommends for a problem under delay.

    The theory is given the problem's constants over the domain, the number of rounds, and the longest and the total
    delay of one seed. ``belated compare`` tells learners the same.

    Args:
        algorithm: One of the named algorithms, such as ``bl.gold``.
        problem: What is to be learned. Where it has no ``constants(domain)``, those of its loss are taken, for the
            rows of up to 20 000 rounds of ``seed``.
        delays: The law of delay.
        rounds: How many rounds will be played.
        domain: Where decisions lie. The default is the problem's own ``domain``.
        seed: Which seed's delays and losses are looked at.
        **given: Arguments of the algorithm that you decide on. They are used as they are.

    Returns:
        The learner, to be started, simulated or compared.

    Raises:
        InvalidArgument: An argument is wrong, the problem has no domain and none is given, or the algorithm needs an
            argument that neither theory nor the problem can tell. The message names it.

    Example:
        >>> import belated as bl
        >>> problem = bl.problems.RandomQuadratic(10)
        >>> bl.recommended(bl.dogd_sc, problem, bl.delays.Geometric(5), 1000) == bl.dogd_sc(bl.Ball(10), 2.0)
        True
    """
    where = "recommended"
    number, first = checks.count(where, "rounds", rounds), checks.count(where, "seed", seed, least=0)
    if not isinstance(delays, DelayLaw):
        checks.refuse(where, "delays", delays, "must be a law of delay, such as Geometric(5)")
    chosen = chosen_domain(where, problem, domain)
    check_length(where, problem, number)
    check_length(where, delays, number)
    knowledge = Knowledge(problem, chosen, facts_of(problem, chosen, delays, number, first))
    return tuned(where, "algorithm", algorithm, knowledge, given)


def tuned(where: str, argument: str, algorithm: Any, knowledge: Knowledge, given: Mapping[str, Any]) -> Learner:
    """The learner of a named algorithm, with what is known and what is given.

    Errors name the call ``where`` and its ``argument``, which is the one that the algorithm was given by.
    """
    name = next((name for name, function in catalogue.NAMED.items() if function is algorithm), None)
    if name is None:
        wanted = "must be one of the named algorithms, such as bl.gold; of a function of your own, give what it returns"
        checks.refuse(where, argument, algorithm, wanted)
    parameters = signature(algorithm).parameters
    for each in given:
        if each not in parameters:
            checks.refuse(where, each, given[each], f"{name} has no such argument; {suggestion(each, parameters)}")
    try:
        advice = knowledge.arguments(name, given)
    except (BelatedError, ArithmeticError, ValueError) as error:
        checks.refuse(where, argument, name, f"nothing can be recommended for what is not given: {error}")
    for each, form in parameters.items():
        if form.default is Parameter.empty and each not in given and each not in advice:
            wanted = (
                f"needs `{each}`, which neither its theory nor the problem can tell; "
                f"recommended(bl.{name}, ..., {each}=...) takes it"
            )
            checks.refuse(where, argument, name, wanted)
    try:
        learner: Learner = algorithm(**{**advice, **given})
    except InvalidArgument as error:
        if error.argument not in advice:
            raise
        hint = f"this is what the problem tells; give {error.argument}=... to decide otherwise"
        raise InvalidArgument(f"{error}; {hint}", error.argument) from None
    return learner


def chosen_domain(where: str, problem: Any, domain: Any) -> Domain:
    """The domain that is given or else the problem's own, if it fits a problem that is one."""
    loss = getattr(problem, "loss", None)
    if not isinstance(loss, Loss):
        checks.refuse(where, "problem", problem, "must be a problem, such as RandomQuadratic(10), with a `loss`")
    chosen = getattr(problem, "domain", None) if domain is None else domain
    if chosen is None:
        checks.refuse(where, "domain", None, "must be given: the problem has no domain of its own")
    if not isinstance(chosen, Domain) or chosen.dim != loss.dim:
        checks.refuse(where, "domain", chosen, f"must be a domain of the problem's dimension, {loss.dim}")
    return chosen


def check_length(where: str, source: object, rounds: int) -> None:
    """Refuse more rounds than a problem or a law of delay has."""
    longest = getattr(source, "longest_run", math.inf)
    if rounds > longest:
        checks.refuse(where, "rounds", rounds, f"must be <= {int(longest)}, the rounds that {source!r} has")


class Looked(NamedTuple):
    """What a look at the losses of one seed tells: constants that hold for them, and the largest one at the centre."""

    constants: Constants
    highest: float


Look = Callable[[Problem, Domain, int, int], Looked]
"""Looks at the losses of a problem on a domain, for so many rounds of one seed."""


def look_at(problem: Problem, domain: Domain, rounds: int, seed: int) -> Looked:
    """Look at the first losses of one seed, each at the centre of the domain."""
    loss, centre, looked_at = problem.loss, np.asarray(domain.centre), min(rounds, LOOKED_AT)
    plan = plan_of(looked_at, loss.row_size, np.array([looked_at]))
    known, highest = _declared(problem, domain), 0.0
    seen = []
    for rows in SeedStream(problem, loss, Fixed(1), seed, plan).chunks(looked_at):  # whose delays nobody asks for
        highest = max(highest, *(abs(float(value(loss, row, centre))) for row in rows))
        if known is None:
            seen.append(_told(domain, loss.constants, rows, domain))
    return Looked(known or _holding_for_all(seen), highest)


def facts_of(problem: Problem, domain: Domain, law: DelayLaw, rounds: int, seed: int, look: Look = look_at) -> Facts:
    """What may be known: the problem's constants, and the size of the losses and the delays of one seed."""
    known, highest = look(problem, domain, rounds, seed)
    bound = highest + (known.lipschitz * domain.outer_radius if known.lipschitz else 0.0)  # and not 0 times infinity
    return with_delays(Facts(rounds, known.lipschitz, known.strong_convexity, bound, 0, 0), law, seed)


def _declared(problem: Problem, domain: Domain) -> Constants | None:
    """The problem's own constants; ``None`` if it has no such method."""
    if not hasattr(problem, "constants"):
        return None
    return _told(domain, problem.constants, domain)


def _told(domain: Domain, ask: Callable[..., Constants | None], *about: Any) -> Constants | None:
    """What a problem or a loss tells of its constants; nothing is known if it fails where the domain has no end."""
    try:
        return ask(*about)
    except (ArithmeticError, ValueError):
        if math.isfinite(domain.outer_radius):
            raise
        return UNKNOWN


def _holding_for_all(seen: Sequence[Constants | None]) -> Constants:
    """Constants that hold wherever one of these does; a loss of somebody's own may have none to tell."""
    if any(each is None for each in seen):
        return UNKNOWN
    lipschitz, strong_convexity, smoothness = zip(*(each for each in seen if each is not None), strict=True)
    return Constants(max(lipschitz), min(strong_convexity), max(smoothness))


def with_delays(facts: Facts, law: DelayLaw, seed: int) -> Facts:
    """The facts under these delays, as that seed draws them."""
    sampler, longest, total = law.sampler(streams.delays(seed)), 0, 0
    for start in range(0, facts.rounds, LOOKED_AT):
        left = np.arange(facts.rounds - start, max(0, facts.rounds - start - LOOKED_AT), -1)
        late = np.minimum(sampler.take(left.size), left)
        longest, total = max(longest, int(late.max())), total + int(late.sum())
    return facts._replace(delay=longest, total_delay=total)
