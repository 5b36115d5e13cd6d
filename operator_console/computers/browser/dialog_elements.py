"""The elements of a dialog or list that the console draws over a page. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from operator_console.browser.dialog_layout import DialogPart, PartKind, lay_out
from operator_console.domain.elements import Dialog, Element, ElementState, Role
from operator_console.domain.geometry import Size
from operator_console.domain.pages import DialogKind, PageDialog

_SECRET = {DialogKind.SIGN_IN: 1}
"""By kind, the number of the field that holds a secret."""
_FOCUSABLE = (ElementState.FOCUSABLE,)


def dialog_elements(dialog: PageDialog, native: Size, scale: float, about: Element) -> Sequence[Element]:
    """The dialog, its texts, then its buttons, fields, files or options. Boxes are native pixels.

    Args:
        dialog: the dialog.
        native: the size of the picture.
        scale: native pixels for each CSS pixel.
        about: an element with the browser, its process, and the address of the page.
    """
    layout = lay_out(dialog, native, scale)
    base = replace(about, window=layout.title, url=dialog.origin or about.url)

    def made(element: Element, name: str) -> Element:
        return replace(
            element, element_id=f"dialog-{dialog.dialog_id}/{name}", role_name=element.role.value, extents=element.box
        )

    if dialog.kind is DialogKind.LIST:
        whole = replace(base, role=Role.LIST, name=layout.title, box=layout.box)
        rows = (made(_option(dialog, part, base), f"option-{part.number}") for part in layout.parts)
        return [made(whole, "list"), *rows]
    around = Dialog(title=layout.title, text=layout.text, default=layout.default)
    found = [
        made(
            replace(base, role=Role.DIALOG, name=layout.title, box=layout.box, states=(ElementState.MODAL,)), "dialog"
        ),
        *(
            made(replace(base, role=Role.LABEL, name=line, text=line, box=box, dialog=around), f"line-{number}")
            for number, (line, box) in enumerate(layout.lines)
        ),
    ]
    parts = ((part, _part(dialog, part, replace(base, dialog=around))) for part in layout.parts)
    return [*found, *(made(element, f"{part.kind.value}-{part.number}") for part, element in parts)]


def _option(dialog: PageDialog, part: DialogPart, base: Element) -> Element:
    option = next(each for each in dialog.options if each.number == part.number)
    states = {ElementState.SELECTED: part.number == dialog.chosen, ElementState.DISABLED: option.disabled}
    groups = tuple(dict.fromkeys(each for each in (option.group, dialog.message) if each))
    return replace(
        base, role=Role.LIST_ITEM, name=part.name, text=part.name, box=part.box, group=groups,
        states=tuple(state for state in ElementState if states.get(state) or state in _FOCUSABLE), actions=("press",),
    )  # fmt: skip


def _part(dialog: PageDialog, part: DialogPart, base: Element) -> Element:
    named = replace(base, name=part.name, box=part.box, states=_FOCUSABLE)
    match part.kind:
        case PartKind.ACCEPT:
            return replace(
                named, role=Role.BUTTON, text=part.name, actions=("press",),
                states=(ElementState.DEFAULT, ElementState.FOCUSABLE),
            )  # fmt: skip
        case PartKind.DISMISS:
            return replace(named, role=Role.BUTTON, text=part.name, actions=("press",))
        case PartKind.FILE | PartKind.OPTION | PartKind.DISABLED:
            return replace(named, role=Role.LIST_ITEM, text=part.name, actions=("press",))
        case PartKind.FIELD:
            focused = (ElementState.FOCUSED,) if part.number == dialog.focus else ()
            states = (ElementState.EDITABLE, ElementState.FOCUSABLE, *focused)
            if _SECRET.get(dialog.kind) == part.number:
                return replace(named, role=Role.PASSWORD_FIELD, states=states)
            value = dialog.values[part.number] if part.number < len(dialog.values) else ""
            return replace(named, role=Role.TEXT_FIELD, states=states, value=value)
