"""The loops of ``c_loop.c``, compiled for the machine at hand by the run that measures them.

Losses come from NumPy's generator, as everywhere; what is done in between is C.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from belated.delays import Uniform
from benchmarks.setup import MOST_ROUNDS_PER_CHUNK, PARAMETERS, chunks, delays_of, first_decision

SOURCE = Path(__file__).with_name("c_loop.c")
FLAGS = ("-O3", "-march=native")

Pointer = ctypes.c_void_p
Whole = ctypes.c_int64


class _Learner(ctypes.Structure):
    """``learner`` of the C file."""

    _fields_ = tuple(
        (name, ctypes.c_double) for name in ("constant", "per_round", "per_feedback", "radius", "probe_radius")
    )


def compiler() -> str | None:
    """The C compiler of this machine: ``$CC``, else ``cc``; none if there is none."""
    return shutil.which(os.environ.get("CC", "cc"))


class CLoops:
    """The compiled loops. They agree with ``simulate`` to many digits but not to the last: C may fuse operations."""

    def __init__(self, command: str) -> None:
        with tempfile.TemporaryDirectory() as place:
            library = Path(place, "c_loop.so")
            line = [command, *FLAGS, "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-lm"]
            subprocess.run(line, check=True)  # noqa: S603  # the machine's compiler, on a file of ours
            self._library = ctypes.CDLL(str(library))
        for name in ("with_gradients", "with_values", "one_by_one"):
            getattr(self._library, name).restype = ctypes.c_double

    def run(self, name: str, dim: int, rounds: int, seed: int = 0, longest: int | None = None) -> float:
        """The cumulative loss of a run of a learner; the drawing of its losses included.

        Delays are those of the paper, or uniform on 1..``longest`` and drawn, as ``simulate`` draws them.
        """
        given, delays = PARAMETERS[name], delays_of(name)
        ring = 1 << (longest or max(delays)).bit_length()
        law = None if longest is None else Uniform(1, longest).sampler(np.random.default_rng(seed))
        who = _Learner(
            given.constant, given.per_round, given.per_feedback, 1.0 - given.probe_radius, given.probe_radius
        )
        decision, scratch = first_decision(name, dim), np.empty(2 * dim)
        waiting = np.zeros((ring, ring if given.sequential else 1, dim))
        counts, progress = np.zeros(ring, dtype=np.int64), np.zeros(2, dtype=np.int64)
        rest = [decision, waiting, counts, progress]
        loop = self._library.with_gradients
        if given.probe_radius:
            loop = self._library.one_by_one if given.sequential else self._library.with_values
            rest.append(scratch)
        repeated = np.resize(np.array(delays, dtype=np.int64), MOST_ROUNDS_PER_CHUNK + len(delays))
        pointers = [_address(each) for each in rest]
        total, played, sums = 0.0, 0, np.zeros(dim)
        for rows in chunks(dim, rounds, seed):
            self._library.add_up(Whole(dim), Whole(len(rows)), _address(rows), _address(sums))
            late = repeated[played % len(delays) :] if law is None else law.take(len(rows))
            total += loop(
                ctypes.byref(who),
                Whole(dim),
                Whole(len(rows)),
                _address(rows),
                _address(late),
                Whole(ring - 1),
                *pointers,
            )
            played += len(rows)
        return total


def _address(array: "np.ndarray[Any, Any]") -> Pointer:
    return Pointer(array.ctypes.data)
