"""The lists and pickers that the browser shows over a page for one of its fields.

The page's own connection neither sees them in a picture nor reaches them with the pointer. An open list is kept as a
dialog of its tab, which the console draws; a picker is only noted, so that it can be closed again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from operator_console.browser.devtools import ConnectionLost, ProtocolError
from operator_console.browser.host.element_search import PageElements
from operator_console.browser.host.tabs import OpenDialog, OpenTab, Tabs, origin_of
from operator_console.domain.pages import DialogKind

MOST_OPTIONS = 1_000
_LOOK_AGAIN_S = 0.1
_KEYS = frozenset(("Enter", "NumpadEnter", "Escape", "F4", "Space", "Tab", "AltLeft", "AltRight"))
"""Those that open a list, alone or with Alt, and those that close it."""


class OpenLists:
    """Notices lists and pickers that open and close.

    Args:
        tabs: where they are kept.
        elements: looks at the page.
        changed: called when one opens, changes or closes.
    """

    def __init__(self, tabs: Tabs, elements: PageElements, changed: Callable[[], None]) -> None:
        self._tabs = tabs
        self._elements = elements
        self._changed = changed
        self._watching: asyncio.Task[None] | None = None

    async def after_input(self, tab: OpenTab, method: str, params: dict[str, Any]) -> None:
        """Look whether input that may do so has opened or closed one."""
        pressed = method == "Input.dispatchMouseEvent" and params.get("type") in ("mousePressed", "mouseReleased")
        keyed = method == "Input.dispatchKeyEvent" and params.get("type") == "keyUp" and params.get("code") in _KEYS
        if (pressed or keyed) and not tab.waiting:
            await self._look(tab)

    async def refresh(self, tab: OpenTab) -> None:
        """Look again at one that is open."""
        if (tab.picker or _list_of(tab) is not None) and not tab.waiting:
            await self._look(tab)

    async def close(self) -> None:
        """Stop watching."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def _look(self, tab: OpenTab) -> None:
        try:
            told = await self._elements.open_list(tab)
        except (ProtocolError, ConnectionLost, TimeoutError):
            told = None  # the page goes away, and its list with it
        known, picker = _list_of(tab), "" if told is None else told["picker"]
        if told is None or picker:
            tab.dialogs = [each for each in tab.dialogs if each is not known]
            if known is None and picker == tab.picker:
                return
        else:
            options = told["options"][:MOST_OPTIONS]
            if known is not None and known.element != told["id"]:
                tab.dialogs.remove(known)
                known = None
            if known is None:
                known = OpenDialog(
                    number=self._tabs.next_number(), kind=DialogKind.LIST, session=tab.session, message=told["name"],
                    origin=origin_of(tab.url), element=told["id"], chosen=told["chosen"],
                    first=_first_row(options, told["chosen"]),
                )  # fmt: skip
                self._tabs.ask(tab, known)
            elif (known.options, known.beside) == (options, told["box"]):
                return
            known.options, known.beside = options, told["box"]
        tab.picker = picker
        self._changed()
        if told is not None and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._watch(tab), name="open list")

    async def _watch(self, tab: OpenTab) -> None:
        while tab.picker or _list_of(tab) is not None:
            await asyncio.sleep(_LOOK_AGAIN_S)
            await self.refresh(tab)


def _list_of(tab: OpenTab) -> OpenDialog | None:
    return next((each for each in tab.dialogs if each.kind is DialogKind.LIST), None)


def _first_row(options: list[dict[str, Any]], chosen: int) -> int:
    """So that the chosen option can be seen, with a few rows before it."""
    place = next((at for at, each in enumerate(options) if each["number"] == chosen), 0)
    headings = len({each["group"] for each in options[: place + 1] if each["group"]})
    return max(0, place + headings - 5)
