"""Optuna on SQLite: ask for a trial, tell its value, and again."""

import time
from pathlib import Path


def pairs_per_second(path: Path, seconds: float) -> float:
    """How many asks with their tells Optuna does in a second.

    Args:
        path: A new file for its storage.
        seconds: How long to measure.

    Returns:
        Pairs a second, with the random sampler, which costs least.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=f"sqlite:///{path}", sampler=optuna.samplers.RandomSampler(seed=0))
    begun, done = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        trial = study.ask()
        for number in range(10):
            trial.suggest_float(f"x{number}", -1.0, 1.0)
        study.tell(trial, 0.5)
        done += 1
    return done / (time.perf_counter() - begun)
