"""The sandbox of shell commands and file edits: what is in it, and the limits of its processes. Linux only.

bubblewrap gives it namespaces of its own (user, processes, network, IPC), a read-only root with little more than /usr,
and the working folder as the only place where anything can be written for good. It has no network, no display, no bus
and no variable of the console. It holds for root too: within it, root of this machine has no capabilities, cannot make
another user namespace, and /proc is read-only, which otherwise lets root change settings of the kernel.

The number of processes and the memory are limited by a control group. Where none can be made, resource limits take its
place; the kernel does not apply the limit of processes to root, who then cannot use the sandbox.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from operator_console.bubblewrap import system_folders

WORKSPACE = "/workspace"
"""Where the working folder is in the sandbox."""

_EMPTIED_WITHIN_S = 5.0
_GROUP = "operator-console-sandbox"
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": WORKSPACE,
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "PAGER": "cat",
    "PYTHONUNBUFFERED": "1",
}
# What programs need of /etc.
_FROM_ETC = (
    "alternatives", "bash.bashrc", "ca-certificates", "group", "host.conf", "hosts", "ld.so.cache", "ld.so.conf",
    "ld.so.conf.d", "localtime", "magic", "mime.types", "nsswitch.conf", "passwd", "profile", "protocols", "services",
    "ssl/certs", "timezone",
)  # fmt: skip
_ENTER = 'echo "$$" > "$0" || exit 70; exec "$@"'
_ENTER_TWO = 'echo "$$" > "$0" && echo "$$" > "$1" || exit 70; shift; exec "$@"'
_LIMITED = 'ulimit -c 0 -f {file_kib}{more} || exit 70; exec "$@"'


class SandboxUnavailable(Exception):
    """Why nothing can be run in a sandbox here, in words, and what to do about it."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why = why
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of everything in one sandbox together; of a file, and of files in /tmp, in bytes."""

    processes: int
    memory_bytes: int
    file_bytes: int


class ControlGroup:
    """A control group for one sandbox, of version 2, or one of each needed controller of version 1.

    Args:
        folders: The folders to create; each may hold one or all controllers.
        limits: What is written in each folder, by the name of the file.
    """

    def __init__(self, folders: Sequence[Path], limits: Mapping[str, str]) -> None:
        self._folders = tuple(folders)
        self._limits = limits

    def create(self) -> None:
        """Create it. Raises OSError."""
        for folder in self._folders:
            folder.mkdir()
            for name, value in self._limits.items():
                if (folder / name).exists():
                    (folder / name).write_text(value)
        for needed in ("pids.max", ("memory.max", "memory.limit_in_bytes")):
            names = (needed,) if isinstance(needed, str) else needed
            if not any((folder / name).exists() for folder in self._folders for name in names):
                raise FileNotFoundError(f"no {names[0]}")

    def entering(self, command: Sequence[str]) -> list[str]:
        """The command, run in the group."""
        files = [str(folder / "cgroup.procs") for folder in self._folders]
        if len(files) == 1:
            return ["/bin/sh", "-c", _ENTER, *files, *command]
        first, second = files
        return ["/bin/sh", "-c", _ENTER_TWO, first, second, *command]

    def empty(self) -> None:
        """Kill what is in it and wait until it is gone."""
        until = time.monotonic() + _EMPTIED_WITHIN_S
        while (inside := self._inside()) and time.monotonic() < until:
            for pid in inside:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)

    def remove(self) -> None:
        """Kill what is in it and remove it."""
        self.empty()
        for folder in self._folders:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _inside(self) -> list[int]:
        with contextlib.suppress(OSError):
            return [int(line) for line in (self._folders[0] / "cgroup.procs").read_text().split()]
        return []


def make_group(limits: Limits) -> ControlGroup | None:
    """A new control group of this process's own; None where there can be none."""
    for folders in _candidates():
        group = ControlGroup(
            [folder / f"{_GROUP}-{os.getpid()}" for folder in folders],
            {
                "pids.max": str(limits.processes),
                "memory.max": str(limits.memory_bytes),
                "memory.swap.max": "0",
                "memory.limit_in_bytes": str(limits.memory_bytes),
            },
        )
        for folder in folders:
            _remove_stale(folder)
        try:
            group.create()
        except OSError:
            group.remove()
        else:
            return group
    return None


