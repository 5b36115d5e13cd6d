"""`run` on a browser without a display: the whole program, a real guard and injector, each way to its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.codec import encode
from operator_console.domain.errors import ExitCode
from operator_console.domain.stopping import PauseCause
from operator_console.ui.view.cause_words import paused_words
from tests.cli.command import operator_console
from tests.fakes.far_backend import FarEnd, far_end

_PROGRAM = Path(__file__).with_name("run_in_far_browser.py")
_ROOT = Path(__file__).parents[2]


@pytest.fixture
async def far(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FarEnd]:
    for name in ("DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with far_end(tmp_path_factory.mktemp("far"), monkeypatch) as made:
        yield made


async def started(far: FarEnd, folder: Path, text: str, times: int = 1) -> Process:
    """A run that types this text, a turn each time, and is done."""
    script = folder / "script.json"
    turns = [{"calls": [{"action": encode(TypeText(text=text))}]}] * times
    script.write_text(json.dumps([*turns, {"finished": True, "narration": "done"}]))
    words = [str(_PROGRAM), far.address, "--model", str(script), "--session", str(folder / "one.ocsession")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(_ROOT), os.environ["PYTHONPATH"]))}
    return await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment
    )


async def under_way(far: FarEnd, folder: Path) -> Process:
    """A run that types for ever: where a busy machine pauses it for a moment, the next turn goes on."""
    process = await started(far, folder, "for ever " * 20_000, times=8)
    ended = asyncio.ensure_future(process.wait())
    typing = asyncio.ensure_future(far.until(lambda: len(far.inputs) > 60))
    await asyncio.wait({ended, typing}, return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        typing.cancel()
        _, errors = await process.communicate()
        pytest.fail(errors.decode())
    ended.cancel()
    return process


def state() -> str:
    return str(json.loads(operator_console("status", "--json").out)["state"])


async def test_it_acts_and_says_once_how_it_is_stopped(far: FarEnd, tmp_path: Path) -> None:
    while True:
        process = await started(far, tmp_path, "hello")
        _, errors = await process.communicate()
        assert process.returncode == ExitCode.FINISHED, errors.decode()
        if paused_words(PauseCause.LEASE) not in errors.decode():
            break
        # A busy machine held its loop up, and a pause breaks off what is being typed.
        (tmp_path / "one.ocsession").unlink()
        far.inputs.clear()
    assert far.inputs == list("hello")
    words = "No display: stop keys are not heard. Stop with `operator-console stop` or Ctrl-C."
    assert errors.decode().count(words) == 1
    assert await asyncio.to_thread(state) == "idle"


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)], ids=lambda each: each.name
)
async def test_a_signal_ends_it_in_order_and_latches_nothing(
    far: FarEnd, tmp_path: Path, number: signal.Signals
) -> None:
    """In each run: all signals in tests/cli/test_interrupts.py."""
    process = await under_way(far, tmp_path)
    process.send_signal(number)
    _, errors = await process.communicate()
    assert process.returncode == ExitCode.STOPPED, errors.decode()
    await far.until(lambda: far.gone == len(far.hellos))
    assert await asyncio.to_thread(state) == "idle"


async def test_the_stop_command_ends_it_and_blocks_the_next_until_a_reset(far: FarEnd, tmp_path: Path) -> None:
    process = await under_way(far, tmp_path)
    while (seen := await asyncio.to_thread(state)) == "paused":  # a busy machine held its loop up
        continue
    assert seen == "running"
    assert (await asyncio.to_thread(operator_console, "stop")).code == 0
    _, errors = await process.communicate()
    assert process.returncode == ExitCode.STOPPED, errors.decode()
    await far.until(lambda: far.gone == len(far.hellos))
    assert await asyncio.to_thread(state) == "stopped"
    (tmp_path / "one.ocsession").unlink()
    refused = await started(far, tmp_path, "hello")
    _, errors = await refused.communicate()
    assert refused.returncode == ExitCode.REFUSED
    assert "Sessions without a display are stopped." in errors.decode()
