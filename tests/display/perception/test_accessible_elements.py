"""What real toolkits tell of their controls, and that no application, dead or frozen, holds up the others."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from operator_console.computers.desktop_computer import DesktopComputer
from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import new_windows
from operator_console.desktop.x11 import desktop_sandbox
from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.elements import FIELDS, Element, ElementState, Exposure, Role
from operator_console.domain.frames import Frame, ImageNeeds, VirtualTarget
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import FocusRule
from operator_console.engine.ports import Elements
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.perception.accessibility.control_rule import ACTIONABLE
from operator_console.process_activity import page_processes
from operator_console.tools.launching import start_programs
from tests.display.guard.acting import armed
from tests.display.perception.controls import SYSTEM_PYTHON, ShownControls, Told, show_gtk, show_page, show_qt
from tests.display.rig import AccessibleDesktop, launch, process_alive, wait_until

NEAR_PX = 2
NEEDS = ImageNeeds()


@pytest.fixture
async def computer(accessible_desktop: AccessibleDesktop) -> AsyncIterator[DesktopComputer]:
    opened = await open_computer("monitor:1", OwnWindows(), accessible_desktop.desktop.name)
    yield opened
    await opened.close()


@pytest.fixture(params=["GTK 3", "GTK 4", "Qt", "Chromium"])
def shown(request: pytest.FixtureRequest, accessible_desktop: AccessibleDesktop) -> Iterator[ShownControls]:
    if request.param == "Qt":
        yield show_qt(accessible_desktop)
    elif request.param == "Chromium":
        with show_page(accessible_desktop) as page:
            yield page
    else:
        yield show_gtk(accessible_desktop, f"{request.param[-1]}.0")


async def ready(elements: Elements, computer: DesktopComputer, count: int = 1) -> Frame:
    """The screen once the focused application tells its controls."""
    async with asyncio.timeout(30):
        while True:
            frame = await computer.observe(NEEDS)
            exposed = await elements.exposure(frame)
            if exposed is Exposure.FULL and len(await elements.actionable(frame)) >= count:
                return frame


async def at(elements: Elements, frame: Frame, place: tuple[int, int]) -> Element:
    """The element at a native pixel; asked again where there was no answer in time."""
    async with asyncio.timeout(20):
        while True:
            (found,) = await elements.at(frame, [NativePoint(*place)])
            if found is not None:
                return found


def near(one: Rect, other: Rect) -> bool:
    pairs = ((one.x, other.x), (one.y, other.y), (one.right, other.right), (one.bottom, other.bottom))
    return all(abs(a - b) <= NEAR_PX for a, b in pairs)


def said(element: Element | None) -> tuple[object, ...] | None:
    return None if element is None else (element.role, element.name, element.box)


async def test_every_control_and_password_field_is_found_at_its_place_and_gaps_name_none(
    elements: AccessibleElements, computer: DesktopComputer, shown: ShownControls
) -> None:
    frame = await ready(elements, computer, 5)
    await _fields_for_passwords_are_told(elements, computer, shown, frame)
    await _gaps_name_no_control(elements, shown, frame)
    for control in shown.controls:
        x, y = (control.box.x + 4, control.box.centre[1])
        if control.name == "Half covered":
            continue
        found = await at(elements, frame, (x, y))
        assert found.role is control.role, (control, said(found))
        assert control.name in (found.name, ""), (control, said(found))
        assert near(found.box, control.box), (control, said(found))
        assert found.window == shown.app.now().title
        assert "hidden words" not in f"{found.text}{found.value}{found.name}"
    written_in = [control for control in shown.controls if control.role in FIELDS]
    assert written_in
    async with asyncio.timeout(20):  # what a busy application does not tell in time is told when it is asked again
        while not _all_told(await elements.fields(frame), written_in):
            pass


def _all_told(fields: Sequence[Element], wanted: Sequence[Told]) -> bool:
    told = [each for each in fields if any(each.role is one.role and near(each.box, one.box) for one in wanted)]
    return len(told) == len(wanted)


async def _gaps_name_no_control(elements: AccessibleElements, shown: ShownControls, frame: Frame) -> None:
    save, delete = (
        next(each.box for each in shown.controls if each.name == name) for name in ("Save", "Delete everything")
    )
    x, y = (save.right + delete.x) // 2, save.centre[1]
    assert save.right + NEAR_PX < x < delete.x - NEAR_PX
    found = await at(elements, frame, (x, y))
    assert found.role not in ACTIONABLE, said(found)
    checked = next(each.box for each in shown.controls if each.name == "Remember me")
    row = [each.box for each in shown.controls if not each.box.intersect(Rect(0, checked.y, 2_000, 1)).empty]
    beside = await at(elements, frame, (max(box.right for box in row) + 40, checked.centre[1]))
    assert beside.role not in ACTIONABLE, said(beside)


async def _fields_for_passwords_are_told(
    elements: AccessibleElements, computer: DesktopComputer, shown: ShownControls, frame: Frame
) -> None:
    wanted = [each.box for each in shown.controls if each.role is Role.PASSWORD_FIELD]
    async with asyncio.timeout(20):
        while (found := await elements.passwords(frame, 1.0)) is None or len(found) != len(wanted):
            frame = await computer.observe(NEEDS)
    boxes = [area.box for area in found]
    assert all(near(one, other) for one, other in zip(sorted(boxes, key=str), sorted(wanted, key=str), strict=True))


async def test_states_labels_and_focus_are_told(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    shown = show_qt(accessible_desktop)
    frame = await ready(elements, computer, 5)
    boxes = {(each.role, each.name): each.box for each in shown.controls}
    dead = await at(elements, frame, boxes[Role.BUTTON, "Unavailable"].centre)
    assert ElementState.DISABLED in dead.states
    field = await at(elements, frame, boxes[Role.TEXT_FIELD, "Recipient"].centre)
    assert (field.label, field.value) == ("Recipient", "ada")
    accessible_desktop.desktop.xdo("mousemove", *map(str, boxes[Role.TEXT_FIELD, "Recipient"].centre), "click", "1")
    async with asyncio.timeout(10):
        while (
            focused := await elements.focused(await computer.observe(NEEDS))
        ) is None or focused.label != "Recipient":
            pass
    assert focused.role is Role.TEXT_FIELD


async def test_a_page_tells_links_dialogs_forms_and_its_address(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    with show_page(accessible_desktop) as shown:
        frame = await ready(elements, computer, 10)
        names = ("Read the terms", "Yes", "Sign in", "Upload", "Home")
        boxes = [next(each.box for each in shown.controls if each.name == name) for name in names]
        link, yes, sign_in, upload, home = [await at(elements, frame, box.centre) for box in boxes]
    assert (link.role, link.link) == (Role.LINK, "https://example.org/terms")
    assert yes.dialog is not None and (yes.dialog.title, yes.dialog.text) == ("Confirm", "Really delete?")
    assert (sign_in.group, sign_in.text) == (("Sign-in",), "Sign in")
    assert (upload.name, upload.text) == ("Upload", "")
    assert (home.role, home.name) == (Role.LINK, "Home")
    assert yes.url.startswith("http://127.0.0.1:")


async def test_a_field_tells_the_button_that_enter_presses(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        """<!doctype html><title>Transfer</title><form>
        <input data-role="text field" data-name="Amount" aria-label=Amount>
        <button type=button data-role=button data-name=Back>Back</button>
        <button data-role=button data-name="Transfer now">Transfer now</button></form>
        <button data-role=button data-name=Log>Log</button><script src="truth.js"></script>"""
    )
    with show_page(accessible_desktop, page=page) as shown:
        frame = await ready(elements, computer, 4)
        box = next(each.box for each in shown.controls if each.name == "Amount")
        async with asyncio.timeout(20):
            while not (told := (await at(elements, frame, box.centre)).submits):  # not in time on a busy machine
                frame = await computer.observe(NEEDS)
    assert told == ("Transfer now",)


async def test_the_label_of_a_check_box_is_the_check_box(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    with show_page(accessible_desktop) as shown:
        frame = await ready(elements, computer, 10)
        box = next(each.box for each in shown.controls if each.name == "Remember me")
        on_its_label = (box.right + 40, box.centre[1])
        found = await at(elements, frame, on_its_label)
        above = await at(elements, frame, (box.right + 40, box.y - box.height))
    assert (found.role, found.name) == (Role.CHECK_BOX, "Remember me")
    assert found.box.contains(*on_its_label)
    assert above.role is not Role.CHECK_BOX


async def test_controls_of_a_page_of_gtk_4_that_is_not_open_are_not_listed(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    command = [SYSTEM_PYTHON, str(Path(__file__).parent / "controls" / "pages.py")]
    launch(accessible_desktop.desktop, command, title="Pages", env=accessible_desktop.env)

    async def listed(shown: str) -> list[Element]:
        async with asyncio.timeout(20):
            while True:
                found = list(await elements.actionable(await computer.observe(NEEDS)))
                buttons = [each.name for each in found if each.role is Role.BUTTON]
                if buttons == [shown]:
                    return found

    for page, button in (("First", "Sow"), ("Second", "Reap"), ("First", "Sow")):
        async with asyncio.timeout(20):
            while not (
                tabs := [each for each in await elements.visible(await ready(elements, computer)) if each.name == page]
            ):
                pass
        (tab,) = tabs
        accessible_desktop.desktop.xdo("mousemove", *map(str, tab.box.centre), "click", "1")
        await listed(button)


def show_long_list(accessible_desktop: AccessibleDesktop, changes: Path) -> None:
    command = [SYSTEM_PYTHON, str(Path(__file__).parent / "controls" / "long_list.py"), str(changes)]
    launch(accessible_desktop.desktop, command, title="Long list", env=accessible_desktop.env)


async def test_of_a_long_list_the_rows_that_can_be_seen_are_listed_and_the_application_stays_responsive(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer, tmp_path: Path
) -> None:
    show_long_list(accessible_desktop, tmp_path / "changes.txt")
    async with asyncio.timeout(30):
        while True:
            frame = await ready(elements, computer)
            found = list(await elements.actionable(frame))
            rows = {int(each.name.split()[1]) for each in found if each.name.startswith("Row ")}
            if 40_000 in rows and "Save" in (each.name for each in found):
                break
    assert rows == set(range(min(rows), max(rows) + 1))
    assert len(rows) < 30
    assert 3 * len(rows) == sum(each.role is Role.CELL for each in found)
    await elements.focused(frame)  # no row has the focus, so that all would be searched
    row = next(each for each in found if each.name == "Row 40000")
    assert (await at(elements, await computer.observe(NEEDS), row.box.centre)).name == "Row 40000"


@pytest.mark.full
async def test_typing_and_the_stop_are_not_held_up_while_a_long_list_is_asked(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer, tmp_path: Path
) -> None:
    """In each run: the test above, and the stop in tests/display/guard/test_stop.py."""
    desktop, file = accessible_desktop.desktop, tmp_path / "changes.txt"
    show_long_list(accessible_desktop, file)
    frame = await ready(elements, computer)
    in_one_look = 0

    async def look_until(done: asyncio.Future[Outcome] | asyncio.Future[str]) -> None:
        nonlocal in_one_look
        while not done.done():
            before = file.stat().st_size
            await elements.actionable(frame)
            await elements.focused(frame)
            in_one_look = max(in_one_look, file.stat().st_size - before)

    await look_until(asyncio.ensure_future(asyncio.to_thread(desktop.xdo, "type", "--delay", "20", "a" * 100)))
    assert in_one_look >= 2, "keys waited for the end of each look"
    async with armed(desktop) as acting:
        typing = asyncio.ensure_future(acting.do(TypeText(text="b" * 3000), focus=FocusRule(), typing_delay_s=0.01))
        await acting.ears.wait(lambda: file.stat().st_size > 110)
        asking = asyncio.ensure_future(look_until(typing))
        await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
        report = await acting.ears.stopped()
        await asking
        assert (await typing).result is ActResult.STOPPED
    assert report.press_to_last_event_ms is not None
    assert report.press_to_last_event_ms <= 250


async def test_what_lies_over_a_control_is_answered_not_what_it_covers(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    with show_page(accessible_desktop) as shown:
        frame = await ready(elements, computer, 10)
        half = next(each.box for each in shown.controls if each.name == "Half covered")
        hits = {name: point for point, name in shown.on_top.items() if half.contains(*point)}
        covered = next(p for p, name in shown.on_top.items() if half.contains(*p) and not name)
        assert (await at(elements, frame, hits["Half covered"])).name == "Half covered"
        with ExitStack() as frozen:
            for page in page_processes(shown.app.pid):
                frozen.enter_context(accessible_desktop.desktop.frozen(page))
            # Chromium itself answers, with what the page told last.
            assert await elements.at(frame, [NativePoint(*covered)]) == [None]
        dialog = await at(elements, frame, covered)
        assert dialog.role not in ACTIONABLE, said(dialog)


async def test_a_frozen_application_holds_up_no_other(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    frozen = show_qt(accessible_desktop)
    other = show_gtk(accessible_desktop, "3.0")
    frame = await ready(elements, computer, 5)
    save = next(each.box for each in other.controls if each.name == "Save")
    with accessible_desktop.desktop.frozen(frozen.app.pid):
        stuck = NativePoint(frozen.content.x + 40, frozen.content.y + 30)
        assert await elements.at(frame, [stuck]) == [None]
        assert (await at(elements, frame, save.centre)).name == "Save"


async def test_its_process_is_started_again_after_it_was_killed(
    accessible_desktop: AccessibleDesktop, elements: AccessibleElements, computer: DesktopComputer
) -> None:
    shown = show_qt(accessible_desktop)
    frame = await ready(elements, computer, 5)
    first = elements.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not process_alive(first), "the process to end")
    save = next(each.box for each in shown.controls if each.name == "Save")
    assert (await at(elements, frame, save.centre)).name == "Save"
    assert elements.pid not in (None, first)


async def test_our_own_windows_are_never_answered(
    accessible_desktop: AccessibleDesktop, computer: DesktopComputer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", accessible_desktop.env["DBUS_SESSION_BUS_ADDRESS"])
    shown = show_qt(accessible_desktop)
    elements = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, own_pids=lambda: {shown.app.pid}))
    try:
        await elements.start()
        frame = await computer.observe(NEEDS)
        points = [NativePoint(*each.box.centre) for each in shown.controls]
        began_s = time.monotonic()
        while time.monotonic() < began_s + 2:
            assert set(await elements.at(frame, points)) == {None}
            assert await elements.focused(frame) is None
            assert await elements.actionable(frame) == []
    finally:
        await elements.close()


@pytest.mark.parametrize(
    "sandboxed",
    [
        pytest.param(True, id="in a sandbox"),
        pytest.param(False, id="without a sandbox", marks=pytest.mark.full),
    ],
)
async def test_an_isolated_desktop_tells_its_controls_by_a_bus_of_its_own(
    sandboxed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    if not sandboxed:
        monkeypatch.setattr(desktop_sandbox, "sandbox_trouble", lambda: "There is none here.")
    there = await open_computer("virtual:800x600", OwnWindows())
    assert isinstance(there.target, VirtualTarget)
    elements = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, only_bus=there.target.address))
    try:
        assert there.programs is not None
        await asyncio.to_thread(start_programs, ["mousepad"], there.programs, new_windows)
        frame = await ready(elements, there, 5)
        assert {"File", "Edit"} <= {each.name for each in await elements.visible(frame)}
        async with asyncio.timeout(20):
            while not (notes := [each for each in await elements.visible(frame) if each.role in FIELDS]):
                pass
        (note,) = notes
        assert frame.focus is not None
        assert note.pid == frame.focus.pid, "programs are numbered as the console numbers them"
    finally:
        await elements.close()
        await there.close()
