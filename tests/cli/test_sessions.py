"""`sessions` and `models` through the command line."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from operator_console.domain.elements import Control, ControlSource, Role
from operator_console.domain.events import Decided
from operator_console.journal.read import Reader
from operator_console.settings.file_locations import find_paths
from tests.cli.command import command, operator_console, unread
from tests.journal import samples
from tests.journal.conftest import Place
from tests.journal.samples import write_session


@pytest.fixture
def session() -> Place:
    paths = find_paths()
    place = Place(file=paths.new_session(), anchors=paths.anchors)
    with place.create() as journal:
        write_session(journal)
    return place


def test_list_shows_name_size_result_and_task(session: Place) -> None:
    result = command("sessions", "list")
    assert result.code == 0
    assert result.out.split()[:6] == ["Name", "Started", "(UTC)", "Size", "Result", "Task"]
    assert session.file.stem in result.out
    assert "finished" in result.out
    assert "Write a note" in result.out
    assert "kB" in result.out
    assert "what was typed, except into fields known as ones for passwords" in result.out
    (row,) = json.loads(command("sessions", "list", "--json").out)
    assert row["created"][:16].replace("T", " ") in result.out, "also of a session that was renamed"
    assert (row["file"], row["bytes"], row["steps"]) == (str(session.file), session.file.stat().st_size, 2)


def test_list_without_sessions() -> None:
    result = command("sessions", "list")
    assert (result.code, "No sessions" in result.out) == (0, True)


def test_show_prints_each_step_without_control_characters(session: Place) -> None:
    result = command("sessions", "show", session.file.stem)
    assert result.code == 0
    assert "Click" in result.out
    assert "\n   1  " in result.out
    assert "\n   2  " in result.out
    assert "\x1b" not in result.out
    assert "\u202e" not in result.out
    assert "Zażółć" in result.out


def test_verify_tells_intact_elsewhere_damaged_and_no_session_apart(session: Place, tmp_path: Path) -> None:
    assert command("sessions", "verify", str(session.file)).code == 0
    elsewhere = command("sessions", "verify", str(session.file), OPERATOR_CONSOLE_HOME=str(tmp_path / "other"))
    assert elsewhere.code == 6
    assert json.loads(command("sessions", "verify", session.file.stem, "--json").out)["finding"] == "intact"

    connection = sqlite3.connect(session.file, isolation_level=None)
    connection.execute("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)")
    connection.close()
    damaged = command("sessions", "verify", str(session.file))
    assert damaged.code == 1
    assert "end is missing" in damaged.out

    session.file.write_text("no session")
    assert command("sessions", "verify", str(session.file)).code == 2
    assert command("sessions", "verify", "nowhere").code == 2


def test_an_interrupted_session_names_its_last_action() -> None:
    paths = find_paths()
    place = Place(file=paths.new_session(), anchors=paths.anchors)
    with place.create() as journal:
        write_session(journal, end=False)
    for verb in ("show", "verify"):
        result = command("sessions", verb, str(place.file))
        assert result.code == 0
        assert "interrupted. Last action: step 2, call 2: Type" in result.out
        assert ": done." in result.out


def test_replay_prints_the_same_as_the_live_run(session: Place) -> None:
    lines = command("sessions", "replay", str(session.file))
    assert lines.code == 0
    assert len(lines.out.splitlines()) == 2  # one line a step
    assert "Finished after 2 steps" in lines.err
    objects = command("sessions", "replay", str(session.file), "--json")
    with Reader(session.file) as reader:
        stored = [dict(entry.object) for entry in reader.entries()]
    assert [json.loads(line) for line in objects.out.splitlines()] == stored


@pytest.mark.parametrize("speed", ["nan", "inf", "-inf", "-1", "fast"])
def test_a_speed_that_is_none_is_wrong_usage(session: Place, speed: str) -> None:
    result = command("sessions", "replay", str(session.file), f"--speed={speed}")
    assert (result.code, result.out) == (2, "")
    assert "--speed" in result.err


def test_a_closed_pipe_is_no_error(session: Place) -> None:
    for words, unbuffered in ((("list",), ""), (("show", str(session.file)), "1")):
        result = unread("sessions", *words, PYTHONUNBUFFERED=unbuffered)
        assert (result.code, result.err) == (0, "")
    assert "Traceback" not in find_paths().log_file.read_text()
    session.file.with_name("copied.ocsession").write_bytes(session.file.read_bytes()[:-4096])
    damaged = unread("sessions", "verify", "copied", PYTHONUNBUFFERED="")
    assert damaged.code == command("sessions", "verify", "copied").code != 0


def test_export(session: Place, tmp_path: Path) -> None:
    for suffix in (".html", ".jsonl", ".zip"):
        target = tmp_path / f"out{suffix}"
        assert command("sessions", "export", str(session.file), "--to", str(target)).code == 0
        assert target.stat().st_size > 500
        assert command("sessions", "export", str(session.file), "--to", str(target)).code == 2
    assert "Click" in (tmp_path / "out.html").read_text("utf-8")
    assert command("sessions", "export", str(session.file), "--to", str(tmp_path / "out.doc")).code == 2


def test_the_exported_page_names_the_control_and_the_window_that_were_hit(tmp_path: Path) -> None:
    paths = find_paths()
    place = Place(file=paths.new_session(), anchors=paths.anchors)
    control = Control(source=ControlSource.ACCESSIBLE, role=Role.BUTTON, name="Save", window="Plant diary")
    with place.create() as journal:
        journal.append(samples.started())
        for event in samples.step_events(1, "ab"):
            if isinstance(event, Decided) and event.call == 0 and event.assessment is not None:
                journal.append(replace(event, assessment=replace(event.assessment, control=control)))
            else:
                journal.append(event)
    assert command("sessions", "export", str(place.file), "--to", str(tmp_path / "out.html")).code == 0
    page = (tmp_path / "out.html").read_text("utf-8")
    assert "Click button “Save” in “Plant diary”</p>" in page
    assert "<dd>left button, at 10, 20</dd>" in page


def test_delete(session: Place) -> None:
    copied = session.file.with_name("copied.ocsession")
    shutil.copy(session.file, copied)
    assert command("sessions", "delete", "copied", "--yes").code == 0
    assert not copied.exists()
    assert command("sessions", "verify", session.file.stem).code == 0, "its anchor was not the copy's alone"
    assert command("sessions", "delete", session.file.stem, "--yes").code == 0
    assert not session.file.exists()
    assert not list(session.anchors.glob("*.anchor"))
    assert command("sessions", "delete", session.file.stem, "--yes").code == 2


def test_what_was_deleted_is_noted_and_listed_where_the_settings_say_so(session: Place) -> None:
    assert "nothing was noted" in command("sessions", "list", "--deleted").out
    settings = find_paths().settings
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[record]\ntombstones = true\n")
    assert command("sessions", "delete", session.file.stem, "--yes").code == 0
    listed = command("sessions", "list", "--deleted").out
    assert listed.startswith(f"{session.file.stem}: begun ")
    assert "was changed" not in listed
    (stone,) = json.loads(command("sessions", "list", "--deleted", "--json").out)
    assert (stone["file"], stone["genuine"]) == (session.file.stem, True)


@pytest.mark.parametrize(("answer", "kept"), [("no\n", True), ("", True), ("yes\n", False)])
def test_delete_asks_without_a_terminal_too(session: Place, answer: str, kept: bool) -> None:
    result = command("sessions", "delete", session.file.stem, stdin=answer)
    assert (result.code, session.file.exists()) == (1 if kept else 0, kept)
    assert ("Not deleted" in result.err) is kept


def test_a_key_is_read_from_stdin_and_never_printed() -> None:
    key = "a-test-key-of-nobody-4242"
    backend = {"PYTHON_KEYRING_BACKEND": "tests.settings.memory_keyring.MemoryKeyring"}
    result = operator_console("models", "key", "gemini", stdin=f"{key}\n", **backend)
    assert (result.code, "stored" in result.out) == (0, True)
    assert key not in result.out + result.err
    assert key not in "".join(path.read_text() for path in find_paths().logs.iterdir())
    assert command("models", "key", "gemini", stdin="\n").code == 2
    assert command("models", "key", "nobody", stdin="x\n").code == 2


def test_a_keyring_that_stores_nothing_is_an_error() -> None:
    result = command("models", "key", "gemini", stdin="a-test-key-of-nobody-4242\n")
    assert result.code == 5
    assert "GEMINI_API_KEY" in result.err
    assert "4242" not in result.out + result.err


def test_models_show_what_is_sent_to_the_service() -> None:
    result = command("models", GEMINI_API_KEY="a-test-key-of-nobody-4242")
    assert result.code == 0
    assert "key from GEMINI_API_KEY" in result.out
    assert "sends pictures" in result.out
    assert "4242" not in result.out
    rows = json.loads(command("models", "list", "--json").out)
    assert {row["provider"]: row["available"] for row in rows}["runbook"]
    assert command("models", "check", "gemini").code == 5
    assert command("models", "check", "runbook").code == 0
