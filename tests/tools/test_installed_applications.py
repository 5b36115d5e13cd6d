"""Finding applications by their usual names, and the field codes in their command lines."""

from __future__ import annotations

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


def later(path: Path, since_s: float) -> Path:
    """Touch a file until the clock of the file system says that it changed after `since_s`."""
    while path.lstat().st_ctime <= since_s:
        path.touch()
    return path


def test_what_was_written_since_is_not_an_application(environment: dict[str, str], tmp_path: Path) -> None:
    data, programs = Path(environment["XDG_DATA_HOME"]), Path(environment["PATH"])
    since_s = max(path.lstat().st_ctime for path in tmp_path.rglob("*"))
    found = Applications(environment, installed_before_s=since_s)
    assert found.find("notes").command() == ("notes", "--new")
    entry(data, "fresh", "Name=Fresh", "Exec=tool --fresh")
    later(data / "applications" / "fresh.desktop", since_s)
    entry(data, "monitor", "Name=Monitor", "Exec=tool --instead")
    later(data / "applications" / "monitor.desktop", since_s)
    (programs / "new").write_text("#!/bin/sh\n")
    (programs / "new").chmod(0o755)
    later(programs / "new", since_s)
    for name in ("Fresh", "new"):
        assert Applications(environment).find(name).words
        with pytest.raises(NoSuchApplication):
            found.find(name)
    assert found.find("Monitor").command()[-1] == "top", "the entry that was there before"
    later(programs / "tool", since_s)
    with pytest.raises(NoSuchApplication):
        found.find("tool")


def test_a_default_that_was_set_since_does_not_count(environment: dict[str, str], tmp_path: Path) -> None:
    since_s = max(path.lstat().st_ctime for path in tmp_path.rglob("*"))
    later(Path(environment["XDG_CONFIG_HOME"]) / "mimeapps.list", since_s)
    with pytest.raises(NoSuchApplication):
        Applications(environment, installed_before_s=since_s).browser()
