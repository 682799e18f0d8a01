"""``belated serve`` is killed at any moment, again and again: nothing that was acknowledged is lost or counts twice."""

import subprocess
import sys
from contextlib import closing
from hashlib import blake2b

import numpy as np
import pytest

import belated as bl
from belated.cli import main
from belated.journal import open_store
from belated.service.opening import from_snapshot, new_desk, replayed
from belated.service.snapshots import snapshot
from support.claims import CLIENTS, LEARNERS, Client, begin, check_claims, everybody_works
from support.served import PLAIN, serving

FOLD = """
import sys
from hashlib import blake2b
from belated.journal import open_store
from belated.service.opening import new_desk, replayed
from belated.service.snapshots import snapshot

store = open_store(sys.argv[1])
for name in sys.argv[2:]:
    desk = new_desk(store, name)
    list(replayed(desk, store.read(name), compiled=False))
    print(blake2b(snapshot(desk.life).body).hexdigest())
"""


def killed_again_and_again(address, kills, seed=0, broken=(), most=120, environment=PLAIN):
    """Let clients work, kill the service after some replies, look, and start it again. The number of replies."""
    rng, clients, key, replies = np.random.default_rng(seed), [Client(i, seed) for i in range(CLIENTS)], None, 0
    for kill in range(kills):
        after = int(rng.integers(20, most))
        with serving(address, key=key, slowly=0.005, broken=broken, environment=environment) as served:
            key = served.key
            if not kill:
                begin(served)
            everybody_works(clients, served, served.process.kill, after)
        with closing(open_store(address)) as journal:
            replies = check_claims(journal, clients)
        if kill == kills // 2:  # from now on the service begins from snapshots
            with bl.open(address) as store:
                assert store.keep_snapshots(1) == len(LEARNERS)
    return clients, key, replies


def check_answers(address, clients, key):
    """Everything that was acknowledged is answered in the same way by the next process, which then ends as asked."""
    with serving(address, key=key) as served:
        with closing(served.connected()) as connection:
            for client in clients:
                for request in client.told:
                    client.do(served, request, [connection], lambda: None)
        assert served.end()[0] == 0


def check_state(address):
    """The learners by all events, from their snapshots, and by all events in another process, are the same."""
    command = [sys.executable, "-c", FOLD, address, *LEARNERS]
    folded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    with closing(open_store(address)) as store:
        for name, elsewhere in zip(LEARNERS, folded, strict=True):
            whole, (desk, events) = new_desk(store, name), from_snapshot(store, name)
            list(replayed(whole, store.read(name), False))
            assert desk.life.kept > 1
            list(replayed(desk, events, False))
            assert snapshot(desk.life) == snapshot(whole.life)
            assert blake2b(snapshot(whole.life).body).hexdigest() == elsewhere


def check_kills(address, capsys, **options):
    clients, key, replies = killed_again_and_again(address, **options)
    check_answers(address, clients, key)
    check_state(address)
    for command in ("check", "replay"):
        assert main(["store", command, address]) == 0
    assert "Every decision comes out as it was recorded." in capsys.readouterr().out
    return replies


def test_nothing_that_was_acknowledged_is_lost(tmp_path, capsys):
    assert check_kills(f"sqlite:///{tmp_path}/knob.db", capsys, kills=3) > 60


@pytest.mark.soak(sampled=False)
@pytest.mark.parametrize("seed", range(1, 3))
def test_nothing_is_lost_by_many_kills(tmp_path, capsys, seed):
    """Fifty kills of a compiled service; this takes some minutes."""
    replies = check_kills(f"sqlite:///{tmp_path}/knob.db", capsys, kills=50, seed=seed, most=600, environment={})
    assert replies > 5000


def test_a_service_that_answers_before_the_commit_is_caught(tmp_path):
    with pytest.raises(AssertionError, match=r"is lost|counts twice"):
        killed_again_and_again(f"sqlite:///{tmp_path}/knob.db", kills=4, broken=["--hasty"])
