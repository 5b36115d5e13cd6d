"""Key names: maps every spelling that models use to one canonical name.

A canonical key is a lower-case name ("ctrl", "enter", "page_down", "f5", "kp_add", "volume_up") or a single
character ("a", "+", "ł"). Platform tables (keysyms, virtual-key codes) are in `desktop`.
"""

from __future__ import annotations

import difflib
import re
from typing import NewType

from operator_console.domain.errors import ActionError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode

Key = NewType("Key", str)

MODIFIERS = frozenset(Key(n) for n in ("ctrl", "ctrl_r", "shift", "shift_r", "alt", "alt_gr", "super", "super_r"))

_ALIASES: dict[str, tuple[str, ...]] = {
    "ctrl": (
        "control",
        "ctl",
        "lcontrol",
        "lctrl",
        "control_l",
        "ctrl_l",
        "leftctrl",
        "controlleft",
        "ctrlleft",
        "⌃",
    ),
    "ctrl_r": ("rcontrol", "rctrl", "control_r", "right control", "rightctrl", "controlright", "ctrlright"),
    "shift": ("lshift", "shift_l", "leftshift", "shiftleft", "⇧"),
    "shift_r": ("rshift", "right shift", "rightshift", "shiftright"),
    "alt": ("lmenu", "lalt", "alt_l", "option", "opt", "leftalt", "altleft", "menu_l", "⌥"),
    "alt_gr": (
        "rmenu",
        "ralt",
        "alt_r",
        "altgr",
        "iso_level3_shift",
        "right option",
        "rightalt",
        "altright",
        "altgraph",
    ),
    "super": (
        "meta",
        "win",
        "windows",
        "cmd",
        "command",
        "super_l",
        "lwin",
        "meta_l",
        "winleft",
        "metaleft",
        "os",
        "controlormeta_mac",
        "lsuper",
        "⌘",
    ),
    "super_r": ("rwin", "super_r", "meta_r", "right command", "winright", "metaright"),
    "enter": ("return", "ret", "linefeed", "\n", "\r", "⏎", "↵"),
    "kp_enter": ("numpadenter", "num_enter", "kpenter"),
    "esc": ("escape", "⎋"),
    "tab": ("\t", "⇥"),
    "space": ("spacebar", " ", "␣"),
    "backspace": ("back_space", "bksp", "bs", "⌫"),
    "delete": ("del", "forwarddelete", "⌦"),
    "insert": ("ins",),
    "home": (),
    "end": (),
    "page_up": ("pageup", "pgup", "prior", "page up", "⇞"),
    "page_down": ("pagedown", "pgdn", "pgdown", "next", "page down", "⇟"),
    "up": ("arrowup", "up arrow", "uparrow", "arrow_up", "↑"),
    "down": ("arrowdown", "down arrow", "downarrow", "arrow_down", "↓"),
    "left": ("arrowleft", "left arrow", "leftarrow", "arrow_left", "←"),
    "right": ("arrowright", "right arrow", "rightarrow", "arrow_right", "→"),
    "caps_lock": ("capslock", "caps", "⇪"),
    "num_lock": ("numlock",),
    "scroll_lock": ("scrolllock",),
    "print_screen": ("printscreen", "prtsc", "prtscr", "prtscn", "print", "sysrq", "snapshot"),
    "pause": ("break",),
    "menu": ("apps", "contextmenu", "context_menu", "application"),
    "help": (),
    "kp_add": ("numpadadd", "add", "num_add"),
    "kp_subtract": ("numpadsubtract", "subtract"),
    "kp_multiply": ("numpadmultiply", "multiply"),
    "kp_divide": ("numpaddivide", "divide"),
    "kp_decimal": ("numpaddecimal", "decimal"),
    "volume_up": ("volumeup", "audioraisevolume", "audiovolumeup", "xf86audioraisevolume"),
    "volume_down": ("volumedown", "audiolowervolume", "audiovolumedown", "xf86audiolowervolume"),
    "volume_mute": ("volumemute", "mute", "audiomute", "audiovolumemute", "xf86audiomute"),
    "media_play_pause": ("playpause", "mediaplaypause", "audioplay", "play", "xf86audioplay"),
    "media_stop": ("mediastop", "audiostop", "xf86audiostop"),
    "media_next": ("nexttrack", "mediatracknext", "audionext", "xf86audionext"),
    "media_previous": ("prevtrack", "mediatrackprevious", "audioprev", "xf86audioprev"),
    "browser_back": ("browserback", "xf86back"),
    "browser_forward": ("browserforward", "xf86forward"),
    "browser_refresh": ("browserrefresh", "xf86refresh", "xf86reload"),
    "browser_search": ("browsersearch", "xf86search"),
    "browser_home": ("browserhome", "xf86homepage"),
    "plus": (),
    "minus": ("hyphen",),
}

_CHARACTER_NAMES: dict[str, str] = {
    "plus": "+", "minus": "-", "hyphen": "-", "equal": "=", "equals": "=", "comma": ",", "period": ".", "dot": ".",
    "slash": "/", "backslash": "\\", "semicolon": ";", "apostrophe": "'", "quote": "'", "quotedbl": '"',
    "grave": "`", "backquote": "`", "backtick": "`", "bracketleft": "[", "bracketright": "]", "braceleft": "{",
    "braceright": "}", "parenleft": "(", "parenright": ")", "underscore": "_", "colon": ":", "question": "?",
    "exclam": "!", "at": "@", "numbersign": "#", "dollar": "$", "percent": "%", "asciicircum": "^",
    "ampersand": "&", "asterisk": "*", "asciitilde": "~", "tilde": "~", "bar": "|", "less": "<", "greater": ">",
}  # fmt: skip


