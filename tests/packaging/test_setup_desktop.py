"""The console in the desktop's menu and the type of its session files: valid, found, and removed without a trace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from xdg.DesktopEntry import DesktopEntry

import bootstrap
import setup_desktop
from operator_console.journal.database import APPLICATION_ID, SUFFIX
from operator_console.journal.write import SessionJournal
from setup_progress import SetupError
from tests.journal import samples

TYPE = "application/x-operator-console-session"
COMMAND = '/home/me/my "own" pro%jects/$x/.venv/bin/operator-console'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def installed(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("operator-console*"))


def test_what_is_installed_is_removed_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    setup_desktop.install("/opt/console")
    setup_desktop.install("/opt/console")
    assert installed(home) == [
        "applications/operator-console.desktop", "icons/hicolor/scalable/apps/operator-console.svg",
        "mime/packages/operator-console.xml",
    ]  # fmt: skip
    assert {(home / name).stat().st_mode & 0o777 for name in installed(home)} == {0o644}
    setup_desktop.uninstall()
    assert installed(home) == []
    capsys.readouterr()
    setup_desktop.uninstall()
    assert "Nothing of the console" in capsys.readouterr().out


def test_the_entry_is_valid_and_starts_the_program_whatever_its_path(home: Path) -> None:
    setup_desktop.install(COMMAND)
    entry = DesktopEntry(str(home / "applications/operator-console.desktop"))
    entry.validate()
    assert entry.getMimeTypes() == [TYPE]
    assert entry.getTryExec() == COMMAND
    assert unquoted(entry.getExec()) == [COMMAND, "--session", "%f"]
    entry.defaultGroup = "Desktop Action practice"
    assert unquoted(entry.get("Exec", group="Desktop Action practice")) == [COMMAND, "practice"]


def unquoted(value: str) -> list[str]:
    """The arguments of an Exec key, by the rules of its specification."""
    value = value.replace("\\\\", "\\")
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', value)
    return [re.sub(r'\\(["`$\\])', r"\1", quoted or plain).replace("%%", "%") for quoted, plain in words]


def test_the_file_type_is_that_of_the_journal(home: Path) -> None:
    setup_desktop.install("/opt/console")
    root = ET.parse(home / "mime/packages/operator-console.xml").getroot()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    inner = root.find(".//m:match/m:match", space)
    glob = root.find(".//m:glob", space)
    assert inner is not None
    assert glob is not None
    assert (int(inner.attrib["value"], 16), inner.attrib["offset"]) == (APPLICATION_ID, "68")
    assert glob.attrib["pattern"] == f"*{SUFFIX}"


@pytest.mark.skipif(
    not (shutil.which("update-mime-database") and shutil.which("gio")), reason="needs shared-mime-info and gio"
)
def test_the_desktop_knows_a_session_by_its_name_and_by_its_content(home: Path, tmp_path: Path) -> None:
    setup_desktop.install("/opt/console")
    named = tmp_path / "one.ocsession"
    with SessionJournal.create(named, tmp_path / "anchors") as journal:
        samples.write_session(journal)
    other = shutil.copy(named, tmp_path / "sent by mail")
    env = {**os.environ, "XDG_DATA_HOME": str(home)}
    for path in (named, other):
        command = ["gio", "info", "-a", "standard::content-type", str(path)]
        told = subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout
        assert TYPE in told


@pytest.mark.parametrize(("given", "used"), [("/x/data", "/x/data"), ("", None), ("relative", None)])
def test_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, given: str, used: str | None) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", given)
    assert setup_desktop.data_home() == (Path(used) if used else Path.home() / ".local/share")


def test_a_folder_that_cannot_be_written_is_named(home: Path) -> None:
    home.mkdir()
    (home / "applications").write_text("a file")
    with pytest.raises(SetupError, match="applications"):
        setup_desktop.install("/opt/console")


def test_missing_programs_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    setup_desktop.install("/opt/console")
    out = capsys.readouterr().out
    assert "shared-mime-info" in out
    assert "desktop-file-utils" in out


def test_it_is_removed_without_a_set_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup_desktop.install("/opt/console")
    monkeypatch.setattr("sys.argv", ["bootstrap.py", "uninstall-desktop"])
    assert bootstrap.main() == 0
    assert installed(home) == []