def _candidates() -> list[list[Path]]:
    """The folders in which a group may be created: of version 2 beside our own, of version 1 below our own."""
    own = [line.split(":", 2) for line in _lines("/proc/self/cgroup")]
    found: list[list[Path]] = []
    version_1: dict[str, Path] = {}
    for line in _lines("/proc/self/mountinfo"):  # its format: proc_pid_mountinfo(5)
        place, _, mounted = line.partition(" - ")
        root, point = place.split(" ")[3:5]
        kind, _, options = mounted.split(" ", 2)
        for _, controllers, path in own:
            if kind == "cgroup2" and not controllers:
                here = Path(point) / os.path.relpath(path, root)
                # A group with processes in it cannot pass controllers on.
                found.append([here.parent if path != "/" else here])
            elif kind == "cgroup" and controllers in {"pids", "memory"} and controllers in options.split(","):
                version_1[controllers] = Path(point) / os.path.relpath(path, root)
    if {"pids", "memory"} <= version_1.keys():
        found.append([version_1["pids"], version_1["memory"]])
    return found


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text().splitlines()
    except OSError:
        return []


def _remove_stale(folder: Path) -> None:
    """Remove groups that processes left behind that were killed."""
    with contextlib.suppress(OSError):
        for each in folder.glob(f"{_GROUP}-*"):
            pid = each.name.rpartition("-")[2]
            if pid.isdigit() and not Path(f"/proc/{pid}").exists():
                with contextlib.suppress(OSError):
                    each.rmdir()


class Sandbox:
    """Builds the command lines of programs in the sandbox.

    Args:
        limits: The limits.

    Raises:
        SandboxUnavailable: Nothing can be run here, as a trial shows.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bwrap = shutil.which("bwrap")
        self._bash = shutil.which("bash", path="/usr/bin:/bin")
        if sys.platform != "linux" or self._bwrap is None or self._bash is None:
            raise SandboxUnavailable(
                "bubblewrap and bash are needed, and are not installed.",
                "Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap). It exists for Linux only.",
            )
        self._group = make_group(limits)
        if self._group is not None:
            try:
                self._try()
            except SandboxUnavailable:
                self.close()
                if os.geteuid() == 0:
                    raise
                self._group = None  # creating a group does not mean that processes may be moved into it
            else:
                return
        if os.geteuid() == 0:
            raise SandboxUnavailable(
                "No control group can be created, and without one the number of processes is not limited for root.",
                "Run the console as an ordinary user, or where /sys/fs/cgroup can be written.",
            )
        self._try()

    @property
    def grouped(self) -> bool:
        """Whether a control group limits it, and not resource limits."""
        return self._group is not None

    @property
    def limited_by(self) -> str:
        """What limits processes and memory, in words."""
        return "a control group" if self.grouped else "resource limits"

    def command(self, program: Sequence[str], folder: Path | None, read_only: Sequence[Path] = ()) -> list[str]:
        """The command line that runs `program` in the sandbox.

        Args:
            program: The program and its arguments.
            folder: The working folder; None: there is none.
            read_only: Files and folders that are shown besides, at the same place.
        """
        assert self._bwrap is not None
        words = [
            self._bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
            "--unshare-cgroup-try", "--disable-userns", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL",
            "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv",
        ]  # fmt: skip
        for name, value in _ENVIRONMENT.items():
            words += ["--setenv", name, value]
        words += system_folders(_FROM_ETC)
        words += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
        words += ["--size", str(self._limits.file_bytes), "--tmpfs", "/tmp"]  # noqa: S108 - in the sandbox
        for each in read_only:  # after /tmp, which would hide what lies there
            words += ["--ro-bind", str(each), str(each)]
        words += ["--bind", str(folder), WORKSPACE] if folder is not None else ["--dir", WORKSPACE]
        words += ["--remount-ro", "/", "--chdir", WORKSPACE, "--", *self._limited(program)]
        return words if self._group is None else self._group.entering(words)

    def _limited(self, program: Sequence[str]) -> list[str]:
        """Within the user namespace, where the limit of processes counts only what is in it (Linux 5.14 and later)."""
        assert self._bash is not None
        limits, more = self._limits, ""
        if self._group is None:
            each = limits.memory_bytes // 1024
            more = f" -u {limits.processes} -v {each}"
        script = _LIMITED.format(file_kib=limits.file_bytes // 1024, more=more)
        return [self._bash, "--noprofile", "--norc", "-c", script, "bash", *program]

    def _try(self) -> None:
        try:
            done = subprocess.run(
                self.command(["/bin/true"], None), env={"PATH": os.defpath}, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=20, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxUnavailable(f"bubblewrap cannot be started: {error}.", _REMEDY) from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:300]
            raise SandboxUnavailable(f"bubblewrap cannot make a sandbox: {said or done.returncode}.", _REMEDY)

    def empty(self) -> None:
        """Kill whatever is left in the control group."""
        if self._group is not None:
            self._group.empty()

    def close(self) -> None:
        """Remove the control group."""
        if self._group is not None:
            self._group.remove()


_REMEDY = (
    "It needs user namespaces. Some systems allow them to root only, or to programs with an AppArmor profile of their "
    "own."
)
