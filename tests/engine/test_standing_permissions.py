"""A permission for the rest of a session: what it is drawn from, what it covers, how it ends, what the record says."""

from __future__ import annotations

from typing import Any, cast

import pytest

from operator_console.domain.actions import Chord, Click, KeyDown, QuestionKind, TypeText
from operator_console.domain.codec import encode
from operator_console.domain.consent import ConsentTrail
from operator_console.domain.decisions import ActResult, DecidedBy, Question, Surface
from operator_console.domain.elements import Dialog, Element, Role
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    EndedOutcome,
    Event,
    Granted,
    Paused,
    Performed,
    PermissionRevoked,
    Permitted,
    Record,
)
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Approve, HandBack, Intent, Pause, Resume, Revoke, Stop, TakeOver
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.permissions import Coverage, PermissionOffer, PermittedAct, RevokedBy
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Paused as PausedState
from operator_console.domain.states import Reviewing
from operator_console.engine.standing_permissions import Permissions
from tests.engine.rig import Rig, Turn, click, does, flagged, rig
from tests.fakes.elements import FakeElements

WIZARD = WindowInfo(window_id=5, title="Import wizard", app="importer", pid=1, rect=Rect(0, 0, 400, 300))
OTHER = WindowInfo(window_id=6, title="Export wizard", app="importer", pid=1, rect=Rect(0, 0, 400, 300))
PLACE = Rect(90, 90, 60, 30)
NEXT = "Press “Next” in “Import wizard” without asking, until this session ends"
CTRL_S = Chord(keys=(Key("ctrl"), Key("s")))


def element(name: str = "Next", role: Role = Role.BUTTON, **rest: Any) -> Element:
    return Element(element_id=rest.pop("element_id", f"/{name}"), role=role, name=name, box=PLACE, **rest)


def asking(
    *turns: Turn, elements: FakeElements | None = None, autonomy: Autonomy = Autonomy.STEP, lead_s: float = 0.0
) -> Rig:
    """A session in the wizard; in *Step* every action is asked about."""
    request = SessionRequest(task="do it", autonomy=autonomy, lead_time_s=lead_s)
    r = rig(*turns, request=request, elements=elements or FakeElements(element()))
    r.computer.windows, r.computer.focus = [WIZARD], WIZARD
    return r


def clicks(count: int) -> list[Turn]:
    return [does(click()) for _ in range(count)]


def question(r: Rig) -> Question:
    found = r.session.question
    assert found is not None, r.kinds
    return found


def offer(r: Rig) -> PermissionOffer:
    found = question(r).offer
    assert found is not None
    return found


async def until_asked(r: Rig) -> None:
    for _ in range(200):
        if r.is_in(Reviewing) or (r.task is not None and r.task.done()):
            return
        await r.settled()
        if not r.is_in(Reviewing) and (deadlines := r.clock.deadlines()):
            await r.clock.advance(deadlines[0])


def yes(r: Rig, *, permits: bool = False) -> Intent:
    """The answer that the open question's surface gives."""
    asked = question(r)
    if asked.surface is Surface.DIALOG:
        return Answer(question_id=asked.question_id, answer="yes", permits=permits)
    return Approve(question_id=asked.question_id, permits=permits)


async def answer(r: Rig, *, permits: bool = False, after_s: float = 5.0) -> None:
    await r.clock.advance(after_s)
    await r.post(yes(r, permits=permits))
    await until_asked(r)


async def deny(r: Rig) -> None:
    await r.clock.advance(5)
    await r.post(Answer(question_id=question(r).question_id, answer="no"))
    await until_asked(r)


def given(r: Rig) -> str:
    [permitted] = r.of(Permitted)
    return permitted.permission_id


def supported(r: Rig) -> list[bool]:
    """Of each grant, whether the record before it supports it."""
    trail, found = ConsentTrail(), []
    for event in r.events:
        if isinstance(event, Granted):
            found.append(trail.supports(event, encode(event)))
        trail.see(event, encode(event))
    return found


