"""Waits until a target's picture has stopped changing, by its paint events, or by polling where there are none.

The wait has a lower limit (effects begin late) and an upper one (videos never stop). Small areas that change on their
own are ignored. An application that is still busy is told from one that is done as follows:

* It is asked whether it has handled the input (_NET_WM_PING on X11). The picture does not count as still before the
  answer, so an application with a blocked event loop is waited for, however little it has painted.
* A click that changes nothing may have an effect later, after a timer or a reply from the network. There is a time
  limit for that per window, halved each time a click changes nothing and restored when a late effect comes.
* If there was little or no effect, the target is watched while the model thinks (`late_change`). If something changes
  then, a new picture is taken before the model's answer is acted on.

Everything here runs in the thread of the target's connection.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from operator_console.computers.frame_building import places_that_differ
from operator_console.computers.input_preparation import receiver
from operator_console.computers.prepared_pictures import PreparedPictures
from operator_console.computers.restless_areas import SMALL_PX, RestlessAreas, within
from operator_console.computers.target_capture import TargetCapture
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.picture_changes import changed_places
from operator_console.desktop.protocols import PaintWatch, Ping
from operator_console.desktop.values import Grab
from operator_console.domain.frames import Frame, SettleReason
from operator_console.domain.geometry import NativePoint, Rect

STILL_FOR_S = 0.08
"""How long the picture must stand still after its last change, in seconds, before the next request is sent.

