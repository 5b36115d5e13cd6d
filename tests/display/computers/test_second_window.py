"""A further window of the target's program: a part of the target where the agent's input opened it, else told.

Programs whose windows do not say what they belong to: a Tk `Toplevel`, and Chromium's `window.open`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from operator_console.computers.targets import open_capture, open_computer, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.window_family import place_of, takes_input
from operator_console.domain.frames import Frame, ImageNeeds, WindowTarget, as_recorded
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.ports import Computer
from tests.display.rig import Application, Desktop, WindowInfo, launch, launch_chromium, wait_until

NEEDS = ImageNeeds()
LOWER_S, UPPER_S = 0.1, 5.0
BUTTON = NativePoint(100, 40)

TK = """
import tkinter
root = tkinter.Tk(className="Orders")
root.title("Orders")
root.geometry("300x200+40+60")
def second():
    top = tkinter.Toplevel(root, background="#c00000")
    top.title("Confirm the order")
    top.geometry("260x160+500+360")
button = tkinter.Button(root, text="Open second", command=lambda: root.after(DELAY, second))
button.place(x=0, y=0, width=200, height=80)
root.bind("<F9>", lambda event: second())
root.focus_force()
root.mainloop()
"""

PAGE = """<title>Shop</title><body style="margin:0"><button style="width:600px;height:400px" onclick=
"open('about:blank','_blank','popup,width=400,height=300,left=700,top=300').document.title='Sign in'">Go</button>"""


def tk(desktop: Desktop, delay_ms: int = 0) -> Application:
    return launch(desktop, [sys.executable, "-c", TK.replace("DELAY", str(delay_ms))], title="Orders", by_pid=False)


@pytest.fixture
def own() -> OwnWindows:
    return OwnWindows()


@pytest.fixture
async def opened(desktop: Desktop, own: OwnWindows) -> AsyncIterator[list[Computer]]:
    """To be filled with what is to be closed."""
    computers: list[Computer] = []
    yield computers
    for computer in computers:
        await computer.close()


async def target_of(app: Application, desktop: Desktop, own: OwnWindows, opened: list[Computer]) -> Computer:
    opened.append(await open_computer(f"window:{app.window.xid:#x}", own, desktop.name))
    return opened[-1]


async def clicked(computer: Computer, desktop: Desktop, seen: Frame, at: NativePoint) -> Frame:
    """The picture after a click, as the engine takes it."""
    await computer.prepare_input(at, needs_focus=False)
    before = await computer.glimpse()
    place = seen.geometry.to_screen(at)
    desktop.xdo("mousemove", str(place.x), str(place.y), "click", "1")
    await computer.after_input()
    await computer.settle(before, at=at, lower_s=LOWER_S, upper_s=UPPER_S)
    return await computer.observe(NEEDS)


def parts(frame: Frame) -> tuple[int, ...]:
    assert isinstance(frame.target, WindowTarget)
    return frame.target.joined


def contains(frame: Frame, window: WindowInfo) -> bool:
    inside = Rect(window.x, window.y, window.width, window.height).intersect(frame.geometry.rect)
    return (inside.width, inside.height) == (window.width, window.height)


async def test_what_a_click_opened_is_a_part_of_the_target(
    desktop: Desktop, own: OwnWindows, opened: list[Computer]
) -> None:
    computer = await target_of(tk(desktop), desktop, own, opened)
    first = await computer.observe(NEEDS)
    frame = await clicked(computer, desktop, first, BUTTON)
    second = desktop.wait_window(title="Confirm the order")
    assert parts(first) == ()
    assert parts(frame) == (second.xid,)
    assert frame.apart == ()
    assert contains(frame, second)
    inside = NativePoint(second.x + 30 - frame.geometry.origin.x, second.y + 30 - frame.geometry.origin.y)
    got = await computer.receiver(inside)
    owner = frame.owner(inside)
    assert got is not None
    assert owner is not None
    assert (got.window_id, owner.info.window_id, owner.info.title) == (second.xid, second.xid, "Confirm the order")
    await computer.prepare_input(inside, needs_focus=False)  # not refused as covered
    await computer.after_input()


async def test_the_injector_and_the_preview_see_the_same_target(
    desktop: Desktop, own: OwnWindows, opened: list[Computer]
) -> None:
    computer = await target_of(tk(desktop), desktop, own, opened)
    frame = await clicked(computer, desktop, await computer.observe(NEEDS), BUTTON)
    target, second = frame.target, desktop.wait_window(title="Confirm the order")
    assert isinstance(target, WindowTarget)
    display = Display(desktop.name)
    try:
        place = place_of(display, target)
        whole, hit = windows.describe(display, target.window_id), windows.describe(display, second.xid)
        assert place is not None
        assert whole is not None
        assert hit is not None
        assert place[0] == frame.geometry.rect
        assert takes_input(display, hit, whole, target)
        recorded = as_recorded(target)
        assert isinstance(recorded, WindowTarget)
        assert not takes_input(display, hit, whole, recorded)
    finally:
        display.close()
    preview = open_capture(resolve(target.spec, own, desktop.name), own)
    try:
        assert preview.preview(NEEDS).geometry.rect == frame.geometry.rect
        await computer.close()
        assert preview.preview(NEEDS).geometry.rect != frame.geometry.rect
    finally:
        preview.close()


async def test_what_opens_without_an_action_is_told_and_not_shown(
    desktop: Desktop, own: OwnWindows, opened: list[Computer]
) -> None:
    computer = await target_of(tk(desktop), desktop, own, opened)
    first = await computer.observe(NEEDS)
    desktop.xdo("key", "F9")
    second = desktop.wait_window(title="Confirm the order")
    frame = await computer.observe(NEEDS)
    assert parts(frame) == ()
    assert frame.geometry.rect == first.geometry.rect
    assert [(each.window_id, each.title) for each in frame.apart] == [(second.xid, "Confirm the order")]
    after = await clicked(computer, desktop, frame, BUTTON)  # opens another one
    assert [each.window_id for each in after.apart] == [second.xid]
    assert second.xid not in parts(after)
    assert len(parts(after)) == 1


async def test_a_window_that_was_open_before_is_neither_shown_nor_told(
    desktop: Desktop, own: OwnWindows, opened: list[Computer]
) -> None:
    app = tk(desktop)
    desktop.xdo("key", "F9")
    desktop.wait_window(title="Confirm the order")
    desktop.activate(app.window.xid)
    computer = await target_of(app, desktop, own, opened)
    frame = await computer.observe(NEEDS)
    assert (parts(frame), frame.apart) == ((), ())


async def test_what_opens_late_is_seen_while_the_model_thinks(
    desktop: Desktop, own: OwnWindows, opened: list[Computer]
) -> None:
    computer = await target_of(tk(desktop, delay_ms=3000), desktop, own, opened)
    frame = await clicked(computer, desktop, await computer.observe(NEEDS), BUTTON)
    assert parts(frame) == ()
    late = asyncio.ensure_future(computer.late_change(frame))
    second = await asyncio.to_thread(lambda: desktop.wait_window(title="Confirm the order"))
    assert await late
    assert parts(await computer.observe(NEEDS)) == (second.xid,)


async def test_a_page_opens_a_window_to_sign_in(desktop: Desktop, own: OwnWindows, opened: list[Computer]) -> None:
    app = launch_chromium(desktop, f"data:text/html,{quote(PAGE)}", "--window-size=600,500", title="Shop")
    computer = await target_of(app, desktop, own, opened)
    first = await computer.observe(NEEDS)
    frame = await clicked(computer, desktop, first, NativePoint(200, first.geometry.native.height - 200))
    if not parts(frame):  # it took long
        await computer.late_change(frame)
        frame = await computer.observe(NEEDS)
    second = desktop.wait_window(title="Sign in")
    wait_until(lambda: desktop.window(second.xid).width > 0, "the window to be there")
    assert parts(frame) == (second.xid,)
    assert contains(frame, desktop.window(second.xid))
