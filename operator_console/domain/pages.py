"""What a browser tells about the page that it shows: its address, its tabs, and the dialog that waits for an answer.

Only a browser that the console manages tells it; elsewhere `Frame.page` is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One tab. `tab_id` names it as long as it is open; `shown`: it is the one that is captured and acted on."""

    tab_id: str
    url: str
    title: str = ""
    shown: bool = False


class DialogKind(StrEnum):
    """What a page, or the browser for it, asks for."""

    ALERT = "alert"
    CONFIRM = "confirm"
    PROMPT = "prompt"
    LEAVE = "leave"
    """Whether to leave a page that has unsaved changes (beforeunload)."""
    SIGN_IN = "sign_in"
    """HTTP authentication."""
    CHOOSE_FILE = "choose_file"
    LIST = "list"
    """The open list of a `<select>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOption:
    """An option of an open list. `number`: its place among all options of its element, from 0."""

    number: int
    name: str
    group: str = ""
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDialog:
    """A dialog that the browser shows outside the page, which takes no pointer until it is answered.

    Attributes:
        dialog_id: names it as long as it is open.
        kind: what is asked for.
        message: the page's text, not verified.
        origin: the site that asks.
        values: what its fields hold, in their order; a password is "" here, whatever was typed.
        focus: the number of the field that has the keyboard focus.
        files: of CHOOSE_FILE, the names of the files that may be chosen.
        several: of CHOOSE_FILE, whether several files may be chosen.
        filled: whether anything was typed into its fields, a password included.
        options: of LIST, those that can be seen by scrolling it.
        chosen: of LIST, the number of the option that is chosen; -1 for none.
        first: of LIST, the row that stands at its top.
        element: of LIST, the id of its element.
        beside: of LIST, the box of its element: x, y, width and height in CSS pixels of the page.
    """

    dialog_id: str
    kind: DialogKind
    message: str = ""
    origin: str = ""
    values: tuple[str, ...] = ()
    focus: int = 0
    files: tuple[str, ...] = ()
    several: bool = False
    filled: tuple[bool, ...] = ()
    options: tuple[ListOption, ...] = ()
    chosen: int = -1
    first: int = 0
    element: str = ""
    beside: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page that a browser shows.

    Attributes:
        document: names the loaded document of the tab that is shown; another one, or the same one loaded again, has
            another name.
        url, title: of that document.
        tabs: all tabs, in the order in which they were opened.
        dialog: what waits for an answer; None for nothing.
        loading: whether it is being loaded.
    """

    document: str
    url: str
    title: str = ""
    tabs: tuple[Tab, ...] = ()
    dialog: PageDialog | None = None
    loading: bool = False
