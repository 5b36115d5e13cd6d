"""The card's editor for an action: its text, its point and the end of a drag.

Approve sends the edited action; this panel makes no decision.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSpinBox, QWidget

from operator_console.domain import actions as a
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import UnknownKey, parse_chord, show_keys
from operator_console.domain.message_texts import worded
from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, button, label, roomy, show_text
from operator_console.ui.widgets.exact_text import ExactTextField

LINES_LEAST, LINES_MOST = 2, 6
"""Visible lines of the text."""


class EditPanel(QWidget):
    """The fields; those that the action does not have are disabled.

    Signals:
        edited: a field changed (no payload).
        cancelled: the edit is to be discarded (no payload).
    """

    edited = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(4)
        self._action: a.Action | None = None
        head = QHBoxLayout()
        head.addWidget(label(_("Change the action"), "strong", wrap=True), 1)
        self.cancel = button(_("Cancel edit"), tip=_("Cancel edit (Esc)"))
        head.addWidget(self.cancel)
        grid.addLayout(head, 0, 0, 1, 2)
        self.text = ExactTextField()
        self.x_field, self.y_field = QSpinBox(), QSpinBox()
        self.end_x, self.end_y = QSpinBox(), QSpinBox()
        for spin in (self.x_field, self.y_field, self.end_x, self.end_y):
            roomy(spin)
        self._of_end: list[QWidget] = [self.end_x, self.end_y]
        fields: tuple[tuple[str, QWidget, tuple[int, int, int]], ...] = (
            (_("Text"), self.text, (1, 0, 2)),
            ("X", self.x_field, (4, 0, 1)),
            ("Y", self.y_field, (4, 1, 1)),
            (_("End X"), self.end_x, (6, 0, 1)),
            (_("End Y"), self.end_y, (6, 1, 1)),
        )
        for name, field, (row, column, span) in fields:
            heading = label(name, "heading")
            heading.setBuddy(field)
            field.setAccessibleName(name)
            grid.addWidget(heading, row, column, 1, span)
            grid.addWidget(field, row + 1, column, 1, span)
            if field in self._of_end:
                self._of_end.append(heading)
        self._hidden = label(role="secondary", wrap=True)
        grid.addWidget(self._hidden, 3, 0, 1, 2)
        self._hint = label(role="secondary", wrap=True)
        grid.addWidget(self._hint, 8, 0, 1, 2)
        self._trouble = label(role="trouble", wrap=True)
        grid.addWidget(self._trouble, 9, 0, 1, 2)
        self.text.edited.connect(self._changed)
        self.text.complete.connect(self._show_hidden)
        for spin in (self.x_field, self.y_field, self.end_x, self.end_y):
            spin.valueChanged.connect(self._changed)
        self.cancel.clicked.connect(self.cancelled)

    def open_for(self, action: a.Action, native: Size) -> None:
        """Fill the fields from an action; X and Y are limited to the picture."""
        self._action = None
        text, point = _text(action), _point(action)
        self.text.load(text or "")
        self.text.setEnabled(text is not None)
        self.text.setPlaceholderText("" if text is not None else _("This action has no text."))
        self._fit_lines(text)
        end = action.path[-1] if isinstance(action, a.Drag) else None
        for fields, place in (((self.x_field, self.y_field), point), ((self.end_x, self.end_y), end)):
            for field, most, value in (
                (fields[0], native.width - 1, place.x if place else 0),
                (fields[1], native.height - 1, place.y if place else 0),
            ):
                field.setRange(0, most)
                field.setValue(value)
                field.setEnabled(place is not None)
        for widget in self._of_end:
            widget.setVisible(end is not None)
        self._hint.setText(
            _("Drag the ring in the preview, or click where it should be. Arrow keys there move it by one pixel.")
            if end is None
            else _("Drag the start or the end in the preview. Arrow keys there move it by one pixel.")
        )
        self._hint.setVisible(point is not None)
        self._action = action
        self._trouble.hide()
        self._show_hidden()

    def first_field(self) -> QWidget:
        """The field to begin with."""
        return self.text if self.text.isEnabled() else self.x_field

    def set_point(self, point: NativePoint) -> None:
        """Use a point picked on the preview."""
        if self.x_field.isEnabled():
            self.x_field.setValue(point.x)
            self.y_field.setValue(point.y)

    @property
    def has_point(self) -> bool:
        """Whether the action has a point that can be moved."""
        return self.x_field.isEnabled()

    def set_end(self, point: NativePoint) -> None:
        """Use a point picked on the preview as the end of a drag."""
        if self.end_x.isEnabled():
            self.end_x.setValue(point.x)
            self.end_y.setValue(point.y)

    def action(self) -> a.Action | None:
        """The edited action; None if the input is invalid (the panel says why)."""
        if self._action is None:
            return None
        for spin in (self.x_field, self.y_field, self.end_x, self.end_y):
            spin.interpretText()
        text = self.text.exact()
        try:
            made = self._action if text == (_text(self._action) or "") else _with_text(self._action, text)
        except UnknownKey as error:
            self._trouble.setText(worded(error.args[0]))
            self._trouble.show()
            return None
        self._trouble.hide()
        made = _with_point(made, NativePoint(self.x_field.value(), self.y_field.value()))
        return _with_end(made, NativePoint(self.end_x.value(), self.end_y.value()))

    def _fit_lines(self, text: str | None) -> None:
        lines = 1
        if text is not None:
            lines = min(LINES_MOST, max(LINES_LEAST, text.count("\n", 0, 2_000) + 1 + len(text) // 48))
        around = 2 * round(self.text.document().documentMargin()) + 2 * self.text.frameWidth() + GRID
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + around)

    def _show_hidden(self) -> None:
        named = self.text.hidden_words() if self.text.whole else ""
        words = (
            _("Invisible characters: {names}").format(names=named)
            if named
            else ""
            if self.text.whole
            else _("The text is being loaded.")
        )
        show_text(self._hidden, words)

    def _changed(self, _value: object = None) -> None:
        if self._action is not None:
            self._show_hidden()
            self.edited.emit()


def editable(action: a.Action | None) -> bool:
    """Whether an action has a text or a point that can be changed."""
    return action is not None and (_text(action) is not None or _point(action) is not None)


def _point(action: a.Action) -> NativePoint | None:
    # Another point would be another element.
    return None if isinstance(action, a.UseElement) else a.target_point(action)


def _text(action: a.Action) -> str | None:
    match action:
        case a.TypeText(text=text):
            return text
        case a.Chord(keys=keys):
            return show_keys(keys)
        case a.Navigate(url=url):
            return url
        case a.RunCommand(command=command):
            return command
        case a.Search(query=query):
            return query
        case _:
            return None


def _with_text(action: a.Action, text: str) -> a.Action:
    match action:
        case a.TypeText():
            return replace(action, text=text)
        case a.Chord():
            return replace(action, keys=parse_chord(text))
        case a.Navigate():
            return replace(action, url=text)
        case a.RunCommand():
            return replace(action, command=text)
        case a.Search():
            return replace(action, query=text)
        case _:
            return action


def _with_point(action: a.Action, point: NativePoint) -> a.Action:
    match action:
        case a.Move():
            return replace(action, at=point)
        case a.Click(at=at) | a.Press(at=at) | a.Release(at=at) | a.Scroll(at=at) | a.TypeText(at=at):
            return replace(action, at=point) if at is not None else action
        case a.Drag(path=path):
            return replace(action, path=(point, *path[1:]))
        case _:
            return action


def _with_end(action: a.Action, end: NativePoint) -> a.Action:
    return replace(action, path=(*action.path[:-1], end)) if isinstance(action, a.Drag) else action
