"""The hotkeys: parsing their notation, and matching them in a stream of key events. No input or output.

A chord matches in every layout group and with any lock or further modifier: a key of it counts at its position on a US
keyboard, and at every keycode that carries its symbol now. Toolkits do not match that way (Shift with Alt arrives as
Meta; on a Russian layout the x key is ч).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from operator_console.domain.errors import OperatorError
from operator_console.domain.hotkeys import chord_words
from operator_console.domain.keys import Key, UnknownKey, parse_key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_ALT_GR = 0xFE03
_MODIFIER_SYMBOLS: dict[str, frozenset[int]] = {
    "ctrl": frozenset({0xFFE3, 0xFFE4}),
    "shift": frozenset({0xFFE1, 0xFFE2}),
    "alt": frozenset({0xFFE7, 0xFFE8, 0xFFE9, 0xFFEA, _ALT_GR}),
    "super": frozenset({0xFFEB, 0xFFEC}),
}
_LOCK_SYMBOLS = frozenset({0xFFE5, 0xFF7F, 0xFF14, 0xFE08})
"""Caps Lock, Num Lock, Scroll Lock and the key for the next layout."""
_MODIFIER_NAMES = {
    "ctrl": "ctrl", "ctrl_r": "ctrl", "shift": "shift", "shift_r": "shift", "alt": "alt", "alt_gr": "alt",
    "super": "super", "super_r": "super",
}  # fmt: skip
_STATE_BITS = {"shift": 1, "ctrl": 4, "alt": 8, "super": 64}

# Positions of letters and digits on a US keyboard (evdev keycodes), for layouts without the symbol.
_US = {
    **{c: 10 + i for i, c in enumerate("1234567890")},
    **{c: 24 + i for i, c in enumerate("qwertyuiop")},
    **{c: 38 + i for i, c in enumerate("asdfghjkl")},
    **{c: 52 + i for i, c in enumerate("zxcvbnm")},
}
_US_NAMED = {"enter": (36, 104), "esc": (9,), "space": (65,), "pause": (127,), "tab": (23,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkey:
    """A chord: the names of its modifiers ("ctrl"), and the key that completes it."""

    text: str
    modifiers: frozenset[str]
    key: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkeys:
    """The three chords."""

    stop: Hotkey
    pause: Hotkey
    approve: Hotkey


def parse_hotkey(text: str) -> Hotkey:
    """Parse pynput's notation, "<ctrl>+<alt>+x". Raises OperatorError unless it is a modifier with one other key."""
    modifiers: set[str] = set()
    keys: list[Key] = []
    for part in text.replace("++", "+<plus>").split("+"):
        name = part.strip()
        name = name[1:-1] if len(name) > 2 and name[0] == "<" and name[-1] == ">" else name
        try:
            key = parse_key("super" if name == "cmd" else name)
        except UnknownKey as error:
            raise _unusable(text, error.text) from error
        if key in _MODIFIER_NAMES:
            modifiers.add(_MODIFIER_NAMES[key])
        else:
            keys.append(key)
    if len(keys) != 1 or not modifiers - {"shift"}:
        raise _unusable(text, notice(NoticeCode.HOTKEY_NEEDS_MODIFIER_AND_KEY))
    return Hotkey(text=text, modifiers=frozenset(modifiers), key=keys[0])


def parse_hotkeys(stop: str, pause: str, approve: str) -> Hotkeys:
    """Parse all three. Raises OperatorError, also if two are the same."""
    found = Hotkeys(stop=parse_hotkey(stop), pause=parse_hotkey(pause), approve=parse_hotkey(approve))
    chords = [(h.modifiers, h.key) for h in (found.stop, found.pause, found.approve)]
    if len(set(chords)) < 3:
        raise OperatorError(
            notice(NoticeCode.HOTKEYS_ARE_SAME),
            detail=", ".join(map(chord_words, (stop, pause, approve))),
            remedy=notice(NoticeCode.CHANGE_ONE_HOTKEY),
        )
    return found


def _unusable(text: str, why: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.HOTKEY_UNUSABLE, hotkey=text), detail=why, remedy=notice(NoticeCode.WRITE_HOTKEY_LIKE)
    )


