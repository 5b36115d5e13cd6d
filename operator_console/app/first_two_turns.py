"""The first two turns of a session with a model, on a drawn screen with one button. No action is carried out.

The requests are those of a session: the same instruction, tools, encoding and reading. What a session would add from
the settings is missing: functions of the operator, MCP servers and the sandboxed tools.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from operator_console.computers.frame_building import make_frame
from operator_console.computers.model_image import encode
from operator_console.domain.actions import target_point
from operator_console.domain.elements import Element, Role
from operator_console.domain.errors import ProviderMalformed
from operator_console.domain.frames import Frame, ImageNeeds, TextBox, VirtualTarget
from operator_console.domain.geometry import Rect, ScreenPoint, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, Call, CallResult, CallStatus, Observation, Proposal, Provider
from operator_console.engine.session import instruction
from operator_console.engine.turn.request_with_retries import adapted

SCREEN = Size(640, 400)
"""Large enough for every service, and about 300 tokens."""
BUTTON = Rect(230, 160, 180, 80)

_TASK = 'This is a test. Click the button "Continue". When the screen says "Finished", the task is done.'
_GO_ON = "Go on with the task."
_TARGET = VirtualTarget(spec="virtual", title="")
_BEFORE, _AFTER = "Continue", "Finished"
_GROUND, _FACE, _INK = 245, 215, 20  # shades of grey


class DrawnElements:
    """What applications and OCR would say of the drawn screen. Fits `ScreenReader` and `ScreenElements`."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """The text of the button."""
        return [TextBox(text=frame.title, box=BUTTON)]

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        """There is none."""
        return None

    async def visible(self, frame: Frame) -> Sequence[Element]:
        """The button, or the text in its place."""
        role = Role.BUTTON if frame.title == _BEFORE else Role.LABEL
        return [Element(element_id="drawn", role=role, name=frame.title, box=BUTTON)]

    async def listed(self, frame: Frame) -> Sequence[Element]:
        """The same."""
        return await self.visible(frame)


async def take_two_turns(provider: Provider, taken: list[Proposal], changes: list[str]) -> None:
    """Ask for two turns, which are appended to `taken`, so that those before an error are known.

    What a session would send otherwise, because the service did not take a part of a request, goes to `changes`.

    Raises:
        ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: A request has no usable answer. None is
            repeated.
        OperatorError: A request cannot be sent.
    """
    before, after = await asyncio.to_thread(lambda: [_drawn(text, provider.image_needs) for text in (_BEFORE, _AFTER)])
    provider.begin(Brief(task=_TASK, instruction=instruction(_TARGET)))
    taken.append(await _answer(provider, before, changes))
    results = tuple(map(_result, taken[0].calls))
    asked = Observation(
        frame=after.frame, picture=after.picture, results=results, messages=() if results else (_GO_ON,)
    )
    taken.append(await _answer(provider, asked, changes))


def beside_button(turn: Proposal) -> int:
    """How far the first point of a turn is from the button, in pixels; 0: on it, or there is no point."""
    points = (target_point(call.action) for call in turn.calls if call.action is not None)
    at = next((point for point in points if point is not None), None)
    if at is None:
        return 0
    across = max(BUTTON.x - at.x, 0, at.x - (BUTTON.right - 1))
    down = max(BUTTON.y - at.y, 0, at.y - (BUTTON.bottom - 1))
    return math.ceil(math.hypot(across, down))


async def _answer(provider: Provider, observation: Observation, changes: list[str]) -> Proposal:
    answer = await adapted(provider, observation, lambda change, _: changes.append(change))
    if answer.empty:
        raise ProviderMalformed(notice(NoticeCode.MODEL_ANSWER_EMPTY))
    return answer


def _result(call: Call) -> CallResult:
    """What the model is told of a call: that it was done, except where somebody would have to agree to it."""
    if call.action is None:
        return CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=call.error)
    if call.safety is not None:
        return CallResult(call=call, status=CallStatus.DECLINED)
    return CallResult(call=call, status=CallStatus.DONE, changed=True)


def _drawn(text: str, needs: ImageNeeds) -> Observation:
    image = Image.new("L", (SCREEN.width, SCREEN.height), _GROUND)
    pen = ImageDraw.Draw(image)
    if text == _BEFORE:
        pen.rectangle((BUTTON.x, BUTTON.y, BUTTON.right - 1, BUTTON.bottom - 1), fill=_FACE, outline=_INK, width=2)
    middle = (BUTTON.x + BUTTON.width / 2, BUTTON.y + BUTTON.height / 2)
    pen.text(middle, text, fill=_INK, font=ImageFont.load_default(28), anchor="mm")
    pixels = np.repeat(np.asarray(image)[:, :, None], 4, axis=2).tobytes()
    frame = make_frame(pixels=pixels, native=SCREEN, origin=ScreenPoint(0, 0), target=_TARGET, needs=needs, title=text)
    return Observation(frame=frame, picture=encode(frame, needs))
