"""Input to a VM's window arrives in the machine, at the pixel that was meant, and nothing of it stays held."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from Xlib import X
from Xlib.display import Display

from operator_console.computers.targets import list_targets
from operator_console.computers.vm.capture import VmCapture
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Action, Chord, Click, Drag, KeyDown, TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.frames import VmTarget
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from tests.display.acceptance.event_window import EventWindow
from tests.display.desktop.painted import Painted
from tests.display.guard.acting import Acting, guarded, injector_pid
from tests.display.rig import AccessibleDesktop, Application, Desktop, Witness, launch, launch_xterm, wait_until
from tests.display.rig.monitors import monitors_of
from tests.display.rig.vnc_servers import ask_qmp
from tests.display.rig.witness import later_by_ms
from tests.display.vm.viewers import (
    GUEST,
    frame_of,
    launch_qemu,
    launch_remote_viewer,
    launch_tigervnc,
    looking,
    resize,
    target_of,
)
from tests.display.vnc.machine import Machine, nothing_is_held

_FRAME = 5, 51
"""Of remote-viewer, seen: its border, and its title bar."""
_TYPED = 60
LIMIT_MS = 100
"""How long after the stop was pressed a key may still go down in the machine."""
POINTS = [(20, 40), (333, 111), (777, 51), (401, 299), (15, 580), (790, 590)]


@dataclass(kw_only=True)
class OnViewer:
    """An armed session on a viewer."""

    acting: Acting
    capture: VmCapture

    async def do(self, action: Action, **changes: object) -> Outcome:
        """Perform it on a picture of now."""
        frame = await asyncio.to_thread(frame_of, self.capture)
        return await self.acting.do(action, target=frame.target, geometry=frame.geometry, **changes)


@asynccontextmanager
async def acting_on(desktop: Desktop, viewer: Application) -> AsyncIterator[OnViewer]:
    """Armed on the viewer; disarmed in order where the test has not stopped it."""
    with looking(desktop, viewer) as capture:
        async with guarded(desktop) as acting:
            await acting.guard.arm(session="test", target=target_of(desktop, viewer))
            yield OnViewer(acting=acting, capture=capture)
            if not acting.ears.stops:
                await acting.guard.disarm()


def covering(machine: Machine) -> EventWindow:
    """A window over all of the machine's screen, which is told of every press."""
    window = EventWindow(machine.desktop, geometry=f"{GUEST[0]}x{GUEST[1]}+0+0")
    machine.desktop.xdo("windowmove", str(window.xid), "0", "0")
    return window


@pytest.mark.parametrize(
    "size",
    [
        (610, 506),
        *(pytest.param(each, marks=pytest.mark.full) for each in (None, (410, 356), (1050, 790), (900, 420))),
    ],
)
async def test_a_click_lands_on_the_machines_pixel_within_one_at_any_scale(
    telling: AccessibleDesktop, machine: Machine, size: tuple[int, int] | None
) -> None:
    desktop = telling.desktop
    viewer = await asyncio.to_thread(launch_remote_viewer, telling, machine)
    if size is not None:
        await asyncio.to_thread(resize, desktop, viewer, *size)
    window = await asyncio.to_thread(covering, machine)
    place = window.application.now()
    async with acting_on(desktop, viewer) as on:
        wide, high = window_size(viewer)
        scale = min(wide / GUEST[0], high / GUEST[1])
        left, top = (wide - GUEST[0] * scale) / 2 + _FRAME[0], (high - GUEST[1] * scale) / 2 + _FRAME[1]
        for count, (x, y) in enumerate(POINTS, 1):
            frame = await asyncio.to_thread(frame_of, on.capture)
            origin = viewer.now().x - frame.geometry.origin.x, viewer.now().y - frame.geometry.origin.y
            at = NativePoint(round(x * scale + left + origin[0]), round(y * scale + top + origin[1]))
            done = await on.do(Click(at=at))
            assert done.result is ActResult.DONE, done.detail
            await asyncio.to_thread(wait_until, lambda n=count: len(window.buttons()) == 2 * n, "a click there")
            pressed = window.buttons()[-2]
            shown = (at.x - origin[0] - left + 0.5) / scale - 0.5, (at.y - origin[1] - top + 0.5) / scale - 0.5
            off = max(abs(pressed.x + place.x - shown[0]), abs(pressed.y + place.y - shown[1]))
            assert off <= (0 if size is None else 1), (x, y)


