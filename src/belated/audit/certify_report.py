"""The files of ``belated certify``.

=====================  ==============================================================================================
file                   what is in it
=====================  ==============================================================================================
``steps.csv``          a row for each step of each run, with all digits
``certificates.json``  the same with the constants, as ``Certificate.to_dict`` has it
``report.html``        all of it on one page, which says first and loudly which step does not hold
=====================  ==============================================================================================
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

from belated.audit.certificate import Certificate, Step
from belated.output.page.blocks import Facts, Group, Section, Table, Text, Verdict, Verdicts
from belated.output.page.page import page

NAMES = ("steps.csv", "certificates.json", "report.html")
"""The files, in the order in which they are put into place: the page, which names the others, is last."""

HEADER = ("step", "verdict", "says", "left", "right", "slack", "round")

HOW = (
    "Each step is an inequality, left \N{LESS-THAN OR EQUAL TO} right, or an equation, whose sides are then apart by "
    "what stands on the left. Of a statement about every round the numbers are those of the round with the least slack."
    " A step holds if its slack is at least 0, up to rounding."
)

LIMITS = (
    "A run on which every step holds contradicts neither the proof nor the program. It does not prove the theorem. "
    "Where each step stands in its source is in the files."
)


def contents(certificates: Mapping[str, Certificate], command: str) -> dict[str, bytes]:
    """Every file by its name.

    Args:
        certificates: The certificates, by the titles of their runs.
        command: The command that makes them again.

    Returns:
        The files, in the order of ``NAMES``.
    """
    found = {
        "steps.csv": _csv(certificates),
        "certificates.json": _json(certificates),
        "report.html": report_page(certificates, command),
    }
    return {name: found[name] for name in NAMES}


def report_page(certificates: Mapping[str, Certificate], command: str) -> bytes:
    """The certificates as one page that needs no other file; a step that does not hold is told above all."""
    broken = {title: each for title, each in certificates.items() if not each.holds}
    steps, runs = sum(len(each.steps) for each in certificates.values()), len(certificates)
    lead = f"All {steps} steps hold on {runs} run{'' if runs == 1 else 's'}."
    if broken:
        lead = f"On {len(broken)} of {runs} run{'' if runs == 1 else 's'} a step does not hold."
    sections = [Section("Verdicts", (Text(HOW), _verdicts(certificates), Text(LIMITS, "note")))]
    sections += [Section(title, _run(number, each)) for number, (title, each) in enumerate(certificates.items(), 1)]
    return page(
        "Proofs, step by step",
        sections,
        kicker="The proof of an algorithm, checked on runs of it",
        lead=lead,
        warnings=tuple(f"{title}: {each.verdict}" for title, each in broken.items()),
        command=command,
        files=NAMES[:-1],
    )


def _verdicts(certificates: Mapping[str, Certificate]) -> Verdicts:
    return Verdicts(
        tuple(
            Verdict(title, "held" if each.holds else "did not hold", f"{each.theorem}.", (("Steps", each.verdict),))
            for title, each in certificates.items()
        )
    )


def _run(number: int, found: Certificate) -> tuple[Text | Facts | Table, ...]:
    """The verdict, the constants and the steps of one run."""
    known = ", ".join(f"{name.replace('_', ' ')} {value:.6g}" for name, value in found.constants.items())
    facts = (
        ("Proof", found.theorem),
        ("Run", f"{found.rounds:,} rounds of {found.algorithm.replace('_', '-')}"),
        ("Constants", known),
    )
    full = tuple(_full(step) for step in found.steps)
    rows = tuple((name, mark, says, *sides) for mark, name, _, says, *sides in found.cells()[1])
    table = Table(f"steps_{number}", HEADER, (Group("", rows),), 3, Step._fields, full)
    return Text(found.verdict, "plain" if found.holds else "warning"), Facts(facts), table


def _full(step: Step) -> tuple[str | float | None, ...]:
    """The fields of a step for a file: whether it holds is 1 or 0."""
    return (*step[:-1], int(step.holds))


def _csv(certificates: Mapping[str, Certificate]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("run", "algorithm", "rounds", *Step._fields))
    for title, each in certificates.items():
        writer.writerows((title, each.algorithm, each.rounds, *_full(step)) for step in each.steps)
    return text.getvalue().encode()


def _json(certificates: Mapping[str, Certificate]) -> bytes:
    found = {title: _plain(each.to_dict()) for title, each in certificates.items()}
    return f"{json.dumps(found, indent=1, allow_nan=False)}\n".encode()


def _plain(value: Any) -> Any:
    """The value for JSON, which knows no infinities: these, and what is not a number, are null."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
