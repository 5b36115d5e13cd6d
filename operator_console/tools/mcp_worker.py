"""The process that is the client of one MCP server: it connects, lists the tools, and calls them one after another.

A server over stdio runs in the same process group, so that one kill ends both; a server over HTTP loses its connection.
What a server sends is data: it is checked, and bounded in number and size.

Protocol: modelcontextprotocol.io, revisions 2025-03-26 and later, by the official SDK.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import os
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pydantic
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.validators import Draft202012Validator
from mcp.client.client import Client
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from PIL import Image
from referencing import Registry
from referencing.exceptions import Unresolvable

from operator_console.loopback import is_loopback
from operator_console.tools.worker_pipes import MAX_CHARACTERS, Console

MAX_PICTURES = 4
MAX_PICTURE_BYTES = 4_000_000
MAX_TOOLS = 128
MAX_DESCRIPTION = 4_000
MAX_SCHEMA = 20_000

_MAX_PIXELS = 16_000_000
_MAX_MESSAGE_BYTES = 16_000_000
_MAX_PAGES = 20
_MAX_LOG = 4_000
_MAX_HTTP_MEMORY = 4_000_000_000
_HTTP_TIMEOUT_S = 30.0
_EXIT_WITHIN_S = 2.0
_OF_CALLS = frozenset({"content", "structuredContent", "isError"})
_PART: pydantic.TypeAdapter[types.ContentBlock] = pydantic.TypeAdapter(types.ContentBlock)
_NO_OBJECT = "its arguments are not an object"
_HTTP_STATUSES = {401: "It refused the key", 403: "It refused the key", 404: "There is no MCP server at that address"}


def main() -> None:
    """Serve requests until one says "close"."""
    asyncio.run(_serve())
    os._exit(0)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    requests: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    console = Console(lambda request: loop.call_soon_threadsafe(requests.put_nowait, request))
    await _Worker(requests, console).serve()


class _Worker:
    """One connection, from the request "open" to "close"."""

    def __init__(self, requests: asyncio.Queue[dict[str, Any]], console: Console) -> None:
        self._requests = requests
        self._console = console
        self._log: deque[str] = deque(maxlen=50)
        self._refused = 0

    async def serve(self) -> None:
        opening = await self._requests.get()
        try:
            async with self._client(opening["server"]) as client:
                schemas = await self._open(client)
                while (request := await self._requests.get())["do"] != "close":
                    self._answer(await self._call(client, request, schemas))
        except BaseException as error:  # noqa: BLE001 - whatever a server does is an answer
            self._answer({"error": _http_words(self._refused) or _words(error), "unusable": True})
            return
        self._answer({"closed": True})

    def _answer(self, answer: Mapping[str, object]) -> None:
        self._console.answer({**answer, "log": "\n".join(self._log)[-_MAX_LOG:]})
        self._log.clear()

    @asynccontextmanager
    async def _client(self, server: Mapping[str, Any]) -> AsyncIterator[Client]:
        info = types.Implementation(name="operator-console", version=str(server["version"]))
        if server["url"]:
            import resource  # not on every platform

            # The server decides how much it sends.
            resource.setrlimit(resource.RLIMIT_AS, (_MAX_HTTP_MEMORY, _MAX_HTTP_MEMORY))
            # The console limits the time of a call.
            timeout = httpx2.Timeout(_HTTP_TIMEOUT_S, read=None)
            hooks = {"response": [self._note_refusal]}
            # No proxy of the environment for a server on this computer.
            async with httpx2.AsyncClient(
                headers=server["headers"], timeout=timeout, event_hooks=hooks,
                verify=httpx2.create_ssl_context(), trust_env=not is_loopback(server["url"]),
            ) as http:  # fmt: skip
                transport = streamable_http_client(server["url"], http_client=http)
                async with Client(_with_plain_tools(transport), client_info=info, cache=None) as client:
                    yield client
        else:
            async with Client(_with_plain_tools(self._stdio(server)), client_info=info, cache=None) as client:
                yield client

    async def _note_refusal(self, response: httpx2.Response) -> None:
        """The SDK does not tell the status."""
        self._refused = response.status_code if response.status_code >= httpx2.codes.BAD_REQUEST else 0

    @asynccontextmanager
    async def _stdio(self, server: Mapping[str, Any]) -> AsyncIterator[Any]:
        """As the SDK's own transport, which would start the server in another process group: it outlived a kill."""
        process = await asyncio.create_subprocess_exec(
            server["command"], *server["args"], env={**get_default_environment(), **server["env"]},
            cwd=server["cwd"] or None, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, limit=_MAX_MESSAGE_BYTES,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        stdin, stdout, stderr = process.stdin, process.stdout, process.stderr

        async def receive() -> None:
            async with to_session:
                while line := await stdout.readline():
                    try:
                        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                    except ValueError:
                        self._log.append(f"not a message: {_printable(line[:200])}")
                        continue
                    await to_session.send(SessionMessage(message))

        async def send() -> None:
            async with from_session:
                async for each in from_session:
                    stdin.write(each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                    await stdin.drain()

        collected = anyio.Event()

        async def collect() -> None:
            while piece := await stderr.read(4096):
                self._log.extend(_printable(piece).splitlines())
            collected.set()

        async with anyio.create_task_group() as tasks:
            for task in (receive, send, collect):
                tasks.start_soon(_until_broken, task)
            try:
                yield incoming, outgoing
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(_EXIT_WITHIN_S):
                    stdin.close()  # tells the server to end
                    await process.wait()
                    await collected.wait()
                tasks.cancel_scope.cancel()

    async def _open(self, client: Client) -> dict[str, Draft202012Validator]:
        """Tell the tools, and return the checks of their arguments."""
        tools: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None or len(tools) > MAX_TOOLS:
                break
        described = [_described(tool) for tool in tools[:MAX_TOOLS]]
        self._answer({"tools": described, "more": max(0, len(tools) - MAX_TOOLS)})
        return {
            tool["name"]: Draft202012Validator(tool["schema"], registry=Registry())
            for tool in described
            if "problem" not in tool
        }

    async def _call(
        self, client: Client, request: Mapping[str, Any], checks: Mapping[str, Draft202012Validator]
    ) -> dict[str, Any]:
        name, arguments = request["tool"], request["arguments"]
        if problem := _problem(checks[name], arguments):
            return {"error": f"The arguments are invalid: {problem}"[:MAX_CHARACTERS]}
        try:
            result = await client.call_tool(name, arguments)
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                return {"error": "The connection to the server was lost.", "unusable": True}
            return {"error": _words(error)}
        except Exception as error:  # noqa: BLE001 - an answer against the protocol
            return {"error": _words(error), "unusable": True}
        texts, pictures = _content(result)
        return {"texts": texts, "pictures": pictures, "failed": bool(result.is_error)}


async def _until_broken(task: Any) -> None:
    """Run a task of the connection; its end, for whatever reason, closes the stream that the session reads."""
    try:
        await task()
    except (OSError, ValueError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        return


@asynccontextmanager
async def _with_plain_tools(transport: AbstractAsyncContextManager[Any]) -> AsyncIterator[Any]:
    """A transport whose lists of tools and results the SDK takes: it would refuse all for one tool or part in it."""
    async with transport as (incoming, outgoing), anyio.create_task_group() as tasks:
        to_session, plain = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def pass_on() -> None:
            async with to_session:
                async for each in incoming:
                    await to_session.send(_plain(each))

        tasks.start_soon(_until_broken, pass_on)
        try:
            yield plain, outgoing
        finally:
            tasks.cancel_scope.cancel()


def _plain(message: SessionMessage | Exception) -> SessionMessage | Exception:
    """A message, of a list of tools with what is used of each; what is no schema of an object says so instead."""
    if isinstance(message, SessionMessage) and isinstance(message.message, types.JSONRPCResponse):
        result = message.message.result
        tools = result.get("tools")
        if isinstance(tools, list):
            result["tools"] = [
                _plain_tool(tool) for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)
            ]
        elif not _OF_CALLS.isdisjoint(result):
            result.update(plain_result(result))
    return message


def plain_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """Content and fault of a call's result, as the protocol has them."""
    content = result.get("content")
    parts = content if isinstance(content, list) else [] if content is None else [content]
    return {"content": [_plain_part(part) for part in parts], "isError": str(result.get("isError")).lower() == "true"}


def _plain_part(part: Any) -> Any:
    """A part of a result; as a text where the protocol does not know it."""
    with contextlib.suppress(pydantic.ValidationError):
        _PART.validate_python(part)
        return part
    if isinstance(part, dict) and part.get("type") == "image" and isinstance(part.get("data"), str):
        return {"type": "image", "data": part["data"], "mimeType": "image/png"}
    text = part.get("text", f"({part.get('type')}, not shown)") if isinstance(part, dict) else part
    return {"type": "text", "text": text if isinstance(text, str) else json.dumps(text)}


def _plain_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    texts = {name: tool[name] for name in ("name", "title", "description") if isinstance(tool.get(name), str)}
    schema = tool.get("inputSchema")
    kind = schema.get("type", "object") if isinstance(schema, dict) else ""
    if not isinstance(schema, dict) or not (kind == "object" or (isinstance(kind, list) and "object" in kind)):
        return {**texts, "inputSchema": {"type": "object", "$comment": _NO_OBJECT}}
    return {**texts, "inputSchema": {**schema, "type": "object"}}


def _described(tool: types.Tool) -> dict[str, Any]:
    """Name, description and schema of the arguments, or the problem in words."""
    schema = tool.input_schema
    found = {"name": tool.name, "description": (tool.description or tool.title or "")[:MAX_DESCRIPTION]}
    try:
        if schema.get("$comment") == _NO_OBJECT:
            raise ValueError(_NO_OBJECT)
        if len(json.dumps(schema)) > MAX_SCHEMA:
            raise ValueError("the schema of its arguments is too long")
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return {**found, "problem": f"the schema of its arguments is invalid: {error.message}"[:300]}
    except (ValueError, RecursionError) as error:
        return {**found, "problem": str(error)[:300]}
    return {**found, "schema": schema}


def _problem(check: Draft202012Validator, arguments: object) -> str:
    """What is wrong with the arguments; "" for nothing."""
    try:
        error: ValidationError | None = best_match(check.iter_errors(arguments))
    except Unresolvable as unresolved:
        return f"their schema refers to something unknown ({unresolved})."
    if error is None:
        return ""
    place = ".".join(map(str, error.absolute_path))
    return f"{place}: {error.message}." if place else f"{error.message}."


def _content(result: types.CallToolResult) -> tuple[Sequence[str], Sequence[str]]:
    """The texts, and the pictures as base64 of PNG, within the limits."""
    texts: list[str] = []
    pictures: list[str] = []
    for part in result.content:
        if isinstance(part, types.ImageContent):
            made = _picture(part.data) if len(pictures) < MAX_PICTURES else "there are too many"
            if isinstance(made, bytes):
                pictures.append(base64.b64encode(made).decode("ascii"))
            else:
                texts.append(f"(a picture, not shown: {made})")
        else:
            texts.append(_text(part))
    # Servers tell structured content as text too, for clients that do not know it.
    told = any(isinstance(part, types.TextContent) for part in result.content)
    if result.structured_content is not None and not told:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return _bounded(texts), pictures


def _text(part: types.ContentBlock) -> str:
    match part:
        case types.TextContent(text=text):
            return text
        case types.ResourceLink(uri=uri, name=name):
            return f"(a link to the resource {name}: {uri})"
        case types.EmbeddedResource(resource=types.TextResourceContents(text=text)):
            return text
        case types.EmbeddedResource(resource=held):
            return f"(the resource {held.uri}, not text)"
        case _:
            return f"({part.type}, not shown)"


def _bounded(texts: Sequence[str]) -> Sequence[str]:
    room = MAX_CHARACTERS
    kept: list[str] = []
    for text in texts:
        kept.append(text if len(text) <= room else f"{text[:room]} … (cut, {len(text) - room} more characters)")
        room -= min(room, len(text))
        if room == 0:
            break
    if len(kept) < len(texts):
        kept.append(f"(cut, {len(texts) - len(kept)} more parts)")
    return kept


def _picture(data: str) -> bytes | str:
    """The picture as PNG, or why it is not shown."""
    if len(data) > 4 * MAX_PICTURE_BYTES:
        return "it is too large"
    try:
        with Image.open(io.BytesIO(base64.b64decode(data)), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
            if picture.width * picture.height > _MAX_PIXELS:
                return "it has too many pixels"
            file = io.BytesIO()
            picture.convert("RGBA" if picture.has_transparency_data else "RGB").save(file, "PNG")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return "it cannot be read"
    return file.getvalue() if file.tell() <= MAX_PICTURE_BYTES else "it is too large"


def _words(error: BaseException) -> str:
    """What went wrong, of a group the first error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case FileNotFoundError():
            text = f"There is no program {error.filename!r}." if error.filename else str(error)
        case OSError():
            text = error.strerror or str(error)
        case httpx2.TransportError():
            text = f"It cannot be reached: {error}."
        case pydantic.ValidationError():
            first = error.errors()[0]
            text = f"It broke the protocol: {'.'.join(map(str, first['loc']))}: {first['msg']}."
        case MCPError() if error.code == types.CONNECTION_CLOSED:
            text = "It ended or closed the connection."
        case _:
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return text[:MAX_CHARACTERS]


def _http_words(status: int) -> str:
    """What an HTTP status of 400 or more means; "" for 0."""
    return f"{_HTTP_STATUSES.get(status, 'It refused the request')} (HTTP {status})." if status else ""


def _printable(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


if __name__ == "__main__":
    main()
