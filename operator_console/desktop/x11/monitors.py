"""The monitors of an X screen, in the order RandR names them (the order of `targets`).

Called by computers/, and by the injector right before it acts. Not here: what they show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One monitor: `number` counts from 1; `rect` in root coordinates, cut to the screen."""

    number: int
    name: str
    rect: Rect
    primary: bool


def screen_rect(display: Display) -> Rect:
    """The whole root window."""
    geometry = display.core.GetGeometry(display.root).reply()
    return Rect(0, 0, geometry.width, geometry.height)


def monitors(display: Display) -> list[Monitor]:
    """Those that show a part of the screen; the whole screen as one where RandR has nothing to say."""
    whole, reported = _reported(display)
    found: list[Monitor] = []
    for rect, each in reported:
        name = bytes(display.core.GetAtomName(each.name).reply().name.buf()).decode("utf-8", "replace")
        found.append(Monitor(number=len(found) + 1, name=name, rect=rect, primary=bool(each.primary)))
    return found or [Monitor(number=1, name="screen", rect=whole, primary=True)]


def monitor_rects(display: Display) -> frozenset[Rect]:
    """Just their rectangles: cheap enough to ask before each input."""
    whole, reported = _reported(display)
    return frozenset(rect for rect, _ in reported) or frozenset((whole,))


def _reported(display: Display) -> tuple[Rect, list[tuple[Rect, Any]]]:
    """The whole screen, and RandR's monitors with what of them lies on it (a monitor may begin left of it)."""
    randr = display.extension("randr")
    cookie = randr.GetMonitors(display.root, True) if randr is not None else None
    whole = screen_rect(display)
    reply = display.answer(cookie) if cookie is not None else None
    if reply is None:
        return whole, []
    placed = [(Rect(each.x, each.y, each.width, each.height).intersect(whole), each) for each in reply.monitors]
    return whole, [(rect, each) for rect, each in placed if not rect.empty]
