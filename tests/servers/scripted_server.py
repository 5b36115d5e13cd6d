"""The part of a loopback model service that all vendors' servers have in common: it plays a script over HTTP.

A vendor's server subclasses `ScriptedServer` and says which rules a request must keep and how a turn of the script is
written on the wire. It is independent of the providers. Turns are objects, or functions of what was seen that return
one; every vendor's server knows these keys:

* `delay_s`: hold the answer back;
* `drop`: true: cut the connection;
* `body`: send this text as it is, with code 200;
* `status` with `message` and `retry_after`: an error answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeAlias, TypeVar

from aiohttp import web

Json: TypeAlias = Mapping[str, Any]
Pair: TypeAlias = tuple[float, float]
Locator: TypeAlias = Callable[[str, bytes], Pair]
"""Finds what has this name in a screenshot, in the model's coordinates."""

_MAX_REQUEST_BYTES = 64 * 1024 * 1024


class ServiceError(Exception):
    """An error answer in the vendor's form."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def body(self) -> dict[str, Any]:
        """The JSON the service sends."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a turn may be computed from: the request and its newest screenshot.

    Attributes:
        again: the client has not kept the turn before, which is to be said again: it called it off while it was on its
            way, or paused when it had just come.
        begins: the model has said nothing yet in this conversation: where it has been asked before, its first turn was
            called off.
    """

    request: Json
    png: bytes = field(repr=False)
    again: bool = False
    begins: bool = False


Turn: TypeAlias = Json | Callable[[Seen], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request: `body` with each picture's data replaced by its digest, `code` what was answered (0: cut off)."""

    path: str
    body: Json
    size: int
    code: int
    error: str = ""
    headers: Json = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """The answer to a turn, and the model's turn as it must come back in the history (None: there is none)."""

    answer: Json
    content: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The turn that was said last, and the connection it went over."""

    turn: Turn
    content: Json
    transport: asyncio.BaseTransport


class ScriptedServer:
    """A server on the running loop that plays a script.

    Attributes:
        received: every request for a turn, in order.
        violations: texts of the rules that were broken.
        pending: turns not yet said; tests may append.
        conversations: how often a history began.
        waiting: set while a turn with `delay_s` is being held back.
        last_png: the newest screenshot.
        served: the model's turns that were answered with, in the form that `forms_of` gives.
        connections: how many connections clients opened.
        came_s, answered_s: when each request came, and when its answer was on its way: CLOCK_MONOTONIC, the X server's
            clock too, so that the times compare with a witness's.
    """

    def __init__(self, turns: Sequence[Turn], *, api_key: str = "", log: Path | None = None) -> None:
        self.pending: list[Turn] = list(turns)
        self.received: list[Received] = []
        self.violations: list[str] = []
        self.conversations = 0
        self.waiting = asyncio.Event()
        self.last_png = b""
        self.url = ""
        self.served: list[Json] = []
        self.came_s: list[float] = []
        self.answered_s: list[float] = []
        self._api_key = api_key
        self._log = log
        self._said: _Said | None = None
        self._again = False
        self._runner: web.AppRunner | None = None
        self._transports: set[int] = set()

    # -- what a vendor's server says

    def add_routes(self, app: web.Application) -> None:
        """Add the vendor's addresses; those for a turn of the model lead to `turn`."""
        raise NotImplementedError

    def check(self, request: web.Request, body: Json) -> None:
        """Check key and rules, and keep the newest screenshot in `last_png`. Raises ServiceError."""
        raise NotImplementedError

    def fault(self, turn: Json) -> ServiceError | None:
        """The error that a turn asks for; None: it is an ordinary one."""
        raise NotImplementedError

    def end_of_script(self) -> ServiceError:
        """The error for a request after the last turn."""
        raise NotImplementedError

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """The answer for an ordinary turn; `size` is the request's."""
        raise NotImplementedError

    def forms_of(self, body: Json) -> list[Json]:
        """The model's turns in a request, oldest first, in the form in which `served` has them."""
        raise NotImplementedError

    def withdrawable(self, content: Json) -> bool:
        """Whether a client may leave this turn of the model out of its history."""
        return False

    # -- the rest

    @property
    def connections(self) -> int:
        """How many connections clients used for turns."""
        return len(self._transports)

    async def start(self) -> None:
        """Listen on a free loopback port."""
        app = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        self.add_routes(app)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Close every connection."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Any:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        await self.stop()

    async def turn(self, request: web.Request) -> web.StreamResponse:
        """Answer a request for the model's next turn."""
        self.came_s.append(time.monotonic())
        response = await self._turn(request)
        self.answered_s.append(time.monotonic())
        return response

    async def _turn(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw)
        self._transports.add(id(request.transport))
        try:
            await asyncio.sleep(0)  # an end of the connection before is read, though this one was served first
            self._take_back(body)
            self.check(request, body)
            if not self.pending:
                raise self.end_of_script()
        except ServiceError as error:
            if error.code == 400:
                self.violations.append(error.message)
            self._note(request, body, len(raw), error.code, error.message)
            return web.json_response(error.body(), status=error.code)
        turn = self.pending[0]
        if callable(turn):
            again = self._again or self._was_dropped(request, body)
            turn = turn(Seen(request=body, png=self.last_png, again=again, begins=not self.continues(body)))
        if "delay_s" in turn:
            # A client that goes away in the meantime cancels this, and the turn is still to be said.
            self.waiting.set()
            try:
                await asyncio.sleep(turn["delay_s"])
            finally:
                self.waiting.clear()
        self._said, self._again = None, False
        planned = self.pending.pop(0)
        return self._say(request, turn, planned, body, len(raw))

    def _take_back(self, body: Json) -> None:
        """Have a turn said again that the client called off while it was on its way.

        Such a client closes the connection; one that has the answer keeps it for the next request, or had said that
        it would close it. A new conversation owes nothing.
        """
        if self._said is None or not self._said.transport.is_closing() or not self.continues(body):
            return
        if self.withdrawable(self._said.content) or self._said.content in self.forms_of(body):
            return
        self.unsay(self._said.content)
        self.pending.insert(0, self._said.turn)
        self._said, self._again = None, True

    def _was_dropped(self, request: web.Request, body: Json) -> bool:
        """Whether the client, which paused, has dropped a turn that it had: it asks anew, by the same connection.

        So does one that begins a new conversation; a session of the console has a connection of its own.
        """
        said = self._said
        if said is None or said.transport is not request.transport or self.withdrawable(said.content):
            return False
        return said.content not in self.forms_of(body)

    def unsay(self, content: Json) -> None:
        """Forget the turn that was served last, because the client did not get it."""
        self.served.remove(content)

    def continues(self, body: Json) -> bool:
        """Whether the request goes on with a conversation."""
        raise NotImplementedError

    def _say(self, request: web.Request, turn: Json, planned: Turn, body: Json, size: int) -> web.StreamResponse:
        error = self.fault(turn)
        if error is not None:
            self._note(request, body, size, error.code, error.message)
            headers = {"Retry-After": str(turn["retry_after"])} if "retry_after" in turn else {}
            return web.json_response(error.body(), status=error.code, headers=headers)
        if turn.get("drop"):
            self._note(request, body, size, 0)
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        self._note(request, body, size, 200)
        if "body" in turn:
            return web.Response(text=turn["body"], content_type="application/json")
        spoken = self.speak(request, turn, size)
        if spoken.content is not None:
            self.served.append(spoken.content)
            if request.keep_alive and request.transport is not None:
                self._said = _Said(turn=planned, content=spoken.content, transport=request.transport)
        return web.json_response(spoken.answer)

    def _note(self, request: web.Request, body: Json, size: int, code: int, error: str = "") -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(path=request.path, body=slim(body), size=size, code=code, error=error, headers=headers)
        self.received.append(received)
        if self._log is not None:
            line = {"path": received.path, "size": size, "code": code, "error": error, "body": received.body}
            with self._log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def slim(value: Any) -> Any:
    """A copy in which picture data is a short digest, so that hundreds of requests can be kept."""
    if isinstance(value, dict):
        if "data" in value and ("mimeType" in value or "media_type" in value):
            digest = hashlib.sha256(str(value["data"]).encode()).hexdigest()[:16]
            return {**value, "data": f"sha256:{digest}"}
        return {key: slim(item) for key, item in value.items()}
    if isinstance(value, list):
        return [slim(item) for item in value]
    if isinstance(value, str) and value.startswith("data:image/"):
        return f"{value.partition(',')[0]},sha256:{hashlib.sha256(value.encode()).hexdigest()[:16]}"
    return value


Server = TypeVar("Server", bound=ScriptedServer)


class ServerThread(Generic[Server]):
    """A server on a loop of its own, for tests whose own loop is busy or not asyncio's."""

    def __init__(self, make: Callable[[], Server]) -> None:
        self._make = make
        self._ready = threading.Event()
        self._end: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="model-server")
        self.server: Server | None = None

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with self._make() as self.server:
            self._ready.set()
            await self._end.wait()

    def __enter__(self) -> Server:
        self._thread.start()
        if not self._ready.wait(30) or self.server is None:
            raise TimeoutError("the server did not start")
        return self.server

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._loop is not None and self._end is not None:
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
