"""Screens with elements, and a session with a scripted model at an endpoint."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from operator_console.domain.elements import Element, ElementState, Role
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import Rect
from operator_console.domain.proposals import Brief, CallResult, Observation
from operator_console.domain.tools import ToolSpec
from operator_console.providers.spec import Ingredients
from operator_console.providers.structured import SPEC
from operator_console.providers.structured.options import StructuredOptions
from operator_console.providers.structured.provider import StructuredProvider
from tests.providers.conftest import frame, picture
from tests.servers.scripted_server import Turn
from tests.servers.structured_servers import StructuredChatServer

MODEL = "a-vision-model"


def element(
    name: str, box: tuple[int, int, int, int], role: Role = Role.BUTTON, *states: ElementState, **more: Any
) -> Element:
    """An element with an id of its own."""
    return Element(element_id=f"{role} {name}", role=role, name=name, box=Rect(*box), states=states, **more)


SAVE = element("Save", (100, 100, 80, 30))
NAME = element("Name", (100, 200, 300, 30), Role.TEXT_FIELD, ElementState.EDITABLE)
TITLE = element("Expenses", (100, 20, 300, 40), Role.HEADING)


@dataclass(slots=True)
class Told:
    """Tells these elements, which a test may change, and counts how often. Implements `ScreenElements`."""

    elements: Sequence[Element] = ()
    asked: int = 0

    async def visible(self, frame: Frame) -> Sequence[Element]:
        return self.elements

    async def listed(self, frame: Frame) -> Sequence[Element]:
        self.asked += 1
        return self.elements


@dataclass(slots=True)
class Read:
    """Reads these texts. Implements `ScreenReader`."""

    boxes: Sequence[TextBox] = ()
    regions: list[Rect | None] = field(default_factory=list)

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        self.regions.append(region)
        return self.boxes

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        return None


def asks(*actions: dict[str, Any], goal: str = "Go on.", memory: str = "") -> Turn:
    """A turn of the model."""
    answer = {
        "thinking": "", "evaluation_previous_goal": "", "memory": memory, "next_goal": goal, "action": list(actions),
    }  # fmt: skip
    return {"content": json.dumps(answer)}


def seen(*results: CallResult, messages: Sequence[str] = ()) -> Observation:
    """A new frame with these results."""
    return Observation(frame=frame(), picture=picture(), results=tuple(results), messages=tuple(messages))


@asynccontextmanager
async def session(
    *turns: Turn,
    elements: Told | None = None,
    reader: Read | None = None,
    tools: tuple[ToolSpec, ...] = (),
    browser: bool = False,
    **options: Any,
) -> AsyncIterator[tuple[StructuredProvider, StructuredChatServer]]:
    """A session that has begun, and its server; at the end no rule may have been broken."""
    async with StructuredChatServer(turns, models=[MODEL], most_pictures=20) as server:
        ingredients = Ingredients(
            base_url=server.base_url, options=StructuredOptions(**options), elements=elements, reader=reader
        )
        provider = SPEC.load(MODEL, ingredients)
        assert isinstance(provider, StructuredProvider)
        provider.begin(Brief(task="Save it.", instruction="You work a desktop.", tools=tools, browser=browser))
        try:
            yield provider, server
        finally:
            await provider.close()
        assert server.violations == []
