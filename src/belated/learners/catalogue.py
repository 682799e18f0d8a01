"""The catalogue: every named learner, with the arguments of a typical use.

The suites that every learner must pass run over it, so a learner is tested by being here.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from belated.domains.base import Domain
from belated.learners.bdogd_sc import bdogd_sc
from belated.learners.bdogd_sc_two_point import bdogd_sc_two_point
from belated.learners.dbgd import dbgd
from belated.learners.dogd import dogd
from belated.learners.dogd_sc import dogd_sc
from belated.learners.khashabi import khashabi
from belated.learners.learner import Learner
from belated.learners.ogd import ogd
from belated.learners.ogd_sc import ogd_sc
from belated.learners.parts.rates import count_adaptive, doubling


def _probe_radius(domain: Domain) -> float:
    return min(0.05, domain.inner_radius / 4)


NAMED: Mapping[str, Callable[..., Learner]] = MappingProxyType(
    {
        "ogd": ogd,
        "ogd_sc": ogd_sc,
        "dogd": dogd,
        "dogd_sc": dogd_sc,
        "bdogd_sc": bdogd_sc,
        "bdogd_sc_two_point": bdogd_sc_two_point,
        "dbgd": dbgd,
        "khashabi": khashabi,
    }
)
"""Every named algorithm."""

EXAMPLES: Mapping[str, Callable[[Domain], Learner]] = MappingProxyType(
    {
        "ogd": lambda domain: ogd(domain, lipschitz=2.0),
        "ogd_sc": lambda domain: ogd_sc(domain, strong_convexity=2.0),
        "dogd": lambda domain: dogd(domain, rate=0.2),
        "dogd, count-adaptive": lambda domain: dogd(domain, count_adaptive(domain, lipschitz=2.0)),
        "dogd, doubling": lambda domain: dogd(domain, doubling(domain, lipschitz=2.0)),
        "dogd_sc": lambda domain: dogd_sc(domain, strong_convexity=2.0),
        "bdogd_sc": lambda domain: bdogd_sc(domain, 2.0, _probe_radius(domain)),
        "bdogd_sc_two_point": lambda domain: bdogd_sc_two_point(domain, 2.0, _probe_radius(domain)),
        "dbgd": lambda domain: dbgd(domain, 0.2, _probe_radius(domain)),
        "khashabi": lambda domain: khashabi(domain, strong_convexity=2.0),
    }
)
"""A typical use of each on a given domain, under the name of the algorithm and, after a comma, of the variant."""