def keyboard_is_grabbed(desktop: Desktop) -> bool:
    """Whether another client has the keyboard."""
    display = Display(desktop.name)
    try:
        status = display.screen().root.grab_keyboard(False, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        return bool(status == X.AlreadyGrabbed)
    finally:
        display.close()


def rect_of(application: Application) -> Rect:
    window = application.now()
    return Rect(window.x, window.y, window.width, window.height)


def window_size(viewer: Application) -> tuple[int, int]:
    """What the viewer has for the machine's screen: its window without the title bar and borders that it draws."""
    window = viewer.now()
    return window.width - 2 * _FRAME[0], window.height - _FRAME[0] - _FRAME[1]


async def test_what_is_typed_by_tigervncs_viewer_arrives_as_characters(desktop: Desktop, machine: Machine) -> None:
    viewer = await asyncio.to_thread(launch_tigervnc, desktop, machine)
    window = await asyncio.to_thread(covering, machine)
    async with acting_on(desktop, viewer) as on:
        assert (await on.do(Click(at=NativePoint(400, 300)))).result is ActResult.DONE
        done = await on.do(TypeText(text="azerty"), focus=FocusRule(window_id=viewer.window.xid))
        assert (done.result, done.delivered) == (ActResult.DONE, 6), done.detail
        await asyncio.to_thread(wait_until, lambda: len(window.plain_keys()) == 12, "the last character")
    assert "".join(name for kind, name in window.plain_keys() if kind == "Press") == "azerty"


async def test_a_picture_of_before_the_viewer_was_moved_or_resized_is_not_clicked(
    desktop: Desktop, machine: Machine
) -> None:
    viewer = await asyncio.to_thread(launch_tigervnc, desktop, machine)
    async with acting_on(desktop, viewer) as on:
        frame = await asyncio.to_thread(frame_of, on.capture)
        await asyncio.to_thread(resize, desktop, viewer, 900, 640)
        refused = await on.acting.do(Click(at=NativePoint(9, 9)), target=frame.target, geometry=frame.geometry)
        assert (refused.result, refused.reason) == (ActResult.FAILED, "stale")
        assert "moved or resized" in refused.detail


async def test_keys_for_a_dialog_of_the_viewer_are_refused_and_its_picture_is_none(
    desktop: Desktop, machine: Machine
) -> None:
    viewer = await asyncio.to_thread(launch_tigervnc, desktop, machine)
    async with acting_on(desktop, viewer) as on:
        frame = await asyncio.to_thread(frame_of, on.capture)
        question = ["zenity", "--question", "--text=Really close?", "--title=Close", f"--attach={viewer.window.xid}"]
        dialog = await asyncio.to_thread(launch, desktop, question, title="Close")
        assert not frame.geometry.rect.intersect(rect_of(dialog)).empty
        with pytest.raises(ComputerUnavailable) as told_so:
            await asyncio.to_thread(frame_of, on.capture)
        assert "“Close” of the viewer lies over the screen of" in told_so.value.title
        middle = dialog.now()
        at = NativePoint(middle.centre[0] - frame.geometry.origin.x, middle.centre[1] - frame.geometry.origin.y)
        here = {"target": frame.target, "geometry": frame.geometry}
        assert (await on.acting.do(Click(at=at), **here)).reason == "covered"
        keys = Chord(keys=(Key("enter"),))
        assert (await on.acting.do(keys, focus=FocusRule(), **here)).reason == "no_focus"
        assert dialog.child.running


async def test_a_paused_machine_is_told_and_goes_on_once_it_runs(desktop: Desktop, tmp_path: Path) -> None:
    viewer = await asyncio.to_thread(launch_qemu, desktop, tmp_path)
    with looking(desktop, viewer) as capture:
        await asyncio.to_thread(ask_qmp, tmp_path, "stop")
        await asyncio.to_thread(wait_until, lambda: "[" in viewer.now().title, "the title to tell it")
        with pytest.raises(ComputerUnavailable) as told_so:
            await asyncio.to_thread(frame_of, capture)
        assert told_so.value.title == "“testling” is paused."
        await asyncio.to_thread(ask_qmp, tmp_path, "cont")
        await asyncio.to_thread(wait_until, lambda: "[" not in viewer.now().title, "the title to tell it")
        await asyncio.to_thread(frame_of, capture)


async def test_a_viewer_that_holds_the_pointer_is_told_with_the_remedy(desktop: Desktop, tmp_path: Path) -> None:
    viewer = await asyncio.to_thread(launch_qemu, desktop, tmp_path)
    async with acting_on(desktop, viewer) as on:
        assert (await on.do(Click(at=NativePoint(100, 100)))).result is ActResult.DONE
        await asyncio.to_thread(wait_until, lambda: "Ctrl+Alt+G" in viewer.now().title, "QEMU to hold the pointer")
        with pytest.raises(ComputerUnavailable) as told_so:
            await asyncio.to_thread(frame_of, on.capture)
        assert "takes only steps of it" in told_so.value.title
        assert "usb-tablet" in told_so.value.remedy


def test_a_viewer_that_holds_the_pointer_without_saying_so_is_told(desktop: Desktop) -> None:
    whole = (200, 150, 640, 480)
    title = "debian [Running] - Oracle VirtualBox"
    with (
        Painted(desktop, whole, (60, 140, 220), title=title, wm_class="VirtualBox Machine") as window,
        monitors_of(desktop, {"all": whole}),
    ):
        (ref,) = (each.ref for each in list_targets(OwnWindows(), desktop.name) if isinstance(each.ref, VmTarget))
        capture = VmCapture(ref, OwnWindows())
        try:
            assert frame_of(capture).geometry.rect == Rect(*whole)
            window.window.grab_pointer(False, 0, X.GrabModeAsync, X.GrabModeAsync, 0, 0, X.CurrentTime)
            with pytest.raises(ComputerUnavailable, match="takes only steps"):
                frame_of(capture)
        finally:
            capture.close()


async def test_the_stop_is_heard_while_the_viewer_grabs_the_keyboard_and_nothing_stays_held_in_the_machine(
    telling: AccessibleDesktop, machine: Machine
) -> None:
    desktop = telling.desktop
    viewer = await asyncio.to_thread(launch_remote_viewer, telling, machine)
    await asyncio.to_thread(covering, machine)
    async with acting_on(desktop, viewer) as on:
        assert (await on.do(Click(at=NativePoint(400, 300)))).result is ActResult.DONE
        await asyncio.to_thread(wait_until, lambda: keyboard_is_grabbed(desktop), "the viewer's grab")
        focus = FocusRule(window_id=viewer.window.xid)
        assert (await on.do(KeyDown(key=Key("shift")), focus=focus)).result is ActResult.DONE
        await asyncio.to_thread(wait_until, machine.desktop.keys_down, "Shift to be down in the machine")
        with Witness(machine.desktop) as witness, Witness(desktop) as hand:
            typing = asyncio.ensure_future(on.do(TypeText(text="for ever " * 2_000), focus=focus))
            await asyncio.to_thread(wait_until, lambda: len(witness.events()) > _TYPED, "the typing to begin")
            await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
            assert (await on.acting.ears.stopped()).latched
            assert (await typing).result is ActResult.STOPPED
            pressed = ("key_down", desktop.keycode("x"))
            by_hand = await asyncio.to_thread(hand.wait_quiet)
            pressed_ms = next(each.time_ms for each in by_hand if (each.kind, each.detail) == pressed)
            chord = {machine.desktop.keycode(name) for name in ("Control_L", "Alt_L", "x")}
            events = await asyncio.to_thread(witness.wait_quiet)
            typed = [each for each in events if each.kind == "key_down" and each.detail not in chord]
            assert later_by_ms(typed[-1].time_ms, pressed_ms) <= LIMIT_MS
        await nothing_is_held(machine)
        assert not desktop.keys_down()
        assert not desktop.buttons_down()


async def test_an_injector_that_is_killed_in_a_drag_leaves_nothing_held_in_machine_and_host(
    desktop: Desktop, machine: Machine
) -> None:
    viewer = await asyncio.to_thread(launch_tigervnc, desktop, machine)
    async with acting_on(desktop, viewer) as on:
        await on.do(Click(at=NativePoint(400, 300)))
        await on.do(KeyDown(key=Key("shift")), focus=FocusRule(window_id=viewer.window.xid))
        path = tuple(NativePoint(100 + n % 2 * 500, 550 - n) for n in range(400))
        dragging = asyncio.ensure_future(on.do(Drag(path=path)))
        await asyncio.to_thread(wait_until, machine.desktop.buttons_down, "the drag to begin in the machine")
        os.kill(injector_pid(desktop), signal.SIGKILL)
        assert (await dragging).result is ActResult.UNKNOWN
        await nothing_is_held(machine)
        assert not desktop.keys_down()
        assert not desktop.buttons_down()


async def test_a_key_that_the_viewer_takes_is_not_sent(desktop: Desktop, tmp_path: Path) -> None:
    viewer = await asyncio.to_thread(launch_qemu, desktop, tmp_path)
    focus = FocusRule(window_id=viewer.window.xid)
    async with acting_on(desktop, viewer) as on:
        refused = await on.do(Chord(keys=(Key("ctrl"), Key("alt"), Key("g"))), focus=focus)
        assert (refused.result, refused.reason) == (ActResult.FAILED, "unsupported")
        assert refused.detail.startswith("Ctrl+Alt+G was not sent")
        assert (await on.do(Chord(keys=(Key("ctrl"), Key("g"))), focus=focus)).result is ActResult.DONE
    assert "Ctrl+Alt+G" not in viewer.now().title


@pytest.mark.parametrize("kind", ["remote-viewer", "tigervnc"])
async def test_a_key_that_is_held_is_up_in_the_machine_once_the_viewer_has_lost_the_focus(
    telling: AccessibleDesktop, machine: Machine, kind: str
) -> None:
    desktop = telling.desktop
    if kind == "tigervnc":
        viewer = await asyncio.to_thread(launch_tigervnc, desktop, machine)
    else:
        viewer = await asyncio.to_thread(launch_remote_viewer, telling, machine)
    async with acting_on(desktop, viewer) as on:
        await on.do(Click(at=NativePoint(400, 300)))
        await on.do(KeyDown(key=Key("shift")), focus=FocusRule(window_id=viewer.window.xid))
        await asyncio.to_thread(wait_until, machine.desktop.keys_down, "Shift to be down in the machine")
        desktop.xdo("mousemove", "1270", "790")
        await asyncio.to_thread(launch_xterm, desktop)
        await nothing_is_held(machine)
