"""The zoom of the preview's picture, and how wheel, touchpad, pointer and keys change it.

The wheel zooms about the pointer, as in other viewers of pictures; two fingers on a touchpad move the picture, and
with Ctrl, or pinched, they zoom. Placing and arithmetic are done by `viewpoint` and `fit`.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QInputDevice, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from operator_console.domain.geometry import NativePoint, Size
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.viewpoint import (
    ACTUAL_SIZE,
    Viewpoint,
    ZoomStep,
    nearest_scale,
    next_scale,
    zoomed,
)

LARGEST_FIT = 2.0
"""A fitted picture is enlarged at most so many times."""
MARGIN = 10
"""Around the picture, in logical pixels."""
NOTCH = 120
"""Of a wheel, in Qt's eighths of a degree."""
ARROW, PAGE = 64, 0.9
"""How far a key moves the picture: in logical pixels, and as a part of the preview."""
_CLEAR = 80  # logical pixels between the edge and a point that is brought into sight
_SAME = 1e-3  # of a scale
LEAST_FREE = 160
"""In logical pixels: the picture goes under what covers the preview where less than this would be left of it."""

_ARROWS = {
    Qt.Key.Key_Left: (1, 0), Qt.Key.Key_Right: (-1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1),
}  # fmt: skip
_PAGES = {
    Qt.Key.Key_PageUp: (0, 1), Qt.Key.Key_PageDown: (0, -1), Qt.Key.Key_Home: (1, 0), Qt.Key.Key_End: (-1, 0),
}  # fmt: skip


