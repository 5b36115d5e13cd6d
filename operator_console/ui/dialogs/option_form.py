"""A form for values that a JSON schema describes, as pydantic writes it: one row for each, with the widget of its type.

Besides what JSON Schema says, a value may have `unset`, what it is without a value, and `zero`, what 0 means, both in a
few words; and `spoken`, its name for screen readers where that is not its title. A value of another type than those of
`Kind` is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum, auto
from typing import Any, TypeAlias, assert_never

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QWidget,
)

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, column, label, roomy, wide
from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox

Schema: TypeAlias = Mapping[str, Any]
"""A JSON schema, or a part of one."""

LABEL_WIDTH = 150
_MOST = 1e9
_LEAST_ABOVE = 0.01
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class Kind(Enum):
    """How a value is edited."""

    FLAG = auto()
    INTEGER = auto()
    NUMBER = auto()
    AMOUNT = auto()
    TEXT = auto()
    CHOICE = auto()
    CHOICES = auto()
    WORDS = auto()
    TABLE = auto()


_OF_TYPE = {
    "boolean": Kind.FLAG, "integer": Kind.INTEGER, "number": Kind.NUMBER, "string": Kind.TEXT,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One value to edit.

    Attributes:
        name: as in the settings file.
        title, spoken: for people, and for screen readers.
        meaning: what it means, in markdown; may be "".
        value: what holds without one.
        choices: the values of CHOICE and CHOICES.
        least, most: bounds of INTEGER and NUMBER; None: none. `above`: whether `least` itself is none of them.
        unset, zero: what it is without a value, and what 0 means; "" where there is nothing to say.
        optional: whether None is allowed.
    """

    name: str
    title: str
    spoken: str
    kind: Kind
    value: object
    meaning: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    above: bool = False
    unset: str = ""
    zero: str = ""
    optional: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """All that is shown of it, untranslated; they are translated where they are shown."""
        chosen = _word_of if self.kind is Kind.CHOICE else _words_of
        said = (self.title, self.spoken, self.meaning, self.unset, self.zero, *map(chosen, self.choices))
        return tuple(dict.fromkeys(filter(None, said)))

    @property
    def tip(self) -> str:
        """What it means, and its name in the settings file."""
        meaning = _LINK.sub(r"\1", _(self.meaning)).replace("`", "") if self.meaning else ""
        told = f"{meaning[:1].upper()}{meaning[1:]}{'' if meaning.endswith('.') else '.'}" if meaning else ""
        return "\n".join(part for part in (told, _("In the settings file: {name}").format(name=self.name)) if part)


class NoNumber(ValueError):
    """A field that must hold a number does not. `title` names it, `widget` is the field."""

    def __init__(self, title: str, widget: QWidget) -> None:
        super().__init__(title)
        self.title, self.widget = title, widget


def options_of(schema: Schema, values: Mapping[str, object]) -> tuple[Option, ...]:
    """The values of an object that can be edited, in the order of its schema.

    Args:
        schema: of the object.
        values: what holds without a value; else the defaults of the schema.
    """
    parts = schema.get("$defs", {})
    made = (
        _option(name, about, values.get(name, about.get("default")), parts)
        for name, about in schema.get("properties", {}).items()
    )
    return tuple(each for each in made if each is not None)


def _option(name: str, about: Schema, value: object, parts: Schema) -> Option | None:
    kinds = [_resolved(each, parts) for each in about.get("anyOf", [about])]
    several = [each for each in kinds if each.get("type") != "null"]
    optional = len(several) < len(kinds)
    kind, choices = _kind(several[0]) if len(several) == 1 else (None, ())
    if kind is None or (about.get("default", "") is None and value is None and not optional):
        return None
    bounds = {**several[0], **about}
    above, below = bounds.get("exclusiveMinimum"), bounds.get("exclusiveMaximum")
    given = about.get("title", "")
    title = given if given and given != name.replace("_", " ").title() else _title(name)
    return Option(
        name=name, title=title, spoken=about.get("spoken", title), kind=kind, value=value, optional=optional,
        meaning=about.get("description", ""), choices=choices, above=above is not None,
        least=bounds.get("minimum") if above is None else above,
        most=bounds.get("maximum") if below is None else below - (1 if kind is Kind.INTEGER else _LEAST_ABOVE),
        unset=about.get("unset", ""), zero=about.get("zero", ""),
    )  # fmt: skip


def _resolved(about: Schema, parts: Schema) -> dict[str, Any]:
    """A schema with what it refers to, and the one value that it may allow as a list."""
    found = dict(parts.get(str(about.get("$ref", "")).rpartition("/")[2], about))
    if "const" in found:
        found["enum"] = [found["const"]]
    return {**found, "items": _resolved(found["items"], parts)} if found.get("items") else found


