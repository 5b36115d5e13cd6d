"""What a terminal does: it asks guards, stops those that hang, and has what a dead one left held released."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus, ResetRefused
from operator_console.private_files import short_path

SINCE = "2026-01-01T00:00:00Z"
STOPPED = LatchStatus(display=":7", state=LatchState.STOPPED, reason="corner", since=SINCE)


class Guard:
    """Answers one terminal after another on the socket of a display.

    Attributes:
        answers: sent in turn, the last one again and again; None: it closes without an answer.
        asked: what it was asked.
    """

    def __init__(self, display: str, pid: int, *answers: dict[str, Any] | bytes | None) -> None:
        self.answers, self.asked = list(answers), list[dict[str, Any]]()
        self.path = latch.path_of(display, f"{pid}.sock")
        self._listening = socket.socket(socket.AF_UNIX)
        with short_path(self.path) as name:
            self._listening.bind(name)
        self._listening.listen()
        self._serving = threading.Thread(target=self._serve)
        self._serving.start()

    def _serve(self) -> None:
        while True:
            line, _ = self._listening.accept()
            with line, line.makefile("rb") as lines:
                request = json.loads(lines.readline() or b"null")
                if request == {"do": "end"}:
                    return
                self.asked.append(request)
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if answer is not None:
                    with contextlib.suppress(ConnectionError):  # who asked has gone
                        line.sendall(answer if isinstance(answer, bytes) else json.dumps(answer).encode() + b"\n")

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX) as line:
            with short_path(self.path) as name:
                line.connect(name)
            line.sendall(b'{"do": "end"}\n')
        self._serving.join()
        self._listening.close()


@pytest.fixture
def guards() -> Iterator[list[Guard]]:
    made: list[Guard] = []
    yield made
    for guard in made:
        guard.close()


def told(state: LatchState, **more: Any) -> dict[str, Any]:
    return latch.as_dict(LatchStatus(display=":7", state=state, **more))


def test_a_guard_answers_for_its_display_and_no_other(guards: list[Guard]) -> None:
    guards.append(Guard(":7", 11, told(LatchState.RUNNING, since=SINCE, session="s", stop_live=True, pid=11)))
    status = latch.read_status(":7.0")
    assert status == LatchStatus(
        display=":7", state=LatchState.RUNNING, since=SINCE, session="s", stop_live=True, pid=11
    )
    assert guards[0].asked == [{"do": "status"}]
    assert latch.read_status(":8").state is LatchState.IDLE
    assert len(guards[0].asked) == 1


def test_of_several_guards_one_that_is_not_idle_answers(guards: list[Guard]) -> None:
    guards.append(Guard(":7", 11, told(LatchState.IDLE, stop_live=True)))
    guards.append(Guard(":7", 12, told(LatchState.PAUSED, reason="human")))
    guards.append(Guard(":7", 13, told(LatchState.IDLE)))
    assert latch.read_status(":7").reason == "human"


def test_an_idle_guard_that_has_not_read_a_stop_yet_is_not_believed(guards: list[Guard]) -> None:
    guards.append(Guard(":7", 11, told(LatchState.IDLE, stop_live=True)))
    assert latch.read_status(":7").stop_live is True
    latch.write_latch(STOPPED)
    assert latch.read_status(":7").reason == "corner"


@pytest.mark.parametrize("answer", [None, b"no JSON\n", b"[]\n"])
def test_a_guard_that_answers_nothing_of_use_is_left_out(guards: list[Guard], answer: bytes | None) -> None:
    guards.append(Guard(":7", 11, answer))
    latch.write_latch(STOPPED)
    assert latch.read_status(":7").reason == "corner"
    assert guards[0].path.exists()


def test_the_socket_of_a_dead_guard_is_removed_and_other_files_are_none() -> None:
    with socket.socket(socket.AF_UNIX) as line, short_path(latch.path_of(":7", "11.sock")) as name:
        line.bind(name)
    latch.path_of(":7", "x.sock").touch()
    assert latch.read_status(":7").state is LatchState.IDLE
    assert [path.name for path in latch.run_dir().iterdir()] == ["_3a7.x.sock"]
    assert latch._ask(latch._Guard(":7", 11, latch.path_of(":7", "11.sock")), "status") is None, "it has just gone"


def test_a_guard_of_a_display_of_a_machine_with_dots_in_its_name_is_stopped_too(guards: list[Guard]) -> None:
    guards.append(Guard("far.example:1", 11, told(LatchState.STOPPED, reason="hotkey")))
    stopped = latch.request_stop(":7")
    assert [(each.display, each.reason) for each in stopped] == [(":7", "command"), ("far.example:1", "hotkey")]


def test_a_guard_of_another_user_is_not_asked(guards: list[Guard], monkeypatch: pytest.MonkeyPatch) -> None:
    guards.append(Guard(":7", 11, told(LatchState.PAUSED)))
    monkeypatch.setattr(latch, "peer_is_us", lambda _line: False)
    assert latch.read_status(":7").state is LatchState.IDLE


def test_a_stop_asks_every_guard_and_latches_where_its_write_still_waits(guards: list[Guard]) -> None:
    by_guard = told(LatchState.STOPPED, reason="hotkey", since=SINCE, session="s")
    guards.append(Guard(":8", 11, by_guard))
    stopped = latch.request_stop(":7")
    assert [(each.display, each.state, each.reason) for each in stopped] == [
        (":7", LatchState.STOPPED, "command"), (":8", LatchState.STOPPED, "hotkey")
    ]  # fmt: skip
    assert stopped[0].since <= latch.now_text()
    assert guards[0].asked == [{"do": "stop", "cause": "command"}]
    assert latch.read_file(":8").session == "s"
    assert latch.read_file(":7").since == stopped[0].since


def test_a_damaged_latch_is_written_again_by_a_stop() -> None:
    latch.path_of(":7", "latch.json").mkdir()
    latch.path_of(":7", "latch.json").rmdir()
    assert latch.request_stop(":7")[0].reason == "command"
    latch.path_of(":7", "latch.json").write_bytes(b"{")
    assert latch.request_stop(":7")[0].detail == "The latch file cannot be read."


def test_a_guard_that_hangs_is_killed_and_nothing_else(guards: list[Guard], monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[tuple[int, int]] = []

    def kill(pid: int, number: int) -> None:
        killed.append((pid, number))
        raise ProcessLookupError  # it ended by itself meanwhile

    monkeypatch.setattr(os, "kill", kill)
    guards.append(Guard(":7", 11, None))
    monkeypatch.setattr(latch, "_is_guard", lambda pid: pid == 11)
    latch.request_stop(":7")
    assert killed == [(11, signal.SIGKILL)]
    monkeypatch.setattr(latch, "_is_guard", lambda _pid: False)
    latch.request_stop(":7")
    assert len(killed) == 1
    assert latch.read_file(":7").reason == "command"


def test_a_guard_is_known_by_its_command_line() -> None:
    command = [sys.executable, "-c", "print(1, flush=True); input()", "-m", "operator_console.guard"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as guard:
        assert guard.stdout is not None
        assert guard.stdout.readline() == b"1\n"  # it runs
        assert latch._is_guard(guard.pid)
        guard.communicate(b"\n")
    assert not latch._is_guard(os.getpid())
    assert not latch._is_guard(2**22 + 1)


def test_a_reset_is_refused_while_a_session_runs(guards: list[Guard]) -> None:
    guards.append(Guard(":7", 11, told(LatchState.PAUSED)))
    with pytest.raises(ResetRefused) as caught:
        latch.reset(":7")
    assert caught.value.text == str(caught.value) == notice(NoticeCode.SESSION_USES_DISPLAY)


def test_a_reset_is_told_to_every_guard_of_the_display(guards: list[Guard]) -> None:
    latch.write_latch(STOPPED)
    guards.append(Guard(":7", 11, told(LatchState.IDLE, stop_live=True)))
    guards.append(Guard(":8", 12, told(LatchState.IDLE)))
    assert latch.reset(":7").state is LatchState.IDLE
    assert [request["do"] for request in guards[0].asked] == ["status", "reset", "status"]
    assert guards[1].asked == []
    assert not latch.path_of(":7", "latch.json").exists()


@pytest.fixture
def cleaning(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The calls of the guard that cleans; its result is the last one's "result"."""
    calls: list[dict[str, Any]] = [{"result": subprocess.CompletedProcess([], 0, "", "")}]

    def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        result = calls[0]["result"]
        calls.append({"command": command, **more})
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, subprocess.CompletedProcess)
        return result

    monkeypatch.setattr(subprocess, "run", run)
    latch.write_latch(STOPPED)
    return calls


