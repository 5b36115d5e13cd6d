"""A browser that is missing, does not start, hangs or dies: told in one sentence, and nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.browser.chromium import find_browser
from operator_console.browser.devtools import ConnectionLost, ProtocolError
from operator_console.computers.browser.target import BrowserStart, open_browser
from operator_console.domain.errors import (
    ComputerTimedOut,
    ComputerUnavailable,
    OperatorError,
    UnavailableReason,
)
from operator_console.domain.frames import BrowserTarget, ImageNeeds
from tests.page_rig import SAY, PageServer, Rig, browser_rig, button, buttons, page_server, until

TARGET = BrowserTarget(spec="browser", title="Browser")


@pytest.fixture
def server() -> Iterator[PageServer]:
    """Gives out the pages of a test."""
    with page_server() as made:
        yield made


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders of sessions are made."""
    folder = tmp_path / "t"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def program(folder: Path, script: str) -> str:
    """A program that stands in for the browser."""
    path = folder / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def processes_with(*texts: str) -> list[int]:
    """The processes whose command line has these texts."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                line = (each / "cmdline").read_text(errors="replace")
                if all(text in line for text in texts):
                    found.append(int(each.name))
            except OSError:
                continue
    return found


def empty(folder: Path) -> bool:
    return not list(folder.iterdir())


def folders() -> list[Path]:
    """Those of the sessions of these tests."""
    return list(Path(tempfile.gettempdir()).glob("operator-console-test-*"))


async def test_a_browser_that_is_missing_is_told_with_what_to_install(temporary: Path) -> None:
    with pytest.raises(OperatorError, match="No browser is installed") as raised:
        await open_browser(TARGET, BrowserStart(program="no-such-browser"), "")
    assert "Install Chromium" in raised.value.text
    assert empty(temporary)


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("echo 'cannot open shared object' >&2; exit 3", "cannot open shared object"),
        pytest.param("printf 'nonsense\\0' >&4; sleep 60", "gone", marks=pytest.mark.full),
        pytest.param("exec 4>&-; sleep 60", "gone", marks=pytest.mark.full),
        pytest.param("sleep 60", "in time", marks=pytest.mark.full),
    ],
)
async def test_a_browser_that_does_not_start_is_told_and_leaves_nothing(
    tmp_path: Path, temporary: Path, script: str, detail: str
) -> None:
    stand_in = program(tmp_path, script)
    with pytest.raises(OperatorError, match="did not start") as raised:
        await open_browser(TARGET, BrowserStart(program=stand_in), "")
    assert detail in raised.value.text
    assert empty(temporary)
    await until(lambda: not processes_with(stand_in))


async def busy(rig: Rig, server: PageServer) -> None:
    """Have the page run a script that does not end."""
    server.pages |= {"/": SAY + buttons("say('busy'); while (true);"), "/two": "<title>Two</title>"}
    await rig.go(server.url())
    await rig.computer.observe(ImageNeeds())
    clicking = asyncio.create_task(rig.click(*button(0)))
    await until(lambda: server.said)
    clicking.cancel()
    await asyncio.gather(clicking, return_exceptions=True)


async def test_a_page_in_an_endless_loop_is_told_within_a_bound_and_can_be_left_and_closed(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser_rig() as rig:
        await busy(rig, server)
        with monkeypatch.context() as at_once:
            at_once.setattr("operator_console.computers.browser.computer.SHOT_WITHIN_S", 1.0)
            for _ in range(3):
                with pytest.raises(ComputerTimedOut, match="does not answer"):
                    await rig.computer.observe(ImageNeeds())
        await rig.go(server.url("/two"))
        await until(lambda: rig.state.page.url == server.url("/two"))
        await rig.computer.observe(ImageNeeds())
        await until(lambda: rig.titles() == ["*Two"])
        server.said.clear()
        await busy(rig, server)
        async with asyncio.timeout(4):
            await rig.act.close()
            await rig.computer.close()
    assert not rig.folder.exists()


async def crash(rig: Rig) -> None:
    """Kill the renderer of the page that is shown, and have the console see it."""
    for pid in processes_with(str(rig.folder), "--type=renderer"):
        os.kill(pid, signal.SIGKILL)
    await until(lambda: rig.state.crashed)
    with pytest.raises(ComputerUnavailable, match="page has crashed"):
        await rig.computer.observe(ImageNeeds())


async def test_a_page_that_has_crashed_is_loaded_again_when_the_session_goes_on_or_another_one_is(
    server: PageServer,
) -> None:
    server.pages |= {"/": "<title>One</title>", "/two": "<title>Two</title>"}
    async with browser_rig() as rig:
        await rig.go(server.url())
        await crash(rig)
        await rig.computer.observe(ImageNeeds())
        assert server.requests.count("/") == 2
        await until(lambda: not rig.state.page.loading)
        await rig.computer.observe(ImageNeeds())  # which asks for the title: the browser does not tell of a new one
        assert rig.titles() == ["*One"]
        with pytest.raises(ProtocolError, match="has not crashed"):
            await rig.computer._browser.look.send_raw("Operator.revive", {})
        await crash(rig)
        await rig.go(server.url("/two"))
        await until(lambda: not rig.state.crashed and not rig.state.page.loading)
        await rig.computer.observe(ImageNeeds())
        assert rig.titles() == ["*Two"]


async def test_a_page_that_came_of_a_form_and_crashed_is_loaded_without_sending_it_again(server: PageServer) -> None:
    server.pages["/"] = "<form method=post style='position:fixed;inset:0'><button style='width:100%;height:100%'>Pay"
    async with browser_rig() as rig:
        await rig.go(server.url())
        await rig.computer.observe(ImageNeeds())
        before = rig.state.page.document
        await rig.click(100, 100)
        await until(lambda: server.said and rig.state.page.document != before and not rig.state.page.loading)
        await crash(rig)
        await rig.computer.observe(ImageNeeds())
        assert (len(server.said), server.requests.count("/")) == (1, 2)


@pytest.mark.parametrize("killed", ["browser", "host"])
async def test_a_browser_that_is_killed_is_told_at_once_and_leaves_nothing(
    server: PageServer, killed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    # A page gives the focus at a frame after it has loaded.
    server.pages["/"] = SAY + "<textarea autofocus onfocus='say(\"focus\")' oninput='say(this.value)'></textarea>"
    async with browser_rig() as rig:
        await rig.go(server.url())
        await until(lambda: "focus" in server.said)
        await rig.act.send_raw("Input.insertText", {"text": "x"})
        await until(lambda: "x" in server.said)

        async def type_on() -> None:
            while True:
                await rig.act.send_raw("Input.insertText", {"text": "x"})

        typing = asyncio.create_task(type_on())
        mark = f"--user-data-dir={rig.folder}"
        os.kill(rig.browser.pid if killed == "host" else rig.browser.browser_pid, signal.SIGKILL)
        with pytest.raises((ConnectionLost, ProtocolError)):
            await typing
        with pytest.raises(ComputerUnavailable, match="browser has ended") as raised:
            await rig.computer.observe(ImageNeeds())
        assert raised.value.reason is UnavailableReason.GONE
        await until(lambda: not processes_with(mark))
    assert not rig.folder.exists()
    assert empty(tmp_path)  # the browser has temporary files of its own


async def test_a_console_that_is_gone_ends_the_host_which_removes_its_folder(tmp_path: Path) -> None:
    assert find_browser() is not None
    script = tmp_path / "console.py"
    script.write_text(CONSOLE)
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(script), stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip
    assert child.stdout is not None
    folder = Path((await child.stdout.readline()).decode().strip())
    assert folder in folders()
    child.kill()
    await child.wait()
    await until(lambda: not processes_with(str(folder)) and folder not in folders())


CONSOLE = """
import asyncio
from tests.page_rig import browser_rig
async def main():
    async with browser_rig() as rig:
        print(rig.folder, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""
