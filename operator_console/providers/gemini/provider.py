"""The provider `gemini`: `generateContent` with the computer-use tool.

It keeps the conversation and translates. It never retries or sleeps, and acknowledges a safety check only if the result
says that the operator allowed the call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from operator_console.domain.errors import RejectedPart
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal, Usage
from operator_console.providers.gemini.answer import Vocabulary, read_answer, usage_of
from operator_console.providers.gemini.client import GeminiClient
from operator_console.providers.gemini.contents import IMAGE_NEEDS, GeminiTurns
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.http_client import Answered, stored_answer
from operator_console.providers.shared.own_tools import ZOOM, worth_zooming
from operator_console.providers.shared.smaller_requests import smaller
from operator_console.providers.shared.token_counts import UntoldTokens

if TYPE_CHECKING:
    from google.genai import types


class GeminiProvider:
    """One conversation with one Gemini model."""

    def __init__(
        self,
        *,
        model: str,
        options: GeminiOptions | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        """Does not connect. If `api_key` or `base_url` is None, the SDK's environment variables apply."""
        self._model = model
        self._options = options or GeminiOptions()
        self._client = GeminiClient(api_key=api_key, base_url=base_url, timeout_s=self._options.request_timeout_s)
        self._conversation = Conversation(turns=GeminiTurns(), brief=Brief(task="", instruction=""))
        self._config: types.GenerateContentConfig | None = None
        self._zoom = False
        self._untold = UntoldTokens(usage_of)

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return "gemini"

    @property
    def model(self) -> str:
        """The model's id."""
        return self._model

    @property
    def image_needs(self) -> ImageNeeds:
        """Limits for the pictures it is sent."""
        return IMAGE_NEEDS

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take."""
        return self._options.request_timeout_s

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        self._conversation = Conversation(turns=GeminiTurns(), brief=brief)
        self._config, self._zoom = None, False

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation with these turns; gives the calls of the last one. Raises ProviderError, ValueError."""
        self.begin(brief)
        for turn in turns:
            self._take(self._ask(turn.observation), turn.observation, stored_answer(turn))
        return self._conversation.pending

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn. After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
        """
        asked = self._ask(observation)
        answered = await self._client.generate(self._model, asked.contents(), await self._configured())
        with self._untold.unless_used([answered.body]):
            return self._take(asked, observation, answered)

    def _ask(self, observation: Observation) -> Conversation:
        self._offer_zoom(observation)
        return self._conversation.ask(
            observation, keep_screenshots=self._options.keep_screenshots, keep_turns=self._options.keep_turns
        )

    def _take(self, asked: Conversation, observation: Observation, answered: Answered) -> Proposal:
        """Read an answer and make it part of the conversation."""
        answer = read_answer(
            answered.body, observation.frame.geometry, self._vocabulary, request_bytes=answered.request_bytes
        )
        self._conversation = asked.answered(answer.content, answer.proposal.calls)
        return answer.proposal

    def adapt(self, part: RejectedPart) -> str:
        """Send less of the conversation from now on; what is different, "" for nothing."""
        self._options, change = smaller(self._options, part)
        return change

    def take_usage(self) -> Usage:
        """Tokens of answers that could not be used, since the last call."""
        return self._untold.take()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

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
        from operator_console.providers.gemini.request import request_config

        return request_config(self._model, self._conversation.brief, self._options, zoom=self._zoom)
