"""Renew what the pages on algorithms say about all learners, from their cards: ``make catalogue``.

The table and the list of pages in ``algorithms/index.md`` stand between two marks. A learner without a page gets a
short one, which bears a mark of its own as long as nobody has written a better one. All else on these pages is written
by hand and stays as it is.
"""

import re
import sys
import textwrap
from pathlib import Path

from belated.learners.catalogue import CARDS, feedback

PLACE = Path(__file__).parent / "algorithms"
BEGIN, END = "<!-- the catalogue, by make catalogue -->\n", "<!-- end of the catalogue -->\n"
MADE = "<!-- Made from the learner's card by make catalogue. Take this line away to write a page by hand. -->\n"


def pages(place: Path = PLACE) -> dict[str, str]:
    """Every page by its name as it should be; those written by hand as they are."""
    written = {path.name: path.read_text(encoding="utf-8") for path in place.glob("*.md")}
    kept = {name: text for name, text in written.items() if not text.startswith(MADE)}
    made = {f"{name}.md": stub(name) for name in CARDS}
    return {**made, **kept, "index.md": with_catalogue(written["index.md"])}


def with_catalogue(index: str) -> str:
    """The page that lists all learners, its catalogue renewed."""
    before, _, rest = index.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{catalogue()}\n{END}{after}"


def catalogue() -> str:
    """A table with a row a learner, and the list of their pages."""
    header = ("learner", "losses", "is told", "must be known", "regret")  # more would not fit on a page
    rows = [header, ("---",) * len(header), *(row(name) for name in CARDS)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    names = "\n".join(CARDS)
    return f"{table}\n\n```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{names}\n```\n"


def row(name: str) -> tuple[str, ...]:
    """What the table says about one."""
    card = CARDS[name]
    cells = (card.losses, told_what(name), "; ".join(card.known) or "nothing", card.promise)
    return f"[`{name}`]({name}.md)", *(as_markdown(text) for text in cells)


def stub(name: str) -> str:
    """A page that says what the card says and shows the docstring."""
    card = CARDS[name]
    facts = {
        "Losses": card.losses,
        "Domains": card.domains,
        "Told": told_what(name),
        "Must be known": "; ".join(card.known) or "nothing",
        "Regret": card.promise,
        "Adversary": card.adversary,
        "Source": f"{card.source} ({card.certainty})",
        "Time a round": card.time,
        "Memory": card.memory,
    }
    paragraph = " ".join(f"{what}: {as_markdown(text)}." for what, text in facts.items())
    return f"""{MADE}
# {as_markdown(card.title)}: `{name}`

{textwrap.fill(paragraph, 120)}

## Definition

From its source, [src/belated/learners/algorithms/{name}.py](../../src/belated/learners/algorithms/{name}.py):

```{{eval-rst}}
.. automodule:: belated.learners.algorithms.{name}
   :members: {name}
```
"""


def told_what(name: str) -> str:
    """What it is told, whether with its round, and what it knows before it plays."""
    seen = feedback(name)
    told = f"{seen.told}, {'with its round' if seen.needs_round else 'anonymous'}"
    return told if seen.context == "none" else f"{told}; context ({seen.context}) beforehand"


def as_markdown(text: str) -> str:
    """Plain words, none of which Markdown takes for marks."""
    return re.sub(r"([\\`*_$<\[\]])", r"\\\1", text).replace("|", "&#124;")


def main() -> None:
    """Write what has changed, and take away the pages of learners that are gone."""
    wanted = pages()
    for path in PLACE.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = PLACE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"docs/algorithms/{name}\n")


if __name__ == "__main__":
    main()
