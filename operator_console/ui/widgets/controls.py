"""Small widgets shared by several panels: labels by role, elided text, guarded buttons, a crop, rules and chips.

A role is a dynamic property that the style sheet selects by.

Importing `QtCore.Qt` or `QStyle` creates all their enumerations, which takes a tenth of the time to the first paint.
Modules needed for it import them where they are used, or set Qt's properties by name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QTimer
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.translations import _

if TYPE_CHECKING:
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage


GRID = 8
PLAIN_TEXT, ALWAYS_OFF, NO_FOCUS, TAB_FOCUS, CENTRED = 0, 1, 0, 1, 0x84
"""Values of Qt.TextFormat, Qt.ScrollBarPolicy, Qt.FocusPolicy and Qt.AlignmentFlag (a test compares them)."""


def wide(width: int, growth: float = 0.6) -> int:
    """A width that holds text, for the present text size; it grows more slowly than the text, so that columns fit."""
    px = QGuiApplication.font().pixelSize()
    return round(width * (1 + growth * (px / 14 - 1))) if px > 14 else width


def set_role(widget: QWidget, **properties: str) -> None:
    """Set properties that the style sheet selects by, and apply it again if they changed."""
    changed = False
    for name, value in properties.items():
        if widget.property(name) != value:
            widget.setProperty(name, value)
            changed = True
    if changed:
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """A plain text label (never rich text: the text may come from a model or a screen)."""
    made = QLabel()
    made.setIndent(0)  # else Qt adds half a letter to the left padding of a label with a ground
    made.setProperty("textFormat", PLAIN_TEXT)
    made.setText(text)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def breakable(text: str) -> str:
    """The text with invisible break points in words that are too long for a line."""
    return re.sub(r"(\S{20})(?=\S)", "\\1\u200b", text)


def fit_height(dialog: QWidget, width: int) -> None:
    """Give a dialog this width and the height that its wrapped texts need at it."""
    layout = dialog.layout()
    assert layout is not None
    for part in dialog.findChildren(QWidget):
        part.ensurePolished()  # apply the style sheet's fonts and paddings before measuring
    layout.invalidate()
    width = wide(width)
    dialog.setFixedSize(width, layout.totalHeightForWidth(width))


def _is_enter(event: QKeyEvent) -> bool:
    from PySide6.QtCore import Qt

    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain


class _EnterButton(QPushButton):
    """A button that Enter presses where it has the focus: Qt does that only for buttons that can become a default."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._held_enter = HeldKey()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it; one that is still held, such as from a dialog that it closed, does not."""
        if not _is_enter(event):
            super().keyPressEvent(event)
        elif not self._held_enter.goes_on(event):
            self.click()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Follow Enter."""
        super().keyReleaseEvent(event)
        if _is_enter(event):
            self._held_enter.goes_on(event)


def button(text: str, kind: str = "", *, name: str = "", tip: str = "") -> QPushButton:
    """A button that is never a dialog's default and has no mnemonic; with the focus, Enter presses it as Space does."""
    made = _EnterButton(text.replace("&", "&&"))
    made.setAutoDefault(False)
    made.setDefault(False)
    made.setAccessibleName(name or text)
    if kind:
        made.setProperty("kind", kind)
    if tip:
        made.setToolTip(tip)
    return made


def enable(control: QWidget, why_not: str = "", *, tip: str = "", says: str = "") -> None:
    """Enable a control with its tooltip and description, or disable it for a reason, which both then say."""
    if control.isEnabled() is bool(why_not):
        control.setEnabled(not why_not)
    if control.toolTip() != (why_not or tip):
        control.setToolTip(why_not or tip)
    if control.accessibleDescription() != (why_not or says):
        control.setAccessibleDescription(why_not or says)


