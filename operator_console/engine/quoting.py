"""Reads the text of a place to its end by scrolling it: each notch by a grant, through the one door, as approved.

Screen by screen: read, scroll on by a little more than half of the place, wait until it stands, until nothing moves any
more or enough is read; then it is scrolled back. Called by engine.calls for a QuoteText that may scroll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from operator_console.domain.actions import QuoteText, Scroll
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ConsoleError, RejectedReason
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import Rect
from operator_console.domain.proposals import CallStatus
from operator_console.engine.acting import Actor
from operator_console.engine.approval import Approval, Ruling
from operator_console.engine.channel import Holding, Stopping
from operator_console.engine.desk import Desk
from operator_console.engine.joining import Joined, Rows, cut_short, moved_up, rows_of
from operator_console.engine.targeting import settle_bounds

MOST_SCREENS = 30
MOST_NOTCHES = 20
"""At most so many at once, where a notch moves only a little."""

_PART = 0.6  # of the place's height a step goes on, so that each line is seen whole once


@dataclass(slots=True)
class _Course:
    """How far it came. `per_notch` in pixels, 0 while it is not known; `moved_px` None where that was lost."""

    frame: Frame
    first: Rows
    joined: Joined = field(default_factory=Joined)
    screens: int = 1
    sent: int = 0
    moved_px: int | None = 0
    per_notch: float = 0.0
    ended: bool = False
    problem: Outcome | None = None

    def step(self, height: int) -> int:
        """The notches of the next step: one to measure with, then as many as fit."""
        return max(1, min(MOST_NOTCHES, int(_PART * height / self.per_notch))) if self.per_notch else 1

    def moved(self, shift: int | None, notches: int) -> None:
        """Take note of a step. At the end it goes less far than its notches: the best of all is what one does."""
        self.moved_px = None if shift is None or self.moved_px is None else self.moved_px + shift
        self.per_notch = max(self.per_notch, (shift or 0) / notches)

    def back(self) -> int:
        """How many notches up lead to where it began."""
        if self.moved_px is None or not self.per_notch:
            return self.sent
        return round(self.moved_px / self.per_notch)


class Quoter:
    """One session's reading with scrolling."""

    def __init__(self, desk: Desk, approval: Approval, actor: Actor) -> None:
        self._desk = desk
        self._approval = approval
        self._actor = actor

    async def quote(self, ruled: Ruling, action: QuoteText, frame: Frame) -> tuple[CallStatus, Outcome]:
        """The text, and in words how much was read. Raises Holding, Stopping before anything was sent."""
        native = frame.geometry.native
        region = action.region.intersect(Rect(0, 0, native.width, native.height))
        if self._desk.ports.reader is None:
            return self._refused(ruled, "Reading text off the screen is not available here.")
        if region.empty:
            return self._refused(ruled, "The region lies outside the picture.")
        self._actor.before = None
        course = _Course(frame=frame, first=rows_of(frame, region))
        try:
            course.joined.add(await self._read(frame, region), region, None)
            while course.screens < MOST_SCREENS and await self._go_on(ruled, course, region):
                course.screens += 1
            if course.problem is not None and not course.sent:
                return self._actor.said(ruled, course.problem)
            returned = await self._return(ruled, course, region)
        except (Holding, Stopping):
            if not course.sent:
                raise
            words = f"Cut short after {_screens(course)}; it was not scrolled back."
            return self._actor.said(ruled, Outcome(result=ActResult.STOPPED, detail=words))
        except ConsoleError as error:
            return self._actor.said(ruled, Outcome(result=ActResult.FAILED, detail=str(error)))
        text, shortened = cut_short(course.joined.text)
        detail = " ".join(filter(None, (_told(course), shortened, returned)))
        return self._actor.said(ruled, Outcome(result=ActResult.DONE, detail=detail, output=text))

    def _refused(self, ruled: Ruling, why: str) -> tuple[CallStatus, Outcome]:
        reason = RejectedReason.UNSUPPORTED.value
        return self._actor.said(ruled, Outcome(result=ActResult.FAILED, detail=why, reason=reason))

    async def _go_on(self, ruled: Ruling, course: _Course, region: Rect) -> bool:
        """Scroll on and read; whether there was more."""
        before, notches = rows_of(course.frame, region), course.step(region.height)
        if not await self._scroll(ruled, course, notches):
            return False
        shift = moved_up(before, rows_of(course.frame, region))
        if shift == 0:
            course.ended = True
            return False
        course.moved(shift, notches)
        course.joined.add(await self._read(course.frame, region), region, shift)
        return True

    async def _scroll(self, ruled: Ruling, course: _Course, notches: int) -> bool:
        """Send notches on the newest picture, wait, and look; whether they were sent."""
        part, make = self._approval.scroll(ruled, course.frame, notches)
        status, outcome = await self._actor.part(ruled, part, make, course.frame)
        if status is not CallStatus.DONE:
            course.problem = outcome
            return False
        course.sent += notches
        course.frame = await self._settled(part, course.frame)
        return True

    async def _return(self, ruled: Ruling, course: _Course, region: Rect) -> str:
        """Scroll back to where it began; what became of that, in words."""
        left = course.back() if course.screens > 1 else 0
        if not left:
            return ""
        while left > 0 and await self._scroll(ruled, course, -min(left, MOST_NOTCHES)):
            left -= MOST_NOTCHES
        if course.problem is not None:
            return f"It could not be scrolled back: {course.problem.detail}"
        if moved_up(course.first, rows_of(course.frame, region)):
            await self._scroll(ruled, course, -1)  # the last step down went less far than its notches
        there = moved_up(course.first, rows_of(course.frame, region)) == 0
        return "It was scrolled back." if there else "It was scrolled back, but does not stand exactly as before."

    async def _settled(self, part: Scroll, before: Frame) -> Frame:
        desk, (lower_s, upper_s) = self._desk, settle_bounds(part)
        computer = desk.ports.computer
        await desk.channel.run(computer.settle(before, at=part.at, lower_s=lower_s, upper_s=upper_s))
        return await desk.channel.run(computer.observe(desk.ports.provider.image_needs))

    async def _read(self, frame: Frame, region: Rect) -> Sequence[TextBox]:
        reader = self._desk.ports.reader
        assert reader is not None
        return await self._desk.channel.run(reader.read(frame, region))


def _screens(course: _Course) -> str:
    return "1 screen" if course.screens == 1 else f"{course.screens} screens"


def _told(course: _Course) -> str:
    """How much was read."""
    if course.ended:
        how = "to its end" if course.screens > 1 else "it does not scroll further"
    elif course.problem is not None:
        how = f"then it could not be scrolled on: {course.problem.detail.rstrip('.')}"
    else:
        how = "there is more below"
    gaps = " A piece may be missing between two of them." if course.joined.gaps else ""
    return f"Read {_screens(course)}, {how}.{gaps}"
