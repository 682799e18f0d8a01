r"""The experiment in section 5 of Wan, Tu and Zhang, "Online Strongly Convex Optimization with Unknown Delays".

Losses f_t(x) = \|x\|^2 + b_t.x on the unit ball of R^10, every entry of b_t uniform on [-1, 1]; T = 1000 rounds; delays
that repeat a list of seven, short ones in the setting "low" and ten times as long ones in "high". OGD-SC is run without
delay, and the others are compared with it.

======  ===============================================================================================================
symbol  value
======  ===============================================================================================================
L       2 + sqrt(10), which bounds the norm of every gradient
D       the sum of the delays of the T rounds, also of those that end after the last one
eta     1 / (L sqrt(T + D)), the constant rate of DOGD and DBGD
delta   the probe radius: ln T / T for BDOGD-SC and its two-query variant, 1 / (T + D) for DBGD
x_1     1/sqrt(10) in every entry, on the boundary of the ball; (1 - delta) times that for a bandit, with its own delta
======  ===============================================================================================================

The paper names no seeds and no number of repetitions. Here every learner meets the losses of seeds 0, 1, ..., and a
figure shows the mean over them. Bandits suffer, as in the paper, the average loss over the points that they play in a
round. The two-query variant is analysed in the paper but missing from its experiments; it is added with the probe
radius of its theorem.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.delays import DelayLaw, Fixed, Periodic
from belated.domains import Ball
from belated.learners import Learner, bdogd_sc, bdogd_sc_two_point, dbgd, dogd, dogd_sc, log_probe_radius, ogd_sc
from belated.sim import Result, simulate
from belated.sim.problems import RandomQuadratic
from belated.sim.watching import announce
from belated.theory import bounds

DIM = 10
ROUNDS = 1000
"""The dimension and the number of rounds in the paper."""

DOMAIN = Ball(DIM)
PROBLEM = RandomQuadratic(DIM)
CONSTANTS = PROBLEM.constants(DOMAIN)

SETTINGS: Mapping[str, tuple[int, ...]] = {"low": (2, 3, 2, 1, 4, 1, 3), "high": (20, 30, 20, 10, 40, 10, 30)}
"""The delays that each setting repeats."""

LABELS: Mapping[str, str] = {
    "ogd-sc": "OGD-SC",
    "dogd": "DOGD",
    "dogd-sc": "DOGD-SC",
    "bdogd-sc": "BDOGD-SC",
    "dbgd": "DBGD",
    "bdogd-sc-two-point": "BDOGD-SC, two queries",
}
"""The learners as figures and reports write them, the one without delay first."""

LEARNERS = tuple(LABELS)

PREFIXES = 40
"""After at most so many rounds the regret is known."""

LARGEST_SEED = 2**31 - 1
MOST_ROUNDS = 2**31 // (8 * len(SETTINGS) * len(LEARNERS))
"""The limits of the format of ``runs.nc``: whole numbers have 32 bits, and a variable has at most 2 GB."""

DESCRIPTIONS: Mapping[str, str] = {
    "cumulative_loss": "sum of the losses suffered up to the round, each averaged over the points played",
    "centre_cumulative_loss": "the same at the decision that the points surround",
    "regret": "cumulative loss after the last round minus that of the best fixed decision",
    "regret_by_round": "the same after the rounds in prefix, each with the best fixed decision of the rounds so far",
    "centre_regret": "the same at the decisions",
    "best_loss": "loss of the best fixed decision of all rounds",
    "best_gap": "by how much best_loss may at most be too large, certified",
    "bound": "what Theorem 1, 2 or 3 allows as regret",
    "delay": "delay of the round's feedback; ogd-sc is run without",
    "arrivals": "feedbacks that arrive at the end of the round",
    "in_flight": "feedbacks still missing then",
    "total_delay": "sum of the delays of all rounds",
    "rate": "constant rate of dogd and dbgd",
    "probe_radius": "how far from the decision a bandit looks at the loss",
}
"""What each variable of ``runs`` means; the descriptions are written into ``runs.nc``."""

Labelled = tuple[tuple[str, str], list[Any]]


@dataclass(frozen=True)
class Setup:
    """The parameters that the paper computes from a setting and the number of rounds."""

    name: str
    law: Periodic
    delays: Integers
    total_delay: int
    rate: float
    probe_radius: Mapping[str, float]

    def learners(self) -> dict[str, Learner]:
        """The learners that meet the delays."""
        beta, delta = CONSTANTS.strong_convexity, self.probe_radius
        return {
            "dogd": dogd(DOMAIN, self.rate),
            "dogd-sc": dogd_sc(DOMAIN, beta),
            "bdogd-sc": bdogd_sc(DOMAIN, beta, delta["bdogd-sc"]),
            "dbgd": dbgd(DOMAIN, self.rate, delta["dbgd"]),
            "bdogd-sc-two-point": bdogd_sc_two_point(DOMAIN, beta, delta["bdogd-sc-two-point"]),
        }

    def initial(self) -> dict[str, Vector]:
        """The first decision x_1 of each of these learners."""
        return {name: (1.0 - self.probe_radius.get(name, 0.0)) * first_decision() for name in LEARNERS[1:]}

    def bounds(self) -> dict[str, float]:
        """The regret that Theorems 1 to 3 allow to the learners of the paper."""
        inner, smoothness = DOMAIN.inner_radius, CONSTANTS.smoothness
        known = {
            "strong_convexity": CONSTANTS.strong_convexity,
            "radius": DOMAIN.outer_radius,
            "lipschitz": CONSTANTS.lipschitz,
        }
        return {
            "dogd-sc": bounds.theorem_1(self.delays, **known),
            "bdogd-sc": bounds.theorem_2(self.delays, inner_radius=inner, smoothness=smoothness, dim=DIM, **known),
            "bdogd-sc-two-point": bounds.theorem_3(self.delays, inner_radius=inner, dim=DIM, **known),
        }


@dataclass(frozen=True)
class Reproduction:
    """The result of :func:`reproduce`: the parameters, and the labelled curves and regrets."""

    rounds: int
    seeds: tuple[int, ...]
    setups: tuple[Setup, ...]
    runs: xr.Dataset


def first_decision() -> Vector:
    """The vector with 1/sqrt(10) in every entry."""
    return np.full(DIM, 1.0 / math.sqrt(DIM))


def setup(name: str, rounds: int) -> Setup:
    """One of the two settings over a number of rounds.

    >>> low = setup("low", 1000)
    >>> low.total_delay, round(low.rate, 7)
    (2285, 0.0033798)
    """
    law = Periodic(SETTINGS[name])
    # These delays are not random, so any generator draws the same.
    delays = law.draw(np.random.default_rng(0), rounds)
    total = int(delays.sum())
    logarithmic = log_probe_radius(rounds)
    return Setup(
        name,
        law,
        delays,
        total,
        rate=1.0 / (CONSTANTS.lipschitz * math.sqrt(rounds + total)),
        probe_radius={"bdogd-sc": logarithmic, "dbgd": 1.0 / (rounds + total), "bdogd-sc-two-point": logarithmic},
    )


def reproduce(seeds: Iterable[int] = range(20), rounds: int = ROUNDS, progress: bool = False) -> Reproduction:
    """Run the experiment and return its data; with ``progress``, bars are shown on the standard error.

    Besides the curves that :class:`~belated.sim.result.Result` describes, with ``setting`` as one more dimension,
    ``runs`` has the delays, the parameters and the bounds, each with the dimensions that it depends on.
    """
    number = checks.count("reproduce", "rounds", rounds)
    named = _checked_seeds(seeds, number)
    setups = tuple(setup(name, number) for name in SETTINGS)

    def run(title: str, learners: Mapping[str, Learner], law: DelayLaw, initial: Mapping[str, Vector]) -> Result:
        if progress:
            announce(title)
        result = simulate(
            learners,
            PROBLEM,
            law,
            number,
            named,
            initial=initial,
            regret_at=prefixes(number),
            record="all",
            progress=progress,
        )
        if result.interrupted:
            raise KeyboardInterrupt  # a part of the experiment is no reproduction
        return result

    reference = {"ogd-sc": ogd_sc(DOMAIN, CONSTANTS.strong_convexity)}
    prompt = run("Without delay", reference, Fixed(1), {"ogd-sc": first_decision()})
    late = [run(f"Delays {_listed(each)}", each.learners(), each.law, each.initial()) for each in setups]
    return Reproduction(number, named, setups, _dataset(number, setups, prompt, late))


def write(reproduction: Reproduction, directory: Path | str) -> None:
    """Write figures, ``summary.csv``, ``runs.nc`` and ``report.html``; a reader finds each complete or not at all.

    If there is a ``report.html``, all files beside it belong to it. A process that is killed leaves the old files as
    they were, unless it is killed while the new ones are moved to their places. Then there is no ``report.html``.
    """
    # Figures and templates come with an optional dependency; running the experiment needs neither.
    from belated.output import files
    from belated.papers import report

    files.place(Path(directory), report.contents(reproduction))


def prefixes(rounds: int) -> Integers:
    """The rounds after which the regret is known: the first, the last, and some between them on a logarithmic scale.

    >>> prefixes(1000)[[0, 1, 2, -2, -1]].tolist()
    [1, 2, 3, 838, 1000]
    """
    return np.unique(np.geomspace(1, rounds, PREFIXES).round().astype(np.int64))


def _checked_seeds(seeds: Iterable[int], rounds: int) -> tuple[int, ...]:
    # A range can be longer than any memory, so it is measured before it is written out.
    _check_size(seeds, rounds)
    try:
        given = tuple(seeds)
    except TypeError:
        checks.refuse("reproduce", "seeds", seeds, "must be several seeds, such as range(20)")
    _check_size(given, rounds)
    for seed in given:
        if checks.count("reproduce", "seeds", seed, least=0) > LARGEST_SEED:
            checks.refuse("reproduce", "seeds", seed, f"must be <= {LARGEST_SEED}")
    return given


def _check_size(seeds: Iterable[int], rounds: int) -> None:
    try:
        number = len(seeds) if isinstance(seeds, Sized) else 0
    except OverflowError:  # len has a limit, ranges have none
        number = sys.maxsize
    if 2 * number > MOST_ROUNDS:  # nothing shorter than two rounds can be run
        checks.refuse("reproduce", "seeds", seeds, f"must be at most {MOST_ROUNDS // 2} seeds")
    if number * rounds > MOST_ROUNDS:
        checks.refuse("reproduce", "rounds", rounds, f"must be <= {MOST_ROUNDS // number} for {number} seeds")


def _listed(each: Setup) -> str:
    return f"{', '.join(map(str, SETTINGS[each.name]))} ({each.name})"


def _dataset(rounds: int, setups: tuple[Setup, ...], prompt: Result, late: list[Result]) -> xr.Dataset:
    """The runs of both settings in one dataset; OGD-SC, which has no delay, is the same in both."""
    setting = xr.DataArray([each.name for each in setups], dims="setting", name="setting")

    def by_learner(values: list[Mapping[str, float]]) -> Labelled:
        return ("setting", "learner"), [[each.get(name, np.nan) for name in LEARNERS] for each in values]

    def curves(field: str) -> xr.DataArray:
        sides = [xr.concat([getattr(prompt, field), getattr(each, field)], dim="learner") for each in late]
        joined: xr.DataArray = xr.concat(sides, dim=setting)
        return joined

    def last(values: xr.DataArray) -> xr.DataArray:
        return values.isel(round=-1, drop=True)

    def counts(field: str) -> Labelled:
        # Periodic delays are the same for every seed.
        return ("setting", "round"), [getattr(each, field).isel(seed=0).to_numpy() for each in late]

    runs = xr.Dataset(
        {
            "cumulative_loss": curves("cumulative_loss"),
            "centre_cumulative_loss": curves("centre_cumulative_loss"),
            "regret": last(curves("regret")),
            "regret_by_round": curves("regret").rename(round="prefix"),
            "centre_regret": last(curves("centre_regret")),
            "best_loss": last(prompt.best_loss),
            "best_gap": last(prompt.best_gap),
            "bound": by_learner([each.bounds() for each in setups]),
            "delay": (("setting", "round"), [each.delays for each in setups]),
            "arrivals": counts("arrivals"),
            "in_flight": counts("in_flight"),
            "total_delay": ("setting", [each.total_delay for each in setups]),
            "rate": ("setting", [each.rate for each in setups]),
            "probe_radius": by_learner([each.probe_radius for each in setups]),
        },
        attrs={
            "title": "Wan, Tu and Zhang: Online Strongly Convex Optimization with Unknown Delays, section 5",
            "loss": "|x|^2 + b_t.x, b = numpy.random.default_rng(seed).uniform(-1, 1, (rounds, dim))",
            "domain": "unit ball",
            "dim": DIM,
            "rounds": rounds,
            "lipschitz": CONSTANTS.lipschitz,
            "strong_convexity": CONSTANTS.strong_convexity,
            "smoothness": CONSTANTS.smoothness,
            "first_decision": "1/sqrt(dim) in every entry, times 1 - probe_radius for bandits",
        },
    )
    for name, description in DESCRIPTIONS.items():
        runs[name].attrs["description"] = description
    return runs
