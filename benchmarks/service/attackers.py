"""``python -m benchmarks.service.attackers PORT KEY HALF SLOW READERS``: clients that hold connections and never end.

``HALF`` connections begin in turn with nothing, half a head, a head whose body never ends (without a key and with one),
and a handshake of TLS. ``SLOW`` connections send one byte of a head or of a body each second. ``READERS`` ask for the
whole journal and do not read it. Whoever is closed comes back after a while. It prints a line when all have tried once,
and at the end of its input how often they were closed.
"""

import asyncio
import itertools
import random
import resource
import sys
from typing import Any

PAUSE = 60.0
"""So many seconds, at most, one stays away that was closed; half as many on average."""

BODY = (
    b"POST /v1/learners/price/tell HTTP/1.1\r\nHost: it\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n"
)
HELLO = bytes.fromhex("16030100c8010000c40303")


class Attacker(asyncio.Protocol):
    """One connection.

    Args:
        begin: What is sent at first.
        goes_on: Whether a byte follows each second.
        reads: Whether replies are read.
        done: Called when it was closed.
    """

    def __init__(self, begin: bytes, goes_on: bool, reads: bool, done: "asyncio.Future[None]") -> None:
        self._begin, self._goes_on, self._reads, self._done = begin, goes_on, reads, done

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self._begin)
        if not self._reads:
            asyncio.get_running_loop().call_soon(transport.pause_reading)  # uvloop begins to read only after this
        if self._goes_on:
            self._trickle()

    def _trickle(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(b"a")
            asyncio.get_running_loop().call_later(1.0, self._trickle)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_result(None)


class Crowd:
    """All of them.

    Args:
        port: Where the service is.
        key: A key for it.
    """

    def __init__(self, port: int, key: str) -> None:
        self._port, self.closed = port, 0
        known = f"Authorization: Bearer {key}\r\n".encode()
        journal = b"GET /v1/learners/price/journal HTTP/1.1\r\nHost: it\r\n" + known + b"\r\n"
        head = b"GET /healthz HTTP/1.1\r\nHost: "
        self.half = [b"", head, BODY + b"\r\n{", BODY + known + b"\r\n{", HELLO]
        self.slow = [head, BODY + known + b"\r\n"]
        self.reader = journal * 20

    async def hold(self, begin: bytes, goes_on: bool, reads: bool, wait: float) -> None:
        """Connect, and again whenever that was closed."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(wait)
        while True:
            done = loop.create_future()
            try:
                kept = await loop.create_connection(
                    lambda done=done: Attacker(begin, goes_on, reads, done),  # type: ignore[misc]
                    "127.0.0.1",
                    self._port,
                )
                await done
                del kept  # without it, the garbage collector would close who does not read
            except OSError:
                pass
            self.closed += 1
            await asyncio.sleep(random.uniform(0.0, PAUSE))  # noqa: S311  # no secret


async def main(port: int, key: str, half: int, slow: int, readers: int) -> None:
    """Attack until the input ends."""
    crowd, loop = Crowd(port, key), asyncio.get_running_loop()
    everybody = [(begin, False, True) for begin in itertools.islice(itertools.cycle(crowd.half), half)]
    everybody += [(begin, True, True) for begin in itertools.islice(itertools.cycle(crowd.slow), slow)]
    everybody += [(crowd.reader, False, False)] * readers
    tasks = [loop.create_task(crowd.hold(*each, wait=number / 1000)) for number, each in enumerate(everybody)]
    await asyncio.sleep(len(tasks) / 1000 + 1)
    sys.stdout.write("all have tried\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)
    sys.stdout.write(f"{crowd.closed}\n")
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    import uvloop

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    uvloop.run(main(int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])))
