"""Files and folders that are whole or not there."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from transa.errors import StoreError
from transa.files import locks
from transa.files.whole import save_tensors, settled, whole_file, whole_folder


def test_a_file_replaces_the_old_one(tmp_path):
    path = tmp_path / "new" / "file"
    for text in ("one", "two"):
        with whole_file(path) as part:
            part.write_text(text)
            assert part.parent == path.parent
        assert path.read_text() == text
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("whole", [whole_file, whole_folder])
def test_a_failure_leaves_what_was_there(whole, tmp_path):
    path = tmp_path / "thing"
    path.write_text("old") if whole is whole_file else _folder(path, "old")
    with pytest.raises(ZeroDivisionError):
        _write_half(whole, path)
    kept = path if whole is whole_file else path / "file"
    assert kept.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_replaces_the_old_one_with_all_it_held(tmp_path):
    folder = _folder(tmp_path / "thing", "old")
    (folder / "more").write_text("old")
    with whole_folder(folder) as part:
        (part / "file").write_text("new")
        assert (folder / "file").read_text() == "old"
    assert [(p.name, p.read_text()) for p in folder.iterdir()] == [("file", "new")]
    assert list(tmp_path.iterdir()) == [folder]


def test_after_a_kill_in_mid_swap_the_old_folder_is_found_and_then_replaced(tmp_path):
    folder = _folder(tmp_path / "thing", "old")
    folder.rename(tmp_path / ".thing.old")
    assert (settled(folder) / "file").read_text() == "old"
    with whole_folder(folder) as part:
        (part / "file").write_text("new")
    assert settled(folder) == folder
    assert list(tmp_path.iterdir()) == [folder]


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    for whole in (whole_file, whole_folder):
        with pytest.raises(StoreError, match="cannot be written"), whole(tmp_path / "file" / "x"):
            pass


def _write_half(whole, path):
    with whole(path) as part:
        (part if whole is whole_file else part / "file").write_text("half")
        raise ZeroDivisionError


def _folder(path, text):
    path.mkdir()
    (path / "file").write_text(text)
    return path


def test_a_full_disk_told_by_others_is_a_sentence_too(tmp_path):
    with pytest.raises(StoreError, match=r"thing: cannot be written .*No space left"):
        _write_as_rust_does(tmp_path / "thing")


def _write_as_rust_does(path):
    with whole_file(path):
        raise RuntimeError("I/O error: No space left on device (os error 28)")


@pytest.mark.parametrize("path", [".", "/"])
def test_a_place_without_a_name_is_refused(path):
    with pytest.raises(StoreError, match="give a name"), whole_file(Path(path)):
        pass


KILLED = """
import os, signal, sys
from pathlib import Path
from transa.files.whole import whole_file, whole_folder
way, path = sys.argv[1:]
with (whole_file if way == "file" else whole_folder)(Path(path)) as part:
    (part if way == "file" else part / "file").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""

SAVES = """
import sys
from pathlib import Path
from transa.files.whole import whole_folder
from transa.errors import StoreError
sys.stdin.readline()
try:
    with whole_folder(Path(sys.argv[1])) as part:
        for name in "abcdefgh":
            (part / name).write_text(sys.argv[2])
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of Unix")
@pytest.mark.parametrize("way", ["file", "folder"])
def test_what_a_killed_writer_left_is_swept_by_the_next(way, tmp_path):
    path = tmp_path / "thing"
    like_it = tmp_path / ".thing.but.not.part"
    like_it.write_text("someone else's")
    subprocess.run([sys.executable, "-c", KILLED, way, str(path)], check=False)
    assert len(list(tmp_path.glob(".thing.????????.part"))) == 1
    with (whole_file if way == "file" else whole_folder)(path) as part:
        (part if way == "file" else part / "file").write_text("whole")
    assert sorted(tmp_path.iterdir()) == [like_it, path]


def test_a_part_in_use_is_not_swept_and_the_other_is_told_by_whom(tmp_path):
    folder = _folder(tmp_path / "thing", "old")
    with whole_folder(folder) as part:
        (part / "file").write_text("first")
        with (
            pytest.raises(StoreError, match=rf"thing: process {os.getpid()} on .* is writing it"),
            whole_folder(folder),
        ):
            pytest.fail("two at a time")
        assert (part / "file").read_text() == "first"
    assert (folder / "file").read_text() == "first"
    assert list(tmp_path.iterdir()) == [folder]


def test_a_file_waits_for_another_who_writes_it(tmp_path):
    path = tmp_path / "thing"

    def write_second():
        with whole_file(path) as part:
            part.write_text("second")

    with ThreadPoolExecutor(1) as pool:
        with whole_file(path) as part:
            second = pool.submit(write_second)
            part.write_text("first")
            assert not second.done()
        second.result()
    assert path.read_text() == "second"


def test_of_many_who_write_one_folder_each_writes_it_whole_or_is_told_who_does(tmp_path):
    folder = _folder(tmp_path / "thing", "old")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SAVES, str(folder), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate() for process in processes]
    assert [error for _, error in told if error] == []
    assert all("is writing it" in said for said, _ in told if said)
    assert len({file.read_text() for file in folder.iterdir()}) == 1
    assert sorted(file.name for file in folder.iterdir()) == list("abcdefgh")
    assert list(tmp_path.iterdir()) == [folder]


def test_without_locks_writing_goes_on_and_sweeps_nothing(tmp_path, monkeypatch):
    def unsupported(_handle):
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(locks, "_lock", unsupported)
    other = tmp_path / ".thing.01234567.part"
    other.write_text("in use, for all we know")
    with whole_file(tmp_path / "thing") as part:
        part.write_text("new")
    assert sorted(tmp_path.iterdir()) == [other, tmp_path / "thing"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_modes_follow_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        with whole_folder(tmp_path / "thing") as part:
            save_tensors({"a": np.zeros(3)}, part / "tensors")
            (part / "text").write_text("")
        with whole_file(tmp_path / "file") as part:
            save_tensors({"a": np.zeros(3)}, part)
    finally:
        os.umask(before)
    files = [tmp_path / "thing" / "tensors", tmp_path / "thing" / "text", tmp_path / "file"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o666 & ~umask}
    assert (tmp_path / "thing").stat().st_mode & 0o777 == 0o777 & ~umask
