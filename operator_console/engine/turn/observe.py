"""Captures and records the frames that the model is shown, with the provider's marks on them.

While the screen settles, two things are asked ahead of the picture that is expected: where fields for passwords are,
which counts if that picture comes, and the provider's marks. What the provider has of that one is its own affair: it is
asked again for the frame that is then captured.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.elements import Exposure
from operator_console.domain.errors import (
    ComputerError,
    ComputerTimedOut,
    ComputerUnavailable,
    RecordError,
    UnavailableReason,
)
from operator_console.domain.events import Downloaded, Observed, Warned
from operator_console.domain.frames import Frame, Picture, WindowInfo, WindowTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.intents import Pause
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import MarksElements
from operator_console.domain.stopping import PauseCause
from operator_console.engine.action_wording import news_words
from operator_console.engine.control_finder import ControlFinder
from operator_console.engine.operator_channel import Holding, abandon
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import Look
from operator_console.engine.visible_text import brief

_TARGET_IS_LOST = frozenset((UnavailableReason.GONE, UnavailableReason.NO_DISPLAY))


NOT_ALL_SEEN = (
    "A note on the new picture, from the console: {what} Do not act on what cannot be seen "
    "there; wait, look again, or ask the operator."
)

JOINED_TOLD = (
    "A note from the console: the program opened a further window, “{title}”. It is a part of the picture, which may "
    "show the rest at another place than before."
)
APART_TOLD = (
    "A note from the console: the program opened a further window, “{title}”. It is not in the picture, and nothing "
    "can be done there. If the task needs it, ask the operator."
)
SHUTTERS_TOLD = (
    "A note from the console: the operator has hidden a part of the screen from you. It is black, with the words "
    "“hidden from the model”. Nothing can be done there; do without it, or ask the operator."
)
PASSWORDS_TOLD = (
    "A note from the console: fields for passwords are black on the pictures, whatever is in them. They can be clicked "
    "and typed into as usual."
)
UNTOLD_TOLD = (
    "A note from the console: a part of the picture is black, with the words “its application does not answer”, as it "
    "may show a password. Nothing can be done there; wait and look again."
)
OUTDATED_AFTER_S = 0.5
"""How old a picture may be when it becomes known where it shows fields for passwords."""

MOST_OF_A_TITLE = 80
"""Characters that are told of a window's title, which its program chooses."""

MARKS_AHEAD_WITHIN_S = 0.2
"""Where marks take longer, none are asked for ahead: the application that tells the elements is not yet done then."""


