"""Reads a model's conversation from a record, so that the provider can go on with it in a new run.

The turns are the model's own answers with what it was given for each. Those before the newest `TURNS`, and those that
cannot be used, are told in words instead. How the calls of the last turn ended is concluded from the events after it,
because the model was not told: a call that was permitted and has no outcome is never reported as one to repeat.

What is told in words, once, at the start of the resumed run, is `history_of` a record. Pure functions.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from operator_console.domain.actions import (
    Action,
    AskModel,
    AskOperator,
    CallFunction,
    CursorPosition,
    EditFile,
    QuoteClipboard,
    QuoteText,
    ReadPage,
    RunCommand,
    Wait,
    Zoom,
)
from operator_console.domain.codec import CodecError, decode
from operator_console.domain.decisions import ActResult, DecidedBy, Decision, DecisionKind
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    Ended,
    Granted,
    HandedBack,
    Message,
    Observed,
    Performed,
    Proposed,
    ProposedCall,
    Record,
    SessionStarted,
    Settled,
    Snapshot,
    Stopped,
)
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import Page
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation, PastTurn
from operator_console.domain.recorded_requests import Told, ToldPicture, ToldResult, pictures_named, tool_result
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.engine.action_wording import describe, shortened
from operator_console.engine.targeting import parts
from operator_console.engine.turn.call_results import EARLIER_NOT_DONE, NOT_UNDERSTOOD, OBSERVING_ONLY, refusal

TURNS = 20
"""The newest turns that are used. The pictures of all of them are held in memory while the conversation is rebuilt."""

_GIVES_DATA = (QuoteText, QuoteClipboard, ReadPage, Zoom, CursorPosition, AskModel)
_RUNS = (CallFunction, RunCommand, EditFile)
_AGAINST = frozenset((DecisionKind.SKIP, DecisionKind.DENY))

Blob = Callable[[str], bytes | None]
"""The stored data with this SHA-256 (hex), or None."""

LINES = 120
_REFUSED = frozenset((DecisionKind.SKIP, DecisionKind.DENY))


class NotContinued(Exception):
    """There are turns, but the last one cannot be used; `why` is for the operator."""

    def __init__(self, why: NoticeText) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class PastConversation:
    """What a model's conversation is rebuilt from.

    Attributes:
        turns: oldest first; at least one.
        history: what happened before them, in words; "" for nothing.
        calls: those of the last turn.
        endings: how each of them ended.
        messages: for the model, since the last turn.
    """

    turns: tuple[PastTurn, ...]
    history: str
    calls: tuple[Call, ...]
    endings: tuple[ToldResult, ...]
    messages: tuple[str, ...]

    def results(self, calls: Sequence[Call]) -> tuple[CallResult, ...]:
        """The answers to the calls of the last turn, as the provider has read it again.

        Raises:
            ValueError: they are not the calls that were recorded.
        """
        if [(call.index, call.name) for call in calls] != [(call.index, call.name) for call in self.calls]:
            raise ValueError("the last answer is read differently now")
        return _results(calls, self.endings, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """A turn in the record; `at` is the position of its event."""

    at: int
    started: SessionStarted
    observed: Observed
    proposed: Proposed


def past_conversation(
    records: Sequence[Record], blob: Blob, *, provider: str, model: str, task: str
) -> PastConversation | None:
    """The conversation of this provider and model; None where there is none yet.

    Args:
        records: all of the file.
        blob: gives stored pictures and answers.
        provider, model: which are to go on with it.
        task: the task of the new run.

    Raises:
        NotContinued: the last turn is another model's, or its parts are missing or damaged.
    """
    recorded = list(_recorded(records))
    if not recorded:
        return None
    turns = _usable(recorded, blob, provider, model)
    # What the results of the first turn answer is told in words.
    turns[0] = replace(turns[0], observation=replace(turns[0].observation, results=()))
    first, last = recorded[-len(turns)], recorded[-1]
    whole = first is recorded[0] and first.started.task == task
    after = [record.event for record in records[last.at + 1 :]]
    return PastConversation(
        turns=tuple(turns),
        history="" if whole else history_of(records[: first.at]),
        calls=tuple(map(_call, last.proposed.calls)),
        endings=tuple(_ending(call, last.proposed.step, after) for call in last.proposed.calls),
        messages=tuple(_untold(records, recorded, turns[-1])),
    )


def _usable(recorded: Sequence[_Recorded], blob: Blob, provider: str, model: str) -> list[PastTurn]:
    """The newest turns of the last conversation, oldest first. Raises NotContinued where the last cannot be used."""
    found: list[PastTurn] = []
    for place in range(len(recorded) - 1, max(-1, len(recorded) - 1 - TURNS), -1):
        turn, before = recorded[place], recorded[place - 1] if place else None
        begins = before is None or (turn.started is not before.started and not turn.started.rebuilt_turns)
        try:
            found.insert(0, _past_turn(turn, None if begins else before, blob, provider, model))
        except NotContinued:
            if not found:
                raise
            break
        if begins:
            break
    return found


def _recorded(records: Sequence[Record]) -> Iterator[_Recorded]:
    started: SessionStarted | None = None
    observed: Observed | None = None
    for at, record in enumerate(records):
        match record.event:
            case SessionStarted() as started:
                observed = None
            case Observed() as observed:
                pass
            case Proposed() as proposed if started is not None and observed is not None:
                yield _Recorded(at=at, started=started, observed=observed, proposed=proposed)
            case _:
                pass


def _past_turn(turn: _Recorded, before: _Recorded | None, blob: Blob, provider: str, model: str) -> PastTurn:
    """The turn with its pictures; `before`: the one whose calls its results answer. Raises NotContinued."""
    if (turn.started.provider, turn.started.model) != (provider, model):
        raise NotContinued(notice(NoticeCode.CONVERSATION_OF_OTHER_MODEL, model=turn.started.model))
    told = _told(_stored(turn.proposed.told, blob))
    calls = [_call(call) for call in before.proposed.calls] if before is not None else []
    pictures = {each.digest: _picture(each, blob) for each in pictures_named(told)}
    observed, geometry = turn.observed, turn.observed.geometry
    shown = ToldPicture(digest=observed.picture, mime_type=observed.mime_type, size=geometry.sent)
    try:
        results = _results(calls, told.results, pictures)
    except ValueError as error:
        raise NotContinued(notice(NoticeCode.CONVERSATION_UNREADABLE, problem=str(error))) from error
    frame = Frame(
        frame_id=observed.frame_id, pixels=memoryview(b""), geometry=geometry, target=turn.started.target, taken_s=0.0,
        focus=observed.focus, pointer=told.pointer, page=_page(observed), title=observed.title,
    )  # fmt: skip
    return PastTurn(
        observation=Observation(frame=frame, picture=_picture(shown, blob), results=results, messages=told.messages),
        raw=_stored(turn.proposed.raw, blob),
    )


def _page(observed: Observed) -> Page | None:
    if not observed.url:
        return None
    return Page(document="", url=observed.url, title=observed.title, tabs=observed.tabs, dialog=observed.dialog)


def _stored(digest: str, blob: Blob) -> bytes:
    data = blob(digest) if digest else None
    if data is None:
        raise NotContinued(notice(NoticeCode.CONVERSATION_INCOMPLETE))
    if hashlib.sha256(data).hexdigest() != digest:
        raise NotContinued(notice(NoticeCode.CONVERSATION_UNREADABLE, problem=digest))
    return data


def _told(data: bytes) -> Told:
    try:
        return decode(Told, json.loads(data))
    except (CodecError, ValueError) as error:
        raise NotContinued(notice(NoticeCode.CONVERSATION_UNREADABLE, problem=str(error))) from error


def _picture(told: ToldPicture, blob: Blob) -> Picture:
    data = _stored(told.digest, blob)
    return Picture(data=data, mime_type=told.mime_type, size=told.size, digest=told.digest)


def _call(call: ProposedCall) -> Call:
    return Call(
        index=call.index, call_id=call.call_id, name=call.name, arguments_json=call.arguments_json, action=call.action,
        error=call.error, intent=call.intent, safety=call.safety, box=call.box, note=call.note,
    )  # fmt: skip


def _results(calls: Sequence[Call], told: Sequence[ToldResult], pictures: dict[str, Picture]) -> tuple[CallResult, ...]:
    """The results with their calls and pictures. Raises ValueError where they are of other calls."""
    if [call.index for call in calls] != [each.index for each in told]:
        raise ValueError("the results are not those of the recorded calls")
    return tuple(
        CallResult(
            call=call, status=each.status, text=each.text, output=each.output, acknowledged=each.acknowledged,
            executed=each.executed, picture=pictures[each.picture.digest] if each.picture is not None else None,
            changed=each.changed, tool=tool_result(each.tool, pictures) if each.tool is not None else None,
        )
        for call, each in zip(calls, told, strict=True)
    )  # fmt: skip


def _ending(call: ProposedCall, step: int, after: Sequence[object]) -> ToldResult:
    """How a call of the last turn ended, from the events after that turn."""
    decided: Decided | None = None
    granted: dict[str, Granted] = {}
    known: dict[str, Performed] = {}
    changed: bool | None = None
    answer = ""
    for event in after:
        match event:
            case Decided(step=of, call=index) if (of, index) == (step, call.index):
                decided, granted, known = event, {}, {}
            case Granted(step=of, call=index) if (of, index) == (step, call.index):
                granted[event.grant_id] = event
            case Performed(step=of, call=index) if (of, index) == (step, call.index):
                known[event.grant_id] = event
            case Settled(step=of, call=index) if (of, index) == (step, call.index):
                changed = event.changed
            case Answered(step=of, call=index) if (of, index) == (step, call.index):
                answer = event.answer
            case _:
                pass
    if decided is None:
        return _not_begun(call)
    if not decided.decision.approves:
        return _refused(call, decided)
    ending = _carried_out(call, decided.action or call.action, list(granted.values()), known, answer)
    return replace(
        ending,
        acknowledged=call.safety is not None and decided.by is DecidedBy.HUMAN,
        executed=decided.action if decided.decision is DecisionKind.MODIFY else None,
        changed=changed if ending.status is CallStatus.DONE else None,
    )


def _not_begun(call: ProposedCall) -> ToldResult:
    return ToldResult(index=call.index, status=CallStatus.NOT_DONE, text=notice(NoticeCode.CALL_CUT_OFF_BY_END))


def _refused(call: ProposedCall, decided: Decided) -> ToldResult:
    if decided.rule == NOT_UNDERSTOOD:
        return ToldResult(index=call.index, status=CallStatus.NOT_UNDERSTOOD, text=call.error)
    if decided.rule == EARLIER_NOT_DONE:
        text = notice(NoticeCode.EARLIER_CALL_NOT_DONE)
        return ToldResult(index=call.index, status=CallStatus.NOT_DONE, text=text)
    if decided.decision is DecisionKind.STOP:
        text = notice(NoticeCode.CALL_CUT_OFF_BY_STOP)
        return ToldResult(index=call.index, status=CallStatus.STOPPED, text=text)
    blocked = call.safety is not None and call.safety.blocked
    if decided.decision not in _AGAINST and decided.rule != OBSERVING_ONLY and not blocked:
        return _not_begun(call)  # a pause or a takeover came first
    made = Decision(kind=decided.decision, by=decided.by, rule=decided.rule, feedback=decided.feedback)
    status, text = refusal(made)
    return ToldResult(index=call.index, status=status, text=text)


def _carried_out(
    call: ProposedCall, action: Action | None, granted: Sequence[Granted], known: dict[str, Performed], answer: str
) -> ToldResult:
    """How an approved call ended; `known` are the outcomes by grant."""
    index = call.index
    if any(each.grant_id not in known or known[each.grant_id].result is ActResult.UNKNOWN for each in granted):
        text = joined(notice(NoticeCode.OUTCOME_UNKNOWN), notice(NoticeCode.DO_NOT_REPEAT))
        return ToldResult(index=index, status=CallStatus.FAILED, text=text)
    if not known or action is None:
        return _not_begun(call)
    last = list(known.values())[-1]
    if last.status is not CallStatus.DONE:
        return ToldResult(index=index, status=last.status, text=last.detail)
    if isinstance(action, _GIVES_DATA):
        return ToldResult(index=index, status=CallStatus.FAILED, text=notice(NoticeCode.RESULT_LOST))
    if isinstance(action, _RUNS):
        return ToldResult(index=index, status=CallStatus.DONE, text=notice(NoticeCode.FUNCTION_RESULT_LOST))
    if granted and granted[0].action != action and len(granted) < len(parts(action)):
        done = notice(NoticeCode.ONLY_FIRST_PARTS_DONE, actions=", ".join(describe(each.action) for each in granted))
        return ToldResult(index=index, status=CallStatus.FAILED, text=done)
    output = answer if isinstance(action, AskOperator) else ""
    return ToldResult(index=index, status=CallStatus.DONE, text=last.detail, output=output)


def _untold(records: Sequence[Record], recorded: Sequence[_Recorded], last: PastTurn) -> Iterator[str]:
    """The messages for the model that its last turn was not given yet: some come while it thinks."""
    told = Counter(last.observation.messages)
    since = recorded[-2].at + 1 if len(recorded) > 1 else 0
    for record in records[since:]:
        text = _message(record.event)
        if told[text]:
            told[text] -= 1
        elif text:
            yield text


def _message(event: object) -> str:
    match event:
        case Message(text_notices=notices) if any(each.code == NoticeCode.CONVERSATION_CONTINUED for each in notices):
            return ""  # of a run that ended before its first turn
        case Message(text=text):
            return text
        case HandedBack(note=note):
            says = notice(NoticeCode.OPERATOR_SAYS, text=note) if note else ""
            return joined(notice(NoticeCode.DESKTOP_HANDED_BACK), says)
        case Snapshot(act=SnapshotAct.RESTORED):
            return notice(NoticeCode.MACHINE_WENT_BACK)
        case _:
            return ""


def unknown_action(records: Sequence[Record]) -> Granted | None:
    """The last granted action whose outcome was not recorded or is unknown; None where all are known."""
    open_: dict[str, Granted] = {}
    for record in records:
        match record.event:
            case Granted(grant_id=grant_id) as granted:
                open_[grant_id] = granted
            case Performed(grant_id=grant_id, result=result) if result is not ActResult.UNKNOWN:
                open_.pop(grant_id, None)
            case SessionStarted():
                open_.clear()  # the later run was told about it then
            case _:
                pass
    return next(reversed(open_.values()), None) if open_ else None


def unknown_in_words(granted: Granted | None) -> str:
    """What the model is told about an action of unknown outcome; "" for none."""
    if granted is None:
        return ""
    return (
        f"It is not known whether this last action happened: {describe(granted.action)}. "
        "Look at the picture to find out; do not simply repeat it."
    )


def history_of(records: Sequence[Record]) -> str:
    """What happened so far, for the model: tasks, actions and their outcomes, the operator's messages.

    The newest `LINES` lines; a first line says how many earlier ones are left out.
    """
    lines = [line for record in records if (line := _line(record.event))]
    if not lines:
        return ""
    dropped = len(lines) - LINES
    kept = [f"({dropped} earlier lines are left out.)", *lines[-LINES:]] if dropped > 0 else lines
    return "This session continues an earlier one. What happened so far:\n" + "\n".join(kept)


def last_call_of(records: Sequence[Record], task: str) -> tuple[str, bool]:
    """The id of the last call that has one, and whether it was done; ("", False) where the last task was another.

    A wait is never done: a runbook waits to look again for what its line names.
    """
    last, done, looks = "", False, False
    for event in (record.event for record in records):
        match event:
            case SessionStarted(task=before):
                last, done = (last, done) if before == task else ("", False)
            case Proposed(calls=calls) if calls and calls[-1].call_id:
                last, done = calls[-1].call_id, False
                looks = isinstance(calls[-1].action, Wait)
            case Performed(status=CallStatus.DONE):
                done = not looks
            case Decided(decision=DecisionKind.SKIP):
                done = True
            case _:
                pass
    return last, done


def _line(event: object) -> str:
    match event:
        case SessionStarted(task=task, resumed=resumed):
            return f"{'Then the task was' if resumed else 'The task was'}: {shortened(task, 500)}"
        case Proposed(narration=narration) if narration.strip():
            return f"You said: {shortened(narration.strip())}"
        case Granted(action=action, step=step):
            return f"Step {step}: {describe(action)}"
        case Performed(grant_id=grant_id, result=result, detail=detail) if grant_id:
            return f"  -> {result.value}{f': {shortened(detail)}' if detail else ''}"
        case Decided(decision=decision, by=by, step=step, feedback=feedback) if decision in _REFUSED:
            said = f", saying: {shortened(feedback)}" if feedback else ""
            return f"Step {step}: a call was answered “{decision.value}” by {by.value}{said}"
        case Message(text=text, by="operator"):
            return f"The operator said: {shortened(text)}"
        case _:
            return _line_of_end(event)


def _line_of_end(event: object) -> str:
    match event:
        case Asked(question=question) if question.about == "model":
            return f"You asked: {shortened(question.text)}"
        case Answered(answer=answer, step=step) if step is not None and answer not in ("yes", "declined"):
            return f"The operator answered: {shortened(answer)}"
        case HandedBack(note=note):
            return f"The operator used the desktop and handed it back{f': {shortened(note)}' if note else '.'}"
        case Snapshot(act=SnapshotAct.RESTORED):
            return "The operator set the machine back to a snapshot: what was done on it since is gone."
        case Stopped(reason=reason):
            return f"The run was stopped ({reason.value})."
        case Ended(outcome=outcome, message=message):
            return f"The run ended: {outcome.value}{f' ({shortened(message)})' if message else ''}"
        case _:
            return ""
