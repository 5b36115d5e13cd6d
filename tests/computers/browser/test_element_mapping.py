"""What a page tells of an element becomes an element of the domain: role, names, states, places, and no secret."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.computers.browser.page_elements import element_of, native_box
from operator_console.domain.element_uses import identity_of
from operator_console.domain.elements import Dialog, Element, ElementState, Role
from operator_console.domain.geometry import Rect, Size

NATIVE = Size(800, 600)


def told(**more: Any) -> dict[str, Any]:
    """A button as the browser host tells it."""
    button: dict[str, Any] = {
        "id": "T/abc.1", "role": "button", "pressed": False, "name": "Save", "description": "", "label": "",
        "states": ["focusable"], "box": [10.0, 20.0, 30.5, 10.0], "seen": None, "value": "", "actions": ["press"],
        "link": "", "url": "http://a.example/",
    }  # fmt: skip
    return {**button, **more}


def mapped(scale: float = 1.0, **more: Any) -> Element:
    return element_of(told(**more), scale=scale, native=NATIVE, app="Chromium", pid=7, window="Page")


def computed(role: str, name: str = "", **states: object) -> dict[str, Any]:
    """What the browser computes for assistive technology."""
    properties = [{"name": each, "value": {"value": value}} for each, value in states.items()]
    return {"role": {"value": role}, "name": {"value": name}, "properties": properties}


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("button", Role.BUTTON), ("link", Role.LINK), ("textbox", Role.TEXT_FIELD), ("password", Role.PASSWORD_FIELD),
        ("searchbox", Role.SEARCH_FIELD), ("combobox", Role.COMBO_BOX), ("listbox", Role.LIST),
        ("option", Role.LIST_ITEM), ("menuitemradio", Role.MENU_ITEM), ("switch", Role.SWITCH), ("text", Role.LABEL),
        ("alertdialog", Role.DIALOG), ("main", Role.GROUP), ("something new", Role.GROUP),
    ],
)  # fmt: skip
def test_a_role_of_the_page_is_one_of_the_domain(role: str, expected: Role) -> None:
    assert mapped(role=role).role is expected


def test_a_button_that_stays_pressed_is_a_toggle_button() -> None:
    assert mapped(pressed=True).role is Role.TOGGLE_BUTTON


def test_what_the_browser_computes_counts_before_what_the_tags_say() -> None:
    found = mapped(accessible=computed("switch", "Wi-Fi", checked=True, disabled=True), states=["focusable"])
    assert (found.role, found.name) == (Role.SWITCH, "Wi-Fi")
    assert found.states == (ElementState.CHECKED, ElementState.DISABLED, ElementState.FOCUSABLE)


def test_a_role_that_says_less_than_the_tag_does_not_count() -> None:
    assert mapped(role="password", accessible=computed("textbox", "Word")).role is Role.PASSWORD_FIELD
    assert mapped(role="text", name="Two words", accessible=computed("button", "All words")).name == "Two words"


def test_a_password_field_has_neither_value_nor_text() -> None:
    found = mapped(role="password", value="secret", text="secret", accessible=computed("textbox", "Password"))
    assert "secret" not in repr(found)


def test_a_press_that_only_a_listener_tells_is_an_action() -> None:
    assert mapped(role="generic", actions=[], listens=True).actions == ("click",)
    assert mapped(role="generic", actions=["clickAncestor"], listens=True).actions == ("click", "clickAncestor")
    assert mapped(actions=["press"], listens=True).actions == ("press",)


def test_boxes_are_native_pixels_and_what_can_be_seen_is_the_box() -> None:
    found = mapped(scale=2.0, seen=[10.0, 20.0, 5.0, 10.0])
    assert (found.box, found.extents) == (Rect(20, 40, 10, 20), Rect(20, 40, 61, 20))


@pytest.mark.parametrize(
    ("box", "scale", "expected"),
    [((0.4, 0.6, 1.0, 1.0), 1.0, Rect(0, 0, 2, 2)), ((10, 10, 20, 20), 1.25, Rect(12, 12, 26, 26)),
     ((5, 5, 0, 0), 1.0, Rect(5, 5, 0, 0))],
)  # fmt: skip
def test_a_box_covers_every_pixel_that_it_touches(box: tuple[float, ...], scale: float, expected: Rect) -> None:
    assert native_box(box, scale) == expected


def test_an_element_has_an_identity_and_the_address_of_its_own_frame() -> None:
    found = mapped(dialog={"title": "Sure?", "text": "All of it.", "default": "OK"}, group=["Files"], around=["All"])
    assert (found.url, found.dialog, found.group) == (
        "http://a.example/", Dialog(title="Sure?", text="All of it.", default="OK"), ("Files",),
    )  # fmt: skip
    identity = identity_of(found)
    assert identity is not None
    assert (identity.element_id, identity.pid, identity.role_name) == ("T/abc.1", 7, "button")
