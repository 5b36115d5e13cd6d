"""Which accessible action stands for a click, and what has an identity."""

from __future__ import annotations

import pytest

from operator_console.domain.element_uses import accessible_name, identity_of, press_of
from operator_console.domain.elements import Element, Role
from operator_console.domain.geometry import Rect

BOX = Rect(1, 2, 30, 10)


@pytest.mark.parametrize(
    ("role", "actions", "name"),
    [
        (Role.BUTTON, ("SetFocus", "Press"), "Press"),
        (Role.BUTTON, ("showContextMenu", "clickAncestor"), ""),
        (Role.CHECK_BOX, ("Press", "SetFocus", "Toggle"), "Press"),
        (Role.CHECK_BOX, ("uncheck",), "uncheck"),
        (Role.LINK, ("jump", "showContextMenu"), "jump"),
        (Role.TEXT_FIELD, ("activate",), ""),
        (Role.CELL, ("activate", "edit", "click"), ""),
        (Role.LIST_ITEM, ("Toggle",), ""),
        (Role.LIST_ITEM, ("select",), "select"),
        (Role.COMBO_BOX, ("ShowMenu", "Press"), "Press"),
        (Role.UNKNOWN, ("click",), ""),
    ],
)
def test_only_what_does_what_a_click_does_is_a_press(role: Role, actions: tuple[str, ...], name: str) -> None:
    assert press_of(role, actions) == name


@pytest.mark.parametrize(("told", "name"), [("Save\n  draft ", "Save draft"), ("GtkEntry", ""), ("(null)", "")])
def test_a_name_is_on_one_line_and_no_class(told: str, name: str) -> None:
    assert accessible_name(told) == name


def test_text_that_was_read_has_no_identity() -> None:
    known = Element(element_id=":1.2/a", role=Role.BUTTON, name="Save", box=BOX, pid=5, extents=BOX)
    found = identity_of(known)
    assert found is not None and (found.pid, found.extents, found.name) == (5, BOX, "Save")
    read = Element(element_id="text 1 2", role=Role.LABEL, name="Save", box=BOX)
    assert identity_of(read) is None
    assert identity_of(Element(element_id=":1.2/a", role=Role.BUTTON, box=BOX, extents=BOX)) is None
