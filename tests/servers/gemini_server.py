"""A loopback stand-in for Gemini's generateContent that plays a script and enforces the wire rules.

It knows nothing of our provider: rules are in `gemini_rules`, scripts in `gemini_scripts`. Used in a test's event loop
(`GeminiServer`), in a thread (`GeminiServerThread`), or as a process that prints its URL:

    python -m tests.servers.gemini_server SCRIPT.json [--log FILE] [--keep N] [--locator MODULE:FUNCTION]

The process ends when its standard input closes. Give the URL to the client as GOOGLE_GEMINI_BASE_URL.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import importlib
import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.servers.gemini_rules import (
    MODELS,
    ApiError,
    Expectations,
    Json,
    calls_of,
    check_request,
    flag_of,
    normal_content,
    pictures_of,
    png_bytes,
)
from tests.servers.gemini_scripts import Composer, Locator, Seen, Turn, answer, fault

_MAX_REQUEST_BYTES = 64 * 1024 * 1024
_PREFIX = "/{version:v1|v1beta}/models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request: `body` with each picture's data replaced by its digest, `code` what was answered (0: cut off)."""

    path: str
    body: Json
    size: int
    code: int
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The script's turn that was said last, as it must come back in the history, and the connection it went over."""

    turn: Turn
    content: Json
    transport: asyncio.BaseTransport


