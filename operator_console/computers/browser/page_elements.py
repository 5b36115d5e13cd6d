"""`PageElements`: the elements of a managed browser's pages, and of the dialogs over them.

Implements `engine.ports.Elements` and `providers.spec.ScreenElements`. The page itself is asked, so that the answers
are those of now; every question is bounded in time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError
from operator_console.browser.page_state import PageState
from operator_console.computers.browser.dialog_elements import dialog_elements
from operator_console.computers.browser.element_mapping import element_of, native_box
from operator_console.domain.elements import FIELDS, Element, ElementState, Exposure, Role
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect

AT_BUDGET_S, LIST_BUDGET_S = 0.18, 1.0
_MOST_WORDS = 6_000


class LooksAtPages(Protocol):
    """A browser that is looked at."""

    @property
    def look(self) -> Connection:
        """The connection that sees and changes nothing."""
        ...

    @property
    def state(self) -> PageState:
        """As last told by the browser."""
        ...

    @property
    def app(self) -> str:
        """The browser's name."""
        ...

    @property
    def pid(self) -> int:
        """The process that stands for the browser."""
        ...


class PageElements:
    """The elements of one browser."""

    switches_on = False

    def __init__(self, browser: LooksAtPages) -> None:
        self._browser = browser

    async def start(self) -> None:
        """Nothing: the browser is there."""

    async def close(self) -> None:
        """Nothing: the browser belongs to its computer."""

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The control at each point, or else the deepest element, in order; None where none is known in time."""
        if (over := self._over(frame)) is not None:
            return [_topmost(over, point) for point in points]
        scale = self._browser.state.scale
        places = [[(point.x + 0.5) / scale, (point.y + 0.5) / scale] for point in points]
        found = await self._asked({"what": "at", "points": places}, AT_BUDGET_S)
        return [None] * len(points) if found is None else [self._element(frame, each) for each in found]

    async def focused(self, frame: Frame) -> Element | None:
        """The element that gets keys now; the document where none has the focus."""
        if (over := self._over(frame)) is not None:
            return next((each for each in over if ElementState.FOCUSED in each.states), None)
        return self._element(frame, await self._asked({"what": "focused"}, AT_BUDGET_S))

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """What can be typed into."""
        return await self._list(frame, "fields", limit)

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """Visible elements that can be pressed, typed into or chosen, in reading order."""
        return await self._list(frame, "controls", limit)

    async def visible(self, frame: Frame, limit: int = 1_000) -> Sequence[Element]:
        """As `actionable`, with the texts of the page."""
        return await self._list(frame, "all", limit)

    listed = visible

    async def exposure(self, frame: Frame) -> Exposure:
        """Everything: the page itself is asked."""
        return Exposure.FULL

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        """The lines of text that can be seen, and the pictures, whose text is not told; None where the page does not
        answer in time. Boxes in native pixels."""
        if (over := self._over(frame)) is not None:
            return [TextBox(text=each.name, box=each.box, source="page") for each in over if each.name], []
        told = await self._asked({"what": "lines", "most": _MOST_WORDS}, LIST_BUDGET_S)
        if told is None:
            return None
        scale = self._browser.state.scale
        boxes = [_text_box(each, scale) for each in told["lines"]]
        return boxes, [native_box(each, scale) for each in told["pictures"]]

    async def _list(self, frame: Frame, kind: str, limit: int) -> Sequence[Element]:
        if (over := self._over(frame)) is not None:
            roles = {"fields": FIELDS, "controls": frozenset(Role) - {Role.LABEL}}.get(kind, frozenset(Role))
            return [each for each in over if each.role in roles][:limit]
        found = await self._asked({"what": kind, "most": limit}, LIST_BUDGET_S)
        made = [self._element(frame, each) for each in found or ()]
        return [each for each in made if each is not None]

    def _over(self, frame: Frame) -> Sequence[Element] | None:
        """The elements of the dialog over the page, which takes no input then; None where there is none."""
        state, browser = self._browser.state, self._browser
        if state.page.dialog is None:
            return None
        about = Element(
            element_id="", role=Role.UNKNOWN, box=Rect(0, 0, 0, 0), app=browser.app, pid=browser.pid, url=state.page.url
        )
        return dialog_elements(state.page.dialog, frame.geometry.native, state.scale, about)

    def _element(self, frame: Frame, told: Mapping[str, Any] | None) -> Element | None:
        if not told:
            return None
        browser = self._browser
        return element_of(
            told, scale=browser.state.scale, native=frame.geometry.native, app=browser.app, pid=browser.pid,
            window=browser.state.page.title,
        )  # fmt: skip

    async def _asked(self, question: Mapping[str, Any], within_s: float) -> Any:
        """What is found; None where the page does not answer in time, or is gone."""
        try:
            async with asyncio.timeout(within_s):
                return (await self._browser.look.send_raw("Operator.elements", question))["found"]
        except (TimeoutError, ProtocolError, ConnectionLost):
            return None


def _topmost(elements: Sequence[Element], point: NativePoint) -> Element | None:
    return next((each for each in reversed(elements) if each.box.contains(point.x, point.y)), None)


def _text_box(told: Mapping[str, Any], scale: float) -> TextBox:
    parts = tuple(
        TextBox(text=each["text"], box=native_box(each["box"], scale), source="page") for each in told["parts"]
    )
    return TextBox(
        text=told["text"], box=native_box(told["box"], scale), source="page", parts=parts if len(parts) > 1 else ()
    )
