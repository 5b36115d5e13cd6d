"""The monitors of an X screen, in the order RandR names them (the order of `targets`).

Called by computers/. Not here: what they show.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    whole = screen_rect(display)
    randr = display.extension("randr")
    reply = display.answer(randr.GetMonitors(display.root, True)) if randr is not None else None
    if reply is None:
        return [Monitor(number=1, name="screen", rect=whole, primary=True)]
    found: list[Monitor] = []
    for each in reply.monitors:
        rect = Rect(each.x, each.y, each.width, each.height).intersect(whole)
        if not rect.empty:
            name = bytes(display.core.GetAtomName(each.name).reply().name.buf()).decode("utf-8", "replace")
            found.append(Monitor(number=len(found) + 1, name=name, rect=rect, primary=bool(each.primary)))
    return found or [Monitor(number=1, name="screen", rect=whole, primary=True)]