Every step takes at least this long after its effect. With a shorter time, a repaint in two parts would be sent to the
model half done.
"""

FIRST_CHANGE_S = 2.5
"""How long a first change is waited for, in seconds; never beyond the upper limit of the wait."""

LATE_S = 4.0
"""How long after an input a late effect is watched for while the model thinks, in seconds."""

_BRIEF_S = 1.0  # no more time is asked for: another call waits
ANSWERS_WITHIN_S = 2.0
"""An application that has not answered after this long, in seconds, is told not to answer."""

_NO_WINDOW_S = 0.3  # limit for a first change on the bare desktop, where no application could be late
_SHORTEST_LIMIT_S = 0.05
_ANY_WINDOW = 0  # where windows are not known, all of the target counts as one
_SLOW_TO_BEGIN_S = 0.3
_LEAST_GAP_S = 0.016  # one frame of the screen
_POLL_S = 0.05  # without paint events
_LITTLE_PX = 320 * 64  # a pressed control, a focused field
_NEAR_PX = 64
_RECENT = 4
_LOCAL_SHARE = 0.25
_KEPT_WINDOWS = 64


@dataclass(kw_only=True)
class _Wait:
    """One wait.

    Attributes:
        at: the clicked pixel, None for keys.
        began: start of the wait; times are monotonic seconds.
        earliest: lower limit.
        first: when to give up waiting for a first change.
        latest: upper limit.
        patient: the upper limit while the application has not answered.
        window: the window that got the input, None if none.
        previous: the previous picture.
        changes: changed areas that count as effects.
        small_changes: all small changed areas, to recognise restless ones.
        last: when the last effect was seen.
        plain: whether an effect was larger than the look of a pressed control or a typed character.
        expect: is told the frames that may come of it; None: nobody wants to know.
        expected_id: of the last one, or of the frame before.
    """

    at: NativePoint | None
    began: float
    earliest: float
    first: float
    latest: float
    patient: float
    window: int | None
    previous: Grab
    changes: list[Rect] = field(default_factory=list)
    small_changes: list[Rect] = field(default_factory=list)
    last: float = 0.0
    plain: bool = False
    expect: Callable[[Frame], object] | None = None
    expected_id: str = ""


@dataclass(frozen=True, kw_only=True)
class _Compared:
    """Where a picture differs from the one before the input; None if the sizes differ."""

    before: Frame
    now: Grab
    frame_id: str
    places: tuple[Rect, ...] | None


class Stillness:
    """Remembers from step to step which areas change on their own, and which windows react late or not at all."""

    def __init__(self, capture: TargetCapture, worker: Worker, pictures: PreparedPictures) -> None:
        self._capture = capture
        self._worker = worker
        self._pictures = pictures
        self._compared: _Compared | None = None
        self.restless = RestlessAreas()
        # Limit for a first change, per window. Halved when a click changes nothing, so that later ones wait less.
        self._first_change_s: dict[int, float] = {}
        self._late: set[int] = set()
        self._unclear: _Wait | None = None

    def wait(
        self, before: Frame, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], object] | None = None,
    ) -> SettleReason:  # fmt: skip
        """Wait until the picture is still.

        Args:
            before: the picture before the input.
            at: the clicked pixel, None for keys.
            lower_s: minimal duration.
            upper_s: maximal duration.
            expect: called with a frame that the picture after the wait may show, once for each.

        Raises:
            ComputerUnavailable: the target can no longer be seen.
        """
        wait = self._begin(before, at, lower_s, upper_s)
        wait.expect, wait.expected_id = expect, before.frame_id
        self._pictures.begin_wait()
        watch = self._capture.watch()
        ping = self._capture.display.ping(wait.window or None)
        if ping.halted():  # nothing will change, and no answer will come
            wait.latest = wait.patient = min(wait.latest, max(wait.earliest, wait.began + _NO_WINDOW_S))
        try:
            reason = self._wait(wait, before, watch, None if ping.answered else ping)
            if reason is not SettleReason.INTERRUPTED and ping.halted():
                reason = SettleReason.NOT_ANSWERING
        finally:
            watch.close()
            ping.close()
        self._unclear = wait if upper_s > FIRST_CHANGE_S else None
        return reason

    def changes(self, before: Frame, now: Frame) -> tuple[Rect, ...] | None:
        """The areas that differ, in native pixels; None if the sizes differ. Mostly known from the wait."""
        known, self._compared = self._compared, None
        if known is not None and known.before is before and known.frame_id == now.frame_id:
            return known.places
        return places_that_differ(before, now)

    def late_change(self, since: Frame) -> bool:
        """Wait for a clear effect of the last input, until LATE_S after it; whether one came.

        A window that joins the target is one. Returns False on a second call, and at once if the effect was clear
        before and no window could join.
        """
        wait, self._unclear, self._compared = self._unclear, None, None
        if wait is None or (wait.plain and not self._capture.others_join):
            return False
        watch, native = self._capture.watch(), since.geometry.native
        try:
            while not self._worker.interrupted:
                watch.take()
                version, now = self._capture.screen_capture.window_layers.version, self._capture.grab()
                if self._capture.target != since.target and self._capture.others_join:
                    return True
                if (
                    not wait.plain
                    and now.rect.size == native
                    and any(map(self._large, changed_places(since.pixels, now.pixels, native)))
                ):
                    self._is_late(wait.window)
                    return True
                if not self._pause(watch, version, time.monotonic(), wait.began + LATE_S, None):
                    return False
            return False
        finally:
            watch.close()

    def _large(self, place: Rect) -> bool:
        return place.width * place.height > SMALL_PX and self.restless.effect((place,)) is True

    def _begin(self, before: Frame, at: NativePoint | None, lower_s: float, upper_s: float) -> _Wait:
        start = time.monotonic()
        got_input = receiver(self._capture, at)
        window = got_input.window_id if got_input is not None and not got_input.own else None
        if not self._capture.knows_windows:
            window = _ANY_WINDOW
        limit_s = _NO_WINDOW_S if window is None else self._first_change_s.get(window, FIRST_CHANGE_S)
        origin, native = before.geometry.origin, before.geometry.native
        previous = Grab(pixels=before.pixels, rect=Rect(origin.x, origin.y, native.width, native.height))
        first_s = limit_s if upper_s > FIRST_CHANGE_S else 0.0
        patient_s = max(upper_s, ANSWERS_WITHIN_S) if upper_s > _BRIEF_S else upper_s
        return _Wait(
            at=at, window=window, previous=previous, began=start, earliest=start + min(lower_s, upper_s),
            first=start + first_s, latest=start + upper_s, patient=start + patient_s,
        )  # fmt: skip

    def _wait(self, wait: _Wait, before: Frame, watch: PaintWatch, ping: Ping | None) -> SettleReason:
        answered = 0.0
        while True:
            watch.take()
            version = self._capture.screen_capture.window_layers.version
            now = self._capture.grab()
            looked = time.monotonic()
            if self._look(wait, now, looked):
                self._pictures.drop()
            if ping is not None and ping.look():
                answered, ping = looked, None
            due = max(self._due(wait), answered + STILL_FOR_S)
            latest = wait.latest if ping is None else wait.patient
            if looked >= latest and (looked < due or ping is not None):
                hangs = ping is not None and looked - wait.began >= ANSWERS_WITHIN_S
                return SettleReason.NOT_ANSWERING if hangs else _unsettled(wait)
            until = latest if ping is not None else min(due, latest)
            painted = self._pause(watch, version, looked, until, ping, lambda: self._prepare(wait, before, now))  # noqa: B023
            if self._worker.interrupted:
                return SettleReason.INTERRUPTED
            if not painted and ping is None and time.monotonic() >= due:
                self._learn(wait)
                return SettleReason.QUIET

    def _prepare(self, wait: _Wait, before: Frame, now: Grab) -> None:
        """Use the rest of the wait for what is needed after it, if the screen stays as it is."""
        self._pictures.prepare(now)
        known = self._compared
        if known is None or known.before is not before or known.now is not now:
            size = before.geometry.native
            places = changed_places(before.pixels, now.pixels, size) if now.rect.size == size else None
            self._compared = known = _Compared(before=before, now=now, frame_id=self._pictures.name(now), places=places)
        needs = self._pictures.needs
        if wait.expect is not None and needs is not None and known.frame_id not in ("", wait.expected_id):
            wait.expected_id = known.frame_id
            wait.expect(self._capture.expected(now, needs, known.frame_id))

    def _due(self, wait: _Wait) -> float:
        """When the wait ends if nothing else changes."""
        if not wait.changes:
            return max(wait.earliest, wait.first)
        due = max(wait.earliest, wait.last + STILL_FOR_S)
        # This window is known to paint a little at once and the rest later.
        return due if wait.plain or wait.window not in self._late else max(due, wait.first)

    def _look(self, wait: _Wait, now: Grab, looked: float) -> bool:
        """Note the effects since the last picture; whether anything has changed."""
        places = _changes(wait.previous, now)
        wait.previous = now
        for place in places:
            near = wait.at is not None and _near(place, wait.at)
            if (self.restless.restless(place) and not near) or self.restless.comes_again(place, wait.small_changes):
                continue
            # The first effect of a click is near it, or large. A small change elsewhere is more likely a caret.
            if not (wait.changes or wait.at is None or near or place.width * place.height > SMALL_PX):
                continue
            little = _little(place, wait.at)
            if not wait.plain and looked - wait.began > _SLOW_TO_BEGIN_S and not (wait.changes and little):
                self._is_late(wait.window)
            wait.changes.append(place)
            wait.last = looked
            wait.plain = wait.plain or not little
        return bool(places)

    def _learn(self, wait: _Wait) -> None:
        if wait.window is None or wait.first <= wait.earliest or wait.plain:
            return
        if not wait.changes or wait.window in self._late:
            limit_s = self._first_change_s.pop(wait.window, FIRST_CHANGE_S)
            self._first_change_s[wait.window] = max(limit_s / 2, _SHORTEST_LIMIT_S)
        while len(self._first_change_s) > _KEPT_WINDOWS:
            self._first_change_s.pop(next(iter(self._first_change_s)))

    def _is_late(self, window: int | None) -> None:
        if window is not None:
            self._first_change_s.pop(window, None)
            self._late.add(window)

    def _pause(
        self, watch: PaintWatch, version: int, looked: float, until: float, ping: Ping | None,
        quiet: Callable[[], None] = lambda: None,
    ) -> bool:  # fmt: skip
        """Wait for paint, a moved window or the ping's answer, at least one frame; whether it came before `until`.

        `quiet` is called once nothing has been painted for that frame.
        """
        display, layers = self._capture.display, self._capture.screen_capture.window_layers
        gap = _LEAST_GAP_S if self._capture.reports_painting else _POLL_S
        select.select([self._worker.wake_fd], [], [], max(0.0, min(gap, until - looked)))
        display.pump()
        if not (watch.pending or layers.version != version or self._worker.interrupted):
            quiet()
            display.pump()
        while not (watch.pending or layers.version != version or self._worker.interrupted):
            if ping is not None and ping.answered:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            if not self._capture.reports_painting:
                return True
            display.wait(left, also=self._worker.wake_fd)
        return True


def _changes(before: Grab, after: Grab) -> tuple[Rect, ...]:
    """Changed areas in pixels of the picture; the whole picture if the sizes differ."""
    if before.rect.size != after.rect.size:
        return (Rect(0, 0, after.rect.width, after.rect.height),)
    return changed_places(before.pixels, after.pixels, after.rect.size)


def _little(place: Rect, at: NativePoint | None) -> bool:
    """Whether it may be just the look of a pressed control, or (keys) a typed character."""
    if at is None:
        return place.width * place.height <= SMALL_PX
    return place.width * place.height <= _LITTLE_PX and _near(place, at)


def _near(place: Rect, at: NativePoint) -> bool:
    return within(Rect(at.x, at.y, 1, 1), place, _NEAR_PX)


def _unsettled(wait: _Wait) -> SettleReason:
    """The reason at the upper limit: a single area (or an application that does not answer), or much still moving."""
    recent = wait.changes[-_RECENT:]
    if not recent:
        return SettleReason.BOUNDED
    x, y = min(each.x for each in recent), min(each.y for each in recent)
    area = (max(each.right for each in recent) - x) * (max(each.bottom for each in recent) - y)
    local = len(recent) == _RECENT and area <= wait.previous.rect.width * wait.previous.rect.height * _LOCAL_SHARE
    return SettleReason.BOUNDED if local else SettleReason.STILL_MOVING
