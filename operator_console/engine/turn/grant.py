"""Makes the grants of approved actions: prepares the target, makes the grant, records `granted` and seals it.

Only an approving ruling becomes a Grant, and `Grant.sealed` is called nowhere else. That the screen is still what the
model saw is guaranteed by the injector, which checks it against the grant.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from operator_console.domain.actions import (
    Action,
    Click,
    Drag,
    KeyUp,
    Move,
    Press,
    QuoteText,
    Release,
    Scroll,
    UseElement,
)
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ComputerError, ComputerRejected, RecordError, RejectedReason
from operator_console.domain.events import Granted, Performed
from operator_console.domain.frames import Frame, WindowInfo, target_app, target_window_id
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import GRANT_LIFE_S, FocusRule, Grant
from operator_console.domain.intents import Pause
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Category
from operator_console.domain.stopping import PauseCause
from operator_console.engine.action_wording import describe_control
from operator_console.engine.control_finder import ControlFinder, Hit
from operator_console.engine.operator_channel import Holding, Stopping
from operator_console.engine.session_context import SessionContext
from operator_console.engine.targeting import (
    check_points,
    is_browser_action,
    is_input,
    is_keyboard,
    middle,
    needs_browser,
    parts,
    points,
)
from operator_console.engine.turn.decide import Ruling
from operator_console.policy.applications import is_browser
from operator_console.policy.input_places import is_terminal_place

STALE_AFTER_S = 0.25  # what is older than this need not be true right before the action
_NEVER_REFUSED = (Move, Scroll, Release, KeyUp)
# Clipboard managers would keep these.
_NEVER_PASTED = frozenset((Category.CREDENTIALS, Category.PERSONAL_DATA))


@dataclass(frozen=True, slots=True, kw_only=True)
class Granting:
    """A sealed grant, and the picture right before the first part of its call is carried out. `first`: that is this."""

    grant: Grant
    before: Frame
    first: bool


class Granter:
    """Makes one session's grants."""

    def __init__(self, session: SessionContext, controls: ControlFinder) -> None:
        self._session = session
        self._controls = controls

    def obstacle(self, ruled: Ruling, frame: Frame) -> Outcome | None:
        """Why the input of an approved call cannot be sent on this target; None: nothing is known."""
        action = ruled.action
        if frame.page is not None and is_browser_action(action):
            return None
        if needs_browser(action):
            if is_browser(ruled.window.app if ruled.window is not None else target_app(frame.target)):
                return None
            detail = notice(NoticeCode.NO_BROWSER_HAS_FOCUS)
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.NO_FOCUS.value)
        if isinstance(action, Click | Press | Scroll) and not points(action, frame, self._session.input_state.pointer):
            detail = notice(NoticeCode.AGENT_POINTER_OFF_TARGET)
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.OUT_OF_RANGE.value)
        if isinstance(action, UseElement) and not _is_found_there(action, ruled.place.hit):
            detail = notice(NoticeCode.OTHER_ELEMENT_AT_PLACE)
            return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.COVERED.value)
        if is_input(action):
            return None
        detail = joined(
            notice(NoticeCode.ACTION_UNAVAILABLE, kind=action.kind), notice(NoticeCode.USE_MOUSE_AND_KEYBOARD)
        )
        return Outcome(result=ActResult.FAILED, detail=detail, reason=RejectedReason.UNSUPPORTED.value)

    @contextlib.asynccontextmanager
    async def granted(
        self, ruled: Ruling, part: Action, frame: Frame, before: Frame | None, *, sends: bool
    ) -> AsyncIterator[Granting]:
        """A grant for one part of an approved call, and the target prepared for it until the block ends.

        Args:
            ruled: the approval.
            part: an input that carries the action out, or the action itself.
            frame: the frame that it was proposed on.
            before: the picture right before the call's first part; None: this is it.
            sends: whether it is input, for which the target is prepared.

        Raises:
            ComputerRejected, ComputerUnavailable: it cannot be prepared, or is not what was assessed any more.
            Holding, Stopping: before anything was sent.
            PermissionError: the ruling does not approve this part (a bug).
        """
        _require_approved(ruled, part, frame)
        session = self._session
        session.channel.check()
        if not session.ports.guard.liveness.live:
            session.channel.hold(Pause(by=PauseCause.STOP_NOT_LIVE, detail=session.ports.guard.liveness.detail))
        try:
            if sends:
                await self._prepare(ruled, part, frame)
            first = before is None
            if before is None:
                before = await session.channel.run(session.ports.computer.glimpse())
            await session.channel.run(self._require_same_control(ruled, part, frame, before))
            grant = self._grant(ruled, part, frame)
            before = await self._record(ruled, grant, before, look_again=first)
            yield Granting(grant=self._sealed(grant), before=before, first=first)
        finally:
            if sends:
                await self._after_input()

    async def _prepare(self, ruled: Ruling, part: Action, frame: Frame) -> None:
        session = self._session
        at = _prepared_at(part, frame, session.input_state.pointer)
        path = part.path[1:] if isinstance(part, Drag) else ()
        await session.channel.run(session.ports.computer.prepare_input(at, is_keyboard(part), path))
        await session.channel.run(self._require_same_window(ruled, part, frame))

    async def _after_input(self) -> None:
        try:
            await self._session.ports.computer.after_input()
        except ComputerError:
            # The target may be gone; the next frame tells.
            return

    async def _require_same_window(self, ruled: Ruling, part: Action, frame: Frame) -> None:
        """Require that the window at the point is the one that was assessed, perhaps minutes ago.

        The grant names no windows where the picture has no stacking order, nor for a move that goes on with a drag.
        """
        at = check_points(part, frame, self._session.input_state.pointer)
        now = [await self._session.ports.computer.receiver(point) for point in at]
        same = _id(ruled.window) in map(_id, now)
        if ruled.decision.permission and ruled.window is not None:  # it names the window by its title
            same = same and ruled.window.title in [window.title for window in now if window is not None]
        if at and not same:
            title = next((window.title for window in now if window is not None), "")
            raise ComputerRejected(
                notice(NoticeCode.OTHER_WINDOW_THERE), reason=RejectedReason.STALE,
                detail=notice(NoticeCode.IT_IS_WINDOW, window=title) if title else "",
                remedy=notice(NoticeCode.LOOK_AGAIN),
            )  # fmt: skip

    async def _require_same_control(self, ruled: Ruling, part: Action, frame: Frame, now: Frame) -> None:
        """Require, where an application tells it, that the control is the one that was assessed a while ago."""
        place, session = ruled.place, self._session
        age_s = session.clock.monotonic() - place.found_s
        if place.hit is None or part != ruled.action or age_s <= STALE_AFTER_S or isinstance(part, _NEVER_REFUSED):
            return
        where = points(part, frame, session.input_state.pointer)
        focus = frame.focus if where else place.window
        seen = replace(frame, frame_id=now.frame_id, pixels=now.pixels, taken_s=now.taken_s, focus=focus)
        if ruled.decision.permission:  # nobody has looked at it: what is not told to be the same is asked about
            if not await self._controls.still(seen, where[-1] if where else None, place.hit):
                raise ComputerRejected(
                    notice(NoticeCode.PERMITTED_PLACE_NOT_CERTAIN), reason=RejectedReason.STALE,
                    remedy=notice(NoticeCode.LOOK_AGAIN),
                )  # fmt: skip
            return
        found = await self._controls.replaced(seen, where[-1] if where else None, place.hit)
        if found is None and where and place.start is not None:
            found = await self._controls.replaced(seen, where[0], place.start)
        if found is not None:
            raise ComputerRejected(
                notice(NoticeCode.OTHER_CONTROL_THERE) if where else notice(NoticeCode.OTHER_CONTROL_FOCUSED),
                reason=RejectedReason.STALE,
                detail=notice(NoticeCode.IT_IS_CONTROL, control=words) if (words := describe_control(found)) else "",
                remedy=notice(NoticeCode.LOOK_AGAIN),
            )  # fmt: skip

    def _grant(self, ruled: Ruling, part: Action, frame: Frame) -> Grant:
        guard = self._session.ports.guard
        picture, pointer = self._session.turn_picture, self._session.input_state.pointer
        # A move with a button down continues a drag; the dragged object may be under the pointer.
        drags = isinstance(part, Move) and bool(self._session.input_state.buttons)
        return Grant(
            grant_id=secrets.token_hex(16), step=ruled.step, call=ruled.call, action=part, target=frame.target,
            geometry=frame.geometry, checks=picture.screen_checks(part, frame, pointer),
            owners=() if drags else picture.owner_checks(part, frame, pointer),
            holder=None if drags else picture.holder_check(part, ruled.window), focus=_focus(part, ruled.window, frame),
            document=frame.page.document if frame.page is not None else "",
            epoch=guard.epoch, expires_s=0.0,
            pointer=pointer, typing_delay_s=self._session.options.typing_delay_s,
            press_time_s=self._session.options.press_time_s,
            paste=self._session.options.paste and _NEVER_PASTED.isdisjoint(ruled.assessment.categories),
            terminal=is_terminal_place(ruled.place.context),
        )  # fmt: skip

    async def _record(self, ruled: Ruling, grant: Grant, before: Frame, *, look_again: bool) -> Frame:
        """Record `granted` and wait until it is durable, so that no action happens unrecorded.

        Args:
            ruled: the approval.
            grant: the grant, not sealed yet.
            before: the picture before the action.
            look_again: capture it again where the disk was slow.

        Returns:
            The picture before the action.

        Raises:
            Holding: it cannot be written, or a pause came meanwhile.
            Stopping: a stop came meanwhile.
        """
        recorder = self._session.recorder
        granted = Granted(
            step=ruled.step, call=ruled.call, grant_id=grant.grant_id, action=grant.action, epoch=grant.epoch,
            window=ruled.window,
        )  # fmt: skip
        self._require_permission(ruled)
        recorder.emit(granted)
        try:
            before = await self._session.channel.run(self._durable(before, look_again=look_again))
            self._require_permission(ruled)
        except ComputerRejected:
            self._grant_unused(ruled, grant, ActResult.FAILED)
            raise  # it is told as what was not sent
        except (Holding, asyncio.CancelledError):
            self._grant_unused(ruled, grant, ActResult.FAILED)
            raise
        except Stopping:
            self._grant_unused(ruled, grant, ActResult.STOPPED)
            raise
        except RecordError as error:
            self._grant_unused(ruled, grant, ActResult.FAILED)
            self._session.channel.hold(Pause(by=PauseCause.RECORD, detail=error.text))
        return before

    def _require_permission(self, ruled: Ruling) -> None:
        """Require that the permission that the decision rests on still stands."""
        permission = ruled.decision.permission
        if permission and not self._session.permissions.stands(permission):
            raise ComputerRejected(
                notice(NoticeCode.PERMISSION_WAS_REVOKED), reason=RejectedReason.REVOKED,
                remedy=notice(NoticeCode.LOOK_AGAIN),
            )  # fmt: skip

    async def _durable(self, before: Frame, *, look_again: bool) -> Frame:
        session = self._session
        began_s = session.clock.monotonic()
        await session.recorder.durable()
        if look_again and session.clock.monotonic() - began_s > STALE_AFTER_S:
            with contextlib.suppress(ComputerError):
                return await session.ports.computer.glimpse()
        return before

    def _grant_unused(self, ruled: Ruling, grant: Grant, result: ActResult) -> None:
        """Record the outcome of a `granted` after which nothing was sent."""
        self._session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, grant_id=grant.grant_id, result=result,
                status=CallStatus.STOPPED if result is ActResult.STOPPED else CallStatus.NOT_DONE,
                detail=notice(NoticeCode.NOT_SENT_RECORD_LATE),
            )
        )  # fmt: skip

    def _sealed(self, grant: Grant) -> Grant:
        """The sealed grant, valid for `GRANT_LIFE_S` from now; called after the wait for the record."""
        expires_s = self._session.clock.monotonic() + GRANT_LIFE_S
        return replace(grant, expires_s=expires_s).sealed(self._session.ports.guard.grant_key)


