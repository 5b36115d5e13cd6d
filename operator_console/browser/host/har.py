"""The requests of a session as an HTTP archive (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/).

Bodies are left out. Headers that carry secrets have their values hidden.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from operator_console.private_files import open_private

MOST_ENTRIES = 50_000
_HIDDEN = "hidden"
_SECRET_HEADERS = frozenset((
    "authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key", "x-auth-token", "x-csrf-token",
))  # fmt: skip
_VERSIONS = {"h2": "HTTP/2", "h3": "HTTP/3", "http/1.1": "HTTP/1.1", "http/1.0": "HTTP/1.0"}


class HttpArchive:
    """Collects the network events of all pages."""

    def __init__(self, version: str, creator: str) -> None:
        self._browser, self._creator = version, creator
        self._open: dict[str, dict[str, Any]] = {}
        self._began: dict[str, float] = {}
        self._entries: list[dict[str, Any]] = []
        self._dropped = 0

    def event(self, method: str, params: Mapping[str, Any]) -> None:
        """A network event of the DevTools protocol; others are ignored."""
        match method:
            case "Network.requestWillBeSent":
                self._sent(params)
            case "Network.responseReceived":
                self._answered(params["requestId"], params["response"])
            case "Network.loadingFinished":
                self._ended(params["requestId"], params["timestamp"], size=int(params.get("encodedDataLength", -1)))
            case "Network.loadingFailed":
                failed = params.get("blockedReason") or params.get("errorText", "")
                self._ended(params["requestId"], params["timestamp"], error=str(failed))

    def write(self, file: Path) -> None:
        """Write the archive. Raises OSError."""
        for number in tuple(self._open):
            self._ended(number, self._began[number], error="not finished")
        comment = f"{self._dropped} more requests were left out" if self._dropped else ""
        log = {
            "version": "1.2", "creator": {"name": "Operator Console", "version": self._creator},
            "browser": {"name": "Chromium", "version": self._browser}, "entries": self._entries, "comment": comment,
        }  # fmt: skip
        with os.fdopen(open_private(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as written:
            json.dump({"log": log}, written, ensure_ascii=False, indent=1)

    def _sent(self, params: Mapping[str, Any]) -> None:
        number, request = params["requestId"], params["request"]
        if (redirected := params.get("redirectResponse")) is not None and number in self._open:
            self._answered(number, redirected)
            self._open[number]["response"]["redirectURL"] = request["url"]
            self._ended(number, params["timestamp"], size=int(redirected.get("encodedDataLength", -1)))
        if request["url"].startswith(("data:", "blob:")):
            return
        if len(self._entries) + len(self._open) >= MOST_ENTRIES:
            self._dropped += 1
            return
        self._began[number] = params["timestamp"]
        self._open[number] = {
            "startedDateTime": datetime.fromtimestamp(params["wallTime"], UTC).isoformat(),
            "time": 0,
            "request": {
                "method": request["method"], "url": request["url"], "httpVersion": "", "cookies": [],
                "headers": _headers(request.get("headers", {})),
                "queryString": [
                    {"name": name, "value": value}
                    for name, value in parse_qsl(urlsplit(request["url"]).query, keep_blank_values=True)
                ],
                "headersSize": -1, "bodySize": len(request.get("postData", "")),
            },
            "response": _response({}),
            "cache": {},
            "timings": {"send": 0, "wait": 0, "receive": 0},
            "_resourceType": str(params.get("type", "")).lower(),
        }  # fmt: skip

    def _answered(self, number: str, response: Mapping[str, Any]) -> None:
        entry = self._open.get(number)
        if entry is None:
            return
        entry["response"] = _response(response)
        entry["request"]["httpVersion"] = entry["response"]["httpVersion"]
        if address := response.get("remoteIPAddress"):
            entry["serverIPAddress"] = address
        timing = response.get("timing")
        if timing:
            entry["timings"]["send"] = max(0.0, timing["sendEnd"] - timing["sendStart"])
            entry["timings"]["wait"] = max(0.0, timing["receiveHeadersEnd"] - timing["sendEnd"])

    def _ended(self, number: str, at_s: float, *, size: int = -1, error: str = "") -> None:
        entry = self._open.pop(number, None)
        began_s = self._began.pop(number, at_s)
        if entry is None:
            return
        entry["time"] = max(0.0, (at_s - began_s) * 1000)
        sent_and_waited = entry["timings"]["send"] + entry["timings"]["wait"]
        entry["timings"]["receive"] = max(0.0, entry["time"] - sent_and_waited)
        entry["response"]["bodySize"] = size
        entry["response"]["content"]["size"] = max(size, 0)
        if error:
            entry["response"]["_error"] = error
        self._entries.append(entry)


def _response(told: Mapping[str, Any]) -> dict[str, Any]:
    protocol = str(told.get("protocol", ""))
    return {
        "status": told.get("status", 0), "statusText": told.get("statusText", ""),
        "httpVersion": _VERSIONS.get(protocol, protocol), "cookies": [], "headers": _headers(told.get("headers", {})),
        "content": {"size": 0, "mimeType": told.get("mimeType", "")}, "redirectURL": "", "headersSize": -1,
        "bodySize": -1,
    }  # fmt: skip


def _headers(told: Mapping[str, str]) -> list[dict[str, str]]:
    return [
        {"name": name, "value": _HIDDEN if name.lower() in _SECRET_HEADERS else value} for name, value in told.items()
    ]
