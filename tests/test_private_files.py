"""Folders and files that only this user may read, and locks on them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.private_files import (
    lock_descriptor,
    lock_file,
    make_private_file,
    make_private_folder,
    open_private,
)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_and_its_missing_parents_are_private(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b" / "c")
    assert [mode_of(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    make_private_folder(folder)
    make_private_folder(folder / "inner")
    assert (mode_of(folder), mode_of(folder / "inner")) == (0o755, 0o700)


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        make_private_folder(tmp_path / "file")


def test_a_new_file_is_private_and_not_inherited(tmp_path: Path) -> None:
    descriptor = open_private(tmp_path / "new", os.O_WRONLY | os.O_CREAT)
    try:
        assert mode_of(tmp_path / "new") == 0o600
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


def test_a_file_that_others_can_read_becomes_private_and_keeps_its_content(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("line")
    path.chmod(0o644)
    make_private_file(path)
    make_private_file(tmp_path / "new")
    assert (mode_of(path), mode_of(tmp_path / "new")) == (0o600, 0o600)
    assert path.read_text() == "line"


def test_an_exclusive_lock_excludes_all_others_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = lock_file(path)
    assert held is not None
    assert mode_of(path) == 0o600
    assert lock_file(path) is None
    assert lock_file(path, shared=True) is None
    os.close(held)
    again = lock_file(path)
    assert again is not None
    os.close(again)


def test_shared_locks_exclude_an_exclusive_one_only(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first, second = lock_file(path, shared=True), lock_file(path, shared=True)
    assert first is not None
    assert second is not None
    assert lock_file(path) is None
    os.close(first)
    assert lock_descriptor(second)  # the only holder may change its lock
    os.close(second)
