"""Asking the cache for a row before it is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from transa.kernels.jit import inline

# Floats in a cache line.
_LINE = 16


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(_context: Any, table: Any, row: Any, column: Any) -> Any:  # noqa: ANN401
    """LLVM's prefetch of table[row, column], for reading, into all levels of the cache."""
    signature = types.void(table, row, column)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        array_type = signature.args[0]
        array = context.make_array(array_type)(context, builder, args[0])
        indices = [
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(args[1:], signature.args[1:], strict=True)
        ]
        pointer = cgutils.get_item_pointer(context, builder, array_type, array, indices)
        byte_pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer.type, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte_pointer.type], kind)
        builder.call(function, [byte_pointer, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return signature, generate


@inline
def prefetch_row(table: np.ndarray, row: int) -> None:
    """Ask for all cache lines of table[row]."""
    for k in range(0, table.shape[1], _LINE):
        _prefetch(table, row, k)
