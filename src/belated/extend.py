"""What parts of your own are written with, in one place: ``from belated.extend import inverse_rate, Ledger``.

The names live in the rooms of the library. ``docs/own_learner.md``, ``docs/own_policy.md`` and
``docs/own_parts.md`` show how each is used. Which of them you need depends on what you write:

==============  ======================================================================================================
to write a      you need
==============  ======================================================================================================
rate            ``inverse_rate``, ``Ledger``
step            ``begin``, ``decision``, ``move``, ``inverse_rate``, ``project``, ``Rate``, ``Ledger``, ``Vector``; for
                its learner, ``from_arrivals``, ``Batch``, ``checked_domain``, ``checked_rate``
arrival rule    ``begin``, ``decision``, ``absorb``, ``settle``, ``move``, ``rest``, ``Step``, ``State``, ``Ledger``,
                ``Vector``
estimator       ``Interface``, ``interface``, ``probe``, ``estimate``, ``Rng``, ``Vector``, ``Matrix``
policy          ``Interface``, ``interface``, ``begin``, ``decision``, ``play``, ``receive``, ``settle``, ``Ledger``,
                ``Vector``, ``Desk``, ``project``, ``Learner``; ``full`` and ``enlarged`` if its memory grows;
                ``adds_up``, ``add_up`` and ``settle_sum`` if only sums of gradients count
domain          ``Domain``, ``project``, ``contains``, ``minimise``; ``embed`` if it has no interior
loss            ``Loss``, ``Constants``, ``value``, ``gradient``
law of delay    ``DelayLaw``
problem         nothing: any object with a ``loss`` and ``rows(seed, rounds)``; ``bl.problems.OwnProblem`` helps
==============  ======================================================================================================

Where a part is made of others, annotate these with what they are: ``Policy``, ``ArrivalRule``, ``Step``, ``Rate`` or
``Estimator``; and what one of them remembers with ``State``.

``checks`` has the checks of arguments with their error messages, ``frozen`` makes the arrays that a description holds,
and ``compilable`` marks a helper function that implementations of verbs call.
"""

from belated.core import checks as checks
from belated.core.arrays import Integers as Integers
from belated.core.arrays import Matrix as Matrix
from belated.core.arrays import Vector as Vector
from belated.core.arrays import frozen as frozen
from belated.core.ledger import Ledger as Ledger
from belated.core.verbs import compilable as compilable
from belated.core.verbs import verb as verb
from belated.delays.base import DelayLaw as DelayLaw
from belated.domains.base import Domain as Domain
from belated.domains.base import checked_domain as checked_domain
from belated.domains.base import contains as contains
from belated.domains.base import embed as embed
from belated.domains.base import minimise as minimise
from belated.domains.base import project as project
from belated.learners.learner import Learner as Learner
from belated.learners.learner import from_arrivals as from_arrivals
from belated.learners.parts.policies.arrivals import Batch as Batch
from belated.learners.parts.policies.arrivals import Sequential as Sequential
from belated.learners.parts.policies.gradient import Direct as Direct
from belated.learners.parts.policies.gradient import Estimated as Estimated
from belated.learners.parts.rates import checked_rate as checked_rate
from belated.learners.parts.steps.descent import Descent as Descent
from belated.learners.verbs import ArrivalRule as ArrivalRule
from belated.learners.verbs import Desk as Desk
from belated.learners.verbs import Estimator as Estimator
from belated.learners.verbs import Interface as Interface
from belated.learners.verbs import Policy as Policy
from belated.learners.verbs import Rate as Rate
from belated.learners.verbs import Rng as Rng
from belated.learners.verbs import State as State
from belated.learners.verbs import Step as Step
from belated.learners.verbs import absorb as absorb
from belated.learners.verbs import add_up as add_up
from belated.learners.verbs import adds_up as adds_up
from belated.learners.verbs import begin as begin
from belated.learners.verbs import decision as decision
from belated.learners.verbs import enlarged as enlarged
from belated.learners.verbs import estimate as estimate
from belated.learners.verbs import forget as forget
from belated.learners.verbs import full as full
from belated.learners.verbs import interface as interface
from belated.learners.verbs import inverse_rate as inverse_rate
from belated.learners.verbs import move as move
from belated.learners.verbs import oldest_wanted as oldest_wanted
from belated.learners.verbs import play as play
from belated.learners.verbs import probe as probe
from belated.learners.verbs import receive as receive
from belated.learners.verbs import rest as rest
from belated.learners.verbs import settle as settle
from belated.learners.verbs import settle_sum as settle_sum
from belated.learners.verbs import sound as sound
from belated.losses.base import Constants as Constants
from belated.losses.base import Loss as Loss
from belated.losses.base import gradient as gradient
from belated.losses.base import value as value
from belated.losses.base import value_and_gradient as value_and_gradient

__all__ = [
    "ArrivalRule",
    "Batch",
    "Constants",
    "DelayLaw",
    "Descent",
    "Desk",
    "Direct",
    "Domain",
    "Estimated",
    "Estimator",
    "Integers",
    "Interface",
    "Learner",
    "Ledger",
    "Loss",
    "Matrix",
    "Policy",
    "Rate",
    "Rng",
    "Sequential",
    "State",
    "Step",
    "Vector",
    "absorb",
    "add_up",
    "adds_up",
    "begin",
    "checked_domain",
    "checked_rate",
    "checks",
    "compilable",
    "contains",
    "decision",
    "embed",
    "enlarged",
    "estimate",
    "forget",
    "from_arrivals",
    "frozen",
    "full",
    "gradient",
    "interface",
    "inverse_rate",
    "minimise",
    "move",
    "oldest_wanted",
    "play",
    "probe",
    "project",
    "receive",
    "rest",
    "settle",
    "settle_sum",
    "sound",
    "value",
    "value_and_gradient",
    "verb",
]
