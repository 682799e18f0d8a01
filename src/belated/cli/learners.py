"""``belated learners``: what learners there are, and everything about one of them."""

import argparse
import inspect
import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

from belated.cli.command import LONGEST_SHOWN, Command
from belated.cli.layout import WIDEST, listed, table, wrapped
from belated.cli.terminal import say
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

COLUMNS = {
    "losses": "the losses for which the regret is promised.",
    "is told": "what the learner must be told of a round it has played; a context is known before it plays.",
    "feedback": "whether it must be said to which round a feedback belongs; anonymous: it need not be.",
    "adversary": "who chooses losses and delays. Adaptive: somebody who sees all that was played; "
    "oblivious: they are fixed beforehand.",
    "must be known": "what has to be known in advance. lipschitz: a bound on the norms of the gradients.",
    "regret": "the order of the cumulative loss minus that of the best fixed decision; less is better.",
}
"""What the columns of the table say, besides the name of the learner."""

SYMBOLS = "T: rounds; n: dimension; d: largest delay; D: sum of the delays; D0 = D - T."

FIELDS = {
    "adversary": COLUMNS["adversary"],
    "certainty": "how sure the regret is. Read: in the source itself; derived here: by this library, in "
    "docs/derivations or in the learner's own file; remembered, second-hand: not looked up in the source.",
    "time": "of a round; a projection is one onto the domain.",
    "variants": "other ways to make it, which the suite of this library tries.",
}
"""What the fields of a page say that do not explain themselves."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which one, and in which form."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a learner, to see everything about it (default: all)")
    parser.add_argument("--json", action="store_true", help="print for programs, everything about each")


def run(options: argparse.Namespace) -> int:
    """Print a table of all, or a page about one."""
    from belated.comparisons.words import learner_names

    names = [each.replace("-", "_") for each in learner_names()]
    wanted = names if options.name is None else [_found(options.name, names)]
    entries = [_entry(name) for name in wanted]
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    if options.json:
        say(json.dumps(entries if options.name is None else entries[0], indent=2))
    elif options.name is None:
        more = wrapped(f"{SYMBOLS} belated learners NAME has everything about one.", width)
        say(f"{_overview(entries, width)}\n\n{listed(COLUMNS.items(), width)}\n\n{more}")
    else:
        say(_page(entries[0], width))
    return 0


def _found(text: str, names: list[str]) -> str:
    """The name that is meant: hyphens and underscores are the same."""
    name = text.lower().replace("-", "_")
    if name in names:
        return name
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
    hint = suggestion(_spoken(name), map(_spoken, names), "belated learners lists them all")
    raise InvalidArgument(f"there is no learner {shown!r}; {hint}")


def _spoken(name: str) -> str:
    return name.replace("_", "-")


def _entry(name: str) -> dict[str, Any]:
    """Everything about a learner, as plain values."""
    from belated.learners.catalogue import CARDS, NAMED, feedback

    card, seen, function = CARDS[name], feedback(name), NAMED[name]
    return {
        "name": name,
        "title": card.title,
        "losses": card.losses,
        "domains": card.domains,
        **seen._asdict(),
        "adversary": card.adversary,
        "known": list(card.known),
        "promise": card.promise,
        "source": card.source,
        "certainty": card.certainty,
        "time": card.time,
        "memory": card.memory,
        "variants": [variant for variant in card.examples if variant],
        "signature": name + _readable(inspect.signature(function)),
        "description": dict(_description(inspect.getdoc(inspect.getmodule(function)) or "")),
    }


def _readable(signature: inspect.Signature) -> str:
    """A signature without modules, and without the quotes about annotations that are kept as texts."""
    unquoted = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature))
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", unquoted)


def _overview(entries: list[dict[str, Any]], width: int) -> str:
    header = ("learner", *COLUMNS)
    rows = (
        (
            _spoken(each["name"]),
            each["losses"],
            _told(each),
            "with its round" if each["needs_round"] else "anonymous",
            each["adversary"],
            _known(each),
            each["promise"],
        )
        for each in entries
    )
    return table(header, rows, width)


def _page(entry: dict[str, Any], width: int) -> str:
    fields = {
        "losses": entry["losses"],
        "domains": entry["domains"],
        "is told": f"{_told(entry)}, {'with its round' if entry['needs_round'] else 'anonymous'}",
        "points": f"{entry['points']} per round{', drawn at random' if entry['draws'] else ''}",
        "context": "none" if entry["context"] == "none" else f"{entry['context']} numbers, known before it plays",
        "adversary": entry["adversary"],
        "known": _known(entry),
        "regret": entry["promise"],
        "source": entry["source"],
        "certainty": entry["certainty"],
        "time": f"{entry['time']}, each round",
        "memory": entry["memory"],
        "variants": ", ".join(entry["variants"]) or "none",
    }
    paragraphs = [
        f"{_spoken(entry['name'])}: {entry['title']}",
        listed(fields.items(), width),
        *(wrapped(f"{label}: {text}" if label else text, width) for label, text in entry["description"].items()),
        wrapped(f"belated.{entry['signature']}", width, later=" " * 4),
        f"How to read this page:\n{listed(FIELDS.items(), width)}\n{wrapped(SYMBOLS, width, first='  ', later='  ')}",
    ]
    return "\n\n".join(paragraphs)


def _told(entry: dict[str, Any]) -> str:
    context = "" if entry["context"] == "none" else f"; context ({entry['context']}) beforehand"
    return f"{entry['told']}{context}"


def _known(entry: dict[str, Any]) -> str:
    return "; ".join(entry["known"]) or "nothing"


def _description(docstring: str) -> Iterator[tuple[str, str]]:
    """The words of a learner's file by their label, "" for the first paragraph; no formulas, tables or examples."""
    paragraphs = docstring.partition("\n>>> ")[0].split("\n\n")
    label, words = "", [paragraphs[0]]
    for paragraph in paragraphs[1:]:
        labelled = re.match(r"([A-Z][a-z ]+): (?=\S)", paragraph)
        if labelled:
            yield label, _plain(words)
            label, words = labelled[1], [paragraph[labelled.end() :]]
        elif label and re.match(r"[\w*(]", paragraph):
            words.append(paragraph)
    yield label, _plain(words)


def _plain(paragraphs: list[str]) -> str:
    """Without the marks of reStructuredText, in one paragraph."""
    text = " ".join(" ".join(paragraphs).split())
    text = re.sub(r":[a-z]+:`~?\.?(?:\w+\.)*(\w+)`", r"\1", text)
    text = re.sub(r"``([^`]*)``", r"\1", text)
    text = re.sub(r"\*{1,2}(\w[^*]*\w)\*{1,2}", r"\1", text)
    return text.replace(": * ", ": ").replace("; * ", "; ")


COMMAND = Command("learners", "list the learners, or tell everything about one", add_options, run)
