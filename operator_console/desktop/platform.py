"""The platform's backend: opened here, imported only when it is used; plain words where there is none.

X11 on Linux is built and tested. Windows and macOS are not driven by this version. On Wayland a program may neither
read the screen nor send input without the compositor's consent; what works there is an isolated X desktop.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from operator_console.desktop.own import OwnWindows
from operator_console.desktop.protocols import Desktop, Occlusion
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import Size
from operator_console.domain.requests import DoctorCheck

if TYPE_CHECKING:
    from operator_console.desktop.freedesktop.screen_lock import ScreenLockWatch
    from operator_console.desktop.x11.new_windows import NewWindows
    from operator_console.desktop.x11.virtual_desktop import VirtualDesktop
    from operator_console.desktop.x11.x11_desktop import X11Desktop

_VIRTUAL = "Use the isolated desktop: --target virtual."


def require_supported_system(platform: str = sys.platform) -> None:
    """Raises OperatorError on an operating system whose desktop this version does not drive."""
    if platform.startswith("linux"):
        return
    name = {"win32": "Windows", "darwin": "macOS"}.get(platform, platform)
    raise OperatorError(
        f"This version does not drive the desktop of {name}.",
        detail="Only X11 on Linux is supported so far; sessions can still be opened and read here.",
        remedy="Run it on Linux with an X11 session.",
    )


def open_display(name: str | None = None, environ: Mapping[str, str] = os.environ) -> Desktop:
    """Opens a display (None: $DISPLAY) that can be seen and driven.

    Raises:
        OperatorError: another operating system, or a Wayland session (its X server shows only a part of the desktop).
        ComputerUnavailable: there is no display.
    """
    return _open_x11(name, environ)


def _open_x11(name: str | None, environ: Mapping[str, str] = os.environ) -> X11Desktop:
    require_supported_system()
    from operator_console.desktop.x11.x11_desktop import X11Desktop

    if name is None and not environ.get("DISPLAY") and environ.get("WAYLAND_DISPLAY"):
        raise wayland_error()
    display = X11Desktop(environ.get("DISPLAY", "") if name is None else name)
    if display.is_xwayland():
        display.close()
        raise wayland_error()
    return display


def wayland_error() -> OperatorError:
    """What is said on Wayland."""
    return OperatorError(
        "This is a Wayland session, whose screen and input are not open to other programs.",
        detail="Monitors and windows cannot be captured or driven here; an isolated virtual desktop can.",
        remedy=f"{_VIRTUAL} Or log in to an X11 session (“… on Xorg” at the login screen).",
    )


async def start_virtual_desktop(size: Size) -> VirtualDesktop:
    """An isolated desktop of that size, which can be opened by its `display`; close it.

    Raises:
        OperatorError: another operating system, or what it needs is not installed.
        ComputerUnavailable: it did not start.
    """
    require_supported_system()
    from operator_console.desktop.x11.virtual_desktop import VirtualDesktop

    return await VirtualDesktop.start(size)


def open_occlusion(own: OwnWindows, display: str) -> Occlusion:
    """Tells whether another program's window lies over one of ours. Raises as `open_display`."""
    require_supported_system()
    from operator_console.desktop.x11.scene import X11Occlusion

    return X11Occlusion(_open_x11(display), own)


def new_windows(display: str) -> NewWindows:
    """Tells which windows open from now on. Raises as `open_display`."""
    require_supported_system()
    from operator_console.desktop.x11.new_windows import NewWindows

    return NewWindows(_open_x11(display or None))


def read_clipboard(display: str) -> str | None:
    """The clipboard's text, None where it holds none. Blocking for up to 3 s.

    Raises OperatorError (another operating system), ComputerUnavailable (no display), ComputerTimedOut.
    """
    require_supported_system()
    from operator_console.desktop.x11.clipboard import read_text

    return read_text(display)


def notify(title: str, text: str) -> bool:
    """Show a desktop notification of plain text; whether a service took it. Blocking for some seconds at most."""
    from operator_console.desktop.freedesktop.notifications import notify

    return sys.platform.startswith("linux") and notify(title, text)


def watch_screen_lock(on_change: Callable[[bool], None]) -> ScreenLockWatch:
    """Tells when the screen is locked and unlocked, once started; where nothing tells, it says so."""
    from operator_console.desktop.freedesktop.screen_lock import ScreenLockWatch

    return ScreenLockWatch(on_change)


def check_display(environ: Mapping[str, str] = os.environ) -> DoctorCheck:
    """The display line of `doctor`."""
    try:
        display = _open_x11(None, environ)
    except Exception as error:
        if not hasattr(error, "remedy"):
            raise
        return DoctorCheck(name="display", ok=False, detail=str(error).replace(error.remedy, "").strip(),
                           remedy=error.remedy)  # fmt: skip
    try:
        lacking = [name for name in ("composite", "damage", "shape", "shm", "randr") if not display.extension(name)]
        return DoctorCheck(
            name="display",
            ok=not {"composite", "shape"}.intersection(lacking),
            detail=f"X11 {display.name}, {len(display.monitors())} monitor(s)"
            + (f"; the server lacks {', '.join(lacking)}" if lacking else ""),
            remedy=_VIRTUAL if lacking else "",
        )
    finally:
        display.close()
