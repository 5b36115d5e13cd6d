"""The faults of services, proxies and networks that sessions and checks of a model are tried against.

A fault lasts, or comes once: at the second request of a session. What a person is told, how often it is asked again,
how the program ends and what a check says is in one list, `FAULTS`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from operator_console.domain.errors import ExitCode
from operator_console.domain.notices import NoticeCode
from operator_console.ui.profile_values import CheckOutcome
from tests.servers.faulty_service import Exchange, React, error_body

KEY = "sk-live-7f3K9mQ2SECRETxW8vB"
"""The key of all sessions with faults, which must be shown nowhere."""
REPEATED, ASKED_FOR_AGAIN = 5, 4
"""Requests of one turn: after faults that pass, and after answers that cannot be read."""
OF_A_TURN = 40
"""Characters of what an answer has before it breaks off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What a service does, and what becomes of it.

    Attributes:
        name: for the names of tests.
        react: what it does.
        title: what a session says where it lasts; None: the session does not fail.
        check: what a check says.
        requests: of the first turn, where it lasts.
        passes: where it comes once, the session goes on by itself.
        code: the exit code of a session, where it lasts.
        told: words that a person must be told besides; of the service, for example.
        timeout_s: limit for an answer.
        other: titles that differ, by provider.
        quick: part of the ordinary test run, with two providers.
    """

    name: str
    react: React
    title: NoticeCode | None
    check: CheckOutcome
    requests: int = 1
    passes: bool = False
    code: int = ExitCode.FAILED
    told: str = ""
    timeout_s: float = 20.0
    other: Mapping[str, NoticeCode] = field(default_factory=dict)
    quick: bool = False


# -- what a service does


def says(code: int, message: str, error_code: str = "", **headers: Any) -> React:
    """An error in the vendor's form; `Retry_After` stands for the header Retry-After."""

    async def react(exchange: Exchange) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        await exchange.fail(code, message, code=error_code, headers=named)

    return react


def sends(code: int, body: object, kind: str = "application/json", **headers: Any) -> React:
    """This body in whatever form."""

    async def react(exchange: Exchange) -> None:
        await exchange.send(code, body, kind=kind, headers={n.replace("_", "-"): v for n, v in headers.items()})

    return react


def page(code: int, title: str) -> React:
    """A web page."""
    style = "<style>p { color: red }</style>"
    text = f"<!DOCTYPE html>\n<html><head><title>{title}</title>{style}</head><body><h1>{title}</h1></body></html>"
    return sends(code, text, "text/html; charset=utf-8")


def raw(data: bytes, *, ends: bool = True) -> React:
    """Bytes, and the end of the connection."""

    async def react(exchange: Exchange) -> None:
        await exchange.raw(data)
        if ends:
            exchange.close()

    return react


def part(head: bytes, *, most: int = OF_A_TURN) -> React:
    """The beginning of a right answer after this head, and the end of the connection."""

    async def react(exchange: Exchange) -> None:
        answer = await exchange.right()
        await exchange.raw(head.replace(b"SIZE", b"%d" % len(answer.body)) + answer.body[:most])
        exchange.close()

    return react


def error_inside(code: Any, message: str) -> React:
    """An error with the status of a success."""

    async def react(exchange: Exchange) -> None:
        await exchange.send(200, error_body(exchange.family, code, message))

    return react


async def echoes(exchange: Exchange) -> None:
    """The whole request, with key and picture, in the error."""
    await exchange.fail(400, f"Cannot parse {exchange.head.decode('latin-1')}{exchange.body.decode()}")


async def echoes_page(exchange: Exchange) -> None:
    text = f"<html><pre>{exchange.head.decode('latin-1')}{exchange.body.decode()}</pre></html>"
    await exchange.send(502, text, kind="text/html")


async def resets(exchange: Exchange) -> None:
    exchange.reset()


async def closes(exchange: Exchange) -> None:
    exchange.close()