class GuardedButton(QPushButton):
    """A button for approvals: no key presses it (Space, Enter, mnemonics), only a pointer or a screen reader."""

    def __init__(self, text: str, kind: str = "", *, name: str = "") -> None:
        super().__init__(text)
        self.setAutoDefault(False)
        self.setDefault(False)
        self.setAccessibleName(name or text)
        if kind:
            self.setProperty("kind", kind)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore keys; Tab and Escape go on to the parent."""
        event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Ignore keys, as keyPressEvent does."""
        event.ignore()


def roomy(spin: QAbstractSpinBox) -> None:
    """Add space before the number: the style sheet's padding does not apply to the inner line edit."""
    spin.lineEdit().setTextMargins(6, 0, 0, 0)


def rule() -> QFrame:
    """A separator line between two cards."""
    made = QFrame()
    made.setProperty("role", "rule")
    return made


class ElidedLabel(QLabel):
    """A one-line label that ends in … if there is no room, and then shows the whole text in its tooltip.

    `pad`: horizontal padding that the style sheet adds, both sides together.
    """

    def __init__(self, text: str = "", role: str = "", *, mode: Qt.TextElideMode | None = None, pad: int = 0) -> None:
        super().__init__()
        self._mode = mode
        self._pad = pad
        self._whole = ""
        self.setIndent(0)  # as in `label`
        self.setProperty("textFormat", PLAIN_TEXT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)
        self.set_whole(text)

    @property
    def whole(self) -> str:
        """The text without elision."""
        return self._whole

    def set_whole(self, text: str) -> None:
        """Set the text."""
        if text == self._whole:
            return
        self._whole = text
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Wide enough for the whole text."""
        width = self.fontMetrics().horizontalAdvance(self._whole.replace("\n", " ")) + self._pad + 2
        return QSize(width, super().sizeHint().height())

    def least_width(self, characters: int) -> int:
        """The width that shows about so many characters, or the whole text if that is shorter."""
        return min(self.sizeHint().width(), self.fontMetrics().averageCharWidth() * characters + self._pad + 2)

    def minimumSizeHint(self) -> QSize:
        """Almost nothing, because the text can be elided."""
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide again."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Elide again after a change of font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._elide()

    def _elide(self) -> None:
        text = elide(self.fontMetrics(), self._whole, self.width() - self._pad, self._mode)
        if text != self.text():
            self.setText(text)
        self.setToolTip(self._whole if text != self._whole else "")


class TwoLines(QLabel):
    """A label of at most two lines, with … at its end and all of it in the tooltip if there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setProperty("textFormat", PLAIN_TEXT)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def whole(self) -> str:
        """The text without elision."""
        return self._whole

    def set_whole(self, text: str) -> None:
        """Set the text."""
        if text != self._whole:
            self._whole = text
            self._elide()

    def sizeHint(self) -> QSize:
        """Two lines high."""
        return QSize(200, 2 * (self.fontMetrics().lineSpacing() + 1))  # Qt rounds each line up

    def minimumSizeHint(self) -> QSize:
        """Two lines high."""
        return QSize(24, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide again."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Elide again after a change of font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._elide()

    def _elide(self) -> None:
        from PySide6.QtGui import QTextLayout, QTextOption

        layout = QTextLayout(self._whole.replace("\n", " "), self.font())
        layout.setTextOption(QTextOption())
        option = layout.textOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(max(1, self.width()))
        first = line.textLength()
        layout.endLayout()
        flat = self._whole.replace("\n", " ")
        rest = elide(self.fontMetrics(), flat[first:], self.width() - 2)
        text = f"{flat[:first]}\n{rest}".strip()
        if text != self.text():
            self.setText(text)
        self.setToolTip(self._whole if rest != flat[first:] else "")


def elide(metrics: QFontMetrics, text: str, width: int, mode: Qt.TextElideMode | None = None) -> str:
    """Cut the text to a width in logical pixels, at its end unless `mode` says otherwise."""
    from PySide6.QtCore import Qt

    return metrics.elidedText(text.replace("\n", " "), mode or Qt.TextElideMode.ElideRight, max(0, width))


class ElidedCombo(QComboBox):
    """A combo box whose text ends in … if there is no room.

    What a screen reader selects in its open list is chosen: Qt selects it there, and waits for a key.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._selected_soon = QTimer(self, singleShot=True, interval=0)
        self._selected_soon.timeout.connect(self._take_selected)
        self._listening = False

    def showPopup(self) -> None:
        """Open the list."""
        super().showPopup()
        if not self._listening:
            self._listening = True
            self.view().selectionModel().selectionChanged.connect(self._selected)

    def _selected(self) -> None:
        self._selected_soon.start()

    def _take_selected(self) -> None:
        view = self.view()
        selected = view.selectedIndexes()
        # Keys and the pointer move the current row too; only a reader selects another one.
        if view.isVisible() and len(selected) == 1 and selected[0] != view.currentIndex():
            self.setCurrentIndex(selected[0].row())
            self.hidePopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box in its style, with the text elided."""
        if not self.currentText():
            super().paintEvent(event)
            return
        from PySide6.QtWidgets import QStyle, QStyleOptionComboBox, QStylePainter

        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = elide(self.fontMetrics(), self.currentText(), self.width() - 40)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


def suggest_from_list(combo: QComboBox) -> None:
    """Suggest what is listed below the line. An editable box's own completer would complete it in the line, to an
    entry that the person has not meant."""
    from PySide6.QtWidgets import QCompleter

    suggestions = QCompleter(combo.model(), combo)
    listed = suggestions.popup()
    assert listed is not None
    listed.setProperty("role", "suggestions")
    combo.setCompleter(suggestions)


_RING = 14.0
"""Radius of the ring in an enlarged crop, in logical pixels."""


class CropView(QWidget):
    """Part of a picture at native resolution, with the target in the middle, marked by four small ticks.

    `times`: enlargement at 100 %, a whole number; a ring marks the target too where it is above 1.
    """

    def __init__(self, size: QSize, *, times: int = 1) -> None:
        super().__init__()
        self._times = times
        self.setFixedSize(size)
        self._framed = False
        self._image: QImage | None = None
        self._line = QColor("#c3c9d1")
        self._stage = QColor("#23282f")
        self._ink = QColor("#2f6fd0")
        self.setAccessibleName(_("Picture of the target"))

    def set_colours(self, line: str, stage: str, ink: str) -> None:
        """Set the colours of border, background and ticks."""
        self._line, self._stage, self._ink = QColor(line), QColor(stage), QColor(ink)
        self.update()

    def show_image(self, image: QImage | None) -> None:
        """Show a crop; None clears it."""
        self._image = image
        self.update()

    def set_framed(self, framed: bool) -> None:
        """Draw a thick frame: it has the focus."""
        self._framed = framed
        self.update()

    def wanted(self) -> QSize:
        """The size of the crop that fits, in native pixels."""
        ratio = self.devicePixelRatioF()
        times = self._scale()
        return QSize(round(self.width() * ratio / times), round(self.height() * ratio / times))

    def _scale(self) -> int:
        """Device pixels per native pixel: a whole number, so that it stays sharp; above 1 on a high-density screen."""
        return max(1, int(self.devicePixelRatioF())) * self._times

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint background, picture, ticks and border."""
        from PySide6.QtCore import Qt

        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._stage)
        ratio = self.devicePixelRatioF()
        if self._image is not None and not self._image.isNull():
            painter.save()
            painter.scale(self._scale() / ratio, self._scale() / ratio)
            wanted = self.wanted()
            x, y = (wanted.width() - self._image.width()) // 2, (wanted.height() - self._image.height()) // 2
            painter.drawImage(x, y, self._image)
            painter.restore()
            self._ticks(painter)
        painter.setPen(QPen(self._ink if self._framed else self._line, 3 if self._framed else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.end()

    def _ticks(self, painter: QPainter) -> None:
        width, height = self.width(), self.height()
        for ink, thick in ((QColor(255, 255, 255, 220), 4.0), (self._ink, 2.0)):
            painter.setPen(QPen(ink, thick))
            painter.drawLine(width // 2, 1, width // 2, 7)
            painter.drawLine(width // 2, height - 8, width // 2, height - 2)
            painter.drawLine(1, height // 2, 7, height // 2)
            painter.drawLine(width - 8, height // 2, width - 2, height // 2)
            if self._times > 1:
                painter.drawEllipse(QPointF(width / 2, height / 2), _RING, _RING)


class CropButton(QAbstractButton):
    """A crop that is pressed to see more of the picture: by a click, Enter or Space."""

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self._view = CropView(size)
        self._view.setAccessibleName("")
        from PySide6.QtCore import Qt

        self._view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._view.setParent(self)
        self.setFixedSize(size)
        self.setAccessibleName(_("Picture of the target"))
        self.setToolTip(_("Enlarge"))

    def set_colours(self, line: str, stage: str, ink: str) -> None:
        """Set the colours of border, background and ticks."""
        self._view.set_colours(line, stage, ink)

    def show_image(self, image: QImage | None) -> None:
        """Show a crop; None clears it."""
        self._view.show_image(image)

    def wanted(self) -> QSize:
        """The size of the crop that fits, in native pixels."""
        return self._view.wanted()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it as Space does."""
        if _is_enter(event):
            self.click()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that it has the focus."""
        super().focusInEvent(event)
        self._view.set_framed(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that it has the focus no more."""
        super().focusOutEvent(event)
        self._view.set_framed(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Its view paints itself."""


def shown_width(*parts: QWidget) -> int:
    """The width that those of the parts that are not hidden need in a row, each with the space before it."""
    return sum(width_with_space(part) for part in parts if not part.isHidden())


def width_with_space(part: QWidget) -> int:
    """The least width of a part in a row, if it has one, else that of its content, with the space before it."""
    return GRID + (part.minimumWidth() or part.sizeHint().width())


def column(
    parent: QWidget | None = None, *, spacing: int = GRID, margins: tuple[int, int, int, int] = (0, 0, 0, 0)
) -> QVBoxLayout:
    """A vertical layout, of a widget where one is given."""
    made = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    made.setSpacing(spacing)
    made.setContentsMargins(*margins)
    return made


def plain() -> QWidget:
    """A widget that only holds others, without a ground of its own."""
    made = QWidget()
    made.setProperty("role", "plain")
    return made


def row_layout(
    parent: QWidget | None = None, *, spacing: int | None = None, margins: tuple[int, int, int, int] | None = None
) -> QHBoxLayout:
    """A horizontal layout, of a widget where one is given. None: as the style has it."""
    made = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    if spacing is not None:
        made.setSpacing(spacing)
    if margins is not None:
        made.setContentsMargins(*margins)
    return made


def show_text(shown: QLabel, text: str) -> None:
    """Show a text; without one, hide what would show it."""
    shown.setText(text)
    shown.setVisible(bool(text))


def button_row(*pushes: QPushButton) -> QHBoxLayout:
    """The buttons that end a dialog, at its right."""
    row = QHBoxLayout()
    row.setSpacing(GRID)
    row.addStretch(1)
    for push in pushes:
        row.addWidget(push)
    return row


class HeldKey:
    """Follows one key by its presses and releases."""

    def __init__(self) -> None:
        self._released_ms = 0

    def goes_on(self, event: QKeyEvent) -> bool:
        """Whether it is the press of a key that is held.

        Qt does not call the first repeat one where another window had the press; its release has the same time.
        """
        if event.type() is QEvent.Type.KeyRelease:
            self._released_ms = event.timestamp()
            return False
        repeated = event.isAutoRepeat() or (event.timestamp() > 0 and event.timestamp() == self._released_ms)
        return event.type() is QEvent.Type.KeyPress and repeated
