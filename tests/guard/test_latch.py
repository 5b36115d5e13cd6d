"""Latch files: the state that they mean, stop and reset from a terminal, file names and permissions."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from operator_console.domain.errors import OperatorError
from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus, refuse_if_stopped
from operator_console.private_files import lock_descriptor, lock_file, open_private
from tests.small_disk import small_disk


def status(state: LatchState, **more: str) -> LatchStatus:
    return LatchStatus(display=":7", state=state, since=latch.now_text(), **more)  # type: ignore[arg-type]


def test_a_display_without_files_is_idle() -> None:
    assert latch.read_status(":7").state is LatchState.IDLE


def test_an_armed_latch_without_a_lock_counts_as_stopped() -> None:
    latch.write_latch(status(LatchState.RUNNING, session="s"))
    found = latch.read_file(":7")
    assert (found.state, found.reason, found.session) == (LatchState.STOPPED, "guard_died", "s")
    lock = latch.take_lock(":7")
    assert lock is not None
    assert latch.read_file(":7").state is LatchState.RUNNING
    assert latch.take_lock(":7") is None
    os.close(lock)


@pytest.mark.parametrize(
    "then", [None, status(LatchState.STOPPED, reason="hotkey"), status(LatchState.RUNNING, session="next")]
)
def test_a_session_that_ends_while_its_files_are_read_did_not_die(
    monkeypatch: pytest.MonkeyPatch, then: LatchStatus | None
) -> None:
    """It ends after the latch was read and before the lock is looked at; `then`: what is in the file from then on."""
    latch.write_latch(status(LatchState.RUNNING, session="s"))
    looks: list[bool] = []

    def locked(display: str) -> bool:
        looks.append(True)
        if len(looks) > 1:
            return True
        if then is None:
            latch.clear_latch(display)
        else:
            latch.write_latch(then)
        return False

    monkeypatch.setattr(latch, "locked", locked)
    found = latch.read_file(":7")
    assert (found.state, found.session) == ((then.state, then.session) if then else (LatchState.IDLE, ""))


def test_an_armed_latch_whose_lock_cannot_be_opened_counts_as_stopped() -> None:
    latch.write_latch(status(LatchState.RUNNING))
    latch.path_of(":7", "lock").mkdir()
    assert latch.read_file(":7").state is LatchState.STOPPED


def test_checking_a_lock_does_not_disturb_others() -> None:
    looking = lock_file(latch.path_of(":7", "lock"), shared=True)
    assert looking is not None
    assert not latch.locked(":7")  # a shared lock is not a session's
    leaving = threading.Timer(0.05, os.close, (looking,))
    leaving.start()
    taken = latch.take_lock(":7")
    leaving.join()
    assert taken is not None
    assert latch.locked(":7")
    os.close(taken)


def test_a_press_of_stop_in_the_window_reaches_the_other_guards_of_its_display(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, str]] = []

    def ask(guard: latch._Guard, request: str, *, cause: str) -> dict[str, str]:
        asked.append((guard.pid, f"{request} {cause}"))
        return {}

    monkeypatch.setattr(latch, "_ask", ask)
    for display, pid in ((":7", 11), (":7", 12), (":8", 13)):
        latch.path_of(display, f"{pid}.sock").touch()
    latch.stop_others(":7.0", own_pid=11)
    assert asked == [(12, "stop button")]


def test_what_was_stopped_together_is_reset_together() -> None:
    both = (":7", ":987654")
    for display in both:
        stopped = replace(status(LatchState.STOPPED, reason="hotkey"), display=display, displays=both)
        latch.write_latch(stopped, keep_room=True)
    latch.path_of(":987654", "lock").touch()
    latch.path_of(":987654", "ledger").touch()
    assert latch.reset(":7").state is LatchState.IDLE
    assert latch.read_file(":987654").state is LatchState.IDLE
    assert [path.name for path in latch.run_dir().iterdir() if "987654" in path.name] == []


@pytest.mark.parametrize("state", [LatchState.RUNNING, LatchState.PAUSED, LatchState.STOPPED])
def test_the_holder_of_the_lock_refuses_an_armed_latch_left_by_a_dead_session(state: LatchState) -> None:
    latch.write_latch(status(state, reason="x"))
    lock = latch.take_lock(":7")
    assert lock is not None
    with pytest.raises(OperatorError, match="stopped"):
        refuse_if_stopped([":7"], ours=True)
    os.close(lock)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"state": "fine"}', b"\xff\xfe"])
def test_an_unreadable_latch_counts_as_stopped(content: bytes) -> None:
    latch.path_of(":7", "latch.json").write_bytes(content)
    assert latch.read_file(":7").state is LatchState.STOPPED


def test_files_are_private_and_complete() -> None:
    latch.write_latch(status(LatchState.STOPPED, reason="hotkey", detail="x" * 5000))
    path = latch.path_of(":7", "latch.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(latch.run_dir().stat().st_mode) == 0o700
    assert [p.name for p in latch.run_dir().iterdir() if p.suffix == ".new"] == []
    assert latch.read_file(":7").reason == "hotkey"


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Fills the disk: from then on there is no room for another file, nor for a longer one."""

    def opened(path: Path, flags: int) -> int:
        if flags & os.O_TRUNC or not path.exists() or path.stat().st_blocks == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return open_private(path, flags)

    return lambda: monkeypatch.setattr(latch, "open_private", opened)


