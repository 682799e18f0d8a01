"""Addresses of stores: what cannot be one is refused, and no password is shown."""

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
        ("postgresql://bob:se:cr@et@host/knob", "postgresql://bob@host/knob"),
        ("postgresql://bob:se?cret@host/knob", "postgresql://bob@host/knob"),
        ("postgresql://host/knob?password=secret", "postgresql://host/knob"),
        ("postgresql://host:5432/knob?user=bob&password=s@e", "postgresql://host@e"),
    ],
)
def test_passwords_are_not_shown(address, shown):
    assert shown_address(address) == shown
