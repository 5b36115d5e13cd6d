"""Browser actions as keyboard input, for targets whose browser can only be controlled like any application.

The address bar is focused by its shortcut, then the address is typed and Enter pressed.
"""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    Back,
    BrowserAction,
    Chord,
    CloseTab,
    Forward,
    Navigate,
    Search,
    SwitchTab,
    TypeText,
    tab_keys,
)
from operator_console.domain.keys import Key

_CTRL, _ALT = Key("ctrl"), Key("alt")


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
