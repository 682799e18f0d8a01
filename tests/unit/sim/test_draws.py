"""Uniform numbers in lanes: NumPy's bits, however they are cut, and NumPy itself where something is not as expected."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.core import compiling, numba_door
from belated.core.arrays import Vector
from belated.core.closures import Closure
from belated.core.errors import CannotCompile, PlainPython
from belated.sim.problems import EVERY, draws, pcg64
from belated.sim.problems.draws import FEW, MANY, Choice, Uniform
from belated.sim.problems.pcg64 import LANES, Fill, fill, is_right, stepped
from support.compiler import needs_compiler

LOWS = st.sampled_from([-1.0, 0.0, 0.25, -3.5])
SEEDS = st.integers(0, 2**64)


def witness(bits: np.random.PCG64) -> Iterator[float]:
    """PCG64 by its definition, on Python's whole numbers."""
    state, plus = (bits.state["state"][name] for name in ("state", "inc"))
    while True:
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + plus) % 2**128
        mixed, turn = (state >> 64) ^ (state % 2**64), state >> 122
        mixed = (mixed >> turn | mixed << (64 - turn)) % 2**64
        yield (mixed >> 11) / 2**53


def plainly(*arguments: Any) -> None:
    """``fill`` as Python runs it; NumPy warns of products that are cut to 64 bits, which are meant to be."""
    with np.errstate(over="ignore"):
        fill(*arguments)


@cache
def machine_code() -> Fill:
    code: Fill = compiling.compiled(fill, *pcg64.arguments(np.empty(1), 0, 1, 0.0))
    return code


def differs(code: Fill, seed: int, sizes: list[int], low: float) -> bool:
    """Whether numbers or the state after them are not those of NumPy, whose generator has half a number left over."""
    ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
    for rng in (ours, theirs):
        rng.integers(2, dtype=np.uint32)
    bits: Any = ours.bit_generator
    for size in sizes:
        numbers = np.full(size, np.nan)
        pcg64.draw(code, bits, numbers, low)
        if numbers.tobytes() != theirs.uniform(low, 1.0, size).tobytes():
            return True
    return bool(bits.state != theirs.bit_generator.state)


# The arithmetic


@given(SEEDS)
@settings(max_examples=20)
def test_the_witness_is_numpys_generator(seed: int) -> None:
    numbers = witness(np.random.PCG64(seed))
    assert np.random.default_rng(seed).random(50).tolist() == [next(numbers) for _ in range(50)]


WIDE = st.integers(0, 2**128 - 1) | st.sampled_from([0, 1, 2**32 - 1, 2**64 - 1, 2**64, 2**128 - 1, 2**128 - 2**64])


@given(WIDE, WIDE, WIDE)
@settings(max_examples=200)
def test_products_of_128_bits_are_those_of_whole_numbers(number: int, by: int, plus: int) -> None:
    halves = [np.uint64(half) for each in (number, by, plus) for half in divmod(each, 2**64)]
    with np.errstate(over="ignore"):
        high, low = stepped(*halves)
    assert int(high) << 64 | int(low) == (number * by + plus) % 2**128


@given(SEEDS, st.sampled_from([1, LANES - 1, LANES, LANES + 1, 2 * LANES, 3 * LANES + 7]))
@settings(max_examples=20, deadline=None)
def test_numbers_are_those_of_the_witness(seed: int, size: int) -> None:
    bits, numbers = np.random.PCG64(seed), np.empty(size)
    expected = witness(np.random.PCG64(seed))
    pcg64.draw(plainly, bits, numbers, 0.0)
    assert numbers.tolist() == [next(expected) for _ in range(size)]


@given(SEEDS, st.lists(st.integers(1, 3 * LANES), max_size=4), LOWS)
@settings(max_examples=15, deadline=None)
def test_plain_code_draws_as_numpy_does_however_it_is_cut(seed: int, sizes: list[int], low: float) -> None:
    assert not differs(plainly, seed, sizes, low)


@needs_compiler
@given(SEEDS, st.lists(st.integers(1, 10 * LANES) | st.integers(1, 20_000), max_size=6), LOWS)
@settings(max_examples=100, deadline=None)
def test_machine_code_draws_as_numpy_does_however_it_is_cut(seed: int, sizes: list[int], low: float) -> None:
    assert not differs(machine_code(), seed, sizes, low)


@needs_compiler
def test_machine_code_needs_no_memory_of_its_own_and_is_kept_on_disk() -> None:
    """It makes no arrays, so that it runs without Python's lock and without numba's counting of references."""
    arguments = pcg64.arguments(np.empty(1), 0, 1, 0.0)
    code = machine_code()
    (outcome,) = [each for (known, _), each in compiling._outcomes.items() if known is fill]
    assert outcome.code is code
    assert outcome.lean
    assert not Closure(fill, arguments).opaque


# What the check notices


@pytest.mark.parametrize("name", ["_STEP_HIGH", "_STEP_LOW", "_JUMP_HIGH", "_JUMP_LOW", "_11", "_58"])
def test_a_wrong_constant_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_right(plainly)
    monkeypatch.setattr(pcg64, name, getattr(pcg64, name) ^ np.uint64(1))
    assert not is_right(plainly)
    assert differs(plainly, 0, [4 * LANES], -1.0)


def forgets_the_state(numbers: Vector, words: pcg64.Words, *rest: Any) -> None:
    plainly(numbers, words.copy(), *rest)


def leaves_out_the_last(numbers: Vector, *rest: Any) -> None:
    plainly(numbers, *rest)
    numbers[-1] = 0.0


def ends_one_step_later(numbers: Vector, words: pcg64.Words, *rest: Any) -> None:
    plainly(numbers, words, *rest)
    plainly(np.empty(1), words, *rest)


