"""Builds contexts of actions on controls, as the accessibility service and as the picture alone would give them."""

from __future__ import annotations

from typing import Any

from operator_console.domain.actions import Click
from operator_console.domain.elements import Control, ControlSource, Dialog, ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess

BOX = Rect(100, 100, 160, 32)
BROWSER = "Chromium"
PAGE: dict[str, Any] = {"app": BROWSER, "title": "Page - Chromium"}
CLICK = Click(at=NativePoint(180, 116))


def control(role: Role = Role.BUTTON, name: str = "", **changed: Any) -> Control:
    """An accessible control; its text is its name unless given."""
    values: dict[str, Any] = {
        "source": ControlSource.ACCESSIBLE, "knowledge": TextKnowledge.READ, "role": role, "name": name, "text": name,
        "extent": BOX,
    }  # fmt: skip
    if role in (Role.TEXT_FIELD, Role.SEARCH_FIELD, Role.PASSWORD_FIELD):
        values["states"] = (ElementState.EDITABLE, ElementState.FOCUSED)
        values["text"] = ""
    return Control(**{**values, **changed})


def drawn(text: str = "", **changed: Any) -> Control:
    """A box in the picture, with what was read inside it."""
    values: dict[str, Any] = {
        "source": ControlSource.PICTURE, "knowledge": TextKnowledge.READ, "text": text, "extent": BOX,
    }  # fmt: skip
    return Control(**{**values, **changed})


def on(found: Control, **changed: Any) -> PolicyContext:
    """The context of an action on a control, in a plain application unless another is given."""
    read = found.knowledge is TextKnowledge.READ
    values: dict[str, Any] = {
        "app": "plain", "title": "Window", "label": found.says, "read": read, "control": found,
    }  # fmt: skip
    return PolicyContext(**{**values, **changed})


def asking(title: str = "", text: str = "", default: str = "") -> Dialog:
    return Dialog(title=title, text=text, default=default)


def button(name: str, **changed: Any) -> PolicyContext:
    """The context of a button of a web page."""
    return on(control(Role.BUTTON, name), **{**PAGE, **changed})


def in_dialog(name: str, title: str = "", text: str = "") -> PolicyContext:
    """The context of a button of a dialog."""
    return on(control(Role.BUTTON, name, dialog=asking(title, text)))


def categories(context: PolicyContext) -> set[Category]:
    """The categories of a click."""
    return set(assess(CLICK, context).categories)


def asks(context: PolicyContext) -> bool:
    """Whether a click is asked about."""
    return assess(CLICK, context).risk >= RiskClass.C3
