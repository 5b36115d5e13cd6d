"""The latch and its files: what is stopped, what is armed, and how a terminal stops, asks and resets.

One latch per display, in the run folder: `<display>.latch.json` (armed or stopped, and why), `<display>.lock` (held
by a guard whose session can act), `<display>.ledger` (what it holds down), `<display>.<pid>.sock` (0600: where a guard
answers terminals). Armed without a live holder counts as stopped. Nothing heavy and nothing of one platform is
imported, so that `status` and `stop` answer at once, everywhere; the guard writes through here too.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from operator_console.domain.environment import BLAS_ALONE, without_keys
from operator_console.domain.errors import OperatorError
from operator_console.private_files import lock_file, make_private_folder, open_private

_APP = "operator-console"
_ANSWER_S = 2.0
_RESET_ANSWER_S = 15.0
_CLEAN_S = 15.0
_LOOKING_S = 0.25


class LatchState(StrEnum):
    """Of one display."""

    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchStatus:
    """What `status` says of one display.

    Attributes:
        reason: a StopCause value while stopped, a PauseCause value while paused.
        since: RFC 3339, UTC.
        stop_live: whether a press of the stop chord would be heard; None where no guard runs.
        session: name of the session that holds or held the display.
        displays: all that were stopped with it: where the stop is heard, and what is acted on. Reset together.
    """

    display: str
    state: LatchState
    reason: str = ""
    detail: str = ""
    since: str = ""
    stop_live: bool | None = None
    session: str = ""
    pid: int = 0
    displays: tuple[str, ...] = ()


def run_dir() -> Path:
    """The run folder, made (0700) where it is missing."""
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


def normal_display(display: str) -> str:
    """One spelling a display: ":99.0" and "unix:99" are ":99"."""
    host, colon, rest = display.rpartition(":")
    return ("" if host == "unix" else host) + colon + rest.split(".")[0]


def display_key(display: str) -> str:
    """The display as a part of a file name, and back by `_display_of`."""
    return re.sub(r"[^A-Za-z0-9.-]", lambda m: f"_{ord(m[0]):02x}", normal_display(display))


def _display_of(key: str) -> str:
    return re.sub(r"_([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), key)


def path_of(display: str, kind: str) -> Path:
    """`kind` is "latch.json", "lock", "ledger" or "<pid>.sock"."""
    return run_dir() / f"{display_key(display)}.{kind}"


def now_text() -> str:
    """The time as the files and the record write it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


# The file


