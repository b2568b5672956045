"""What the kernels use of Numba without Numba's promise; a release that changes it fails here.

pyproject.toml bounds Numba from above for this reason: raise the bound once these pass.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.compiler_lock import global_compiler_lock

from transa.kernels import jit

FOUND = f"Numba {numba.__version__}"


def total(table):
    """The sum of all rows, each an array of its own, whose references are to be counted."""
    found = np.float32(0)
    for row in table:
        found += row.sum()
    return found


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Nothing was compiled before: of what is cached there is no LLVM to look at."""
    monkeypatch.setattr(jit, "_cache_folder", lambda: tmp_path)
    return tmp_path


def llvm_of(compiled) -> str:
    assert compiled(np.ones((2, 3), dtype=np.float32)) == 6
    (code,) = compiled.inspect_llvm().values()
    return code


def test_the_option_nrt_leaves_references_uncounted(cache):
    counted, uncounted = (llvm_of(make(total)) for make in (numba.njit, jit.lean_kernel))
    assert "NRT_incref" in counted, "the function of this test no longer shows anything"
    assert "NRT_incref" not in uncounted, f"{FOUND} has changed the option _nrt"


@pytest.mark.parametrize("make", [jit.inline, jit.piece])
def test_pieces_count_no_references_either(make):
    assert "NRT_incref" not in llvm_of(make(total)), f"{FOUND} has changed the option _nrt"


def test_the_option_forceinline_is_llvm_s_alwaysinline():
    inlined, called = (llvm_of(make(total)) for make in (jit.inline, jit.piece))
    assert "alwaysinline" in attributes_of(inlined), f"{FOUND} has changed the option forceinline"
    assert "alwaysinline" not in attributes_of(called)


def attributes_of(code: str) -> str:
    """What LLVM was told of the function itself."""
    (number,) = set(re.findall(r"^define .*total.*noalias.* #(\d+)", code, re.MULTILINE))
    (attributes,) = re.findall(rf"^attributes #{number} = (.*)$", code, re.MULTILINE)
    return attributes


def test_config_cache_dir_is_read_when_a_function_is_handed_in(cache):
    before = numba.config.CACHE_DIR
    compiled = jit.kernel(total)
    assert before == numba.config.CACHE_DIR
    compiled(np.ones((2, 3), dtype=np.float32))
    assert list(cache.rglob("*.nbi")), f"{FOUND} looks up config.CACHE_DIR at another time"


def test_whether_something_is_compiled_is_told_by_numba_s_lock():
    assert not jit.compiling()
    with global_compiler_lock, ThreadPoolExecutor(1) as other:
        assert jit.compiling(), f"{FOUND} has changed its lock"
        assert other.submit(jit.compiling).result()
    assert not jit.compiling()


@pytest.mark.parametrize(
    ("home", "name"),
    [
        (cgutils, "get_item_pointer"),
        (BaseContext, "make_array"),
        (BaseContext, "cast"),
        (BaseContext, "get_dummy_value"),
    ],
)
def test_what_the_prefetch_is_generated_with_is_there(home, name):
    assert hasattr(home, name), f"{FOUND} has no {home.__name__}.{name}: see kernels/prefetch.py"
