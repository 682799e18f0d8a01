"""Many fresh processes: each has the library imported and nothing compiled, and runs one piece of code.

Importing takes a second, and compiling for the first time another, so that is done once, in a process that then only
makes copies of itself (``fork``). A copy knows no function of the test's modules, nor machine code of any, until it
imports or compiles them.
"""

import json
import subprocess
import sys
from typing import NamedTuple

_NURSERY = """
import json, os, sys, tempfile, traceback
import numba, belated.core.compiling

numba.njit(lambda x: x)(0.0)  # so that the compiler has read its own tables

def copy(code, directory, environment, out, err):
    os.dup2(out.fileno(), 1), os.dup2(err.fileno(), 2)
    status = 0
    try:
        os.chdir(directory)
        os.environ.update(environment)
        numba.core.config.reload_config()
        sys.path.insert(0, directory)
        sys.dont_write_bytecode = True
        exec(code, {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush(), sys.stderr.flush()
    os._exit(status)

for line in sys.stdin:
    codes, directory, environment = json.loads(line)
    copies = []
    for code in codes:
        out, err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        number = os.fork() or copy(code, directory, environment, out, err)
        copies.append((number, out, err))
    answer = []
    for number, out, err in copies:
        _, status = os.waitpid(number, 0)
        out.seek(0), err.seek(0)
        answer.append([status, out.read(), err.read()])
        out.close(), err.close()
    print(json.dumps(answer), flush=True)
"""


class Ended(NamedTuple):
    """How a process ended, and what it wrote."""

    status: int
    out: str
    err: str


class Nursery:
    """Runs pieces of code, all of one call at the same time, each in a process of its own."""

    def __enter__(self) -> "Nursery":
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.communicate(timeout=60)

    def run(self, codes: list[str], directory: str, environment: dict[str, str]) -> list[Ended]:
        """Run all of ``codes`` at once in ``directory``, and wait for them."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([codes, directory, environment]) + "\n")
        self._process.stdin.flush()
        return [Ended(*each) for each in json.loads(self._process.stdout.readline())]
