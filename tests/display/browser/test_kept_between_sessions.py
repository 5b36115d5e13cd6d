"""What a session leaves for the next one: a profile by choice, a record of its requests by choice, and nothing else."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from operator_console.browser.chromium import find_browser
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.kept_profile import new_key
from operator_console.browser.start import NotStarted, RunningBrowser


class Site(BaseHTTPRequestHandler):
    """Signs in whoever comes, by a cookie that lasts as long as the browser, and says who is signed in."""

    def do_GET(self) -> None:
        signed_in = "who=ann" in self.headers.get("Cookie", "")
        page = f"""<!doctype html><body>{"Hello Ann" if signed_in else "Nobody"}
            <script>document.body.append(" " + (localStorage.seen || "new")); localStorage.seen = "again"</script>"""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "who=ann; Path=/; HttpOnly")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def options(folder: Path, url: str, **more: Any) -> HostOptions:
    program = find_browser()
    assert program is not None
    return HostOptions(
        program=str(program), folder=str(folder), width=800, height=600, headless=True, url=url,
        downloads=str(folder / "downloads"), **more,
    )  # fmt: skip


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder: the browser makes a socket in it, whose path may have about a hundred characters."""
    with tempfile.TemporaryDirectory(prefix="kept-") as folder:
        yield Path(folder)


async def greeting_in_new_session(using: HostOptions) -> str:
    """What the page says that a new session begins with, once its script has run."""
    browser = await RunningBrowser.start(using)
    changed = asyncio.Event()
    try:
        browser.look.listen(lambda *_: changed.set(), changed.set)
        async with asyncio.timeout(20):
            while True:
                changed.clear()
                found = await browser.look.send_raw("Operator.text", {"longest": 100})
                if (text := str(found["text"])).endswith(("new", "again")):
                    return text
                await changed.wait()
    finally:
        await browser.close()


def cookies_left_in(folder: Path) -> list[Path]:
    return list(folder.rglob("Cookies"))


async def test_without_a_profile_each_session_begins_signed_out(short_path: Path, site: str) -> None:
    greetings = [await greeting_in_new_session(options(short_path / str(number), site)) for number in range(2)]
    assert greetings == ["Nobody new"] * 2
    assert cookies_left_in(short_path) == []


async def test_a_profile_stays_signed_in_and_is_kept_encrypted(short_path: Path, site: str) -> None:
    kept = {"kept_profile": str(short_path / "work.profile"), "profile_key": new_key()}
    greetings = [await greeting_in_new_session(options(short_path / str(number), site, **kept)) for number in range(2)]
    assert greetings == ["Nobody new", "Hello Ann again"]
    assert cookies_left_in(short_path) == []
    with pytest.raises(NotStarted, match="another key"):
        await RunningBrowser.start(options(short_path / "3", site, **{**kept, "profile_key": new_key()}))


async def test_the_requests_of_a_session_are_written_where_that_is_asked_for(short_path: Path, site: str) -> None:
    await greeting_in_new_session(options(short_path / "1", site, har=str(short_path / "session.har")))
    archive = (short_path / "session.har").read_text()
    entries = {entry["request"]["url"]: entry["response"]["status"] for entry in json.loads(archive)["log"]["entries"]}
    assert entries[site] == 200, archive
    assert "who=ann" not in archive