def _require_approved(ruled: Ruling, part: Action, frame: Frame) -> None:
    """Raises PermissionError for a part that carries out nothing that was approved."""
    if isinstance(ruled.action, QuoteText):
        scrolls = isinstance(part, Scroll) and part.at == middle(ruled.action.region)
        covers = ruled.action.auto_scroll and scrolls
    else:
        covers = part in parts(ruled.action, managed=frame.page is not None)
    if not ruled.approved or not covers:
        raise PermissionError("only what was approved can be granted")


def _is_found_there(action: UseElement, hit: Hit | None) -> bool:
    """Whether what was assessed is the element itself, and not something over it, or nothing at all."""
    return hit is not None and hit.element_id == action.element.element_id


def _prepared_at(part: Action, frame: Frame, pointer: tuple[int, int] | None) -> NativePoint | None:
    """The point that must be free of the console's windows. A release where the pointer is must not be refused."""
    if isinstance(part, Release):
        return part.at
    if isinstance(part, UseElement) and frame.target.kind.is_one_window:
        return None  # no pointer is sent there, so that other windows may cover the target
    return next(iter(points(part, frame, pointer)), None)


def _id(window: WindowInfo | None) -> int | None:
    return None if window is None else window.window_id


def _focus(part: Action, window: WindowInfo | None, frame: Frame) -> FocusRule | None:
    """Keys go only to the window that they were assessed for."""
    meant = window.window_id if window is not None else target_window_id(frame.target)
    return FocusRule(window_id=meant) if is_keyboard(part) else None