class KeyTable:
    """The keycodes of each modifier and key of the chords, from the symbols of every keycode."""

    def __init__(self, symbols: Mapping[int, Iterable[int]], hotkeys: Hotkeys, symbols_of: Mapping[Key, int]) -> None:
        found: dict[int, set[int]] = {code: set(carried) for code, carried in symbols.items()}
        self.modifiers = {
            name: frozenset(code for code, carried in found.items() if carried & wanted)
            for name, wanted in _MODIFIER_SYMBOLS.items()
        }
        self._locks = frozenset(code for code, carried in found.items() if carried & _LOCK_SYMBOLS)
        self.keys: dict[Key, frozenset[int]] = {}
        for hotkey in (hotkeys.stop, hotkeys.pause, hotkeys.approve):
            symbol = symbols_of.get(hotkey.key)
            codes = {code for code, carried in found.items() if symbol in carried}
            codes |= {_US[hotkey.key]} if hotkey.key in _US else set(_US_NAMED.get(hotkey.key, ()))
            self.keys[hotkey.key] = frozenset(codes)

    def is_modifier(self, keycode: int) -> bool:
        """Whether a key is a modifier, a lock included."""
        return keycode in self._locks or any(keycode in codes for codes in self.modifiers.values())


class Match(Enum):
    """Meaning of a key event."""

    STOP = auto()
    PAUSE = auto()
    APPROVE = auto()
    PROBE = auto()


class ChordMatcher:
    """Tracks which keys are down, as one listener sees them, and matches each press against the chords.

    Every key event passes through `press` or `release`, the probe's as well. `synthetic` means that XTEST sent the
    event; a listener that cannot tell devices apart always passes True.

    Attributes:
        table: keycodes of the chords; replaced when the keyboard map changes.
        probe_keycode: keycode of the probe; 0 for none.
    """

    def __init__(self, table: KeyTable, hotkeys: Hotkeys, down: Iterable[int] = (), *, probe_keycode: int = 0) -> None:
        self.table = table
        self.probe_keycode = probe_keycode
        self._hotkeys = hotkeys
        self._down: dict[int, set[bool]] = {}
        self._initially_down = set(down)  # the device is unknown, so these keys never count as a person's
        self._may_approve = True

    def press(self, keycode: int, *, synthetic: bool, state: int = 0) -> Match | None:
        """Handle a press. `state`: the core modifier bits before it, if the listener has them."""
        if keycode == self.probe_keycode:
            return Match.PROBE
        self._down.setdefault(keycode, set()).add(synthetic)
        if self._completes(self._hotkeys.stop, keycode, state):
            return Match.STOP
        if self._completes(self._hotkeys.pause, keycode, state):
            return Match.PAUSE
        if self._may_approve and self._held_by_person(self._hotkeys.approve, keycode):
            # One approval per chord: auto-repeat must not answer the next question.
            self._may_approve = False
            return Match.APPROVE
        return None

    def release(self, keycode: int, *, synthetic: bool) -> Match | None:
        """Handle a release."""
        if keycode == self.probe_keycode:
            return Match.PROBE
        self._initially_down.discard(keycode)
        sources = self._down.get(keycode)
        if sources is not None:
            sources.discard(synthetic)
            if not sources:
                del self._down[keycode]
        if not self._may_approve:
            modifiers = (self.table.modifiers[name] for name in self._hotkeys.approve.modifiers)
            self._may_approve = not all(any(code in self._down for code in codes) for codes in modifiers)
        return None

    def _completes(self, hotkey: Hotkey, keycode: int, state: int) -> bool:
        return keycode in self.table.keys[hotkey.key] and all(
            state & _STATE_BITS[name]
            or any(code in self._down or code in self._initially_down for code in self.table.modifiers[name])
            for name in hotkey.modifiers
        )

    def _held_by_person(self, hotkey: Hotkey, keycode: int) -> bool:
        """Whether every key of the chord is held down on a physical device."""
        return (
            keycode in self.table.keys[hotkey.key]
            and False in self._down.get(keycode, set())
            and all(
                any(False in self._down.get(code, set()) for code in self.table.modifiers[name])
                for name in hotkey.modifiers
            )
        )