class GeminiServer:
    """The server on the running loop.

    Attributes:
        received: every generateContent request, in order.
        violations: texts of the rules that were broken.
        pending: turns not yet said; tests may append.
        conversations: how often a history began.
        waiting: set while a turn with `delay_s` is being held back.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        api_key: str = "",
        keep_screenshots: int | None = None,
        complete_history: bool = True,
        locator: Locator | None = None,
        log: Path | None = None,
    ) -> None:
        self.pending: list[Turn] = list(turns)
        self.received: list[Received] = []
        self.violations: list[str] = []
        self.conversations = 0
        self.waiting = asyncio.Event()
        self.last_png = b""
        self.url = ""
        self._api_key = api_key
        self._keep = keep_screenshots
        self._complete = complete_history
        self._log = log
        self._composer = Composer(locator)
        self._served: list[Json] = []
        self._optional: list[Json] = []
        self._said: _Said | None = None
        self._again = False
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen on a free loopback port."""
        app = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        app.router.add_get(_PREFIX, self._list)
        app.router.add_get(_PREFIX + "/{model}", self._get)
        app.router.add_post(_PREFIX + "/{method}", self._generate)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Close every connection."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> GeminiServer:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        await self.stop()

    async def _list(self, request: web.Request) -> web.StreamResponse:
        try:
            self._check_key(request)
        except ApiError as error:
            return web.json_response(error.body(), status=error.code)
        return web.json_response({"models": [_described(name) for name in sorted(MODELS)]})

    async def _get(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["model"]
        try:
            self._check_key(request)
            if name not in MODELS:
                raise ApiError(404, f"models/{name} is not found for API version v1beta.", status="NOT_FOUND")
        except ApiError as error:
            return web.json_response(error.body(), status=error.code)
        return web.json_response(_described(name))

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw)
        model, _, method = request.match_info["method"].partition(":")
        try:
            if method != "generateContent":
                raise ApiError(404, "Requested entity was not found.", status="NOT_FOUND")
            self._check_key(request)
            self._take_back(body)
            png = self._checked(model, body)
            if not self.pending:
                raise ApiError(400, "The script is at its end.")
        except ApiError as error:
            if error.code == 400:
                self.violations.append(error.message)
            self._note(request, body, len(raw), error.code, error.message)
            return web.json_response(error.body(), status=error.code)
        turn = self.pending[0]
        turn = turn(Seen(request=body, png=png, again=self._again)) if callable(turn) else turn
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
        contents = body.get("contents") or []
        if self._said is None or not self._said.transport.is_closing() or len(contents) < 2:
            return
        flagged = any(flag_of(call) for call in calls_of(self._said.content))
        if flagged or any(normal_content(content) == self._said.content for content in contents):
            return
        self._served.remove(self._said.content)
        self.pending.insert(0, self._said.turn)
        self._said, self._again = None, True

    def _say(self, request: web.Request, turn: Json, planned: Turn, body: Json, size: int) -> web.StreamResponse:
        error = fault(turn)
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
        content = self._composer.content(turn, self.last_png)
        said = answer(
            turn,
            content,
            model=str(request.match_info["method"]).partition(":")[0],
            serial=len(self.received),
            request_bytes=size,
        )
        if content is not None and "candidates" not in turn:
            self._served.append(normal_content(content))
            if request.keep_alive and request.transport is not None:
                self._said = _Said(turn=planned, content=self._served[-1], transport=request.transport)
            if turn.get("finish_reason", "STOP") != "STOP" or not _says_something(content):
                self._optional.append(self._served[-1])
        return web.json_response(said)

    def _check_key(self, request: web.Request) -> None:
        key = request.headers.get("x-goog-api-key", "")
        if not key:
            text = "Method doesn't allow unregistered callers (callers without established identity)."
            raise ApiError(403, text, status="PERMISSION_DENIED")
        if self._api_key and key != self._api_key:
            reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
            raise ApiError(400, "API key not valid. Please pass a valid API key.", details=[reason])

    def _checked(self, model: str, body: Json) -> bytes:
        if len(body.get("contents") or []) == 1:
            self._served.clear()
            self.conversations += 1
        expected = Expectations(
            served=self._served, optional=self._optional, keep_screenshots=self._keep, complete_history=self._complete
        )
        contents = check_request(model, body, expected)
        blobs = [blob for content in contents for blob in pictures_of(content)]
        if blobs:
            self.last_png = png_bytes(blobs[-1])
        return self.last_png

    def _note(self, request: web.Request, body: Json, size: int, code: int, error: str = "") -> None:
        received = Received(path=request.path, body=_slim(body), size=size, code=code, error=error)
        self.received.append(received)
        if self._log is not None:
            line = {"path": received.path, "size": size, "code": code, "error": error, "body": received.body}
            with self._log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _described(name: str) -> dict[str, Any]:
    return {
        "name": f"models/{name}",
        "displayName": name,
        "inputTokenLimit": 128_000,
        "outputTokenLimit": 64_000,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def _says_something(content: Json) -> bool:
    return any("functionCall" in part or not part.get("thought") for part in content["parts"])


def _slim(value: Any) -> Any:
    """A copy in which picture data is a short digest, so that hundreds of requests can be kept."""
    if isinstance(value, dict):
        if "mimeType" in value and "data" in value:
            digest = hashlib.sha256(str(value["data"]).encode()).hexdigest()[:16]
            return {**value, "data": f"sha256:{digest}"}
        return {key: _slim(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_slim(item) for item in value]
    return value


class GeminiServerThread:
    """The same server on a loop of its own, for tests whose own loop is busy or not asyncio's."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        self._turns = turns
        self._options = options
        self._ready = threading.Event()
        self._end: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="gemini-server")
        self.server: GeminiServer | None = None

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with GeminiServer(self._turns, **self._options) as self.server:
            self._ready.set()
            await self._end.wait()

    def __enter__(self) -> GeminiServer:
        self._thread.start()
        if not self._ready.wait(30) or self.server is None:
            raise TimeoutError("the server did not start")
        return self.server

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._loop is not None and self._end is not None:
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()


async def _run(options: argparse.Namespace, turns: Sequence[Turn]) -> None:
    locator: Locator | None = None
    if options.locator:
        module, _, function = options.locator.partition(":")
        locator = getattr(importlib.import_module(module), function)
    server = GeminiServer(turns, api_key=options.key, keep_screenshots=options.keep, locator=locator, log=options.log)
    async with server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)
    for violation in server.violations:
        print(violation, file=sys.stderr)
    if server.violations:
        sys.exit(1)


def main() -> None:
    """Serve one script until standard input closes; exit 1 if a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--keep", type=int)
    parser.add_argument("--key", default="", help="the only key that is accepted")
    parser.add_argument("--locator")
    options = parser.parse_args()
    script = json.loads(Path(options.script).read_text(encoding="utf-8"))
    asyncio.run(_run(options, script["turns"] if isinstance(script, dict) else script))


if __name__ == "__main__":
    main()
