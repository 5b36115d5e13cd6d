"""The provider `gemini`: `generateContent` with the computer-use tool.

It keeps the conversation and translates. It never retries or sleeps, and acknowledges a safety check only if the result
says that the operator allowed the call.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from operator_console.domain.proposals import Brief, Observation, Proposal
from operator_console.providers.gemini.answer import Vocabulary, read_answer, read_content, usage_of
from operator_console.providers.gemini.client import SERVICE, GeminiClient, request_config, text_config
from operator_console.providers.gemini.clouds import VertexClient
from operator_console.providers.gemini.contents import IMAGE_NEEDS, GeminiTurns
from operator_console.providers.gemini.options import Cloud, GeminiOptions
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers
from operator_console.providers.shared.own_tools import ZOOM, worth_zooming

if TYPE_CHECKING:
    from google.genai import types


class GeminiProvider(ModelProvider[GeminiOptions, Conversation]):
    """One conversation with one Gemini model."""

    name = "gemini"
    image_needs = IMAGE_NEEDS
    _conversation: Conversation

    def __init__(
        self,
        *,
        model: str,
        options: GeminiOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect. If `api_key` or `base_url` is None, the SDK's environment variables apply."""
        options = options or GeminiOptions()
        if options.cloud is Cloud.VERTEX:
            self._client: GeminiClient = VertexClient(options, base_url=base_url)
        else:
            limit_s = options.request_timeout_s
            self._client = GeminiClient(SERVICE, api_key=api_key, base_url=base_url, timeout_s=limit_s)
        super().__init__(model, options, self._client, usage_of)

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        self._conversation = Conversation(turns=GeminiTurns(), brief=brief)
        self._config: types.GenerateContentConfig | None = None
        self._zoom = False

    async def answer(self, prompt: str) -> str:
        """As `AnswersPrompts.answer`. A model that demands the computer-use tool (`SPEC.answers_text`) rejects it."""
        config = await asyncio.to_thread(text_config)
        asked = {"role": "user", "parts": [{"text": prompt}]}
        answered = await self._client.generate(self.model, [asked], config)
        return self._text_of(answered, lambda body: read_content(body).text)

    def _ask(self, observation: Observation) -> Conversation:
        self._offer_zoom(observation)
        return self._conversation.ask(
            observation, keep_screenshots=self._options.keep_screenshots, keep_turns=self._options.keep_turns
        )

    async def _send(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> None:
        made.add(await self._client.generate(self.model, asked.contents(), await self._configured()))

    def _take(self, asked: Conversation, observation: Observation, made: TurnAnswers) -> Proposal:
        geometry = observation.frame.geometry
        answer = read_answer(made.body, geometry, self._vocabulary, request_bytes=made.request_bytes)
        self._conversation = asked.answered(answer.content, answer.proposal.calls)
        return answer.proposal

    @property
    def _tools(self) -> frozenset[str]:
        """Names of the session's functions, which replace predefined ones of the same name."""
        return frozenset(tool.name for tool in self._conversation.brief.tools)

    @property
    def _vocabulary(self) -> Vocabulary:
        withheld = frozenset() if self._zoom or ZOOM in self._tools else frozenset({ZOOM})
        return Vocabulary(
            tools=self._tools,
            excluded=frozenset(self._options.excluded_functions) | withheld,
            browser=self._conversation.brief.browser,
        )

    def _offer_zoom(self, observation: Observation) -> None:
        """Offer zoom once a picture is coarser than the screen, and keep it, because past turns may have called it."""
        taken = {*self._options.excluded_functions, *self._tools}
        if not self._zoom and ZOOM not in taken and worth_zooming(observation.frame.geometry):
            self._zoom, self._config = True, None

    async def _configured(self) -> types.GenerateContentConfig:
        if self._config is None:
            # The first use imports the SDK, which would block the event loop for a second.
            self._config = await asyncio.to_thread(self._make_config)
        return self._config

    def _make_config(self) -> types.GenerateContentConfig:
        return request_config(self.model, self._conversation.brief, self._options, zoom=self._zoom)
