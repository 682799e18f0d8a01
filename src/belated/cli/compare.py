"""``belated compare``: learners beside each other on a problem under delay, ranked with confidence intervals."""

import argparse
import shlex
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from belated.cli.command import LONGEST_SHOWN, Command, CommandFailed, directory, needing_figures, whole_number
from belated.cli.layout import WIDEST, listed, natural_width, table, wrapped
from belated.cli.terminal import complain, is_watched, say
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

if TYPE_CHECKING:
    from belated.comparisons.document import Document

THING = "NAME[:KEY=VALUE,...]"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The setting, what to change of it, and where to."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # the example can be copied as it is printed
    parser.epilog = (
        "Values are written as in TOML, so texts have quotes. For example:\n\n"
        "  belated compare --problem random-quadratic:dim=10 --delays geometric:mean=20 \\\n"
        "      --learner dogd-sc --learner 'bold:base=\"ogd-sc\"' \\\n"
        "      --learner careful=composite-ftrl:caution=1"
    )
    parser.add_argument(
        "setting", nargs="?", metavar="SETTING", help="a setting that is shipped, or a file *.toml (default: list them)"
    )
    parser.add_argument("--problem", metavar=THING, help="what is to be learned, such as random-quadratic:dim=10")
    parser.add_argument("--domain", metavar=THING, help="where decisions lie, such as ball:dim=10,radius=2")
    parser.add_argument("--delays", metavar=THING, help="the law of delay, such as geometric:mean=20")
    parser.add_argument(
        "--learner",
        metavar=f"[LABEL=]{THING}",
        action="append",
        default=[],
        help="a learner more, or the one of that label anew; may be given several times",
    )
    parser.add_argument("--only", metavar="LABEL,...", help="of the setting's learners, these only: labels, or names")
    parser.add_argument("--rounds", type=whole_number(1), metavar="T", help="rounds of each run")
    parser.add_argument("--seeds", type=whole_number(1), metavar="N", help="run every learner on seeds 0 to N-1")
    parser.add_argument(
        "--initial",
        type=_number,
        metavar="X",
        help="every entry of the first decision, of those without their own (default: the centre)",
    )
    parser.add_argument("--measure", help="rank by regret, dynamic-regret or loss")
    parser.add_argument(
        "--out",
        type=directory,
        metavar="DIR",
        help="directory for report, ranking, figure and curves (default: out/compare/SETTING, or out/compare/own)",
    )


def run(options: argparse.Namespace) -> int:
    """Run the comparison, write its files, print the ranking and where to look."""
    if all(value in (None, []) for name, value in vars(options).items() if name not in ("command", "called")):
        say(_list())
        return 0
    from belated.comparisons.words import check_words

    document, name = _document(options)
    check_words(document)  # before all that is heavy is imported
    from belated.comparisons import reading

    chosen = reading.setting_of(document, name)
    from belated.comparisons import running
    from belated.comparisons.tables import cells, legend, narrow_cells

    with needing_figures():
        from belated.comparisons import report
        from belated.output import files

    out: Path = options.out or Path("out", "compare", name)
    try:
        files.check_place(out, report.NAMES)  # before the run rather than after it
        before = (out / report.NAMES[-1]).exists()
        result = running.run(chosen, progress=is_watched())
        files.place(out, report.contents(result))
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error
    except MemoryError:
        raise CommandFailed(f"not enough memory for {len(chosen.seeds)} x {chosen.rounds} rounds") from None
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    wide = cells(result)
    ranking = table(*(wide if natural_width(*wide) <= width else narrow_cells(result)), width)
    if result.interrupted:
        complain(f"interrupted: this has {result.seeds} seeds of {len(result.ranking)} learners")
    replaced = f"\nReplaced: an earlier comparison in {out}; --out names another place" if before else ""
    say(f"""\
{wrapped(chosen.title, width)}
{wrapped(result.summary, width)}

{ranking}

{wrapped(" ".join(legend(result)), width)}
Report:   {out / "report.html"}
Figure:   {out / "figure.png"} (and .svg)
Tables:   {out / "ranking.csv"} (and .md, .tex)
Curves:   {out / "runs.nc"}
Again:    belated compare {shlex.quote(str(out / "setting.toml"))}{replaced}""")
    return 130 if result.interrupted else 0


