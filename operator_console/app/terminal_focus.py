"""Gives the terminal of `run` the keyboard focus back that the agent's input took from it.

An approved action activates its target. Without this, the operator's next answer would be typed into the target. A
person who has used a keyboard or mouse since the agent last acted is at work elsewhere and keeps the focus.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from operator_console.desktop.platform import focus_window, has_focus

ANSWERING_S = 0.3
"""Physical input until this long after an answer belongs to it: the Enter key is released after the line is read."""


class TerminalFocus:
    """The focus of one terminal during one session. Call it on the session's loop."""

    def __init__(
        self,
        display: str,
        window_id: int | None,
        human_input_s: Callable[[], float | None],
        *,
        clock: Callable[[], float] = time.monotonic,
        has: Callable[[str, int], bool] = has_focus,
        give: Callable[[str, int], bool] = focus_window,
    ) -> None:
        """
        Args:
            display: the display of the terminal and the target.
            window_id: the terminal's window; None if it is not known.
            human_input_s: when a physical device was last used, by the clock; None: not yet.
            clock: seconds.
            has: whether a window has the focus. Blocking, as is `give`.
            give: gives a window the focus, and returns whether it has it.
        """
        self._display = display
        self._window_id = window_id
        self._human_input_s = human_input_s
        self._clock = clock
        self._has, self._give = has, give
        self._ours = False
        """Whether the terminal had the focus when last seen, and no person was seen to take it away since."""
        self._since_s = clock()
        """Physical input after this time is a person's who is at work elsewhere."""

    async def begin(self) -> None:
        """The session begins."""
        self._since_s = self._clock()
        self._ours = await self._has_it()

    def before_input(self, ours: bool) -> None:
        """The agent is about to act; whether one of the console's windows has the focus."""
        if ours:
            self._ours = True
        elif self._person_came():
            self._ours = False
        self._since_s = max(self._since_s, self._clock())

    def person_came(self) -> None:
        """A person took mouse or keyboard while the agent acted."""
        self._ours = False

    async def before_question(self) -> bool:
        """Give the terminal the focus if the agent took it; whether the terminal has it now."""
        if self._window_id is None:
            return False
        if await self._has_it():
            return True
        if not self._ours or self._person_came():
            return False
        return await asyncio.to_thread(self._give, self._display, self._window_id)

    async def answered(self) -> None:
        """A question was answered in the terminal."""
        self._since_s = self._clock() + ANSWERING_S
        self._ours = await self._has_it()

    async def _has_it(self) -> bool:
        return self._window_id is not None and await asyncio.to_thread(self._has, self._display, self._window_id)

    def _person_came(self) -> bool:
        heard_s = self._human_input_s()
        return heard_s is not None and heard_s > self._since_s
