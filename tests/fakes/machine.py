"""A machine that is no X display: a picture in memory, and input that goes into a list.

It has the three things that every computer brings: a `Computer`, what acts on it in the injector, and a guard that
starts and kills this injector. Nothing here knows of windows, a keyboard focus or a display.
"""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Sequence

from operator_console.computers.frame_building import make_frame, places_that_differ
from operator_console.computers.model_image import encode, encode_region
from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.screen_similarity import similar
from operator_console.domain.actions import Action, Click, TypeText
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import (
    Frame,
    ImageNeeds,
    KeyboardFocus,
    Picture,
    SettleReason,
    TargetRef,
    VncTarget,
    WindowInfo,
)
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import Grant, ScreenCheck
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Halted, Refused
from operator_console.injector.client import InjectorClient
from operator_console.injector.progress import Progress
from operator_console.injector.server import serve
from tests.fakes.services import SessionFakeGuard

SIZE = Size(320, 240)
GREEN, BLACK = b"\x20\xc0\x20\x00", b"\x00\x00\x00\x00"


class Machine:
    """Paints a box where it is clicked, and a bar as long as what was typed. `received` is what came, in order."""

    def __init__(self) -> None:
        self.pixels = bytearray(b"\xe0\xe0\xe0\x00" * (SIZE.width * SIZE.height))
        self.received: list[Action] = []
        self.before_input: Callable[[], None] = lambda: None

    def paint(self, part: Rect, colour: bytes) -> None:
        for y in range(part.y, part.bottom):
            start = (y * SIZE.width + part.x) * 4
            self.pixels[start : start + part.width * 4] = colour * part.width

    def take(self, action: Action) -> None:
        self.received.append(action)
        match action:
            case Click(at=NativePoint(x=x, y=y)):
                self.paint(Rect(x - 20, y - 10, 40, 20), GREEN)
            case TypeText(text=text):
                self.paint(Rect(10, 200, 10 * len(text), 20), BLACK)
            case _:
                raise NotImplementedError(action)


class MachineComputer:
    """Fits the engine's `Computer`."""

    target = VncTarget(spec="vnc:machine:5900", title="A machine in memory")

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.closed = False

    async def observe(self, needs: ImageNeeds) -> Frame:
        pixels = bytes(self._machine.pixels)
        return make_frame(pixels=pixels, native=SIZE, origin=ScreenPoint(0, 0), target=self.target, needs=needs)

    shutters = ()

    async def hide_passwords(self, areas: Sequence[HiddenArea]) -> bool:
        return False

    async def glimpse(self) -> Frame:
        return await self.observe(ImageNeeds())

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        return encode(frame, needs)

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        return encode_region(frame, region, needs)

    async def settle(
        self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], None] | None = None,
    ) -> SettleReason:  # fmt: skip
        return SettleReason.QUIET

    @property
    def programs(self) -> None:
        return None

    @property
    def own_elements(self) -> None:
        return None

    async def late_change(self, since: Frame) -> bool:
        return False

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        return None

    async def keyboard_focus(self) -> KeyboardFocus:
        return KeyboardFocus.TARGET

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        self._machine.before_input()

    def watch_console_focus(self, told: Callable[[bool], None]) -> None:
        return None

    async def after_input(self) -> None:
        return None

    async def changed(self, before: Frame) -> bool | None:
        return bool(places_that_differ(before, await self.glimpse()))

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        now = await self.glimpse()
        return now, places_that_differ(before, now) or ()

    async def page_text(self) -> None:
        """None: it is no managed browser."""
        return

    def take_news(self) -> tuple[()]:
        """Nothing: it is no managed browser."""
        return ()

    async def still_shows(self, checks: Sequence[ScreenCheck]) -> bool:
        now = await self.glimpse()
        return all(similar(each.pixels, now.crop(each.region), each.region.size) for each in checks)

    async def close(self) -> None:
        self.closed = True


class MachineBackend:
    """Fits the injector's `InputBackend`."""

    def __init__(self, machine: Machine, ledger: Ledger) -> None:
        self._machine, self._ledger = machine, ledger

    def perform(self, grant: Grant, progress: Progress) -> None:
        if self._ledger.gate is not Gate.OPEN:
            raise Halted(NoticeCode.NOT_FINISHED_PAUSED)
        frame = make_frame(
            pixels=bytes(self._machine.pixels), native=SIZE, origin=ScreenPoint(0, 0), target=grant.target,
            needs=ImageNeeds(),
        )  # fmt: skip
        if not all(similar(each.pixels, frame.crop(each.region), each.region.size) for each in grant.checks):
            raise Refused(RejectedReason.STALE, notice(NoticeCode.SCREEN_CHANGED_UNDER_TARGET))
        self._machine.take(grant.action)
        progress.count(1, 1)

    def pointer(self) -> tuple[int, int]:
        return 0, 0

    def look_at_held(self) -> None:
        """Does nothing."""

    def release_all(self) -> int:
        return 0

    def close(self) -> None:
        return None


class MachineGuard(SessionFakeGuard):
    """Starts the injector for a machine when it is armed: the real one, in a thread of this process. `close` it."""

    def __init__(self, machine: Machine, injector: InjectorClient) -> None:
        super().__init__(on_kill=self._kill)
        self._machine, self._injector = machine, injector
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  closed by `close`
        self._thread: threading.Thread | None = None
        self._sockets: tuple[socket.socket, ...] = ()
        self._ledger = Ledger(self._file.fileno(), fresh=True)

    def __setattr__(self, name: str, value: object) -> None:
        """The injector reads epoch and gate in the ledger."""
        super().__setattr__(name, value)
        if "_ledger" in self.__dict__:
            self._ledger.set(Word.EPOCH, self.epoch)
            self._ledger.gate = Gate.OPEN if self.may_act else Gate.HELD

    async def arm(self, *, session: str, target: TargetRef) -> None:
        await super().arm(session=session, target=target)
        (console, console_far), (guard, guard_far) = socket.socketpair(), socket.socketpair()
        self._sockets = (guard, console_far, guard_far)
        backend = MachineBackend(self._machine, self._ledger)
        parts = (console_far, guard_far, self._ledger, OwnWindows(), backend)
        self._thread = threading.Thread(target=serve, args=parts)
        self._thread.start()
        self._injector.attach(console, os.dup(self._file.fileno()), self.grant_key)

    async def disarm(self) -> None:
        await super().disarm()
        self._kill()

    def _kill(self) -> None:
        self._injector.detach()
        if self._sockets:
            self._sockets[0].shutdown(socket.SHUT_RDWR)

    async def close(self) -> None:
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)
        for each in self._sockets:
            each.close()
        self._ledger.close()
        self._file.close()