def multiplies_once_more(numbers: Vector, words: pcg64.Words, lanes: pcg64.Words, least: float, scale: float) -> None:
    plainly(numbers, words, lanes, least, scale * (1.0 + 2.0**-52))


MUTANTS = [forgets_the_state, leaves_out_the_last, ends_one_step_later, multiplies_once_more]


@pytest.mark.parametrize("broken", MUTANTS)
def test_wrong_code_is_noticed(broken: Fill) -> None:
    assert not is_right(broken)


# Which of the two draws


@pytest.fixture
def choice(monkeypatch: pytest.MonkeyPatch) -> Choice:
    """The choice of a process that has compiled something and has drawn nothing, on a processor that is fast at it."""
    monkeypatch.setattr(draws, "_choice", Choice())
    monkeypatch.setattr(draws, "in_use", lambda: True)
    monkeypatch.setattr(numba_door, "has_wide_vectors", lambda: True)
    return draws._choice


def compiling_gives(code: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let compiling give this code, or raise it; returns the list of the calls to come."""
    calls: list[Any] = []

    def compiled(function: Callable[..., Any], *arguments: Any) -> Any:
        calls.append(function)
        if isinstance(code, BaseException):
            raise code
        return code

    monkeypatch.setattr(draws, "compiled", compiled)
    return calls


def test_machine_code_comes_after_many_numbers_and_draws_long_tables(
    choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = compiling_gives(plainly, monkeypatch)
    assert choice.code(MANY) is None
    assert calls == []
    assert choice.code(FEW) is None, "NumPy is as fast for so few"
    assert choice.code(FEW + 1) is plainly
    assert choice.code(FEW) is None
    assert choice.code(MANY) is plainly
    assert calls == [fill]


def test_a_process_that_compiles_nothing_else_never_loads_the_compiler(
    choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = compiling_gives(plainly, monkeypatch)
    monkeypatch.setattr(draws, "in_use", lambda: False)
    assert choice.code(2 * MANY) is None
    assert choice.code(2 * MANY) is None
    assert calls == []
    monkeypatch.setattr(draws, "in_use", lambda: True)
    assert choice.code(2 * MANY) is plainly


@pytest.mark.parametrize("problem", [CannotCompile("no compiler"), PlainPython("switched off"), *MUTANTS])
def test_what_cannot_be_compiled_or_is_wrong_is_left_to_numpy_for_ever(
    problem: Any, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = compiling_gives(problem, monkeypatch)
    sampler, rng = Uniform(np.random.default_rng(4), 8), np.random.default_rng(4)
    for rounds in (MANY // 8, 1000, 3000):
        assert np.array_equal(sampler.take(rounds), rng.uniform(-1.0, 1.0, (rounds, 8)))
    assert choice.code(MANY) is None
    assert calls == [fill], "it is tried once"


def test_without_wide_vectors_nothing_is_compiled(choice: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = compiling_gives(plainly, monkeypatch)
    monkeypatch.setattr(numba_door, "has_wide_vectors", lambda: False)
    assert choice.code(2 * MANY) is None
    assert calls == []


def test_who_was_interrupted_while_it_compiled_compiles_the_next_time(
    choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling_gives(KeyboardInterrupt(), monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        choice.code(2 * MANY)
    compiling_gives(plainly, monkeypatch)
    assert choice.code(2 * MANY) is plainly


class Halves(np.random.Generator):
    """A generator of somebody's own, on NumPy's bits."""

    def random(self, *, out: Any) -> Any:  # type: ignore[override]  # as much as is needed
        out[:] = 0.5
        return out


@pytest.mark.parametrize(
    "begun", [lambda: np.random.Generator(np.random.PCG64DXSM(5)), lambda: Halves(np.random.PCG64(5))]
)
def test_another_generator_draws_in_its_own_way(
    begun: Callable[[], np.random.Generator], choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling_gives(plainly, monkeypatch)
    assert choice.code(2 * MANY) is plainly
    expected = np.empty((FEW, 3))
    begun().random(out=expected)
    assert np.array_equal(Uniform(begun(), 3, low=0.0).take(FEW), expected)


@needs_compiler
@pytest.mark.parametrize("family", EVERY)
def test_every_problem_has_the_same_rows_either_way(
    family: Any, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = family.example()
    expected = problem.rows(6, 2000).tobytes()
    monkeypatch.setattr(draws, "FEW", 100)
    monkeypatch.setattr(draws, "MANY", 0)
    assert choice.code(FEW) is machine_code()
    sampler = problem.sampler(6)
    assert b"".join(sampler.take(rounds).tobytes() for rounds in (1, 999, 3, 0, 997)) == expected


SCRIPT = f"""
import hashlib
import numpy as np
from belated.sim.compensated import ColumnSums
from belated.sim.problems import RandomQuadratic, draws
ColumnSums(1).add(np.ones((2**15, 1)))  # compiles, if there is a compiler
sampler, digest = RandomQuadratic(8).sampler(7), hashlib.sha256()
for rounds in ({MANY // 8}, 5001, 3, 5000):
    digest.update(sampler.take(rounds).tobytes())
print(draws._choice._code is not None, digest.hexdigest())
"""


@pytest.mark.parametrize("switched_off", ["0", "1"])
def test_a_process_without_the_compiler_draws_the_same(switched_off: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": switched_off}
    command = [sys.executable, "-c", SCRIPT]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True).stdout
    expected = np.random.default_rng(7).uniform(-1.0, 1.0, (MANY // 8 + 10_004, 8))
    compiles = switched_off == "0" and numba_door.has_wide_vectors()
    assert printed.split() == [str(compiles), hashlib.sha256(expected.tobytes()).hexdigest()]
