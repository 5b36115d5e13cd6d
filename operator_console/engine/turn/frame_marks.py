"""Asks the provider for its marks on a picture, and ahead, while the screen settles, for those of the expected one.

What it has of an expected picture is the provider's affair: it is asked again for the frame that is then captured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.errors import ComputerError
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.proposals import MarksElements
from operator_console.engine.operator_channel import abandon
from operator_console.engine.session_context import SessionContext

LONGEST_S = 0.2
"""Where marks take longer, none are asked for ahead: the application that tells the elements is not yet done then."""


class FrameMarks:
    """The marks of one session's frames. At most one task, which ends with `of` or `close`."""

    def __init__(self, session: SessionContext) -> None:
        self._session = session
        self._task: asyncio.Task[None] | None = None
        self._frame_id = ""
        self._took_s = 0.0
        self._closed = False

    @property
    def expect(self) -> Callable[[Frame], None] | None:
        """Begins the marks of a frame that may be the next one; None where there are none, or they take long."""
        marking = isinstance(self._session.ports.provider, MarksElements)
        return self._begin if marking and self._took_s < LONGEST_S else None

    async def of(self, frame: Frame, picture: Picture) -> tuple[ElementMark, ...]:
        """The provider's marks; those that were begun for another frame are given up. Raises Stopping and Holding."""
        provider, channel = self._session.ports.provider, self._session.channel
        if not isinstance(provider, MarksElements):
            return ()
        began_s = self._session.clock.monotonic()
        task, self._task = self._task, None
        if task is not None:
            try:
                if self._frame_id == frame.frame_id:
                    await channel.watch(task)
            finally:
                await abandon(task)
        marks = tuple(await channel.run(provider.marks(frame, picture)))
        self._took_s = self._session.clock.monotonic() - began_s
        return marks

    async def close(self) -> None:
        """Give up what was begun, and begin nothing any more."""
        self._closed = True
        if self._task is not None:
            await abandon(self._task)

    def _begin(self, frame: Frame) -> None:
        if self._task is not None:
            self._task.cancel()
        if not self._closed:  # the computer's thread may tell of a frame after the end
            self._frame_id = frame.frame_id
            self._task = asyncio.create_task(self._mark(frame), name="marks-ahead")

    async def _mark(self, frame: Frame) -> None:
        provider = self._session.ports.provider
        with suppress(ComputerError):
            picture = await self._session.ports.computer.picture(frame, provider.image_needs)
            if isinstance(provider, MarksElements):
                await provider.marks(frame, picture)
