"""Sweeps over a log: their cells, each of which is one model on one log, and how these are made from words.

The table ``log`` has the arguments of :func:`belated.read_log` and ``stretch``, by which every delay is multiplied.
Models are written as learners are, by a name and arguments. All of them must be held against labels in one way, because
the mean of one loss cannot be compared with that of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from belated.comparisons.document import Document
from belated.comparisons.makers import called, make
from belated.comparisons.positions import Key
from belated.comparisons.setting import is_label
from belated.core.checks import shown
from belated.core.errors import BadRow
from belated.core.spelling import suggestion
from belated.logs import flights_log
from belated.logs.log import Log
from belated.logs.reading import read_log
from belated.models import Model, Named
from belated.replays.delay_cost import LARGEST_FACTOR
from belated.replays.tables import skipped
from belated.replays.tally import LOSSES
from belated.sweeps.cells import Cell, as_table
from belated.sweeps.log_stages import LogStage, OnLog, Source
from belated.sweeps.plan import SweepPlan
from belated.sweeps.words import canonical

FLIGHTS = "flights"
FILES = ("source", "answers")

TYPES: Mapping[str, type] = {"text": str, "number": float}
"""What the types of columns are called in words."""


class Judged(NamedTuple):
    """How a model is held against labels, by the arguments of a model that decide it."""

    name: str
    """The loss."""
    labels: str
    assumed: float


class Logs:
    """Makes cells and stages of models on logs, and opens each log only once."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}
        self._begun: set[tuple[str, str]] = set()
        self._first: Judged | None = None

    def made(self, alone: Document, label: str) -> tuple[Cell, OnLog]:
        """The cell of a document with one model, ``log`` and ``model``, each a table, and the things themselves."""
        entry = self._entry(alone, label)
        self._check_beginning(alone, entry.source, entry.model.labels)
        words = {"name": label, **as_table(alone.tables["models"][label])}
        return {"log": entry.source.words, "model": words}, entry

    def again(self, cell: Cell) -> OnLog:
        """The model of a cell that was planned, and its log."""
        name = cell["model"]["name"]
        return self._entry(Document("cell", "", {"log": cell["log"], "models": {name: cell["model"]}}), name)

    def seeds(self, entry: OnLog) -> list[int | None]:
        """No seeds, because nothing is drawn at random."""
        return [None]

    def measure(self, entries: Sequence[OnLog]) -> str:
        """The mean of the loss that all models have."""
        return f"Mean {LOSSES[type(entries[0].model.link)]}"

    def stage(self, entries: Mapping[int, OnLog], plan: SweepPlan) -> LogStage:
        """The stage of models that go through a log in one pass, by the numbers of their cells in the plan."""
        return LogStage(entries, plan.cells)

    def _entry(self, alone: Document, label: str) -> OnLog:
        key: Key = ("models", label)
        if not is_label(label):
            alone.refuse(key, f"must have a name that can be printed, not {shown(label)}")
        source = self._source(alone)
        model: Model = make(alone, key, Model, label=label)
        _check_features(alone, key, model, source.log)
        if model.waiting.horizon and source.stretch != 1.0:
            why = "a horizon is no delay of the log; give the log deadlines, log.deadline, which are multiplied, too"
            alone.refuse((*key, "horizon"), f"must not be given where log.stretch is not 1: {why}")
        self._check_alike(alone, key, model)
        return OnLog(model, source)

    def _source(self, document: Document) -> Source:
        words = canonical(document.tables["log"])
        if words not in self._sources:
            self._sources[words] = source_of(document)
        return self._sources[words]

    def _check_alike(self, document: Document, key: Key, model: Model) -> None:
        """Whether a model is held against labels as the first one is; what differs is told where it stands."""
        own = Judged(LOSSES[type(model.link)], model.labels, model.waiting.assumed)
        first = self._first = self._first or own
        for argument, mine, wanted in zip(Judged._fields, own, first, strict=True):
            if mine != wanted:
                words = {
                    "name": f"loss of the other models, {wanted}, and has {mine}",
                    "labels": f"kind of labels of the other models, {wanted}, and has {mine}",
                    "assumed": "assumed label of the other models",
                }
                place = (*key, argument) if document.at((*key, argument)) is not None else key
                document.refuse(place, f"must have the {words[argument]}")

    def _check_beginning(self, document: Document, source: Source, labels: str) -> None:
        """Whether a log has a question, and whether its first row can be used by such models."""
        known = canonical({**source.words, "stretch": None}), labels
        if known in self._begun:
            return
        try:
            with closing(source.log.events(labels)) as events:
                empty = next(events, None) is None
        except (BadRow, OSError) as problem:
            document.refuse(("log",), str(problem))
        if empty:
            document.refuse(("log", "source"), f"must have questions, and has none{skipped(source.log.counts)}")
        self._begun.add(known)


