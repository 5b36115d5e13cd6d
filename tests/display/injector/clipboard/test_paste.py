"""Long text is pasted into the target window, and the former contents are on the clipboard afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from operator_console.desktop.x11.display import Display
from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.domain.stopping import PauseCause, StopCause
from tests.display.actions.sinks import APPLICATIONS, Sink, holds
from tests.display.actions.waiting import until
from tests.display.guard.acting import Acting, armed, injector_pid
from tests.display.injector.copying import Copied, copy
from tests.display.injector.copying import copied as copied_meanwhile
from tests.display.rig import Desktop, launch, process_alive

_HERE = Path(__file__).parent
ROOT = Path(__file__).parents[4]
LONG = "".join(chr(0x4E00 + 3 * i) for i in range(2000))
"""More different characters than there are spare keycodes, and long enough to be pasted."""
MORE_THAN_KEYS = LONG[:160] + LONG[:50]


@pytest.fixture
def copied(desktop: Desktop, tmp_path: Path) -> Copied:
    return copy(desktop, tmp_path / "copied")


def told(file: Path, times: int) -> bool:
    return bool(got(file)["told"] == times)


def dead(pid: int) -> bool:
    return not process_alive(pid)


def own_window(desktop: Desktop, folder: Path) -> tuple[Path, Path, int]:
    """A window that does not paste: the file it writes, the file that makes it read the clipboard, and its id."""
    file, ask = folder / "got.json", folder / "ask"
    args = [sys.executable, str(_HERE / "paste_window.py"), str(file), str(ask)]
    window = launch(desktop, args, title="Own paste", env={"QT_QPA_PLATFORM": "xcb"}).window
    return file, ask, window.xid


def got(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("application", "field", "layout", "lock"),
    [
        ("mousepad", "mousepad", "ru", "Caps_Lock"),
        pytest.param("chromium", "chromium textarea", "us", "", marks=pytest.mark.full),
    ],
)
async def test_a_long_text_is_pasted_and_what_was_copied_outlives_the_session(
    desktop: Desktop, tmp_path: Path, copied: Copied, application: str, field: str, layout: str, lock: str
) -> None:
    desktop.set_layout(layout)
    if lock:
        desktop.xdo("key", lock)
    async with APPLICATIONS[application](desktop, tmp_path) as sinks, armed(desktop) as acting:
        sink = sinks[field]
        if sink.ready is not None:
            await sink.ready()
        text = f"{LONG[:1500]}\n{LONG[500:]}"
        outcome = await acting.do(TypeText(text=text, clear=True), focus=FocusRule(), paste=True)
        assert (outcome.result, outcome.delivered, outcome.total) == (ActResult.DONE, len(text), len(text)), outcome
        assert outcome.method == f"mapped keys 1, temporary mapping 2, clipboard paste {len(text) - 3}"
        assert await holds(sink, acting, text) == text
        if canvas := sinks.get("chromium canvas"):
            await keys_into_what_takes_no_text(canvas, acting)
            if sink.ready is not None:
                await sink.ready()
        await asyncio.to_thread(copied.owner.stop)
        await acting.do(Chord(keys=(Key("ctrl"), Key("v"))), focus=FocusRule())
        # An editor that fetches in the background may be saved too early, so it is saved again.
        async with asyncio.timeout(20):
            while await holds(sink, acting, text + copied.text, timeout_s=0.5) != text + copied.text:
                continue
    assert await copied.now() == copied.content


async def keys_into_what_takes_no_text(canvas: Sink, acting: Acting) -> None:
    """A focused canvas; Chromium fetches a paste there too, to show it to the page."""
    assert canvas.ready is not None
    await canvas.ready()
    outcome = await acting.do(TypeText(text=MORE_THAN_KEYS), focus=FocusRule(), paste=True)
    assert (outcome.result, outcome.method) == (ActResult.DONE, "temporary mapping"), outcome
    assert await holds(canvas, acting, MORE_THAN_KEYS) == MORE_THAN_KEYS


async def test_an_empty_clipboard_is_empty_again_and_what_is_copied_meanwhile_stays(
    desktop: Desktop, tmp_path: Path
) -> None:
    async with APPLICATIONS["qt line"](desktop, tmp_path) as sinks, armed(desktop) as acting:
        outcome = await acting.do(TypeText(text=MORE_THAN_KEYS), focus=FocusRule(), paste=True)
        assert outcome.method == f"temporary mapping 1, clipboard paste {len(MORE_THAN_KEYS) - 1}", outcome
        assert await holds(sinks["qt line edit"], acting, MORE_THAN_KEYS) == MORE_THAN_KEYS
        await acting.ears.wait(lambda: desktop.clipboard_owner() == 0)
        first = await copied_meanwhile(desktop, tmp_path / "first")
        await acting.do(TypeText(text=MORE_THAN_KEYS), focus=FocusRule(), paste=True)
        second = await copied_meanwhile(desktop, tmp_path / "second", "copied later")
        assert await second.now() == second.content != first.content


async def test_only_the_window_that_it_is_for_can_read_the_text(
    desktop: Desktop, tmp_path: Path, copied: Copied
) -> None:
    """With the holder process alone: other programs read the former contents, and all do once its pipe is closed."""
    file, ask, window = own_window(desktop, tmp_path)
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "operator_console.injector.clipboard.keep_and_restore_process",
        "--window", str(window),
        env=desktop.env, cwd=ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"kept\n"
    holder.stdin.write(json.dumps({"text": LONG}).encode() + b'\n{"announce": true}\n')
    assert [await holder.stdout.readline() for _ in range(2)] == [b"owned\n", b"ready\n"]
    assert await copied.now() == copied.content
    assert await asked(file, ask, 1) == LONG
    assert await said(holder.stdout, "ended")
    assert await asked(file, ask, 2) == LONG  # programs such as Chromium fetch what they paste twice
    assert await copied.now() == copied.content
    holder.stdin.write(b'{"withdraw": true}\n')
    assert await said(holder.stdout, "withdrawn")
    holder.stdin.write(b'{"restore": true}\n')
    assert await said(holder.stdout, "restored")
    assert await asked(file, ask, 3) == copied.text
    holder.stdin.close()
    assert await copied.now() == copied.content
    await asyncio.to_thread(desktop.empty_clipboard)
    assert await holder.wait() == 0


async def said(answers: asyncio.StreamReader, word: str) -> bool:
    """Whether the holder sends this answer in time."""
    async with asyncio.timeout(20):
        while line := await answers.readline():
            if line.decode().strip() == word:
                return True
    return False


async def asked(file: Path, ask: Path, time: int) -> Any:
    """Make the window read the clipboard; what it has read the given number of times."""
    await asyncio.to_thread(ask.touch)
    await until(lambda: got(file)["asked"] == time, "the window to ask")
    return got(file)["pasted"]


@pytest.fixture
def window_client(desktop: Desktop) -> Iterator[Display]:
    """A client of the display that can be pasted into."""
    display = Display(desktop.name)
    yield display
    display.close()


def new_window(display: Display) -> int:
    copy_depth, input_only = 0, 2
    window = int(display.connection.generate_id())
    display.core.CreateWindow(copy_depth, window, display.root, 0, 0, 1, 1, 0, input_only, 0, 0, [])
    display.sync()
    return window


def converted(display: Display, window: int, *, while_asked: Callable[[], None]) -> bytes | None:
    """The clipboard's text, None if it is refused; `while_asked` runs once the server has forwarded the request."""
    utf8, place = display.atom("UTF8_STRING"), display.atom("PASTED")
    answers: list[Any] = []
    display.subscribe(lambda event: answers.append(event) if hasattr(event, "requestor") else None)
    display.core.ConvertSelection(window, display.atom("CLIPBOARD"), utf8, place, 0)
    display.sync()
    while_asked()
    assert display.wait_until(lambda: bool(answers), 20)
    return display.text(display.ask(window, "PASTED")) if answers[0].property == place else None


