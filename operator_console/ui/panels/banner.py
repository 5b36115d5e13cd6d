"""A strip across the window for a stop, an error with its remedy, or another notice to the operator.

It says what happened and what to do, and has a button for it. Not a log and not a dialog.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _
from operator_console.ui.widgets.announcement import announce
from operator_console.ui.widgets.controls import GRID, breakable, button, column, label, row_layout, set_role, show_text


class Tone(StrEnum):
    """Severity of a notice."""

    STOP = "stop"
    ERROR = "error"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What the strip shows.

    Attributes:
        progress: how far what the title names has come; follows the title, and is not read out when it changes.
        act: the button's text, "" for none.
        key: identifies the notice when its button is pressed.
    """

    tone: Tone
    title: str
    progress: str = ""
    detail: str = ""
    act: str = ""
    key: str = ""
    closable: bool = True

    @classmethod
    def of(cls, error: ConsoleError, *, act: str = "", key: str = "") -> Notice:
        """A notice of an error: its title, detail and remedy."""
        title, *more = error.worded
        return cls(tone=Tone.ERROR, title=title, detail=" ".join(filter(None, more)), act=act, key=key)


class Banner(QFrame):
    """One notice with its button.

    Signals:
        acted: its button was pressed; carries the Notice.
        closed: it was closed; carries the Notice.
    """

    acted = Signal(object)
    closed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self._notice: Notice | None = None
        row = row_layout(self, spacing=GRID + 4, margins=(16, GRID, 12, GRID))
        words = column(spacing=2)
        self._title = label(role="strong", wrap=True)
        self._detail = label(wrap=True)
        words.addWidget(self._title)
        words.addWidget(self._detail)
        row.addLayout(words, 1)
        self._act = button("")
        self._close = button(_("Close"), name=_("Close this message"))
        row.addWidget(self._act)
        row.addWidget(self._close)
        self._act.clicked.connect(self._acted)
        self._close.clicked.connect(self._closed)
        self.hide()

    @property
    def notice(self) -> Notice | None:
        """The notice shown; None while the banner is hidden."""
        return self._notice

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice; None hides the banner."""
        before = self._notice
        if notice == before:
            return
        self._notice = notice
        self.setVisible(notice is not None)
        if notice is None:
            return
        goes_on = before is not None and replace(before, progress=notice.progress) == notice
        for part in (self, self._title, self._detail):
            set_role(part, tone=notice.tone.value)
        self._title.setText(f"{notice.title} {notice.progress}".strip())
        show_text(self._detail, breakable(notice.detail))
        self._act.setText(notice.act)
        self._act.setAccessibleName(notice.act)
        self._act.setVisible(bool(notice.act))
        self._close.setVisible(notice.closable)
        words = f"{notice.title} {notice.detail}".strip()
        self.setAccessibleName(words)
        if not goes_on:
            announce(self, words, urgent=notice.tone is not Tone.INFO)

    def _acted(self) -> None:
        if self._notice is not None:
            self.acted.emit(self._notice)

    def _closed(self) -> None:
        notice = self._notice
        self.show_notice(None)
        if notice is not None:
            self.closed.emit(notice)
