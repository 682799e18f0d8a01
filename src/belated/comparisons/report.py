"""A comparison as files.

================  =====================================================================================================
file              what is in it
================  =====================================================================================================
``runs.nc``       the curves of every learner and seed, labelled (netCDF 3; ``xarray.open_dataset``)
``figure.svg``    the picture, and ``figure.png``
``setting.toml``  of settings in words only: the setting as it was run; ``belated compare setting.toml`` runs it again
``ranking.md``    the ranking in Markdown, and ``ranking.tex`` in LaTeX
``ranking.csv``   the ranking with all digits
``report.html``   all of it on one page, which can be looked into
================  =====================================================================================================
"""

import numpy as np

from belated.comparisons.comparison import Comparison
from belated.comparisons.figure import draw
from belated.comparisons.page import report_page
from belated.comparisons.setting import WrittenSetting
from belated.comparisons.tables import as_csv, as_latex, as_markdown
from belated.comparisons.writing import as_toml
from belated.output.version import installed_version

NAMES = (
    "runs.nc",
    "figure.svg",
    "figure.png",
    "setting.toml",
    "ranking.md",
    "ranking.tex",
    "ranking.csv",
    "report.html",
)
"""The files, in the order in which they are put into place: the page, which names the others, is last."""


def contents(comparison: Comparison) -> dict[str, bytes]:
    """Every file by its name."""
    picture, setting = draw(comparison), comparison.setting
    found = {
        "runs.nc": _runs(comparison),
        "figure.svg": picture.svg,
        "figure.png": picture.png,
        "ranking.md": f"{as_markdown(comparison)}\n".encode(),
        "ranking.tex": f"{as_latex(comparison)}\n".encode(),
        "ranking.csv": as_csv(comparison).encode(),
    }
    if isinstance(setting, WrittenSetting):
        found["setting.toml"] = f"{as_toml(setting.tables, _preamble(setting))}\n".encode()
    beside = tuple(name for name in NAMES if name in found)
    found["report.html"] = report_page(comparison, beside)
    return {name: found[name] for name in NAMES if name in found}


def _preamble(setting: WrittenSetting) -> str:
    """What the tables do not say: what was known of the first seed, and what learners were told because of it."""
    known = ", ".join(f"{name} {value:.6g}" for name, value in setting.facts._asdict().items())
    lines = [
        f"belated {installed_version()}. Known of the first seed: {known}.",
        "Told to learners besides what is below:",
    ]
    for key, arguments in setting.told.items():
        if arguments:
            words = ", ".join(f"{name} = {value!r}" for name, value in arguments.items())
            lines.append(f"  {'.'.join(map(str, key[1:]))}: {words}")
    return "\n".join(lines)


def _runs(comparison: Comparison) -> bytes:
    setting = comparison.setting
    runs = comparison.curves.copy()
    runs["score"].attrs["description"] = f"{setting.measure.title}, of the rounds up to this one"
    runs["cumulative_loss"].attrs["description"] = "sum of the losses suffered, each averaged over the round's points"
    runs.attrs = {
        "title": setting.title,
        "summary": comparison.summary,
        "measure": setting.measure.name,
        "interrupted": int(comparison.interrupted),
        "belated": installed_version(),
    }
    if isinstance(setting, WrittenSetting):
        runs.attrs["setting"] = as_toml(setting.tables)
        runs.attrs |= {name: float(value) for name, value in setting.facts._asdict().items()}
    runs = runs.assign_coords({name: runs[name].astype(np.int32) for name in ("seed", "round")})
    return bytes(runs.to_netcdf(engine="scipy"))
