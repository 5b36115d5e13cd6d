"""How long a runbook waits for what is not on the screen yet, and how often it looks."""

from __future__ import annotations

from operator_console.providers.runbook.language import ExpectStep, Step, WaitStep

PATIENCE_S = 10.0
"""How long a step searches for its text or control. `wait for` names its own time."""
EXPECT_S = 3.0
"""The most that an `expect` searches; what an earlier step did should show by then."""
_PAUSES_S = (0.3, 0.7, 1.0, 2.0)


def search_limit_s(step: Step, patience_s: float) -> float:
    """Seconds that a step searches before the run fails."""
    match step:
        case WaitStep():
            return step.limit_s
        case ExpectStep():
            return min(EXPECT_S, patience_s)
        case _:
            return patience_s


def pause_before_look_s(looks: int) -> float:
    """Seconds from the last of so many looks to the next one."""
    return _PAUSES_S[min(looks, len(_PAUSES_S) - 1)]
