"""API keys: the dialog to enter, replace or forget a service's key, and what becomes of the key."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QProgressBar, QRadioButton, QVBoxLayout, QWidget

from operator_console.domain.api_keys import KeyPlace
from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, ModelChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.web_links import open_web_page
from operator_console.ui.widgets.controls import (
    GRID,
    breakable,
    button,
    button_row,
    column,
    enable,
    fit_height,
    label,
    row_layout,
    set_role,
)
from operator_console.ui.window import MainWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntered:
    """A key to keep; hidden from `repr`."""

    choice: ModelChoice
    key: str = field(repr=False)
    place: KeyPlace = KeyPlace.KEYRING


WIDTH = 460


def _already_kept(place: KeyPlace) -> str:
    """That there is a key already, and what a new one does to it."""
    match place:
        case KeyPlace.KEYRING:
            return _("A key is saved in the system keyring. A new one replaces it.")
        case KeyPlace.SESSION:
            return _("A key is kept until the console closes. A new one replaces it.")
        case KeyPlace.ENVIRONMENT:
            return _("The key comes from the environment. A key for the session is used instead of it.")


def _where_kept(place: KeyPlace) -> str:
    """Where a key entered now is kept."""
    if place is KeyPlace.KEYRING:
        return _("Saved in the system keyring, nowhere else.")
    return _("Held in memory, never written to a file. Enter it again after the next start.")


class KeyDialog(QDialog):
    """Asks for a key and where to keep it, and shows the result of its check.

    Signals:
        entered: carries a KeyEntered; the caller keeps and checks it, then calls `show_result` or `show_error`.
        forget_pressed: the key should be forgotten; carries the ModelChoice. The caller then calls `show_forgotten`.
    """

    entered = Signal(object)
    forget_pressed = Signal(object)

    def __init__(self, choice: ModelChoice, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.choice = choice
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("API key — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(breakable(_("API key for {model}").format(model=choice.title)), "title", wrap=True))
        self._known = label(role="note", wrap=True)
        self.forget = button(_("Forget this key"), "link")
        rows.addWidget(self._known)
        rows.addWidget(self.forget, 0, Qt.AlignmentFlag.AlignLeft)
        self._build_key(rows)
        self.in_keyring, self.for_session = (
            QRadioButton(_("Keep in the system keyring")),
            QRadioButton(_("Only until the console closes")),
        )
        self.in_keyring.setChecked(True)
        self._note = label(_where_kept(KeyPlace.KEYRING), "secondary", wrap=True)
        for part in (self.in_keyring, self.for_session, self._note):
            rows.addWidget(part)
        if choice.leaves:
            rows.addWidget(label(_("What leaves this machine"), "heading"))
            rows.addWidget(label(breakable(choice.leaves), wrap=True))
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.hide()
        self._result = label(wrap=True)
        self._result.hide()
        rows.addWidget(self._busy)
        rows.addWidget(self._result)
        self._build_buttons(rows)
        self._show_known(choice.key_place)
        self._connect()
        self.key.setFocus()
        fit_height(self, WIDTH)

    def _build_key(self, rows: QVBoxLayout) -> None:
        head = QHBoxLayout()
        heading = label(_("API key"), "heading")
        head.addWidget(heading)
        head.addStretch(1)
        self.get = button(
            _("Get a key"), "link", tip=_("Opens {address} in your browser").format(address=self.choice.key_page)
        )
        self.get.setVisible(bool(self.choice.key_page))
        head.addWidget(self.get)
        rows.addLayout(head)
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setAccessibleName(_("Key"))
        heading.setBuddy(self.key)
        self.reveal = button(_("Show"), name=_("Show the key"))
        self.reveal.setCheckable(True)
        line = row_layout(spacing=GRID)
        line.addWidget(self.key, 1)
        line.addWidget(self.reveal)
        rows.addLayout(line)

    def _build_buttons(self, rows: QVBoxLayout) -> None:
        self.cancel = button(_("Cancel"))
        self.keep = button(_("Check and save"), "primary")
        rows.addLayout(button_row(self.cancel, self.keep))
        enable(self.keep, _("Enter a key first."))

    def _connect(self) -> None:
        self.key.textChanged.connect(self._changed)
        self.key.returnPressed.connect(self._entered)
        self.reveal.toggled.connect(self._reveal)
        self.for_session.toggled.connect(self._place_changed)
        self.get.clicked.connect(self._get_clicked)
        self.forget.clicked.connect(self._forget_clicked)
        self.keep.clicked.connect(self._entered)
        self.cancel.clicked.connect(self.reject)

    @property
    def place(self) -> KeyPlace:
        """Where the key is to be kept."""
        return KeyPlace.SESSION if self.for_session.isChecked() else KeyPlace.KEYRING

    def show_keyring(self, trouble: str) -> None:
        """Show why the keyring cannot be used; then the key is kept for the session. "": it can be used."""
        self.in_keyring.setEnabled(not trouble)
        if trouble:
            self.for_session.setChecked(True)
            self._note.setText(
                _("The system keyring can’t be used: {why}").format(why=trouble) + " " + _where_kept(KeyPlace.SESSION)
            )
            fit_height(self, WIDTH)

    def show_result(self, text: str, place: KeyPlace) -> None:
        """Show that the key is kept and works."""
        self._settle(text, "secondary")
        self.cancel.setText(_("Close"))
        self.cancel.setAccessibleName(_("Close"))
        self.key.clear()
        self._show_known(place)
        self.cancel.setFocus()

    def show_forgotten(self) -> None:
        """Show that the key was forgotten."""
        self._show_known(None)
        self._settle(_("The key is forgotten."), "secondary")

    def show_error(self, error: ConsoleError) -> None:
        """Show why the key was not kept, or does not work."""
        self._settle(" ".join(filter(None, error.worded)), "trouble")
        self.key.setFocus()

    def _show_known(self, place: KeyPlace | None) -> None:
        self._known.setText(_already_kept(place) if place is not None else "")
        self._known.setVisible(place is not None)
        self.forget.setVisible(place in (KeyPlace.KEYRING, KeyPlace.SESSION))
        fit_height(self, WIDTH)

    def _settle(self, text: str, role: str) -> None:
        self._busy.hide()
        set_role(self._result, role=role)
        self._result.setText(breakable(text))
        self._result.setAccessibleName(text)
        self._result.show()
        self.key.setEnabled(True)
        self._changed("")
        fit_height(self, WIDTH)

    def _changed(self, _text: str) -> None:
        if self.key.isEnabled():
            enable(self.keep, "" if self.key.text().strip() else _("Enter a key first."))

    def _reveal(self, shown: bool) -> None:
        self.key.setEchoMode(QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password)

    def _place_changed(self, _checked: bool) -> None:
        self._note.setText(_where_kept(self.place))
        word = _("Check and use") if self.place is KeyPlace.SESSION else _("Check and save")
        self.keep.setText(word)
        self.keep.setAccessibleName(word)
        fit_height(self, WIDTH)

    def _get_clicked(self) -> None:
        open_web_page(self.choice.key_page)

    def _forget_clicked(self) -> None:
        self.forget_pressed.emit(self.choice)

    def _entered(self) -> None:
        key = self.key.text().strip()
        if not key or not self.key.isEnabled():
            return
        self.reveal.setChecked(False)
        self.cancel.setFocus()  # else it would go on to the button that shows the key
        self.key.setEnabled(False)
        enable(self.keep, _("The key is being checked."))
        self._result.hide()
        self._busy.show()
        fit_height(self, WIDTH)
        self.entered.emit(KeyEntered(choice=self.choice, key=key, place=self.place))


TASK, KEYRING = "key", "keyring"


class ApiKeyController(QObject):
    """Handles the key dialog.

    Signals:
        kept: a key was kept or forgotten; carries the ModelChoice. The model list should be refreshed.
    """

    kept = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._dialog: KeyDialog | None = None

    @property
    def dialog(self) -> KeyDialog | None:
        """The open dialog; None while closed."""
        return self._dialog

    def enter(self, choice: object) -> None:
        """Open the dialog for a model's key."""
        if not isinstance(choice, ModelChoice):
            return
        dialog = self._dialog = KeyDialog(choice, self._window)
        dialog.entered.connect(self._entered)
        dialog.forget_pressed.connect(self._forget_pressed)
        dialog.finished.connect(self._closed)
        dialog.open()
        self._bridge.run(KEYRING, self._ask_keyring())

    def failed(self, error: ConsoleError) -> bool:
        """Show the error in the dialog; returns False if it is closed."""
        if self._dialog is None:
            return False
        self._dialog.show_error(error)
        return True

    def _entered(self, entered: KeyEntered) -> None:
        self._bridge.run(TASK, self._keep(entered))

    def _forget_pressed(self, choice: ModelChoice) -> None:
        self._bridge.run(TASK, self._forget(choice))

    async def _ask_keyring(self) -> None:
        trouble = await self._backend.keyring_trouble()
        if self._dialog is not None:
            self._dialog.show_keyring(trouble)

    async def _keep(self, entered: KeyEntered) -> None:
        await self._backend.store_key(entered.choice, entered.key, entered.place)
        self.kept.emit(entered.choice)
        told = await self._backend.check_key(entered.choice)
        if self._dialog is not None:
            self._dialog.show_result(told, entered.place)

    async def _forget(self, choice: ModelChoice) -> None:
        await self._backend.forget_key(choice)
        self.kept.emit(choice)
        if self._dialog is not None:
            self._dialog.show_forgotten()

    def _closed(self, _result: int) -> None:
        self._dialog = None
        for name in (TASK, KEYRING):
            self._bridge.cancel(name)
