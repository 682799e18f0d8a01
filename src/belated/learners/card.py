"""The card of a named learner: what it asks for, what it promises, what it costs.

What can be seen from a learner itself (what it is told, whether it needs the round, how many points it plays) is not
written down a second time: see :mod:`belated.learners.catalogue`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from belated.domains.base import Domain
from belated.learners.learner import Learner


class Facts(NamedTuple):
    """What is known of losses and delays when learners are compared; fields are named as learners' arguments are.

    ====================  =========================================================================================
    field                 meaning
    ====================  =========================================================================================
    ``rounds``            T
    ``lipschitz``         L, which bounds the norms of the gradients over the domain
    ``strong_convexity``  beta, 0 where there is none
    ``bound``             M for the losses' own values over the domain, from those of some rounds and L: an estimate
    ``delay``             the longest delay, cut off at the last round
    ``total_delay``       D, the sum of the delays, cut off likewise
    ====================  =========================================================================================
    """

    rounds: int
    lipschitz: float
    strong_convexity: float
    bound: float
    delay: int
    total_delay: int


def _as_they_are(domain: Domain, facts: Facts) -> Mapping[str, Any]:
    """Nothing beyond those arguments that are facts by name."""
    return {}


@dataclass(frozen=True)
class Card:
    """A learner in a few words.

    ==============  ===============================================================================================
    field           meaning
    ==============  ===============================================================================================
    ``title``       its name in words
    ``losses``      for which losses the promise holds
    ``adversary``   ``"adaptive"``: may see all that was played; ``"oblivious"``: losses, or losses and delays, are
                    fixed beforehand
    ``known``       what must be known in advance, in the words of the arguments: strong convexity, lipschitz (a bound
                    on the norms of the gradients), rounds, total delay, bounded domain, ...
    ``promise``     the order of its regret, or that there is none
    ``source``      who has proved it
    ``certainty``   how sure that is: read in the source, derived here, only remembered
    ``time``        the time that a round takes
    ``memory``      the memory that a run takes
    ``examples``    a typical use on a given domain, by the name of the variant ("" for the plain one); raises
                    ``InvalidArgument`` on domains that are not for it. All suites run over these
    ``domains``     which domains it takes: ``"any"``, ``"bounded"``, ``"simplex"``, ...; what follows a semicolon
                    holds for some of its arguments. A domain that it takes and that its promise does not cover is named
                    in ``known`` or ``promise``
    ``tuned``       the arguments that its theory recommends for some facts, besides those that are facts by name
    ``beside``      optional arguments that are given beside those of ``tuned``; any other one is given in their place
    ==============  ===============================================================================================

    In orders, T is the number of rounds, n the dimension, d the largest delay, D the sum of the delays, D0 = D - T.
    """

    title: str
    losses: str
    adversary: str
    known: tuple[str, ...]
    promise: str
    source: str
    certainty: str
    time: str
    memory: str
    examples: Mapping[str, Callable[[Domain], Learner]]
    domains: str = "any"
    tuned: Callable[[Domain, Facts], Mapping[str, Any]] = _as_they_are
    beside: tuple[str, ...] = ()