def test_what_a_dead_guard_left_held_is_released_before_the_latch_goes(cleaning: list[dict[str, Any]]) -> None:
    ledger = latch.path_of(":7", "ledger")
    ledger.touch()
    assert latch.reset(":7").state is LatchState.IDLE
    [call] = cleaning[1:]
    assert call["command"] == [
        sys.executable, "-P", "-m", "operator_console.guard", "--display", ":7", "--clean", str(ledger)
    ]  # fmt: skip
    assert (call["timeout"], call["capture_output"], call["text"]) == (15.0, True, True)
    assert call["env"] == latch.child_environment()


def test_without_a_ledger_or_while_another_session_holds_it_nothing_is_released(cleaning: list[dict[str, Any]]) -> None:
    latch.reset(":7")
    latch.write_latch(STOPPED)
    latch.path_of(":7", "ledger").touch()
    lock = latch.take_lock(":7")
    assert lock is not None
    latch._clean(":7")
    os.close(lock)
    assert cleaning[1:] == []


def test_a_display_that_cannot_be_released_stays_latched(cleaning: list[dict[str, Any]]) -> None:
    latch.path_of(":7", "ledger").touch()
    output = "x" * 400
    for result, text in (
        (
            subprocess.CompletedProcess([], 1, "", f" {output}\n"),
            notice(NoticeCode.HELD_INPUT_NOT_RELEASED, output="x" * 300),
        ),
        (subprocess.TimeoutExpired("guard", 15), notice(NoticeCode.HELD_INPUT_DISPLAY_SILENT)),
    ):
        cleaning[0]["result"] = result
        with pytest.raises(ResetRefused) as caught:
            latch.reset(":7")
        assert caught.value.text == text
        assert latch.read_file(":7").reason == "corner"


