"""The latch of each display: its files, and the `stop`, `status` and `reset` of a terminal.

Files per display, in the run folder: `<display>.latch.json` (armed or stopped, and why), `<display>.lock` (held by a
guard with an armed session), `<display>.latch.<n>.kept` (room on the disk for what that guard writes next),
`<display>.ledger` (which keys and buttons that session holds down on it) and `<display>.<pid>.sock` (0600; where a
guard answers terminals). A latch that says "armed" while nobody holds the lock counts as stopped. Sessions whose stop
is heard on no display have these files under NO_DISPLAY, except for the ledger. Imports only what `status` needs, so
that it and `stop` start fast; and nothing of one platform.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from operator_console.domain.display_names import NO_DISPLAY, display_key, display_of, normal_display
from operator_console.domain.environment import BLAS_ALONE, without_keys
from operator_console.domain.errors import OperatorError
from operator_console.private_files import (
    lock_descriptor,
    lock_file,
    make_private_folder,
    open_private,
    peer_is_us,
    short_path,
)

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    from typing import Any

    from operator_console.domain.message_texts import NoticeText

_APP = "operator-console"
_ANSWER_S = 2.0
_RESET_ANSWER_S = 15.0
_CLEAN_S = 15.0
_LOCK_RETRY_S = 0.25
_KEPT = ("latch.0.kept", "latch.1.kept")
_KEPT_BYTES = 1 << 13


class LatchState(StrEnum):
    """State of one display; STOPPED is latched until a reset."""

    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchStatus:
    """State of one display, as `status` reports it.

    Attributes:
        reason: a StopCause value while stopped, a PauseCause or WaitsFor value while paused.
        since: when this state and reason began; RFC 3339, UTC.
        stop_live: whether the guard would receive the stop chord, or on NO_DISPLAY the stop command; None if no guard
            runs.
        session: name of the session that holds or held the display.
        pid, console_pid: of the guard that wrote it, and of the console that this guard belongs to; 0 if unknown.
        displays: the displays stopped together with this one (the person's and the target's); reset together.
    """

    display: str
    state: LatchState
    reason: str = ""
    detail: str = ""
    since: str = ""
    stop_live: bool | None = None
    session: str = ""
    pid: int = 0
    console_pid: int = 0
    displays: tuple[str, ...] = ()


def run_dir() -> Path:
    """The run folder; created with mode 0700 if it is missing."""
    home = os.environ.get("OPERATOR_CONSOLE_HOME")
    if home:
        folder = Path(home) / "run"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support" / _APP / "run"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / _APP / "run"
    else:
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / _APP / "run"
    make_private_folder(folder)
    return folder


def path_of(display: str, kind: str) -> Path:
    """Path of a display's file; `kind` is "latch.json", "lock", "ledger" or "<pid>.sock"."""
    return run_dir() / f"{display_key(display)}.{kind}"


