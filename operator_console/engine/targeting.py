"""The inputs that carry out an action, its points, whether it needs the focus, how long its effect may take to show.

Where a browser can only be controlled like any application, its actions are keyboard input: the address bar is focused
by its shortcut, then the address is typed and Enter pressed. Pure functions.
"""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    Back,
    BrowserAction,
    Chord,
    Click,
    CloseTab,
    Drag,
    Forward,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    QuoteText,
    Release,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    UseElement,
    tab_keys,
    target_point,
)
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.domain.keys import Key

CROP_RADIUS_PX = 48

# (lower, upper) bounds of the wait for the screen to stop changing, in seconds. The lower one gives the application
# time to react; the upper one is for pages that never stop changing.
_QUICK = (0.02, 0.4)
_USUAL = (0.03, 1.5)
_CLICK = (0.03, 3.0)  # long enough to wait for the first change
_SLOW = (0.10, 4.0)
_LAUNCH = (0.30, 6.0)
_COPIES = (frozenset((Key("ctrl"), Key("c"))), frozenset((Key("ctrl"), Key("insert"))))

_CTRL, _ALT = Key("ctrl"), Key("alt")


def is_keyboard(action: Action) -> bool:
    """Whether it sends keys and so needs the focus."""
    return isinstance(action, TypeText | Chord | KeyDown | KeyUp | HoldKeys)


def is_input(action: Action) -> bool:
    """Whether the injector carries it out."""
    return is_keyboard(action) or isinstance(action, Move | Click | Press | Release | Drag | Scroll | UseElement)


def points(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[NativePoint, ...]:
    """The points that it acts on: both ends of a drag, the named point, or the agent's pointer where none is named.

    Args:
        action: the action.
        frame: the frame it was proposed on.
        pointer: the agent's own pointer in input units (not the human's, which the frame shows); None: not known.
    """
    if isinstance(action, Drag):
        return (action.path[0], action.path[-1])
    at = target_point(action)
    if at is not None:
        return (at,)
    if isinstance(action, QuoteText) and action.auto_scroll:
        return (middle(action.region),)
    if isinstance(action, Click | Press | Release | Scroll):
        own = frame.pointer if pointer is None else frame.geometry.from_screen(ScreenPoint(*pointer))
        return () if own is None else (own,)
    return ()


def middle(region: Rect) -> NativePoint:
    """The pixel in the middle of a region."""
    return NativePoint(*region.centre)


def check_points(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[NativePoint, ...]:
    """The points at which the screen must still look as in the frame; none for moves, releases and keys.

    A release is never refused: leaving a button down because the picture changed would be worse. Points outside the
    frame are left out; the injector refuses them as out of range.
    """
    if isinstance(action, Move | Release):
        return ()
    native = frame.geometry.native
    return tuple(p for p in points(action, frame, pointer) if 0 <= p.x < native.width and 0 <= p.y < native.height)


def owner_points(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[NativePoint, ...]:
    """The points at which the windows must still be those of the frame: also of moves and of the whole path of a drag,
    none for releases and keys. The picture of a target window shows an element that another window covers, and using it
    needs no pointer, so that there is none for that either."""
    native = frame.geometry.native
    if isinstance(action, Release) or (isinstance(action, UseElement) and frame.target.kind.is_one_window):
        return ()
    found = action.path if isinstance(action, Drag) else points(action, frame, pointer)
    return tuple(p for p in dict.fromkeys(found) if 0 <= p.x < native.width and 0 <= p.y < native.height)


def screen_regions(action: Action, frame: Frame, pointer: tuple[int, int] | None) -> tuple[Rect, ...]:
    """Squares of the frame around the action's check points, without duplicates."""
    native = frame.geometry.native
    squares = (Rect.around(point, CROP_RADIUS_PX, native) for point in check_points(action, frame, pointer))
    return tuple(dict.fromkeys(square for square in squares if not square.empty))


def must_show(action: Action) -> bool:
    """Whether its effect is expected to show on the screen; not for moves, holds and copying."""
    match action:
        case Click() | Drag() | Scroll() | Release() | UseElement():
            return True
        case TypeText(text=text, clear=clear, submit=submit):
            return bool(text) or clear or submit
        case Chord(keys=keys):
            return not any(set(keys) == copying for copying in _COPIES)
        case _:
            return False


def settle_bounds(action: Action) -> tuple[float, float]:
    """Lower and upper bound of the wait after it, in seconds."""
    match action:
        case Move() | KeyDown() | KeyUp() | Press():
            return _QUICK
        case TypeText(submit=True) | Click(count=2):
            return _SLOW
        case Chord(keys=keys) if Key("enter") in keys or Key("f5") in keys:
            return _SLOW
        case Click() | UseElement():
            return _CLICK
        case OpenBrowser() | Launch():
            return _LAUNCH
        case _:
            return _SLOW if not is_input(action) else _USUAL


def parts(action: Action, *, managed: bool = False) -> tuple[Action, ...]:
    """The inputs that carry out a browser action; any other action, and in a managed browser every action, is its own
    only part."""
    if managed:
        return (action,)
    match action:
        case Back():
            return (Chord(keys=(_ALT, Key("left"))),)
        case Forward():
            return (Chord(keys=(_ALT, Key("right"))),)
        case SwitchTab() | CloseTab():
            return (Chord(keys=tab_keys(action)),)
        case Navigate(url=url, new_tab=new_tab):
            return (_bar(new_tab), TypeText(text=with_scheme(url), submit=True))
        case Search(query="") | Search(query=" "):
            return (_bar(True),)
        case Search(query=query):
            return (_bar(True), TypeText(text=query, submit=True))
        case _:
            return (action,)


def is_browser_action(action: Action) -> bool:
    """Whether a managed browser carries it out without pointer and keys."""
    return isinstance(action, BrowserAction)


def with_scheme(url: str) -> str:
    """The address as it is typed: on one line, without surrounding space."""
    return " ".join(url.split())


def needs_browser(action: Action) -> bool:
    """Whether a browser must have the focus."""
    return isinstance(action, Back | Forward | SwitchTab | CloseTab | Navigate | Search)


def _bar(new_tab: bool) -> Chord:
    # In a new tab the address bar has the focus already.
    return Chord(keys=(_CTRL, Key("t" if new_tab else "l")))
