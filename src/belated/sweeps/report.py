"""A sweep as files.

===================  ==================================================================================================
file                 what is in it
===================  ==================================================================================================
``sweep.nc``         scores, losses and states of all runs, labelled (netCDF 3; ``xarray.open_dataset``)
``figure.svg``       response curves, and ``figure.png``
``sweep.toml``       the sweep as it was run; ``belated sweep sweep.toml`` runs it again
``failures.csv``     what has failed, a line for each run
``responses.csv``    every learner or model at every point: its score with a 95 % interval
``best.md``          the best setting of every learner or model
``report.html``      tables and pictures on one page, which can be looked into
===================  ==================================================================================================
"""

from __future__ import annotations

import numpy as np

from belated.comparisons.writing import as_toml
from belated.core.arrays import Integers
from belated.output.version import installed_version
from belated.sweeps.figure import draw
from belated.sweeps.outcome import Sweep
from belated.sweeps.page import report_page
from belated.sweeps.tables import as_csv, as_markdown, failures_csv

NAMES = (
    "sweep.nc",
    "figure.svg",
    "figure.png",
    "sweep.toml",
    "failures.csv",
    "responses.csv",
    "best.md",
    "report.html",
)
"""The files, in the order in which they are put into place: the page, which names the others, is last."""


def contents(sweep: Sweep) -> dict[str, bytes]:
    """Every file by its name."""
    picture = draw(sweep)
    found = {
        "sweep.nc": _runs(sweep),
        "figure.svg": picture.svg,
        "figure.png": picture.png,
        "sweep.toml": f"{as_toml(sweep.plan.setting, f'belated {installed_version()}.')}\n".encode(),
        "failures.csv": failures_csv(sweep).encode(),
        "responses.csv": as_csv(sweep).encode(),
        "best.md": f"{as_markdown(sweep)}\n".encode(),
        "report.html": report_page(sweep, NAMES[:-1]),
    }
    return {name: found[name] for name in NAMES}


def _runs(sweep: Sweep) -> bytes:
    """The data set as netCDF, whose oldest form has neither whole numbers beyond 32 bits nor letters beyond Latin-1.

    Larger numbers become real ones, and other letters in the names of axes are written as their codes.
    """
    runs = sweep.data.copy()
    whole = [name for name in runs.coords if runs[name].dtype == np.int64]
    runs = runs.assign_coords({name: runs[name].astype(_narrow(runs[name].to_numpy())) for name in whole})
    coded = {name: str(name).encode("latin-1", "backslashreplace").decode("latin-1") for name in runs.coords}
    runs = runs.rename({name: code for name, code in coded.items() if name != code})
    runs.attrs |= {"summary": sweep.summary, "belated": installed_version()}
    return bytes(runs.to_netcdf(engine="scipy"))


def _narrow(numbers: Integers) -> type:
    """A type of netCDF that holds whole numbers."""
    fits = np.abs(numbers.astype(float)).max(initial=0.0) < 2**31
    return np.int32 if fits else np.float64