def now_text() -> str:
    """The current time in RFC 3339, UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


# The file


def write_latch(status: LatchStatus, *, keep_room: bool = False) -> None:
    """Replace the latch file atomically; it is on the disk when this returns. Blocks as long as the disk takes.

    Args:
        keep_room: Later calls need no room on the disk, so that it may fill up meanwhile. Only for the lock's holder.
    """
    path = path_of(status.display, "latch.json")
    draft = path.with_suffix(f".{os.getpid()}.new")
    draft.unlink(missing_ok=True)  # left by a process that died and had the same id
    content = json.dumps(as_dict(status)).encode()
    if not (keep_room and _written_in_kept_room(status.display, content, draft)):
        _write(open_private(draft, os.O_WRONLY | os.O_CREAT), content)
    draft.replace(path)
    _sync_folder(path.parent)


def _written_in_kept_room(display: str, content: bytes, draft: Path) -> bool:
    """Write into a file that has its room already, and make `draft` a name of it; False where that cannot be done.

    There are two such files. The latch is a name of one; the other one is overwritten, while nobody still reads it.
    Their rooms stay taken when the latch is replaced or removed.
    """
    path = path_of(display, "latch.json")
    free = [kept for kept in (path_of(display, kind) for kind in _KEPT) if not _is_same(kept, path)]
    for kept in free:
        if not kept.exists() or kept.stat().st_size < _KEPT_BYTES:
            _write(open_private(kept, os.O_WRONLY | os.O_CREAT), bytes(_KEPT_BYTES))
    locked_fd = _lock_soon(free[0])
    if locked_fd is None:
        return False
    _write(locked_fd, content.ljust(_KEPT_BYTES))  # JSON may end with spaces
    try:
        os.link(free[0], draft)
    except OSError:  # a file system where a file has one name
        return False
    return True


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _write(fd: int, content: bytes) -> None:
    """Overwrite a file in place, so that it keeps its room; it is on the disk when this returns. Closes the file."""
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        file.truncate()
        file.flush()
        os.fsync(fd)


def _read(path: Path) -> bytes:
    """All that one call of `write_latch` wrote. Raises OSError."""
    deadline = time.monotonic() + _LOCK_RETRY_S
    while time.monotonic() < deadline:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            if lock_descriptor(file.fileno(), shared=True):
                return file.read()
        time.sleep(0.002)  # it was replaced since, and is being overwritten
    raise BlockingIOError(f"{path} is locked")


def _sync_folder(folder: Path) -> None:
    """Make a rename durable. Windows cannot open a folder, and needs no such call."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def as_dict(status: LatchStatus) -> dict[str, Any]:
    """The JSON object of the latch file and of a guard's answer to a terminal."""
    return {
        "state": status.state.value, "reason": status.reason, "detail": status.detail, "since": status.since,
        "stop_live": status.stop_live, "session": status.session, "pid": status.pid,
        "console_pid": status.console_pid, "displays": list(status.displays),
    }  # fmt: skip


def clear_latch(display: str) -> None:
    """Remove the latch file, after an orderly end or a reset."""
    path_of(display, "latch.json").unlink(missing_ok=True)


def read_file(display: str, *, held: bool | None = None) -> LatchStatus:
    """State of a display from its files alone.

    A latch that cannot be read counts as stopped, and so does an armed one whose lock nobody holds.

    Args:
        held: Whether somebody holds the lock; None: find out.
    """
    display = normal_display(display)
    try:
        text = _read(path_of(display, "latch.json"))
        while True:
            status = status_in(display, json.loads(text))
            armed = status.state in {LatchState.RUNNING, LatchState.PAUSED}
            left = armed and not (locked(display) if held is None else held)
            if not left:
                break
            before, text = text, _read(path_of(display, "latch.json"))
            if text == before:  # else the session ended in order between the two looks, or another one began
                break
    except FileNotFoundError:
        return LatchStatus(display=display, state=LatchState.IDLE)
    except (OSError, ValueError, KeyError, TypeError):
        return LatchStatus(
            display=display, state=LatchState.STOPPED, reason="guard_died", detail="The latch file cannot be read."
        )
    if left:
        return replace(
            status, state=LatchState.STOPPED, reason="guard_died", stop_live=None,
            detail="The session ended without disarming.",
        )  # fmt: skip
    return status


def status_in(display: str, raw: dict[str, Any]) -> LatchStatus:
    """The status of a display in the JSON object of `as_dict`. Raises KeyError, ValueError, TypeError."""
    return LatchStatus(
        display=display, state=LatchState(raw["state"]), reason=str(raw.get("reason", "")),
        detail=str(raw.get("detail", "")), since=str(raw.get("since", "")), stop_live=raw.get("stop_live"),
        session=str(raw.get("session", "")), pid=int(raw.get("pid", 0)),
        console_pid=int(raw.get("console_pid", 0)), displays=tuple(str(each) for each in raw.get("displays", ())),
    )  # fmt: skip


# Refusing to start


