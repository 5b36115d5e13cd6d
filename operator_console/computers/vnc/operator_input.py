"""The operator's own pointer and keys on a machine over VNC, by a connection that is open only while they are used.

What a killed console held down there stays down until the server notices that the connection ended: the ledger, by
which the guard releases, is the injector's.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import assert_never

from operator_console.computers.operator_hand import ThreadedHand
from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import (
    HandButton,
    HandClipboard,
    HandInput,
    HandKey,
    HandMove,
    HandTab,
    HandText,
    HandWheel,
)
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.scrolling import WheelNotches
from operator_console.rfb.input_line import BUTTON_NUMBERS, POSITION_PAUSE_S, InputLine, release
from operator_console.rfb.login import Login, RfbError
from operator_console.rfb.machine_keys import AMERICAN_POSITIONS, MachineKey, character_key, named_key

_CONNECTED_WITHIN_S = 5.0
_CONFIRMED_WITHIN_S = 6.0
_FETCHED_WITHIN_S = 2.0
_LAST_WITHIN_S = 0.5
_CHORD_KEYS = frozenset(map(Key, ("ctrl", "ctrl_r", "alt", "super", "super_r")))
_OWN_KEYS = frozenset(map(Key, ("alt_gr", "caps_lock", "num_lock")))
"""They choose what a key writes in the operator's layout, and that is sent."""
_PASTING = (Key("ctrl"), Key("v"))
_log = logging.getLogger(__name__)


class MachineHand(ThreadedHand):
    """The operator's hand on one machine. `layout`: the machine's keyboard layout, by its name in XKB."""

    def __init__(self, login: Login, layout: str) -> None:
        super().__init__(_MachineSender(login, layout))


class _Withdrawn(Exception):
    """It is not permitted any more."""


