"""The documentation is true: its code runs, its output is what is printed, its picture shows what happens."""

import inspect
import re
import runpy
from operator import attrgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import belated as bl
from belated import comparisons
from belated.comparisons.document import parsed
from belated.comparisons.reading import setting_of
from belated.core.verbs import Verb
from belated.delays import NEVER, arrivals
from belated.learners.catalogue import NAMED
from support.compiler import needs_compiler
from support.pages import blocks, run_page, table

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
MADE = {"_build", "api"}
"""Folders that the build makes."""

PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if not MADE & set(path.relative_to(ROOT).parts)
}
SERVED = {"docs/live.md", "docs/sweep.md"}
"""Pages whose code needs a service or a cluster; ``test_live`` and ``tests/unit/sweeps/test_engines.py`` run them."""

WITH_CODE = [
    name
    for name, text in PAGES.items()
    if name not in SERVED and any(block.language == "python" for block in blocks(text))
]

SVG = "{http://www.w3.org/2000/svg}"

NOT_RUN = {"", "bibtex", "console", "text", "toml"}
"""Languages of blocks that are only to be read; directives of Sphinx stand in braces."""


ABOUT_COMPILING = {f"docs/{name}.md" for name in ("own_parts", "own_policy", "speed")}
"""Pages that show what the compiler does."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_compiler) if name in ABOUT_COMPILING else name for name in WITH_CODE]
)
def test_the_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(PAGES[name], name) > 0


@pytest.mark.parametrize("name", PAGES)
def test_no_code_hides_under_another_name(name: str) -> None:
    for block in blocks(PAGES[name]):
        directive = re.fullmatch(r"\{[a-z-]+\}.*", block.language) is not None
        assert directive or block.language in NOT_RUN | {"python"}, block
        assert not re.match(r"\{(code|code-block|doctest|testcode)\}", block.language), block
        assert block.language == "python" or ">>> " not in block.source, block


def test_pages_with_code_are_found() -> None:
    assert {"README.md", "docs/concepts.md", "docs/own_learner.md", "docs/algorithms/khashabi.md"} <= set(WITH_CODE)


def test_every_named_learner_has_a_page() -> None:
    pages = {path.stem for path in (DOCS / "algorithms").glob("*.md")} - {"index"}
    assert pages == set(NAMED)
    for name in NAMED:
        page = PAGES[f"docs/algorithms/{name}.md"]
        assert f".. automodule:: belated.learners.algorithms.{name}\n" in page
        assert f"(../../src/belated/learners/algorithms/{name}.py)" in page


def test_the_catalogue_is_current() -> None:
    wanted = catalogue_script()["pages"]()
    written = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "algorithms").glob("*.md")}
    stale = sorted(name for name in {*wanted, *written} if wanted.get(name) != written.get(name))
    assert not stale, f"not what the cards say; `make catalogue` renews them: {stale}"


def test_the_catalogue_renews_what_it_made_and_nothing_else(tmp_path: Path) -> None:
    script = catalogue_script()
    (tmp_path / "index.md").write_text(f"Before.\n\n{script['BEGIN']}\nof yesterday\n{script['END']}\nAfter.\n")
    (tmp_path / "dogd.md").write_text("# Mine\n")
    (tmp_path / "dogd_sc.md").write_text(f"{script['MADE']}\nof yesterday\n")
    (tmp_path / "gone.md").write_text(f"{script['MADE']}\nof a learner that is no more\n")
    pages = script["pages"](tmp_path)
    assert set(pages) == {"index.md", *(f"{name}.md" for name in NAMED)}
    assert pages["dogd.md"] == "# Mine\n"
    assert "of yesterday" not in pages["dogd_sc.md"]
    assert pages["index.md"].startswith("Before.\n")
    assert pages["index.md"].endswith("\nAfter.\n")
    assert "of yesterday" not in pages["index.md"]
    for name, page in pages.items():
        (tmp_path / name).write_text(page)
    (tmp_path / "gone.md").unlink()
    assert script["pages"](tmp_path) == pages


def test_words_of_a_card_are_not_taken_for_marks() -> None:
    assert catalogue_script()["as_markdown"]("a|b *c* <d> e_f") == r"a&#124;b \*c\* \<d> e\_f"


def test_the_table_of_the_readme_is_current() -> None:
    assert catalogue_script()["readme"]() == PAGES["README.md"], "`make catalogue` renews it"
    rows = {row[0].partition("`")[2].partition("`")[0] for row in table(PAGES["README.md"], "learner")[1:]}
    assert rows == set(NAMED)


def public_names() -> set[str]:
    """Every public name that is no module, as the reference writes it; learners have pages of their own."""
    names = set()
    for name in bl.__all__:
        thing = getattr(bl, name)
        if not inspect.ismodule(thing):
            names.add(f"belated.{name}")
        elif name not in ("errors", "extend", "rates", "tunings"):  # of which the page shows a part
            own = set(thing.__all__) - set(bl.__all__)  # what is there without its room is shown so
            names |= {f"belated.{name}.{inner}" for inner in own if callable(getattr(thing, inner))}
    return names - {f"belated.{name}" for name in NAMED}


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(page for name, page in PAGES.items() if name.startswith("docs/reference/"))
    shown = set(re.findall(r"^\.\. auto(?:class|function):: (\S+)", text, flags=re.MULTILINE))
    assert public_names() - shown - {"belated.BelatedError"} == set()
    for name in shown:
        assert callable(attrgetter(name.removeprefix("belated."))(bl)) or name == "belated.core.play.Play"


VERBS = {name: verb for name, verb in vars(bl.extend).items() if isinstance(verb, Verb)}


def wrong_rows(rows: list[list[str]]) -> set[str]:
    """The verbs whose row in the table of verbs is missing, or is not what the code says."""
    found = {row[0].partition("(")[0].strip("`"): row for row in rows}
    wrong = found.keys() ^ VERBS.keys()
    for name in found.keys() & VERBS.keys():
        declared, (call, _, _, returns, required) = inspect.signature(VERBS[name]), found[name]
        same = call == f"`{name}({', '.join(declared.parameters)})`"
        same &= returns.startswith("nothing") == (declared.return_annotation == "None")
        same &= (required != "no") == (VERBS[name].default is None)
        wrong |= set() if same else {name}
    return wrong


def test_the_table_of_verbs_is_what_the_code_says() -> None:
    rows = table(PAGES["docs/reference/extend.md"], "verb and arguments")[1:]
    assert wrong_rows(rows) == set()
    for place, text in ((0, "`move(step, gradient)`"), (3, "a number"), (4, "no")):
        broken = [
            [text if row[0].startswith("`move(") and i == place else cell for i, cell in enumerate(row)] for row in rows
        ]
        assert wrong_rows(broken) == {"move"}
    assert wrong_rows(rows[1:]) == {"interface"}


def test_the_leaderboard_shows_the_settings_that_there_are() -> None:
    script = runpy.run_path(str(DOCS / "leaderboard.py"))
    shown = script["made_from"](PAGES["docs/leaderboard.md"])
    wanted = {name: script["digest"](name) for name in comparisons.names()}
    assert shown == wanted, "`make leaderboard` renews it"
    assert all((DOCS / "images" / "leaderboard" / f"{name}.svg").exists() for name in wanted)


def test_the_leaderboard_has_what_came_out() -> None:
    script = runpy.run_path(str(DOCS / "leaderboard.py"))
    result = comparisons.run(comparisons.read("experts", rounds=5, seeds=2))
    page = script["page"]({"experts": result})
    assert result.to_markdown() in page
    assert f"\nForecast {result.summary.removeprefix('forecast ')}; `belated compare experts`;\n" in page
    assert f"| [experts](#combining-forecasters) | {result.ranking[0].learner} (" in page
    assert script["made_from"](page) == {"experts": script["digest"]("experts")}


def test_settings_on_pages_can_be_run() -> None:
    pages = [text for name, text in PAGES.items() if name != "docs/sweep.md"]  # whose settings are varied
    settings = [block.source for text in pages for block in blocks(text) if block.language == "toml"]
    assert settings
    for text in settings:
        assert comparisons.run(setting_of(parsed("page", text), "page")).ranking


def catalogue_script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "catalogue.py"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_as_a_file(name: str) -> None:
    """Its links lead somewhere from where it lies; only lists of pages and docstrings need a build."""
    prose = without_blocks(PAGES[name])
    assert not re.search(r"\{[a-z:]+\}`", prose), "a role of Sphinx"
    assert {block.language for block in blocks(PAGES[name]) if "{" in block.language} <= {"{toctree}", "{eval-rst}"}
    for address in re.findall(r"\]\(([^)]*)\)", prose):
        target, _, anchor = address.partition("#")
        if re.match(r"https?://", address):
            continue
        page = (ROOT / name).parent / target if target else ROOT / name
        assert page.is_file(), address
        assert not anchor or anchor in anchors(page.read_text(encoding="utf-8")), address


def without_blocks(text: str) -> str:
    for block in blocks(text):
        text = text.replace(block.source, "")
    return text


def anchors(text: str) -> set[str]:
    """What a page's headings are called in links."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(text), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_picture_of_the_delayed_rounds_shows_their_arrivals() -> None:
    delays = [1, 3, 2, 1, NEVER, 1]
    order, first = arrivals(delays)
    expected = ["{" + (", ".join(map(str, order[first[t] : first[t + 1]])) or " ") + "}" for t in range(1, 7)]
    picture = ElementTree.parse(DOCS / "images" / "delayed_round.svg")
    written = [(text.get("class", ""), "".join(text.itertext())) for text in picture.iter(f"{SVG}text")]
    assert [words for kind, words in written if kind.startswith("arrivals")] == expected
    lanes = [words for _, words in written if re.fullmatch(r"delay \d+|never comes", words)]
    assert lanes == ["never comes" if delay == NEVER else f"delay {delay}" for delay in delays]


