"""What a session has used and how much of it is left: steps, minutes, tokens, denials.

Time that a human was waited for does not count. Plain arithmetic on a clock it is given; called by the loop.
"""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.proposals import Usage
from operator_console.domain.requests import SessionRequest
from operator_console.engine.ports import Clock

DENIALS_IN_A_ROW = 3
DENIALS_IN_ALL = 20


class Meter:
    """Counts one session.

    Attributes:
        steps: turns the model has answered.
        usage: tokens so far.
        unanswered: questions in a row that nobody could answer.
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
        """Since the start, a human's waiting included."""
        return self._clock.monotonic() - self._started_s

    @property
    def working_s(self) -> float:
        """Since the start, without the time a human was waited for."""
        waiting = 0.0 if self._waiting_since_s is None else self._clock.monotonic() - self._waiting_since_s
        return self.elapsed_s - self._human_s - waiting

    def human_begins(self) -> None:
        """From now on a human is waited for."""
        if self._waiting_since_s is None:
            self._waiting_since_s = self._clock.monotonic()

    def human_ends(self) -> None:
        """The human is there again."""
        if self._waiting_since_s is not None:
            self._human_s += self._clock.monotonic() - self._waiting_since_s
            self._waiting_since_s = None

    def answered(self, usage: Usage) -> None:
        """The model answered one turn."""
        self.steps += 1
        self.usage = replace(
            self.usage,
            input_tokens=self.usage.input_tokens + usage.input_tokens,
            output_tokens=self.usage.output_tokens + usage.output_tokens,
            cached_tokens=self.usage.cached_tokens + usage.cached_tokens,
            thought_tokens=self.usage.thought_tokens + usage.thought_tokens,
        )

    def limit(self) -> str:
        """The limit that is reached, in words; "" for none."""
        if self.steps >= self._max_steps:
            return f"{self.steps} steps are done, as many as were allowed."
        if self.working_s >= self._max_s:
            return f"{self._max_s / 60:g} minutes are over, as many as were allowed."
        return ""

    def extend(self) -> None:
        """As much again of the limit that was reached."""
        if self.steps >= self._max_steps:
            self._max_steps = self.steps + self._request.max_steps
        if self.working_s >= self._max_s:
            self._max_s = self.working_s + self._request.max_minutes * 60

    def denied(self) -> None:
        """A human (or nobody) said no to a call."""
        self._denied_in_a_row += 1
        self._denied_since_pause += 1

    def performed(self) -> None:
        """Something was done: the row of denials ends."""
        self._denied_in_a_row = 0
        self.unanswered = 0

    def denials(self) -> str:
        """That there were too many denials, in words; "" where there were not. Saying it starts the count anew."""
        if self._denied_in_a_row < DENIALS_IN_A_ROW and self._denied_since_pause < DENIALS_IN_ALL:
            return ""
        row = self._denied_in_a_row >= DENIALS_IN_A_ROW
        count = self._denied_in_a_row if row else self._denied_since_pause
        self._denied_in_a_row = self._denied_since_pause = 0
        return f"{count} calls {'in a row ' if row else ''}were declined."
