"""Files and folders that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from transa.errors import StoreError
from transa.files.whole import settled, whole_file, whole_folder


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
