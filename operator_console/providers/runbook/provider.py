"""The provider `runbook`: runs the steps of a runbook, and finds their places on the screen. Works offline.

The application's accessible elements are asked first; the picture is read only for what they do not have. It proposes
one step per turn, as a model does, and its calls are assessed, confirmed and recorded in the same way. If something is
missing, it proposes to wait and looks again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Choice,
    Drag,
    Finish,
    QuestionKind,
    Wait,
    target_point,
)
from operator_console.domain.codec import encode
from operator_console.domain.elements import Element
from operator_console.domain.errors import ConsoleError, OperatorError, ProviderRejected
from operator_console.domain.frames import Frame, ImageNeeds, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import NoticeText, joined, lines, notice, notices_of, render
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.proposals import Brief, Call, CallResult, CallStatus, Observation, Proposal
from operator_console.providers.runbook.language import (
    AskStep,
    CloseTabStep,
    ExpectStep,
    GoStep,
    HistoryStep,
    Named,
    PressStep,
    ScrollStep,
    Step,
    TabStep,
    TypeStep,
    WaitStep,
    load,
    parse,
    show,
    verb,
)
from operator_console.providers.runbook.planning import Absent, Act, Impossible, Met, Plan, Scene, Which, plan
from operator_console.providers.spec import ScreenElements, ScreenReader

_INSTEAD: Mapping[NoticeCode | str, NoticeCode | None] = {
    NoticeCode.CALL_DECLINED: NoticeCode.YOU_DENIED_IT,
    NoticeCode.OPERATOR_SAYS: NoticeCode.YOUR_NOTE,
    NoticeCode.CALL_CUT_OFF_BY_TAKE_OVER: NoticeCode.YOU_TOOK_OVER_FIRST,
    NoticeCode.CALL_CUT_OFF_BY_PAUSE: NoticeCode.PAUSED_FIRST,
    NoticeCode.SCREEN_IS_NOT_AS_SEEN: NoticeCode.SCREEN_CHANGED_FIRST,
    NoticeCode.INTERRUPTED_BY_OPERATOR: NoticeCode.IT_WAS_INTERRUPTED,
    NoticeCode.CALL_EDITED: None,
    NoticeCode.LOOK_AGAIN: None,
    NoticeCode.LOOK_BEFORE_GOING_ON: None,
    NoticeCode.DO_NOT_REPEAT: None,
}
"""What replaces a sentence for the model, because a person alone reads a runbook's results; None: nothing."""


def for_the_person(text: str) -> str:
    """The text of a call's result in words for the person; text by others stays."""
    notices = tuple(
        Notice(code=code, values=each.values)
        for each in notices_of(text)
        if (code := _INSTEAD.get(each.code, each.code)) is not None
    )
    return NoticeText(render(notices), notices) if notices_of(text) else joined(text)


PATIENCE_S = 10.0
"""How long a step searches for its text or control. `wait for` names its own time."""
EXPECT_S = 3.0
"""The most that an `expect` searches; what an earlier step did should show by then."""
_PAUSES_S = (0.3, 0.7, 1.0, 2.0)


def search_limit_s(step: Step, patience_s: float) -> float:
    """Seconds that a step searches before the run fails."""
    match step:
        case WaitStep():
            return step.limit_s
        case ExpectStep():
            return min(EXPECT_S, patience_s)
        case _:
            return patience_s


def pause_before_look_s(looks: int) -> float:
    """Seconds from the last of so many looks to the next one."""
    return _PAUSES_S[min(looks, len(_PAUSES_S) - 1)]


