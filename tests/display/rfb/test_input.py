"""Keys, pointer and clipboard on real servers, and what they let go of after a kill."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.server_login import Login
from tests.display.rfb.conftest import Painter, looking
from tests.display.rig.processes import DEADLINE_S, wait_until
from tests.display.rig.vnc_servers import VncServer

ROOT = Path(__file__).resolve().parents[3]
HELD_BY = Path(__file__).with_name("held_by.py")
SHIFT, UPPER_A = 0xFFE1, ord("A")
TEXT = "Zażółć 你好 😀\nΩ"

# Gtk and its system Python, because nothing of ours should judge the clipboard.
_GTK = (
    "import gi, sys; gi.require_version('Gdk', '3.0'); gi.require_version('Gtk', '3.0');"
    "from gi.repository import Gdk, Gtk;"
    "clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD);"
)
TELL = _GTK + "clipboard.request_text(lambda _, text: (print(ascii(text), flush=True), Gtk.main_quit())); Gtk.main()"
COPY = _GTK + "clipboard.set_text(sys.argv[1], -1); print('copied', flush=True); Gtk.main()"


@contextmanager
def acting(server: VncServer) -> Iterator[InputLine]:
    line = InputLine.connect(Login(host="127.0.0.1", port=server.port), within_s=DEADLINE_S)
    try:
        yield line
    finally:
        line.close()


def kill_one_that_holds(server: VncServer) -> None:
    """Returns once a process that held keys and a button has been killed."""
    args = [sys.executable, str(HELD_BY), str(server.port)]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)}) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()


def test_keys_and_buttons_are_down_until_they_are_released(x_server: VncServer, painter: Painter) -> None:
    with acting(x_server) as line:
        line.pointer(123, 45, 4)
        line.key(ord("a"), down=True)
        assert line.acknowledge(DEADLINE_S)
        wait_until(lambda: painter.held()[0] == 4 and len(painter.held()[1]) == 1, "a button and a key to be down")
        place = painter.display.screen().root.query_pointer()
        assert (place.root_x, place.root_y) == (123, 45)
        line.key(ord("a"), down=False)
        line.pointer(123, 45, 0)
        wait_until(lambda: painter.held() == (0, []), "both to be up")


def test_what_a_killed_connection_held_is_released_without_a_click(x_server: VncServer, painter: Painter) -> None:
    with acting(x_server) as line:
        for _ in range(3):
            line.acknowledge(DEADLINE_S)
            kill_one_that_holds(x_server)
            release(line, [SHIFT, UPPER_A], 1, (300, 300))
            wait_until(lambda: painter.held() == (0, []), "keys and button to be up")
            assert line.acknowledge(DEADLINE_S)
            # The press of the killed one, and its release: no click after it.
            assert painter.button_events() == [(True, 1), (False, 1)]


def test_what_a_killed_connection_held_is_released_on_qemu(qemu_session: VncServer) -> None:
    trace = qemu_session.folder / "trace.log"
    with acting(qemu_session) as line:
        assert line.pointer_is_relative is True  # there is no tablet
        before = len(trace.read_text())
        kill_one_that_holds(qemu_session)
        release(line, [SHIFT, UPPER_A], 1, (300, 300))
        assert line.acknowledge(DEADLINE_S)

        def events() -> list[str]:
            return [event for event in trace.read_text()[before:].splitlines() if "_btn" in event or "_key" in event]

        wait_until(lambda: len(events()) >= 6, "QEMU to write down its events")
        for part in ("button left", "qcode shift", "qcode a,"):
            of_part = [event for event in events() if part in event]
            assert "down 1" in of_part[0] and "down 0" in of_part[-1]


def gtk(server: VncServer, *code_and_arguments: str) -> subprocess.Popen[str]:
    assert server.display is not None
    args = ["/usr/bin/python3", "-c", *code_and_arguments]
    return subprocess.Popen(args, env=server.display.env, stdout=subprocess.PIPE, text=True)


def test_offered_text_is_pasted_exactly_on_tigervnc(tigervnc_session: VncServer) -> None:
    with acting(tigervnc_session) as line:
        line.clipboard(TEXT)
        assert line.acknowledge(DEADLINE_S)
        with gtk(tigervnc_session, TELL) as pasting:
            while pasting.poll() is None:
                assert line.acknowledge(DEADLINE_S)  # hands it over
                time.sleep(0.005)
            assert pasting.stdout is not None
            assert pasting.stdout.read().strip() == ascii(TEXT)


async def test_text_that_is_copied_on_tigervnc_is_told_exactly(tigervnc_session: VncServer) -> None:
    texts: asyncio.Queue[str] = asyncio.Queue()
    async with looking(tigervnc_session) as screen:
        screen.listen(lambda _: None, lambda _: None, lambda: None, texts.put_nowait)
        copying = gtk(tigervnc_session, COPY, TEXT)
        try:
            async with asyncio.timeout(DEADLINE_S):
                while await texts.get() != TEXT:
                    pass
        finally:
            copying.kill()
            copying.communicate()


def test_each_server_says_what_it_can_do(
    tigervnc_session: VncServer, x11vnc_session: VncServer, qemu_session: VncServer
) -> None:
    found = []
    for server in (tigervnc_session, x11vnc_session, qemu_session):
        with acting(server) as line:
            keys_and_text = line.has_extended_keys, line.has_extended_clipboard
            found.append((line.has_fence, *keys_and_text, line.pointer_is_relative))
    assert found == [(True, True, True, None), (False, False, True, None), (False, True, True, True)]


def test_many_acknowledgements_all_come(
    tigervnc_session: VncServer, x11vnc_session: VncServer, qemu_session: VncServer
) -> None:
    for server in (tigervnc_session, x11vnc_session, qemu_session):
        with acting(server) as line:
            for _ in range(30):
                line.key(SHIFT, down=False)  # keeps QEMU awake
                assert line.acknowledge(DEADLINE_S)