def write_latch(status: LatchStatus) -> None:
    """Replace the latch file atomically; it is on the disk when this returns. Blocks as long as the disk takes."""
    path = path_of(status.display, "latch.json")
    draft = path.with_suffix(f".{os.getpid()}.new")
    fd = open_private(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        json.dump(as_dict(status), file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable. Windows cannot open a folder, and needs no such call."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def as_dict(status: LatchStatus) -> dict[str, Any]:
    """As the file and a guard's answer write it."""
    return {
        "state": status.state.value, "reason": status.reason, "detail": status.detail, "since": status.since,
        "stop_live": status.stop_live, "session": status.session, "pid": status.pid,
        "displays": list(status.displays),
    }  # fmt: skip


def clear_latch(display: str) -> None:
    """An orderly end, or a reset."""
    path_of(display, "latch.json").unlink(missing_ok=True)


def read_file(display: str, *, held: bool | None = None) -> LatchStatus:
    """What the files say: an unreadable latch counts as stopped, and so does an armed one without a live holder.

    `held`: whether there is one, None: look.
    """
    display = normal_display(display)
    try:
        raw = json.loads(path_of(display, "latch.json").read_text(encoding="utf-8"))
        status = _status(display, raw)
    except FileNotFoundError:
        return LatchStatus(display=display, state=LatchState.IDLE)
    except (OSError, ValueError, KeyError, TypeError):
        return LatchStatus(
            display=display, state=LatchState.STOPPED, reason="guard_died", detail="The latch file cannot be read."
        )
    if status.state in {LatchState.RUNNING, LatchState.PAUSED} and not (locked(display) if held is None else held):
        return replace(
            status, state=LatchState.STOPPED, reason="guard_died", stop_live=None,
            detail="The session that could act ended without saying so.",
        )  # fmt: skip
    return status


def _status(display: str, raw: dict[str, Any]) -> LatchStatus:
    return LatchStatus(
        display=display, state=LatchState(raw["state"]), reason=str(raw.get("reason", "")),
        detail=str(raw.get("detail", "")), since=str(raw.get("since", "")), stop_live=raw.get("stop_live"),
        session=str(raw.get("session", "")), pid=int(raw.get("pid", 0)),
        displays=tuple(str(each) for each in raw.get("displays", ())),
    )  # fmt: skip


# Refusing to start


def refuse_if_stopped(displays: Iterable[str], *, ours: bool = False) -> None:
    """Raises OperatorError where one of the displays is latched; `ours`: we hold the locks, so nobody else is armed."""
    for display in displays:
        status = read_file(display, held=False if ours else None)
        if status.state is LatchState.STOPPED:
            raise stopped(status)


def stopped(status: LatchStatus) -> OperatorError:
    """The refusal to start while latched."""
    return OperatorError(
        "The display is stopped",
        detail=f"Reason: {status.reason}{f' ({status.detail})' if status.detail else ''}"
        f"{f', since {status.since}' if status.since else ''}."
        f"{f' Its record: {status.session}' if status.session else ''}",
        remedy="Look at the screen, reset (`operator-console reset`, or Reset in the app), then start again.",
    )


# The lock


def take_lock(display: str) -> int | None:
    """Take the display's lock file; its descriptor, None where somebody else holds it (a look is short)."""
    deadline = time.monotonic() + _LOOKING_S
    while (fd := lock_file(path_of(display, "lock"))) is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return fd


def locked(display: str) -> bool:
    """Whether a session that can act holds the display. Shared, so that two who look do not take each other for one."""
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
        yield _Guard(_display_of(key), int(pid), path)


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A name for a socket that fits into its 108 bytes however deep the folder is."""
    fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{path.name}" if sys.platform == "linux" else str(path)
    finally:
        os.close(fd)


def peer_is_us(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket is a process of this user."""
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(uid == os.getuid())


def _ask(guard: _Guard, request: str, timeout_s: float = _ANSWER_S, **more: str) -> dict[str, Any] | None:
    """A guard's answer; None where it is dead (its socket is removed) or does not answer in time."""
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


# What a terminal can do


def read_status(display: str) -> LatchStatus:
    """State of one display, from its guard where one answers, else from the files."""
    display = normal_display(display)
    best: LatchStatus | None = None
    for guard in _guards(display):
        answer = _ask(guard, "status")
        if answer is not None:
            status = _status(display, answer)
            if best is None or best.state is LatchState.IDLE:
                best = status
    filed = read_file(display)
    if filed.state is not LatchState.IDLE or best is None:
        return filed if best is None or best.state is LatchState.IDLE else best
    return best


def request_stop(display: str | None, detail: str = "the stop command") -> list[LatchStatus]:
    """Stop every display that has a guard or is held, and `display`; latches also where nothing runs."""
    displays = {guard.display for guard in _guards()}
    displays |= {_display_of(p.name.removesuffix(".lock")) for p in run_dir().glob("*.lock") if p.name}
    displays = {d for d in displays if locked(d) or any(True for _ in _guards(d))}
    if display:
        displays.add(normal_display(display))
    return [_stop_one(each, detail) for each in sorted(displays)]


def _stop_one(display: str, detail: str) -> LatchStatus:
    stopped_now = LatchStatus(
        display=display, state=LatchState.STOPPED, reason="command", detail=detail, since=now_text()
    )
    for guard in _guards(display):
        answer = _ask(guard, "stop", detail=detail)
        if answer is not None:
            stopped_now = _status(display, answer)
        elif _is_guard(guard.pid):
            # It hangs. Its injector ends when it dies, and releases what it holds.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(guard.pid, signal.SIGKILL)
    status = read_file(display)
    if status.state is not LatchState.STOPPED or not path_of(display, "latch.json").exists():
        # No guard wrote it, or the disk keeps its write waiting: this process waits for the disk, the guard does not.
        status = stopped_now
        write_latch(status)
    return status


def _is_guard(pid: int) -> bool:
    try:
        return b"operator_console.guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


class ResetRefused(RuntimeError):
    """A reset that cannot be done now, in words."""


def reset(display: str) -> LatchStatus:
    """Clear the latch, that of a display stopped with it too, and undo what a dead guard left; starts nothing.

    Raises ResetRefused while a session runs, or where what was held cannot be released.
    """
    display = normal_display(display)
    status = read_status(display)
    if status.state in {LatchState.RUNNING, LatchState.PAUSED}:
        raise ResetRefused("A session works this display; stop or end it first.")
    together = [each for each in map(normal_display, read_file(display).displays) if each != display]
    _clean(display)
    for each in together:
        _reset_other(each)
    clear_latch(display)
    for guard in _guards(display):
        _ask(guard, "reset", _RESET_ANSWER_S)
    return read_status(display)


def _reset_other(display: str) -> None:
    """The one that was acted on: a virtual desktop that is gone leaves its files only."""
    if locked(display):
        return
    if _gone(display):
        forget(display)
    else:
        _clean(display)
        clear_latch(display)


def _gone(display: str) -> bool:
    """Whether a display of this machine has no server any more."""
    local = re.fullmatch(r":(\d+)", display)
    return local is not None and sys.platform == "linux" and not Path(f"/tmp/.X11-unix/X{local[1]}").exists()  # noqa: S108  the servers own it


def forget(display: str) -> None:
    """Remove the files of a display that is no more."""
    for kind in ("latch.json", "ledger", "lock"):
        path_of(display, kind).unlink(missing_ok=True)


def _clean(display: str) -> None:
    """Let a guard release what the ledger of a dead one still holds."""
    ledger = path_of(display, "ledger")
    if not ledger.exists() or locked(display):
        return
    command = [sys.executable, "-P", "-m", "operator_console.guard", "--display", display, "--clean", str(ledger)]
    try:
        done = subprocess.run(command, env=child_environment(), timeout=_CLEAN_S, capture_output=True, text=True)
    except subprocess.TimeoutExpired as error:
        raise ResetRefused("What the last session held cannot be released: the display does not answer.") from error
    if done.returncode:
        raise ResetRefused(f"What the last session held cannot be released: {done.stderr.strip()[-300:]}")


def child_environment() -> dict[str, str]:
    """This environment for a guard or an injector: finds this package, carries no key of a model's service."""
    environment = {**without_keys(os.environ), **BLAS_ALONE}
    package = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, environment.get("PYTHONPATH", ""))))
    return environment
