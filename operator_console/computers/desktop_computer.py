"""`DesktopComputer`: a monitor or window of a desktop as the engine's `Computer`.

Capturing, waiting and preparing input run in a thread of its own, encoding in a second one, so that the event loop is
never blocked. It implements the engine's protocol without importing it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from operator_console.computers.frame_building import places_that_differ, still_shows
from operator_console.computers.input_preparation import InputPreparation, keyboard_focus, receiver
from operator_console.computers.model_image import encode_region
from operator_console.computers.operator_hand import ThreadedHand
from operator_console.computers.prepared_pictures import PreparedPictures
from operator_console.computers.stillness import Stillness
from operator_console.computers.target_capture import TargetCapture
from operator_console.computers.target_spec import UNKNOWN_GUEST, Guest
from operator_console.computers.what_is_hidden import Hidden
from operator_console.computers.worker_thread import Worker
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import (
    Frame,
    ImageNeeds,
    KeyboardFocus,
    Picture,
    SettleReason,
    TargetRef,
    WindowInfo,
)
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import ScreenCheck
from operator_console.domain.hand_input import HandSender
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.programs import ProgramDoor
from operator_console.domain.shutters import shutter_text

T = TypeVar("T")


class DesktopComputer:
    """A monitor or a window. Create it with `open`.

    Attributes:
        hand: the operator's own input; None: the target is used on the person's desktop.
    """

    own_elements = None

    def __init__(
        self, target: TargetRef, capture: TargetCapture, worker: Worker, end: Callable[[], Awaitable[None]],
        programs: ProgramDoor | None, sender: HandSender | None = None, guest: Guest = UNKNOWN_GUEST,
    ) -> None:  # fmt: skip
        self._guest = guest
        self.programs = programs
        self.hand = ThreadedHand(sender) if sender is not None else None
        self._target = target
        self._end = end
        self._capture = capture
        self._worker = worker
        self._encoder = Worker("encode")
        self._pictures = PreparedPictures(target, self._encoder)
        self._stillness = Stillness(capture, worker, self._pictures)
        self._preparation = InputPreparation(capture, worker)
        self._last: Frame | None = None
        self._before_input: Frame | None = None
        self._closed = False
        self._tell_focus: Callable[[bool], None] | None = None

    @classmethod
    async def open(
        cls,
        target: TargetRef,
        open_capture: Callable[[], TargetCapture],
        *,
        end: Callable[[], Awaitable[None]] | None = None,
        programs: ProgramDoor | None = None,
        sender: HandSender | None = None,
        guest: Guest = UNKNOWN_GUEST,
    ) -> DesktopComputer:
        """Connect in the computer's own thread. Raises what `open_capture` raises (no display, Wayland).

        Args:
            target: the target.
            open_capture: connects to it; called in the computer's own thread.
            end: awaited after closing, to end a target that was started for it. Not awaited if opening fails.
            programs: what starts programs on it; None: they are started as the person's.
            sender: sends the operator's own input to it; None: the person uses it on the own desktop.
            guest: the virtual machine that it shows; asked before each picture and input.
        """
        worker = Worker("computer")
        opened: list[TargetCapture] = []

        def discard() -> None:
            for capture in opened:  # opened after the wait for it was cancelled
                capture.close()

        try:
            await worker.run(lambda: opened.append(open_capture()))
        except BaseException:
            await worker.close(discard)
            raise
        return cls(target, opened[0], worker, end or _end_nothing, programs, sender, guest)

    @property
    def target(self) -> TargetRef:
        """The target."""
        return self._target

    async def observe(self, needs: ImageNeeds) -> Frame:
        """A new picture. Raises ComputerUnavailable (gone, minimised, hidden, blank, no display, paused machine)."""
        await self._guest.require_running()
        self._last = self._before_input = await self._run(lambda: self._frame(needs))
        return self._last

    @property
    def hidden(self) -> Hidden:
        """What its pictures do not show."""
        return self._capture.hidden

    @property
    def shutters(self) -> tuple[str, ...]:
        """What no picture of it shows, as the command line writes it."""
        return tuple(map(shutter_text, self.hidden.shutters))

    async def hide_passwords(self, areas: Sequence[HiddenArea]) -> bool:
        """Make these areas black in all pictures from now on; whether others were so before."""
        return self.hidden.tell(areas, time.monotonic())

    async def glimpse(self) -> Frame:
        """The current picture. The first one after `observe` also shows which areas change without any input."""
        return await self._run(self._glimpse)

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame, scaled and encoded for the model."""
        return await self._encoder.run(lambda: self._pictures.picture(frame, needs))

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame for the model. Raises ValueError if it lies outside the frame."""
        return await self._encoder.run(lambda: encode_region(frame, region, needs))

    async def settle(
        self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], None] | None = None,
    ) -> SettleReason:  # fmt: skip
        """Wait until the picture has stopped changing. Cancelling also ends the wait in the thread."""
        tell = None if expect is None else _on_this_loop(expect)
        return await self._run(lambda: self._stillness.wait(before, at, lower_s, upper_s, tell))

    async def late_change(self, since: Frame) -> bool:
        """Whether an effect comes after the wait for it has ended. Cancelling also ends the wait in the thread."""
        return await self._run(lambda: self._stillness.late_change(since))

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The window that would get a click at a pixel of the target, or (None) key presses."""
        return await self._run(lambda: receiver(self._capture, at))

    async def keyboard_focus(self) -> KeyboardFocus:
        """Where keys would go now."""
        return await self._run(lambda: keyboard_focus(self._capture))

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Let input through the console's windows at pixels of the last frame, and restore the focus for keys."""
        await self._guest.require_running()
        if self._tell_focus is not None:
            self._tell_focus(await self._run(self._console_has_focus))
        points = (() if at is None else (at,)) + tuple(path)
        try:
            await self._run(lambda: self._preparation.prepare(self._last, points, needs_focus))
        except BaseException:
            await self.after_input()
            raise

    def watch_console_focus(self, told: Callable[[bool], None]) -> None:
        """Tell before each input whether one of the console's windows has the keyboard focus."""
        self._tell_focus = told

    async def after_input(self) -> None:
        """The console's windows take input again."""
        if not self._closed:
            await self._run(self._preparation.restore)

    async def changed(self, before: Frame) -> bool | None:
        """Whether the input had an effect: areas that change on their own do not count. None: cannot be decided."""
        return await self._run(lambda: self._changed(before))

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """The current picture and the changed rectangles; none if the target was moved or resized."""
        return await self._run(lambda: self._differences(before))

    async def page_text(self) -> None:
        """None: it is no managed browser."""
        return

    def take_news(self) -> tuple[()]:
        """Nothing: it is no managed browser."""
        return ()

    async def still_shows(self, checks: Sequence[ScreenCheck]) -> bool:
        """Whether each part still looks as it did: the tolerant comparison that is made again right before input."""
        return await self._run(lambda: still_shows(self._preview(), checks))

    async def close(self) -> None:
        """Disconnect, then end what was started for it. A running wait ends at once."""
        if self._closed:
            return
        self._closed = True
        try:
            if self.hand is not None:
                await self.hand.close()
            await self._encoder.close(_nothing)
            await self._worker.close(self._disconnect)
        finally:
            await self._end()

    def _frame(self, needs: ImageNeeds) -> Frame:
        return self._capture.frame(needs, lambda grab: self._pictures.recognised(grab, needs))

    def _preview(self) -> Frame:
        return self._capture.preview(ImageNeeds(), self._pictures.name)

    def _changed(self, before: Frame) -> bool | None:
        places = self._stillness.changes(before, self._preview())
        return places is None or self._stillness.restless.effect(places)

    def _differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        now = self._preview()
        same_place = now.geometry.origin == before.geometry.origin
        return now, (places_that_differ(before, now) or ()) if same_place else ()

    def _console_has_focus(self) -> bool:
        window = self._capture.current_focus()
        return window is not None and self._capture.is_own(window)

    def _glimpse(self) -> Frame:
        now = self._preview()
        if self._before_input is not None:
            self._stillness.restless.learn(self._before_input, now)
        self._before_input = None  # from now on input comes between the two pictures
        return now

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise ComputerUnavailable(notice(NoticeCode.TARGET_CLOSED), reason=UnavailableReason.GONE)

        def guarded() -> T:
            with self._capture.display.losing():
                return work()

        return await self._worker.run(guarded)

    def _disconnect(self) -> None:
        # With the display lost there is nothing to restore: the server did it when the connection ended.
        with suppress(ComputerUnavailable), self._capture.display.losing():
            self._preparation.restore()
            self._capture.close()


def _on_this_loop(told: Callable[[Frame], None]) -> Callable[[Frame], object]:
    loop = asyncio.get_running_loop()
    return lambda frame: loop.call_soon_threadsafe(told, frame)


def _nothing() -> None:
    return


async def _end_nothing() -> None:
    return