def refuse_if_stopped(displays: Iterable[str], *, ours: bool = False) -> None:
    """Raise OperatorError if one of the displays is latched.

    Args:
        ours: This process holds the locks, so a latch that says "armed" was left by a session that died.
    """
    for display in displays:
        status = read_file(display, held=False if ours else None)
        if status.state is LatchState.STOPPED:
            raise stopped(status)


def stopped(status: LatchStatus) -> OperatorError:
    """The error for a start while the display is latched."""
    from operator_console.domain.message_texts import joined, notice
    from operator_console.domain.notices import NoticeCode

    reason = status.reason
    if status.detail:
        reason = notice(NoticeCode.REASON_WITH_DETAIL, reason=reason, detail=status.detail)
    if status.since:
        detail = notice(NoticeCode.REASON_SINCE, reason=reason, time=status.since)
    else:
        detail = notice(NoticeCode.REASON, reason=reason)
    without = status.display == NO_DISPLAY
    return OperatorError(
        notice(NoticeCode.STOPPED_WITHOUT_DISPLAY if without else NoticeCode.DISPLAY_STOPPED),
        detail=joined(detail, notice(NoticeCode.ITS_RECORD, path=status.session) if status.session else ""),
        remedy=notice(NoticeCode.LOOK_RESET_AND_START),
    )


# The lock


def take_lock(display: str) -> int | None:
    """Lock the display's lock file. Returns its descriptor, or None if another process holds it.

    Retries for a moment, because `locked` holds the file for as long as it looks.
    """
    return _lock_soon(path_of(display, "lock"))


def _lock_soon(path: Path) -> int | None:
    deadline = time.monotonic() + _LOCK_RETRY_S
    while (fd := lock_file(path)) is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return fd


def locked(display: str) -> bool:
    """Whether an armed session holds the display. The check takes a shared lock, so that two checks do not collide."""
    fd = lock_file(path_of(display, "lock"), shared=True)
    if fd is None:
        return True
    os.close(fd)
    return False


# Guards


@dataclass(frozen=True, slots=True)
class _Guard:
    display: str
    pid: int
    path: Path


def _guards(display: str | None = None) -> Iterator[_Guard]:
    for path in sorted(run_dir().glob("*.sock")):
        key, _, pid = path.name.removesuffix(".sock").rpartition(".")
        if not pid.isdigit() or (display is not None and key != display_key(display)):
            continue
        yield _Guard(display_of(key), int(pid), path)


def _ask(guard: _Guard, request: str, timeout_s: float = _ANSWER_S, **more: str) -> dict[str, Any] | None:
    """A guard's answer; None if it is dead (its socket is removed then) or does not answer in time."""
    try:
        with short_path(guard.path) as name, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(timeout_s)
            line.connect(name)
            if not peer_is_us(line):
                return None
            line.sendall(json.dumps({"do": request, **more}).encode() + b"\n")
            answer = json.loads(line.makefile("rb").readline() or b"null")
    except (ConnectionRefusedError, FileNotFoundError):
        guard.path.unlink(missing_ok=True)
        return None
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


# Commands of a terminal


def read_status(display: str) -> LatchStatus:
    """State of one display: its guard's answer if there is a guard, else what the files say."""
    display = normal_display(display)
    best: LatchStatus | None = None
    for guard in _guards(display):
        answer = _ask(guard, "status")
        if answer is not None:
            status = status_in(display, answer)
            if best is None or best.state is LatchState.IDLE:
                best = status
    if best is None or best.state is LatchState.IDLE:
        # An idle guard may not yet have read another console's stop.
        from_file = read_file(display)
        return from_file if best is None or from_file.state is not LatchState.IDLE else best
    return best


def request_stop(display: str) -> list[LatchStatus]:
    """Stop every display that has a guard or is locked, and `display`, which is latched even if nothing runs there."""
    displays = {guard.display for guard in _guards()}
    displays |= {display_of(p.name.removesuffix(".lock")) for p in run_dir().glob("*.lock") if p.name}
    displays = {d for d in displays if locked(d) or any(True for _ in _guards(d))} | {normal_display(display)}
    return [_stop_one(each) for each in sorted(displays)]