# --- the runner itself ---


def page(*sources: str) -> str:
    return "\n".join(f"Words.\n\n```python\n{source}\n```\n" for source in sources)


def test_blocks_share_a_namespace_in_order() -> None:
    assert run_page(page("a = 1", ">>> b = a + 1\n>>> b\n2", "assert b == 2"), "page") == 3


@pytest.mark.parametrize(
    ("sources", "error"),
    [
        (["a = 1", "assert a == 2"], AssertionError),
        ([">>> 1 + 1\n3"], AssertionError),
        ([">>> 1 / 0\n0"], AssertionError),
        (["1 / 0"], ZeroDivisionError),
        (["assert later", "later = True"], NameError),
    ],
)
def test_a_wrong_block_is_found(sources: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        run_page(page(*sources), "page")


def test_pages_do_not_share_a_namespace() -> None:
    run_page(page("left_over = 1"), "one")
    with pytest.raises(NameError):
        run_page(page("left_over"), "two")


def test_blocks_of_other_languages_are_not_run() -> None:
    assert run_page("```console\nrm -r everything\n```\n", "page") == 0


def test_an_error_tells_the_line_of_the_page() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_page("One.\n\n```python\na = 1\n1 / 0\n```\n", "page")
    assert caught.traceback[-1].lineno == 4


def test_a_block_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="line 3"):
        run_page("One.\n\n```python\na = 1\n", "page")
