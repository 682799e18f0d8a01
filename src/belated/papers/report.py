"""The files of a reproduction: its figures, its table, its data, and the page that shows them."""

from __future__ import annotations

from belated.output.page.blocks import Block, Code, Facts, Group, Section, Table, Text, Verdict, Verdicts
from belated.output.page.page import page
from belated.papers import figures, pictures
from belated.papers.allowed import THEOREMS, Allowed, allowed
from belated.papers.claims import Claim, claims, other_rounds
from belated.papers.summary import COLUMNS, Spread, SummaryRow, as_csv, rows, shown
from belated.papers.wan2021 import CONSTANTS, DIM, LABELS, ROUNDS, SETTINGS, Reproduction

FIGURES = {
    "figure1": ("ogd-sc", "dogd", "dogd-sc"),
    "figure2": ("ogd-sc", "dbgd", "bdogd-sc", "bdogd-sc-two-point"),
}
"""The learners of each figure: with gradients, and from function values only."""

FEEDBACK = {
    "ogd-sc": "gradient, without delay",
    "bdogd-sc": f"values at {DIM + 1} points",
    "dbgd": f"values at {DIM + 1} points",
    "bdogd-sc-two-point": "values at 2 points",
}

NAMES = ("runs.nc", "summary.csv", *(f"{name}.{kind}" for name in FIGURES for kind in ("png", "svg")), "report.html")
"""The files, in the order in which they are moved to their places: the page, which refers to the others, is last."""

TITLE = "Online Strongly Convex Optimization with Unknown Delays"


def contents(reproduction: Reproduction) -> dict[str, bytes]:
    """The contents of every file, by its name."""
    table = rows(reproduction)
    drawings = {name: figures.draw(reproduction, learners) for name, learners in FIGURES.items()}
    made = {
        "runs.nc": bytes(reproduction.runs.to_netcdf(engine="scipy")),
        "summary.csv": as_csv(table).encode(),
        **{f"{name}.{kind}": getattr(drawing, kind) for name, drawing in drawings.items() for kind in drawing._fields},
        "report.html": report_page(reproduction, table),
    }
    return {name: made[name] for name in NAMES}


def report_page(reproduction: Reproduction, table: list[SummaryRow]) -> bytes:
    """The report as one HTML page that needs no other file."""
    found = claims(reproduction)
    sections = (
        Section("What the paper says, and what was found", (Text(HOW_JUDGED), Verdicts(_verdicts(found)))),
        Section("Figures", _figures(reproduction)),
        Section("Regret beside its bounds", _regrets(reproduction)),
        Section("Numbers", _numbers(reproduction, table)),
        Section("Delays and step sizes", _delays(reproduction)),
        Section("What was run", _run(reproduction)),
    )
    return page(
        TITLE,
        sections,
        kicker="A published experiment, run again",
        lead=_lead(reproduction, found),
        warnings=[] if reproduction.rounds == ROUNDS else [other_rounds(reproduction)],
        command=_command(reproduction),
        files=(
            "summary.csv, the numbers with all their digits",
            "runs.nc, every curve of every seed with its labels",
            "and the figures as PNG and SVG",
        ),
    )


HOW_JUDGED = (
    "The paper gives curves and words, no numbers. Under each statement is the criterion that was chosen here to judge "
    "it by. All of them are about the cumulative loss after the last round."
)

REGRET = (
    "Regret is the cumulative loss minus that of the best fixed decision of the rounds so far. Theorem 1 bounds that "
    "of DOGD-SC after every round, whatever the losses are. The sharpest bound that is proved, of ",
    Code("bl.bounds.of"),
    ", counts how much feedback is really in flight where the theorem takes the largest delay for all. The lower bound "
    "is what some losses with the same constants cost every learner; on these losses regret may lie below it.",
)

VALUES = (
    "From function values. Theorems 2 and 3 are drawn as they are printed. Theorem 3 and the sharper bound of the "
    "two-query variant hold in expectation. The probe radius is that of the whole run, so that after fewer rounds the "
    "bounds are those of a learner that is to go on."
)

FEATURES = (
    "Click a name to hide a learner in all pictures, point at a curve to read numbers, drag to look closer, and take "
    "the numbers along as CSV."
)


