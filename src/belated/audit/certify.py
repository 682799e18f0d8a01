"""``certify``: the chain of a proof on one run, a row for each step."""

from __future__ import annotations

import math

from belated.audit.certificate import Certificate
from belated.audit.chain import Chain
from belated.audit.chains import CHAINS
from belated.audit.run import Run
from belated.core import checks
from belated.learners import Learner

WHERE = "certify"


def certify(run: Run, **claims: float) -> Certificate:
    """Check every step of an algorithm's proof on one run.

    The first steps say that the run is one of the algorithm: gradients are those of the losses, and rates, steps and
    projections are what the definition says. The others are the inequalities of the proof, and the last says that the
    regret is at most the bound. All sides are computed here, from the definitions and apart from the learner.

    Args:
        run: The run, from :func:`record_run` or made of arrays of your own. Its learner's name says whose proof it is.
        **claims: Constants to check in place of those that are known or measured on the run, such as ``lipschitz`` or
            ``longest_delay``; ``docs/certify.md`` has those of each algorithm. A claim that is false on this run may
            break a step that uses it.

    Returns:
        The certificate: ``holds``, ``failed``, ``require()``, ``to_dict()``, ``to_frame()``, and a table as its text.

    Raises:
        InvalidArgument: There is no chain for the learner, its parts are not those that the proof is about, or a claim
            is unknown or no positive number of moderate size.

    Example:
        >>> import belated as bl
        >>> learner = bl.dogd_sc(bl.Ball(2), strong_convexity=2.0)
        >>> run = bl.record_run(learner, bl.problems.RandomQuadratic(2), bl.delays.Fixed(3), rounds=20)
        >>> certify(run).holds
        True
        >>> certify(run, strong_convexity=4.0).failed      # these losses have less
        ('strong convexity', 'Lemma 3, second part', 'Lemma 4')
    """
    if not isinstance(run, Run):
        checks.refuse(WHERE, "run", run, "must be a Run, such as record_run(...) returns")
    chain = chain_of(run.learner)
    for name in claims:
        if name not in chain.claims:
            wanted = f"{chain.algorithm} has no such constant; it has {', '.join(chain.claims)}"
            checks.refuse(WHERE, name, claims[name], wanted)
    claimed = {name: checks.moderate(WHERE, name, value) for name, value in claims.items()}
    known = chain.constants(run, claimed)
    for name, value in known.items():
        if not math.isfinite(value):
            checks.refuse(WHERE, "run", run.learner.name, f"must have losses and a domain for which {name} is finite")
    return Certificate(chain.algorithm, chain.theorem, run.rounds, known, tuple(chain.steps(run, known)))


def chain_of(learner: Learner) -> Chain:
    """The chain for runs of this learner, or an error that lists the algorithms that have one."""
    if learner.name not in CHAINS:
        known = ", ".join(sorted(CHAINS))
        checks.refuse(WHERE, "run", learner.name, f"must be a run of a learner whose proof can be checked: {known}")
    return CHAINS[learner.name]
