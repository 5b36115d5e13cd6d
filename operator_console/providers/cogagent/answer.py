"""Reads an answer of CogAgent: the labelled parts, the operation, and the mark of sensitive operations.

    Status: ... Plan: ... Action: ...
    Grounded Operation: CLICK(box=[[219,186,311,207]], element_info='Search')
    <<一般操作>>

An operation without the mark counts as sensitive. An answer without any label is a turn of text alone. Boxes outside
the operation have no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from operator_console.domain.actions import AskModel, AskOperator, CallFunction, Finish, QuoteText
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, SafetySignal
from operator_console.providers.cogagent.operations import (
    OPERATIONS,
    Vocabulary,
    element_of,
    functions,
    given_result,
    parse_operation,
)
from operator_console.providers.cogagent.written_operation import (
    WrittenOperation,
    as_json,
    read_operation,
)
from operator_console.providers.shared.arguments import INTENT_LENGTH, ParsedCall
from operator_console.providers.shared.results import one_line
from operator_console.providers.shared.written_values import Unreadable

UNREADABLE = "unreadable"
"""The name of a call whose operation cannot be read."""

_QUOTED_LENGTH = 80
_MARK_LENGTH = 40

_DECORATION = r"[ \t*#>`]*"
_COLON = rf"{_DECORATION}[:：]{_DECORATION}"
_LINES = re.IGNORECASE | re.MULTILINE
_OPERATION = re.compile(rf"^{_DECORATION}Grounded[ _]?Operations?{_COLON}", _LINES)
_ACTION = re.compile(rf"^{_DECORATION}Action{_COLON}", _LINES)
_BARE = re.compile(rf"^{_DECORATION}(?:Action{_COLON})?([A-Za-z_]{{3,64}})[ \t]*[(（]", re.MULTILINE)
_LABEL = re.compile(rf"^{_DECORATION}(Status|Plan|Action){_DECORATION}[:：][ \t*]*", _LINES)
_MARK = re.compile(rf"(?:<<|《{{1,2}}|«)[ \t]*([^<>《》«»\r\n]{{1,{_MARK_LENGTH}}}?)[ \t]*(?:>>|》{{1,2}}|»)")
_GAP = re.compile(r"[\s`*.。;；]*")
_GENERAL = frozenset({"一般操作", "general operation", "general"})
_SOURCE = "CogAgent"
_NO_MARK = "no mark"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        calls: None if it is text alone; several if the operation is several actions.
        thoughts: status and plan.
        narration: the general text and the action in words.
        operation: the operation as the model wrote it, or as much as there is.
        action: the action in words.
        given: the result that the model gave along with a quotation or a prompt.
    """

    calls: tuple[Call, ...]
    thoughts: str
    narration: str
    operation: str
    action: str
    given: str = ""


def read_answer(
    text: str,
    geometry: FrameGeometry,
    values: Mapping[str, str],
    tools: frozenset[str] = frozenset(),
    *,
    browser: bool = False,
) -> ReadAnswer:
    """Read an answer.

    Args:
        text: The answer.
        geometry: Of the frame that the model saw.
        values: Those of the variables.
        tools: Names of the session's functions.
        browser: Whether the target is a managed browser.
    """
    label = _start(text, tools | {*functions(browser=browser)})
    prose = text if label is None else text[: label[0]]
    status, action, general = _parts(prose)
    thoughts, narration = "\n".join(status), "\n".join(filter(None, (general, action)))
    if label is None and not (status or _ACTION.search(text)):
        return ReadAnswer(calls=(), thoughts="", narration=text.strip(), operation="", action=text.strip())
    if label is None:
        missing = _unreadable(notice(NoticeCode.OPERATION_MISSING))
        return ReadAnswer(calls=(missing,), thoughts=thoughts, narration=narration, operation="", action=action)
    try:
        operation, end = read_operation(text, label[1])
    except Unreadable:
        line = text[label[1] :].strip()
        problem = notice(NoticeCode.CALL_WITHOUT_NAME, text=line[:_QUOTED_LENGTH])
        return ReadAnswer(
            calls=(_unreadable(problem),), thoughts=thoughts, narration=narration, operation=line, action=action
        )
    vocabulary = Vocabulary(tools=tools, final_text=action, values=values, browser=browser)
    return ReadAnswer(
        calls=_calls(operation, geometry, vocabulary, action, text[end:]),
        thoughts=thoughts,
        narration=narration,
        operation=text[label[1] : end].strip(),
        action=action,
        given=given_result(operation),
    )