def _kind(about: Schema) -> tuple[Kind | None, tuple[str, ...]]:
    """How a value of this type is edited, None if it cannot be, and the texts that it allows."""
    match about:
        case {"type": "string", "enum": choices}:
            return Kind.CHOICE, tuple(choices)
        case {"type": "array", "items": {"type": "string", "enum": choices}}:
            return Kind.CHOICES, tuple(choices)
        case {"type": "array", "items": {"type": "string"}}:
            return Kind.WORDS, ()
        case {"type": "object"} if "additionalProperties" in about and "properties" not in about:
            return Kind.TABLE, ()
        case {"format": "decimal"}:
            return Kind.AMOUNT, ()
        case _:
            return _OF_TYPE.get(about.get("type", "")), ()


def _title(name: str) -> str:
    """A field's name for people: "request_timeout_s" is "Request timeout, seconds"."""
    words = re.sub(r"_s$", ", seconds", name).replace("_", " ").strip()
    return f"{words[:1].upper()}{words[1:]}"


class OptionEditor(QWidget):
    """Edits one value.

    Attributes:
        focus_widget: the widget that takes the keyboard.

    Signals:
        changed (no payload).
    """

    changed = Signal()
    focus_widget: QWidget

    def __init__(self, option: Option, value: object) -> None:
        super().__init__()
        self.option = option
        self.setProperty("role", "plain")
        self._rows = column(self, spacing=0)
        self._read = self._build(value)
        self._shown = self._read()
        for widget in (self, *self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)):
            widget.setToolTip(option.tip)

    @property
    def touched(self) -> bool:
        """Whether it shows another value than at the beginning. Raises NoNumber."""
        return self._read() != self._shown

    @property
    def value(self) -> object:
        """The value that is shown. Raises NoNumber."""
        return self._read()

    def _build(self, value: object) -> Callable[[], object]:
        """Make the widgets, and return what reads them."""
        option = self.option
        default = _(option.unset) if option.unset else _("Default")
        match option.kind:
            case Kind.FLAG if not option.optional:
                return self._box(_(option.title), _(option.spoken), value is True).isChecked
            case Kind.FLAG:
                return self._choose({None: default, True: _("Yes"), False: _("No")}, value)
            case Kind.CHOICE:
                values = (*([None] if option.optional else []), *option.choices)
                return self._choose({each: _(_word_of(each)) if each else default for each in values}, value)
            case Kind.CHOICES:
                chosen = value if isinstance(value, list | tuple) else ()
                words = {each: _(_words_of(each)) if each else default for each in option.choices}
                boxes = {
                    each: self._box(text, f"{_(option.title)}: {text}", each in chosen) for each, text in words.items()
                }
                return lambda: tuple(each for each, box in boxes.items() if box.isChecked())
            case Kind.INTEGER | Kind.NUMBER:
                return self._spin(value)
            case Kind.AMOUNT | Kind.TEXT | Kind.WORDS | Kind.TABLE:
                return self._write(value)
            case _:
                assert_never(option.kind)

    def _box(self, text: str, name: str, checked: bool) -> WrappedCheckBox:
        made = WrappedCheckBox(text)
        made.setChecked(checked)
        made.toggled.connect(self._changed)
        self._place(made, name)
        return made

    def _choose(self, words: Mapping[Any, str], value: object) -> Callable[[], object]:
        made, values = QComboBox(), list(words)
        made.addItems(list(words.values()))
        made.setCurrentIndex(values.index(value) if value in values else 0)
        made.currentIndexChanged.connect(self._changed)
        self._place(made)
        return lambda: values[made.currentIndex()]

    def _spin(self, value: object) -> Callable[[], object]:
        option, spin = self.option, QDoubleSpinBox()
        whole, small = option.kind is Kind.INTEGER, option.most is not None and option.most <= 10
        spin.setDecimals(0 if whole else 2 if small else 1)
        spin.setSingleStep(0.1 if small and not whole else 1.0)
        low = -_MOST if option.least is None else option.least
        # Where the least value is none itself, it stands for no value.
        if option.above and not option.optional:
            low += 1 if whole else _LEAST_ABOVE
        elif option.optional and not option.above:
            low -= 1
        spin.setRange(low, _MOST if option.most is None else option.most)
        spin.setValue(value if isinstance(value, int | float) else spin.minimum() if value is None else 0)
        if option.optional:
            spin.setSpecialValueText(_(option.unset) if option.unset else _("Default"))
        elif spin.minimum() == 0 and option.zero:
            spin.setSpecialValueText(_(option.zero))
        roomy(spin)
        spin.valueChanged.connect(self._changed)
        self._place(spin)
        number = int if whole else float
        return lambda: None if option.optional and spin.value() == spin.minimum() else number(spin.value())

    def _write(self, value: object) -> Callable[[], object]:
        option, line = self.option, QLineEdit(_written(value))
        if option.kind is Kind.WORDS:
            line.setPlaceholderText(_("None"))
        elif option.unset:
            line.setPlaceholderText(_(option.unset))
        line.textChanged.connect(self._changed)
        self._place(line)
        return lambda: _read(option, line)

    def _place(self, widget: QWidget, name: str = "") -> None:
        widget.setAccessibleName(name or _(self.option.spoken))
        if not self._rows.count():
            self.focus_widget = widget
        self._rows.addWidget(widget)

    def _changed(self, _value: object = None) -> None:
        self.changed.emit()


