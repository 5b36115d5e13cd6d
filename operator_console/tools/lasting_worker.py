"""A worker process that answers many requests, whose group the guard kills at a stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from operator_console.tools.killable_groups import KillableGroups
from operator_console.tools.worker_process import WorkerProcess, start_worker


class LastingWorker:
    """One process at a time. It is ended when an answer fails, or when the caller is cancelled.

    Args:
        module: The worker's module.
        environment: The environment of the process.
        killable: Tells the guard which processes to kill.
        close_timeout_s: How long a process may take to end when it is asked to.
        heard: Is given each answer.

    Attributes:
        in_use: Held by the caller while it asks.
    """

    def __init__(
        self,
        module: str,
        environment: Mapping[str, str],
        killable: KillableGroups,
        *,
        close_timeout_s: float,
        heard: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ) -> None:
        self.in_use = asyncio.Lock()
        self._module = module
        self._environment = environment
        self._killable = killable
        self._close_timeout_s = close_timeout_s
        self._heard = heard
        self._process: WorkerProcess | None = None

    @property
    def runs(self) -> bool:
        """Whether there is a process that can be asked."""
        return self._process is not None

    async def start(self) -> None:
        """Start a process in place of the one before. Raises OperatorError if the guard would not kill it."""
        await self.end()
        self._process = await start_worker(self._module, self._environment)
        try:
            await self._killable.add(self._process.group)
        except BaseException:
            await self.end()
            raise

    async def ask(self, request: Mapping[str, object], timeout_s: float) -> dict[str, Any]:
        """The answer, as of `WorkerProcess.ask`; the process is ended unless it can be asked again."""
        assert self._process is not None
        answer: dict[str, Any] = {"unusable": True}
        try:
            answer = await asyncio.to_thread(self._process.ask, request, timeout_s)
            self._heard(answer)
            return answer
        finally:
            if answer.get("unusable") or answer.get("killed"):
                await self.end()

    async def close(self) -> None:
        """Ask a process that waits to end, then kill it."""
        if self.runs and not self.in_use.locked():
            async with self.in_use:
                await self.ask({"do": "close"}, self._close_timeout_s)
        await self.end()

    async def end(self) -> None:
        """Kill the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        await self._killable.remove(process.group)
        await asyncio.to_thread(process.close)
