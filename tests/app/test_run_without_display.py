"""`run` on a browser without a display: the whole program, a real guard and injector, each way to its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.codec import encode
from operator_console.domain.errors import ExitCode
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


async def started(far: FarEnd, folder: Path, text: str) -> Process:
    """A run that types this text and is done."""
    script = folder / "script.json"
    turns = [{"calls": [{"action": encode(TypeText(text=text))}]}, {"finished": True, "narration": "done"}]
    script.write_text(json.dumps(turns))
    words = [str(_PROGRAM), far.address, "--model", str(script), "--session", str(folder / "one.ocsession")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(_ROOT), os.environ["PYTHONPATH"]))}
    return await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment
    )


async def under_way(far: FarEnd, folder: Path) -> Process:
    """A run that types for ever; begun anew where a busy machine has paused it, which ends it."""
    while True:
        enough = len(far.inputs) + 60
        process = await started(far, folder, "for ever " * 20_000)
        ended = asyncio.ensure_future(process.wait())
        typing = asyncio.ensure_future(far.until(partial(_typed, far, enough)))
        await asyncio.wait({ended, typing}, return_when=asyncio.FIRST_COMPLETED)
        if typing.done():
            ended.cancel()
            await typing
            return process
        typing.cancel()
        (folder / "one.ocsession").unlink(missing_ok=True)


def _typed(far: FarEnd, enough: int) -> bool:
    return len(far.inputs) > enough


def state() -> str:
    return str(json.loads(operator_console("status", "--json").out)["state"])


async def test_it_acts_and_says_once_how_it_is_stopped(far: FarEnd, tmp_path: Path) -> None:
    process = await started(far, tmp_path, "hello")
    _, errors = await process.communicate()
    assert process.returncode == ExitCode.FINISHED, errors.decode()
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
    assert await asyncio.to_thread(state) == "running"
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
