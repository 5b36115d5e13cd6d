"""A connection to an endpoint with OpenAI's chat completions, such as vLLM, llama.cpp, Ollama, LM Studio or Ark.

The `openai` SDK is used without retries; errors become ProviderErrors. Variables that are meant for OpenAI's own
service (OPENAI_API_KEY, OPENAI_BASE_URL ...) are not used, so that no key of OpenAI gets to another endpoint.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from operator_console.domain.api_keys import filled, usable_key
from operator_console.domain.errors import OperatorError, ProviderError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared import answers
from operator_console.providers.shared.chat_options import EndpointOptions
from operator_console.providers.shared.http_client import Answered, VendorClient, from_sdk_error, wrong_address
from operator_console.providers.shared.http_faults import (
    SPENT_CODES,
    HttpFault,
    Service,
    from_status,
    longest_wait_s,
    reason_of,
    reported,
)

if TYPE_CHECKING:
    import httpx2
    import openai


# Server-sent events whose data are `chat.completion.chunk` objects.
_DATA, _DONE = "data:", "[DONE]"
_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
MOST_BYTES = 16 << 20


class StreamedCompletion:
    """The completion that pieces make.

    Attributes:
        complete: the stream said that nothing more comes.
        error: what the stream said instead of going on; None for nothing.
    """

    def __init__(self) -> None:
        self.complete = False
        self.error: object = None
        self._whole: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._reason: str | None = None
        self._read = 0

    def add_line(self, line: str) -> None:
        """Take a line of the stream. Raises ProviderMalformed: it is no piece, or there are too many."""
        if not line.startswith(_DATA):
            return  # names, comments and empty lines
        data = line.removeprefix(_DATA).strip()
        self._read += len(data)
        if data == _DONE:
            self.complete = True
            return
        if self._read > MOST_BYTES:
            raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), notice(NoticeCode.ANSWER_TOO_LONG))
        try:
            piece = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise answers.unreadable(error, data.encode("utf-8", "replace")) from error
        if not isinstance(piece, dict):
            raise answers.unreadable(TypeError("It is no object"), data.encode("utf-8", "replace"))
        if piece.get("error"):
            self.error = piece["error"]
        else:
            self._add(piece)

    def body(self) -> bytes:
        """The completion, as it would have come whole."""
        message = dict(self._message)
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        choice = {"index": 0, "message": message, "finish_reason": self._reason}
        return json.dumps({**self._whole, "object": "chat.completion", "choices": [choice]}).encode()

    def _add(self, piece: Mapping[str, Any]) -> None:
        self._whole.update((name, value) for name, value in piece.items() if name != "choices" and value is not None)
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            if choice.get("finish_reason"):
                self._reason, self.complete = str(choice["finish_reason"]), True
            delta = choice.get("delta")
            if isinstance(delta, dict):
                self._add_delta(delta)

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        if delta.get("role"):
            self._message["role"] = delta["role"]
        for name in _TEXTS:
            if isinstance(delta.get(name), str):
                self._message[name] = self._message.get(name, "") + delta[name]
        calls = delta.get("tool_calls")
        for place, part in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(part, dict):
                self._add_call(part, place)

    def _add_call(self, part: Mapping[str, Any], place: int) -> None:
        index = part.get("index", place)
        call = self._calls.setdefault(
            index if isinstance(index, int) else place, {"type": "function", "function": {"name": "", "arguments": ""}}
        )
        if part.get("id"):
            call["id"] = part["id"]
        given = part.get("function")
        if isinstance(given, dict):
            call["function"]["name"] = call["function"]["name"] or given.get("name") or ""
            if isinstance(given.get("arguments"), str):
                call["function"]["arguments"] += given["arguments"]


_NO_KEY = "EMPTY"  # The SDK needs one; endpoints without keys ignore it.
_BEYOND_ADDRESS = re.compile(r"/(?:chat/completions|completions|chat|models|responses)?/*\Z")
_VERSION_TWICE = re.compile(r"(/v1)(?:/+v1)+\Z")
_HEADERS_FOR_OPENAI = ("openai-organization", "openai-project")


def address_of(service: Service, *given: str | None) -> str:
    """The first address that is given, or that in the service's environment variable.

    Raises:
        OperatorError: There is none.
    """
    for address in (*given, os.environ.get(service.url_variable)):
        if address and address.strip():
            return address.strip()
    raise OperatorError(
        notice(NoticeCode.NO_SERVICE_ADDRESS, service=service.title),
        remedy=notice(NoticeCode.SET_SERVICE_ADDRESS, variable=service.url_variable, provider=service.provider),
    )


def endpoint_address(url: str) -> str:
    """The address under which an SDK finds the endpoint, where the one of a request or a list was given."""
    address = url.strip()
    for _ in range(3):
        bare = _BEYOND_ADDRESS.sub("", address)
        if bare == address:
            break
        address = bare
    return _VERSION_TWICE.sub(r"\1", address)


def _headers(service: Service, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with the environment's values in place of their names. Raises OperatorError, KeyUnusable."""

    def key_of(variable: str) -> str:
        if not (value := os.environ.get(variable, "")).strip():
            raise OperatorError(
                notice(NoticeCode.HEADER_VARIABLE_NOT_SET, service=service.title, variable=variable),
                remedy=notice(NoticeCode.SET_HEADER_VARIABLE, variable=variable),
            )
        return usable_key(value, variable=variable)

    return filled(headers, key_of)