@pytest.mark.parametrize("pressed", [False, True])
def test_a_request_that_waits_when_the_injector_ends_is_not_answered_with_the_text(
    desktop: Desktop, copied: Copied, window_client: Display, pressed: bool
) -> None:
    window = new_window(window_client)
    with running_holder(desktop, window) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        pipe = holder.stdin

        def end_the_pipe_and_go_on() -> None:
            pipe.close()
            os.kill(holder.pid, signal.SIGCONT)

        assert holder.stdout.readline() == b"kept\n"
        pipe.write(json.dumps({"text": LONG}).encode() + b"\n" + pressed * b'{"announce": true}\n')
        pipe.flush()
        assert [holder.stdout.readline() for _ in range(1 + pressed)] == [b"owned\n", b"ready\n"][: 1 + pressed]
        os.kill(holder.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, holder.pid, os.WSTOPPED)
        pasted = converted(window_client, window, while_asked=end_the_pipe_and_go_on)
    # A paste shortcut may still be on its way, and must not paste what was copied either.
    assert pasted == (None if pressed else copied.text.encode())


@contextmanager
def running_holder(desktop: Desktop, window: int) -> Iterator[subprocess.Popen[bytes]]:
    args = [
        sys.executable,
        "-m",
        "operator_console.injector.clipboard.keep_and_restore_process",
        "--window",
        str(window),
    ]
    with subprocess.Popen(
        args, env=desktop.env, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:  # fmt: skip
        try:
            yield holder
        finally:
            holder.kill()


async def typed_after_all(acting: Acting, file: Path) -> None:
    """Check that the text was typed by keys and the window did not get the copied contents."""
    outcome = await acting.do(TypeText(text=MORE_THAN_KEYS), focus=FocusRule(), paste=True)
    assert (outcome.result, outcome.method) == (ActResult.DONE, "temporary mapping"), outcome
    await acting.ears.wait(lambda: len(got(file)["typed"]) >= len(MORE_THAN_KEYS))
    assert got(file)["typed"] == MORE_THAN_KEYS


async def test_a_window_that_does_not_ask_gets_keys_and_never_what_was_copied(
    desktop: Desktop, tmp_path: Path, copied: Copied
) -> None:
    file, ask, _ = own_window(desktop, tmp_path)
    async with armed(desktop) as acting:
        work = asyncio.ensure_future(typed_after_all(acting, file))
        await acting.ears.wait(
            lambda: len(got(file)["typed"]) > 1
        )  # after the character that is typed before the paste
        assert got(file)["told"] == 1
        ask.touch()  # too late: the text is being typed by keys
        await acting.ears.wait(lambda: got(file)["pasted"] is not None)
        assert got(file)["pasted"] == ""
        await work
        assert await copied.now() == copied.content


async def pasting(acting: Acting, file: Path, time: int) -> asyncio.Task[Outcome]:
    """Paste; when the window has been told so for the given time. Again after a pause of a busy machine's own."""
    while True:
        work = asyncio.ensure_future(acting.do(TypeText(text=LONG), focus=FocusRule(), paste=True))
        async with asyncio.timeout(30):
            while not (told(file, time) or work.done()):  # noqa: ASYNC110  told by a file
                await asyncio.sleep(0.01)
        if told(file, time):
            return work
        assert work.result().result is ActResult.STOPPED, work.result()
        assert set(acting.ears.pauses) == {PauseCause.LEASE}, work.result()


async def test_what_was_copied_is_there_after_a_paste_was_cut_short(
    desktop: Desktop, tmp_path: Path, copied: Copied
) -> None:
    file, ask, _ = own_window(desktop, tmp_path)
    for time, way in enumerate(("pause", "SIGKILL", "stop"), 1):
        async with armed(desktop) as acting:
            injector = injector_pid(desktop)
            work = await pasting(acting, file, time)
            typed = got(file)["typed"]
            if way == "pause":
                await acting.guard.set_gate(open_=False)
            elif way == "stop":
                await acting.guard.stop(StopCause.BUTTON)
            else:
                os.kill(injector, signal.SIGKILL)
            outcome = await work
            assert outcome.result is (ActResult.UNKNOWN if way == "SIGKILL" else ActResult.STOPPED), outcome
            # One character is typed before the paste.
            assert (outcome.delivered, outcome.method) == (1, "temporary mapping")
            if way != "pause":
                # The system closes what a killed process had open one by one: its pipe to us may be the first.
                await until(partial(dead, injector), "the injector to be dead")
            assert await asked(file, ask, time) == "", way
            assert (got(file)["typed"], set(typed)) == (typed, {LONG[0]})
            assert await copied.now() == copied.content
    assert desktop.keys_down() == []
