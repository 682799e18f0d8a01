"""What a sweep may be about, a setting or a log, as far as paths, plans, tables and pictures have to know it.

All of it is plain words, so that a plan can be read and shown without the code that ran it. What only those need who
make and run cells is in :mod:`~belated.sweeps.subjects`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from belated.comparisons.document import Document
from belated.comparisons.reading import KEYS


@dataclass(frozen=True)
class Kind:
    """The words of one kind of sweep.

    =================  =================================================================================================
    field              meaning
    =================  =================================================================================================
    ``name``           what a plan calls it
    ``what``           what it is called in messages
    ``one``            what is compared: a learner or a model; also a table of a cell and a dimension of the data set
    ``table``          the table of the document that has them
    ``keys``           the keys that a document may have beside ``grid`` and ``random``
    ``without``        keys that others have and this one has not, with the reason
    ``swept``          the keys that may be varied
    ``plain``          those of them that have nothing below
    ``fixed``          keys that may be given and not varied, with the reason
    ``example``        a path that may be varied
    ``label``          a label that one of those that are compared may have
    ``named``          the tables of a cell that have a name
    ``apart``          the keys of a cell in which cells that run together may differ
    ``numbers``        which numbers its runs have
    ``marks``          those of them that stand beside a score, to hold it against
    ``most_together``  how many cells may run in one pass; ``None`` for any number
    ``plain_python``   whether its runs hold Python's lock, so that threads gain nothing
    ``kicker``         what the page says above its title
    ``mean``           what a score is
    ``band``           what an interval is
    ``less``           how to read a score
    ``chosen``         what has to be known of the best of many settings
    ``whole``          what a setting must have to be among the best
    =================  =================================================================================================
    """

    name: str
    what: str
    one: str
    table: str
    keys: tuple[str, ...]
    without: Mapping[str, str]
    swept: tuple[str, ...]
    plain: tuple[str, ...]
    fixed: Mapping[str, str]
    example: str
    label: str
    named: tuple[str, ...]
    apart: tuple[str, ...]
    numbers: tuple[str, ...]
    marks: tuple[str, ...]
    most_together: int | None
    plain_python: bool
    kicker: str
    mean: str
    band: str
    less: str
    chosen: str
    whole: str


SETTING = Kind(
    name="setting",
    what="a setting",
    one="learner",
    table="learners",
    keys=KEYS,
    without={"models": "models go through a log, which a table [log] names"},
    swept=("rounds", "measure", "initial", "problem", "domain", "delays", "learners"),
    plain=("rounds", "measure", "initial"),
    fixed={"seeds": "every setting is run on all seeds"},
    example="delays.mean",
    label="dogd-sc",
    named=("learner", "problem"),
    apart=("learner", "initial", "told_of"),
    numbers=("score", "cumulative_loss"),
    marks=(),
    most_together=None,
    plain_python=False,
    kicker="A setting, varied",
    mean="the mean over the seeds",
    band="the 95 % interval of the mean over the seeds",
    less="Less is better.",
    chosen="Each setting is the best of many on the same seeds, so its score looks a little better than it would on "
    "new ones.",
    whole="has all of its seeds",
)

LOG = Kind(
    name="log",
    what="a sweep over a log",
    one="model",
    table="models",
    keys=("title", "about", "log", "models"),
    without={
        "problem": "the log has the questions and their labels",
        "delays": "the log has its own delays, which log.stretch multiplies",
        "learners": "models go through a log; they stand in tables such as [models.logistic]",
        "rounds": "the log has the questions that it has",
        "seeds": "nothing is drawn at random, so every model goes through the log once",
        "initial": "models begin without weights",
        "measure": "models are judged by their mean loss",
        "domain": "the weights of models may be anything",
    },
    swept=("log", "models"),
    plain=(),
    fixed={},
    example="log.stretch",
    label="logistic",
    named=("model",),
    apart=("model",),
    numbers=("score", "cumulative_loss", "low", "high", "constant"),
    marks=("constant",),
    most_together=16,  # the tables of so many models fit into memory, and reading costs less than one of them
    plain_python=True,
    kicker="Models on a log, varied",
    mean="the mean loss over the log",
    band="the 95 % interval of the mean loss, blocks of time drawn anew",
    less="Less is better; constant is the mean of the labels so far, which a model without features would predict.",
    chosen="Each setting is the best of many on the same log, so its score looks a little better than it would on a "
    "new one.",
    whole="was finished",
)

KINDS = {kind.name: kind for kind in (SETTING, LOG)}


def kind_of(document: Document) -> Kind:
    """What a document is about: a log if it has a table of that name."""
    return LOG if "log" in document.tables else SETTING


def check_keys(document: Document) -> Kind:
    """The kind of a document, if it has no key that others have, or that nobody has."""
    kind = kind_of(document)
    for key, reason in kind.without.items():
        if key in document.tables:
            document.refuse((key,), f"{kind.what} has no `{key}`: {reason}")
    document.check_keys((), document.tables, (*kind.keys, "grid", "random"), "a sweep")
    return kind
