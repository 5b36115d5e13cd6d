"""The StopListener of a person who has no display: no keys are heard and there are no corners.

A stop comes from a terminal then (`operator-console stop`). It is "live" only if the last test of the socket where
terminals reach this guard was answered: this process connects to it as a terminal does.
"""

from __future__ import annotations

import asyncio
import json
import os
import time

from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import StopLiveness
from operator_console.guard import latch
from operator_console.guard.corners import Corners
from operator_console.guard.protocols import ListenerCalls
from operator_console.private_files import short_path

_ANSWER_S = 1.0


class ListenerWithoutDisplay:
    """Created on the guard's loop; the guard's own TerminalSocket must be open when it is proven."""

    probe_keycode = 0
    drained_ns = 0
    human_input_s = 0.0
    tells_devices = False

    def hear_hold(self, key: str) -> None:
        """There are no keys."""

    def __init__(self, calls: ListenerCalls) -> None:
        self._calls = calls
        self._socket = latch.path_of(NO_DISPLAY, f"{os.getpid()}.sock")
        self._liveness = StopLiveness(live=False, detail=notice(NoticeCode.STOP_NOT_TESTED))

    @property
    def liveness(self) -> StopLiveness:
        """Result of the last test or check."""
        return self._liveness

    async def prove(self) -> StopLiveness:
        """Ask this guard for its status as a terminal does."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._ask()
        except (OSError, ValueError) as error:  # a TimeoutError is an OSError
            return self._not_reached(error)
        detail = notice(NoticeCode.STOP_WITHOUT_DISPLAY)
        return self._set(StopLiveness(live=True, detail=detail, proven_s=time.monotonic()))

    def check_alive(self) -> None:
        """Without its file the socket is reached by no terminal."""
        if self._liveness.live:
            try:
                self._socket.stat()
            except OSError as error:
                self._not_reached(error)

    def watch_corners(self) -> Corners:
        """None, for ever."""
        return Corners(())

    def close(self) -> None:
        """Nothing is open."""

    def _not_reached(self, error: Exception) -> StopLiveness:
        detail = notice(NoticeCode.STOP_COMMAND_NOT_HEARD, error=str(error) or repr(error))
        return self._set(StopLiveness(live=False, detail=detail, proven_s=self._liveness.proven_s))

    def _set(self, liveness: StopLiveness) -> StopLiveness:
        self._liveness = liveness
        self._calls.liveness(liveness)
        return liveness

    async def _ask(self) -> None:
        """Raises OSError or ValueError unless this guard answers."""
        with short_path(self._socket) as name:
            reader, writer = await asyncio.open_unix_connection(name)
        try:
            writer.write(b'{"do": "status"}\n')
            json.loads(await reader.readline())
        finally:
            writer.close()
