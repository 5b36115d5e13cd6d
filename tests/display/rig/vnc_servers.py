"""Real VNC servers on loopback: TigerVNC's Xvnc, x11vnc on an Xvfb, QEMU without a disk, which shows its BIOS, and
wayvnc on a sway without a screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, TextIO

from Xlib.protocol import display as protocol
from Xlib.protocol import event

from tests.display.rig.processes import Child, RigError, wait_until
from tests.display.rig.server import XServer, clean_env, start_xserver, start_xvfb
from tests.servers.certificates import self_signed

SIZE = 1024, 700


@dataclass(frozen=True, slots=True, kw_only=True)
class VncServer:
    """A running server.

    Attributes:
        port: on 127.0.0.1.
        child: its process.
        display: the X server that it shows; of wayvnc that of its compositor; None for QEMU.
        folder: its files: QEMU's `qmp.sock` and `trace.log`.
    """

    port: int
    child: Child
    folder: Path
    display: XServer | None = None


@contextlib.contextmanager
def event_classes_apart() -> Iterator[None]:
    """python-xlib keeps the numbers of extensions' events for all connections together. Xvnc has others than Xvfb."""
    begin = protocol.Display.__init__

    def begin_with_own(self: Any, *args: Any, **options: Any) -> None:
        self.event_classes = event.event_class.copy()
        begin(self, *args, **options)

    protocol.Display.__init__ = begin_with_own
    try:
        yield
    finally:
        protocol.Display.__init__ = begin


@contextlib.contextmanager
def tigervnc(folder: Path, options: Sequence[str] = ("-SecurityTypes", "None")) -> Iterator[VncServer]:
    """Xvnc, which is X server and VNC server in one."""
    port = _free_port()
    width, height = SIZE
    args = ["Xvnc", "-geometry", f"{width}x{height}", "-depth", "24", "-rfbport", str(port), "-localhost"]
    server = start_xserver([*args, "-nolisten", "tcp", "-noreset", *options], "xvnc", folder, size=SIZE)
    try:
        _wait_for(port, server.child)
        yield VncServer(port=port, child=server.child, display=server, folder=folder)
    finally:
        server.stop()


@contextlib.contextmanager
def x11vnc(folder: Path, options: Sequence[str] = ("-nopw",)) -> Iterator[VncServer]:
    """x11vnc on an Xvfb."""
    server = start_xvfb(folder, size=SIZE)
    try:
        with x11vnc_on(server, folder, options) as started:
            yield started
    finally:
        server.stop()


@contextlib.contextmanager
def x11vnc_on(server: XServer, folder: Path, options: Sequence[str] = ("-nopw",)) -> Iterator[VncServer]:
    """x11vnc on a running X server."""
    port = _free_port()
    args = ["x11vnc", "-display", server.name, "-rfbport", str(port), "-localhost", "-forever", "-shared", "-norc"]
    with _running([*args, "-xrandr", *options], folder, "x11vnc", port, server) as started:
        yield started


@contextlib.contextmanager
def qemu(
    folder: Path, *, vnc: str = "", options: Sequence[str] = (), window: XServer | None = None
) -> Iterator[VncServer]:
    """A machine without a disk. `vnc` ends the value of QEMU's option of that name; `window`: where it may open one."""
    port = _free_port()
    args = [
        "qemu-system-x86_64", "-accel", "tcg", "-m", "32", "-nodefaults", "-vga", "std", "-display", "none",
        "-vnc", f"127.0.0.1:{port - 5900}{vnc}", "-qmp", "unix:qmp.sock,server=on,wait=off",
        "-trace", "input_event_btn", "-trace", "input_event_key_qcode", "-D", "trace.log",
    ]  # fmt: skip
    with _running([*args, *options], folder, "qemu", port, window) as started:
        yield started


