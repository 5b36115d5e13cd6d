"""Outlines and a ring on the real desktop: override-redirect windows of this process that let all input through.

An outline is four thin windows, so that the picture beneath them is cheap to restore; a ring is one shaped window. They
belong to the connection, so they go with the process. Being windows of this process, they are left out of pictures of
a monitor like all its windows, and a window target is captured by itself. Their Input shape is empty, so no input ever
reaches them. `Overlay` belongs to one thread; `DrawnTargetFrame` draws a session's target and next action in its own.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Sequence
from typing import Any

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.values import TargetDrawing, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.layers import WindowLayers
from operator_console.domain.errors import ConsoleError
from operator_console.domain.geometry import Rect, ScreenPoint

THICKNESS = 4
"""Of an outline, in pixels: one white on each side, so that it is seen on any ground."""
RING_RADIUS = 22
_WHITE = 0xFFFFFF
_BACK_PIXMAP, _OVERRIDE = 1, 512
_X, _Y, _WIDTH, _HEIGHT, _SIBLING, _STACK = 1, 2, 4, 8, 32, 64
_ABOVE = 0
_SET, _BOUNDING, _INPUT, _UNSORTED = 0, 0, 2, 0
_FOREGROUND = 4
_REPLACE = 0
GAP_S = 0.05
"""Least time between two drawings, in seconds: a live preview tells up to 60 times a second where the target is."""
_WAIT_S = 60.0
_log = logging.getLogger(__name__)


class Overlay:
    """One outline and one ring; each is hidden until it is shown."""

    def __init__(self, display: Display, colour: int) -> None:
        """`colour`: of the outline, as 0xRRGGBB."""
        self._display, self._colour = display, colour
        self._shape = display.extension("shape")
        self._composite = display.extension("composite")
        self._sides: list[int] = []
        self._ring = 0
        self._ring_colour = -1
        self._shown: tuple[Rect, int | None] | None = None
        self._ring_at: ScreenPoint | None = None

    @property
    def available(self) -> bool:
        """Whether the server can let input through and keep what is beneath; without, nothing is shown.

        It would take clicks, or be grey in the model's pictures.
        """
        return self._shape is not None and self._composite is not None

    def outline(self, rect: Rect | None, above: int | None = None, *, inside: bool = False) -> None:
        """Draw around a rectangle (root coordinates), at the edge of the screen where it ends there; None hides it.

        Args:
            rect: what to surround.
            above: the child of the root above which it is put; None: above all.
            inside: draw within the rectangle, not around it.
        """
        if not self.available:
            return
        frame = self._frame(rect, inside=inside) if rect is not None else None
        if frame is None:
            for side in self._sides:
                self._display.core.UnmapWindow(side)
            self._shown = None
            self._display.flush()
            return
        if not self._sides:
            self._sides = [self._make_side(across=number < 2) for number in range(4)]
        if self._shown != (frame, above):
            for side, place in zip(self._sides, _sides(frame), strict=True):
                self._place(side, place)
        if self._shown != (frame, above) or not self._stands(self._sides, above):
            self._stack(self._sides, above)
        self._shown = (frame, above)
        self._display.flush()

    def ring(self, at: ScreenPoint | None, colour: int = 0, above: int | None = None) -> None:
        """Draw a ring around a point; None hides it. Arguments as for `outline`."""
        if not self.available:
            return
        if at is None:
            if self._ring:
                self._display.core.UnmapWindow(self._ring)
            self._ring_at = None
            self._display.flush()
            return
        if not self._ring or colour != self._ring_colour:
            self._drop(self._ring)
            self._ring, self._ring_colour, self._ring_at = self._make_ring(colour), colour, None
        side = 2 * RING_RADIUS + 1
        if at != self._ring_at:
            self._place(self._ring, Rect(at.x - RING_RADIUS, at.y - RING_RADIUS, side, side))
        if at != self._ring_at or not self._stands([self._ring], above):
            self._stack([self._ring], above)
        self._ring_at = at
        self._display.flush()

    def close(self) -> None:
        """Remove everything."""
        for window in (*self._sides, self._ring):
            self._drop(window)
        self._sides, self._ring = [], 0
        self._display.flush()

    # windows

    def _frame(self, rect: Rect, *, inside: bool) -> Rect | None:
        """The outer edge of the four sides; None if the rectangle is not on the screen.

        A side beyond the screen's edge could not be seen: a window that fills the screen would have no frame.
        """
        screen = self._display.answer(self._display.core.GetGeometry(self._display.root))
        if screen is None:
            return None
        seen = Rect(0, 0, screen.width, screen.height)
        if rect.intersect(seen).empty:
            return None
        wide = 0 if inside else THICKNESS
        return Rect(rect.x - wide, rect.y - wide, rect.width + 2 * wide, rect.height + 2 * wide).intersect(seen)

    def _make_side(self, *, across: bool) -> int:
        """A side whose background is a tile: a white line, the colour, a white line."""
        width, height = (1, THICKNESS) if across else (THICKNESS, 1)
        inner = Rect(0, 1, 1, THICKNESS - 2) if across else Rect(1, 0, THICKNESS - 2, 1)
        return self._make(Rect(-10, -10, 1, 1), self._tile(width, height, [inner], self._colour))

    def _make_ring(self, colour: int) -> int:
        side = 2 * RING_RADIUS + 1
        made = self._make(Rect(-side, -side, side, side), self._tile(side, side, _annulus(RING_RADIUS - 2, 4), colour))
        self._reshape(made, _BOUNDING, _annulus(RING_RADIUS, 8))
        return made

    def _make(self, rect: Rect, tile: int) -> int:
        display = self._display
        made = int(display.connection.generate_id())
        display.core.CreateWindow(
            0, made, display.root, rect.x, rect.y, rect.width, rect.height, 0, 1, 0, _BACK_PIXMAP | _OVERRIDE, [tile, 1]
        )
        display.core.FreePixmap(tile)
        self._reshape(made, _INPUT, [])
        pid = os.getpid().to_bytes(4, "little")
        display.core.ChangeProperty(_REPLACE, made, display.atom("_NET_WM_PID"), display.atom("CARDINAL"), 32, 1, pid)
        return made

    def _tile(self, width: int, height: int, parts: Sequence[Rect], colour: int) -> int:
        display = self._display
        depth = display.answer(display.core.GetGeometry(display.root)).depth  # type: ignore[union-attr]
        tile, context = int(display.connection.generate_id()), int(display.connection.generate_id())
        display.core.CreatePixmap(depth, tile, display.root, width, height)
        display.core.CreateGC(context, tile, _FOREGROUND, [_WHITE])
        for ink, rects in ((_WHITE, [Rect(0, 0, width, height)]), (colour, parts)):
            display.core.ChangeGC(context, _FOREGROUND, [ink])
            display.core.PolyFillRectangle(tile, context, len(rects), [_rectangle(each) for each in rects])
        display.core.FreeGC(context)
        return tile

    def _reshape(self, window: int, kind: int, parts: Sequence[Rect]) -> None:
        assert self._shape is not None
        rects = [_rectangle(each) for each in parts]
        self._shape.Rectangles(_SET, kind, _UNSORTED, window, 0, 0, len(rects), rects)

    def _place(self, window: int, place: Rect) -> None:
        # x and y are signed: at the left or upper edge a ring begins beyond the screen.
        values = [place.x, place.y, max(1, place.width), max(1, place.height)]
        self._display.core.ConfigureWindow(window, _X | _Y | _WIDTH | _HEIGHT, values)

    def _stack(self, parts: Sequence[int], above: int | None) -> None:
        for window in parts:
            if above is None:
                self._display.core.ConfigureWindow(window, _STACK, [_ABOVE])
            else:
                self._display.core.ConfigureWindow(window, _SIBLING | _STACK, [above, _ABOVE])
            self._display.core.MapWindow(window)

    def _stands(self, parts: Sequence[int], above: int | None) -> bool:
        """Whether they are where they were put: no request is sent then, which would be reported as a change."""
        stack = windows.stack(self._display)
        ours = {*self._sides, self._ring}
        places = [stack.index(part) for part in parts if part in stack]
        if len(places) < len(parts):
            return False
        first, last = min(places), max(places)
        if above is None:
            return all(window in ours for window in stack[first:])
        below = stack.index(above) if above in stack else -1
        return below < first and all(window in ours for window in stack[below + 1 : last])

    def _drop(self, window: int) -> None:
        if window:
            self._display.core.DestroyWindow(window)


def _sides(rect: Rect) -> tuple[Rect, Rect, Rect, Rect]:
    """Top, bottom, left, right, within a rectangle."""
    wide = THICKNESS
    middle = rect.height - 2 * wide
    return (
        Rect(rect.x, rect.y, rect.width, wide),
        Rect(rect.x, rect.bottom - wide, rect.width, wide),
        Rect(rect.x, rect.y + wide, wide, middle),
        Rect(rect.right - wide, rect.y + wide, wide, middle),
    )


def _annulus(radius: int, thick: int) -> list[Rect]:
    """The rows of a ring around the middle of the ring's window."""
    centre, rows = RING_RADIUS, []
    inner = radius - thick
    for dy in range(-radius, radius + 1):
        outer = math.isqrt(radius**2 - dy**2)
        if abs(dy) > inner:
            rows.append(Rect(centre - outer, centre + dy, 2 * outer + 1, 1))
        else:
            hole = math.isqrt(inner**2 - dy**2)
            rows.append(Rect(centre - outer, centre + dy, outer - hole + 1, 1))
            rows.append(Rect(centre + hole, centre + dy, outer - hole + 1, 1))
    return rows


