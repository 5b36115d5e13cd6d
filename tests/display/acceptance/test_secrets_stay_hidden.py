"""A secret that was typed into forms and a terminal is in nothing that a session leaves, sends or shows.

The same search finds a text that is no secret wherever the secret could be.
"""

from __future__ import annotations

import base64
import io
import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from operator_console.settings.file_locations import find_paths
from tests.cli.command import command, operator_console
from tests.display.acceptance.harness import MODEL, final, grid, insistent, turn
from tests.display.acceptance.log_page import LogPage
from tests.display.acceptance.search_for_text import Search, WatchedProcesses
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.rig import AccessibleDesktop, Application, launch_chromium, launch_xterm, wait_until
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Seen, ServerThread
from tests.settings.file_keyring import PATH_VARIABLE, FileKeyring

SECRETS = [
    pytest.param("Vq7mKx2pTw&9/Zr4+yHbQ8", id="letters and signs"),
    pytest.param('b1% "quoted" \\ {back}slash', id="what texts escape", marks=pytest.mark.full),
    pytest.param("Zahnräder→Großmütter", id="no key has it", marks=pytest.mark.full),
]
OPEN = "Sparrow4Thistle"
NAME = "bank"
PLACEHOLDER = f"{{{{secret:{NAME}}}}}"
RUNBOOK = f'wait for password field "PIN"; type "{PLACEHOLDER}" into password field "PIN"'
PASSWORD, SHUT, SEEN = (255, 0, 255), (0, 255, 255), (0, 160, 0)
SHUT_BOX = (40, 500, 400, 120)
PAGE = f"""<!doctype html><meta charset="utf-8"><title>Sign in</title><style>
body{{font:16px sans-serif;margin:0}} label{{position:absolute;left:40px}}
input{{position:absolute;left:90px;top:-8px;width:300px;height:36px;border:0;outline:0;background:rgb{SEEN};color:white}}
[type=password]{{background:rgb{PASSWORD};color:rgb{PASSWORD}}}
div{{position:absolute;left:{SHUT_BOX[0]}px;top:{SHUT_BOX[1]}px;width:{SHUT_BOX[2]}px;height:{SHUT_BOX[3]}px;
background:rgb{SHUT}}}</style>
<label style="top:80px">Password <input id="password" type="password"></label>
<label style="top:160px">PIN <input id="pin" type="password"></label>
<label style="top:240px">Note <input id="note"></label><div id="shut"></div><script>
const post = (path, data) => fetch(path, {{method: 'POST', body: JSON.stringify(data)}});
const box = id => {{
  const r = document.getElementById(id).getBoundingClientRect(), side = (outerWidth - innerWidth) / 2;
  return [screenX + side + r.x + r.width / 2, screenY + outerHeight - innerHeight - side + r.y + r.height / 2];
}};
const ids = ['password', 'pin', 'note', 'shut'];
let told = Promise.resolve();
const tell = (path, data) => {{ told = told.then(() => post(path, data)); }};
const places = () => tell('/places', Object.fromEntries(ids.map(id => [id, box(id)])));
requestAnimationFrame(places);
addEventListener('resize', () => requestAnimationFrame(places));
for (const id of ids) document.getElementById(id).oninput = e => tell('/log', {{name: id, value: e.target.value}});
</script>"""


class Model:
    """Says its turns, and keeps the texts of each request and which colours its picture shows."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.pictures: list[bytes] = []

    def noting(self, said: Any) -> Callable[[Seen], Mapping[str, Any]]:
        """The turn, as a function that notes what was sent for it."""

        def noted(seen: Seen) -> Mapping[str, Any]:
            self.texts.append(json.dumps(seen.request, ensure_ascii=False).encode())
            self.pictures.append(seen.png)
            turned: Mapping[str, Any] = said(seen)
            return turned

        return noted


def shows(png: bytes, colour: tuple[int, int, int]) -> bool:
    """Whether a picture shows the colour, or one near it."""
    with Image.open(io.BytesIO(png)) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    return bool((abs(pixels - np.array(colour)).sum(axis=2) < 60).any())


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Everything that is written goes below `searched`; the keyring stands beside it."""

    home: Path
    temporary: Path
    here: Path
    keyring: Path

    @property
    def environment(self) -> dict[str, str]:
        """For a console."""
        return {"TMPDIR": str(self.temporary), PATH_VARIABLE: str(self.keyring)}

    @property
    def searched(self) -> tuple[Path, ...]:
        return self.home, self.temporary, self.here


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folders:
    made = Folders(
        home=tmp_path / "home", temporary=tmp_path / "temporary", here=tmp_path / "here", keyring=tmp_path / "keyring"
    )
    for folder in made.searched:
        folder.mkdir()
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(made.home))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", f"{FileKeyring.__module__}.{FileKeyring.__name__}")
    return made


