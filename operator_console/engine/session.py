"""One supervised session: arms the guard, opens the record, runs the agent loop, and always ends in order.

A session closes the journal that it opened; the caller closes the provider, computer, reader and effects.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Sequence
from dataclasses import replace

from operator_console.domain.actions import Action
from operator_console.domain.decisions import Assessment, Question, Surface
from operator_console.domain.errors import (
    ComputerError,
    ConsoleError,
    ExitCode,
    OperatorError,
    ProviderError,
    RecordError,
)
from operator_console.domain.events import (
    AutonomyChanged,
    Ended,
    EndedOutcome,
    Event,
    Message,
    SessionStarted,
    Snapshot,
    Stopped,
    Warned,
)
from operator_console.domain.frames import TargetKind, TargetRef, as_recorded
from operator_console.domain.intents import (
    Approve,
    ApproveNext,
    Intent,
    NoteSnapshot,
    Pause,
    Resume,
    Revoke,
    SetAutonomy,
    Stop,
)
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.permissions import RevokedBy
from operator_console.domain.proposals import Brief, ContinuesConversations, ReadsTask
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.states import State
from operator_console.domain.stopping import PauseCause, StopCause, StopReport
from operator_console.domain.tools import ToolSpec
from operator_console.engine.action_wording import describe_stopped
from operator_console.engine.hidden_texts import HiddenTexts
from operator_console.engine.input_state import InputState
from operator_console.engine.limits import Meter
from operator_console.engine.operator_channel import BY_GUARD, OperatorChannel, Stopping
from operator_console.engine.ports import Audience, Clock, EffectPort
from operator_console.engine.questions import Asker
from operator_console.engine.recorder import Recorder
from operator_console.engine.session_context import Leave, Options, Ports, SessionContext, SystemClock
from operator_console.engine.session_memory import SessionMemory
from operator_console.engine.standing_permissions import Permissions
from operator_console.engine.state_machine import Begin
from operator_console.engine.turn.expected_screen import TurnPicture
from operator_console.engine.turn.loop import Loop
from operator_console.engine.typed_secrets import told
from operator_console.policy.word_tables import tables
from operator_console.resource_files import resource_path

_log = logging.getLogger(__name__)

REPORT_WITHIN_S = 2.0


class Session:
    """A supervised run. Use once: `await run()`; `post` from the same event loop at any time."""

    def __init__(
        self,
        request: SessionRequest,
        ports: Ports,
        *,
        options: Options | None = None,
        clock: Clock | None = None,
        audiences: Sequence[Audience] = (),
    ) -> None:
        clock = clock or SystemClock()
        self._ports = ports
        self._early: list[Event] = []
        self._rebuilt_turns = 0
        self._not_past: str = ""
        self._channel = OperatorChannel(self._said, self._snapshot_noted, self._leave_changed)
        hidden = HiddenTexts()
        if (secrets := ports.secrets) is not None:
            for each in secrets.secrets:
                hidden.add(secrets.value(each.name))
        self._recorder = Recorder(clock, audiences, self._unwritten, hidden)
        self._context = SessionContext(
            request=request, ports=ports, options=options or Options(), clock=clock, recorder=self._recorder,
            channel=self._channel, meter=Meter(request, clock), input_state=InputState(),
            turn_picture=TurnPicture(), memory=SessionMemory(request), permissions=Permissions(self._recorder),
            hidden=hidden, leave=Leave(request.autonomy),
        )  # fmt: skip
        self._asker = Asker(self._context)
        self._loop = Loop(self._context, self._asker)

    @property
    def state(self) -> State:
        """The current state."""
        return self._recorder.state

    @property
    def question(self) -> Question | None:
        """The open question; None where there is none."""
        return self._asker.open

    def post(self, intent: Intent) -> None:
        """Hand an intent to the session; returns at once. Must be called on the session's event loop."""
        self._channel.post(intent)

    async def judged(self, step: int, call: int, action: Action) -> Assessment | None:
        """Policy's assessment of an action as it is being edited, for display; it is assessed again when it is decided.

        Returns:
            None where it is not an action of the newest turn, or the target cannot be asked now.
        """
        try:
            return await self._loop.judged(step, call, action)
        except ComputerError:
            return None

    async def run(self) -> Ended:
        """Run the session from arming the guard to the end.

        Returns:
            The Ended event, also where a stop or an error ended the run.

        Raises:
            OperatorError, ComputerError: the run was refused before it began; no file was written.
            RecordError: the file cannot be opened, or its first event cannot be written.
        """
        unsubscribe = self._ports.guard.subscribe(self)
        armed = True
        try:
            self._recorder.mark(Begin())
            try:
                # Before arming: loading keeps the processor busy, and an armed guard expects answers of the loop.
                await asyncio.to_thread(tables)
                await self._arm()
            except ConsoleError:
                armed = False
                raise
            await self._open_record()
            return await self._supervised()
        except Stopping as stopped:
            raise _stopped_before(stopped) from None
        finally:
            unsubscribe()
            if armed:
                await self._disarm()
            await self._recorder.close()

    # GuardListener

    def on_stop(self, report: StopReport) -> None:
        """The guard has killed the injector and released all input; the session ends."""
        self._channel.reported(report)

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        """The guard has shut the gate; the session pauses."""
        self._channel.post(Pause(by=cause, detail=detail))

    def on_resume(self, cause: PauseCause) -> None:
        """The guard ends a pause of its own."""
        self._channel.post(Resume(by=BY_GUARD + cause.value))

    def on_approve(self) -> None:
        """The approve chord: yes to an open review on the side card, never to the dialog."""
        question = self._asker.open
        if question is None or not self._asker.seen:
            return  # a press meant for the previous question must not answer one that nobody has seen
        if question.surface is Surface.CARD and question.about == "review":
            self._channel.post(Approve(question_id=question.question_id))

    async def _arm(self) -> None:
        guard, target = self._ports.guard, self._ports.computer.target
        await self._channel.run(guard.arm(session=self._context.options.name, target=target), holds=False)

    async def _open_record(self) -> None:
        """Check that the target can be seen and the provider accepts the task, and only then open the file.

        The file is opened in a thread: the disk may be slow, and a record that is resumed is verified first.
        """
        context, ports = self._context, self._ports
        await self._channel.run(ports.computer.observe(ports.provider.image_needs), holds=False)
        tools = await self._channel.run(_described(ports.effects), holds=False)
        context.functions.update((tool.name, tool) for tool in tools)
        # Before the file is opened: where the provider cannot read the task, the run is refused and writes none.
        self._begin_conversation(tools)
        opening = asyncio.ensure_future(asyncio.to_thread(ports.open_journal))
        try:
            await self._channel.watch(opening, holds=False)
        finally:
            # Whatever came meanwhile, a file that was opened must be closed by the recorder.
            await asyncio.wait({opening})
            if opening.exception() is None:
                self._recorder.use(opening.result())
        opening.result()

    def _begin_conversation(self, tools: tuple[ToolSpec, ...]) -> None:
        """Have the provider go on with the conversation of an earlier run, or begin one that is told what happened."""
        context, provider = self._context, self._ports.provider
        past, options = context.options.past, context.options
        target = self._ports.computer.target
        brief = Brief(
            task=context.request.task, instruction=self._instruction(), tools=tools,
            browser=target.kind is TargetKind.BROWSER,
        )  # fmt: skip
        if past is not None and isinstance(provider, ContinuesConversations):
            try:
                results = past.results(provider.resume(replace(brief, history=past.history), past.turns))
            except (ProviderError, ValueError) as error:
                problem = error.text if isinstance(error, ProviderError) else str(error)
                self._not_past = notice(NoticeCode.CONVERSATION_UNREADABLE, problem=problem)
            else:
                self._rebuilt_turns = len(past.turns)
                self._loop.go_on(results, past.messages)
                return
        elif isinstance(provider, ContinuesConversations):
            self._not_past = options.not_past
        told = " ".join(part for part in (options.history, options.unknown) if part)
        provider.begin(replace(brief, history=told, last_call=options.last_call, last_call_done=options.last_call_done))

    def _instruction(self) -> str:
        secrets = self._ports.secrets
        parts = (instruction(self._ports.computer.target), told(secrets.secrets) if secrets is not None else "")
        return "\n\n".join(part for part in parts if part)

    async def _begin(self) -> None:
        """Write the first event. Raises RecordError, Stopping."""
        context, ports = self._context, self._ports
        request, options = context.request, context.options
        started = SessionStarted(
            task=request.task, target=as_recorded(ports.computer.target), provider=ports.provider.name,
            model=ports.provider.model, autonomy=request.autonomy, allow=request.allow,
            max_steps=request.max_steps, max_minutes=request.max_minutes, profile=request.profile,
            price=request.price, max_cost=request.max_cost, resumed=options.resumed, rebuilt_turns=self._rebuilt_turns,
            accessibility=options.accessibility, version=options.version, pid=options.pid,
            task_text=ports.provider.task_text if isinstance(ports.provider, ReadsTask) else "", sites=request.sites,
            apps=request.apps, effects=request.effects, scope_by=request.scope_by, hide=options.hide,
        )  # fmt: skip
        await self._channel.run(self._recorder.begin(started), holds=False)
        if self._rebuilt_turns:
            goes_on = notice(NoticeCode.CONVERSATION_CONTINUED, task=request.task)
            self._channel.messages.append(goes_on)
            self._recorder.emit(Message(text=goes_on, by="console"))
        elif self._not_past:
            self._recorder.emit(Warned(title=notice(NoticeCode.CONVERSATION_TOLD_IN_WORDS), detail=self._not_past))
        for event in self._early:
            self._recorder.emit(event)
        for problem in (each for port in ports.effects for each in port.problems):
            self._recorder.emit(Warned(title=problem.title, detail=joined(problem.detail, problem.remedy)))

    async def _supervised(self) -> Ended:
        """Run the loop and turn every way in which it ends into an Ended event."""
        try:
            await self._begin()
            outcome, message = await self._loop.run()
        except Stopping as stopped:
            if not self._recorder.begun:
                raise
            return await self._stopped(stopped.intent)
        except asyncio.CancelledError:
            if not self._recorder.begun:
                raise
            await asyncio.shield(
                self._stopped(Stop(reason=StopCause.INTERRUPT, detail=notice(NoticeCode.PROGRAM_ENDING)))
            )
            raise
        except ConsoleError as error:
            if not self._recorder.begun:
                raise
            if self._channel.stop is not None:  # the error is a consequence of the stop
                return await self._stopped(self._channel.stop)
            outcome, message = EndedOutcome.FAILED, error.text
        except Exception as error:
            _log.exception("the session failed")
            if not self._recorder.begun:
                raise
            if self._channel.stop is not None:
                return await self._stopped(self._channel.stop)
            outcome, message = EndedOutcome.FAILED, notice(NoticeCode.INTERNAL_ERROR, error=type(error).__name__)
        return self._end(outcome, message)

    async def _stopped(self, stop: Stop) -> Ended:
        report = await (self._in_order(stop) if stop.reason is StopCause.INTERRUPT else self._by_guard(stop))
        self._context.permissions.revoke_all(RevokedBy.STOP)
        turn = self._loop.turn
        flight = turn.in_flight if turn is not None else None
        done = flight.outcome if flight is not None else None
        hidden = self._context.hidden
        cancelled = hidden.without_in(turn.cancelled) if turn is not None else ()
        self._recorder.emit(
            Stopped(
                reason=report.reason, detail=report.detail, latched=report.latched,
                in_flight=describe_stopped(hidden.without_in(flight.action)) if flight is not None else "",
                in_flight_action=flight.action if flight is not None else None,
                delivered=done.delivered if done is not None else 0, total=done.total if done is not None else 0,
                cancelled=tuple(map(describe_stopped, cancelled)), cancelled_actions=cancelled,
                released_keys=report.released_keys, released_buttons=report.released_buttons,
                press_to_last_event_ms=report.press_to_last_event_ms,
            )
        )  # fmt: skip
        return self._end(
            EndedOutcome.STOPPED, report.detail or notice(NoticeCode.STOPPED_FOR_CAUSE, cause=report.reason.value)
        )

    async def _by_guard(self, stop: Stop) -> StopReport:
        """The guard's report of the stop; a stop that does not come from the guard (a button) is passed on to it."""
        try:
            async with asyncio.timeout(REPORT_WITHIN_S):
                if self._channel.report is None:
                    await self._ports.guard.stop(stop.reason, stop.detail)
                while self._channel.report is None:
                    await self._channel.news()
        except TimeoutError:
            _log.error("the guard did not report its stop")
        except (ConsoleError, OSError):
            _log.exception("the guard could not be told to stop")
        return self._channel.report or StopReport(reason=stop.reason, detail=stop.detail)

    async def _in_order(self, stop: Stop) -> StopReport:
        """Shut the gate and release everything, without a latch."""
        released = 0
        try:
            async with asyncio.timeout(REPORT_WITHIN_S):
                await self._ports.guard.set_gate(open_=False)
                released = await self._ports.injector.release_all()
        except (TimeoutError, ConsoleError, OSError):
            _log.exception("releasing failed")
        if self._channel.report is not None:
            return self._channel.report
        return StopReport(reason=stop.reason, detail=stop.detail, latched=False, released_keys=released)

    def _end(self, outcome: EndedOutcome, message: str) -> Ended:
        ended = self._ended(outcome, message)
        self._recorder.emit(ended)
        return ended

    def _ended(self, outcome: EndedOutcome, message: str) -> Ended:
        meter, load = self._context.meter, self._recorder.load
        spending = meter.spending
        return Ended(
            outcome=outcome, message=message, steps=meter.steps, usage=spending.usage, cost=spending.spent,
            unreported_steps=spending.unreported_steps, elapsed_s=meter.elapsed_s,
            actions=load.actions, questions=load.questions, answer_s=load.answer_s,
        )  # fmt: skip

    async def _disarm(self) -> None:
        try:
            await self._ports.guard.disarm()
        except Exception:  # noqa: BLE001 - the record must still be closed; the guard ends with its pipe anyway
            _log.exception("the guard could not be disarmed")

    def _unwritten(self, error: RecordError) -> None:
        self._channel.post(Pause(by=PauseCause.RECORD, detail=error.text))

    def _said(self, text: str) -> None:
        self._by_operator(Message(text=text, by="operator"))

    def _snapshot_noted(self, noted: NoteSnapshot) -> None:
        self._by_operator(Snapshot(act=noted.act, name=noted.name))
        if noted.act is SnapshotAct.RESTORED and self._recorder.begun:  # else its first picture is of that state
            self._channel.messages.append(notice(NoticeCode.MACHINE_WENT_BACK))

    def _leave_changed(self, wanted: SetAutonomy | ApproveNext | Revoke) -> None:
        context = self._context
        match wanted:
            case SetAutonomy(autonomy=level):
                if Autonomy.HOLD not in (level, context.leave.autonomy):
                    self._by_operator(context.change_leave(autonomy=level))
            case ApproveNext(count=count):
                self._by_operator(context.change_leave(ahead=count))
            case Revoke(permission_id=permission_id):
                context.permissions.revoke(permission_id)

    def _by_operator(self, event: Message | Snapshot | AutonomyChanged) -> None:
        if self._recorder.begun:
            self._recorder.emit(event)
        else:
            self._early.append(event)


