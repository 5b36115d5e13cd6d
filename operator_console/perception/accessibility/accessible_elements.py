"""`AccessibleElements`: asks applications for their accessible elements. Implements `engine.ports.Elements`.

The asking is done by a process of its own, started at `start` or the first query and again after it died, so that no
application delays the event loop. Answers are kept by frame.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from operator_console.domain.elements import Element, Exposure
from operator_console.domain.environment import without_keys
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hidden_areas import UNTOLD, HiddenArea
from operator_console.perception.accessibility.messages import (
    ElementsReply,
    ElementsRequest,
    Query,
    scene_of,
)
from operator_console.perception.child_process import ChildDied, ChildProcess

WORKER_MODULE = "operator_console.perception.accessibility.atspi.worker"
AT_BUDGET_S, PER_POINT_S = 0.15, 0.03
ACTIONABLE_BUDGET_S = 0.5
UNHURRIED_BUDGET_S = 3.5
"""LibreOffice takes up to three seconds to tell the focus soon after its start, and half a second later."""
_TRANSFER_S = 0.1
_MOST_PASSWORDS = 50
_GRACE_S = 3.0
_KEPT, _KEPT_S = 64, 2.0
"""How many answers are kept for their frames, and how long: applications may come to tell other elements while the
picture stays the same, as a browser that is still loading does, or a new window that looks like one before."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessibilityOptions:
    """How elements are asked for.

    Attributes:
        run_folder: where it is noted what was switched on in the session.
        switch_on: whether accessibility is switched on in the session while the process runs.
        bus_address: the accessibility bus of the target's display, "" to ask the session for it. May block.
        only_bus: the only bus to ask, of a target that has no part in the person's session; "" for none such.
        own_pids: the console's processes, which are never answered.
    """

    run_folder: Path
    switch_on: bool = True
    bus_address: Callable[[], str] = str
    only_bus: str = ""
    own_pids: Callable[[], Collection[int]] = frozenset


