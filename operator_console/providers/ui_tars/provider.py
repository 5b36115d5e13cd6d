"""The provider `ui_tars`: a conversation with a UI-TARS model at an endpoint with chat completions.

It keeps the conversation and translates. It never retries or sleeps. `call_user` and a turn of text alone are questions
to the operator; `finished` ends the task.

The versions differ in coordinates and pictures: 1.0 (on Qwen2-VL) and Doubao write thousandths of each axis; 1.5 (on
Qwen2.5-VL) writes pixels of the resized picture. Sources: the README and `action_parser.py` of UI-TARS, and the limits
of UI-TARS-desktop.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, CallResult, Observation, Proposal
from operator_console.providers.shared.chat_completions import MOST_TEXT, ChatTurns, is_plain, messages_of, usage_of
from operator_console.providers.shared.chat_endpoint import ChatEndpoint, address_of
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.http_faults import Service
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers
from operator_console.providers.shared.smart_resize import SmartResize
from operator_console.providers.ui_tars.answer import read_answer
from operator_console.providers.ui_tars.options import UiTarsOptions, Version
from operator_console.providers.ui_tars.prompt import UiTarsTraits, prompt

_SERVICE = Service(title="UI-TARS", provider="ui_tars", key_variable="UI_TARS_API_KEY", url_variable="UI_TARS_BASE_URL")
_GO_ON = "This is the screen now. Continue the task."
_TOP_P = 0.7  # as the vendor's clients


_FACTOR = 28
_PATCH = _FACTOR * _FACTOR
# What UI-TARS-desktop sends at most; for 1.5 it is 16384 * 28 * 28, but grounding of models on Qwen2.5-VL is reported
# to become worse far below that, and endpoints are often started with less.
_MAX_PIXELS = {Version.V1_0: 2700 * _PATCH, Version.V1_5: 2700 * _PATCH, Version.DOUBAO: 5120 * _PATCH}
_PATTERNS = (
    (Version.DOUBAO, re.compile(r"doubao", re.IGNORECASE)),
    (Version.V1_5, re.compile(r"ui-?tars[-_]?(?:v?1[._-]5)", re.IGNORECASE)),
    (Version.V1_0, re.compile(r"ui-?tars[-_](?:v?1[._-]0|\d+b[-_](?:sft|dpo))", re.IGNORECASE)),
)


def traits_of(model: str, options: UiTarsOptions) -> UiTarsTraits:
    """The traits of a model.

    Raises:
        OperatorError: Neither the options nor the name of the model tell its version.
    """
    version = options.version or next((version for version, name in _PATTERNS if name.search(model)), None)
    if version is None:
        raise OperatorError(
            notice(NoticeCode.MODEL_VERSION_UNKNOWN, model=model),
            remedy=notice(NoticeCode.SET_OPTION, option="version", provider="ui_tars"),
        )
    resize = SmartResize(
        factor=_FACTOR, min_pixels=options.min_pixels, max_pixels=options.max_pixels or _MAX_PIXELS[version]
    )
    return UiTarsTraits(resize=resize, absolute=version is Version.V1_5, boxes=version is not Version.DOUBAO)


class UiTarsProvider(ModelProvider[UiTarsOptions, Conversation]):
    """One conversation with one UI-TARS model."""

    name = "ui_tars"
    _conversation: Conversation

    def __init__(
        self,
        *,
        model: str,
        options: UiTarsOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect.

        Raises:
            OperatorError: There is no address, or the version of the model is not known.
        """
        options = options or UiTarsOptions()
        self._traits = traits_of(model, options)
        self.image_needs = self._traits.resize.image_needs()
        self._endpoint = ChatEndpoint(
            _SERVICE,
            base_url=address_of(_SERVICE, base_url, options.base_url),
            api_key=api_key,
            timeout_s=options.request_timeout_s,
            options=options,
        )
        super().__init__(model, options, self._endpoint, usage_of)

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        turns = ChatTurns(show=self._traits.show, tell=_tell)
        self._conversation = Conversation(turns=turns, brief=brief, go_on=_GO_ON)

    def _ask(self, observation: Observation) -> Conversation:
        return self._conversation.ask(
            observation,
            keep_screenshots=self._options.keep_screenshots,
            keep_turns=self._options.keep_turns,
            most_text=MOST_TEXT,
        )

    async def _send(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> None:
        made.add(await self._endpoint.complete(self._request(asked)))

    def _take(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> Proposal:
        geometry = observation.frame.geometry
        answer = read_answer(
            made.body,
            lambda call: self._traits.arguments(call.arguments, geometry),
            tools=frozenset(tool.name for tool in asked.brief.tools),
            boxes=self._traits.boxes,
            request_bytes=made.request_bytes,
            browser=asked.brief.browser,
        )
        self._conversation = asked.answered(answer.turn, answer.proposal.calls)
        return answer.proposal

    def _request(self, asked: Conversation) -> dict[str, Any]:
        first, *others = messages_of(asked.contents(), self._options.keep_screenshots)
        beginning = {"type": "text", "text": prompt(self._traits, asked.brief, self._options.language)}
        parts = [beginning, *first["content"]]
        if parts[1]["type"] == "text":
            parts[:2] = [{"type": "text", "text": beginning["text"] + parts[1]["text"]}]
        whole = {"role": "user", "content": parts}
        return {
            "model": self.model,
            "messages": [whole, *others],
            "temperature": self._options.temperature,
            "top_p": _TOP_P,
            "max_tokens": self._options.max_tokens,
        }


def _tell(results: Sequence[tuple[CallResult, str]]) -> str:
    """The model was trained with pictures as the only results, so words are added only where there is more to say."""
    if all(is_plain(result) for result, _ in results):
        return ""
    lines = [
        f"{number}. {result.call.name or 'unreadable'}: {text}" for number, (result, text) in enumerate(results, 1)
    ]
    return "\n".join(["What became of your actions:", *lines])
