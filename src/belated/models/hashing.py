"""Names and words of features as numbers: 64-bit tokens, and the slots that tokens fall into.

A token is a digest of a name and a word, so it is the same in every process, on every machine and in every version of
Python. The slot of a token is its highest bits, of which a
recipe says how many. Two features may fall into one slot; they then share a weight. With
2^20 slots and ten thousand features that happens to one feature in a hundred.

The token of a cross, of two features together, is computed from the two tokens by multiplications, which takes less
time than a digest and needs no memory of the pairs that were seen.
"""

from hashlib import blake2b

WORD, NUMBER, MISSING = "word", "number", "missing"
"""Kinds of tokens: a feature has a word, or a number, or is known to be missing."""

VERSION = 1
"""Counts up whenever a token or a cross changes; every signature has it."""

_MASK = (1 << 64) - 1
_FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
"""Odd numbers with irregular digits: multiplying by one spreads the digits of a token over all 64."""

MOST_BITS = 24
"""So many slots, 2^24, fit the models' tables at the most."""


def token(name: str, kind: str, word: str = "") -> int:
    """The token of a feature.

    Args:
        name: Name of the feature.
        kind: ``WORD``, ``NUMBER`` or ``MISSING``.
        word: The word that the feature has, for the first kind.

    Returns:
        A whole number from 0 to 2^64 - 1.

    Example:
        >>> token("carrier", WORD, "UA")
        11536791953364138504
    """
    text = f"{len(name)}:{name}{kind}:{word}"  # the length keeps name and word apart, whatever they hold
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def crossed(first: int, second: int) -> int:
    """The token of two features together; their order counts.

    Args:
        first: Token of one feature.
        second: Token of the other.

    Returns:
        A whole number from 0 to 2^64 - 1.
    """
    mixed = (first * _FIRST + second) & _MASK
    return ((mixed ^ (mixed >> 32)) * _SECOND) & _MASK
