"""What the applications of a desk tell the console: windows, accessible elements, and the texts of the picture."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from operator_console.domain.actions import UseElement
from operator_console.domain.element_uses import identity_of
from operator_console.domain.elements import MASK, Dialog, Element, ElementState, PointText, Role, TextKnowledge
from operator_console.domain.frames import Frame, TextBox, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.hidden_areas import HiddenArea
from tests.engine.rig import Words
from tests.fakes.elements import FakeElements
from tests.hijacked.desk import WRITTEN, Desk, Kind, Toolkit, Widget, Window

_ACTIONS = {
    Role.BUTTON: "press", Role.CHECK_BOX: "toggle", Role.SWITCH: "toggle", Role.TOGGLE_BUTTON: "toggle",
    Role.RADIO_BUTTON: "select", Role.LINK: "jump", Role.MENU_ITEM: "click", Role.MENU: "click", Role.TAB: "press",
    Role.COMBO_BOX: "press",
}  # fmt: skip
_SURROUNDED = frozenset((
    Role.BUTTON, Role.TOGGLE_BUTTON, Role.SWITCH, Role.CHECK_BOX, Role.RADIO_BUTTON, Role.LABEL, Role.GROUP,
    Role.LIST_ITEM, Role.MENU_ITEM, Role.TREE_ITEM, Role.LINK, Role.HEADING,
))  # fmt: skip


def window_info(desk: Desk, window: Window) -> WindowInfo:
    """A window as the window system knows it; a menu has no title."""
    window = shell_of(desk, window)
    menu = window.kind is Kind.MENU
    named = zlib.crc32(f"{window.app} {window.key if menu or window.bar else window.title}".encode())
    return WindowInfo(
        window_id=named, title="" if menu else window.title, app=window.app,
        pid=_pid(window), rect=window.rect,
    )  # fmt: skip


def shell_of(desk: Desk, window: Window) -> Window:
    """The window of the window system that shows it: what a page draws is a part of the browser's."""
    if window.toolkit is not Toolkit.WEB or window.kind is Kind.MAIN:
        return window
    return next((each for each in reversed(desk.windows) if each.bar and each.app == window.app), window)


def focused_window(desk: Desk) -> Window | None:
    """The window with the keyboard focus, which stays below the menus that it opens."""
    return next((each for each in reversed(desk.windows) if each.kind is not Kind.MENU), None)


class Told(FakeElements):
    """What the applications tell."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        return [self._under(point) for point in points]

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        window, widget = self.desk.top, self.desk.focused
        return None if window is None or widget is None or widget.drawn else element(self.desk, window, widget)

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        window = focused_window(self.desk)
        return [] if window is None else [
            element(self.desk, window, each) for each in window.widgets if each.role in WRITTEN
        ][:limit]  # fmt: skip

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        return [element(self.desk, window, each) for window in self.desk.windows for each in window.widgets][:limit]

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        found = [(window, each) for window in self.desk.windows for each in window.widgets]
        return [
            HiddenArea(box=window.box(each.key)) for window, each in found if each.role is Role.PASSWORD_FIELD
        ]  # fmt: skip

    def _under(self, point: NativePoint) -> Element | None:
        window, widget = self.desk.at(point.x, point.y)
        if window is None:
            return None
        if widget is None or widget.drawn:
            return _area(window)
        return element(self.desk, window, widget)


class Seen(Words):
    """The texts and boxes of the picture, without an error."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        where = region or Rect(0, 0, frame.geometry.native.width, frame.geometry.native.height)
        return [each for each in _texts(self.desk) if not each.box.intersect(where).empty]

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        window, _ = self.desk.at(point.x, point.y)
        boxes = [each for each in _texts(self.desk) if window is None or not each.box.intersect(window.rect).empty]
        return PointText.of(boxes, point, extent, TextKnowledge.READ)

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        window, widget = self.desk.at(point.x, point.y)
        return None if window is None or widget is None or not widget.focusable else window.box(widget.key)

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        return None


def use(element: Element, **how: object) -> UseElement | None:
    """The action that uses an element; None where it cannot be recognised later."""
    identity = identity_of(element)
    at = NativePoint(*element.box.centre)
    return None if identity is None else UseElement(element=identity, at=at, **how)  # type: ignore[arg-type]


def key_of(element_id: str) -> str:
    """The control of an element."""
    return element_id.partition("/")[2]


