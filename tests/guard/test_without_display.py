"""A session on a browser where there is no display: real guard and injector processes, stopped and killed."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.desktop.ledger import Word
from operator_console.domain.actions import Action, KeyDown, Press, TypeText
from operator_console.domain.decisions import Outcome
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.guard import latch
from operator_console.guard.client import GuardClient, open_guard
from operator_console.guard.latch import LatchState
from operator_console.injector.client import InjectorClient
from tests.cli.command import operator_console
from tests.display.guard.acting import Ears
from tests.fakes.far_backend import FarEnd, far_end

LIMIT_MS = 100
LONG = TypeText(text="for ever " * 100_000)
_CONSOLE = Path(__file__).with_name("console_without_display.py")
_ROOT = Path(__file__).parents[2]


@dataclass(kw_only=True)
class Acting:
    """A console without a display, and the far end of what its injector is connected to."""

    guard: GuardClient
    injector: InjectorClient
    far: FarEnd
    ears: Ears

    async def arm(self) -> None:
        target = BrowserTarget(spec="browser", title="Browser", address=self.far.address)
        await self.guard.arm(session="s", target=target)

    async def do(self, action: Action) -> Outcome:
        size = Size(100, 100)
        grant = Grant(
            grant_id=secrets.token_hex(16), step=1, call=0, action=action, epoch=self.guard.epoch,
            target=BrowserTarget(spec="browser", title="Browser"), expires_s=time.monotonic() + 60,
            geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
        )  # fmt: skip
        return await self.injector.perform(grant.sealed(self.guard.grant_key))

    async def type_for_ever(self) -> asyncio.Task[Outcome]:
        """Return when it is well under way."""
        before = len(self.far.inputs)
        typing = asyncio.ensure_future(self.do(LONG))
        await self.far.until(lambda: len(self.far.inputs) > before + 60)
        return typing


@pytest.fixture
async def far(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FarEnd]:
    async with far_end(tmp_path_factory.mktemp("far"), monkeypatch) as made:
        yield made


@asynccontextmanager
async def guarded(far: FarEnd) -> AsyncIterator[Acting]:
    injector, ears = InjectorClient(), Ears()
    guard = await open_guard(NO_DISPLAY, injector)
    guard.subscribe(ears)
    try:
        yield Acting(guard=guard, injector=injector, far=far, ears=ears)
    finally:
        await guard.close()


@pytest.fixture
async def acting(far: FarEnd) -> AsyncIterator[Acting]:
    async with guarded(far) as made:
        yield made


async def status() -> tuple[LatchState, str]:
    """As a terminal reads it."""
    found = await asyncio.to_thread(latch.read_status, NO_DISPLAY)
    return found.state, found.reason


async def test_the_stop_is_live_and_says_that_no_keys_are_heard(acting: Acting) -> None:
    liveness = await acting.guard.prove()
    assert liveness.live
    assert liveness.proven_s is not None
    assert [each.code for each in notices_of(liveness.detail)] == [NoticeCode.STOP_WITHOUT_DISPLAY]


async def test_the_injector_of_a_browser_knows_no_display_and_nothing_that_speaks_x(
    far: FarEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":7654321")  # of the console
    async with guarded(far) as acting:
        await acting.arm()
        assert [(hello["display"], hello["speaks_x"]) for hello in far.hellos] == [(None, [])]
        await acting.guard.disarm()


async def test_nothing_paces_it_and_no_file_lists_what_it_holds(acting: Acting) -> None:
    await acting.arm()
    await acting.do(KeyDown(key=Key("shift")))
    ledger = acting.injector._ledger
    assert ledger is not None
    assert ledger.get(Word.PACED) == 0
    assert not list(latch.run_dir().glob("*ledger*"))
    await acting.guard.disarm()


async def test_the_stop_of_a_terminal_ends_it_within_the_limit_and_counts_what_was_held(acting: Acting) -> None:
    await acting.arm()
    await acting.do(Press(at=NativePoint(1, 1)))
    await acting.do(KeyDown(key=Key("shift")))
    typing = await acting.type_for_ever()
    assert (await status())[0] is LatchState.RUNNING
    stopped = await asyncio.to_thread(operator_console, "stop")
    assert stopped.out.startswith("no display: stopped (the stop command)")
    report = await acting.ears.stopped()
    assert (report.reason, report.released_keys, report.released_buttons) == (StopCause.COMMAND, 1, 1)
    assert report.press_to_last_event_ms is not None
    assert report.press_to_last_event_ms <= LIMIT_MS
    await acting.far.until(lambda: acting.far.gone == 1)
    await typing
    with pytest.raises(OperatorError) as refused:
        await acting.arm()
    assert refused.value.title == "Sessions without a display are stopped."
    assert (await asyncio.to_thread(operator_console, "reset", "--yes")).code == 0
    assert await status() == (LatchState.IDLE, "")
    await acting.arm()
    await acting.guard.disarm()


async def test_an_orderly_end_latches_nothing_and_leaves_no_injector(acting: Acting) -> None:
    await acting.arm()
    await acting.do(KeyDown(key=Key("shift")))
    await acting.guard.disarm()
    await acting.far.until(lambda: acting.far.gone == 1)
    assert await status() == (LatchState.IDLE, "")


async def test_a_killed_injector_is_replaced_after_a_pause_and_held_input_is_forgotten(acting: Acting) -> None:
    await acting.arm()
    await acting.do(KeyDown(key=Key("shift")))
    typing = await acting.type_for_ever()
    acting.far.answers = False  # so that it dies in the middle of an input event
    pid = acting.far.hellos[0]["pid"]
    await acting.far.until(lambda: acting.far.unanswered)
    os.kill(pid, signal.SIGKILL)
    acting.far.answers = True
    await acting.far.until(lambda: len(acting.far.hellos) == 2)
    await asyncio.wait([typing])
    assert acting.ears.pauses == [PauseCause.TARGET]
    assert (await status())[0] is LatchState.PAUSED
    await acting.ears.wait(lambda: acting.injector.attached)
    ledger = acting.injector._ledger
    assert ledger is not None
    assert ledger.clean
    await acting.guard.set_gate(open_=False, why=PauseCause.TARGET)
    assert (await status())[0] is LatchState.PAUSED
    await acting.guard.set_gate(open_=True)
    await acting.do(TypeText(text="on"))
    assert acting.far.inputs[-2:] == ["o", "n"]
    await acting.guard.disarm()


async def test_a_killed_guard_takes_the_injector_with_it_and_counts_as_stopped(acting: Acting) -> None:
    await acting.arm()
    typing = await acting.type_for_ever()
    process = acting.guard._process
    assert process is not None
    process.kill()
    assert (await acting.ears.stopped()).reason is StopCause.GUARD_DIED
    await acting.far.until(lambda: acting.far.gone == 1)
    await asyncio.wait([typing])
    assert await status() == (LatchState.STOPPED, "guard_died")
    assert (await asyncio.to_thread(latch.reset, NO_DISPLAY)).state is LatchState.IDLE


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGKILL, "console_died"), (signal.SIGSTOP, "lapse")], ids=["killed", "frozen"]
)
async def test_a_console_that_is_gone_is_stopped(far: FarEnd, number: signal.Signals, reason: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(_ROOT), os.environ["PYTHONPATH"]))}
    console = subprocess.Popen([sys.executable, str(_CONSOLE), far.address], env=environment)  # noqa: ASYNC220
    try:
        await far.until(lambda: len(far.inputs) > 60)
        console.send_signal(number)
        await far.until(lambda: far.gone == 1)
        await Ears().wait(lambda: latch.read_file(NO_DISPLAY).reason == reason)
        assert await status() == (LatchState.STOPPED, reason)
    finally:
        console.kill()
        console.wait()


async def test_a_second_session_without_a_display_is_refused(acting: Acting) -> None:
    await acting.arm()
    async with guarded(acting.far) as other:
        with pytest.raises(OperatorError) as refused:
            await other.arm()
    assert refused.value.title == "Another session without a display is running."
    await acting.guard.disarm()


async def test_a_guard_that_no_terminal_can_reach_pauses_the_session_and_starts_none(acting: Acting) -> None:
    await acting.arm()
    (path,) = latch.run_dir().glob("*.sock")
    path.unlink()
    await acting.ears.wait(lambda: acting.ears.pauses)
    assert acting.ears.pauses == [PauseCause.STOP_NOT_LIVE]
    await acting.guard.set_gate(open_=True)
    assert acting.ears.pauses == [PauseCause.STOP_NOT_LIVE] * 2, "it stays paused"
    await acting.guard.disarm()
    with pytest.raises(OperatorError) as refused:
        await acting.arm()
    assert [each.code for each in notices_of(refused.value.detail)] == [NoticeCode.STOP_COMMAND_NOT_HEARD]
