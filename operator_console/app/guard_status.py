"""The guard's status as one value, with notification of each change.

A guard that dies while no session runs is restarted. One that dies during a session stops it, and is restarted by the
human's reset.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from operator_console.app.services import Services
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import ConsoleError
from operator_console.domain.guard_times import PROBE_EVERY_S
from operator_console.domain.hotkeys import chord_words
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.ui.backend import Elsewhere, GuardStatus, Latch

LOOK_S = 0.5
"""Interval of the liveness check: the guard client updates it silently with each message."""

AGAIN_S = 10.0
"""Delay before another attempt to start the guard."""

_log = logging.getLogger(__name__)


class GuardView:
    """Watches the guard from the window's loop until `close`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._hearers: list[Callable[[GuardStatus], None]] = []
        self._reviving: asyncio.Task[None] | None = None
        self._trouble = ""
        self._told = self.status
        self._unwatch = services.guard.watch(lambda _status: self.refresh())
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look)

    @property
    def status(self) -> GuardStatus:
        """As last heard."""
        hotkeys, heard = self._services.settings.hotkeys, self._services.display != NO_DISPLAY
        return GuardStatus(
            liveness=self._liveness(),
            latch=_latch(self._services.guard.status),
            elsewhere=_elsewhere(self._services.guard.elsewhere),
            human_input_s=self._services.guard.human_input_s,
            devices_told=self._services.guard.devices_told,
            stop_chord=chord_words(hotkeys.stop) if heard else "",
            pause_chord=chord_words(hotkeys.pause) if heard else "",
            approve_chord=chord_words(hotkeys.approve) if heard else "",
        )

    def subscribe(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        """Call `hear` at each change; the returned callable unsubscribes."""
        self._hearers.append(hear)
        return lambda: self._hearers.remove(hear) if hear in self._hearers else None

    def refresh(self) -> None:
        """Notify the subscribers if the status changed."""
        status = self.status
        if status != self._told:
            self._told = status
            for hear in tuple(self._hearers):
                hear(status)

    async def close(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        self._unwatch()
        await self._revive_no_longer()

    async def revive(self) -> None:
        """After a reset: start a new guard if it died. Raises OperatorError."""
        await self._revive_no_longer()
        if not self._services.guard.running:
            await self._services.guard.start()
        self.refresh()

    async def restart(self, hotkeys: tuple[str, str, str]) -> None:
        """Listen for other chords from now on; only while nothing runs. Raises OperatorError."""
        await self._revive_no_longer()
        work = asyncio.get_running_loop().create_task(self._services.guard.restart(hotkeys), name="other hotkeys")
        self._reviving = work  # so that no other guard is started meanwhile
        try:
            await asyncio.shield(work)
        finally:
            self._reviving = None
            self.refresh()

    async def _revive_no_longer(self) -> None:
        if self._reviving is not None:
            self._reviving.cancel()
            await asyncio.wait({self._reviving})

    def _liveness(self) -> StopLiveness:
        guard = self._services.guard
        if guard.running and (guard.liveness.live or guard.status.state is not LatchState.IDLE):
            return guard.liveness
        if guard.running:
            again = f"The stop is tested again every {PROBE_EVERY_S:g} seconds."
        elif _latch(guard.status) is not None:
            again = "Reset restarts it."
        else:
            again = self._trouble or "It is being restarted."
        return replace(guard.liveness, detail=f"{guard.liveness.detail} {again}".strip())

    def _look(self) -> None:
        self.refresh()
        guard = self._services.guard
        if self._reviving is None and not guard.running and _latch(guard.status) is None:
            self._reviving = asyncio.get_running_loop().create_task(self._start_another(), name="another guard")
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look)

    async def _start_another(self) -> None:
        _log.warning("the guard ended while nothing ran; starting another")
        try:
            await self._services.guard.start()
            self._trouble = ""
        except ConsoleError as error:
            _log.warning("no new guard: %s", error)
            self._trouble = f"It could not be restarted ({error}); trying again."
            self.refresh()
            await asyncio.sleep(AGAIN_S)
        finally:
            self._reviving = None
            self.refresh()


def _elsewhere(status: LatchStatus | None) -> Elsewhere | None:
    if status is None:
        return None
    paused = status.state is LatchState.PAUSED
    return Elsewhere(pid=status.console_pid, since=status.since, paused=paused, record=Path(status.session).name)


def _latch(status: LatchStatus) -> Latch | None:
    if status.state is not LatchState.STOPPED:
        return None
    known = {cause.value for cause in StopCause}
    reason = StopCause(status.reason) if status.reason in known else None
    return Latch(reason=reason, detail=status.detail, since=status.since)
