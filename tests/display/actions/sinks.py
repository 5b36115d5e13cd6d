"""Applications that text is typed into, and how to read what each of their fields received."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
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
        received: reads its contents.
        enter: what Enter after the text adds to the contents.
        ready: prepares for each text (a new dialog, the focus within a page).
        before_reading: makes the contents readable (an editor saves).
        always_submit: whether the contents are readable only after Enter.
        terminal: whether its window is a terminal.
    """

    received: Callable[[], Awaitable[str]]
    enter: str = "\n"
    ready: Callable[[], Awaitable[object]] | None = None
    before_reading: Callable[[Acting], Awaitable[None]] | None = None
    always_submit: bool = False
    terminal: bool = False


async def holds(sink: Sink, acting: Acting, wanted: str, *, timeout_s: float = 12.0) -> str:
    """The contents of the sink once they are `wanted`, or at the end of the time limit."""
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
async def mousepad(desktop: Desktop, folder: Path) -> AsyncIterator[dict[str, Sink]]:
    file = folder / "mousepad.txt"
    file.write_text("", encoding="utf-8")
    launch_mousepad(desktop, file)

    async def save(acting: Acting) -> None:
        await acting.do(Chord(keys=(Key("ctrl"), Key("s"))), focus=FocusRule())

    async def received() -> str:
        return file.read_text(encoding="utf-8")

    yield {"mousepad": Sink(received=received, before_reading=save)}


@asynccontextmanager
async def qt(
    desktop: Desktop, folder: Path, kind: str, more: Mapping[str, str] | None = None
) -> AsyncIterator[dict[str, Sink]]:
    file = folder / f"qt-{kind}.txt"
    file.write_text("", encoding="utf-8")
    env = {"QT_QPA_PLATFORM": "xcb", **(more or {})}
    launch(desktop, [sys.executable, str(_HERE / "qt_fields.py"), kind, str(file)], title=f"Qt {kind}", env=env)

    async def received() -> str:
        return file.read_text(encoding="utf-8")

    yield {f"qt {kind} edit": Sink(received=received, enter="\n" if kind == "text" else "⏎")}


@asynccontextmanager
async def zenity(desktop: Desktop, folder: Path) -> AsyncIterator[dict[str, Sink]]:
    current: list[Application] = []

    async def fresh() -> None:
        title = f"Zenity {len(current)}"
        args = [
            "zenity",
            "--entry",
            "--title",
            title,
            "--text",
            "Say it",
            "--entry-text",
            "was there",
            "--width",
            "600",
        ]
        current.append(await asyncio.to_thread(launch, desktop, args, title=title))

    async def gone(acting: Acting) -> None:
        await until(lambda: not current[-1].child.running, "the dialog to close", timeout_s=60)

    async def received() -> str:
        said = [line for line in current[-1].child.log_text().splitlines() if not line.startswith("(zenity:")]
        return "\n".join(said)

    yield {"zenity entry": Sink(received=received, enter="", ready=fresh, before_reading=gone, always_submit=True)}


@asynccontextmanager
async def xterm(desktop: Desktop, folder: Path) -> AsyncIterator[dict[str, Sink]]:
    file = folder / "xterm.txt"
    file.write_bytes(b"")
    launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec dd bs=1 of='{file}' status=none")

    async def received() -> str:
        # A terminal's line is cleared by Ctrl+U, which arrives as a byte.
        return file.read_bytes().rpartition(b"\x15")[2].decode(errors="replace").replace("\r", "\n")

    yield {"xterm": Sink(received=received, terminal=True)}


@asynccontextmanager
async def chromium(desktop: Desktop, folder: Path) -> AsyncIterator[dict[str, Sink]]:
    with ActionPage(_HERE / "fields.html") as page:
        page.open(desktop)
        place = await page.centre("#input")
        desktop.xdo("mousemove", str(place[0]), str(place[1]), "click", "1")

        # An empty last line counts as one more line break in the text of an editable element.
        after_enter = {"input": "⏎", "editable": "\n\n"}

        def field(name: str) -> Sink:
            async def received() -> str:
                return str(await page.ask(f"held({name!r})"))

            return Sink(
                received=received,
                enter=after_enter.get(name, "\n"),
                ready=partial(page.ask, f"byId({name!r}).focus(), 0"),
            )

        fields = {"input": "input", "textarea": "textarea", "contenteditable": "editable", "canvas": "canvas"}
        yield {f"chromium {shown}": field(name) for shown, name in fields.items()}


Opener = Callable[[Desktop, Path], AbstractAsyncContextManager[Mapping[str, Sink]]]

APPLICATIONS: dict[str, Opener] = {
    "mousepad": mousepad,
    "zenity": zenity,
    "qt line": partial(qt, kind="line"),
    "qt text": partial(qt, kind="text"),
    "xterm": xterm,
    "chromium": chromium,
}
# Each field, with the control characters that it takes as text (Tab leaves a single-line field).
FIELDS: dict[str, frozenset[str]] = {
    "mousepad": KEYS_OF_LINES,
    "zenity entry": frozenset(),
    "qt line edit": frozenset(),
    "qt text edit": KEYS_OF_LINES,
    "xterm": KEYS_OF_LINES,
    "chromium input": frozenset(),
    "chromium textarea": frozenset("\n"),
    "chromium contenteditable": frozenset("\n"),
    "chromium canvas": KEYS_OF_LINES,
}


def takes(field: str, text: str) -> bool:
    """Whether the field can receive all of the text. Chromium reports no key name beyond U+FFFF to a page."""
    beyond = max(text) > "\uffff"
    return (set(text) & KEYS_OF_LINES) <= FIELDS[field] and not (beyond and field == "chromium canvas")
