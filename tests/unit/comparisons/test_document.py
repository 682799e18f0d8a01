"""Whatever is wrong with a file is told with its name, the line and the key."""

from pathlib import Path

import pytest

from belated.comparisons.document import Document, parsed, read_document
from belated.core.errors import InvalidArgument

TEXT = """\
rounds = 5

[learners.dogd]
bases = [
    { name = "x" },
    { name = "y" },
]
"""
DOCUMENT = parsed("my.toml", TEXT)


def refusal(document: Document, *key: str | int) -> str:
    with pytest.raises(InvalidArgument) as error:
        document.refuse(key, "is wrong")
    return str(error.value)


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(TEXT)
    assert read_document(path) == DOCUMENT


@pytest.mark.parametrize("content", [TEXT.replace("\n", "\r\n").encode(), TEXT.encode("utf-8-sig")])
def test_other_editors_files_are_read_too(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "my.toml").write_bytes(content)
    document = read_document(tmp_path / "my.toml")
    assert document.tables == DOCUMENT.tables
    assert refusal(document, "learners", "dogd", "bases", 1, "name") == (
        "my.toml, line 6, learners.dogd.bases.1.name: is wrong"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"title = '\xe9'")
    for name, message in [
        ("missing.toml", r"cannot read '.*missing\.toml': No such file or directory"),
        ("", "cannot read '.*': Is a directory"),
        ("x\0.toml", "cannot read .*: embedded null byte"),
        ("bytes.toml", r".*bytes\.toml: must be UTF-8, and byte 9 is not"),
    ]:
        with pytest.raises(InvalidArgument, match=f"^{message}$"):
            read_document(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rounds = ", r"my\.toml: is not valid TOML: Invalid value"),
        ("a = 1\nb = [1,\n2\n", r"my\.toml: is not valid TOML: Unclosed array"),
        ("a = 1\na = 2", r"my\.toml: is not valid TOML: Cannot overwrite a value"),
        ("a = 1\rb = 2", r"my\.toml: is not valid TOML: .*line 1"),
        (f"a = {'9' * 5000}", r"my\.toml: is not valid TOML: .*5000 digits"),
        (f"a = {'[' * 5000}", r"my\.toml: is nested too deeply"),
    ],
)
def test_what_is_no_toml_is_told_in_a_line(text: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{message}.*$"):
        parsed("my.toml", text)


def test_what_stands_at_a_key() -> None:
    assert DOCUMENT.at(("learners", "dogd", "bases", 1, "name")) == "y"
    for nothing in (("x",), ("rounds", "x"), ("learners", "dogd", "bases", 2), ("learners", "dogd", "bases", "x")):
        assert DOCUMENT.at(nothing) is None


def test_a_missing_key_is_told_with_the_table_around_it() -> None:
    assert refusal(DOCUMENT) == "my.toml: is wrong"
    assert refusal(DOCUMENT, "seeds") == "my.toml, seeds: is wrong"
    assert refusal(DOCUMENT, "learners", "dogd", "rate") == "my.toml, line 3, learners.dogd.rate: is wrong"
    assert refusal(DOCUMENT, "learners", "a\nb") == 'my.toml, line 3, learners."a\\nb": is wrong'


def test_what_was_given_as_an_option_is_told_with_it() -> None:
    document = DOCUMENT.with_option("--learner one", ("learners", "one"), {"name": "dogd", "rate": 0})
    assert document.at(("learners", "one", "rate")) == 0
    assert document.at(("rounds",)) == 5
    assert DOCUMENT.at(("learners", "one")) is None
    assert refusal(document, "learners", "one", "rate") == "--learner one, rate: is wrong"
    assert refusal(document, "learners", "one") == "--learner one: is wrong"
    assert refusal(document, "learners", "dogd") == "my.toml, line 3, learners.dogd: is wrong"


def test_an_option_takes_the_place_of_what_is_no_table() -> None:
    assert parsed("my.toml", "learners = 5").with_option("--x", ("learners", "a"), 1).tables == {"learners": {"a": 1}}


def test_an_unknown_key_is_told_with_what_may_be_meant() -> None:
    with pytest.raises(InvalidArgument, match=r"^my\.toml, line 1, rounds: it has no such key; did you mean round\?$"):
        DOCUMENT.check_keys((), DOCUMENT.tables, ["round", "learners"], "it")
    with pytest.raises(InvalidArgument, match=r"it has no such key; there are x, y$"):
        DOCUMENT.check_keys((), DOCUMENT.tables, ["x", "y"], "it")
    with pytest.raises(InvalidArgument, match=r"it has no such key; there are none$"):
        DOCUMENT.check_keys((), DOCUMENT.tables, [], "it")
    DOCUMENT.check_keys((), DOCUMENT.tables, ["rounds", "learners", "more"], "it")
