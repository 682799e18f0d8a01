"""A sample of the soak: a few tests, chosen by a text, so that every change can try others."""

from collections.abc import Iterable
from hashlib import blake2b


def sampled(names: Iterable[str], number: int, seed: str) -> set[str]:
    """So many of the names, chosen by ``seed`` alone: whoever knows it, such as a commit's id, has the same ones."""
    return set(sorted(names, key=lambda name: blake2b(f"{seed}\n{name}".encode()).digest())[:number])
