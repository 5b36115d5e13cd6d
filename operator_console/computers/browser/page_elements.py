"""`PageElements`: the elements of a managed browser's pages, and of the dialogs over them.

Implements `engine.ports.Elements` and `providers.spec.ScreenElements`. The page itself is asked, so that the answers
are those of now; every question is bounded in time.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from operator_console.browser.devtools import ConnectionLost, ProtocolError
from operator_console.browser.dialog_layout import SECRET_FIELDS, DialogPart, PartKind, lay_out
from operator_console.browser.page_state import PageState
from operator_console.browser.start import RunningBrowser
from operator_console.domain.elements import FIELDS, LONGEST_TEXT, Dialog, Element, ElementState, Exposure, Role
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.hidden_areas import UNTOLD, HiddenArea
from operator_console.domain.pages import DialogKind, PageDialog

_FOCUSABLE = (ElementState.FOCUSABLE,)
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
AT_BUDGET_S, LIST_BUDGET_S = 0.18, 1.0
_MOST_WORDS = 6_000
_MOST_FIELDS = 100


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
            if SECRET_FIELDS.get(dialog.kind) == part.number:
                return replace(named, role=Role.PASSWORD_FIELD, states=states)
            value = dialog.values[part.number] if part.number < len(dialog.values) else ""
            return replace(named, role=Role.TEXT_FIELD, states=states, value=value)


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
        around=tuple(told.get("around", ())), submits=tuple(told.get("submits", ())), extents=box,
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


class PageElements:
    """The elements of one browser."""

    switches_on = False

    def __init__(self, browser: RunningBrowser, state: Callable[[], PageState], app: str) -> None:
        """`state`: as last told by the browser. `app`: its name."""
        self._browser, self._state, self._app = browser, state, app

    async def start(self) -> None:
        """Nothing: the browser is there."""

    async def close(self) -> None:
        """Nothing: the browser belongs to its computer."""

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The control at each point, or else the deepest element, in order; None where none is known in time."""
        if (over := self._over(frame)) is not None:
            return [_topmost(over, point) for point in points]
        scale = self._state().scale
        places = [[(point.x + 0.5) / scale, (point.y + 0.5) / scale] for point in points]
        found = await self._asked({"what": "at", "points": places}, AT_BUDGET_S)
        return [None] * len(points) if found is None else [self._element(frame, each) for each in found]

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        """The element that gets keys now; the document where none has the focus."""
        if (over := self._over(frame)) is not None:
            return next((each for each in over if ElementState.FOCUSED in each.states), None)
        return self._element(frame, await self._asked({"what": "focused"}, LIST_BUDGET_S if unhurried else AT_BUDGET_S))

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """What can be typed into."""
        return await self._list(frame, "fields", limit)

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """Visible elements that can be pressed, typed into or chosen, in reading order."""
        return await self._list(frame, "controls", limit)

    async def visible(self, frame: Frame, limit: int = 1_000) -> Sequence[Element]:
        """As `actionable`, with the texts of the page."""
        return await self._list(frame, "all", limit)

    listed = visible

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        """Where the page, or the dialog over it, shows fields for passwords; all of it as `UNTOLD` where it does not
        answer in time, None where it cannot be asked."""
        found = self._over(frame)
        if found is None:
            try:
                told = await self._found({"what": "fields", "most": _MOST_FIELDS}, within_s)
            except TimeoutError:
                native = frame.geometry.native
                return [HiddenArea(box=Rect(0, 0, native.width, native.height), label=UNTOLD)]
            except (ProtocolError, ConnectionLost):
                return None
            found = [made for each in told if (made := self._element(frame, each)) is not None]
        return [HiddenArea(box=each.box) for each in found if each.role is Role.PASSWORD_FIELD]

    async def exposure(self, frame: Frame) -> Exposure:
        """Everything: the page itself is asked."""
        return Exposure.FULL

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        """The lines of text that can be seen, and the pictures, whose text is not told; None where the page does not
        answer in time. Boxes in native pixels."""
        if (over := self._over(frame)) is not None:
            return [TextBox(text=each.name, box=each.box, source="page") for each in over if each.name], []
        told = await self._asked({"what": "lines", "most": _MOST_WORDS}, LIST_BUDGET_S)
        if told is None:
            return None
        scale = self._state().scale
        boxes = [_text_box(each, scale) for each in told["lines"]]
        return boxes, [native_box(each, scale) for each in told["pictures"]]

    async def _list(self, frame: Frame, kind: str, limit: int) -> Sequence[Element]:
        if (over := self._over(frame)) is not None:
            roles = {"fields": FIELDS, "controls": frozenset(Role) - {Role.LABEL}}.get(kind, frozenset(Role))
            return [each for each in over if each.role in roles][:limit]
        found = await self._asked({"what": kind, "most": limit}, LIST_BUDGET_S)
        made = [self._element(frame, each) for each in found or ()]
        return [each for each in made if each is not None]

    def _over(self, frame: Frame) -> Sequence[Element] | None:
        """The elements of the dialog over the page, which takes no input then; None where there is none."""
        state = self._state()
        if state.page.dialog is None:
            return None
        about = Element(
            element_id="",
            role=Role.UNKNOWN,
            box=Rect(0, 0, 0, 0),
            app=self._app,
            pid=self._browser.pid,
            url=state.page.url,
        )  # fmt: skip
        return dialog_elements(state.page.dialog, frame.geometry.native, state.scale, about)

    def _element(self, frame: Frame, told: Mapping[str, Any] | None) -> Element | None:
        if not told:
            return None
        return element_of(
            told, scale=self._state().scale, native=frame.geometry.native, app=self._app, pid=self._browser.pid,
            window=self._state().page.title,
        )  # fmt: skip

    async def _asked(self, question: Mapping[str, Any], within_s: float) -> Any:
        """What is found; None where the page does not answer in time, or is gone."""
        try:
            return await self._found(question, within_s)
        except (TimeoutError, ProtocolError, ConnectionLost):
            return None

    async def _found(self, question: Mapping[str, Any], within_s: float) -> Any:
        """What is found. Raises TimeoutError, ProtocolError and ConnectionLost."""
        async with asyncio.timeout(within_s):
            return (await self._browser.look.send_raw("Operator.elements", question))["found"]


def _topmost(elements: Sequence[Element], point: NativePoint) -> Element | None:
    return next((each for each in reversed(elements) if each.box.contains(point.x, point.y)), None)


def _text_box(told: Mapping[str, Any], scale: float) -> TextBox:
    parts = tuple(
        TextBox(text=each["text"], box=native_box(each["box"], scale), source="page") for each in told["parts"]
    )
    return TextBox(
        text=told["text"], box=native_box(told["box"], scale), source="page", parts=parts if len(parts) > 1 else ()
    )
