"""What the numbers of a run depend on, as a key: the name under which a store keeps them.

Two runs share a key only if they have the same bits. A key is a digest of

* the learner with its first decision, and the code of the loop that would run it, down to a user's own parts;
* the loss, the problem and the law of delay, the seed, and the rounds: how many, and which are recorded;
* the source text of this library, the versions of belated, NumPy and SciPy, and the kind of machine.

A problem with a method ``digest()`` is known by the text that this returns. One without, or whose ``digest()`` returns
``None``, is known by all of its rows, which are drawn for that. Code of problems and laws is not looked into; instead
the rows and delays of the first rounds are always part of the key, so that hardly any change of such code goes unseen.
"""

import hashlib
import platform
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.closures import Closure
from belated.core.errors import CannotCompile
from belated.core.parts import fingerprint
from belated.domains.base import minimise, project
from belated.sim.hindsight.objectives import add_losses
from belated.sim.jobs import Simulation
from belated.sim.plain_or_compiled import example_arguments
from belated.sim.plan import plan_of
from belated.sim.round_loop import play_chunk

SCHEMA = "belated run 1"
"""What a file of a store holds, and how; another number is another kind of file."""

FIRST_ROUNDS = 64
"""How many rounds are drawn of every seed to notice that the code of a problem or law has changed."""


class SeedKeys(NamedTuple):
    """The keys of one seed: of the record of each learner, and of delays with best decisions.

    That of a learner does not depend on the name that it has in this simulation, nor on the other learners.
    """

    learners: Mapping[str, str]
    search: str


class Keys:
    """The keys of a simulation; making them looks into the code of its learners and of its loss."""

    def __init__(self, simulation: Simulation) -> None:
        plan, loss, contenders = simulation.plan, simulation.loss, simulation.contenders
        digest = getattr(simulation.problem, "digest", lambda: None)()
        if not (digest is None or isinstance(digest, str)):
            wanted = f"must have a `digest()` that returns a text or None, returned {checks.shown(digest)}"
            checks.refuse("simulate", "problem", simulation.problem, wanted)
        few = plan_of(min(plan.rounds, FIRST_ROUNDS), loss.row_size, plan.recorded)
        self._simulation = simulation if digest is None else simulation._replace(plan=few)
        parts = (loss, simulation.law, digest, plan.rounds, plan.recorded)
        self._shared = fingerprint((SCHEMA, environment(), *parts))
        self._learners = {
            name: fingerprint(
                (
                    each.learner.fingerprint,
                    each.learner.first_decision(each.initial),
                    _code("learners", name, play_chunk, example_arguments(name, each.learner, loss, plan)),
                )
            )
            for name, each in contenders.items()
        }
        self._search = fingerprint(
            (
                simulation.regret_at,
                _code("problem", simulation.problem, add_losses, (loss,)),
                *(_code("learners", simulation.domain, verb, (simulation.domain,)) for verb in (project, minimise)),
                # Members that are no verbs are known by what they are.
                loss.curvature(loss.example_rows(np.random.default_rng(0), 3), simulation.domain),
                (simulation.domain, simulation.domain.outer_radius, simulation.domain.diameter),
            )
        )

    def of_seed(self, seed: int) -> SeedKeys:
        """The keys of one seed, of which the first rows are drawn, or all of them."""
        rows, delays = (hashlib.blake2b(digest_size=16) for _ in range(2))
        for chunk in self._simulation.stream(seed).with_delays():
            rows.update(chunk.rows.tobytes())
            delays.update(chunk.delays.tobytes())
        shared = (self._shared, seed, rows.hexdigest(), delays.hexdigest())
        learners = {name: fingerprint(("learner", *shared, own)) for name, own in self._learners.items()}
        return SeedKeys(learners, fingerprint(("search", *shared, self._search)))


@cache
def environment() -> str:
    """A digest of this library's source text, of versions, and of the kind of machine."""
    root = Path(__file__).parents[1]
    sources = {str(path.relative_to(root).as_posix()): path.read_text("utf-8") for path in sorted(root.rglob("*.py"))}
    versions = (np.__version__, version("scipy"))
    return fingerprint((*versions, platform.system(), platform.machine(), *sources.items()))


def _code(argument: str, value: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A digest of all code that ``function`` reaches; refuse the ``argument`` of `simulate` where there is none."""
    try:
        closure = Closure(function, arguments)
        opaque = "it uses something that is neither a function, a constant nor a part" if closure.opaque else ""
    except CannotCompile as problem:
        opaque = str(problem)
    if opaque:
        wanted = "cannot be kept with `store`, since a change of its code would not be noticed"
        checks.refuse("simulate", argument, value, f"{wanted}: {opaque}")
    return closure.digest
