"""``belated serve`` from start to end: signals, TLS, and starts that are refused."""

import signal
import ssl
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from belated.cli import main
from belated.journal import open_store
from support.served import make_certificate, serving
from support.visitors import PRICE

SLOWLY = 0.5
"""Seconds for a commit, in which a signal comes."""


@pytest.fixture
def address(tmp_path):
    return f"sqlite:///{tmp_path}/knob.db"


def check_drain(address, number, *broken):
    """Requests that wait for a commit when the signal comes are answered, and what was answered is stored."""
    with serving(address, slowly=SLOWLY, broken=broken) as served, ExitStack() as stack:
        look, *connections = [stack.enter_context(closing(served.connected())) for _ in range(5)]
        assert served.done(look, "POST", "/v1/learners", {"name": "price", "make": PRICE})[0] == 201
        for place, connection in enumerate(connections):
            served.send(connection, "POST", "/v1/learners/price/ask", {"decision": f"d{place}"})
        while served.done(look, "GET", "/v1/learners/price")[1]["pending"] < len(connections):
            pass  # then all have been decided, and are not stored yet
        served.process.send_signal(number)
        replies = [served.receive(connection) for connection in connections]
        code, said, complained = served.ended()
    assert [status for status, _ in replies] == [200] * len(connections)
    assert (code, complained) == (0, "")
    assert said.endswith("Ended; everything is stored.\n")
    with closing(open_store(address)) as store:
        assert [event.kind for event in store.read("price")] == ["created"] + ["asked"] * len(connections)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminated", "ctrl-c"])
def test_requests_in_flight_are_answered_before_the_end(address, number):
    check_drain(address, number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminated", "ctrl-c"])
def test_a_signal_that_comes_as_soon_as_it_serves_ends_it(address, number):
    with serving(address) as served:
        served.process.send_signal(number)
        code, said, complained = served.ended()
    assert (code, said, complained) == (0, "Ended; everything is stored.\n", "")


def test_a_service_that_does_not_drain_is_caught(address):
    with pytest.raises((AssertionError, ConnectionError, ValueError)):  # a reply that is no JSON
        check_drain(address, signal.SIGTERM, "--rude")


@pytest.fixture
def certificate(tmp_path):
    """A certificate that signs itself, and its key."""
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    make_certificate(chain, key)
    return chain, key


def test_tls_is_really_spoken_and_others_are_refused_meanwhile(address, certificate, capsys):
    chain, key = certificate
    with serving(address, "--certificate", str(chain), "--private-key", str(key)) as served:
        assert served.address.startswith("https://127.0.0.1:")
        with closing(served.connected(ssl.create_default_context(cafile=chain))) as trusted:
            assert served.done(trusted, "GET", "/v1/whoami")[1]["scopes"] == ["admin"]
        with closing(served.connected(ssl.create_default_context())) as careful, pytest.raises(ssl.SSLError):
            served.done(careful, "GET", "/healthz")
        with closing(served.connected()) as plain, pytest.raises(ConnectionError):
            served.done(plain, "GET", "/healthz")
        assert main(["serve", "--store", address, "--port", "0"]) == 1
        said = capsys.readouterr()
        assert "in use" in said.err
        assert f"process {served.process.pid}" in said.err
        assert "Serving" not in said.out
        port = served.address.rpartition(":")[2]
        assert main(["serve", "--store", "memory://", "--port", port]) == 1
        said = capsys.readouterr().err
        assert f"cannot listen at 127.0.0.1:{port}" in said
        assert said.endswith("; take another with --port\n")
        code, said, _ = served.end()
        assert (code, said) == (0, "Ended; everything is stored.\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--store", "sqlite:////nowhere/at/all/knob.db"], "knob.db"),
        (["--store", "postgresql://nobody@localhost:1/none?connect_timeout=1"], "postgresql://"),
        (["--store", "memory://", "--host", "192.0.2.1"], "192.0.2.1"),
    ],
    ids=["no folder", "no server", "no address of this machine"],
)
def test_a_start_that_cannot_be_is_told_in_one_sentence(options, words, capsys):
    assert main(["serve", "--port", "0", *options]) == 1
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert "Serving" not in said.out


def copied(path, contents):
    path.write_bytes(contents)
    return path


def check_told_at_once(options, words, address, capsys):
    """The command line is wrong: one sentence, no store and no key."""
    assert main(["serve", "--port", "0", "--store", address, *map(str, options)]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert (said.err.count("\n"), said.out) == (1, "")
    assert not Path(address.removeprefix("sqlite:///")).exists()


def test_wrong_files_for_tls_are_named_before_anything_is_opened(address, certificate, tmp_path, capsys):
    chain, key = certificate
    notes, nothing = copied(tmp_path / "notes.txt", b"these are notes"), tmp_path / "nothing.pem"
    broken = copied(tmp_path / "broken.pem", chain.read_bytes()[:200])
    other = tmp_path / "other.pem"
    make_certificate(tmp_path / "another.pem", other)
    for first, second, words in [
        (key, chain, "--certificate: '{first}' has no certificate that can be read"),
        (notes, key, "--certificate: '{first}' has no certificate that can be read"),
        (broken, key, "--certificate: '{first}' has no certificate that can be read"),
        (nothing, key, "--certificate: there is no file '{first}'"),
        (chain, nothing, "--private-key: there is no file '{second}'"),
        (chain, notes, "--private-key: '{second}' has no key that can be read"),
        (chain, chain, "--private-key: '{second}' has no key that can be read"),
        (chain, other, "--private-key: '{second}' is not the key of the certificate"),
    ]:
        options = ["--certificate", first, "--private-key", second]
        check_told_at_once(options, words.format(first=first, second=second), address, capsys)
    check_told_at_once(["--certificate", chain], "--private-key is missing", address, capsys)
    check_told_at_once(["--private-key", key], "--certificate is missing", address, capsys)


@pytest.mark.parametrize("port", ["70000", "65536", "-1"])
def test_a_port_that_there_is_not_is_a_wrong_option(port, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--store", "memory://", f"--port={port}"])
    assert ended.value.code == 2
    assert f"not {port}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "extra", "command"),
    [
        ("uvicorn", "service", ["serve", "--port", "0", "--store", "memory://"]),
        ("psycopg", "postgresql", ["serve", "--port", "0", "--store", "postgresql://nobody@localhost:1/none"]),
        ("psycopg", "postgresql", ["store", "check", "postgresql://nobody@localhost:1/none"]),
    ],
)
def test_a_missing_package_is_told_with_the_command_that_installs_it(monkeypatch, capsys, package, extra, command):
    monkeypatch.setitem(sys.modules, package, None)
    if package == "uvicorn":
        monkeypatch.delitem(sys.modules, "belated.service.http.serving", raising=False)  # which has imported it
    assert main(command) == 1
    said = capsys.readouterr()
    assert f"pip install 'belated[{extra}]'" in said.err
    assert (said.err.count("\n"), said.out) == (1, "")


def test_an_address_without_its_kind_is_a_wrong_argument(capsys):
    assert main(["serve", "--port", "0", "--store", "knob.db"]) == 2
    assert "did you mean sqlite:///knob.db?" in capsys.readouterr().err


def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(tmp_path, capsys):
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and no store of events")
    assert main(["serve", "--port", "0", "--store", f"sqlite:///{path}"]) == 1
    assert "notes.txt" in capsys.readouterr().err
    assert path.read_text() == "these are notes, and no store of events"
