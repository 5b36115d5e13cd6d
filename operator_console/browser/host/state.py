"""The host's state as the console is told it (`Operator.state`)."""

from __future__ import annotations

from typing import Any

from operator_console.browser.host.tabs import OpenDialog, Tabs
from operator_console.domain.pages import DialogKind

_HIDDEN = {DialogKind.SIGN_IN: 1}
"""By kind, the number of the field that holds a secret."""


def state_of(tabs: Tabs, *, scale: float, pointer: tuple[float, float] | None) -> dict[str, Any]:
    """As JSON.

    Keys: tabs (target, url, title, shown), document, url, title, origins, loading, crashed, requests (those that wait
    for their answer), requested (how many were made so far), scale (pixels for each CSS pixel), pointer (CSS pixels),
    picker (the kind of field), dialog.
    """
    shown = tabs.shown
    listed = [
        {"target": tab.target, "url": tab.url, "title": tab.title, "shown": tab is shown} for tab in tabs
    ]  # fmt: skip
    state: dict[str, Any] = {"tabs": listed, "requested": tabs.requested, "pointer": pointer, "scale": scale}
    if shown is not None:
        dialog = shown.dialogs[-1] if shown.dialogs else None
        state |= {
            "document": f"{shown.target}:{shown.loader}", "url": shown.url, "title": shown.title,
            "origins": list(dict.fromkeys(shown.frames.values())), "crashed": shown.crashed, "picker": shown.picker,
            "loading": shown.loading or any(tab.opening for tab in tabs), "requests": len(shown.requests),
            "dialog": None if dialog is None else _told(dialog),
        }  # fmt: skip
    return state


def _told(dialog: OpenDialog) -> dict[str, Any]:
    hidden = _HIDDEN.get(dialog.kind)
    return {
        "number": dialog.number, "kind": dialog.kind.value, "message": dialog.message, "origin": dialog.origin,
        "values": ["" if number == hidden else value for number, value in enumerate(dialog.values)],
        "filled": [bool(value) for value in dialog.values], "focus": dialog.focus, "files": list(dialog.files),
        "several": dialog.several, "options": dialog.options, "chosen": dialog.chosen, "first": dialog.first,
        "element": dialog.element, "beside": dialog.beside,
    }  # fmt: skip
