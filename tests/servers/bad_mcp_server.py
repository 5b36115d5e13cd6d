"""An MCP server that breaks the rules, written without an SDK: revision 2025-06-18 over stdio, or worse.

python tests/servers/bad_mcp_server.py schemas|array|odd|silent|huge|noise|ends
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
_TEXT = {"type": "string"}
_LONG = "property_" * 8
ODD = [
    {"name": "ok", "inputSchema": {"type": "object", "properties": {"n": _TEXT}}},
    {"name": "choice", "inputSchema": {
        "type": "object",
        "oneOf": [
            {"properties": {"id": _TEXT}, "required": ["id"]}, {"properties": {"title": _TEXT}, "required": ["title"]},
        ],
    }},
    {"name": "brackets", "inputSchema": {
        "type": "object", "properties": {"uids[]": {"type": "array", "items": _TEXT}}, "required": ["uids[]"],
    }},
    {"name": "long", "inputSchema": {"type": "object", "properties": {_LONG: _TEXT}}},
    {"name": "refers", "inputSchema": {
        "type": "object", "properties": {"row": {"$ref": "#/$defs/row"}}, "$defs": {"row": {"type": "object"}},
    }},
    {"name": "with.a.dot/and" + "_more" * 14, "inputSchema": {"type": "object"}},
    {"name": "nothing", "description": "d" * 30_000, "inputSchema": {"type": "object"}},
    {"name": "words", "inputSchema": {"type": "string"}},
]  # fmt: skip


def result(of: str, params: dict[str, object]) -> dict[str, object]:
    match of:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "bad", "version": "1"},
            }
        case "tools/list":
            arrays = [{"name": "no_object", "inputSchema": {"type": "array"}}]
            return {"tools": {"array": arrays, "odd": ODD}.get(MODE, TOOLS)}
        case "tools/call":
            given = f" {json.dumps(params.get('arguments'))}" if MODE == "odd" else ""
            return {"content": [{"type": "text", "text": f"called {params['name']}{given}"}]}
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