async def test_a_yes_is_widened_to_what_was_offered_and_covers_the_same_press_again() -> None:
    r = asking(*clicks(3))
    await r.start()
    assert offer(r).coverage.sentence == NEXT
    assert offer(r).share == "No action before this one would have been covered."
    await answer(r, permits=True)
    await r.end()
    assert r.injector.actions == [click()] * 3
    assert len(r.of(Asked)) == 1
    assert [(d.by, d.rule, d.permission) for d in r.of(Decided)] == [
        (DecidedBy.HUMAN, "step-by-step", ""), *[(DecidedBy.POLICY, "permitted", given(r))] * 2,
    ]  # fmt: skip
    assert [event.text for event in r.of(Permitted)] == [NEXT]
    first, second, third = (granted.consent for granted in r.of(Granted))
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.permission == ""
    assert len(second.permission) == 64
    assert second.permission == third.permission
    assert supported(r) == [True] * 3


async def test_a_plain_yes_permits_nothing_more() -> None:
    r = asking(*clicks(2))
    await r.start()
    await answer(r)
    assert len(r.of(Asked)) == 2
    assert r.of(Permitted) == []
    assert offer(r).share == "It would have covered 1 of the last 1 action."
    await deny(r)
    await r.end()


async def test_a_yes_cannot_be_widened_to_what_was_not_offered() -> None:
    r = asking(*clicks(2), elements=FakeElements(element("Word wrap", Role.CHECK_BOX)))
    await r.start()
    assert question(r).offer is None
    await answer(r, permits=True)
    assert r.of(Permitted) == []
    assert len(r.of(Asked)) == 2
    await deny(r)
    await r.end()


async def test_the_same_name_in_another_window_is_asked_about() -> None:
    r = asking(*clicks(2))
    await r.start()
    await r.clock.advance(5)
    r.computer.windows = [WIZARD, OTHER]
    r.computer.focus = OTHER
    await r.post(Answer(question_id=question(r).question_id, answer="no"))
    await until_asked(r)
    assert question(r).offer is not None
    assert "Export wizard" in offer(r).coverage.sentence
    await answer(r, permits=True)
    assert [event.text for event in r.of(Permitted)] == [NEXT.replace("Import", "Export")]
    await r.end()


async def test_another_name_or_kind_of_control_is_asked_about() -> None:
    for changed in (element("Finish"), element("Next", Role.MENU_ITEM)):
        elements = FakeElements(element())
        r = asking(*clicks(2), elements=elements)
        await r.start()
        await r.clock.advance(5)
        await r.post(yes(r, permits=True))
        elements.shown = [changed]
        await until_asked(r)
        assert len(r.of(Asked)) == 2, changed
        await deny(r)
        await r.end()


async def test_a_held_key_a_double_click_and_a_provider_check_are_asked_about() -> None:
    others: list[list[Turn]] = [
        [does(KeyDown(key=Key("shift")), click())],
        [does(Click(at=click().at, count=2))],
        [flagged(click())],
    ]
    for turns in others:
        r = asking(*clicks(1), *turns)
        await r.start()
        await answer(r, permits=True)
        if isinstance(question(r).action, KeyDown):
            await answer(r)
        assert question(r).offer is None
        await deny(r)
        await r.end()


async def test_what_is_denied_by_nature_is_never_offered() -> None:
    for name in ("Pay now", "Accept all terms", "Show password"):
        r = asking(*clicks(1), elements=FakeElements(element(name)), autonomy=Autonomy.GUARDED)
        await r.start()
        assert question(r).offer is None, name
        await deny(r)
        await r.end()


