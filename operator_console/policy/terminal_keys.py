"""Assesses keys in a terminal other than Enter: a closed list of harmless ones; every other chord may run something.

A shell's editor binds chords that run the line, or open it in a program that runs it when it ends (GNU Readline's and
zsh's manuals: edit-and-execute-command, operate-and-get-next, accept-and-hold), and its user may bind more. What runs
in the terminal instead of a shell has keys of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.findings import Finding, PolicyContext, categorised, noteworthy
from operator_console.policy.input_places import is_terminal_place, runs_command_lines

_MODIFIERS = frozenset(("ctrl", "shift", "alt", "alt_gr", "super"))
_MOVES = frozenset((
    "up", "down", "left", "right", "home", "end", "page_up", "page_down", "tab", "backspace", "delete", "insert",
))  # fmt: skip
"""With any modifiers: the cursor, the history, completion, deletion in the line, the view, tabs of the window."""
_PLAIN = frozenset(("esc", "f1", "f11", "menu", "caps_lock", "num_lock", "scroll_lock", "pause", "print_screen"))
_WITH_CTRL = frozenset((*"abcdefghklnpqrstuwyz_-+=/0", "space"))
"""Readline's emacs mode: moves, kills, yanks and transposes in the line, searches the history, undoes; the terminal
driver's interrupt, end of file, suspend, stop and start; sizes of the font."""
_WITH_CTRL_SHIFT = frozenset("cfntw_+-=")
"""Of terminals: copy, find, new window and tab, close; undo."""
_WITH_ALT = frozenset((*"bcdflntuvwy._<>?0123456789-", "space"))
"""Readline: moves, changes of case and kills by words, the last argument, places in the history."""
_RUNS = frozenset(frozenset(chord.split("+")) for chord in ("alt+a", "ctrl+o", "ctrl+j", "ctrl+m"))
"""accept-and-hold of zsh, operate-and-get-next, accept-line."""
_PREFIX, _EDITS = frozenset(("ctrl", "x")), frozenset(("ctrl", "e"))
"""edit-and-execute-command."""
_LEAVES = frozenset(frozenset(chord.split("+")) for chord in ("alt+tab", "alt+shift+tab", "alt+f4", "alt+f2"))


def terminal_key_findings(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    """Findings for keys pressed together, Enter and its likes aside, in a place where a shell reads what is typed."""
    plain = pressed - _MODIFIERS
    if pressed == {"ctrl", "d"}:
        yield noteworthy("closes")
    elif plain and (context.menu_open or context.escaped) and not plain <= _MOVES | _PLAIN:
        yield from opened_findings(context)
    elif plain and not _is_harmless(pressed, plain):
        yield categorised(Category.TERMINAL, "terminal-key")


def viewer_key_findings(pressed: frozenset[str], context: PolicyContext) -> Iterator[Finding]:
    """Findings for keys in the window of another machine or server, in which a shell may have the focus: those that run
    the line, or open an editor that runs it, and mean little elsewhere."""
    if not runs_command_lines(context) or is_terminal_place(context):
        return
    if pressed in _RUNS or (pressed == _EDITS and frozenset(context.before) == _PREFIX):
        yield categorised(Category.TERMINAL, "terminal-key")


def opened_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for a key or a text that is no text there: a menu of the terminal takes it, which pastes and starts
    things, or what Escape has changed the meaning of: a chord with Alt, or a command of an editor."""
    if context.menu_open:
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
    elif context.escaped:
        yield categorised(Category.TERMINAL, "terminal-key")


def _is_harmless(pressed: frozenset[str], plain: frozenset[str]) -> bool:
    if len(plain) > 1:
        return False
    if plain <= _MOVES or pressed in _LEAVES or "super" in pressed:
        return True
    held = pressed & _MODIFIERS - {"alt_gr"}
    (key,) = plain
    if not held - {"shift"}:
        return len(key) == 1 or key in _PLAIN or key.startswith("kp_") or key == "space"
    if held == {"ctrl"}:
        return key in _WITH_CTRL
    if held == {"ctrl", "shift"}:
        return key in _WITH_CTRL_SHIFT
    return held == {"alt"} and key in _WITH_ALT
