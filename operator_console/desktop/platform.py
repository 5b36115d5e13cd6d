"""Which desktop this is, and whether this version can see and drive it; plain words where it cannot.

X11 is built and tested. Windows and macOS are not driven by this version. On Wayland a program may neither read the
screen nor send input without the compositor's consent; what works there is an isolated X desktop. Called by computers/
before a display is opened, and by `doctor`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import monitors
from operator_console.domain.errors import OperatorError
from operator_console.domain.requests import DoctorCheck

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


def open_display(name: str | None = None, environ: Mapping[str, str] = os.environ) -> Display:
    """Opens a display that can be seen and driven.

    Raises:
        OperatorError: another operating system, or a Wayland session (its X server shows only a part of the desktop).
        ComputerUnavailable: there is no display.
    """
    require_supported_system()
    if name is None and not environ.get("DISPLAY") and environ.get("WAYLAND_DISPLAY"):
        raise wayland_error()
    display = Display(environ.get("DISPLAY", "") if name is None else name)
    if is_xwayland(display):
        display.close()
        raise wayland_error()
    return display


def is_xwayland(display: Display) -> bool:
    """Whether the X server is the one a Wayland compositor runs for old applications."""
    name = "XWAYLAND"
    reply = display.answer(display.core.QueryExtension(len(name), name))
    return bool(reply is not None and reply.present) or any(
        monitor.name.upper().startswith(name) for monitor in monitors(display)
    )


def wayland_error() -> OperatorError:
    """What is said on Wayland."""
    return OperatorError(
        "This is a Wayland session, whose screen and input are not open to other programs.",
        detail="Monitors and windows cannot be captured or driven here; an isolated virtual desktop can.",
        remedy=f"{_VIRTUAL} Or log in to an X11 session (“… on Xorg” at the login screen).",
    )


def check_display(environ: Mapping[str, str] = os.environ) -> DoctorCheck:
    """The display line of `doctor`."""
    try:
        display = open_display(None, environ)
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
            detail=f"X11 {display.name}, {len(monitors(display))} monitor(s)"
            + (f"; the server lacks {', '.join(lacking)}" if lacking else ""),
            remedy=_VIRTUAL if lacking else "",
        )
    finally:
        display.close()
