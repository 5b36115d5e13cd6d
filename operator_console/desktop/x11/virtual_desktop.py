"""An isolated desktop, Xvfb and openbox, started for one session and ended with it.

It shows nothing of the user's screen, and the agent's input cannot reach that screen. Its programs have a home folder,
a session bus and an accessibility bus of their own, and run in a sandbox (desktop_sandbox.py) where there can be one.
The server and the accessibility bus are outside of it: the console asks both, and what is outside numbers processes as
the console does. Xvfb must be installed; openbox is used if it is (without it, windows have no frames and cannot be
moved), and so is dbus-daemon (without it, applications tell nothing of their controls).
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.bubblewrap import interpreter
from operator_console.desktop.values import PLAIN_DESKTOP, DesktopPlan
from operator_console.desktop.x11 import desktop_sandbox
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.windows import window_manager_answers
from operator_console.domain.environment import isolated, without_keys
from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.private_files import lock_file, make_private_folder

if TYPE_CHECKING:
    from operator_console.desktop.x11.started_desktop_input import OperatorInput

START_TIMEOUT_S = 20.0
_END_TIMEOUT_S = 5.0
_NETWORK_TIMEOUT_S = 5.0
_REMOVE_TIMEOUT_S = 3.0

# Mapping spare keycodes for typing must not renew openbox's key grabs: it would lose the following clicks.
_OPENBOX_RC = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <keyboard><rebindOnMappingNotify>no</rebindOnMappingNotify></keyboard>
  <focus><focusNew>yes</focusNew></focus>
  <desktops><number>1</number></desktops>
</openbox_config>
"""
# Without folders of services: this bus is outside of the sandbox, and what it started would be, too.
_ACCESSIBILITY_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>accessibility</type>
  <auth>EXTERNAL</auth>
  <listen>unix:path={path}</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
    <deny send_interface="org.freedesktop.DBus" send_member="UpdateActivationEnvironment"/>
  </policy>
