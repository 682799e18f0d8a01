"""Asking the processor for memory before it is needed: a hint that changes no result.

A row has some thirty slots, which lie anywhere in a table of many megabytes. Each of them waits a hundred nanoseconds
for its memory unless that was asked for in time. In plain Python :func:`prefetch` does nothing. Machine code has an
instruction for it, which numba can be told to write. That needs names of numba that are looked up through
:mod:`belated.core.numba_door`; where one is missing, machine code does nothing, too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from belated.core import numba_door


def prefetch(table: Any, row: Any) -> None:
    """Ask for the memory in which a row of an array begins; returns at once. The row need not be there.

    Args:
        table: An array.
        row: The number of a row.
    """


def _for_compiler(table: Any, row: Any) -> Callable[..., None]:
    """What to compile in its place; the compiler asks with types in place of values."""
    try:
        void = numba_door._found("numba.core.types", "void")
        instruction = numba_door._found("numba.extending", "intrinsic")(
            lambda typing, table, row: (void(table, row), _write)
        )
    except Exception:  # whatever keeps numba from having one of these names, there is a hint less
        return prefetch

    def fetching(table: Any, row: Any) -> None:
        instruction(table, row)

    return fetching


def _write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the instruction; if the compiler's parts are not as expected, nothing."""
    with suppress(Exception):
        ir = import_module("llvmlite.ir")
        byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = context.cast(builder, arguments[1], signature.args[1], numba_door._found("numba.core.types", "int64"))
        stride = builder.extract_value(array.strides, 0)
        place = builder.gep(builder.bitcast(array.data, byte), [builder.mul(number, stride)])
        name = "llvm.prefetch.p0" if getattr(byte, "is_opaque", False) else "llvm.prefetch.p0i8"
        written = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        insert = numba_door._found("numba.core.cgutils", "get_or_insert_function")
        # For reading, to be kept in all caches, and data, not code.
        builder.call(insert(builder.module, written, name), [place, whole(0), whole(3), whole(1)])
    return context.get_dummy_value()


numba_door.teach(prefetch, _for_compiler)