def _lead(reproduction: Reproduction, found: list[Claim]) -> str:
    held = sum(claim.verdict == "held" for claim in found)
    seeds = len(reproduction.seeds)
    return (
        f"Yuanyu Wan, Wei-Wei Tu and Lijun Zhang compare learners whose feedback comes late. Of the {len(found)} "
        f"statements in section 5 of their paper about the curves, {'all' if held == len(found) else held} held here, "
        f"over {seeds} seed{'' if seeds == 1 else 's'} and {reproduction.rounds:,} rounds."
    )


def _verdicts(found: list[Claim]) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(
            claim.statement,
            claim.verdict,
            claim.criterion,
            tuple((finding.setting.capitalize(), f"{finding.measured}.") for finding in claim.findings),
        )
        for claim in found
    )


def _figures(reproduction: Reproduction) -> tuple[Block, ...]:
    band = " The band is one standard deviation either way." if len(reproduction.seeds) > 1 else ""
    first = (
        "Figure 1. With gradients. Cumulative loss of DOGD and DOGD-SC under delay, and of OGD-SC without delay; mean "
        f"over the seeds, with its value after the last round.{band} The vertical scales of the two sides differ. "
        "DOGD has the paper's constant rate, which is tuned too small; at a rate that tunes itself it is ahead of "
        "DOGD-SC in both settings at T = 1,000 (",
        Code("docs/errata.md"),
        ", \N{LEFT DOUBLE QUOTATION MARK}The rate of DOGD in the experiments\N{RIGHT DOUBLE QUOTATION MARK}).",
    )
    second = (
        "Figure 2. From function values. Cumulative loss of DBGD and BDOGD-SC, which see the loss at "
        f"{DIM + 1} points per round and suffer its average over them; OGD-SC as above. The two-query variant of "
        f"BDOGD-SC is not in the paper's figure.{band}"
    )
    return (
        Text(first),
        Text(FEATURES, "note"),
        *pictures.losses(reproduction, "figure1", FIGURES["figure1"]),
        Text(second),
        *pictures.losses(reproduction, "figure2", FIGURES["figure2"]),
    )


def _regrets(reproduction: Reproduction) -> tuple[Block, ...]:
    """The first figure with OGD-SC; the second without it, since it has curves enough."""
    return (
        Text(REGRET),
        *pictures.regrets(reproduction, "regret", FIGURES["figure1"]),
        Text(VALUES),
        *pictures.regrets(reproduction, "regret_values", FIGURES["figure2"][1:]),
    )


def _numbers(reproduction: Reproduction, table: list[SummaryRow]) -> tuple[Block, ...]:
    words = (
        "After the last round, mean ± standard deviation over the seeds. Regret is the cumulative loss minus that of "
        "the best fixed decision in hindsight. That decision's loss is below zero, so that regret exceeds the "
        "cumulative loss. OGD-SC meets no delay and is therefore the same in both settings."
    )
    header = ("Learner", "Feedback", "Cumulative loss", "Regret")
    full = tuple((*row[:3], *row.cumulative_loss, *row.regret) for row in table)
    shown_rows = {row: _row(row) for row in table}
    return Text(words), Table("summary", header, _grouped(shown_rows), 2, COLUMNS, full), *_bounds(reproduction, table)


def _bounds(reproduction: Reproduction, table: list[SummaryRow]) -> tuple[Block, ...]:
    """What is allowed to the learners that meet delays, beside their regret."""
    words = (
        "What regret may be in the worst case: by the paper's theorem as it is printed, by the same with its constants "
        "corrected, and by the sharpest statement that is proved, with its name in ",
        Code("bl.bounds"),
        ". The paper states no constants for DOGD and DBGD: what is said of them is derived here. Theorem 3 and what "
        "comes from it bound an expectation.",
    )
    note = (
        "What is corrected is in ",
        Code("docs/errata.md"),
        ". Theorem 1 needs no correction, and in these settings that of Theorem 2 changes nothing.",
    )
    setups = {each.name: each for each in reproduction.setups}
    late = [row for row in table if row.learner in setups[row.setting].learners()]
    found = {row: allowed(setups[row.setting], row.learner) for row in late}
    header = ("Learner", "Theorem", "Sharpest is", "Regret", "As printed", "Corrected", "Sharpest")
    full = tuple((*row[:2], row.regret.mean, *bounds) for row, bounds in found.items())
    named = ("setting", "learner", "regret_mean", "bound", "corrected_bound", "sharpest_bound", "statement")
    lines = {row: _bounds_row(row, bounds) for row, bounds in found.items()}
    return Text(words), Table("bounds", header, _grouped(lines), 3, named, full), Text(note, "note")


