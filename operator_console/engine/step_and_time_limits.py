"""Steps, minutes, tokens and denials of a session, and their limits. Time spent waiting for a human does not count."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Usage
from operator_console.domain.requests import SessionRequest
from operator_console.engine.ports import Clock

DENIALS_IN_A_ROW = 3
DENIALS_IN_ALL = 20


class Meter:
    """Counts what one session uses.

    Attributes:
        steps: turns that the model has answered.
        usage: tokens so far.
        unanswered: consecutive questions that nobody could answer.
    """

    def __init__(self, request: SessionRequest, clock: Clock) -> None:
        self._clock = clock
        self._request = request
        self._max_steps = request.max_steps
        self._max_s = request.max_minutes * 60
        self._started_s = clock.monotonic()
        self._human_s = 0.0
        self._waiting_since_s: float | None = None
        self._denied_in_a_row = 0
        self._denied_since_pause = 0
        self.steps = 0
        self.usage = Usage()
        self.unanswered = 0

    @property
    def elapsed_s(self) -> float:
        """Time since the start, including waiting for a human."""
        return self._clock.monotonic() - self._started_s

    @property
    def working_s(self) -> float:
        """Time since the start, without waiting for a human."""
        waiting = 0.0 if self._waiting_since_s is None else self._clock.monotonic() - self._waiting_since_s
        return self.elapsed_s - self._human_s - waiting

    def human_begins(self) -> None:
        """Waiting for a human begins."""
        if self._waiting_since_s is None:
            self._waiting_since_s = self._clock.monotonic()

    def human_ends(self) -> None:
        """Waiting for a human ends."""
        if self._waiting_since_s is not None:
            self._human_s += self._clock.monotonic() - self._waiting_since_s
            self._waiting_since_s = None

    def answered(self, usage: Usage) -> None:
        """Count a turn that the model answered."""
        self.steps += 1
        self.usage = replace(
            self.usage,
            input_tokens=self.usage.input_tokens + usage.input_tokens,
            output_tokens=self.usage.output_tokens + usage.output_tokens,
            cached_tokens=self.usage.cached_tokens + usage.cached_tokens,
            thought_tokens=self.usage.thought_tokens + usage.thought_tokens,
        )

    def limit(self) -> str:
        """The limit that is reached, as a sentence; "" for none."""
        if self.steps >= self._max_steps:
            return notice(NoticeCode.STEP_LIMIT_REACHED, count=self.steps)
        if self.working_s >= self._max_s:
            return notice(NoticeCode.TIME_LIMIT_REACHED, minutes=self._max_s / 60)
        return ""

    def extend(self) -> None:
        """Extend the limit that is reached by its original amount."""
        if self.steps >= self._max_steps:
            self._max_steps = self.steps + self._request.max_steps
        if self.working_s >= self._max_s:
            self._max_s = self.working_s + self._request.max_minutes * 60

    def denied(self) -> None:
        """Count a call that was declined."""
        self._denied_in_a_row += 1
        self._denied_since_pause += 1

    def performed(self) -> None:
        """An action was carried out: reset the consecutive counts."""
        self._denied_in_a_row = 0
        self.unanswered = 0

    def denials(self) -> str:
        """A sentence where too many calls were declined, which resets the counts; else ""."""
        if self._denied_in_a_row < DENIALS_IN_A_ROW and self._denied_since_pause < DENIALS_IN_ALL:
            return ""
        in_a_row = self._denied_in_a_row >= DENIALS_IN_A_ROW
        count = self._denied_in_a_row if in_a_row else self._denied_since_pause
        self._denied_in_a_row = self._denied_since_pause = 0
        return notice(NoticeCode.CALLS_DECLINED_IN_A_ROW if in_a_row else NoticeCode.CALLS_DECLINED, count=count)
