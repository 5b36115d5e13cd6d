"""An MCP server written without an SDK, which starts ten times as fast: revision 2025-06-18 over stdio.

    python tests/servers/plain_mcp_server.py [DESCRIPTION]

DESCRIPTION is a file with the description of the tool "described". The server ends when its standard input closes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

_calls = 0


def add(a: int, b: int) -> str:
    """Add two numbers."""
    global _calls  # noqa: PLW0603 - a server that was started again begins anew
    _calls += 1
    return f"{a} + {b} = {a + b} (call {_calls})"


def environment() -> str:
    """Return the names of the variables and the value of one."""
    return f"{' '.join(sorted(os.environ))} | {os.environ.get('ROOM', '')}"


def hangs(pipe: str) -> str:
    """Write its process id to a pipe and never end."""
    fd = os.open(pipe, os.O_WRONLY)
    os.write(fd, str(os.getpid()).encode())
    os.close(fd)
    while True:
        time.sleep(1000)


def odd() -> str:
    """Has a name that not all services take."""
    return "odd"


def even() -> str:
    """Has a name that another one becomes."""
    return "even"


def described() -> str:
    return "called"


TOOLS: Mapping[str, Callable[..., str]] = {
    "add": add, "environment": environment, "hangs": hangs, "odd-name.1": odd, "odd_name_1": even,
}  # fmt: skip
_TYPES = {"int": "integer", "str": "string"}


def listed(name: str, tool: Callable[..., str], description: str) -> dict[str, Any]:
    names = [key for key in tool.__annotations__ if key != "return"]
    properties = {key: {"type": _TYPES[tool.__annotations__[key]]} for key in names}
    schema = {"type": "object", "properties": properties, "required": names}
    return {"name": name, "description": description, "inputSchema": schema}


def result(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a request. Raises LookupError where there is no such method."""
    tools = {**TOOLS, "described": described} if len(sys.argv) > 1 else TOOLS
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "plain", "version": "1"},
            }
        case "tools/list":
            return {"tools": [listed(name, tool, tool.__doc__ or description()) for name, tool in tools.items()]}
        case "tools/call":
            text = tools[params["name"]](**params.get("arguments") or {})
            return {"content": [{"type": "text", "text": text}]}
    raise LookupError(method)


def description() -> str:
    with open(sys.argv[1]) as file:  # noqa: PTH123 - pathlib takes longer to import than all else
        return file.read()


def main() -> None:
    print("the test server starts", file=sys.stderr, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        try:
            answer = {"result": result(request["method"], request.get("params") or {})}
        except LookupError:
            answer = {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
