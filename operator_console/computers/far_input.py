"""The operator's own pointer and keys on a target without a window here: a machine over VNC, an isolated desktop.

The line to it is open only while it is used. A press is noted before it is sent, so that it can be released also where
the line is lost at that moment. What a killed console held on a machine stays down until the server notices that the
connection ended: the ledger, by which the guard releases, is the injector's.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Generic, TypeVar, assert_never

from operator_console.computers.operator_hand import ThreadedHand
from operator_console.desktop.protocols import DesktopInput
from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import (
    FarLine,
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
from operator_console.rfb.errors import RfbError
from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.machine_keys import BUTTON_NUMBERS, MachineKey, character_keys, named_key
from operator_console.rfb.server_login import Login

CONFIRMED_WITHIN_S = 6.0
_FETCHED_WITHIN_S = 2.0
_LAST_WITHIN_S = 0.5
_CHORD_KEYS = frozenset(map(Key, ("ctrl", "ctrl_r", "alt", "super", "super_r")))
_OWN_KEYS = frozenset(map(Key, ("alt_gr", "caps_lock", "num_lock")))
"""They choose what a key writes in the operator's layout, and that is sent."""
_PASTING = (Key("ctrl"), Key("v"))
_log = logging.getLogger(__name__)
LineT = TypeVar("LineT", bound=FarLine)
_CONNECTED_WITHIN_S = 5.0
_CONTROLS = {"\n": Key("enter"), "\t": Key("tab"), " ": Key("space")}


class _Withdrawn(Exception):
    """It is not permitted any more."""