def element(desk: Desk, window: Window, widget: Widget) -> Element:
    """One control as its application tells it."""
    secret, typed = widget.role is Role.PASSWORD_FIELD, widget.role in WRITTEN
    action = _ACTIONS.get(widget.role, "")
    value = desk.value(widget) if (typed and not secret) or widget.options else ""
    return Element(
        element_id=f":1.{_pid(window)}/{widget.key}", role=widget.role, role_name=widget.role.value, name=widget.name,
        label=widget.label, states=_states(desk, window, widget), box=window.box(widget.key),
        text=value if typed else widget.name, value=value, actions=(action,) if action else (), link=widget.link,
        dialog=_dialog(window), group=widget.group, app=window.app, pid=_pid(window),
        window=shell_of(desk, window).title,
        url="" if widget.outside else window.url, around=_around(window, widget) if widget.role in _SURROUNDED else (),
        submits=_submits(window, widget) if typed else (), extents=window.box(widget.key),
    )  # fmt: skip


def _pid(window: Window) -> int:
    return 1000 + sum(window.app.encode())


def _area(window: Window) -> Element:
    role = {Kind.MAIN: Role.WINDOW, Kind.DIALOG: Role.DIALOG, Kind.MENU: Role.MENU}[window.kind]
    role = Role.DOCUMENT if window.toolkit is Toolkit.WEB and window.kind is Kind.MAIN else role
    return Element(
        element_id=f":1.{_pid(window)}/ {window.key}", role=role, name=window.title, box=window.rect, app=window.app,
        pid=_pid(window), window=window.title, url=window.url, dialog=_dialog(window), extents=window.rect,
    )  # fmt: skip


def _dialog(window: Window) -> Dialog | None:
    if window.kind is not Kind.DIALOG:
        return None
    default = next((each.name for each in window.widgets if each.key == window.default), "")
    return Dialog(title=window.title, text=window.text, default=default)


def _states(desk: Desk, window: Window, widget: Widget) -> tuple[ElementState, ...]:
    found = {
        ElementState.CHECKED: widget.key in desk.state.ticked,
        ElementState.DEFAULT: widget.key == window.default,
        ElementState.EDITABLE: widget.role in WRITTEN,
        ElementState.FOCUSABLE: widget.focusable,
        ElementState.FOCUSED: desk.state.focus.get(window.key) == widget.key,
        ElementState.MULTI_LINE: widget.multi,
    }
    return tuple(state for state, holds in found.items() if holds)


def _around(window: Window, widget: Widget) -> tuple[str, ...]:
    own = window.box(widget.key)
    others = sorted((each for each in window.widgets if each != widget), key=lambda w: window.box(w.key).distance(own))
    said = [MASK if each.role is Role.PASSWORD_FIELD else each.name or each.label for each in others]
    return tuple(text for text in dict.fromkeys((*said, window.text)) if text)


def _submits(window: Window, widget: Widget) -> tuple[str, ...]:
    if (key := widget.form or window.default) and (window.toolkit is Toolkit.NATIVE or widget.form):
        return tuple(each.name for each in window.widgets if each.key == key and each.name)
    if window.toolkit is Toolkit.NATIVE:
        return ()
    own = window.box(widget.key)
    buttons = [each for each in window.widgets if each.role is Role.BUTTON and each.name]
    return tuple(each.name for each in sorted(buttons, key=lambda w: window.box(w.key).distance(own)))


def _texts(desk: Desk) -> list[TextBox]:
    """All that can be read, of what no window covers."""
    found: list[TextBox] = []
    for window in desk.windows:
        found = [part for each in found for part in _uncovered(each, window.rect)]
        if window.text:
            found.append(TextBox(text=window.text, box=Rect(window.rect.x + 20, window.rect.y + 2, 190, 16)))
        for widget in window.widgets:
            box = window.box(widget.key)
            value = "••••" if widget.role is Role.PASSWORD_FIELD and desk.value(widget) else desk.value(widget)
            said = value if widget.role in WRITTEN or widget.role is Role.TERMINAL or widget.options else widget.name
            if widget.label:
                found.append(TextBox(text=widget.label, box=Rect(box.x - 90, box.y + 2, 84, 14)))
            if said:
                width = min(box.width - 8, 7 * len(said))
                found.append(TextBox(text=said[:60], box=Rect(box.x + 4, box.y + 2, width, 14)))
    return found


def _uncovered(text: TextBox, by: Rect) -> Sequence[TextBox]:
    """What can be read of a text on the left and on the right of what covers a part of it."""
    box, said = text.box, text.text
    if box.intersect(by).empty:
        return [text]
    before = max(0, by.x - box.x) * len(said) // box.width
    after = max(0, box.right - by.right) * len(said) // box.width
    left = TextBox(text=said[:before], box=Rect(box.x, box.y, by.x - box.x, box.height))
    right = TextBox(text=said[len(said) - after :], box=Rect(by.right, box.y, box.right - by.right, box.height))
    return [part for part, shown in ((left, before), (right, after)) if shown]
