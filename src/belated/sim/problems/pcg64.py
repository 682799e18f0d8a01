"""NumPy's uniform numbers, several times as fast and with the same bits: PCG64 in lanes that run side by side.

``numpy.random.default_rng`` is PCG64, a recurrence on whole numbers below 2^128 (O'Neill 2014, XSL-RR 128/64):

    s_k = A s_(k-1) + C mod 2^128,    x_k = rotate(high(s_k) ^ low(s_k), by the six topmost bits of s_k),

where high and low are halves of 64 bits. A double is (x_k >> 11) 2^-53. Each step waits for the step before, and that
is what NumPy's loop spends its time on. But ``LANES`` = J steps at once are a step of the same kind,

    s_(k+J) = A^J s_k + C (A^(J-1) + ... + A + 1) mod 2^128,

so J lanes, of which lane j makes the numbers j, j + J, j + 2J and so on, need not wait for each other, and a processor
computes eight of them with one instruction. It has none for products of 64 bits with all their digits, which is why
these are made of halves of 32 bits; see :func:`stepped`. With fewer lanes, instructions wait for each other; constants
that are read from an array, or products of 128 bits, are not put side by side by the compiler.

Whoever draws this way asks :func:`is_right` first, once: a generator that NumPy has changed, or wrong code, is noticed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belated.core.arrays import Vector
from belated.core.verbs import compilable

Words = NDArray[np.uint64]
Fill = Callable[[Vector, Words, Words, float, float], None]

LANES = 64

_STEP = 0x2360ED051FC65DA44385DF649FCCF645
"""A, as in NumPy's ``pcg64.h``."""

_JUMP = pow(_STEP, LANES, 2**128)

_STEP_HIGH, _STEP_LOW = np.uint64(_STEP >> 64), np.uint64(_STEP % 2**64)
_JUMP_HIGH, _JUMP_LOW = np.uint64(_JUMP >> 64), np.uint64(_JUMP % 2**64)

_0, _11, _32, _58 = np.uint64(0), np.uint64(11), np.uint64(32), np.uint64(58)
_63, _64, _HALF = np.uint64(63), np.uint64(64), np.uint64(2**32 - 1)

LOW, HIGH = 0, 1
"""Rows of the table of lanes, and places of a state in ``words``, which then has those of C."""


@compilable
def stepped(
    high: np.uint64, low: np.uint64, by_high: np.uint64, by_low: np.uint64, plus_high: np.uint64, plus_low: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """A number of 128 bits, times another one, plus a third, modulo 2^128; each of them is given as its two halves.

    The halves of ``low`` and ``by_low`` are multiplied each with each. Such a product is at most 2^64 - 2^33 + 1, so
    that two numbers below 2^32 can be added to it without a carry.
    """
    first = (low & _HALF) * (by_low & _HALF) + (plus_low & _HALF)
    second = (low & _HALF) * (by_low >> _32) + (first >> _32)
    third = (low >> _32) * (by_low & _HALF) + (second & _HALF) + (plus_low >> _32)
    fourth = (low >> _32) * (by_low >> _32) + (second >> _32) + (third >> _32)
    return fourth + high * by_low + (low * by_high + plus_high), (third << _32) | (first & _HALF)


@compilable
def scaled(high: np.uint64, low: np.uint64, least: float, scale: float) -> float:
    """The number that is made of a state: ``least`` + ``scale`` (x >> 11)."""
    mixed = high ^ low
    turn = high >> _58
    mixed = (mixed >> turn) | (mixed << ((_64 - turn) & _63))
    return least + scale * float(mixed >> _11)


def fill(numbers: Vector, words: Words, lanes: Words, least: float, scale: float) -> None:
    """Write the next numbers of a generator, ``least`` + ``scale`` (x >> 11).

    Args:
        numbers: Where they are written: one or more.
        words: The state, low and high, which becomes that after these numbers; then C, low and high.
        lanes: Room for a state in each lane, of shape (2, ``LANES``).
        least: The least number.
        scale: The width of the range times 2^-53.
    """
    low, high, plus_low, plus_high = words[0], words[1], words[2], words[3]
    jump_high, jump_low = _0, _0  # C (A^(J-1) + ... + 1) is where J steps lead to from zero
    for j in range(LANES):
        high, low = stepped(high, low, _STEP_HIGH, _STEP_LOW, plus_high, plus_low)
        jump_high, jump_low = stepped(jump_high, jump_low, _STEP_HIGH, _STEP_LOW, plus_high, plus_low)
        lanes[HIGH, j] = high
        lanes[LOW, j] = low
    whole = (numbers.size - 1) // LANES  # blocks, after which 1 to J numbers are left
    for i in range(whole):
        block = numbers[i * LANES : (i + 1) * LANES]
        for j in range(LANES):
            high = lanes[HIGH, j]
            low = lanes[LOW, j]
            block[j] = scaled(high, low, least, scale)
            lanes[HIGH, j], lanes[LOW, j] = stepped(high, low, _JUMP_HIGH, _JUMP_LOW, jump_high, jump_low)
    rest = numbers[whole * LANES :]
    for j in range(rest.size):
        rest[j] = scaled(lanes[HIGH, j], lanes[LOW, j], least, scale)
    words[HIGH] = lanes[HIGH, rest.size - 1]
    words[LOW] = lanes[LOW, rest.size - 1]


def arguments(numbers: Vector, state: int, plus: int, low: float) -> tuple[Vector, Words, Words, float, float]:
    """What :func:`fill` is called with, for numbers from ``low`` to 1.

    The width of the range is scaled by a power of two, which rounds nothing: NumPy scales the number instead.
    """
    words = np.empty(4, dtype=np.uint64)
    words[:] = np.frombuffer((plus << 128 | state).to_bytes(32, "little"), dtype="<u8")
    return numbers, words, np.empty((2, LANES), dtype=np.uint64), low, (1.0 - low) * 2.0**-53


def bits_of(rng: Any) -> np.random.PCG64 | None:
    """What a generator draws from, if it is NumPy's own on PCG64; ``None`` if another one may draw in another way."""
    if type(rng) is np.random.Generator and type(rng.bit_generator) is np.random.PCG64:
        return rng.bit_generator
    return None


def draw(code: Fill, bits: np.random.PCG64, numbers: Vector, low: float) -> None:
    """Write ``uniform(low, 1)`` of a generator into ``numbers``, and leave the generator as NumPy would leave it.

    Args:
        code: :func:`fill`, or its machine code.
        bits: What the generator draws from.
        numbers: Where they are written: one or more, side by side.
        low: The least number.
    """
    whole: Any = bits.state  # besides, it has half a number that draws of whole numbers may have left
    given = arguments(numbers, whole["state"]["state"], whole["state"]["inc"], low)
    code(*given)
    whole["state"]["state"] = int.from_bytes(given[1][:2].astype("<u8").tobytes(), "little")
    bits.state = whole


def is_right(code: Fill) -> bool:
    """Whether ``code`` does what NumPy does, for as many numbers as make it go through all of its parts."""
    ours, theirs = np.random.PCG64(1), np.random.PCG64(1)
    for size in (3 * LANES + 5, LANES):
        numbers = np.empty(size)
        draw(code, ours, numbers, -1.0)
        if numbers.tobytes() != np.random.Generator(theirs).uniform(-1.0, 1.0, size).tobytes():
            return False
    return bool(ours.state == theirs.state)
