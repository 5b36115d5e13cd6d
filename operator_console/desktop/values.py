"""Windows, monitors and pictures, the same on every platform."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect, ScreenPoint, Size
from operator_console.domain.hidden_areas import HiddenArea

Pixels = bytearray | memoryview
"""BGRX rows without padding. They belong to the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopPlan:
    """How an isolated desktop is furnished.

    Attributes:
        home: the home folder of its programs, which is kept; None: a new one, removed with the desktop.
        shared: the folder by which files go in and out; None: there is none.
        network: whether its programs may reach the network.
    """

    home: Path | None = None
    shared: Path | None = None
    network: bool = True


PLAIN_DESKTOP = DesktopPlan()
"""A new home folder, no shared one, and a network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a desktop can do beyond showing pictures and taking input. There is a substitute for each.

    Attributes:
        paint_events: it reports what is painted. Without: pictures are compared at intervals.
        click_through: input can be let through the console's windows. Without: input to what is under them is refused.
        window_owners: it tells the windows at a point, in a stack and with the keyboard focus. Without: before input
            only the picture is compared; single windows can be no targets.
    """

    paint_events: bool = True
    click_through: bool = True
    window_owners: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One monitor: `number` counts from 1; `rect` in root coordinates, clipped to the screen."""

    number: int
    name: str
    rect: Rect
    primary: bool


class WindowState(StrEnum):
    """Whether a window is visible."""

    SHOWN = "shown"
    MINIMISED = "minimised"
    OTHER_DESKTOP = "other_desktop"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A top-level window at the time of the query.

    Attributes:
        window_id: the application's window.
        frame_id: the window manager's frame; on X11 the child of the root that contains the window.
        rect, frame_rect: client area and whole frame (borders included), root coordinates.
        override: it is not managed by the window manager (menus, tooltips, lists of combo boxes).
        transient_for: the window of which it is a dialog or menu, 0 if none; the root's id means its whole group.
        group: the client leader or group window, 0 if none.
        kinds: _NET_WM_WINDOW_TYPE as names ("dialog", "tooltip").
    """

    window_id: int
    frame_id: int
    title: str
    app: str
    pid: int | None
    rect: Rect
    frame_rect: Rect
    state: WindowState
    override: bool
    transient_for: int = 0
    group: int = 0
    kinds: tuple[str, ...] = ()

    def info(self, *, own: bool = False) -> WindowInfo:
        """The fields that are used outside this package."""
        return WindowInfo(
            window_id=self.window_id, title=self.title, app=self.app, pid=self.pid, rect=self.rect, own=own
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeHints:
    """What an application asks of the window manager: the least size of a window's client area, and the size that
    its content adds to."""

    least: Size
    base: Size


@dataclass(frozen=True, slots=True, kw_only=True)
class PaintedPlace:
    """A part of a window that its application paints itself, and what else the application shows over it; both in the
    window's client area."""

    rect: Rect
    over: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDrawing:
    """What is drawn on the real desktop about a target.

    Attributes:
        rect: what to surround, from within; not used for a window, which is surrounded where it is.
        window_id: the window to surround; None for a monitor.
        ring: where the next action will land; None for nowhere.
        ring_colour: as 0xRRGGBB.
    """

    rect: Rect
    window_id: int | None = None
    ring: ScreenPoint | None = None
    ring_colour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Grab:
    """Pixels of `rect` (root coordinates).

    Attributes:
        covered: a sentence about parts that could not be read, normally "".
        hidden: the areas that were made black, native pixels.
    """

    pixels: Pixels
    rect: Rect
    covered: str = ""
    hidden: tuple[HiddenArea, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyControls:
    """Which of a keyboard's accessibility controls are on.

    Attributes:
        slow_s: how long a key must be down before it is pressed for applications; 0 if slow keys are off.
        bounce_s: for how long after its release another press of the same key is ignored; 0 if bounce keys are off.
        sticky: a modifier key that is pressed alone acts on the next key.
    """

    slow_s: float = 0.0
    bounce_s: float = 0.0
    sticky: bool = False
