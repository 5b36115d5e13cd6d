"""No key is in anything that `models check` and `run` leave behind: output, record, exports, log.

A service repeats the key in each form that it can have, for every provider; and what cannot be a key is refused.
"""

from __future__ import annotations

import json
import os
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from operator_console.settings.file_locations import find_paths
from tests.cli.command import Result, command, operator_console
from tests.display.rig import Desktop
from tests.malformed_keys import MALFORMED, left_of

KEY = "sk-Zq7vXk2+pLm9w5/Rt4yHb'8nQd3s=Jw6cVf5gMz"
HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
PROVIDERS = {
    "gemini": "GEMINI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY",
    "cogagent": "COGAGENT_API_KEY", "ui_tars": "UI_TARS_API_KEY", "qwen": "QWEN_API_KEY",
    "structured": "STRUCTURED_API_KEY",
}  # fmt: skip
SHORT = ("qwen",)
"""Those that are tried in every run; every form of a key in tests/domain/test_redaction.py."""
MODELS = {"cogagent": "cogagent-9b", "ui_tars": "UI-TARS-1.5-7B", "qwen": "Qwen3-VL-8B", "structured": "own"}
FORMS = (
    KEY, repr(KEY), repr(KEY.encode()), quote(KEY, safe=""), json.dumps(KEY),
    "\n  ".join((KEY[:9], KEY[9:20], KEY[20:])), f"{KEY[:14]}***{KEY[-10:]}",
)  # fmt: skip


@dataclass(slots=True)
class Service:
    """What was asked of it. It answers with `status`, and with the key in all forms."""

    port: int
    status: int = 401
    keys: list[str] = field(default_factory=list)


@pytest.fixture
def service() -> Iterator[Service]:
    heard = Service(0)

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            heard.keys += [self.headers[name] for name in HEADERS if self.headers.get(name)]
            body = json.dumps({"error": {"message": "Bad: " + " ".join(FORMS), "status": "X"}}).encode()
            self.send_response(heard.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    heard.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield heard
    server.shutdown()
    server.server_close()
    thread.join()


def profile(provider: str, service: Service) -> str:
    """A profile of this provider, with the service's address."""
    name, given = f"my {provider}", ("--provider", provider, "--base-url", f"http://127.0.0.1:{service.port}/v1")
    made = command("models", "profile", "add", name, *given, "--model", MODELS.get(provider, ""))
    assert made.code == 0, made.err
    return name


def left_behind(key: str, *results: Result) -> list[str]:
    """The pieces of a key in the results, and in the name and content of every file that was written."""
    found = [piece for result in results for piece in left_of(key, result.out + result.err)]
    for path in Path(os.environ["OPERATOR_CONSOLE_HOME"]).rglob("*"):
        if path.is_file():
            found += left_of(key, path.name) + left_of(key, path.read_bytes())
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        found += left_of(key, archive.read(name))
    return found


@pytest.mark.parametrize(
    "provider", [each if each in SHORT else pytest.param(each, marks=pytest.mark.full) for each in PROVIDERS]
)
def test_a_service_that_repeats_the_key_in_every_form(desktop: Desktop, service: Service, provider: str) -> None:
    name = profile(provider, service)
    given = {PROVIDERS[provider]: KEY, "DISPLAY": desktop.name}
    checked = operator_console("models", "check", name, **given)
    assert checked.code == 1
    assert "Bad: [hidden]" in checked.err
    assert service.keys
    assert all(KEY in each for each in service.keys)
    service.status = 400
    ran = operator_console("run", "Look", "--profile", name, "--answer", "deny", "--verbose", **given)
    assert ran.code == 1, ran.err
    assert "Bad: [hidden]" in ran.err
    places = find_paths()
    (record,) = places.sessions.glob("*.ocsession")
    for kind in ("html", "jsonl", "zip"):
        to = places.sessions / f"made.{kind}"
        assert command("sessions", "export", str(record), "--to", str(to)).code == 0
        assert "Bad: [hidden]" in (to.read_text("utf-8") if kind != "zip" else "Bad: [hidden]")
    shown = command("sessions", "show", str(record))
    assert "Bad: [hidden]" in shown.out
    assert any(places.logs.iterdir())
    assert left_behind(KEY, checked, ran, shown) == []


def test_what_cannot_be_a_key_is_refused_and_left_nowhere(
    desktop: Desktop, service: Service, request: pytest.FixtureRequest
) -> None:
    """Each with one provider after another; with --full the first ones in processes, and with `run` too."""
    in_processes = len(PROVIDERS) if request.config.getoption("--full") else 0
    names = {provider: profile(provider, service) for provider in PROVIDERS}
    for number, key in enumerate(MALFORMED.values()):
        provider, variable = list(PROVIDERS.items())[number % len(PROVIDERS)]
        given = {variable: key, "DISPLAY": desktop.name}
        first = number < in_processes
        results = [(operator_console if first else command)("models", "check", names[provider], **given)]
        if first:
            words = ("run", "Look", "--profile", names[provider], "--answer", "deny")
            results.append(operator_console(*words, **given))
        for result in results:
            assert result.code == 5, (provider, key, result.err)
            assert f"{variable} holds no valid key." in result.err
        assert left_behind(key, *results) == []
    assert service.keys == []
    assert list(find_paths().sessions.glob("*.ocsession")) == []
