"""The settings of peers among which January chooses: those of their manuals, and rates on both sides of them."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from river import linear_model, optim, preprocessing

from benchmarks.labels.contenders import River, Wabbit
from benchmarks.labels.stream import Contender, Task

RIVER, WABBIT = "river", "Vowpal Wabbit"


class Setting(NamedTuple):
    """One way to run a peer."""

    peer: str
    words: str
    start: Callable[[], Contender]


def settings(task: Task) -> list[Setting]:
    """All settings of both peers for a task."""
    found = []
    for words, make in _river(task).items():
        found.append(Setting(RIVER, words, partial(_river_contender, make, task)))
    for options in _wabbit(task):
        found.append(Setting(WABBIT, options or "(default)", partial(Wabbit, options, task)))
        if task.features == "C":
            words = f"{options} on scaled numbers".strip()
            found.append(Setting(WABBIT, words, partial(Wabbit, options, task, scaled=True)))
    return found


def _river_contender(make: Callable[[], Any], task: Task) -> River:
    return River(make(), task)


def _river(task: Task) -> dict[str, Callable[[], Any]]:
    if task.of_numbers:
        return _river_numbers()
    linear = linear_model.LogisticRegression
    found: dict[str, Callable[[], Any]] = {"(default)": linear}
    for rate in (0.002, 0.003, 0.005, 0.007, 0.014, 0.02, 0.05, 0.1, 0.2):
        found[f"SGD {rate:g}"] = partial(_linear, linear, optim.SGD, rate, intercept_lr=rate)
    found["SGD 0.01, l2 1e-4"] = partial(_linear, linear, optim.SGD, 0.01, l2=1e-4)
    for rate in (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.3):
        found[f"AdaGrad {rate:g}"] = partial(_linear, linear, optim.AdaGrad, rate)
    for rate in (0.001, 0.01):
        found[f"Adam {rate:g}"] = partial(_linear, linear, optim.Adam, rate)
    for rate in (0.01, 0.02, 0.03, 0.05, 0.1, 0.2):
        found[f"FTRL-Proximal {rate:g}"] = partial(_linear, linear, _follow, rate)
    return found


def _river_numbers() -> dict[str, Callable[[], Any]]:
    """Of labels as they are, and of labels that are scaled as numbers are."""
    linear = linear_model.LinearRegression
    found: dict[str, Callable[[], Any]] = {"(default)": linear}
    for rate in (0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005):
        found[f"SGD {rate:g}"] = partial(_linear, linear, optim.SGD, rate, intercept_lr=rate)
    for rate in (0.001, 0.002):
        found[f"SGD {rate:g}, intercept 0.01"] = partial(_linear, linear, optim.SGD, rate)
    for rate in (0.1, 0.3, 1.0, 3.0):
        found[f"AdaGrad {rate:g}"] = partial(_linear, linear, optim.AdaGrad, rate)
    for rate in (0.01, 0.1):
        found[f"Adam {rate:g}"] = partial(_linear, linear, optim.Adam, rate)
    for rate in (0.0005, 0.001, 0.002, 0.005, 0.01):
        found[f"SGD {rate:g}, labels scaled"] = partial(_scaled, optim.SGD, rate, intercept_lr=rate)
    for rate in (0.01, 0.03, 0.1):
        found[f"AdaGrad {rate:g}, labels scaled"] = partial(_scaled, optim.AdaGrad, rate)
    return found


def _linear(linear: Any, optimiser: Any, rate: float, **more: float) -> Any:
    return linear(optimizer=optimiser(rate), **more)


def _scaled(optimiser: Any, rate: float, **more: float) -> Any:
    return preprocessing.TargetStandardScaler(_linear(linear_model.LinearRegression, optimiser, rate, **more))


def _follow(rate: float) -> Any:
    return optim.FTRLProximal(alpha=rate, beta=1.0, l1=0.0, l2=0.0)


def _wabbit(task: Task) -> list[str]:
    """The default (adaptive, normalised, invariant) with several rates and powers, plain SGD, FTRL and coin betting."""
    found = ["", *(f"-l {rate:g}" for rate in (0.05, 0.1, 0.2, 0.3, 1.0, 2.0, 3.0))]
    found += [f"--power_t 0 -l {rate:g}" for rate in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)]
    found += [f"--power_t 0.25 -l {rate:g}" for rate in (0.05, 0.1, 0.3, 1.0)]
    found += [f"--sgd --power_t 0 -l {rate:g}" for rate in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.03)]
    found += ["--sgd -l 1", "--adaptive -l 0.1", "--l2 1e-6", "--coin", "--ftrl"]
    found += [f"--ftrl --ftrl_alpha {rate:g} --ftrl_beta 1" for rate in (0.02, 0.05, 0.1)]
    return found + (["-l 5", "-l 20"] if task.of_numbers else [])
