"""Rows per second: each row is predicted once and learned once. Ours, Vowpal Wabbit and river take turns.

``VW text`` is how people run Vowpal Wabbit: its driver on a file of text, which it parses while it learns. ``VW cache``
reads the same rows from its binary cache, where they are parsed already. Both learn a row right after its prediction,
so nothing waits. river waits as we do, and is given mappings that were made before. It learns by SGD, its default, or
by AdaGrad, as our single step does. Most slots are known to it beforehand, as they are to us. Its weights are a
mapping, whose size matters: ``few slots known`` is the same where it has only ever seen the 2000 rows that it is timed
with. All learn by the logistic loss.
"""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from river import linear_model, optim
from vowpalwabbit import pyvw

from belated import models
from benchmarks.labels.effort import Effort
from benchmarks.labels.machines import Player
from benchmarks.labels.rows import BITS, KINDS, Rows, as_mappings, rows_of, write_text
from benchmarks.timing import Spread, Work, in_turns, note, ratio, spread

SINGLE, DEFAULT, TEXT, CACHE = "adagrad", "default", "VW text", "VW cache"
RIVER, RIVER_ADAGRAD, RIVER_SMALL = "river SGD", "river AdaGrad", "river SGD, few slots known"
RIVER_ROWS = 2000
"""It takes so much longer that fewer rows will do."""

RIVER_FIRST = 50_000
"""So many rows it has learned before, since most of our table is in use as well."""

FEWEST = 1000
"""So many wait in river's runs, too."""


class Speed(NamedTuple):
    """What was found for one kind of rows; ours are named with how many wait. Bytes are those of one that waits."""

    kind: str
    seconds: dict[str, Spread]
    times_text: dict[str, Spread]
    times_river: dict[str, Spread]
    bytes_waiting: dict[str, float]


def name_of(model: str, waiting: int) -> str:
    """What a contender of ours is called."""
    return f"{model}, {waiting:,} waiting"


def measure(effort: Effort) -> list[Speed]:
    """Both kinds of rows."""
    return [_kind(kind, effort) for kind in KINDS]


def _kind(kind: str, effort: Effort) -> Speed:
    note(f"speed, {kind} slots")
    rows = rows_of(kind, max(effort.waiting) + effort.rows)
    steps = {SINGLE: models.adagrad(), DEFAULT: None}
    players = {
        name_of(name, waiting): Player(models.logistic(models.Sparse(1 << BITS), step=step), rows, waiting)
        for waiting in effort.waiting
        for name, step in steps.items()
    }
    works = {name: Work(partial(player.play, effort.rows), effort.rows) for name, player in players.items()}
    with tempfile.TemporaryDirectory() as place:
        text, cache = Path(place, "rows.txt"), Path(place, "rows.cache")
        write_text(Rows(rows.slots[: effort.rows], rows.labels[: effort.rows]), text)
        works[TEXT] = Work(partial(_wabbit, effort.rows, f"-d {text}"), effort.rows)
        works[CACHE] = Work(partial(_wabbit, effort.rows, f"-d {text} --cache_file {cache}"), effort.rows)
        turns = effort.repetitions + 1
        works[RIVER] = Work(_River(linear_model.LogisticRegression(), rows, turns).play, RIVER_ROWS)
        adagrad = linear_model.LogisticRegression(optim.AdaGrad(0.1))
        works[RIVER_ADAGRAD] = Work(_River(adagrad, rows, turns).play, RIVER_ROWS)
        small = _River(linear_model.LogisticRegression(), rows, turns, known=0)
        works[RIVER_SMALL] = Work(small.play, RIVER_ROWS)
        for work in works.values():  # the first turn fills caches, makes the cache file, and does not count
            work.run()
        taken = in_turns(works, effort.repetitions)
    return Speed(
        kind,
        {name: spread(each) for name, each in taken.items()},
        {name: ratio(taken[TEXT], taken[name]) for name in taken},
        {name: ratio(taken[RIVER], taken[name]) for name in taken},
        {name: player.bytes_waiting() for name, player in players.items()},
    )


def _wabbit(rows: int, source: str) -> None:
    workspace = pyvw.Workspace(f"--quiet --no_stdin -b {BITS} --loss_function logistic {source}")
    assert workspace.get_weighted_examples() == rows  # noqa: S101  # it reads all of them while it is made
    workspace.finish()


class _River:
    """A model of river that has learned ``known`` rows, and new rows for each turn; if it knows none, the same ones."""

    def __init__(self, model: Any, rows: Rows, turns: int, known: int = RIVER_FIRST) -> None:
        self._predict, self._learn = model.predict_proba_one, model.learn_one
        for first in range(0, known, RIVER_ROWS):
            self._play(as_mappings(rows, first, RIVER_ROWS))
        starts = [known + turn * RIVER_ROWS if known else 0 for turn in range(turns)]
        self._pieces = iter([as_mappings(rows, first, RIVER_ROWS) for first in starts])

    def play(self) -> None:
        """Predict the rows of the next turn, and learn each of them."""
        self._play(next(self._pieces))

    def _play(self, rows: list[tuple[dict[Any, float], bool]]) -> None:
        """Row i is learned a thousand rows after its prediction, and the last thousand before it, at the beginning."""
        for number, (row, _) in enumerate(rows):
            self._predict(row)
            self._learn(*rows[number - FEWEST])
