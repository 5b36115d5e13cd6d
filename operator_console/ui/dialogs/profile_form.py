"""The form for one model profile: provider, model, endpoint, key, options, limits and price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.prices import Price
from operator_console.ui.dialogs.option_form import LABEL_WIDTH, OptionForm
from operator_console.ui.profile_values import ModelProfile, ProviderChoice
from operator_console.ui.widgets.controls import GRID, button, column, label, roomy, wide

_PRICES = {
    "input": "Input tokens",
    "output": "Output tokens",
    "cached": "Cached input tokens",
    "cache_write": "Cache write tokens",
}
_WITHOUT_PRICE = {"cached": "As input tokens", "cache_write": "1.25 × input tokens"}


class NoNumber(ValueError):
    """A field that must hold a number does not. `title` names it, `widget` is the field."""

    def __init__(self, title: str, widget: QLineEdit) -> None:
        super().__init__(title)
        self.title, self.widget = title, widget


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileEdit:
    """A profile as it is edited, the name that it had ("": none), and its key (None: unchanged, "": deleted)."""

    profile: ModelProfile
    before: str
    key: str | None = field(default=None, repr=False)


class ProfileForm(QScrollArea):
    """Edits one profile.

    Signals:
        changed: something was edited (no payload).
        provider_changed (no payload).
    """

    changed = Signal()
    provider_changed = Signal()

    def __init__(self, providers: Sequence[ProviderChoice]) -> None:
        super().__init__()
        self._providers = tuple(providers)
        self._profile = ModelProfile(name="", provider="")
        self._before = ""
        self._untouched: ProfileEdit | None = None
        self._drop_key = False
        self._unfolded = False
        self._shown_minutes = 0.0
        self._options, self._more = OptionForm((), {}), OptionForm((), {})
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner = QWidget()
        inner.setProperty("role", "plain")
        self.setWidget(inner)
        rows = column(inner, spacing=GRID, margins=(2, 0, 14, 2))
        self._build_model(rows)
        self._option_heading = _heading("Thinking and pictures")
        self._option_rows, self._more_rows = QVBoxLayout(), QVBoxLayout()
        rows.addWidget(self._option_heading)
        rows.addLayout(self._option_rows)
        self._build_limits(rows)
        self._build_price(rows)
        self.more = button("More options", "link", tip="The other options of the provider")
        line = QHBoxLayout()
        line.addWidget(self.more)
        line.addStretch(1)
        rows.addSpacing(GRID)
        rows.addLayout(line)
        rows.addLayout(self._more_rows)
        rows.addStretch(1)
        self.more.clicked.connect(self._more_clicked)

    # building

    def _build_model(self, rows: QVBoxLayout) -> None:
        self.name, self.provider, self.model, self.endpoint = QLineEdit(), QComboBox(), QComboBox(), QLineEdit()
        self.name.setMaxLength(40)
        self.name.setPlaceholderText("For example: Test bench")
        self.provider.addItems([each.title for each in self._providers])
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for combo in (self.provider, self.model):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.key, self.forget = QLineEdit(), button("Forget", name="Forget the key of this profile")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        key_line = QHBoxLayout()
        key_line.setSpacing(GRID)
        key_line.addWidget(self.key, 1)
        key_line.addWidget(self.forget)
        self._problem, self._endpoint_note, self._key_note = _note("trouble"), _note(), _note()
        grid = _grid()
        _add(grid, "Name", self.name, below=self._problem)
        _add(grid, "Provider", self.provider)
        _add(grid, "Model", self.model)
        _add(grid, "Endpoint", self.endpoint, below=self._endpoint_note)
        _add(grid, "Key", self.key, line=key_line, below=self._key_note)
        self.key.setAccessibleName("Key of this profile")
        rows.addLayout(grid)
        for line in (self.name, self.endpoint, self.key):
            line.textChanged.connect(self._edited)
        self.model.editTextChanged.connect(self._edited)
        self.provider.currentIndexChanged.connect(self._provider_changed)
        self.forget.clicked.connect(self._forget_clicked)

    def _build_limits(self, rows: QVBoxLayout) -> None:
        rows.addWidget(_heading("Limits"))
        grid = _grid()
        self.max_steps, self.max_minutes, self.max_cost = QSpinBox(), QDoubleSpinBox(), QLineEdit()
        self.max_steps.setRange(0, 100_000)
        self.max_minutes.setRange(0, 100_000)
        self.max_minutes.setDecimals(1)
        self.max_cost.setPlaceholderText("No limit")
        for spin in (self.max_steps, self.max_minutes):
            spin.setSpecialValueText("As in the set-up")
            roomy(spin)
        _add(grid, "Steps", self.max_steps)
        _add(grid, "Minutes of work", self.max_minutes)
        _add(grid, "Cost", self.max_cost)
        rows.addLayout(grid)
        self.max_steps.valueChanged.connect(self._edited)
        self.max_minutes.valueChanged.connect(self._edited)
        self.max_cost.textChanged.connect(self._edited)

    def _build_price(self, rows: QVBoxLayout) -> None:
        rows.addWidget(_heading("Price of a million tokens"))
        grid = _grid()
        self.prices = {name: QLineEdit() for name in _PRICES}
        self.currency = QLineEdit()
        self.currency.setMaxLength(8)
        self.currency.setPlaceholderText("USD")
        for name, title in _PRICES.items():
            self.prices[name].setPlaceholderText(_WITHOUT_PRICE.get(name, "Unknown"))
            _add(grid, title, self.prices[name])
            self.prices[name].setAccessibleName(f"Price of {title.lower()}")
        _add(grid, "Currency", self.currency)
        rows.addLayout(grid)
        for line in (*self.prices.values(), self.currency):
            line.textChanged.connect(self._edited)

    # showing

    def show_profile(self, profile: ModelProfile, before: str) -> None:
        """Fill the form; `before`: the name under which the profile is saved, "" for a new one."""
        self._profile, self._before, self._drop_key, self._untouched = profile, before, False, None
        names = [each.name for each in self._providers]
        self.name.setText(profile.name)
        self.provider.blockSignals(True)
        self.provider.setPlaceholderText(profile.provider)
        self.provider.setCurrentIndex(names.index(profile.provider) if profile.provider in names else -1)
        self.provider.blockSignals(False)
        self.endpoint.setText(profile.base_url)
        self.key.clear()
        self.max_steps.setValue(profile.max_steps or 0)
        self.max_minutes.setValue(profile.max_minutes or 0)
        self._shown_minutes = self.max_minutes.value()  # rounded
        self.max_cost.setText(_written(profile.max_cost))
        price = profile.price
        for name, line in self.prices.items():
            line.setText(_written(getattr(price, name)) if price else "")
        self.currency.setText(price.currency if price else "")
        self._problem.setText(profile.problem)
        self._problem.setVisible(bool(profile.problem))
        self._show_provider(profile.model, dict(profile.options))
        for line in (self.name, self.endpoint):
            line.setCursorPosition(0)
        self.verticalScrollBar().setValue(0)
        self._untouched = self.edit()
        self._edited()

    def _show_provider(self, model: str, options: dict[str, object]) -> None:
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
            line.setPlaceholderText(f"Default: {default}" if default else "Name of the model")
            line.setCursorPosition(0)
        self._show_options(choice, options)
        service = choice is None or choice.has_endpoint
        self.endpoint.setEnabled(service)
        common = "http://localhost:8000/v1" if choice and choice.needs_endpoint else "The provider’s own"
        self.endpoint.setPlaceholderText(common if service else "None")
        self.key.setEnabled(choice is None or choice.takes_key)

    def _show_options(self, choice: ProviderChoice | None, options: dict[str, object]) -> None:
        fields = choice.options if choice else ()
        common, others = [each for each in fields if each.common], [each for each in fields if not each.common]
        names = {each.name for each in common}
        for form in (self._options, self._more):
            form.hide()
            form.deleteLater()
        self._options = OptionForm(common, {name: value for name, value in options.items() if name in names})
        self._more = OptionForm(others, {name: value for name, value in options.items() if name not in names})
        self._option_rows.addWidget(self._options)
        self._more_rows.addWidget(self._more)
        for form in (self._options, self._more):
            form.changed.connect(self._edited)
        self._option_heading.setVisible(bool(common))
        self.more.setVisible(bool(others))
        self._more.setVisible(self._unfolded)
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
        made = ModelProfile(
            name=self.name.text().strip(),
            provider=choice.name if choice else self._profile.provider,
            model=self.model.currentText().strip(),
            base_url=self.endpoint.text().strip() if self.endpoint.isEnabled() else "",
            options={**self._options.values, **self._more.values},
            max_steps=self.max_steps.value() or None,
            max_minutes=self._minutes(),
            max_cost=_amount("The cost", self.max_cost),
            price=self._price(),
            own_key=self._profile.own_key,
        )
        key = self.key.text().strip() if self.key.isEnabled() else ""
        return ProfileEdit(profile=made, before=self._before, key=key or ("" if self._drop_key else None))

    def commit_numbers(self) -> None:
        """Take over what was typed into a spin box and not confirmed."""
        for spin in self.findChildren(QAbstractSpinBox):
            spin.interpretText()

    def discard(self) -> None:
        """What was changed need not be kept."""
        self._untouched = None

    def _minutes(self) -> float | None:
        value = self.max_minutes.value()
        return self._profile.max_minutes if value == self._shown_minutes else value or None

    def _price(self) -> Price | None:
        found = {name: _amount(f"The price of {title.lower()}", self.prices[name]) for name, title in _PRICES.items()}
        if all(amount is None for amount in found.values()):
            return None
        given, paid = found["input"], found["output"]
        if given is None or paid is None:
            lacking = "input" if given is None else "output"
            raise NoNumber(f"The price of {_PRICES[lacking].lower()}", self.prices[lacking])
        return Price(
            input=given, output=paid, cached=found["cached"], cache_write=found["cache_write"],
            currency=self.currency.text().strip() or "USD",
        )  # fmt: skip

    # events

    def _edited(self, _value: object = None) -> None:
        choice, own = self.chosen_provider, self._profile.own_key and not self._drop_key
        self.forget.setVisible(own)
        self.key.setPlaceholderText("Stored. Type another to replace it." if own else "No key of its own")
        typed = bool(self.key.text().strip())
        self._key_note.setText(_key_words(choice, own=own or typed, elsewhere=bool(self.endpoint.text().strip())))
        self._endpoint_note.setText(_endpoint_words(choice, self.endpoint.text().strip()))
        self._endpoint_note.setVisible(bool(self._endpoint_note.text()))
        self.changed.emit()

    def _provider_changed(self, _place: int) -> None:
        choice = self.chosen_provider
        same = choice is not None and choice.name == self._profile.provider
        self._show_provider(self._profile.model if same else "", dict(self._profile.options) if same else {})
        self.provider_changed.emit()
        self._edited()

    def _forget_clicked(self) -> None:
        self._drop_key = True
        self._edited()
        self.key.setFocus()

    def _more_clicked(self) -> None:
        self._unfolded = not self._unfolded
        self._more.setVisible(self._unfolded)
        name = "Fewer options" if self._unfolded else "More options"
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


def _grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(GRID * 2)
    grid.setVerticalSpacing(GRID)
    grid.setColumnMinimumWidth(0, LABEL_WIDTH)
    grid.setColumnStretch(1, 1)
    return grid


def _add(
    grid: QGridLayout, title: str, widget: QWidget, *, line: QLayout | None = None, below: QLabel | None = None
) -> None:
    """A row with a label and a widget, and a note below."""
    row = grid.rowCount()
    made = label(title, wrap=True)
    made.setFixedWidth(wide(LABEL_WIDTH))
    made.setBuddy(widget)
    widget.setAccessibleName(title)
    grid.addWidget(made, row, 0)
    if line is not None:
        grid.addLayout(line, row, 1)
    else:
        grid.addWidget(widget, row, 1)
    if below is not None:
        grid.addWidget(below, row + 1, 1)


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
        return "Your task, your messages and the pictures of the target go to this address."
    return "Most addresses end in /v1." if choice.needs_endpoint else ""


def _key_words(choice: ProviderChoice | None, *, own: bool, elsewhere: bool) -> str:
    """What is said below the key. `own`: it is there or typed; `elsewhere`: the profile has an endpoint of its own."""
    if choice is not None and not choice.takes_key:
        return "This provider needs no key."
    if own or choice is None:
        return "Kept in the system keyring, for this profile only."
    if choice.key_source:
        where = " and sent to this address" if elsewhere else ""
        return f"Without one, the provider’s key is used{where} ({choice.key_source})."
    if choice.needs_key:
        return "There is no key yet. What you enter is kept in the system keyring."
    return "Only if the endpoint wants one. What you enter is kept in the system keyring."


def _written(amount: Decimal | None) -> str:
    return "" if amount is None else format(amount, "f")


def _amount(title: str, line: QLineEdit) -> Decimal | None:
    """The amount in a line; None for an empty one. Raises NoNumber."""
    text = line.text().strip().replace(",", ".")
    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation as error:
        raise NoNumber(title, line) from error
    if not amount.is_finite():
        raise NoNumber(title, line)
    return amount
