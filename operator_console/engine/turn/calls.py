"""Handles one call of a turn, from its assessment to the result for the model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from operator_console.domain.actions import (
    Action,
    CallFunction,
    Chord,
    Drag,
    EditFile,
    Move,
    QuoteText,
    Release,
    RunCommand,
    TypeText,
    target_point,
)
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, Decision, DecisionKind, Outcome
from operator_console.domain.elements import UNKNOWN_CONTROL, Control, TextKnowledge
from operator_console.domain.errors import ComputerError, ComputerRejected, ComputerUnavailable, RejectedReason
from operator_console.domain.events import Performed
from operator_console.domain.frames import Frame, KeyboardFocus, OneWindow, TargetKind, WindowInfo, target_app
from operator_console.domain.geometry import NativePoint
from operator_console.domain.intents import Pause
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus
from operator_console.domain.risk import RiskClass
from operator_console.domain.stopping import PauseCause
from operator_console.engine.control_finder import ControlFinder, Hit, holds_fields, label_of, placed
from operator_console.engine.input_state import FieldId, field_id
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import CallTurn
from operator_console.engine.targeting import is_keyboard, points
from operator_console.engine.turn.act import Actor
from operator_console.engine.turn.approve import Approval, Case, Place, Ruling, assessed
from operator_console.engine.turn.call_results import NOT_UNDERSTOOD, OBSERVING_ONLY, STALE, interrupted_by, refusal
from operator_console.engine.turn.calls_without_input import Answerer
from operator_console.engine.turn.quote_text import Quoter
from operator_console.policy import PolicyContext

_SUBMITTING_OR_PASTING = frozenset(map(Key, ("enter", "kp_enter", "v", "insert")))
_PRESSING = frozenset(map(Key, ("enter", "kp_enter", "space", "delete", "kp_decimal", "backspace")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """A call's result, the action that was sent (None: none), and a pause that must follow."""

    result: CallResult
    sent: Action | None = None
    pause: Pause | None = None


