"""What a browser and a machine elsewhere have in common as targets: nothing of this desktop lies over them."""

from __future__ import annotations

from collections.abc import Callable

from operator_console.computers.model_image import encode_region
from operator_console.computers.picture_settling import Settling, Shot
from operator_console.computers.prepared_pictures import PreparedPictures
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.values import Grab
from operator_console.domain.frames import Frame, ImageNeeds, KeyboardFocus, Picture, TargetRef
from operator_console.domain.geometry import Rect


class FarComputer:
    """A part of `engine.ports.Computer`. A subclass takes the pictures.

    Attributes:
        programs: None: none are started there.
    """

    programs = None
    _settling: Settling

    def __init__(self, target: TargetRef) -> None:
        self._worker = Worker("encode")
        self._pictures = PreparedPictures(target, self._worker)

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame, scaled and encoded for the model."""
        return await self._worker.run(lambda: self._pictures.picture(frame, needs))

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame for the model. Raises ValueError if it lies outside the frame."""
        return await self._worker.run(lambda: encode_region(frame, region, needs))

    async def late_change(self, since: Frame) -> bool:
        """Whether an effect comes after the wait for it has ended."""
        return await self._settling.late_change(since)

    async def keyboard_focus(self) -> KeyboardFocus:
        """Always the target, which has a keyboard focus of its own."""
        return KeyboardFocus.TARGET

    def watch_console_focus(self, told: Callable[[bool], None]) -> None:
        """Nothing: the target has a keyboard focus of its own."""

    async def after_input(self) -> None:
        """Nothing."""

    def _prepare(self, shot: Shot) -> None:
        """Encode what is probably the model's next picture while the wait goes on."""
        self._worker.start(lambda: self._pictures.prepare(grab_of(shot)))


def grab_of(shot: Shot) -> Grab:
    """A picture as a grab of a desktop."""
    return Grab(pixels=memoryview(shot.pixels), rect=Rect(0, 0, shot.size.width, shot.size.height))
