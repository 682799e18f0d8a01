"""A digest of all decisions that every example of the catalogue makes, to see that a change has moved no bit.

Run as a script it prints one line for each example and domain. With ``--against REVISION`` it does the same with the
library of that revision of the repository, in a folder of its own, and prints what differs::

    .venv/bin/python tests/support/decisions.py --against HEAD~5

Only what players show is looked at (points, decisions, rounds), and only names that do not change are used, so that two
revisions can be compared whose insides have nothing in common.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DIM, ROUNDS, SEEDS = 3, 120, (0, 1)


def digests():
    """The digest of every example of the catalogue on every domain that it takes, by name."""
    from belated import domains
    from belated.core.errors import InvalidArgument
    from belated.learners.catalogue import EXAMPLES

    found = {}
    for label, example in EXAMPLES.items():
        for family in domains.EVERY:
            try:
                learner = example(family.example(DIM))
            except InvalidArgument:
                continue
            digest = hashlib.blake2b(digest_size=16)
            for seed in SEEDS:
                for part in played(learner, seed):
                    digest.update(part)
            found[f"{label} on {family.__name__}"] = digest.hexdigest()
    return found


def played(learner, seed):
    """Every play of a run under late, bursty and lost feedback, as bytes."""
    rng = np.random.default_rng([2103, 11354, seed])
    rows = rng.uniform(-1.0, 1.0, (ROUNDS, DIM))
    arrives = np.arange(ROUNDS) + rng.geometric(0.3, ROUNDS) - 1
    arrives[40:60] = 60
    arrives[rng.random(ROUNDS) < 0.05] = ROUNDS
    player, late = learner.start(seed=seed), {}
    for t in range(ROUNDS):
        play = player.ask(context(learner, t))
        yield play.points.tobytes() + play.decision.tobytes() + play.round.to_bytes(8, "little")
        late[t] = feedback(learner, rows[t], play)
        for k in np.flatnonzero(arrives == t).tolist():
            player.tell(late.pop(k), round=k + 1)


def context(learner, t):
    size = interface(learner).context_size
    return np.cos(np.arange(size) + t) if size else None


def feedback(learner, row, play):
    """What the round's loss |x|^2 + <row, x> tells; a label is made of the row."""
    told = interface(learner)
    if told.feedback == "gradient":
        return (2.0 - told.regulariser) * play.decision + np.resize(row, play.decision.size)
    if told.feedback == "values":
        return [float(x @ x + np.resize(row, x.size) @ x) for x in play.points]
    return [int(abs(row[0]) * 1e6) % told.classes if told.classes else float(row[0])]


def interface(learner):
    """What a learner shows and is told; older revisions have another word for it."""
    return learner.interface if hasattr(learner, "interface") else learner.shape


def digests_of(revision):
    """The same of another revision, by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision, "src"], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        lines = subprocess.run(
            [sys.executable, Path(__file__).resolve()],
            env=os.environ | {"PYTHONPATH": str(Path(folder, "src"))},
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
    return dict(line.rsplit(": ", 1) for line in lines)


def main():
    parser = argparse.ArgumentParser(description="digests of all decisions of the catalogue's examples")
    parser.add_argument("--against", metavar="REVISION", help="print what differs from that revision")
    against = parser.parse_args().against
    now = digests()
    if against is None:
        print("\n".join(f"{name}: {digest}" for name, digest in now.items()))
        return
    before = digests_of(against)
    for name in sorted(now.keys() | before.keys()):
        if now.get(name) != before.get(name):
            word = "new" if name not in before else "gone" if name not in now else "other bits"
            print(f"{name}: {word}")
    same = sum(before.get(name) == digest for name, digest in now.items())
    print(f"{same} of {len(now)} digests are those of {against}")


if __name__ == "__main__":
    main()
