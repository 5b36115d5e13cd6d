"""What a program on an isolated desktop reaches of its host: nothing in the sandbox; the rest is listed in help.

Each attempt is made by a program on the desktop and judged from outside, by a secret that it got hold of or by what it
did. Without the sandbox most attempts succeed, which shows that they are attempts.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from operator_console.desktop.x11 import desktop_sandbox
from operator_console.desktop.x11.virtual_desktop import VirtualDesktop
from operator_console.domain.geometry import Size
from tests.display.desktop.started_programs import run_on
from tests.display.rig import Desktop

PROGRAM = Path(__file__).with_name("reaching_out.py")
SYSTEM_PYTHON = "/usr/bin/python3"
_ADD_KEY, _KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
_UNLINK, _SESSION_KEYRING = 9, -3
_REMOVE = 0


@dataclass(slots=True, kw_only=True)
class Host:
    """What a person's session has: files, a display, services, a running console. Each holds the secret."""

    secret: str
    folder: Path
    desktop: Desktop
    console: subprocess.Popen[bytes]
    port: int = 0
    memory: int = 0
    key: str = field(default_factory=lambda: f"operator-console-test-{secrets.token_hex(8)}")

    def path(self, name: str) -> str:
        return str(self.folder / name)

    @property
    def x_socket(self) -> str:
        return f"/tmp/.X11-unix/X{self.desktop.name.removeprefix(':')}"

    @property
    def shared_memory(self) -> Path:
        return Path(f"/dev/shm/{self.key}")


Judge = Callable[[Host, str], bool]


def got_secret(host: Host, output: str) -> bool:
    return host.secret in output


def console_ended(host: Host, output: str) -> bool:
    if "sent" not in output:
        return host.console.poll() is not None
    return host.console.wait(10) != 0


def traced(host: Host, output: str) -> bool:
    host.console.send_signal(signal.SIGCONT)  # whoever traced it may have left it stopped
    return "attached" in output


def wrote(name: str) -> Judge:
    return lambda host, _: (host.folder / name).exists()


