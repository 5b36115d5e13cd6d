"""The permissions that stand in the session, each with a button that ends it at once."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from operator_console.domain.intents import Revoke
from operator_console.domain.message_texts import worded
from operator_console.domain.permissions import Permission
from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, breakable, button, column, label, plain, row_layout
from operator_console.ui.widgets.fitting_scroll_area import FittingScrollArea


class PermissionList(QFrame):
    """Its panel hides it while there are none, or no room.

    Signals:
        intent: carries a Revoke.
    """

    intent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "plain")
        self._shown: tuple[Permission, ...] = ()
        rows = column(self, spacing=4, margins=(16, 10, 16, 10))
        rows.addWidget(label(_("Permitted until this session ends"), "heading", wrap=True))
        self._rows = plain()
        self._column = column(self._rows, spacing=6)
        self._area = FittingScrollArea(self._rows)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        rows.addWidget(self._area)
        self.hide()

    @property
    def shown(self) -> tuple[Permission, ...]:
        """Those that are listed."""
        return self._shown

    def show_permissions(self, permissions: tuple[Permission, ...]) -> None:
        """List these."""
        if permissions != self._shown:
            self._shown = permissions
            while (item := self._column.takeAt(0)) is not None:
                if (old := item.widget()) is not None:
                    old.deleteLater()
            for permission in permissions:
                self._column.addWidget(self._row(permission))

    def _row(self, permission: Permission) -> QWidget:
        row = plain()
        line = row_layout(row, spacing=GRID, margins=(0, 0, 0, 0))
        words = worded(permission.coverage.what)
        line.addWidget(label(breakable(words), wrap=True), 1)
        revoke = button(
            _("Revoke"), "link", name=_("Revoke: {what}").format(what=words), tip=_("From now on you are asked again")
        )
        revoke.clicked.connect(partial(self._revoke, permission.permission_id))
        line.addWidget(revoke)
        return row

    def _revoke(self, permission_id: str, _checked: object = None) -> None:
        self.intent.emit(Revoke(permission_id=permission_id))
