"""Which element of a path is the control: text and pictures inside a button are the button. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.domain.elements import Role

_CONTROLS = frozenset((
    Role.BUTTON, Role.CHECK_BOX, Role.COMBO_BOX, Role.HEADER, Role.LINK, Role.MENU, Role.MENU_ITEM,
    Role.PASSWORD_FIELD, Role.PROGRESS_BAR, Role.RADIO_BUTTON, Role.SCROLL_BAR, Role.SEARCH_FIELD, Role.SLIDER,
    Role.SPIN_BUTTON, Role.SWITCH, Role.TAB, Role.TERMINAL, Role.TEXT_FIELD, Role.TOGGLE_BUTTON,
))  # fmt: skip
_CONTROLS_IF_SELECTABLE = frozenset((Role.CELL, Role.LIST_ITEM, Role.TREE_ITEM))
_PARTS = frozenset((Role.GROUP, Role.HEADING, Role.IMAGE, Role.LABEL, Role.PARAGRAPH, Role.SEPARATOR, Role.UNKNOWN))
_WHOLES_OF_UNNAMED = frozenset((Role.COMBO_BOX, Role.SPIN_BUTTON, Role.SEARCH_FIELD, Role.TEXT_FIELD))
_PARTS_IF_UNNAMED = frozenset((Role.BUTTON, Role.LIST, Role.MENU, Role.TEXT_FIELD, Role.TOGGLE_BUTTON))

ACTIONABLE = _CONTROLS | _CONTROLS_IF_SELECTABLE
"""Roles that can be pressed, typed into or chosen."""

READABLE = ACTIONABLE | frozenset((
    Role.ALERT, Role.DIALOG, Role.HEADING, Role.IMAGE, Role.LABEL, Role.LIST, Role.PARAGRAPH, Role.STATUS_BAR,
    Role.TABLE, Role.TOOL_TIP, Role.TREE,
))  # fmt: skip
"""Roles of what a person can read or use."""

TEXTS = frozenset((Role.HEADING, Role.LABEL, Role.PARAGRAPH, Role.STATUS_BAR, Role.TOOL_TIP))
"""Roles of what is only read."""

CONTAINERS = frozenset((
    Role.DIALOG, Role.DOCUMENT, Role.FORM, Role.GROUP, Role.LIST, Role.MENU_BAR, Role.STATUS_BAR, Role.TABLE,
    Role.TAB_LIST, Role.TITLE_BAR, Role.TOOL_BAR, Role.TREE, Role.WINDOW,
))  # fmt: skip
"""Roles that hold controls; the text inside them is not theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One element of a path.

    Attributes:
        role: the kind of widget.
        named: whether it has an accessible name.
        selectable: whether it can be selected or focused.
    """

    role: Role
    named: bool = False
    selectable: bool = False


def control_of(path: Sequence[Step]) -> int:
    """The index of the control in a path from the window down to the deepest element at a point.

    A label, icon, paragraph or nameless box inside a control is part of it, and so are the nameless button, field
    and list of a combo box or spin button. Text in a heading is the heading. What lies in no control is itself.
    """
    index = len(path) - 1
    for above in range(index - 1, -1, -1):
        if not _is_part(path, above + 1):
            break
        if is_control(path[above]) or path[above].role is Role.HEADING:
            index = above
    return index


def is_control(step: Step) -> bool:
    """Whether it can be pressed, typed into or chosen; entries of lists only where they can be selected."""
    return step.role in _CONTROLS or (step.role in _CONTROLS_IF_SELECTABLE and step.selectable)


def is_readable(step: Step) -> bool:
    """Whether a person can read or use it: a control, or what has a name."""
    return is_control(step) or (step.role in READABLE and step.named)


def _is_part(path: Sequence[Step], index: int) -> bool:
    step = path[index]
    whole = next((each for each in reversed(path[:index]) if each.role is not Role.GROUP or each.named), path[0])
    if step.role in _PARTS or (step.role in _CONTROLS_IF_SELECTABLE and not step.selectable):
        return True
    return step.role in _PARTS_IF_UNNAMED and not step.named and whole.role in _WHOLES_OF_UNNAMED
