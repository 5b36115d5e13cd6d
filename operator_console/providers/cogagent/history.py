"""The conversation with CogAgent: it gets one message a round, which holds the task and the earlier steps as text.

    Task: TASK
    History steps:
    0. CLICK(box=[[352,102,786,139]], element_info='Search')<TAB>Left click on the search box.
    (Platform: WIN)
    (Answer in Action-Operation-Sensitive format.)

What became of an operation that was not simply done follows its description in brackets. The operator's messages and
the console's functions follow the task. The history is immutable, so a request that failed has no effect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from operator_console.domain.actions import AskModel, QuoteClipboard, QuoteText
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, Call, CallResult, CallStatus, Observation
from operator_console.domain.tools import ToolSpec
from operator_console.providers.cogagent.answer import ReadAnswer
from operator_console.providers.cogagent.operations import with_value
from operator_console.providers.cogagent.options import CogAgentOptions
from operator_console.providers.shared import results as words
from operator_console.providers.shared.history import answering
from operator_console.providers.shared.results import cut, page_words

CONTINUE = "[Continue]"
"""Follows the task if the last answer had no operation, or ended the task and the operator goes on."""

_OPERATION_LENGTH = 500
_ACTION_LENGTH = 300
_OUTCOME_LENGTH = 600
_HISTORY_LENGTH = 5000
_MESSAGES = 12
_MESSAGES_LENGTH = 2000
_PASSING = frozenset({NoticeCode.ANSWER_UNREADABLE_TO_MODEL})
_FUNCTIONS = (
    "Besides the usual operations there are:\n"
    "ask_user(question='...', choices=['...','...']): asks the user and waits for the answer; choices are optional.\n"
    "yield_to_user(reason='...'): has the user do a part themselves, such as signing in.\n"
    "done(text='...', success=False): ends a task that cannot be done, and says why."
)
_BROWSER = (
    "LAUNCH(url='...'): goes to an address; there is no address bar, and no other application.\n"
    "go_back(): goes back one page.\n"
    "go_forward(): goes forward one page.\n"
    "search(query='...'): searches the web.\n"
    "switch_tab(number=2): shows another tab.\n"
    "close_tab(): closes the tab that is shown."
)
_PAGE_LENGTH = 1000
_TOOLS = "These functions are called like operations:"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One line of the history: the operation as the model wrote it, the action in words, and what became of it."""

    operation: str
    action: str
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the next message says.

    Attributes:
        brief: task and instruction.
        steps: oldest first; the newest has no outcome until its calls are answered.
        left_out: how many steps before these are no longer told.
        messages: those of the operator, oldest first.
        passing: messages that are told once.
        pending: the calls in the last answer, which the next observation must answer.
        geometry: of the frame that those calls refer to.
        given: the result that the model gave along in the last answer.
        values: the values of variables.
        continues: whether the last answer had no operation, or ended the task.
        page: what is said of a managed browser's page, "" elsewhere.
    """

    brief: Brief
    steps: tuple[_Step, ...] = ()
    left_out: int = 0
    messages: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    pending: tuple[Call, ...] = ()
    geometry: FrameGeometry | None = None
    given: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    continues: bool = False
    page: str = ""

    def ask(self, observation: Observation, *, keep_steps: int) -> History:
        """The history with what an observation tells.

        Raises:
            ValueError: The results do not answer the pending calls.
        """
        results = answering(self.pending, observation.results)
        steps = self.steps
        if results:
            outcome = _outcome(results, self.geometry or observation.frame.geometry)
            steps = (*steps[:-1], replace(steps[-1], outcome=outcome))
        surplus = len(steps) - len(_that_fit(steps, keep_steps))
        passing = tuple(text for text in observation.messages if _is_passing(text))
        lasting = tuple(text for text in observation.messages if not _is_passing(text))
        return replace(
            self,
            steps=steps[surplus:],
            left_out=self.left_out + surplus,
            messages=_newest((*self.messages, *lasting)),
            passing=passing,
            pending=(),
            geometry=observation.frame.geometry,
            values=self._filled(results),
            page=cut(page_words(observation.frame.page), _PAGE_LENGTH) if observation.frame.page is not None else "",
        )

    def answered(self, answer: ReadAnswer) -> History:
        """The history with the model's answer."""
        ends = any(call.action is not None and call.action.kind == "finish" for call in answer.calls)
        step = _Step(operation=_line(answer.operation, _OPERATION_LENGTH), action=_line(answer.action, _ACTION_LENGTH))
        return replace(
            self,
            steps=(*self.steps, step),
            passing=(),
            pending=answer.calls,
            given=answer.given,
            continues=ends or not answer.calls,
        )

    def message(self, options: CogAgentOptions) -> str:
        """The text of the message."""
        lines = [f"{number}. {_shown(step)}" for number, step in enumerate(self.steps, self.left_out)]
        history = "".join(["\nHistory steps: ", *(f"\n{line}" for line in lines)])
        mark = f"{CONTINUE}\n" if self.continues else ""
        return (
            f"Task: {self._task(options)}{mark}{history}\n(Platform: {options.platform.value})\n"
            f"(Answer in {options.answer_format.value} format.)\n"
        )

    def _task(self, options: CogAgentOptions) -> str:
        parts = [self.brief.task.strip()]
        if options.send_instruction and self.brief.instruction:
            parts.append(self.brief.instruction.strip())
        if self.brief.history:
            parts.append(f"What happened before:\n{self.brief.history.strip()}")
        if options.offer_functions:
            parts.append(f"{_FUNCTIONS}\n{_BROWSER}" if self.brief.browser else _FUNCTIONS)
        if self.brief.tools:
            parts.append("\n".join([_TOOLS, *map(_described, self.brief.tools)]))
        parts += [f"Message: {text}" for text in (*self.messages, *self.passing)]
        return "\n".join([*parts, *([self.page] if self.page else [])])

    def _filled(self, results: Sequence[CallResult]) -> Mapping[str, str]:
        """The variables with what was read; if nothing could be read, with what the model read itself."""
        values = self.values
        for result in results:
            match result.call.action:
                case QuoteText(variable=name):
                    value = result.output if result.status is CallStatus.DONE else ""
                    value = value or (self.given if _may_use_given(result) else "")
                case QuoteClipboard(variable=name) | AskModel(variable=name):
                    value = result.output if result.status is CallStatus.DONE else ""
                case _:
                    continue
            values = with_value(values, name, value) if value else values
        return values


