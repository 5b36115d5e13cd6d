"""Leaves out the elements and texts that a shutter hides: what a person may not see on the picture is not told either.

An element of which a part is hidden is told without its text and value. What stands around an element and in its dialog
is told as its application tells it, because policy judges by that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from operator_console.domain.elements import Element, Exposure
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.hidden_areas import HiddenArea, is_under, shutter_at, touches


class TellsElements(Protocol):
    """What tells all elements; as `engine.ports.Elements` and `providers.spec.ScreenElements` say."""

    @property
    def switches_on(self) -> bool:
        """Whether something is switched on for it until `close`."""
        ...

    async def start(self) -> None:
        """Prepare for the first question."""
        ...

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The deepest element at each point."""
        ...

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        """The element with the keyboard focus."""
        ...

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """What can be typed into."""
        ...

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """What can be pressed, typed into or chosen."""
        ...

    async def visible(self, frame: Frame) -> Sequence[Element]:
        """What a person can read or use."""
        ...

    async def listed(self, frame: Frame) -> Sequence[Element]:
        """As `visible`, in less time."""
        ...

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        """Where fields for passwords are."""
        ...

    async def exposure(self, frame: Frame) -> Exposure:
        """What the application of the focused window tells."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


class TellsTexts(Protocol):
    """What tells the texts of a page."""

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        """The lines of text, and the pictures."""
        ...


class VisibleElements:
    """The elements of a target without those under a shutter."""

    def __init__(self, elements: TellsElements) -> None:
        self._elements = elements
        self.start, self.close = elements.start, elements.close
        self.exposure, self.passwords = elements.exposure, elements.passwords

    @property
    def switches_on(self) -> bool:
        """Whether something is switched on for it until `close`."""
        return self._elements.switches_on

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The deepest element at each point; None under a shutter."""
        open_points = [point for point in points if shutter_at(frame.hidden, (point,)) is None]
        found = dict(zip(open_points, await self._elements.at(frame, open_points), strict=True)) if open_points else {}
        return [_seen(frame, found.get(point)) for point in points]

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        """The element with the keyboard focus; None under a shutter."""
        return _seen(frame, await self._elements.focused(frame, unhurried=unhurried))

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """What can be typed into."""
        return _all_seen(frame, await self._elements.fields(frame, limit))

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """What can be pressed, typed into or chosen."""
        return _all_seen(frame, await self._elements.actionable(frame, limit))

    async def visible(self, frame: Frame) -> Sequence[Element]:
        """What a person can read or use."""
        return _all_seen(frame, await self._elements.visible(frame))

    async def listed(self, frame: Frame) -> Sequence[Element]:
        """As `visible`, in less time."""
        return _all_seen(frame, await self._elements.listed(frame))


class VisibleTexts:
    """The texts of a page without those under a shutter."""

    def __init__(self, page: TellsTexts) -> None:
        self._page = page

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        """The lines of text, without the words that are hidden, and the pictures."""
        told = await self._page.texts(frame)
        if told is None or not frame.hidden:
            return told
        return [box for box in told[0] if not touches(frame.hidden, box.box)], told[1]


def _seen(frame: Frame, element: Element | None) -> Element | None:
    if element is None or not touches(frame.hidden, element.box):
        return element
    if is_under(frame.hidden, element.box):
        return None
    return replace(element, text="", value="")


def _all_seen(frame: Frame, elements: Iterable[Element]) -> Sequence[Element]:
    return [seen for each in elements if (seen := _seen(frame, each)) is not None]
