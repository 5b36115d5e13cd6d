"""The marks of a target's Test: how they look, and what their window or page received. Free of Qt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operator_console.domain.geometry import Size
from operator_console.practice.event_log import Hit, Received, parse_line

COLOURS = (0xD6006E, 0x00814F, 0x6A1FD0)
"""Of the marks, as 0xRRGGBB; the shipped page has the same."""
ARM, THICK = 20, 3
"""How far a mark, a cross, reaches from its middle pixel, and how thick it is, in pixels."""
WINDOW = Size(420, 240)
"""The window, in logical pixels."""
PAGE = ("browser", "target_test.html")
"""The page, as parts of the path of a shipped file."""
PAGE_TITLE = "Target test "
"""What the title of the page begins with; what was received follows as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the marks' window or page has received.

    Attributes:
        hits: the distance of each press from the middle of the nearest mark, in pixels of the picture, by the mark.
        text: the beginning of what stands in its field.
        length: how many characters stand there.
        held: how many keys are down.
        at_s: `time.time()` of the last character or key; 0 before it.
    """

    hits: dict[int, tuple[int, int]]
    text: str = ""
    length: int = 0
    held: int = 0
    at_s: float = 0.0


def seen_in_log(log: Path) -> Seen:
    """What the window has received so far. Blocking."""
    hits: dict[int, tuple[int, int]] = {}
    last = Received(text="", length=0, held=0, at_s=0.0)
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True) if log.exists() else []
    whole = [each for each in lines if each.endswith("\n")]
    received = next((each for each in reversed(whole) if '"received"' in each), "")
    for each in filter(None, (*(each for each in whole if '"hit"' in each), received)):
        event = parse_line(each)
        if isinstance(event, Hit):
            hits[event.mark] = (event.dx, event.dy)
        elif isinstance(event, Received):
            last = event
    return Seen(hits=hits, text=last.text, length=last.length, held=last.held, at_s=last.at_s)


def seen_in_title(title: str) -> Seen | None:
    """What the page with this title has received; None for another page."""
    if not title.startswith(PAGE_TITLE):
        return None
    try:
        told: dict[str, Any] = json.loads(title.removeprefix(PAGE_TITLE))
        return Seen(
            hits={int(mark): (int(dx), int(dy)) for mark, dx, dy in told["hits"]}, text=str(told["text"]),
            length=int(told["length"]), held=int(told["held"]), at_s=float(told["at"]) / 1000,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return None
