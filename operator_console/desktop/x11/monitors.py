"""The monitors of an X screen, in RandR's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operator_console.desktop.values import Monitor
from operator_console.desktop.x11.display import Display
from operator_console.domain.geometry import Rect


def screen_rect(display: Display) -> Rect:
    """The whole root window."""
    geometry = display.core.GetGeometry(display.root).reply()
    return Rect(0, 0, geometry.width, geometry.height)


def monitors(display: Display) -> list[Monitor]:
    """The monitors that show a part of the screen; the whole screen as one monitor without RandR."""
    return request_monitors(display)()


def monitor_rects(display: Display) -> frozenset[Rect]:
    """Only their rectangles, which needs fewer requests."""
    whole, reported = _ask(display)()
    return frozenset(rect for rect, _ in reported) or frozenset((whole,))


def request_monitors(display: Display) -> Callable[[], list[Monitor]]:
    """Send the query for the monitors; call the result once to wait for the answer and get it."""
    answer = _ask(display)

    def found() -> list[Monitor]:
        whole, reported = answer()
        return [
            Monitor(number=number, name=display.atom_name(each.name), rect=rect, primary=bool(each.primary))
            for number, (rect, each) in enumerate(reported, 1)
        ] or [Monitor(number=1, name="screen", rect=whole, primary=True)]

    return found


def _ask(display: Display) -> Callable[[], tuple[Rect, list[tuple[Rect, Any]]]]:
    """The whole screen, and RandR's monitors with their rectangles clipped to it (a monitor may reach beyond it)."""
    randr = display.extension("randr")
    listed = randr.GetMonitors(display.root, True) if randr is not None else None
    outline = display.core.GetGeometry(display.root)

    def answered() -> tuple[Rect, list[tuple[Rect, Any]]]:
        geometry = outline.reply()
        whole = Rect(0, 0, geometry.width, geometry.height)
        reply = display.answer(listed) if listed is not None else None
        if reply is None:
            return whole, []
        placed = [(Rect(each.x, each.y, each.width, each.height).intersect(whole), each) for each in reply.monitors]
        return whole, [(rect, each) for rect, each in placed if not rect.empty]

    return answered
