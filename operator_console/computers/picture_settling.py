"""Waits until a page, or the screen of a machine elsewhere, has stopped changing, and the page loading.

A page is quiet when its picture has not changed for `STILL_FOR_S`, nothing is being loaded and no request waits for its
answer. Where it made requests, it is watched longer: what comes of an answer is shown a moment after it. Small areas
that change on their own (carets, spinners) are not waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from operator_console.browser.page_state import PageState
from operator_console.computers.restless_areas import SMALL_PX, RestlessAreas, within
from operator_console.computers.stillness import LATE_S, STILL_FOR_S
from operator_console.desktop.picture_changes import changed_places
from operator_console.domain.frames import Frame, SettleReason
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.hidden_areas import HiddenArea

AFTER_REQUEST_S = 0.25
"""How long it must after the last answer, in seconds: scripts need a moment to show what came."""


_CALM_S = 0.02
"""How long nothing was painted when a picture before the end of that time is worth its cost, in seconds."""

_LATE_LOOK_S = 0.25
_BUSY_LOOK_S = 0.05
_LOOK_S = 0.02
_LONG_REQUEST_S = 2.0  # one that takes longer (a page that waits for news) is not waited for


PointerOnly = Callable[[bytes | memoryview, bytes | memoryview, Size], tuple[Rect, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shot:
    """A picture.

    Attributes:
        pixels: BGRX rows without padding.
        taken_s: `time.monotonic()` when it was asked for, or known to be what is still shown.
        still: nothing was painted while it was taken, so that `Operator.painted` tells when it is outdated.
        painted_s: `time.monotonic()` of the last frame that was painted before it was asked for; 0: not known.
        hidden: the areas that were made black, native pixels.
    """

    pixels: bytes | memoryview
    size: Size
    taken_s: float
    still: bool = False
    painted_s: float = 0.0
    hidden: tuple[HiddenArea, ...] = ()


@dataclass(slots=True)
class _Wait:
    began_s: float
    at: NativePoint | None
    previous: Shot
    changed_s: float = 0.0
    effect: bool = False


class Settling:
    """Waits for one browser. Remembers which areas change on their own.

    Args:
        shoot: takes a picture of the page now.
        state: as the browser told last.
        changed: set whenever it tells of a change.
        prepare: is given a picture that may be the last one.
        last_paint: tells when the last change was painted or told of, `time.monotonic()`; 0 where that is not known.
        reacts_s: how long a first change is waited for where nothing tells when the input was handled, in seconds.
        pointer_only: where two pictures, of this size, differ by a pointer that has moved and nothing else; that is no
            effect.

    Attributes:
        restless: those areas.
        requested: how many requests the pages had made before the input: what was asked for earlier is not waited for.
        last: the picture with which the last wait ended; None once it may be old.
    """

    def __init__(
        self, shoot: Callable[[], Awaitable[Shot]], state: Callable[[], PageState], changed: asyncio.Event,
        prepare: Callable[[Shot], None] = lambda _: None, last_paint: Callable[[], Awaitable[float]] | None = None,
        reacts_s: float = 0.0, pointer_only: PointerOnly = lambda _before, _after, _size: (),
    ) -> None:  # fmt: skip
        self._reacts_s = reacts_s
        self._pointer_only = pointer_only
        self._prepare = prepare
        self._last_paint = last_paint
        self._shoot = shoot
        self._state = state
        self._changed = changed
        self.restless = RestlessAreas()
        self.requested = 0
        self._waited = False
        self._answered_s = 0.0
        self.last: Shot | None = None
        self._unclear_s = 0.0

    def told(self, state: PageState) -> None:
        """The browser tells another state: when the last answer came is known by this, and not by the next picture."""
        waits = bool(state.requests) or state.page.loading
        if self._waited and not waits:
            self._answered_s = time.monotonic()
        self._waited = waits

    def take_last(self) -> Shot | None:
        """`last`, once."""
        last, self.last = self.last, None
        return last

    async def wait(self, before: Frame, at: NativePoint | None, lower_s: float, upper_s: float) -> SettleReason:
        """Wait until the page is quiet. Raises ComputerUnavailable, ComputerTimedOut.

        Args:
            before: the picture before the input.
            at: the clicked pixel, None for keys.
            lower_s: minimal duration.
            upper_s: maximal duration; it may be exceeded by the time that a picture takes.
        """
        self.last = None
        began_s = time.monotonic()
        wait = _Wait(began_s, at, Shot(pixels=before.pixels, size=before.geometry.native, taken_s=before.taken_s))
        last_request = self.requested
        requested_s = 0.0
        small: list[Rect] = []
        await self._first_look(before.taken_s, began_s + min(max(lower_s, STILL_FOR_S), upper_s))
        while True:
            shot = await self._shoot()
            now_s = time.monotonic()
            self._compare(wait, shot, small)
            state = self._state()
            if state.page.dialog is not None:
                return self._ended(wait, shot, SettleReason.QUIET)
            if state.requested != last_request:
                last_request, requested_s = state.requested, now_s
            asked = last_request != self.requested
            waits = bool(state.requests) and asked
            answered_s = now_s if waits or state.page.loading else self._answered_s if asked else 0.0
            overdue = waits and not state.page.loading and now_s - max(requested_s, began_s) > _LONG_REQUEST_S
            still_s = AFTER_REQUEST_S if asked else STILL_FOR_S
            quiet_since_s = max(wait.changed_s, 0.0 if overdue else answered_s, began_s)
            least_s = lower_s if wait.effect else max(lower_s, self._reacts_s)
            until_s = max(quiet_since_s + still_s, began_s + min(least_s, upper_s))
            busy = not overdue and (waits or state.page.loading)
            if not busy and shot.taken_s >= until_s:
                return self._ended(wait, shot, SettleReason.QUIET)
            if now_s - began_s >= upper_s:
                return self._ended(wait, shot, SettleReason.BOUNDED if wait.effect else SettleReason.STILL_MOVING)
            if shot.still:
                self._prepare(shot)
                await self._pause(_BUSY_LOOK_S if busy else until_s - now_s)
            else:  # no earlier picture could end the wait
                await asyncio.sleep(min(max(_LOOK_S, until_s - now_s), began_s + upper_s - now_s))

    async def _first_look(self, before_s: float, until_s: float) -> None:
        """Wait until the page was painted since `before_s` and is calm again, at most until `until_s`.

        A page that nothing happens to needs one picture, at the end of the time for which it must be still. Of one that
        has changed it is taken at once: what is painted later is told.
        """
        while (left_s := until_s - time.monotonic()) > 0:
            await asyncio.sleep(min(_CALM_S, left_s))
            painted_s = await self._last_paint() if self._last_paint is not None else 0.0
            if before_s < painted_s < time.monotonic() - _CALM_S:
                return

    async def _pause(self, seconds: float) -> None:
        """Until something changes, but no longer."""
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()

    async def late_change(self, since: Frame) -> bool:
        """Whether a clear effect of the last input comes while the model thinks; False at once where one was seen."""
        until_s, self._unclear_s = self._unclear_s, 0.0
        while (left := until_s - time.monotonic()) > 0:
            await self._pause(min(_LATE_LOOK_S, left))
            shot = await self._shoot()
            if shot.size != since.geometry.native:
                return True
            places = changed_places(since.pixels, shot.pixels, shot.size)
            if any(each.width * each.height > SMALL_PX and self.restless.effect((each,)) is True for each in places):
                return True
        return False

    def _compare(self, wait: _Wait, shot: Shot, small: list[Rect]) -> None:
        """Note what has changed since the last picture."""
        if shot.size != wait.previous.size:
            places: tuple[Rect, ...] = (Rect(0, 0, shot.size.width, shot.size.height),)
        else:
            places = changed_places(wait.previous.pixels, shot.pixels, shot.size)
            pointer = self._pointer_only(wait.previous.pixels, shot.pixels, shot.size) if places else ()
            places = tuple(place for place in places if not any(within(place, each, 0) for each in pointer))
        wait.previous = shot
        for place in places:
            if self.restless.comes_again(place, small) or self.restless.restless(place):
                continue
            # Where nothing was painted since, it is what the last frame before it has changed.
            wait.changed_s = min(shot.taken_s, shot.painted_s) if shot.still and shot.painted_s else shot.taken_s
            wait.effect = True

    def _ended(self, wait: _Wait, shot: Shot, reason: SettleReason) -> SettleReason:
        self.last = shot
        self._unclear_s = 0.0 if wait.effect else wait.began_s + LATE_S
        return reason
