"""The two widgets of the practice window that Qt does not have: a slider with words on it, and a canvas.

They report with Signal(object) and know nothing of the log. Called by `window`.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from operator_console.practice.log import Drawn
from operator_console.practice.looks import ACCENT, LINE, PANEL, SECONDARY, TEXT

_SLIDER_MARGIN = 28
_GROOVE_Y = 14
_HANDLE = 9
_NEAR = 36
_INK_WIDTH = 2.5


class WordSlider(QWidget):
    """A slider from 0 to 100 whose ends carry words; the words belong to it and can be dragged from and to.

    Signals:
        let_go: object, the value (int), when the pointer or a key has set it.
    """

    let_go = Signal(object)

    def __init__(self, low: str, high: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = (low, high)
        self._dragging = False
        self.value = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(320, 44)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 44)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragging = True
            self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._dragging = False
            self._follow(event)
            self.let_go.emit(self.value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -5, Qt.Key.Key_Right: 5}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._set(self.value + step)
        self.let_go.emit(self.value)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        span = self.width() - 2 * _SLIDER_MARGIN
        x = _SLIDER_MARGIN + span * self.value / 100
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(LINE))
        painter.drawRoundedRect(QRectF(_SLIDER_MARGIN, _GROOVE_Y - 2, span, 4), 2, 2)
        painter.setBrush(QColor(ACCENT))
        painter.drawRoundedRect(QRectF(_SLIDER_MARGIN, _GROOVE_Y - 2, x - _SLIDER_MARGIN, 4), 2, 2)
        painter.setPen(QPen(QColor(ACCENT), 3 if self.hasFocus() else 2))
        painter.setBrush(QColor(PANEL))
        painter.drawEllipse(QPointF(x, _GROOVE_Y), _HANDLE, _HANDLE)
        painter.setPen(QColor(SECONDARY))
        for centre, word in zip((_SLIDER_MARGIN, self.width() - _SLIDER_MARGIN), self._words, strict=True):
            painter.drawText(QRectF(centre - 60, 26, 120, 18), Qt.AlignmentFlag.AlignCenter, word)

    def _follow(self, event: QMouseEvent) -> None:
        span = max(1, self.width() - 2 * _SLIDER_MARGIN)
        self._set(round(100 * (event.position().x() - _SLIDER_MARGIN) / span))

    def _set(self, value: int) -> None:
        self.value = min(100, max(0, value))
        self.update()


class Canvas(QWidget):
    """A place to draw on, with words at which strokes may begin and end.

    Signals:
        drawn: object, the finished stroke (`log.Drawn`).
    """

    drawn = Signal(object)

    def __init__(self, words: dict[str, tuple[float, float]], parent: QWidget | None = None) -> None:
        """`words`: where each word stands, as fractions of the width and height."""
        super().__init__(parent)
        self._words = words
        self._strokes: list[list[QPoint]] = []
        self._drawing = False
        self.setCursor(Qt.CursorShape.CrossCursor)

    @property
    def strokes(self) -> int:
        """How many strokes there are."""
        return len(self._strokes)

    def clear(self) -> None:
        """Wipe it."""
        self._strokes.clear()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, 150)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drawing = True
            self._strokes.append([event.position().toPoint()])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drawing:
            self._strokes[-1].append(event.position().toPoint())
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._drawing or event.button() != Qt.MouseButton.LeftButton:
            return
        self._drawing = False
        stroke = [*self._strokes[-1], event.position().toPoint()]
        points = tuple((point.x(), point.y()) for point in stroke)
        self.drawn.emit(Drawn(points=points, start=self._word_near(stroke[0]), end=self._word_near(stroke[-1])))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(LINE), 1))
        painter.setBrush(QColor(PANEL))
        painter.drawRoundedRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1), 6, 6)
        painter.setPen(QPen(QColor(ACCENT), _INK_WIDTH, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        for stroke in self._strokes:
            painter.drawPolyline(stroke)
        painter.setPen(QColor(TEXT))
        for word in self._words:
            centre = self._place(word)
            painter.drawText(QRectF(centre.x() - 60, centre.y() - 12, 120, 24), Qt.AlignmentFlag.AlignCenter, word)

    def _place(self, word: str) -> QPoint:
        across, down = self._words[word]
        return QPoint(round(across * self.width()), round(down * self.height()))

    def _word_near(self, point: QPoint) -> str:
        for word in self._words:
            if (self._place(word) - point).manhattanLength() <= _NEAR:
                return word
        return ""
