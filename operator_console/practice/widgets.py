"""Colours and the two widgets of the practice window that Qt lacks: a slider with words and a canvas."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from operator_console.practice.event_log import Drawn

BACKGROUND = "#f4f5f7"
PANEL = "#ffffff"
LINE = "#dde1e6"
TEXT = "#1b1f24"
SECONDARY = "#59626e"
ACCENT = "#2456c7"
OK = "#1a7f4b"

STYLE = f"""
QWidget {{ color: {TEXT}; font-size: 14px; }}
#window {{ background: {BACKGROUND}; }}
#title {{ font-size: 20px; font-weight: 600; }}
#about, #status {{ color: {SECONDARY}; }}
#status[saved="true"] {{ color: {OK}; }}
#heading {{ font-weight: 600; }}
WordSlider > #caption {{ color: {SECONDARY}; }}
QLineEdit, QPlainTextEdit, QListWidget {{
    background: {PANEL}; border: 1px solid #b6bec8; border-radius: 6px; padding: 6px 8px;
    selection-background-color: {ACCENT}; selection-color: #ffffff;
}}
QListWidget {{ padding: 4px; }}
QListWidget::item {{ padding: 4px 6px; border-radius: 4px; color: {TEXT}; }}
QListWidget::item:selected {{ background: {ACCENT}; color: #ffffff; }}
QLineEdit:focus, QPlainTextEdit:focus, QListWidget:focus {{ border: 1px solid {ACCENT}; }}
QPushButton {{
    background: {PANEL}; border: 1px solid #b6bec8; border-radius: 6px; padding: 7px 18px; min-width: 56px;
}}
QPushButton:hover {{ border-color: {ACCENT}; }}
QPushButton:focus {{ border: 1px solid {ACCENT}; }}
QPushButton:pressed {{ background: #e8ecf3; }}
QPushButton#save {{ background: {ACCENT}; border-color: {ACCENT}; color: #ffffff; font-weight: 600; }}
QPushButton#save:pressed {{ background: #1b449f; }}
"""


_SLIDER_MARGIN = 28
_GROOVE_Y = 14
_HANDLE = 9
_NEAR = 36
_INK_WIDTH = 2.5


class WordSlider(QWidget):
    """A slider from 0 to 100 with a label at each end; a drag may start and end on the labels.

    Signals:
        released: object, the value (int), after the pointer was released or a key changed it.
    """

    released = Signal(object)

    def __init__(self, low: str, high: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = (_caption(low, self), _caption(high, self))
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
            self._move_to(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._move_to(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._dragging = False
            self._move_to(event)
            self.released.emit(self.value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -5, Qt.Key.Key_Right: 5}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._set(self.value + step)
        self.released.emit(self.value)

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        for centre, label in zip((_SLIDER_MARGIN, self.width() - _SLIDER_MARGIN), self._labels, strict=True):
            _place(label, QPoint(centre, 35))

    def _move_to(self, event: QMouseEvent) -> None:
        span = max(1, self.width() - 2 * _SLIDER_MARGIN)
        self._set(round(100 * (event.position().x() - _SLIDER_MARGIN) / span))

    def _set(self, value: int) -> None:
        self.value = min(100, max(0, value))
        self.update()


class Canvas(QWidget):
    """An area to draw on, with labels at which strokes may start and end.

    Signals:
        drawn: object, the finished stroke (`log.Drawn`).
    """

    drawn = Signal(object)

    def __init__(self, labels: dict[str, tuple[float, float]], parent: QWidget | None = None) -> None:
        """`labels` maps each label to its centre, as fractions of the width and height."""
        super().__init__(parent)
        self._labels = {text: (_caption(text, self), place) for text, place in labels.items()}
        self._strokes: list[list[QPoint]] = []
        self._drawing = False
        self.setCursor(Qt.CursorShape.CrossCursor)

    @property
    def strokes(self) -> int:
        """The number of strokes."""
        return len(self._strokes)

    def clear(self) -> None:
        """Delete all strokes."""
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
        self.drawn.emit(Drawn(points=points, start=self._label_near(stroke[0]), end=self._label_near(stroke[-1])))
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        for text, (label, _) in self._labels.items():
            _place(label, self._position(text))

    def _position(self, label: str) -> QPoint:
        _, (across, down) = self._labels[label]
        return QPoint(round(across * self.width()), round(down * self.height()))

    def _label_near(self, point: QPoint) -> str:
        for label in self._labels:
            if (self._position(label) - point).manhattanLength() <= _NEAR:
                return label
        return ""


def _caption(text: str, parent: QWidget) -> QLabel:
    """A text on a widget of ours that accessibility can see and the pointer passes through."""
    label = QLabel(text, parent)
    label.setObjectName("caption")
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return label


def _place(label: QLabel, centre: QPoint) -> None:
    label.adjustSize()
    label.move(centre.x() - label.width() // 2, centre.y() - label.height() // 2)