class _MachineSender:
    """Fits `operator_hand.HandSender`.

    A press is noted before it is sent, so that it can be released also where the connection is lost at that moment.
    """

    def __init__(self, login: Login, layout: str) -> None:
        self._login = login
        self._layout = layout
        self._line: InputLine | None = None
        self._permitted: Callable[[], bool] = lambda: False
        self._held: dict[Key, tuple[MachineKey, int]] = {}
        self._at = NativePoint(0, 0)
        self._mask = 0
        self._wheel = WheelNotches()
        self._offered = False

    def send(self, given: HandInput, permitted: Callable[[], bool]) -> str:
        """Send this while it is permitted. Returns a sentence for the operator where it cannot be sent, else ""."""
        self._permitted = permitted
        try:
            line = self._connected()
            line.read_waiting()
            trouble = self._give(line, given) or self._confirm(line)
            if self._offered and isinstance(given, HandKey) and not given.down:
                self._offered = False
                line.wait_until_fetched(_FETCHED_WITHIN_S, permitted)
            return trouble
        except _Withdrawn:
            return ""
        except RfbError as error:
            _log.info("the operator's hand does not reach the machine: %s", error)
            self._lose()
            self._release_elsewhere()
            return notice(NoticeCode.MACHINE_NOT_CONNECTED)

    def release(self) -> None:
        """Release what is held, and disconnect."""
        line = self._line
        if line is not None:
            try:
                for key, keysym in reversed(self._held.values()):
                    self._send_key(line, key, keysym, down=False)
                if self._mask:
                    line.pointer(self._at.x, self._at.y, 0)
                if self._held or self._mask:
                    line.acknowledge(_LAST_WITHIN_S)
                self._forget()
            except RfbError as error:
                _log.info("the operator's hand was not released in order: %s", error)
        self._lose()
        self._release_elsewhere()
        self._lose()

    def _connected(self) -> InputLine:
        self._require()
        if self._line is None:
            line = InputLine.connect(self._login, within_s=_CONNECTED_WITHIN_S)
            self._line = line
            self._release_lost(line)
            self._require()  # it may have been withdrawn meanwhile
        return self._line

    def _release_elsewhere(self) -> None:
        """Release by a new connection what a lost one held."""
        if not (self._held or self._mask):
            return
        try:
            self._line = InputLine.connect(self._login, within_s=_CONNECTED_WITHIN_S)
        except RfbError as error:
            _log.warning("what the operator held on the machine cannot be released: %s", error)
            return
        self._release_lost(self._line)

    def _release_lost(self, line: InputLine) -> None:
        if self._held or self._mask:
            release(line, [keysym for _, keysym in self._held.values()], self._mask, (self._at.x, self._at.y))
            self._forget()

    def _lose(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with suppress(RfbError, OSError):
                line.close()

    def _forget(self) -> None:
        self._held.clear()
        self._mask = 0

    def _require(self) -> None:
        if not self._permitted():
            raise _Withdrawn

    def _confirm(self, line: InputLine) -> str:
        """Wait until the machine has handled what was sent, so that nothing waits in it."""
        if line.takes_positions:
            time.sleep(POSITION_PAUSE_S)
        elif not line.acknowledge(_CONFIRMED_WITHIN_S, self._permitted) and self._permitted():
            return notice(NoticeCode.MACHINE_TOOK_NO_INPUT, seconds=_CONFIRMED_WITHIN_S)
        return ""

    def _give(self, line: InputLine, given: HandInput) -> str:
        match given:
            case HandMove() | HandButton() | HandWheel():
                return self._point(line, given)
            case HandKey():
                return self._key(line, given)
            case HandText(text=text):
                return self._write(line, text)
            case HandClipboard(text=text):
                if not line.has_extended_clipboard:
                    return notice(NoticeCode.MACHINE_HAS_NO_CLIPBOARD)
                self._require()
                line.clipboard(text)
                self._offered = True
                return ""
            case HandTab():
                return ""
            case _:
                assert_never(given)

    # Pointer

    def _point(self, line: InputLine, given: HandMove | HandButton | HandWheel) -> str:
        inside = given.at.x < line.size.width and given.at.y < line.size.height
        if isinstance(given, HandButton) and not given.down:
            if self._mask & _bit(given.button):
                self._pointer(line, given.at if inside else self._at, self._mask & ~_bit(given.button))
            return ""
        if line.pointer_is_relative:
            return joined(notice(NoticeCode.VNC_POINTER_RELATIVE), notice(NoticeCode.ADD_TABLET))
        if not inside:
            return ""  # the picture is of another size than the machine's screen now
        match given:
            case HandMove(at=at):
                self._pointer(line, at, self._mask)
            case HandButton(button=button, at=at):
                if not _bit(button):
                    return notice(NoticeCode.BUTTON_NOT_FOR_MACHINE, button=button.value)
                self._pointer(line, at, self._mask | _bit(button))
            case HandWheel(at=at, dx=dx, dy=dy):
                for number in self._wheel.turned(dx, dy):
                    self._pointer(line, at, self._mask | 1 << (number - 1))
                    self._pointer(line, at, self._mask & ~(1 << (number - 1)))
                    self._confirm(line)
        return ""

    def _pointer(self, line: InputLine, at: NativePoint, mask: int) -> None:
        self._require()
        self._at = at
        self._mask |= mask
        line.pointer(at.x, at.y, mask)
        self._mask = mask

    # Keys

    def _key(self, line: InputLine, given: HandKey) -> str:
        if given.key in _OWN_KEYS:
            return ""
        if not given.down:
            self._up(line, given.key)
            return ""
        if given.repeated and (held := self._held.get(given.key)) is not None:
            self._require()
            self._send_key(line, *held, down=True)
            return ""
        if len(given.key) > 1:
            if (key := named_key(given.key)) is None:
                return notice(NoticeCode.KEY_NOT_FOR_MACHINE, key=given.key)
            self._down(line, given.key, key)
            return ""
        if self._held.keys() & _CHORD_KEYS:
            return self._chord_key(line, given.key)
        return self._character(line, given)

    def _chord_key(self, line: InputLine, name: Key) -> str:
        """A key with Ctrl, Alt or Super: the one that has the character, whatever Shift makes of it."""
        key = character_key(name, self._layout) or named_key(name)
        if key is None or (line.takes_positions and not key.scancode):
            return notice(NoticeCode.KEY_NOT_FOR_MACHINE, key=name)
        if line.takes_positions and key.shifted and not self._shift:
            with self._holding(line, Key("shift")):
                self._stroke(line, name, key)
        else:
            self._down(line, name, key)
        return ""

    def _character(self, line: InputLine, given: HandKey) -> str:
        """A key that writes: it stays down until the operator's does, where Shift can stay as it is."""
        text = given.text or given.key
        keys = self._keys_for(line, text)
        if keys is None or len(keys) != 1 or self._shift_wrong(line, keys[0]):
            return self._write(line, text)
        self._down(line, given.key, keys[0])
        return ""

    def _write(self, line: InputLine, text: str) -> str:
        """Text: each character is confirmed before the next one is sent."""
        keys = self._keys_for(line, text)
        if keys is None:
            return self._paste(line, text)
        for name, key in zip(text, keys, strict=True):
            if not self._shift_wrong(line, key):
                self._stroke(line, Key(name), key)
            elif self._shift:
                with self._without_shift(line):
                    self._stroke(line, Key(name), key)
            else:
                with self._holding(line, Key("shift")):
                    self._stroke(line, Key(name), key)
            if trouble := self._confirm(line):
                return trouble
        return ""

    def _paste(self, line: InputLine, text: str) -> str:
        if not line.has_extended_clipboard:
            return notice(NoticeCode.NO_KEY_AND_NO_CLIPBOARD, layout=self._layout, characters=text)
        self._require()
        line.clipboard(text)
        with self._without_shift(line), self._holding(line, _PASTING[0]):
            key = named_key(_PASTING[1])
            assert key is not None
            self._stroke(line, _PASTING[1], key)
        if not line.wait_until_fetched(_CONFIRMED_WITHIN_S, self._permitted) and self._permitted():
            return notice(NoticeCode.MACHINE_TOOK_NO_INPUT, seconds=_CONFIRMED_WITHIN_S)
        return ""

    def _keys_for(self, line: InputLine, text: str) -> list[MachineKey] | None:
        """The key of each character; None where the machine's layout, or its positions, are not known to have one."""
        if line.takes_positions and self._layout not in AMERICAN_POSITIONS:
            return None
        keys = [key for each in text if (key := character_key(each, self._layout)) is not None]
        if len(keys) < len(text) or (line.takes_positions and not all(each.scancode for each in keys)):
            return None
        return keys

    @property
    def _shift(self) -> list[Key]:
        return [name for name, (key, _) in self._held.items() if key.shift]

    def _shift_wrong(self, line: InputLine, key: MachineKey) -> bool:
        """Whether a character would come out wrong with Shift as it is: of a lower-case letter with Shift, servers make
        Caps Lock."""
        if self._shift:
            return not key.shifted and key.above != key.keysym
        return line.takes_positions and key.shifted

    @contextmanager
    def _without_shift(self, line: InputLine) -> Iterator[None]:
        names = [(name, self._held[name][0]) for name in self._shift]
        for name, _ in names:
            self._up(line, name)
        yield
        for name, key in names:
            self._down(line, name, key)

    @contextmanager
    def _holding(self, line: InputLine, name: Key) -> Iterator[None]:
        key = named_key(name)
        assert key is not None
        if name in self._held:
            yield
            return
        self._down(line, name, key)
        yield
        self._up(line, name)

    def _stroke(self, line: InputLine, name: Key, key: MachineKey) -> None:
        self._down(line, name, key)
        self._up(line, name)

    def _down(self, line: InputLine, name: Key, key: MachineKey) -> None:
        self._require()
        self._up(line, name)
        keysym = key.above if self._shift else key.keysym
        self._held[name] = key, keysym
        self._send_key(line, key, keysym, down=True)

    def _up(self, line: InputLine, name: Key) -> None:
        """The keysym that was pressed: Shift may have been pressed or released since."""
        if (held := self._held.get(name)) is not None:
            self._send_key(line, *held, down=False)
            del self._held[name]

    def _send_key(self, line: InputLine, key: MachineKey, keysym: int, *, down: bool) -> None:
        line.key(keysym, down, key.scancode if line.takes_positions else 0)


def _bit(button: Button) -> int:
    """Of the mask; 0 for a button that has no place in it."""
    return 1 << (BUTTON_NUMBERS[button] - 1) if button in BUTTON_NUMBERS else 0
