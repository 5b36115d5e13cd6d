"""A small MCP server by the official SDK, with tools that answer, fail and hang.

    python tests/servers/mcp_server.py                     over stdio
    python tests/servers/mcp_server.py --http [--key KEY]  over streamable HTTP on loopback; prints its URL

It ends when its standard input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import sys
import threading
from typing import Any

import uvicorn
from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

ONE_PIXEL_GIF = base64.b64decode("R0lGODlhAQABAIAAAP///////yH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==")

server = MCPServer("test")
state = {"calls": 0}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> str:
    """Add two numbers."""
    state["calls"] += 1
    return f"{a} + {b} = {a + b} (call {state['calls']})"


@server.tool()
def fails() -> str:
    """Fail."""
    raise ToolError("no room left")


@server.tool()
def floods() -> str:
    """Return much."""
    return "x" * 5_000_000


@server.tool(structured_output=False)
def picture() -> list[Any]:
    """Return a text and a picture."""
    return ["here it is", Image(data=ONE_PIXEL_GIF, format="gif")]


@server.tool(structured_output=False)
async def hangs(pipe: str) -> str:
    """Write its process id to a pipe and never end."""
    fd = os.open(pipe, os.O_WRONLY)
    os.write(fd, str(os.getpid()).encode())
    os.close(fd)
    await asyncio.Event().wait()
    return "never"


class _WithKey:
    """Answers 401 to requests without the key."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and Request(scope).headers.get("x-room-key", "") != self._key:
            await PlainTextResponse("no", status_code=401)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def over_http(key: str) -> None:
    app: ASGIApp = server.streamable_http_app()
    web = uvicorn.Server(uvicorn.Config(_WithKey(app, key) if key else app, port=0, log_level="error"))
    serving = asyncio.create_task(web.serve())
    while not web.started:  # noqa: ASYNC110 - uvicorn tells it by no event
        await asyncio.sleep(0.005)
    print(f"http://127.0.0.1:{web.servers[0].sockets[0].getsockname()[1]}/mcp", flush=True)

    def end() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
    await serving


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--key", default="")
    args = parser.parse_args()
    print("the test server starts", file=sys.stderr, flush=True)
    if args.http:
        asyncio.run(over_http(args.key))
    else:
        server.run("stdio")


if __name__ == "__main__":
    main()
