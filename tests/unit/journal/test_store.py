"""Addresses of stores: what cannot be one is refused, and no password is shown."""

from traceback import format_exception

import pytest

from belated.core.errors import InvalidArgument
from belated.journal import open_store
from belated.journal.store import shown_address

KINDS = "must begin with one of memory://, sqlite://, postgresql://"


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("knob.db", rf"{KINDS}; did you mean sqlite:///knob\.db\?$"),
        ("/var/knob.db", rf"{KINDS}; did you mean sqlite:////var/knob\.db\?$"),
        ("", f"{KINDS}$"),
        (7, f"{KINDS}$"),
        ("mysql://bob:secret@host/knob", f"{KINDS}$"),
        ("postgres://bob:secret@host/knob", rf"{KINDS}; did you mean postgresql://bob@host/knob\?$"),
        ("memory://name", "must be memory:// alone"),
        ("sqlite://knob.db", "three slashes"),
        ("sqlite:///", "three slashes"),
    ],
)
def test_what_is_no_address_is_refused(address, what):
    with pytest.raises(InvalidArgument, match=what) as caught:
        open_store(address)
    assert "secret" not in str(caught.value)


def test_a_path_is_relative_with_three_slashes_and_absolute_with_four(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///one.db").close()
    open_store(f"sqlite:///{tmp_path}/two.db").close()
    assert {"one.db", "two.db"} <= {each.name for each in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://host/knob", "postgresql://host/knob"),
        ("postgresql://bob@host/knob", "postgresql://bob@host/knob"),
        ("postgresql://bob:se:cret@host/knob", "postgresql://bob@host/knob"),
        ("postgresql://bob:se?cret@host/knob", "postgresql://bob@host/knob"),
        ("postgresql://bob:secret@%2Fvar%2Frun/knob", "postgresql://bob@%2Fvar%2Frun/knob"),
        ("postgresql://host:5432,[::1]:5433/knob?password=secret", "postgresql://host:5432,[::1]:5433/knob"),
        ("postgresql://host:5432/knob?user=bob&password=s@ecret", "postgresql://host:5432/knob"),
        ("postgresql://bob:cr@secret@host/knob", "postgresql://..."),
        ("postgresql://bob:secret", "postgresql://..."),
        ("postgresql://bob:sec/secret@host/knob", "postgresql://..."),
        ("postgresql://bob@host:secret/knob", "postgresql://..."),
        ("postgresql://bob:my secret@host/knob", "postgresql://..."),
        ("postgresql://host?password=p@secret/x", "postgresql://..."),
    ],
)
def test_passwords_are_not_shown(address, shown):
    assert shown_address(address) == shown
    assert "secret" not in shown


@pytest.mark.parametrize(
    "address",
    [
        "postgresql:bob:secret@host/knob",
        "postgresql//bob:secret@host/knob",
        "host=host user=bob password=secret",
        "postgres://bob:secret",
        "postgresql://bob:secret",
        "postgresql://bob:sec/secret@host/knob",
        "postgresql://bob:%zzsecret@host/knob",
        "postgresql://bob:my secret@host/knob",
        "postgresql://host/knob?password=my&secret",
        "mysql://bob:secret@host/knob",
        "sqlite://bob:secret@host/knob",
        "memory://bob:secret@host/knob",
    ],
)
def test_no_part_of_a_password_is_in_the_error_of_a_wrong_address(address):
    with pytest.raises(InvalidArgument) as caught:
        open_store(address)
    shown = "".join(format_exception(caught.value))
    assert "secret" not in shown
    assert "cret" not in str(caught.value)


def test_the_error_of_an_address_with_a_slash_in_its_password_says_how_to_write_it():
    with pytest.raises(InvalidArgument, match="%2F"):
        open_store("postgresql://bob:sec/ret@host/knob")
