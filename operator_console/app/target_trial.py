"""The Test of a target: marks that are pointed at and read back, a word that is typed and read back, and a stop.

It is a session like any other, whose provider is the Test: what it sends is judged, granted, carried out by the
injector and recorded, and the stop is asked of the guard as the Stop button does. Marks are shown where a window or a
page of ours can be: on a monitor, an isolated desktop, and in a browser that the console starts. Elsewhere the pointer
is only moved. The Test ends stopped; only a person resets that.
"""

from __future__ import annotations

import asyncio
import math
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from operator_console.app.qt_failures import require_libraries
from operator_console.app.session_ports import SessionServices
from operator_console.app.session_setup import Prepared, RunMode, pausing_on_lock, prepare
from operator_console.app.target_opening import OpenedTarget, with_record
from operator_console.computers.targets import parse_target
from operator_console.computers.vnc.computer import pointer_moved
from operator_console.domain.actions import Action, Click, Move, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.errors import ComputerError
from operator_console.domain.events import Granted, Performed, Record, Stopped
from operator_console.domain.frames import (
    BrowserTarget,
    Frame,
    ImageNeeds,
    MonitorTarget,
    TargetKind,
    VirtualTarget,
    VncTarget,
)
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, Call, CallResult, CallStatus, Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import State
from operator_console.domain.stopping import StopCause
from operator_console.domain.target_tests import TargetReport, Tried, TriedLine
from operator_console.engine.ports import Computer
from operator_console.practice.launcher import start_practice, unscaled_on
from operator_console.practice.mark_readings import COLOURS, PAGE, WINDOW, Seen, seen_in_log, seen_in_title
from operator_console.resource_files import resource_path
from operator_console.settings.file_locations import Paths

WORD = "Harvest 42"
LONG = "the quick brown fox jumps over the lazy dog " * 150
"""What is stopped in the middle: it takes seconds to type."""
ARRIVED_BEFORE_STOP = 20
"""Characters of it that arrive before the stop is asked for."""
MOTIONS, MOTIONS_BEFORE_STOP = 40, 3
TOLERANCE_PX = 1.0
LATE_MS = 250.0
"""The most that may pass between a stop and the last event."""
_QUIET_S = 0.3
_LOOK_S = 0.005
_PICTURES = 5
_PAGE_WITHIN_S = 20.0

_Course = Generator[tuple[Action, ...], tuple[Observation, Seen], None]
_Look = Callable[[], Awaitable[Seen]]
"""What the marks have received; raises ComputerError where the page cannot be asked."""


class MarkProvider:
    """Proposes what the Test does, a turn at a time."""

    def __init__(self, course: _Course, look: _Look | None) -> None:
        self._course, self._look = course, look
        next(course)

    @property
    def name(self) -> str:
        """Its name in the record."""
        return "test"

    @property
    def model(self) -> str:
        """None: the console itself proposes."""
        return "marks"

    @property
    def image_needs(self) -> ImageNeeds:
        """The picture is only for the record."""
        return ImageNeeds(max_bytes=None)

    def begin(self, brief: Brief) -> None:
        """Nothing is to be prepared."""

    async def propose(self, observation: Observation) -> Proposal:
        """The next turn; without calls once the Test is through."""
        seen = Seen(hits={}) if self._look is None else await self._look()
        try:
            actions = self._course.send((observation, seen))
        except StopIteration:
            actions = ()
        calls = tuple(
            Call(index=index, call_id=f"call-{index}", name=action.kind, action=action,
                 arguments_json=canonical(action).decode())
            for index, action in enumerate(actions)
        )  # fmt: skip
        return Proposal(calls=calls, finished=not calls)

    async def close(self) -> None:
        """Nothing is open."""


