"""`VncComputer`: a machine over VNC, as the engine's `Computer`.

It only looks: input goes through the injector, which has a connection of its own. The server tells which parts of its
screen changed, and pictures are compared where it matters what changed. A connection that is lost, or does not answer,
is made anew when the next picture for the model is taken, after the pause that it caused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from operator_console.browser.page_state import PageState
from operator_console.computers.far_computer import FarComputer
from operator_console.computers.far_input import MachineHand
from operator_console.computers.frame_building import make_frame, places_that_differ
from operator_console.computers.picture_settling import Settling, Shot
from operator_console.computers.restless_areas import within
from operator_console.computers.target_spec import UNKNOWN_GUEST, Guest
from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.frames import (
    Frame,
    ImageNeeds,
    SettleReason,
    StackedWindow,
    VncTarget,
    WindowInfo,
    target_address,
)
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.rfb.errors import NoAnswer, RfbError, login_trouble
from operator_console.rfb.screen import Screen
from operator_console.rfb.server_login import Login

REACH_PX = 32
"""How far a pointer reaches from the pixel that it points at, at most, in pixels."""
PICTURE_WITHIN_S = 6.0
"""How long a machine may keep its picture back, in seconds."""
REACTS_WITHIN_S = 0.4
"""How long a first change after an input is waited for, in seconds: no server tells when an application has handled it.
QEMU shows a key within 0.1 to 0.27 s, other servers sooner. What comes later is watched for while the model thinks."""
MACHINE_WINDOW = 1
"""Stands for all of the machine's screen where a desktop has the id of a window."""
_ASKED_PX = 16
_NO_PAGE = PageState()


def pointer_moved(
    before: bytes | memoryview, after: bytes | memoryview, size: Size, start: NativePoint, end: NativePoint
) -> tuple[Rect, ...]:
    """The areas around both ends of a motion if nothing but the pointer differs there; else ().

    TigerVNC draws the pointer into the picture of a client that does not move it, and does not tell its shape then.
    Whatever it looks like, its pixels at the end are now what those at the start were.

    Args:
        before, after: BGRX rows of pictures of this size.
        size: native pixels.
        start, end: where the pointer was, and is.
    """
    left = min(REACH_PX, start.x, end.x)
    top = min(REACH_PX, start.y, end.y)
    width = left + min(REACH_PX, size.width - max(start.x, end.x))
    height = top + min(REACH_PX, size.height - max(start.y, end.y))
    if width <= 0 or height <= 0 or start == end:
        return ()
    areas = tuple(Rect(at.x - left, at.y - top, width, height) for at in (start, end))
    was, then = (_cut(before, size, area) for area in areas)
    gone, now = (_cut(after, size, area) for area in areas)
    pointer = now == was
    return areas if bool(np.all(pointer | ((now == then) & (gone == was)))) else ()


def _cut(pixels: bytes | memoryview, size: Size, area: Rect) -> npt.NDArray[np.uint32]:
    rows = np.frombuffer(pixels, dtype=np.uint32).reshape(size.height, size.width)
    return rows[area.y : area.bottom, area.x : area.right] & np.uint32(0x00FFFFFF)