def _stop_one(display: str) -> LatchStatus:
    stopped_now = LatchStatus(display=display, state=LatchState.STOPPED, reason="command", since=now_text())
    for guard in _guards(display):
        answer = _stop_guard(guard)
        if answer is not None:
            stopped_now = status_in(display, answer)
    status = read_file(display)
    if status.state is not LatchState.STOPPED or not path_of(display, "latch.json").exists():
        # There was no guard, or its write still waits for the disk. A terminal can wait for the disk; a guard cannot.
        status = stopped_now
        write_latch(status)
    return status


def stop_others(display: str, own_pid: int) -> None:
    """Stop what other consoles run on a display, as a press of the window's Stop. Blocks until they have stopped."""
    for guard in _guards(normal_display(display)):
        if guard.pid != own_pid:
            _stop_guard(guard, "button")


def _stop_guard(guard: _Guard, cause: str = "command") -> dict[str, Any] | None:
    """Have a guard stop; its answer, None if it hung and was killed."""
    answer = _ask(guard, "stop", cause=cause)
    if answer is None and _is_guard(guard.pid):
        # It hangs. When it dies, its injector releases what it holds and ends.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(guard.pid, signal.SIGKILL)
    return answer


def _is_guard(pid: int) -> bool:
    try:
        return b"operator_console.guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


class ResetRefused(RuntimeError):
    """A reset is not possible now; `text` says why."""

    def __init__(self, text: NoticeText) -> None:
        super().__init__(text)
        self.text = text


def reset(display: str) -> LatchStatus:
    """Clear the latch and those of displays stopped together with it; release what a dead guard left held.

    Starts nothing. Raises ResetRefused while a session runs, or if what was held cannot be released.
    """
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    display = normal_display(display)
    status = read_status(display)
    if status.state in {LatchState.RUNNING, LatchState.PAUSED}:
        raise ResetRefused(notice(NoticeCode.SESSION_USES_DISPLAY))
    together = [each for each in map(normal_display, read_file(display).displays) if each != display]
    _clean(display)
    for each in together:
        _reset_other(each)
    clear_latch(display)
    for guard in _guards(display):
        _ask(guard, "reset", _RESET_ANSWER_S)
    return read_status(display)


def _reset_other(display: str) -> None:
    """Reset a display stopped together with another one. A virtual desktop that has ended leaves only its files."""
    if locked(display):
        return
    if _gone(display):
        forget(display)
    else:
        _clean(display)
        clear_latch(display)


def _gone(display: str) -> bool:
    """Whether it is a display of this machine whose server has ended."""
    local = re.fullmatch(r":(\d+)", display)
    return local is not None and sys.platform == "linux" and not Path(f"/tmp/.X11-unix/X{local[1]}").exists()  # noqa: S108  the servers own it


def forget(display: str) -> None:
    """Remove the files of a display that has ended."""
    for kind in ("latch.json", *_KEPT, "ledger", "lock"):
        path_of(display, kind).unlink(missing_ok=True)


def _clean(display: str) -> None:
    """Run a guard that releases what a dead guard's ledger still names."""
    ledger = path_of(display, "ledger")
    if not ledger.exists() or locked(display):
        return
    import subprocess

    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    command = [sys.executable, "-P", "-m", "operator_console.guard", "--display", display, "--clean", str(ledger)]
    try:
        done = subprocess.run(command, env=child_environment(), timeout=_CLEAN_S, capture_output=True, text=True)
    except subprocess.TimeoutExpired as error:
        raise ResetRefused(notice(NoticeCode.HELD_INPUT_DISPLAY_SILENT)) from error
    if done.returncode:
        raise ResetRefused(notice(NoticeCode.HELD_INPUT_NOT_RELEASED, output=done.stderr.strip()[-300:]))


def child_environment() -> dict[str, str]:
    """The environment for a guard or an injector: this process's, with this package on the path and no API keys."""
    environment = {**without_keys(os.environ), **BLAS_ALONE}
    package = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, environment.get("PYTHONPATH", ""))))
    return environment
