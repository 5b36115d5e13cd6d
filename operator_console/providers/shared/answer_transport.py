"""`AnswerTransport`, which reads each answer before an SDK does, and tells what is no answer of a model's service.

The SDKs trust in what answers. Between a service and this computer are gateways, proxies, firewalls and the sign-in
pages of networks, and some services report an error with the status of a success. All that an SDK is given is bounded
in size and is text in UTF-8, and an error has the status of one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.environment_proxies import proxies_for
from operator_console.providers.shared import answers
from operator_console.providers.shared.http_faults import Service, page_answered, proxy_wants_login

MOST_BYTES = 16 << 20

_EVENTS = "text/event-stream"
_PROXY_WANTS_LOGIN = 407
_SPOKEN_BY_PAGES = frozenset({400, 403, 407, 451, 511})
_CARRIERS = ("choices", "candidates", "output", "content", "promptFeedback")
"""Fields of answers, by the vendors' names."""
_STATUSES = {
    "rate_limit": 429, "resource_exhausted": 429, "quota": 429, "overloaded": 529, "unavailable": 503, "timeout": 504,
    "deadline": 504, "authentication": 401, "unauthenticated": 401, "api_key": 401, "apikey": 401, "billing": 402,
    "permission": 403, "model_not_found": 404, "not_found": 404, "invalid": 400, "too_large": 413,
}  # fmt: skip
"""The status that a word in a type or code of an error stands for."""
_UNTOLD = 502
_NO_ERROR = frozenset({"0", "200", "success", "ok"})


class AnswerTransport(httpx2.AsyncBaseTransport):
    """Sends each request by another transport, and reads its answer."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, service: Service) -> None:
        """`service`: its names, for errors."""
        self._inner = inner
        self._service = service

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer.

        Raises:
            ProviderError: Something other than a service of models answered, or too much.
            httpx2.TransportError: Nothing answered, or not to the end.
        """
        given = await self._inner.handle_async_request(request)
        bounded = _Bounded(given)
        headers = [(name, value) for name, value in given.headers.multi_items() if name.lower() not in _OF_THE_WAY]
        if given.is_success and _EVENTS in given.headers.get("content-type", ""):
            return httpx2.Response(given.status_code, headers=headers, stream=bounded, extensions=given.extensions)
        try:
            body = b"".join([piece async for piece in bounded])
        finally:
            await bounded.aclose()
        status = self._judged(given, body, str(request.url))
        return httpx2.Response(status, headers=headers, content=_text(status, body), extensions=given.extensions)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    def _judged(self, given: httpx2.Response, body: bytes, url: str) -> int:
        """The status by which the answer is to be read. Raises ProviderError."""
        status = given.status_code
        if status == _PROXY_WANTS_LOGIN and (proxy := proxies_for(url)):
            raise proxy_wants_login(self._service, proxy)
        if (given.is_success or status in _SPOKEN_BY_PAGES) and _is_page(given, body):
            raise page_answered(self._service, url, body.decode("utf-8", "replace"))
        if not given.is_success:
            return status
        return _error_in(body) or httpx2.codes.OK


_OF_THE_WAY = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class _Bounded(httpx2.AsyncByteStream):
    """The decoded body of an answer. Raises ProviderMalformed: it is too long."""

    def __init__(self, given: httpx2.Response) -> None:
        self._given = given

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._given.aiter_bytes():
            size += len(piece)
            if size > MOST_BYTES:
                unreadable = notice(NoticeCode.MODEL_ANSWER_UNREADABLE)
                raise answers.malformed(unreadable, notice(NoticeCode.ANSWER_TOO_LONG))
            yield piece

    async def aclose(self) -> None:
        await self._given.aclose()


def _is_page(given: httpx2.Response, body: bytes) -> bool:
    begins = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    named = given.headers.get("content-type", "").lower().startswith(("text/html", "application/xhtml"))
    return begins.startswith((b"<!doctype html", b"<html")) or (named and not begins.startswith((b"{", b"[")))


def _error_in(body: bytes) -> int:
    """The status that an error has which came with that of a success; 0 where it is none."""
    if not any(word in body for word in (b'"error"', b'"code"', b'"success"')):
        return 0
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return 0
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or any(name in value for name in _CARRIERS):
        return 0
    if value.get("error"):
        return status_of(value["error"])
    # {"code": "InvalidApiKey", "message": ...}, {"code": 500, "msg": ..., "success": false}
    told = "code" in value and any(isinstance(value.get(name), str) for name in ("message", "msg"))
    is_error = value.get("success") is False or (told and str(value["code"]).lower() not in _NO_ERROR)
    return status_of(value) if is_error else 0


def status_of(error: Any) -> int:
    """The status that an error object without one stands for; that of a bad gateway where it does not say."""
    if not isinstance(error, dict):
        return _status_by(str(error))
    for name in ("code", "status", "status_code", "http_code"):
        if str(error.get(name)).isdecimal() and 400 <= int(error[name]) < 600:
            return int(error[name])
    return _status_by(" ".join(str(error.get(name, "")) for name in ("type", "code", "status")))


def _status_by(words: str) -> int:
    words = words.lower().replace(" ", "_")
    return next((status for word, status in _STATUSES.items() if word in words), _UNTOLD)


def _text(status: int, body: bytes) -> bytes:
    """The body as the SDKs can read it: of an error in text that is no UTF-8, or in JSON that is too deep."""
    if status < httpx2.codes.BAD_REQUEST:
        return body
    try:
        json.loads(body)
    except UnicodeDecodeError:
        return body.decode("utf-8", "replace").encode()
    except RecursionError:
        return b""
    except ValueError:
        return body.decode("utf-8", "replace").encode()
    return body
