"""Replaces Qt's accessibility interface of scroll areas, which can crash.

Qt 6.11's QAccessibleScrollArea does not check the index of a child: a screen reader that counts the children and then
asks for one whose scroll bar was hidden meanwhile ends the process (as any index out of range does).
QAccessibleWidget checks the index, and counts hidden children too, so the count stays the same.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QScrollArea


@cache
def describe_scrolled_areas() -> None:
    """Install the interface for all scroll areas created from now on."""
    QAccessible.installFactory(_describe)


def _describe(class_name: str, described: QObject) -> QAccessibleInterface | None:
    if class_name == "QScrollArea" and isinstance(described, QScrollArea):
        return QAccessibleWidget(described, QAccessible.Role.Client)
    return None