class ChatEndpoint(VendorClient["openai.AsyncOpenAI"]):
    """One connection to an endpoint."""

    def __init__(
        self, service: Service, *, base_url: str, api_key: str | None, timeout_s: float, options: EndpointOptions
    ) -> None:
        """Does not connect. Raises KeyUnusable; OperatorError: a header names a variable that is not set.

        Args:
            service: Its names.
            base_url: Usually ends in /v1. What belongs to a request (/chat/completions) is left out.
            api_key: None for that in the service's environment variable, if there is one.
            timeout_s: Limit for an answer.
            options: What its requests have besides.
        """
        super().__init__(service, api_key=api_key, base_url=endpoint_address(base_url), timeout_s=timeout_s)
        self._options = options
        self._headers = _headers(service, options.extra_headers)

    async def complete(self, params: Mapping[str, Any]) -> Answered:
        """Request one completion. Raises ProviderTransient, ProviderRejected, ProviderMalformed."""
        # As `extra_body`, all is sent unchanged; the SDK would look through all pictures for files.
        model = str(params["model"])
        extra = {**params, **self._options.extra_body}
        sending = self._streamed if self._options.stream else self._whole
        return await self._request(lambda client: sending(client, model, extra), model)

    async def _whole(self, client: openai.AsyncOpenAI, model: str, extra: Mapping[str, Any]) -> bytes:
        made = await client.chat.completions.with_raw_response.create(
            model=model, messages=[], extra_body=extra, extra_headers=self._headers
        )
        body = bytes(made.http_response.content)
        if not body.startswith(_DATA.encode()):
            return body
        pieces = StreamedCompletion()  # the service gives its answers in pieces only
        for line in body.decode("utf-8", "replace").splitlines():
            pieces.add_line(line)
        self._check(pieces, model)
        return pieces.body()

    async def _streamed(self, client: openai.AsyncOpenAI, model: str, extra: Mapping[str, Any]) -> bytes:
        """The completion that the pieces make."""
        made = StreamedCompletion()
        asked = {**extra, "stream": True, "stream_options": {"include_usage": True}}
        async with client.chat.completions.with_streaming_response.create(
            model=model, messages=[], extra_body=asked, extra_headers=self._headers
        ) as answer:
            if "text/event-stream" not in answer.headers.get("content-type", ""):
                return bytes(await answer.read())  # the service gives its answers whole
            async for line in answer.iter_lines():
                made.add_line(line)
        self._check(made, model)
        return made.body()

    def _check(self, made: StreamedCompletion, model: str) -> None:
        """Raise ProviderError for an error that the stream told, and for one that ended too early."""
        import httpx2

        from operator_console.providers.shared.answer_transport import status_of

        if made.error is not None:
            code = status_of(made.error)
            message = reported(str(code), reason_of(made.error))
            raise from_status(self._service, HttpFault(code=code, message=message, model=model))
        if not made.complete:
            raise httpx2.RemoteProtocolError("the stream ended before the answer did")

    def _create_client(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        import openai

        http.event_hooks = {**http.event_hooks, "request": [*http.event_hooks["request"], _without_openai_headers]}
        return openai.AsyncOpenAI(
            api_key=self._api_key or _NO_KEY,
            admin_api_key="",
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            # Overrides what OPENAI_CUSTOM_HEADERS says.
            default_headers={"Authorization": f"Bearer {self._api_key or _NO_KEY}"},
            http_client=http,
        )

    def _error_of(self, error: Exception, model: str) -> ProviderError | None:
        import openai

        return from_sdk_error(self._service, error, openai, lambda status: self._status_error(status, model))

    def _status_error(self, error: openai.APIStatusError, model: str) -> ProviderError:
        fault = HttpFault(
            code=error.status_code,
            message=reported(str(error.status_code), reason_of(error.body)),
            unpaid=not SPENT_CODES.isdisjoint((str(error.code), str(error.type))),
            retry_after_s=longest_wait_s(error.response.headers),
            model=model,
            model_remedy=notice(NoticeCode.NAME_SERVED_MODEL),
            wrong_address=wrong_address(error),
            leads_to=error.response.headers.get("location", ""),
        )
        return from_status(self._service, fault)


async def _without_openai_headers(request: httpx2.Request) -> None:
    for name in _HEADERS_FOR_OPENAI:
        if name in request.headers:
            del request.headers[name]


def import_sdk() -> None:
    """Import what the first request needs. Blocks for up to a second."""
    import httpx2
    import openai

    # The SDK imports this at its first use.
    from openai.resources.chat import completions

    _ = (httpx2, openai, completions)
