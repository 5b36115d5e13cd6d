"""Frames with windows on them, as values."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.frames import Frame, MonitorTarget, StackedWindow, WindowInfo
from operator_console.domain.geometry import FrameGeometry, Rect, ScreenPoint, Size


def window(window_id: int, pid: int | None, rect: Rect, title: str = "", *, own: bool = False) -> StackedWindow:
    info = WindowInfo(window_id=window_id, title=title, app="", pid=pid, rect=rect, own=own)
    return StackedWindow(info=info, parts=(rect,))


def frame(
    windows: Sequence[StackedWindow],
    *,
    frame_id: str = "frame",
    origin: ScreenPoint = ScreenPoint(0, 0),
    scale: float = 1.0,
    size: Size = Size(800, 600),
) -> Frame:
    """The last window has the focus."""
    return Frame(
        frame_id=frame_id,
        pixels=memoryview(b""),
        geometry=FrameGeometry(origin=origin, native=size, sent=size, input_scale=scale),
        target=MonitorTarget(spec="monitor:1", title="Monitor 1"),
        taken_s=0.0,
        stack=tuple(windows),
        focus=windows[-1].info if windows else None,
    )