class FarSender(ABC, Generic[LineT]):
    """Fits `hand_input.HandSender`."""

    buttons: Mapping[Button, int] = BUTTON_NUMBERS

    def __init__(self) -> None:
        self._line: LineT | None = None
        self._permitted: Callable[[], bool] = lambda: False
        self._held: dict[Key, tuple[MachineKey, int]] = {}
        self._at = NativePoint(-1, -1)  # nowhere yet
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
        except (RfbError, OSError) as error:
            _log.info("the operator's hand does not reach the target: %s", error)
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
            except (RfbError, OSError) as error:
                _log.info("the operator's hand was not released in order: %s", error)
        self._lose()
        self._release_elsewhere()
        self._lose()

    def _connected(self) -> LineT:
        self._require()
        if self._line is None:
            self._line = self._open()
            self._release_lost(self._line)
            self._require()  # it may have been withdrawn meanwhile
        return self._line

    def _release_elsewhere(self) -> None:
        """Release by a new connection what a lost one held."""
        if not (self._held or self._mask):
            return
        try:
            self._line = self._open()
            self._release_lost(self._line)
        except (RfbError, OSError) as error:
            _log.warning("what the operator held on the target cannot be released: %s", error)

    def _release_lost(self, line: LineT) -> None:
        if self._held or self._mask:
            self._release_held(line, [keysym for _, keysym in self._held.values()], self._mask, self._at)
            self._forget()

    @abstractmethod
    def _open(self) -> LineT:
        """Connect. Raises RfbError, OSError."""

    @abstractmethod
    def _release_held(self, line: LineT, keysyms: Sequence[int], mask: int, at: NativePoint) -> None:
        """Release what a line that was lost had held."""

    @abstractmethod
    def _named_key(self, line: LineT, name: Key) -> MachineKey | None:
        """A key by its canonical name; None where the target has none."""

    @abstractmethod
    def _character_keys(self, line: LineT, character: str) -> tuple[MachineKey, ...]:
        """The keys to press one after the other for a character; () where the target is not known to have them."""

    def _chord_character(self, line: LineT, name: Key) -> MachineKey | None:
        """The key of a character that is pressed with Ctrl, Alt or Super; None where the target has none."""
        return next(iter(self._character_keys(line, name)), None)

    @abstractmethod
    def _no_way(self, text: str) -> str:
        """What is said where text can be sent by no key, and by no clipboard."""

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

    def _confirm(self, line: LineT) -> str:
        """Wait until the machine has handled what was sent, so that nothing waits in it."""
        if not line.acknowledge(CONFIRMED_WITHIN_S, self._permitted) and self._permitted():
            return notice(NoticeCode.MACHINE_TOOK_NO_INPUT, seconds=CONFIRMED_WITHIN_S)
        return ""

    def _give(self, line: LineT, given: HandInput) -> str:
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

    def _point(self, line: LineT, given: HandMove | HandButton | HandWheel) -> str:
        inside = given.at.x < line.size.width and given.at.y < line.size.height
        if isinstance(given, HandButton) and not given.down:
            if self._mask & self._bit(given.button):
                if inside:
                    self._go_to(line, given.at)
                self._pointer(line, self._at, self._mask & ~self._bit(given.button))
            return ""
        if line.pointer_is_relative:
            return joined(notice(NoticeCode.VNC_POINTER_RELATIVE), notice(NoticeCode.ADD_TABLET))
        if not inside:
            return ""  # the picture is of another size than the machine's screen now
        if not isinstance(given, HandMove):
            self._go_to(line, given.at)
        match given:
            case HandMove(at=at):
                self._pointer(line, at, self._mask)
            case HandButton(button=button, at=at):
                if not self._bit(button):
                    return notice(NoticeCode.BUTTON_NOT_FOR_MACHINE, button=button.value)
                self._pointer(line, at, self._mask | self._bit(button))
            case HandWheel(at=at, dx=dx, dy=dy):
                for number in self._wheel.turned(dx, dy):
                    self._pointer(line, at, self._mask | 1 << (number - 1))
                    self._pointer(line, at, self._mask & ~(1 << (number - 1)))
                    self._confirm(line)
        return ""

    def _go_to(self, line: LineT, at: NativePoint) -> None:
        """Where a press or a release is sent with a new place, wayvnc does it at the old one."""
        if at != self._at:
            self._pointer(line, at, self._mask)

    def _pointer(self, line: LineT, at: NativePoint, mask: int) -> None:
        self._require()
        self._at = at
        self._mask |= mask
        line.pointer(at.x, at.y, mask)
        self._mask = mask

    def _bit(self, button: Button) -> int:
        """Of the mask; 0 for a button that the target cannot be sent."""
        return 1 << (self.buttons[button] - 1) if button in self.buttons else 0

    # Keys

    def _key(self, line: LineT, given: HandKey) -> str:
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
            if (key := self._named_key(line, given.key)) is None:
                return notice(NoticeCode.KEY_NOT_FOR_MACHINE, key=given.key)
            self._down(line, given.key, key)
            return ""
        if self._held.keys() & _CHORD_KEYS:
            return self._chord_key(line, given.key)
        return self._character(line, given)

    def _chord_key(self, line: LineT, name: Key) -> str:
        """A key with Ctrl, Alt or Super: the one that has the character, whatever Shift makes of it."""
        if (key := self._chord_character(line, name)) is None:
            return notice(NoticeCode.KEY_NOT_FOR_MACHINE, key=name)
        needed = self._needed(line, key)
        if needed:
            with self._holding(line, *needed):
                self._stroke(line, name, key)
        else:
            self._down(line, name, key)
        return ""

    def _character(self, line: LineT, given: HandKey) -> str:
        """A key that writes: it stays down until the operator's does, where Shift can stay as it is."""
        text = given.text or given.key
        keys = self._keys_for(line, text)
        strokes = [stroke for each in keys or () for stroke in each]
        if len(strokes) != 1 or self._shift_wrong(line, strokes[0]) or self._needed(line, strokes[0]):
            return self._write(line, text)
        self._down(line, given.key, strokes[0])
        return ""

    def _write(self, line: LineT, text: str) -> str:
        """Text: each character is confirmed before the next one is sent."""
        keys = self._keys_for(line, text)
        if keys is None:
            return self._paste(line, text)
        for character, strokes in zip(text, keys, strict=True):
            for key in strokes:
                lifted = self._without_shift(line) if self._shift and self._shift_wrong(line, key) else nullcontext()
                with lifted, self._holding(line, *self._needed(line, key)):
                    self._stroke(line, Key(character), key)
            if trouble := self._confirm(line):
                return trouble
        return ""

    def _paste(self, line: LineT, text: str) -> str:
        if not line.has_extended_clipboard:
            return self._no_way(text)
        self._require()
        line.clipboard(text)
        with self._without_shift(line), self._holding(line, _PASTING[0]):
            if (key := self._chord_character(line, _PASTING[1])) is not None:
                self._stroke(line, _PASTING[1], key)
        if not line.wait_until_fetched(CONFIRMED_WITHIN_S, self._permitted) and self._permitted():
            return notice(NoticeCode.MACHINE_TOOK_NO_INPUT, seconds=CONFIRMED_WITHIN_S)
        return ""

    def _keys_for(self, line: LineT, text: str) -> list[tuple[MachineKey, ...]] | None:
        keys = [self._character_keys(line, each) for each in text]
        return keys if all(keys) else None

    @property
    def _shift(self) -> list[Key]:
        return [name for name, (key, _) in self._held.items() if key.shift]

    def _shift_wrong(self, line: LineT, key: MachineKey) -> bool:
        """Whether a character would come out wrong with Shift as it is: of a lower-case letter with Shift, servers make
        Caps Lock."""
        if self._shift:
            return not key.shifted and key.above != key.keysym
        return line.takes_positions and key.shifted

    def _needed(self, line: LineT, key: MachineKey) -> list[Key]:
        """What must be held for a character, besides what is."""
        return [name for name in key.holding if line.takes_positions and not (name == "shift" and self._shift)]

    @contextmanager
    def _without_shift(self, line: LineT) -> Iterator[None]:
        names = [(name, self._held[name][0]) for name in self._shift]
        for name, _ in names:
            self._up(line, name)
        yield
        for name, key in names:
            self._down(line, name, key)

    @contextmanager
    def _holding(self, line: LineT, *names: Key) -> Iterator[None]:
        keys = [(name, key) for name in names if name not in self._held and (key := self._named_key(line, name))]
        for name, key in keys:
            self._down(line, name, key)
        yield
        for name, _ in reversed(keys):
            self._up(line, name)

    def _stroke(self, line: LineT, name: Key, key: MachineKey) -> None:
        self._down(line, name, key)
        self._up(line, name)

    def _down(self, line: LineT, name: Key, key: MachineKey) -> None:
        self._require()
        self._up(line, name)
        keysym = key.above if self._shift else key.keysym
        self._held[name] = key, keysym
        self._send_key(line, key, keysym, down=True)

    def _up(self, line: LineT, name: Key) -> None:
        """The keysym that was pressed: Shift may have been pressed or released since."""
        if (held := self._held.get(name)) is not None:
            self._send_key(line, *held, down=False)
            del self._held[name]

    def _send_key(self, line: LineT, key: MachineKey, keysym: int, *, down: bool) -> None:
        line.key(keysym, down, key.scancode if line.takes_positions else 0)


