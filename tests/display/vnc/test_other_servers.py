"""The same input on x11vnc, which confirms by pictures, and on a machine of QEMU without a tablet."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.computers.vnc.target import open_machine
from operator_console.domain.actions import Click, KeyDown, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import VncTarget
from operator_console.domain.geometry import NativePoint
from operator_console.rfb.login import Login
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.rig import Desktop, wait_until
from tests.display.rig.vnc_servers import qemu, x11vnc
from tests.display.vnc.machine import Machine, acting_on, injector_of, nothing_is_held
from tests.display.vnc.test_stop import ROUND, SHIFT


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Machine]:
    """A desktop that x11vnc shows."""
    with x11vnc(tmp_path) as server:
        assert server.display is not None
        made = Machine(folder=tmp_path, size=server.display.size, port=server.port)
        made.desktop = Desktop.start(server.display, tmp_path)
        yield made
        made.desktop.close()


async def test_a_click_and_a_text_arrive_on_x11vnc(shared: Machine) -> None:
    window = await asyncio.to_thread(EventWindow, shared.desktop)
    place = window.application.now()
    async with acting_on(shared) as acting:
        clicked = await acting.do(Click(at=NativePoint(place.x + 123, place.y + 45)))
        assert clicked.result is ActResult.DONE, clicked.detail
        typed = await acting.do(TypeText(text="abc"))
        assert (typed.result, typed.delivered) == (ActResult.DONE, 3), typed.detail
        await asyncio.to_thread(wait_until, lambda: len(window.plain_keys()) == 6, "three keys")
    assert await asyncio.to_thread(window.buttons) == [
        ButtonEvent("Press", 123, 45, 1), ButtonEvent("Release", 123, 45, 1)
    ]  # fmt: skip
    assert [name for kind, name in window.plain_keys() if kind == "Press"] == ["a", "b", "c"]


async def test_a_killed_injector_leaves_nothing_held_on_x11vnc(shared: Machine) -> None:
    async with acting_on(shared) as acting:
        await acting.do(KeyDown(key=SHIFT))
        dragging = asyncio.ensure_future(acting.do(ROUND))
        await asyncio.to_thread(wait_until, shared.desktop.buttons_down, "the drag to begin")
        os.kill(injector_of(acting), signal.SIGKILL)
        assert (await dragging).result is ActResult.UNKNOWN
        await nothing_is_held(shared)


async def test_qemu_is_sent_the_keys_of_the_machines_layout(desktop: Desktop, tmp_path: Path) -> None:
    with qemu(tmp_path, options=("-device", "usb-ehci", "-device", "usb-tablet", "-device", "usb-kbd")) as server:
        machine = Machine(folder=tmp_path, size=(720, 400), port=server.port, layout="de")
        machine.desktop = desktop
        async with acting_on(machine) as acting:
            typed = await acting.do(TypeText(text="Zy@ß^{" + "Ö" * 60))
            assert (typed.result, typed.delivered) == (ActResult.DONE, 66), typed.detail
    found = re.findall(r"qcode (\w+), down (\d)", (tmp_path / "trace.log").read_text())
    pressed = [key for key, down in found if down == "1"]
    assert pressed[:11] == ["shift", "y", "z", "alt_r", "q", "minus", "grave_accent", "spc", "alt_r", "7", "shift"]
    assert pressed[11:] == ["semicolon", *["shift", "semicolon"] * 59], "none is lost"


async def test_a_machine_whose_pointer_takes_steps_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with qemu(tmp_path) as server:
        target = VncTarget(spec=f"vnc:127.0.0.1:{server.port}", title="")
        with pytest.raises(OperatorError) as refused:
            await open_machine(target, Login(host="127.0.0.1", port=server.port))
    assert "steps of the pointer" in refused.value.title
    assert "usb-tablet" in refused.value.remedy
