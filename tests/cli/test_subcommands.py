"""The command line as a whole: help, usage errors, fast commands, and errors without a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.cli import main
from operator_console.cli.run import ALLOWABLE
from operator_console.cli.subcommands import _COMMANDS
from operator_console.domain.risk import Autonomy, Category, RiskClass
from tests.cli.command import ROOT, command

HEAVY = (
    "PySide6", "qasync", "google", "anthropic", "openai", "rapidocr", "pydantic", "numpy", "PIL", "pynput", "pyautogui",
    "keyring", "Xlib", "xcffib",
)  # fmt: skip


def test_help_lists_every_command() -> None:
    result = command("--help")
    assert result.code == 0
    assert all(f"\n    {name}" in result.out for name in _COMMANDS)


def test_help_names_the_help_pages_that_are_installed() -> None:
    name = command("--help").out.rstrip().rpartition("Help pages: ")[2]
    assert Path(name).read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", list(_COMMANDS))
def test_every_command_has_help(name: str) -> None:
    result = command(name, "--help")
    assert result.code == 0
    assert "exit" in result.out


def test_the_help_of_run_lists_options_targets_levels_and_categories() -> None:
    text = command("run", "--help").out
    for option in ("--target", "--provider", "--model", "--autonomy", "--allow", "--max-steps", "--max-minutes",
                   "--session", "--resume", "--json", "--answer", "--verbose"):  # fmt: skip
        assert option in text
    for word in ("monitor:1", "window:REGEX", "window:0xID", "virtual[:WxH]", "vnc:HOST:PORT", "browser[:URL]"):
        assert word in text
    assert all(level.value in text for level in Autonomy)
    assert set(ALLOWABLE) == {each.value for each in Category if each.risk is RiskClass.C3}
    assert all(name in text for name in ALLOWABLE)


@pytest.mark.parametrize(
    "words",
    [
        ("--nonsense",),
        ("nonsense",),
        ("run",),
        ("run", "task", "--autonomy", "full"),
        ("run", "task", "--max-steps", "many"),
        ("run", "task", "--session", "a", "--resume", "b"),
        ("sessions",),
        ("sessions", "export", "x"),
        ("models", "key"),
        ("stop", "now"),
        ("run", "task", "--max", "3"),
    ],
)
def test_a_usage_error_exits_with_2(words: tuple[str, ...]) -> None:
    result = command(*words)
    assert result.code == 2
    assert "usage: operator-console" in result.err


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["status"], ["status", "--json"], ["stop"]])
def test_fast_commands_import_no_large_packages(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":7654321")
    program = (
        "import sys\nfrom operator_console.cli import main\n"
        f"try:\n    code = main({words!r})\nexcept SystemExit as end:\n    code = end.code\n"
        "assert not code, code\n"
        "print('\\n' + ' '.join(sorted(name.partition('.')[0] for name in sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "operator_console" in loaded
    assert not loaded & set(HEAVY)
    assert words[0] == "run" or "typing" not in loaded


def test_stop_status_and_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":7654321")  # nothing runs there; only the latch is used
    assert json.loads(command("status", "--json").out)["state"] == "idle"
    stopped = command("stop")
    assert stopped.code == 0
    assert "reset" in stopped.out
    status = json.loads(command("status", "--json").out)
    assert status["state"] == "stopped"
    assert status["reason"] == "command"
    assert status["since"].endswith("Z")
    assert status["stop_live"] is False
    elsewhere = command("status", "--json", "--display", ":7654322")  # no X server is needed
    assert (elsewhere.code, json.loads(elsewhere.out)["state"]) == (0, "idle")

    nobody = command("reset")
    assert nobody.code == 1, "not confirmed, as with another word"
    assert "--yes" in nobody.err
    assert command("reset", stdin="rest\n").code == 1
    assert json.loads(command("status", "--json").out)["state"] == "stopped"
    assert command("reset", "--yes").code == 0
    assert json.loads(command("status", "--json").out)["state"] == "idle"
    again = command("reset", "--yes")
    assert (again.code, "Nothing was stopped" in again.out) == (0, True)


def test_typing_the_word_resets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":7654321")
    command("stop")
    assert command("reset", stdin="reset\n").code == 0
    assert json.loads(command("status", "--json").out)["state"] == "idle"


def test_without_a_display_they_act_on_the_sessions_without_one() -> None:
    assert json.loads(command("status", "--json").out)["state"] == "idle"
    assert "--display" in command("status").out, "where a session on a desktop is told"
    assert command("stop").out.startswith("no display: stopped (the stop command)")
    for words in (("status", "--json"), ("status", "--json", "--display", "none")):
        found = json.loads(command(*words).out)
        assert (found["state"], found["display"]) == ("stopped", "none")
    refused = command("run", 'click "OK"', "--provider", "runbook", "--target", "browser")
    assert refused.code == 5
    assert "Sessions without a display are stopped." in refused.err
    assert command("reset", "--yes").code == 0
    assert json.loads(command("status", "--json").out)["state"] == "idle"


def test_a_run_on_a_monitor_is_refused_where_there_is_no_display() -> None:
    refused = command("run", 'click "OK"', "--provider", "runbook", "--target", "monitor:1")
    assert refused.code == 5
    assert "There is no display." in refused.err


@pytest.mark.parametrize("words", [("stop",), ("status",), ("sessions", "list")])
def test_an_unusable_home_folder_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    home = tmp_path / "file"
    home.touch()
    result = command(*words, OPERATOR_CONSOLE_HOME=str(home), DISPLAY=":7654321")
    assert result.code == (1 if words[0] == "sessions" else 5)
    assert str(home) in result.err


def test_an_internal_error_is_reported_and_logged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from operator_console.settings.file_locations import find_paths

    def broken(*_: object) -> object:
        raise KeyError("the secret of the bug")

    monkeypatch.setattr("operator_console.journal.summary.list_sessions", broken)
    assert main(["sessions", "list"]) == 1
    shown = capsys.readouterr().err
    assert "KeyError" in shown
    assert "Traceback" not in shown
    assert str(find_paths().log_file) in shown
    assert "the secret of the bug" in find_paths().log_file.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_output_for_a_full_disk_is_told_and_is_no_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert main(["status"]) == 1
    assert "The output cannot be written." in capsys.readouterr().err


def test_a_terminal_that_lacks_characters_shows_escapes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(shown, encoding="ascii", write_through=True))
    assert main(["sessions", "show", str(tmp_path / "größe.ocsession")]) != 0
    assert b"gr\\xf6" in shown.getvalue()


def test_what_is_refused_is_logged_in_words() -> None:
    from operator_console.settings.file_locations import find_paths

    refused = command("run", "Do it.", "--model", "gemini-3.8-flash", GEMINI_API_KEY="x")
    assert refused.code == 5
    logged = find_paths().log_file.read_text()
    assert refused.err.partition("\n")[0].removeprefix("operator-console: ") in logged
    assert "Traceback" not in logged


def test_a_closed_pipe_that_is_not_the_output_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from operator_console.cli import main

    def broken(*_: object) -> object:
        raise BrokenPipeError

    monkeypatch.setattr("operator_console.journal.summary.list_sessions", broken)
    assert main(["sessions", "list"]) == 1
    assert "BrokenPipeError" in capfd.readouterr().err


def test_targets_without_a_display_are_refused() -> None:
    result = command("targets")
    assert result.code == 5
    assert result.err.count("\n") >= 2


def test_doctor_names_a_remedy_for_every_failed_check() -> None:
    result = command("doctor", "--json")
    assert result.code == 1
    checks = {check["name"]: check for check in json.loads(result.out)}
    assert checks["records"]["ok"]
    assert checks["python"]["ok"]
    assert not checks["display"]["ok"]
    assert checks["display"]["remedy"]
    assert not checks["keyring"]["ok"]
    assert all(check["ok"] or check["remedy"] for check in checks.values())
