"""Applications that offer a socket of their own are called past the bus."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.perception.accessibility.atspi.connection import BusConnection, Call, DirectCalls, Failure
from operator_console.perception.accessibility.atspi.vocabulary import ACCESSIBLE, REGISTRY
from tests.perception.accessibility.fake_bus import BUTTON, FRAME, App, FakeBus, Widget

METHOD = "GetRole"


@dataclass
class Reached:
    """A bus with an application, the application's own socket, and calls to it; `pid` is what the bus says."""

    folder: Path
    pid: int = 0

    async def __aenter__(self) -> Reached:
        self.app = App(pid=self.pid or os.getpid(), windows=[Widget(FRAME, "Diary", children=[Widget(BUTTON, "Go")])])
        (self.folder / "own").mkdir()
        self.bus, self.own = FakeBus([self.app]), FakeBus()
        self.own.add(self.app)
        self.app.address = await self.own.serve(self.folder / "own")
        self.connection = await BusConnection.connect(await self.bus.serve(self.folder))
        self.calls = DirectCalls(self.connection)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.calls.close()
        self.connection.close()
        await self.own.close()
        await self.bus.close()

    async def roles(self, count: int = 1) -> list[object]:
        window = self.app.windows[0]
        call = Call(*window.ref, ACCESSIBLE, METHOD)
        return list(await self.calls.ask([call] * count, time.monotonic() + 5))

    async def dialled(self) -> None:
        for task in [*self.calls._dialling]:
            await task


@pytest.fixture
async def reached(tmp_path: Path) -> AsyncIterator[Reached]:
    async with Reached(tmp_path) as made:
        yield made


async def test_the_first_calls_go_over_the_bus_and_later_ones_past_it(reached: Reached) -> None:
    assert await reached.roles(2) == [(FRAME,), (FRAME,)]
    await reached.dialled()
    assert (reached.bus.asked[METHOD], reached.own.asked[METHOD]) == (2, 0)
    assert await reached.roles(3) == [(FRAME,)] * 3
    assert (reached.bus.asked[METHOD], reached.own.asked[METHOD]) == (2, 3)


async def test_answers_keep_the_order_of_calls_that_go_different_ways(reached: Reached) -> None:
    await reached.roles()
    await reached.dialled()
    window = reached.app.windows[0]
    registry = Call(*REGISTRY, ACCESSIBLE, "GetChildren")
    found = await reached.calls.ask([Call(*window.ref, ACCESSIBLE, METHOD), registry] * 2, time.monotonic() + 5)
    assert found == [(FRAME,), ([reached.app.root.ref],)] * 2
    assert reached.own.asked[METHOD] == 2


async def test_a_socket_of_another_process_is_not_used(tmp_path: Path) -> None:
    async with Reached(tmp_path, pid=os.getppid()) as reached:
        await reached.roles()
        await reached.dialled()
        await reached.roles()
        assert (reached.bus.asked[METHOD], reached.own.asked[METHOD]) == (2, 0)


async def test_an_application_that_offers_no_socket_is_called_over_the_bus(reached: Reached) -> None:
    reached.app.address = ""
    await reached.roles()
    await reached.dialled()
    assert await reached.roles() == [(FRAME,)]
    assert reached.bus.asked[METHOD] == 2


async def test_after_a_socket_was_closed_the_application_is_called_over_the_bus_again(reached: Reached) -> None:
    await reached.roles()
    await reached.dialled()
    reached.own.frozen.add(reached.app.pid)
    reached.own.hang_up()
    assert await reached.roles() in ([Failure.NO_REPLY], [(FRAME,)])
    assert await reached.roles() == [(FRAME,)]
    assert reached.bus.asked[METHOD] >= 2
