"""An MCP server that breaks the rules, written without an SDK: revision 2025-06-18 over stdio, or worse.

python tests/servers/bad_mcp_server.py schemas|array|silent|huge|noise|ends
"""

from __future__ import annotations

import json
import sys
import time

MODE = sys.argv[1]
TOOLS = [
    {"name": "good", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    {"name": "bad_type", "inputSchema": {"type": "object", "properties": {"a": {"type": "number of rooms"}}}},
    {"name": "too_long", "inputSchema": {"type": "object", "description": "x" * 30_000}},
    {"name": "far", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema"}}}},
]


def result(of: str, params: dict[str, object]) -> dict[str, object]:
    match of:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "bad", "version": "1"},
            }
        case "tools/list":
            return {"tools": [{"name": "no_object", "inputSchema": {"type": "array"}}] if MODE == "array" else TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": f"called {params['name']}"}]}
    raise LookupError(of)


def main() -> None:
    if MODE == "silent":
        time.sleep(1000)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        if MODE == "noise":
            print("starting ...", flush=True)
            print("\x1b[31mred\x07" * 1000, file=sys.stderr, flush=True)
        if request["method"] == "tools/call" and MODE == "huge":
            sys.stdout.write("x" * 20_000_000)
            sys.stdout.flush()
        if request["method"] == "tools/call" and MODE == "ends":
            print("the disk is full", file=sys.stderr, flush=True)
            sys.exit(3)
        try:
            answer = {"result": result(request["method"], request.get("params") or {})}
        except LookupError:
            answer = {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
