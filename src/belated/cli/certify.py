"""``belated certify``: the proof of an algorithm on runs of it, step by step."""

import argparse
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from belated.cli.command import Command, CommandFailed, directory, needing_figures, whole_number
from belated.cli.compare import THING, parsed_thing
from belated.cli.layout import WIDEST
from belated.cli.terminal import complain, say
from belated.core.errors import InvalidArgument

if TYPE_CHECKING:
    from belated.audit.certificate import Certificate
    from belated.core.arrays import Vector
    from belated.delays import DelayLaw
    from belated.learners import Learner
    from belated.sim.problems import Problem

SETTINGS = ("low", "high")
"""Those of the paper's experiments; ``papers.wan2021`` has their delays."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which learners, on which runs."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # the example can be copied as it is printed
    parser.epilog = (
        "By default it checks the learners of the paper whose proofs it has, in both settings of the paper.\n"
        "A learner that is not the paper's gets the constants that its theory recommends. For example:\n\n"
        "  belated certify --setting low --learner dogd-sc --learner dda\n"
        "  belated certify --problem random-quadratic:dim=3 --delays geometric:mean=20 --learner composite-ftrl\n\n"
        "The exit code is 1 if a step does not hold."
    )
    parser.add_argument(
        "--learner",
        metavar=f"[LABEL=]{THING}",
        action="append",
        default=[],
        help="a learner; may be given several times (default: those of the paper that have a proof here)",
    )
    parser.add_argument("--setting", choices=SETTINGS, help="one of the paper's two settings (default: both)")
    parser.add_argument("--problem", metavar=THING, help="other losses than the paper's, such as regression:dim=3")
    parser.add_argument("--domain", metavar=THING, help="where decisions lie, if --problem has no domain of its own")
    parser.add_argument("--delays", metavar=THING, help="with --problem: the law of delay, such as geometric:mean=20")
    parser.add_argument(
        "--rounds", type=whole_number(2), default=1000, metavar="T", help="rounds of each run (default: 1000)"
    )
    parser.add_argument("--seed", type=whole_number(0), default=0, metavar="N", help="of the losses (default: 0)")
    parser.add_argument("--verbose", action="store_true", help="print what each step says, not only those that fail")
    parser.add_argument(
        "--out",
        type=directory,
        default=Path("out", "certify"),
        metavar="DIR",
        help="directory for report.html and the steps as files (default: out/certify)",
    )


class Case(NamedTuple):
    """A run to be made: what it is called, who plays on what, and the constants that are claimed for it."""

    title: str
    learner: "Learner"
    problem: "Problem"
    law: "DelayLaw"
    initial: "Vector | None"
    claims: dict[str, float]


def run(options: argparse.Namespace) -> int:
    """Record each run, check its proof, print the steps and write the report; 1 if a step does not hold."""
    _check(options)
    from belated.audit.certify import certify, chain_of
    from belated.audit.recording import record_run

    cases = list(_own(options) if options.problem else _of_the_paper(options))
    for case in cases:
        chain_of(case.learner)  # before the first run rather than after some
    report = _Report(options)
    found = {}
    for case in cases:
        recorded = record_run(case.learner, case.problem, case.law, options.rounds, options.seed, initial=case.initial)
        found[case.title] = certify(recorded, **case.claims)
        say(_shown(case.title, found[case.title], options.verbose))
    say(report.written(found))
    broken = [f"belated certify: {title}: {each.summary}" for title, each in found.items() if not each.holds]
    if broken:
        complain("\n".join(broken))
        return 1
    number = len(cases)
    say(f"Runs of {options.rounds} rounds, seed {options.seed}, in which every step holds: {number} of {number}.")
    return 0


class _Report:
    """The files of the report: whether they can be written is seen before the runs, and they are written after them.

    Without the packages that a page is made with, the command does all the rest.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options, self._missing = options, ""
        try:
            with needing_figures():
                from belated.audit import certify_report
        except CommandFailed as missing:
            self._missing = str(missing)
            return
        from belated.output import files

        with _writing(options.out):
            files.check_place(options.out, certify_report.NAMES)

    def written(self, found: "dict[str, Certificate]") -> str:
        """Write the files, and return a line that says where they are, or why there are none."""
        if self._missing:
            return f"Report:   none, since {self._missing}"
        from belated.audit import certify_report
        from belated.output import files

        out: Path = self._options.out
        with _writing(out):
            files.place(out, certify_report.contents(found, _command(self._options)))
        return f"Report:   {out / 'report.html'}"


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error


