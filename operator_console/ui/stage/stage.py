"""The preview: the target's picture with its marks, a step's before and after, or a hint if there is no target."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QCursor, QFont, QHelpEvent, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolTip, QWidget

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect, Size
from operator_console.engine.action_wording import cut, shown_lines
from operator_console.ui.stage.element_outlines import ElementOutline, ElementOutlines, paint_outlines
from operator_console.ui.stage.fit import Fit
from operator_console.ui.stage.paint_marks import Look, paint_overlay
from operator_console.ui.stage.paint_numbers import paint_numbers
from operator_console.ui.stage.plan_marks import Mark, MarkStage, Numbers
from operator_console.ui.stage.scaled_picture import Small, changed_part
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.widgets.controls import GRID, button, column, label
from operator_console.ui.widgets.frame_image import image_of


class EmptyStage(QFrame):
    """A small card in the middle of the stage, shown when there is nothing to preview.

    Signals:
        acted: its button was pressed (no payload).
    """

    acted = Signal()

    def __init__(self, stage: QWidget) -> None:
        super().__init__(stage)
        self.setProperty("role", "sheet")
        self.setMaximumWidth(420)
        self._stage = stage
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        self._title = label(role="title", wrap=True)
        self._text = label(wrap=True)
        self.act = button("")
        rows.addWidget(self._title)
        rows.addWidget(self._text)
        rows.addWidget(self.act, 0, Qt.AlignmentFlag.AlignLeft)
        self.act.clicked.connect(self._clicked)
        stage.installEventFilter(self)
        self.hide()

    def say(self, title: str, text: str = "", act: str = "") -> None:
        """Show a message; an empty title hides the card."""
        self.setVisible(bool(title))
        if not title:
            return
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.act.setText(act)
        self.act.setAccessibleName(act)
        self.act.setVisible(bool(act))
        self._centre()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the stage."""
        if event.type() is QEvent.Type.Resize:
            self._centre()
        return super().eventFilter(watched, event)

    def _centre(self) -> None:
        stage = self._stage
        width = min(420, stage.width() - 32)
        layout = self.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else self.sizeHint().height()
        self.setGeometry((stage.width() - width) // 2, max(0, (stage.height() - height) // 2), width, height)

    def _clicked(self) -> None:
        self.acted.emit()


FADE_S = 0.6
TICK_MS = 33
LARGEST_ZOOM = 2.0


class Stage(QWidget):
    """The preview widget.

    Signals:
        zoomed: the zoom changed; carries device pixels per native pixel (float).
        picked: the picture was clicked while picking is on; carries the NativePoint.
    """

    zoomed = Signal(object)
    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self.setAccessibleName("Live preview")
        self.setAccessibleDescription("The picture of the target, with the places of the next actions")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._monotonic = monotonic
        self._tokens = LIGHT
        self._live: tuple[Frame, QImage] | None = None
        self._still: tuple[QImage, Size] | None = None
        self._marks: tuple[Mark, ...] = ()
        self._numbers: Numbers | None = None
        self._elements: ElementOutlines | None = None
        self._pointed: ElementOutline | None = None
        self._begun: dict[str, float] = {}
        self._done: dict[str, float] = {}
        self._reduced = False
        self._picking = False
        self._corner = True
        self._zoom = 0.0
        self._small_live, self._small_still = Small(), Small()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens
        self.update()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Disable fading marks and closing rings."""
        self._reduced = reduced

    def show_frame(self, frame: Frame | None) -> None:
        """Show the newest live frame; None clears the live picture."""
        same = frame is not None and self._live is not None and self._live[0].frame_id == frame.frame_id
        if same:
            return
        box = self._changed_since(frame)
        self._live = (frame, image_of(frame)) if frame is not None else None
        self._small_live.changed(box)
        self._announce()
        fit = self.fit
        if box is None or fit is None or self._still is not None:
            self.update()
        elif not box.empty:
            self.update(self._logical_area(fit, changed_part(fit, box)))

    def _changed_since(self, frame: Frame | None) -> Rect | None:
        """Where the next frame differs from the one shown (native pixels); None: anywhere."""
        if frame is None or frame.change is None or self._live is None:
            return None
        return frame.change.box if frame.change.since == self._live[0].frame_id else None

    def _logical_area(self, fit: Fit, part: QRect) -> QRect:
        """The area to repaint, in logical pixels."""
        ratio = self.devicePixelRatioF()
        left, top = math.floor((fit.x + part.left()) / ratio), math.floor((fit.y + part.top()) / ratio)
        right = math.ceil((fit.x + part.left() + part.width()) / ratio)
        return QRect(left, top, right - left, math.ceil((fit.y + part.top() + part.height()) / ratio) - top)

    def show_still(self, image: QImage | None, native: Size | None = None) -> None:
        """Show a step's picture instead of live (None: live again); `native` is the size that marks refer to."""
        if image is None or self._still is None or image.cacheKey() != self._still[0].cacheKey():
            self._small_still.changed(None)
        self._still = (image, native or Size(image.width(), image.height())) if image is not None else None
        self._announce()
        self.update()

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        """Set the marks drawn over the picture."""
        if marks == self._marks:
            return
        now = self._monotonic()
        keys = {mark.key for mark in marks}
        self._begun = {key: when for key, when in self._begun.items() if key in keys}
        self._done = {key: when for key, when in self._done.items() if key in keys}
        for mark in marks:
            if mark.lead_s:
                self._begun.setdefault(mark.key, now)
            if mark.stage is MarkStage.DONE:
                self._done.setdefault(mark.key, now)
        self._marks = marks
        if self._moving():
            self._timer.start()
        self.update()

    def show_numbers(self, numbers: Numbers | None) -> None:
        """Set the numbered boxes that the model was shown, drawn over the picture; None: none."""
        if numbers != self._numbers:
            self._numbers = numbers
            self.update()

    def show_elements(self, elements: ElementOutlines | None) -> None:
        """Outline the known elements over the live picture; None: no more. The one under the pointer has its name."""
        self._elements = elements
        self.setMouseTracking(elements is not None)
        self._point_at(self.mapFromGlobal(QCursor.pos()))
        self.update()

    def set_corner(self, corner: bool) -> None:
        """Set whether a corner shows the live picture while a past step is shown."""
        self._corner = corner
        self.update()

    def set_picking(self, picking: bool) -> None:
        """Set whether a click picks a point (while an action is edited)."""
        self._picking = picking
        self.setCursor(Qt.CursorShape.CrossCursor if picking else Qt.CursorShape.ArrowCursor)

    @property
    def fit(self) -> Fit | None:
        """Where the picture is placed now, in device pixels of this widget."""
        if self._still is not None:
            native = self._still[1]
        elif self._live is not None:
            native = self._live[0].geometry.native
        else:
            return None
        ratio = self.devicePixelRatioF()
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        return Fit.within(native, width, height, margin=round(10 * ratio), largest=LARGEST_ZOOM)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, the overlay and the live corner."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._tokens.stage))
        fit = self.fit
        if fit is not None:
            ratio = self.devicePixelRatioF()
            painter.scale(1 / ratio, 1 / ratio)
            self._paint_picture(painter, fit)
            look = self._look(ratio)
            if self._elements is not None and self._still is None:
                paint_outlines(painter, fit, self._elements, self._pointed, scale=ratio, font=look.font)
            if self._numbers is not None and self._numbers.native == fit.native:
                paint_numbers(painter, fit, self._numbers.marks, scale=ratio, font=look.font)
            paint_overlay(painter, fit, self._marks, look)
            if self._still is not None and self._corner:
                self._paint_corner(painter, ratio)
            painter.resetTransform()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.hasFocus():
            painter.setPen(QPen(QColor("#7ea6ff"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def resizeEvent(self, _event: object) -> None:
        """Update the zoom for the new size."""
        self._announce()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick a point while picking is on."""
        fit = self.fit
        if not self._picking or fit is None or event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        ratio = self.devicePixelRatioF()
        point = fit.to_native(event.position().x() * ratio, event.position().y() * ratio)
        if point is not None:
            self.picked.emit(point)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Name the element under the pointer."""
        super().mouseMoveEvent(event)
        self._point_at(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        """Name no element."""
        super().leaveEvent(event)
        self._point_at(QPoint(-1, -1))

    def _point_at(self, at: QPoint) -> None:
        fit, ratio, shown = self.fit, self.devicePixelRatioF(), self._elements
        point = fit.to_native(at.x() * ratio, at.y() * ratio) if fit is not None else None
        fits = fit is not None and shown is not None and shown.native == fit.native
        pointed = shown.at(point) if fits and shown is not None and point is not None else None
        if pointed != self._pointed:
            self._pointed = pointed
            self.update()

    def event(self, event: QEvent) -> bool:
        """Show the full text of a mark as a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            mark = self._mark_at(event.pos())
            if mark is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), shown_lines(cut(mark.text or mark.label, 5_000)), self)
            return True
        return super().event(event)

    def _mark_at(self, at: QPoint) -> Mark | None:
        fit, ratio = self.fit, self.devicePixelRatioF()
        if fit is None:
            return None
        for mark in reversed(self._marks):
            for place in map(fit.to_device, mark.points):
                if abs(place.x / ratio - at.x()) <= 20 and abs(place.y / ratio - at.y()) <= 20:
                    return mark
        return None

    def _paint_picture(self, painter: QPainter, fit: Fit) -> None:
        image = self._still[0] if self._still is not None else self._live[1] if self._live is not None else None
        if image is None:
            return
        small = self._small_live if self._still is None else self._small_still
        if fit.zoom < 1.0:
            painter.drawImage(fit.x, fit.y, small.picture(image, fit))
            return
        small.forget()
        # At whole multiples without smoothing, so that each pixel stays sharp.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(QRect(fit.x, fit.y, fit.width, fit.height), image)

    def _paint_corner(self, painter: QPainter, ratio: float) -> None:
        if self._live is None:
            return
        frame, image = self._live
        width = round(min(220 * ratio, self.width() * ratio * 0.3))
        height = max(1, round(width * frame.geometry.native.height / frame.geometry.native.width))
        x = round(self.width() * ratio) - width - round(16 * ratio)
        y = round(self.height() * ratio) - height - round(16 * ratio)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setPen(QPen(QColor("#ffffff"), 2 * ratio))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(x, y, width, height))
        painter.drawImage(QRect(x, y, width, height), image)
        font = QFont(self.font())
        font.setPixelSize(round(12 * ratio))
        painter.setFont(font)
        tag = QRectF(x, y, 44 * ratio, 20 * ratio)
        painter.fillRect(tag, QColor(self._tokens.stage_bar))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, "Live")

    def _look(self, ratio: float) -> Look:
        font = QFont(self.font())
        font.setPixelSize(round(12 * ratio))
        return Look(scale=ratio, font=font, lead=self._lead, opacity=self._opacity)

    def _lead(self, mark: Mark) -> float | None:
        if not mark.lead_s or mark.key not in self._begun:
            return None
        return 1.0 if self._reduced else min(1.0, (self._monotonic() - self._begun[mark.key]) / mark.lead_s)

    def _opacity(self, mark: Mark) -> float:
        if mark.stage is not MarkStage.DONE:
            return 1.0
        if self._reduced or self._still is not None:
            return 0.0 if self._still is None else 1.0
        return max(0.0, 1.0 - (self._monotonic() - self._done.get(mark.key, 0.0)) / FADE_S)

    def _moving(self) -> bool:
        if self._reduced:
            return False
        leading = any((progress := self._lead(mark)) is not None and progress < 1.0 for mark in self._marks)
        fading = any(mark.stage is MarkStage.DONE and self._opacity(mark) > 0.0 for mark in self._marks)
        return leading or (fading and self._still is None)

    def _tick(self) -> None:
        if not self._moving():
            self._timer.stop()
        self.update()

    def _announce(self) -> None:
        fit = self.fit
        zoom = fit.zoom if fit is not None else 0.0
        if zoom != self._zoom:
            self._zoom = zoom
            self.zoomed.emit(zoom)
