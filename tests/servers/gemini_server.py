"""A loopback stand-in for Gemini's generateContent that plays a script and enforces the wire rules.

It knows nothing of our provider: rules are in `gemini_rules`, scripts in `gemini_scripts`. Used in a test's event loop
(`GeminiServer`), in a thread (`GeminiServerThread`), or as a process that prints its URL:

    python -m tests.servers.gemini_server SCRIPT.json [--log FILE] [--keep N] [--locator MODULE:FUNCTION]

The process ends when its standard input closes. Give the URL to the client as GOOGLE_GEMINI_BASE_URL.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.servers.gemini_rules import (
    ApiError,
    Expectations,
    calls_of,
    check_request,
    flag_of,
    normal_content,
    pictures_of,
    png_bytes,
)
from tests.servers.gemini_scripts import Composer, answer, fault
from tests.servers.scripted_server import Json, Locator, ScriptedServer, ServerThread, Spoken, Turn

_PREFIX = "/{version:v1|v1beta}/models"


class GeminiServer(ScriptedServer):
    """The server on the running loop."""

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        api_key: str = "",
        keep_screenshots: int | None = None,
        complete_history: bool = True,
        browser: bool = False,
        locator: Locator | None = None,
        log: Path | None = None,
    ) -> None:
        super().__init__(turns, api_key=api_key, log=log)
        self._keep = keep_screenshots
        self._complete = complete_history
        self._browser = browser
        self._composer = Composer(locator)
        self._optional: list[Json] = []

    def add_routes(self, app: web.Application) -> None:
        """generateContent."""
        app.router.add_post(_PREFIX + "/{method}", self.turn)

    def continues(self, body: Json) -> bool:
        """Whether there is a turn before the newest."""
        return len(body.get("contents") or []) > 1

    def forms_of(self, body: Json) -> list[Json]:
        """The contents in normal form."""
        return [normal_content(content) for content in body.get("contents") or []]

    def withdrawable(self, content: Json) -> bool:
        """A turn with a flagged call."""
        return any(flag_of(call) for call in calls_of(content))

    def fault(self, turn: Json) -> ApiError | None:
        """The error that a turn asks for."""
        return fault(turn)

    def end_of_script(self) -> ApiError:
        """A violation: the client asks for more than the test expects."""
        return ApiError(400, "The script is at its end.")

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A candidate with the turn's parts."""
        content = self._composer.content(turn, self.last_png)
        model = str(request.match_info["method"]).partition(":")[0]
        said = answer(turn, content, model=model, serial=len(self.received), request_bytes=size)
        if content is None or "candidates" in turn:
            return Spoken(answer=said, content=None)
        normal = normal_content(content)
        if turn.get("finish_reason", "STOP") != "STOP" or not _says_something(content):
            self._optional.append(normal)
        return Spoken(answer=said, content=normal)

    def check(self, request: web.Request, body: Json) -> None:
        """All rules of generateContent."""
        model, _, method = request.match_info["method"].partition(":")
        if method != "generateContent":
            raise ApiError(404, "Requested entity was not found.", status="NOT_FOUND")
        self._check_key(request)
        self._checked(model, body)

    def _check_key(self, request: web.Request) -> None:
        key = request.headers.get("x-goog-api-key", "")
        if not key:
            text = "Method doesn't allow unregistered callers (callers without established identity)."
            raise ApiError(403, text, status="PERMISSION_DENIED")
        if self._api_key and key != self._api_key:
            reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
            raise ApiError(400, "API key not valid. Please pass a valid API key.", details=[reason])

    def _checked(self, model: str, body: Json) -> None:
        if not self.continues(body):
            self.served.clear()
            self.conversations += 1
        expected = Expectations(
            served=self.served,
            optional=self._optional,
            keep_screenshots=self._keep,
            complete_history=self._complete,
            browser=self._browser,
        )
        contents = check_request(model, body, expected)
        blobs = [blob for content in contents for blob in pictures_of(content)]
        if blobs:
            self.last_png = png_bytes(blobs[-1])


def _says_something(content: Json) -> bool:
    return any("functionCall" in part or not part.get("thought") for part in content["parts"])


class GeminiServerThread(ServerThread[GeminiServer]):
    """The same server on a loop of its own, for tests whose own loop is busy or not asyncio's."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        super().__init__(lambda: GeminiServer(turns, **options))


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