class OptionForm(QWidget):
    """The rows of several values.

    Signals:
        changed (no payload).
    """

    changed = Signal()

    def __init__(self, options: Sequence[Option], values: Mapping[str, object]) -> None:
        """`values`: those that differ from the options' own."""
        super().__init__()
        self.setProperty("role", "plain")
        self._given = dict(values)
        self.editors: dict[str, OptionEditor] = {}
        grid = form_grid(self)
        for option in options:
            editor = OptionEditor(option, values.get(option.name, option.value))
            editor.changed.connect(self.changed)
            self.editors[option.name] = editor
            if option.kind is Kind.FLAG and not option.optional:
                grid.addWidget(editor, grid.rowCount(), 1)
            else:
                title = add_row(grid, _(option.title), editor.focus_widget, place=editor)
                title.setToolTip(option.tip)
                several = option.kind is Kind.CHOICES
                grid.setAlignment(title, Qt.AlignmentFlag.AlignTop if several else Qt.AlignmentFlag.AlignVCenter)
            if option.kind is Kind.WORDS:
                grid.addWidget(label(_("Separate several by commas."), "note", wrap=True), grid.rowCount(), 1)

    @property
    def values(self) -> dict[str, object]:
        """The values that differ from the options' own, with those given that were not changed. Raises NoNumber."""
        found = dict(self._given)
        for name, editor in self.editors.items():
            if not editor.touched:
                continue
            if _same(editor.value, editor.option.value):
                found.pop(name, None)
            else:
                found[name] = editor.value
        return found


def form_grid(parent: QWidget | None = None) -> QGridLayout:
    """A grid of titles and fields."""
    grid = QGridLayout(parent)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(GRID * 2)
    grid.setVerticalSpacing(GRID)
    grid.setColumnMinimumWidth(0, LABEL_WIDTH)
    grid.setColumnStretch(1, 1)
    return grid


def add_row(grid: QGridLayout, text: str, field: QWidget, *, place: QWidget | QLayout | None = None) -> QLabel:
    """Add a row with the title of a field, which is returned, and the field or `place`, which it stands in."""
    title = label(text, wrap=True)
    title.setFixedWidth(wide(LABEL_WIDTH))
    title.setBuddy(field)
    row = grid.rowCount()
    grid.addWidget(title, row, 0)
    if isinstance(place, QLayout):
        grid.addLayout(place, row, 1)
    else:
        grid.addWidget(place or field, row, 1)
    return title


def _written(value: object) -> str:
    """A value as a person types it."""
    match value:
        case None | "":
            return ""
        case Decimal():
            return format(value, "f")
        case list() | tuple():
            return ", ".join(map(str, value))
        case dict():
            return json.dumps(value, ensure_ascii=False) if value else ""
        case _:
            return str(value)


def _read(option: Option, line: QLineEdit) -> object:
    """The value that was typed: a table that is no JSON as its text. Raises NoNumber."""
    text = line.text().strip()
    match option.kind:
        case Kind.WORDS:
            return tuple(word.strip() for word in text.split(",") if word.strip())
        case Kind.TABLE:
            try:
                return json.loads(text or "{}")
            except ValueError:
                return text
        case _ if not text and (option.optional or option.kind is Kind.AMOUNT):
            return None
        case Kind.AMOUNT:
            try:
                amount = Decimal(text.replace(",", "."))
            except InvalidOperation as error:
                raise NoNumber(_(option.spoken), line) from error
            if not amount.is_finite():
                raise NoNumber(_(option.spoken), line)
            return amount
        case _:
            return text


def _same(one: object, other: object) -> bool:
    """Whether two values are the same in a settings file, which has lists only."""
    return one == (tuple(other) if isinstance(other, list) else other)


def _word_of(value: str) -> str:
    """A value of one word as people write it; others, such as names of formats, as they are."""
    return value.capitalize() if value.isalpha() and (value.islower() or value.isupper()) else value


def _words_of(value: str) -> str:
    words = value.replace("_", " ").replace("-", " ").lower()
    return f"{words[:1].upper()}{words[1:]}"
