"""Both ears, the probe that proves them, and what their keys mean. Part of the guard's process.

Turns key presses into four calls: stop, pause, approve, and "the stop is live" or is not. Says "live" only when a probe
went through both ears.
"""

from __future__ import annotations

import asyncio
import collections
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from operator_console.desktop.x11.input_keysyms import keysyms_of_key
from operator_console.domain.stopping import StopLiveness
from operator_console.guard.chords import ChordMatcher, Hotkeys, KeyTable, Match
from operator_console.guard.corners import Corners
from operator_console.guard.ear import Ear, EarCalls
from operator_console.guard.probe import Probe
from operator_console.guard.second_ear import Key, Place, SecondEar

_PROBE_S = 1.0
_CALM_S = 0.05
_FIRST, _SECOND = "the first listener", "the second listener"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningCalls:
    """What is heard, on the loop. `heard_ns` is the monotonic time when the ear got the press; `corner` is called when
    the pointer is put to a corner, and with None at the first other place."""

    stop: Callable[[str, int], None]
    pause: Callable[[], None]
    approve: Callable[[], None]
    drained: Callable[[], None]
    corner: Callable[[tuple[int, int] | None], None]
    lost: Callable[[str], None]
    liveness: Callable[[StopLiveness], None]


class Listening:
    """Opened on the guard's loop; `close` it there."""

    def __init__(self, display_name: str, hotkeys: Hotkeys, calls: ListeningCalls) -> None:
        self._hotkeys = hotkeys
        self._calls = calls
        self._loop = asyncio.get_running_loop()
        self.ear = Ear(
            display_name,
            EarCalls(
                key=self._key, drained=calls.drained, mapping=self._remap,
                screen=self._follow_monitors, lost=self._lost,
            ),
        )  # fmt: skip
        self._probe = Probe(display_name)
        self._symbols_of = {
            key: keysyms_of_key(key)[0] for h in (hotkeys.stop, hotkeys.pause, hotkeys.approve)
            for key in (h.key,) if keysyms_of_key(key)
        }  # fmt: skip
        table = self._table()
        down = self.ear.keys_down()
        self._first_matcher = ChordMatcher(table, hotkeys, down)
        self._second_matcher = ChordMatcher(table, hotkeys, down)
        self._remapping: asyncio.TimerHandle | None = None
        self._heard: dict[str, asyncio.Event] = {_FIRST: asyncio.Event(), _SECOND: asyncio.Event()}
        self._second_queue: collections.deque[tuple[Key | Place | None, int]] = collections.deque()
        self._corners = Corners(())
        self._corner_places: frozenset[Place] = frozenset()
        self._in_corner = False
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._loop.add_reader(self._wake_read, self._hear_second)
        self._second = SecondEar(self._queue_key, self._queue_place, self._probe.window)
        self._second.start()
        self._liveness = StopLiveness(live=False, detail="not proven yet")
        self._probing = asyncio.Lock()

    @property
    def liveness(self) -> StopLiveness:
        """As last proven."""
        return self._liveness

    def watch_corners(self) -> Corners:
        """Tell of the pointer in the monitors' corners, from now on; they follow the monitors."""
        self._corners = Corners(())
        self._follow_monitors()
        return self._corners

    @property
    def probe_keycode(self) -> int:
        """Reserved for the probe."""
        return self._probe.keycode

    async def prove(self) -> StopLiveness:
        """Send the probe and wait until both ears have heard it."""
        async with self._probing:
            if not self._second.alive:
                self._restart_second()
            for event in self._heard.values():
                event.clear()
            try:
                keycode = self._probe.reserve()
                if not keycode:
                    return self._say(StopLiveness(live=False, detail="No keycode is free for the probe."))
                for matcher in (self._first_matcher, self._second_matcher):
                    matcher.probe_keycode = keycode
                self._probe.send()
            except Exception as error:  # noqa: BLE001  xcffib's ways to say that the server is gone are many
                return self._say(StopLiveness(live=False, detail=f"The probe could not be sent: {error!r}."))
            try:
                async with asyncio.timeout(_PROBE_S):
                    for event in self._heard.values():
                        await event.wait()
            except TimeoutError:
                deaf = [name for name, event in self._heard.items() if not event.is_set()]
                return self._say(StopLiveness(live=False, detail=f"The probe was not heard by {' and '.join(deaf)}.",
                                              proven_s=self._liveness.proven_s))  # fmt: skip
            return self._say(StopLiveness(live=True, proven_s=time.monotonic()))

    def look(self) -> None:
        """A quick look between probes: is either ear dead?"""
        if self._liveness.live and not (self._second.alive and self.ear.alive):
            deaf = _SECOND if self.ear.alive else _FIRST
            self._say(
                StopLiveness(live=False, detail=f"{deaf.capitalize()} is dead.", proven_s=self._liveness.proven_s)
            )

    def close(self) -> None:
        """End both ears."""
        if self._remapping is not None:
            self._remapping.cancel()
        self._second.stop()
        self._probe.close()
        self.ear.close()
        self._loop.remove_reader(self._wake_read)
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _say(self, liveness: StopLiveness) -> StopLiveness:
        self._liveness = liveness
        self._calls.liveness(liveness)
        return liveness

    def _restart_second(self) -> None:
        _log.warning("the second listener is dead; starting another")
        self._second = SecondEar(self._queue_key, self._queue_place, self._probe.window)
        self._second.start()
        self._second_matcher = ChordMatcher(self._first_matcher.table, self._hotkeys, self.ear.keys_down())

    # First ear

    def _key(self, keycode: int, pressed: bool, synthetic: bool) -> None:
        heard_ns = time.monotonic_ns()
        matcher = self._first_matcher
        if pressed:
            match = matcher.press(keycode, synthetic=synthetic)
        else:
            match = matcher.release(keycode, synthetic=synthetic)
        self._matched(match, _FIRST, "by a program" if synthetic else "", heard_ns)

    def _matched(self, match: Match | None, listener: str, detail: str, heard_ns: int) -> None:
        match match:
            case Match.STOP:
                self._calls.stop(detail, heard_ns)
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

    # Second ear

    def _queue_key(self, key: Key) -> None:
        """In pynput's thread."""
        self._queue(key)

    def _queue_place(self, place: Place) -> None:
        """In pynput's thread: corners, and the first place that is none."""
        if place in self._corner_places:
            self._in_corner = True
            self._queue(place)
        elif self._in_corner:
            self._in_corner = False
            self._queue(None)

    def _queue(self, heard: Key | Place | None) -> None:
        self._second_queue.append((heard, time.monotonic_ns()))
        try:
            os.write(self._wake_write, b"x")
        except (BlockingIOError, OSError):
            return  # the pipe is full: the loop is being woken anyway; or closed: it is over

    def _hear_second(self) -> None:
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
        return KeyTable(self.ear.symbols(), self._hotkeys, self._symbols_of)

    def _follow_monitors(self) -> None:
        """One that came, went or changed has other corners."""
        self._corners.follow(self.ear.monitors())
        self._corner_places = self._corners.places

    def _remap(self) -> None:
        """The map changed, often many times at once: read it when that has calmed down (the old table serves on)."""
        if self._remapping is None or self._remapping.cancelled():
            self._remapping = self._loop.call_later(_CALM_S, self._read_map)

    def _read_map(self) -> None:
        self._remapping = None
        if not self.ear.alive:
            return
        table = self._table()
        self._first_matcher.table = self._second_matcher.table = table

    def _lost(self, why: str) -> None:
        self._say(StopLiveness(live=False, detail=f"The display is gone: {why}."))
        self._calls.lost(why)
