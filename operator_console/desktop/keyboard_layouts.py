"""Which keys type a text in a keyboard layout, by its name in XKB ("de", "de(nodeadkeys)"): of another machine, not of
this display.

libxkbcommon reads the layouts, from the data that X servers and Wayland compositors use (/usr/share/X11/xkb). Qt needs
the library, too. Key codes are Linux's (input-event-codes.h); X's keycodes are 8 higher.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from operator_console.desktop.x11.input_keysyms import LEVEL3_SHIFT, character_of, keysyms_of_key
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode

SHIFT = 42
_ENTER, _TAB, _SPACE, _ALT_GR, _CAPS_LOCK, _NUM_LOCK = 28, 15, 57, 100, 58, 69
_WRITING = (*range(2, 14), *range(16, 28), *range(30, 42), 43, *range(44, 54), _SPACE, 86, 89, 124)
"""Keys that write, without the keypad's, which Num Lock changes."""
_VIRTUAL = 84
"""XKB's <LVL3>, which no keyboard has."""
_X_OFFSET = 8
_NAME = re.compile(r"([a-z][a-z0-9_]*)(?:\(([A-Za-z0-9_-]+)\))?")

_DEAD = {0xFE50: ("`", "\u0300"), 0xFE51: ("", "\u0301"), 0xFE52: ("^", "\u0302"), 0xFE53: ("~", "\u0303"),
         0xFE57: ("", "\u0308"), 0xFE5B: ("", "\u0327")}  # fmt: skip
"""Keysyms of dead keys: what they write followed by a space on every system, and the accent that they add. An acute or
a diaeresis followed by a space is one character on X11 and another one on Windows."""

_NO_ENVIRONMENT = 2  # XKB_CONTEXT_NO_ENVIRONMENT_NAMES
_CRITICAL = 10  # XKB_LOG_LEVEL_CRITICAL
_DOWN = 1  # enum xkb_key_direction


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """Press `holding` in order, then `key`; release in reverse. Key codes of Linux."""

    key: int
    holding: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardLayout:
    """One layout.

    Attributes:
        name: in XKB.
        alt_gr: the key of the third level; None where the layout has none.
        _symbols: the keysym of a key while these keys are held.
        _strokes: of the characters that one key writes, with the fewest modifiers.
        _sequences: of those that a dead key and another key write.
    """

    name: str
    alt_gr: int | None
    _symbols: Mapping[tuple[int, tuple[int, ...]], int] = field(repr=False)
    _strokes: Mapping[str, Stroke] = field(repr=False)
    _sequences: Mapping[str, tuple[Stroke, ...]] = field(repr=False)

    def stroke(self, character: str) -> Stroke | None:
        """The key that writes a character, "\\n" and "\\t" included; None if there is none, or only a dead key."""
        return self._strokes.get(character)

    def strokes(self, character: str) -> tuple[Stroke, ...]:
        """How a character is written: by one key, else by a dead key and another; () if it is by neither.

        Dead keys are used for ^, ` and ~, and for letters of Latin-1: all systems agree on these.
        """
        stroke = self.stroke(character)
        return self._sequences.get(character, ()) if stroke is None else (stroke,)

    def key(self, name: Key) -> Stroke | None:
        """The key of a canonical name, for chords; None for one that keyboards do not have.

        A letter that the layout lacks is where an American keyboard has it: systems with such a layout take Ctrl+C
        from that key.
        """
        character = name.lower() if len(name) == 1 else character_of(next(iter(keysyms_of_key(name)), 0))
        if not character:
            return Stroke(key=self.alt_gr) if name == "alt_gr" and self.alt_gr else self._named(name)
        stroke = self._strokes.get(character)
        if stroke is None and self.name != "us" and character.isascii() and character.isalpha():
            american = keyboard_layout("us")
            return None if american is None else american.stroke(character)
        return stroke

    def keysym(self, stroke: Stroke, *, shift: bool = False) -> int:
        """What a stroke means in this layout, `shift`: with Shift as well; 0 for nothing."""
        holding = stroke.holding if not shift or SHIFT in stroke.holding else (SHIFT, *stroke.holding)
        return self._symbols.get((stroke.key, holding), 0)

    def _named(self, name: Key) -> Stroke | None:
        for keysym in keysyms_of_key(name):
            found = [(holding, key) for (key, holding), symbol in self._symbols.items() if symbol == keysym]
            if found:
                return Stroke(key=min(found)[1])
        return None


@lru_cache(maxsize=32)
def keyboard_layout(name: str) -> KeyboardLayout | None:
    """A layout by its name in XKB; None where there is none of this name, or none can be read (`why_no_layout`)."""
    parts = _NAME.fullmatch(name)
    library = _library()
    if parts is None or library is None:
        return None
    with _keymap(library, parts[1], parts[2] or "") as keymap:
        return None if keymap is None else _layout(name, library, keymap)


def why_no_layout(name: str) -> NoticeText:
    """Why `keyboard_layout` gives none of this name."""
    if _library() is None or (name != "us" and keyboard_layout("us") is None):
        return notice(NoticeCode.LAYOUTS_NOT_READABLE)
    return notice(NoticeCode.LAYOUT_NOT_KNOWN, layout=name)


