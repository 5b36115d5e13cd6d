"""What a screen reader is told of a scrolled area, in place of Qt's own account of it.

Qt 6.11's QAccessibleScrollArea takes the number of a child as it comes: a reader that counts them, and then asks for
one whose scroll bar was hidden meanwhile, ends the process (any number that is too high does). QAccessibleWidget
checks the number, and counts what is hidden too, so the count stays.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QScrollArea


@cache
def describe_scrolled_areas() -> None:
    """From now on."""
    QAccessible.installFactory(_describe)


def _describe(class_name: str, described: QObject) -> QAccessibleInterface | None:
    if class_name == "QScrollArea" and isinstance(described, QScrollArea):
        return QAccessibleWidget(described, QAccessible.Role.Client)
    return None
