"""The time of a step as a bar of its parts, with the words for them below."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from operator_console.domain.translations import _
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.view.step_facts import TimePart, time_part_words

BAR = 8


class TimeBar(QWidget):
    """The parts of a step's time; the legend wraps."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[tuple[TimePart, float], ...] = ()
        self._tokens = LIGHT
        self.setAccessibleName(_("Times"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens
        self.update()

    def show_parts(self, parts: tuple[tuple[TimePart, float], ...]) -> None:
        """Show each part with its seconds."""
        self._parts = parts
        self.setAccessibleDescription(", ".join(time_part_words(*each) for each in parts))
        self.setVisible(bool(parts))
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the legend needs at this width."""
        return QSize(200, self._places()[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The legend wraps anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._places()[1])

    def _places(self) -> tuple[list[tuple[int, int]], int]:
        """Where each part of the legend begins, and the height of all."""
        metrics = QFontMetrics(self.font())
        places: list[tuple[int, int]] = []
        x, y = 0, BAR + 6
        for each in self._parts:
            width = metrics.horizontalAdvance(time_part_words(*each)) + 30
            if x and x + width > self.width():
                x, y = 0, y + metrics.height() + 2
            places.append((x, y))
            x += width
        return places, y + metrics.height() + 2

    def _colour(self, part: TimePart) -> QColor:
        tokens = self._tokens
        return QColor({
            TimePart.THINKING: tokens.accent, TimePart.CHECKS: tokens.secondary, TimePart.YOU: tokens.warn,
            TimePart.PAUSED: tokens.line_strong, TimePart.ACTING: tokens.ok, TimePart.SETTLING: tokens.risk_critical,
        }[part])  # fmt: skip

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint bar and legend."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        total = sum(value for _, value in self._parts) or 1.0
        gap, least = 2.0, 3.0
        room = self.width() - gap * (len(self._parts) - 1) - least * len(self._parts)
        metrics, x = QFontMetrics(self.font()), 0.0
        places, _ = self._places()
        for (part, value), (left, top) in zip(self._parts, places, strict=True):
            width = least + room * value / total
            painter.setPen(QColor(0, 0, 0, 0))
            painter.setBrush(self._colour(part))
            painter.drawRoundedRect(QRectF(x, 0, width, BAR), 2, 2)
            painter.drawRoundedRect(QRectF(left, top + metrics.height() / 2 - 4, 8, 8), 2, 2)
            painter.setPen(QColor(self._tokens.text))
            painter.drawText(left + 13, top + metrics.ascent(), time_part_words(part, value))
            x += width + gap
        painter.end()
