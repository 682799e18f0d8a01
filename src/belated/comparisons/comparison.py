"""What comes out of a comparison: curves and a ranking, which can be shown, written and saved."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from belated.comparisons import tables
from belated.comparisons.ranking import Standing
from belated.comparisons.setting import Setting
from belated.comparisons.wording import counted, summary
from belated.output import files

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Learners beside each other.

    ================  =================================================================================================
    field             meaning
    ================  =================================================================================================
    ``setting``       what was compared on what
    ``curves``        an xarray dataset with the dimensions learner, seed and round and the variables ``score``, which
                      is the setting's measure, and ``cumulative_loss``; in 51 rounds: the first, and 50 that are evenly
                      spread up to the last (in all rounds, if there are fewer)
    ``ranking``       a :class:`~belated.comparisons.ranking.Standing` for each learner, the best first
    ``interrupted``   whether somebody pressed Ctrl-C, so that seeds or learners are missing
    ``unheard``       the names of learners that no feedback has reached, in any seed
    ================  =================================================================================================
    """

    setting: Setting
    curves: xr.Dataset
    ranking: tuple[Standing, ...]
    interrupted: bool
    unheard: tuple[str, ...] = ()

    @property
    def seeds(self) -> int:
        """How many seeds every learner was run on."""
        return self.curves.sizes["seed"]

    @property
    def summary(self) -> str:
        """Problem, dimension, delays, rounds and seeds in a line of words."""
        return f"{summary(self.setting, self.seeds)}{', interrupted' if self.interrupted else ''}"

    @property
    def notes(self) -> list[str]:
        """What must be known to judge the ranking, in sentences: whom no feedback has reached."""
        if not self.unheard:
            return []
        everybody = len(self.unheard) == len(self.ranking)
        who = "any learner" if everybody else ", ".join(self.unheard)
        learnt = "nobody has learnt anything" if everybody else "no learner of these has learnt anything"
        return [f"No feedback reached {who} within {counted(self.setting.rounds, 'round')}: {learnt}."]

    def __repr__(self) -> str:
        return f"{self.setting.title}\n{self.summary}\n\n{tables.as_text(self)}"

    def to_rows(self) -> list[dict[str, Any]]:
        """The ranking as plain values.

        Returns:
            A dictionary for each learner, the best first, with the columns of ``ranking.csv``: ``rank``, ``learner``,
            ``seeds``, mean and 95 % interval of the score (``score_mean``, ``score_low``, ``score_high``), of the
            distance to the first (``behind_...``) and of the ``cumulative_loss_...``, and ``tied_with_first``. Ends of
            intervals are ``nan`` for a single seed.
        """
        return tables.as_rows(self)

    def to_markdown(self) -> str:
        """The ranking as a table in Markdown: mean and 95 % interval, the best in bold, ties marked by an =."""
        return tables.as_markdown(self)

    def to_latex(self) -> str:
        r"""The ranking as a ``tabular`` of LaTeX: mean and 95 % interval, the best in bold, ties marked by an =.

        It needs ``\usepackage{booktabs}``. Names of learners are escaped.
        """
        return tables.as_latex(self)

    def figure(self) -> "Figure":
        """The curves of every learner, and the ranking after the last round.

        Returns:
            A figure of matplotlib, not known to pyplot: ``comparison.figure().savefig("figure.pdf")``.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
        """
        from belated.comparisons.figure import painted  # matplotlib is heavy, and need not be there

        return painted(self)

    def save(self, folder: str | Path) -> None:
        """Write everything into a folder: ranking (CSV, Markdown, LaTeX), figure (PNG, SVG), curves, and a page.

        Files of the same names are replaced, each of them whole. A setting from words is written down, too. The page
        is ``report.html``, which shows all of it and needs no network.

        Args:
            folder: Where to. It is made if need be.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
            InvalidArgument: ``folder`` is no path, is empty, or has letters that no path can have.
            OSError: The files cannot be written.
        """
        from belated.comparisons.report import contents

        place = files.checked_folder("save", "folder", folder)  # before figures are drawn for it
        files.place(place, contents(self))
