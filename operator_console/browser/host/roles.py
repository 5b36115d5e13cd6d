"""What each side may do: a closed list of commands for each socket that the browser host listens on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """The sockets of the host. One connection at a time is served on each."""

    LOOK = "look"
    """The console: sees, and changes nothing, but for a page that has crashed, which it may load again."""
    ACT = "act"
    """The injector."""
    HAND = "hand"
    """The operator's own pointer and keys, where the browser has no window."""


_SEES = frozenset((
    "Accessibility.getFullAXTree", "Accessibility.getPartialAXTree", "DOM.describeNode", "DOM.getContentQuads",
    "DOM.getFrameOwner", "DOM.getNodeForLocation", "DOMSnapshot.captureSnapshot", "Page.captureScreenshot",
    "Page.getLayoutMetrics", "Operator.elements", "Operator.lastPaint", "Operator.revive", "Operator.state",
    "Operator.text",
))  # fmt: skip
_INPUT = frozenset((
    "Input.cancelDragging", "Input.dispatchDragEvent", "Input.dispatchKeyEvent", "Input.dispatchMouseEvent",
    "Input.insertText", "Input.setInterceptDrags", "Operator.dialog", "Operator.release",
))  # fmt: skip
_GOES = frozenset((
    "Operator.closeTab", "Operator.element", "Operator.history", "Operator.navigate", "Operator.openTab",
    "Operator.showTab",
))  # fmt: skip

COMMANDS: Mapping[Role, frozenset[str]] = {
    Role.LOOK: _SEES,
    Role.ACT: _SEES | _INPUT | _GOES,
    Role.HAND: _INPUT | _GOES,
}
"""Any other command is refused."""

ADDRESS_NOT_OPENED = 1
"""The code of the error that answers a command to go to an address that is none of a page's."""


def is_input(method: str) -> bool:
    """Whether it sends input to the page: one is on its way at a time."""
    return method.startswith("Input.")