def _build() -> dict[str, Key]:
    table: dict[str, Key] = {}
    for canonical, aliases in _ALIASES.items():
        for name in (canonical, *aliases):
            table[name] = Key(canonical)
    for name in ("home", "end", "up", "down", "left", "right", "insert", "delete", "page_up", "page_down"):
        table[f"kp_{name}"] = Key(name)  # the number pad without Num Lock
    table["kp_prior"], table["kp_next"] = Key("page_up"), Key("page_down")
    for number in range(1, 25):
        table[f"f{number}"] = Key(f"f{number}")
    for digit in range(10):
        for spelling in (f"kp_{digit}", f"numpad{digit}", f"num{digit}"):
            table[spelling] = Key(f"kp_{digit}")
        table[f"digit{digit}"] = Key(str(digit))
    for letter in "abcdefghijklmnopqrstuvwxyz":
        table[f"key{letter}"] = Key(letter)
    for name, character in _CHARACTER_NAMES.items():
        table[name] = Key(character)
    return table


_NAMES = _build()
_EACH_PREFIX = re.compile(r"[⌘⌃⌥⇧^]|[CMS](?=-)|[^<>\s+-]{2,}")
_MARKS = {"⌘": "cmd", "⌃": "ctrl", "⌥": "alt", "⇧": "shift", "^": "ctrl"}
_PREFIXED: tuple[tuple[re.Pattern[str], dict[str, str]], ...] = (
    (re.compile(r"(?P<held>[⌘⌃⌥⇧]+)[\s+]*(?P<rest>.+)"), _MARKS),
    (re.compile(r"(?P<held>\^)(?P<rest>\S)"), _MARKS),
    (re.compile(r"(?P<held>(?:<[^<>\s]{2,}>[\s+-]*)+)(?P<rest>[^<>]+|<[^<>\s]{2,}>)"), {}),  # GTK, pynput
    (re.compile(r"(?P<held>(?:[CMS]-)+)(?P<rest>\S+)"), {"C": "ctrl", "M": "alt", "S": "shift"}),  # Emacs
)
_BACK_TAB = "iso_left_tab"


class UnknownKey(ActionError):
    """A key name that is not in the table; its text lists the nearest names."""

    def __init__(self, name: str) -> None:
        near = difflib.get_close_matches(name.strip().lower(), list(_NAMES), n=3, cutoff=0.5)
        nearest = notice(NoticeCode.NEAREST_KEYS, names=", ".join(near)) if near else notice(NoticeCode.USE_KEY_NAME)
        super().__init__(joined(notice(NoticeCode.UNKNOWN_KEY, name=name), nearest))
        self.name = name
        self.nearest = tuple(near)


def parse_key(name: str) -> Key:
    """The canonical key for any known spelling (case-insensitive). Raises UnknownKey."""
    if len(name) == 1 and name not in _NAMES:
        return Key(name.lower() if name.isascii() else name)
    folded = name.strip().lower().removesuffix(" key") or name
    for candidate in (folded, folded.replace("-", "_"), folded.replace("_", ""), folded.replace(" ", "")):
        if candidate in _NAMES:
            return _NAMES[candidate]
    raise UnknownKey(name)


def parse_chord(text: str) -> tuple[Key, ...]:
    """Keys of "Ctrl+Shift+S", "ctrl + s", "ctrl c", "ctrl-s", "ctrl, c", "<Control>c", "^C", "⌘C", the "C-c" of Emacs,
    "Control++", "ctrl--" or a lone "+". Raises UnknownKey, also for characters joined by "-" without a modifier."""
    stripped = text.strip()
    if not stripped:
        raise UnknownKey(text)
    try:
        return (parse_key(stripped),)
    except UnknownKey:
        pass
    if stripped.startswith("<") and stripped.endswith(">") and "<" not in stripped[1:]:
        return (parse_key(stripped[1:-1]),)
    if stripped.lower() == _BACK_TAB:
        return Key("shift"), Key("tab")
    for form, prefixes in _PREFIXED:
        if found := form.fullmatch(stripped):
            held = tuple(Key(prefixes.get(each, each)) for each in re.findall(_EACH_PREFIX, found["held"]))
            return (*map(parse_key, held), *parse_chord(found["rest"]))
    if "+" in stripped:
        body, plus = (stripped[:-1].rstrip().removesuffix("+"), True) if stripped.endswith("+") else (stripped, False)
        keys = tuple(parse_key(part.strip()) for part in body.split("+") if part.strip())
        return (*keys, Key("+")) if plus else keys
    for separator in (",", " ", "-"):
        if separator in stripped:
            keys = tuple(parse_key(part.strip()) for part in stripped.split(separator) if part.strip())
            if not keys or (separator == "-" and keys[0] not in MODIFIERS):
                break
            return (*keys, Key("-")) if separator == "-" and stripped.endswith("-") else keys
    raise UnknownKey(text)


def show_keys(keys: tuple[Key, ...]) -> str:
    """Keys as a person writes them: "Ctrl+Shift+S"."""
    return "+".join(key.upper() if len(key) == 1 else key.replace("_", " ").title() for key in keys)
