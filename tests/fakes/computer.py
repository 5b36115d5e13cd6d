"""A computer in memory: the test paints its picture, and every call of `prepare_input` is recorded.

It passes the contract tests of the real computers, so engine tests run without a display. No input reaches anything.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from operator_console.computers.frame_building import make_frame, places_that_differ
from operator_console.computers.model_image import encode, encode_region
from operator_console.computers.what_is_hidden import Hidden
from operator_console.domain.errors import ComputerError, ComputerUnavailable, UnavailableReason
from operator_console.domain.events import Blocked, Downloaded
from operator_console.domain.frames import (
    Frame,
    ImageNeeds,
    KeyboardFocus,
    MonitorTarget,
    Picture,
    SettleReason,
    StackedWindow,
    TargetRef,
    WindowInfo,
    WindowTarget,
)
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import ScreenCheck
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.pages import Page
from operator_console.domain.shutters import shutter_text
from operator_console.engine.ports import OwnElements

FAKE_TARGET = MonitorTarget(spec="monitor:1", title="Monitor in memory", display=":fake")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputPrepared:
    """One call of prepare_input."""

    at: NativePoint | None
    needs_focus: bool
    path: tuple[NativePoint, ...] = ()


class FakeComputer:
    """Fits the engine's `Computer`.

    Attributes:
        prepared: what prepare_input was asked, in order.
        released: how often after_input was called.
        observed: how many frames were taken.
        closed: whether close() was called.
        windows: what lies on the picture, bottom first, in input units; without any, all of it is the focus's, and no
            frame tells its owners.
        focus, focus_in_target, pointer, title, covered: reported by the next frames; set them freely.
        keyboard: where the keyboard focus is, if that is not what `focus_in_target` says.
        on_focus: called where prepare_input gives the target the focus, which another window has; it may set `focus`.
        expect: what the last settle was given to call.
        settle_reason: what settle answers; settle_is_weak: whether a late effect is looked for after it.
    """

    def __init__(
        self,
        size: Size = Size(640, 480),
        *,
        target: TargetRef = FAKE_TARGET,
        origin: ScreenPoint = ScreenPoint(0, 0),
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._size = size
        self._target = target
        self._origin = origin
        self._sleep = sleep
        self._pixels = bytearray(b"\xe0\xe0\xe0\x00" * (size.width * size.height))
        self._failures: deque[ComputerError] = deque()
        self._refusals: deque[ComputerError] = deque()
        self.prepared: list[InputPrepared] = []
        self.released = 0
        self.observed = 0
        self.closed = False
        self.windows: list[WindowInfo] = []
        self.focus: WindowInfo | None = None
        self.focus_in_target = True
        self.keyboard: KeyboardFocus | None = None
        self.on_focus: Callable[[], None] = self._take_focus
        self.pointer: ScreenPoint | None = None
        self.title = ""
        self.text_of_page: str | None = None
        self.news: list[Downloaded | Blocked] = []
        self.page: Page | None = None
        self.covered = ""
        self.apart: tuple[WindowInfo, ...] = ()
        self.joined: tuple[int, ...] = ()
        self.expect: Callable[[Frame], None] | None = None
        self.settle_reason = SettleReason.QUIET
        self.settle_is_weak = False
        self.own_elements: OwnElements | None = None
        self._late = asyncio.Event()
        self.hidden = Hidden()

    programs = None

    @property
    def target(self) -> TargetRef:
        """What it is."""
        return self._target

    def paint(self, region: Rect, colour: tuple[int, int, int]) -> None:
        """Fill `region` (native pixels, cut to the picture) with a red, green, blue colour."""
        part = region.intersect(Rect(0, 0, self._size.width, self._size.height))
        row = bytes((colour[2], colour[1], colour[0], 0)) * part.width
        for y in range(part.y, part.bottom):
            start = (y * self._size.width + part.x) * 4
            self._pixels[start : start + len(row)] = row

    def show(self, pixels: bytes, size: Size | None = None) -> None:
        """Show another picture (BGRX rows), of another size where `size` is given. Raises ValueError if it misfits."""
        size = size or self._size
        if len(pixels) != size.width * size.height * 4:
            raise ValueError(f"{len(pixels)} bytes do not make a picture of {size.width} x {size.height}")
        self._size, self._pixels = size, bytearray(pixels)

    def fail_next_observe(self, error: ComputerError) -> None:
        """The next observe raises `error`; several queue up."""
        self._failures.append(error)

    def refuse_next_input(self, error: ComputerError) -> None:
        """The next prepare_input raises `error`; several queue up."""
        self._refusals.append(error)

    async def observe(self, needs: ImageNeeds) -> Frame:
        """The picture as painted now."""
        self._require_open()
        await asyncio.sleep(0)
        if self._failures:
            raise self._failures.popleft()
        self.observed += 1
        return self._frame(needs)

    @property
    def shutters(self) -> tuple[str, ...]:
        """What no picture of it shows, as the command line writes it."""
        return tuple(map(shutter_text, self.hidden.shutters))

    async def hide_passwords(self, areas: Sequence[HiddenArea]) -> bool:
        """Black in all pictures from now on."""
        return self.hidden.tell(areas, time.monotonic())

    async def glimpse(self) -> Frame:
        """The picture as painted now; counts as no look, and no failure is raised."""
        self._require_open()
        await asyncio.sleep(0)
        return self._frame(ImageNeeds())

    def _frame(self, needs: ImageNeeds) -> Frame:
        frame = make_frame(
            pixels=bytes(self._pixels),
            native=self._size,
            origin=self._origin,
            target=self._target,
            needs=needs,
            stack=tuple(StackedWindow(info=window, parts=(window.rect,)) for window in self.windows) or None,
            focus=self.focus,
            focus_in_target=self.focus_in_target,
            pointer=self.pointer,
            title=self.title,
            covered=self.covered,
            apart=self.apart,
        )
        if self.joined and isinstance(frame.target, WindowTarget):
            frame = replace(frame, target=replace(frame.target, joined=self.joined))
        x, y = self._origin.x, self._origin.y
        areas = self.hidden.areas(Rect(x, y, self._size.width, self._size.height), (x, y), [frame.stack or ()])
        pixels, areas = self.hidden.without(frame.pixels, self._size, areas, time.monotonic())
        return replace(frame, page=self.page, pixels=pixels, hidden=areas) if areas else replace(frame, page=self.page)

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame encoded, as the real computers do it."""
        return encode(frame, needs)

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region encoded, as the real computers do it."""
        return encode_region(frame, region, needs)

    async def settle(
        self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], None] | None = None,
    ) -> SettleReason:  # fmt: skip
        """Nothing moves by itself here: waits `lower_s` with the clock it was given, then answers `settle_reason`."""
        self._require_open()
        self.expect = expect
        if expect is not None:
            expect(self._frame(ImageNeeds()))
        await self._sleep(min(lower_s, upper_s))
        return self.settle_reason

    async def late_change(self, since: Frame) -> bool:
        """Once after each settle that `settle_is_weak`: True as soon as `show_late` was called, else it waits on."""
        if not self.settle_is_weak:
            return False
        await self._late.wait()
        self._late.clear()
        return True

    def show_late(self) -> None:
        """What was painted since counts as an effect that came late."""
        self._late.set()

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The top-most of `windows` at the point; for keys, and where there are no windows, the focus. A target window
        that does not have the focus gets keys all the same, because it is given it."""
        self._require_open()
        await asyncio.sleep(0)
        if at is None or not self.windows:
            return self.focus if self.focus_in_target else self._own_window()
        x, y = self._origin.x + at.x, self._origin.y + at.y
        return next((window for window in reversed(self.windows) if window.rect.contains(x, y)), None)

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Notes it; raises what refuse_next_input was given."""
        self._require_open()
        self.prepared.append(InputPrepared(at=at, needs_focus=needs_focus, path=tuple(path)))
        if self._refusals:
            raise self._refusals.popleft()
        if needs_focus and (not self.focus_in_target or self.keyboard is not None):
            self.on_focus()

    async def keyboard_focus(self) -> KeyboardFocus:
        """`keyboard`, else by `focus_in_target`; a window of the console, or none, counts as nobody's."""
        self._require_open()
        await asyncio.sleep(0)
        if self.keyboard is not None or self.focus_in_target:
            return self.keyboard or KeyboardFocus.TARGET
        return KeyboardFocus.NOBODY if self.focus is None or self.focus.own else KeyboardFocus.ELSEWHERE

    def _take_focus(self) -> None:
        self.focus, self.focus_in_target = self._own_window(), True

    def _own_window(self) -> WindowInfo | None:
        """The target's window, for a window target."""
        target = self._target
        if not isinstance(target, WindowTarget):
            return None
        rect = Rect(self._origin.x, self._origin.y, self._size.width, self._size.height)
        return WindowInfo(window_id=target.window_id, title=self.title, app=target.app, pid=None, rect=rect)

    def watch_console_focus(self, told: Callable[[bool], None]) -> None:
        """There is no window of the console here: nothing is told."""

    async def after_input(self) -> None:
        """Counts it."""
        self.released += 1

    async def changed(self, before: Frame) -> bool | None:
        """Whether something else is painted now; nothing moves by itself here."""
        return places_that_differ(before, await self.glimpse()) != ()

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """The picture as painted now, and where it differs."""
        now = await self.glimpse()
        return now, places_that_differ(before, now) or ()

    async def page_text(self) -> str | None:
        return self.text_of_page

    def take_news(self) -> Sequence[Downloaded | Blocked]:
        news, self.news = self.news, []
        return news

    async def still_shows(self, checks: Sequence[ScreenCheck]) -> bool:
        """Whether exactly the same is painted in each part."""
        now = await self.glimpse()
        return all(now.crop(check.region) == check.pixels for check in checks)

    async def close(self) -> None:
        """Afterwards everything raises ComputerUnavailable (gone)."""
        self.closed = True

    def _require_open(self) -> None:
        if self.closed:
            raise ComputerUnavailable("The computer in memory is closed.", reason=UnavailableReason.GONE)
