"""``python -m benchmarks.service.load``: clients in a process of their own, as light as Python can make them.

Each connection asks for a decision, tells what came of it, and begins again when it has the reply. With a batch it does
so for many decisions at once. It prints one line of JSON: requests, decisions with feedback, refusals, and seconds.
"""

import argparse
import asyncio
import itertools
import json
import time
import uuid

FEEDBACK = json.dumps([0.1] * 10)


class Clients:
    """Some connections to one learner.

    Args:
        port: Where the service is.
        key: The key for it.
        batch: So many decisions are asked for at once; 0 for single requests.
    """

    def __init__(self, port: int, key: str, batch: int) -> None:
        self._port, self._batch = port, batch
        self._head = f"HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        self._ids, self._run = itertools.count(), uuid.uuid4().hex[:8]
        self.requests = self.pairs = self.refused = 0

    async def one(self, until: float) -> None:
        """One connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)
        while time.perf_counter() < until:
            names = [f"{self._run}-{next(self._ids)}" for _ in range(self._batch or 1)]
            asks, tells = [f'{{"decision":"{name}"}}' for name in names], [_tell(name) for name in names]
            if self._batch:
                await self._post(reader, writer, "ask-many", f'{{"asks":[{",".join(asks)}]}}')
                await self._post(reader, writer, "tell-many", f'{{"tells":[{",".join(tells)}]}}')
            else:
                await self._post(reader, writer, "ask", asks[0])
                await self._post(reader, writer, "tell", tells[0])
            self.pairs += len(names)
        writer.close()

    async def _post(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, verb: str, body: str) -> None:
        request = f"POST /v1/learners/price/{verb} {self._head}Content-Length: {len(body)}\r\n\r\n{body}"
        writer.write(request.encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        self.requests += 1
        self.refused += not head.startswith(b"HTTP/1.1 200")


def _tell(name: str) -> str:
    return f'{{"decision":"{name}","feedback":{FEEDBACK}}}'


async def visited(clients: Clients, connections: int, seconds: float) -> float:
    """Let all connections work, and return how long they did."""
    begun = time.perf_counter()
    await asyncio.gather(*[clients.one(begun + seconds) for _ in range(connections)])
    return time.perf_counter() - begun


def main() -> None:
    """Work, and print what was done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service.load")
    for name, kind in (("port", int), ("key", str), ("connections", int), ("seconds", float), ("batch", int)):
        parser.add_argument(name, type=kind)
    options = parser.parse_args()
    import uvloop

    clients = Clients(options.port, options.key, options.batch)
    seconds = uvloop.run(visited(clients, options.connections, options.seconds))
    done = {"requests": clients.requests, "pairs": clients.pairs, "refused": clients.refused, "seconds": seconds}
    print(json.dumps(done))  # noqa: T201  # for the process that started this one


if __name__ == "__main__":
    main()
