"""Captures a monitor without our own windows, and a window with its menus and dialogs although others cover it.

One Capture per thread, on one connection: answers and events then come in order. Pixels are BGRX rows without padding.
Not here: frames (computers/framing.py), when to capture.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from operator_console.desktop.own import OwnWindows
from operator_console.desktop.values import Grab, Pixels
from operator_console.desktop.x11.damage import Repainting
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.pixels import Canvas, Grabber, root_background
from operator_console.desktop.x11.scene import Layer, Scene
from operator_console.desktop.x11.stacking import stacking
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import StackedWindow
from operator_console.domain.geometry import Rect

REPAINT_TIMEOUT_S = 1.0
_TRIES = 4
_BEHIND_OURS = "A part that lies behind the console's own windows cannot be seen and is shown grey."
_UNPAINTED = "A part of the window has not been painted yet and is shown grey."


class Capture:
    """Grabs monitors and windows of one display. `scene` tells what lies where."""

    def __init__(self, display: Display, own: OwnWindows) -> None:
        self.display = display
        self.scene = Scene(display, own)
        self.grabber = Grabber(display)
        self._repainting = Repainting(display)

    def screen(self, rect: Rect) -> Grab:
        """A rectangle of the screen, our own windows left out by what lies beneath them."""
        for _ in range(_TRIES):
            self._uncover(rect)
            canvas, true_now = self._try_screen(rect)
            if true_now:
                return Grab(pixels=canvas.pixels, rect=rect, covered=_BEHIND_OURS if canvas.hidden else "")
        canvas, _ = self._try_screen(rect)
        for layer in self.scene.own_layers():  # they never stood still: nothing of ours may show, and it is said
            canvas.hide(layer.rect)
        return Grab(pixels=canvas.pixels, rect=rect, covered=_BEHIND_OURS)

    def windows(self, rect: Rect, layer_ids: Sequence[int]) -> Grab | None:
        """A rectangle with just these layers in it, as they are stacked, uncovered; None where one is gone.

        What none of them fills is black: other windows are nobody's business here.
        """
        fresh = self._redirect()
        wanted = [layer for layer in self.scene.layers() if layer.layer_id in layer_ids]
        if fresh:
            self._repainting.wait(rect, wanted, REPAINT_TIMEOUT_S)
        canvas = Canvas(bytearray(rect.width * rect.height * 4), rect)
        if len(wanted) < len(set(layer_ids)) or not all(self._paste(canvas, layer, rect) for layer in wanted):
            return None
        for part in self._repainting.unpainted(rect, wanted):
            canvas.hide(part)
        return Grab(pixels=canvas.pixels, rect=rect, covered=_UNPAINTED if canvas.hidden else "")

    def stacked(self, among: Container[int] | None = None) -> tuple[StackedWindow, ...]:
        """The windows that pointer input can reach now, bottom first; `among`: only these layers."""
        return stacking(self.display, self.scene, among)

    def _try_screen(self, rect: Rect) -> tuple[Canvas, bool]:
        """A picture of the screen without ours, and whether ours stood still meanwhile.

        Answers and events of one connection come in the server's order: what is known of the layers after the answer
        is how they lay when the pixels were read. A second connection (mss has its own) would need a round trip more.
        """
        ours, layers = self.scene.known_own_layers(), self.scene.known_layers()
        canvas = Canvas(self._grab_screen(rect), rect)
        parts = [part.intersect(rect) for layer in ours for part in layer.parts]
        filled = all(self._fill_beneath(canvas, part, layers) for part in parts if not part.empty)
        return canvas, filled and self.scene.own_layers() == ours

    def close(self) -> None:
        """Let go of everything but the connection."""
        self._repainting.close()
        self.scene.close()
        self.grabber.close()

    def _grab_screen(self, rect: Rect) -> Pixels:
        pixels = self.grabber.drawable(self.display.root, rect)
        if pixels is None:  # the screen was made smaller meanwhile
            raise ComputerUnavailable(
                "The monitor changed its size while it was captured.",
                reason=UnavailableReason.HIDDEN,
                remedy="Look again when the screen has come to rest.",
            )
        return pixels

    def _uncover(self, rect: Rect) -> None:
        """The first time that ours lie in `rect`: have the server keep what is beneath, and wait for it."""
        if self.grabber.redirected:
            return
        ours = [layer for layer in self.scene.known_own_layers() if not layer.rect.intersect(rect).empty]
        if ours and self._redirect():
            foreign = [layer for layer in self.scene.layers() if not layer.own]
            beneath = _bounds([layer.rect.intersect(rect) for layer in ours])
            self._repainting.wait(beneath, foreign, REPAINT_TIMEOUT_S)

    def _redirect(self) -> bool:
        """Have the server keep every window's picture from now on; whether that is new."""
        if self.grabber.redirected or not self.grabber.can_uncover:
            return False
        layers = self.scene.layers()
        covered: dict[int, Rect] = {}
        for number, layer in enumerate(layers):
            hidden = [layer.rect.intersect(above.rect) for above in layers[number + 1 :]]
            hidden = [part.moved(-layer.rect.x, -layer.rect.y) for part in hidden if not part.empty]
            if hidden and not layer.own and not self.grabber.keeps(layer.layer_id):
                covered[layer.layer_id] = _bounds(hidden)
        self._repainting.watch(covered)
        return self.grabber.redirect()

    def _fill_beneath(self, canvas: Canvas, part: Rect, layers: Sequence[Layer]) -> bool:
        """Paint what lies beneath our windows in `part`; False where a window changed meanwhile."""
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


def _inside(part: Rect, whole: Rect) -> bool:
    return part.intersect(whole) == part


def _bounds(parts: Sequence[Rect]) -> Rect:
    left, top = min(part.x for part in parts), min(part.y for part in parts)
    return Rect(left, top, max(part.right for part in parts) - left, max(part.bottom for part in parts) - top)