async def test_a_deletion_is_covered_in_the_same_dialog_only() -> None:
    first = Dialog(title="Delete?", text="The draft is deleted.")
    elements = FakeElements(element("Delete", dialog=first))
    r = asking(*clicks(3), elements=elements, autonomy=Autonomy.GUARDED)
    await r.start()
    assert question(r).surface is Surface.DIALOG
    await answer(r, permits=True)
    assert len(r.of(Asked)) == 1
    await r.end()
    assert len(r.injector.actions) == 3

    elements = FakeElements(element("Delete", dialog=first))
    r = asking(*clicks(2), elements=elements, autonomy=Autonomy.GUARDED)
    await r.start()
    await r.clock.advance(5)
    await r.post(yes(r, permits=True))
    elements.shown = [element("Delete", dialog=Dialog(title="Delete?", text="All mail is deleted."))]
    await until_asked(r)
    assert len(r.of(Asked)) == 2
    await deny(r)
    await r.end()


async def test_the_control_is_judged_again_right_before_it_is_pressed() -> None:
    elements = FakeElements(element())
    r = asking(*clicks(2), elements=elements, lead_s=2.0)
    await r.start()
    await r.clock.advance(5)
    await r.post(yes(r, permits=True))
    while not r.of(Decided)[-1].permission:
        await r.settled()
        await r.clock.advance(0.1)
    elements.shown = []  # during the lead time the application stops telling it
    await r.end()
    assert r.injector.actions == [click()]
    result = r.model.seen[2].results[0]
    assert result.status is CallStatus.NOT_DONE
    assert all(notice(code) in result.text for code in (NoticeCode.PERMITTED_PLACE_NOT_CERTAIN, NoticeCode.LOOK_AGAIN))


async def test_a_revoked_permission_covers_nothing_more_not_even_what_waits_for_its_lead_time() -> None:
    r = asking(*clicks(3), lead_s=2.0)
    await r.start()
    await r.clock.advance(5)
    await r.post(yes(r, permits=True))
    while not r.of(Decided)[-1].permission:
        await r.settled()
        await r.clock.advance(0.1)
    await r.post(Revoke(permission_id=given(r)))
    await until_asked(r)
    assert [(event.permission_id, event.by) for event in r.of(PermissionRevoked)] == [(given(r), RevokedBy.OPERATOR)]
    assert r.injector.actions == [click()]
    await deny(r)
    await deny(r)
    await r.end()
    assert r.injector.actions == [click()]
    assert supported(r) == [True]


async def test_a_permission_revoked_while_the_record_is_written_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    r = asking(*clicks(2))
    await r.start()
    await r.clock.advance(5)
    append = r.journal.append

    def hanging(event: Event) -> Record:
        r.journal.hangs |= isinstance(event, Granted) and event.consent is not None and bool(event.consent.permission)
        return append(event)

    monkeypatch.setattr(r.journal, "append", hanging)
    await r.post(yes(r, permits=True))
    while not r.journal.hangs:
        await r.settled()
        if not r.journal.hangs:
            await r.clock.advance(r.clock.deadlines()[0])
    await r.post(Revoke(permission_id=given(r)))
    r.journal.go_on()
    await r.end()
    assert r.injector.actions == [click()]
    result = r.model.seen[2].results[0]
    assert result.status is CallStatus.NOT_DONE
    assert all(notice(code) in result.text for code in (NoticeCode.PERMISSION_WAS_REVOKED, NoticeCode.LOOK_AGAIN))
    unused = [event.result for event in r.of(Performed) if event.grant_id == r.of(Granted)[-1].grant_id]
    assert unused == [ActResult.FAILED]


async def test_a_pause_keeps_it_and_a_take_over_ends_it() -> None:
    r = asking(*clicks(3))
    await r.start()
    await r.clock.advance(5)
    await r.post(yes(r, permits=True))
    await r.post(Pause())
    assert r.is_in(PausedState)
    assert r.of(PermissionRevoked) == []
    await r.post(Resume())
    await r.post(TakeOver())
    assert [event.by for event in r.of(PermissionRevoked)] == [RevokedBy.TAKE_OVER]
    await r.post(HandBack())
    await until_asked(r)
    assert r.is_in(Reviewing)
    await r.post(Stop())
    await r.end()


