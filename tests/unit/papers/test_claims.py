"""Every claim holds on made-up numbers that fit it, and fails on the smallest change that breaks it."""

import pytest

from belated.papers.claims import Claim, claims
from support.reproductions import invented

FITTING = {
    "ogd-sc": [10.0, 12.0],
    "dogd": [110.0, 112.0],
    "dogd-sc": [19.5, 21.5],
    "bdogd-sc": [20.0, 21.0],
    "dbgd": [109.0, 113.0],
    "bdogd-sc-two-point": [50.0, 60.0],
}
BETTER, SIGNIFICANT, CLOSE, SAME, BANDIT_BETTER, BANDIT_SAME = range(6)


def judged(**changed: list[float]) -> list[Claim]:
    return claims(invented(FITTING | {name.replace("_", "-"): ends for name, ends in changed.items()}))


def broken(found: list[Claim]) -> set[int]:
    return {i for i, claim in enumerate(found) if claim.verdict == "did not hold"}


def test_all_hold_where_they_should() -> None:
    assert [claim.verdict for claim in judged()] == ["held"] * 6


def test_one_seed_in_which_dogd_wins_breaks_better() -> None:
    assert BETTER in broken(judged(dogd=[110.0, 21.0]))
    assert BETTER not in broken(judged(dogd=[110.0, 21.6]))


def test_a_difference_within_the_noise_is_not_significant() -> None:
    # Differences 1 and 3: mean 2, standard error 1, which is two standard errors.
    assert SIGNIFICANT in broken(judged(dogd=[20.5, 24.5]))
    # Differences 3 and 5: mean 4, standard error 1.
    assert SIGNIFICANT not in broken(judged(dogd=[22.5, 26.5]))


@pytest.mark.parametrize(("end", "fails"), [([19.9, 21.9], False), ([20.1, 22.1], True)])
def test_close_is_a_tenth_of_the_distance_between_dogd_and_ogd_sc(end: list[float], fails: bool) -> None:
    assert (CLOSE in broken(judged(dogd_sc=end))) == fails


def test_distances_do_not_cancel_over_the_seeds() -> None:
    # 3 above in one seed and 3 below in the other: the means agree, the runs do not.
    assert broken(judged(bdogd_sc=[22.5, 18.5])) == {SAME}
    assert broken(judged(dbgd=[107.0, 115.0])) == {BANDIT_SAME}


def test_bdogd_sc_must_beat_dbgd() -> None:
    assert BANDIT_BETTER in broken(judged(bdogd_sc=[20.0, 113.0]))


def test_one_seed_cannot_show_significance() -> None:
    found = claims(invented({name: ends[:1] for name, ends in FITTING.items()}))
    assert [claim.verdict for claim in found] == ["held", "cannot be judged", "held", "held", "held", "held"]


def test_the_numbers_are_told() -> None:
    better, significant, close, *_ = judged()
    assert [finding.setting for finding in better.findings] == ["low", "high"]
    assert better.findings[0].measured == "20.50 against 111.00 on average; lower in 2 of 2 seeds"
    assert significant.findings[0].measured == "90.50 below, with a standard error of 0.00"
    assert close.findings[0].measured == "9.50 apart, allowed 10.00 (regret 21.50 against 12.00)"
