"""The computer that is a part of this machine's X desktop: a monitor or one window of it.

Captures, waits and preparations run in the computer's own thread, encoding in a second one; the event loop only waits.
Fits the engine's `Computer` by shape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from operator_console.computers.encode import encode, encode_region
from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.computers.framing import places_that_differ
from operator_console.computers.input_preparation import InputPreparation
from operator_console.computers.receiving import receiver
from operator_console.computers.stillness import Stillness
from operator_console.computers.worker import Worker
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, Picture, SettleReason, TargetRef, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect

T = TypeVar("T")
SomeEye = MonitorEye | WindowEye


class DesktopComputer:
    """A monitor or a window. Make it with `open`."""

    def __init__(self, target: TargetRef, eye: SomeEye, worker: Worker, end: Callable[[], Awaitable[None]]) -> None:
        self._target = target
        self._end = end
        self._eye = eye
        self._worker = worker
        self._encoder = Worker("encode")
        self._settling = Stillness(eye, worker)
        self._preparing = InputPreparation(eye, worker)
        self._last: Frame | None = None
        self._untouched: Frame | None = None
        self._closed = False

    @classmethod
    async def open(
        cls, target: TargetRef, make_eye: Callable[[], SomeEye], *, end: Callable[[], Awaitable[None]] | None = None
    ) -> DesktopComputer:
        """Connects in the computer's own thread. Raises what `make_eye` raises (no display, Wayland).

        Args:
            target: what it is.
            make_eye: makes the connection; called in the computer's own thread.
            end: run once the computer is closed, for a target that was started for it. Not run where opening fails.
        """
        worker = Worker("computer")
        made: list[SomeEye] = []

        def discard() -> None:
            for eye in made:  # made after nobody waited for it any more
                eye.close()

        try:
            await worker.run(lambda: made.append(make_eye()))
        except BaseException:
            await worker.close(discard)
            raise
        return cls(target, made[0], worker, end or _end_nothing)

    @property
    def target(self) -> TargetRef:
        """What it is."""
        return self._target

    async def observe(self, needs: ImageNeeds) -> Frame:
        """A fresh capture. Raises ComputerUnavailable (gone, minimised, hidden, blank, no display)."""
        self._last = self._untouched = await self._run(lambda: self._eye.frame(needs))
        return self._last

    async def glimpse(self) -> Frame:
        """The picture now; the first after a look is compared with it, to learn what changes by itself."""
        return await self._run(self._glimpse)

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame for the model."""
        return await self._encoder.run(lambda: encode(frame, needs))

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame for the model. Raises ValueError where it lies outside."""
        return await self._encoder.run(lambda: encode_region(frame, region, needs))

    async def settle(self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float) -> SettleReason:
        """Wait until the target stopped changing. Cancelling it ends the wait in its thread too."""
        return await self._run(lambda: self._settling.wait(before, at, lower_s, upper_s))

    async def late_change(self, since: Frame) -> bool:
        """Whether the effect that was missed comes after all. Cancelling it ends the wait in its thread too."""
        return await self._run(lambda: self._settling.late_change(since))

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The window that an input reaches now: at a point of the target, or (None) by its keys."""
        return await self._run(lambda: receiver(self._eye, at))

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Make way for an input at points of the last observed frame, and give keys their window."""
        points = (() if at is None else (at,)) + tuple(path)
        try:
            await self._run(lambda: self._preparing.prepare(self._last, points, needs_focus))
        except BaseException:
            await self.after_input()
            raise

    async def after_input(self) -> None:
        """Our own windows take input again."""
        if not self._closed:
            await self._run(self._preparing.restore)

    async def changed(self, before: Frame) -> bool | None:
        """Whether the picture differs now, elsewhere than where it changes by itself."""
        return await self._run(lambda: self._changed(before))

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """The picture now, and where it differs; no places where the target has another size or place now."""
        return await self._run(lambda: self._differences(before))

    async def close(self) -> None:
        """Let go of the display, then end what was started for it; a wait that runs ends at once."""
        if self._closed:
            return
        self._closed = True
        try:
            await self._encoder.close(_nothing)
            await self._worker.close(self._let_go)
        finally:
            await self._end()

    def _changed(self, before: Frame) -> bool | None:
        places = places_that_differ(before, self._eye.preview(ImageNeeds()))
        return places is None or self._settling.noise.effect(places)

    def _differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        now = self._eye.preview(ImageNeeds())
        same_place = now.geometry.origin == before.geometry.origin
        return now, (places_that_differ(before, now) or ()) if same_place else ()

    def _glimpse(self) -> Frame:
        now = self._eye.preview(ImageNeeds())
        if self._untouched is not None:
            self._settling.noise.learn(self._untouched, now)
        self._untouched = None  # what comes next is sent between the two
        return now

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise ComputerUnavailable("The target was let go of.", reason=UnavailableReason.GONE)

        def speaking() -> T:
            with self._eye.display.losing():
                return work()

        return await self._worker.run(speaking)

    def _let_go(self) -> None:
        # Our windows' own end restores them too, and a lost display has nothing to let go of.
        with suppress(ComputerUnavailable), self._eye.display.losing():
            self._preparing.restore()
            self._eye.close()


def _nothing() -> None:
    return


async def _end_nothing() -> None:
    return
