"""Converts characters and canonical key names to keysyms and back.

Sources: X.Org's keysymdef.h (xproto), appendix A of the X Window System Protocol: Latin-1 keysyms equal
the code point, others are 0x01000000 + code point; each of the older sets follows a national code page.
"""

from __future__ import annotations

from operator_console.domain.keys import Key

RETURN, TAB = 0xFF0D, 0xFF09
SHIFT_L, CAPS_LOCK, LEVEL3_SHIFT = 0xFFE1, 0xFFE5, 0xFE03

_UNICODE = 0x0100_0000

# High byte of an older keysym set: the code page, and the first and last low byte that follow it.
_CODE_PAGES: dict[int, tuple[str, int, int]] = {
    0x01: ("iso8859_2", 0xA1, 0xFF),
    0x02: ("iso8859_3", 0xA1, 0xFF),
    0x03: ("iso8859_4", 0xA2, 0xFF),
    0x05: ("iso8859_6", 0xAC, 0xFE),
    0x06: ("koi8_r", 0xC0, 0xFF),
    0x0C: ("iso8859_8", 0xDF, 0xFA),
    0x0D: ("tis_620", 0xA1, 0xF9),
}
# Keysyms that follow no code page.
_GREEK = "ΆΈΉΊΪ\0ΌΎΫ\0Ώ\0\0΅―\0άέήίϊΐόύϋΰώ\0\0\0\0\0ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ\0ΤΥΦΧΨΩ\0\0\0\0\0\0\0αβγδεζηθικλμνξοπρσςτυφχψω"
_CYRILLIC_EXTRA = "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏ"
_SINGLE: dict[int, str] = {
    0x13BC: "Œ", 0x13BD: "œ", 0x13BE: "Ÿ", 0x20AC: "€", 0x0AA9: "—", 0x0AAA: "–", 0x0AAE: "…", 0x0AD0: "‘",
    0x0AD1: "’", 0x0AD2: "“", 0x0AD3: "”", 0x0AFD: "‚", 0x0AFE: "„", 0x0AE6: "•", 0x0AC9: "™",
}  # fmt: skip


def _older() -> dict[int, str]:
    table: dict[int, str] = {}
    for high, (page, first, last) in _CODE_PAGES.items():
        for low in range(first, last + 1):
            try:
                table[high << 8 | low] = bytes([low]).decode(page)
            except UnicodeDecodeError:
                continue
    table |= {0x7A1 + i: c for i, c in enumerate(_GREEK) if c != "\0"}
    table |= {0x6A1 + i: c for i, c in enumerate(_CYRILLIC_EXTRA)}
    return table | _SINGLE


_OLDER = _older()


def character_of(keysym: int) -> str:
    """The character of a keysym; "" for function keys, keypad keys, dead keys and unknown ones."""
    if 0x20 <= keysym <= 0x7E or 0xA0 <= keysym <= 0xFF:
        return chr(keysym)
    if _UNICODE + 0x100 <= keysym <= _UNICODE + 0x10FFFF:
        point = keysym - _UNICODE
        return "" if 0xD800 <= point <= 0xDFFF else chr(point)
    return _OLDER.get(keysym, "")


def keysym_of(character: str) -> int:
    """The keysym of a character: for Latin-1 the code point, for others the Unicode range."""
    point = ord(character)
    return point if 0x20 <= point <= 0x7E or 0xA0 <= point <= 0xFF else _UNICODE + point


def case_pair(character: str) -> tuple[int, int]:
    """The keysyms of a character's lower and upper case, so that Caps Lock works on the key as on any letter.

    Both are the same if there is no such pair of single characters.
    """
    lower, upper = character.lower(), character.upper()
    single = len(lower) == len(upper) == 1 and character in {lower, upper}
    if single and lower != upper and lower.upper() == upper and upper.lower() == lower:
        return keysym_of(lower), keysym_of(upper)
    return keysym_of(character), keysym_of(character)


_NAMED: dict[str, int] = {
    "ctrl": 0xFFE3, "ctrl_r": 0xFFE4, "shift": SHIFT_L, "shift_r": 0xFFE2, "alt": 0xFFE9, "alt_gr": LEVEL3_SHIFT,
    "super": 0xFFEB, "super_r": 0xFFEC, "enter": RETURN, "kp_enter": 0xFF8D, "esc": 0xFF1B, "tab": TAB,
    "space": 0x20, "backspace": 0xFF08, "delete": 0xFFFF, "insert": 0xFF63, "home": 0xFF50, "end": 0xFF57,
    "page_up": 0xFF55, "page_down": 0xFF56, "up": 0xFF52, "down": 0xFF54, "left": 0xFF51, "right": 0xFF53,
    "caps_lock": CAPS_LOCK, "num_lock": 0xFF7F, "scroll_lock": 0xFF14, "print_screen": 0xFF61, "pause": 0xFF13,
    "menu": 0xFF67, "help": 0xFF6A, "kp_add": 0xFFAB, "kp_subtract": 0xFFAD, "kp_multiply": 0xFFAA,
    "kp_divide": 0xFFAF, "kp_decimal": 0xFFAE, "volume_up": 0x1008FF13, "volume_down": 0x1008FF11,
    "volume_mute": 0x1008FF12, "media_play_pause": 0x1008FF14, "media_stop": 0x1008FF15, "media_next": 0x1008FF17,
    "media_previous": 0x1008FF16, "browser_back": 0x1008FF26, "browser_forward": 0x1008FF27,
    "browser_refresh": 0x1008FF29, "browser_search": 0x1008FF1B, "browser_home": 0x1008FF18, "plus": 0x2B,
    "minus": 0x2D,
    **{f"f{n}": 0xFFBD + n for n in range(1, 25)},
    **{f"kp_{n}": 0xFFB0 + n for n in range(10)},
}  # fmt: skip

# Other keysyms that the same key may have (Alt with Shift is Meta).
_ALSO: dict[str, tuple[int, ...]] = {
    "alt": (0xFFE7,), "alt_gr": (0xFFEA,), "super": (0xFFE7,), "menu": (0xFF6D,),
}  # fmt: skip


# Tried first: the keypad's decimal key carries this one without Num Lock; a separate key for the point is another.
_KEYPAD = {"kp_decimal": 0xFF9F}


def keysyms_of_key(key: Key) -> tuple[int, ...]:
    """Keysyms of a canonical key, preferred first; () for a key that X does not have."""
    if len(key) == 1:
        return (keysym_of(key),)
    if key in _KEYPAD:
        return _KEYPAD[key], _NAMED[key]
    best = _NAMED.get(key)
    return () if best is None else (best, *_ALSO.get(key, ()))