class AccessibleElements:
    """Accessible elements, with the process that asks for them. Use from one event loop; `close` it at the end."""

    def __init__(self, options: AccessibilityOptions) -> None:
        self._options = options
        self._process = ChildProcess(
            "accessible elements", ElementsReply, self._arguments, self._environment(), grace_s=_GRACE_S
        )
        self._kept = _Recent[tuple[object, ...], ElementsReply](_KEPT)
        self._elements_at = _Recent[tuple[str, NativePoint], Element | None](8 * _KEPT)

    @property
    def pid(self) -> int | None:
        """ID of the running process, None if there is none."""
        return self._process.pid

    @property
    def switches_on(self) -> bool:
        """Whether accessibility is on in the desktop session while the process runs; it needs the session's D-Bus."""
        wanted = self._options.switch_on and not self._options.only_bus
        return wanted and os.environ.get("DBUS_SESSION_BUS_ADDRESS", "").startswith("unix:")

    async def start(self) -> None:
        """Start the process and switch accessibility on, so that applications can prepare before the first query."""
        with contextlib.suppress(ChildDied):
            await self._process.start()

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The control at each point, in order; None where none is known in 150 ms (30 ms more for each further point).

        That is the deepest element, or the control that it is a part of (a button for the text on it).
        """
        kept = self._elements_at.among((frame.frame_id, point) for point in points)
        known = {point: element for (_, point), element in kept.items()}
        unknown = tuple(dict.fromkeys(p for p in points if p not in known))
        if unknown:
            budget_s = min(AT_BUDGET_S + PER_POINT_S * (len(unknown) - 1), ACTIONABLE_BUDGET_S)
            reply = await self._ask(frame, Query.AT, budget_s, points=unknown)
            if reply is not None:
                found = dict(zip(unknown, reply.elements, strict=True))
                known |= found
                if reply.complete:
                    self._elements_at.add({(frame.frame_id, point): element for point, element in found.items()})
        return [known.get(p) for p in points]

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        """The element with the keyboard focus in the frame's focused window; None where none is known in 150 ms, or
        `unhurried` in 3.5 s."""
        reply = await self._once(frame, Query.FOCUSED, UNHURRIED_BUDGET_S if unhurried else AT_BUDGET_S)
        return reply.elements[0] if reply is not None and reply.elements else None

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """What can be typed into in the frame's focused window: those that are known in 500 ms."""
        return await self._list(frame, Query.FIELDS, limit)

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """Controls of the target that can be seen, windows from the top, each in reading order; those known in 500 ms.

        They tell what they are themselves, not what is in and around them (text, dialog, group, address of the page).
        """
        return await self._list(frame, Query.ACTIONABLE, limit)

    async def visible(self, frame: Frame, limit: int = 1_000) -> Sequence[Element]:
        """As `actionable`, with the texts, lists and dialogs of the target; those known in 500 ms."""
        return await self._list(frame, Query.READABLE, limit)

    async def listed(self, frame: Frame, limit: int = 1_000) -> Sequence[Element]:
        """As `visible`, but in less time: texts that are only read tell no more than role, name, states and box.

        The list that was given of the same frame is given again where the applications say that it still holds.
        """
        return await self._list(frame, Query.LISTED, limit)

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        """Where the target shows fields for passwords; None where nobody tells.

        Of an application that has answered before, and now does not within this many seconds, the windows as `UNTOLD`.
        One that has never answered is waited for 500 ms.
        """
        reply = await self._once(frame, Query.PASSWORDS, within_s, _MOST_PASSWORDS)
        if reply is None:
            return None
        fields = [HiddenArea(box=element.box) for element in reply.elements if element is not None]
        silent = [each.info for each in frame.stack or () if each.info.window_id in reply.silent]
        if not (reply.complete or silent):
            return None
        boxes = [(info.window_id, frame.geometry.rect_from_screen(info.rect)) for info in silent]
        return [*fields, *(HiddenArea(box=box, label=UNTOLD, window_id=window_id) for window_id, box in boxes)]

    async def exposure(self, frame: Frame) -> Exposure:
        """What the application of the frame's focused window tells."""
        reply = await self._once(frame, Query.EXPOSURE, AT_BUDGET_S)
        return reply.exposure if reply is not None and reply.exposure is not None else Exposure.NO_SERVICE

    async def close(self) -> None:
        """End the process by closing its input, which lets it put back what it switched on; kill it if it hangs."""
        await self._process.close()

    async def _list(self, frame: Frame, query: Query, limit: int) -> Sequence[Element]:
        reply = await self._once(frame, query, ACTIONABLE_BUDGET_S, limit)
        return [] if reply is None else [element for element in reply.elements if element is not None]

    async def _once(self, frame: Frame, query: Query, budget_s: float, limit: int = 0) -> ElementsReply | None:
        """The reply to a query, kept for its frame for a moment if it is complete."""
        key = (frame.frame_id, query, limit, frame.focus.window_id if frame.focus is not None else None)
        kept = self._kept.among((key,)).get(key)
        if kept is not None and query is not Query.LISTED:
            return kept
        reply = await self._ask(frame, query, budget_s, limit=limit, known=kept.job if kept is not None else 0)
        if reply is not None and reply.same:
            return kept
        if reply is not None and reply.complete:
            self._kept.add({key: reply})
        return reply

    async def _ask(
        self, frame: Frame, query: Query, budget_s: float, *, points: tuple[NativePoint, ...] = (), limit: int = 0,
        known: int = 0,
    ) -> ElementsReply | None:  # fmt: skip
        """The reply of the process; None where there is none in time."""
        job = self._process.new_job()
        scene = scene_of(frame, frozenset(self._options.own_pids()))
        request = ElementsRequest(
            job=job, query=query, budget_s=budget_s, scene=scene, points=points, limit=limit, known=known
        )
        try:
            async with asyncio.timeout(budget_s + _TRANSFER_S):
                return await self._process.ask(job, request)
        except (TimeoutError, ChildDied):
            return None

    def _arguments(self) -> list[str]:
        options = self._options
        arguments = ["--run-folder", str(options.run_folder), "--address", options.only_bus or options.bus_address()]
        return ["-m", WORKER_MODULE, *arguments, *(["--switch-on"] if options.switch_on else [])]

    def _environment(self) -> dict[str, str]:
        """Without a session bus where only one bus may be asked: what is not there is neither asked nor switched on."""
        environment = without_keys(os.environ)
        if self._options.only_bus:
            environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
            environment["AT_SPI_BUS_ADDRESS"] = self._options.only_bus
        return environment


class _Recent(Generic[K, V]):
    """Keeps as many of the newest entries as there is room for, each for `_KEPT_S`."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._entries: OrderedDict[K, tuple[float, V]] = OrderedDict()

    def add(self, entries: Mapping[K, V]) -> None:
        now_s = time.monotonic()
        for key, value in entries.items():
            self._entries.pop(key, None)
            self._entries[key] = now_s, value
        while len(self._entries) > self._room:
            self._entries.popitem(last=False)

    def among(self, keys: Iterable[K]) -> dict[K, V]:
        """Those of the keys that are kept, with their values."""
        oldest_s = time.monotonic() - _KEPT_S
        found = ((key, self._entries.get(key)) for key in keys)
        return {key: entry[1] for key, entry in found if entry is not None and entry[0] > oldest_s}
