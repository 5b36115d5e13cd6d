"""Types text and presses keys under the keyboard layout and locks in force now.

`runs_of` splits a text into runs, one per typing method. Characters of the layout are typed by their own keys; others
get a spare keycode (`spare_keycodes`). A character that cannot be typed is refused before the first one is sent.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from typing import Any

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.x11.input_keymap import Stroke, holding_for, keycode_for, strokes
from operator_console.desktop.x11.input_keysyms import (
    RETURN,
    TAB,
    case_pair,
    character_of,
    keysyms_of_key,
)
from operator_console.desktop.x11.input_xkb import LOCK, Keyboard, State
from operator_console.domain.keys import Key
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.delivery import Barriers, Behind
from operator_console.injector.keyboard.spare_keycodes import Borrowed, Pair, pairs_for

# Below these the clipboard is slower than keys.
_LONG_TEXT, _LONG_RUN = 200, 40
# As much as an application fetches at once.
_MOST_AT_ONCE = 20_000


class Method(StrEnum):
    """How a character was typed, as the record says it."""

    MAPPED = "mapped keys"
    LENT = "temporary mapping"
    COMMITTED = "input method"
    PASTED = "clipboard paste"


METHODS = tuple(Method)


class Tally(Counter[Method]):
    """How many characters went by each method."""

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Tally:
        """In the order of METHODS."""
        return cls(dict(zip(METHODS, numbers, strict=False)))

    def __str__(self) -> str:
        """The method where it was one for all ("mapped keys"), else each with its number, in the order of METHODS."""
        used = [(method, self[method]) for method in METHODS if self[method]]
        if len(used) == 1:
            return used[0][0].value
        return ", ".join(f"{method.value} {number}" for method, number in used)


class Way(Enum):
    """How a stretch goes."""

    KEYS = auto()
    COMMIT = auto()
    PASTE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A stretch of text that goes one way."""

    text: str
    way: Way


def by_keys(text: str) -> list[Run]:
    """All of it by keys."""
    return [Run(text=text, way=Way.KEYS)] if text else []


def commits_of(text: str) -> list[Run]:
    """The stretches of a text of which an input method takes what is no key of lines and cells."""
    pieces = re.findall(r"[^\n\t]+|[\n\t]+", text)
    return [Run(text=piece, way=Way.KEYS if piece[0] in "\n\t" else Way.COMMIT) for piece in pieces]


def runs_of(text: str, *, carried: Callable[[str], bool], lendable: Callable[[set[str]], bool]) -> list[Run]:
    """The stretches of a text of which long ones may be pasted.

    Args:
        carried: whether the keyboard itself has the character.
        lendable: whether all these characters can be lent keys at once; where they can, keys are as fast.
    """
    missing = [character for character in text if character not in "\n\t" and not carried(character)]
    if len(text) <= _LONG_TEXT or lendable(set(missing)):
        return by_keys(text)
    runs: list[Run] = []
    for piece in re.findall(r"[^\n\t]+|[\n\t]+", text):
        # What is pasted is never a command: lines and cells go one by one, with Return and Tab as keys between them.
        if piece[0] in "\n\t" or sum(not carried(character) for character in piece) < _LONG_RUN:
            _add_keys(runs, piece)
            continue
        # The first key clears away what an empty line may hold for a filler; Chromium would keep it behind a paste.
        _add_keys(runs, piece[0])
        starts = range(1, len(piece), _MOST_AT_ONCE)
        runs += [Run(text=piece[start : start + _MOST_AT_ONCE], way=Way.PASTE) for start in starts]
    return runs


def _add_keys(runs: list[Run], text: str) -> None:
    if runs and runs[-1].way is Way.KEYS:
        runs[-1] = replace(runs[-1], text=runs[-1].text + text)
    else:
        runs += by_keys(text)


_CHUNK = 32
_LOOK_S = 0.02
_FOREIGN_MODIFIER_S = 2.0
_PRESSES_S = 3.0
_MOST_IN_VAIN = 5
_NO_PING_S = 0.25
_KEYS_OF_TEXT = {"\n": RETURN, "\t": TAB}


class Untypable(ValueError):
    """Text or a key that cannot be sent as keys, in words."""