class Calls:
    """Handles one session's calls."""

    def __init__(
        self,
        session: SessionContext,
        approval: Approval,
        actor: Actor,
        answerer: Answerer,
        controls: ControlFinder,
    ) -> None:
        self._session = session
        self._controls = controls
        self._approval = approval
        self._actor = actor
        self._answerer = answerer
        self._quoter = Quoter(session, approval, actor)

    async def handle(self, call: Call, frame: Frame, step: int) -> Handled:
        """Decide a call and carry it out if approved. Raises Holding and Stopping before anything was sent."""
        self._session.channel.check()
        self._session.recorder.mark(CallTurn(step=step, call=call.index))
        if call.action is None:
            self.leave(call, step, NOT_UNDERSTOOD)
            text = call.error or notice(NoticeCode.CALL_UNKNOWN, name=call.name)
            return Handled(result=CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=text))
        case = Case(
            step=step, call=call, frame=frame,
            places_of=lambda action, give_focus: self._places(call, action, frame, give_focus=give_focus),
        )  # fmt: skip
        ruled = await self._approval.review(case)
        if ruled.approved:
            try:
                ruled = await self._approval.with_focus(case, ruled)
            except (ComputerRejected, ComputerUnavailable) as error:
                return self._handled(call, ruled, *self._actor.not_sent(ruled, error))
        if not ruled.approved:
            return _declined(call, ruled)
        if ruled.assessment.risk is RiskClass.C0:
            return await self._answer(call, ruled, frame)
        return await self._perform(call, ruled, frame)

    def leave(self, call: Call, step: int, rule: str, kind: DecisionKind = DecisionKind.NOT_DONE) -> None:
        """Record a call that is not assessed."""
        by = DecidedBy.HUMAN if kind is not DecisionKind.NOT_DONE else DecidedBy.POLICY
        self._approval.answered_unasked(step, call.index, Decision(kind=kind, by=by, rule=rule))

    async def _answer(self, call: Call, ruled: Ruling, frame: Frame) -> Handled:
        given = await self._answerer.answer(ruled.action, frame, ruled.step, ruled.call)
        result = ActResult.DONE if given.status is CallStatus.DONE else ActResult.FAILED
        self._session.recorder.emit(
            Performed(step=ruled.step, call=ruled.call, result=result, status=given.status, detail=given.text)
        )
        return Handled(
            result=CallResult(
                call=call, status=given.status, text=given.text, output=given.output, picture=given.picture,
                acknowledged=_acknowledged(call, ruled),
            )
        )  # fmt: skip

    async def _perform(self, call: Call, ruled: Ruling, frame: Frame) -> Handled:
        if isinstance(ruled.action, QuoteText):
            status, outcome = await self._quoter.quote(ruled, ruled.action, frame)
        else:
            status, outcome = await self._actor.perform(ruled, frame)
        return self._handled(call, ruled, status, outcome)

    def _handled(self, call: Call, ruled: Ruling, status: CallStatus, outcome: Outcome) -> Handled:
        edited = ruled.decision.kind is DecisionKind.MODIFY
        why = interrupted_by(self._session.channel.interruption)
        result = CallResult(
            call=call, status=status, text=_told(status, outcome, why, edited=edited), output=outcome.output,
            acknowledged=_acknowledged(call, ruled), executed=ruled.action if edited else None, tool=outcome.tool,
        )  # fmt: skip
        sent = status is CallStatus.DONE or outcome.delivered or outcome.result is not ActResult.FAILED
        return Handled(result=result, sent=ruled.action if sent else None)

    async def ask_ahead(self, call: Call, frame: Frame) -> None:
        """Begin to ask for the elements that a call acts on, which is going to be decided first."""
        if call.action is not None:
            await self._controls.ask_ahead(frame, points(call.action, frame, self._session.input_state.pointer))

    async def glance(self, call: Call, frame: Frame) -> Assessment | None:
        """Policy's assessment from what is known without waiting, for display; assessed again when it is decided."""
        if call.action is None:
            return None
        where = points(call.action, frame, self._session.input_state.pointer)
        windows = await self._receivers(frame, where)
        hits: Sequence[Hit | None] = self._controls.at_hand(frame, where, call.box)
        if not where:
            hits = [self._clicked_field(await self._focused_window(frame)) if is_keyboard(call.action) else None]
        places = self._at(call, call.action, frame, hits, windows)
        return max(await assessed(call.action, places), key=lambda found: found.risk)

    async def judged(self, call: Call, action: Action, frame: Frame) -> Assessment:
        """Policy's assessment of an action that is being edited, for display; decided anew when it is approved."""
        places = await self._found(call, action, frame)
        return max(await assessed(action, places), key=lambda found: found.risk)

    async def _places(self, call: Call, action: Action, frame: Frame, *, give_focus: bool) -> Sequence[Place]:
        """The targets of an action; a drag has one at each end.

        What was not told in time is looked at once more where a person would be asked about it, and where keys press
        what has the focus.

        Args:
            call: the model's call.
            action: its action, or an edited one.
            frame: the frame that it was proposed on.
            give_focus: whether the target is given the keyboard focus first, so that its application tells what has it.

        Raises:
            ComputerRejected, ComputerUnavailable: it cannot be given the focus.
        """
        if give_focus:
            await self._session.channel.run(self._give_focus())
        places = await self._session.channel.run(self._found(call, action, frame))
        if await _needs_another_look(action, places, given=give_focus):
            self._controls.wait_again()
            places = await self._session.channel.run(self._found(call, action, frame))
        return places

    async def _give_focus(self) -> None:
        computer = self._session.ports.computer
        await computer.prepare_input(None, needs_focus=True)
        await computer.after_input()

    async def _found(self, call: Call, action: Action, frame: Frame) -> Sequence[Place]:
        if isinstance(action, RunCommand | EditFile | CallFunction):
            return self._at(call, action, frame, [None], [None])  # reaches no window
        where = points(action, frame, self._session.input_state.pointer)
        if where:
            box = call.box if action is call.action else None
            hits, windows = await asyncio.gather(
                self._controls.at(frame, where, box), self._receivers(frame, where)
            )  # fmt: skip
            return self._at(call, action, frame, hits, windows)
        if not is_keyboard(action):
            return self._at(call, action, frame, [None], await self._receivers(frame, where))
        focus = await self._keyboard_focus()
        has_focus = focus is KeyboardFocus.TARGET
        windows = await self._receivers(frame, where)
        hit = await self._focused(frame, windows[0], has_focus=has_focus)
        places = [replace(place, focus=focus) for place in self._at(call, action, frame, [hit], windows)]
        if not _fills_in(action) or not holds_fields(hit.control):
            return places
        changed = self._session.input_state.sent_since_frame
        fields = await self._controls.fields(frame, windows[0], has_focus=has_focus, changed=changed)
        return [*places, *(_in_field(place, field) for field in fields for place in places)]

    async def _keyboard_focus(self) -> KeyboardFocus:
        try:
            return await self._session.ports.computer.keyboard_focus()
        except ComputerError:
            return KeyboardFocus.ELSEWHERE  # the target cannot be seen now; giving it the focus says why

    async def _focused(self, frame: Frame, window: WindowInfo | None, *, has_focus: bool) -> Hit:
        """The control that gets keys, asked for anew each time: Tab or a script may have moved the focus."""
        changed = self._session.input_state.sent_since_frame
        found = await self._controls.focused(frame, window, has_focus=has_focus, changed=changed)
        if found is not None:
            return found
        clicked = self._clicked_field(window)
        if window is None or changed or clicked.nearby or label_of(clicked.control):
            return clicked
        return replace(clicked, nearby=await self._controls.said_in(frame, window))

    def _clicked_field(self, window: WindowInfo | None) -> Hit:
        """The control that was clicked, as long as it is certain to have the focus."""
        input_state = self._session.input_state
        if input_state.field is not None and input_state.is_in(window):
            return input_state.field
        elements = self._session.ports.elements
        knowledge = TextKnowledge.UNREADABLE if elements is None else TextKnowledge.NOT_YET
        return Hit(control=Control(knowledge=knowledge))

    async def _receivers(self, frame: Frame, where: Sequence[NativePoint]) -> Sequence[WindowInfo | None]:
        """The window that would receive it now, at each of its points, or (without any) by the focus."""
        if not where:
            return [await self._focused_window(frame)]
        try:
            return [await self._session.ports.computer.receiver(point) for point in where]
        except ComputerError:
            # The target cannot be seen now, so nothing will be sent either; assessed by the frame.
            return [_focus_in(frame)] * len(where)

    async def _focused_window(self, frame: Frame) -> WindowInfo | None:
        """The window that receives keys, as it is now: that of the frame, the one that a click of this turn has
        focused, or the target that is given the focus before."""
        sent = self._session.input_state.sent_since_frame
        meant = (self._session.turn_picture.given_focus if sent else None) or _focus_in(frame)
        try:
            now = await self._session.ports.computer.receiver(None)
        except ComputerError:
            return meant
        if now is not None and meant is not None and now.window_id == meant.window_id:
            return now  # its title may be another than in the frame: an editor has opened its file
        if meant is None and (sent or isinstance(frame.target, OneWindow)):
            return now
        if sent and frame.stack is None:
            return now
        return meant  # a window that took the focus since is not assessed, because nothing is sent to it

    def _at(
        self, call: Call, action: Action, frame: Frame, hits: Sequence[Hit | None], windows: Sequence[WindowInfo | None]
    ) -> Sequence[Place]:
        """One place for each window that receives it, all with the same controls."""
        if frame.target.kind is TargetKind.VM:  # the viewer's title names a machine, and nothing that it shows
            windows = [window and replace(window, title="") for window in windows]
        hits = [hit and placed(hit, window) for hit, window in zip(hits, windows, strict=True)]
        return [self._place(call, action, frame, hits, window) for window in dict.fromkeys(windows)]

    def _place(
        self, call: Call, action: Action, frame: Frame, hits: Sequence[Hit | None], window: WindowInfo | None
    ) -> Place:
        input_state = self._session.input_state
        hit, begun = hits[-1], UNKNOWN_CONTROL
        control = hit.control if hit is not None else UNKNOWN_CONTROL
        label, nearby = label_of(control), hit.nearby if hit is not None else ()
        field = None if hit is None else self._field(action, hit, window)
        if isinstance(action, Drag) and hits[0] is not None:
            begun = hits[0].control
            label, nearby = label_of(begun), tuple(text for text in (label, *hits[0].nearby, *nearby) if text)
        elif isinstance(action, Move | Release) and input_state.pressed is not None:
            begun = input_state.pressed
        line = input_state.line(field if is_keyboard(action) else None)
        return Place(
            context=PolicyContext(
                app=window.app if window is not None else target_app(frame.target),
                title=_title(window, frame),
                url=control.url or frame.url, label=label, nearby=nearby,
                read=hit is not None and control.knowledge is TextKnowledge.READ, intent=call.intent,
                typed=line.typed, typed_known=line.known, held=tuple(input_state.keys), control=control,
                from_control=begun, own_folders=self._session.options.own_folders,
                function=self._session.functions.get(action.name) if isinstance(action, CallFunction) else None,
            ),
            window=window, hit=hit, start=hits[0] if isinstance(action, Drag) else None, field=field,
            found_s=self._session.clock.monotonic(),
        )  # fmt: skip

    def _field(self, action: Action, hit: Hit, window: WindowInfo | None) -> FieldId:
        """The field that it gives the focus, or that gets the keys."""
        if not is_keyboard(action) or target_point(action) is not None:
            return field_id(hit, window)
        return self._session.input_state.place(hit if hit.element_id else None, window)