def source_of(document: Document) -> Source:
    """The log that a document names, of which the names of the columns are read.

    Raises:
        InvalidArgument: The table cannot be understood, a file cannot be read, or a column is not there.
        ModuleNotFoundError: A package is missing; the message says what to install.
    """
    key: Key = ("log",)
    table = document.tables["log"]
    if not isinstance(table, Mapping):
        document.refuse(key, f"must be a table with `source`, a file or the word {FLIGHTS}, not {shown(table)}")
    form = signature(read_log, eval_str=True)
    document.check_keys(key, table, (*form.parameters, "stretch"), "a log")
    if "source" not in table:
        document.refuse(key, f"`source` is missing: a file, or the word {FLIGHTS}")
    for each in FILES:
        if not isinstance(table.get(each, ""), str):
            document.refuse((*key, each), f"must be the path of a file, not {shown(table[each])}")
    stretch = _stretch(document, table.get("stretch", 1.0))
    written = {name: value for name, value in table.items() if name != "stretch"}
    arguments = {name: _types(document, value) if name == "types" else value for name, value in written.items()}
    _check_word(document, table["source"])
    try:
        log: Log = called(document, key, read_log, form, arguments, written)
        placed = _placed(written)
        source = Source(log, {**placed, "stretch": stretch}, stretch, _files(placed))
        source.digests()
    except OSError as error:
        of_answers = "answers" in table and str(error.filename).endswith(str(Path(table["answers"])))
        named = "answers" if of_answers else "source"
        document.refuse(
            (*key, named), f"cannot read {table[named]!r}: {error.strerror or error}, looked for in {Path.cwd()}"
        )
    return source


def _placed(log: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a log with whole paths: other processes may be in other folders."""
    paths = {each: str(Path(log[each]).absolute()) for each in FILES if each in log and log[each] != FLIGHTS}
    return {**log, **paths}


def _files(log: Mapping[str, Any]) -> tuple[Path, ...]:
    """Every file that a log is read from."""
    if log["source"] == FLIGHTS:
        return flights_log.files()
    return tuple(Path(log[each]) for each in FILES if each in log)


def _stretch(document: Document, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= LARGEST_FACTOR:
        document.refuse(("log", "stretch"), f"must be a number from 0 to {LARGEST_FACTOR:g}, not {shown(given)}")
    return float(given)


def _types(document: Document, given: Any) -> Any:
    """Types of columns from their names; what is no table is left to those who read it."""
    if not isinstance(given, Mapping):
        return given
    for column, name in given.items():
        if not isinstance(name, str) or name not in TYPES:
            wanted = f"must be one of {', '.join(TYPES)}, not {shown(name)}"
            document.refuse(("log", "types", column), wanted)
    return {column: TYPES[name] for column, name in given.items()}


def _check_word(document: Document, source: str) -> None:
    """Refuse a word that looks like the one that there is."""
    hint = suggestion(source, [FLIGHTS], "")
    if source != FLIGHTS and hint and not Path(source).suffix:
        document.refuse(("log", "source"), f"there is no log {shown(source)}; {hint}")


def _check_features(document: Document, key: Key, model: Model, log: Log) -> None:
    """Whether a model takes what a log has: named features, and none that no column has."""
    if not isinstance(model.features, Named):
        document.refuse((*key, "features"), "must be named: the features of a log are its columns")
    crossed = [name for pair in model.features.crosses for name in pair]
    for argument, names in (("categorical", model.features.categorical), ("crosses", crossed)):
        for name in names:
            if log.features is not None and name not in log.features:
                hint = suggestion(name, log.features)
                document.refuse((*key, "features", argument), f"{shown(name)} is no feature of this log; {hint}")