@lru_cache(maxsize=1)
def known_layouts() -> Mapping[str, str]:
    """The names of all layouts, and what they are in English ("de(nodeadkeys)": "German (no dead keys)"), ascending.

    Empty where none can be read.
    """
    found: dict[str, str] = {}
    section = ""
    for line in _rules().splitlines():
        if line.startswith("!"):
            section = line.removeprefix("!").strip()
            continue
        name, _, told = line.strip().partition(" ")
        if section == "layout" and name not in {"", "custom"}:
            found[name] = told.strip()
        elif section == "variant" and name:
            of, _, told = told.strip().partition(": ")
            found[f"{of}({name})"] = told
    return dict(sorted(found.items()))


def _rules() -> str:
    library = _library()
    if library is None:
        return ""
    with _context(library) as context:
        folders = [
            Path(library.xkb_context_include_path_get(context, index).decode())
            for index in range(library.xkb_context_num_include_paths(context))
        ]
    file = next((file for folder in folders if (file := folder / "rules" / "evdev.lst").is_file()), None)
    return "" if file is None else file.read_text("utf-8", "replace")


class _RuleNames(ctypes.Structure):
    """struct xkb_rule_names."""

    _fields_ = tuple((each, ctypes.c_char_p) for each in ("rules", "model", "layout", "variant", "options"))


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libxkbcommon.so.0")
    except OSError:
        return None
    pointer, number, code = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32
    for function, result, arguments in (
        ("xkb_context_new", pointer, (number,)),
        ("xkb_context_unref", None, (pointer,)),
        ("xkb_context_set_log_level", None, (pointer, number)),
        ("xkb_context_num_include_paths", ctypes.c_uint, (pointer,)),
        ("xkb_context_include_path_get", ctypes.c_char_p, (pointer, ctypes.c_uint)),
        ("xkb_keymap_new_from_names", pointer, (pointer, ctypes.POINTER(_RuleNames), number)),
        ("xkb_keymap_unref", None, (pointer,)),
        ("xkb_keymap_max_keycode", code, (pointer,)),
        ("xkb_state_new", pointer, (pointer,)),
        ("xkb_state_unref", None, (pointer,)),
        ("xkb_state_update_key", number, (pointer, code, number)),
        ("xkb_state_key_get_one_sym", code, (pointer, code)),
    ):
        declared = getattr(library, function)
        declared.restype, declared.argtypes = result, arguments
    return library


@contextmanager
def _context(library: ctypes.CDLL) -> Iterator[int]:
    context = library.xkb_context_new(_NO_ENVIRONMENT)
    library.xkb_context_set_log_level(context, _CRITICAL)
    try:
        yield context
    finally:
        library.xkb_context_unref(context)


@contextmanager
def _keymap(library: ctypes.CDLL, layout: str, variant: str) -> Iterator[int | None]:
    """A compiled keymap; None where there is none."""
    names = _RuleNames(b"evdev", b"pc105", layout.encode(), variant.encode(), b"")
    with _context(library) as context:
        keymap = library.xkb_keymap_new_from_names(context, ctypes.byref(names), 0)
        try:
            yield keymap
        finally:
            if keymap:
                library.xkb_keymap_unref(keymap)


def _layout(name: str, library: ctypes.CDLL, keymap: int) -> KeyboardLayout:
    keys = [key for key in range(1, library.xkb_keymap_max_keycode(keymap) + 1 - _X_OFFSET) if key != _VIRTUAL]
    symbols: dict[tuple[int, tuple[int, ...]], int] = {}

    def read(holding: tuple[int, ...]) -> None:
        state = library.xkb_state_new(keymap)
        for key in holding:
            library.xkb_state_update_key(state, key + _X_OFFSET, _DOWN)
        for key in keys:
            symbol = library.xkb_state_key_get_one_sym(state, key + _X_OFFSET)
            if symbol:
                symbols[key, holding] = symbol
        library.xkb_state_unref(state)

    read(())
    levels3 = [key for (key, _), symbol in symbols.items() if symbol == LEVEL3_SHIFT and key != _CAPS_LOCK]
    alt_gr = min(levels3, key=lambda key: (key != _ALT_GR, key), default=None)
    combinations: list[tuple[int, ...]] = [(), (SHIFT,)]
    if alt_gr is not None:
        combinations += [(alt_gr,), (SHIFT, alt_gr)]
    for holding in (*combinations[1:], (_NUM_LOCK,)):  # with Num Lock, for the names of the keypad's keys
        read(holding)
    strokes = {"\n": Stroke(key=_ENTER), "\t": Stroke(key=_TAB)}
    dead: dict[int, Stroke] = {}
    for holding in combinations:
        for key in _WRITING:
            symbol = symbols.get((key, holding), 0)
            if symbol in _DEAD:
                dead.setdefault(symbol, Stroke(key=key, holding=holding))
            elif character := character_of(symbol):
                strokes.setdefault(character, Stroke(key=key, holding=holding))
    return KeyboardLayout(
        name=name, alt_gr=alt_gr, _symbols=symbols, _strokes=strokes, _sequences=dict(_sequences(strokes, dead))
    )


def _sequences(strokes: Mapping[str, Stroke], dead: Mapping[int, Stroke]) -> Iterator[tuple[str, tuple[Stroke, ...]]]:
    for symbol, first in dead.items():
        alone, accent = _DEAD[symbol]
        if alone:
            yield alone, (first, strokes[" "])
        for letter, then in strokes.items():
            written = unicodedata.normalize("NFC", letter + accent)
            if letter.isascii() and letter.isalpha() and len(written) == 1 and ord(written) < 0x100:
                yield written, (first, then)
