"""The frame of a session's target and the ring of its next action, drawn on the real desktop from a thread.

What is shown last wins. Each lies directly above the window that it belongs to, so that whatever covers the window
covers it too. Everything goes with the connection, and that with the process.
"""

from __future__ import annotations

import logging
import time

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.values import TargetDrawing, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.layers import WindowLayers
from operator_console.desktop.x11.outline import Overlay
from operator_console.domain.errors import ConsoleError
from operator_console.domain.geometry import ScreenPoint

GAP_S = 0.05
"""Least time between two drawings, in seconds: a live preview tells up to 60 times a second where the target is."""

_WAIT_S = 60.0
_log = logging.getLogger(__name__)


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
