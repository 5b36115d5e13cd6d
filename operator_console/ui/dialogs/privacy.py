"""What leaves this machine: read before the first session with a service that the operator was not told about.

The sheet has no default button.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QWidget

from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, ModelChoice
from operator_console.ui.widgets.controls import GRID, breakable, button, button_row, column, label, plain
from operator_console.ui.widgets.show_without_focus import open_modal
from operator_console.ui.window import MainWindow

WIDTH = 500
QWIDGETSIZE_MAX = 16_777_215
"""Qt's value for "no largest size", which PySide does not have."""
LEAST_LINES = 8
"""Lines of text that can be seen at least; the rest is scrolled to."""


class PrivacySheet(QDialog):
    """The text in a scrolled middle, with buttons that always can be seen.

    Signals:
        agreed: no payload; closing it in any other way starts nothing.
    """

    agreed = Signal()

    def __init__(self, choice: ModelChoice, parent: QWidget, act: str) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("What leaves this machine — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("What leaves this machine"), "title", wrap=True))
        rows.addWidget(
            label(
                breakable(_("Read this once before the first session with {model}.").format(model=choice.title)),
                "hint",
                wrap=True,
            )
        )
        self.text = QScrollArea()
        self.text.setWidgetResizable(True)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setAccessibleName(_("What leaves this machine"))
        inner = plain()
        said = column(inner, spacing=GRID, margins=(0, 4, 8, 4))
        self.leaves = label(breakable(choice.leaves), wrap=True)
        said.addWidget(self.leaves)
        parts = (
            (
                _("When"),
                _("With every step, from Start until the session ends. Nothing is sent while you are in control."),
            ),
            (
                _("What stays here"),
                _(
                    "The record of the session, with its pictures and everything typed. It holds no API key, "
                    "and is not sent anywhere."
                ),
            ),
            (
                _("Before you start"),
                _("Close what the service must not see, or choose one window or an isolated desktop as the target."),
            ),
        )
        for heading, text in parts:
            said.addWidget(label(heading, "heading", wrap=True))
            said.addWidget(label(text, wrap=True))
        said.addWidget(
            label(_("You find this again below the model, under “What leaves this machine”."), "secondary", wrap=True)
        )
        said.addStretch(1)
        self.text.setWidget(inner)
        rows.addWidget(self.text, 1)
        self.cancel, self.agree = button(_("Cancel")), button(act)
        rows.addLayout(button_row(self.cancel, self.agree))
        self.cancel.clicked.connect(self.reject)
        self.agree.clicked.connect(self._agreed)
        self._fit(inner)

    def _fit(self, inner: QWidget) -> None:
        """As high as the text needs, within the screen; never less than some lines of text."""
        for part in self.findChildren(QWidget):
            part.ensurePolished()
        layout, text = self.layout(), inner.layout()
        assert layout is not None
        assert text is not None
        self.text.setFixedHeight(text.totalHeightForWidth(WIDTH - 48 - 2) + 2)
        needed = layout.totalHeightForWidth(WIDTH)
        self.text.setMinimumHeight(self.fontMetrics().lineSpacing() * LEAST_LINES)
        self.text.setMaximumHeight(QWIDGETSIZE_MAX)
        room = self.screen().availableSize()
        self.resize(min(WIDTH, room.width() - 32), min(needed, room.height() - 64))

    def _agreed(self) -> None:
        self.agreed.emit()
        self.accept()


class PrivacyController(QObject):
    """Asks before a start. The operator counts as told only once the service has answered: a session has
    started (`SessionController`), or the scope was suggested."""

    def __init__(self, backend: ConsoleBackend, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._window = backend, window
        self._go: Callable[[], None] | None = None
        self.sheet: PrivacySheet | None = None

    def before(self, choice: ModelChoice | None, go: Callable[[], None], *, act: str = "") -> None:
        """Run `go` at once, or after the operator read the sheet and agreed; not at all if it is cancelled.

        `act`: what the button says that agrees; "" for the start of a session.
        """
        if choice is None or choice.told or not choice.leaves:
            go()
            return
        if self.sheet is not None:
            return
        self._go = go
        sheet = self.sheet = PrivacySheet(choice, self._window, act or _("Start the session"))
        sheet.agreed.connect(self._agreed)
        sheet.finished.connect(self._closed)
        open_modal(sheet, takes_focus=self._backend.has_focus())  # a start that waited for the models asks late

    def close(self) -> None:
        """Close the sheet without a start."""
        if self.sheet is not None:
            self.sheet.reject()

    def _agreed(self) -> None:
        go, self._go = self._go, None
        if go is not None:
            go()

    def _closed(self, _result: int) -> None:
        self.sheet = self._go = None
