"""Shutters and fields for passwords in whole sessions: what the model is shown, may do and is told."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from operator_console.domain.actions import Action, Chord, Drag, Move, ReadPage, TypeText, Zoom
from operator_console.domain.elements import Element, Role
from operator_console.domain.events import Decided, Granted, Observed, SessionStarted, Warned
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.hidden_areas import UNTOLD, HiddenArea
from operator_console.domain.intents import Stop
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from operator_console.domain.shutters import parse_shutters
from operator_console.domain.states import Observing, Settling
from operator_console.domain.stopping import StopCause
from operator_console.engine.control_finder import PASSWORDS_AFTER_SILENCE_S, PASSWORDS_WITHIN_S
from operator_console.engine.session_context import Options
from operator_console.engine.turn.observe import OUTDATED_AFTER_S, PASSWORDS_TOLD, SHUTTERS_TOLD, UNTOLD_TOLD
from operator_console.providers.registry import find
from tests.engine.rig import Gate, Rig, click, does, quiet, rig
from tests.fakes.elements import FakeElements
from tests.providers.contract.anthropic_dialect import AnthropicDialect
from tests.providers.contract.dialect import Dialect
from tests.providers.contract.gemini_dialect import GeminiDialect
from tests.providers.contract.openai_dialect import OpenAIDialect

PLACE, FIELD = Rect(40, 40, 120, 60), Rect(200, 200, 150, 30)
BANK = WindowInfo(window_id=5, title="My bank", app="Firefox", pid=1, rect=Rect(0, 0, 200, 300))
NOTES = WindowInfo(window_id=6, title="Notes", app="Gedit", pid=2, rect=Rect(200, 0, 200, 300))
SECRET_COLOUR = (250, 20, 130)


def shuttered(*turns: Any, hide: tuple[str, ...] = ("region:40,40,120x60",), **rest: Any) -> Rig:
    made = rig(*turns, **rest)
    made.computer.hidden.shutters = parse_shutters(hide)
    made.computer.paint(PLACE, SECRET_COLOUR)
    return made


def shows_it(data: bytes) -> bool:
    """Whether a picture has the colour that is hidden, or one near it."""
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
    return bool((abs(pixels - np.array(SECRET_COLOUR)).sum(axis=2) < 120).any())


def pictures(made: Rig) -> list[bytes]:
    return [data for data in made.journal.data.values() if data.startswith(b"\x89PNG")]


@pytest.mark.parametrize(
    "action",
    [
        click(50, 50),
        Move(at=NativePoint(159, 99)),
        Drag(path=(NativePoint(300, 250), NativePoint(60, 60))),
        Drag(path=(NativePoint(300, 250), NativePoint(60, 60), NativePoint(310, 250))),
        TypeText(text="x", at=NativePoint(60, 60)),
    ],
)
async def test_nothing_is_done_under_a_shutter(action: Action) -> None:
    made = shuttered(does(action), does(click(300, 250)))
    await made.run()
    assert made.injector.actions == [click(300, 250)]
    (decided, *_) = made.of(Decided)
    assert (decided.decision, decided.rule) == ("not_done", "hidden-from-model")
    (result,) = made.model.seen[1].results
    assert result.status is CallStatus.DECLINED
    assert "hidden this place" in result.text
    assert SHUTTERS_TOLD in made.model.seen[0].messages
    assert SHUTTERS_TOLD not in made.model.seen[1].messages
    assert len(made.of(Granted)) == 1


async def test_no_picture_shows_it() -> None:
    made = shuttered(does(Zoom(region=Rect(30, 30, 200, 100))), does(click(300, 250)))
    await made.run()
    assert len(pictures(made)) >= 2
    assert not any(map(shows_it, pictures(made)))
    assert shows_it_without_shutters()


def pictures_in(body: object) -> list[bytes]:
    """The pictures in a request, wherever they stand."""
    if isinstance(body, dict):
        return [found for each in body.values() for found in pictures_in(each)]
    if isinstance(body, list):
        return [found for each in body for found in pictures_in(each)]
    text = body.rpartition("base64,")[2] if isinstance(body, str) else ""
    return [base64.b64decode(text)] if text.startswith(("iVBOR", "/9j/")) else []


def shows_it_without_shutters() -> bool:
    """The colour is found where nothing is hidden, so that the test above can fail."""
    made = Image.new("RGB", (20, 20), SECRET_COLOUR)
    out = io.BytesIO()
    made.save(out, "PNG")
    return shows_it(out.getvalue())


async def test_keys_do_not_go_to_a_hidden_window() -> None:
    made = shuttered(does(Chord(keys=(Key("a"),))), hide=("window:bank",))
    made.computer.windows, made.computer.focus = [NOTES, BANK], BANK
    await made.run()
    assert made.injector.actions == []
    assert made.of(Decided)[0].rule == "hidden-from-model"


async def test_the_whole_page_is_not_read_while_a_part_is_hidden() -> None:
    made = shuttered(does(ReadPage()))
    made.computer.text_of_page = "IBAN DE00"
    await made.run()
    (result,) = made.model.seen[1].results
    assert result.status is CallStatus.FAILED
    assert "IBAN" not in result.text + result.output


async def test_the_record_says_what_is_hidden() -> None:
    made = shuttered(does(click(300, 250)), options=Options(name="test", hide=("region:40,40,120x60",)))
    await made.run()
    assert made.of(SessionStarted)[0].hide == ("region:40,40,120x60",)


@pytest.mark.parametrize("hides", [True, False])
async def test_fields_for_passwords_are_black_and_can_be_used(hides: bool) -> None:
    password = Element(element_id="/p", role=Role.PASSWORD_FIELD, name="Password", box=FIELD, pid=1)
    elements = FakeElements(password)
    made = rig(
        does(click(*FIELD.centre)), does(click(300, 250)), elements=elements,
        options=Options(name="test", hide_passwords=hides),
    )  # fmt: skip
    made.computer.paint(FIELD, SECRET_COLOUR)
    await made.run()
    assert any(map(shows_it, pictures(made))) is not hides
    assert made.injector.actions[0] == click(*FIELD.centre)
    assert (PASSWORDS_TOLD in made.model.seen[0].messages) is hides
    assert made.injector.grants[0].checks[0].hidden == ((FIELD,) if hides else ())
    assert len({event.frame_id for event in made.of(Observed)}) == 1


class Asked(FakeElements):
    """Shows a field for passwords; notes the frames that are asked about, and answers only while `may` is set.

    `before_second` is how many questions came before the model's second turn.
    """

    def __init__(self) -> None:
        super().__init__(Element(element_id="/p", role=Role.PASSWORD_FIELD, name="Password", box=FIELD, pid=1))
        self.may = asyncio.Event()
        self.asked_for_passwords: list[str] = []
        self.before_second = 0

    def second(self, _seen: Observation) -> Proposal:
        self.before_second = len(self.asked_for_passwords)
        return does(click(300, 250))

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        self.asked_for_passwords.append(frame.frame_id)
        await self.may.wait()
        return await super().passwords(frame, within_s)


async def settling() -> tuple[Rig, Asked]:
    """A session in which the screen settles after a click; nothing tells of fields for passwords from there on."""
    elements, gate = Asked(), Gate(does(click(300, 250)))
    made = rig(gate, elements.second, elements=elements)
    made.computer.paint(FIELD, SECRET_COLOUR)
    elements.may.set()
    await made.start()
    elements.may.clear()
    made.computer.paint(PLACE, (1, 2, 3))
    gate.open()
    await quiet()
    assert made.is_in(Settling)
    return made, elements


async def still(made: Rig) -> None:
    """Let the screen be still."""
    while made.is_in(Settling):
        await made.clock.advance(made.clock.deadlines()[0])


async def test_fields_for_passwords_are_asked_for_while_the_screen_settles_and_waited_for() -> None:
    made, elements = await settling()
    assert len(elements.asked_for_passwords) == 2
    await still(made)
    assert made.is_in(Observing)
    elements.may.set()
    await made.end()
    assert elements.before_second == 2
    assert elements.asked_for_passwords[1] == made.model.seen[1].frame.frame_id
    assert not any(map(shows_it, pictures(made)))


async def test_a_picture_that_was_not_expected_is_asked_about_itself() -> None:
    made, elements = await settling()
    made.computer.paint(PLACE, (4, 5, 6))
    await still(made)
    _, expected, came = elements.asked_for_passwords
    assert expected != came
    elements.may.set()
    await made.end()
    assert came == made.model.seen[1].frame.frame_id


async def test_a_question_ahead_that_was_not_answered_in_time_is_asked_again() -> None:
    made, elements = await settling()
    await still(made)
    await made.clock.advance(2 * PASSWORDS_WITHIN_S)
    _, expected, again = elements.asked_for_passwords
    assert expected == again
    elements.may.set()
    await made.end()
    assert not any(map(shows_it, pictures(made)))


class Silent(FakeElements):
    """Shows a field for passwords, and tells of it when it is asked for the second time. Notes how long it may take."""

    def __init__(self) -> None:
        super().__init__(Element(element_id="/p", role=Role.PASSWORD_FIELD, name="Password", box=FIELD, pid=1))
        self.within_s: list[float] = []

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        self.within_s.append(within_s)
        if len(self.within_s) < 2:
            return [HiddenArea(box=NOTES.rect, label=UNTOLD, window_id=NOTES.window_id)]
        return await super().passwords(frame, within_s)


async def test_a_window_that_may_show_a_password_is_black_and_not_used_until_its_application_answers() -> None:
    made = rig(does(click(*FIELD.centre)), does(click(*FIELD.centre)), elements=(silent := Silent()))
    made.computer.windows, made.computer.focus = [BANK, NOTES], NOTES
    made.computer.paint(FIELD, SECRET_COLOUR)
    await made.run()
    assert silent.within_s == [PASSWORDS_WITHIN_S, PASSWORDS_AFTER_SILENCE_S, PASSWORDS_WITHIN_S]
    refused, done = made.of(Decided)
    assert (refused.decision, refused.rule, done.decision) == ("not_done", "may-show-password", "approve")
    (result,) = made.model.seen[1].results
    assert "does not answer" in result.text
    assert [UNTOLD_TOLD in seen.messages for seen in made.model.seen] == [True, False, False]
    assert [PASSWORDS_TOLD in seen.messages for seen in made.model.seen] == [False, True, False]
    assert [event.title for event in made.of(Warned)] == [notice(NoticeCode.MAY_SHOW_PASSWORD)]
    assert not any(map(shows_it, pictures(made)))


class Starting(Silent):
    """Is not known when it is asked for the first time, as an application that has just started."""

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        told = await super().passwords(frame, within_s)
        return None if len(self.within_s) < 2 else told


async def test_an_application_that_was_not_known_before_has_its_whole_time() -> None:
    made = rig(does(click(300, 250)), elements=(starting := Starting()))
    await made.run()
    assert set(starting.within_s) == {PASSWORDS_WITHIN_S}
    assert len(starting.within_s) > 1


async def test_a_picture_that_was_waited_for_is_taken_anew() -> None:
    elements, gate = Asked(), Gate(does(click(300, 250)))
    made = rig(gate, elements=elements)
    made.computer.paint(FIELD, SECRET_COLOUR)
    starting = asyncio.ensure_future(made.start())
    await quiet()
    await made.clock.advance(OUTDATED_AFTER_S)
    moved = FIELD.moved(0, 40)
    made.computer.paint(FIELD, (9, 9, 9))
    made.computer.paint(moved, SECRET_COLOUR)
    elements.shown = [replace(elements.shown[0], box=moved)]
    elements.may.set()
    await starting
    gate.open()
    await made.end()
    assert not any(map(shows_it, pictures(made)))


async def test_nothing_is_asked_ahead_after_the_end() -> None:
    made, elements = await settling()
    made.session.post(Stop(reason=StopCause.INTERRUPT))
    await made.end()
    assert made.computer.expect is not None
    made.computer.expect(await made.computer.glimpse())
    await quiet()
    assert len(elements.asked_for_passwords) == 2


@pytest.mark.parametrize(
    "dialect", [GeminiDialect(), AnthropicDialect("claude-opus-5-5"), OpenAIDialect("gpt-5.6-sol")]
)
async def test_no_request_of_a_dialect_has_it(dialect: Dialect) -> None:
    made = shuttered()
    geometry = (await made.computer.observe(made.model.image_needs)).geometry
    turns = [dialect.turn(click(300, 250), geometry=geometry), dialect.turn(click(50, 50), geometry=geometry)]
    bodies: list[object] = []

    def noting(turn: Any) -> Any:
        def noted(seen: Any) -> Any:
            bodies.append(seen.request)
            return turn(seen) if callable(turn) else turn

        return noted

    async with dialect.server([*map(noting, turns), noting(dialect.ends("Done."))]) as server:
        provider = dialect.provider(server.url)
        await asyncio.to_thread(find(provider.name).preload)  # as before any session
        run = shuttered(model=provider)
        await run.start()
        await run.end()
        await provider.close()
    sent = [picture for body in bodies for picture in pictures_in(body)]
    assert len(bodies) >= 2
    assert sent
    assert not any(map(shows_it, sent))
