"""What is kept of a browser's profile, encrypted."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from operator_console.browser.kept_profile import NotRestored, keep, new_key, restore

COOKIES = b"SQLite format 3\0 session=8f2a"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "profile"
    (folder / "Default" / "Local Storage" / "leveldb").mkdir(parents=True)
    (folder / "Default" / "Cookies").write_bytes(COOKIES)
    (folder / "Default" / "Local Storage" / "leveldb" / "000003.log").write_bytes(b"token")
    (folder / "Default" / "History").write_bytes(b"visited")
    return folder


def test_cookies_and_storage_come_back_and_nothing_else_is_kept(profile: Path, tmp_path: Path) -> None:
    file, key, new = tmp_path / "work.profile", new_key(), tmp_path / "new"
    keep(profile, file, key)
    assert restore(file, key, new)
    found = {str(path.relative_to(new)): path.read_bytes() for path in new.rglob("*") if path.is_file()}
    assert found == {"Default/Cookies": COOKIES, "Default/Local Storage/leveldb/000003.log": b"token"}


def test_the_file_is_private_and_tells_nothing(profile: Path, tmp_path: Path) -> None:
    file = tmp_path / "work.profile"
    keep(profile, file, new_key())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"session" not in file.read_bytes()
    assert b"Cookies" not in file.read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".new"] == []


def test_where_nothing_was_kept_a_session_begins_signed_out(tmp_path: Path) -> None:
    assert not restore(tmp_path / "none.profile", new_key(), tmp_path / "new")


@pytest.mark.parametrize("damage", ["another key", "cut off"])
def test_what_cannot_be_read_is_refused_and_stays(profile: Path, tmp_path: Path, damage: str) -> None:
    file, key = tmp_path / "work.profile", new_key()
    keep(profile, file, key)
    if damage == "cut off":
        file.write_bytes(file.read_bytes()[:-20])
    kept = file.read_bytes()
    with pytest.raises(NotRestored):
        restore(file, new_key() if damage == "another key" else key, tmp_path / "new")
    assert file.read_bytes() == kept
