"""The system instruction: our own words from a shipped file, with what the target is put in. Called by session."""

from __future__ import annotations

import functools

from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.resource_files import resource_path

_PLACES = {
    TargetKind.MONITOR: "one monitor of a real computer that its owner uses",
    TargetKind.WINDOW: "one window on a real computer; everything outside it is out of reach",
    TargetKind.VIRTUAL: "an isolated virtual desktop",
    TargetKind.VNC: "a remote computer's screen",
    TargetKind.BROWSER: "a browser that this program manages",
}


def instruction(target: TargetRef) -> str:
    """The instruction for a session on this target. Raises FileNotFoundError for a broken installation."""
    return _text().replace("{place}", _PLACES[target.kind])


@functools.cache
def _text() -> str:
    return resource_path("prompts", "system.md").read_text("utf-8").strip()
