"""A person who works through x11vnc: their stop keys, their answers and the screen corners count; whose input it is
cannot be told, so that their hand on the mouse does not pause the model, which is said at the start. Through xrdp to an
Xvnc, which has devices of its own, the hand pauses too.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.harness import Console, final, start_console, turn
from tests.display.rig import (
    AccessibleDesktop,
    Child,
    Desktop,
    WindowInfo,
    launch_chromium,
    launch_mousepad,
    launch_xterm,
    start_xvfb,
    wait_until,
)
from tests.display.rig.vnc_servers import tigervnc, x11vnc_on
from tests.servers.certificates import self_signed
from tests.servers.gemini_server import GeminiServerThread

pytestmark = pytest.mark.full

_NOVNC = Path("/usr/share/novnc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whoever sits before the viewer's window; where they point is told in pixels of the remote desktop."""

    seat: Desktop
    window: WindowInfo

    def press(self, keys: str) -> None:
        self.seat.xdo("key", keys)

    def write(self, text: str) -> None:
        self.seat.xdo("type", "--delay", "60", text)

    def point(self, x: int, y: int) -> None:
        at_x, at_y = self.seat.pointer()
        # A motion of the mouse: of a pointer that was put somewhere, as by `mousemove`, viewers are not told.
        self.seat.xdo("mousemove_relative", "--", str(self.window.x + x - at_x), str(self.window.y + y - at_y))

    def click(self, x: int, y: int) -> None:
        self.point(x + 3, y + 3)
        self.point(x, y)
        self.seat.xdo("click", "1")


@contextlib.contextmanager
def person_at(desktop: Desktop, folder: Path, viewer: str = "TigerVNC") -> Iterator[Person]:
    """A viewer that shows the whole desktop and has the keyboard, on a screen of its own."""
    program = {"TigerVNC": "xtigervncviewer", "noVNC": "websockify"}[viewer]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    here = folder / "here"
    here.mkdir()
    width, height = desktop.server.size
    server = start_xvfb(here, size=(width + 100, height + 150))
    seat = Desktop.start(server, here)
    try:
        with x11vnc_on(desktop.server, folder) as shown:
            if viewer == "TigerVNC":
                seat.adopt(
                    Child([program, "-RemoteResize=0", f"127.0.0.1::{shown.port}"], env=seat.env, log=here / "log.txt")
                )
                window = seat.wait_window(title=viewer, active=True)
            else:
                window = _browser(seat, here, shown.port)
            yield Person(seat=seat, window=window)
    finally:
        seat.close()
        server.stop()


