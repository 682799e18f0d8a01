"""What the paper says about its experiment, and whether that held in our runs.

The paper gives words and curves, no numbers. So each of its statements is paired with a criterion that we chose. The
criteria are about what the paper plots, the cumulative loss, after the last round. Whether two curves are close is
measured by the distance between DOGD and OGD-SC in the setting, the outermost curves of the first figure.
"""

import math
from typing import NamedTuple, Protocol

import xarray as xr

from belated.papers.wan2021 import LABELS, ROUNDS, Reproduction

STANDARD_ERRORS = 3
CLOSE = 0.10
SAME = 0.02

Judgement = tuple[str, bool | None]
"""What was measured, in words, and whether it meets the criterion; ``None`` where the seeds do not suffice to tell."""


class Criterion(Protocol):
    """A statement about two learners that can be checked."""

    @property
    def words(self) -> str:
        """The criterion as a sentence."""

    def judge(self, runs: xr.Dataset) -> Judgement:
        """Apply it to the runs of one setting."""


class Lower(NamedTuple):
    """One learner ends below another in every seed."""

    learner: str
    other: str

    @property
    def words(self) -> str:
        """The criterion as a sentence."""
        return f"{LABELS[self.learner]} ends with a lower cumulative loss than {LABELS[self.other]} in every seed."

    def judge(self, runs: xr.Dataset) -> Judgement:
        """The statement holds if the first learner ends below the other in every seed."""
        mine, theirs = _end(runs, self.learner), _end(runs, self.other)
        wins = int((mine < theirs).sum())
        measured = f"{mine.mean():.2f} against {theirs.mean():.2f} on average; lower in {wins} of {mine.size} seeds"
        return measured, wins == mine.size


class SignificantlyLower(NamedTuple):
    """One learner ends below another by more than chance explains."""

    learner: str
    other: str

    @property
    def words(self) -> str:
        """The criterion as a sentence."""
        return (
            f"{LABELS[self.learner]} ends below {LABELS[self.other]} by more than {STANDARD_ERRORS} standard errors "
            "of their difference, paired by seed."
        )

    def judge(self, runs: xr.Dataset) -> Judgement:
        """Compare the mean difference with its standard error."""
        difference = _end(runs, self.other) - _end(runs, self.learner)
        if difference.size < 2:
            return "one seed has no standard error", None
        mean, error = float(difference.mean()), float(difference.std(ddof=1)) / math.sqrt(difference.size)
        return f"{mean:.2f} below, with a standard error of {error:.2f}", mean > STANDARD_ERRORS * error


class Near(NamedTuple):
    """Two learners end at most a share of the distance between DOGD and OGD-SC apart."""

    learner: str
    other: str
    share: float

    @property
    def words(self) -> str:
        """The criterion as a sentence."""
        return (
            f"{LABELS[self.learner]} and {LABELS[self.other]} end at most {self.share:.0%} of the distance between "
            "DOGD and OGD-SC apart, on average over the seeds."
        )

    def judge(self, runs: xr.Dataset) -> Judgement:
        """Compare the mean absolute difference with the share; the regrets are reported with it."""
        apart = float(abs(_end(runs, self.learner) - _end(runs, self.other)).mean())
        allowed = self.share * float((_end(runs, "dogd") - _end(runs, "ogd-sc")).mean())
        mine, theirs = (float(runs.regret.sel(learner=name).mean()) for name in (self.learner, self.other))
        return f"{apart:.2f} apart, allowed {allowed:.2f} (regret {mine:.2f} against {theirs:.2f})", apart <= allowed


class Finding(NamedTuple):
    """A criterion applied to one setting."""

    setting: str
    measured: str
    held: bool | None


class Claim(NamedTuple):
    """One statement of the paper with everything found about it."""

    statement: str
    criterion: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """Whether the statement held in all settings that it is about."""
        verdicts = [finding.held for finding in self.findings]
        if False in verdicts:
            return "did not hold"
        return "cannot be judged" if None in verdicts else "held"


STATEMENTS: tuple[tuple[str, Criterion, tuple[str, ...]], ...] = (
    ("In both settings DOGD-SC is better than DOGD.", Lower("dogd-sc", "dogd"), ("low", "high")),
    ("With low delays it is significantly better than DOGD ...", SignificantlyLower("dogd-sc", "dogd"), ("low",)),
    ("... and close to OGD-SC.", Near("dogd-sc", "ogd-sc", CLOSE), ("low",)),
    ("BDOGD-SC is almost the same as DOGD-SC ...", Near("bdogd-sc", "dogd-sc", SAME), ("low", "high")),
    ("... and better than DBGD, ...", Lower("bdogd-sc", "dbgd"), ("low", "high")),
    ("... which is very close to DOGD.", Near("dbgd", "dogd", SAME), ("low", "high")),
)
"""Every statement of section 5 about the curves, with its criterion and the settings that it is about."""


def claims(reproduction: Reproduction) -> list[Claim]:
    """Check every statement of the paper against a reproduction."""
    runs = reproduction.runs
    return [
        Claim(
            statement,
            criterion.words,
            tuple(Finding(setting, *criterion.judge(runs.sel(setting=setting))) for setting in settings),
        )
        for statement, criterion, settings in STATEMENTS
    ]


def other_rounds(reproduction: Reproduction) -> str:
    """What has to be known of verdicts on a run that is not as long as the paper's."""
    return (
        f"The paper has {ROUNDS:,} rounds and this run {reproduction.rounds:,}. Its statements are about its own "
        "curves, so that one which does not hold here is not refuted."
    )


def _end(runs: xr.Dataset, learner: str) -> xr.DataArray:
    """The cumulative loss of each seed after the last round."""
    ends: xr.DataArray = runs.cumulative_loss.sel(learner=learner).isel(round=-1)
    return ends
