"""The StopListener for X11: two independent listeners, a chord matcher for each, and the probe that tests both.

The stop is "live" only if the last probe passed through both listeners and their matchers.
"""

from __future__ import annotations

import asyncio
import collections
import logging
import os
import time
from typing import assert_never

from operator_console.desktop.x11.input_keysyms import keysyms_of_key
from operator_console.domain.keys import parse_key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import StopLiveness
from operator_console.guard.corners import Corners
from operator_console.guard.hotkey_matching import ChordMatcher, Hotkeys, KeyTable, Match
from operator_console.guard.protocols import ListenerCalls
from operator_console.guard.x11.probe import Probe
from operator_console.guard.x11.xinput_listener import RawCalls, RawListener
from operator_console.guard.x11.xrecord_listener import Key, Position, RecordListener

PROBE_ANSWER_S = 1.0
"""Timeout of a probe; a listener that has not received it by then counts as dead."""
_REMAP_DELAY_S = 0.05
_FIRST, _SECOND = "first", "second"
_NAMES = {_FIRST: notice(NoticeCode.FIRST_LISTENER), _SECOND: notice(NoticeCode.SECOND_LISTENER)}
_log = logging.getLogger(__name__)


class X11Listener:
    """Created and closed on the guard's loop. Raises OperatorError if the display cannot be listened to."""

    def __init__(self, display_name: str, hotkeys: Hotkeys, calls: ListenerCalls) -> None:
        self._hotkeys = hotkeys
        self._calls = calls
        self._loop = asyncio.get_running_loop()
        self._raw = RawListener(
            display_name,
            RawCalls(
                key=self._key, hand=calls.hand, drained=calls.drained, mapping=self._remap,
                screen=self._follow_monitors, lost=self._lost,
            ),
        )  # fmt: skip
        self._probe = Probe(display_name)
        self._symbols_of = {
            key: keysyms_of_key(key)[0] for h in (hotkeys.stop, hotkeys.pause, hotkeys.approve)
            for key in (h.key,) if keysyms_of_key(key)
        }  # fmt: skip
        table = self._table()
        down = self._raw.keys_down()
        self._first_matcher = ChordMatcher(table, hotkeys, down)
        self._second_matcher = ChordMatcher(table, hotkeys, down)
        self._hold_codes: frozenset[int] = frozenset()
        self._remapping: asyncio.TimerHandle | None = None
        self._heard: dict[str, asyncio.Event] = {_FIRST: asyncio.Event(), _SECOND: asyncio.Event()}
        self._second_queue: collections.deque[tuple[Key | Position | None, int]] = collections.deque()
        self._corners = Corners(())
        self._corner_places: frozenset[Position] = frozenset()
        self._in_corner = False
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._loop.add_reader(self._wake_read, self._read_second)
        self._second = RecordListener(self._queue_key, self._queue_place, self._probe.window)
        self._second.start()
        self._liveness = StopLiveness(live=False, detail=notice(NoticeCode.STOP_NOT_TESTED))
        self._probing = asyncio.Lock()

    @property
    def liveness(self) -> StopLiveness:
        """Result of the last probe or check."""
        return self._liveness

    def watch_corners(self) -> Corners:
        """Report the pointer in a corner from now on; the result is updated when monitors change."""
        self._corners = Corners(())
        self._follow_monitors()
        return self._corners

    @property
    def probe_keycode(self) -> int:
        """Keycode reserved for the probe; 0 for none."""
        return self._probe.keycode

    @property
    def drained_ns(self) -> int:
        """time.monotonic_ns() up to which the first listener has handled all input."""
        return self._raw.drained_ns

    @property
    def human_input_s(self) -> float:
        """time.monotonic() of the last input from a physical device; 0 for none yet."""
        return self._raw.human_input_s

    @property
    def tells_devices(self) -> bool:
        """Whether input of physical devices can be told from that of programs."""
        return self._raw.tells_devices

    def hear_hold(self, key: str) -> None:
        """Report this key from now on; "" for none. Raises OperatorError for an unknown key."""
        wanted = set(keysyms_of_key(parse_key(key))) if key else set()
        self._hold_codes = frozenset(code for code, carried in self._raw.symbols().items() if wanted & set(carried))

    async def prove(self) -> StopLiveness:
        """Send the probe and wait until both listeners have received it."""
        async with self._probing:
            if not self._second.alive:
                self._restart_second()
            for event in self._heard.values():
                event.clear()
            try:
                keycode = self._probe.reserve()
                if not keycode:
                    return self._set_liveness(
                        StopLiveness(live=False, detail=notice(NoticeCode.NO_KEYCODE_FOR_STOP_TEST))
                    )
                for matcher in (self._first_matcher, self._second_matcher):
                    matcher.probe_keycode = keycode
                viewed = self._raw.is_viewed()
                self._probe.send()
            except Exception as error:  # noqa: BLE001  xcffib's ways to say that the server is gone are many
                detail = notice(NoticeCode.STOP_TEST_NOT_SENT, error=repr(error))
                return self._set_liveness(StopLiveness(live=False, detail=detail))
            try:
                async with asyncio.timeout(PROBE_ANSWER_S):
                    for event in self._heard.values():
                        await event.wait()
            except TimeoutError:
                failed = [name for name, event in self._heard.items() if not event.is_set()]
                detail = (
                    notice(NoticeCode.STOP_TEST_NOT_HEARD, listener=_NAMES[failed[0]])
                    if len(failed) == 1
                    else notice(NoticeCode.STOP_TEST_NOT_HEARD_TWICE)
                )
                return self._set_liveness(StopLiveness(live=False, detail=detail, proven_s=self._liveness.proven_s))
            return self._set_liveness(StopLiveness(live=True, proven_s=time.monotonic(), viewed=viewed))

    def check_alive(self) -> None:
        """Quick check between probes whether a listener has died."""
        if self._liveness.live and not (self._second.alive and self._raw.alive):
            failed = _SECOND if self._raw.alive else _FIRST
            detail = notice(NoticeCode.FIRST_LISTENER_ENDED if failed is _FIRST else NoticeCode.SECOND_LISTENER_ENDED)
            self._set_liveness(StopLiveness(live=False, detail=detail, proven_s=self._liveness.proven_s))

    def close(self) -> None:
        """Stop both listeners and disconnect."""
        if self._remapping is not None:
            self._remapping.cancel()
        self._second.stop()
        self._probe.close()
        self._raw.close()
        self._loop.remove_reader(self._wake_read)
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _set_liveness(self, liveness: StopLiveness) -> StopLiveness:
        self._liveness = liveness
        self._calls.liveness(liveness)
        return liveness

    def _restart_second(self) -> None:
        _log.warning("the second listener is dead; starting another")
        self._second = RecordListener(self._queue_key, self._queue_place, self._probe.window)
        self._second.start()
        self._second_matcher = ChordMatcher(self._first_matcher.table, self._hotkeys, self._raw.keys_down())

    # First listener

    def _key(self, keycode: int, pressed: bool, synthetic: bool) -> None:
        heard_ns = time.monotonic_ns()
        matcher = self._first_matcher
        if pressed:
            match = matcher.press(keycode, synthetic=synthetic)
        else:
            match = matcher.release(keycode, synthetic=synthetic)
        if keycode in self._hold_codes:
            if not (synthetic and self._raw.tells_devices):
                self._calls.hold(pressed)
            return
        sent = notice(NoticeCode.STOP_KEYS_FROM_PROGRAM) if synthetic and self._raw.tells_devices else ""
        self._matched(match, _FIRST, sent, heard_ns)
        # A modifier alone may begin a chord, which says more than that a hand is there.
        if pressed and not synthetic and match is None and not matcher.table.is_modifier(keycode):
            self._calls.hand(False)

    def _matched(self, match: Match | None, listener: str, detail: str, heard_ns: int) -> None:
        match match:
            case Match.STOP:
                untold = "" if self._raw.tells_devices else notice(NoticeCode.STOP_KEYS_FROM_ANYBODY)
                self._calls.stop(untold or detail, heard_ns)
            case Match.PAUSE:
                self._calls.pause()
            case Match.APPROVE:
                self._calls.approve()
            case Match.PROBE:
                self._heard[listener].set()
            case None:
                return
            case _:
                assert_never(match)

    # Second listener

    def _queue_key(self, key: Key) -> None:
        """Called in pynput's thread."""
        self._queue(key)

    def _queue_place(self, place: Position) -> None:
        """Called in pynput's thread. Queues corners, and the first position after one."""
        if place in self._corner_places:
            self._in_corner = True
            self._queue(place)
        elif self._in_corner:
            self._in_corner = False
            self._queue(None)

    def _queue(self, heard: Key | Position | None) -> None:
        self._second_queue.append((heard, time.monotonic_ns()))
        try:
            os.write(self._wake_write, b"x")
        except (BlockingIOError, OSError):
            return  # full: the loop is being woken already; closed: the listener is stopped

    def _read_second(self) -> None:
        try:
            os.read(self._wake_read, 1 << 16)
        except BlockingIOError:
            return
        while self._second_queue:
            heard, heard_ns = self._second_queue.popleft()
            if heard is None or len(heard) == 2:
                self._calls.corner(heard)
                continue
            keycode, pressed, state = heard
            if pressed:
                match = self._second_matcher.press(keycode, synthetic=True, state=state)
            else:
                match = self._second_matcher.release(keycode, synthetic=True)
            self._matched(match, _SECOND, "", heard_ns)

    def _table(self) -> KeyTable:
        return KeyTable(self._raw.symbols(), self._hotkeys, self._symbols_of)

    def _follow_monitors(self) -> None:
        """Recompute the corners."""
        self._corners.follow(self._raw.monitors())
        self._corner_places = self._corners.places

    def _remap(self) -> None:
        """Read the map after a short delay, because changes come in bursts. The old table is used meanwhile."""
        if self._remapping is None or self._remapping.cancelled():
            self._remapping = self._loop.call_later(_REMAP_DELAY_S, self._read_keyboard_map)

    def _read_keyboard_map(self) -> None:
        self._remapping = None
        if not self._raw.alive:
            return
        table = self._table()
        self._first_matcher.table = self._second_matcher.table = table

    def _lost(self, why: str) -> None:
        self._set_liveness(StopLiveness(live=False, detail=notice(NoticeCode.DISPLAY_CONNECTION_LOST, error=why)))
        self._calls.lost(why)
