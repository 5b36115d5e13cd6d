"""The texts of the playback controls."""

from __future__ import annotations

STEP_BACK, STEP_FORWARD = "Step back", "Step forward"
PLAY, PAUSE = "Play", "Pause playback"
PLACE = "Place in the record"
SPEED = "Speed"
TIPS = {
    STEP_BACK: "To the step before (J or Left)",
    STEP_FORWARD: "To the next step (L or Right)",
    PLAY: "Play or pause (K or Space)",
    PLACE: "Home and End: first and last step. Comma and full stop: one event back and on.",
    SPEED: "How fast the record plays; waits are never longer than 1.5 s",
}
START = "Start"


def speed(factor: float) -> str:
    """ "0.5×", "2×"."""
    return f"{factor:g}×"


def step_of(step: int, steps: int) -> str:
    """Which of the record's steps is shown; 0: none yet."""
    if not steps:
        return "No steps"
    return f"Step {step} of {steps}" if step else f"{START} of {steps} steps"