def _grouped(lines: dict[SummaryRow, tuple[str, ...]]) -> tuple[Group, ...]:
    """Lines of a table under the delays of their settings."""
    return tuple(
        Group(
            f"{setting.capitalize()} delays: {', '.join(map(str, delays))}, repeated",
            tuple(line for row, line in lines.items() if row.setting == setting),
        )
        for setting, delays in SETTINGS.items()
    )


def _row(row: SummaryRow) -> tuple[str, ...]:
    feedback = FEEDBACK.get(row.learner, "gradient")
    return LABELS[row.learner], feedback, _spread(row.cumulative_loss), _spread(row.regret)


def _bounds_row(row: SummaryRow, bounds: Allowed) -> tuple[str, ...]:
    theorem = f"Theorem {THEOREMS[row.learner]}" if row.learner in THEOREMS else "none; derived here"
    numbers = ("-" if each is None else f"{each:,.2f}" for each in bounds[:3])
    return LABELS[row.learner], theorem, bounds.statement, shown(row.regret.mean), *numbers


def _spread(given: Spread) -> str:
    return shown(given.mean) if given.sd is None else f"{shown(given.mean)} ± {shown(given.sd)}"


def _delays(reproduction: Reproduction) -> tuple[Block, ...]:
    words = (
        "Everything that a learner can know of the delays is how much has arrived. DOGD-SC divides 2 by the strong "
        "convexity and by the number of feedbacks that it has received, so that its steps wait for the first arrival; "
        "OGD-SC, without delay, takes half as large steps."
    )
    return Text(words), *pictures.delays(reproduction)


def _run(reproduction: Reproduction) -> tuple[Block, ...]:
    facts = (
        (
            "Losses",
            f"fₜ(x) = |x|² + bₜ·x on the unit ball of dimension {DIM}; the entries of bₜ are uniform on "
            f"[\N{MINUS SIGN}1, 1]. They are {CONSTANTS.strong_convexity:g}-strongly convex, and L = 2 + √{DIM} ≈ "
            f"{CONSTANTS.lipschitz:.4f} bounds every gradient.",
        ),
        ("Rounds", f"T = {reproduction.rounds:,}"),
        (
            "Seeds",
            (
                f"{_seeds(reproduction.seeds)}; b = ",
                Code(f"numpy.random.default_rng(seed).uniform(-1, 1, (T, {DIM}))"),
            ),
        ),
        (
            "First decision",
            f"1/√{DIM} in every entry; (1 \N{MINUS SIGN} δ) times that for learners that see only values, each with "
            "its own δ",
        ),
        ("OGD-SC", "rate 1/(2t), without delay"),
        ("DOGD, DBGD", "constant rate η = 1/(L √(T + D)), D the sum of the delays"),
    )
    header = ("Setting", "Total delay D", "Rate η", "δ of BDOGD-SC, ln T / T", "δ of DBGD, 1 / (T + D)")
    cells = [
        (each.name, each.total_delay, each.rate, each.probe_radius["bdogd-sc"], each.probe_radius["dbgd"])
        for each in reproduction.setups
    ]
    shown_cells = tuple(
        (name.capitalize(), f"{total:,}", *(f"{each:.7f}" for each in more)) for name, total, *more in cells
    )
    named = ("setting", "total_delay", "rate", "probe_radius_bdogd_sc", "probe_radius_dbgd")
    return Facts(facts), Table("parameters", header, (Group("", shown_cells),), 1, named, tuple(cells))


def _seeds(seeds: tuple[int, ...]) -> str:
    if len(seeds) > 2 and seeds == tuple(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _command(reproduction: Reproduction) -> str | None:
    """The command that makes this page, if there is one: it always starts with seed 0."""
    seeds = reproduction.seeds
    if seeds != tuple(range(len(seeds))):
        return None
    return f"belated paper --seeds {len(seeds)} --rounds {reproduction.rounds}"