def _command(options: argparse.Namespace) -> str:
    """The command that does the same again."""
    words = ["belated", "certify"]
    for name in ("setting", "problem", "domain", "delays"):
        given = getattr(options, name)
        words += [f"--{name}", given] if given else []
    for learner in options.learner:
        words += ["--learner", learner]
    return shlex.join([*words, "--rounds", str(options.rounds), "--seed", str(options.seed)])


def _check(options: argparse.Namespace) -> None:
    """Options that belong together are given together."""
    if (options.problem is None) != (options.delays is None):
        raise InvalidArgument("--problem and --delays belong together: give both, or neither for the paper's runs")
    if options.problem and options.setting:
        raise InvalidArgument("--setting is one of the paper's; give it, or --problem and --delays")
    if options.domain and not options.problem:
        raise InvalidArgument("--domain belongs to --problem: the paper's runs have the unit ball")
    if options.problem and not options.learner:
        raise InvalidArgument("--learner is missing: which learner is to play on this problem?")


def _shown(title: str, found: "Certificate", verbose: bool) -> str:
    """The run and its steps; what the command complains of at its end is not said twice."""
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    shown = found.text(width, verbose=verbose, lead=f"{title}: ")
    return f"{shown}\n" if found.holds else f"{shown.removesuffix(found.summary).rstrip()}\n"


def _of_the_paper(options: argparse.Namespace) -> Iterator[Case]:
    """The paper's learners with the paper's constants, and others with those that their theory recommends."""
    from belated.audit.chains import CHAINS
    from belated.papers import wan2021

    for name in [options.setting] if options.setting else SETTINGS:
        setup = wan2021.setup(name, options.rounds)
        learners, initial = setup.learners(), setup.initial()
        wanted = options.learner or [label for label, each in learners.items() if each.name in CHAINS]
        claims = {"lipschitz": wan2021.CONSTANTS.lipschitz}
        for label in wanted:
            title = f"{label}, {name} delays"
            if label in learners:
                yield Case(title, learners[label], wan2021.PROBLEM, setup.law, initial[label], claims)
                continue
            tables = {
                "problem": {"name": "random-quadratic", "dim": wan2021.DIM},
                "delays": {"name": "periodic", "delays": list(wan2021.SETTINGS[name])},
                "initial": wan2021.first_decision().tolist(),
            }
            yield from _read(options, tables, [label], f", {name} delays")


def _own(options: argparse.Namespace) -> Iterator[Case]:
    """The runs that the options describe."""
    given = {key: getattr(options, key) for key in ("problem", "domain", "delays") if getattr(options, key)}
    tables = {key: parsed_thing(f"--{key}", text)[1] for key, text in given.items()}
    yield from _read(options, tables, options.learner, "")


def _read(options: argparse.Namespace, tables: dict[str, Any], learners: list[str], where: str) -> Iterator[Case]:
    """The learners of a setting that is made of words, as ``belated compare`` makes it."""
    from belated.comparisons import reading
    from belated.comparisons.document import Document
    from belated.comparisons.words import check_words

    document = Document("the options", "", {**tables, "rounds": options.rounds, "seeds": [options.seed]})
    for key in tables:
        document = document.with_option(f"--{key}", (key,), tables[key])
    for text in learners:
        label, thing = parsed_thing("--learner", text)
        document = document.with_option(f"--learner {label}", ("learners", label), thing)
    check_words(document)
    setting = reading.setting_of(document, "own")
    for label, (learner, initial, law) in setting.entries.items():
        yield Case(f"{label}{where}", learner, setting.problem, law, initial, {})


COMMAND = Command("certify", "check the proof of an algorithm on runs of it, step by step", add_options, run)
