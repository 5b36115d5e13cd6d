"""The agent's own input so far: keys and buttons held down, what was typed into which field, pointer position.

Policy needs it to judge Enter by the text before it; the pointer is restored after the human has moved the mouse. It
says what was sent, not what the screen shows.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
    UseElement,
)
from operator_console.domain.decisions import Outcome
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.elements import UNKNOWN_CONTROL, Control, ControlSource, ElementState, Role
from operator_console.domain.frames import Frame, TargetKind, WindowInfo
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.engine.control_finder import Hit, label_of
from operator_console.policy import PolicyContext
from operator_console.policy.input_places import is_terminal_place

MAX_TYPED = 4000
MAX_FIELDS = 64

_SHIFTS = frozenset((Key("shift"), Key("shift_r")))
_ENTERS = frozenset((Key("enter"), Key("kp_enter")))
_MOVES_CHOICE = frozenset(Key(name) for name in ("up", "down", "page_up", "page_down"))
"""In lists and menus another entry has the focus after these."""
_ENDS_OF_LIST = frozenset((Key("home"), Key("end")))
_MOVES_IN_MENU = _MOVES_CHOICE | _ENDS_OF_LIST | frozenset(Key(name) for name in ("left", "right", "tab"))
_COMMANDS = frozenset(Key(name) for name in ("ctrl", "ctrl_r", "alt", "super", "super_r"))
_EDITING = frozenset(Key(name) for name in "acvxyz") | frozenset(
    Key(name) for name in ("left", "right", "home", "end", "backspace", "delete", "insert")
)
"""With Ctrl, these leave the focus where it is."""
_CTRL = frozenset((Key("ctrl"), Key("ctrl_r")))
_OPENS_MENU = frozenset((Key("alt"), Key("super"), Key("super_r")))
"""Pressed alone, these move the focus to a menu bar or a launcher."""
_ONLY_CTRL = ({Key("ctrl")}, {Key("ctrl_r")})
_RUNS_OR_CLEARS = frozenset((Key("m"), Key("j"), Key("o"), Key("c")))
"""With Ctrl, a shell runs its line or discards it."""
_TEXT_ROLES = frozenset((Role.PASSWORD_FIELD, Role.SEARCH_FIELD, Role.SPIN_BUTTON, Role.TERMINAL, Role.TEXT_FIELD))
_ABOUT_CHOSEN = frozenset((Role.BUTTON, Role.MENU, Role.MENU_BAR, Role.MENU_ITEM, Role.TOGGLE_BUTTON))
_ASK_FOR_LINE = ({Key("alt"), Key("f2")}, {Key("super"), Key("r")}, {Key("super_r"), Key("r")})
"""GNOME, KDE, Xfce and others; Windows, inside a machine's window. GNOME's line is no window of its own."""
_LEAVE_LINE = _ENTERS | {Key("esc")}
_TERMINAL, _ANY_FIELD = "terminal", "any"
_NO_EFFECT = (
    frozenset(Key(name) for name in ("alt_gr", "caps_lock", "num_lock", "pause", "print_screen", "scroll_lock"))
    | _COMMANDS
    | _SHIFTS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldId:
    """Names a place that takes text, as long as it is there: its window, and what tells it from others there."""

    window_id: int | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What was typed into a field since it got the focus.

    Attributes:
        typed: the text.
        known: the field holds exactly that.
        escaped: in a terminal, Escape was pressed since the last line was submitted or discarded: what follows may be a
            command of an editor, or of a shell that edits as vi does, and no text.
    """

    typed: str = ""
    known: bool = True
    escaped: bool = False


def field_id(hit: Hit, window: WindowInfo | None) -> FieldId:
    """The place that a click on `hit` gives the focus, or that has it."""
    control, window_id = hit.control, None if window is None else window.window_id
    app, title = (window.app, window.title) if window is not None else (control.app, control.window)
    context = PolicyContext(app=app, title=title, url=control.url, control=control)
    if is_terminal_place(context) and not _is_beside_terminal(control):
        # One name for the whole window: the element may not be known each time, and a lost line would hide a command.
        return FieldId(window_id=window_id, name=_TERMINAL)
    if hit.element_id:
        return FieldId(window_id=window_id, name=f"element {hit.element_id}")
    if control.source is ControlSource.PICTURE and control.extent is not None:
        extent = control.extent
        return FieldId(window_id=window_id, name=f"box {extent.x} {extent.y} {extent.width} {extent.height}")
    return FieldId(window_id=window_id, name=_ANY_FIELD)