class VncComputer(FarComputer):
    """A machine. Create it with `open`.

    Attributes:
        own_elements: None: nothing but its picture tells what is on it.
        login: how it was logged in to; not for records.
        hand: the operator's own input.
    """

    own_elements = None

    def __init__(self, target: VncTarget, login: Login, screen: Screen, guest: Guest = UNKNOWN_GUEST) -> None:
        super().__init__(target)
        self._guest = guest
        self.login = login
        self.hand = MachineHand(login, target.layout)
        self._target = target
        self._settling = Settling(
            self._shoot, lambda: _NO_PAGE, self._changed, self._prepare, self._last_paint, REACTS_WITHIN_S,
            self._pointer_only,
        )  # fmt: skip
        self._changes = 0
        self._told_s = 0.0
        self._pointers: tuple[NativePoint | None, NativePoint | None] = (None, None)
        self._broken = False
        self._screen = screen
        self._listen()

    @classmethod
    async def open(cls, target: VncTarget, login: Login, guest: Guest = UNKNOWN_GUEST) -> VncComputer:
        """Log in. `guest` is asked before each picture and input.

        Raises OperatorError, also for a machine whose pointer only moves by steps; ComputerUnavailable.
        """
        try:
            screen = await Screen.connect(login)
        except RfbError as error:
            raise login_trouble(error, login) from error
        computer = cls(target, login, screen, guest)
        try:
            await computer._shoot()
            if screen.pointer_is_relative:
                raise OperatorError(notice(NoticeCode.VNC_POINTER_RELATIVE), remedy=notice(NoticeCode.ADD_TABLET))
        except BaseException:
            await computer.close()
            raise
        return computer

    @property
    def target(self) -> VncTarget:
        """The target."""
        return self._target

    @property
    def lost(self) -> bool:
        """Whether the connection has ended."""
        return self._closed or self._broken or self._screen.lost

    async def observe(self, needs: ImageNeeds) -> Frame:
        """A new picture; connects again first where the connection is lost. Raises ComputerUnavailable."""
        await self._guest.require_running()
        await self._reconnect()
        shot = self._settling.take_last() or await self._shoot()
        shot, frame_id = await self._recognised(shot, needs)
        self._before_input = self._frame(shot, needs, frame_id)
        return self._before_input

    async def settle(
        self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], None] | None = None,
    ) -> SettleReason:  # fmt: skip
        """Wait until the picture has stopped changing."""
        self._pictures.begin_wait()
        if self._pointers[0] is None:  # a pointer that came from somewhere else is taken for an effect
            lower_s = max(lower_s, REACTS_WITHIN_S)
        return await self._settling.wait(before, at, lower_s, upper_s)

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The machine."""
        return self._window(Rect(0, 0, self._screen.size.width, self._screen.size.height))

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Note where the pointer goes: nothing of this desktop can lie over a machine elsewhere."""
        await self._guest.require_running()
        if at is not None:
            self._pointers = (self._pointers[-1], path[-1] if path else at)

    async def changed(self, before: Frame) -> bool | None:
        """Whether the input had an effect. None: cannot be decided."""
        now = self._settling.last or await self._shoot()
        places = places_that_differ(before, self._frame(now, ImageNeeds()))
        if places is None:
            return True
        pointer = self._pointer_only(before.pixels, now.pixels, now.size) if places else ()
        left = [place for place in places if not any(within(place, each, 0) for each in pointer)]
        return self._settling.restless.effect(left)

    async def page_text(self) -> None:
        """None: it is no managed browser."""
        return

    def take_news(self) -> tuple[()]:
        """Nothing: it is no managed browser."""
        return ()

    async def _disconnect(self) -> None:
        await self._screen.close()

    def _in_use(self) -> bool:
        return True

    def _listen(self) -> None:
        self._screen.listen(self._drawn, lambda _: self._news(), self._news, lambda _: None)

    def _drawn(self, places: Sequence[Rect]) -> None:
        """A single pixel, or the sixteen that QEMU makes of it, is what each picture is asked for with, and no news."""
        if any(place.height > 1 or place.width > _ASKED_PX for place in places):
            self._news()

    def _news(self) -> None:
        self._changes += 1
        self._told_s = time.monotonic()
        self._repainted()

    async def _reconnect(self) -> None:
        if self._closed or not self.lost:
            return
        try:
            screen = await Screen.connect(self.login)
        except RfbError as error:
            trouble = login_trouble(error, self.login)
            raise ComputerUnavailable(
                trouble.title, detail=trouble.detail, reason=UnavailableReason.HIDDEN, remedy=trouble.remedy
            ) from error
        await self._screen.close()
        self._screen, self._broken = screen, False
        self._settling.take_last()
        self._listen()
        self._news()

    async def _now(self, frame_id: str = "") -> Frame:
        return self._frame(await self._shoot(), ImageNeeds(), frame_id)

    async def _shoot(self) -> Shot:
        """The screen now. Raises ComputerUnavailable."""
        if self._closed:
            raise ComputerUnavailable(notice(NoticeCode.TARGET_CLOSED), reason=UnavailableReason.GONE)
        before, told_s, address = self._changes, self._told_s, target_address(self._target)
        if self._broken:
            raise ComputerUnavailable(
                notice(NoticeCode.VNC_CONNECTION_LOST, address=address), reason=UnavailableReason.HIDDEN,
                remedy=notice(NoticeCode.RESUME_RECONNECTS),
            )  # fmt: skip
        try:
            pixels, size, taken_s = await self._screen.picture(PICTURE_WITHIN_S)
        except NoAnswer as error:
            self._broken = True  # the next picture for the model is asked for by a new connection
            await self._guest.require_running()
            raise ComputerUnavailable(
                notice(NoticeCode.VNC_HANGS, address=address), detail=error.detail, reason=UnavailableReason.HIDDEN,
                remedy=notice(NoticeCode.RESUME_RECONNECTS),
            ) from error  # fmt: skip
        except RfbError as error:
            self._broken = True
            raise ComputerUnavailable(
                notice(NoticeCode.VNC_CONNECTION_LOST, address=address), detail=error.detail,
                reason=UnavailableReason.HIDDEN, remedy=notice(NoticeCode.RESUME_RECONNECTS),
            ) from error  # fmt: skip
        shot = Shot(pixels=pixels, size=size, taken_s=taken_s, still=before == self._changes, painted_s=told_s)
        whole = self._window(Rect(0, 0, size.width, size.height))
        return self._without_hidden(shot, (StackedWindow(info=whole, parts=(whole.rect,)),))

    async def _last_paint(self) -> float:
        return self._told_s

    def _pointer_only(
        self, before: bytes | memoryview, after: bytes | memoryview, size: Size
    ) -> tuple[Rect, ...]:  # fmt: skip
        """Where two pictures around the last input differ by the pointer alone."""
        start, end = self._pointers
        inside = Rect(0, 0, size.width, size.height)
        if start is None or end is None or not (inside.contains(start.x, start.y) and inside.contains(end.x, end.y)):
            return ()
        return pointer_moved(before, after, size, start, end)

    def _window(self, rect: Rect) -> WindowInfo:
        return WindowInfo(window_id=MACHINE_WINDOW, title=self._target.title, app="", pid=None, rect=rect)

    def _frame(self, shot: Shot, needs: ImageNeeds, frame_id: str = "") -> Frame:
        window = self._window(Rect(0, 0, shot.size.width, shot.size.height))
        return make_frame(
            pixels=shot.pixels, native=shot.size, origin=ScreenPoint(0, 0), target=self._target, needs=needs,
            taken_s=shot.taken_s, stack=(StackedWindow(info=window, parts=(window.rect,)),), focus=window,
            title=self._target.title, hidden=shot.hidden, frame_id=frame_id or self._id_of(shot),
        )  # fmt: skip