def said(word: str) -> Judge:
    return lambda _, output: word in output


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The function of the program, its argument, how it is judged, and whether it works without the sandbox."""

    does: str
    on: Callable[[Host], str]
    judge: Judge = got_secret
    without: bool = True


SOCKETS = (
    "session bus", "keyring", "ssh-agent", "gpg-agent", "systemd of the user", "docker", "pulse", "pipewire", "wayland",
    "socket of the console",
)  # fmt: skip
ATTEMPTS = {
    "read a file of the home": Attempt(does="read_file", on=lambda host: host.path("diary.txt")),
    "list the home": Attempt(does="list_folder", on=lambda host: str(host.folder)),
    "write into the home": Attempt(
        does="write_file", on=lambda host: host.path("autostart.desktop"), judge=wrote("autostart.desktop")
    ),
    **{name: Attempt(does="connect", on=lambda host, name=name: host.path(name)) for name in SOCKETS},  # type: ignore[misc]
    "a socket with an abstract name": Attempt(does="connect", on=lambda host: f"@{host.key}"),
    "the X socket of the host": Attempt(does="greet_x_server", on=lambda host: host.x_socket, judge=said("answered")),
    "the abstract X socket of the host": Attempt(
        does="greet_x_server", on=lambda host: f"@{host.x_socket}", judge=said("answered")
    ),
    "the clipboard": Attempt(does="read_clipboard", on=lambda host: host.desktop.name),
    "the windows of the host": Attempt(
        does="list_windows", on=lambda host: host.desktop.name, judge=said("Root window id")
    ),
    "a service on the loopback, such as CUPS": Attempt(does="connect_by_tcp", on=lambda host: str(host.port)),
    "the loopback by the gateway": Attempt(does="connect_to_gateway", on=lambda host: str(host.port), without=False),
    "variables of the console": Attempt(does="read_file", on=lambda host: f"/proc/{host.console.pid}/environ"),
    "own variables": Attempt(does="environment", on=lambda _: "", without=False),
    "trace the console": Attempt(does="trace", on=lambda host: str(host.console.pid), judge=traced),
    "the run folder of the guard": Attempt(does="write_file", on=lambda host: host.path("latch"), judge=wrote("latch")),
    "a key of the kernel": Attempt(does="read_kernel_key", on=lambda host: host.key),
    "shared memory": Attempt(does="read_file", on=lambda host: str(host.shared_memory)),
    "shared memory of System V": Attempt(does="attach_memory", on=lambda host: str(host.memory)),
    "xdg-open": Attempt(does="open_address", on=lambda host: f"file://{host.path('diary.txt')}", without=False),
    "kill the console": Attempt(does="kill", on=lambda host: str(host.console.pid), judge=console_ended),
}
"""The last one ends what others try to reach."""


@pytest.fixture
def host(desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    secret = secrets.token_hex(16)
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    monkeypatch.setenv("MY_OWN_SETTING", secret)
    console = subprocess.Popen(["sleep", "600"], env={"GEMINI_API_KEY": secret})
    made = Host(secret=secret, folder=tmp_path, desktop=desktop, console=console)
    (tmp_path / "diary.txt").write_text(secret)
    (tmp_path / secret).touch()
    made.shared_memory.write_text(secret)
    subprocess.run(
        ["xprop", "-root", "-f", "CUT_BUFFER0", "8s", "-set", "CUT_BUFFER0", secret], env=desktop.env, check=True
    )
    with ExitStack() as services, key_of_kernel(made), memory_of_system_v(made):
        for name in SOCKETS:
            services.enter_context(Service(socket.AF_UNIX, made.path(name), secret))
        services.enter_context(Service(socket.AF_UNIX, f"\0{made.key}", secret))
        listener = services.enter_context(Service(socket.AF_INET, ("127.0.0.1", 0), secret))
        made.port = listener.socket.getsockname()[1]
        yield made
    subprocess.run(["xprop", "-root", "-remove", "CUT_BUFFER0"], env=desktop.env, check=True)
    made.shared_memory.unlink()
    console.kill()
    console.wait()


class Service:
    """Listens, and sends the secret to whoever connects."""

    def __init__(self, family: int, address: str | tuple[str, int], secret: str) -> None:
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen()
        self._secret = secret.encode()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Service:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.socket.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                with self.socket.accept()[0] as client:
                    client.send(self._secret)


@contextmanager
def key_of_kernel(host: Host) -> Iterator[None]:
    """A key in the session keyring, which child processes inherit."""
    libc = ctypes.CDLL(None)
    secret = host.secret.encode()
    key = libc.syscall(_ADD_KEY, b"user", host.key.encode(), secret, len(secret), _SESSION_KEYRING)
    assert key > 0
    yield
    libc.syscall(_KEYCTL, _UNLINK, key, _SESSION_KEYRING)


@contextmanager
def memory_of_system_v(host: Host) -> Iterator[None]:
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    host.memory = libc.shmget(0, 4096, 0o600)
    at = libc.shmat(host.memory, None, 0)
    ctypes.memmove(at, host.secret.encode() + b"\0", len(host.secret) + 1)
    yield
    libc.shmdt(ctypes.c_void_p(at))
    libc.shmctl(host.memory, _REMOVE, None)


async def attempted(host: Host) -> tuple[dict[str, bool], dict[str, str]]:
    """Which attempts succeeded, and all that the program said when it tried each."""
    there = await VirtualDesktop.start(Size(320, 320))
    try:
        shutil.copy(PROGRAM, there.home)
        reached: dict[str, bool] = {}
        said: dict[str, str] = {}
        for name, attempt in ATTEMPTS.items():
            command = [SYSTEM_PYTHON, "-I", str(there.home / PROGRAM.name), attempt.does, attempt.on(host)]
            said[name] = await asyncio.to_thread(run_on, there, command)
            reached[name] = await asyncio.to_thread(attempt.judge, host, said[name])
    finally:
        await there.close()
    return reached, said


async def test_in_the_sandbox_a_program_reaches_nothing(host: Host) -> None:
    reached, output = await attempted(host)
    assert all(output.values()), "the program ran"
    assert not any(reached.values()), output


async def test_without_the_sandbox_a_program_reaches_the_rest(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desktop_sandbox, "sandbox_trouble", lambda: "There is none here.")
    reached, output = await attempted(host)
    assert reached == {name: attempt.without for name, attempt in ATTEMPTS.items()}, output


async def test_by_the_accessibility_bus_nothing_is_started_outside() -> None:
    there = await VirtualDesktop.start(Size(320, 320))
    try:
        shutil.copy(PROGRAM, there.home)
        command = [SYSTEM_PYTHON, "-I", str(there.home / PROGRAM.name), "start_service", there.accessibility]
        output = await asyncio.to_thread(run_on, there, command)
    finally:
        await there.close()
    assert "org.freedesktop.DBus.Error.ServiceUnknown" in output
    assert "org.freedesktop.DBus.Error.AccessDenied" in output
