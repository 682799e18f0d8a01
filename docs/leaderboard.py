"""Run every setting that is shipped and write the page that shows who is best where: ``make leaderboard``.

The page bears a digest of every setting, by which a test sees whether it is that of the settings that there are. It
takes some minutes, the first time more, for the compiler; Ctrl-C leaves the old page as it was.
"""

import hashlib
import platform
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import belated
from belated import comparisons
from belated.comparisons import report, shipped
from belated.comparisons.comparison import Comparison
from belated.output import files

PLACE = Path(__file__).parent
IMAGES = Path("images", "leaderboard")
FIRST = 3
"""How many of each setting the table at the top names."""

INTRODUCTION = """\
# Leaderboard

Who is best where: learners on the settings that come with belated, each run on several seeds, ranked by the mean, with
95 % confidence. Every learner has what its theory recommends for the problem, unless its line in the setting says
otherwise; none was tuned by looking at the results. An = before a rank says: seed by seed, it cannot be told apart
from the first. Learners with "no delay" are there to measure by, and where one stands several times, with several
constants, its label says so.

A rank says what happened on these losses and delays, and a promise what cannot happen on any: a learner that is careful
pays for its promise where nothing bad happens, as in most of these.

`belated compare NAME` runs one setting, `belated compare NAME --learner ...` puts another learner beside those here,
and `belated compare my.toml` runs [a setting of your own](compare.md).
"""


def digest(name: str) -> str:
    """A few letters that change with a setting."""
    return hashlib.sha256((shipped.FOLDER / f"{name}.toml").read_bytes()).hexdigest()[:12]


def mark(name: str) -> str:
    """What a page bears that shows the setting as it is."""
    return f"<!-- {name} {digest(name)} -->"


def made_from(page: str) -> dict[str, str]:
    """The settings that a page shows, each with its digest."""
    return dict(re.findall(r"<!-- (\S+) ([0-9a-f]{12}) -->", page))


def page(results: Mapping[str, Comparison]) -> str:
    """The page that shows these results."""
    today = datetime.now(UTC).date().isoformat()
    made = (
        f"Made on {today} by `make leaderboard` with belated {belated.__version__}, Python {platform.python_version()}."
    )
    parts = [INTRODUCTION, made, "", overview(results), *(section(name, result) for name, result in results.items())]
    return "\n".join(parts)


def overview(results: Mapping[str, Comparison]) -> str:
    """The first few of every setting."""
    ranks = ("first", "second", "third")[:FIRST]
    lines = [f"| setting | {' | '.join(ranks)} |", "| --- |" + " --- |" * FIRST]
    for name, result in results.items():
        best = [
            f"{'= ' if standing.tied else ''}{standing.learner} ({standing.score.mean:.4g})"
            for standing in result.ranking[:FIRST]
        ]
        lines.append(f"| [{name}](#{anchor(result.setting.title)}) | {' | '.join(best)} |")
    return "\n".join(lines) + "\n"


def section(name: str, result: Comparison) -> str:
    """What came out of one setting."""
    setting = result.setting
    return f"""\
{mark(name)}

## {setting.title}

{setting.about}

{result.summary[0].upper()}{result.summary[1:]}; `belated compare {name}`;
[the setting](../src/belated/comparisons/settings/{name}.toml).

![{setting.measure.title} of each learner by round, and after the last]({(IMAGES / name).as_posix()}.svg)

{result.to_markdown()}
"""


def anchor(title: str) -> str:
    """The address of a heading within its page."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def main() -> int:
    """Run all settings and put the page and its pictures into place."""
    results = {}
    try:
        for name in comparisons.names():
            sys.stderr.write(f"{name}\n")
            results[name] = comparisons.run(comparisons.read(name), progress=sys.stderr.isatty())
            if results[name].interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: the page stays as it was\n")
        return 130
    pictures = {f"{name}.svg": report.contents(result)["figure.svg"] for name, result in results.items()}
    files.place(PLACE / IMAGES, pictures)
    files.place(PLACE, {"leaderboard.md": page(results).encode()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