class MachineHand(ThreadedHand):
    """The operator's hand on one machine. `layout`: the machine's keyboard layout, by its name in XKB."""

    def __init__(self, login: Login, layout: str) -> None:
        super().__init__(_MachineSender(login, layout))


class _MachineSender(FarSender[InputLine]):
    def __init__(self, login: Login, layout: str) -> None:
        super().__init__()
        self._login = login
        self._layout = layout

    def _open(self) -> InputLine:
        return InputLine.connect(self._login, within_s=_CONNECTED_WITHIN_S)

    def _release_held(self, line: InputLine, keysyms: Sequence[int], mask: int, at: NativePoint) -> None:
        release(line, keysyms, mask, (at.x, at.y))

    def _confirm(self, line: InputLine) -> str:
        if line.takes_positions:
            time.sleep(line.position_pause_s())
            return ""
        return super()._confirm(line)

    def _named_key(self, line: InputLine, name: Key) -> MachineKey | None:
        return named_key(name, self._layout)

    def _chord_character(self, line: InputLine, name: Key) -> MachineKey | None:
        key = named_key(name, self._layout)
        return None if key is None or (line.takes_positions and not key.scancode) else key

    def _character_keys(self, line: InputLine, character: str) -> tuple[MachineKey, ...]:
        return character_keys(character, self._layout, positions=line.takes_positions)

    def _no_way(self, text: str) -> str:
        return notice(NoticeCode.NO_KEY_AND_NO_CLIPBOARD, layout=self._layout, characters=text)


class DesktopSender(FarSender[DesktopInput]):
    """Sends to the desktop that `open_input` connects to. Nothing is open until something is sent."""

    buttons: Mapping[Button, int] = {**BUTTON_NUMBERS, Button.FORWARD: 9}

    def __init__(self, open_input: Callable[[], DesktopInput]) -> None:
        super().__init__()
        self._open_input = open_input

    def _open(self) -> DesktopInput:
        return self._open_input()

    def _release_held(self, line: DesktopInput, keysyms: Sequence[int], mask: int, at: NativePoint) -> None:
        """Nothing: a connection is lost with the desktop."""

    def _named_key(self, line: DesktopInput, name: Key) -> MachineKey | None:
        keycode = line.named(name)
        if keycode is None:
            return None
        return MachineKey(keysym=keycode, above=keycode, scancode=keycode, shift=name in ("shift", "shift_r"))

    def _character_keys(self, line: DesktopInput, character: str) -> tuple[MachineKey, ...]:
        if character in _CONTROLS:
            key = self._named_key(line, _CONTROLS[character])
            return () if key is None else (key,)
        found = line.character(character)
        if found is None:
            return ()
        keycode, shifted = found
        holding = (Key("shift"),) if shifted else ()
        return (MachineKey(keysym=keycode, above=0, scancode=keycode, holding=holding),)

    def _write(self, line: DesktopInput, text: str) -> str:
        """One character after the other: looking one up may give a keycode to it."""
        for each in text:
            self._require()
            if trouble := super()._write(line, each):
                return trouble
        return ""

    def _no_way(self, text: str) -> str:
        return notice(NoticeCode.NO_KEY_AND_NO_CLIPBOARD, layout="", characters=text)
