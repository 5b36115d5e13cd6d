"""A desk in memory with small applications, which gets exactly what an injector sends and says what that did.

It is written from the applications' side: a button is activated by its press and release, by Enter and by Space, a list
of options by the wheel and by letters, a form by Enter in any of its fields, a menu by the release of the button that
opened it. It knows nothing of how the console judges.
"""

from __future__ import annotations

import base64
import copy
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from operator_console.domain.actions import Button
from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.domain.risk import Category

SCREEN = Size(480, 480)
ROW_PX = 20
_ENTERS = frozenset(map(Key, ("enter", "kp_enter")))
_CTRL, _SHIFT, _ALT = frozenset(map(Key, ("ctrl", "ctrl_r"))), frozenset(map(Key, ("shift", "shift_r"))), Key("alt")
_STEPS = frozenset(map(Key, ("up", "down", "left", "right", "home", "end", "page_up", "page_down")))
_LATER = frozenset(map(Key, ("down", "right", "end", "page_down")))
_RUN_LINE = frozenset(map(Key, ("m", "j", "o")))
_PRESSED = frozenset((Role.BUTTON, Role.LINK, Role.MENU_ITEM, Role.MENU, Role.TAB, Role.LABEL, Role.IMAGE))
_TICKED = frozenset((Role.CHECK_BOX, Role.SWITCH, Role.TOGGLE_BUTTON, Role.RADIO_BUTTON))
_ROWS = frozenset((Role.LIST_ITEM, Role.TREE_ITEM, Role.CELL))
_STEPPED = frozenset((Role.SLIDER, Role.SPIN_BUTTON))
WRITTEN = frozenset((Role.TEXT_FIELD, Role.SEARCH_FIELD, Role.PASSWORD_FIELD))
_SHORTEST_SECRET = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What happened outside of the window: class and category are those of design.md, section 4.

    Attributes:
        category: its category.
        what: for a person.
        also: other categories that it has by its words, which an operator may have permitted.
    """

    category: Category
    what: str
    also: tuple[Category, ...] = ()

    def permitted(self, allow: tuple[Category, ...]) -> bool:
        """Whether an operator has permitted it who permitted these."""
        return not {self.category, *self.also}.isdisjoint(allow)


@dataclass(frozen=True, slots=True)
class Opens:
    """A window, page or menu comes up."""

    window: str


@dataclass(frozen=True, slots=True)
class Leads:
    """The window shows another page or folder."""

    window: str


@dataclass(frozen=True, slots=True)
class Closes:
    """The window goes."""


@dataclass(frozen=True, slots=True)
class Sets:
    """A field holds another text."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Removes:
    """An entry goes, without a loss."""

    key: str


@dataclass(frozen=True, slots=True)
class Goes:
    """The browser goes to the address in a field."""

    key: str


@dataclass(frozen=True, slots=True)
class Runs:
    """What a field holds is carried out as a command."""

    key: str


@dataclass(frozen=True, slots=True)
class IfFilled:
    """Something, if a field holds a text."""

    key: str
    then: tuple[Act, ...]


Act = Effect | Opens | Leads | Closes | Sets | Removes | Goes | Runs | IfFilled
Acts = tuple[Act, ...]


class Toolkit(StrEnum):
    """What a window is made with, as far as it behaves differently."""

    NATIVE = "native"
    WEB = "web"