@contextlib.contextmanager
def wayvnc(folder: Path, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[VncServer]:
    """wayvnc on a sway without a screen and without frames; `settings` are of wayvnc's file. X programs run there."""
    port = _free_port()
    told, (width, height) = folder / "display", SIZE
    (folder / "sway.txt").write_text(
        f"output HEADLESS-1 resolution {width}x{height} position 0 0\noutput * bg #336699 solid_color\n"
        f"default_border none\nfocus_follows_mouse no\nexec echo $WAYLAND_DISPLAY $DISPLAY > {told}\n"
    )
    (folder / "wayvnc.txt").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    home, sockets = folder / "home", TemporaryDirectory(prefix="sway-")  # a socket's path must be short
    runs = {"XDG_RUNTIME_DIR": sockets.name}
    env = clean_env(home, WLR_BACKENDS="headless", WLR_LIBINPUT_NO_DEVICES="1", WLR_RENDERER="pixman", **runs)
    # It refuses to run as root: for this user alone another number.
    as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
    args = ["setpriv", "--pdeathsig", "TERM", *as_user, "sway", "--unsupported-gpu", "-c", str(folder / "sway.txt")]
    compositor = Child(args, env=env, log=folder / "sway.log", cwd=folder)
    try:
        wait_until(lambda: compositor.checked() and told.exists() and told.read_text().split()[1:], "sway to start")
        wayland, x_display = told.read_text().split()
        there = {
            "WAYLAND_DISPLAY": wayland,
            "DISPLAY": x_display,
            "GDK_BACKEND": "x11",
            "QT_QPA_PLATFORM": "xcb",
        } | runs
        display = XServer(name=x_display, child=compositor, size=SIZE, env=clean_env(home, **there))
        # A new size within the pause between two frames would end its connection to sway (wayvnc, pull request 404).
        args = ["wayvnc", "-f", "10000", "-C", str(folder / "wayvnc.txt"), "127.0.0.1", str(port)]
        with _running(args, folder, "wayvnc", port, display) as started:
            yield started
    finally:
        compositor.stop()
        sockets.cleanup()


def resize_sway(server: VncServer, width: int, height: int) -> None:
    """Gives the screen that wayvnc shows another size."""
    assert server.display is not None
    (place,) = Path(server.display.env["XDG_RUNTIME_DIR"]).glob("sway-ipc.*.sock")
    words = ["swaymsg", "-s", str(place), "output", "HEADLESS-1", "resolution", f"{width}x{height}"]
    subprocess.run(words, env=server.display.env, check=True, capture_output=True)


def ask_qemu(server: VncServer, command: str, **arguments: object) -> Any:
    """Asks by QMP, on a connection of its own. Raises RigError where QEMU refuses."""
    return ask_qmp(server.folder, command, **arguments)


def ask_qmp(folder: Path, command: str, **arguments: object) -> Any:
    """As `ask_qemu`, by the `qmp.sock` in a folder."""
    with opened(folder) as number, socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(f"/proc/self/fd/{number}/qmp.sock")  # a socket's path must be short
        with connection.makefile("rw") as lines:
            while "QMP" not in json.loads(lines.readline()):
                pass  # an event that was on its way
            _asked(lines, {"execute": "qmp_capabilities"})
            return _asked(lines, {"execute": command, "arguments": arguments})


def _asked(lines: TextIO, question: Mapping[str, object]) -> Any:
    lines.write(json.dumps(question) + "\n")
    lines.flush()
    while not {"return", "error"} & (answer := json.loads(lines.readline())).keys():
        pass
    if "error" in answer:
        raise RigError(f"QEMU: {answer}")
    return answer["return"]


def password_file(folder: Path, password: str) -> Path:
    """As TigerVNC reads it."""
    done = subprocess.run(["tigervncpasswd", "-f"], input=password.encode(), capture_output=True, check=True)
    file = folder / "passwd"
    file.write_bytes(done.stdout)
    return file


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Files of a self-signed one, as QEMU names them, and its SHA-256."""

    folder: Path
    fingerprint: str


def make_certificate(folder: Path) -> Certificate:
    """For one day, for localhost."""
    made = self_signed("localhost")
    (folder / "server-key.pem").write_bytes(made.key)
    (folder / "server-cert.pem").write_bytes(made.certificate)
    return Certificate(folder=folder, fingerprint=made.fingerprint)


def with_users(certificate: Certificate, user: str, password: str) -> dict[str, str]:
    """Settings of a wayvnc that lets in one user, by VeNCrypt's X509Plain."""
    return {
        "enable_auth": "true", "username": user, "password": password,
        "certificate_file": str(certificate.folder / "server-cert.pem"),
        "private_key_file": str(certificate.folder / "server-key.pem"),
    }  # fmt: skip


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[int]:
    """Its number, by which a socket in it has a short path."""
    number = os.open(folder, os.O_RDONLY)
    try:
        yield number
    finally:
        os.close(number)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def _running(args: Sequence[str], folder: Path, name: str, port: int, display: XServer | None) -> Iterator[VncServer]:
    if shutil.which(args[0]) is None:
        raise RigError(f"{args[0]} is not installed; run packaging/bootstrap.py test")
    env = clean_env(folder / "home") if display is None else display.env
    child = Child(["setpriv", "--pdeathsig", "TERM", *args], env=env, log=folder / f"{name}.log", cwd=folder)
    try:
        _wait_for(port, child)
        yield VncServer(port=port, child=child, display=display, folder=folder)
    finally:
        child.stop()


def _wait_for(port: int, child: Child) -> None:
    def listens() -> bool:
        child.checked()
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    wait_until(listens, f"a server on port {port}")
