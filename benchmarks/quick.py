"""``python -m benchmarks.quick``: how fast the working tree is beside an earlier revision, in about two minutes.

The earlier revision is installed into a folder of its own. Each of the two versions has a process that measures and a
service, which live until the end. They take turns, so that a ratio is one of neighbours (:mod:`benchmarks.timing`).
The processes that measure read the names of what is to be measured, a line each, and print seconds. They call nothing
but what users call, because they must run with both versions.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.service.servers import Served, service
from benchmarks.timing import Spread, note, ratio, seconds_of, spread

REVISION = "33b60b0"
HERE = Path(__file__).resolve().parents[1]
TURNS, CONNECTIONS, SECONDS = 11, 16, 1.0
OLD, NEW = "old", "new"
REQUEST = "HTTP request, asks and tells"

DIM, DELAYS = 10, (2, 3, 2, 1, 4, 1, 3)
SIMULATED, PLAYED, PLAYED_PLAIN, LOGGED, PREDICTED, WAITING = 1_000_000, 20_000, 2_000, 4_000, 4_000, 1_000


# --- what is measured, in the processes of both versions


def simulating() -> Callable[[], object]:
    """DOGD-SC on the problem of the paper."""
    import belated as bl

    learners, problem = {"dogd-sc": bl.dogd_sc(bl.Ball(DIM), 2.0)}, bl.problems.RandomQuadratic(DIM)
    law = bl.delays.Periodic(DELAYS)
    return lambda: bl.simulate(learners, problem, law, SIMULATED, 1, record="log", workers=1, progress=False)


def playing(rounds: int, compiled: bool) -> Callable[[], object]:
    """A player that is told a gradient in each round, which is late by two."""
    import belated as bl

    learner = bl.dogd_sc(bl.Ball(DIM), 2.0)
    gradients = np.random.default_rng(1).uniform(-1.0, 1.0, (rounds, DIM))

    def run() -> None:
        player = learner.start()
        if compiled:
            player.compile()
        ask, tell = player.ask, player.tell
        for number in range(rounds):
            ask()
            if number > 1:
                tell(gradients[number], round=number - 1)

    return run


def replaying() -> Callable[[], object]:
    """The default model on a log of words and numbers."""
    import belated as bl

    rng, rows = np.random.default_rng(2), []
    for at in range(LOGGED):
        words = {name: f"w{rng.integers(30)}" for name in ("page", "place", "device")}
        rows.append(
            {"at": at, "known": at + int(rng.integers(1, 200)), "y": int(rng.integers(2)), **words, "x": at % 7}
        )
    log = bl.read_log(rows, decided_at="at", answered_at="known", label="y")
    return lambda: bl.replay({"default": bl.models.logistic(bits=12)}, log, progress=False)


def predicting() -> Callable[[], object]:
    """A predictor that has run for a while; examples have fifteen words and five numbers, a thousand labels wait."""
    import belated as bl

    rng = np.random.default_rng(3)
    examples = [
        {f"word_{i}": f"v{rng.integers(500)}" for i in range(15)} | {f"x_{i}": float(rng.normal()) for i in range(5)}
        for _ in range(1000)
    ]
    predictor = bl.models.logistic(bits=18).start()
    predictor.compile()
    done = 0

    def run() -> None:
        nonlocal done
        predict, learn = predictor.predict, predictor.learn
        for number in range(done, done + PREDICTED):
            predict(examples[number % 1000], number)
            if number >= WAITING:
                learn(number - WAITING, number % 2)
        done += PREDICTED

    return run


class Measure(NamedTuple):
    """Something to time: what makes it, and how many units one call does."""

    make: Callable[[], Callable[[], object]]
    units: int


MEASURES: Mapping[str, Measure] = {
    "simulate, a round": Measure(simulating, SIMULATED),
    "ask and tell": Measure(lambda: playing(PLAYED, compiled=True), PLAYED),
    "ask and tell, before compiling": Measure(lambda: playing(PLAYED_PLAIN, compiled=False), PLAYED_PLAIN),
    "replay, a question": Measure(replaying, LOGGED),
    "live predict and learn": Measure(predicting, PREDICTED),
}


def work() -> None:
    """Measure what the lines of the standard input name, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    runs = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in runs:
            runs[name] = MEASURES[name].make()
            runs[name]()  # which compiles
        sys.stdout.write(f"{seconds_of(runs[name]) / MEASURES[name].units}\n")
        sys.stdout.flush()


# --- both versions in turns


