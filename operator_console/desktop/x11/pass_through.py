"""Lets input through our own windows for a moment: their Input shape is emptied, then made whole again.

Set on the children of the root (the window manager's frames, and our menus, which manage themselves), because that is
what the server looks at. Called by computers/ around one input. Sends no input.
"""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.scene import Layer

_SET = 0
_INPUT = 2
_UNSORTED = 0
_NO_PIXMAP = 0


class PassThrough:
    """Which layers let input through now. Restored at `close`, and by the server's own hand when our windows go."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._shape = display.extension("shape")
        self._open: set[int] = set()

    @property
    def possible(self) -> bool:
        """Whether the server can do this (it has SHAPE)."""
        return self._shape is not None

    def open(self, layers: Sequence[Layer]) -> None:
        """Let input through these. Returns when the server does so."""
        if self._shape is None:
            return
        for layer in layers:
            self._shape.Rectangles(_SET, _INPUT, _UNSORTED, layer.layer_id, 0, 0, 0, [])
            self._open.add(layer.layer_id)
        self._display.sync()

    def restore(self) -> None:
        """Take input again, everywhere."""
        if self._shape is None or not self._open:
            return
        for layer_id in self._open:
            self._shape.Mask(_SET, _INPUT, layer_id, 0, 0, _NO_PIXMAP)
        self._open.clear()
        self._display.sync()