async def test_a_stop_ends_it() -> None:
    r = asking(*clicks(1), does(CTRL_S))
    await r.start()
    await answer(r, permits=True)
    await r.post(Stop())
    assert (await r.end()).outcome is EndedOutcome.STOPPED
    assert [event.by for event in r.of(PermissionRevoked)] == [RevokedBy.STOP]


async def test_text_is_covered_by_the_field_and_not_with_enter() -> None:
    field = element("Name", Role.TEXT_FIELD)
    texts = [TypeText(text=text, at=click().at) for text in ("Ada", "Grace")]
    elements = FakeElements(field, focus=field)
    r = asking(*map(does, texts), does(TypeText(text="Ada", at=click().at, submit=True)), elements=elements)
    await r.start()
    assert offer(r).coverage.sentence == "Type into “Name” in “Import wizard” without asking, until this session ends"
    await answer(r, permits=True)
    assert len(r.of(Asked)) == 2
    assert isinstance(question(r).action, TypeText)
    assert question(r).offer is None
    await deny(r)
    await r.end()


async def test_keys_are_covered_in_their_application() -> None:
    field = element("Text", Role.TEXT_FIELD)
    r = asking(*[does(CTRL_S)] * 2, elements=FakeElements(field, focus=field))
    await r.start()
    assert offer(r).coverage.sentence == "Press Ctrl+S in importer without asking, until this session ends"
    await answer(r, permits=True)
    await r.end()
    assert len(r.of(Asked)) == 1
    assert r.injector.actions == [CTRL_S] * 2


async def test_five_quick_answers_are_told_and_what_fits_them_is_offered() -> None:
    r = asking(*clicks(7))
    await r.start()
    for _ in range(5):
        await answer(r, after_s=1.5)
    told = question(r)
    assert (told.about, told.answer) == ("haste", QuestionKind.CHOOSE)
    assert told.text == "Your last 5 answers came within a second each. How should it go on?"
    assert [choice.label for choice in told.choices] == [
        f"{NEXT}. It would have covered 5 of the last 5 actions.", "Pause the session",
    ]  # fmt: skip
    await r.clock.advance(3)
    await r.post(Answer(question_id=told.question_id, answer="0"))
    ended = await r.end()
    assert len(r.of(Permitted)) == 1
    assert len(r.injector.actions) == 7
    assert [event.permits for event in r.of(Answered)] == [False] * 5 + [True]
    assert (ended.actions, ended.questions, ended.answer_s) == (7, 5, 1.5)
    assert supported(r) == [True] * 7


async def test_after_quick_answers_a_pause_can_be_chosen_and_asking_can_go_on() -> None:
    for chosen, paused in (("1", True), (None, False)):
        r = asking(*clicks(7))
        await r.start()
        for _ in range(5):
            await answer(r, after_s=1.5)
        await r.post(Answer(question_id=question(r).question_id, answer=chosen))
        assert r.is_in(PausedState) is paused
        assert [event.detail for event in r.of(Paused)] == [notice(NoticeCode.PAUSED_FOR_HASTE)] * paused
        if not paused:
            assert question(r).about == "review"
        await r.post(Stop())
        await r.end()
        assert len(r.injector.actions) == 5


async def test_slow_answers_are_no_haste() -> None:
    r = asking(*clicks(7))
    await r.start()
    for wait_s in (1.5, 1.5, 4.0, 1.5, 1.5, 1.5, 1.5):
        assert question(r).about == "review"
        await answer(r, after_s=wait_s)
    await r.end()


def test_an_offer_counts_what_it_would_have_covered_of_the_last_50_actions() -> None:
    permissions = Permissions(cast(Any, None))
    coverage = Coverage(act=PermittedAct.PRESS, risk=RiskClass.C1, name="Next", app="importer", window="Import wizard")
    for each in (*[coverage] * 3, *[None] * 49):
        permissions.carried_out(each)
    counted = permissions.offer(coverage)
    assert counted is not None
    assert counted.share == "It would have covered 1 of the last 50 actions."
