"""``belated store`` from outside: what it prints, and what it says of a store that is missing, in use or damaged."""

import json
import sqlite3
from contextlib import closing

import pytest

import belated as bl
from belated.cli import main
from belated.core.errors import StoreDamaged
from belated.journal import START, Kept, chained, import_lines, open_store
from belated.service import engine
from belated.service.keys import STREAM, Keys
from belated.service.opening import new_desk
from belated.service.snapshots import snapshot
from support.journals import keep


@pytest.fixture
def knob(tmp_path):
    """A store with a learner and a model, closed."""
    path = tmp_path / "knob.db"
    with bl.open(f"sqlite:///{path}") as store:
        price = store.create("price", bl.dogd_sc(bl.Ball(2), 2.0))
        for number in range(5):
            price.ask(key=str(number))
            if number < 3:
                price.tell([0.5, -0.5], key=str(number))
        store.create("clicks", bl.models.logistic(bits=6)).predict({"page": "shoes"}, "view-1")
    return path


def test_a_store_is_checked_replayed_and_exported(knob, capsys):
    assert main(["store", "check", f"sqlite:///{knob}"]) == 0
    assert capsys.readouterr().out == (
        "Every event is what was written.\n\nlearner  events\n-------  ------\nclicks   2\nprice    9\n"
    )
    assert main(["store", "replay", f"sqlite:///{knob}"]) == 0
    out = capsys.readouterr().out
    assert "Every decision comes out as it was recorded." in out
    assert [line.split() for line in out.splitlines()[-2:]] == [
        ["clicks", "logistic", "2", "1", "-"],
        ["price", "dogd_sc", "9", "2", "-"],
    ]
    assert main(["store", "export", f"sqlite:///{knob}"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["kind"] for line in lines if line["stream"] == "price"].count("told") == 3


def test_a_store_in_use_is_copied_and_not_opened(knob, tmp_path, capsys):
    copy = tmp_path / "copy.db"
    with bl.open(f"sqlite:///{knob}") as store:
        store["price"].ask(key="more")
        assert main(["store", "check", f"sqlite:///{knob}"]) == 1
        assert "in use" in capsys.readouterr().err
        assert main(["store", "backup", f"sqlite:///{knob}", str(copy)]) == 0
        assert f"Copied to {copy}" in capsys.readouterr().out
    assert main(["store", "replay", f"sqlite:///{copy}"]) == 0
    assert "10" in capsys.readouterr().out
    assert main(["store", "backup", f"sqlite:///{knob}", str(copy)]) == 1
    assert "not overwritten" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "replay"])
def test_a_damaged_store_is_named_with_its_first_wrong_event(command, knob, capsys):
    with sqlite3.connect(knob) as connection:
        connection.execute("UPDATE events SET body = replace(body, '0.5', '0.6') WHERE stream = 'price' AND number = 3")
    connection.close()
    assert main(["store", command, f"sqlite:///{knob}"]) == 1
    assert "event 3 of 'price'" in capsys.readouterr().err


@pytest.fixture
def hidden(knob):
    """The same store, of which one wrong bit hides events without a complaint of SQLite's."""
    content = bytearray(knob.read_bytes())
    page = 4096 * (root_of(knob, "events") - 1)
    content[page + 4] ^= 1 << 1  # how many events are on the page
    knob.write_bytes(content)
    with closing(sqlite3.connect(knob)) as connection:
        assert connection.execute("SELECT max(number) FROM events WHERE stream = 'price'").fetchone() < (9,)
    return knob


def root_of(path, table):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]


