"""A form for the options of a provider: one row for each, with the widget that its kind needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import assert_never

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from operator_console.ui.profile_values import OptionField, OptionKind, OptionValue
from operator_console.ui.widgets.controls import GRID, label, roomy, wide

LABEL_WIDTH = 150
DEFAULT_WORD = "Default"
_INTEGERS = (-1_000_000_000, 1_000_000_000)


class OptionEditor(QWidget):
    """Edits one option.

    Signals:
        changed (no payload).
    """

    changed = Signal()

    def __init__(self, option: OptionField, value: OptionValue) -> None:
        super().__init__()
        self.option = option
        self.setProperty("role", "plain")
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._flag: QCheckBox | None = None
        self._flags: list[QCheckBox] = []
        self._choice: QComboBox | None = None
        self._spin: QSpinBox | QDoubleSpinBox | None = None
        self._line: QLineEdit | None = None
        self._values: list[OptionValue] = []
        self._build(value)
        self._shown = self._read()

    @property
    def touched(self) -> bool:
        """Whether it shows another value than at the beginning."""
        return self._read() != self._shown

    @property
    def value(self) -> OptionValue:
        """The value that is shown."""
        return self._read()

    @property
    def focus_widget(self) -> QWidget:
        """The widget that takes the keyboard."""
        return self._flag or self._choice or self._spin or self._line or self._flags[0]

    def _build(self, value: OptionValue) -> None:
        option = self.option
        match option.kind:
            case OptionKind.FLAG if not option.optional:
                self._flag = self._box(option.title, value is True)
            case OptionKind.FLAG:
                self._choose([None, True, False], [DEFAULT_WORD, "Yes", "No"], value)
            case OptionKind.CHOICE:
                none: list[OptionValue] = [None] if option.optional else []
                values = [*none, *option.choices]
                self._choose(values, [_word_of(str(each)) if each else DEFAULT_WORD for each in values], value)
            case OptionKind.CHOICES:
                chosen = value if isinstance(value, tuple) else ()
                self._flags = [self._box(_words_of(each), each in chosen) for each in option.choices]
            case OptionKind.INTEGER:
                self._count(value)
            case OptionKind.NUMBER:
                self._measure(value)
            case OptionKind.TEXT | OptionKind.WORDS:
                self._write(value)
            case _:
                assert_never(option.kind)
        for widget in (self, *self._parts()):
            widget.setToolTip(_tip(option))

    def _parts(self) -> list[QWidget]:
        single = (self._flag, self._choice, self._spin, self._line)
        return [*(each for each in single if each is not None), *self._flags]

    def _box(self, text: str, checked: bool) -> QCheckBox:
        made = QCheckBox(text)
        made.setAccessibleName(text if self.option.kind is OptionKind.FLAG else f"{self.option.title}: {text}")
        made.setChecked(checked)
        made.toggled.connect(self._changed)
        self._rows.addWidget(made)
        return made

    def _choose(self, values: Sequence[OptionValue], words: Sequence[str], value: OptionValue) -> None:
        self._choice = QComboBox()
        self._values = list(values)
        self._choice.addItems(list(words))
        self._choice.setCurrentIndex(self._values.index(value) if value in self._values else 0)
        self._choice.currentIndexChanged.connect(self._changed)
        self._place(self._choice)

    def _count(self, value: OptionValue) -> None:
        option, spin = self.option, QSpinBox()
        least = _INTEGERS[0] if option.least is None else math.ceil(option.least)
        most = _INTEGERS[1] if option.most is None else math.floor(option.most)
        spin.setRange(max(least, _INTEGERS[0]) - option.optional, min(most, _INTEGERS[1]))
        spin.setValue(spin.minimum() if value is None else int(value) if isinstance(value, int | float) else 0)
        spin.valueChanged.connect(self._changed)
        self._spin = spin
        self._finish_spin()

    def _measure(self, value: OptionValue) -> None:
        option, spin = self.option, QDoubleSpinBox()
        least, most = option.least, option.most
        spin.setDecimals(2 if most is not None and most <= 10 else 1)
        spin.setSingleStep(0.1 if most is not None and most <= 10 else 1.0)
        low, high = -1e9 if least is None else least, 1e9 if most is None else most
        spin.setRange(low - option.optional, high)
        spin.setValue(spin.minimum() if value is None else float(value) if isinstance(value, int | float) else 0.0)
        spin.valueChanged.connect(self._changed)
        self._spin = spin
        self._finish_spin()

    def _finish_spin(self) -> None:
        assert self._spin is not None
        if self.option.optional:
            self._spin.setSpecialValueText(DEFAULT_WORD)
        elif self._spin.minimum() == 0:
            self._spin.setSpecialValueText(self.option.zero)
        roomy(self._spin)
        self._place(self._spin)

    def _write(self, value: OptionValue) -> None:
        self._line = QLineEdit(", ".join(value) if isinstance(value, tuple) else str(value or ""))
        if self.option.kind is OptionKind.WORDS:
            self._line.setPlaceholderText("None; separate several by commas")
        self._line.textChanged.connect(self._changed)
        self._place(self._line)

    def _place(self, widget: QWidget) -> None:
        widget.setAccessibleName(self.option.title)
        self._rows.addWidget(widget)

    def _read(self) -> OptionValue:
        if self._flag is not None:
            return self._flag.isChecked()
        if self._flags:
            choices = zip(self.option.choices, self._flags, strict=True)
            return tuple(each for each, box in choices if box.isChecked())
        if self._choice is not None:
            return self._values[self._choice.currentIndex()]
        if self._spin is not None:
            unset = self.option.optional and self._spin.value() == self._spin.minimum()
            return None if unset else self._spin.value()
        assert self._line is not None
        text = self._line.text().strip()
        if self.option.kind is OptionKind.WORDS:
            return tuple(word.strip() for word in text.split(",") if word.strip())
        return None if self.option.optional and not text else text

    def _changed(self, _value: object = None) -> None:
        self.changed.emit()


class OptionForm(QWidget):
    """The rows of several options.

    Signals:
        changed (no payload).
    """

    changed = Signal()

    def __init__(self, options: Sequence[OptionField], values: Mapping[str, object]) -> None:
        """`values`: those that differ from the options' own."""
        super().__init__()
        self.setProperty("role", "plain")
        self._given = dict(values)
        self.editors: dict[str, OptionEditor] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID * 2)
        grid.setVerticalSpacing(GRID)
        grid.setColumnMinimumWidth(0, LABEL_WIDTH)
        grid.setColumnStretch(1, 1)
        for row, option in enumerate(options):
            editor = OptionEditor(option, _value_of(values.get(option.name, option.value), option))
            editor.changed.connect(self.changed)
            self.editors[option.name] = editor
            if option.kind is not OptionKind.FLAG or option.optional:
                title = label(option.title, wrap=True)
                title.setFixedWidth(wide(LABEL_WIDTH))
                title.setToolTip(_tip(option))
                title.setBuddy(editor.focus_widget)
                several = option.kind is OptionKind.CHOICES
                grid.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop if several else Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(editor, row, 1)

    @property
    def values(self) -> dict[str, object]:
        """The values that differ from the options' own, with those given that were not changed."""
        found = dict(self._given)
        for name, editor in self.editors.items():
            if not editor.touched:
                continue
            if editor.value == editor.option.value:
                found.pop(name, None)
            else:
                found[name] = editor.value
        return found


def _value_of(given: object, option: OptionField) -> OptionValue:
    """A value of the settings file as an editor takes it."""
    if isinstance(given, list | tuple | set | frozenset):
        return tuple(str(each) for each in given)
    if given is None or isinstance(given, bool | int | float | str):
        return given
    return option.value


def _word_of(value: str) -> str:
    """A value of one word as people write it; others, such as names of formats, as they are."""
    return value.capitalize() if value.isalpha() and (value.islower() or value.isupper()) else value


def _words_of(value: str) -> str:
    words = value.replace("_", " ").replace("-", " ").lower()
    return f"{words[:1].upper()}{words[1:]}"


def _tip(option: OptionField) -> str:
    return "\n".join(part for part in (option.help, f"In the settings file: {option.name}") if part)
