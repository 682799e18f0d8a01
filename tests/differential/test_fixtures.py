"""What the library decided, proved, wrote and printed when the fixtures were made, compared bit for bit with today.

Fixtures are in ``tests/fixtures``, with a page that says what is there and how it is made.
"""

import contextlib

import pytest

from belated import cli
from belated.journal import export_lines, import_lines, open_store
from belated.learners.catalogue import EXAMPLES
from support.compiler import needs_compiler
from support.fixtures import bounds, commands, continued, decisions
from support.fixtures.files import assert_recorded, found, read_json

COMPILED = ("bdogd_sc", "dda", "skipping")
"""Those whose simulations are compiled in the normal suite, a bandit, a leader and a wrapper around DOGD-SC: compiling
all of them takes minutes."""


@pytest.fixture(scope="module")
def digests():
    return read_json("decisions.json")


@pytest.fixture(scope="module")
def ways_on():
    return read_json("continued.json")


def test_players_decide_as_recorded(digests):
    assert_recorded("decisions", digests["player"], {label: decisions.by_player(label) for label in EXAMPLES})


def test_players_decide_as_recorded_on_every_domain(digests):
    assert_recorded("decisions", digests["domains"], {label: decisions.on_domains(label) for label in EXAMPLES})


def test_simulations_are_as_recorded(digests):
    assert_recorded("decisions", digests["simulate"], decisions.by_simulate(EXAMPLES, decisions.ROUNDS))


@needs_compiler
@pytest.mark.parametrize(
    "label", [pytest.param(each, marks=() if each in COMPILED else pytest.mark.soak) for each in EXAMPLES]
)
def test_compiled_simulations_are_as_recorded(label, digests):
    now = decisions.by_simulate([label], decisions.COMPILED_ROUNDS)
    assert_recorded("decisions", {label: digests["compiled"][label]}, now)


def test_bounds_are_as_recorded():
    assert_recorded("bounds", read_json("bounds.json"), bounds.entries())


@pytest.mark.parametrize(
    "command", [*commands.COMMANDS, *(pytest.param(each, marks=pytest.mark.soak) for each in commands.SLOW)]
)
def test_commands_print_and_write_as_recorded(command):
    before, now = (
        {f"{command}/{name}": content.decode() for name, content in files.items()}
        for files in (commands.recorded(command), commands.ran(command))
    )
    assert_recorded("commands", before, now)


@pytest.mark.parametrize("name", continued.STORES)
def test_stores_that_were_written_before_are_whole_and_go_on_as_recorded(name, tmp_path, ways_on, capsys):
    address = continued.unpacked(name, tmp_path)
    for command in ("check", "replay"):
        code = cli.main(["store", command, address])
        said = capsys.readouterr()
        assert code == 0, f"tests/fixtures/stores/{name}.db.gz, belated store {command}: {said.err}"
        assert "Every " in said.out
    assert_recorded("continued", ways_on[name], continued.after_opening(name, tmp_path))


def test_lines_that_were_exported_before_are_the_store(tmp_path):
    lines = found("stores/snapshots.ndjson.gz").decode()
    with contextlib.closing(open_store(continued.unpacked("snapshots", tmp_path))) as store:
        assert "".join(f"{line}\n" for line in export_lines(store)) == lines
    with contextlib.closing(open_store("memory://")) as store:
        assert import_lines(store, lines.splitlines()) == lines.count("\n")
        assert "".join(f"{line}\n" for line in export_lines(store)) == lines


def test_players_that_were_saved_before_go_on_as_recorded(ways_on):
    assert_recorded("continued", ways_on["players"], continued.of_players())


def test_predictors_that_were_saved_before_go_on_as_recorded(ways_on):
    assert_recorded("continued", ways_on["predictors"], continued.of_predictors())
