"""Where there is nothing to drive, the words say what to do."""

from __future__ import annotations

import sys

import pytest

from operator_console.desktop.platform import check_display, open_display, require_supported_system
from operator_console.domain.errors import ComputerUnavailable, ExitCode, OperatorError, UnavailableReason


@pytest.mark.parametrize(("platform", "name"), [("win32", "Windows"), ("darwin", "macOS")])
def test_other_systems_are_named(platform: str, name: str) -> None:
    with pytest.raises(OperatorError, match=name) as caught:
        require_supported_system(platform)
    assert caught.value.remedy
    assert caught.value.exit_code == ExitCode.REFUSED


def test_wayland_without_x_offers_a_virtual_desktop() -> None:
    with pytest.raises(OperatorError, match="Wayland") as caught:
        open_display(None, {"WAYLAND_DISPLAY": "wayland-0"})
    assert "--target virtual" in caught.value.remedy
    assert "--target browser" in caught.value.remedy


def test_an_x_server_beside_wayland_is_not_the_desktop() -> None:
    with pytest.raises(OperatorError, match="Wayland"):
        open_display(None, {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"})


def test_no_display_offers_a_virtual_desktop() -> None:
    with pytest.raises(ComputerUnavailable) as caught:
        open_display(None, {})
    assert caught.value.reason is UnavailableReason.NO_DISPLAY
    assert "--target virtual" in caught.value.remedy


def test_doctor_tells_it_as_a_check() -> None:
    check = check_display({})
    assert not check.ok
    assert check.remedy
    assert check.remedy not in check.detail


def test_doctor_tells_what_works_on_wayland() -> None:
    check = check_display({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"})
    assert check.ok
    assert "not on monitors and windows" in check.detail


def test_importing_the_room_opens_nothing_and_loads_no_xlib() -> None:
    import subprocess

    code = (
        "import sys, operator_console.desktop.platform, operator_console.computers.targets;"
        "print([name for name in ('xcffib', 'mss', 'Xlib', 'pyautogui', 'pynput') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={})
    assert done.stdout.strip() == "[]"
