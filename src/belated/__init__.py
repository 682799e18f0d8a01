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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from belated import delays as delays
    from belated import losses as losses
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
    from belated.learners import Learner as Learner
    from belated.learners import Player as Player
    from belated.learners import bdogd_sc as bdogd_sc
    from belated.learners import bdogd_sc_two_point as bdogd_sc_two_point
    from belated.learners import dbgd as dbgd
    from belated.learners import dogd as dogd
    from belated.learners import dogd_sc as dogd_sc
    from belated.learners import khashabi as khashabi
    from belated.learners import log_probe_radius as log_probe_radius
    from belated.learners import ogd as ogd
    from belated.learners import ogd_sc as ogd_sc
    from belated.learners.parts import rates as rates
    from belated.sim import Result as Result
    from belated.sim import problems as problems
    from belated.sim import simulate as simulate
    from belated.theory import bounds as bounds

_MODULES = {
    "bounds": "belated.theory.bounds",
    "delays": "belated.delays",
    "errors": "belated.core.errors",
    "losses": "belated.losses",
    "problems": "belated.sim.problems",
    "rates": "belated.learners.parts.rates",
}

_NAMES = {
    "belated.core.errors": ["BelatedError"],
    "belated.domains": ["Ball", "Box", "Ellipsoid", "Euclidean", "Halfspace", "L1Ball", "Product", "Simplex"],
    "belated.learners": [
        *("Learner", "Player", "log_probe_radius"),
        *("ogd", "ogd_sc", "dogd", "dogd_sc", "bdogd_sc", "bdogd_sc_two_point", "dbgd", "khashabi"),
    ],
    "belated.sim": ["Result", "simulate"],
}

_HOME_OF = {name: home for home, names in _NAMES.items() for name in names}

__all__ = sorted([*_MODULES, *_HOME_OF])


def __getattr__(name: str) -> Any:
    """Load a public name from the room it lives in, once."""
    if name == "__version__":
        value: Any = _version()
    elif name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'belated' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _version() -> str:
    """The version that is installed; a source tree that never was has none to tell."""
    from importlib import metadata

    try:
        return metadata.version("belated")
    except metadata.PackageNotFoundError:
        return "not installed"
