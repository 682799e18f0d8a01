"""Names that are known without the things that they name are those of the things."""

from pathlib import Path

import pytest

from belated.comparisons import words
from belated.comparisons.document import parsed
from belated.comparisons.reading import setting_of
from belated.comparisons.words import check_words, learner_names, spelled
from belated.core.errors import InvalidArgument
from belated.learners.catalogue import NAMED
from support.comparisons import BASIC, changed


def test_learners_are_those_of_the_catalogue() -> None:
    assert learner_names() == sorted(spelled(name) for name in NAMED)


def test_names_are_the_same_in_any_spelling() -> None:
    assert {spelled(name) for name in ("dogd-sc", "dogd_sc", "DOGD-SC", "DOGD_SC")} == {"dogd-sc"}
    check_words(parsed("my.toml", BASIC.replace("dogd-sc", "DOGD_SC")))


WRONG = {
    "measure": changed(measure='"losses"'),
    "a measure that is no text": changed(measure="3"),
    "delays": changed(delays='"fixd"'),
    "delays in a table": changed(delays='{ name = "fixd", delay = 2 }'),
    "a learner by its label": f"{BASIC}[learners.dogs]\n",
    "a learner by its name": f'{BASIC}[learners.x]\nname = "dogs"\n',
    "a learner in a word": f'{BASIC}\n[learners]\nx = "dogs"\n'.replace("[learners.dogd-sc]\n\n[learners.dda]\n", ""),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_the_message_is_that_of_those_who_read_the_setting_whole(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    document = parsed("my.toml", text)
    with pytest.raises(InvalidArgument) as early:
        check_words(document)
    with pytest.raises(InvalidArgument) as late:
        setting_of(document, "my")
    assert str(early.value) == str(late.value)
    assert str(early.value).startswith("my.toml, line ")


@pytest.mark.parametrize("text", [changed(learners="5"), changed(delays="5"), "", "learners = { x = 5 }"])
def test_what_has_another_form_is_left_to_those_who_read_it_whole(text: str) -> None:
    check_words(parsed("my.toml", text.replace("[learners.dogd-sc]\n\n[learners.dda]\n", "")))


def test_without_the_measures_a_wrong_one_would_be_found_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant."""
    monkeypatch.setattr(words, "check_measure", lambda document: "regret")
    check_words(parsed("my.toml", WRONG["measure"]))
