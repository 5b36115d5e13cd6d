"""Applications really start, on the target's display, under a grant; what cannot start is said."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from operator_console.desktop.platform import new_windows, open_display, start_virtual_desktop
from operator_console.desktop.protocols import StartedDesktop
from operator_console.desktop.values import Window
from operator_console.desktop.x11 import desktop_sandbox
from operator_console.domain.actions import Action, Launch, OpenBrowser
from operator_console.domain.admission import Admission
from operator_console.domain.decisions import ActResult
from operator_console.domain.frames import MonitorTarget, VirtualTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.tools import detached_program
from operator_console.tools.launching import Launcher
from tests.display.rig import Desktop, wait_until

KEY = secrets.token_bytes(32)
BROWSER = """[Desktop Entry]
Type=Application
Name=Test browser
Exec=xterm -T Browser -e sh -c "cat" sh %u
"""


@pytest.fixture
def environment(desktop: Desktop, tmp_path: Path) -> dict[str, str]:
    """Where the default browser is a dialog that shows the address."""
    data = tmp_path / "data" / "applications"
    data.mkdir(parents=True)
    (data / "test-browser.desktop").write_text(BROWSER)
    (data / "mimeapps.list").write_text("[Default Applications]\nx-scheme-handler/https=test-browser.desktop\n")
    return {
        **desktop.env, "DISPLAY": ":none", "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"),
        "GEMINI_API_KEY": "not for applications",
    }  # fmt: skip


@pytest.fixture
def ended(desktop: Desktop) -> Iterator[None]:
    """Ends the windows' processes, which live on by design: only those that this test started."""
    before = {window.pid for window in desktop.windows()}
    yield
    for window in desktop.windows():
        if window.pid is not None and window.pid not in before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(window.pid, signal.SIGTERM)
    wait_until(lambda: {w.pid for w in desktop.windows()} <= before, "the launched windows to go")


def grant(desktop: Desktop, action: Action, *, epoch: int = 3, key: bytes = KEY, life_s: float = 30) -> Grant:
    size = Size(*desktop.server.size)
    target = MonitorTarget(spec="monitor:1", title="Monitor 1", display=desktop.name)
    made = Grant(
        grant_id=secrets.token_hex(16), step=1, call=0, action=action, target=target, epoch=epoch,
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), expires_s=time.monotonic() + life_s,
    )  # fmt: skip
    return made.sealed(key)


def launcher(environment: dict[str, str]) -> Launcher:
    return Launcher(Admission(lambda: KEY, lambda: 3), new_windows, environment)


def of_process(pid: int | None, name: str) -> bytes:
    return Path(f"/proc/{pid}/{name}").read_bytes()


async def test_an_application_starts_and_belongs_to_nobody_here(
    desktop: Desktop, environment: dict[str, str], ended: None
) -> None:
    outcome = await launcher(environment).perform(grant(desktop, Launch(app="Mousepad")))
    assert outcome.result is ActResult.DONE, outcome
    window = desktop.wait_window(wm_class="mousepad")
    assert outcome.detail.startswith("Started Mousepad. Its window “Untitled 1")
    assert window.pid is not None
    fields = of_process(window.pid, "stat").decode().rpartition(")")[2].split()
    assert int(fields[1]) != os.getpid()
    assert int(fields[3]) != os.getsid(0), "it would end with this session"
    assert b"not for applications" not in of_process(window.pid, "environ")


def isolated_launcher(there: StartedDesktop) -> Launcher:
    return Launcher(Admission(lambda: KEY, lambda: 3), new_windows, programs=there.programs)


def on_isolated(there: StartedDesktop, action: Action) -> Grant:
    size = Size(800, 600)
    made = Grant(
        grant_id=secrets.token_hex(16), step=1, call=0, action=action, epoch=3, expires_s=time.monotonic() + 30,
        target=VirtualTarget(spec="virtual", title="Virtual desktop", display=there.display),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
    )  # fmt: skip
    return made.sealed(KEY)


def window_on(there: StartedDesktop, app: str) -> Window:
    display = open_display(there.display)
    try:
        return next(each for each in display.all_windows() if each.app.casefold() == app)
    finally:
        display.close()


