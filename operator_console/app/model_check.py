"""Checks whether a model can be used, with the first two turns of a session, and says what came back.

The turns are about a drawn screen with one button. The requests are those of a session: the same instruction, tools,
encoding and reading. What a session would add from the settings is missing: functions of the operator, MCP servers and
the sandboxed tools. No action is carried out.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from operator_console.computers.frame_building import make_frame
from operator_console.computers.model_image import encode
from operator_console.domain.actions import target_point
from operator_console.domain.elements import Element, Role
from operator_console.domain.errors import (
    ConsoleError,
    ProviderError,
    ProviderMalformed,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.frames import Frame, ImageNeeds, TextBox, VirtualTarget
from operator_console.domain.geometry import Rect, ScreenPoint, Size
from operator_console.domain.message_texts import joined, notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.prices import Price, cost
from operator_console.domain.proposals import (
    Brief,
    Call,
    CallResult,
    CallStatus,
    Observation,
    Proposal,
    Provider,
    Usage,
)
from operator_console.engine.session import instruction
from operator_console.engine.turn.request_with_retries import adapted
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from operator_console.ui.view import check_words

_BY_TITLE = {
    NoticeCode.NO_SERVICE_KEY: CheckOutcome.KEY_MISSING,
    NoticeCode.SERVICE_REJECTED_KEY: CheckOutcome.KEY_REFUSED,
    NoticeCode.SERVICE_HAS_NO_MODEL: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.MODEL_VERSION_UNKNOWN: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.PROVIDER_NEEDS_MODEL: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.NO_SERVICE_ADDRESS: CheckOutcome.NO_ADDRESS,
    NoticeCode.NO_SERVICE_AT_ADDRESS: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_REDIRECTS: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_ADDRESS_UNUSABLE: CheckOutcome.NO_ADDRESS,
    NoticeCode.PAGE_ANSWERED: CheckOutcome.OTHER_DIALECT,
    NoticeCode.NO_TLS_AT_ADDRESS: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_NAME_UNKNOWN: CheckOutcome.UNREACHABLE,
    NoticeCode.CERTIFICATE_NOT_TRUSTED: CheckOutcome.UNREACHABLE,
    NoticeCode.PROXY_WANTS_LOGIN: CheckOutcome.UNREACHABLE,
    NoticeCode.PROXY_MADE_NO_CONNECTION: CheckOutcome.UNREACHABLE,
    NoticeCode.MODEL_ANSWER_UNREADABLE: CheckOutcome.OTHER_DIALECT,
    NoticeCode.PROXY_UNUSABLE: CheckOutcome.NOT_SENT,
    NoticeCode.SERVICE_CONNECTION_FAILED: CheckOutcome.UNREACHABLE,
    NoticeCode.SERVICE_TIMED_OUT: CheckOutcome.UNREACHABLE,
    NoticeCode.SERVICE_ASKS_TO_SLOW_DOWN: CheckOutcome.RATE_LIMITED,
    NoticeCode.DAILY_QUOTA_USED_UP: CheckOutcome.RATE_LIMITED,
    NoticeCode.SERVICE_UNAVAILABLE: CheckOutcome.UNAVAILABLE,
    NoticeCode.SERVICE_ANSWER_EMPTY: CheckOutcome.UNUSABLE,
    NoticeCode.MODEL_ANSWER_EMPTY: CheckOutcome.UNUSABLE,
    NoticeCode.MODEL_ANSWER_CUT_OFF: CheckOutcome.UNUSABLE,
}

_REMEDIES = {
    CheckOutcome.UNREACHABLE: NoticeCode.CHECK_ADDRESS_AND_NETWORK,
    CheckOutcome.OTHER_DIALECT: NoticeCode.CHECK_DIALECT,
    CheckOutcome.RATE_LIMITED: NoticeCode.CHECK_AGAIN_LATER,
    CheckOutcome.UNAVAILABLE: NoticeCode.CHECK_AGAIN_LATER,
    CheckOutcome.UNUSABLE: NoticeCode.CHECK_ANSWERS_OF_SERVICE,
    CheckOutcome.REFUSED: NoticeCode.CHECK_DIALECT,
}
_OF_SESSIONS = frozenset(
    {
        NoticeCode.REQUEST_NOT_REPEATED, NoticeCode.GO_ON_LATER, NoticeCode.CHECK_HOW_SERVICE_RUNS,
        NoticeCode.CHECK_MODELS_ANSWERS, NoticeCode.CHECK_SCREEN_FOR_HOSTILE_TEXT, NoticeCode.START_FOLLOW_UP,
    }
)  # fmt: skip
"""Remedies that say what to do with a session; one of another package's provider may be any text."""
_NAME_PROXY = {NoticeCode.PROXY_WANTS_LOGIN, NoticeCode.PROXY_MADE_NO_CONNECTION, NoticeCode.WENT_THROUGH_PROXY}


