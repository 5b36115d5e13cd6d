"""The control at a point or with the keyboard focus: as its application describes it, else as the picture shows it.

The application is asked first. The picture is read where it describes too little, or does not answer at once; both have
a bounded time. An application that was asked and has never told a control is asked again, and not waited for once the
picture is read. What neither knows in time stays unknown; `Control.knowledge` says why.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from operator_console.domain.elements import (
    AROUND_PX,
    FIELDS,
    REACH_PX,
    UNKNOWN_CONTROL,
    Control,
    ControlSource,
    Element,
    ElementState,
    Exposure,
    PointText,
    Role,
    TextKnowledge,
)
from operator_console.domain.errors import ConsoleError
from operator_console.domain.frames import Frame, TextBox, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.engine.operator_channel import abandon, done_within
from operator_console.engine.ports import Clock, Elements, Reader
from operator_console.engine.screen_text import READ_AGAIN_S, READ_WITHIN_S, TargetReader, label_at
from operator_console.policy.word_tables import tables

T = TypeVar("T")
_log = logging.getLogger(__name__)

ELEMENTS_WITHIN_S = 0.2
"""Bound of a question to an application. The decision is due 300 ms after the model's answer, and the picture is read
meanwhile: what this leaves is for the rest."""
FIELDS_WITHIN_S = 0.6
"""Bound of the question for the fields of a window."""
UNHURRIED_S = 3.8
"""Bound of the question for the focus while no decision waits."""
PASSWORDS_WITHIN_S = 3.5
"""Bound of the question for fields for passwords, which the picture waits for: a browser counts as awake after 3 s.
What is not told then is black."""
PASSWORDS_AFTER_SILENCE_S = 0.5
"""The same while an application has not answered that question."""
_ON_ITS_WAY_S = 0.2
ELEMENTS_FIRST_S = 0.1
"""Time that an application has before the picture is read as well, which keeps the processor busy for a moment: more
than browsers need for most answers, and short enough that text is known in time without them."""
AFTER_SILENCE_S = 0.05
"""Bound of the questions that follow one that was not answered: a frozen application costs one long wait only."""
AHEAD_S = 1.0
"""How old an answer may be that was asked for ahead: after a pause, the application is asked anew."""
NEARBY = 6
"""The most texts beside a control that policy is told of."""
SAME_BOX_PX = 2
"""A control that moved by at most this is where it was."""
_BORDER_PX = 4
"""A border that shows the focus makes a box that much larger."""

_SAY_NOTHING = frozenset((
    Role.PROGRESS_BAR, Role.SCROLL_BAR, Role.SEPARATOR, Role.SLIDER, Role.TITLE_BAR,
))  # fmt: skip
"""Controls that need no words to be known."""
_AREAS = frozenset((
    Role.ALERT, Role.DIALOG, Role.DOCUMENT, Role.FORM, Role.GROUP, Role.LIST, Role.MENU, Role.MENU_BAR, Role.STATUS_BAR,
    Role.TABLE, Role.TAB_LIST, Role.TOOL_BAR, Role.TREE, Role.WINDOW,
))  # fmt: skip
"""They hold controls. One is found at a point where there is no control, or where the application draws its own."""
_AROUND_FIELDS = frozenset((Role.ALERT, Role.DIALOG, Role.DOCUMENT, Role.FORM, Role.GROUP, Role.WINDOW))
_HOLD_MORE = _AREAS | frozenset((Role.CELL, Role.LIST_ITEM, Role.PARAGRAPH, Role.TREE_ITEM))
"""What a page may have put words in that it listens to, which are then no elements of the point beside them."""
_DRAWINGS = frozenset((Role.IMAGE, Role.UNKNOWN))
_MAY_BE_PRESSED = frozenset((Role.CELL, Role.GROUP, Role.IMAGE, Role.LABEL, Role.PARAGRAPH, Role.UNKNOWN))
"""Roles of what a page may have made a button of, without saying so."""
_PRESSES = frozenset(("click", "press", "activate", "jump"))
_TALLEST_BUTTON_PX, _WIDEST_BUTTON_PX = 72, 480
"""A box up to this size that a page shows around a text may be a button."""
_SMALL_SHARE = 0.6
"""Of the picture's width and height: a window up to this size may be a question."""
_ICON_READ_AS = 2
"""Characters, at most, that an icon is taken for when it is read as text."""
_ASKED_AT_MOST = 8
"""Texts of which it is asked to which control they belong."""
_FIELD_MIN_WIDTH, _FIELD_MIN_SHAPE = 80, 3
_LABEL_LEFT_PX, _LABEL_ABOVE_PX = 240, 28
_LINES_OF_CARET = 3
"""A field this many times as high as its caret has several lines."""
_ENTRY_PITCH = 2.2
"""From line to line, in their heights: what is further apart are entries of a menu or a list, and no text in several
lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What an action hits.

    Attributes:
        control: the control.
        nearby: texts around it: those of its dialog and groups, then others, nearest first.
        element_id: the accessible element; "" where there is none.
    """

    control: Control = UNKNOWN_CONTROL
    nearby: tuple[str, ...] = ()
    element_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ahead(Generic[T]):
    """What was asked about a frame before it is needed: what is at its points, or (no points) about all of it."""

    frame_id: str
    points: tuple[NativePoint, ...] = ()
    asked_s: float
    answer: asyncio.Future[T]

    def is_about(self, frame: Frame, points: Sequence[NativePoint], now_s: float) -> bool:
        """Whether it is the question for these points of the frame, and its answer not too old."""
        wanted = (frame.frame_id, tuple(points))
        return (self.frame_id, self.points) == wanted and self.asked_s >= now_s - AHEAD_S