@pytest.fixture(params=["in a sandbox", "without a sandbox"])
async def isolated(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StartedDesktop]:
    """An isolated desktop, started by a person whose environment names all that is theirs."""
    for name in ("XAUTHORITY", "SSH_AUTH_SOCK", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DOCKER_HOST", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "persons")
    if request.param == "without a sandbox":
        monkeypatch.setattr(desktop_sandbox, "sandbox_trouble", lambda: "There is none here.")
    started = await start_virtual_desktop(Size(800, 600))
    yield started
    await started.close()


async def test_an_application_on_an_isolated_desktop_has_its_home_and_nothing_of_the_persons(
    isolated: StartedDesktop,
) -> None:
    outcome = await isolated_launcher(isolated).perform(on_isolated(isolated, Launch(app="mousepad")))
    assert outcome.result is ActResult.DONE, outcome
    assert "Its window" in outcome.detail
    window = window_on(isolated, "mousepad")
    started = dict(line.split("=", 1) for line in of_process(window.pid, "environ").decode().split("\0") if line)
    assert (started["HOME"], started["DISPLAY"]) == (isolated.programs.environment["HOME"], isolated.display)
    assert not [name for name, value in started.items() if "persons" in value]


async def test_a_program_that_cannot_start_on_an_isolated_desktop_is_said(isolated: StartedDesktop) -> None:
    outcome = await isolated_launcher(isolated).perform(on_isolated(isolated, Launch(app="false")))
    assert outcome.result is ActResult.FAILED, outcome
    assert "code 1" in outcome.detail


async def test_a_missing_sandbox_is_told_at_the_start(isolated: StartedDesktop) -> None:
    told = [problem.title for problem in isolated_launcher(isolated).problems]
    assert told == ([] if isolated.sandboxed else [notice(NoticeCode.PROGRAMS_NOT_SANDBOXED)])


async def test_an_address_and_the_browser_open(desktop: Desktop, environment: dict[str, str], ended: None) -> None:
    outcome = await launcher(environment).perform(grant(desktop, Launch(url="`example.com/a?b=1&c=$HOME`", app="x")))
    assert (
        outcome.detail == "Opened https://example.com/a?b=1&c=$HOME with Test browser. Its window “Browser” appeared."
    )
    window = desktop.wait_window(title="Browser")
    arguments = of_process(window.pid, "cmdline").split(b"\0")
    assert b"https://example.com/a?b=1&c=$HOME" in arguments
    assert (await launcher(environment).perform(grant(desktop, OpenBrowser()))).result is ActResult.DONE
    wait_until(lambda: len(desktop.windows()) == 2, "the browser itself")


@pytest.fixture
def entry(environment: dict[str, str]) -> Callable[[str, str], None]:
    """Installs an application: its name, and what its shell does."""

    def install(name: str, script: str) -> None:
        folder = Path(environment["XDG_DATA_HOME"]) / "applications"
        program = folder / f"{name}.sh"
        program.write_text(script)
        text = f"[Desktop Entry]\nType=Application\nName={name}\nExec=sh {program}\n"
        (folder / f"{name}.desktop").write_text(text)

    return install


async def test_a_program_that_ends_at_once_fails_in_its_own_words(
    desktop: Desktop, environment: dict[str, str], entry: Callable[[str, str], None]
) -> None:
    entry("broken", "echo 'cannot open the library' >&2; exit 3")
    outcome = await launcher(environment).perform(grant(desktop, Launch(app="broken")))
    assert (outcome.result, outcome.reason) == (ActResult.FAILED, "unsupported")
    assert outcome.detail == "It ended at once with code 3: cannot open the library"


async def test_no_window_is_said_and_the_program_lives_on(
    desktop: Desktop, environment: dict[str, str], entry: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setattr(detached_program, "WINDOW_WITHIN_S", 0.3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    entry("silent", f"read line < {pipe}; echo $line > {tmp_path / 'heard'}")
    outcome = await launcher(environment).perform(grant(desktop, Launch(app="silent")))
    assert outcome.result is ActResult.DONE
    assert outcome.detail.startswith("Started silent. No window appeared within")
    await asyncio.to_thread(pipe.write_text, "still here\n")
    wait_until(lambda: (tmp_path / "heard").exists() and (tmp_path / "heard").read_text(), "it to hear")


async def test_a_program_that_leaves_it_to_one_that_runs_is_told_so(
    desktop: Desktop, environment: dict[str, str], entry: Callable[[str, str], None], ended: None
) -> None:
    ready = launcher(environment)
    assert (await ready.perform(grant(desktop, Launch(app="xterm")))).detail.startswith("Started")
    wait_until(desktop.windows, "the first one")
    entry("xterm", "exit 0")
    outcome = await launcher(environment).perform(grant(desktop, Launch(app="xterm")))
    assert outcome.result is ActResult.DONE
    assert "uses a window that was already open" in outcome.detail
    assert len(desktop.windows()) == 1


async def test_a_wait_that_is_cancelled_ends_and_leaves_the_program(
    desktop: Desktop, environment: dict[str, str], entry: Callable[[str, str], None], tmp_path: Path
) -> None:
    began, pipe = tmp_path / "began", tmp_path / "pipe"
    os.mkfifo(pipe)
    entry("slow", f"touch {began}; read line < {pipe}; exec xterm -T Slow -e sh -c 'cat'")
    start = asyncio.create_task(launcher(environment).perform(grant(desktop, Launch(app="slow"))))
    await asyncio.to_thread(wait_until, began.exists, "it to begin")
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await asyncio.to_thread(pipe.write_text, "go on\n")
    window = await asyncio.to_thread(desktop.wait_window, title="Slow")
    assert window.pid is not None
    os.kill(window.pid, signal.SIGTERM)
    await asyncio.to_thread(wait_until, lambda: not desktop.windows(), "it to end")


async def test_what_cannot_start_is_said(desktop: Desktop, environment: dict[str, str]) -> None:
    for action, says in (
        (Launch(app="no such thing"), "No application is called"),
        (Launch(url="javascript:alert(1)"), "Only http, https and file"),
        (Launch(url="mailto:a@example.com"), "Only http, https and file"),
        (Launch(), "No application is called"),
    ):
        outcome = await launcher(environment).perform(grant(desktop, action))
        assert (outcome.result, outcome.reason) == (ActResult.FAILED, "unsupported")
        assert says in outcome.detail
    assert desktop.windows() == []


async def test_a_grant_is_needed_and_serves_once(desktop: Desktop, environment: dict[str, str], ended: None) -> None:
    ready = launcher(environment)
    bad = [
        grant(desktop, Launch(app="mousepad"), key=secrets.token_bytes(32)),
        grant(desktop, Launch(app="mousepad"), epoch=2),
        grant(desktop, Launch(app="mousepad"), life_s=-1),
    ]
    for each in bad:
        assert (await ready.perform(each)).reason == "bad_grant"
    assert desktop.windows() == []
    good = grant(desktop, OpenBrowser())
    assert (await ready.perform(good)).result is ActResult.DONE
    assert (await ready.perform(good)).reason == "bad_grant"
    desktop.wait_window(title="Browser")
    assert len(desktop.windows()) == 1
