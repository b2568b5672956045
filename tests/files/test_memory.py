from __future__ import annotations

import subprocess
import sys

import pytest

from transa.errors import TooLargeError, TransaError
from transa.files import memory
from transa.files.memory import available_memory, check_memory

LIMITED = """
import resource
from transa.files.memory import available_memory
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
print(available_memory())
"""


def test_some_memory_is_free_and_not_without_end():
    assert 10**6 < available_memory() < 10**15


def test_a_limit_of_the_process_counts():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) < 1 << 30


def test_a_limit_of_the_container_counts(tmp_path, monkeypatch):
    limit, used = tmp_path / "max", tmp_path / "current"
    used.write_text("1000\n")
    monkeypatch.setattr(memory, "_GROUPS", ((str(limit), str(used)),))
    unlimited = available_memory()
    limit.write_text("max\n")
    assert available_memory() > 10**6 < unlimited
    limit.write_text("5000\n")
    assert available_memory() == 4000


def test_what_fits_is_let_through_and_what_does_not_is_told(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 24 * 10**9)
    check_memory(24 * 10**9, "this", "do less")
    with pytest.raises(TooLargeError) as caught:
        check_memory(190 * 10**9, "this", "do less")
    assert str(caught.value) == "this would need 190.0 GB of memory, and 24.0 are free; do less"
    assert isinstance(caught.value, TransaError)
    assert isinstance(caught.value, MemoryError)


def test_a_system_that_does_not_say_is_trusted(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    check_memory(10**18, "this", "do less")
