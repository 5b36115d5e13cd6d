"""Events as a session would write them, for tests of the journal and the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from operator_console.domain.actions import Click, TypeText
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, DecisionKind
from operator_console.domain.events import (
    Decided,
    Ended,
    EndedOutcome,
    Event,
    Granted,
    Observed,
    Performed,
    Proposed,
    ProposedCall,
    SessionStarted,
    Settled,
)
from operator_console.domain.frames import MonitorTarget, SettleReason
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.journal.write import SessionJournal

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6360606000000004"
    "0001f61738550000000049454e44ae426082"
)
TYPED = "Zażółć gęślą jaźń <script>alert(1)</script> \x1b[31m\u202e"


def started(task: str = "Write a note", *, resumed: bool = False) -> SessionStarted:
    return SessionStarted(
        task=task,
        target=MonitorTarget(spec="monitor:1", title="Monitor 1"),
        provider="scripted",
        model="steps.json",
        autonomy=Autonomy.GUARDED,
        max_steps=100,
        max_minutes=30.0,
        resumed=resumed,
    )


def observed(step: int, digest: str) -> Observed:
    size = Size(640, 480)
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size)
    return Observed(step=step, frame_id=f"f{step}", picture=digest, picture_bytes=len(PNG), geometry=geometry)


def proposed(step: int) -> Proposed:
    return Proposed(
        step=step,
        calls=(
            ProposedCall(
                index=0,
                name="click_at",
                action=Click(at=NativePoint(10, 20)),
                intent="to focus <b>it</b>",
                note="by default: <i>left</i>",
            ),
            ProposedCall(index=1, name="type_text", action=TypeText(text=TYPED)),
        ),
        thoughts="I see a field.",
        usage=Usage(input_tokens=10, output_tokens=2),
        latency_s=0.5,
    )


def call_events(step: int, call: int, action: Click | TypeText) -> tuple[Event, Event, Event]:
    """Decided, granted, performed."""
    assessment = Assessment(risk=RiskClass.C1, reasons=("ordinary",), rule="ordinary")
    return (
        Decided(
            step=step,
            call=call,
            decision=DecisionKind.APPROVE,
            by=DecidedBy.POLICY,
            rule="ordinary",
            assessment=assessment,
        ),
        Granted(step=step, call=call, grant_id=f"{step}-{call}", action=action, epoch=1),
        Performed(step=step, call=call, grant_id=f"{step}-{call}", result=ActResult.DONE, status=CallStatus.DONE),
    )


def step_events(step: int, digest: str) -> Iterator[Event]:
    yield observed(step, digest)
    yield proposed(step)
    yield from call_events(step, 0, Click(at=NativePoint(10, 20)))
    yield from call_events(step, 1, TypeText(text=TYPED))
    yield Settled(step=step, reason=SettleReason.QUIET, waited_s=0.1)


def ended(outcome: EndedOutcome = EndedOutcome.FINISHED) -> Ended:
    return Ended(outcome=outcome, message="All done.", steps=2, usage=Usage(), elapsed_s=3.0)


def picture(number: int) -> bytes:
    """Distinct bytes that still begin as a PNG does."""
    return PNG + number.to_bytes(4, "big")


def write_session(journal: SessionJournal, steps: int = 2, *, end: bool = True) -> None:
    """A whole run."""
    journal.append(started())
    for step in range(1, steps + 1):
        data = picture(step)
        digest = hashlib.sha256(data).hexdigest()
        journal.put_blob(digest, data, "image/png")
        for event in step_events(step, digest):
            journal.append(event)
    if end:
        journal.append(ended())
