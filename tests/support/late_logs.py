"""Small logs with late answers, and a way to break a copy of the code of a room."""

import csv
import inspect
import sys
from types import ModuleType
from typing import Any

import numpy as np

from belated.logs import read_log

COLUMNS: dict[str, Any] = {"decided_at": "at", "answered_at": "known", "label": "y"}


def late_rows(number=400, seed=0, most=40, never=0.1):
    """Rows whose labels depend on a word and drift, with delays up to ``most`` and ties in time."""
    rng = np.random.default_rng(seed)
    rows = []
    for place in range(number):
        word = "abc"[int(rng.integers(3))]
        chance = (0.2 if place * 4 // number % 2 else 0.7) + (0.2 if word == "a" else 0.0)
        at = place // 2
        known = None if rng.random() < never else at + int(rng.integers(0, most + 1))
        rows.append({"at": at, "word": word, "x": float(rng.normal()), "known": known, "y": int(rng.random() < chance)})
    return rows


def late_log(number=400, **options):
    """A log of such rows."""
    given = {name: options.pop(name) for name in ("seed", "most", "never") if name in options}
    return read_log(late_rows(number, **given), **COLUMNS, **options)


def write_csv(path, rows):
    """Rows as a CSV file; gaps are empty cells."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)
    return path


def break_replays(monkeypatch, module, old, new):
    """Put a copy of a module's code in which ``old`` is replaced by ``new`` wherever the rooms use it."""
    source = inspect.getsource(module)
    assert source.count(old) == 1, (module.__name__, old, source.count(old))
    copy = ModuleType(module.__name__)
    exec(compile(source.replace(old, new), module.__file__, "exec"), vars(copy))
    original = dict(vars(module))
    for name, value in vars(copy).items():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        for user in [each for path, each in list(sys.modules.items()) if path.startswith("belated.replays")]:
            if vars(user).get(name) is original[name]:
                monkeypatch.setattr(user, name, value)
