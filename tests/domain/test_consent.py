"""A permission names the decision, question, picture and window before it, and is refused without an approval."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Click, QuestionKind
from operator_console.domain.codec import encode
from operator_console.domain.consent import ConsentTrail
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    Event,
    Granted,
    Observed,
    PermissionRevoked,
    Permitted,
    SessionStarted,
)
from operator_console.domain.frames import MonitorTarget, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.permissions import Coverage, PermissionOffer, PermittedAct, RevokedBy
from operator_console.domain.risk import Autonomy, RiskClass

WINDOW = WindowInfo(window_id=7, title="Shop", app="firefox", pid=1, rect=Rect(0, 0, 640, 480))
GRANTED = Granted(step=1, call=0, grant_id="a", action=Click(at=NativePoint(1, 2)), epoch=1, window=WINDOW)
APPROVED = Decided(step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.HUMAN, rule="asked")


def observed(step: int = 1, picture: str = "ab") -> Observed:
    size = Size(640, 480)
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size)
    return Observed(step=step, frame_id="f", picture=picture, geometry=geometry)


def started() -> SessionStarted:
    return SessionStarted(
        task="t", target=MonitorTarget(spec="monitor:1", title="Monitor 1"), provider="p", model="m",
        autonomy=Autonomy.STEP, max_steps=1, max_minutes=1,
    )  # fmt: skip


def asked(text: str = "Press “Pay”?") -> Asked:
    question = Question(question_id="q", answer=QuestionKind.CONFIRM, surface=Surface.DIALOG, text=text)
    return Asked(question=question, step=1, call=0)


def trail(*events: Event) -> ConsentTrail:
    made = ConsentTrail()
    for event in events:
        made.see(event)
    return made


def supported(granted: Granted, *events: Event) -> bool:
    made = ConsentTrail()
    for event in events:
        made.see(event, encode(event))
    return made.supports(granted, encode(granted))


def test_an_action_that_was_approved_and_not_asked_about_has_no_question() -> None:
    consent = trail(observed(), APPROVED).consent(GRANTED)
    assert consent.picture == "ab"
    assert consent.question == ""
    assert len(consent.decision) == len(consent.window) == 64
    assert trail(observed(), APPROVED).consent(replace(GRANTED, window=None)).window == ""


@pytest.mark.parametrize(
    "before",
    [
        (),
        (replace(APPROVED, call=1),),
        (replace(APPROVED, decision=DecisionKind.DENY),),
        (APPROVED, replace(APPROVED, decision=DecisionKind.SKIP)),
        (APPROVED, observed(step=2)),
    ],
    ids=["nothing decided", "another call", "denied", "skipped after it was approved", "of an earlier step"],
)
def test_what_was_not_approved_is_not_permitted(before: tuple[Event, ...]) -> None:
    with pytest.raises(PermissionError, match=r"^only what was approved can be granted$"):
        trail(observed(), *before).consent(GRANTED)
    assert not supported(GRANTED, observed(), *before)


def test_a_recorded_permission_is_supported_by_exactly_the_events_that_it_rests_on() -> None:
    before = (observed(), asked(), APPROVED)
    granted = replace(GRANTED, consent=trail(*before).consent(GRANTED))
    assert supported(granted, *before)
    others: dict[str, tuple[Granted, tuple[Event, ...]]] = {
        "another picture": (granted, (observed(picture="cd"), asked(), APPROVED)),
        "another question": (granted, (observed(), asked("Press “Next”?"), APPROVED)),
        "no question": (granted, (observed(), APPROVED)),
        "another decision": (granted, (observed(), asked(), replace(APPROVED, by=DecidedBy.POLICY))),
        "another window": (replace(granted, window=replace(WINDOW, title="Bank")), before),
    }
    assert [name for name, (one, events) in others.items() if supported(one, *events)] == []


def test_a_permission_of_an_older_version_names_nothing_but_needs_an_approval() -> None:
    assert supported(GRANTED, observed(), APPROVED)
    assert not supported(GRANTED, observed())


def test_fields_that_this_version_does_not_know_are_part_of_what_was_approved() -> None:
    newer = {**encode(APPROVED), "since": "a newer version"}
    made = trail(observed())
    made.see(APPROVED, newer)
    granted = replace(GRANTED, consent=made.consent(GRANTED))
    assert made.supports(granted, encode(granted))
    assert not supported(granted, observed(), APPROVED)


COVERAGE = Coverage(act=PermittedAct.PRESS, risk=RiskClass.C1, name="Next", app="importer", window="Import wizard")
OFFERING = Question(
    question_id="q",
    answer=QuestionKind.CONFIRM,
    surface=Surface.CARD,
    text="?",
    offer=PermissionOffer(coverage=COVERAGE),
)
ASKED = Asked(question=OFFERING, step=1, call=0)
WIDENED = Answered(question_id="q", answer="yes", by=DecidedBy.HUMAN, permits=True)
PERMITTED = Permitted(permission_id="p", text=COVERAGE.sentence, coverage=COVERAGE, question_id="q")
ON_IT = replace(APPROVED, step=2, by=DecidedBy.POLICY, rule="permitted", permission="p")
LATER = replace(GRANTED, step=2)


def test_an_action_on_a_permission_names_the_event_that_gave_it() -> None:
    before = (ASKED, WIDENED, PERMITTED, observed(step=2), ON_IT)
    granted = replace(LATER, consent=trail(*before).consent(LATER))
    assert granted.consent is not None
    assert len(granted.consent.permission) == 64
    assert supported(granted, *before)
    other = replace(PERMITTED, step=9)
    assert not supported(granted, ASKED, WIDENED, other, observed(step=2), ON_IT)


@pytest.mark.parametrize(
    "before",
    [
        (ON_IT,),
        (ASKED, WIDENED, ON_IT),
        (PERMITTED, ON_IT),
        (ASKED, replace(WIDENED, permits=False), PERMITTED, ON_IT),
        (ASKED, replace(WIDENED, by=DecidedBy.NOBODY), PERMITTED, ON_IT),
        (ASKED, WIDENED, replace(PERMITTED, coverage=replace(COVERAGE, name="Finish")), ON_IT),
        (ASKED, WIDENED, PERMITTED, PermissionRevoked(permission_id="p", by=RevokedBy.OPERATOR), ON_IT),
        (ASKED, WIDENED, PERMITTED, ON_IT, PermissionRevoked(permission_id="p", by=RevokedBy.STOP)),
        (ASKED, WIDENED, PERMITTED, started(), ON_IT),
        (ASKED, WIDENED, PERMITTED, replace(ON_IT, permission="other")),
    ],
    ids=[
        "none", "not given", "without a question", "a plain yes", "answered by nobody", "another sentence",
        "revoked before", "revoked after", "of an earlier run", "another one",
    ],
)  # fmt: skip
def test_a_permission_that_was_not_given_or_ended_supports_nothing(before: tuple[Event, ...]) -> None:
    with pytest.raises(PermissionError):
        trail(*before).consent(LATER)
    assert not supported(LATER, *before)


def test_fields_of_the_window_that_this_version_does_not_know_are_part_of_what_was_permitted() -> None:
    made = trail(observed(), APPROVED)
    stored = {**encode(GRANTED), "window": {**encode(WINDOW), "since": "a newer version"}}
    granted = replace(GRANTED, consent=made.consent(GRANTED, stored))
    assert made.supports(granted, stored)
    assert not made.supports(granted, encode(GRANTED))
    assert not made.supports(replace(GRANTED, consent=made.consent(GRANTED)), stored)


def test_without_a_picture_none_is_named() -> None:
    assert trail(APPROVED).consent(GRANTED).picture == ""


def test_what_nobody_offered_or_gave_is_ended_without_a_word() -> None:
    made = trail(
        observed(),
        Answered(question_id="never asked", answer="yes", by=DecidedBy.HUMAN, took_s=1.0, permits=True),
        PermissionRevoked(permission_id="never given", by=RevokedBy.OPERATOR),
        APPROVED,
    )
    assert made.consent(GRANTED).permission == ""