_READ_AFTER_LOOKS = 1
"""How often the elements are searched before the picture is read as well, where the application tells elements."""
_MAX_REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a run.

    Attributes:
        lines: How many lines the runbook has, with those of messages.
        at: Index of the current step.
        stopped_at: In a run that goes on, the line that the one before it reached; 0: not known.
        sent: Kind of the last proposal: "" (none), "act", "which", "look", "resume" or "end".
        named, places: Name and places in the question of a "which".
        chosen: Places that the operator chose in this step.
        looking_since_s: When the text of the step was first missing (`Observation.worked_s`).
        looks: How often it was missing since then.
        repeats: How often the step was proposed and not done.
        failed: Why the run failed; "" if it did not.
        unhandled: Why it fails unless the application handles the input of the last step after all; "" if it did.
        last: The point of the last action.
    """

    steps: tuple[Step, ...] = ()
    lines: int = 0
    at: int = 0
    stopped_at: int = 0
    sent: str = ""
    named: Named | None = None
    places: tuple[Rect, ...] = ()
    chosen: Mapping[Named, Rect] = field(default_factory=dict)
    looking_since_s: float | None = None
    looks: int = 0
    repeats: int = 0
    failed: str = ""
    unhandled: str = ""
    last: NativePoint | None = None

    @property
    def step(self) -> Step | None:
        return self.steps[self.at] if self.at < len(self.steps) else None

    def advanced(self) -> Progress:
        return replace(self, at=self.at + 1, sent="", chosen={}, looking_since_s=None, looks=0, repeats=0)

    def failing(self, why: str) -> Progress:
        return replace(self, failed=why)


def with_messages(progress: Progress, messages: Sequence[str]) -> tuple[Progress, tuple[str, ...]]:
    """Insert the steps that the operator sent as messages; also returns notes on the messages.

    Their lines are counted after all others: they are no lines of the runbook.
    """
    notes: list[str] = []
    added: list[Step] = []
    lines = progress.lines
    for message in messages:
        if notices_of(message):
            continue  # of the console, to a model
        try:
            added += parse(message, first_line=lines + 1)
            lines += len(message.splitlines())
        except OperatorError:
            notes.append(notice(NoticeCode.MESSAGE_IS_NO_STEP, message=message))
    if added:
        at = progress.at + 1 if progress.sent in ("act", "which", "look") else progress.at
        steps = (*progress.steps[:at], *added, *progress.steps[at:])
        sent = "" if progress.sent == "end" else progress.sent
        progress = replace(progress, steps=steps, lines=lines, failed="", sent=sent)
        notes.append(notice(NoticeCode.STEPS_ADDED, count=len(added)))
    return progress, tuple(notes)


def with_results(progress: Progress, results: Sequence[CallResult]) -> Progress:
    """The progress after the result of the last call."""
    if not results or not progress.sent:
        return progress
    result, step = results[-1], progress.step
    if progress.sent == "resume":
        return _resumed(progress, result)
    if step is None or progress.sent in ("end", "look"):
        return replace(progress, sent="")
    match result.status:
        case CallStatus.DONE | CallStatus.OBSERVING if progress.sent == "which":
            return _chosen(progress, result, step)
        case CallStatus.DONE if isinstance(step, AskStep) and result.output.strip().lower() != "yes":
            return progress.failing(_about(NoticeCode.ANSWER_WAS_NO, step))
        case CallStatus.DONE if any(each.code is NoticeCode.INPUT_NOT_HANDLED for each in notices_of(result.text)):
            why = progress.unhandled or joined(_about(NoticeCode.RUNBOOK_ENDED_AT_STEP, step), result.text)
            # One that was only busy handles this input with the next one.
            return progress.failing(why) if progress.unhandled else replace(progress.advanced(), unhandled=why)
        case CallStatus.DONE if not isinstance(step, AskStep):
            return replace(progress.advanced(), unhandled="")
        case CallStatus.DONE | CallStatus.SKIPPED | CallStatus.OBSERVING:
            return progress.advanced()
        case CallStatus.NOT_DONE if progress.repeats < _MAX_REPEATS:
            return replace(progress, sent="", repeats=progress.repeats + 1)
        case _:
            return progress.failing(joined(_about(NoticeCode.RUNBOOK_ENDED_AT_STEP, step), for_the_person(result.text)))


def _about(code: NoticeCode, step: Step) -> NoticeText:
    return notice(code, line=step.line, step=show(step))


def _chosen(progress: Progress, result: CallResult, step: Step) -> Progress:
    index = result.output.strip()
    if progress.named is None or not index.isdecimal() or int(index) >= len(progress.places):
        return progress.failing(_about(NoticeCode.CHOICE_NOT_MADE, step))
    chosen = {**progress.chosen, progress.named: progress.places[int(index)]}
    return replace(progress, sent="", chosen=chosen)


def _resumed(progress: Progress, result: CallResult) -> Progress:
    index = result.output.strip()
    if result.status is CallStatus.DONE and index.isdecimal() and int(index) < len(progress.steps):
        return replace(progress, sent="", at=int(index))
    return replace(progress, sent="").failing(notice(NoticeCode.STEP_NOT_CHOSEN))


class RunbookProvider:
    """Runs one runbook.

    Args:
        reader: reads the picture; None: only elements are looked for.
        elements: tells the accessible elements; None: the picture is read for every step.
        patience_s: how long a text may be missing before the run fails.
    """

    name = "runbook"
    model = "runbook"  # there is none; for the record
    image_needs = ImageNeeds(max_bytes=None)  # the picture is only for the record; native pixels are read

    def __init__(
        self, reader: ScreenReader | None, elements: ScreenElements | None = None, *, patience_s: float = PATIENCE_S
    ) -> None:
        self._reader = reader
        self._elements = elements
        self._patience_s = patience_s
        self._task_text = ""
        self._progress = Progress()

    @property
    def task_text(self) -> str:
        """The text of the file that the task names; "" where the task is the runbook."""
        return self._task_text

    def begin(self, brief: Brief) -> None:
        """Read the steps. Raises TaskMistake."""
        text = load(brief.task)
        steps = parse(text)
        self._task_text = text if text != brief.task else ""
        progress = Progress(steps=steps, lines=len(text.splitlines()), sent="resume" if brief.history else "")
        self._progress = _stopped_at(progress, brief)

    async def propose(self, observation: Observation) -> Proposal:
        """Propose the next step as one call. Raises ProviderRejected if the screen cannot be read."""
        progress, notes = with_messages(self._progress, observation.messages)
        if progress.sent == "resume" and not observation.results:
            return _where_to_go_on(progress)
        progress = with_results(progress, observation.results)
        call: Call | None = None
        while call is None:
            step = progress.step
            if progress.failed or step is None:
                progress, call = _finish(progress)
                continue
            current = await self._plan(step, progress, observation.frame)
            if isinstance(current, Met):
                notes = (*notes, notice(NoticeCode.LINE_SAYS, line=step.line, text=current.note))
                progress = progress.advanced()
            elif isinstance(current, Impossible):
                progress = progress.failing(notice(NoticeCode.LINE_SAYS, line=step.line, text=current.why))
            else:
                progress, call = self._next(step, progress, current, observation)
        self._progress = progress
        return _proposal(call, notes)

    async def close(self) -> None:
        """Does nothing: reader and elements belong to the caller."""

    async def _plan(self, step: Step, progress: Progress, frame: Frame) -> Plan:
        scene = Scene(
            elements=await self._visible(step, frame),
            field=lambda label: self._reader.field(frame, label) if self._reader is not None else None,
            chosen=progress.chosen,
            last=progress.last,
            native=frame.geometry.native,
            page=frame.page,
        )
        found = plan(step, scene)
        if self._reader is None or not isinstance(found, Absent) or not found.readable:
            return found
        # What appears with a delay, such as a dialog, need not be searched for in the picture.
        if scene.elements and progress.looks < _READ_AFTER_LOOKS:
            return found
        return plan(step, replace(scene, boxes=await self._read(self._reader, frame)))

    async def _visible(self, step: Step, frame: Frame) -> Sequence[Element]:
        if self._elements is None or not _needs_place(step):
            return ()
        return await self._elements.visible(frame)

    async def _read(self, reader: ScreenReader, frame: Frame) -> Sequence[TextBox]:
        try:
            return await reader.read(frame)
        except ConsoleError as error:
            raise ProviderRejected(error.title, detail=error.detail, remedy=error.remedy) from error

    def _next(
        self, step: Step, progress: Progress, current: Act | Which | Absent, observation: Observation
    ) -> tuple[Progress, Call | None]:
        """The call for a plan, or None if the run fails."""
        intent = _about(NoticeCode.STEP_OF_LINE, step)
        match current:
            case Act():
                point = _end_point(current.action) or progress.last
                progress = replace(progress, sent="act", last=point, looking_since_s=None, looks=0)
                return progress, _call(step, current.action, intent, box=current.box, note=current.note)
            case Which():
                progress = replace(progress, sent="which", named=current.named, places=current.places)
                return progress, _call(step, current.ask, intent)
            case Absent():
                return self._look_again(step, progress, current, observation, intent)

    def _look_again(
        self, step: Step, progress: Progress, missed: Absent, observation: Observation, intent: str
    ) -> tuple[Progress, Call | None]:
        worked_s = observation.worked_s
        since_s = worked_s if progress.looking_since_s is None else progress.looking_since_s
        limit_s = search_limit_s(step, self._patience_s)
        left_s = since_s + limit_s - worked_s
        if left_s <= 0:
            why = notice(NoticeCode.NAME_NOT_ON_SCREEN, name=missed.name, seconds=limit_s)
            for other in observation.frame.apart[-1:]:
                why = joined(
                    why, notice(NoticeCode.NAME_MAY_BE_IN_OTHER_WINDOW, window=f"“{other.title or other.app}”")
                )
            return progress.failing(notice(NoticeCode.LINE_SAYS, line=step.line, text=why)), None
        pause_s = min(pause_before_look_s(progress.looks), left_s)
        progress = replace(progress, sent="look", looking_since_s=since_s, looks=progress.looks + 1)
        note = notice(NoticeCode.NAME_NOT_ON_SCREEN_YET, name=missed.name, seconds=left_s)
        return progress, _call(step, Wait(duration_s=round(pause_s, 3)), intent, note=note)


def _needs_place(step: Step) -> bool:
    """Whether a step refers to something on the screen."""
    match step:
        case PressStep() | AskStep() | TypeStep(into=None) | ScrollStep(on=None):
            return False
        case GoStep() | TabStep() | CloseTabStep() | HistoryStep():
            return False
        case _:
            return True


def _end_point(action: Action) -> NativePoint | None:
    return action.path[-1] if isinstance(action, Drag) else target_point(action)


def _where_to_go_on(progress: Progress) -> Proposal:
    choices = tuple(Choice(label=_about(NoticeCode.LINE_TO_CHOOSE, step)) for step in progress.steps)
    question, suggested = notice(NoticeCode.CONTINUE_AT_WHICH_STEP), None
    if progress.stopped_at:
        question, suggested = notice(NoticeCode.CONTINUE_FROM_LINE, line=progress.stopped_at), progress.at
    ask = AskOperator(question=question, answer=QuestionKind.CHOOSE, choices=choices, suggested=suggested)
    return _proposal(Call(index=0, name="resume", action=ask, intent=notice(NoticeCode.CONTINUE_RUNBOOK)), ())


def _stopped_at(progress: Progress, brief: Brief) -> Progress:
    """The progress at the step that the run before was cut off in, or at the one after what it did last."""
    at = next((n for n, step in enumerate(progress.steps) if _call_id(step) == brief.last_call), len(progress.steps))
    at += brief.last_call_done
    if at >= len(progress.steps):  # it is not known, or everything was done
        return progress
    return replace(progress, at=at, stopped_at=progress.steps[at].line)


def _call_id(step: Step) -> str:
    return f"line-{step.line}"


def _finish(progress: Progress) -> tuple[Progress, Call]:
    failed = progress.failed or progress.unhandled
    message = failed or notice(NoticeCode.RUNBOOK_DONE, count=len(progress.steps))
    action = Finish(message=message, success=not failed)
    intent = notice(NoticeCode.RUNBOOK_ENDED)
    return replace(progress, sent="end"), Call(index=0, name="finish", action=action, intent=intent)


def _call(step: Step, action: Action, intent: str, *, box: Rect | None = None, note: str = "") -> Call:
    arguments = json.dumps(encode(step), ensure_ascii=False)
    return Call(
        index=0, call_id=_call_id(step), name=verb(step), arguments_json=arguments, action=action, intent=intent,
        box=box, note=note,
    )  # fmt: skip


def _proposal(call: Call, notes: tuple[str, ...]) -> Proposal:
    raw = json.dumps({"call": encode(call), "notes": notes}, ensure_ascii=False).encode("utf-8")
    return Proposal(calls=(call,), narration=lines(notes), raw=raw)