def _titles(frame: Frame) -> dict[int | None, str]:
    """Title and address of each window, by its id; under None those of a target without windows."""
    windows = [each.info for each in frame.stack or ()]
    if frame.focus is not None:
        windows.append(frame.focus)
    names_machine = frame.target.kind is TargetKind.VM  # in a viewer's title, which tells nothing of what it shows
    titles: dict[int | None, str] = {None: frame.title}
    titles.update((info.window_id, "" if names_machine else info.title) for info in windows)
    return {window_id: f"{title}\n{frame.url}" for window_id, title in titles.items()}


def _is_beside_terminal(control: Control) -> bool:
    return control.role in (Role.BUTTON, Role.CHECK_BOX, Role.MENU, Role.MENU_ITEM, Role.SEARCH_FIELD, Role.TAB)


class InputState:
    """Tracks the input that a session has sent.

    Attributes:
        keys: keys held down by earlier calls.
        buttons: buttons held down by earlier calls.
        field: the control that was clicked last, until the focus may have moved; None: not known.
        pressed: the control at which a button was pressed that is still held down; None: no button is.
        pointer: the agent's own pointer position in input units; None: not known.
        before: the keys that the last input pressed together; () where it was no key combination.
        clicks: of the left button that were sent last, one right after another since the last frame.
        chosen: what was clicked last beside menus and buttons, or had the focus when a key opened a menu.
        focus_moved: keys have moved the focus since the last click: Tab, or what ends what the click has opened.
        menu_open: the last input opened a menu, or moved in one.
        asks_for_line: keys have asked the desktop for a line to run, and it was neither run nor left since.
        sent_since_frame: input was sent since the last frame, so the focus may have moved.
    """

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.buttons: list[Button] = []
        self.field: Hit | None = None
        self.pressed: Control | None = None
        self.pointer: tuple[int, int] | None = None
        self.sent_since_frame = False
        self.clicks = 0
        self.chosen: Control = UNKNOWN_CONTROL
        self.before: tuple[Key, ...] = ()
        self.focus_moved = False
        self.menu_open = False
        self.asks_for_line = False
        self._lines: dict[FieldId, Line] = {}
        self._numbers = itertools.count()
        self._current = self._anywhere(None)
        self._trusted = True
        self._shown: dict[int | None, str] = {}
        self._line_then: tuple[FieldId, Line] = self._current, Line()

    def new_frame(self, frame: Frame) -> None:
        """A fresh frame was captured, with the current focus.

        Where the window of the field has gone, or shows another title or address than in the frame before, another page
        or file may be there, and the focus anywhere. While one types, editors mark a change in the title, and pages
        search: that is still the field.
        """
        shown, line = _titles(frame), (self._current, self.line())
        before, now = (titles.get(self._current.window_id) for titles in (self._shown, shown))
        typing = now is not None and bool(self.line().typed) and line != self._line_then
        if before not in (None, now) and not typing and self.field is not None and self._current.name != _TERMINAL:
            self._leave()
        self._shown, self._line_then = shown, line
        self.sent_since_frame = False

    def clear_held(self) -> None:
        """All keys and buttons were released."""
        self.keys.clear()
        self.buttons.clear()
        self.pressed = None

    def forget(self) -> None:
        """A human may have used the target meanwhile: discard everything. What fields hold is no longer known."""
        self.clear_held()
        self.field, self.pointer, self.menu_open, self.before = None, None, False, ()
        self.focus_moved = False
        self.chosen, self.asks_for_line = UNKNOWN_CONTROL, False
        self._lines.clear()
        self._current = self._anywhere(None)
        self._trusted = False

    def line(self, place: FieldId | None = None) -> Line:
        """What was typed into a field; None: into the one that has the focus.

        A field that is returned to may have been changed meanwhile: by a menu, a script, or where the caret is now.
        """
        if place is None or place == self._current:
            return self._lines.get(self._current, Line(known=self._trusted))
        before = self._lines.get(place)
        return Line(known=self._trusted) if before is None else _returned_to(place, before)

    def is_in(self, window: WindowInfo | None) -> bool:
        """Whether the field that got the focus last belongs to this window."""
        return self._current.window_id == (None if window is None else window.window_id)

    def place(self, focused: Hit | None, window: WindowInfo | None) -> FieldId:
        """The field that gets keys: the one that is known to have the focus, else the one that got it last."""
        if focused is not None:
            return field_id(focused, window)
        if window is not None and window.window_id != self._current.window_id:
            return field_id(Hit(), window)
        return self._current

    def note_sent(self, action: Action, context: PolicyContext, outcome: Outcome, hit: Hit, place: FieldId) -> None:
        """Record an action that was sent, wholly or in part.

        Args:
            action: what was sent.
            context: what policy was told about it.
            outcome: how it ended.
            hit: what was at its last point, or had the focus.
            place: the field that it gave the focus, or that got the keys.
        """
        self._count_clicks(action, hit)
        self.sent_since_frame = True
        if outcome.pointer is not None:
            self.pointer = outcome.pointer
        before, self.menu_open = self.menu_open, self._opens_menu(action)
        if self.menu_open and not before and isinstance(action, Chord | HoldKeys | KeyDown):
            self.chosen = hit.control
        self.asks_for_line = self._asks_for_line(action)
        self.before = self._keys_before(action)
        match action:
            case Click(button=button):
                self._clicked(hit, place, button)
            case Press(button=button):
                self._clicked(hit, place, button)
                self.buttons.append(button)
                self.pressed = context.control
            case Drag():
                self._dragged(Hit(control=context.from_control, nearby=context.nearby))
            case Release() if self.pressed is not None and set(self.buttons) == {action.button}:
                self._dragged(Hit(control=self.pressed, nearby=context.nearby))
                self.pressed = None
            case TypeText():
                self._typed(action, hit, place)
            case KeyDown(key=key):
                self._enter(place)
                self._pressed((*self.keys, key), hit.control, held=True)
                self.keys.append(key)
            case Chord(keys=keys, repeat=repeat):
                self._enter(place)
                self._pressed((*self.keys, *keys), hit.control, repeat=repeat)
            case HoldKeys(keys=keys):
                self._enter(place)
                self._pressed((*self.keys, *keys), hit.control, held=True)
            case _:
                self._used(action, hit, place)
        self._let_go(action)

    def _count_clicks(self, action: Action, hit: Hit) -> None:
        """Count a press of the left button on what was clicked before; what comes between two of them parts none."""
        match action:
            case Click(button=button, count=count):
                presses = count
            case Press(button=button):
                presses = 1
            case TypeText(at=at) if at is not None:
                button, presses = Button.LEFT, 1
            case _:
                return
        again = self.sent_since_frame and self.field is not None and self.field.control == hit.control
        self.clicks = (self.clicks if again else 0) + presses if button is Button.LEFT else 0

    def _let_go(self, action: Action) -> None:
        """An action releases what it has pressed, also where that was held down before."""
        keys, button = _released_by(action)
        self.keys = [held for held in self.keys if held not in keys]
        self.buttons = [held for held in self.buttons if held is not button]
        if not self.buttons and self.pressed is not None:
            self.pressed = None
            self._doubt_all()

    def _keys_before(self, action: Action) -> tuple[Key, ...]:
        match action:
            case Chord(keys=keys) | HoldKeys(keys=keys):
                return (*self.keys, *keys)
            case KeyDown(key=key) if key not in MODIFIERS:
                return (*self.keys, key)
            case KeyDown() | KeyUp():
                return self.before
            case _:
                return ()

    def _asks_for_line(self, action: Action) -> bool:
        match action:
            case Chord(keys=keys) | HoldKeys(keys=keys):
                pressed = {*self.keys, *keys}
            case KeyDown(key=key):
                pressed = {*self.keys, key}
            case Click() | Press() | UseElement() | TypeText(submit=True):
                return False
            case TypeText(text=text, at=at):
                return self.asks_for_line and at is None and "\n" not in text
            case _:
                return self.asks_for_line
        return pressed in _ASK_FOR_LINE or (self.asks_for_line and _LEAVE_LINE.isdisjoint(pressed))

    def _opens_menu(self, action: Action) -> bool:
        match action:
            case Click(button=button) | Press(button=button):
                return button is Button.RIGHT
            case Chord(keys=keys) | HoldKeys(keys=keys):
                return self._keys_open_menu(keys)
            case KeyDown(key=key):
                return self._keys_open_menu((key,))
            case KeyUp() | Move() | Release() | Scroll():
                return self.menu_open
            case TypeText(text=text, at=None, submit=False):
                return self._stays_open(text)
            case _:
                return False

    def _keys_open_menu(self, keys: tuple[Key, ...]) -> bool:
        plain = {key for key in keys if key not in _NO_EFFECT}
        if plain <= _MOVES_IN_MENU:
            return self.menu_open
        letters = all(len(key) == 1 and key.isalpha() for key in plain)
        if letters and _COMMANDS.isdisjoint((*self.keys, *keys)):
            return self._stays_open("".join(plain))
        return plain in ({Key("menu")}, {Key("f10")}) or (letters and not _OPENS_MENU.isdisjoint((*self.keys, *keys)))

    def _stays_open(self, letter: str) -> bool:
        """Whether a menu may be open after a letter, which no entry may have."""
        return self.menu_open and len(letter.strip()) == 1 and self._current.name != _TERMINAL

    def _enter(self, place: FieldId) -> None:
        """The field has the focus now."""
        if place == self._current:
            return
        if place.window_id != self._current.window_id:
            self.field, self.focus_moved = None, False
        before = self._lines.pop(place, None)
        self._set(place, Line(known=self._trusted) if before is None else _returned_to(place, before))
        self._current = place

    def _leave(self) -> None:
        """The focus may be anywhere in its window now."""
        self.field = None
        self._current = self._anywhere(self._current.window_id)

    def _anywhere(self, window_id: int | None) -> FieldId:
        return FieldId(window_id=window_id, name=f"number {next(self._numbers)}")

    def _set(self, place: FieldId, line: Line) -> None:
        self._lines.pop(place, None)
        cut = replace(line, typed=line.typed[-MAX_TYPED:], known=line.known and len(line.typed) <= MAX_TYPED)
        self._lines[place] = cut
        while len(self._lines) > MAX_FIELDS:
            del self._lines[next(iter(self._lines))]

    def _doubt(self) -> None:
        self._set(self._current, replace(self.line(), known=False))

    def _clicked(self, hit: Hit, place: FieldId, button: Button) -> None:
        again = place == self._current and place.name != _TERMINAL
        self._enter(place)
        if hit.control.role not in _ABOUT_CHOSEN:
            self.chosen = hit.control
        beside = not label_of(hit.control) and hit.control.source is ControlSource.NONE
        if not (beside and self.field is not None and _may_be_choice(self.field.control)):
            self.field = hit  # a press beside an open list only closes it
        self.focus_moved = False
        if again and self.line().typed:
            self._set(place, _returned_to(place, self.line()))
        if button is Button.MIDDLE:
            self._doubt()
        if button is Button.RIGHT:  # its menu may paste, and has the focus now
            self._doubt()
            self._leave()

    def _dragged(self, start: Hit) -> None:
        """Something was selected or moved, perhaps a text from one field into another."""
        self._doubt_all()
        self.field = start

    def _doubt_all(self) -> None:
        for place, line in list(self._lines.items()):
            self._set(place, replace(line, known=False))
        self._doubt()

    def _used(self, action: Action, hit: Hit, place: FieldId) -> None:
        """An element was used through accessibility; a press there moves the focus only where its application does."""
        if not isinstance(action, UseElement):
            return
        if action.use is ElementUse.FOCUS:
            self._clicked(hit, place, Button.LEFT)
        else:
            self._doubt()
            self._leave()

    def _typed(self, action: TypeText, hit: Hit, place: FieldId) -> None:
        if action.at is not None:
            self._clicked(hit, place, Button.LEFT)
        else:
            self._enter(place)
        if self.menu_open or not _COMMANDS.isdisjoint(self.keys):  # each character was a key combination
            self._doubt()
            return
        before = Line(escaped=self.line().escaped) if action.clear else self.line()
        text = action.text.replace("\r", "\n") + ("\n" if action.submit else "")
        if place.name == _TERMINAL and "\t" in text:
            before = replace(before, known=False)  # it completes words
        elif "\t" in text:
            self._leave()
            self.focus_moved = True
            before, text = Line(), text.rpartition("\t")[2]
        lines = _takes_lines(hit.control, self._current)
        before = replace(before, typed=before.typed + text)
        self._set(self._current, before if lines else _last_line(before))

    def _pressed(self, keys: tuple[Key, ...], control: Control, *, repeat: int = 1, held: bool = False) -> None:
        """Keys were pressed together. `held`: they stay down, so that they may repeat."""
        plain = [key for key in keys if key not in _NO_EFFECT]
        command = not _COMMANDS.isdisjoint(keys)
        if not plain:
            if command and not held and _OPENS_MENU & set(keys):
                self._leave()
            return
        key = plain[-1]
        character = " " if key == Key("space") else key
        if len(character) == 1 and len(plain) == 1 and not command and not self.menu_open:
            before = self.line()
            shifted = not _SHIFTS.isdisjoint(keys)
            certain = not held and (not shifted or character.isalpha())
            typed = before.typed + (character.upper() if shifted else character) * repeat
            self._set(self._current, replace(before, typed=typed, known=before.known and certain))
        elif key == Key("backspace") and not command:
            before = self.line()
            self._set(self._current, replace(before, typed=before.typed[: max(0, len(before.typed) - repeat)]))
            if held:
                self._doubt()
        elif self._current.name == _TERMINAL:
            self._in_terminal(key, keys)
        else:
            self._in_window(key, keys, control, command=command)

    def _in_terminal(self, key: Key, keys: tuple[Key, ...]) -> None:
        with_ctrl = {held for held in keys if held in MODIFIERS} in _ONLY_CTRL
        if key in _ENTERS or (with_ctrl and key in _RUNS_OR_CLEARS):
            self._set(self._current, Line())
        elif with_ctrl and key == Key("u"):  # discards what is before the caret
            self._set(self._current, replace(self.line(), typed=""))
        elif key == Key("esc"):
            self._set(self._current, replace(self.line(), known=False, escaped=True))
        elif not ((with_ctrl and key == Key("l")) or (_CTRL & set(keys) and key == Key("c"))):
            self._doubt()  # history, completion, paste, or a caret that is elsewhere now

    def _in_window(self, key: Key, keys: tuple[Key, ...], control: Control, *, command: bool) -> None:
        if key in _ENTERS and not command and _takes_lines(control, self._current):
            before = self.line()
            self._set(self._current, replace(before, typed=before.typed + "\n"))
        elif key in (*_ENTERS, Key("esc"), Key("tab")):
            self.focus_moved = self.focus_moved or key == Key("tab") or self.field is not None
            if key in _ENTERS:
                self._set(self._current, Line())
            self._leave()
        elif key == Key("menu") or _is_function_key(key) or (command and not (key in _EDITING and _CTRL & set(keys))):
            self._leave()
        elif self.field is not None and _moves_choice(key, self.field.control):
            self._doubt()
            self.field = None
        elif not (command and key == Key("c")):
            self._doubt()


