"""What the numbers of a run depend on, as a key: the name under which a store keeps them.

Two runs share a key only if they have the same bits. What a run depends on is known in one of three ways:

* by its value: the learner, the state that ``begin`` makes of its first decision, and its interface; the loss, the
  domain and the numbers that they give of themselves; the seed, and the rounds: how many, and which are recorded;
* by its code, down to a user's own parts: the loop that would run the learner, ``enlarged``, which is called between
  two chunks, and what the search for best decisions calls of the loss and of the domain, methods included;
* by its version: the source text of this library, Python, NumPy, SciPy, and the kind of machine.

Code of problems and laws of delay is not looked into. A problem with a method ``digest()`` of its own is known by the
text that this returns, and by its first rows; the method is a promise that the text changes with any row. One without,
or whose ``digest()`` returns ``None``, is known by all of its rows, which are drawn for that. A law that is not of
this library, or has one within, is likewise known by all of its delays.
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
from belated.core.closures import Closure, part_classes
from belated.core.errors import CannotCompile
from belated.core.parts import fingerprint, leaves
from belated.domains.base import contains, minimise, project
from belated.learners.verbs import begin, enlarged
from belated.losses.base import Loss
from belated.sim.hindsight.objectives import add_losses
from belated.sim.jobs import Contender, Simulation
from belated.sim.plain_or_compiled import example_arguments
from belated.sim.plan import Plan, plan_of
from belated.sim.round_loop import play_chunk

SCHEMA = "belated run 1"
"""What a file of a store holds, and how; another number is another kind of file."""

FIRST_ROUNDS = 64
"""How many rounds are drawn of every seed if all others are known without: most changes of code show there, too."""

METHODS, NUMBERS = ("project", "minimise", "contains"), ("dim", "centre", "outer_radius", "diameter")
"""What the search for best decisions calls and reads of a domain."""


class SeedKeys(NamedTuple):
    """The keys of one seed: of the record of each learner, and of delays with best decisions.

    That of a learner does not depend on the name that it has in this simulation, nor on the other learners.
    """

    learners: Mapping[str, str]
    search: str


class Keys:
    """The keys of a simulation; making them looks into the code of its learners and of its loss."""

    def __init__(self, simulation: Simulation) -> None:
        plan, loss, domain, problem = simulation.plan, simulation.loss, simulation.domain, simulation.problem
        digest = _promised(problem)
        few = plan_of(min(plan.rounds, FIRST_ROUNDS), loss.row_size, plan.recorded)
        self._drawn = simulation._replace(plan=few if digest is not None and _is_ours(simulation.law) else plan)
        # Rows that are not all drawn may still be changed by the loss that checks them.
        checking = "" if digest is None else _code("problem", problem, type(loss).check_rows, (loss,))
        parts = (loss, loss.dim, loss.row_size, simulation.law, digest, checking, plan.rounds, plan.recorded)
        self._shared = fingerprint((SCHEMA, environment(), *parts))
        self._learners = {name: _of_learner(name, each, loss, plan) for name, each in simulation.contenders.items()}
        searching = (add_losses, type(loss).curvature)
        about = (project, minimise, contains, *(getattr(type(domain), each) for each in METHODS))
        self._search = fingerprint(
            (
                simulation.regret_at,
                getattr(loss, "quadratic_form", None),
                (domain, *(getattr(domain, each) for each in NUMBERS)),
                *(_code("problem", problem, each, (loss, domain)) for each in searching),
                *(_code("learners", domain, each, (domain,)) for each in about),
            )
        )

    def of_seed(self, seed: int) -> SeedKeys:
        """The keys of one seed, of which the first rows are drawn, or all of them."""
        rows, delays = (hashlib.blake2b(digest_size=16) for _ in range(2))
        for chunk in self._drawn.stream(seed).with_delays():
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
    versions = (platform.python_version(), np.__version__, version("scipy"))
    return fingerprint((*versions, platform.system(), platform.machine(), *sources.items()))


def _promised(problem: Any) -> str | None:
    """The text of a problem that changes with its rows; ``None`` if it has none.

    A method of this library knows nothing of what a class that is derived from its own may do.
    """
    method = getattr(type(problem), "digest", None)
    text = problem.digest() if hasattr(problem, "digest") else None
    if not (text is None or isinstance(text, str)):
        wanted = f"must have a `digest()` that returns a text or None, returned {checks.shown(text)}"
        checks.refuse("simulate", "problem", problem, wanted)
    return None if method is not None and _is_of_library(method) and not _is_of_library(type(problem)) else text


def _is_ours(law: Any) -> bool:
    """Whether a law, and all that it is made of, comes from this library."""
    return all(map(_is_of_library, {type(law)} | part_classes(law)))


def _is_of_library(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]


def _of_learner(name: str, contender: Contender, loss: Loss, plan: Plan) -> str:
    """A digest of how a learner begins, and of all code that it then runs."""
    learner = contender.learner
    first = learner.first_decision(contender.initial)
    arguments = example_arguments(name, learner, loss, plan)
    return fingerprint(
        (
            learner.fingerprint,
            first,
            tuple(learner.interface),
            tuple(leaves(begin(learner.policy, first))),
            _code("learners", name, play_chunk, arguments),
            _code("learners", name, enlarged, arguments),
        )
    )


def _code(argument: str, value: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A digest of all code that ``function`` reaches; refuse the ``argument`` of `simulate` where there is none."""
    try:
        closure = Closure(function, arguments, plain=True)
        opaque = "it uses something that is neither a function, a constant nor a part" if closure.opaque else ""
    except CannotCompile as problem:
        opaque = str(problem)
    if opaque:
        wanted = "cannot be kept with `store`, since a change of its code would not be noticed"
        checks.refuse("simulate", argument, value, f"{wanted}: {opaque}")
    return closure.digest
