"""Asking the cache for a row before it is needed."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils

from transa.kernels.jit import inline

# Numba's extension interface is typed for its own use, not for ours.
_cgutils: Any = cgutils
_extending: Any = numba.extending

_FLOATS_PER_CACHE_LINE = 16
_FOR_READING, _ALL_CACHES, _DATA = 0, 3, 1


def _prefetch_item(_typing: Any, table: Any, row: Any, column: Any) -> Any:  # noqa: ANN401
    """LLVM's prefetch of table[row, column]."""
    signature = numba.types.void(table, row, column)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, args[0])
        indices = [
            context.cast(builder, value, of, numba.types.intp)
            for value, of in zip(args[1:], signature.args[1:], strict=True)
        ]
        item = _cgutils.get_item_pointer(context, builder, kind, array, indices)
        pointer = builder.bitcast(item, ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], shape)
        builder.call(prefetch, [pointer, flag(_FOR_READING), flag(_ALL_CACHES), flag(_DATA)])
        return context.get_dummy_value()

    return signature, generate


_prefetch = _extending.intrinsic(_prefetch_item)


@inline
def prefetch_row(table: np.ndarray, row: int, dim: int) -> None:
    """Ask for all cache lines of table[row], a row of `dim` floats."""
    for k in range(0, dim, _FLOATS_PER_CACHE_LINE):
        _prefetch(table, row, k)