async def _described(effects: Sequence[EffectPort]) -> tuple[ToolSpec, ...]:
    """The functions that all effects offer. Raises OperatorError where two have the same name."""
    tools = [tool for port in effects for tool in await port.describe()]
    names = [tool.name for tool in tools]
    if twice := {name for name in names if names.count(name) > 1}:
        raise OperatorError(
            notice(NoticeCode.FUNCTIONS_WITH_SAME_NAME, names=", ".join(sorted(twice))),
            remedy=notice(NoticeCode.RENAME_OR_REMOVE_ONE),
            exit_code=ExitCode.USAGE,
        )
    return tuple(tools)


def _stopped_before(stopped: Stopping) -> OperatorError:
    detail = stopped.intent.detail or stopped.intent.reason.value
    return OperatorError(notice(NoticeCode.STOPPED_BEFORE_SESSION), detail=detail, exit_code=ExitCode.STOPPED)


_PLACES = {
    TargetKind.MONITOR: "one monitor of a real computer that its owner uses",
    TargetKind.WINDOW: "one window on a real computer; everything outside it is out of reach",
    TargetKind.VM: "the screen of a virtual machine, shown by a viewer on a real computer",
    TargetKind.VIRTUAL: "an isolated virtual desktop",
    TargetKind.VNC: "a remote computer's screen",
    TargetKind.BROWSER: "a browser that this program manages",
}
_DESKTOP = (
    "It is an ordinary desktop: windows can overlap, dialogs and menus open, and applications need a moment to react."
)
_BROWSER = (
    "You see only the page: there is no address bar, no row of tabs and no menu of the browser, and keyboard shortcuts "
    "for these do nothing. Use the functions that go to an address, back or forward, that show another tab, and that "
    "read the text of the whole page. After every action you are told the page's address. A dialog of the page or of "
    "the browser is drawn on the screenshot: answer it there. Files that are downloaded are saved and not opened. Some "
    "sites may be out of reach; do not look for a way around that."
)


def instruction(target: TargetRef) -> str:
    """The system instruction for a session on this target. Raises FileNotFoundError for a broken installation."""
    surroundings = _BROWSER if target.kind is TargetKind.BROWSER else _DESKTOP
    return _text().replace("{place}", _PLACES[target.kind]).replace("{surroundings}", surroundings)


@functools.cache
def _text() -> str:
    return resource_path("prompts", "system.md").read_text("utf-8").strip()
