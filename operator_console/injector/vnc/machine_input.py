"""Sends single pointer and key events to a machine over VNC, each only while the gate is open.

A press is entered in the ledger before it is sent. Input is confirmed by the machine before more is sent: what a killed
sender has on its way must be little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import Button
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import DeliveryUnknown, Refused
from operator_console.injector.input_gate import InputGate
from operator_console.rfb.errors import RfbError
from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.machine_keys import BUTTON_NUMBERS, MachineKey
from operator_console.rfb.server_login import Login

CONFIRMED_WITHIN_S = 6.0
"""How long a machine may take to confirm an input or to show a part of its screen, in seconds. QEMU takes up to two for
a picture that does not change."""

_LOGIN_S = 5.0


class MachineInput:
    """Input for one machine.

    Args:
        login: how to log in.
        ledger: shared with the guard.
        gate: asked before each event.

    Attributes:
        at: where it last sent the pointer, native pixels; None: nowhere yet.
    """

    def __init__(self, login: Login, ledger: Ledger, gate: InputGate) -> None:
        self._login = login
        self._ledger = ledger
        self._gate = gate
        self._line: InputLine | None = None
        self._held: list[MachineKey] = []
        self._mask = 0
        self.at: tuple[int, int] | None = None
        with suppress(Refused):  # tried again before the first action, which says why
            self.connect()

    def connect(self) -> None:
        """Connect where that is needed, and release there what a lost connection held. Raises Refused."""
        try:
            if self._line is not None:
                self._line.read_waiting()
                return
        except RfbError:
            self._lose()
        try:
            self._line = InputLine.connect(self._login, within_s=_LOGIN_S)
        except RfbError as error:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.MACHINE_NOT_CONNECTED)) from error
        if not self._ledger.clean:
            release(self._line, self._ledger.keysyms, self._mask, self._ledger.pointer)
            self._forget()

    @property
    def takes_positions(self) -> bool:
        """Whether the machine is one of QEMU's, which takes positions of keys."""
        return self._line is not None and self._line.takes_positions

    @property
    def pointer_is_relative(self) -> bool:
        """Whether the pointer moves by steps only."""
        return self._line is not None and bool(self._line.pointer_is_relative)

    @property
    def has_clipboard(self) -> bool:
        """Whether the machine takes text by its clipboard."""
        return self._line is not None and self._line.has_extended_clipboard

    @property
    def shift_held(self) -> bool:
        """Whether Shift is down."""
        return any(each.shift for each in self._held)

    @property
    def holds_buttons(self) -> bool:
        """Whether a button is down."""
        return bool(self._mask)

    def part(self, region: Rect) -> tuple[bytes, Size]:
        """BGRX rows of a part of the screen now, and the screen's size. Raises Refused: it does not come."""
        try:
            found = self._connected().part(region, CONFIRMED_WITHIN_S)
        except RfbError as error:
            self._lose()
            raise Refused(RejectedReason.STALE, notice(NoticeCode.MACHINE_NOT_CONNECTED)) from error
        if found is None:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.MACHINE_GIVES_NO_PICTURE))
        return found

    def move(self, x: int, y: int) -> None:
        """Move the pointer; buttons that are held stay so."""
        with self._gate.primitive():
            self._gate.stamp()
            self._pointer((x, y), self._mask)

    def press(self, button: Button) -> None:
        """Press a button where the pointer is, and hold it."""
        number = _number(button)
        with self._gate.primitive():
            self._ledger.mark_button(number, True)
            self._mask |= 1 << (number - 1)
            self._gate.stamp()
            self._pointer(self.at or (0, 0), self._mask)

    def release(self, button: Button) -> None:
        """Release a button that is held, always."""
        number = _number(button)
        if self._line is not None and self._mask & 1 << (number - 1):
            self._mask &= ~(1 << (number - 1))
            self._pointer(self.at or (0, 0), self._mask)
            self._ledger.mark_button(number, False)

    def wheel(self, number: int) -> None:
        """One notch of the wheel: 4 up, 5 down, 6 left, 7 right."""
        with self._gate.primitive():
            self._gate.stamp()
            self._ledger.mark_button(number, True)
            self._pointer(self.at or (0, 0), self._mask | 1 << (number - 1))
            self._pointer(self.at or (0, 0), self._mask)
            self._ledger.mark_button(number, False)

    def press_key(self, key: MachineKey) -> None:
        """Press a key and hold it."""
        with self._gate.primitive():
            self._gate.stamp()
            self._press(key)

    def release_key(self, key: MachineKey) -> None:
        """Release a key that is held, always."""
        if key in self._held:
            self._release(key)

    @contextmanager
    def holding(self, keys: Sequence[MachineKey]) -> Iterator[None]:
        """Hold these keys down in the block."""
        with ExitStack() as held:
            for each in keys:
                held.callback(self.release_key, each)
                self.press_key(each)
            yield

    def offer_text(self, text: str) -> None:
        """Put text into the machine's clipboard. Raises Refused."""
        with self._gate.primitive():
            self._gate.stamp()
            try:
                self._connected().clipboard(text)
            except RfbError as error:
                self._lose()
                raise Refused(RejectedReason.STALE, notice(NoticeCode.MACHINE_NOT_CONNECTED)) from error

    def wait_until_fetched(self) -> None:
        """Hand the offered text over, once the machine asks for it. Raises DeliveryUnknown, Halted."""
        if not self._gate.wait_for(self._fetched, CONFIRMED_WITHIN_S):
            raise DeliveryUnknown(notice(NoticeCode.MACHINE_TOOK_NO_INPUT, seconds=CONFIRMED_WITHIN_S))

    def _fetched(self) -> bool:
        line = self._connected()
        try:
            line.read_waiting()
        except RfbError as error:
            raise self._lost() from error
        return line.clipboard_fetched

    def confirm(self) -> None:
        """Wait until the machine has handled what was sent. Raises DeliveryUnknown, Halted."""
        if self.takes_positions:
            self._gate.wait(self._connected().position_pause_s())
            return
        try:
            done = self._connected().acknowledge(CONFIRMED_WITHIN_S)
        except RfbError as error:
            raise self._lost() from error
        if not done:
            self._lose()
            raise DeliveryUnknown(notice(NoticeCode.MACHINE_TOOK_NO_INPUT, seconds=CONFIRMED_WITHIN_S))

    def release_all(self) -> int:
        """Release everything that is held. Returns how much that was."""
        number = len(self._ledger.keysyms) + len(self._ledger.buttons)
        for key in reversed(self._held.copy()):
            self.release_key(key)
        if self._mask:
            self._mask = 0
            self._pointer(self.at or (0, 0), 0)
        self._forget()
        return number

    def close(self) -> None:
        """Release what is held, and disconnect."""
        if self._line is not None:
            with suppress(DeliveryUnknown):
                if self.release_all():
                    self.confirm()
        self._lose()

    def _connected(self) -> InputLine:
        if self._line is None:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.MACHINE_NOT_CONNECTED))
        return self._line

    def _press(self, key: MachineKey) -> None:
        keysym = key.above if self.shift_held else key.keysym
        if not self._ledger.mark_keysym(keysym, True):
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.TOO_MANY_KEYS_HELD))
        self._held.append(key)
        self._send_key(key, keysym, True)

    def _release(self, key: MachineKey) -> None:
        """The keysym that was pressed: Shift may have been pressed or released since."""
        self._held.remove(key)
        pressed = self._ledger.keysyms
        keysym = next((each for each in (key.keysym, key.above) if each in pressed), key.keysym)
        self._send_key(key, keysym, False)
        self._ledger.mark_keysym(keysym, False)

    def _send_key(self, key: MachineKey, keysym: int, down: bool) -> None:
        try:
            self._connected().key(keysym, down, key.scancode if self.takes_positions else 0)
        except RfbError as error:
            raise self._lost() from error

    def _pointer(self, at: tuple[int, int], mask: int) -> None:
        self._ledger.pointer = self.at = at
        try:
            self._connected().pointer(*at, mask)
        except RfbError as error:
            raise self._lost() from error

    def _lost(self) -> DeliveryUnknown:
        self._lose()
        return DeliveryUnknown(notice(NoticeCode.MACHINE_LOST_DURING_INPUT))

    def _lose(self) -> None:
        """Drop the connection. The ledger keeps what was held, which is released by the next one."""
        line, self._line = self._line, None
        self._held.clear()
        if line is not None:
            with suppress(RfbError, OSError):
                line.close()

    def _forget(self) -> None:
        self._held.clear()
        self._mask = 0
        for keysym in self._ledger.keysyms:
            self._ledger.mark_keysym(keysym, False)
        self._ledger.forget(buttons=self._ledger.buttons)


def _number(button: Button) -> int:
    if button not in BUTTON_NUMBERS:
        raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.BUTTON_NOT_FOR_MACHINE, button=button.value))
    return BUTTON_NUMBERS[button]