</busconfig>
"""
_SERVICES = Path("/usr/share/dbus-1")
_REGISTRY = _SERVICES / "accessibility-services" / "org.a11y.atspi.Registry.service"
_STATUS = _SERVICES / "services" / "org.a11y.Bus.service"
# Toolkits that would ask the session whether accessibility is on, and take no notice of a change.
_ACCESSIBLE = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "GTK_A11Y": "atspi"}

SHARED_LINK = "Shared"
"""In the home folder: leads to the folder by which files go in and out."""


def missing_program() -> OperatorError | None:
    """The error for a missing Xvfb; None if it is installed."""
    if shutil.which("Xvfb") is not None:
        return None
    return OperatorError(notice(NoticeCode.XVFB_NOT_INSTALLED), remedy=notice(NoticeCode.INSTALL_XVFB))


class DesktopPrograms:
    """Fits `ProgramDoor`: starts programs by the starter that runs among them."""

    def __init__(self, door: socket.socket, environment: Mapping[str, str]) -> None:
        """Takes over the socket to the starter."""
        self._door = door
        self._lock = threading.Lock()
        self.environment = dict(environment)
        self.problems: Sequence[OperatorError] = ()

    def start(self, command: Sequence[str], *, output: int, errors: int) -> None:
        """Start a program. Raises OSError."""
        with self._lock:
            socket.send_fds(self._door, [json.dumps(list(command)).encode()], [output, errors])

    def ready(self, timeout_s: float) -> bool:
        """Wait for the starter; whether it is there."""
        return bool(select.select([self._door], [], [], timeout_s)[0]) and bool(self._door.recv(1))

    def close(self) -> None:
        """Have the starter end everything."""
        self._door.close()


class VirtualDesktop:
    """Fits `protocols.StartedDesktop`.

    Attributes:
        display: the display name (":7") once `start` has returned.
        home: the home folder of the programs.
        sandboxed: whether they run in a sandbox.
        accessibility: the address of the accessibility bus; "" where there is none.
    """

    def __init__(self, plan: DesktopPlan) -> None:
        self.display = ""
        self.accessibility = ""
        self.sandboxed = False
        self._plan = plan
        self._folder = Path(tempfile.mkdtemp(prefix="operator-console-desktop-"))
        self._runtime, self._bus = self._folder / "runtime", self._folder / "bus"
        self.home = plan.home or self._folder / "home"
        self._programs: DesktopPrograms | None = None
        self._server = 0
        self._sandbox: subprocess.Popen[bytes] | None = None
        self._first_inside = 0
        self._network_end = -1
        self._lock_of_home: int | None = None
        self._processes: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()  # starting runs in a thread, cancelling on the event loop
        self._abandoned = False
        self._started = False

    @classmethod
    async def start(cls, size: Size, plan: DesktopPlan = PLAIN_DESKTOP) -> VirtualDesktop:
        """Start everything and wait until it is ready. If cancelled, it first ends what it has started.

        Raises OperatorError (not installed, no sandbox for what is planned), ComputerUnavailable (did not start).
        """
        desktop = cls(plan)
        starting = asyncio.ensure_future(asyncio.to_thread(desktop._start, size))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            if desktop._abandon():
                await asyncio.shield(desktop.close())
            else:
                # The thread cleans up itself, even if this is cancelled again.
                await asyncio.shield(asyncio.gather(starting, return_exceptions=True))
            raise
        return desktop

    @property
    def programs(self) -> DesktopPrograms:
        """Starts programs on it."""
        assert self._programs is not None, "it is started"
        return self._programs

    def open_input(self) -> OperatorInput:
        """Connect the operator's own input to it, and to no other display. Blocking. Raises OSError, OperatorError."""
        from operator_console.desktop.x11.started_desktop_input import OperatorInput

        return OperatorInput(self.display, self._server)

    async def close(self) -> None:
        """End the programs, the window manager and the server, and remove the folders that are not kept."""
        await asyncio.to_thread(self._end)

    def _start(self, size: Size) -> None:
        try:
            if (missing := missing_program()) is not None:
                raise missing
            trouble = desktop_sandbox.sandbox_trouble()
            if trouble and not self._plan.network:
                raise OperatorError(
                    notice(NoticeCode.NETWORK_NOT_CUT_OFF), detail=trouble, remedy=notice(NoticeCode.INSTALL_BUBBLEWRAP)
                )
            self.sandboxed = not trouble
            self._make_folders()
            self._start_server(size)
            self._start_accessibility_bus()
            self._start_programs(trouble)
            self._start_manager()
            self._start_keeper()
            with self._lock:
                if self._abandoned:
                    raise _not_started(notice(NoticeCode.VIRTUAL_DESKTOP_CANCELLED))
                self._started = True
        except BaseException:
            self._end()
            raise

    def _abandon(self) -> bool:
        """Make a running start fail; True if it had already succeeded, so that `close` must be called."""
        with self._lock:
            self._abandoned = True
            for process in self._processes:
                process.terminate()
            return self._started

    def _make_folders(self) -> None:
        for folder in (self.home, self._runtime, self._bus):
            make_private_folder(folder)
        if self._plan.home is not None:
            self._lock_of_home = lock_file(self.home.with_name(f"{self.home.name}.lock"))
            if self._lock_of_home is None:
                raise OperatorError(
                    notice(NoticeCode.KEPT_HOME_IN_USE, name=self.home.name),
                    remedy=notice(NoticeCode.END_OTHER_DESKTOP),
                )
        (self._folder / "rc.xml").write_text(_OPENBOX_RC, encoding="utf-8")
        link, shared = self.home / SHARED_LINK, self._plan.shared
        if link.is_symlink():  # of an earlier session, in a home that is kept
            link.unlink()
        if shared is not None:
            make_private_folder(shared)
            if not link.exists():
                link.symlink_to(shared)

    def _start_server(self, size: Size) -> None:
        reader, writer = os.pipe()
        try:
            server = self._spawn(
                ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size.width}x{size.height}x24", "-nolisten",
                 "tcp", "-noreset"],
                pass_fds=(writer,),
            )  # fmt: skip
            os.close(writer)
            writer = -1
            number = _read_line(reader, START_TIMEOUT_S)
        finally:
            os.close(reader)
            if writer >= 0:
                os.close(writer)
        if not number:
            raise _not_started(notice(NoticeCode.PROGRAM_NOT_STARTED, program="Xvfb"))
        self.display, self._server = f":{number}", server.pid

    def _start_accessibility_bus(self) -> None:
        if shutil.which("dbus-daemon") is None:
            return
        config, path = self._folder / "accessibility.conf", self._bus / "accessibility"
        config.write_text(_ACCESSIBILITY_BUS.format(path=path), encoding="utf-8")
        self._spawn(["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"])
        self.accessibility = f"unix:path={path}"

    def _start_programs(self, trouble: str) -> None:
        """Start the starter, in the sandbox unless there is trouble, and wait for it."""
        environment = isolated(os.environ, self.home, self._runtime) | _ACCESSIBLE | {"DISPLAY": self.display}
        session = self._runtime / "bus"
        environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={session}" if self.accessibility else "disabled:"
        environment["AT_SPI_BUS_ADDRESS"] = self.accessibility
        if self.sandboxed:
            environment["PATH"] = desktop_sandbox.PATH
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._programs = DesktopPrograms(here, environment)
        with there:
            program, _ = interpreter()
            starter = Path(__file__).with_name("program_starter.py")
            command = [program, "-I", "-S", str(starter), str(there.fileno()), json.dumps(self._services(session))]
            if self.sandboxed:
                self._enter(command, environment, starter, there.fileno())
            else:
                self._spawn(command, env=environment, pass_fds=(there.fileno(),))
        if not self._programs.ready(START_TIMEOUT_S):
            raise _not_started(notice(NoticeCode.PROGRAM_NOT_STARTED, program=starter.name))
        if self._first_inside and self._plan.network:
            # Not before: bwrap and slirp4netns both set up the loopback, and bwrap fails if it is there.
            self._connect_network(self._first_inside)
        self._programs.problems = self._problems(trouble)

    def _services(self, session: Path) -> list[tuple[str, dict[str, str], list[str]]]:
        """What the starter starts first: the socket that each needs, its variables, its command."""
        if not self.accessibility:
            return []
        services: list[tuple[str, dict[str, str], list[str]]] = [
            ("", {}, ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={session}"]),
        ]
        if status := _command_of(_STATUS):
            services.append((str(session), {}, [*status, "--a11y=1", "--screen-reader=1"]))
        if registry := _command_of(_REGISTRY):
            there = {"DBUS_SESSION_BUS_ADDRESS": self.accessibility}
            services.append((str(self._bus / "accessibility"), there, registry))
        return [*services, (str(session), {}, [])]

    def _problems(self, trouble: str) -> list[OperatorError]:
        if trouble:
            return [
                OperatorError(
                    notice(NoticeCode.PROGRAMS_NOT_SANDBOXED), detail=trouble,
                    remedy=notice(NoticeCode.INSTALL_BUBBLEWRAP),
                )
            ]  # fmt: skip
        if self._plan.network and self._network_end < 0:
            return [
                OperatorError(notice(NoticeCode.SANDBOX_WITHOUT_NETWORK), remedy=notice(NoticeCode.INSTALL_SLIRP4NETNS))
            ]
        return []

    def _enter(self, command: Sequence[str], environment: Mapping[str, str], starter: Path, door: int) -> None:
        """Start a command in the sandbox."""
        socket_of_display = Path(f"/tmp/.X11-unix/X{self.display.removeprefix(':')}")  # noqa: S108 - where X has it
        shared = [] if self._plan.shared is None else [self._plan.shared]
        shown = desktop_sandbox.Shown(
            writable=[self.home, self._runtime, *shared],
            readable=[socket_of_display, self._bus, self._folder / "rc.xml", starter],
        )
        reader, writer = os.pipe()
        rules, arguments = desktop_sandbox.key_filter(), os.memfd_create("arguments", 0)
        try:
            words = desktop_sandbox.sandboxed(
                command, environment, shown, self._folder / "etc",
                arguments=arguments, information=writer, filter_=rules,
            )  # fmt: skip
            self._sandbox = self._spawn(words, pass_fds=(writer, rules, arguments, door))
            os.close(writer)
            writer = -1
            try:
                self._first_inside = desktop_sandbox.process_in(reader)
            except (ValueError, KeyError) as error:
                raise _not_started(notice(NoticeCode.PROGRAM_NOT_STARTED, program="bubblewrap")) from error
        finally:
            for each in (reader, writer, rules, arguments):
                if each >= 0:
                    os.close(each)

    def _connect_network(self, pid: int) -> None:
        """Connect the sandbox to the network, where that can be done."""
        if shutil.which("slirp4netns") is None:
            return
        network, user = desktop_sandbox.namespaces_of(pid)
        ends, self._network_end = os.pipe()
        ready, told = os.pipe()
        try:
            self._spawn(
                desktop_sandbox.network_command(network, user, ends, told), pass_fds=(network, user, ends, told)
            )
            os.close(told)
            told = -1
            if not select.select([ready], [], [], _NETWORK_TIMEOUT_S)[0] or not os.read(ready, 1):
                os.close(self._network_end)
                self._network_end = -1
        finally:
            for each in (network, user, ends, ready, told):
                if each >= 0:
                    os.close(each)

    def _start_manager(self) -> None:
        if shutil.which("openbox") is None:
            return
        nothing = os.open(os.devnull, os.O_RDWR)
        try:
            self.programs.start(
                ["openbox", "--config-file", str(self._folder / "rc.xml")], output=nothing, errors=nothing
            )
        finally:
            os.close(nothing)
        with closing(Display(self.display)) as connection:
            if not window_manager_answers(connection, START_TIMEOUT_S):
                raise _not_started(notice(NoticeCode.PROGRAM_NOT_STARTED, program="openbox"))

    def _start_keeper(self) -> None:
        """Start a shell that ends the others, and removes the folder, if this process dies: the pipe that it reads from
        is closed then.

        It comes last, so that it is ended first, and never ends a process that got one of these numbers later.
        """
        numbers = [str(process.pid) for process in self._processes]
        script = 'folder=$1; shift; read -r _; kill "$@"; sleep 1; rm -rf "$folder"'
        self._spawn(["sh", "-c", script, "keeper", str(self._folder), *numbers], stdin=subprocess.PIPE)

    def _spawn(
        self,
        args: list[str],
        *,
        env: Mapping[str, str] | None = None,
        pass_fds: tuple[int, ...] = (),
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._abandoned:
                raise _not_started(notice(NoticeCode.VIRTUAL_DESKTOP_CANCELLED))
            # A session of its own: Ctrl-C in the terminal must not end the display before the session is recorded.
            process = subprocess.Popen(
                args, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=without_keys(os.environ) if env is None else dict(env),
                pass_fds=pass_fds, start_new_session=True,
            )  # fmt: skip
            self._processes.append(process)
            return process

    def _end(self) -> None:
        if self._programs is not None:
            self._programs.close()
        if self._sandbox is not None and self._first_inside and self._sandbox.poll() is None:
            # All others in the sandbox end with its first process, and bwrap after them.
            with suppress(ProcessLookupError):
                os.kill(self._first_inside, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                self._sandbox.wait(_END_TIMEOUT_S)
        if self._network_end >= 0:
            os.close(self._network_end)
            self._network_end = -1
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()
        self._processes.clear()
        if self._lock_of_home is not None:
            os.close(self._lock_of_home)
            self._lock_of_home = None
        if self._plan.shared is not None:
            with suppress(OSError):
                self._plan.shared.rmdir()  # if it is empty
        deadline = time.monotonic() + _REMOVE_TIMEOUT_S
        shutil.rmtree(self._folder, ignore_errors=True)
        while self._folder.exists() and time.monotonic() < deadline:  # applications write until they have ended
            time.sleep(0.05)
            shutil.rmtree(self._folder, ignore_errors=True)


def _command_of(service: Path) -> list[str]:
    """The command of a D-Bus service file; [] where there is none."""
    with suppress(OSError):
        for line in service.read_text(encoding="utf-8").splitlines():
            if line.startswith("Exec="):
                return shlex.split(line.removeprefix("Exec="))
    return []


def _read_line(descriptor: int, timeout_s: float) -> str:
    deadline = time.monotonic() + timeout_s
    data = b""
    while b"\n" not in data:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            return ""
        piece = os.read(descriptor, 64)
        if not piece:
            return ""
        data += piece
    return data.split(b"\n")[0].decode("ascii").strip()


def _not_started(title: str) -> ComputerUnavailable:
    return ComputerUnavailable(
        title,
        reason=UnavailableReason.NO_DISPLAY,
        detail=notice(NoticeCode.VIRTUAL_DESKTOP_NOT_READY),
        remedy=notice(NoticeCode.RUN_XVFB_FOR_MESSAGE),
    )