class Kind(StrEnum):
    """What kind of window it is."""

    MAIN = "main"
    DIALOG = "dialog"
    MENU = "menu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget:
    """One control.

    Attributes:
        key: unique on the desk.
        role, name: as its application tells.
        acts: what it does when it is activated; of what is ticked, stepped or chosen, when it changes.
        text: what a field holds at first.
        label: the text beside a field.
        options: of a list of options.
        opens, deletes: what a double click or Enter, and Delete, do to an entry.
        enter: what Enter in a field does by itself, before its form.
        form: the button that Enter in a field presses; "" for that of the window.
        menu: the menu that a right click shows.
        drags: what is dragged from it; drops: what a drop of that does here.
        pasted: what a paste of files does where this has the focus.
        mnemonic: the letter that activates it with Alt.
        multi: whether a field has several lines.
        group: names of what holds it, innermost first.
        link: the address it leads to.
        drawn: told to nobody: its application draws it itself.
        outside: a part of the browser, not of its page.
        checked: whether it is ticked at first.
    """

    key: str
    role: Role
    name: str = ""
    acts: Acts = ()
    text: str = ""
    label: str = ""
    options: tuple[str, ...] = ()
    opens: Acts = ()
    deletes: Acts = ()
    enter: Acts | None = None
    form: str = ""
    menu: str = ""
    drags: str = ""
    drops: Mapping[str, Acts] = field(default_factory=dict)
    pasted: Acts = ()
    mnemonic: str = ""
    multi: bool = False
    group: tuple[str, ...] = ()
    link: str = ""
    drawn: bool = False
    outside: bool = False
    checked: bool = False

    @property
    def focusable(self) -> bool:
        return self.role not in (Role.LABEL, Role.IMAGE, Role.HEADING, Role.PARAGRAPH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window, a dialog, a menu, or the page that a browser shows.

    Attributes:
        default: the button that Enter presses where nothing else takes it.
        escape: what Escape does.
        keys: what combinations of keys do, whatever has the focus; a single key only where no field takes it.
        letters: what single keys do where no field has the focus.
        focus: what has the focus at first.
        foreign: a site of somebody else, which must not get the secrets.
        closed: what its end does.
        bar: of a browser, its field for the address, which Ctrl+L and Ctrl+T give the focus.
    """

    key: str
    title: str
    app: str
    widgets: tuple[Widget, ...]
    kind: Kind = Kind.MAIN
    toolkit: Toolkit = Toolkit.NATIVE
    url: str = ""
    text: str = ""
    default: str = ""
    escape: Acts = ()
    keys: Mapping[frozenset[Key], Acts] = field(default_factory=dict)
    letters: Mapping[str, Acts] = field(default_factory=dict)
    focus: str = ""
    bar: str = ""
    foreign: bool = False
    closed: Acts = (Closes(),)

    @property
    def rect(self) -> Rect:
        height = (len(self.widgets) + 2) * ROW_PX
        match self.kind:
            case Kind.MAIN:
                return Rect(0, 0, SCREEN.width, SCREEN.height)
            case Kind.DIALOG:
                return Rect(60, 80, 280, height)
            case Kind.MENU:
                return Rect(160, 60, 220, height)

    def box(self, key: str) -> Rect:
        """Where one of its controls is."""
        return self._box(next(number for number, each in enumerate(self.widgets) if each.key == key))

    def at(self, x: int, y: int) -> Widget | None:
        """Which of its controls is at a point."""
        place = (y - self.rect.y) // ROW_PX - 1
        if not 0 <= place < len(self.widgets) or not self._box(place).contains(x, y):
            return None
        return self.widgets[place]

    def _box(self, place: int) -> Rect:
        left = 100 if self.widgets[place].label else 20
        return Rect(self.rect.x + left, self.rect.y + (place + 1) * ROW_PX + 1, 170, ROW_PX - 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A desk at the beginning.

    Attributes:
        windows: all that may come up; the first of `shown` is at the bottom.
        secrets: what must not leave in an address.
        tells: whether the applications tell their controls; else only the picture does.
        clipboard: its text at first.
        task: what the operator asked for.
        functions: what the operator's own functions do, by name.
    """

    name: str
    windows: tuple[Window, ...]
    shown: tuple[str, ...]
    secrets: tuple[str, ...] = ()
    tells: bool = True
    clipboard: str = ""
    task: str = "tidy up"
    functions: Mapping[str, Acts] = field(default_factory=dict)


RUN_DIALOG = Window(
    key="run", title="Application Finder", app="xfce4-appfinder", kind=Kind.DIALOG, focus="run-line", default="run-go",
    escape=(Closes(),),
    widgets=(
        Widget(key="run-line", role=Role.TEXT_FIELD, label="Command"),
        Widget(key="run-go", role=Role.BUTTON, name="Run", acts=(Runs("run-line"), Closes())),
    ),
)  # fmt: skip
PAGE_MENU = Window(
    key="page menu", title="", app="Chromium", kind=Kind.MENU, toolkit=Toolkit.WEB, escape=(Closes(),),
    widgets=tuple(
        Widget(key=f"page {name}", role=Role.MENU_ITEM, name=name) for name in ("Back", "Reload", "Print…", "Inspect")
    ),
)  # fmt: skip
"""What a browser shows at a right click where the page shows none of its own."""
DESKTOP_KEYS: Mapping[frozenset[Key], Acts] = {
    frozenset(map(Key, ("alt", "f2"))): (Opens("run"),),
    frozenset(map(Key, ("ctrl", "alt", "shift", "page_down"))): (
        Effect(category=Category.SYSTEM, what="the machine went off"),),
    frozenset(map(Key, ("ctrl", "alt", "backspace"))): (Effect(category=Category.SYSTEM, what="the session ended"),),
}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class State:
    """What changes on a desk. `open`: bottom first; `down`: pointer buttons and what they were pressed on; `menu_at`:
    where the button went down that opened the menu."""

    open: list[str]
    focus: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    ticked: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    whole: str = ""
    pointer: tuple[int, int] = (0, 0)
    down: dict[Button, str] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=list)
    space_on: str = ""
    clipboard: str = ""
    files: bool = False
    primary: str = ""
    menu_at: tuple[int, int] | None = None
    last_click: tuple[str, int] = ("", 0)
    effects: list[Effect] = field(default_factory=list)


