"""Text and pictures inside a control are the control; what lies in none is itself."""

from __future__ import annotations

import pytest

from operator_console.domain.elements import Role
from operator_console.perception.accessibility.control_rule import Step, control_of


def path(*roles: Role | Step) -> list[Step]:
    return [role if isinstance(role, Step) else Step(role=role, named=True) for role in roles]


NAMELESS_BUTTON = Step(role=Role.BUTTON)
NAMELESS_FIELD = Step(role=Role.TEXT_FIELD)
ROW = Step(role=Role.LIST_ITEM, selectable=True)


@pytest.mark.parametrize(
    ("steps", "control"),
    [
        (path(Role.WINDOW, Role.BUTTON, Role.LABEL), 1),
        (path(Role.WINDOW, Role.LINK, Role.HEADING, Role.LABEL), 1),
        (path(Role.DOCUMENT, Role.BUTTON, Role.GROUP, Role.PARAGRAPH, Role.LABEL), 1),
        (path(Role.DOCUMENT, Role.LINK, Role.IMAGE), 1),
        (path(Role.WINDOW, Role.COMBO_BOX, NAMELESS_BUTTON, Role.LABEL), 1),
        (path(Role.WINDOW, Role.COMBO_BOX, Step(role=Role.GROUP), NAMELESS_BUTTON), 1),
        (path(Role.WINDOW, Role.COMBO_BOX, Step(role=Role.MENU)), 1),
        (path(Role.MENU_BAR, Step(role=Role.MENU)), 1),
        (path(Role.WINDOW, Role.SPIN_BUTTON, NAMELESS_FIELD), 1),
        (path(Role.WINDOW, Role.SPIN_BUTTON, Role.BUTTON), 2),
        (path(Role.LIST, ROW, Role.LABEL), 1),
        (path(Role.LIST, Role.LIST_ITEM, Role.LABEL), 2),
        (path(Role.DOCUMENT, Role.LINK, Role.LIST_ITEM, Role.LABEL), 1),
        (path(Role.TAB, Role.BUTTON), 1),
        (path(Role.LIST, ROW, Role.BUTTON, Role.LABEL), 2),
        (path(Role.MENU, Role.MENU_ITEM, Role.LABEL), 1),
        (path(Role.WINDOW, Role.GROUP, Role.LABEL), 2),
        (path(Role.BUTTON, Role.TABLE, Role.LABEL), 2),
        (path(Role.DOCUMENT, Role.HEADING, Role.LABEL), 1),
        (path(Role.WINDOW), 0),
    ],
)
def test_the_control_of_a_path(steps: list[Step], control: int) -> None:
    assert control_of(steps) == control