def _list() -> str:
    from belated.comparisons import shipped

    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    titles = [(name, str(shipped.document(name)[0].tables["title"])) for name in shipped.names()]
    return f"{listed(titles, width)}\n\nbelated compare NAME runs one of them; belated compare --help has more."


def _document(options: argparse.Namespace) -> "tuple[Document, str]":
    """The setting with everything that options change."""
    from belated.comparisons import shipped
    from belated.comparisons.document import Document

    if options.setting is None:
        document, name = Document("the options", "", {}), "own"
        words = " under ".join(text.partition(":")[0] for text in (options.problem, options.delays) if text)
        document = document.with_option("--problem", ("title",), f"Learners on {words}")
    else:
        document, name = shipped.document(options.setting)
    if options.only is not None:
        document = _chosen(document, options.only)
    for key in ("problem", "domain", "delays"):
        if getattr(options, key) is not None:
            _, thing = parsed_thing(f"--{key}", getattr(options, key))
            document = document.with_option(f"--{key}", (key,), thing)
    labels: set[str] = set()
    for text in options.learner:
        label, thing = parsed_thing("--learner", text)
        if label in labels:
            hint = "give each a label of its own, as in LABEL=NAME"
            raise InvalidArgument(f"--learner {label}: two learners have this label; {hint}")
        labels.add(label)
        document = document.with_option(f"--learner {label}", ("learners", label), thing)
    for key in ("rounds", "seeds", "initial", "measure"):
        if getattr(options, key) is not None:
            document = document.with_option(f"--{key}", (key,), getattr(options, key))
    return document, name


def _chosen(document: "Document", text: str) -> "Document":
    """The document with some of its learners, by their labels, which may have commas in them, or by their names."""
    from belated.core.checks import shown

    learners = document.tables.get("learners", {})
    if not isinstance(learners, dict):
        return document  # not a table: reading the setting reports that, with its line
    labels, pieces = [], text.split(",")
    while pieces:
        heads = [",".join(pieces[:length]).strip() for length in range(len(pieces), 0, -1)]
        head, meant = next(((each, found) for each in heads if (found := _meant(each, learners))), (None, []))
        if head is None:
            listed = f"there are {', '.join(map(repr, learners)) or 'none'}"  # in quotes: labels may have commas
            hint = suggestion(heads[-1], learners, listed)
            raise InvalidArgument(f"--only: there is no learner {shown(heads[-1])}; {hint}")
        labels += meant
        pieces = pieces[len(pieces) - heads.index(head) :]
    chosen = {label: learners[label] for label in labels}
    return replace(document, tables={**document.tables, "learners": chosen})


def _meant(text: str, learners: dict[str, Any]) -> list[str]:
    """The labels that are meant: the one that reads so, in whatever spelling, or all of the learner of that name."""
    from belated.comparisons.words import spelled

    if text in learners:
        return [text]
    names = {label: table.get("name", label) if isinstance(table, dict) else table for label, table in learners.items()}
    same_label = [label for label in learners if spelled(label) == spelled(text)]
    return same_label or [label for label, name in names.items() if spelled(str(name)) == spelled(text)]


def parsed_thing(option: str, text: str) -> tuple[str, dict[str, Any]]:
    """The label and the table of ``[LABEL=]NAME[:KEY=VALUE,...]``, or an error that names the option."""
    from belated.core.checks import shown

    head, _, arguments = text.partition(":")
    label, equals, name = head.partition("=")
    label, name = label.strip(), (name if equals else label).strip()
    if not name or not label or not text.isprintable():
        raise InvalidArgument(f"{option}: must be {THING}, not {shown(text)}")
    try:
        table, _ = tomllib.loads(f"it = [ {{ {arguments} }}, 1 ]")["it"]  # which no bracket of theirs can close
    except (ValueError, RecursionError):
        hint = 'values as in TOML, texts in quotes: bold:base="ogd-sc"'
        raise InvalidArgument(f"{option}: cannot read {shown(arguments)} of {name}; {hint}") from None
    if "name" in table:
        raise InvalidArgument(f"{option}: the name stands before the colon, and only there: {shown(text)}")
    return (label if equals or not arguments else f"{name} {arguments.strip()}"), {"name": name, **table}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text[:LONGEST_SHOWN]!r}") from None


COMMAND = Command("compare", "compare learners on a problem under delay", add_options, run)
