"""Sends single key, button and motion events to the display, each only while the gate is open.

A press or a motion is entered in the ledger before it is sent, and raises Halted when the injector may not go on.
A release is always sent. pyautogui moves the pointer and presses buttons 1 to 3; keys and other buttons are sent by
XTEST.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.values import KeyControls
from operator_console.domain.errors import RejectedReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Halted, Refused, Untypable
from operator_console.injector.input_gate import InputGate

if TYPE_CHECKING:
    from operator_console.desktop.x11.accessx import AccessX
    from operator_console.desktop.x11.keyboard_map import State
    from operator_console.injector.xtest_connection import XTestConnection

_GUARD_LAG_LIMIT_S = 0.5
_FROZEN_LIMIT_S = 0.25
"""Longest wait for the pointer to arrive. A window manager's synchronous grab freezes it from a press until the manager
has handled that press; the server reports the old position meanwhile (X11 protocol, GrabButton and AllowEvents)."""
_MAX_UNCONFIRMED = 80
_BOUNCE_MARGIN_S, _SLOW_LIMIT_S = 0.005, 0.5
_SLOW_PRESSES = 3
"""How often a key is pressed that slow keys do not let through: another key that goes down meanwhile takes its turn."""
_PYAUTOGUI_BUTTONS = {1: "left", 2: "middle", 3: "right"}


class InputSender:
    """Sends input over an XTEST connection and pyautogui's own.

    Args:
        display: a python-xlib Display of this process, for queries.
        xtest: sends keys and buttons.
        pyautogui: the module, imported with DISPLAY set to the target's display.
        ledger: shared with the guard.
        guard_alive: whether the guard's end of the pipe is still open.
        accessx: the keyboard's slow, bounce and sticky keys.
    """

    def __init__(
        self, display: Any, xtest: XTestConnection, pyautogui: Any, ledger: Ledger, guard_alive: Callable[[], bool],
        accessx: AccessX,
    ) -> None:  # fmt: skip
        self._display = display
        self._xtest = xtest
        self._pyautogui = pyautogui
        self._ledger = ledger
        self._gate = InputGate(ledger, guard_alive)
        self._corners: frozenset[tuple[int, int]] = frozenset()
        self._unconfirmed = 0
        self._synced_ns = 0
        self._release_counts: dict[int, int] = {}
        self._last_released = 0
        self._released_s = 0.0
        self._accessx = accessx
        self._controls = KeyControls()
        pyautogui.PAUSE = 0
        pyautogui.FAILSAFE = False

    @contextmanager
    def exact_keys(self) -> Iterator[None]:
        """In this context slow, bounce and sticky keys change nothing of what is pressed. They stay on."""
        self.read_controls()
        sticky = self._controls.sticky
        self._clear_latches()
        try:
            yield
        finally:
            if sticky:
                self._xtest.sync()
                if not self._accessx.controls().sticky:
                    self._accessx.turn_sticky_on()

    def read_controls(self) -> None:
        """Read again whether slow, bounce and sticky keys are on."""
        self._controls = self._accessx.controls()

    @property
    def holds_keys(self) -> bool:
        """Whether a key is held down."""
        return bool(self._ledger.keys)

    @property
    def held_keys(self) -> Sequence[int]:
        """The keycodes that are held down, in the order of their presses."""
        return self._ledger.keys

    def begin(self, epoch: int, corners: frozenset[tuple[int, int]]) -> None:
        """Start an action of this epoch. Motions to the pixels in `corners` are announced to the guard, which would
        take them for a person's stop gesture otherwise."""
        self._gate.begin(epoch)
        self._corners = corners

    def check(self) -> None:
        """Raises Halted if the injector may not go on now."""
        self._gate.check()

    def press_key(self, keycode: int) -> None:
        """Press a key and hold it down. Raises Untypable if slow keys do not let it through."""
        for _ in range(_SLOW_PRESSES):
            self._press(keycode)
            if self._is_let_through(keycode):
                return
            self._let_go(keycode)
        raise Untypable(notice(NoticeCode.SLOW_KEYS_IGNORE_KEY))

    def _press(self, keycode: int) -> None:
        self._pace()
        if self._controls.bounce_s and keycode == self._last_released:
            self._gate.wait(self._released_s + self._controls.bounce_s + _BOUNCE_MARGIN_S - time.monotonic())
        with self._gate.primitive():
            self._ledger.mark_key(keycode, True)
            self._ledger.mark_sent(keycode)
            self._gate.stamp()
            self._xtest.press_key(keycode)

    def _is_let_through(self, keycode: int) -> bool:
        """Wait until slow keys let a key through that is down; False if they do not."""
        if not self._controls.slow_s:
            return True
        try:
            self._xtest.sync()
            self._gate.wait(self._controls.slow_s)
            return self._gate.wait_for(lambda: self._accessx.is_down(keycode), _SLOW_LIMIT_S)
        except Halted:
            self._let_go(keycode)
            raise

    def _let_go(self, keycode: int) -> None:
        self._xtest.release_key(keycode)
        self._ledger.mark_key(keycode, False)
        self._unconfirmed += 1

    def release_key(self, keycode: int) -> None:
        """Release a key."""
        self._let_go(keycode)
        self._count_releases(keycode)
        if self._controls.bounce_s:
            self._xtest.sync()
            self._released_s = time.monotonic()
        if self._controls.sticky and not self._ledger.keys:
            self._clear_latches()

    def _clear_latches(self) -> None:
        if self._xtest.state().latched:
            self._accessx.clear_latches()

    def stroke(self, keycodes: tuple[int, ...]) -> None:
        """Press keys in order and release them in reverse, in one write. The gate is checked once.

        With slow or bounce keys each is pressed by itself, as by `press_key`.
        """
        if self._controls.slow_s or self._controls.bounce_s:
            with ExitStack() as held:
                for keycode in keycodes:
                    self.press_key(keycode)
                    held.callback(self.release_key, keycode)
            return
        self._pace()
        ledger = self._ledger
        with self._gate.primitive():
            for keycode in keycodes:
                ledger.mark_key(keycode, True)
                ledger.mark_sent(keycode)
            self._gate.stamp(len(keycodes))
            self._xtest.stroke(keycodes)
        for keycode in keycodes:
            ledger.mark_key(keycode, False)
        self._unconfirmed += 2 * len(keycodes) - 1
        self._count_releases(*reversed(keycodes))

    @property
    def last_release(self) -> tuple[int, int]:
        """The keycode released last, and how often it has been released so far."""
        return self._last_released, self._release_counts.get(self._last_released, 0)

    @property
    def release_counts(self) -> dict[int, int]:
        """How often each keycode has been released so far."""
        return dict(self._release_counts)

    def commit(self, send: Callable[[], bool]) -> bool:
        """Check the gate, and let `send` pass text to an input method, or use an element. Returns its result."""
        with self._gate.primitive():
            self._gate.stamp()
            return send()

    def press_button(self, button: int, at: tuple[int, int], over: int | None = None) -> None:
        """Press a button and hold it down.

        Args:
            button: X button number: 1 left, 2 middle, 3 right, 8 back, 9 forward.
            at: where the pointer must be, input units.
            over: the child of the root window that must be under the pointer: 0 for the bare root, None for any.

        Raises:
            Refused: the pointer or the window under it is another one.
        """
        self._before_pointer()
        self._wait_for_pointer(at)
        with self._gate.primitive():
            self._require_pointer_at(at, over)
            self._ledger.mark_button(button, True)
            self._gate.stamp()
            if button in _PYAUTOGUI_BUTTONS:
                self._pyautogui.mouseDown(button=_PYAUTOGUI_BUTTONS[button], _pause=False)
            else:
                self._xtest.press_button(button)
                self._xtest.sync()

    def release_button(self, button: int) -> None:
        """Release a button. Always by XTEST, because pyautogui moves the pointer before a release."""
        self._xtest.release_button(button)
        self._xtest.sync()
        self._ledger.mark_button(button, False)
        self._unconfirmed += 1

    def move(self, x: int, y: int) -> None:
        """Move the pointer. Input units."""
        self._before_pointer()
        with self._gate.primitive():
            number = self._ledger.announce(x, y) if (x, y) in self._corners else 0
            self._gate.stamp()
            self._pyautogui.moveTo(x, y, _pause=False)
        if number and self._ledger.get(Word.PACED):
            # The guard could match a person's next visit to the corner with this announcement before it has seen ours.
            self.wait_for(lambda: self._ledger.get(Word.CORNER_SEEN) >= number, _GUARD_LAG_LIMIT_S)

    def scroll_notch(self, at: tuple[int, int], over: int | None = None, *, horizontal: bool, amount: int) -> None:
        """Scroll by one wheel notch.

        Args:
            at: as in `press_button`.
            over: as in `press_button`.
            horizontal: whether to scroll sideways.
            amount: 1 (down, right) or -1 (up, left).

        Raises:
            Refused: as in `press_button`.
        """
        self._before_pointer()
        self._wait_for_pointer(at)
        with self._gate.primitive():
            self._require_pointer_at(at, over)
            button = (7 if amount > 0 else 6) if horizontal else (5 if amount > 0 else 4)
            self._ledger.mark_button(button, True)
            self._gate.stamp()
            if horizontal:
                self._pyautogui.hscroll(amount, _pause=False)
            else:
                self._pyautogui.vscroll(-amount, _pause=False)
            self._ledger.mark_button(button, False)

    def position(self) -> tuple[int, int]:
        """The pointer's position, input units."""
        reply = self._display.screen().root.query_pointer()
        return reply.root_x, reply.root_y

    def _wait_for_pointer(self, place: tuple[int, int]) -> None:
        self.wait_for(lambda: self.position() == place, _FROZEN_LIMIT_S)

    def _require_pointer_at(self, place: tuple[int, int], over: int | None) -> None:
        reply = self._display.screen().root.query_pointer()
        if (reply.root_x, reply.root_y) != place:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.POINTER_MOVED_AWAY))
        if over is not None and getattr(reply.child, "id", 0) != over:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.WINDOW_APPEARED_UNDER_POINTER))

    def sync(self) -> None:
        """Return when the server has processed everything sent."""
        self._xtest.sync()
        self._ledger.confirm()

    def state(self) -> State:
        """The keyboard's state after everything sent."""
        return self._xtest.state()

    def synced_state(self) -> State:
        """Sync, and return the keyboard's state.

        Also waits until the guard has seen everything sent before the previous sync: if the injector got further
        ahead, a stop chord would be queued behind its events. Raises Halted if the guard does not catch up.
        """
        sent, before = self._unconfirmed, self._synced_ns
        state = self._xtest.state()
        self._ledger.confirm()
        self._unconfirmed = 0
        if sent and self._ledger.get(Word.PACED):
            self._synced_ns = time.monotonic_ns()
            if before and not self.wait_for(lambda: self._ledger.get(Word.HEARD_NS) >= before, _GUARD_LAG_LIMIT_S):
                raise Halted(NoticeCode.NOT_FINISHED_GUARD_BEHIND)
        return state

    def wait(self, seconds: float) -> None:
        """Wait. Raises Halted within 10 ms of a stop."""
        self._gate.wait(seconds)

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition; False if it did not become true in time. Raises Halted."""
        return self._gate.wait_for(condition, seconds)

    def release_all(self) -> int:
        """Release every key and button that the ledger says is down. Returns their number."""
        keys, buttons = self._ledger.keys, self._ledger.buttons
        for button in buttons:
            self.release_button(button)
        for keycode in reversed(keys):
            self.release_key(keycode)
        self.sync()
        return len(keys) + len(buttons)

    def make_room_for(self, events: int) -> None:
        """Sync now if it would be due within the next `events` events. A wait for the guard between the two clicks
        of a double click would turn them into single clicks."""
        if self._unconfirmed + events >= _MAX_UNCONFIRMED:
            self.synced_state()

    def _count_releases(self, *keycodes: int) -> None:
        for keycode in keycodes:
            self._release_counts[keycode] = self._release_counts.get(keycode, 0) + 1
            self._last_released = keycode

    def _pace(self) -> None:
        self._unconfirmed += 1
        if self._unconfirmed >= _MAX_UNCONFIRMED:
            self.synced_state()

    def _before_pointer(self) -> None:
        """Sync the keys sent so far: pyautogui has a connection of its own, and the server may read that one first, so
        that a click would arrive before the Ctrl that belongs to it."""
        self._pace()
        if self._xtest.has_unconfirmed:
            self._xtest.sync()
