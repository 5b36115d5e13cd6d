"""The HTTP archive of a session."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from operator_console.browser.host import har
from operator_console.browser.host.har import HttpArchive

REQUEST = {"url": "http://a.test/x?q=1&q=", "method": "GET", "headers": {"Accept": "*/*", "Cookie": "id=s3cret"}}
ANSWER = {
    "status": 200, "statusText": "OK", "headers": {"Set-Cookie": "id=s3cret", "Server": "x"}, "mimeType": "text/html",
    "protocol": "h2", "remoteIPAddress": "127.0.0.1",
    "timing": {"sendStart": 1.0, "sendEnd": 2.0, "receiveHeadersEnd": 12.0},
}  # fmt: skip


def sent(number: str, at_s: float, **more: Any) -> dict[str, Any]:
    return {"requestId": number, "request": REQUEST, "timestamp": at_s, "wallTime": 1_800_000_000.0, **more}


def written(archive: HttpArchive, folder: Path) -> dict[str, Any]:
    file = folder / "session.har"
    archive.write(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    log: dict[str, Any] = json.loads(file.read_text())["log"]
    assert log["version"] == "1.2"
    return log


def test_a_request_and_its_answer_are_one_entry_without_secrets(tmp_path: Path) -> None:
    archive = HttpArchive("Chrome/156", "1.0")
    archive.event("Network.requestWillBeSent", sent("1", 10.0, type="Document"))
    archive.event("Network.responseReceived", {"requestId": "1", "response": ANSWER})
    archive.event("Network.loadingFinished", {"requestId": "1", "timestamp": 10.05, "encodedDataLength": 900})
    log = written(archive, tmp_path)
    (entry,) = log["entries"]
    assert entry["request"]["queryString"] == [{"name": "q", "value": "1"}, {"name": "q", "value": ""}]
    assert (entry["response"]["status"], entry["response"]["httpVersion"], entry["response"]["bodySize"]) == (
        200, "HTTP/2", 900
    )  # fmt: skip
    assert entry["time"] == pytest.approx(50)
    assert sum(entry["timings"].values()) == pytest.approx(50)
    assert entry["timings"]["wait"] == pytest.approx(10)
    assert entry["serverIPAddress"] == "127.0.0.1"
    assert "s3cret" not in json.dumps(log)


def test_a_redirect_is_an_entry_of_its_own(tmp_path: Path) -> None:
    archive = HttpArchive("Chrome/156", "1.0")
    archive.event("Network.requestWillBeSent", sent("1", 10.0))
    moved = {**ANSWER, "status": 302, "encodedDataLength": 80}
    later = {**REQUEST, "url": "http://b.test/"}
    archive.event("Network.requestWillBeSent", {**sent("1", 10.1), "request": later, "redirectResponse": moved})
    archive.event("Network.responseReceived", {"requestId": "1", "response": ANSWER})
    archive.event("Network.loadingFinished", {"requestId": "1", "timestamp": 10.2, "encodedDataLength": 5})
    first, second = written(archive, tmp_path)["entries"]
    assert (first["response"]["status"], first["response"]["redirectURL"]) == (302, "http://b.test/")
    assert (second["request"]["url"], second["response"]["status"]) == ("http://b.test/", 200)


def test_what_failed_or_never_ended_says_so(tmp_path: Path) -> None:
    archive = HttpArchive("Chrome/156", "1.0")
    archive.event("Network.requestWillBeSent", sent("1", 10.0))
    archive.event("Network.loadingFailed", {"requestId": "1", "timestamp": 10.1, "errorText": "net::ERR_FAILED"})
    archive.event("Network.requestWillBeSent", sent("2", 10.0))
    errors = [entry["response"]["_error"] for entry in written(archive, tmp_path)["entries"]]
    assert errors == ["net::ERR_FAILED", "not finished"]


def test_a_page_that_asks_for_ever_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(har, "MOST_ENTRIES", 3)
    archive = HttpArchive("Chrome/156", "1.0")
    for number in range(5):
        archive.event("Network.requestWillBeSent", sent(str(number), 10.0))
    log = written(archive, tmp_path)
    assert len(log["entries"]) == 3
    assert log["comment"] == "2 more requests were left out"
