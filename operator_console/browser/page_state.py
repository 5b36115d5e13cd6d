"""What the browser host tells about tabs, page and dialog, as values."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from operator_console.browser.dialog_layout import lay_out
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.pages import DialogKind, ListOption, Page, PageDialog, Tab

_DIALOG_WINDOW = "dialog"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageState:
    """The state of the browser at one moment.

    Attributes:
        page: of the tab that is shown.
        requests: how many of its requests wait for their answer.
        requested: how many were made so far, by all tabs.
        crashed: whether it has crashed.
        scale: pixels for each CSS pixel.
        pointer: where the pointer was last sent, CSS pixels; None: nowhere yet.
        picker: the kind of field ("date", "color") whose picker the browser shows over the page; "" for none.
    """

    page: Page = field(default_factory=lambda: Page(document="", url=""))
    requests: int = 0
    requested: int = 0
    crashed: bool = False
    scale: float = 1.0
    pointer: tuple[float, float] | None = None
    picker: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> PageState:
        """From `Operator.state`."""
        tabs = tuple(
            Tab(tab_id=each["target"], url=each["url"], title=each["title"], shown=each["shown"])
            for each in told["tabs"]
        )
        dialog = told.get("dialog")
        pointer = told.get("pointer")
        return cls(
            page=Page(
                document=told.get("document", ""), url=told.get("url", ""), title=told.get("title", ""), tabs=tabs,
                loading=bool(told.get("loading")),
                dialog=None if dialog is None else _dialog(dialog),
            ),
            requests=told.get("requests", 0), requested=told.get("requested", 0), crashed=bool(told.get("crashed")),
            scale=float(told.get("scale", 1.0)), picker=told.get("picker", ""),
            pointer=None if pointer is None else (pointer[0], pointer[1]),
        )  # fmt: skip


def _dialog(told: Mapping[str, Any]) -> PageDialog:
    return PageDialog(
        dialog_id=str(told["number"]), kind=DialogKind(told["kind"]), message=told["message"], origin=told["origin"],
        values=tuple(told["values"]), focus=told["focus"], files=tuple(told["files"]), several=told["several"],
        filled=tuple(told["filled"]),
        options=tuple(ListOption(**each) for each in told["options"]), chosen=told["chosen"], first=told["first"],
        element=told["element"], beside=tuple(told["beside"]),
    )  # fmt: skip


def tab_of(document: str) -> str:
    """The tab of a document, by the document's name."""
    return document.partition(":")[0]


def window_id_of(name: str) -> int:
    """A number that stands for a tab or dialog where a desktop has the id of a window."""
    return zlib.crc32(name.encode()) | 1


def page_window(page: Page, app: str, pid: int, size: Size) -> WindowInfo:
    """The page as the window that receives input."""
    tab = next((each.tab_id for each in page.tabs if each.shown), "")
    return WindowInfo(
        window_id=window_id_of(tab), title=page.title, app=app, pid=pid, rect=Rect(0, 0, size.width, size.height)
    )


def dialog_window(dialog: PageDialog, title: str, app: str, pid: int, box: Rect) -> WindowInfo:
    """A dialog as a window over the page."""
    name = f"{_DIALOG_WINDOW} {dialog.dialog_id}"
    if dialog.kind is DialogKind.LIST:  # what its rows show belongs to it
        name += f" {dialog.first} {dialog.options}"
    return WindowInfo(window_id=window_id_of(name), title=title, app=app, pid=pid, rect=box)


def shown_windows(state: PageState, app: str, pid: int, size: Size) -> tuple[WindowInfo, WindowInfo | None]:
    """The page as a window, and the dialog over it if there is one. `size`: of the picture, native pixels."""
    page, dialog = page_window(state.page, app, pid, size), state.page.dialog
    if dialog is None:
        return page, None
    layout = lay_out(dialog, size, state.scale)
    return page, dialog_window(dialog, layout.title, app, pid, layout.box)