class TargetTest:
    """One Test, and what came of it.

    Attributes:
        lines: what was tried so far.
        course: its turns.
        asked: whether it asked for its stop.
        stopped: what the session recorded of a stop.
    """

    def __init__(self, look: _Look | None, *, in_pictures: bool) -> None:
        """`look`: None: there are no marks. `in_pictures`: the pointer is looked for in the pictures."""
        self.lines: list[TriedLine] = []
        self._in_pictures = in_pictures
        self._look = look
        self._arrived = Seen(hits={})
        self.course = self._marks() if look is not None else self._places()
        self.asked = False
        self._last_turn = False
        self._ready = asyncio.Event()
        self._performed = 0
        self.stopped: Stopped | None = None

    # the turns

    def _marks(self) -> _Course:
        observation, seen = yield ()
        places = [find_cross(observation.frame, colour) for colour in COLOURS]
        if any(places):
            observation, seen = yield tuple(Click(at=place) for place in places if place is not None)
        for number, place in enumerate(places):
            self._tell_mark(number, place, seen, observation.results)
        if not any(places):
            return
        observation, seen = yield (TypeText(text=WORD),)
        self._tell_word(seen, observation.results)
        self._last_turn = True
        yield (TypeText(text=LONG),)

    def _places(self) -> _Course:
        observation, _ = yield ()
        size = observation.frame.geometry.native
        quarter = (size.width // 4, size.height // 4)
        start, *places = (
            NativePoint(quarter[0] * across, quarter[1] * down) for across, down in ((2, 2), (1, 1), (3, 2), (2, 3))
        )
        before, _ = yield (Move(at=start),)
        for number, place in enumerate(places):
            observation, _ = yield (Move(at=place),)
            self._tell_place(number, (start, place), (before.frame, observation.frame), observation.results)
            start, before = place, observation
        name = notice(NoticeCode.TEST_OF_WORD)
        self._tell(name, Tried.NOT_TRIED, notice(NoticeCode.TEST_TYPES_NOTHING))
        self._last_turn = True
        yield tuple(Move(at=places[number % 2]) for number in range(MOTIONS))

    # what came of them

    def _tell(
        self, name: str, outcome: Tried, said: str, remedy: str = "", *, error_px: float | None = None,
        late_ms: float | None = None,
    ) -> None:  # fmt: skip
        self.lines.append(
            TriedLine(name=name, outcome=outcome, said=said, remedy=remedy, error_px=error_px, late_ms=late_ms)
        )

    def _tell_mark(self, number: int, place: NativePoint | None, seen: Seen, results: Sequence[CallResult]) -> None:
        name = notice(NoticeCode.TEST_OF_MARK, number=number + 1)
        if place is None:
            cover = notice(NoticeCode.TEST_MOVE_WHAT_COVERS)
            self._tell(name, Tried.NOT_OK, notice(NoticeCode.TEST_MARK_NOT_SEEN), cover)
        elif number not in seen.hits:
            self._tell(name, Tried.NOT_OK, notice(NoticeCode.TEST_NO_PRESS), _why(results))
        else:
            self._tell_error(name, math.hypot(*seen.hits[number]))

    def _tell_error(self, name: str, error_px: float) -> None:
        wrong = error_px > TOLERANCE_PX
        remedy = notice(NoticeCode.TEST_POINTED_WRONG) if wrong else ""
        said = notice(NoticeCode.TEST_ERROR_PX, pixels=round(error_px, 1))
        self._tell(name, Tried.NOT_OK if wrong else Tried.OK, said, remedy, error_px=error_px)

    def _tell_place(
        self, number: int, motion: tuple[NativePoint, NativePoint], frames: tuple[Frame, Frame],
        results: Sequence[CallResult],
    ) -> None:  # fmt: skip
        name, pointer, wanted = notice(NoticeCode.TEST_OF_PLACE, number=number + 1), frames[1].pointer, motion[1]
        if why := _why(results):
            self._tell(name, Tried.NOT_OK, notice(NoticeCode.TEST_POINTER_ELSEWHERE), why)
        elif self._in_pictures:
            size = frames[0].geometry.native
            same = frames[1].geometry.native == size
            if same and pointer_moved(frames[0].pixels, frames[1].pixels, size, *motion):
                self._tell_error(name, 0.0)
            else:
                self._tell(name, Tried.NOT_TRIED, notice(NoticeCode.TEST_POINTER_NOT_TOLD))
        elif pointer is None:
            remedy = notice(NoticeCode.TEST_POINTED_WRONG)
            self._tell(name, Tried.NOT_OK, notice(NoticeCode.TEST_POINTER_ELSEWHERE), remedy)
        else:
            self._tell_error(name, math.hypot(pointer.x - wanted.x, pointer.y - wanted.y))

    def _tell_word(self, seen: Seen, results: Sequence[CallResult]) -> None:
        name = notice(NoticeCode.TEST_OF_WORD)
        if seen.text == WORD:
            self._tell(name, Tried.OK, notice(NoticeCode.TEST_WORD_ARRIVED, word=WORD))
            return
        remedy = _why(results) or notice(NoticeCode.TEST_CHECK_LAYOUT)
        self._tell(name, Tried.NOT_OK, notice(NoticeCode.TEST_WORD_WRONG, word=WORD, got=seen.text), remedy)

    async def time_pictures(self, computer: Computer) -> None:
        """Tell how long pictures take. Raises ComputerError."""
        took_s = []
        for _ in range(_PICTURES):
            began_s = time.monotonic()
            await computer.glimpse()
            took_s.append(time.monotonic() - began_s)
        middle_s = statistics.median(took_s)
        rate = 1 / middle_s
        said = notice(NoticeCode.TEST_PICTURE_TAKES, milliseconds=round(1000 * middle_s), rate=round(rate))
        self._tell(notice(NoticeCode.TEST_OF_PICTURE), Tried.OK, said)

    # the stop

    async def until_stop(self) -> None:
        """Wait until what is to be stopped is on its way."""
        await self._ready.wait()
        if self._look is None:
            return
        while (await self._look()).length < len(WORD) + ARRIVED_BEFORE_STOP:  # noqa: ASYNC110  told by nobody
            await asyncio.sleep(_LOOK_S)

    async def tell_stop(self, computer: Computer) -> None:
        """Tell what came of the stop, once the session is over."""
        name, stopped = notice(NoticeCode.TEST_OF_STOP), self.stopped
        if not self.asked:
            self._tell(name, Tried.NOT_TRIED, notice(NoticeCode.TEST_STOPPED_BY_PERSON))
            return
        do_not = notice(NoticeCode.TEST_DO_NOT_USE)
        if stopped is None:
            self._tell(name, Tried.NOT_OK, notice(NoticeCode.TEST_STOP_TOO_LATE), do_not)
            return
        late_ms = stopped.press_to_last_event_ms
        try:
            wrong = await (self._wrong_motion(computer) if self._look is None else self._wrong_typing(self._look))
        except ComputerError as error:
            wrong = error.text
        if wrong or (late_ms or 0.0) > LATE_MS:
            self._tell(name, Tried.NOT_OK, wrong or self._said(late_ms), do_not, late_ms=late_ms)
        else:
            self._tell(name, Tried.OK, self._said(late_ms), late_ms=late_ms)

    def _said(self, late_ms: float | None) -> str:
        if self._look is not None:
            code, done, whole = NoticeCode.TEST_STOPPED_TYPING, self._arrived.length - len(WORD), len(LONG)
            late = NoticeCode.TEST_STOPPED_TYPING_LATE
        else:
            code, done, whole = NoticeCode.TEST_STOPPED_MOVING, self._performed, MOTIONS
            late = NoticeCode.TEST_STOPPED_MOVING_LATE
        if late_ms is None:
            return notice(code, done=done, all=whole)
        return notice(late, done=done, all=whole, milliseconds=round(late_ms))

    async def _wrong_typing(self, look: _Look) -> str:
        """What is wrong with how typing stopped; "" for nothing. Raises ComputerError."""
        await asyncio.sleep(_QUIET_S)  # what was sent before the stop is handled
        then = await look()
        await asyncio.sleep(_QUIET_S)
        now = self._arrived = await look()
        if now.length != then.length:
            return notice(NoticeCode.TEST_STOP_LEAKED, done=then.length - len(WORD), later=now.length - len(WORD))
        if now.length >= len(WORD) + len(LONG):
            return notice(NoticeCode.TEST_STOP_TOO_LATE)
        return notice(NoticeCode.TEST_STOP_HELD, count=now.held) if now.held else ""

    async def _wrong_motion(self, computer: Computer) -> str:
        """The same about motions."""
        if self._performed >= MOTIONS:
            return notice(NoticeCode.TEST_STOP_TOO_LATE)
        await asyncio.sleep(_QUIET_S)
        then = await computer.glimpse()
        await asyncio.sleep(_QUIET_S)
        now = await computer.glimpse()
        moved = then.pixels != now.pixels if self._in_pictures else then.pointer != now.pointer
        return notice(NoticeCode.TEST_STOP_MOVED) if moved else ""

    # Audience

    def on_record(self, record: Record) -> None:
        """Follow what is to be stopped, and the stop."""
        match record.event:
            case Granted() if self._last_turn and self._look is not None:
                self._ready.set()
            case Performed(result=result) if self._last_turn and self._look is None and result == "done":
                self._performed += 1
                if self._performed >= MOTIONS_BEFORE_STOP:
                    self._ready.set()
            case Stopped() as stopped:
                self.stopped = stopped
            case _:
                pass

    def on_state(self, state: State) -> None:
        """The states are not shown."""

    def on_frame(self, frame: Frame) -> None:
        """The frames are not shown."""


def request_of_test(target: str, paths: Paths) -> SessionRequest:
    """The session of a Test; in a browser that is started, on the page of the marks instead of its own address.

    Raises OperatorError (usage).
    """
    parsed = parse_target(target)
    own_page = parsed.target.kind is TargetKind.BROWSER and not parsed.argument.startswith("cdp=")
    return with_record(
        SessionRequest(
            task=notice(NoticeCode.TARGET_TEST_TASK, target=target),
            target=_page() if own_page else target,
            provider="test", autonomy=Autonomy.GUARDED,
        ),
        paths,
    )  # fmt: skip


def _page() -> str:
    """The browser with the page of the marks, which comes from no network: no rule of sites concerns it."""
    return f"browser:data:text/html;charset=utf-8,{quote(resource_path(*PAGE).read_text(encoding='utf-8'))}"


async def run_target_test(
    services: SessionServices, request: SessionRequest, opened: OpenedTarget, cause: StopCause
) -> TargetReport:
    """Test a target, and close it. The display is stopped afterwards.

    Args:
        services: what a session uses.
        request: by `request_of_test`.
        opened: the target.
        cause: who asks for the stop: the window or the terminal.

    Raises:
        OperatorError, ComputerError: its session is refused.
    """
    computer = opened.computer
    try:
        async with _marks_shown(computer, services.display) as look:
            tested = TargetTest(look, in_pictures=isinstance(computer.target, VncTarget))
            if not isinstance(computer.target, BrowserTarget):  # it takes no new picture while nothing changes
                await tested.time_pictures(computer)
            mode = RunMode(answerable=False, continue_question=False)
            prepared = await prepare(services, request, computer, (tested,), mode, MarkProvider(tested.course, look))
            try:
                await _stop_on_the_way(services, prepared, tested, cause)
                await tested.tell_stop(computer)
            finally:
                await prepared.close()
    finally:
        await computer.close()
    return TargetReport(title=computer.target.title, lines=tuple(tested.lines), stopped=tested.asked)


async def _stop_on_the_way(services: SessionServices, prepared: Prepared, tested: TargetTest, cause: StopCause) -> None:
    """Run the session, and stop it while it types or moves."""
    async with pausing_on_lock(prepared.session.post):
        running = asyncio.create_task(prepared.session.run(), name="target test")
        ready = asyncio.create_task(tested.until_stop(), name="what is to be stopped")
        try:
            await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
            tested.asked = ready.done() and not running.done()
            if tested.asked:
                await services.guard.stop(cause, notice(NoticeCode.TARGET_TEST_STOP))
            await running
        finally:
            for task in (ready, running):
                task.cancel()
            await asyncio.wait({ready, running})


@asynccontextmanager
async def _marks_shown(computer: Computer, display: str) -> AsyncIterator[_Look | None]:
    """Show the marks as long as this lasts; gives what tells what they have received, None where none can be shown.

    Raises OperatorError, ComputerError, TimeoutError.
    """
    target = computer.target
    if isinstance(target, BrowserTarget) and not target.joins:

        async def in_page() -> Seen:
            return seen_in_title((await computer.glimpse()).title) or Seen(hits={})

        async with asyncio.timeout(_PAGE_WITHIN_S):
            while seen_in_title((await computer.glimpse()).title) is None:  # noqa: ASYNC110  told by nobody
                await asyncio.sleep(_LOOK_S)
        yield in_page
    elif isinstance(target, MonitorTarget | VirtualTarget):
        require_libraries()
        at = await _middle(computer)
        with tempfile.TemporaryDirectory(prefix="operator-console-") as folder:
            log = Path(folder) / "marks.jsonl"

            async def in_window() -> Seen:
                return await asyncio.to_thread(seen_in_log, log)

            window = await start_practice(log, marks=True, at=at, env=unscaled_on(target.display or display))
            try:
                yield in_window
            finally:
                await window.stop()
    else:
        yield None


async def _middle(computer: Computer) -> Rect:
    """The window's place in the middle of a target. Raises ComputerError."""
    x, y = (await computer.glimpse()).geometry.rect.centre
    return Rect(x - WINDOW.width // 2, y - WINDOW.height // 2, WINDOW.width, WINDOW.height)


def _why(results: Sequence[CallResult]) -> str:
    """What the results say about the first that was not carried out; "" for none."""
    return next((each.text for each in results if each.status is not CallStatus.DONE), "")


_LARGEST = 400
"""Of a cross, in native pixels: more are other things of this colour."""


def find_cross(frame: Frame, colour: int) -> NativePoint | None:
    """The middle pixel of the only cross of this colour, 0xRRGGBB; None where there is none that is whole."""
    size = frame.geometry.native
    pixels = np.frombuffer(frame.pixels, dtype=np.uint32).reshape(size.height, size.width)
    rows, columns = np.nonzero((pixels & np.uint32(0x00FFFFFF)) == np.uint32(colour))
    if not len(rows):
        return None
    top, bottom, left, right = int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())
    if bottom - top != right - left or not 4 < bottom - top < _LARGEST:
        return None
    return NativePoint((left + right) // 2, (top + bottom) // 2)
