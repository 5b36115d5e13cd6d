"""Arming and disarming."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.domain.actions import Click, Move, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.stopping import StopCause, WaitsFor
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from operator_console.guard.x11.display import X11Releaser, open_display
from tests.display.guard.acting import armed, guarded, monitor
from tests.display.rig import Desktop, launch_xterm, start_xvfb


async def test_an_armed_session_moves_the_pointer_and_disarms(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        assert acting.guard.liveness.live, acting.guard.liveness.detail
        assert latch.read_status(desktop.name).state is LatchState.RUNNING
        outcome = await acting.do(Move(at=NativePoint(200, 300)))
        assert outcome.result is ActResult.DONE, outcome
        assert desktop.pointer() == (200, 300) == outcome.pointer
        outcome = await acting.do(Click(at=NativePoint(210, 310), count=2))
        assert outcome.result is ActResult.DONE, outcome
    assert latch.read_file(desktop.name).state is LatchState.IDLE


async def test_a_start_that_is_called_off_leaves_nothing_armed(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        starting = asyncio.ensure_future(acting.guard.arm(session="one", target=acting.target))
        await acting.ears.wait(lambda: latch.locked(desktop.name))
        starting.cancel()
        await asyncio.wait([starting])
        await acting.ears.wait(lambda: not latch.locked(desktop.name))
        assert latch.read_file(desktop.name).state is LatchState.IDLE
        await acting.guard.arm(session="two", target=acting.target)
        assert (await acting.do(Move(at=NativePoint(20, 30)))).result is ActResult.DONE
        await acting.guard.disarm()
    assert latch.read_file(desktop.name).state is LatchState.IDLE


async def test_an_end_while_starting_calls_the_start_off(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        starting = asyncio.ensure_future(acting.guard.arm(session="one", target=acting.target))
        await acting.ears.wait(lambda: latch.locked(desktop.name))
        await acting.guard.disarm()
        assert not latch.locked(desktop.name)
        with pytest.raises(OperatorError, match="called off"):
            await starting
        assert latch.read_file(desktop.name).state is LatchState.IDLE


def living() -> set[int]:
    return {int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()}


async def test_a_stop_ends_an_injector_that_is_slow_to_end(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        await acting.guard.arm(session="s", target=acting.target)
        injector = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
        pid = injector[0].get(Word.INJECTOR_PID)
        injector[0].close()
        os.close(injector[1])
        os.kill(pid, signal.SIGSTOP)
        ending = asyncio.ensure_future(acting.guard.disarm())
        await acting.ears.wait(lambda: not acting.injector.attached)
        await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
        await acting.ears.stopped()
        await ending
        assert latch.read_file(desktop.name).reason == "hotkey"
        assert pid not in living()
        latch.clear_latch(desktop.name)  # the guard itself remembers
        with pytest.raises(OperatorError, match="stopped"):
            await acting.guard.arm(session="two", target=acting.target)


async def test_a_run_folder_that_cannot_be_written_is_said_at_once(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        assert acting.guard._process is not None
        draft = latch.path_of(desktop.name, "latch.json").with_suffix(f".{acting.guard._process.pid}.new")
        draft.mkdir()
        async with asyncio.timeout(30):
            with pytest.raises(OperatorError, match="run folder"):
                await acting.guard.arm(session="s", target=acting.target)
        draft.rmdir()
        assert not latch.locked(desktop.name)
        await acting.guard.arm(session="s", target=acting.target)
        draft.mkdir()  # from now on: the orderly end needs no draft, a stop does
        await acting.guard.stop(StopCause.BUTTON)
        assert latch.read_file(desktop.name).state is LatchState.STOPPED
        draft.rmdir()


async def test_why_it_is_paused_is_a_pauses_cause(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+p")
        await acting.ears.wait(lambda: acting.ears.pauses)
        assert latch.read_status(desktop.name).reason == "hotkey"
        await acting.guard.set_gate(open_=False, why=WaitsFor.ANSWER)
        status = latch.read_status(desktop.name)
        assert (status.state, status.reason) == (LatchState.PAUSED, "question")
        await acting.guard.set_gate(open_=True)
        status = latch.read_status(desktop.name)
        assert (status.state, status.reason) == (LatchState.RUNNING, "")


@pytest.mark.parametrize("gone", [False, True])
async def test_a_stop_of_a_virtual_run_is_reset_as_a_whole(desktop: Desktop, tmp_path: Path, *, gone: bool) -> None:
    server = start_xvfb(tmp_path)
    try:
        target = replace(monitor(desktop), display=server.name)
        async with guarded(desktop) as acting:
            await acting.guard.arm(session="s", target=target)
            await acting.guard.stop(StopCause.BUTTON)
            both = [desktop.name, server.name]
            assert [latch.read_file(each).displays for each in both] == [tuple(both)] * 2
            assert [latch.read_file(each).reason for each in both] == ["button"] * 2
            if gone:
                await asyncio.to_thread(server.stop)
            await acting.guard.reset()
            assert [latch.read_file(each).state for each in both] == [LatchState.IDLE] * 2
            if gone:
                assert [path.name for path in latch.run_dir().iterdir() if path.name.startswith(server.name)] == []
            else:
                await acting.guard.arm(session="again", target=target)
                await acting.guard.disarm()
    finally:
        server.stop()


def test_a_key_whose_release_was_lost_is_released(desktop: Desktop, tmp_path: Path) -> None:
    ledger, fd = Ledger.open_file(tmp_path / "ledger")
    display = open_display(desktop.name)
    code = desktop.keycode("k")
    ledger.mark_sent(code)  # pressed and released by the injector; its last words were dropped with it
    desktop.xdo("keydown", "k")
    assert desktop.keys_down() == [code]
    X11Releaser(display).finish(ledger)
    assert desktop.keys_down() == []
    assert ledger.clean
    display.close()
    ledger.close()
    os.close(fd)


async def test_what_was_typed_is_confirmed_at_the_end_of_an_action(desktop: Desktop) -> None:
    launch_xterm(desktop)
    async with armed(desktop) as acting:
        ledger, fd = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
        assert (await acting.do(TypeText(text="x" * 40), focus=FocusRule())).result is ActResult.DONE
        assert ledger.sent == []
        ledger.close()
        os.close(fd)