class Observer:
    """Captures one session's frames.

    Attributes:
        exposure: what the application of the target's front window tells about its controls; None: not known.
    """

    def __init__(self, session: SessionContext, controls: ControlFinder) -> None:
        self._session = session
        self._marks = FrameMarks(session)
        self._controls = controls
        self._closed = False
        self._exposures: dict[tuple[int | None, str], Exposure | None] = {}
        self._asking: asyncio.Task[None] | None = None
        self.exposure: Exposure | None = None
        self._passwords: tuple[HiddenArea, ...] = ()
        self._covered = ""
        self._untold: list[str] = []
        self._reduced: set[str] = set()
        self._told_of = set[int]()
        self._told: set[str] = set()
        self._further = set[int]()

    @property
    def password_fields(self) -> tuple[Rect, ...]:
        """Where the newest frame shows, or may show, fields for passwords, native pixels."""
        return tuple(area.box for area in self._passwords)

    def take_notes(self) -> list[str]:
        """Notes for the model about the newest picture, each given once."""
        notes, self._untold = self._untold, []
        return notes

    async def observe(self, step: int) -> tuple[Frame, Picture]:
        """Capture a fresh frame and its picture, and record them for `step`.

        Raises:
            Holding: the target cannot be seen now, which a human can fix; or a pause came.
            ComputerUnavailable: the target is gone for good.
        """
        session = self._session
        session.recorder.mark(Look())
        await self._wait_for_room()
        try:
            frame = await self._captured()
            asking = await self._ask_exposure(frame)
            frame, picture = await self._without_passwords(frame)
            if _application(frame) not in self._exposures:
                await session.channel.watch(asking)
        except (ComputerUnavailable, ComputerTimedOut) as error:
            reason = error.reason if isinstance(error, ComputerUnavailable) else None
            if reason in _TARGET_IS_LOST:
                raise
            by = PauseCause.SCREEN_LOCK if reason is UnavailableReason.LOCKED else PauseCause.TARGET
            raise Holding(Pause(by=by, detail=error.text)) from error
        if picture.size != frame.geometry.sent:  # it was reduced, and the model's points refer to it
            frame = replace(frame, geometry=replace(frame.geometry, sent=picture.size))
        marks = await self._marks.of(frame, picture)
        self._record(frame, picture, marks, step)
        return frame, picture

    async def _without_passwords(self, frame: Frame) -> tuple[Frame, Picture]:
        """The frame with its fields for passwords in black, and its picture, which is made while they are asked for: it
        is made again only where other fields are shown than before. What was told late is not that of the picture any
        more, so that both are made and asked for again. Raises as `observe` does."""
        frame, picture, told_late = await self._with_known_fields(frame)
        if told_late:
            frame, picture, _ = await self._with_known_fields(await self._captured())
        return frame, picture

    async def _with_known_fields(self, frame: Frame) -> tuple[Frame, Picture, bool]:
        """The frame with what is known of fields in it, its picture, and whether that was told late."""
        session = self._session
        began_s = session.clock.monotonic()
        computer, needs = session.ports.computer, session.ports.provider.image_needs
        asking = asyncio.ensure_future(self._controls.passwords(frame))
        try:
            picture = await session.channel.run(computer.picture(frame, needs))
            await session.channel.watch(asking)
        finally:
            await abandon(asking)
        found = asking.result()
        told_late = found is not None and session.clock.monotonic() - began_s >= OUTDATED_AFTER_S
        self._passwords = self._passwords if found is None else tuple(found)
        if session.options.hide_passwords and await computer.hide_passwords(self._passwords):
            frame = await self._captured()
            picture = await session.channel.run(computer.picture(frame, needs))
        return frame, picture, told_late

    async def _captured(self) -> Frame:
        ports = self._session.ports
        return await self._session.channel.run(ports.computer.observe(ports.provider.image_needs))

    async def _wait_for_room(self) -> None:
        try:
            await self._session.channel.run(self._session.recorder.make_room())
        except RecordError as error:
            raise Holding(Pause(by=PauseCause.RECORD, detail=error.text)) from error

    def expect(self, frame: Frame) -> None:
        """Begin what takes time for a frame that may be the next one."""
        if not self._closed:  # the computer's thread may tell of a frame after the end
            self._controls.ask_passwords_ahead(frame)
            self._marks.begin(frame)

    async def close(self) -> None:
        """Cancel what is in progress, and begin nothing any more."""
        self._closed = True
        await self._give_up_exposure()
        await self._marks.close()

    async def _give_up_exposure(self) -> None:
        task, self._asking = self._asking, None
        if task is not None:
            await abandon(task)

    async def _ask_exposure(self, frame: Frame) -> asyncio.Task[None]:
        """Ask, while the picture is made, what the application tells.

        The answer is waited for only where the application has not been asked before; else it counts next time.
        """
        await self._give_up_exposure()
        self._asking = asyncio.create_task(self._learn_exposure(frame), name="ask-exposure")
        return self._asking

    async def _learn_exposure(self, frame: Frame) -> None:
        found = await self._controls.exposure(frame)
        application = _application(frame)
        self._exposures[application] = found or self._exposures.get(application)

    def _record(self, frame: Frame, picture: Picture, marks: tuple[ElementMark, ...], step: int) -> None:
        session = self._session
        session.input_state.new_frame(frame)
        session.turn_picture.begin(frame)
        session.memory.begin(frame)
        session.input_state.pointer = session.input_state.pointer or _pointer_of(frame)
        if frame.covered and frame.covered != self._covered:
            title = notice(NoticeCode.PART_OF_TARGET_NOT_SEEN)
            session.recorder.emit(Warned(title=title, detail=frame.covered, step=step))
            self._untold.append(NOT_ALL_SEEN.format(what=frame.covered))
        self._covered = frame.covered
        self._tell_of_hidden_areas(frame, step)
        self._tell_of_further_windows(frame, step)
        self._record_news()
        self._announce(picture, step)
        self.exposure = self._exposures.get(_application(frame))
        self._tell_of_controls(frame, step)
        digest = session.recorder.keep_picture(picture)
        session.recorder.emit(
            Observed(
                step=step, frame_id=frame.frame_id, picture=digest, mime_type=picture.mime_type,
                picture_bytes=len(picture.data), note=picture.note, geometry=frame.geometry, focus=frame.focus,
                title=frame.title, url=frame.url, pointer=_pointer_of(frame),
                exposure=self.exposure.value if self.exposure is not None else "", marks=marks,
                tabs=frame.page.tabs if frame.page is not None else (),
                dialog=frame.page.dialog if frame.page is not None else None,
            )
        )  # fmt: skip
        session.recorder.show_frame(frame)

    def _tell_of_hidden_areas(self, frame: Frame, step: int) -> None:
        """Tell the model, once of each kind, what is black; of what may show a password, each time that it begins."""
        notes = {
            UNTOLD_TOLD if area.untold else PASSWORDS_TOLD if area.password else SHUTTERS_TOLD for area in frame.hidden
        }
        new = notes - self._told
        self._untold += sorted(new)
        if UNTOLD_TOLD in new:
            title, detail = notice(NoticeCode.MAY_SHOW_PASSWORD), notice(NoticeCode.MAY_SHOW_PASSWORD_WHY)
            self._session.recorder.emit(Warned(title=title, detail=detail, step=step))
        self._told = (self._told - {UNTOLD_TOLD}) | notes

    def _tell_of_further_windows(self, frame: Frame, step: int) -> None:
        """Warn of each window that the target's program opened, and tell the model, once."""
        if not isinstance(frame.target, WindowTarget):
            return
        shown = {each.info.window_id: each.info for each in frame.stack or ()}
        for window_id in frame.target.joined:
            if window_id in shown:
                self._tell_of_window(shown[window_id], NoticeCode.SECOND_WINDOW_JOINED, JOINED_TOLD, "", step)
        why = notice(NoticeCode.SECOND_WINDOW_APART_WHY)
        for info in frame.apart:
            self._tell_of_window(info, NoticeCode.SECOND_WINDOW_APART, APART_TOLD, why, step)

    def _tell_of_window(self, info: WindowInfo, what: NoticeCode, note: str, why: str, step: int) -> None:
        if info.window_id in self._further:
            return
        self._further.add(info.window_id)
        title = brief(info.title or info.app, MOST_OF_A_TITLE)
        said = notice(what, app=brief(info.app, MOST_OF_A_TITLE), window=f"“{title}”")
        self._session.recorder.emit(Warned(title=said, detail=why, step=step))
        self._untold.append(note.format(title=title))

    def _record_news(self) -> None:
        """Record what a managed browser has downloaded and was kept from, and tell the model."""
        for news in self._session.ports.computer.take_news():
            self._session.recorder.emit(news)
            if isinstance(news, Downloaded):
                self._session.memory.arrived(news.name)
            self._untold.append(news_words(news))

    def _tell_of_controls(self, frame: Frame, step: int) -> None:
        """Warn, once for each application, that it would tell its controls if it were started again."""
        front = frame.front
        if self.exposure is not Exposure.SWITCHED_OFF or front is None or front.pid is None:
            return
        if front.pid in self._told_of:
            return
        self._told_of.add(front.pid)
        command = self._session.ports.restart_command(front.pid) or front.app
        self._session.recorder.emit(
            Warned(
                title=notice(NoticeCode.CONTROLS_NOT_TOLD, app=front.app),
                detail=notice(NoticeCode.CONTROLS_NOT_TOLD_WHY, command=command), step=step, pid=front.pid,
            )
        )  # fmt: skip

    def _announce(self, picture: Picture, step: int) -> None:
        """Warn, once for each kind of reduction, that the picture was reduced to stay within its size limit."""
        if not picture.reduced or picture.note in self._reduced:
            return
        self._reduced.add(picture.note)
        detail = joined(
            notice(NoticeCode.SCREEN_COMPRESSES_BADLY, changes=picture.note), notice(NoticeCode.DETAIL_MAY_BE_LOST)
        )
        self._session.recorder.emit(Warned(title=notice(NoticeCode.PICTURE_REDUCED), detail=detail, step=step))


