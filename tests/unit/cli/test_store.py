"""``belated store`` from outside: what it prints, and what it says of a store that is missing, in use or damaged."""

import json
import sqlite3

import pytest

import belated as bl
from belated.cli import main
from belated.journal import START, Kept, chained, open_store
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
