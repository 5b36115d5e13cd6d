"""Has a screen reader say a text that appeared without the focus moving to it, such as a question or a stop."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from operator_console.engine.visible_text import brief

LONGEST = 400
"""Characters; the middle of a longer text is left out."""


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Announce a text of a widget that is shown. Nothing happens while no screen reader listens.

    Args:
        widget: where it is shown.
        text: what to say.
        urgent: say it at once, in the middle of what is being read.
    """
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, brief(text, LONGEST))
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)
