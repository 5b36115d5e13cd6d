"""The keyboard after a stop or a kill in the middle of text that was lent its keys: map, group and locks as before."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.grants import FocusRule
from tests.display.guard.acting import armed, injector_pid
from tests.display.rig import Desktop, launch_xterm, process_alive
from tests.display.rig.xkb_locks import CAPS, NUM, Locks, read_locks, set_locks

# More characters than there are spare keys for, so that they are lent anew all the time.
LENT = "".join(chr(0x4E00 + number) for number in range(200)) * 20
LOCKS = Locks(modifiers=CAPS | NUM, group=1)


@pytest.mark.parametrize("how", ["stop chord", "injector killed"])
async def test_map_group_and_locks_are_as_before(desktop: Desktop, how: str) -> None:
    desktop.set_layout("us,ru")
    set_locks(desktop.name, LOCKS)
    before = desktop.keyboard_mapping()
    launch_xterm(desktop)
    try:
        async with armed(desktop) as acting:
            pid = injector_pid(desktop)
            task = asyncio.ensure_future(acting.do(TypeText(text=LENT), focus=FocusRule()))
            await acting.ears.wait(lambda: task.done() or desktop.keyboard_mapping() != before)
            assert not task.done(), task.result()
            if how == "stop chord":
                await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
                await acting.ears.stopped()
                outcome = await task
                assert outcome.result is ActResult.STOPPED
            else:
                os.kill(pid, signal.SIGKILL)
                outcome = await task
                assert outcome.result is ActResult.UNKNOWN
            assert outcome.method == ("temporary mapping" if outcome.delivered else ""), outcome
            await acting.ears.wait(lambda: not process_alive(pid))
            await acting.ears.wait(lambda: desktop.keyboard_mapping() == before)
            assert read_locks(desktop.name) == LOCKS
            assert desktop.keys_down() == []
    finally:
        set_locks(desktop.name, Locks())
