"""The form for one model profile: provider, model, endpoint, key, options, limits and price.

Options, limits and price are edited as their JSON schemas say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.translations import _
from operator_console.ui.dialogs.option_form import NoNumber, Option, OptionForm, add_row, form_grid, options_of
from operator_console.ui.profile_values import ModelProfile, ModelSettings, ProviderChoice
from operator_console.ui.widgets.controls import GRID, button, column, enable, label, plain, row_layout, show_text

_LIMITS = ("max_steps", "max_minutes", "max_cost")
_ABOUT_THINKING_OR_PICTURES = re.compile(r"think|thought|effort|screenshot|picture|image|keep_|pixels")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileEdit:
    """A profile as it is edited, the name that it had ("": none), and its key (None: unchanged, "": deleted)."""

    profile: ModelProfile
    before: str
    key: str | None = field(default=None, repr=False)


class _Rows(QVBoxLayout):
    """The place of a form that is made anew for each provider or profile."""

    def __init__(self) -> None:
        super().__init__()
        self.form = OptionForm((), {})

    def show_form(self, options: list[Option], values: Mapping[str, object]) -> OptionForm:
        """Show another form, for these of the values; those of no option stay as they are."""
        self.form.hide()
        self.form.deleteLater()
        self.form = OptionForm(options, values)
        self.addWidget(self.form)
        return self.form


class ProfileForm(QScrollArea):
    """Edits one profile.

    Attributes:
        common, limits, price, others: where options about thinking and pictures, limits, prices and the other options
            are edited.

    Signals:
        changed: something was edited (no payload).
        provider_changed (no payload).
    """

    changed = Signal()
    provider_changed = Signal()

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self._providers = settings.providers
        price = settings.schema["$defs"]["ProfilePrice"]
        self._limit_options = [each for each in options_of(settings.schema, {}) if each.name in _LIMITS]
        self._price_options = list(options_of(price, {}))
        self._profile = ModelProfile(name="", values={"provider": ""})
        self._before = ""
        self._untouched: ProfileEdit | None = None
        self._drop_key = False
        self._no_keyring = ""
        self._unfolded = False
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = inner = plain()
        self.setWidget(inner)
        rows = column(inner, spacing=GRID, margins=(2, 0, 14, 2))
        self._build_model(rows)
        self.common, self.limits, self.price, self.others = _Rows(), _Rows(), _Rows(), _Rows()
        self._option_heading = _heading(_("Thinking and pictures"))
        for heading, place in (
            (self._option_heading, self.common), (_heading(_("Limits")), self.limits),
            (_heading(_("Price of a million tokens")), self.price),
        ):  # fmt: skip
            rows.addWidget(heading)
            rows.addLayout(place)
        self.more = button(_("More options"), "link", tip=_("The other options of the provider"))
        line = QHBoxLayout()
        line.addWidget(self.more)
        line.addStretch(1)
        rows.addSpacing(GRID)
        rows.addLayout(line)
        rows.addLayout(self.others)
        rows.addStretch(1)
        self.more.clicked.connect(self._more_clicked)

    # building

    def _build_model(self, rows: QVBoxLayout) -> None:
        self.name, self.provider, self.model, self.endpoint = QLineEdit(), QComboBox(), QComboBox(), QLineEdit()
        self.name.setMaxLength(40)
        self.name.setPlaceholderText(_("For example: Test bench"))
        self.provider.addItems([each.title for each in self._providers])
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for combo in (self.provider, self.model):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.key, self.forget = QLineEdit(), button(_("Forget"), name=_("Forget the key of this profile"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        key_line = row_layout(spacing=GRID)
        key_line.addWidget(self.key, 1)
        key_line.addWidget(self.forget)
        self._problem, self._endpoint_note, self._key_note = _note("trouble"), _note(), _note()
        grid = form_grid()
        for title, part, below in (
            (_("Name"), self.name, self._problem), (_("Provider"), self.provider, None),
            (_("Model"), self.model, None), (_("Endpoint"), self.endpoint, self._endpoint_note),
            (_("Key"), self.key, self._key_note),
        ):  # fmt: skip
            part.setAccessibleName(title if part is not self.key else _("Key of this profile"))
            add_row(grid, title, part, place=key_line if part is self.key else None)
            if below is not None:
                grid.addWidget(below, grid.rowCount(), 1)
        rows.addLayout(grid)
        for line in (self.name, self.endpoint, self.key):
            line.textChanged.connect(self._edited)
        self.model.editTextChanged.connect(self._edited)
        self.provider.currentIndexChanged.connect(self._provider_changed)
        self.forget.clicked.connect(self._forget_clicked)

    # showing

    def minimumSizeHint(self) -> QSize:
        """As wide as its fields: it scrolls vertically only."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self._inner.minimumSizeHint().width() + bar, super().minimumSizeHint().height())

    def show_profile(self, profile: ModelProfile, before: str) -> None:
        """Fill the form; `before`: the name under which the profile is saved, "" for a new one."""
        self._profile, self._before, self._drop_key, self._untouched = profile, before, False, None
        values = profile.values
        names = [each.name for each in self._providers]
        self.name.setText(profile.name)
        self.provider.blockSignals(True)
        self.provider.setPlaceholderText(values["provider"])
        self.provider.setCurrentIndex(names.index(values["provider"]) if values["provider"] in names else -1)
        self.provider.blockSignals(False)
        self.endpoint.setText(values.get("base_url", ""))
        self.key.clear()
        show_text(self._problem, profile.problem)
        self._show_provider(values.get("model", ""), values.get("options", {}))
        for line in (self.name, self.endpoint):
            line.setCursorPosition(0)
        self.verticalScrollBar().setValue(0)
        self._untouched = self.edit()
        self._edited()

    def _show_provider(self, model: str, options: Mapping[str, object]) -> None:
        """Show what belongs to the chosen provider."""
        choice = self.chosen_provider
        self.model.blockSignals(True)
        self.model.clear()
        self.model.addItems(list(choice.models) if choice else [])
        self.model.setCurrentIndex(-1)
        self.model.setEditText(model)
        self.model.blockSignals(False)
        line = self.model.lineEdit()
        if line is not None:
            default = choice.default_model if choice else ""
            named = _("Default: {model}").format(model=default)
            line.setPlaceholderText(named if default else _("Name of the model"))
            line.setCursorPosition(0)
        self._show_rows(choice, options)
        service = choice is None or choice.has_endpoint
        self.endpoint.setEnabled(service)
        common = "http://localhost:8000/v1" if choice and choice.needs_endpoint else _("The provider’s own")
        self.endpoint.setPlaceholderText(common if service else _("None"))

    def _show_rows(self, choice: ProviderChoice | None, options: Mapping[str, object]) -> None:
        """Show the values that the schemas describe."""
        found = options_of(choice.options, choice.values) if choice else ()
        common = [each for each in found if _ABOUT_THINKING_OR_PICTURES.search(each.name)]
        others = [each for each in found if each not in common]
        names, values = {each.name for each in common}, self._profile.values
        self.common.show_form(common, {name: value for name, value in options.items() if name in names})
        self.limits.show_form(self._limit_options, {name: values[name] for name in _LIMITS if name in values})
        self.price.show_form(self._price_options, values.get("price", {}))
        self.others.show_form(others, {name: value for name, value in options.items() if name not in names})
        for place in (self.common, self.limits, self.price, self.others):
            place.form.changed.connect(self._edited)
        self._option_heading.setVisible(bool(common))
        self.more.setVisible(bool(others))
        self.others.form.setVisible(self._unfolded)
        for part in (*self.findChildren(QAbstractSpinBox), *self.findChildren(QComboBox)):
            part.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            part.installEventFilter(self)

    # reading

    @property
    def before(self) -> str:
        """The name under which the profile is saved; "" for a new one."""
        return self._before

    @property
    def profile(self) -> ModelProfile:
        """The profile as it was shown first."""
        return self._profile

    @property
    def chosen_provider(self) -> ProviderChoice | None:
        """The provider; None if it is not installed."""
        place = self.provider.currentIndex()
        return self._providers[place] if 0 <= place < len(self._providers) else None

    @property
    def dirty(self) -> bool:
        """Whether something was changed and not saved."""
        try:
            return self._untouched is not None and self.edit() != self._untouched
        except NoNumber:
            return True

    def edit(self) -> ProfileEdit:
        """What the form holds. Raises NoNumber."""
        choice = self.chosen_provider
        values: dict[str, Any] = {
            "provider": choice.name if choice else self._profile.values["provider"],
            "model": self.model.currentText().strip(),
            "base_url": self.endpoint.text().strip() if self.endpoint.isEnabled() else "",
            "options": {**self.common.form.values, **self.others.form.values},
            **self.limits.form.values,
        }
        if price := self._price():
            values["price"] = price
        made = ModelProfile(name=self.name.text().strip(), values=values, own_key=self._profile.own_key)
        key = self.key.text().strip() if self.key.isEnabled() else ""
        return ProfileEdit(profile=made, before=self._before, key=key or ("" if self._drop_key else None))

    def commit_numbers(self) -> None:
        """Take over what was typed into a spin box and not confirmed."""
        for spin in self.findChildren(QAbstractSpinBox):
            spin.interpretText()

    def discard(self) -> None:
        """What was changed need not be kept."""
        self._untouched = None

    def _price(self) -> dict[str, object]:
        """The price; {} where no amount is given."""
        found = {name: value for name, value in self.price.form.values.items() if value not in (None, "")}
        if not found.keys() - {"currency"}:
            return {}
        for option in self._price_options:
            if not option.optional and option.value is None and option.name not in found:
                raise NoNumber(_(option.spoken), self.price.form.editors[option.name].focus_widget)
        return found

    # events

    def _edited(self, _value: object = None) -> None:
        choice, own = self.chosen_provider, self._profile.own_key and not self._drop_key
        self.forget.setVisible(own)
        self.key.setPlaceholderText(_("Stored") if own else _("No key of its own"))
        typed = bool(self.key.text().strip())
        elsewhere = bool(self.endpoint.text().strip())
        takes = choice is None or choice.takes_key
        enable(self.key, self._no_keyring if takes else _("This provider needs no key."))
        if self._no_keyring and takes and not own:
            self._key_note.setText(
                _(
                    "The system keyring can’t be used: {why} Save the profile without a key, then enter one in the "
                    "set-up: it is held in memory."
                ).format(why=self._no_keyring)
            )
        elif own or typed or not self.others.form.values.get("cloud"):
            self._key_note.setText(_key_words(choice, stored=own, own=own or typed, elsewhere=elsewhere))
        else:
            self._key_note.setText(_("Without one, the credentials are used that the cloud’s own tools keep."))
        show_text(self._endpoint_note, _endpoint_words(choice, self.endpoint.text().strip()))
        self.changed.emit()

    def show_keyring(self, trouble: str) -> None:
        """Why no key can be stored; "": one can."""
        self._no_keyring = trouble
        if trouble:
            self.key.clear()
        self._edited()

    def _provider_changed(self, _place: int) -> None:
        choice, values = self.chosen_provider, self._profile.values
        same = choice is not None and choice.name == values["provider"]
        self._show_provider(values.get("model", "") if same else "", values.get("options", {}) if same else {})
        self.provider_changed.emit()
        self._edited()

    def _forget_clicked(self) -> None:
        self._drop_key = True
        self._edited()
        self.key.setFocus()

    def _more_clicked(self) -> None:
        self._unfolded = not self._unfolded
        self.others.form.setVisible(self._unfolded)
        name = _("Fewer options") if self._unfolded else _("More options")
        self.more.setText(name)
        self.more.setAccessibleName(name)
        if self._unfolded:
            QTimer.singleShot(0, self._reveal_more)  # once the layout has made room for them

    def _reveal_more(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(min(bar.maximum(), self.more.y() - GRID))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The wheel scrolls the form, and changes no value in passing."""
        if event.type() is QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def _heading(text: str) -> QLabel:
    made = label(text, "heading")
    made.setContentsMargins(0, GRID, 0, 0)
    return made


def _note(role: str = "note") -> QLabel:
    made = label(role=role, wrap=True)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return made


def _endpoint_words(choice: ProviderChoice | None, address: str) -> str:
    if choice is None or not choice.has_endpoint:
        return ""
    if address:
        return _("Your task, your messages and the pictures of the target go to this address.")
    return _("Most addresses end in /v1.") if choice.needs_endpoint else ""


def _key_words(choice: ProviderChoice | None, *, stored: bool, own: bool, elsewhere: bool) -> str:
    """What is said below the key. `own`: it is stored or typed; `elsewhere`: the profile has an endpoint of its own."""
    if choice is not None and not choice.takes_key:
        return _("This provider needs no key.")
    if stored:
        return _("Kept in the system keyring, for this profile only. Type another to replace it.")
    if own or choice is None:
        return _("Kept in the system keyring, for this profile only.")
    if choice.key_source:
        sent = _("Without one, the provider’s key is used and sent to this address ({source}).")
        return (sent if elsewhere else _("Without one, the provider’s key is used ({source}).")).format(
            source=choice.key_source
        )
    if choice.needs_key:
        return _("There is no key yet. What you enter is kept in the system keyring.")
    return _("Only if the endpoint wants one. What you enter is kept in the system keyring.")