class PanAndZoom(QObject):
    """The zoom and the shown part of one widget's picture.

    Signals:
        changed: the picture is placed anew (no payload).
    """

    changed = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._native: Size | None = None
        self._covered = 0
        self._chosen: tuple[Size, Viewpoint] | None = None
        self._placed: tuple[object, Fit] | None = None
        self._turned = 0.0
        self._pinch: tuple[float, float] | None = None
        self._grip: tuple[QPointF, Fit] | None = None

    # state

    def show(self, native: Size | None) -> None:
        """Set the size of the picture. A picture of another size is fitted, and the former one's zoom is kept."""
        self._native = native

    def set_covered(self, width: int) -> None:
        """Place the picture beside the right part that another widget covers, so wide in logical pixels."""
        if width != self._covered:
            self._covered = width
            self.changed.emit()

    def moved(self, native: Size, dx: int, dy: int) -> None:
        """The same target has another size now, and its picture begins `dx`, `dy` native pixels further on."""
        if self._chosen is not None:
            view = self._chosen[1]
            self._chosen = (native, Viewpoint(scale=view.scale, x=view.x - dx, y=view.y - dy))

    def forget(self) -> None:
        """Fit again: the target is another one."""
        self._chosen = None

    def room(self) -> QSize:
        """The part of the widget in which the picture is placed, from its left edge, in logical pixels."""
        whole = self._widget.size()
        free = whole.width() - self._covered
        return QSize(free, whole.height()) if free >= LEAST_FREE else whole

    @property
    def fitted(self) -> bool:
        """Whether the picture is fitted to the preview."""
        return self._view is None

    @property
    def pannable(self) -> bool:
        """Whether the picture is larger than the preview."""
        fit, room = self.fit, self._room
        return fit is not None and (fit.width > room.width or fit.height > room.height)

    @property
    def panning(self) -> bool:
        """Whether the pointer drags the picture now."""
        return self._grip is not None

    @property
    def fit(self) -> Fit | None:
        """Where the picture is placed, in device pixels; None without one."""
        if self._native is None:
            return None
        key = (self._native, self._room, self._ratio, self._chosen)
        if self._placed is None or self._placed[0] != key:  # it is asked for several times at each frame
            view = self._view
            made = view.fit(self._native, self._room, margin=self._margin) if view else self._fitted(self._native)
            self._placed = (key, made)
        return self._placed[1]

    @property
    def _view(self) -> Viewpoint | None:
        return self._chosen[1] if self._chosen is not None and self._chosen[0] == self._native else None

    @property
    def _ratio(self) -> float:
        return self._widget.devicePixelRatioF()

    @property
    def _room(self) -> Size:
        room = self.room()
        return Size(round(room.width() * self._ratio), round(room.height() * self._ratio))

    @property
    def _margin(self) -> int:
        return round(MARGIN * self._ratio)

    def _fitted(self, native: Size) -> Fit:
        return Fit.within(native, self._room.width, self._room.height, margin=self._margin, largest=LARGEST_FIT)

    # commands

    def step(self, step: ZoomStep, about: NativePoint | None = None) -> None:
        """Zoom by a step: about a point of the picture if it is in sight, else about the middle of the preview.

        Actual size brings the point to the middle.
        """
        fit, room = self.fit, self._room
        if fit is None:
            return
        at = (room.width / 2, room.height / 2)
        if about is not None:
            device = fit.to_device(about)
            if 0 <= device.x < room.width and 0 <= device.y < room.height:
                at = (device.x, device.y)
        match step:
            case ZoomStep.FIT:
                self._choose(None)
            case ZoomStep.ACTUAL:
                self._choose(self._around(about, ACTUAL_SIZE) or zoomed(fit, ACTUAL_SIZE, at, room))
            case ZoomStep.IN:
                self._zoom(next_scale(fit.zoom, 1), at)
            case ZoomStep.OUT:
                self._zoom(next_scale(fit.zoom, -1), at)

    def set_scale(self, scale: float, about: NativePoint | None = None) -> None:
        """Show the picture at a scale, in device pixels per native pixel."""
        fit, room = self.fit, self._room
        if fit is not None:
            self._choose(self._around(about, scale) or zoomed(fit, scale, (room.width / 2, room.height / 2), room))

    def reveal(self, point: NativePoint) -> None:
        """Move the picture as little as needed to show a point."""
        fit, view = self.fit, self._view
        if fit is not None and view is not None:
            self._choose(view.revealing(fit, self._room, point, clear=_CLEAR * self._ratio))

    def _around(self, point: NativePoint | None, scale: float) -> Viewpoint | None:
        return Viewpoint(scale=scale, x=point.x + 0.5, y=point.y + 0.5) if point is not None else None

    def _zoom(self, scale: float, at: tuple[float, float]) -> None:
        """Zoom about a device position, not smaller than the picture fits; there it is fitted again."""
        fit = self.fit
        if fit is None or self._native is None:
            return
        whole = self._fitted(self._native).zoom
        if scale < ACTUAL_SIZE * (1 - _SAME) and scale < whole * (1 + _SAME):
            scale = min(whole, ACTUAL_SIZE)
        if abs(scale - whole) <= _SAME * whole:
            self._choose(None)
        else:
            self._choose(zoomed(fit, scale, at, self._room))

    def _choose(self, view: Viewpoint | None) -> None:
        if self._native is None:
            return
        if view is not None:  # what is beyond an edge is not kept: the way back would seem to do nothing
            view = Viewpoint.of(view.fit(self._native, self._room, margin=self._margin), self._room, view.scale)
        if view != self._view:
            self._chosen = (self._native, view) if view is not None else None
            self.changed.emit()

    def _pan(self, across: float, down: float) -> bool:
        """Move the picture by device pixels; False if it is shown whole."""
        fit, view = self.fit, self._view
        if fit is None or view is None or not self.pannable:
            return False
        self._choose(view.panned(fit, self._room, across, down))
        return True

    # events; each returns whether it was for the zoom

    def wheel(self, event: QWheelEvent) -> bool:
        """Zoom about the pointer, or move the picture with two fingers on a touchpad."""
        fit = self.fit
        if fit is None:
            return False
        modifiers, angle = event.modifiers(), event.angleDelta()
        if _from_touchpad(event) and not modifiers & Qt.KeyboardModifier.ControlModifier:
            moved = event.pixelDelta()
            if not moved.isNull():
                return self._pan(moved.x() * self._ratio, moved.y() * self._ratio)
            return self._pan(*(side * ARROW / NOTCH * self._ratio for side in (angle.x(), angle.y())))
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            return self._pan((angle.y() or angle.x()) * ARROW / NOTCH * self._ratio, 0)
        if angle.y() == 0:
            return self._pan(angle.x() * ARROW / NOTCH * self._ratio, 0)
        if self._turned * angle.y() < 0:
            self._turned = 0.0  # the wheel was turned back
        self._turned += angle.y()
        notches = int(self._turned / NOTCH)
        if notches:
            self._turned -= notches * NOTCH
            self._zoom(next_scale(fit.zoom, notches), self._device(event.position()))
        return True

    def gesture(self, event: QNativeGestureEvent) -> bool:
        """Zoom by pinching; a double tap with two fingers switches between fit and actual size."""
        fit, at = self.fit, self._device(event.position())
        if fit is None:
            return False
        match event.gestureType():
            case Qt.NativeGestureType.BeginNativeGesture:
                self._pinch = (fit.zoom, 1.0)
            case Qt.NativeGestureType.EndNativeGesture:
                self._pinch = None
            case Qt.NativeGestureType.ZoomNativeGesture:
                began, times = self._pinch or (fit.zoom, 1.0)
                self._pinch = (began, max(1e-3, times * (1 + event.value())))
                scale = nearest_scale(began * self._pinch[1])
                if scale != nearest_scale(fit.zoom):
                    self._zoom(scale, at)
            case Qt.NativeGestureType.SmartZoomNativeGesture:
                self._toggle(at)
            case _:
                return False
        return True

    def press(self, event: QMouseEvent) -> bool:
        """Take hold of the picture with the left or the middle button."""
        fit = self.fit
        if fit is None or event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return False
        if event.type() is QEvent.Type.MouseButtonDblClick and event.button() is Qt.MouseButton.LeftButton:
            self._toggle(self._device(event.position()))
            return True
        if not self.pannable:
            return False
        self._grip = (event.position(), fit)
        return True

    def move(self, event: QMouseEvent) -> bool:
        """Drag the picture."""
        view = self._view
        if self._grip is None or view is None:
            return False
        began, fit = self._grip
        away = event.position() - began
        self._choose(view.panned(fit, self._room, away.x() * self._ratio, away.y() * self._ratio))
        return True

    def release(self) -> bool:
        """Let go of the picture."""
        held, self._grip = self._grip is not None, None
        return held

    def dragged(self, event: QMouseEvent) -> bool:
        """Whether the pointer was moved so far since the press that it was no click."""
        if self._grip is None:
            return False
        away = event.position() - self._grip[0]
        return abs(away.x()) + abs(away.y()) >= QApplication.startDragDistance()

    def key(self, event: QKeyEvent) -> bool:
        """Move a picture that is larger than the preview."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        key, room = Qt.Key(event.key()), self._room
        if not plain:
            return False
        if key in _ARROWS:
            across, down = _ARROWS[key]
            return self._pan(across * ARROW * self._ratio, down * ARROW * self._ratio)
        if key in _PAGES:
            across, down = _PAGES[key]
            return self._pan(across * PAGE * room.width, down * PAGE * room.height)
        return False

    def _toggle(self, at: tuple[float, float]) -> None:
        """Between fit and actual size, about a device position."""
        fit = self.fit
        if fit is None:
            return
        if not self.fitted:
            self._choose(None)
        elif abs(fit.zoom - ACTUAL_SIZE) > _SAME:
            self._choose(zoomed(fit, ACTUAL_SIZE, at, self._room))

    def _device(self, at: QPointF) -> tuple[float, float]:
        return at.x() * self._ratio, at.y() * self._ratio


def _from_touchpad(event: QWheelEvent) -> bool:
    """Whether two fingers scroll. A wheel may send pixels, too, but turns by whole notches and in one direction."""
    if event.device().type() is QInputDevice.DeviceType.TouchPad:
        return True
    angle = event.angleDelta()
    notched = all(math.fmod(side, NOTCH) == 0 for side in (angle.x(), angle.y()))
    return event.phase() is not Qt.ScrollPhase.NoScrollPhase or (not event.pixelDelta().isNull() and not notched)
