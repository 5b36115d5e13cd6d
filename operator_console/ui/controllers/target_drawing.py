"""Draws the target of a running session, and where its next action will land, on the person's own desktop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from operator_console.domain.frames import Frame, TargetKind, target_window_id
from operator_console.domain.geometry import NativePoint
from operator_console.ui.backend import ConsoleBackend, TargetSketch
from operator_console.ui.bridge import Bridge
from operator_console.ui.preview.plan_marks import Mark, MarkStage
from operator_console.ui.theme_colours import LIGHT, risk_token
from operator_console.ui.view.session_view import Phase, SessionView

_DRAWN = frozenset((TargetKind.MONITOR, TargetKind.WINDOW, TargetKind.VM))


class TargetDrawingController(QObject):
    """Follows the session by `show`, and the target's place by the live frames."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge) -> None:
        super().__init__()
        self._backend = backend
        self._on = False
        self._next: tuple[NativePoint, str] | None = None
        self._last: Frame | None = None
        bridge.looked.connect(self._looked)

    def show(self, view: SessionView, marks: Sequence[Mark], live: Frame | None, *, wanted: bool) -> None:
        """The window is rendered.

        Args:
            view: the session.
            marks: those on the preview.
            live: the last live frame; None if the target cannot be seen.
            wanted: whether the settings, and the stop, allow it.
        """
        self._on = wanted and live is not None and view.phase.active and view.phase is not Phase.HANDED_OVER
        upcoming = (mark for mark in marks if mark.stage is MarkStage.NEXT and mark.points)
        self._next = next(((mark.points[0], risk_token(LIGHT, mark.risk)) for mark in upcoming), None)
        self._last = live
        self._draw()

    def hide(self) -> None:
        """Draw nothing any more."""
        self._on = False
        self._draw()

    def _looked(self, frame: Frame) -> None:
        if self._on:
            self._last = frame
            self._draw()

    def _draw(self) -> None:
        frame = self._last
        if not self._on or frame is None or frame.target.kind not in _DRAWN:
            self._backend.draw_target(None)
            return
        ring, colour = self._next or (None, "#000000")
        self._backend.draw_target(
            TargetSketch(
                rect=frame.geometry.rect,
                window_id=target_window_id(frame.target) if frame.target.kind is TargetKind.WINDOW else None,
                ring=frame.geometry.to_screen(ring) if ring is not None and frame.geometry.contains(ring) else None,
                ring_colour=int(colour.removeprefix("#"), 16),
            )
        )
