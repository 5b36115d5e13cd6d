"""A loopback service that answers wrongly in any way, in front of one that answers by a vendor's rules.

It speaks HTTP/1.1 over plain sockets, so that a fault can be in every byte of an answer. What the right service would
have answered is asked of it once and kept until a client was given it, because the model has said it.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer by the rules: its status and its body."""

    status: int
    body: bytes


@dataclass(kw_only=True)
class Exchange:
    """One request, and the means to answer it.

    Attributes:
        number: of the request, from 1.
        head: the request line and the headers, as they came.
        body: of the request.
        family: the vendor whose forms errors have.
    """

    number: int
    head: bytes
    body: bytes
    family: str
    service: FaultyService = field(repr=False)
    reader: asyncio.StreamReader = field(repr=False)
    writer: asyncio.StreamWriter = field(repr=False)

    @property
    def asked(self) -> Any:
        """The body's JSON."""
        return json.loads(self.body)

    async def right(self) -> Answer:
        """What the right service answers. It is not answered yet."""
        return await self.service.right(self)

    async def pass_on(self) -> None:
        """Answer rightly."""
        answer = await self.right()
        self.service.answered()
        await self.send(answer.status, answer.body)

    async def send(
        self, status: int, body: bytes | str | object, *, kind: str = "application/json", headers: Json | None = None
    ) -> None:
        """Answer with this body; what is neither bytes nor text is sent as JSON."""
        data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        lines = (f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}", *_lines(headers))
        await self.raw("\r\n".join((*lines, "", "")).encode("latin-1") + data)

    async def fail(self, status: int, message: str, *, code: str = "", headers: Json | None = None) -> None:
        """An error in the form of the vendor."""
        await self.send(status, error_body(self.family, status, message, code), headers=headers)

    async def raw(self, data: bytes) -> None:
        """These bytes and nothing else."""
        self.writer.write(data)
        with suppress(ConnectionError):
            await self.writer.drain()

    async def gone(self) -> None:
        """Wait until the client has gone."""
        await self.reader.read()

    def close(self) -> None:
        """End the connection in order."""
        self.writer.close()

    def reset(self) -> None:
        """Break the connection off."""
        self.writer.transport.abort()


def _lines(headers: Json | None) -> list[str]:
    return [f"{name}: {each}" for name, value in (headers or {}).items() for each in _each(value)]


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


_ANTHROPIC = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error",
    504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip
_GOOGLE = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip
_OPENAI = {401: "invalid_request_error", 403: "invalid_request_error", 429: "rate_limit_error"}


def error_body(family: str, status: int, message: str, code: str = "") -> Json:
    """An error as the SDKs' types of the vendor have it; that of an endpoint as vLLM writes it."""
    match family:
        case "gemini":
            return {"error": {"code": status, "message": message, "status": code or _GOOGLE.get(status, "UNKNOWN")}}
        case "anthropic":
            error = {"type": code or _ANTHROPIC.get(status, "api_error"), "message": message}
            return {"type": "error", "error": error, "request_id": "req_1"}
        case "openai":
            kind = _OPENAI.get(status, "invalid_request_error" if status < 500 else "server_error")
            return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}
        case _:
            return {"error": {"message": message, "type": "BadRequestError", "param": None, "code": status}}


React = Callable[[Exchange], Awaitable[None]]


class FaultyService:
    """The service on the running loop.

    Attributes:
        requests: the heads of all requests.
        port: where it listens, on 127.0.0.1.
    """

    def __init__(
        self,
        behind: str,
        family: str,
        react: React,
        *,
        when: Callable[[int], bool] = lambda _: True,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """
        Args:
            behind: the address of the right service.
            family: whose form errors have: gemini, anthropic, openai; any other: an endpoint's.
            react: how it answers wrongly.
            when: whether it does so at the request of this number; else it answers rightly.
            tls: for https.
        """
        self.requests: list[bytes] = []
        self.port = 0
        self._behind = urlsplit(behind)
        self._family, self._react, self._when, self._tls = family, react, when, tls
        self._kept: Answer | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    async def __aenter__(self) -> FaultyService:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls, limit=1 << 26)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        with suppress(asyncio.CancelledError):
            await self._server.wait_closed()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def right(self, exchange: Exchange) -> Answer:
        """What the right service answers."""
        if self._kept is None:
            reader, writer = await asyncio.open_connection(self._behind.hostname, self._behind.port, limit=1 << 26)
            lines = exchange.head.decode("latin-1").split("\r\n")
            kept = [line for line in lines if line and not line.lower().startswith(("connection:", "expect:"))]
            writer.write("\r\n".join([*kept, "Connection: close", "", ""]).encode("latin-1") + exchange.body)
            answer = await reader.read()
            writer.close()
            head, _, body = answer.partition(b"\r\n\r\n")
            self._kept = Answer(int(head.split(b" ", 2)[1]), body)
        return self._kept

    def answered(self) -> None:
        """A client was given what the right service answered."""
        self._kept = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = next(
                    (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
                )
                body = await reader.readexactly(size)
                self.requests.append(head)
                exchange = Exchange(
                    number=len(self.requests), head=head, body=body, family=self._family, service=self,
                    reader=reader, writer=writer,
                )  # fmt: skip
                await (self._react(exchange) if self._when(exchange.number) else exchange.pass_on())
                if writer.transport.is_closing():
                    return
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            return  # the client has gone
        finally:
            self._open.discard(writer)
            writer.close()
