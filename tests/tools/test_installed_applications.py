"""Finding applications by their usual names, and the field codes in their command lines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from operator_console.tools.installed_applications import Applications, NoSuchApplication


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    own, shared, programs = tmp_path / "own", tmp_path / "shared", tmp_path / "bin"
    programs.mkdir()
    for name in ("notes", "net", "top", "tool"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    entry(own, "org.example.Notes", "Name=Sticky Notes", "Exec=notes --new %U")
    entry(shared, "org.example.Notes", "Name=Old Notes", "Exec=notes --old")
    entry(shared, "net", "Name=Net", 'Exec=net --name=%c "a b" %% -- %u', "MimeType=x-scheme-handler/https;")
    entry(shared, "monitor", "Name=Monitor", "Exec=top", "Terminal=true")
    entry(shared, "gone", "Name=Gone", "Exec=not-installed")
    entry(shared, "hidden", "Name=Hidden", "Exec=tool --hidden", "Hidden=true")
    (shared / "applications" / "damaged.desktop").write_text("Exec=tool\n[")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mimeapps.list").write_text("[Default Applications]\nx-scheme-handler/https=net.desktop;\n")
    return {
        "PATH": str(programs), "HOME": str(tmp_path), "XDG_DATA_HOME": str(own), "XDG_DATA_DIRS": str(shared),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }  # fmt: skip


def entry(data: Path, name: str, *lines: str) -> None:
    folder = data / "applications"
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["[Desktop Entry]", "Type=Application", *lines, ""])
    (folder / f"{name}.desktop").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", ["Sticky Notes", "sticky  notes", "notes", "NOTES", "org.example.Notes"])
def test_an_application_is_found_by_any_of_its_names(environment: dict[str, str], name: str) -> None:
    assert Applications(environment).find(name).command() == ("notes", "--new")


def test_what_can_be_started_is_listed_by_its_names_for_people(environment: dict[str, str]) -> None:
    assert Applications(environment).names() == ("Monitor", "Net", "Old Notes", "Sticky Notes")


def test_field_codes_are_filled_in(environment: dict[str, str]) -> None:
    found = Applications(environment)
    assert found.find("Net").command("https://x.example/?a=1;b") == (
        "net", "--name=%c", "a b", "%", "--", "https://x.example/?a=1;b"
    )  # fmt: skip
    assert found.find("Net").command() == ("net", "--name=%c", "a b", "%", "--")
    assert found.find("notes").command("https://x.example/") == ("notes", "--new", "https://x.example/")
    assert found.find("monitor").command() == ("x-terminal-emulator", "-e", "top")


def test_a_program_without_an_entry_is_found_on_the_path(environment: dict[str, str]) -> None:
    assert Applications(environment).find("tool").command() == ("tool",)


@pytest.mark.parametrize("name", ["gone", "damaged", "/bin/sh", "tool --version", "tool; rm x", "", "notess"])
def test_what_is_not_there_is_refused_with_the_nearest_names(environment: dict[str, str], name: str) -> None:
    with pytest.raises(NoSuchApplication) as refused:
        Applications(environment).find(name)
    assert name != "notess" or "notes" in str(refused.value)


def test_the_browser_is_the_default_handler(environment: dict[str, str]) -> None:
    assert Applications(environment).browser().name == "Net"
    with pytest.raises(NoSuchApplication):
        Applications({**environment, "XDG_CONFIG_HOME": "/nonexistent"}).browser()


def began(folder: Path) -> int:
    """A time by which everything was installed, and after which the next change of a file lies."""
    now, file = time.time_ns(), folder / "clock"
    # Change times come from a clock that advances in steps.
    while not (file.write_text("x") and file.stat().st_ctime_ns > now):
        pass
    return file.stat().st_ctime_ns


def test_what_appeared_or_changed_since_the_session_began_is_not_found(
    environment: dict[str, str], tmp_path: Path
) -> None:
    installed = Applications(environment, installed_by_ns=began(tmp_path))
    assert installed.find("Sticky Notes").command() == ("notes", "--new")
    entry(tmp_path / "own", "evil", "Name=Evil", "Exec=tool -c id")
    with pytest.raises(NoSuchApplication, match="“Evil” appeared or changed since the session began"):
        installed.find("Evil")
    assert Applications(environment).find("Evil").command() == ("tool", "-c", "id")


@pytest.mark.parametrize("way", ["written over", "renamed into place", "linked"])
def test_an_entry_of_the_session_does_not_hide_the_installed_one(
    environment: dict[str, str], tmp_path: Path, way: str
) -> None:
    entry(tmp_path / "prepared", "x", "Name=Net", "Exec=tool --evil")
    installed = Applications(environment, installed_by_ns=began(tmp_path))
    made, own = tmp_path / "prepared" / "applications" / "x.desktop", tmp_path / "own" / "applications" / "net.desktop"
    match way:
        case "written over":
            own.write_text(made.read_text())
        case "renamed into place":
            made.rename(own)
        case _:
            own.symlink_to(made)
    assert installed.find("Net").words[0] == "net"
    assert installed.browser().name == "Net"


def test_a_program_or_script_that_changed_is_named(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("id")
    installed = Applications(environment, installed_by_ns=began(tmp_path))
    assert installed.changed(("notes", "--new", str(script), "https://x.example/", "/no/such/file")) == ""
    script.write_text("rm")
    assert installed.changed(("notes", str(script))) == str(script)
    (tmp_path / "bin" / "tool").write_text("#!/bin/sh\nid\n")
    assert installed.changed(("tool",)) == str(tmp_path / "bin" / "tool")
    assert Applications(environment).changed(("tool",)) == ""