def outcome_of(error: ConsoleError) -> CheckOutcome:
    """What an error of a check means. Errors of other packages' providers are told apart by their class only."""
    notices = notices_of(error.title)
    known = next((found for code, found in _BY_TITLE.items() if notices and notices[0].code == code), None)
    match error:
        case _ if known is not None:
            return known
        case ProviderRejected(key_problem=True):
            return CheckOutcome.KEY_REFUSED
        case ProviderMalformed():
            return CheckOutcome.OTHER_DIALECT
        case ProviderTransient():
            return CheckOutcome.UNAVAILABLE
        case ProviderError():
            return CheckOutcome.REFUSED
        case _:
            return CheckOutcome.NOT_SENT


async def check_model(provider: str, model: str, ingredients: Ingredients, price: Price | None = None) -> CheckReport:
    """Send the first two requests of a session, about a drawn screen. Nothing that the model asks for is carried out.

    Raises:
        ProviderError: A session would get no further than this; with a remedy.
        OperatorError: Nothing can be sent.
    """
    spec, chosen = registry.resolve(provider, model)
    if not spec.sends_to:
        return CheckReport(outcome=CheckOutcome.WORKS, said=check_words.nothing_to_check(spec.worded_title))
    if spec.needs_reader:
        drawn = DrawnElements()
        ingredients = replace(ingredients, reader=drawn, elements=drawn)
    options = ingredients.options.model_dump() if ingredients.options is not None else {}
    service = spec.at(options)
    proxies = await asyncio.to_thread(service.proxies, service.addresses(ingredients.base_url, options))
    way = notice(NoticeCode.PICTURES_GO_THROUGH_PROXY, proxy=proxies) if proxies else ""
    made = await asyncio.to_thread(registry.create, spec.name, chosen, ingredients)
    begun = time.monotonic()
    turns: list[Proposal] = []
    changes: list[str] = []
    try:
        await take_two_turns(made, turns, changes)
    except ProviderError as error:
        _reword(error, way, second=bool(turns))
        raise
    finally:
        await made.close()
    usage = sum((turn.usage for turn in turns), Usage())
    said = check_words.two_turns(made.model, turns, SCREEN, usage, cost(usage, price) if price is not None else None)
    doubt = check_words.doubt(turns[0], beside_button(turns[0]))
    return CheckReport(
        outcome=CheckOutcome.DOUBTFUL if doubt else CheckOutcome.WORKS,
        said=joined(doubt, said, *changes, way),
        seconds=time.monotonic() - begun,
    )


def _reword(error: ProviderError, way: str, *, second: bool) -> None:
    """Say it as it reads in a check: without remedies of a session, such as "the record holds what was sent", and with
    the way that pictures take, where a request was sent."""
    outcome = outcome_of(error)
    remedy = _REMEDIES.get(outcome)
    if second:
        error.detail = joined(notice(NoticeCode.CHECK_FAILED_AT_SECOND_REQUEST), error.detail)
        if remedy == NoticeCode.CHECK_DIALECT:
            remedy = NoticeCode.CHECK_WHAT_IS_KEPT
    own = notices_of(error.remedy)
    if remedy is not None and (not own or own[0].code in _OF_SESSIONS):
        error.remedy = notice(remedy)
    told = {each.code for each in (*notices_of(error.title), *notices_of(error.detail))}
    if outcome is not CheckOutcome.NOT_SENT and not told & _NAME_PROXY:
        error.detail = joined(error.detail, way)


def report_of(error: ConsoleError) -> CheckReport:
    """What a failed check found."""
    return CheckReport(outcome=outcome_of(error), said=joined(error.title, error.detail), remedy=error.remedy)


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
    provider.begin(Brief(task=_TASK, instruction=instruction(_TARGET)))
    taken.append(await _answer(provider, _BEFORE, changes))
    results = tuple(map(_result, taken[0].calls))
    taken.append(await _answer(provider, _AFTER, changes, results=results, messages=() if results else (_GO_ON,)))


def beside_button(turn: Proposal) -> int:
    """How far the first point of a turn is from the button, in pixels; 0: on it, or there is no point."""
    points = (target_point(call.action) for call in turn.calls if call.action is not None)
    at = next((point for point in points if point is not None), None)
    if at is None:
        return 0
    across = max(BUTTON.x - at.x, 0, at.x - (BUTTON.right - 1))
    down = max(BUTTON.y - at.y, 0, at.y - (BUTTON.bottom - 1))
    return math.ceil(math.hypot(across, down))


async def _answer(
    provider: Provider, text: str, changes: list[str], *, results: tuple[CallResult, ...] = (),
    messages: tuple[str, ...] = (),
) -> Proposal:  # fmt: skip
    answer: Proposal | None = None
    while answer is None:
        drawn = await asyncio.to_thread(_drawn, text, provider.image_needs)
        observation = replace(drawn, results=results, messages=messages)
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
