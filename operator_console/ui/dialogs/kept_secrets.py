"""The dialog in which secrets that can be typed by name are stored, replaced and deleted. No value is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QListWidget, QListWidgetItem, QWidget

from operator_console.domain.errors import ConsoleError, OperatorError
from operator_console.domain.secrets_by_name import NamedSecret, binding_text, checked_name, parse_bindings, placeholder
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.widgets.controls import GRID, button, button_row, column, enable, fit_height, label

TASK = "secrets"
WIDTH = 480
_LIST_HEIGHT = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretEntered:
    """A secret to keep; the value is hidden from `repr`."""

    secret: NamedSecret
    value: str = field(repr=False)


class SecretsDialog(QDialog):
    """Lists the secrets and takes one.

    Signals:
        entered: carries a SecretEntered; the caller then calls `show_secrets` or `show_error`.
        delete_pressed: carries the name of a secret; the same follows.
    """

    entered = Signal(object)
    delete_pressed = Signal(object)

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Secrets — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("Secrets"), "title"))
        explained = _(
            "A secret is typed where a task, a runbook or a model writes {placeholder}: only into a field for a "
            "password, and only where it is bound to. The model never gets it, and no picture or record has it."
        ).format(placeholder=placeholder("NAME"))
        rows.addWidget(label(explained, "secondary", wrap=True))
        self.list = QListWidget()
        self.list.setProperty("role", "boxed")
        self.list.setAccessibleName(_("Secrets"))
        self.list.setFixedHeight(_LIST_HEIGHT)
        rows.addWidget(self.list)
        self.name, self.places, self.value = QLineEdit(), QLineEdit(), QLineEdit()
        self.places.setPlaceholderText(_("site:https://example.org, app:NAME or window:TITLE"))
        self.value.setEchoMode(QLineEdit.EchoMode.Password)
        grid = QGridLayout()
        grid.setVerticalSpacing(GRID)
        grid.setHorizontalSpacing(GRID * 2)
        fields = ((_("Name"), self.name), (_("Bound to"), self.places), (_("Value"), self.value))
        for row, (title, part) in enumerate(fields):
            heading = label(title)
            heading.setBuddy(part)
            part.setAccessibleName(title)
            grid.addWidget(heading, row, 0)
            grid.addWidget(part, row, 1)
        rows.addLayout(grid)
        self._trouble = label(role="trouble", wrap=True)
        self._trouble.hide()
        rows.addWidget(self._trouble)
        self.delete, self.close_button, self.keep = (
            button(_("Delete")),
            button(_("Close")),
            button(_("Save"), "primary"),
        )
        rows.addLayout(button_row(self.delete, self.close_button, self.keep))
        self.list.currentItemChanged.connect(self._chosen)
        for part in (self.name, self.places, self.value):
            part.textChanged.connect(self._changed)
        self.delete.clicked.connect(self._delete)
        self.keep.clicked.connect(self._keep)
        self.close_button.clicked.connect(self.reject)
        self._changed()
        fit_height(self, WIDTH)

    def show_secrets(self, secrets: Sequence[NamedSecret]) -> None:
        """List these; the fields are emptied."""
        self.list.clear()
        for secret in secrets:
            item = QListWidgetItem(f"{secret.name} — {', '.join(map(binding_text, secret.bound_to))}")
            item.setData(Qt.ItemDataRole.UserRole, secret)
            self.list.addItem(item)
        for part in (self.name, self.places, self.value):
            part.clear()
        self.show_error(None)

    def show_error(self, error: ConsoleError | None) -> None:
        """Say why a secret cannot be kept or read; None: nothing."""
        self._trouble.setText("" if error is None else " ".join(filter(None, error.worded)))
        self._trouble.setVisible(error is not None)

    @property
    def _selected(self) -> NamedSecret | None:
        row = self.list.currentRow()
        found = self.list.item(row).data(Qt.ItemDataRole.UserRole) if row >= 0 else None
        return found if isinstance(found, NamedSecret) else None

    def _chosen(self) -> None:
        secret = self._selected
        if secret is not None:
            self.name.setText(secret.name)
            self.places.setText(", ".join(map(binding_text, secret.bound_to)))
            self.value.clear()
        self._changed()

    def _changed(self) -> None:
        complete = all(part.text().strip() for part in (self.name, self.places, self.value))
        enable(self.keep, "" if complete else _("Enter a name, where it may be typed, and the value."))
        enable(self.delete, "" if self._selected is not None else _("Choose a secret first."))

    def _keep(self) -> None:
        places = (part.strip() for part in self.places.text().split(","))
        try:
            bound_to = parse_bindings(part for part in places if part)
            secret = NamedSecret(name=checked_name(self.name.text().strip()), bound_to=bound_to)
        except OperatorError as error:
            self.show_error(error)
            return
        self.entered.emit(SecretEntered(secret=secret, value=self.value.text()))

    def _delete(self) -> None:
        if self._selected is not None:
            self.delete_pressed.emit(self._selected.name)


class SecretsController(QObject):
    """Opens the dialog and keeps what is entered in it."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge) -> None:
        super().__init__()
        self._backend, self._bridge = backend, bridge
        self.dialog: SecretsDialog | None = None

    def open(self, parent: QWidget) -> None:
        """Open the dialog; the keyring is read meanwhile."""
        dialog = self.dialog = SecretsDialog(parent)
        dialog.entered.connect(self._entered)
        dialog.delete_pressed.connect(self._delete_pressed)
        dialog.finished.connect(self._closed)
        dialog.open()
        self._bridge.run(TASK, self._show())

    def _entered(self, entered: object) -> None:
        assert isinstance(entered, SecretEntered)
        self._bridge.run(TASK, self._keep(entered))

    def _delete_pressed(self, name: object) -> None:
        self._bridge.run(TASK, self._delete(str(name)))

    async def _keep(self, entered: SecretEntered) -> None:
        try:
            await self._backend.store_secret(entered.secret, entered.value)
        except ConsoleError as error:
            self._say(error)
            return
        await self._show()

    async def _delete(self, name: str) -> None:
        try:
            await self._backend.delete_secret(name)
        except ConsoleError as error:
            self._say(error)
            return
        await self._show()

    async def _show(self) -> None:
        try:
            secrets = await self._backend.secrets()
        except ConsoleError as error:
            self._say(error)
            return
        if self.dialog is not None:
            self.dialog.show_secrets(secrets)

    def _say(self, error: ConsoleError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)

    def _closed(self, _result: int) -> None:
        self.dialog = None
        self._bridge.cancel(TASK)
