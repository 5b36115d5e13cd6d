"""An isolated desktop of a session: what the settings start on it, its folders, and its own elements."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from operator_console.app.target_opening import open_target
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.domain.actions import UseElement
from operator_console.domain.decisions import ActResult
from operator_console.domain.element_uses import ElementUse, identity_of, press_of
from operator_console.domain.elements import Element
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import Frame, ImageNeeds, VirtualTarget
from operator_console.domain.geometry import NativePoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.ports import Computer
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.settings.file_locations import find_paths
from operator_console.settings.model import Settings, Virtual
from tests.display.guard.acting import guarded
from tests.display.rig import Desktop


@asynccontextmanager
async def opened(settings: Virtual, record: Path) -> AsyncIterator[Computer]:
    request = SessionRequest(task="", target="virtual:800x600", record=record)
    computer = (await open_target(request, OwnWindows(), "", lambda: Settings(virtual=settings))).computer
    try:
        yield computer
    finally:
        await computer.close()


def titles_on(computer: Computer) -> list[str]:
    assert isinstance(computer.target, VirtualTarget)
    display = open_display(computer.target.display)
    try:
        return [each.title for each in display.all_windows()]
    finally:
        display.close()


async def found(elements: AccessibleElements, computer: Computer, name: str) -> tuple[Frame, Element]:
    """An element by its name, once it is told."""
    async with asyncio.timeout(30):
        while True:
            frame = await computer.observe(ImageNeeds())
            for each in await elements.visible(frame):
                if each.name == name and identity_of(each) is not None:
                    return frame, each


async def test_programs_of_the_settings_are_there_when_the_session_begins(tmp_path: Path) -> None:
    record = tmp_path / "session.ocsession"
    async with opened(Virtual(programs=("mousepad",)), record) as computer:
        assert [title for title in titles_on(computer) if "Mousepad" in title]
        assert isinstance(computer.target, VirtualTarget)
        assert computer.target.shared == str(tmp_path / "session.files")
        assert computer.target.sandboxed


async def test_a_kept_home_is_named_in_the_settings(tmp_path: Path) -> None:
    async with opened(Virtual(keep="work"), tmp_path / "session.ocsession") as computer:
        assert computer.programs is not None
        assert computer.programs.environment["HOME"] == str(find_paths().virtual_homes / "work")


async def test_a_program_that_is_not_installed_is_refused_and_nothing_stays(tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as caught:
        async with opened(Virtual(programs=("no such program",)), tmp_path / "session.ocsession"):
            pass
    assert caught.value.title == notice(NoticeCode.DESKTOP_PROGRAM_NOT_STARTED, name="no such program")
    assert list(tmp_path.glob("session*")) == []


async def test_elements_are_asked_and_used_by_its_own_bus_whatever_a_program_there_announces(
    desktop: Desktop, tmp_path: Path
) -> None:
    settings = Virtual(programs=("mousepad",))
    async with opened(settings, tmp_path / "session.ocsession") as computer, guarded(desktop) as acting:
        assert isinstance(computer.target, VirtualTarget)
        elsewhere = ["-f", "AT_SPI_BUS", "8s", "-set", "AT_SPI_BUS", f"unix:path={tmp_path}/persons-bus"]
        await asyncio.to_thread(
            subprocess.run, ["xprop", "-display", computer.target.display, "-root", *elsewhere], check=True
        )
        elements = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, only_bus=computer.target.address))
        acting.target = computer.target
        await acting.guard.arm(session="test", target=computer.target)
        try:
            frame, menu = await found(elements, computer, "File")
            identity = identity_of(menu)
            assert identity is not None
            press = UseElement(
                use=ElementUse.PRESS, element=identity, at=NativePoint(*menu.box.centre),
                name=press_of(menu.role, menu.actions),
            )  # fmt: skip
            outcome = await acting.do(press, geometry=frame.geometry)
            assert outcome.result is ActResult.DONE, outcome
            await found(elements, computer, "New")
        finally:
            await elements.close()
            await acting.guard.disarm()


def test_nothing_is_switched_on_in_the_session_of_the_person_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/persons")
    there = AccessibilityOptions(run_folder=Path(), only_bus="unix:path=/own")
    assert not AccessibleElements(there).switches_on
    assert AccessibleElements(AccessibilityOptions(run_folder=Path())).switches_on