async def truncates(exchange: Exchange) -> None:
    answer = await exchange.right()
    await exchange.send(200, answer.body[: len(answer.body) // 2])


async def breaks_letters(exchange: Exchange) -> None:
    answer = await exchange.right()
    await exchange.send(200, b"\xff\xfe" + answer.body)


async def drips(exchange: Exchange) -> None:
    """A byte now and then, for ever."""
    await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while not exchange.writer.transport.is_closing():
        await exchange.raw(b" ")
        await asyncio.sleep(0.01)


async def stays_silent(exchange: Exchange) -> None:
    await exchange.gone()


async def floods(exchange: Exchange) -> None:
    """More than any model says."""
    await exchange.raw(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"a": "')
    for _ in range(20):
        if not exchange.writer.transport.is_closing():
            await exchange.raw(b"a" * (1 << 20))
    exchange.close()


def right_but(change: Any = None, *, kind: str = "application/json", before: bytes = b"") -> React:
    """A right answer in another wrapping, or with other fields."""

    async def react(exchange: Exchange) -> None:
        answer = await exchange.right()
        exchange.service.answered()
        body = json.dumps(change(json.loads(answer.body))).encode() if change is not None else answer.body
        await exchange.send(answer.status, before + body, kind=kind)

    return react


def without_usage(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in {"usage", "usageMetadata"}}


def with_new_fields(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "brand_new": {"x": [1]}, "service_tier": "other", "usage_of_water": -1}


def with_absurd_usage(body: dict[str, Any]) -> dict[str, Any]:
    return {**without_usage(body), "usage": "much", "usageMetadata": [10**30]}


# -- the list

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_LIMIT = "Rate limit reached for requests"
C, N = CheckOutcome, NoticeCode


def _slow(name: str, requests: int = REPEATED, *, quick: bool = False, told: str = "", **headers: Any) -> Fault:
    return Fault(
        name=name, react=says(429, _LIMIT, **headers), title=N.SERVICE_ASKS_TO_SLOW_DOWN, check=C.RATE_LIMITED,
        requests=requests, passes=requests > 1, told=told or _LIMIT, quick=quick,
    )  # fmt: skip


def _down(name: str, react: React, *, quick: bool = False, told: str = "") -> Fault:
    return Fault(
        name=name, react=react, title=N.SERVICE_UNAVAILABLE, check=C.UNAVAILABLE, requests=REPEATED, passes=True,
        quick=quick, told=told,
    )  # fmt: skip


def _broken(name: str, react: React, *, quick: bool = False, told: str = "") -> Fault:
    return Fault(
        name=name, react=react, title=N.MODEL_ANSWER_UNREADABLE, check=C.OTHER_DIALECT, requests=ASKED_FOR_AGAIN,
        passes=True, quick=quick, told=told,
    )  # fmt: skip


def _lost(name: str, react: React, *, quick: bool = False) -> Fault:
    return Fault(
        name=name, react=react, title=N.SERVICE_CONNECTION_FAILED, check=C.UNREACHABLE, requests=REPEATED, passes=True,
        quick=quick,
    )  # fmt: skip


def _late(name: str, react: React) -> Fault:
    return Fault(
        name=name, react=react, title=N.SERVICE_TIMED_OUT, check=C.UNREACHABLE, requests=REPEATED, passes=True,
        timeout_s=0.25,
    )  # fmt: skip


def _no(name: str, react: React, title: NoticeCode, check: CheckOutcome, **more: Any) -> Fault:
    return Fault(name=name, react=react, title=title, check=check, **more)


def _works(name: str, react: React, *, quick: bool = False) -> Fault:
    return Fault(name=name, react=react, title=None, check=C.WORKS, passes=True, code=ExitCode.FINISHED, quick=quick)


FAULTS = (
    # Errors of the service
    _no("400", says(400, "temperature must not be negative"), N.SERVICE_REJECTED_REQUEST, C.REFUSED, quick=True,
        told="temperature must not be negative."),
    _no("400 key", says(400, "API key not valid.", "x"), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("401", says(401, "Invalid API key."), N.SERVICE_REJECTED_KEY, C.KEY_REFUSED, quick=True),
    _no("402", says(402, "Insufficient Balance"), N.SERVICE_WANTS_PAYMENT, C.REFUSED),
    _no("400 no credit", says(400, "Your credit balance is too low to access the API."), N.SERVICE_WANTS_PAYMENT,
        C.REFUSED),
    _no("429 no credit", says(429, "Insufficient balance or no resource package."), N.SERVICE_WANTS_PAYMENT,
        C.REFUSED),
    _no("403", says(403, "Request not allowed"), N.SERVICE_FORBIDS, C.KEY_REFUSED),
    _no("404", says(404, "model not found"), N.SERVICE_HAS_NO_MODEL, C.MODEL_UNKNOWN),
    _no("404 of no service", sends(404, {"detail": "Not Found"}), N.NO_SERVICE_AT_ADDRESS, C.NO_ADDRESS, quick=True),
    _no("404 page", page(404, "404 Not Found"), N.NO_SERVICE_AT_ADDRESS, C.NO_ADDRESS),
    _no("405", sends(405, {"detail": "Method Not Allowed"}), N.NO_SERVICE_AT_ADDRESS, C.NO_ADDRESS),
    _down("408", says(408, "Request timed out")),
    _down("409", says(409, "Conflict")),
    _no("410", says(410, "The model has reached its end of life"), N.SERVICE_HAS_NO_MODEL, C.MODEL_UNKNOWN),
    _no("422 list", sends(422, {"detail": [{"type": "missing", "loc": ["body", "foo"], "msg": "Field required"}]}),
        N.SERVICE_REJECTED_REQUEST, C.REFUSED, told="body.foo: Field required."),
    _slow("429", quick=True),
    _slow("429 after 7 s", Retry_After="7"),
    _slow("429 after 0 s", Retry_After="0"),
    _slow("429 after a day", 1, Retry_After="86400", told="It asks to wait for a day or more."),
    _slow("429 after 20 minutes", 1, Retry_After="1200", told="It asks to wait for 20 minutes."),
    _slow("429 after 1e9", 1, Retry_After="1e9"),
    _slow("429 after -5", Retry_After="-5"),
    _slow("429 after nan", Retry_After="nan"),
    _slow("429 until 2099", 1, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"),
    _slow("429 until 2015", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    _slow("429 until never", Retry_After="Wed, 21 Oct 99999999999999999999 07:28:00 GMT", quick=True),
    _no("451", says(451, "Unavailable for legal reasons"), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _down("500", says(500, "Internal error")),
    _no("501", says(501, "Not implemented"), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _down("503", says(503, "Loading model", Retry_After="3"), told="Loading model.", quick=True),
    _down("503 empty", sends(503, "", "text/plain")),
    _down("504", says(504, "Gateway timeout")),
    _down("529", says(529, "Overloaded")),
    _down("599", says(599, "?")),
    _no("no pictures", says(400, "At most 0 image(s) may be provided in one prompt."), N.MODEL_TAKES_NO_PICTURES,
        C.REFUSED, quick=True),
    _no("no pictures, as 500", says(500, "image input is not supported - hint: you may need to provide the mmproj"),
        N.MODEL_TAKES_NO_PICTURES, C.REFUSED),
    # Proxies, gateways and firewalls
    _no("403 page", page(403, "Access denied | Cloudflare"), N.PAGE_ANSWERED, C.OTHER_DIALECT, quick=True,
        told="Access denied | Cloudflare."),
    _no("200 page", page(200, "Sign in to the network"), N.PAGE_ANSWERED, C.OTHER_DIALECT),
    _no("200 page as JSON", sends(200, "\n<html><body>It works!</body></html>"), N.PAGE_ANSWERED, C.OTHER_DIALECT),
    _no("511 page", page(511, "Network Authentication Required"), N.PAGE_ANSWERED, C.OTHER_DIALECT),
    _no("407 page", page(407, "Proxy Authentication Required"), N.PAGE_ANSWERED, C.OTHER_DIALECT),
    _down("502 page", page(502, "502 Bad Gateway"), told="502 Bad Gateway."),
    _no("redirect", sends(308, "", "text/plain", Location="https://elsewhere.test/v1?key=a"), N.SERVICE_REDIRECTS,
        C.NO_ADDRESS, told="https://elsewhere.test/v1"),
    _no("redirect to nowhere", sends(302, "", "text/plain"), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("304", raw(b"HTTP/1.1 304 Not Modified\r\n\r\n", ends=False), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    # Errors in other forms
    _no("400 number", sends(400, "5"), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("400 null", sends(400, "null"), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("400 odd objects", sends(400, {"error": {"message": {"a": 1}, "code": {"b": 2}, "type": [1], "status": 3,
        "details": 7}}), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("400 not UTF-8", sends(400, b'{"error": {"message": "caf\xe9"}}'), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("400 too deep", sends(400, "[" * 100_000), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("400 too long", says(400, "no " * (1 << 19)), N.SERVICE_REJECTED_REQUEST, C.REFUSED),
    _no("400 with the request in it", echoes, N.SERVICE_REJECTED_REQUEST, C.REFUSED, quick=True),
    _down("502 page with the request in it", echoes_page),
    Fault(name="429 in 200", react=error_inside(429, _LIMIT), title=N.SERVICE_ASKS_TO_SLOW_DOWN, check=C.RATE_LIMITED,
          requests=REPEATED, passes=True, told=_LIMIT, quick=True),
    _down("503 in 200", error_inside(503, "Provider returned error"), told="Provider returned error."),
    _down("list of errors in 200", sends(200, [{"error": {"code": 503, "message": "Overloaded"}}]), told="Overloaded."),
    _no("words of an error in 200", sends(200, {"error": "model 'm' not found"}), N.SERVICE_HAS_NO_MODEL,
        C.MODEL_UNKNOWN),
    # What is no answer
    _broken("200 empty", sends(200, ""), told="The answer was empty."),
    _broken("204", raw(b"HTTP/1.1 204 No Content\r\n\r\n", ends=False)),
    _broken("200 null", sends(200, "null")),
    _broken("200 words", sends(200, "OK", "text/plain"), told="It begins with “OK”."),
    _broken("truncated", truncates, quick=True),
    _broken("letters that are none", breaks_letters),
    _broken("too deep", sends(200, "[" * 100_000)),
    _broken("not gzip", sends(200, b"not gzip", Content_Encoding="gzip")),
    _broken("too much", floods, told="It is too long."),
    # Connections
    _lost("reset", resets, quick=True),
    _lost("closed", closes),
    _lost("half a head", raw(b"HTTP/1.1 200 OK\r\nContent-Ty")),
    _lost("half a body", part(_HEAD + b"Content-Length: SIZE\r\n\r\n")),
    _lost("half a chunk", part(_HEAD + b"Transfer-Encoding: chunked\r\n\r\nfff\r\n")),
    _lost("another protocol", raw(b"SSH-2.0-OpenSSH_9.2\r\n")),
    _late("drips", drips),
    _late("silent", stays_silent),
    # What is right all the same
    _works("text/plain", right_but(kind="text/plain")),
    _works("after a mark and blank lines", right_but(before=b"\xef\xbb\xbf\n\n")),
    _works("without usage", right_but(without_usage), quick=True),
    _works("absurd usage", right_but(with_absurd_usage)),
    _works("new fields", right_but(with_new_fields)),
)  # fmt: skip