def _moves_choice(key: Key, control: Control) -> bool:
    """Whether another entry has the focus after the key, where the control is a list or has opened one."""
    if key in _MOVES_CHOICE:
        return control.role not in _TEXT_ROLES
    return key in _ENDS_OF_LIST and _may_be_choice(control)


def _may_be_choice(control: Control) -> bool:
    """Whether it is a box with a text, which may be a list of options that a click opens."""
    return control.source is ControlSource.PICTURE and bool(control.text)


def _returned_to(place: FieldId, before: Line) -> Line:
    # Without anything that tells fields apart, it may as well be another one.
    return replace(before, typed="" if place.name == _ANY_FIELD else before.typed, known=False)


def _takes_lines(control: Control, place: FieldId) -> bool:
    """Whether Enter begins a new line there, instead of sending what was typed."""
    return place.name != _TERMINAL and ElementState.MULTI_LINE in control.states


def _last_line(line: Line) -> Line:
    """What is left after each line break sent what was before it."""
    before, broken, last = line.typed.rpartition("\n")
    return Line(typed=last) if broken or before else line


def _released_by(action: Action) -> tuple[tuple[Key, ...], Button | None]:
    """The keys and the button that are up after an action."""
    match action:
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return keys, None
        case KeyUp(key=key):
            return (key,), None
        case Scroll(modifiers=modifiers):
            return modifiers, None
        case Click(button=button, modifiers=modifiers) | Drag(button=button, modifiers=modifiers):
            return modifiers, button
        case Release(button=button):
            return (), button
        case TypeText(at=at) if at is not None:
            return (), Button.LEFT
        case _:
            return (), None


def _is_function_key(key: Key) -> bool:
    return key[:1] == "f" and key[1:].isdigit()