def test_what_keeps_its_room_is_written_on_a_full_disk(full: Callable[[], None]) -> None:
    latch.write_latch(status(LatchState.RUNNING, session="s"), keep_room=True)
    full()
    for reason, detail in (("hotkey", "x" * 2000), ("corner", "")):
        latch.write_latch(status(LatchState.STOPPED, reason=reason, detail=detail), keep_room=True)
        found = latch.read_file(":7")
        assert (found.state, found.reason, found.detail) == (LatchState.STOPPED, reason, detail)
    latch.clear_latch(":7")
    latch.write_latch(status(LatchState.RUNNING, session="next"), keep_room=True)
    assert latch.read_file(":7", held=True).session == "next"


def test_without_kept_room_a_full_disk_is_an_error_and_the_latch_is_as_before(full: Callable[[], None]) -> None:
    latch.write_latch(status(LatchState.STOPPED, reason="corner"))
    full()
    with pytest.raises(OSError, match="No space"):
        latch.write_latch(status(LatchState.STOPPED, reason="hotkey"))
    assert latch.read_file(":7").reason == "corner"


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of 64 kB with the run folder on it."""
    folder = tmp_path / "small"
    folder.mkdir()
    with small_disk(folder, "64k"):
        monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(folder))
        yield folder


def test_a_real_full_disk_delays_no_latch(disk: Path) -> None:
    latch.write_latch(status(LatchState.RUNNING), keep_room=True)
    with pytest.raises(OSError, match="No space"):
        (disk / "ballast").write_bytes(bytes(1 << 20))
    for reason in ("hotkey", "corner", "command"):
        latch.write_latch(status(LatchState.STOPPED, reason=reason, detail="x" * 2000), keep_room=True)
        assert latch.read_file(":7").reason == reason
    latch.clear_latch(":7")
    assert latch.read_file(":7").state is LatchState.IDLE


def test_what_is_being_read_is_not_overwritten() -> None:
    latch.write_latch(status(LatchState.RUNNING, session="read"), keep_room=True)
    with latch.path_of(":7", "latch.json").open("rb") as reader:
        assert lock_descriptor(reader.fileno(), shared=True)
        for reason in ("hotkey", "corner"):
            latch.write_latch(status(LatchState.STOPPED, reason=reason), keep_room=True)
        assert latch.read_file(":7").reason == "corner"
        assert json.loads(reader.read())["session"] == "read"


def test_readers_find_a_whole_latch_at_any_moment() -> None:
    reasons = ("hotkey", "corner")
    latch.write_latch(status(LatchState.STOPPED, reason=reasons[0], detail=reasons[0] * 500), keep_room=True)
    ended = threading.Event()

    def write() -> None:
        for number in range(400):
            reason = reasons[number % 2]
            latch.write_latch(status(LatchState.STOPPED, reason=reason, detail=reason * 500), keep_room=True)
        ended.set()

    writing = threading.Thread(target=write)
    writing.start()
    while not ended.is_set():
        found = latch.read_file(":7")
        assert found.detail == found.reason * 500
    writing.join()


def test_a_latch_longer_than_the_kept_room_is_whole_and_so_is_the_next() -> None:
    for length in (20_000, 10, 20_000, 10):
        latch.write_latch(status(LatchState.STOPPED, reason="hotkey", detail="x" * length), keep_room=True)
        assert latch.read_file(":7").detail == "x" * length


def test_where_a_file_has_one_name_only_the_latch_is_written_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    for reason in ("hotkey", "corner"):
        latch.write_latch(status(LatchState.STOPPED, reason=reason), keep_room=True)
        assert latch.read_file(":7").reason == reason


def test_a_stop_latches_when_nothing_runs_and_keeps_the_first_reason() -> None:
    latch.write_latch(status(LatchState.STOPPED, reason="corner"))
    assert [(s.display, s.reason) for s in latch.request_stop(":7")] == [(":7", "corner")]
    assert [(s.display, s.reason) for s in latch.request_stop(":8.0")] == [(":8", "command")]


def test_a_reset_clears_the_latch() -> None:
    latch.request_stop(":7")
    assert latch.reset(":7").state is LatchState.IDLE
    assert latch.read_status(":7").state is LatchState.IDLE


def test_the_socket_of_a_dead_guard_is_ignored() -> None:
    latch.path_of(":7", "99999999.sock").touch()
    assert latch.read_status(":7").state is LatchState.IDLE


def test_status_and_stop_import_little() -> None:
    program = (
        "import sys\nfrom operator_console.guard import latch\nlatch.read_status(':7'); latch.request_stop(':7')\n"
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('Xlib', 'pynput', 'PySide6', 'google', 'numpy', 'asyncio', 'pydantic', 'subprocess', 'typing')"
        " or m in ('operator_console.domain.notices', 'operator_console.domain.message_texts')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done