def _rectangle(rect: Rect) -> Any:
    from xcffib.xproto import RECTANGLE

    return RECTANGLE.synthetic(rect.x, rect.y, rect.width, rect.height)  # type: ignore[no-untyped-call]


class DrawnTargetFrame:
    """Fits `protocols.TargetFrame`."""

    def __init__(self, display_name: str, own: OwnWindows, colour: int) -> None:
        """`colour`: of the frame, as 0xRRGGBB."""
        self._display_name, self._own, self._colour = display_name, own, colour
        self._wanted: TargetDrawing | None = None
        self._thread = StoppableThread("target frame", self._run)
        self._started = False

    def show(self, drawing: TargetDrawing | None) -> None:
        """Draw this; None: nothing. Returns at once."""
        if drawing == self._wanted and (drawing is None or drawing.window_id is None):
            return
        self._wanted = drawing
        if not self._started:
            self._started = True
            self._thread.start()
        self._thread.wake()

    def close(self) -> None:
        """Remove everything and end the thread. Returns at once."""
        self._thread.stop()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread. Blocking."""
        self._thread.join(timeout_s)

    def _run(self, thread: StoppableThread) -> None:
        try:
            display = Display(self._display_name)
        except ConsoleError as error:
            _log.warning("the target's frame is not shown: %s", error)
            return
        layers, overlay = WindowLayers(display, self._own), Overlay(display, self._colour)
        try:
            while not thread.stopping:
                self._draw(display, layers, overlay, self._wanted)
                time.sleep(GAP_S)
                while not thread.woken() and not thread.stopping:
                    display.wait(_WAIT_S, also=thread.wake_fd)
            overlay.close()
            display.sync()
        except ConsoleError as error:
            _log.warning("the target's frame is no longer shown: %s", error)
        except Exception:  # noqa: BLE001  it may fail; the session must not
            _log.exception("the target's frame is no longer shown")
        finally:
            display.close()

    def _draw(self, display: Display, layers: WindowLayers, overlay: Overlay, wanted: TargetDrawing | None) -> None:
        above: int | None = None
        if wanted is not None and wanted.window_id is not None:
            window = windows.describe(display, wanted.window_id)
            if window is None or window.state is not WindowState.SHOWN:
                wanted = None
            else:
                above = window.frame_id
                overlay.outline(window.frame_rect, above)
        elif wanted is not None:
            overlay.outline(wanted.rect, inside=True)
        if wanted is None:
            overlay.outline(None)
        if wanted is None or wanted.ring is None:
            overlay.ring(None)
        else:
            overlay.ring(wanted.ring, wanted.ring_colour, above or _layer_at(layers, wanted.ring))


def _layer_at(layers: WindowLayers, at: ScreenPoint) -> int | None:
    """The topmost window of another program at a point; None if there is none."""
    for layer in reversed(layers.layers()):
        if not layer.own and any(part.contains(at.x, at.y) for part in layer.parts):
            return layer.layer_id
    return None
