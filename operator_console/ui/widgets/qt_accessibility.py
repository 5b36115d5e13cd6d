"""Mends what Qt (6.11) tells a screen reader.

Menus: Qt leaves those that pop up out of its accessibility tree. A reader hears of the entry that has the keyboard, but
finds neither the menu nor the other entries. While a menu is open, it is the last child of its window here.

Scroll areas: QAccessibleScrollArea does not check the index of a child. A screen reader that counts the children and
then asks for one whose scroll bar was hidden meanwhile ends the process (as any index out of range does).
QAccessibleWidget checks the index, and counts hidden children too, so the count stays the same.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QApplication, QScrollArea, QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

_ROLES = {"QMainWindow": QAccessible.Role.Window, "QDialog": QAccessible.Role.Dialog}
"""The windows that can have menus open, with the roles that Qt gives them."""


@cache
def mend_accessibility() -> None:
    """Install the interfaces for all such widgets created from now on."""
    QAccessible.installFactory(_describe)


def _describe(class_name: str, described: QObject) -> QAccessibleInterface | None:
    if class_name == "QScrollArea" and isinstance(described, QScrollArea):
        return QAccessibleWidget(described, QAccessible.Role.Client)
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
