"""Shows a screen reader the menu that is open over a window.

Qt (6.11) leaves menus that pop up out of its accessibility tree: a reader hears of the entry that has the keyboard, but
finds neither the menu nor the other entries. While a menu is open, it is the last child of its window.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QApplication, QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

_ROLES = {"QMainWindow": QAccessible.Role.Window, "QDialog": QAccessible.Role.Dialog}
"""The windows that this is for, with the roles that Qt gives them."""


@cache
def describe_open_menus() -> None:
    """Install the interface for all such windows created from now on."""
    QAccessible.installFactory(_describe)


def _describe(class_name: str, described: QObject) -> QAccessibleInterface | None:
    role = _ROLES.get(class_name)
    return _Window(described, role) if role is not None and isinstance(described, QWidget) else None


def close_when_run(menu: QMenu) -> None:
    """Close the menu also when a screen reader runs an entry: Qt closes it only for a click or a key."""
    menu.triggered.connect(menu.close)


class _Window(QAccessibleWidget):
    def childCount(self) -> int:
        return super().childCount() + (self._menu() is not None)

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        menu = self._menu()
        if menu is not None and index == super().childCount():
            return QAccessible.queryAccessibleInterface(menu)
        return super().child(index)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        menu = self._menu()
        return super().childCount() if menu is not None and child.object() is menu else super().indexOfChild(child)

    def _menu(self) -> QWidget | None:
        """The menu that is open over this window; the outermost of several."""
        found = QApplication.activePopupWidget()
        while found is not None and found.inherits("QMenu"):  # importing QMenu here would delay the first paint
            owner = found.parentWidget()
            if owner is None or not owner.inherits("QMenu"):
                return found if owner is not None and owner.window() is self.object() else None
            found = owner
        return None