def _title(window: WindowInfo | None, frame: Frame) -> str:
    """What names the place for policy."""
    if frame.target.kind is TargetKind.VM:
        return ""
    return (window.title if window is not None else "") or frame.title or frame.target.title


def _fills_in(action: Action) -> bool:
    """Whether it writes into a field, or may submit one."""
    if isinstance(action, Chord):
        return not _SUBMITTING_OR_PASTING.isdisjoint(action.keys)
    return isinstance(action, TypeText)


def _in_field(place: Place, field: Hit) -> Place:
    """The same place if this field of it has the focus."""
    control = placed(field, place.window).control
    context = replace(
        place.context, control=control, label=label_of(control), nearby=field.nearby,
        read=control.knowledge is TextKnowledge.READ, focus_told=False,
    )  # fmt: skip
    return replace(place, context=context)


async def _needs_another_look(action: Action, places: Sequence[Place], *, given: bool) -> bool:
    """Whether a control that was not told in time makes a difference: it would be asked about, it gets keys that press
    or delete it, or its window was just given the focus."""
    late = [
        place for place in places
        if place.hit is not None and place.context.control.knowledge is TextKnowledge.NOT_YET
    ]  # fmt: skip
    if late and (given or (isinstance(action, Chord) and not _PRESSING.isdisjoint(action.keys))):
        return True
    return any(found.risk >= RiskClass.C3 for found in await assessed(action, late))


