"""Captures rectangles of the screen without the console's windows, and single windows even if they are covered.

One Capture belongs to one thread and uses one connection, so replies and events arrive in order. Pixels are BGRX rows
without padding.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab, Pixels
from operator_console.desktop.x11.damage import Repainting
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.layers import Layer, WindowLayers, stacked_windows
from operator_console.desktop.x11.pixels import Canvas, Grabber, root_background
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import StackedWindow
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

REPAINT_TIMEOUT_S = 1.0
_TRIES = 4
_MOST_PARTS = 4
_BEHIND_OURS = notice(NoticeCode.PART_BEHIND_CONSOLE)
_UNPAINTED = notice(NoticeCode.PART_NOT_PAINTED)


class Capture:
    """Captures the screen and windows of one display. `window_layers` are the layers on it."""

    def __init__(self, display: Display, own: OwnWindows) -> None:
        self.display = display
        self.window_layers = WindowLayers(display, own)
        self.grabber = Grabber(display)
        self._repainting = Repainting(display)

    def screen(self, rect: Rect) -> Grab:
        """A rectangle of the screen, with the console's windows replaced by what is beneath them."""
        for _ in range(_TRIES):
            self._uncover(rect)
            canvas, stable = self._try_screen(rect)
            if stable:
                return Grab(pixels=canvas.pixels, rect=rect, covered=_BEHIND_OURS if canvas.hidden else "")
        canvas, _ = self._try_screen(rect)
        for layer in self.window_layers.own_layers():  # they kept moving: grey them out and say so
            for part in _few(layer):
                canvas.hide(part)
        return Grab(pixels=canvas.pixels, rect=rect, covered=_BEHIND_OURS)

    def windows(self, rect: Rect, layer_ids: Sequence[int]) -> Grab | None:
        """A rectangle with only these layers in it, uncovered, in stacking order; None if one of them is gone.

        The rest of the rectangle is black: other windows must not appear in it.
        """
        fresh = self._redirect()
        wanted = [layer for layer in self.window_layers.layers() if layer.layer_id in layer_ids]
        if fresh:
            self._repainting.wait(rect, wanted, REPAINT_TIMEOUT_S)
        canvas = Canvas(bytearray(rect.width * rect.height * 4), rect)
        if len(wanted) < len(set(layer_ids)) or not all(self._paste(canvas, layer, rect) for layer in wanted):
            return None
        for part in self._repainting.unpainted(rect, wanted):
            canvas.hide(part)
        return Grab(pixels=canvas.pixels, rect=rect, covered=_UNPAINTED if canvas.hidden else "")

    def stacked(self, among: Container[int] | None = None) -> tuple[StackedWindow, ...]:
        """The windows that pointer input can reach, bottom first; `among`: only these layers."""
        return stacked_windows(self.display, self.window_layers, among)

    def _try_screen(self, rect: Rect) -> tuple[Canvas, bool]:
        """A picture without the console's windows, and whether those stayed where they were meanwhile.

        Replies and events of one connection arrive in the server's order, so the layers known after the reply are
        those of the moment when the pixels were read. A second connection would need another round trip.
        """
        ours, layers = self.window_layers.known_own_layers(), self.window_layers.known_layers()
        canvas = Canvas(self._grab_screen(rect), rect)
        parts = [part.intersect(rect) for layer in ours for part in _few(layer)]
        filled = all(self._fill_beneath(canvas, part, layers) for part in parts if not part.empty)
        return canvas, filled and self.window_layers.own_layers() == ours

    def close(self) -> None:
        """Release everything but the connection."""
        self._repainting.close()
        self.window_layers.close()
        self.grabber.close()

    def _grab_screen(self, rect: Rect) -> Pixels:
        pixels = self.grabber.drawable(self.display.root, rect)
        if pixels is None:  # the screen has become smaller
            raise ComputerUnavailable(
                notice(NoticeCode.MONITOR_CHANGED_DURING_CAPTURE),
                reason=UnavailableReason.HIDDEN,
                remedy=notice(NoticeCode.TRY_WHEN_STILL),
            )
        return pixels

    def _uncover(self, rect: Rect) -> None:
        """Redirect once a window of the console is in `rect`, and wait until what is beneath is painted."""
        if self.grabber.redirected:
            return
        ours = [layer for layer in self.window_layers.known_own_layers() if not layer.rect.intersect(rect).empty]
        if ours and self._redirect():
            foreign = [layer for layer in self.window_layers.layers() if not layer.own]
            beneath = _bounds([layer.rect.intersect(rect) for layer in ours])
            self._repainting.wait(beneath, foreign, REPAINT_TIMEOUT_S)

    def _redirect(self) -> bool:
        """Make the server keep every window's contents from now on; False if it did so already."""
        if self.grabber.redirected or not self.grabber.can_uncover:
            return False
        layers = self.window_layers.layers()
        covered: dict[int, Rect] = {}
        for number, layer in enumerate(layers):
            hidden = [layer.rect.intersect(above.rect) for above in layers[number + 1 :]]
            hidden = [part.moved(-layer.rect.x, -layer.rect.y) for part in hidden if not part.empty]
            if hidden and not layer.own and not self.grabber.keeps(layer.layer_id):
                covered[layer.layer_id] = _bounds(hidden)
        self._repainting.watch(covered)
        return self.grabber.redirect()

    def _fill_beneath(self, canvas: Canvas, part: Rect, layers: Sequence[Layer]) -> bool:
        """Draw what is beneath the console's windows in `part`; False if a window changed meanwhile."""
        if not self.grabber.redirected:
            canvas.hide(part)
            return True
        foreign = [layer for layer in layers if not layer.own and not layer.rect.intersect(part).empty]
        filled = [n for n, layer in enumerate(foreign) if len(layer.parts) == 1 and _inside(part, layer.parts[0])]
        opaque = [n for n in filled if foreign[n].depth != 32 or not canvas.blends(self.display)]
        if opaque:
            foreign = foreign[opaque[-1] :]
        else:
            canvas.paste(root_background(self.display, self.grabber, part), part)
        if not all(self._paste(canvas, layer, part) for layer in foreign):
            return False
        for unpainted in self._repainting.unpainted(part, foreign):
            canvas.hide(unpainted)
        return True

    def _paste(self, canvas: Canvas, layer: Layer, within: Rect) -> bool:
        for each in layer.parts:
            part = each.intersect(within)
            if part.empty:
                continue
            pixels = self.grabber.window(layer.layer_id, part.moved(-layer.rect.x, -layer.rect.y))
            if pixels is None:
                return False
            canvas.paste(pixels, part, blend=layer.depth == 32 and canvas.blends(self.display))
        return True


def _few(layer: Layer) -> Sequence[Rect]:
    """The parts of a layer, or all of its rectangle where there are many: each is filled by requests of its own."""
    return layer.parts if len(layer.parts) <= _MOST_PARTS else (layer.rect,)


def _inside(part: Rect, whole: Rect) -> bool:
    return part.intersect(whole) == part


def _bounds(parts: Sequence[Rect]) -> Rect:
    left, top = min(part.x for part in parts), min(part.y for part in parts)
    return Rect(left, top, max(part.right for part in parts) - left, max(part.bottom for part in parts) - top)
