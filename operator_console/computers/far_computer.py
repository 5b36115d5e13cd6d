"""What a browser and a machine elsewhere have in common as targets: nothing of this desktop lies over them."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from operator_console.computers.frame_building import places_that_differ, still_shows
from operator_console.computers.model_image import encode_region
from operator_console.computers.operator_hand import OperatorHand
from operator_console.computers.picture_preview import PicturePreview
from operator_console.computers.picture_settling import Settling, Shot
from operator_console.computers.prepared_pictures import PreparedPictures
from operator_console.computers.what_is_hidden import Hidden
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.values import Grab
from operator_console.domain.frames import Frame, ImageNeeds, KeyboardFocus, Picture, StackedWindow, TargetRef
from operator_console.domain.geometry import Rect
from operator_console.domain.grants import ScreenCheck
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.shutters import shutter_text


class FarComputer(ABC):
    """A part of `engine.ports.Computer`. A subclass takes the pictures.

    Attributes:
        programs: None: none are started there.
        hand: the operator's own input.
        hidden: what its pictures do not show.
    """

    programs = None
    hand: OperatorHand
    _settling: Settling

    def __init__(self, target: TargetRef) -> None:
        self._worker = Worker("encode")
        self._pictures = PreparedPictures(target, self._worker)
        self.hidden = Hidden()
        self._changed = asyncio.Event()
        self._previews: list[PicturePreview] = []
        self._named: tuple[Shot, str] | None = None
        self._before_input: Frame | None = None
        self._closed = False

    @property
    @abstractmethod
    def lost(self) -> bool:
        """Whether the connection has ended."""

    @abstractmethod
    async def _now(self, frame_id: str = "") -> Frame:
        """The current picture, which the model is not shown. Raises ComputerUnavailable, ComputerTimedOut."""

    @abstractmethod
    async def _disconnect(self) -> None:
        """End the connection."""

    @abstractmethod
    def _in_use(self) -> bool:
        """Whether the preview is to follow at once what a person does in it."""

    def preview(self) -> PicturePreview:
        """Live frames of it, for the operator."""
        preview = PicturePreview(lambda: self.lost, self.shown, self._in_use)
        self._previews.append(preview)
        return preview

    async def shown(self) -> Frame:
        """The picture that a person is to see now. Raises ComputerUnavailable, ComputerTimedOut."""
        return await self._now("shown")

    async def glimpse(self) -> Frame:
        """The current picture. The first one after `observe` also shows which areas change without any input."""
        now = await self._now()
        if self._before_input is not None:
            self._settling.restless.learn(self._before_input, now)
        self._before_input = None
        return now

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame, scaled and encoded for the model."""
        return await self._worker.run(lambda: self._pictures.picture(frame, needs))

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame for the model. Raises ValueError if it lies outside the frame."""
        return await self._worker.run(lambda: encode_region(frame, region, needs))

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """The current picture and the changed rectangles; none for another size, or another document."""
        now = await self._now()
        same = now.page is None or (before.page is not None and before.page.document == now.page.document)
        return now, (places_that_differ(before, now) or ()) if same else ()

    async def still_shows(self, checks: Sequence[ScreenCheck]) -> bool:
        """Whether each part still looks as it did: similar, not equal."""
        return still_shows(await self._now(), checks)

    async def late_change(self, since: Frame) -> bool:
        """Whether an effect comes after the wait for it has ended."""
        return await self._settling.late_change(since)

    async def keyboard_focus(self) -> KeyboardFocus:
        """Always the target, which has a keyboard focus of its own."""
        return KeyboardFocus.TARGET

    def watch_console_focus(self, told: Callable[[bool], None]) -> None:
        """Nothing: the target has a keyboard focus of its own."""
        return

    async def after_input(self) -> None:
        """Nothing."""
        return

    async def close(self) -> None:
        """Disconnect. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            await self.hand.close()
            await self._worker.close(lambda: None)
        finally:
            await self._disconnect()

    async def _recognised(self, shot: Shot, needs: ImageNeeds) -> tuple[Shot, str]:
        """A picture that the model is going to be shown, with the pixels that are known if they are equal; its id."""
        grab, frame_id = await self._worker.run(lambda: self._pictures.recognised(_grab_of(shot), needs))
        self._named = (shot, frame_id)
        return replace(shot, pixels=memoryview(grab.pixels)), frame_id

    def _id_of(self, shot: Shot) -> str:
        """The id of a picture, where it is the one that the model was shown last; else ""."""
        return self._named[1] if self._named is not None and self._named[0].pixels is shot.pixels else ""

    @property
    def shutters(self) -> tuple[str, ...]:
        """What no picture of it shows, as the command line writes it."""
        return tuple(map(shutter_text, self.hidden.shutters))

    async def hide_passwords(self, areas: Sequence[HiddenArea]) -> bool:
        """Make these areas black in all pictures from now on; whether others were so before."""
        return self.hidden.tell(areas, time.monotonic())

    def _without_hidden(self, shot: Shot, stack: Sequence[StackedWindow]) -> Shot:
        """A picture with what is hidden in black."""
        if not self.hidden:
            return shot
        areas = self.hidden.areas(Rect(0, 0, shot.size.width, shot.size.height), (0, 0), [stack])
        pixels, areas = self.hidden.without(shot.pixels, shot.size, areas, time.monotonic())
        return replace(shot, pixels=pixels, hidden=areas) if areas else shot

    def _repainted(self) -> None:
        """The target tells that its picture has changed."""
        self._changed.set()
        for preview in self._previews:
            preview.news()

    def _prepare(self, shot: Shot) -> None:
        """Encode what is probably the model's next picture while the wait goes on."""
        self._worker.start(lambda: self._pictures.prepare(_grab_of(shot)))


def _grab_of(shot: Shot) -> Grab:
    """A picture as a grab of a desktop."""
    return Grab(pixels=memoryview(shot.pixels), rect=Rect(0, 0, shot.size.width, shot.size.height), hidden=shot.hidden)