def _focus_in(frame: Frame) -> WindowInfo | None:
    """The window with the focus in the frame; None where it is unknown or the focus is restored before input."""
    # The console's own window has the focus after a click on Approve.
    theirs = frame.focus is not None and not frame.focus.own
    return frame.focus if theirs and (frame.focus_in_target or not isinstance(frame.target, OneWindow)) else None


def _acknowledged(call: Call, ruled: Ruling) -> bool:
    return call.safety is not None and ruled.approved and ruled.decision.by is DecidedBy.HUMAN


def _declined(call: Call, ruled: Ruling) -> Handled:
    decision = ruled.decision
    pause = None
    match decision.kind, decision.by:
        case DecisionKind.DENY, DecidedBy.LAPSE:
            pause = Pause(by=PauseCause.LAPSED_QUESTION, detail=notice(NoticeCode.SAFETY_QUESTION_LAPSED))
        case ((DecisionKind.SKIP | DecisionKind.DENY), _):
            pass
        case _ if decision.rule not in (OBSERVING_ONLY, STALE):
            detail = call.safety.explanation if call.safety else ""
            pause = Pause(by=PauseCause.PROVIDER_BLOCKED, detail=detail or notice(NoticeCode.SERVICE_BLOCKED_CALL))
    status, text = refusal(decision)
    return Handled(result=CallResult(call=call, status=status, text=text), pause=pause)


def _told(status: CallStatus, outcome: Outcome, why: str, *, edited: bool) -> NoticeText:
    """What the model is told; `why` the call was interrupted, "" where only the outcome says so."""
    said = [notice(NoticeCode.CALL_EDITED)] if edited else []
    match status:
        case CallStatus.DONE:
            return joined(*said, outcome.detail)
        case CallStatus.STOPPED:
            sent = notice(NoticeCode.SENT_OF_TOTAL, sent=outcome.delivered, total=outcome.total)
            extent = sent if outcome.total else outcome.detail if why else ""
            return joined(*said, why or outcome.detail, extent, notice(NoticeCode.LOOK_BEFORE_GOING_ON))
        case _ if outcome.result is ActResult.UNKNOWN:
            look = notice(NoticeCode.DO_NOT_REPEAT)
            return joined(*said, notice(NoticeCode.OUTCOME_UNKNOWN), outcome.detail, look)
        case CallStatus.NOT_DONE if outcome.reason == RejectedReason.STALE.value:
            return joined(*said, notice(NoticeCode.SCREEN_IS_NOT_AS_SEEN), outcome.detail)
        case _:
            return joined(*said, notice(NoticeCode.CALL_NOT_DONE), outcome.detail)