@pytest.mark.parametrize("command", ["check", "replay", "key"])
def test_events_that_a_damaged_file_hides_are_missed(command, hidden, capsys):
    content = hidden.read_bytes()
    assert main(["store", command, f"sqlite:///{hidden}"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "is damaged" in shown.err
    assert hidden.read_bytes() == content


def test_an_export_of_a_damaged_store_says_that_it_is_incomplete(hidden, capsys):
    assert main(["store", "export", f"sqlite:///{hidden}"]) == 1
    shown = capsys.readouterr()
    assert "is damaged" in shown.err
    *lines, last = shown.out.splitlines()
    assert [json.loads(line)["number"] for line in lines if '"price"' in line] == list(range(1, len(lines) - 1))
    assert "is damaged" in json.loads(last)["incomplete"]
    with pytest.raises(StoreDamaged, match="says that the lines are incomplete"):
        import_lines(open_store("memory://"), shown.out.splitlines())


def test_a_damaged_log_of_a_killed_process_is_not_lost_by_a_back_up(tmp_path, capsys):
    killed = tmp_path / "killed.db"
    with bl.open(f"sqlite:///{tmp_path}/used.db") as store:
        price = store.create("price", bl.dogd_sc(bl.Ball(2), 2.0))
        for number in range(5):
            price.ask(key=str(number))
        for end in ("", "-wal"):
            (tmp_path / f"killed.db{end}").write_bytes((tmp_path / f"used.db{end}").read_bytes())
    log = tmp_path / "killed.db-wal"
    content = bytearray(log.read_bytes())
    content[100] ^= 1
    log.write_bytes(content)
    for command in (["backup"], ["check"], ["replay"], ["export"]):
        more = [str(tmp_path / "copy.db")] if command == ["backup"] else []
        assert main(["store", *command, f"sqlite:///{killed}", *more]) == 1
        assert "transactions would be left out" in capsys.readouterr().err
        assert log.read_bytes() == content
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize("command", ["check", "replay", "export", "backup"])
def test_a_wrong_address_makes_no_store(command, tmp_path, capsys):
    more = [str(tmp_path / "copy.db")] if command == "backup" else []
    assert main(["store", command, f"sqlite:///{tmp_path / 'nobody.db'}", *more]) == 1
    assert "there is no file" in capsys.readouterr().err
    assert main(["store", command, "mysql://x", *more]) in (1, 2)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_store_says_so(tmp_path, capsys):
    bl.open(f"sqlite:///{tmp_path / 'empty.db'}").close()
    assert main(["store", "check", f"sqlite:///{tmp_path / 'empty.db'}"]) == 0
    assert capsys.readouterr().out == "The store is empty.\n"


def test_snapshots_are_compared_and_streams_of_others_left_out(knob, capsys, monkeypatch):
    monkeypatch.setattr(engine, "FEW", 1)
    with bl.open(f"sqlite:///{knob}") as store:
        store.submit([chained(START, "#keys", 1, "made", None, None, 5, b"{}")]).result()
        assert list(store) == ["clicks", "price"]
    assert main(["store", "replay", f"sqlite:///{knob}"]) == 0
    out = capsys.readouterr().out
    assert out.count("1 equal") == 2
    assert "#keys is no learner, and was left out." in out
    journal = open_store(f"sqlite:///{knob}")
    keep(journal, "price", Kept(9, b"nothing"))
    life = new_desk(journal, "clicks").life
    for event in journal.read("clicks"):
        life.replay(event)
    life.last_point = [0.5]
    keep(journal, "clicks", snapshot(life), size=100_000)
    journal.close()
    assert main(["store", "replay", f"sqlite:///{knob}"]) == 1
    shown = capsys.readouterr()
    assert "1 of no use" in shown.out
    assert "1 different" in shown.out
    assert "a snapshot of clicks is not what the events say" in shown.err


def test_whoever_has_lost_the_key_makes_another(knob, capsys):
    assert main(["store", "key", f"sqlite:///{knob}"]) == 0
    secret = capsys.readouterr().out.split()[-1]
    with bl.open(f"sqlite:///{knob}") as store:
        found = Keys(store.journal.read(STREAM)).find(secret.encode())
        assert found is not None
        assert found.scopes == ("admin",)
        assert list(store) == ["clicks", "price"]
    assert main(["store", "check", f"sqlite:///{knob}"]) == 0
    assert main(["store", "replay", f"sqlite:///{knob}"]) == 0
