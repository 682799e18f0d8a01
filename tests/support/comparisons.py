"""Settings and comparisons that are small enough for tests."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from belated.comparisons import Comparison
from belated.comparisons.document import parsed
from belated.comparisons.ranking import ranked
from belated.comparisons.reading import setting_of
from belated.comparisons.setting import WrittenSetting

BASIC = """\
rounds = 20
seeds = 3
problem = { name = "random-quadratic", dim = 2 }
delays = { name = "fixed", delay = 2 }

[learners.dogd-sc]

[learners.dda]
"""


@cache
def setting(text: str = BASIC, name: str = "my") -> WrittenSetting:
    """The setting of a TOML text. A setting cannot be changed, so it is made once for each text."""
    return setting_of(parsed(f"{name}.toml", text), name)


def changed(**changes: Any) -> str:
    """The basic text, with the given lines changed or added."""
    lines = BASIC.splitlines()
    for key, value in changes.items():
        lines = [line for line in lines if not line.startswith(f"{key} =")]
        lines.insert(0, f"{key} = {value}")
    return "\n".join(lines) + "\n"


def invented(scores: Mapping[str, Sequence[float]], interrupted: bool = False) -> Comparison:
    """A comparison of learners that have these scores at its end, one a seed, and go there in two straight steps."""
    table = np.array(list(scores.values()), dtype=float)
    curves = xr.Dataset(
        {
            "score": (("learner", "seed", "round"), np.stack([table / 2.0, table], axis=2)),
            "cumulative_loss": (("learner", "seed", "round"), np.stack([table - 1.0, table * 3.0], axis=2)),
        },
        coords={"learner": list(scores), "seed": np.arange(table.shape[1]), "round": [10, 20]},
    )
    return Comparison(setting(), curves, ranked(curves), interrupted)