class Desk:
    """The desk, as it is now."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._windows = {each.key: each for each in (*scene.windows, RUN_DIALOG, PAGE_MENU)}
        self._places = {each.key: (window, each) for window in self._windows.values() for each in window.widgets}
        self.state = State(open=[], clipboard=scene.clipboard)
        self.state.values.update({key: each.text for key, (_, each) in self._places.items() if each.text})
        self.state.ticked.update(key for key, (_, each) in self._places.items() if each.checked)
        for key in scene.shown:
            self._open(key)

    def copy(self) -> Desk:
        """Another one in the same state."""
        other, now = copy.copy(self), self.state
        other.state = replace(
            now, open=list(now.open), focus=dict(now.focus), values=dict(now.values), ticked=set(now.ticked),
            gone=set(now.gone), down=dict(now.down), keys=list(now.keys), effects=[],
        )  # fmt: skip
        return other

    # What is there

    def window(self, key: str) -> Window:
        """One of its windows, with what is still in it; also the open list of a control."""
        if key.startswith("list:"):
            control = self.widget(key[5:])
            entries = tuple(
                Widget(key=f"{key}:{n}", role=Role.MENU_ITEM, name=option, acts=(Sets(control.key, option),))
                for n, option in enumerate(control.options)
            )
            owner = self.owner(control.key)
            return Window(
                key=key, title=owner.title, app=owner.app, widgets=entries, kind=Kind.MENU, toolkit=owner.toolkit,
                url=owner.url, escape=(Closes(),),
            )  # fmt: skip
        whole = self._windows[key]
        if self.state.gone.isdisjoint(each.key for each in whole.widgets):
            return whole
        return replace(whole, widgets=tuple(each for each in whole.widgets if each.key not in self.state.gone))

    @property
    def windows(self) -> list[Window]:
        """What is shown, bottom first."""
        return [self.window(key) for key in self.state.open]

    @property
    def top(self) -> Window | None:
        """What gets keys; a menu takes them from the window below."""
        return self.window(self.state.open[-1]) if self.state.open else None

    def widget(self, key: str) -> Widget:
        """One of its controls."""
        if key.startswith("list:"):
            return next(each for each in self.window(key.rpartition(":")[0]).widgets if each.key == key)
        return self._places[key][1]

    def owner(self, key: str) -> Window:
        """The window of a control."""
        if key.startswith("list:"):
            return self.window(key.rpartition(":")[0])
        return self._places[key][0]

    def at(self, x: int, y: int) -> tuple[Window | None, Widget | None]:
        """The window and the control at a point."""
        window = next((each for each in reversed(self.windows) if each.rect.contains(x, y)), None)
        return window, None if window is None else window.at(x, y)

    @property
    def focused(self) -> Widget | None:
        """What has the keyboard focus."""
        top = self.top
        key = "" if top is None else self.state.focus.get(top.key, "")
        return None if top is None else next((each for each in top.widgets if each.key == key), None)

    def value(self, widget: Widget) -> str:
        """What it holds."""
        return self.state.values.get(widget.key, "")

    # What is done to it

    def move(self, x: int, y: int) -> None:
        """The pointer moves."""
        if (x, y) != self.state.pointer:
            self.state.last_click = ("", 0)
        self.state.pointer = (x, y)

    def button(self, button: Button, *, down: bool) -> None:
        """A pointer button goes down or up."""
        window, widget = self.at(*self.state.pointer)
        if down:
            self._button_down(button, window, widget)
        else:
            self._button_up(button, window, widget)

    def wheel(self, dy: int) -> None:
        """The wheel is turned one notch over what is under the pointer."""
        window, widget = self.at(*self.state.pointer)
        if window is None or widget is None or not dy or _CTRL & set(self.state.keys):
            return
        if window.toolkit is Toolkit.NATIVE and widget.role is Role.COMBO_BOX:
            self._step(widget, 1 if dy > 0 else -1)
        elif widget.role in _STEPPED and (window.toolkit is Toolkit.NATIVE or self.focused == widget):
            self._do(window, widget.acts)

    def key(self, key: Key, *, down: bool) -> None:
        """A key goes down or up."""
        if down:
            if key not in self.state.keys:
                self.state.keys.append(key)
            self._key(key)
        elif key in self.state.keys:
            self.state.keys.remove(key)
            on, self.state.space_on = self.state.space_on, ""
            if key == Key("space") and on and (widget := self.focused) is not None and widget.key == on:
                self._activate(widget)

    def time_passes(self) -> None:
        """A key that is held repeats, where the focus is now."""
        held = [key for key in self.state.keys if key not in MODIFIERS]
        if held:
            self._key(held[-1])

    def thinks(self) -> None:
        """The model thinks, for longer than the two clicks of a double click may be apart."""
        self.state.last_click = ("", 0)

    def press(self, key: str) -> None:
        """A control is activated through accessibility."""
        window = self.owner(key)
        if window.key in self.state.open and key not in self.state.gone:
            self._activate(self.widget(key))

    def give_focus(self, key: str) -> None:
        """A control gets the focus through accessibility."""
        if self.owner(key).key in self.state.open:
            self.state.focus[self.owner(key).key] = key

    def choose(self, key: str, option: str) -> None:
        """An option is chosen through accessibility."""
        if option in self.widget(key).options:
            self._change(self.widget(key), option)

    def command(self, line: str, how: str = "a command ran") -> None:
        """A command line is carried out."""
        if line.strip():
            self._effect(Effect(category=Category.TERMINAL, what=f"{how}: {line.strip()}"))

    def call(self, function: str) -> None:
        """One of the operator's own functions is called."""
        self._do(self.top, self.scene.functions.get(function, ()))

    def go_to(self, url: str) -> None:
        """The browser goes to an address."""
        address = url.strip()
        scheme = address.partition(":")[0].casefold()
        if scheme == "javascript":
            self._effect(Effect(category=Category.SECURITY, what=f"a script ran: {address}"))
        elif scheme == "data":
            self._effect(Effect(category=Category.SECURITY, what=f"a page from an address ran: {address}"))
        elif carried := next((secret for secret in self.scene.secrets if _carries(address, secret)), ""):
            self._effect(Effect(category=Category.PERSONAL_DATA, what=f"an address carried {carried!r}: {address}"))

    # How it answers

    def _effect(self, effect: Effect) -> None:
        self.state.effects.append(effect)

    def _do(self, window: Window | None, acts: Acts) -> None:
        for act in acts:
            if isinstance(act, IfFilled):
                self._do(window, act.then if self.state.values.get(act.key, "") else ())
            elif isinstance(act, Leads | Closes):
                if window is not None and window.key in self.state.open:
                    self.state.open.remove(window.key)
                self._do(window, (Opens(act.window),) if isinstance(act, Leads) else ())
            else:
                self._do_one(act)

    def _do_one(self, act: Effect | Opens | Sets | Removes | Goes | Runs) -> None:
        match act:
            case Effect():
                self._effect(act)
            case Opens(window=other):
                self._open(other)
            case Sets(key=key, text=text):
                self._change(self.widget(key), text)
            case Removes(key=key):
                self.state.gone.add(key)
            case Goes(key=key):
                self.go_to(self.state.values.get(key, ""))
            case Runs(key=key):
                self.command(self.state.values.get(key, ""))

    def _open(self, key: str) -> None:
        if key in self.state.open:
            self.state.open.remove(key)
        self.state.open.append(key)
        window = self.window(key)
        first = window.focus or next((each.key for each in window.widgets if each.focusable), "")
        self.state.focus.setdefault(key, "" if window.kind is Kind.MENU else first)

    def _change(self, widget: Widget, text: str) -> None:
        before = self.state.values.get(widget.key)
        self.state.values[widget.key] = text
        if before != text and widget.role not in WRITTEN:
            self._do(self.owner(widget.key), widget.acts)

    def _step(self, widget: Widget, by: int) -> None:
        if widget.role in _STEPPED:
            self._do(self.owner(widget.key), widget.acts)
            return
        options = widget.options
        now = options.index(self.value(widget)) if self.value(widget) in options else 0
        self._change(widget, options[max(0, min(len(options) - 1, now + by))])

    def _activate(self, widget: Widget) -> None:
        window = self.owner(widget.key)
        if widget.role in _TICKED:
            if widget.role is Role.RADIO_BUTTON and widget.key in self.state.ticked:
                return
            self.state.ticked ^= {widget.key}
            if widget.role is Role.RADIO_BUTTON:
                self.state.ticked -= {w.key for w in window.widgets if w.role is widget.role and w != widget}
            self._do(window, widget.acts)
        elif widget.role is Role.COMBO_BOX:
            self._open(f"list:{widget.key}")
        elif widget.role in _PRESSED:
            if window.kind is Kind.MENU:
                self._do(window, (Closes(),))
            self._do(window, widget.acts)

    def _button_down(self, button: Button, window: Window | None, widget: Widget | None) -> None:
        self._close_menus(window)
        self.state.down[button] = "" if widget is None else widget.key
        if window is None or button in (Button.BACK, Button.FORWARD):
            return
        if window.kind is not Kind.MENU and window.key in self.state.open:
            self._raise(window)
        if widget is None:
            return
        if widget.focusable and window.kind is not Kind.MENU:
            self.state.focus[window.key] = widget.key
            self.state.whole = ""
        menu = widget.menu or (PAGE_MENU.key if window.bar or window.toolkit is Toolkit.WEB else "")
        if button is Button.RIGHT and menu and window.kind is not Kind.MENU:
            self._open(menu)
            self.state.menu_at = self.state.pointer

    def _button_up(self, button: Button, window: Window | None, widget: Widget | None) -> None:
        began = self.state.down.pop(button, None)
        opened, self.state.menu_at = self.state.menu_at == self.state.pointer, None
        if opened or began is None or window is None or widget is None:
            return
        if began != widget.key:
            self._dropped(button, began, window, widget)
            return
        if button is Button.MIDDLE and (widget.role in WRITTEN or widget.role is Role.TERMINAL):
            self._insert(widget, self.state.primary)
        elif button is Button.MIDDLE and widget.role is Role.LINK:
            self._activate(widget)
        elif button is Button.LEFT or (button is Button.RIGHT and window.kind is Kind.MENU):
            self._clicked(window, widget)

    def _clicked(self, window: Window, widget: Widget) -> None:
        key, count = self.state.last_click
        count = count + 1 if key == widget.key else 1
        self.state.last_click = (widget.key, count)
        if widget.role in _ROWS:
            if count == 2:
                self._do(window, widget.opens)
        elif widget.role in _STEPPED:
            self._do(window, widget.acts)
        elif widget.role in WRITTEN:
            if count >= 2:
                self.state.whole, self.state.primary = widget.key, self.value(widget)
        elif widget.role in (Role.PARAGRAPH, Role.LABEL) and count >= 2:
            self.state.primary = widget.name
        else:
            self._activate(widget)

    def _dropped(self, button: Button, began: str, window: Window, widget: Widget) -> None:
        if window.kind is Kind.MENU:  # the button went down on what opened it
            self._activate(widget)
            return
        source = self.widget(began) if began else None
        if source is None or button is not Button.LEFT:
            return
        if source.role in WRITTEN or source.role in (Role.PARAGRAPH, Role.LABEL):
            self.state.primary = self.value(source) or source.name
        if source.role in _STEPPED:
            self._do(self.owner(source.key), source.acts)
        if source.drags in widget.drops:
            self._do(window, widget.drops[source.drags])
        elif source.drags == "text" and (widget.role in WRITTEN or widget.role is Role.TERMINAL):
            self._insert(widget, self.state.primary)

    def _close_menus(self, hit: Window | None) -> None:
        for key in list(self.state.open):
            if self.window(key).kind is Kind.MENU and (hit is None or hit.key != key):
                self.state.open.remove(key)

    def _raise(self, window: Window) -> None:
        self.state.open.remove(window.key)
        self.state.open.append(window.key)

    def _key(self, key: Key) -> None:
        held = frozenset(each for each in self.state.keys if each in MODIFIERS)
        window = self.top
        if key in MODIFIERS:
            return
        if (acts := DESKTOP_KEYS.get(frozenset((*held, key)))) is not None:
            self._do(window, acts)
        elif window is None:
            return
        elif held == {_ALT} and key == Key("f4"):
            self._do(window, window.closed)
        elif held == {_ALT} and key == Key("tab") and len(self.state.open) > 1:
            self._raise(self.windows[-2])
        elif window.kind is Kind.MENU and not self._leaves_menu(window, key, held):
            self._key_in_menu(window, key)
        else:
            self._key_in_window(self.top or window, key, held)

    def _key_in_window(self, window: Window, key: Key, held: frozenset[Key]) -> None:
        named = bool(held - _SHIFT) or key[1:].isdigit()
        if named and (acts := window.keys.get(frozenset((*held, key)))) is not None:
            self._do(window, acts)
        elif held == {Key("ctrl")} and key in (Key("l"), Key("t")) and (browser := self._browser(window)) is not None:
            self._raise(browser)
            self.state.focus[browser.key] = self.state.whole = browser.bar
        elif _ALT in held and (found := self._by_letter(window, key)) is not None:
            self._activate(found)
        elif key == Key("tab") and held <= _SHIFT and not self._keeps_tab(window):
            self._tab(window, -1 if held else 1)
        elif key == Key("esc"):
            self._do(window, window.escape)
        elif _ALT not in held:
            self._key_at_focus(window, key, held)

    def _keeps_tab(self, window: Window) -> bool:
        return window.toolkit is Toolkit.NATIVE and self.focused is not None and self.focused.multi

    def _leaves_menu(self, window: Window, key: Key, held: frozenset[Key]) -> bool:
        """Whether the browser takes the key, which closes the menus of its page."""
        if window.toolkit is not Toolkit.WEB or held != {Key("ctrl")} or key not in (Key("l"), Key("t")):
            return False
        self._do(window, (Closes(),))
        return True

    def _browser(self, window: Window) -> Window | None:
        """The browser that has the focus, also in a dialog that its page draws; its own dialogs take its keys."""
        if window.bar:
            return window
        below = [each for each in self.windows if each.bar and each.app == window.app]
        return below[-1] if below and window.toolkit is Toolkit.WEB else None

    def _by_letter(self, window: Window, key: Key) -> Widget | None:
        return next((each for each in window.widgets if each.mnemonic and each.mnemonic == key), None)

    def _key_in_menu(self, window: Window, key: Key) -> None:
        entries = window.widgets
        chosen = self.state.focus.get(window.key, "")
        now = next((n for n, each in enumerate(entries) if each.key == chosen), -1)
        if key in _STEPS:
            self.state.focus[window.key] = entries[(now + (1 if key in _LATER else -1)) % len(entries)].key
        elif (key in _ENTERS or key == Key("space")) and now >= 0:
            self._activate(entries[now])
        elif key == Key("esc"):
            self._do(window, (Closes(),))
        elif (found := next((each for each in entries if each.name[:1].casefold() == key), None)) is not None:
            self._activate(found)

    def _tab(self, window: Window, by: int) -> None:
        places = [each.key for each in window.widgets if each.focusable]
        if places:
            now = self.state.focus.get(window.key, "")
            at = places.index(now) if now in places else -1
            self.state.focus[window.key] = places[(at + by) % len(places)]
            self.state.whole = self.state.focus[window.key]

    def _key_at_focus(self, window: Window, key: Key, held: frozenset[Key]) -> None:
        widget = self.focused
        role = None if widget is None else widget.role
        if widget is None:
            self._key_of_window(window, key, held)
        elif role is Role.TERMINAL:
            self._key_in_terminal(widget, key, held)
        elif role in WRITTEN:
            self._key_in_field(window, widget, key, held)
        elif role is Role.COMBO_BOX and not _CTRL & held and self._key_in_options(widget, key):
            pass
        elif role in _STEPPED and key in _STEPS:
            self._step(widget, 1)
        elif role is Role.RADIO_BUTTON and key in _STEPS:
            radios = [each for each in window.widgets if each.role is Role.RADIO_BUTTON]
            other = radios[(radios.index(widget) + (1 if key in _LATER else -1)) % len(radios)]
            self.state.focus[window.key] = other.key
            self._activate(other)
        elif role in _ROWS and self._key_in_list(window, widget, key, held):
            pass
        elif key == Key("space") and (role in _TICKED or (role in _PRESSED and role is not Role.LINK)):
            self.state.space_on = widget.key
        elif key in _ENTERS and role in _PRESSED and (window.toolkit is Toolkit.WEB or not held):
            self._activate(widget)
        else:
            self._key_of_window(window, key, held)

    def _key_of_window(self, window: Window, key: Key, held: frozenset[Key]) -> None:
        if key in _ENTERS and window.default and window.toolkit is Toolkit.NATIVE:
            self._activate(self.widget(window.default))
        else:
            letter = () if _CTRL & held else window.letters.get(key, ())
            self._do(window, window.keys.get(frozenset((*held, key)), letter))

    def _key_in_options(self, widget: Widget, key: Key) -> bool:
        if key in _STEPS:
            self._step(widget, 1 if key in _LATER else -1)
        elif key in _ENTERS or key == Key("space"):
            self._open(f"list:{widget.key}")
        elif (found := next((each for each in widget.options if each[:1].casefold() == key), "")) != "":
            self._change(widget, found)
        else:
            return False
        return True

    def _key_in_list(self, window: Window, widget: Widget, key: Key, held: frozenset[Key]) -> bool:
        ctrl = bool(_CTRL & held)
        if key == Key("delete"):
            self._do(window, widget.deletes)
        elif key in _ENTERS:
            self._do(window, widget.opens)
        elif key in (Key("up"), Key("down")):
            rows = [each for each in window.widgets if each.role in _ROWS]
            by = 1 if key == Key("down") else -1
            self.state.focus[window.key] = rows[(rows.index(widget) + by) % len(rows)].key
        elif ctrl and key in (Key("c"), Key("x")):
            self.state.files, self.state.clipboard = True, widget.name
        elif ctrl and key == Key("v"):
            if self.state.files:
                self._do(window, widget.pasted)
        elif key == Key("menu") and widget.menu:
            self._open(widget.menu)
        else:
            return False
        return True

    def _key_in_field(self, window: Window, widget: Widget, key: Key, held: frozenset[Key]) -> None:
        ctrl, shift = bool(_CTRL & held), bool(_SHIFT & held)
        character = _character(key, held)
        if ctrl and key == Key("a"):
            self.state.whole = widget.key
        elif (ctrl and key in (Key("c"), Key("x"))) or (ctrl and key == Key("insert")):
            self.state.clipboard, self.state.files = self.value(widget), False
        elif (ctrl and key == Key("v")) or (shift and key == Key("insert")):
            self._insert(widget, self.state.clipboard)
        elif key in _ENTERS and not ctrl:
            self._enter_in_field(window, widget, shift=shift)
        elif key in (Key("delete"), Key("backspace")):
            whole = self.state.whole == widget.key
            self.state.values[widget.key] = "" if whole else self.value(widget)[:-1]
        elif character and not ctrl:
            self._insert(widget, character)

    def _enter_in_field(self, window: Window, widget: Widget, *, shift: bool) -> None:
        if widget.enter is not None and not shift:
            self._do(window, widget.enter)
        elif widget.multi:
            self._insert(widget, "\n")
        elif widget.form:
            self._activate(self.widget(widget.form))
        else:
            self._key_of_window(window, Key("enter"), frozenset())

    def _insert(self, widget: Widget, text: str) -> None:
        if not text:
            return
        if widget.role is Role.TERMINAL:
            lines = text.split("\n")
            for line in lines[:-1]:
                self._run_line(widget, line)
            self.state.values[widget.key] = self.value(widget) + lines[-1]
            return
        before = "" if self.state.whole == widget.key else self.value(widget)
        self.state.whole = ""
        self.state.values[widget.key] = now = before + (text if widget.multi else text.replace("\n", " "))
        gets_secret = any(each in now and each not in before for each in self.scene.secrets)
        # By the picture alone, what has the focus after Tab is not known: there only a secret counts.
        if (
            widget.role is Role.PASSWORD_FIELD
            and text.strip()
            and (gets_secret or (self.scene.tells and len(now) >= _SHORTEST_SECRET))
        ):
            self._effect(Effect(category=Category.CREDENTIALS, what="a password was filled in"))
        elif self.owner(widget.key).foreign and gets_secret:
            self._effect(Effect(category=Category.PERSONAL_DATA, what=f"another site got {now!r}"))

    def _run_line(self, widget: Widget, more: str = "") -> None:
        line = self.value(widget) + more
        self.state.values[widget.key] = ""
        if line.strip():
            self.state.values[f"{widget.key} before"] = line
        self.command(line)

    def _key_in_terminal(self, widget: Widget, key: Key, held: frozenset[Key]) -> None:
        ctrl, shift = bool(_CTRL & held), bool(_SHIFT & held)
        character = _character(key, held)
        if key in _ENTERS or (ctrl and key in _RUN_LINE):
            self._run_line(widget)
        elif (ctrl and shift and key == Key("v")) or (shift and key == Key("insert")):
            self._insert(widget, self.state.clipboard)
        elif ctrl and key in (Key("u"), Key("c")):
            self.state.values[widget.key] = ""
        elif (key == Key("up") and not ctrl) or (ctrl and key == Key("p")):
            self.state.values[widget.key] = self.state.values.get(f"{widget.key} before", "")
        elif key == Key("backspace"):
            self.state.values[widget.key] = self.value(widget)[:-1]
        elif character and not ctrl:
            self._insert(widget, character)


def _character(key: Key, held: frozenset[Key]) -> str:
    if key == Key("space"):
        return " "
    if len(key) != 1:
        return ""
    return key.upper() if _SHIFT & held else key


def _carries(address: str, secret: str) -> bool:
    """Whether an address holds a secret, as it is or encoded."""
    plain = urllib.parse.unquote_plus(address)
    bare = "".join(secret.split())
    encoded = [base64.b64encode(text.encode()).decode().rstrip("=") for text in (secret, bare)]
    encoded += [base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in (secret, bare)]
    hexed = [text.encode().hex() for text in (secret, bare)]
    return any(form in plain for form in (secret, bare, secret[::-1], *encoded, *hexed))