class ForeignModifier(RuntimeError):
    """A person holds a modifier key, so that keys and presses would become something else."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far an action got, and how; told to the ledger too, for the case that nobody can answer any more."""

    ledger: Ledger
    delivered: int = 0
    total: int = 0
    methods: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.count(self.delivered, self.total)
        for number in range(len(METHODS)):
            self.ledger.set_typed(number, 0)

    def count(self, delivered: int, total: int) -> None:
        """So many of so many are sent."""
        self.delivered, self.total = delivered, total
        self.ledger.set(Word.DELIVERED, delivered)
        self.ledger.set(Word.TOTAL, total)

    def typed(self, method: Method, characters: int = 1) -> None:
        """So many more characters are sent, by this method."""
        self.methods[method] += characters
        self.ledger.set_typed(METHODS.index(method), self.methods[method])
        self.count(self.delivered + characters, self.total)


def normalised(text: str) -> str:
    """Line ends as one newline. Raises Untypable for control characters and lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for character in text:
        if character not in _KEYS_OF_TEXT and unicodedata.category(character) in {"Cc", "Cs"}:
            raise Untypable(f"The text holds U+{ord(character):04X}, which no key types.")
    return text


class Typist:
    """One per injector: keeps the keyboard map and what is lent."""

    def __init__(self, display: Any, sender: InputSender, ledger: Ledger) -> None:
        self._display = display
        self._sender = sender
        self._ledger = ledger
        self._keyboard = Keyboard(display)
        self._keyboard.watch()
        self._map = self._keyboard.map()
        self._changed = False
        self._barriers = Barriers(display, self._hear)
        self._borrowed = Borrowed(display, self._keyboard, ledger)
        self._tables: dict[tuple[int, int], dict[str, Stroke]] = {}

    def type_text(
        self, text: str, *, window_id: int | None, delay_s: float, progress: Progress, still: Callable[[], object]
    ) -> None:
        """Type normalised text into the focused window (`window_id`, for the ping). `still` is called every few
        characters and raises where the keys would go elsewhere now. Raises Untypable, Halted, ForeignModifier."""
        self._reload_if_changed()
        start = in_vain = 0
        while start < len(text):
            end = self._prepare(text, start, window_id)
            typed = self._type_run(text[start:end], delay_s, progress, still)
            start += typed
            in_vain = 0 if typed else in_vain + 1
            if in_vain > _MOST_IN_VAIN:
                raise Untypable(f"The keyboard's layout keeps changing; {text[start]!r} cannot be typed.")
        self._sender.sync()

    def press_chord(self, keys: tuple[Key, ...]) -> None:
        """Press in order, release in reverse. Raises Untypable, ForeignModifier."""
        codes = self._shifted(keys, self.keycodes(keys))
        self.wait_for_foreign_modifiers()
        with ExitStack() as held:
            for code in codes:
                self._sender.press_key(code)
                held.callback(self._sender.release_key, code)
        self._sender.sync()

    def keycodes(self, keys: Iterable[Key]) -> list[int]:
        """The keycode of each key, lent where no key carries it. Raises Untypable."""
        self._reload_if_changed()
        group = self._keyboard.state().group
        codes: list[int] = []
        for key in keys:
            code = self._keycode(key, group)
            if code is None and len(key) == 1:
                self._read_so_far(None)
                self._borrowed.lend_key(self._map, case_pair(key))
                self._lent(None)
                code = self._keycode(key, group)
            if code is None:
                raise Untypable(f"No key of this keyboard is {key!r}.")
            codes.append(code)
        return codes

    def carries(self, key: Key) -> bool:
        """Whether the keyboard itself has the key, nothing lent."""
        self._reload_if_changed()
        code = self._keycode(key, self._keyboard.state().group)
        return code is not None and code not in self._borrowed.keycodes

    def own_characters(self) -> Container[str]:
        """What the keyboard itself types now, nothing lent."""
        self._reload_if_changed()
        return strokes(self._map, self._keyboard.state(), without=self._borrowed.keycodes)

    def lendable(self, characters: Iterable[str]) -> bool:
        """Whether keys can be lent to all of them at once."""
        self._reload_if_changed()
        return len(pairs_for(characters)) <= self._borrowed.capacity(self._map)

    def lacks(self, text: str) -> bool:
        """Whether the keyboard has no key for some of it, nothing lent."""
        own = self.own_characters()
        return any(c not in own and c not in _KEYS_OF_TEXT for c in text)

    def press_silent(self) -> bool:
        """Press a key that yields nothing; False where none is left. Raises ForeignModifier, Halted."""
        self._reload_if_changed()
        code = self._borrowed.silent(self._map)
        if code is None:
            return False
        self.wait_for_foreign_modifiers()
        self._sender.stroke((code,))
        return True

    def _shifted(self, keys: Sequence[Key], codes: Sequence[int]) -> list[int]:
        """The keycodes with what makes them yield the keys that were named: "+" is Shift and a key on most layouts.

        Letters are named without their case (Ctrl+A is not Ctrl+Shift+A).
        """
        state = self._keyboard.state()
        made: list[int] = []
        for key, code in zip(keys, codes, strict=True):
            holding: tuple[int, ...] = ()
            if len(key) == 1 and len(set(case_pair(key))) == 1:
                symbols = [s for s in self._map.keys[code].symbols if character_of(s) == key]
                holding = holding_for(self._map, code, symbols, state)
            made += [each for each in holding if each not in {*made, *codes, *self._ledger.keys}]
            made.append(code)
        return made

    def wait_for_foreign_modifiers(self) -> None:
        """Nothing is pressed while a person holds Ctrl, Alt, Shift ...: it would become something else. Raises
        ForeignModifier where they stay down."""
        if not self._sender.wait_for(lambda: not self._foreign(self._keyboard.state()), _FOREIGN_MODIFIER_S):
            raise ForeignModifier("A modifier key is held down on the keyboard; let go of it.")

    def wait_for_presses(self) -> bool:
        """Until button presses so far have reached their windows (a window manager may look at each first, and keys
        overtake it there); False where it stands still."""
        self._sender.sync()
        if not self._barriers.managed:
            return True
        return self._barriers.manager(self._sender.check, _PRESSES_S)

    def give_back(self) -> None:
        """Take lent symbols off again, after the window manager has seen all that was typed."""
        self._reload_if_changed()
        if self._borrowed.keycodes:
            self._barriers.manager(lambda: None)
        self._borrowed.give_back()

    def _keycode(self, key: Key, group: int) -> int | None:
        """By name, by symbol, or (a character) by whatever types it in this group or any."""
        if len(key) == 1:
            lower, upper = case_pair(key)
            wanted = {key, character_of(lower), character_of(upper)}
            symbols = {s for e in self._map.keys.values() for s in e.symbols if s and character_of(s) in wanted}
            # The key's own character before its other case.
            ordered = sorted(symbols, key=lambda s: (character_of(s) != key, s))
            code = keycode_for(self._map, ordered, group)
            # A letter that was lent for a text may need AltGr there: Ctrl with that key would be another's shortcut.
            return None if code in self._borrowed.keycodes and not self._plain(code, wanted) else code
        return keycode_for(self._map, keysyms_of_key(key), group)

    def _plain(self, keycode: int, characters: set[str]) -> bool:
        return any(character_of(symbol) in characters for symbol in self._map.keys[keycode].symbols[:2])

    def _prepare(self, text: str, start: int, window_id: int | None) -> int:
        """Make text[start:] typable as far as spare keycodes reach; returns where that ends."""
        table = self._table()
        missing = [c for c in dict.fromkeys(text[start:]) if c not in _KEYS_OF_TEXT and c not in table]
        if not missing:
            return len(text)
        first = text.index(missing[0], start)
        if len(pairs_for(missing)) <= self._borrowed.room(self._map):
            self._lend(pairs_for(missing), window_id)
        elif first > start:
            return first  # what can be typed first is, before symbols that it needs are lent elsewhere
        else:
            self._lend_anew(text[start:], window_id)
        table = self._table()
        if text[first] not in table:
            raise Untypable(f"This keyboard has no spare key for {text[first]!r}.")
        return next((i for i in range(start, len(text)) if text[i] not in table and text[i] not in _KEYS_OF_TEXT),
                    len(text))  # fmt: skip

    def _lend_anew(self, text: str, window_id: int | None) -> None:
        """Lend what the text needs, as far as it reaches, in place of what earlier ones needed."""
        own = strokes(self._map, self._keyboard.state(), without=self._borrowed.keycodes)
        wanted = [c for c in dict.fromkeys(text) if c not in _KEYS_OF_TEXT and c not in own]
        self._read_so_far(window_id)
        pairs = pairs_for(self._fitting(wanted, self._borrowed.capacity(self._map)))
        self._borrowed.lend(self._map, pairs, reuse=True)
        self._lent(window_id)

    def _fitting(self, characters: list[str], room: int) -> list[str]:
        """The longest beginning of the list whose pairs fit."""
        low, high = 0, len(characters)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if len(pairs_for(characters[:middle])) <= room else (low, middle - 1)
        return characters[:low]

    def _lend(self, pairs: list[Pair], window_id: int | None) -> None:
        self._borrowed.lend(self._map, pairs, reuse=False)
        self._lent(window_id)

    def _lent(self, window_id: int | None) -> None:
        self._reload()
        self._barriers.manager(self._sender.check)
        window_id = self._barriers.focus() if window_id is None else window_id
        if window_id is not None:
            self._barriers.tell(window_id)
        self.seen(window_id)

    def _read_so_far(self, window_id: int | None) -> None:
        """Keys that were typed through what is lent anew now must have been read first."""
        if self._borrowed.keycodes:
            self.seen(window_id)

    def seen(self, window_id: int | None) -> None:
        """Wait until the window has read all events so far; where it cannot be told, give it a bounded moment. Raises
        Untypable where it is known not to have."""
        self._sender.sync()
        window_id = self._barriers.focus() if window_id is None else window_id
        barriers, check = self._barriers, self._sender.check
        try:
            if window_id is None or not (barriers.window(window_id, check) or barriers.rest(window_id, check)):
                self._sender.wait(_NO_PING_S)
        except Behind as behind:
            raise Untypable("The application has not answered for long; it has not read what was typed.") from behind

    def rest_after(self, pid: int, window_id: int | None) -> bool:
        """Wait until this process, which has something for the window, and then the window have come to rest; whether
        they have. Raises Halted."""
        window_id = self._barriers.focus() if window_id is None else window_id
        return window_id is not None and self._barriers.rest_in_order((pid,), window_id, self._sender.check)

    def _type_run(self, text: str, delay_s: float, progress: Progress, still: Callable[[], object]) -> int:
        """Type what was prepared; returns how much. Less than all where somebody has changed the layout or a lock so
        that the next character needs to be prepared again."""
        table: dict[str, Stroke] = {}
        lent: set[int] = set()
        looked_s = 0.0
        for index, character in enumerate(text):
            if index % _CHUNK == 0 or time.monotonic() - looked_s > _LOOK_S:
                # What is still on its way would come after the look, on top of the chunk that the look allows.
                state = self._sender.caught_up()
                if self._foreign(state):
                    self.wait_for_foreign_modifiers()
                    state = self._sender.caught_up()
                self._reload_if_changed()
                table, lent = self._table(state), set(self._borrowed.keycodes)
                still()
                looked_s = time.monotonic()
            stroke = self._stroke(character, table)
            if stroke is None:
                return index
            self._sender.stroke((*stroke.holding, stroke.keycode))
            progress.typed(Method.LENT if stroke.keycode in lent else Method.MAPPED)
            if delay_s > 0:
                self._sender.wait(delay_s)
        return len(text)

    def _stroke(self, character: str, table: dict[str, Stroke]) -> Stroke | None:
        keysym = _KEYS_OF_TEXT.get(character)
        if keysym is None:
            return table.get(character)
        code = keycode_for(self._map, (keysym,), 0)
        if code is None:
            raise Untypable(f"This keyboard has no key for {character!r}.")
        return Stroke(keycode=code)

    def _foreign(self, state: State) -> int:
        ours = 0
        for code in self._ledger.keys:
            ours |= self._map.modifiers.get(code, 0)
        return state.held & ~ours & ~LOCK

    def _table(self, state: State | None = None) -> dict[str, Stroke]:
        state = state or self._keyboard.state()
        where = (state.group, state.locked)
        if where not in self._tables:
            self._tables[where] = strokes(self._map, state)
        return self._tables[where]

    def _reload_if_changed(self) -> None:
        while self._display.pending_events():
            self._hear(self._display.next_event())
        if self._changed:
            self._reload()

    def _hear(self, event: Any) -> None:
        self._changed = self._changed or self._keyboard.tells_of_a_change(event)

    def _reload(self) -> None:
        self._changed = False
        self._map = self._keyboard.map()
        self._borrowed.keep_what_is_there(self._map)
        self._tables.clear()
