"""The table of a reproduction, by hand: as CSV with all digits and as aligned text."""

import csv
import io

import numpy as np

from belated.papers.summary import DERIVED, as_csv, as_text, rows
from belated.papers.wan2021 import LEARNERS, Reproduction
from belated.theory import bounds
from support.reproductions import invented

ENDS = {name: [1.0 + i, 2.0 + i, 6.0 + i] for i, name in enumerate(LEARNERS)}


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_by_hand() -> None:
    assert as_csv(rows(invented(ENDS))).splitlines()[:2] == [
        "setting,learner,seeds,cumulative_loss_mean,cumulative_loss_sd,regret_mean,regret_sd",
        "low,ogd-sc,3,3.0,2.6457513110645907,4.0,2.6457513110645907",  # 7 ** 0.5, with divisor 2
    ]


def test_every_learner_in_every_setting() -> None:
    read_back = [(row["setting"], row["learner"]) for row in read(as_csv(rows(invented(ENDS))))]
    assert read_back == [(setting, name) for setting in ("low", "high") for name in LEARNERS]


def test_all_digits_are_kept(small: Reproduction) -> None:
    for row in read(as_csv(rows(small))):
        regret = small.runs.regret.sel(setting=row["setting"], learner=row["learner"]).to_numpy()
        assert float(row["regret_mean"]) == regret.mean()
        assert np.isclose(float(row["regret_sd"]), np.sqrt(((regret - regret.mean()) ** 2).sum() / 2), rtol=1e-14)


def test_one_seed_has_no_standard_deviation() -> None:
    table = rows(invented({name: ends[:1] for name, ends in ENDS.items()}))
    assert as_csv(table).splitlines()[1] == "low,ogd-sc,1,1.0,,2.0,"
    assert as_text(table).splitlines()[1].split() == ["low", "ogd-sc", "1.00", "-", "2.00", "-", "-"]


def test_the_text_is_aligned() -> None:
    lines = as_text(rows(invented(ENDS))).splitlines()
    assert lines[0].split() == ["setting", "learner", "cumulative", "loss", "sd", "regret", "sd", "bound"]
    ends = {line.index(".") for line in lines[1:13]}
    assert len(ends) == 1
    assert lines[-1] == DERIVED
    assert lines[3].split() == ["low", "dogd-sc", "5.00", "2.65", "6.00", "2.65", "1000.00"]


def test_a_bound_that_the_paper_does_not_have_is_marked(small: Reproduction) -> None:
    lines = {tuple(line.split()[:2]): line.split()[-1] for line in as_text(rows(small)).splitlines()[1:13]}
    for each in small.setups:
        wanted = bounds.dogd(each.delays, rate=each.rate, diameter=2.0, lipschitz=2.0 + 10.0**0.5)
        assert lines[each.name, "dogd"] == f"{wanted:.2f}*"
        assert lines[each.name, "dogd-sc"] == f"{each.bounds()['dogd-sc']:.2f}"
        assert lines[each.name, "dbgd"].endswith("*")
        assert lines[each.name, "ogd-sc"] == "-"
