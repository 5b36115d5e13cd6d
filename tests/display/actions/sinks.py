"""Applications that text is typed into, and how each is asked what it received."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from operator_console.domain.actions import Chord
from operator_console.domain.keys import Key
from tests.display.actions.page import ActionPage
from tests.display.actions.texts import KEYS_OF_LINES
from tests.display.actions.waiting import until
from tests.display.guard.acting import Acting, FocusRule
from tests.display.rig import Application, Desktop, launch, launch_mousepad, launch_xterm

_HERE = Path(__file__).parent


@dataclass(kw_only=True)
class Sink:
    """One field of one application.

    Attributes:
        received: what it holds now.
        before_text: what must be done before each text (a new dialog).
        before_reading: what must be done so that it tells (an editor saves).
        takes: which characters of "lines" it takes as text.
    """

    received: Callable[[], Awaitable[str]]
    before_text: Callable[[], Awaitable[None]] | None = None
    before_reading: Callable[[Acting], Awaitable[None]] | None = None
    takes: frozenset[str] = KEYS_OF_LINES

    def takes_text(self, text: str) -> bool:
        """Whether it keeps all of the text; a line field leaves at a tab."""
        return (set(text) & KEYS_OF_LINES) <= self.takes


async def holds(sink: Sink, acting: Acting, wanted: str, *, timeout_s: float = 12.0) -> str:
    """What the sink holds once it is `wanted`, or when the time is up."""
    if sink.before_reading is not None:
        await sink.before_reading(acting)
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_s
    while True:
        got = await sink.received()
        if got == wanted or loop.time() > end:
            return got
        await asyncio.sleep(0.02)


@asynccontextmanager
async def mousepad(desktop: Desktop, folder: Path) -> AsyncIterator[Sink]:
    file = folder / "mousepad.txt"
    file.write_text("", encoding="utf-8")
    launch_mousepad(desktop, file)

    async def save(acting: Acting) -> None:
        await acting.do(Chord(keys=(Key("ctrl"), Key("s"))), focus=FocusRule())

    async def received() -> str:
        return file.read_text(encoding="utf-8")

    yield Sink(received=received, before_reading=save)


@asynccontextmanager
async def qt(desktop: Desktop, folder: Path, kind: str) -> AsyncIterator[Sink]:
    file = folder / f"qt-{kind}.txt"
    file.write_text("", encoding="utf-8")
    env = {"QT_QPA_PLATFORM": "xcb"}
    launch(desktop, [sys.executable, str(_HERE / "qt_fields.py"), kind, str(file)], title=f"Qt {kind}", env=env)

    async def received() -> str:
        return file.read_text(encoding="utf-8")

    yield Sink(received=received, takes=KEYS_OF_LINES if kind == "text" else frozenset())


@asynccontextmanager
async def zenity(desktop: Desktop, folder: Path) -> AsyncIterator[Sink]:
    current: list[Application] = []

    async def fresh() -> None:
        args = ["zenity", "--entry", "--title", f"Zenity {len(current)}", "--text", "Say it", "--width", "600"]
        current.append(await asyncio.to_thread(launch, desktop, args, title=f"Zenity {len(current)}"))

    async def submit(acting: Acting) -> None:
        await acting.do(Chord(keys=(Key("enter"),)), focus=FocusRule())
        await until(lambda: not current[-1].child.running, "the dialog to close", timeout_s=10)

    async def received() -> str:
        said = [line for line in current[-1].child.log_text().splitlines() if not line.startswith("(zenity:")]
        return "\n".join(said)

    yield Sink(received=received, before_text=fresh, before_reading=submit, takes=frozenset())


@asynccontextmanager
async def xterm(desktop: Desktop, folder: Path) -> AsyncIterator[Sink]:
    file = folder / "xterm.txt"
    file.write_bytes(b"")
    launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec dd bs=1 of='{file}' status=none")

    async def received() -> str:
        # Clearing a terminal's line is Ctrl+U, which arrives as its byte.
        return file.read_bytes().rpartition(b"\x15")[2].decode(errors="replace").replace("\r", "\n")

    yield Sink(received=received)


@asynccontextmanager
async def chromium(desktop: Desktop, folder: Path, field: str) -> AsyncIterator[Sink]:
    with ActionPage(_HERE / "fields.html") as page:
        page.open(desktop)
        await page.ask(f"byId({field!r}).focus(), 0")
        place = await page.centre(f"#{field}")
        desktop.xdo("mousemove", str(place[0]), str(place[1]), "click", "1")

        async def received() -> str:
            return str(await page.ask(f"held({field!r})"))

        yield Sink(received=received, takes=frozenset("\n") if field in {"textarea", "editable"} else frozenset())


SINKS: dict[str, Callable[[Desktop, Path], AbstractAsyncContextManager[Sink]]] = {
    "mousepad": mousepad,
    "zenity entry": zenity,
    "qt line edit": partial(qt, kind="line"),
    "qt text edit": partial(qt, kind="text"),
    "xterm": xterm,
    "chromium input": partial(chromium, field="input"),
    "chromium textarea": partial(chromium, field="textarea"),
    "chromium contenteditable": partial(chromium, field="editable"),
}
