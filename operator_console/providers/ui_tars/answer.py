"""Reads an answer of UI-TARS: gives the proposal, and the turn to send again, or raises an error."""

from __future__ import annotations

import re
from collections.abc import Callable

from operator_console.domain.errors import ActionError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, Proposal
from operator_console.providers.shared import answers
from operator_console.providers.shared.arguments import INTENT_LENGTH, Arguments, ParsedCall, make_call
from operator_console.providers.shared.chat_completions import ChatAnswer, ReadAnswer, read_chat
from operator_console.providers.shared.results import one_line
from operator_console.providers.ui_tars.action_text import MOST_CALLS, WrittenCall, read_written
from operator_console.providers.ui_tars.actions import known, parse_call

_PLAIN_BOX = re.compile(r"((?:start|end)_box\s*=\s*['\"])(\(\s*\d+\s*,\s*\d+\s*\))(['\"])")

ArgumentsOf = Callable[[WrittenCall], Arguments]


def read_answer(
    body: bytes,
    arguments_of: ArgumentsOf,
    *,
    tools: frozenset[str],
    boxes: bool,
    request_bytes: int,
    browser: bool = False,
) -> ReadAnswer:
    """Read one answer.

    Args:
        body: The answer's body.
        arguments_of: Gives the arguments of a call on the frame that the model saw.
        tools: Names of the session's functions.
        boxes: Whether boxes have tokens in the history, which endpoints remove from answers.
        request_bytes: Size of the request.
        browser: Whether the target is a managed browser.

    Raises:
        ProviderRefused, ProviderMalformed: There is no usable answer.
    """
    answer = read_chat(body, "UI-TARS")
    written = read_written(answer.text, known(tools, browser=browser))
    if written.unfinished:
        raise answers.cut_off("It has a thought, but no action.")
    if len(written.calls) > MOST_CALLS:
        too_many = notice(NoticeCode.TOO_MANY_CALLS, most=MOST_CALLS)
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), too_many)
    if not written.calls and not written.said:
        raise answers.empty()

    def meaning_of(call: WrittenCall) -> ParsedCall:
        if call.problem:
            raise ActionError(notice(NoticeCode.CALL_WITHOUT_NAME, text=call.problem))
        return parse_call(call.name, arguments_of(call), tools=tools, said=written.said, browser=browser)

    proposal = Proposal(
        calls=tuple(_call(index, call, meaning_of, written.said) for index, call in enumerate(written.calls)),
        thoughts="\n".join(filter(None, (answer.thoughts, written.thoughts))),
        narration=written.said,
        usage=answer.usage,
        raw=body,
        request_bytes=request_bytes,
    )
    return ReadAnswer(proposal=proposal, turn={"messages": [{"role": "assistant", "content": _again(answer, boxes)}]})


def _call(index: int, written: WrittenCall, meaning_of: Callable[[WrittenCall], ParsedCall], said: str) -> Call:
    return make_call(
        lambda: meaning_of(written),
        index=index,
        call_id="",
        name=written.name,
        arguments=dict(written.arguments),
        intent=one_line(said, INTENT_LENGTH),
    )


def _again(answer: ChatAnswer, boxes: bool) -> str:
    return _PLAIN_BOX.sub(r"\1<|box_start|>\2<|box_end|>\3", answer.text) if boxes else answer.text