def _may_use_given(result: CallResult) -> bool:
    return result.status in {CallStatus.DONE, CallStatus.FAILED}


def _is_passing(text: str) -> bool:
    codes = {each.code for each in notices_of(text)}
    return bool(codes) and codes <= _PASSING


def _that_fit(steps: tuple[_Step, ...], most: int) -> tuple[_Step, ...]:
    """The newest steps whose number and length are within the limits; at least one, if there is any."""
    kept, length = 0, 0
    for step in reversed(steps):
        length += len(_shown(step))
        if kept and (kept >= most or length > _HISTORY_LENGTH):
            break
        kept += 1
    return steps[len(steps) - kept :]


def _shown(step: _Step) -> str:
    return f"{step.operation}\t{step.action}{f' ({step.outcome})' if step.outcome else ''}"


def _outcome(results: Sequence[CallResult], geometry: FrameGeometry) -> str:
    """What became of an operation: of its first action that was not done, or of all; "" if it was simply done."""
    failed = next((result for result in results if result.status is not CallStatus.DONE), None)
    told = [failed] if failed is not None else results
    return _line(" ".join(filter(None, (_told(result, geometry) for result in told))), _OUTCOME_LENGTH)


def _told(result: CallResult, geometry: FrameGeometry) -> str:
    made: list[str] = []
    if result.status is not CallStatus.DONE:
        made.append(f"Not done: {words.STATUS_WORDS[result.status]}.")
    elif result.tool is not None and result.tool.error:
        made.append("Not done: the function failed.")
    made.append(result.text or ("" if result.status is CallStatus.DONE else result.call.error))
    if result.executed is not None:
        made.append(f"The user changed it. What ran: {words.show_on_grid(result.executed, geometry)}")
    data = [result.output, *(result.tool.texts if result.tool is not None else ())]
    if any(data):
        made.append(f"Result: {' '.join(filter(None, data))}")
    return " ".join(filter(None, made))


def _line(text: str, length: int) -> str:
    """The text on one line, and at most so long."""
    line = text.strip().replace("\r\n", "\n").replace("\n", "\\n").replace("\r", "\\n").replace("\t", "\\t")
    return line if len(line) <= length else line[: length - 1] + "…"


def _newest(messages: tuple[str, ...]) -> tuple[str, ...]:
    kept: list[str] = []
    room = _MESSAGES_LENGTH
    for text in reversed(messages[-_MESSAGES:]):
        if kept and len(text) > room:
            break
        kept.append(text[:_MESSAGES_LENGTH])
        room -= len(text)
    return tuple(reversed(kept))


def _described(tool: ToolSpec) -> str:
    schema = json.loads(tool.parameters_json)
    properties = schema.get("properties") if isinstance(schema, dict) else None
    names = ", ".join(f"{name}=..." for name in properties) if isinstance(properties, dict) else ""
    return f"{tool.name}({names}): {' '.join(tool.description.split())}"
