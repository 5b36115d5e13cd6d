"""Why a session pauses or stops, and what the guard reports about stops.

Imports no other values, so that the guard starts fast; and no `typing`, so that `stop` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PauseCause(StrEnum):
    """Why a session paused."""

    HUMAN = "human"
    HOTKEY = "hotkey"
    SCREEN_LOCK = "screen_lock"
    LEASE = "lease"
    STOP_NOT_LIVE = "stop_not_live"
    SUSPEND = "suspend"
    LAPSED_QUESTION = "lapsed_question"
    PROVIDER_BLOCKED = "provider_blocked"
    TARGET = "target"
    LIMIT = "limit"
    RECORD = "record"
    HAND = "hand"
    HOLD = "hold"


class WaitsFor(StrEnum):
    """What else keeps a session from acting, for `status`."""

    ANSWER = "question"
    HAND_BACK = "handed_over"


class StopCause(StrEnum):
    """What stopped the session. resources/help/safety.md says what a stop does."""

    HOTKEY = "hotkey"
    BUTTON = "button"
    COMMAND = "command"
    CORNER = "corner"
    LAPSE = "lapse"
    DISPLAY_LOST = "display_lost"
    CONSOLE_DIED = "console_died"
    STOP_NOT_LIVE = "stop_not_live"
    INTERRUPT = "interrupt"
    GUARD_DIED = "guard_died"
    CARD = "card"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """How the guard stopped the session; the engine makes the Stopped event of it."""

    reason: StopCause
    detail: str = ""
    latched: bool = True
    released_keys: int = 0
    released_buttons: int = 0
    press_to_last_event_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopLiveness:
    """Whether pressing the stop chord would stop now.

    Attributes:
        live: it would.
        detail: why not.
        proven_s: time.monotonic() of the last successful test.
        viewed: x11vnc shows the display elsewhere. What is done there comes as a program's input.
    """

    live: bool
    detail: str = ""
    proven_s: float | None = None
    viewed: bool = False
