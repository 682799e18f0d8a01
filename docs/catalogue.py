"""Renew what the README and the pages on algorithms say about all learners, from their cards: ``make catalogue``.

The tables in the README and in ``algorithms/index.md`` stand between two marks. A learner whose page nobody has written
by hand gets a short one, which begins with a mark of its own. Everything else on these pages is written by hand and is
not changed.
"""

import re
import sys
from pathlib import Path

from belated.learners.catalogue import CARDS, feedback

PLACE = Path(__file__).parent / "algorithms"
README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- the catalogue, by make catalogue -->\n", "<!-- end of the catalogue -->\n"
MADE = "<!-- Made from the learner's card by make catalogue. Delete this line to write the page by hand. -->\n"


def pages(place: Path = PLACE) -> dict[str, str]:
    """The wanted text of every page, by its file name; pages that were written by hand are returned unchanged."""
    written = {path.name: path.read_text(encoding="utf-8") for path in place.glob("*.md")}
    kept = {name: text for name, text in written.items() if not text.startswith(MADE)}
    made = {f"{name}.md": stub(name) for name in CARDS}
    names = "\n".join(CARDS)
    toctree = f"```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{names}\n```\n"
    return {**made, **kept, "index.md": between_marks(written["index.md"], f"{table('')}\n{toctree}")}


def readme(path: Path = README) -> str:
    """The README with its table of learners renewed."""
    return between_marks(path.read_text(encoding="utf-8"), table("docs/algorithms/"))


def between_marks(page: str, catalogue: str) -> str:
    """The page with the catalogue in place of what stands between the marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{catalogue}\n{END}{after}"


def table(folder: str) -> str:
    """A table with a row for each learner, whose page is in ``folder``."""
    header = ("learner", "losses", "is told", "must be known", "regret")  # more would not fit on a page
    rows = [header, ("---",) * len(header), *(row(name, folder) for name in CARDS)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows) + "\n"


def row(name: str, folder: str) -> tuple[str, ...]:
    """The cells of one learner's row in the table."""
    card = CARDS[name]
    cells = (card.losses, told_what(name), "; ".join(card.known) or "nothing", card.promise)
    return f"[`{name}`]({folder}{name}.md)", *(as_markdown(text) for text in cells)


def stub(name: str) -> str:
    """A page that shows the learner's card as a table, and the docstring of its module."""
    card = CARDS[name]
    facts = {
        "Losses": card.losses,
        "Domains": card.domains,
        "Told": told_what(name),
        "Must be known": "; ".join(card.known) or "nothing",
        "Regret": card.promise,
        "Adversary": card.adversary,
        "Source": f"{card.source} ({card.certainty})",
        "Time per round": card.time,
        "Memory": card.memory,
    }
    rows = "\n".join(f"| {what} | {as_markdown(text)} |" for what, text in facts.items())
    return f"""{MADE}
# {as_markdown(card.title)}: `{name}`

| field | value |
| --- | --- |
{rows}

## Definition

From its source, [src/belated/learners/algorithms/{name}.py](../../src/belated/learners/algorithms/{name}.py):

```{{eval-rst}}
.. automodule:: belated.learners.algorithms.{name}
   :members: {name}
```
"""


def told_what(name: str) -> str:
    """What the learner is told, whether with its round, and what it is given before it plays."""
    seen = feedback(name)
    told = f"{seen.told}, {'with its round' if seen.needs_round else 'anonymous'}"
    return told if seen.context == "none" else f"{told}; context ({seen.context}) beforehand"


def as_markdown(text: str) -> str:
    """``text`` with every character escaped that Markdown would take for a mark."""
    return re.sub(r"([\\`*_$<\[\]])", r"\\\1", text).replace("|", "&#124;")


def main() -> None:
    """Write the pages that have changed, and delete the pages of learners that no longer exist."""
    wanted = pages()
    for path in PLACE.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for path, text in {README: readme(), **{PLACE / name: text for name, text in wanted.items()}}.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