def _application(frame: Frame) -> tuple[int | None, str]:
    front = frame.front
    return (front.pid, front.app) if front is not None else (None, "")


def _pointer_of(frame: Frame) -> tuple[int, int] | None:
    """The pointer in a frame, in input units."""
    return None if frame.pointer_screen is None else (frame.pointer_screen.x, frame.pointer_screen.y)


class FrameMarks:
    """The marks of one session's frames. At most one task, which ends with `of` or `close`."""

    def __init__(self, session: SessionContext) -> None:
        self._session = session
        self._task: asyncio.Task[None] | None = None
        self._frame_id = ""
        self._took_s = 0.0

    def begin(self, frame: Frame) -> None:
        """Begin the marks of a frame that may be the next one, unless there are none, or they take long."""
        if self._task is not None:
            self._task.cancel()
        if isinstance(self._session.ports.provider, MarksElements) and self._took_s < MARKS_AHEAD_WITHIN_S:
            self._frame_id = frame.frame_id
            self._task = asyncio.create_task(self._mark(frame), name="marks-ahead")

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
        """Give up what was begun."""
        if self._task is not None:
            await abandon(self._task)

    async def _mark(self, frame: Frame) -> None:
        provider = self._session.ports.provider
        with suppress(ComputerError):
            picture = await self._session.ports.computer.picture(frame, provider.image_needs)
            if isinstance(provider, MarksElements):
                await provider.marks(frame, picture)
