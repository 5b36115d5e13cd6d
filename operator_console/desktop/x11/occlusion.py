"""Is something of another program's lying over a window of ours? Asked by the question dialog before it may be allowed.

Called by app for the window, on the window's thread. Sends nothing.
"""

from __future__ import annotations

from operator_console.desktop.own import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.desktop.x11.scene import Scene


class Occlusion:
    """Looks at one display's stacking order; one connection for its life."""

    def __init__(self, own: OwnWindows, display_name: str) -> None:
        """Raises ComputerUnavailable, OperatorError where the display cannot be asked."""
        self._display = open_display(display_name)
        self._scene = Scene(self._display, own)

    def covered(self, window_id: int) -> bool:
        """Whether a foreign window lies over any part of the layer that holds our window; True where not shown."""
        layers = self._scene.layers()
        for place, layer in enumerate(layers):
            if window_id in (layer.client, layer.layer_id):
                above = layers[place + 1 :]
                return any(
                    not other.own and not part.intersect(layer.rect).empty for other in above for part in other.parts
                )
        return True

    def close(self) -> None:
        """Let go of the connection."""
        self._scene.close()
        self._display.close()
