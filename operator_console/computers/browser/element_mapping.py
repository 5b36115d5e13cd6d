"""Makes domain elements of what a page tells of its elements. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from operator_console.domain.elements import LONGEST_TEXT, Dialog, Element, ElementState, Role
from operator_console.domain.geometry import Rect, Size

_ROLES: Mapping[str, Role] = {
    "alert": Role.ALERT, "alertdialog": Role.DIALOG, "article": Role.GROUP, "button": Role.BUTTON,
    "caption": Role.LABEL, "cell": Role.CELL, "checkbox": Role.CHECK_BOX, "canvas": Role.IMAGE,
    "columnheader": Role.HEADER, "combobox": Role.COMBO_BOX, "definition": Role.PARAGRAPH, "dialog": Role.DIALOG,
    "document": Role.DOCUMENT, "form": Role.FORM, "grid": Role.TABLE, "gridcell": Role.CELL, "heading": Role.HEADING,
    "iframe": Role.GROUP, "img": Role.IMAGE, "label": Role.LABEL, "link": Role.LINK, "list": Role.LIST,
    "listbox": Role.LIST, "listitem": Role.LIST_ITEM, "menu": Role.MENU, "menubar": Role.MENU_BAR,
    "menuitem": Role.MENU_ITEM, "menuitemcheckbox": Role.MENU_ITEM, "menuitemradio": Role.MENU_ITEM,
    "meter": Role.PROGRESS_BAR, "note": Role.PARAGRAPH, "option": Role.LIST_ITEM, "paragraph": Role.PARAGRAPH,
    "password": Role.PASSWORD_FIELD, "progressbar": Role.PROGRESS_BAR, "radio": Role.RADIO_BUTTON,
    "rowheader": Role.HEADER, "scrollbar": Role.SCROLL_BAR, "searchbox": Role.SEARCH_FIELD,
    "separator": Role.SEPARATOR, "slider": Role.SLIDER, "spinbutton": Role.SPIN_BUTTON, "status": Role.STATUS_BAR,
    "switch": Role.SWITCH, "tab": Role.TAB, "table": Role.TABLE, "tablist": Role.TAB_LIST, "term": Role.PARAGRAPH,
    "text": Role.LABEL, "textbox": Role.TEXT_FIELD, "timer": Role.LABEL, "toolbar": Role.TOOL_BAR,
    "tooltip": Role.TOOL_TIP, "tree": Role.TREE, "treegrid": Role.TREE, "treeitem": Role.TREE_ITEM,
    "video": Role.IMAGE,
}  # fmt: skip
"""By WAI-ARIA's names; any other is an area that holds others."""

_COMPUTED: Mapping[str, Role] = {
    name: role
    for name, role in _ROLES.items()
    if name not in ("canvas", "iframe", "label", "password", "text", "video")
}
"""Roles that the browser computes (from ARIA set by scripts, too), where they say what the page's tags do not."""

_FLAGS: Mapping[str, ElementState] = {
    "checked": ElementState.CHECKED, "disabled": ElementState.DISABLED, "expanded": ElementState.EXPANDED,
    "focusable": ElementState.FOCUSABLE, "focused": ElementState.FOCUSED, "modal": ElementState.MODAL,
    "multiline": ElementState.MULTI_LINE, "pressed": ElementState.PRESSED, "readonly": ElementState.READ_ONLY,
    "required": ElementState.REQUIRED, "selected": ElementState.SELECTED,
}  # fmt: skip
_FALSE = (False, None, "false", "")


def element_of(
    told: Mapping[str, Any], *, scale: float, native: Size, app: str, pid: int, window: str
) -> Element:  # fmt: skip
    """The element that a page tells of.

    Args:
        told: as the browser host gives it; boxes in CSS pixels.
        scale: native pixels for each CSS pixel.
        native: the size of the frame.
        app, pid, window: the browser, its process, and the title of its page.
    """
    kind, computed = told["role"], told.get("accessible") or {}
    role = _role(kind, computed, pressed=bool(told.get("pressed")))
    secret = role is Role.PASSWORD_FIELD
    box = native_box(told["box"], scale)
    seen = native_box(told["seen"], scale) if told.get("seen") else box
    actions = tuple(told["actions"])
    if told.get("listens") and not set(actions) & {"click", "press", "jump", "activate"}:
        actions = ("click", *actions)
    dialog = told.get("dialog")
    is_text = kind == "text"
    return Element(
        element_id=told["id"], role=role, role_name=kind,
        name=told["name"] if is_text else _computed_text(computed, "name") or told["name"],
        description=_computed_text(computed, "description") or told["description"], label=told["label"],
        states=_states(told["states"], {} if is_text else computed),
        box=seen if not seen.empty else box, text="" if secret else told.get("text", ""),
        value="" if secret else told["value"], actions=actions, link=told["link"],
        dialog=None if dialog is None else Dialog(
            title=dialog["title"], text=dialog["text"], default=dialog["default"]
        ),
        group=tuple(told.get("group", ())), app=app, pid=pid, window=window, url=told["url"],
        around=tuple(told.get("around", ())), extents=box,
    )  # fmt: skip


def native_box(box: Sequence[float], scale: float) -> Rect:
    """The native pixels that a box in CSS pixels touches."""
    x, y, width, height = box
    left, top = math.floor(x * scale + 0.01), math.floor(y * scale + 0.01)
    right, bottom = math.ceil((x + width) * scale - 0.01), math.ceil((y + height) * scale - 0.01)
    return Rect(left, top, max(0, right - left), max(0, bottom - top))


def _role(kind: str, computed: Mapping[str, Any], *, pressed: bool) -> Role:
    told = _ROLES.get(kind, Role.GROUP)
    if kind not in ("text", "password", "label"):
        found = str(computed.get("role", {}).get("value", "")).lower()
        told = _COMPUTED.get(found, told)
    return Role.TOGGLE_BUTTON if told is Role.BUTTON and pressed else told


def _computed_text(computed: Mapping[str, Any], name: str) -> str:
    value = computed.get(name, {}).get("value", "")
    return " ".join(str(value).split())[:LONGEST_TEXT]


def _states(told: Sequence[str], computed: Mapping[str, Any]) -> tuple[ElementState, ...]:
    found = {ElementState(each) for each in told}
    for each in computed.get("properties", ()):
        state, value = _FLAGS.get(each["name"]), each["value"].get("value")
        if state is not None:
            (found.discard if value in _FALSE else found.add)(state)
        elif each["name"] == "invalid" and value not in _FALSE:
            found.add(ElementState.INVALID)
    return tuple(state for state in ElementState if state in found)
