"""A screen's monitors, changed as a person (or a cable) changes them: xrandr on a display of the rig.

A virtual server has one output: a named monitor that takes it replaces the one the server made up. Modes are
added to it, since it is born with one.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.display.rig.desktop import Desktop
from tests.display.rig.processes import RigError

_NAME = re.compile(r"^ *\d+: [+*]*(.+) \d+/\d+x\d+/\d+[-+]", re.MULTILINE)

Place = tuple[int, int, int, int]
"""x, y, width, height in root pixels."""


def xrandr(desktop: Desktop, *args: str) -> str:
    """Runs xrandr there and returns what it printed."""
    done = subprocess.run(["xrandr", *args], env=desktop.env, check=True, capture_output=True, text=True, timeout=30)
    return done.stdout


def set_monitor(desktop: Desktop, name: str, place: Place, *, output: str = "none") -> None:
    """Makes a monitor, or moves and resizes the one of this name (it is gone for a moment, as when a mode is set)."""
    x, y, width, height = place
    if name in _names(desktop):
        delete_monitor(desktop, name)
    xrandr(desktop, "--setmonitor", name, f"{width}/{width // 4}x{height}/{height // 4}+{x}+{y}", output)


def delete_monitor(desktop: Desktop, name: str) -> None:
    """Unplugs it."""
    xrandr(desktop, "--delmonitor", name)


@contextmanager
def monitors_of(desktop: Desktop, places: Mapping[str, Place]) -> Iterator[None]:
    """The screen as just these monitors, in this order; as it was afterwards, whatever became of them."""
    outputs = iter([_output(desktop)])
    try:
        for name, place in places.items():
            set_monitor(desktop, name, place, output=next(outputs, "none"))
        yield
    finally:
        for name in _names(desktop) & places.keys():
            delete_monitor(desktop, name)
        left = _names(desktop)
        if len(left) != 1:
            raise RigError(f"monitors were left behind: {left}")


def set_size(desktop: Desktop, width: int, height: int) -> None:
    """Another resolution of the only output, not larger than the server began with."""
    mode, output = f"{width}x{height}", _output(desktop)
    if mode not in xrandr(desktop):
        timings = [str(width), "0", "0", str(width), str(height), "0", "0", str(height)]
        xrandr(desktop, "--newmode", mode, "0", *timings)
        xrandr(desktop, "--addmode", output, mode)
    xrandr(desktop, "--output", output, "--mode", mode)


def _output(desktop: Desktop) -> str:
    """The only one: "screen" of Xvfb, "default" of Xephyr."""
    return next(line.split()[0] for line in xrandr(desktop).splitlines() if " connected" in line)


def _names(desktop: Desktop) -> set[str]:
    return set(_NAME.findall(xrandr(desktop, "--listmonitors")))