def test_a_display_stopped_together_that_still_runs_is_left_alone_and_one_that_stands_is_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cleaned: list[str] = []
    monkeypatch.setattr(latch, "_clean", cleaned.append)
    monkeypatch.setattr(latch, "_gone", lambda _display: False)
    displays = (":7", ":8", ":9")
    for display in displays:
        latch.write_latch(LatchStatus(display=display, state=LatchState.STOPPED, reason="lapse", displays=displays))
    lock = latch.take_lock(":9")
    assert lock is not None
    latch.reset(":7")
    assert latch.read_file(":8").state is LatchState.IDLE
    assert latch.read_file(":9").reason == "lapse"
    assert cleaned == [":7", ":8"]
    os.close(lock)


@pytest.mark.parametrize(
    ("display", "gone"), [(":987654", True), ("host:987654", False), (NO_DISPLAY, False), (":987654x", False)]
)
def test_only_a_display_of_this_machine_is_known_to_have_ended(display: str, gone: bool) -> None:
    assert latch._gone(display) == gone


def test_a_display_with_a_server_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def exists(path: Path) -> bool:
        asked.append(str(path))
        return True

    monkeypatch.setattr(Path, "exists", exists)
    assert not latch._gone(":41")
    assert asked == ["/tmp/.X11-unix/X41"]
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not latch._gone(":987654")


@pytest.mark.parametrize(
    ("status", "text", "detail"),
    [
        (
            LatchStatus(display=":7", state=LatchState.STOPPED, reason="hotkey"),
            NoticeCode.DISPLAY_STOPPED, joined(notice(NoticeCode.REASON, reason="hotkey"), ""),
        ),
        (
            LatchStatus(
                display=NO_DISPLAY, state=LatchState.STOPPED, reason="hotkey", detail="d", since=SINCE, session="s"
            ),
            NoticeCode.STOPPED_WITHOUT_DISPLAY,
            joined(
                notice(
                    NoticeCode.REASON_SINCE, time=SINCE,
                    reason=notice(NoticeCode.REASON_WITH_DETAIL, reason="hotkey", detail="d"),
                ),
                notice(NoticeCode.ITS_RECORD, path="s"),
            ),
        ),
    ],
    ids=["reason alone", "with all that is known"],
)  # fmt: skip
def test_a_refused_start_says_why_since_when_and_where_the_record_is(
    status: LatchStatus, text: NoticeCode, detail: str
) -> None:
    error = latch.stopped(status)
    assert str(error) == str(OperatorError(notice(text), detail=detail, remedy=notice(NoticeCode.LOOK_RESET_AND_START)))
    assert error.detail == detail


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"OPERATOR_CONSOLE_HOME": "{home}/own"}, "own/run"),
        ("linux", {"XDG_STATE_HOME": "{home}/state"}, "state/operator-console/run"),
        ("linux", {}, ".local/state/operator-console/run"),
        ("darwin", {}, "Library/Application Support/operator-console/run"),
        ("win32", {"LOCALAPPDATA": "{home}/local"}, "local/operator-console/run"),
        ("win32", {}, "operator-console/run"),
    ],
)
def test_the_run_folder_is_where_each_platform_keeps_a_state(
    platform: str, environment: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPERATOR_CONSOLE_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value.format(home=tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    made: list[Path] = []
    monkeypatch.setattr(latch, "make_private_folder", made.append)
    assert latch.run_dir() == tmp_path / folder
    assert made == [tmp_path / folder]


def test_a_child_gets_no_keys_and_finds_this_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "before")
    environment = latch.child_environment()
    assert "GEMINI_API_KEY" not in environment
    package = str(Path(latch.__file__).resolve().parents[2])
    assert environment["PYTHONPATH"] == os.pathsep.join((package, "before"))
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
    assert environment["HOME"] == os.environ["HOME"]
    monkeypatch.delenv("PYTHONPATH")
    assert latch.child_environment()["PYTHONPATH"] == package


def test_the_time_is_told_in_microseconds_of_utc() -> None:
    assert len(latch.now_text()) == len("2026-01-01T00:00:00.000000Z")
    assert latch.now_text().endswith("Z")


def test_every_field_of_a_status_survives_the_file() -> None:
    status = LatchStatus(
        display=":7", state=LatchState.STOPPED, reason="r", detail="d", since=SINCE, stop_live=False, session="s",
        pid=3, console_pid=4, displays=(":7", ":8"),
    )  # fmt: skip
    latch.write_latch(status)
    assert latch.read_file(":7") == status
    assert latch.status_in(":7", {"state": "idle"}) == LatchStatus(display=":7", state=LatchState.IDLE)
