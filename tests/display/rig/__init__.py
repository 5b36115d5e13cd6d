"""The display rig: X servers, window managers, real applications and witnesses for tests.

Not product code and not a mock: everything here is a real process on a private virtual display. Tests use it
through the fixtures of tests/display/conftest.py, or directly where they need more than one desktop.
"""

from __future__ import annotations

from tests.display.rig.apps import (
    Application,
    launch,
    launch_chromium,
    launch_galculator,
    launch_mousepad,
    launch_xterm,
)
from tests.display.rig.atspi import Accessible, AccessibleDesktop, AccessibleSession
from tests.display.rig.desktop import Desktop, WindowInfo, desktop_of_its_own
from tests.display.rig.processes import Child, RigError, process_alive, wait_until
from tests.display.rig.server import XServer, start_openbox, start_xephyr, start_xvfb
from tests.display.rig.witness import InputEvent, Witness, later_by_ms, now_ms

__all__ = [
    "Accessible",
    "AccessibleDesktop",
    "AccessibleSession",
    "Application",
    "Child",
    "Desktop",
    "InputEvent",
    "RigError",
    "WindowInfo",
    "Witness",
    "XServer",
    "desktop_of_its_own",
    "later_by_ms",
    "launch",
    "launch_chromium",
    "launch_galculator",
    "launch_mousepad",
    "launch_xterm",
    "now_ms",
    "process_alive",
    "start_openbox",
    "start_xephyr",
    "start_xvfb",
    "wait_until",
]