class ControlFinder:
    """Finds the controls on one frame at a time; `begin` sets the frame."""

    def __init__(self, elements: Elements | None, reader: Reader | None, texts: TargetReader, clock: Clock) -> None:
        self._elements = elements
        self._reader = reader
        self._texts = texts
        self._clock = clock
        self._known: dict[tuple[str, NativePoint], Element | None] = {}
        self._boxes: dict[tuple[str, NativePoint], Rect | None] = {}
        self._questions = itertools.count(1)
        self._patience_s = ELEMENTS_WITHIN_S
        self._reading_s = READ_WITHIN_S
        self._ahead: _Ahead[Sequence[Element | None]] | None = None
        self._passwords_ahead: _Ahead[Sequence[HiddenArea] | None] | None = None
        self._passwords_within_s = PASSWORDS_WITHIN_S
        self._not_waited_for: asyncio.Future[Sequence[Element | None]] | None = None
        self._waits_again = False
        self._telling = set[int]()  # applications, as of `_application_of`
        self._silent = set[int]()

    def wait_again(self) -> None:
        """Give an application that did not answer its whole time again for the next question, what has the focus the
        time that it takes among many elements, and the picture time to be read on a busy machine: a person would be
        asked otherwise, which takes longer."""
        self._patience_s = ELEMENTS_WITHIN_S
        self._waits_again = True
        self._reading_s = READ_AGAIN_S

    async def begin(self, frame: Frame, *, whole: bool = True) -> None:
        """A new frame; with `whole`, all of it is read in the background."""
        await self._give_up_asking()
        self._waits_again = False
        self._known.clear()
        self._boxes.clear()
        await self._texts.begin(frame, whole=whole)

    async def close(self) -> None:
        """Cancel what is in progress."""
        await self._give_up_asking()
        ahead, self._passwords_ahead = self._passwords_ahead, None
        if ahead is not None:
            await abandon(ahead.answer)
        await self._texts.close()

    async def ask_ahead(self, frame: Frame, points: Sequence[NativePoint]) -> None:
        """Begin to ask the application for the elements at points for which `at` is called next."""
        await self._give_up_ahead()
        if points:
            answer = asyncio.ensure_future(self._elements_at(frame, points))
            self._ahead = _Ahead(
                frame_id=frame.frame_id, points=tuple(points), asked_s=self._clock.monotonic(), answer=answer
            )  # fmt: skip

    async def _give_up_asking(self) -> None:
        await self._give_up_ahead()
        asked, self._not_waited_for = self._not_waited_for, None
        if asked is not None:
            await abandon(asked)

    async def _give_up_ahead(self) -> None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            await abandon(ahead.answer)

    async def at(self, frame: Frame, points: Sequence[NativePoint], box: Rect | None = None) -> tuple[Hit, ...]:
        """What is at each point.

        Args:
            frame: the frame that the points were proposed on.
            points: native pixels.
            box: the model's own box of its target, used where nothing else tells what the point refers to.
        """
        if not points:
            return ()
        self._texts.within_s, self._reading_s = self._reading_s, READ_WITHIN_S
        drawn = [self._drawn(frame, point) for point in points]
        asking = self._asked(frame, points)
        reading = asyncio.ensure_future(self._read_after(asking, frame, points, drawn))
        deadline = asyncio.ensure_future(self._clock.sleep(self._texts.within_s))
        try:
            found = await self._told(asking, reading, frame, points)
            needed = any(
                _needs_reading(each) or _holds_icon(each, area) for each, area in zip(found, drawn, strict=True)
            )
            texts = await reading if needed else self._texts.at_hand(frame, points, drawn)
            seen = list(map(_Seen, points, found, drawn, texts))
            completed = await self._completed(frame, seen, deadline)
            return tuple([self._with_icon(frame, each.point, _hit(each, box)) for each in completed])
        finally:
            self._texts.within_s = READ_WITHIN_S
            for task in (asking, reading, deadline):
                if task is not self._not_waited_for:
                    await abandon(task)

    def _asked(self, frame: Frame, points: Sequence[NativePoint]) -> asyncio.Future[Sequence[Element | None]]:
        """The question for the elements at points, which may have been asked ahead."""
        ahead = self._ahead
        if ahead is None or not ahead.is_about(frame, points, self._clock.monotonic()):
            return asyncio.ensure_future(self._elements_at(frame, points))
        self._ahead = None
        return ahead.answer

    async def _told(
        self, asking: asyncio.Future[Sequence[Element | None]], reading: asyncio.Future[Sequence[PointText]],
        frame: Frame, points: Sequence[NativePoint],
    ) -> Sequence[Element | None]:  # fmt: skip
        """What the applications tell. One that has told nothing so far has as long as the picture takes to be read;
        what it tells later counts for the next question."""
        if not self._never_told(frame, points):
            return await asking
        waiting: set[asyncio.Future[Any]] = {asking, reading}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if asking.done():
            return asking.result()
        self._not_waited_for = asking
        return [None] * len(points)

    def _never_told(self, frame: Frame, points: Sequence[NativePoint]) -> bool:
        """Whether the applications at points were asked before and have told no control."""
        return all(_application(frame, point) in self._silent for point in points)

    def _learn(self, frame: Frame, told: Mapping[NativePoint, Element | None]) -> None:
        """Note which applications tell controls."""
        for point, element in told.items():
            application = _application(frame, point)
            if application is not None and element is not None:
                self._telling.add(application)
                self._silent.discard(application)
            elif application is not None and application not in self._telling:
                self._silent.add(application)

    async def _read_after(
        self, asking: asyncio.Future[Sequence[Element | None]], frame: Frame, points: Sequence[NativePoint],
        drawn: Sequence[Rect | None],
    ) -> Sequence[PointText]:  # fmt: skip
        """The texts at the points: read once the application has said too little, or nothing for a while."""
        if self._never_told(frame, points):
            return await self._texts.near(frame, points, drawn)
        answered = await done_within(asking, self._clock, ELEMENTS_FIRST_S)
        if answered and not any(
            _needs_reading(each) or _holds_icon(each, area) for each, area in zip(asking.result(), drawn, strict=True)
        ):
            return self._texts.at_hand(frame, points, drawn)
        return await self._texts.near(frame, points, drawn)

    async def _completed(self, frame: Frame, seen: Sequence[_Seen], deadline: asyncio.Future[None]) -> Sequence[_Seen]:
        """With the text inside of nameless controls, and without the text of other controls, until the deadline."""
        working = asyncio.ensure_future(self._more(frame, seen))
        waiting: set[asyncio.Future[Any]] = {working, deadline}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else seen
        finally:
            await abandon(working)

    async def _more(self, frame: Frame, seen: Sequence[_Seen]) -> Sequence[_Seen]:
        return [await self._one(frame, each) for each in seen]

    async def _one(self, frame: Frame, seen: _Seen) -> _Seen:
        element = seen.element
        if _is_beside_text(seen):
            seen = await self._with_text_in_box(frame, seen)
            element = seen.element
        square = Rect.around(seen.point, AROUND_PX, frame.geometry.native)
        if element is not None and _is_nameless_control(element) and square.intersect(element.box) != element.box:
            (texts,) = await self._texts.near(frame, [seen.point], [element.box])
            return replace(seen, texts=texts)
        return seen if element is None or not _is_drawn(element) else await self._without_others(frame, seen)

    async def _with_text_in_box(self, frame: Frame, seen: _Seen) -> _Seen:
        """With the text or the control that the application describes in the box around the point, instead of what
        holds it: a page draws a box with padding around a word and listens to all of it."""
        assert seen.drawn is not None
        box = seen.drawn
        x, y = box.centre
        points = [NativePoint(across, y) for across in (x, box.x + box.width // 4, box.x + box.width * 3 // 4)]
        for found in await self._elements_at(frame, points):
            if found is not None and found.box.intersect(box) == found.box and (_words(found) or found.text):
                return replace(seen, element=found)
        return seen

    async def _without_others(self, frame: Frame, seen: _Seen) -> _Seen:
        """Without the texts, and without the box, that belong to controls beside the point.

        The application describes nothing at the point. What the picture shows around it may still be other controls
        that it does describe: a tool bar around buttons, the button beside a gap.
        """
        area = seen.drawn or Rect(seen.point.x - REACH_PX, seen.point.y - REACH_PX, 2 * REACH_PX, 2 * REACH_PX)
        texts = [box for box in (*seen.texts.inside, *seen.texts.nearby) if not box.box.intersect(area).empty]
        texts = texts[:_ASKED_AT_MOST]
        if not texts:
            return seen
        centres = [NativePoint(*box.box.centre) for box in texts]
        owners = await self._elements_at(frame, centres)
        others = [
            box for box, owner in zip(texts, owners, strict=True)
            if owner is not None and not _is_text_of_page(owner) and not owner.box.contains(seen.point.x, seen.point.y)
        ]  # fmt: skip
        if not others:
            return seen
        inside = tuple(box for box in seen.texts.inside if box not in others)
        beside = tuple(box for box in seen.texts.nearby if box not in others)
        return replace(seen, drawn=None, others=tuple(others), texts=replace(seen.texts, inside=inside, nearby=beside))

    def at_hand(self, frame: Frame, points: Sequence[NativePoint], box: Rect | None = None) -> tuple[Hit, ...]:
        """What is known about each point without waiting."""
        drawn = [self._drawn(frame, point) for point in points]
        found = [self._known.get((frame.frame_id, point)) for point in points]
        texts = self._texts.at_hand(frame, points, drawn)
        return tuple(_hit(each, box) for each in map(_Seen, points, found, drawn, texts))

    async def focused(
        self, frame: Frame, window: WindowInfo | None, *, has_focus: bool, changed: bool, unhurried: bool = False
    ) -> Hit | None:
        """The control of a window that gets keys there now; None where that is not known.

        Args:
            frame: the last frame; extents refer to it.
            window: the window that gets keys; None: not known.
            has_focus: it has the keyboard focus, without which few applications tell what keys would reach.
            changed: input was sent since the frame, so that its texts may be outdated.
            unhurried: no decision waits for it, so that a program has the time to tell what has the focus among many
                elements; so has one that tells of its controls, after `wait_again`.
        """
        if self._elements is None or window is None:
            return None
        again, self._waits_again = self._waits_again, False
        unhurried = unhurried or (again and _application_of(window) in self._telling)
        asked = self._anew(frame, window, has_focus=has_focus)
        answer = self._elements.focused(asked, unhurried=unhurried)
        element = await self._bounded(answer, UNHURRIED_S if unhurried else None)
        if element is None:
            return None
        (hit,) = await self._with_texts(frame, [element], changed=changed)
        return hit

    def is_drawn(self, frame: Frame, control: Control) -> bool:
        """Whether the picture shows the box of a control where it was found, perhaps with more lines in it; True for a
        control that was not found by its box."""
        box = control.extent
        if control.source is not ControlSource.PICTURE or box is None:
            return True
        now = self._drawn(frame, NativePoint(*box.centre))
        return (
            now is not None
            and max(abs(now.x - box.x), abs(now.right - box.right)) <= _BORDER_PX
            and now.y <= box.y + _BORDER_PX
            and now.bottom >= box.bottom - _BORDER_PX
        )

    async def at_caret(self, before: Frame, now: Frame, window: WindowInfo) -> Hit | None:
        """The field of a window in which a caret blinks, by two pictures between which no input was sent; None where
        none of them shows a caret, or the picture shows no box around it. `before` is what is read."""
        caret = None if self._reader is None else self._reader.caret(before, now)
        if caret is None or not _native_rect(window.rect, before).contains(*caret.centre):
            return None
        point = NativePoint(*caret.centre)
        box = self._drawn(before, point)
        if box is None:
            return None
        (texts,) = await self._texts.near(before, [point], [box])
        seen = _Seen(point, None, box, texts)
        content = text_inside(seen.boxes, box)
        label = field_label(seen.boxes, box)
        several = (ElementState.MULTI_LINE,) if box.height >= _LINES_OF_CARET * caret.height else ()
        control = Control(
            source=ControlSource.PICTURE, knowledge=texts.knowledge, role=Role.TEXT_FIELD,
            label=label or content, value=content if label else "",
            states=(ElementState.EDITABLE, ElementState.FOCUSED, *several), extent=box,
        )  # fmt: skip
        return Hit(control=control, nearby=_nearby(control, seen))

    async def fields(self, frame: Frame, window: WindowInfo | None, *, has_focus: bool, changed: bool) -> Sequence[Hit]:
        """What can be typed into in the window that gets keys; arguments as of `focused`. Rarely needed, and then
        more important than the time it takes."""
        if self._elements is None or window is None:
            return []
        asked = self._anew(frame, window, has_focus=has_focus)
        found = await self._bounded(self._elements.fields(asked), FIELDS_WITHIN_S)
        return await self._with_texts(frame, found or (), changed=changed)

    async def _with_texts(self, frame: Frame, elements: Sequence[Element], *, changed: bool) -> Sequence[Hit]:
        centres = [NativePoint(*element.box.centre) for element in elements]
        boxes = [element.box for element in elements]
        unnamed = any(_needs_reading(element) and element.role not in _AREAS for element in elements)
        if unnamed and not changed:
            texts = await self._texts.near(frame, centres, boxes)
        else:
            texts = self._texts.at_hand(frame, centres, boxes)
        return [
            _hit(_Seen(at, element, None, read), None)
            for at, element, read in zip(centres, elements, texts, strict=True)
        ]

    async def said_in(self, frame: Frame, window: WindowInfo) -> tuple[str, ...]:
        """The texts of a small window, which may ask what Enter answers; none for a large one."""
        rect = _native_rect(window.rect, frame)
        native = frame.geometry.native
        if rect.empty or rect.width > native.width * _SMALL_SHARE or rect.height > native.height * _SMALL_SHARE:
            return ()
        (texts,) = await self._texts.near(frame, [NativePoint(*rect.centre)], [rect])
        return tuple(box.text.strip() for box in texts.inside if box.text.strip())

    def ask_passwords_ahead(self, frame: Frame) -> None:
        """Begin to ask where fields for passwords are, for a frame that may be the next one for `passwords`."""
        former = self._passwords_ahead
        if former is not None:
            former.answer.cancel()
        answer = asyncio.ensure_future(self._passwords(frame))
        self._passwords_ahead = _Ahead(frame_id=frame.frame_id, asked_s=self._clock.monotonic(), answer=answer)

    async def passwords(self, frame: Frame) -> Sequence[HiddenArea] | None:
        """Where fields for passwords are shown, and what is not known to have none; None where nobody tells."""
        ahead, self._passwords_ahead = self._passwords_ahead, None
        if ahead is None:
            return await self._passwords(frame)
        try:
            if ahead.is_about(frame, (), self._clock.monotonic()) and (found := await ahead.answer) is not None:
                return found
        finally:
            await abandon(ahead.answer)
        return await self._passwords(frame)

    async def _passwords(self, frame: Frame) -> Sequence[HiddenArea] | None:
        if self._elements is None:
            return None
        within_s = self._passwords_within_s
        asked = self._elements.passwords(replace(frame, focus=frame.front), within_s)
        found = await self._bounded(asked, within_s + _ON_ITS_WAY_S)
        if found is None:  # nobody has told anything so far, which takes no long time
            self._patience_s = AFTER_SILENCE_S
        elif any(area.untold for area in found):
            self._passwords_within_s, self._patience_s = PASSWORDS_AFTER_SILENCE_S, AFTER_SILENCE_S
        else:
            self._passwords_within_s = PASSWORDS_WITHIN_S
        return found

    async def exposure(self, frame: Frame) -> Exposure | None:
        """What the application of the target's front window tells; None where that is not known in time."""
        if self._elements is None:
            return None
        found = await self._bounded(self._elements.exposure(replace(frame, focus=frame.front)))
        if found is Exposure.FULL and frame.front is not None:
            application = _application_of(frame.front)
            self._telling.add(application)
            self._silent.discard(application)
        return found

    async def replaced(self, frame: Frame, point: NativePoint | None, before: Hit) -> Control | None:
        """The control that is now in the place of `before`; None where it is the same, or where that is not known.

        Args:
            frame: a frame of the screen as it is now.
            point: where it was found; None: it had the focus.
            before: what was found there.
        """
        now = await self._now(frame, point, before)
        return None if now is None or _same(now, before) else _described(now)

    async def still(self, frame: Frame, point: NativePoint | None, before: Hit) -> bool:
        """Whether the application tells that the control, and the page that it is on, is the same; arguments as of
        `replaced`."""
        now = await self._now(frame, point, before)
        return now is not None and _same(now, before) and now.url == before.control.url

    async def _now(self, frame: Frame, point: NativePoint | None, before: Hit) -> Element | None:
        if self._elements is None or not before.element_id:
            return None
        if point is None:
            return await self._bounded(self._elements.focused(self._anew(frame, frame.focus, has_focus=True)))
        now, *_ = await self._bounded(self._elements.at(frame, [point])) or [None]
        return now

    async def _elements_at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        if self._elements is None:
            return [None] * len(points)
        found = await self._bounded(self._elements.at(frame, points))
        self._learn(frame, dict(zip(points, found or [None] * len(points), strict=True)))
        if found is None:
            return [None] * len(points)
        self._known.update(((frame.frame_id, point), each) for point, each in zip(points, found, strict=True))
        return found

    async def _bounded(self, asked: Awaitable[T], within_s: float | None = None) -> T | None:
        """The answer of an application; None where it does not come in time."""
        answer = asyncio.ensure_future(asked)
        try:
            answered = await done_within(answer, self._clock, within_s or self._patience_s)
            self._patience_s = ELEMENTS_WITHIN_S if answered else AFTER_SILENCE_S
            return answer.result() if answered else None
        except (ConsoleError, OSError):
            _log.warning("the accessible elements cannot be asked for", exc_info=True)
            return None
        finally:
            await abandon(answer)

    def _drawn(self, frame: Frame, point: NativePoint) -> Rect | None:
        native = frame.geometry.native
        if self._reader is None or not (0 <= point.x < native.width and 0 <= point.y < native.height):
            return None
        key = frame.frame_id, point
        if key not in self._boxes:
            self._boxes[key] = self._reader.box_around(frame, point)
        return self._boxes[key]

    def _with_icon(self, frame: Frame, point: NativePoint, hit: Hit) -> Hit:
        """With what a drawn icon stands for, where there are no words, or what was read may be the icon."""
        control = hit.control
        said = label_of(control)
        misread = control.source is not ControlSource.ACCESSIBLE and said.isalnum() and len(said) <= _ICON_READ_AS
        if self._reader is None or (said and not misread) or control.role in FIELDS or control.role in _SAY_NOTHING:
            return hit
        place = point if control.extent is None or control.role in _AREAS else control.extent
        return replace(hit, control=replace(control, icon=self._reader.icon(frame, place)))

    def _anew(self, frame: Frame, window: WindowInfo | None, *, has_focus: bool) -> Frame:
        """The frame with this window to ask about keys, and an id of its own: the focus moves without a visible change,
        so that no answer that is kept for the picture counts."""
        frame_id = f"{frame.frame_id} {next(self._questions)}"
        return replace(frame, frame_id=frame_id, focus=window, focus_in_target=has_focus)


def _application(frame: Frame, point: NativePoint) -> int | None:
    """The process whose window owned a pixel of the frame, else that window; None: not known."""
    owner = frame.owner(point)
    return None if owner is None else _application_of(owner.info)


def _application_of(window: WindowInfo) -> int:
    """The process of a window, else the window."""
    return window.pid or window.window_id


def _native_rect(rect: Rect, frame: Frame) -> Rect:
    """The native pixels of the frame that a rectangle in input units covers."""
    native = frame.geometry.native
    return frame.geometry.rect_from_screen(rect).intersect(Rect(0, 0, native.width, native.height))


def placed(hit: Hit, window: WindowInfo | None) -> Hit:
    """The hit, with the window that owns its place."""
    control = hit.control
    if window is None:
        return hit
    return replace(hit, control=replace(control, app=control.app or window.app, window=control.window or window.title))


def label_of(control: Control) -> str:
    """What a control says, in one text; the name of an area (a window, a page) is not what is hit there."""
    if control.role in _AREAS:
        return control.text.strip()
    return (control.says or control.icon).strip()


def holds_fields(control: Control) -> bool:
    """Whether it holds fields, as a page does, rather than being one."""
    return control.role in _AROUND_FIELDS and ElementState.EDITABLE not in control.states


def _needs_reading(element: Element | None) -> bool:
    """Whether the picture must be read to know what the element says, or what is asked around it."""
    if element is None:
        return True
    if element.role in _SAY_NOTHING:
        return False
    if element.role in _AREAS:
        return _is_drawn(element)
    if element.role in _DRAWINGS:
        return not (_words(element) or element.text)
    if element.role in FIELDS:
        return not _words(element) and element.role is not Role.TERMINAL
    if not (_words(element) or element.text):
        return True
    # What “OK” confirms is told by the dialog, else by the texts around it.
    dialog = element.dialog
    asked = dialog is not None and bool(dialog.text or dialog.title)
    return not asked and tables().is_exactly("confirm", element.name or element.text)


def _words(element: Element) -> str:
    return element.name or element.label or element.description


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the sources tell about a point.

    Attributes:
        element: the accessible element.
        drawn: the box that the picture shows around it.
        texts: the texts at and around it.
        others: texts of controls beside it.
    """

    point: NativePoint
    element: Element | None
    drawn: Rect | None
    texts: PointText
    others: tuple[TextBox, ...] = ()

    @property
    def boxes(self) -> Sequence[TextBox]:
        return (*self.texts.inside, *self.texts.nearby)


def _hit(seen: _Seen, box: Rect | None) -> Hit:
    element, drawn = seen.element, seen.drawn
    if element is None:
        control = _from_picture(seen, box)
    elif (_is_drawn(element) or _holds_icon(element, drawn)) and (
        drawn is None or drawn.intersect(element.box) == drawn
    ):
        control = _inside(element, _from_picture(seen, box))
    else:
        control = _described(element, seen)
    return Hit(control=control, nearby=_nearby(control, seen), element_id="" if element is None else element.element_id)


def _is_drawn(element: Element) -> bool:
    """Whether what stands there is drawn by the application, which describes only the area around it."""
    return (element.role in _AREAS or element.role in _DRAWINGS) and not (element.text or element.actions)


def _holds_icon(element: Element | None, drawn: Rect | None) -> bool:
    """Whether the picture shows a small box in an area whose text stands elsewhere: pictures of a page that have
    neither a role nor a name are not told at all. In an area without text of its own it may be as large as a button."""
    if element is None or drawn is None or element.role not in _AREAS or _is_pressable(element, None):
        return False
    widest = _TALLEST_BUTTON_PX if element.text or not element.url else _WIDEST_BUTTON_PX
    small = drawn.height <= _TALLEST_BUTTON_PX and drawn.width <= widest
    return small and drawn.intersect(element.box) == drawn and 4 * drawn.width <= element.box.width


def _is_beside_text(seen: _Seen) -> bool:
    """Whether the point lies in something of a page that holds more than the small box drawn around the point."""
    element, box = seen.element, seen.drawn
    if element is None or box is None or element.role not in _HOLD_MORE or not element.url:
        return False
    if box.height > _TALLEST_BUTTON_PX or box.width > _WIDEST_BUTTON_PX or _is_pressable(element, None):
        return False
    return box.intersect(element.box) == box and box.width * box.height * 2 <= element.box.width * element.box.height


def _is_nameless_control(element: Element) -> bool:
    return _needs_reading(element) and element.role not in _AREAS and not (_words(element) or element.text)


def _is_text_of_page(element: Element) -> bool:
    """Whether it is text that a page shows, or an area: the text of a control that is only drawn is told like that."""
    return element.role in _AREAS or element.role in (Role.HEADING, Role.LABEL, Role.PARAGRAPH)


def _is_pressable(element: Element, drawn: Rect | None) -> bool:
    """Whether a page has made a button of what is no control by its role.

    Pages listen at one place for the clicks on all of their buttons, so that no action is told of each; then the box
    around the text tells it. An action of something around it is told in other words, and tells of cards and rows too.
    """
    if element.role not in _MAY_BE_PRESSED or not element.url:
        return False
    if element.role is not Role.CELL and (
        ElementState.FOCUSABLE in element.states or not _PRESSES.isdisjoint(map(str.lower, element.actions))
    ):
        return True
    if drawn is None or drawn.height > _TALLEST_BUTTON_PX or drawn.width > _WIDEST_BUTTON_PX:
        return False
    return drawn.contains(*element.box.centre) and element.box.height <= _TALLEST_BUTTON_PX


def _states(element: Element) -> tuple[ElementState, ...]:
    """The states; a menu entry of which the application tells nothing but that it shows a menu opens that."""
    opens = element.role is Role.MENU_ITEM and {action.lower() for action in element.actions} == {"showmenu"}
    if not opens or ElementState.EXPANDABLE in element.states:
        return element.states
    return (*element.states, ElementState.EXPANDABLE)


def _described(element: Element, seen: _Seen | None = None) -> Control:
    """The control that an element is; what it does not say is read off the picture."""
    secret = element.role is Role.PASSWORD_FIELD
    text, knowledge, label = "" if secret else element.text, TextKnowledge.READ, element.label
    if seen is not None and _is_nameless_control(element) and element.role not in FIELDS:
        text, knowledge = text_inside(seen.boxes, element.box), seen.texts.knowledge
    if seen is not None and element.role in FIELDS and not _words(element):
        label = field_label(seen.boxes, element.box)
    return Control(
        source=ControlSource.ACCESSIBLE, knowledge=knowledge, role=element.role, name=element.name, text=text,
        label=label, description=element.description, value="" if secret else element.value, states=_states(element),
        pressable=_is_pressable(element, seen.drawn if seen is not None else None),
        extent=element.box, link=element.link, group=element.group, submits=element.submits,
        dialog=element.dialog, app=element.app, window=element.window, url=element.url,
    )  # fmt: skip


def _inside(element: Element, drawn: Control) -> Control:
    """What the picture shows in an area, with what its application tells about the place."""
    told = _described(element)
    if drawn.source is ControlSource.PICTURE and element.role in _AREAS:
        return replace(
            told, source=ControlSource.PICTURE, knowledge=drawn.knowledge, role=Role.UNKNOWN, name="", description="",
            text=drawn.text, line=drawn.line, label=drawn.label, extent=drawn.extent,
        )  # fmt: skip
    named = element.role in _DRAWINGS and _words(element)
    knowledge = TextKnowledge.READ if named else drawn.knowledge
    return replace(told, knowledge=knowledge, text=drawn.text, extent=drawn.extent or element.box)


def _from_picture(seen: _Seen, box: Rect | None) -> Control:
    drawn, boxes, knowledge = seen.drawn, seen.boxes, seen.texts.knowledge
    if drawn is not None and not _is_card(seen.point, drawn, boxes):
        drawn = _entry_at(seen.point, drawn, boxes)
        text = text_inside(boxes, drawn)
        line = label_at(boxes, seen.point) if len(_lines_in(drawn, boxes)) > 1 else ""
        label = "" if text or not _looks_like_field(drawn) else field_label(boxes, drawn)
        several = label and drawn.height > _TALLEST_BUTTON_PX
        return Control(
            source=ControlSource.PICTURE, knowledge=knowledge, text=text, line=line, label=label, extent=drawn,
            role=Role.TEXT_FIELD if several else Role.UNKNOWN,
            states=(ElementState.EDITABLE, ElementState.MULTI_LINE) if several else (),
        )  # fmt: skip
    return Control(source=ControlSource.NONE, knowledge=knowledge, text=label_at(boxes, seen.point, box))


def _is_card(point: NativePoint, drawn: Rect, boxes: Sequence[TextBox]) -> bool:
    """Whether the box holds several lines, none of them at the point: what is there is a part of it, as an icon is."""
    here = Rect(point.x, point.y, 1, 1)
    lines = _lines_in(drawn, boxes)
    apart = bool(lines) and max(line.y for line in lines) >= min(line.bottom for line in lines)
    return apart and all(line.distance(here) > REACH_PX for line in lines)


def _lines_in(drawn: Rect, boxes: Sequence[TextBox]) -> list[Rect]:
    return [box.box for box in boxes if drawn.contains(*box.box.centre)]


def _entry_at(point: NativePoint, drawn: Rect, boxes: Sequence[TextBox]) -> Rect:
    """The part of the box that belongs to the line at the point, where its lines are entries one below the other."""
    lines = sorted(_lines_in(drawn, boxes), key=lambda line: line.y)
    top, bottom = drawn.y, drawn.bottom
    for upper, lower in itertools.pairwise(lines):
        if lower.y - upper.y < _ENTRY_PITCH * max(upper.height, lower.height):
            continue
        between = (upper.bottom + lower.y) // 2
        if between <= point.y:
            top = between
        else:
            bottom = between
            break
    return Rect(drawn.x, top, drawn.width, bottom - top)


def text_inside(boxes: Sequence[TextBox], extent: Rect) -> str:
    """All text whose words lie inside, in reading order."""
    words = [word for box in boxes for word in (box.parts or (box,))]
    return " ".join(word.text.strip() for word in words if extent.contains(*word.box.centre)).strip()


def field_label(boxes: Sequence[TextBox], extent: Rect) -> str:
    """The text that labels a field: on its left in the same row, else right above it; "" where there is none."""
    x, y = extent.x, extent.centre[1]
    left = [b for b in boxes if b.box.y <= y < b.box.bottom and 0 <= x - b.box.right <= _LABEL_LEFT_PX]
    if left:
        return max(left, key=lambda found: found.box.right).text.strip()
    above = [
        b for b in boxes
        if 0 <= extent.y - b.box.bottom <= _LABEL_ABOVE_PX and b.box.x < extent.right and b.box.right > x
    ]  # fmt: skip
    return max(above, key=lambda found: found.box.bottom).text.strip() if above else ""


def _looks_like_field(extent: Rect) -> bool:
    return extent.width >= max(_FIELD_MIN_WIDTH, _FIELD_MIN_SHAPE * extent.height)


def _nearby(control: Control, seen: _Seen) -> tuple[str, ...]:
    told = [control.dialog.title, control.dialog.text] if control.dialog is not None else []
    told += control.group
    own = label_of(control)
    extent = control.extent if own else None
    around = extent or Rect(seen.point.x, seen.point.y, 1, 1)
    boxes = [box for box in (*seen.boxes, *seen.others) if box.box.distance(around) <= AROUND_PX]
    ranked = sorted(boxes, key=lambda found: found.box.distance(around))
    read = [found.text.strip() for found in ranked if not (extent and extent.contains(*found.box.centre))]
    if own in read:
        read.remove(own)
    told += [text for text in (seen.element.around if seen.element is not None else ()) if text != own]
    return tuple(dict.fromkeys(text for text in told if text)) + tuple(text for text in read if text)[:NEARBY]


def _same(now: Element, before: Hit) -> bool:
    control = before.control
    if control.source is not ControlSource.ACCESSIBLE:
        return now.element_id == before.element_id
    if (now.role, now.name) != (control.role, control.name):
        return False
    extent = control.extent
    return extent is None or all(
        abs(a - b) <= SAME_BOX_PX
        for a, b in (
            (now.box.x, extent.x), (now.box.y, extent.y), (now.box.right, extent.right),
            (now.box.bottom, extent.bottom),
        )
    )  # fmt: skip
