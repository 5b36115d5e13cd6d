"""Browser actions on a desktop: the keys that do them, for targets that have no browser port of their own.

A monitor's or a window's browser is worked like a person works it: the address bar by its key, the address, Enter.
Pure; called by approval (which grants the parts) and acting.
"""

from __future__ import annotations

from operator_console.domain.actions import Action, Back, Chord, Forward, Navigate, Search, TypeText
from operator_console.domain.keys import Key

_CTRL, _ALT = Key("ctrl"), Key("alt")


def parts(action: Action) -> tuple[Action, ...]:
    """The inputs that do a browser action; any other action is its own only part."""
    match action:
        case Back():
            return (Chord(keys=(_ALT, Key("left"))),)
        case Forward():
            return (Chord(keys=(_ALT, Key("right"))),)
        case Navigate(url=url, new_tab=new_tab):
            return (_bar(new_tab), TypeText(text=with_scheme(url), submit=True))
        case Search(query="") | Search(query=" "):
            return (_bar(True),)
        case Search(query=query):
            return (_bar(True), TypeText(text=query, submit=True))
        case _:
            return (action,)


def with_scheme(url: str) -> str:
    """The address as it is typed: one line, without surrounding space."""
    return " ".join(url.split())


def needs_browser(action: Action) -> bool:
    """Whether a browser must have the focus."""
    return isinstance(action, Back | Forward | Navigate | Search)


def _bar(new_tab: bool) -> Chord:
    # A new tab has the focus in its address bar already.
    return Chord(keys=(_CTRL, Key("t" if new_tab else "l")))
