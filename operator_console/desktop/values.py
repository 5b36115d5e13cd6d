"""Windows, monitors and pictures as every platform tells them. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect

Pixels = bytearray | memoryview
"""BGRX rows without padding, the caller's own: nobody else writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One monitor: `number` counts from 1; `rect` in root coordinates, cut to the screen."""

    number: int
    name: str
    rect: Rect
    primary: bool


class WindowState(StrEnum):
    """Whether a window can be seen."""

    SHOWN = "shown"
    MINIMISED = "minimised"
    OTHER_DESKTOP = "other_desktop"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One top-level window as it stood when it was asked.

    Attributes:
        window_id: the client.
        frame_id: the whole with its frame; on X11 the child of the root that holds it.
        rect, frame_rect: client area and whole frame (borders included), root coordinates.
        override: it manages itself (menus, tooltips, combo boxes' lists).
        transient_for: the window it is a dialog or menu of, 0 where none; the root's id means its whole group.
        group: the client leader or group window, 0 where none.
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
        """The part of it that other rooms know."""
        return WindowInfo(
            window_id=self.window_id, title=self.title, app=self.app, pid=self.pid, rect=self.rect, own=own
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grab:
    """Pixels of `rect` (root coordinates); `covered` says in words what is not shown truthfully, normally ""."""

    pixels: Pixels
    rect: Rect
    covered: str = ""
