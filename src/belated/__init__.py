"""belated: online decisions whose feedback comes late.

Learners play a decision each round and are told about it whenever the feedback comes::

    import belated as bl

    learner = bl.dogd_sc(bl.Ball(10), strong_convexity=2.0)
    player = learner.start()
    play = player.ask()            # play.round, play.points, play.decision
    player.tell(gradient)          # later, in any order

Names are loaded on first use, so that importing the package, and the command line's ``--help``, cost next to nothing.
"""

import importlib
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from belated import patience as _patience  # noqa: F401  # from here on, Ctrl-C is heard while something is compiled

if TYPE_CHECKING:
    from belated import adapters as adapters
    from belated import client as client
    from belated import delays as delays
    from belated import extend as extend
    from belated import journal as journal
    from belated import logs as logs
    from belated import losses as losses
    from belated import models as models
    from belated import replays as replays
    from belated import service as service
    from belated import sweeps as sweeps
    from belated.audit import adversaries as adversaries
    from belated.audit.assumptions import Assumptions as Assumptions
    from belated.audit.assumptions import assumptions as assumptions
    from belated.audit.certificate import Certificate as Certificate
    from belated.audit.certify import certify as certify
    from belated.audit.growth import Growth as Growth
    from belated.audit.growth import growth as growth
    from belated.audit.recording import record_run as record_run
    from belated.audit.run import Run as Run
    from belated.audit.worst_case import WorstCase as WorstCase
    from belated.audit.worst_case import worst_case as worst_case
    from belated.comparisons import Comparison as Comparison
    from belated.comparisons import compare as compare
    from belated.comparisons import recommended as recommended
    from belated.core import errors as errors
    from belated.core.errors import BelatedError as BelatedError
    from belated.domains import Ball as Ball
    from belated.domains import Box as Box
    from belated.domains import Ellipsoid as Ellipsoid
    from belated.domains import Euclidean as Euclidean
    from belated.domains import Halfspace as Halfspace
    from belated.domains import L1Ball as L1Ball
    from belated.domains import Product as Product
    from belated.domains import Simplex as Simplex
    from belated.keeping import load as load
    from belated.keeping import save as save
    from belated.learners import *  # noqa: F403  # every name that is exported there, as at run time
    from belated.learners.parts import rates as rates
    from belated.learners.parts.policies import hints as hints
    from belated.learners.parts.rates import tunings as tunings
    from belated.logs import Log as Log
    from belated.logs import read_log as read_log
    from belated.replays import Replay as Replay
    from belated.replays import replay as replay
    from belated.service import open as open  # noqa: A004  # it is called as belated.open
    from belated.sim import Result as Result
    from belated.sim import dynamic_regret as dynamic_regret
    from belated.sim import problems as problems
    from belated.sim import simulate as simulate
    from belated.sweeps import Sweep as Sweep
    from belated.sweeps import sweep as sweep
    from belated.theory import bounds as bounds

_MODULES = {
    "adapters": "belated.adapters",
    "adversaries": "belated.audit.adversaries",
    "bounds": "belated.theory.bounds",
    "client": "belated.client",
    "delays": "belated.delays",
    "errors": "belated.core.errors",
    "extend": "belated.extend",
    "hints": "belated.learners.parts.policies.hints",
    "journal": "belated.journal",
    "logs": "belated.logs",
    "losses": "belated.losses",
    "models": "belated.models",
    "problems": "belated.sim.problems",
    "rates": "belated.learners.parts.rates",
    "replays": "belated.replays",
    "service": "belated.service",
    "sweeps": "belated.sweeps",
    "tunings": "belated.learners.parts.rates.tunings",
}

_NAMES = {
    "belated.audit.assumptions": ["Assumptions", "assumptions"],
    "belated.audit.certificate": ["Certificate"],
    "belated.audit.certify": ["certify"],
    "belated.audit.recording": ["record_run"],
    "belated.audit.run": ["Run"],
    "belated.audit.growth": ["Growth", "growth"],
    "belated.audit.worst_case": ["WorstCase", "worst_case"],
    "belated.comparisons": ["Comparison", "compare", "recommended"],
    "belated.core.errors": ["BelatedError"],
    "belated.domains": ["Ball", "Box", "Ellipsoid", "Euclidean", "Halfspace", "L1Ball", "Product", "Simplex"],
    "belated.keeping": ["load", "save"],
    "belated.logs": ["Log", "read_log"],
    "belated.replays": ["Replay", "replay"],
    "belated.service": ["open"],
    "belated.sim": ["Result", "dynamic_regret", "simulate"],
    "belated.sweeps": ["Sweep", "sweep"],
}

_HOME_OF = {name: home for home, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from the room it lives in, once."""
    if name == "__version__":
        value: Any = importlib.import_module("belated.output.version").installed_version()
    elif name == "__all__":
        value = sorted([*_MODULES, *_HOME_OF, *_of_learners()])
    elif name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
    elif _may_be_of_learners(name) and name in (known := _of_learners()):
        value = known[name]
    else:
        raise AttributeError(f"module 'belated' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]


def _of_learners() -> dict[str, Any]:
    """What :mod:`belated.learners` exports, the learners above all. They are not listed here a second time."""
    exported = vars(importlib.import_module("belated.learners"))
    return {name: value for name, value in exported.items() if name[0] != "_" and not isinstance(value, ModuleType)}


def _may_be_of_learners(name: str) -> bool:
    """Whether it is worth while to import them: not for what Python asks every module for, nor for a room."""
    return not name.startswith("_") and find_spec(f"{__name__}.{name}") is None
