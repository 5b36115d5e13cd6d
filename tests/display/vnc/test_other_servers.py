"""The same input, the injector's and the operator's, on x11vnc, wayvnc and a machine of QEMU without a tablet."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.app.session_handles import hand_may
from operator_console.computers.vnc.target import open_machine
from operator_console.domain import states
from operator_console.domain.actions import Button, Click, Drag, KeyDown, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import VncTarget
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import HandButton, HandInput, HandKey
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from operator_console.rfb.server_login import Login
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.by_hand import keys, point, use
from tests.display.rig import Desktop, wait_until
from tests.display.rig.vnc_servers import qemu, wayvnc, x11vnc
from tests.display.vnc.machine import Machine, acting_on, injector_of, nothing_is_held
from tests.display.vnc.test_input import arrives
from tests.display.vnc.test_operator_input import hand_on
from tests.display.vnc.test_stop import ROUND, SHIFT

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]


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
        expected = ["shift", "y", "z", "alt_r", "q", "minus", "grave_accent", "spc", "alt_r", "7"]
        expected += ["shift", "semicolon"] * 60

        def pressed() -> list[str]:
            return [key for key, down in _qemu_keys(tmp_path / "trace.log") if down]

        await asyncio.to_thread(wait_until, lambda: pressed() == expected, "all keys")


async def test_a_machine_whose_pointer_takes_steps_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with qemu(tmp_path) as server:
        target = VncTarget(spec=f"vnc:127.0.0.1:{server.port}", title="")
        with pytest.raises(OperatorError) as refused:
            await open_machine(target, Login(host="127.0.0.1", port=server.port))
    assert "steps of the pointer" in refused.value.title
    assert "usb-tablet" in refused.value.remedy


@pytest.fixture
def wayland_machine(tmp_path: Path) -> Iterator[Machine]:
    """A Wayland desktop that wayvnc shows; windows of X programs are judged there."""
    with wayvnc(tmp_path) as server:
        assert server.display is not None
        made = Machine(folder=tmp_path, size=server.display.size, port=server.port)
        made.desktop = Desktop.start(server.display, tmp_path, wm=False)
        yield made
        made.desktop.close()


def event_window_on(machine: Machine) -> EventWindow:
    """A window where it stays; sway gives it the whole screen some time after it came."""
    window = EventWindow(machine.desktop)
    if machine.desktop.wm is None:
        wait_until(lambda: window.application.now().width == machine.size[0], "sway to place the window")
    return window


@pytest.mark.full
async def test_a_click_and_a_drag_arrive_on_wayvnc(wayland_machine: Machine) -> None:
    window = await asyncio.to_thread(event_window_on, wayland_machine)
    async with acting_on(wayland_machine) as acting:
        clicked = await acting.do(Click(at=NativePoint(123, 45)))
        assert clicked.result is ActResult.DONE, clicked.detail
        await acting.do(Drag(path=(NativePoint(20, 30), NativePoint(220, 130))))
    assert await asyncio.to_thread(window.buttons) == [
        ButtonEvent("Press", 123, 45, 1), ButtonEvent("Release", 123, 45, 1), ButtonEvent("Press", 20, 30, 1),
        ButtonEvent("Release", 220, 130, 1),
    ]  # fmt: skip


@pytest.mark.full
async def test_ascii_arrives_on_wayvnc(wayland_machine: Machine, tmp_path: Path) -> None:
    # It types $ by a key of its own that Xwayland does not pass on; programs of Wayland are told of it.
    text = string.printable[:95].replace("$", "")
    await arrives(wayland_machine, tmp_path / "note.txt", f"{text}\nnext line")


async def test_a_killed_injector_leaves_nothing_held_on_wayvnc(wayland_machine: Machine) -> None:
    await asyncio.to_thread(event_window_on, wayland_machine)
    async with acting_on(wayland_machine) as acting:
        await acting.do(KeyDown(key=SHIFT))
        dragging = asyncio.ensure_future(acting.do(ROUND))
        await asyncio.to_thread(wait_until, wayland_machine.desktop.buttons_down, "the drag to begin")
        os.kill(injector_of(acting), signal.SIGKILL)
        assert (await dragging).result is ActResult.UNKNOWN
        await nothing_is_held(wayland_machine)


@pytest.fixture(params=["x11vnc", "wayvnc"])
def other_machine(request: pytest.FixtureRequest) -> Machine:
    made: Machine = request.getfixturevalue("shared" if request.param == "x11vnc" else "wayland_machine")
    return made


async def test_the_operators_hand_arrives_and_is_released(other_machine: Machine) -> None:
    window = await asyncio.to_thread(event_window_on, other_machine)
    place = window.application.now()
    start, end = (NativePoint(place.x + x, place.y + y) for x, y in ((20, 30), (200, 150)))
    async with hand_on(other_machine) as hand:
        told = await point(hand, window, [
            HandButton(button=Button.LEFT, down=True, at=start), HandButton(button=Button.LEFT, down=False, at=end),
        ])  # fmt: skip
        assert told == [ButtonEvent("Press", 20, 30, 1), ButtonEvent("Release", 200, 150, 1)]
        await use(hand, keys("az7"))
        await asyncio.to_thread(wait_until, lambda: len(window.plain_keys()) == 6, "three keys")
        held: list[HandInput] = [HandKey(key=SHIFT, down=True), HandButton(button=Button.LEFT, down=True, at=start)]
        await use(hand, held)
        await asyncio.to_thread(wait_until, other_machine.desktop.buttons_down, "the button to be down")
        hand.permit(hand_may(states.Stopped(reason=StopCause.HOTKEY)))
        await nothing_is_held(other_machine)
        assert not hand.give(HandKey(key=Key("b"), down=True, text="b"))
    assert [name for kind, name in window.plain_keys() if kind == "Press"] == ["a", "z", "7"]


async def test_the_operators_hand_types_on_a_machine_of_qemu_and_its_keys_are_released(tmp_path: Path) -> None:
    with qemu(tmp_path) as server:
        async with hand_on(Machine(folder=tmp_path, port=server.port)) as hand:
            await use(hand, [*keys("aZ!", shifted="Z!"), HandKey(key=SHIFT, down=True)])
            hand.permit(hand_may(states.Observing()))
            expected = [("a", 1), ("a", 0), *_shifted("z"), *_shifted("1"), ("shift", 1), ("shift", 0)]
            await asyncio.to_thread(wait_until, lambda: _qemu_keys(tmp_path / "trace.log") == expected, "all keys")


def _shifted(key: str) -> list[tuple[str, int]]:
    return [("shift", 1), (key, 1), (key, 0), ("shift", 0)]


def _qemu_keys(trace: Path) -> list[tuple[str, int]]:
    """What the machine was told: keys by their positions, 1 down and 0 up."""
    return [(key, int(down)) for key, down in re.findall(r"key qcode (\w+), down (\d)", trace.read_text())]
