"""Types text and presses keys with the keyboard layout and locks that are in force.

Characters of the layout are typed by their own keys; others are assigned to spare keycodes first. A character that
cannot be typed is refused before the first one is sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from contextlib import ExitStack
from typing import Any

from operator_console.desktop.ledger import Ledger
from operator_console.desktop.x11.input_keysyms import (
    LEVEL3_SHIFT,
    RETURN,
    TAB,
    case_pair,
    character_of,
    keysyms_of_key,
)
from operator_console.desktop.x11.keyboard_map import (
    LOCK,
    Keyboard,
    State,
    Stroke,
    holding_for,
    keycode_for,
    keycodes_with,
    strokes,
)
from operator_console.desktop.x11.keys_down import keys_down
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import ForeignKey, Untypable
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.spare_keycodes import Pair, SpareKeycodes, pairs_for
from operator_console.injector.keyboard.wait_for_processing import NotResponding, Pace, ProcessingWaiter
from operator_console.injector.progress import Method, Progress

_CHECK_CHARACTERS, _CHECK_S = 32, 0.02
_HELD_CHARACTERS = 4
"""How many characters may follow a modifier that a person presses. Two would take a sixth more time."""
_FOREIGN_KEY_S = 2.0
_PRESSES_S = 3.0
_MAX_LAYOUT_CHANGES = 5
_NO_PING_S = 0.25
_CONTROL_KEYSYMS = {"\n": RETURN, "\t": TAB}


class Typist:
    """Keeps the keyboard map and the spare keycodes of one display. One per injector."""

    def __init__(self, display: Any, sender: InputSender, ledger: Ledger) -> None:
        self._display = display
        self._sender = sender
        self._ledger = ledger
        self._keyboard = Keyboard(display)
        self._keyboard.watch()
        self._map = self._keyboard.map()
        self._changed = False
        self._processing = ProcessingWaiter(display, self._on_event)
        self._spare = SpareKeycodes(display, self._keyboard, ledger)
        self._tables: dict[tuple[int, int], dict[str, Stroke]] = {}

    def type_text(
        self, text: str, *, window_id: int | None, delay_s: float, progress: Progress, recheck: Callable[[], object]
    ) -> None:
        """Type into the focused window, no faster than it processes the keys, and wait until it has.

        Args:
            text: normalised text.
            window_id: the focused window, which is pinged; None if it is not known.
            delay_s: pause after each character.
            progress: counts the characters.
            recheck: called every few characters; raises if the keys would go to another window now.

        Raises:
            Untypable: no key types a character, or the application does not respond before it can be typed.
            DeliveryUnknown: the application has stopped responding.
            ForeignKey: a person holds a modifier key.
            Halted: the injector may not go on.
        """
        self._reload_if_changed()
        start = failures = 0
        pace = self.pace(window_id)
        while start < len(text):
            end = self._prepare(text, start, window_id)
            typed = self._type_run(text[start:end], delay_s, progress, recheck, pace)
            start += typed
            failures = 0 if typed else failures + 1
            if failures > _MAX_LAYOUT_CHANGES:
                raise Untypable(notice(NoticeCode.LAYOUT_KEEPS_CHANGING, character=repr(text[start])))
        self._sender.sync()
        pace.finish()

    def pace(self, window_id: int | None) -> Pace:
        """Lets keys for this window wait until earlier ones have been processed."""
        return Pace(self._processing, window_id, self._sender.check)

    def press_chord(self, keys: Sequence[Key], *, held_s: float = 0.0) -> None:
        """Press keys in order and release them in reverse, after `held_s`. Raises Untypable, ForeignKey, Halted."""
        self.press_together(self._with_modifiers(keys, self.keycodes(keys)), held_s=held_s)

    def press_together(self, codes: Sequence[int], *, held_s: float = 0.0) -> None:
        """Press keycodes in order and release them in reverse, after `held_s`. Raises ForeignKey, Halted."""
        self.wait_for_foreign_keys(codes)
        with ExitStack() as held:
            for code in codes:
                self._sender.press_key(code)
                held.callback(self._sender.release_key, code)
            if held_s:
                self._sender.sync()  # the time counts from when the server has the press
                self._sender.wait(held_s)
        self._sender.sync()

    def keycodes(self, keys: Iterable[Key]) -> list[int]:
        """The keycode of each key. A character outside the layout is assigned a spare one. Raises Untypable."""
        self._reload_if_changed()
        group = self._keyboard.state().group
        codes: list[int] = []
        for key in keys:
            code = self._keycode(key, group)
            if code is None and len(key) == 1:
                self._wait_until_spare_read(None)
                self._spare.assign_key(self._map, case_pair(key))
                self._map_changed(None)
                code = self._keycode(key, group)
            if code is None:
                raise Untypable(notice(NoticeCode.NO_SUCH_KEY, key=repr(key)))
            codes.append(code)
        return codes

    def layout_name(self) -> str:
        """The name of this display's first layout in XKB."""
        return self._keyboard.layout_name()

    def has_caps_lock_on(self) -> bool:
        """Whether Caps Lock is on, after everything sent."""
        return bool(self._sender.synced_state().locked & LOCK)

    def has_key(self, key: Key) -> bool:
        """Whether the layout has the key, without spare keycodes."""
        self._reload_if_changed()
        code = self._keycode(key, self._keyboard.state().group)
        return code is not None and code not in self._spare.keycodes

    def layout_characters(self) -> Container[str]:
        """The characters that the layout types in its current state, without spare keycodes."""
        self._reload_if_changed()
        return strokes(self._map, self._keyboard.state(), without=self._spare.keycodes)

    def assignable(self, characters: Iterable[str]) -> bool:
        """Whether spare keycodes suffice for all these characters at once."""
        self._reload_if_changed()
        return len(pairs_for(characters)) <= self._spare.capacity(self._map)

    def lacks_key_for(self, text: str) -> bool:
        """Whether the layout has no key for some character of the text."""
        available = self.layout_characters()
        return any(c not in available and c not in _CONTROL_KEYSYMS for c in text)

    def press_unmapped_key(self) -> bool:
        """Press a key without a symbol; False if there is none. Raises ForeignKey, Halted."""
        self._reload_if_changed()
        code = self._spare.unmapped(self._map)
        if code is None:
            return False
        self.wait_for_foreign_keys()
        self._sender.stroke((code,))
        return True

    def _with_modifiers(self, keys: Sequence[Key], codes: Sequence[int]) -> list[int]:
        """Insert the modifiers that a named character needs: "+" is Shift and another key on most layouts.

        Letters get none, because they are named without case (Ctrl+A is not Ctrl+Shift+A).
        """
        state = self._keyboard.state()
        result: list[int] = []
        for key, code in zip(keys, codes, strict=True):
            holding: tuple[int, ...] = ()
            if len(key) == 1 and len(set(case_pair(key))) == 1:
                symbols = [s for s in self._map.keys[code].symbols if character_of(s) == key]
                holding = holding_for(self._map, code, symbols, state)
            result += [each for each in holding if each not in {*result, *codes, *self._ledger.keys}]
            result.append(code)
        return result

    def wait_for_foreign_keys(self, codes: Collection[int] = ()) -> None:
        """Wait until no person holds Ctrl, Alt, Shift ..., which would change what is pressed, nor one of the keys with
        these codes, whose press the X server would drop. Raises ForeignKey if one stays down."""
        if not self._sender.wait_for(lambda: self._is_free(codes), _FOREIGN_KEY_S):
            raise ForeignKey(notice(NoticeCode.MODIFIER_HELD))

    def wait_for_presses(self) -> bool:
        """Wait until earlier button presses have reached their windows; False if the window manager does not answer.

        A window manager may receive a press first and pass it on, and later keys would overtake it.
        """
        self._sender.sync()
        if not self._processing.has_manager:
            return True
        return self._processing.wait_for_manager(self._sender.check, _PRESSES_S)

    def close(self) -> None:
        """Unmap the spare keycodes, after the window manager has processed what was typed with them."""
        self._reload_if_changed()
        if self._spare.keycodes:
            self._processing.wait_for_manager(lambda: None)
        self._spare.clear()

    def _keycode(self, key: Key, group: int) -> int | None:
        """The key by name, or any key that types this character, preferably in this group."""
        if len(key) == 1:
            lower, upper = case_pair(key)
            wanted = {key, character_of(lower), character_of(upper)}
            symbols = {s for e in self._map.keys.values() for s in e.symbols if s and character_of(s) in wanted}
            # The exact character is preferred to its other case.
            ordered = sorted(symbols, key=lambda s: (character_of(s) != key, s))
            code = keycode_for(self._map, ordered, group)
            # A letter assigned for a text may be on an AltGr level, and Ctrl with that key would be another shortcut.
            return None if code in self._spare.keycodes and not self._on_base_levels(code, wanted) else code
        return keycode_for(self._map, keysyms_of_key(key), group)

    def _on_base_levels(self, keycode: int, characters: set[str]) -> bool:
        return any(character_of(symbol) in characters for symbol in self._map.keys[keycode].symbols[:2])

    def _prepare(self, text: str, start: int, window_id: int | None) -> int:
        """Make text[start:] typable as far as spare keycodes suffice; returns the index where that ends."""
        table = self._table()
        missing = [c for c in dict.fromkeys(text[start:]) if c not in _CONTROL_KEYSYMS and c not in table]
        if not missing:
            return len(text)
        first = text.index(missing[0], start)
        if len(pairs_for(missing)) <= self._spare.free_pairs(self._map):
            self._assign(pairs_for(missing), window_id)
        elif first > start:
            return first  # type these before the keycodes that they need are reassigned
        else:
            self._reassign(text[start:], window_id)
        table = self._table()
        if text[first] not in table:
            raise Untypable(notice(NoticeCode.NO_SPARE_KEY, character=repr(text[first])))
        return next((i for i in range(start, len(text)) if text[i] not in table and text[i] not in _CONTROL_KEYSYMS),
                    len(text))  # fmt: skip

    def _reassign(self, text: str, window_id: int | None) -> None:
        """Assign spare keycodes to as much of the text as possible, replacing what earlier text needed."""
        layout = strokes(self._map, self._keyboard.state(), without=self._spare.keycodes)
        wanted = [c for c in dict.fromkeys(text) if c not in _CONTROL_KEYSYMS and c not in layout]
        self._wait_until_spare_read(window_id)
        pairs = pairs_for(self._fitting(wanted, self._spare.capacity(self._map)))
        self._spare.assign(self._map, pairs, reuse=True)
        self._map_changed(window_id)

    def _fitting(self, characters: list[str], room: int) -> list[str]:
        """The longest prefix of the list whose pairs fit."""
        low, high = 0, len(characters)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if len(pairs_for(characters[:middle])) <= room else (low, middle - 1)
        return characters[:low]

    def _assign(self, pairs: list[Pair], window_id: int | None) -> None:
        self._spare.assign(self._map, pairs, reuse=False)
        self._map_changed(window_id)

    def _map_changed(self, window_id: int | None) -> None:
        self._reload()
        self._processing.wait_for_manager(self._sender.check)
        window_id = self._processing.focus() if window_id is None else window_id
        if window_id is not None:
            self._processing.notify_map_change(window_id)
        self.wait_until_read(window_id)

    def _wait_until_spare_read(self, window_id: int | None) -> None:
        """Before spare keycodes are reassigned: wait until keys typed with them have been processed."""
        if self._spare.keycodes:
            self.wait_until_read(window_id)

    def wait_until_read(self, window_id: int | None) -> None:
        """Wait until the window has processed all events so far, or for a short time if that cannot be determined.

        Raises:
            Untypable: the application has stopped responding.
        """
        self._sender.sync()
        window_id = self._processing.focus() if window_id is None else window_id
        try:
            if window_id is None or not self._processing.wait_for_any(window_id, self._sender.check):
                self._sender.wait(_NO_PING_S)
        except NotResponding as error:
            raise Untypable(notice(NoticeCode.APPLICATION_NOT_RESPONDING)) from error

    def wait_until_idle_after(self, pid: int, window_id: int | None) -> bool:
        """Wait until a process that sends to the window, and then the window's own process, are idle.

        Returns:
            Whether both became idle.

        Raises:
            Halted: the injector may not go on.
        """
        window_id = self._processing.focus() if window_id is None else window_id
        return window_id is not None and self._processing.wait_until_idle_in_order(
            (pid,), window_id, self._sender.check
        )

    def _type_run(
        self, text: str, delay_s: float, progress: Progress, recheck: Callable[[], object], pace: Pace
    ) -> int:
        """Type a prepared run; returns the number of characters typed. Fewer than all if a person changed the layout or
        a lock, so that the next character must be prepared again."""
        table: dict[str, Stroke] = {}
        spare: set[int] = set()
        checked_s = 0.0
        for index, character in enumerate(text):
            due = index % _CHECK_CHARACTERS == 0 or time.monotonic() - checked_s > _CHECK_S
            if due or index % _HELD_CHARACTERS == 0:
                if due:
                    pace.wait()
                # Sync first, or keys still in transit would be sent on the strength of this check as well.
                state = self._sender.synced_state() if due else self._sender.state()
                if due:
                    pace.mark()
                # A modifier that a person holds, as on the way to the stop, makes shortcuts of what follows.
                held = self._foreign_modifiers(state)
                if held:
                    self.wait_for_foreign_keys()
                    state = self._sender.synced_state()
                if due or held:
                    self._reload_if_changed()
                    table, spare = self._table(state), set(self._spare.keycodes)
                    recheck()
                    checked_s = time.monotonic()
            stroke = self._stroke(character, table)
            if stroke is None:
                return index
            self._sender.stroke((*stroke.holding, stroke.keycode))
            progress.typed(Method.LENT if stroke.keycode in spare else Method.MAPPED)
            if delay_s > 0:
                self._sender.wait(delay_s)
        return len(text)

    def _stroke(self, character: str, table: dict[str, Stroke]) -> Stroke | None:
        keysym = _CONTROL_KEYSYMS.get(character)
        if keysym is None:
            return table.get(character)
        code = keycode_for(self._map, (keysym,), 0)
        if code is None:
            raise Untypable(notice(NoticeCode.NO_KEY_FOR_CHARACTER, character=repr(character)))
        return Stroke(keycode=code)

    def _is_free(self, codes: Collection[int]) -> bool:
        if self._foreign_modifiers(self._keyboard.state()):
            return False
        foreign = [code for code in codes if code not in self._ledger.keys]
        return not foreign or keys_down(self._display).isdisjoint(foreign)

    def _foreign_modifiers(self, state: State) -> int:
        ours = 0
        for code in self._ledger.keys:
            ours |= self._modifiers_of(code)
        return state.held & ~ours & ~LOCK

    def _modifiers_of(self, code: int) -> int:
        """The modifier bits that a key sets. AltGr's are listed for another keycode with its symbol only."""
        if code in self._map.modifiers or LEVEL3_SHIFT not in self._map.keys[code].symbols:
            return self._map.modifiers.get(code, 0)
        return sum({self._map.modifiers.get(each, 0) for each in keycodes_with(self._map, (LEVEL3_SHIFT,))})

    def _table(self, state: State | None = None) -> dict[str, Stroke]:
        state = state or self._keyboard.state()
        key = (state.group, state.locked)
        if key not in self._tables:
            self._tables[key] = strokes(self._map, state)
        return self._tables[key]

    def _reload_if_changed(self) -> None:
        self._processing.read_events()
        if self._changed:
            self._reload()

    def _on_event(self, event: Any) -> None:
        self._changed = self._changed or self._keyboard.tells_of_a_change(event)

    def _reload(self) -> None:
        self._changed = False
        self._sender.read_controls()
        self._map = self._keyboard.map()
        self._spare.forget_remapped(self._map)
        self._tables.clear()