def shutter(middle: tuple[int, int], corner: tuple[int, int]) -> str:
    """Hides the box of the page that has this middle, in a target with this corner."""
    x, y = (middle[0] - SHUT_BOX[2] // 2 - corner[0], middle[1] - SHUT_BOX[3] // 2 - corner[1])
    return f"region:{x},{y},{SHUT_BOX[2]}x{SHUT_BOX[3]}"


def asking_terminal(place: AccessibleDesktop, file: Path) -> Application:
    """A terminal that asks for a password without echo, and writes the digest of the answer."""
    script = (
        f"printf 'Password: '; IFS= read -rs it; printf %s \"$it\" | sha256sum > '{file}'; echo; echo Accepted.; cat"
    )
    return launch_xterm(place.desktop, "bash", "-c", script, geometry="60x20+720+40")


def last_value(page: LogPage, name: str) -> str | None:
    """What a field of the page held last; None where nothing came to it yet."""
    logged = page.logged(name)
    return logged[-1]["value"] if logged else None


@pytest.mark.timeout(240)
@pytest.mark.parametrize("secret", SECRETS)
def test_it_is_nowhere_and_what_is_no_secret_is_found(
    accessible_desktop: AccessibleDesktop, folders: Folders, secret: str
) -> None:
    place, model, digest = accessible_desktop, Model(), folders.keyring.with_name("digest")
    size = place.desktop.server.size
    hidden, plain = Search(secret), Search(OPEN)
    with LogPage(PAGE) as page:
        window = ("--window-size=700,760", f"--app={page.url}", "--test-type")
        browser = launch_chromium(place.desktop, "", *window, title="Sign in", env=place.env).window
        terminal = asking_terminal(place, digest).window
        bound = ("--for", f"site:{page.url}", "--for", "app:XTerm")
        kept = operator_console("secrets", "set", NAME, *bound, stdin=secret, **folders.environment)
        assert kept.code == 0, kept.err

        def types(point: tuple[int, int], text: str) -> dict[str, Any]:
            return turn(("type", {"text": text, **grid(point, size)}))

        said = insistent(
            types(page.places.at("note"), OPEN),
            types(page.places.at("password"), PLACEHOLDER),
            types(terminal.centre, f"{PLACEHOLDER}\n"),
            final(),
        )
        runs = (
            ([f"Sign in. Note {OPEN}.", "--model", MODEL, "--target", "monitor:1"], (0, 0)),
            (
                [f"{RUNBOOK} # {OPEN}", "--provider", "runbook", "--target", "window:Sign in"],
                (browser.x, browser.y),
            ),
        )
        environment = {**place.env, **folders.environment}
        with (
            ServerThread(lambda: GeminiServer([*map(model.noting, said)], api_key="test-key")) as server,
            WatchedProcesses(hidden, plain) as watched,
        ):
            for number, (words, corner) in enumerate(runs):
                options = ["--json", "--verbose", "--hide", shutter(page.places.at("shut"), corner)]
                here = folders.here / str(number)
                here.mkdir()
                with TerminalConsole(
                    place.desktop, here, server.url, ["run", *words, *options], **environment
                ) as console:
                    code = console.say_until_end("yes", 100.0)
                    (here / "terminal.txt").write_text(console.shown())
                    assert code == 0, console.report()
            assert server.violations == []
        wait_until(lambda: digest.exists() and digest.read_text(), "the terminal's answer")
        typed = {"note": OPEN, "password": secret, "pin": secret}
        wait_until(lambda: {name: last_value(page, name) for name in typed} == typed, "the page to tell what it holds")
    assert digest.read_text().split()[0] == sha256(secret.encode()).hexdigest()
    records = sorted(find_paths().sessions.glob("*.ocsession"))
    assert len(records) == len(runs)
    for record in records:
        for kind in ("html", "jsonl", "zip"):
            assert command("sessions", "export", str(record), "--to", f"{record}.{kind}").code == 0

    assert hidden.files([folders.keyring.parent]) == {folders.keyring.name}
    written = plain.files(folders.searched)
    assert {f"{record.name}{end}" for record in records for end in ("", ".html", ".jsonl", ".zip")} <= written
    assert "stdout.txt" in written
    assert [each for each in model.texts if hidden.found_in(each)] == []
    assert all(map(plain.found_in, model.texts))
    assert watched.found[0] == set()
    assert any(": cmdline" in each for each in watched.found[1])
    sent = [*model.pictures, *(each for record in records for each in recorded_pictures(record))]
    assert not any(shows(each, colour) for each in sent for colour in (PASSWORD, SHUT))
    assert all(shows(each, SEEN) for each in sent)


def recorded_pictures(record: Path) -> list[bytes]:
    with closing(sqlite3.connect(record)) as database:
        rows = database.execute("SELECT data FROM blobs WHERE mime_type LIKE 'image/%'").fetchall()
    shown = [base64.b64decode(each) for each in re.findall(rb";base64,([\w+/=]+)", Path(f"{record}.html").read_bytes())]
    assert rows
    assert shown
    return [*(data for (data,) in rows), *(each for each in shown if each.startswith(b"\x89PNG"))]
