"""The form is made from any options model, and gives back only what was changed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from gettext import NullTranslations
from typing import Annotated, Any, Literal, Optional

import pytest
from annotated_types import Gt, Lt
from pydantic import BaseModel, Field, WithJsonSchema
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QWidget

from operator_console.app.profile_editing import schema_of
from operator_console.domain import translations
from operator_console.providers.registry import specs
from operator_console.providers.spec import ProviderSpec
from operator_console.ui.dialogs.option_form import Kind, NoNumber, Option, OptionForm, options_of
from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox


class Effort(StrEnum):
    """An enum with a value for "nothing said"."""

    UNSET = ""
    LOW = "low"
    HIGH = "high"


class Inner(BaseModel):
    """A model inside the options."""

    a: int = 1


class AnyOptions(BaseModel):
    """Options of every kind."""

    flag: bool = Field(True, description="whether it [flies](birds.md); `true` or `false`")
    maybe: bool | None = None
    count: Annotated[int, Field(ge=1, le=9)] = 3
    low: Annotated[int, Gt(0), Lt(10)] = 5
    high: Annotated[float, Field(gt=0, le=2)] = 0.5
    perhaps: Optional[Annotated[int, Field(ge=0, le=7)]] = None  # noqa: UP045  as others may write it
    share: float | None = 0.25
    effort: Effort = Effort.UNSET
    mode: Literal["text", "native"] = "text"
    some: tuple[Effort, ...] = ()
    words: list[str] = Field(default_factory=list)
    name: str = Field("x", title="Their name", description="What it is called.")
    nick: str | None = None
    base_url: str = ""
    inner: Inner = Inner()
    table: dict[str, int] = Field(default_factory=dict)
    cost: Annotated[Decimal, WithJsonSchema({"type": "number", "format": "decimal"})] = Decimal("0.10")
    call: Callable[[], None] | None = None
    either: int | str = 3
    numbers: tuple[int, ...] = (1, 2)
    mixed: Literal["a", 1] = "a"


def options(model: type[BaseModel], section: BaseModel | None = None) -> tuple[Option, ...]:
    values = section if section is not None else model()
    return options_of(schema_of(model), values.model_dump(mode="json"))


def fields() -> dict[str, Option]:
    return {each.name: each for each in options(AnyOptions)}


def test_each_type_has_its_widget_and_others_are_left_out(app: QApplication) -> None:
    found = {name: (each.kind, each.optional) for name, each in fields().items()}
    assert found == {
        "flag": (Kind.FLAG, False), "maybe": (Kind.FLAG, True), "count": (Kind.INTEGER, False),
        "low": (Kind.INTEGER, False), "high": (Kind.NUMBER, False), "perhaps": (Kind.INTEGER, True),
        "share": (Kind.NUMBER, True), "effort": (Kind.CHOICE, False), "mode": (Kind.CHOICE, False),
        "some": (Kind.CHOICES, False), "words": (Kind.WORDS, False), "name": (Kind.TEXT, False),
        "nick": (Kind.TEXT, True), "table": (Kind.TABLE, False), "cost": (Kind.AMOUNT, False),
    }  # fmt: skip
    form = OptionForm(tuple(fields().values()), {})
    kinds = {name: type(editor.focus_widget) for name, editor in form.editors.items()}
    assert kinds == {
        "flag": WrappedCheckBox, "maybe": QComboBox, "count": QDoubleSpinBox, "low": QDoubleSpinBox,
        "high": QDoubleSpinBox, "perhaps": QDoubleSpinBox, "share": QDoubleSpinBox, "effort": QComboBox,
        "mode": QComboBox, "some": WrappedCheckBox, "words": QLineEdit, "name": QLineEdit, "nick": QLineEdit,
        "table": QLineEdit, "cost": QLineEdit,
    }  # fmt: skip
    assert form.values == {}
    assert all(editor.focus_widget.accessibleName() for editor in form.editors.values())


def test_bounds_titles_and_explanations_come_from_the_model() -> None:
    found = fields()
    assert (found["count"].least, found["count"].most) == (1, 9)
    assert (found["perhaps"].least, found["perhaps"].most) == (0, 7)
    assert (found["low"].least, found["low"].above, found["low"].most) == (0, True, 9)
    assert found["flag"].tip == "Whether it flies; true or false.\nIn the settings file: flag"
    assert (found["name"].title, found["name"].meaning) == ("Their name", "What it is called.")
    assert {each.title for each in options(AnyOptions) if each.name == "maybe"} == {"Maybe"}


class WithZero(BaseModel):
    """An option whose 0 is not a number as the others."""

    most: Annotated[int, Field(ge=0, le=9, json_schema_extra={"zero": "Default"})] = 0
    chance: Annotated[float, Field(ge=0, le=2)] = 0.0


def test_what_zero_means_is_said_in_its_place(app: QApplication) -> None:
    form = OptionForm(options(WithZero), {})
    most, chance = (form.editors[name].focus_widget for name in ("most", "chance"))
    assert isinstance(most, QDoubleSpinBox)
    assert isinstance(chance, QDoubleSpinBox)
    assert (most.text(), chance.text()) == ("Default", chance.locale().toString(0.0, "f", 2))
    most.setValue(4)
    assert form.values == {"most": 4}


CHANGES: list[tuple[str, Any, Any]] = [
    ("flag", lambda box: box.click(), False),
    ("maybe", lambda combo: combo.setCurrentIndex(2), False),
    ("count", lambda spin: spin.setValue(99), 9),
    ("low", lambda spin: spin.setValue(0), 1),
    ("high", lambda spin: spin.setValue(1.25), 1.25),
    ("perhaps", lambda spin: spin.setValue(0), 0),
    ("share", lambda spin: spin.setValue(spin.minimum()), None),
    ("effort", lambda combo: combo.setCurrentIndex(2), "high"),
    ("mode", lambda combo: combo.setCurrentIndex(1), "native"),
    ("some", lambda box: box.click(), ("",)),
    ("words", lambda line: line.setText("zoom, , open_browser "), ("zoom", "open_browser")),
    ("name", lambda line: line.setText("Büro"), "Büro"),
    ("nick", lambda line: line.setText("B"), "B"),
    ("table", lambda line: line.setText('{"a": 2}'), {"a": 2}),
    ("cost", lambda line: line.setText("0,25"), Decimal("0.25")),
]


@pytest.mark.parametrize(("name", "change", "value"), CHANGES, ids=[each[0] for each in CHANGES])
def test_what_is_changed_is_given_back_and_a_change_taken_back_is_none(
    app: QApplication, name: str, change: Any, value: Any
) -> None:
    form = OptionForm(tuple(fields().values()), {})
    told: list[int] = []
    form.changed.connect(lambda: told.append(1))
    change(form.editors[name].focus_widget)
    assert form.values == {name: value}
    assert told
    again = OptionForm(tuple(fields().values()), form.values)
    assert again.values == form.values
    assert again.editors[name].value == value
    if value is not None:
        AnyOptions.model_validate(form.values)


def test_what_the_form_cannot_show_stays_and_what_equals_the_providers_goes(app: QApplication) -> None:
    given = {"inner": {"a": 2}, "count": 7, "effort": "low", "base_url": "http://x.test", "high": 0.12345}
    form = OptionForm(tuple(fields().values()), given)
    assert form.values == given
    form.editors["count"].focus_widget.setValue(3)  # type: ignore[attr-defined]
    assert form.values == {name: value for name, value in given.items() if name != "count"}


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.name)
def test_the_form_of_each_provider_is_unchanged_at_first(app: QApplication, spec: ProviderSpec) -> None:
    found = options(spec.options())
    shown = {each.name for each in found} | {"base_url"}
    assert shown >= set(spec.options().model_fields), "an option that the window cannot edit"
    form = OptionForm(found, {})
    assert form.values == {}
    defaults = spec.options()().model_dump(mode="json")
    shown_values = {name: editor.value for name, editor in form.editors.items()}
    assert {name: list(each) if isinstance(each, tuple) else each for name, each in shown_values.items()} == {
        name: each for name, each in defaults.items() if name != "base_url"
    }
    for editor in form.editors.values():
        assert editor.option.meaning or spec.name == "runbook", f"{editor.option.name} is not explained"


def test_the_section_of_the_provider_gives_the_values() -> None:
    section = AnyOptions(count=8, words=["a"])
    found = {each.name: each.value for each in options(AnyOptions, section)}
    assert (found["count"], found["words"], found["flag"]) == (8, ["a"], True)


def test_what_is_no_number_is_told_with_its_field(app: QApplication) -> None:
    form = OptionForm(tuple(fields().values()), {})
    line = form.editors["cost"].focus_widget
    assert isinstance(line, QLineEdit)
    for text in ("cheap", "inf"):
        line.setText(text)
        with pytest.raises(NoNumber) as caught:
            _ = form.values
        assert (caught.value.title, caught.value.widget) == ("Cost", line)


def test_all_that_is_shown_is_translated(app: QApplication) -> None:
    class Quoting(NullTranslations):
        def gettext(self, message: str) -> str:
            return f"«{message}»"

    form_values = [(schema_of(spec.options()), spec.options()().model_dump(mode="json")) for spec in specs()]
    translations.use(Quoting())
    try:
        forms = [OptionForm(options_of(schema, values), {}) for schema, values in form_values]
    finally:
        translations.use(translations.ENGLISH)
    parts = [part for form in forms for editor in form.editors.values() for part in editor.findChildren(QWidget)]
    assert len(parts) > 50
    shown = [text for part in parts for text in (part.accessibleName(), part.toolTip())]
    shown += [part.text() for form in forms for part in form.findChildren(QLabel)]
    shown += [part.text() for part in parts if isinstance(part, WrappedCheckBox)]
    shown += [part.itemText(place) for part in parts if isinstance(part, QComboBox) for place in range(part.count())]
    assert [text for text in shown if text and not text.startswith("«")] == []
