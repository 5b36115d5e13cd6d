"""A stop while the agent acts in a browser: the last event that the page hears, and what it is left holding."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.browser.devtools import ConnectionLost
from operator_console.browser.start import connect
from operator_console.domain.actions import KeyDown, KeyUp, Release, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint as At
from operator_console.domain.keys import Key
from operator_console.domain.stopping import PauseCause
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.browser_rig import browser_on
from tests.display.browser.stopping import ACTS, CHORD, PAGE, Seen, StoppingRig, by_command, by_killing_the_injector
from tests.display.guard.acting import Acting
from tests.display.rig import Desktop

LAST_EVENT_MS, RELEASED_MS = 250, 150
BLOCKED_S = 2.0
HEARD_WITHIN_S = 1.0
"""Within this the page has heard what had left the host, on a busy machine too."""


@pytest.fixture(scope="module", params=["headless", pytest.param("window", marks=pytest.mark.full)])
def stopping(request: pytest.FixtureRequest, desktop_session: Desktop) -> Iterator[StoppingRig]:
    with browser_on({"": PAGE}, headless=request.param == "headless", display=desktop_session.name) as rig:
        found = StoppingRig(desktop_session, rig)
        yield found
        found.close()


def keep_the_promises(seen: Seen) -> None:
    assert seen.late_ms <= LAST_EVENT_MS, seen
    assert seen.released_ms <= RELEASED_MS, seen
    assert not {"click", "drop"} & set(seen.kinds), seen


@pytest.mark.parametrize("what", ACTS)
async def test_the_chord_stops_it_and_the_page_holds_nothing(stopping: StoppingRig, what: str) -> None:
    async with stopping.acting(what) as acting:
        keep_the_promises(await stopping.stop(acting, stopping.by_chord))
        assert await stopping.run("[clicked, dropped]") == [False, False]
        await acting.ears.wait(lambda: latch.read_file(stopping.desktop.name).state is LatchState.STOPPED)
        assert (await acting.do(KeyDown(key=Key("a")))).result is ActResult.STOPPED
        assert not stopping.rig.events()


@pytest.mark.parametrize("what", ["types", "drags and drops"])
async def test_the_injector_s_death_releases_what_it_held(stopping: StoppingRig, what: str) -> None:
    async with stopping.acting(what) as acting:
        keep_the_promises(await stopping.stop(acting, by_killing_the_injector))
        assert await stopping.run("[clicked, dropped]") == [False, False]


async def test_the_stop_command_stops_it(stopping: StoppingRig) -> None:
    async with stopping.acting("scrolls") as acting:
        keep_the_promises(await stopping.stop(acting, by_command))


async def test_the_console_s_death_stops_it(stopping: StoppingRig) -> None:
    async with stopping.acting("types") as acting:
        keep_the_promises(await stopping.stop(acting, _end_of_the_console))
        await acting.ears.wait(lambda: latch.read_file(stopping.desktop.name).state is LatchState.STOPPED)
    await asyncio.to_thread(latch.reset, stopping.desktop.name)


def _end_of_the_console(acting: Acting) -> None:
    """As its death looks from outside: its pipes to the guard and to the injector are closed."""
    assert acting.guard._line is not None
    acting.guard._line.shutdown(2)
    acting.injector.detach()


async def test_a_busy_page_hears_of_one_event_at_most_after_the_stop(stopping: StoppingRig) -> None:
    async with stopping.acting("types") as acting:
        blocks = f"setTimeout(() => {{const t = performance.now(); while (performance.now() - t < {BLOCKED_S}e3);}})"
        seen = await stopping.stop(acting, stopping.by_chord, first=blocks)
        assert seen.late <= 2, seen  # keydown and keypress of one key
        assert not {"click", "drop"} & set(seen.kinds), seen
        assert await stopping.run("clicked") is False


async def test_a_session_after_a_stop_with_a_busy_page_waits_until_all_is_released(stopping: StoppingRig) -> None:
    async with stopping.acting("types") as acting:
        await stopping.run("setTimeout(() => {const t = performance.now(); while (performance.now() - t < 1000);})")
        stopping.press_chord()
        await acting.ears.stopped()
        stopping.let_go()
        await acting.guard.reset()
        acting.ears.stops.clear()
        await acting.guard.arm(session="next", target=acting.target)
        outcome = await acting.do(TypeText(text="x"), geometry=stopping.rig.geometry)
        assert outcome.result is ActResult.DONE
        assert await stopping.run("held()") == []
        events = await asyncio.to_thread(stopping.rig.events)
        assert events[-1]["type"] == "keyup"
        assert [each["shiftKey"] for each in events if each.get("code") == "KeyX" and each["type"] == "keydown"][
            -1:
        ] == [False]


async def test_a_frozen_browser_host_passes_nothing_on_and_releases_when_it_thaws(stopping: StoppingRig) -> None:
    host = stopping.rig.browser.pid
    async with stopping.acting("types") as acting:
        ahead_ms = await stopping.ahead_ms()
        os.kill(host, signal.SIGSTOP)
        try:
            stopping.press_chord()
            assert (await acting.ears.stopped()).released_keys >= 1
            stopping.let_go()
            await asyncio.sleep(HEARD_WITHIN_S)
            thawed_ms = time.time() * 1000 + ahead_ms
        finally:
            os.kill(host, signal.SIGCONT)
        async with asyncio.timeout(10):
            while await stopping.run("held()"):
                pass
        events = await asyncio.to_thread(stopping.rig.events)
        assert "keyup" in {each["type"] for each in events}
        after = [each for each in events if each["at"] > thawed_ms and each.get("code") not in CHORD]
        assert not {"keydown", "click", "drop"} & {each["type"] for each in after}


async def test_a_pause_keeps_what_is_held_and_the_session_goes_on(stopping: StoppingRig) -> None:
    async with stopping.acting("types") as acting:
        await acting.guard.set_gate(open_=False, why=PauseCause.HUMAN)
        outcome = await asyncio.shield(stopping.going)
        assert outcome.result is ActResult.STOPPED
        assert 0 < outcome.delivered < outcome.total
        inputs = await stopping.run("inputs")
        assert {"ShiftLeft", "button 0"} <= set(await stopping.run("held()"))
        await acting.guard.set_gate(open_=True)
        assert await stopping.run("inputs") == inputs
        for action in (Release(at=At(100, 230)), KeyUp(key=Key("shift"))):
            assert (await acting.do(action, geometry=stopping.rig.geometry)).result is ActResult.DONE
        assert await stopping.run("held()") == []
        assert await stopping.run("clicked") is True  # as of any release over what was pressed


async def test_a_drag_that_a_pause_halts_drops_nothing(stopping: StoppingRig) -> None:
    async with stopping.acting("drags and drops") as acting:
        await acting.guard.set_gate(open_=False, why=PauseCause.HUMAN)
        assert (await asyncio.shield(stopping.going)).result is ActResult.STOPPED
        assert await stopping.run("dropped") is False
        assert await stopping.run("held()") == []
        await acting.guard.set_gate(open_=True)


async def test_nobody_else_gets_in_where_the_injector_is(stopping: StoppingRig) -> None:
    address = Path(stopping.rig.browser.act_address)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (address, address.parent)] == [0o600, 0o700]
    async with stopping.acting("types"):
        other = await connect(address)
        with pytest.raises(ConnectionLost):
            await other.send_raw("Input.insertText", {"text": "from elsewhere"})
        await other.close()
        assert "elsewhere" not in await stopping.run("area.value")
