"""Reads an answer of Qwen: gives the proposal, and the turn to send again, or raises an error."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from operator_console.domain.errors import ActionError
from operator_console.domain.message_texts import listed, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, Proposal
from operator_console.providers.qwen.actions import COMPUTER_USE, Situation, parse_call, pointer_after
from operator_console.providers.qwen.tool_call_text import MOST_CALLS, WrittenCall, read_arguments, read_written
from operator_console.providers.shared import answers
from operator_console.providers.shared.arguments import INTENT_LENGTH, Arguments, ParsedCall, make_call
from operator_console.providers.shared.chat_completions import ChatAnswer, FunctionCall, ReadAnswer, read_chat
from operator_console.providers.shared.history import Json
from operator_console.providers.shared.results import one_line

ArgumentsOf = Callable[[Mapping[str, object]], Arguments]


def read_answer(body: bytes, arguments_of: ArgumentsOf, situation: Situation, *, request_bytes: int) -> ReadAnswer:
    """Read one answer, whose calls are native or written in its text.

    Args:
        body: The answer's body.
        arguments_of: Gives arguments on the frame that the model saw.
        situation: What the calls refer to; its text is replaced by that of the answer.
        request_bytes: Size of the request.

    Raises:
        ProviderRefused, ProviderMalformed: There is no usable answer.
    """
    answer = read_chat(body, "Qwen")
    written = read_written(answer.text)
    answer = replace(answer, calls=_with_ids(answer.calls, body))
    ids = [call.call_id for call in answer.calls]
    calls = [read_arguments(call.name, call.arguments) for call in answer.calls] or written.calls
    if len(calls) > MOST_CALLS:
        too_many = notice(NoticeCode.TOO_MANY_CALLS, most=MOST_CALLS)
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), too_many)
    if not calls and not written.said:
        raise answers.empty()
    made: list[Call] = []
    situation = replace(situation, said=written.said)
    for index, call in enumerate(calls):
        made.append(_call(index, ids[index] if ids else "", call, arguments_of, situation))
        situation = replace(situation, pointer=pointer_after(made[-1].action, situation.pointer))
    proposal = Proposal(
        calls=tuple(made),
        thoughts="\n".join(filter(None, (answer.thoughts, written.thoughts))),
        narration=written.said,
        usage=answer.usage,
        raw=body,
        request_bytes=request_bytes,
    )
    return ReadAnswer(proposal=proposal, turn={"messages": [_again(answer)]})


def _with_ids(calls: tuple[FunctionCall, ...], body: bytes) -> tuple[FunctionCall, ...]:
    """The calls, each with an id of its own: some servers leave ids out, or give all calls the same one."""
    ids = [call.call_id for call in calls]
    if all(ids) and len(set(ids)) == len(ids):
        return calls
    turn = hashlib.sha256(body).hexdigest()[:12]
    return tuple(replace(call, call_id=f"call_{turn}_{index}") for index, call in enumerate(calls))


def _call(index: int, call_id: str, written: WrittenCall, arguments_of: ArgumentsOf, situation: Situation) -> Call:
    name = written.name
    if name == COMPUTER_USE and isinstance(written.arguments.get("action"), str):
        name = str(written.arguments["action"])[:64] or name
    return make_call(
        lambda: _parsed(written, arguments_of, situation),
        index=index,
        call_id=call_id,
        name=name,
        arguments=dict(written.arguments),
        intent=one_line(situation.said, INTENT_LENGTH),
    )


def _parsed(written: WrittenCall, arguments_of: ArgumentsOf, situation: Situation) -> ParsedCall:
    if written.problem or not written.name:
        raise ActionError(notice(NoticeCode.CALL_WITHOUT_NAME, text=written.problem))
    parsed = parse_call(written.name, arguments_of(written.arguments), situation)
    if not written.repaired:
        return parsed
    notes = [note for note in (parsed.note, notice(NoticeCode.CALL_REPAIRED)) if note]
    return ParsedCall(action=parsed.action, note=listed(notes), box=parsed.box)


def _again(answer: ChatAnswer) -> Json:
    """The model's turn. Native calls keep their ids, and have their arguments as text, as the protocol demands."""
    if not answer.calls:
        return {"role": "assistant", "content": answer.text}
    calls = [
        {
            "id": call.call_id,
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments),
            },
        }
        for call in answer.calls
    ]
    return {"role": "assistant", "content": answer.text, "tool_calls": calls}
