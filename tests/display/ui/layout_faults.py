"""Finds cut, hidden and overlapping texts in a window, by each widget's needed size against its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from operator_console.ui.widgets.controls import ElidedCombo, ElidedLabel

SLACK = 1
"""Logical pixels by which a size may fall short: at a fractional scale Qt rounds sizes to device pixels."""


def layout_faults(window: QWidget) -> list[str]:
    """What a person could not read or reach in a window as it is now, a line each."""
    inside = filter(isValid, window.findChildren(QWidget))  # one that is being replaced may be gone
    shown = [widget for widget in inside if widget.isVisibleTo(window) and _belongs(widget, window)]
    found = [f"{_name(widget)}: {fault}" for widget in shown for fault in _faults(widget, window)]
    found += [f"{_name(push)}: off, and does not say why" for push in unexplained(shown)]
    return found + [f"{_name(one)} overlaps {_name(other)}" for one, other in _overlaps(shown)]


def unexplained(shown: Iterable[QWidget]) -> list[QPushButton]:
    """Buttons that are off by themselves, without a reason as tooltip and description."""
    pushes = [each for each in shown if isinstance(each, QPushButton) and not isinstance(each.window(), QFileDialog)]
    off = [push for push in pushes if push.testAttribute(Qt.WidgetAttribute.WA_ForceDisabled)]
    return [push for push in off if not (push.toolTip() and push.accessibleDescription())]


def _belongs(widget: QWidget, window: QWidget) -> bool:
    return widget.window() is window.window() and not isinstance(
        widget.parent(), QComboBox | QAbstractSpinBox | QLineEdit
    )


def _faults(widget: QWidget, window: QWidget) -> Iterator[str]:
    has = widget.size()
    if isinstance(widget, QLabel):
        yield from _label_faults(widget)
    elif isinstance(widget, QAbstractButton) and (widget.text() or isinstance(widget, QToolButton)):
        needs = widget.minimumSizeHint() if widget.minimumSizeHint().isValid() else widget.sizeHint()
        yield from _short(needs, has)
        if widget.hasHeightForWidth() and widget.heightForWidth(has.width()) > has.height() + SLACK:
            yield f"its lines need {widget.heightForWidth(has.width())} pixels, it has {has.height()}"
    elif isinstance(widget, QAbstractSpinBox | QComboBox | QLineEdit):
        yield from _field_faults(widget)
    elif isinstance(widget, QPlainTextEdit):
        yield from _placeholder_faults(widget)
    if isinstance(widget, QLabel | QAbstractButton | QAbstractSpinBox | QComboBox | QLineEdit) and not has.isEmpty():
        yield from _hidden(widget, window)


def _label_faults(label: QLabel) -> Iterator[str]:
    text, has = label.text(), label.size()
    if not text:
        return
    if isinstance(label, ElidedLabel):
        if text != label.whole and label.whole not in label.toolTip():
            yield "elided, and no tooltip holds the whole text"
        if has.width() < min(label.fontMetrics().horizontalAdvance("WWW…"), label.sizeHint().width()):
            yield f"elided to {has.width()} pixels: {label.whole!r}"
        if label.sizeHint().height() > has.height() + SLACK:
            yield f"{label.sizeHint().height()} pixels high, has {has.height()}"
    elif label.wordWrap():
        if label.heightForWidth(has.width()) > has.height() + SLACK:
            yield f"its lines need {label.heightForWidth(has.width())} pixels, it has {has.height()}: {text[:60]!r}"
        room = label.contentsRect().width()
        if any(
            label.fontMetrics().horizontalAdvance(word) > room + SLACK for word in text.replace("\u200b", " ").split()
        ):
            yield f"a word is wider than {room} pixels: {text[:60]!r}"
    else:
        yield from _short(label.sizeHint(), has)


def _field_faults(field: QAbstractSpinBox | QComboBox | QLineEdit) -> Iterator[str]:
    has, metrics = field.size(), field.fontMetrics()
    if metrics.height() > has.height() - 2:
        yield f"{has.height()} pixels for text of {metrics.height()}"
    if isinstance(field, QAbstractSpinBox):
        line = field.lineEdit()
        margins = line.textMargins().left() + line.textMargins().right()
        if metrics.horizontalAdvance(field.text()) > line.width() - margins - 2:
            yield f"{field.text()!r} needs {metrics.horizontalAdvance(field.text())} of {line.width() - margins} pixels"
    elif isinstance(field, QComboBox):
        cut = metrics.horizontalAdvance(field.currentText()) > has.width() - 40
        if cut and not (isinstance(field, ElidedCombo) and field.toolTip()):
            yield f"cut without a tooltip: {field.currentText()!r}"
    elif not field.text() and metrics.horizontalAdvance(field.placeholderText()) > field.contentsRect().width() - 4:
        if field.placeholderText() in field.toolTip():  # Qt ends it in …
            return
        yield f"its placeholder is cut: {field.placeholderText()!r}"


def _placeholder_faults(edit: QPlainTextEdit) -> Iterator[str]:
    if edit.toPlainText() or not edit.placeholderText():
        return
    room = edit.viewport().rect().adjusted(4, 4, -4, -4)
    flags = int(Qt.TextFlag.TextWordWrap)
    needs = edit.fontMetrics().boundingRect(QRect(0, 0, room.width(), 10_000), flags, edit.placeholderText())
    if needs.height() > room.height() + SLACK:
        yield f"its placeholder needs {needs.height()} pixels, it has {room.height()}"


def _short(needs: QSize, has: QSize) -> Iterator[str]:
    if needs.width() > has.width() + SLACK or needs.height() > has.height() + SLACK:
        yield f"needs {needs.width()}x{needs.height()}, has {has.width()}x{has.height()}"


def _hidden(widget: QWidget, window: QWidget) -> Iterator[str]:
    """Outside a parent, where no scroll bar reaches it."""
    rect, parent = QRect(QPoint(0, 0), widget.size()), widget
    while parent is not window and (above := parent.parentWidget()) is not None:
        rect, parent = rect.translated(parent.pos()), above
        area = parent.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
            if isinstance(area, QScrollArea) and area.widgetResizable():
                rect = _scrolled(rect, area)
            else:
                return
        if not parent.rect().adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(rect):
            yield f"outside {_name(parent)}: {_sides(rect)} of {_sides(parent.rect())}"
            return


def _scrolled(rect: QRect, area: QScrollArea) -> QRect:
    """The place, moved into the viewport as far as the area's scroll bars can."""
    view, off = area.viewport().rect(), Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    x = rect.x() if area.horizontalScrollBarPolicy() == off else max(0, min(rect.x(), view.width() - rect.width()))
    y = rect.y() if area.verticalScrollBarPolicy() == off else max(0, min(rect.y(), view.height() - rect.height()))
    if area.verticalScrollBarPolicy() != off and rect.height() > view.height():
        return QRect(x, 0, rect.width(), view.height())
    return QRect(QPoint(x, y), rect.size())


def _overlaps(shown: list[QWidget]) -> Iterator[tuple[QWidget, QWidget]]:
    """Widgets of one layout that cover each other."""
    for widget in shown:
        layout = widget.layout()
        if layout is None:
            continue
        parts = [
            part for part in widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            if part in shown and layout.indexOf(part) >= 0 and not part.size().isEmpty()
        ]  # fmt: skip
        for place, one in enumerate(parts):
            for other in parts[place + 1 :]:
                common = one.geometry().intersected(other.geometry())
                if common.width() > SLACK and common.height() > SLACK:
                    yield one, other


def _name(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    said = text() if callable(text) and not isinstance(widget, QLineEdit) else ""
    known = widget.accessibleName() or widget.objectName() or (said if isinstance(said, str) else "")
    return f"{type(widget).__name__} {known[:40]!r}"


def _sides(rect: QRect) -> str:
    return f"{rect.x()},{rect.y()} {rect.width()}x{rect.height()}"