def _start(text: str, functions: frozenset[str]) -> tuple[int, int] | None:
    """Where the first operation and its label begin, and where the operation begins."""
    label = _OPERATION.search(text)
    if label is not None:
        return label.span()
    known = OPERATIONS | functions
    bare = next((match for match in _BARE.finditer(text) if match[1] in known), None)
    return (bare.start(), bare.start(1)) if bare is not None else None


def _parts(prose: str) -> tuple[list[str], str, str]:
    """Status and plan, the action in words, and the text without a label."""
    pieces = _LABEL.split(prose)
    status: list[str] = []
    action = ""
    for label, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if label.lower() == "action":
            action = piece.strip()
        elif piece.strip():
            status.append(piece.strip())
    return status, action, pieces[0].strip()


def _unreadable(error: str) -> Call:
    return Call(index=0, name=UNREADABLE, action=None, error=error)


def _calls(
    operation: WrittenOperation, geometry: FrameGeometry, vocabulary: Vocabulary, action: str, rest: str
) -> tuple[Call, ...]:
    intent, arguments = _intent(action, element_of(operation)), as_json(operation)
    try:
        parsed = parse_operation(operation, geometry, vocabulary)
    except ActionError as problem:
        return (
            Call(
                index=0, name=operation.name, arguments_json=arguments, action=None, error=problem.text, intent=intent
            ),
        )
    several = notice(NoticeCode.ONLY_FIRST_OPERATION) if _OPERATION.search(rest) else ""
    return tuple(
        Call(
            index=index,
            name=operation.name,
            arguments_json=arguments,
            action=each.action,
            intent=intent,
            # One question for the whole operation: without a yes the others are not carried out.
            safety=_signal(parsed, rest) if index == 0 else None,
            box=each.box,
            note=joined(each.note, several) if index == 0 else each.note,
        )
        for index, each in enumerate(parsed)
    )


def _intent(action: str, element: str) -> str:
    said = " ".join(action.split())
    if element and element.rsplit(": ", maxsplit=1)[-1] not in said:
        said = f"{said} [{element}]".strip()
    return one_line(said, INTENT_LENGTH)


def _signal(parsed: Sequence[ParsedCall], rest: str) -> SafetySignal | None:
    """The request to ask, if the operation is marked as sensitive, or may be because it has no mark."""
    if all(_is_for_the_operator(each) for each in parsed):
        return None
    gap = _GAP.match(rest)
    mark = _MARK.match(rest, gap.end() if gap is not None else 0)
    others = [each[1].strip() for each in _MARK.finditer(rest)]
    sensitive = next((each for each in others if each.lower() not in _GENERAL), None)
    if sensitive is not None:
        explanation = notice(NoticeCode.OPERATION_MARKED_SENSITIVE)
        return SafetySignal(source=_SOURCE, decision=sensitive, explanation=explanation)
    if mark is None and not all(_only_reads(each) for each in parsed):
        explanation = notice(NoticeCode.OPERATION_NOT_MARKED)
        return SafetySignal(source=_SOURCE, decision=_NO_MARK, explanation=explanation)
    return None


def _is_for_the_operator(parsed: ParsedCall) -> bool:
    return isinstance(parsed.action, AskOperator | Finish)


def _only_reads(parsed: ParsedCall) -> bool:
    """Whether it sends no input and has no effect; a function of the session has policy's own question."""
    match parsed.action:
        case QuoteText(auto_scroll=scrolls):
            return not scrolls
        case AskModel() | CallFunction():
            return True
        case _:
            return False