def _browser(seat: Desktop, folder: Path, vnc_port: int) -> WindowInfo:
    """noVNC's page in a browser, connected."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = folder / "websockify.txt"
    serving = ["websockify", "--verbose", "--web", str(_NOVNC), f"127.0.0.1:{port}", f"127.0.0.1:{vnc_port}"]
    service = seat.adopt(Child(serving, env=seat.env, log=log))
    wait_until(lambda: service.checked() and "proxying from" in log.read_text(), "websockify to listen")
    page = f"http://127.0.0.1:{port}/vnc_lite.html?host=127.0.0.1&port={port}&path="
    window = launch_chromium(seat, f"--app={page}", title="noVNC").window
    wait_until(lambda: "connecting to: 127.0.0.1" in log.read_text(), "noVNC to connect")
    return window


_XRDP = """\
[Globals]
ini_version=1
fork=true
port=tcp://.:{port}
security_layer=tls
certificate={folder}/certificate.pem
key_file={folder}/key.pem
allow_channels=true
autorun=Xvnc
[Logging]
LogFile={folder}/xrdp.log
LogLevel=INFO
[Xvnc]
name=Xvnc
lib=libvnc.so
ip=127.0.0.1
port={vnc_port}
username=na
password=na
"""


@contextlib.contextmanager
def person_over_rdp(folder: Path) -> Iterator[tuple[Desktop, Person]]:
    """An Xvnc's desktop, and somebody at an RDP client that xrdp shows it to, on a screen of its own."""
    for program in ("xrdp", "xfreerdp"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    here, there = folder / "here", folder / "there"
    here.mkdir()
    there.mkdir()
    signed = self_signed("127.0.0.1")
    (there / "key.pem").write_bytes(signed.key)
    (there / "certificate.pem").write_bytes(signed.certificate)
    with contextlib.ExitStack() as stack:
        shown = stack.enter_context(tigervnc(there))
        assert shown.display is not None
        desktop = Desktop.start(shown.display, there)
        stack.callback(desktop.close)
        server = start_xvfb(here)
        stack.callback(server.stop)
        seat = Desktop.start(server, here)
        stack.callback(seat.close)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        settings = there / "xrdp.ini"
        settings.write_text(_XRDP.format(folder=there, port=port, vnc_port=shown.port))
        serving = ["xrdp", "--nodaemon", "--config", str(settings)]
        service = seat.adopt(Child(serving, env=seat.env, log=there / "xrdp.txt"))
        log = there / "xrdp.log"
        wait_until(lambda: service.checked() and log.exists() and "listening" in log.read_text(), "xrdp to listen")
        width, height = shown.display.size
        client = ["xfreerdp", f"/v:127.0.0.1:{port}", f"/size:{width}x{height}", "/cert:ignore", "/u:na", "/p:na"]
        seat.adopt(Child(client, env=seat.env, log=here / "xfreerdp.txt"))
        window = seat.wait_window(title="FreeRDP", active=True)
        person = Person(seat=seat, window=window)

        def connected() -> bool:
            person.point(width // 2, height // 2)
            person.point(width // 2 + 9, height // 2 + 9)
            return desktop.pointer() == (width // 2 + 9, height // 2 + 9)

        wait_until(connected, "the pointer to follow the person's")
        yield desktop, person


def _reports(desktop: Desktop, folder: Path, *words: str) -> Console:
    return start_console(desktop, folder, "run", *words, "--provider", "runbook", "--json", "--answer", "deny")


@pytest.mark.parametrize("viewer", ["TigerVNC", "noVNC"])
def test_the_stop_keys_stop_through_a_viewer_and_it_is_said_that_anybody_may_have_pressed_them(
    desktop: Desktop, tmp_path: Path, viewer: str
) -> None:
    with person_at(desktop, tmp_path, viewer) as person:
        console = _reports(desktop, tmp_path, 'wait for "Done" up to 600 s', "--target", "monitor:1")
        console.wait_event("observed")
        assert "Input of this session cannot be told from programs'." in console.child.log_text()
        person.click(600, 500)  # a page gets keys only then
        person.press("ctrl+alt+x")
        stopped = console.wait_event("stopped")
        assert console.wait() == ExitCode.STOPPED, console.report()
        assert stopped["reason"] == "hotkey"
        assert stopped["detail"] == "Whether a person or a program sent the keys cannot be told on this display."


def test_on_a_screen_with_devices_the_start_says_what_the_viewers_input_does_not_do(
    xephyr_desktop: Desktop, tmp_path: Path
) -> None:
    with person_at(xephyr_desktop, tmp_path):
        console = _reports(xephyr_desktop, tmp_path, "scroll down 1", "--target", "monitor:1")
        assert console.wait() == ExitCode.FINISHED, console.report()
        assert "Input from there cannot be told from programs'." in console.child.log_text()


def test_a_hand_on_the_viewers_mouse_does_not_pause_which_was_said_and_in_a_corner_it_stops(
    desktop: Desktop, tmp_path: Path
) -> None:
    launch_mousepad(desktop, tmp_path / "note.txt")
    with person_at(desktop, tmp_path) as person:
        steps = "\n".join(f'type "line {number} of the letter"' for number in range(200))
        console = _reports(desktop, tmp_path, steps, "--target", "window:Mousepad")

        def done() -> int:
            return len([event for event in console.events() if event["kind"] == "performed"])

        console.wait_event("performed")
        assert "your use of the mouse or keyboard does not pause the model" in console.child.log_text()
        for x in range(500, 560, 4):
            person.point(x, 400)
        wait_until(lambda: desktop.pointer()[1] == 400, "the pointer to follow the person's")
        before = done()
        wait_until(lambda: done() > before + 1, "the model to go on")
        person.point(0, 0)
        assert console.wait_event("stopped")["reason"] == "corner"
        assert console.wait() == ExitCode.STOPPED, console.report()
        assert [event for event in console.events() if event["kind"] == "paused" and event["by"] == "hand"] == []


def test_what_is_critical_is_allowed_by_the_word_that_is_typed_in_the_viewer(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    desktop, typed = accessible_desktop.desktop, tmp_path / "typed"
    launch_xterm(desktop, "sh", "-c", f'read line; echo "$line" > {typed}; cat')
    command = "operator-console reset --yes"
    says = [turn(("type", {"text": command, "press_enter": True})), final("Done.")]
    with person_at(desktop, tmp_path) as person, GeminiServerThread(says, api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        app.start("xterm", autonomy="Guarded")
        app.wait("Deny", BUTTON, enabled=True)
        word = next(text for text in app.texts() if text.startswith("Type ") and text.endswith(" to allow"))
        person.click(*app.wait(word).centre)
        app.wait("Allow", enabled=True)
        person.write(word.split()[1])
        app.wait_record("ended", outcome="finished")
        decided = app.wait_record("decided", by="human", decision="approve")
        assert decided["call"] == app.wait_record("granted")["call"]
        assert app.close() == 0
    assert typed.read_text().strip() == command


def test_through_xrdp_a_hand_pauses_and_the_stop_keys_stop(tmp_path: Path) -> None:
    with person_over_rdp(tmp_path) as (desktop, person):
        launch_mousepad(desktop, tmp_path / "note.txt")
        steps = "\n".join(f'type "line {number} of the letter"' for number in range(200))
        console = _reports(desktop, tmp_path, steps, "--target", "window:Mousepad")
        console.wait_event("performed")

        def paused_by_the_hand() -> bool:
            for x in range(500, 560, 4):
                person.point(x, 400)
            return any(event["kind"] == "paused" and event["by"] == "hand" for event in console.events())

        wait_until(paused_by_the_hand, "the hand to pause")
        assert console.wait() == ExitCode.LIMIT, console.report()

        folder = tmp_path / "stopped"
        folder.mkdir()
        console = _reports(desktop, folder, 'wait for "Done" up to 600 s', "--target", "monitor:1")
        console.wait_event("observed")
        person.press("ctrl+alt+x")
        stopped = console.wait_event("stopped")
        assert console.wait() == ExitCode.STOPPED, console.report()
        assert (stopped["reason"], stopped["detail"]) == ("hotkey", "")
