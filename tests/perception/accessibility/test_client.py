"""`AccessibleElements` with a real process of its own, on a bus whose applications are values."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.elements import Element, Exposure
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.ports import Elements
from operator_console.perception import child_process
from operator_console.perception.accessibility import accessible_elements
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.perception.accessibility.messages import ElementsReply, Query
from tests.display.rig import process_alive, wait_until
from tests.perception.accessibility.fake_bus import BUTTON, FRAME, App, FakeBus, Widget
from tests.perception.accessibility.scenes import frame, window

PID = 5_000_001
PLACE = Rect(0, 0, 400, 300)
SHOWN = frame([window(1, PID, PLACE, "Diary")])
NEXT = frame([window(1, PID, PLACE, "Diary")], frame_id="next")
LONGEST = 1 << 16


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncIterator[FakeBus]:
    go = Widget(BUTTON, "Go", (0, 0, 200, 300))
    made = FakeBus([App(pid=PID, windows=[Widget(FRAME, "Diary", (0, 0, 400, 300), [go])])])
    yield made
    await made.close()


@pytest.fixture
async def elements(bus: FakeBus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AccessibleElements]:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    address = await bus.serve(tmp_path)
    made = AccessibleElements(AccessibilityOptions(run_folder=tmp_path / "run", bus_address=lambda: address))
    yield made
    await made.close()


async def at(elements: Elements, shown: Frame, x: int, y: int) -> Element:
    """Asked again until its process has started."""
    async with asyncio.timeout(30):
        while True:
            (found,) = await elements.at(shown, [NativePoint(x, y)])
            if found is not None:
                return found


async def test_answers_are_kept_for_their_frame(bus: FakeBus, elements: AccessibleElements) -> None:
    assert (await at(elements, SHOWN, 5, 5)).name == "Go"
    asked = bus.asked.total()
    assert (await at(elements, SHOWN, 5, 5)).name == "Go"
    assert bus.asked.total() == asked
    await at(elements, frame([window(1, PID, PLACE, "Diary")], frame_id="next"), 5, 5)
    assert bus.asked.total() > asked


async def test_kept_answers_grow_old(elements: AccessibleElements, monkeypatch: pytest.MonkeyPatch) -> None:
    await at(elements, SHOWN, 5, 5)
    await elements.actionable(SHOWN)
    asked: list[Query] = []
    ask = elements._ask

    async def counted(shown: Frame, query: Query, *args: Any, **options: Any) -> ElementsReply | None:
        asked.append(query)
        return await ask(shown, query, *args, **options)

    monkeypatch.setattr(elements, "_ask", counted)
    await at(elements, SHOWN, 5, 5)
    await elements.actionable(SHOWN)
    assert asked == []
    monkeypatch.setattr(accessible_elements, "_KEPT_S", 0.0)
    await at(elements, SHOWN, 5, 5)
    await elements.actionable(SHOWN)
    assert asked == [Query.AT, Query.ACTIONABLE]


async def test_a_list_of_the_same_frame_is_given_again_as_long_as_it_holds(
    bus: FakeBus, elements: AccessibleElements
) -> None:
    await at(elements, SHOWN, 5, 5)
    (first,), (again,) = await elements.listed(SHOWN), await elements.listed(SHOWN)
    assert again is first
    (go,) = bus.widgets("Go")
    go.states = ()
    assert await elements.listed(SHOWN) == []


async def test_points_are_answered_in_order(elements: AccessibleElements) -> None:
    await at(elements, SHOWN, 5, 5)
    found = await elements.at(SHOWN, [NativePoint(300, 5), NativePoint(5, 5), NativePoint(700, 500)])
    assert [each and each.name for each in found] == ["Diary", "Go", None]


async def test_queries_during_one_start_share_the_process(elements: AccessibleElements) -> None:
    await asyncio.gather(*(elements.actionable(SHOWN) for _ in range(3)), elements.exposure(SHOWN))
    first = elements.pid
    await at(elements, SHOWN, 5, 5)
    assert elements.pid == first


async def test_a_killed_process_is_replaced_and_its_query_is_unknown(elements: AccessibleElements) -> None:
    await at(elements, SHOWN, 5, 5)
    first = elements.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not process_alive(first), "the process to end")
    assert (await at(elements, frame([window(1, PID, PLACE, "Diary")], frame_id="next"), 5, 5)).name == "Go"
    assert elements.pid != first


BAD_REPLIES = (b"not JSON", b'{"job": "one"}', b"\xff", b"x" * 3 * LONGEST)


@pytest.mark.parametrize("bad", BAD_REPLIES, ids=["no JSON", "no reply", "no text", "too long"])
async def test_queries_after_an_unreadable_reply_are_answered(
    elements: AccessibleElements, monkeypatch: pytest.MonkeyPatch, bad: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_process, "LONGEST_LINE", LONGEST)
    await at(elements, SHOWN, 5, 5)
    first = elements.pid
    process = elements._process._process
    assert process is not None
    assert process.stdout is not None
    process.stdout.feed_data(bad + b"\n")  # as if the process had written it
    assert (await at(elements, NEXT, 5, 5)).name == "Go"
    assert elements.pid == first
    assert "an unreadable reply" in caplog.text


async def test_a_process_whose_output_has_ended_is_replaced(elements: AccessibleElements) -> None:
    await at(elements, SHOWN, 5, 5)
    process = elements._process._process
    assert process is not None
    assert process.stdout is not None
    process.stdout.feed_eof()
    await elements._process._listeners[0]
    assert process.returncode is None
    assert (await at(elements, NEXT, 5, 5)).name == "Go"
    assert elements.pid != process.pid


async def test_a_process_that_dies_again_and_again_is_given_up(
    elements: AccessibleElements, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accessible_elements, "WORKER_MODULE", "operator_console.no_such_module")
    async with asyncio.timeout(60):
        while len(elements._process._started_s) < child_process.STARTS:
            await elements.actionable(SHOWN)
    wait_until(lambda: elements.pid is None or not process_alive(elements.pid), "the last one to end")
    assert await elements.exposure(SHOWN) is Exposure.NO_SERVICE
    assert await elements.at(SHOWN, [NativePoint(5, 5)]) == [None]
    assert await elements.focused(SHOWN) is None


async def test_without_a_bus_there_is_no_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:")
    monkeypatch.delenv("AT_SPI_BUS_ADDRESS", raising=False)
    alone = AccessibleElements(AccessibilityOptions(run_folder=tmp_path))
    try:
        await alone.start()
        assert await alone.exposure(SHOWN) is Exposure.NO_SERVICE
        assert await alone.actionable(SHOWN) == []
    finally:
        await alone.close()


async def test_closing_ends_the_process(elements: AccessibleElements) -> None:
    await elements.start()
    pid = elements.pid
    assert pid is not None
    await elements.close()
    assert not process_alive(pid)
    assert await elements.at(SHOWN, [NativePoint(5, 5)]) == [None]


@pytest.mark.parametrize(
    ("wanted", "address", "switches"),
    [
        (True, "unix:path=/run/user/1000/bus", True),
        (False, "unix:path=/run/user/1000/bus", False),
        (True, "", False),
        (True, "disabled:", False),
    ],
)
def test_it_says_whether_accessibility_is_switched_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: bool, address: str, switches: bool
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    elements = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, switch_on=wanted))
    assert elements.switches_on is switches
