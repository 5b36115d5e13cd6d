"""Viewers on a desktop of the rig, the target that each is, and what of a window is not black."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from operator_console.computers.targets import list_targets
from operator_console.computers.vm.capture import VmCapture
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.frames import Frame, ImageNeeds, VmTarget
from operator_console.domain.geometry import Rect, Size
from tests.display.rig import AccessibleDesktop, Application, Desktop, launch, wait_until
from tests.display.vnc.machine import Machine

GUEST = 800, 600
GUEST_COLOUR = 60, 140, 220
_BLUER, _SAME = 75, 5
"""By how much blue exceeds red: half of what it does in the colour, where a scaled edge fades."""


def launch_remote_viewer(here: AccessibleDesktop, machine: Machine) -> Application:
    """virt-viewer's window on a painted machine; it scales the machine's screen with its size."""
    args = ["remote-viewer", f"vnc://127.0.0.1:{machine.port}"]
    found = launch(here.desktop, args, title="(1)", wm_class="Remote-viewer", env=here.tree.env)
    wait_until(lambda: box_of(here.desktop, found).size == Size(*GUEST), "the machine's screen in the viewer")
    return found


def launch_tigervnc(desktop: Desktop, machine: Machine) -> Application:
    """TigerVNC's viewer on a painted machine, which never scales."""
    args = ["vncviewer", "-RemoteResize=0", f"127.0.0.1::{machine.port}"]
    found = launch(desktop, args, title=" - TigerVNC")
    wait_until(lambda: box_of(desktop, found).size == Size(*GUEST), "the machine's screen in the viewer")
    return found


def launch_qemu(
    desktop: Desktop, folder: Path, display: str = "gtk", options: Sequence[str] = (), name: str = "testling"
) -> Application:
    """QEMU with a window of its own, and no system: it shows its BIOS."""
    args = [
        "qemu-system-x86_64", "-accel", "tcg", "-m", "32", "-nodefaults", "-vga", "std", "-display", display,
        "-name", name, "-qmp", f"unix:{folder}/qmp.sock,server=on,wait=off", *options,
    ]  # fmt: skip
    return launch(desktop, args, title="QEMU (", cwd=folder)


def target_of(desktop: Desktop, viewer: Application) -> VmTarget:
    """The target as it is listed."""
    found = [each.ref for each in list_targets(OwnWindows(), desktop.name)]
    return next(each for each in found if isinstance(each, VmTarget) and each.window_id == viewer.window.xid)


@contextmanager
def looking(desktop: Desktop, viewer: Application) -> Iterator[VmCapture]:
    """What captures it."""
    capture = VmCapture(target_of(desktop, viewer), OwnWindows())
    try:
        yield capture
    finally:
        capture.close()


def frame_of(capture: VmCapture) -> Frame:
    return capture.frame(ImageNeeds())


def paint(machine: Machine, colour: tuple[int, int, int] = GUEST_COLOUR) -> None:
    """Its screen shows this colour and nothing else."""
    red, green, blue = colour
    subprocess.run(
        ["xsetroot", "-solid", f"#{red:02x}{green:02x}{blue:02x}"], env=machine.desktop.env, check=True, timeout=30
    )


def box_of(desktop: Desktop, viewer: Application) -> Rect:
    """Where on the desktop a painted machine is seen, by the server's own pixels of the window."""
    window = desktop.window(viewer.window.xid)
    pixels = np.asarray(desktop.grab(viewer.window.xid)).astype(int)
    there = pixels[:, :, 2] - pixels[:, :, 0] > _BLUER
    rows, columns = np.flatnonzero(there.any(axis=1)), np.flatnonzero(there.any(axis=0))
    if not len(rows):
        return Rect(0, 0, 0, 0)
    left, top = int(columns[0]), int(rows[0])
    return Rect(window.x + left, window.y + top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)


def resize(desktop: Desktop, viewer: Application, width: int, height: int) -> None:
    """Give the window's client area another size, and wait until the machine is shown in it."""
    before = box_of(desktop, viewer)
    desktop.xdo("windowsize", str(viewer.window.xid), str(width), str(height))
    wait_until(lambda: box_of(desktop, viewer) != before, "the viewer to scale")
    seen = [box_of(desktop, viewer)]

    def rests() -> bool:
        seen.append(box_of(desktop, viewer))
        return len(seen) > _SAME and len(set(seen[-_SAME:])) == 1

    wait_until(rests, "the viewer to come to rest", interval_s=0.05)
