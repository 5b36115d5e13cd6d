"""When the stop of a person without a display is live: only while a terminal would be answered."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import MagicMock

import pytest

from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import StopLiveness
from operator_console.guard import latch, without_display
from operator_console.guard.protocols import StopListener
from operator_console.guard.server.terminal_socket import TerminalSocket
from operator_console.guard.without_display import ListenerWithoutDisplay


class Terminals:
    """The guard's socket, whose answers may fail to come, and what the listener has reported."""

    def __init__(self) -> None:
        self.hangs = False
        self.told: list[StopLiveness] = []
        self.listener = ListenerWithoutDisplay(MagicMock(liveness=self.told.append))
        self.socket = TerminalSocket(NO_DISPLAY, self._answer)

    async def _answer(self, _: dict[str, Any]) -> dict[str, Any]:
        if self.hangs:
            await asyncio.Event().wait()
        return {"state": "idle"}


@pytest.fixture
async def terminals() -> AsyncIterator[Terminals]:
    made = Terminals()
    yield made
    made.socket.close()


def codes(liveness: StopLiveness) -> list[str]:
    return [each.code for each in notices_of(liveness.detail)]


async def test_it_is_live_once_its_own_socket_has_answered(terminals: Terminals) -> None:
    listener: StopListener = terminals.listener
    assert not listener.liveness.live
    assert (await listener.prove()).live
    assert codes(listener.liveness) == [NoticeCode.STOP_WITHOUT_DISPLAY]
    assert terminals.told == [listener.liveness]
    listener.check_alive()
    assert len(terminals.told) == 1


async def test_it_is_not_live_while_the_socket_does_not_answer(
    terminals: Terminals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(without_display, "_ANSWER_S", 0.05)
    terminals.hangs = True
    assert not (await terminals.listener.prove()).live
    monkeypatch.undo()
    terminals.hangs = False
    assert (await terminals.listener.prove()).live


async def test_it_is_not_live_where_the_socket_cannot_be_found(terminals: Terminals) -> None:
    await terminals.listener.prove()
    latch.path_of(NO_DISPLAY, f"{os.getpid()}.sock").unlink()
    terminals.listener.check_alive()
    assert [each.live for each in terminals.told] == [True, False]
    assert codes(terminals.told[-1]) == [NoticeCode.STOP_COMMAND_NOT_HEARD]
    assert not (await terminals.listener.prove()).live


async def test_it_reports_neither_keys_nor_corners_nor_people(terminals: Terminals) -> None:
    listener: StopListener = terminals.listener
    assert (listener.probe_keycode, listener.drained_ns, listener.human_input_s) == (0, 0, 0.0)
    assert listener.watch_corners().places == frozenset()
    listener.close()
