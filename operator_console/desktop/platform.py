"""Opens the backend of the current platform. Backends are imported on first use.

X11 on Linux is supported. Windows and macOS are not. On Wayland, a program may neither read the screen nor send input
without the compositor's consent: an isolated X desktop works there, and what connects to NO_DISPLAY is refused.
Elsewhere the functions raise OperatorError.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.protocols import (
    Desktop,
    InputDevices,
    NewWindows,
    Occlusion,
    ReducedMotionWatch,
    ScreenLockWatch,
    StartedDesktop,
    TargetFrame,
    WindowPicker,
)
from operator_console.desktop.values import PLAIN_DESKTOP, DesktopPlan
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.display_names import NO_DISPLAY, display_of_person, in_wayland_session
from operator_console.domain.doctor_check import DoctorCheck
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, OperatorError
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.translations import ngettext

if TYPE_CHECKING:
    from operator_console.desktop.x11.desktop import X11Desktop

FRAME_COLOUR = 0x2456C7
"""Of the outlines on the real desktop, as 0xRRGGBB, between two white lines."""

_VIRTUAL = notice(NoticeCode.USE_VIRTUAL_DESKTOP)


def require_supported_system(platform: str = sys.platform) -> None:
    """Raises OperatorError on an operating system that is not supported."""
    if platform.startswith("linux"):
        return
    name = {"win32": "Windows", "darwin": "macOS"}.get(platform, platform)
    raise OperatorError(
        notice(NoticeCode.SYSTEM_UNSUPPORTED, system=name),
        detail=notice(NoticeCode.ONLY_X11_SUPPORTED),
        remedy=notice(NoticeCode.RUN_ON_LINUX),
    )


def open_display(name: str | None = None, environ: Mapping[str, str] = os.environ) -> Desktop:
    """Connect to a display (None: the person's).

    Raises:
        OperatorError: unsupported operating system, or Wayland (whose X server shows only a part of the desktop).
        ComputerUnavailable: there is no display.
    """
    return _open_x11(name, environ)


def _open_x11(name: str | None, environ: Mapping[str, str] = os.environ) -> X11Desktop:
    require_supported_system()
    from operator_console.desktop.x11.desktop import X11Desktop

    name = display_of_person(environ) if name is None else name
    if name == NO_DISPLAY and in_wayland_session(environ):
        raise wayland_error()
    display = X11Desktop("" if name == NO_DISPLAY else name)
    if display.is_xwayland():
        display.close()
        raise wayland_error()
    return display


def display_error(name: str) -> OperatorError | None:
    """The error for an X display that cannot be opened; None where it can be. Blocks for up to a second."""
    from operator_console.desktop.x11.display import Display

    try:
        with closing(Display(name)):
            return None
    except ComputerUnavailable as error:
        return OperatorError(error.title, detail=error.detail, remedy=error.remedy)


def wayland_error() -> OperatorError:
    """The error for a Wayland session."""
    return OperatorError(
        notice(NoticeCode.WAYLAND_SESSION),
        detail=notice(NoticeCode.WAYLAND_ALLOWS_VIRTUAL_ONLY),
        remedy=joined(notice(NoticeCode.USE_VIRTUAL_OR_BROWSER), notice(NoticeCode.OR_LOG_IN_TO_X11)),
    )


async def start_virtual_desktop(size: Size, plan: DesktopPlan = PLAIN_DESKTOP) -> StartedDesktop:
    """Start an isolated desktop of that size in pixels, as planned; to be closed by the caller.

    Raises:
        OperatorError: unsupported operating system, a required program is missing, or the plan needs a sandbox.
        ComputerUnavailable: it did not start.
    """
    require_supported_system()
    from operator_console.desktop.x11.virtual_desktop import VirtualDesktop

    return await VirtualDesktop.start(size, plan)


def virtual_desktop_trouble() -> OperatorError | None:
    """Why no isolated desktop can be started here; None if one can. Starts nothing."""
    try:
        require_supported_system()
    except OperatorError as error:
        return error
    from operator_console.desktop.x11.virtual_desktop import missing_program

    return missing_program()


def open_occlusion(own: OwnWindows, display: str) -> Occlusion:
    """Connect to tell whether foreign windows cover the console's. Raises as `open_display`."""
    require_supported_system()
    from operator_console.desktop.x11.layers import LayerOcclusion

    return LayerOcclusion(_open_x11(display), own)


def open_input_devices(display: str) -> InputDevices | None:
    """Connect to tell the presses of physical devices from those of programs; None where that cannot be told."""
    require_supported_system()
    from operator_console.desktop.x11.input_devices import PressesByDevice

    return PressesByDevice.open(display)


def open_window_picker(own: OwnWindows, display: str) -> WindowPicker:
    """Connect to let a person choose a window by pointing at it. Raises as `open_display`."""
    require_supported_system()
    from operator_console.desktop.x11.window_picker import PointingPicker, load_input_events

    load_input_events()
    return PointingPicker(_open_x11(display), own, FRAME_COLOUR)


def open_target_frame(own: OwnWindows, display: str) -> TargetFrame:
    """Draws on a display from the first `show` on. Raises OperatorError on an unsupported operating system."""
    require_supported_system()
    from operator_console.desktop.x11.outline import DrawnTargetFrame

    return DrawnTargetFrame(display, own, FRAME_COLOUR)


def has_focus(display: str, window_id: int) -> bool:
    """Whether a window, or the one that it is a part of, has the keyboard focus; False without a display. Blocking."""
    with suppress(ConsoleError), closing(open_display(display)) as desktop:
        window, focused = desktop.describe(window_id), desktop.focused()
        return window is not None and focused is not None and focused.window_id == window.window_id
    return False


def focus_window(display: str, window_id: int) -> bool:
    """Have the window manager show one of the console's windows and give it the focus, as a task bar does; whether it
    did. Waits for it."""
    with suppress(ConsoleError), closing(open_display(display)) as desktop:
        window = desktop.describe(window_id)
        return window is not None and desktop.activate(window)
    return False


def new_windows(display: str) -> NewWindows:
    """Connect to tell which windows open from now on. Raises as `open_display`."""
    require_supported_system()
    from operator_console.desktop.x11.window_changes import XNewWindows

    return XNewWindows(_open_x11(display or None))


def accessibility_bus(display: str) -> str:
    """The address of the accessibility bus that a display names, "" where it names none or is gone. Blocks briefly."""
    with suppress(ConsoleError), closing(_open_x11(display or None)) as connection:
        return connection.accessibility_bus()
    return ""


def read_clipboard(display: str, timeout_s: float = 3.0) -> Clipboard:
    """What the clipboard holds. Blocks for up to `timeout_s` for each format.

    Raises:
        OperatorError: unsupported operating system.
        ComputerUnavailable: no display.
        ComputerTimedOut: the application that owns the clipboard does not answer.
    """
    require_supported_system()
    from operator_console.desktop.x11.clipboard import read

    return read(display, timeout_s)


def notify(title: str, text: str) -> bool:
    """Show a desktop notification in plain text; whether a service accepted it. Blocks for up to 3 s."""
    from operator_console.desktop.freedesktop.notifications import notify

    return sys.platform.startswith("linux") and notify(title, text)


def watch_screen_lock(on_change: Callable[[bool], None]) -> ScreenLockWatch:
    """Report when the screen is locked and unlocked. The callback is called in other threads."""
    from operator_console.desktop.freedesktop.screen_lock import DBusScreenLockWatch

    return DBusScreenLockWatch(on_change)


def watch_reduced_motion(on_change: Callable[[bool], None], *, after_s: float) -> ReducedMotionWatch:
    """Report when the desktop asks for reduced motion and when no more, `after_s` after the start at the earliest.

    The callback is called in another thread.
    """
    from operator_console.desktop.freedesktop.reduced_motion import PortalReducedMotionWatch

    return PortalReducedMotionWatch(on_change, after_s=after_s)


def check_display(environ: Mapping[str, str] = os.environ) -> DoctorCheck:
    """The display line of `doctor`."""
    if in_wayland_session(environ):
        return DoctorCheck(name="display", ok=True, detail=notice(NoticeCode.WAYLAND_TARGETS))
    try:
        display = _open_x11(None, environ)
    except ConsoleError as error:
        return DoctorCheck(
            name="display", ok=False, detail=joined(error.title, error.detail), remedy=error.remedy
        )  # fmt: skip
    from operator_console.desktop.x11.accessx import read_controls

    with closing(display):
        controls = read_controls(display.name)
        lacking = [name for name in ("composite", "damage", "shape", "randr") if not display.extension(name)]
        count = len(display.monitors())
        detail = ngettext("X11 {name}, {count} monitor", "X11 {name}, {count} monitors", count)
        if lacking:
            detail = ngettext(
                "X11 {name}, {count} monitor; the server lacks {extensions}",
                "X11 {name}, {count} monitors; the server lacks {extensions}",
                count,
            )
        return DoctorCheck(
            name="display",
            ok=not {"composite", "shape"}.intersection(lacking),
            detail=joined(
                f"{detail.format(name=display.name, count=count, extensions=', '.join(lacking))}.",
                "" if display.shares_memory() else notice(NoticeCode.NO_SHARED_MEMORY),
                notice(NoticeCode.KEYS_ARE_SLOW) if controls.slow_s or controls.bounce_s else "",
            ),
            remedy=_VIRTUAL if lacking else "",
        )
