"""A session on a browser, on a person's desktop: stopped there by keys and corners, and nothing is released there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from operator_console.domain.actions import KeyDown, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.guard.acting import Acting, guarded, monitor
from tests.display.rig import Desktop
from tests.fakes.far_backend import VK_SHIFT, FarEnd, far_end

LIMIT_MS = 100
LONG = TypeText(text="for ever " * 100_000)


@pytest.fixture
async def far(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FarEnd]:
    async with far_end(tmp_path_factory.mktemp("far"), monkeypatch) as made:
        yield made


@asynccontextmanager
async def browsing(desktop: Desktop, far: FarEnd) -> AsyncIterator[Acting]:
    """Armed for a browser with a window on this desktop, and typing."""
    async with guarded(desktop) as acting:
        acting.target = BrowserTarget(spec="browser", title="Browser", display=desktop.name, address=far.address)
        await acting.guard.arm(session="s", target=acting.target)
        await acting.do(KeyDown(key=Key("shift")))
        typing = asyncio.ensure_future(acting.do(LONG))
        await far.until(lambda: len(far.inputs) > 60)
        yield acting
        assert (await typing).result is ActResult.STOPPED
        await far.until(lambda: far.gone == 1)


async def test_the_chord_stops_it_and_neither_keys_nor_map_of_the_desktop_are_touched(
    desktop: Desktop, far: FarEnd
) -> None:
    await asyncio.to_thread(desktop.xdo, "keydown", str(VK_SHIFT))  # the key that has this keycode here
    before = desktop.keyboard_mapping()
    async with browsing(desktop, far) as acting:
        assert [(each["display"], each["speaks_x"]) for each in far.hellos] == [(None, [])]
        await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
        report = await acting.ears.stopped()
    assert (report.reason, report.released_keys) == (StopCause.HOTKEY, 1)
    assert report.press_to_last_event_ms is not None
    assert report.press_to_last_event_ms <= LIMIT_MS
    assert desktop.keys_down() == [VK_SHIFT]
    assert desktop.keyboard_mapping() == before
    assert not latch.path_of(desktop.name, "ledger").exists()
    await asyncio.to_thread(desktop.xdo, "keyup", str(VK_SHIFT))


async def test_a_corner_of_the_desktop_stops_it(desktop: Desktop, far: FarEnd) -> None:
    async with browsing(desktop, far) as acting:
        await asyncio.to_thread(desktop.xdo, "mousemove", "0", "0")
        assert (await acting.ears.stopped()).reason is StopCause.CORNER


async def test_it_locks_the_desktop_for_others_until_it_is_reset(desktop: Desktop, far: FarEnd) -> None:
    async with guarded(desktop) as other, browsing(desktop, far) as acting:
        with pytest.raises(OperatorError, match="Another console is using this display"):
            await other.guard.arm(session="t", target=monitor(desktop))
        await acting.guard.stop(StopCause.BUTTON)
        assert latch.read_file(desktop.name).displays == (desktop.name,)
    assert (await asyncio.to_thread(latch.reset, desktop.name)).state is LatchState.IDLE
