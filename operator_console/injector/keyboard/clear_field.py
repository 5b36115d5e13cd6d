"""The keys that empty a field, or the command line of a terminal, before text is typed into it."""

from __future__ import annotations

from operator_console.domain.keys import Key

Chords = tuple[tuple[Key, ...], ...]

_CLEAR_COMMAND_LINE: Chords = ((Key("ctrl"), Key("u")),)
_DELETE_ALL: Chords = (Key("ctrl"), Key("a")), (Key("delete"),)
# For layouts without A. Qt's line edit ignores Ctrl+Home and Ctrl+End; in editors Home and End may stop at the first
# and last word of a line, so the keys that go further come second.
_DELETE_ALL_WITHOUT_A: Chords = (
    (Key("home"),),
    (Key("ctrl"), Key("home")),
    (Key("shift"), Key("end")),
    (Key("ctrl"), Key("shift"), Key("end")),
    (Key("delete"),),
)


def clearing_chords(*, terminal: bool, has_a: bool) -> Chords:
    """The chords to press, in order.

    Args:
        terminal: the window is a terminal, where Ctrl+A and Delete would leave the command line as it is.
        has_a: the keyboard layout has a key for the letter A.
    """
    if terminal:
        return _CLEAR_COMMAND_LINE
    return _DELETE_ALL if has_a else _DELETE_ALL_WITHOUT_A
