"""The bus and the applications that reply, told by `doctor`; where a screen reader would begin to speak, it is off."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from operator_console.perception.accessibility.atspi.service_check import check_service
from operator_console.perception.accessibility.atspi.session_service import screen_reader_starts
from tests.perception.accessibility.fake_bus import FRAME, App, FakeBus, Widget


@pytest.mark.parametrize(
    ("desktop", "orca", "starts"),
    [
        ("GNOME", True, True),
        ("ubuntu:GNOME", True, True),
        ("X-Cinnamon", True, True),
        ("GNOME", False, False),
        ("XFCE", True, False),
        ("KDE", True, False),
        ("", True, False),
    ],
)
def test_a_screen_reader_starts_on_some_desktops(desktop: str, orca: bool, starts: bool) -> None:
    assert screen_reader_starts({"XDG_CURRENT_DESKTOP": desktop}, orca) is starts


async def test_the_bus_and_the_applications_that_reply_are_told(tmp_path: Path) -> None:
    bus = FakeBus([App(pid=pid, windows=[Widget(FRAME, "Diary")]) for pid in (4001, 4002, 4003)])
    address = await bus.serve(tmp_path)
    bus.frozen.add(4002)
    check = await asyncio.to_thread(check_service, {"AT_SPI_BUS_ADDRESS": address})
    await bus.close()
    assert check.ok
    assert address in check.detail
    assert "2 of 3 applications" in check.detail


def test_without_a_session_bus_it_says_where_to_start_the_console() -> None:
    check = check_service({})
    assert (check.ok, check.detail) == (False, "There is no D-Bus session bus.")
    assert "dbus-run-session" in check.remedy


def test_without_the_service_it_says_what_to_install(tmp_path: Path) -> None:
    check = check_service({"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/none"})
    assert not check.ok
    assert "at-spi2-core" in check.remedy
