"""The paths of files and folders, and their modes."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import platformdirs
import pytest

from operator_console.domain.errors import OperatorError
from operator_console.guard import latch
from operator_console.settings.file_locations import HOME_VARIABLE, find_paths, make_folder


def test_home_holds_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    paths = find_paths()
    places = (paths.settings, paths.sessions, paths.anchors, paths.logs, paths.run)
    assert all(tmp_path in place.parents for place in places)
    assert paths.run == tmp_path / "run"


def test_without_home_the_users_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE)
    for name, folder in (("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    paths = find_paths()
    assert paths.settings.name == "settings.toml"
    assert len({paths.sessions, paths.anchors, paths.logs, paths.run}) == 4
    assert not list(tmp_path.iterdir())


def test_a_new_session_gets_a_free_name() -> None:
    paths = find_paths()
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    first = paths.new_session(when)
    first.touch()
    second = paths.new_session(when)
    assert (first.name, second.name) == ("2026-01-02_03-04-05.ocsession", "2026-01-02_03-04-05_2.ocsession")
    assert paths.session("2026-01-02_03-04-05") == first
    assert paths.session(first.name) == first
    assert paths.session("elsewhere/x.ocsession") == Path("elsewhere/x.ocsession").absolute()


@pytest.mark.parametrize("folder", ["sessions", "anchors", "logs", "run"])
def test_every_created_folder_is_private(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "named" / "by a person"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    before = os.umask(0o022)
    try:
        make_folder(getattr(find_paths(), folder))
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (home.parent, home, home / folder)] == [0o700] * 3


def test_the_folder_of_the_latch_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    before = os.umask(0o022)
    try:
        latch.run_dir()
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (home, home / "run")] == [0o700] * 2


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OperatorError) as caught:
        make_folder(tmp_path / "file" / "inner")
    assert HOME_VARIABLE in caught.value.remedy


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize("given", [None, "", "  ", "/somewhere/else"])
def test_the_users_directories_are_those_of_platformdirs(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE, raising=False)
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
        if given is not None:
            monkeypatch.setenv(variable, given)
    paths = find_paths()
    name = "operator-console"
    assert paths.settings.parent == platformdirs.user_config_path(name, appauthor=False)
    assert paths.sessions.parent == platformdirs.user_data_path(name, appauthor=False)
    assert paths.run.parent == platformdirs.user_state_path(name, appauthor=False)