def main() -> int:
    """Measure, print a table and write it to a file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--against", default=REVISION, metavar="REVISION", help=f"default: {REVISION}")
    parser.add_argument("--turns", type=int, default=TURNS, metavar="N", help=f"of each version (default: {TURNS})")
    parser.add_argument("--out", type=Path, default=Path("out", "bench-quick"), metavar="DIR", help="for the numbers")
    options = parser.parse_args()
    if options.work:
        work()
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes below are ended in that case, too
    try:
        return measured(options.against, options.turns, options.out)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130


def measured(revision: str, turns: int, out: Path) -> int:
    """Both versions, one turn after the other."""
    begun, load = time.perf_counter(), os.getloadavg()[0]
    commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not commit:
        sys.stderr.write(f"{revision} is not in this clone; fetch it, such as by: git fetch --unshallow\n")
        return 2
    with ExitStack() as stack:
        installed = _installed(commit, (out / "installed").resolve())
        sides = {OLD: installed, NEW: HERE / "src"}
        workers = {side: stack.enter_context(_working(side, path)) for side, path in sides.items()}
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        served = _served(stack, sides, folder)
        taken: dict[str, dict[str, list[float]]] = {
            name: {side: [] for side in sides} for name in [*MEASURES, *([REQUEST] if served else [])]
        }
        for turn in range(turns + 1):
            note(f"turn {turn} of {turns}" if turn else "compiling")
            for name, of in taken.items():
                for side in sorted(sides, reverse=bool(turn % 2)):
                    seconds = _request(served[side]) if name == REQUEST else _asked(workers[side], name)
                    of[side] += [seconds] * bool(turn)  # the first turn, in which much is compiled, is left out
    head = _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "--", "src") else "")
    about = {"new": head, "old": commit, "load before": load, "seconds": round(time.perf_counter() - begun)}
    out.mkdir(parents=True, exist_ok=True)
    (out / "quick.json").write_text(json.dumps({"about": about, "seconds": taken}, indent=1), encoding="utf-8")
    sys.stdout.write(shown(taken, head, revision))
    sys.stdout.write(f"\nLoad before: {load:.2f}; {turns} turns, {about['seconds']} s. Numbers: {out / 'quick.json'}\n")
    return 0


def shown(taken: Mapping[str, Mapping[str, list[float]]], new: str, old: str) -> str:
    """The table: times of both, and their ratio, which is below 1 where the working tree is faster."""
    lines = [f"{'':32}{new:>12}{old:>12}   new / old (quartiles)"]
    for name, of in taken.items():
        times = "".join(f"{_time(spread(of[side]).median):>12}" for side in (NEW, OLD))
        found: Spread = ratio(of[NEW], of[OLD])
        lines.append(f"{name:32}{times}   {found.median:.2f} ({found.low:.2f} to {found.high:.2f})")
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.1f} ns" if seconds < 1e-6 else f"{seconds * 1e6:.2f} us"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", HERE, *arguments], capture_output=True, text=True)  # noqa: S603, S607  # ours
    return done.stdout.strip()


def _installed(commit: str, place: Path) -> Path:
    """The folder with the library of a commit, which is installed there if it is not yet."""
    target = place / commit[:12]
    if not target.exists():
        note(f"installing {commit[:12]}")
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(["git", "-C", HERE, "archive", commit], check=True, capture_output=True)  # noqa: S603, S607
            subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)  # noqa: S603, S607
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
            unfinished = place / f"{commit[:12]}.unfinished"
            subprocess.run([*pip, "--no-build-isolation", "--upgrade", "--target", unfinished, folder], check=True)  # noqa: S603
        unfinished.rename(target)
    return target


def _environment(side: str, path: Path) -> dict[str, str]:
    """That of a process with one of the versions; what the old one has compiled is kept beside it."""
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(path), str(HERE)])}
    return found | ({"NUMBA_CACHE_DIR": f"{path}.compiled"} if side == OLD else {})


@contextmanager
def _working(side: str, path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that measures."""
    command = [sys.executable, "-m", "benchmarks.quick", "--work"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=_environment(side, path), **pipes) as process:  # noqa: S603  # ourselves
        try:
            yield process
        finally:
            process.kill()


def _asked(worker: "subprocess.Popen[str]", name: str) -> float:
    assert worker.stdin is not None  # noqa: S101  # they are pipes
    assert worker.stdout is not None  # noqa: S101
    worker.stdin.write(f"{name}\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise RuntimeError(f"a process ended when it measured: {name}")
    return float(line)


def _served(stack: ExitStack, sides: Mapping[str, Path], folder: Path) -> dict[str, Served]:
    """A service of each version; none if one of them cannot be started, as when it needs what is not installed."""
    try:
        return {
            side: stack.enter_context(service(f"sqlite:///{folder}/{side}.db", _environment(side, path)))
            for side, path in sides.items()
        }
    except RuntimeError as problem:
        note(f"{problem}, so requests are not measured")
        return {}


def _request(served: Served) -> float:
    """Seconds of the clock for a request, when several connections ask and tell."""
    done = served.load(CONNECTIONS, SECONDS)
    if done["refused"]:
        raise RuntimeError(f"{done['refused']} requests were refused")
    return float(done["seconds"] / done["requests"])


if __name__ == "__main__":
    sys.exit(main())
