"""A recorded session with a little of everything, as the page reads it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from PIL import Image

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.actions import Action
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.elements import Control, Role
from operator_console.domain.events import Event, Record
from operator_console.domain.frames import SettleReason, WindowTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.prices import Price
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.journal.record_json import Entry

NATIVE = Size(640, 400)
EVIL = "<script>alert(1)</script> \x1b[31m\u202e\"'>"


def png(shade: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 40), (shade % 256, 80, 120)).save(out, "PNG")
    return out.getvalue()


@dataclass
class Source:
    """A record in memory. `wait` lets time pass."""

    session_id: str = "0" * 32
    created: str = "2026-11-23T09:30:00.000000Z"
    records: list[Record] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    unknown: Sequence[dict[str, object]] = ()
    now: datetime = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)

    def entries(self) -> Iterator[Entry]:
        for record in self.records:
            yield Entry(object={}, record=record)
        for each in self.unknown:
            yield Entry(object=each, record=None)

    def blob(self, digest: str) -> bytes | None:
        return self.blobs.get(digest)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def add(self, *events: Event) -> None:
        for event in events:
            self.wait(0.1)
            time = self.now.isoformat(timespec="microseconds").replace("+00:00", "Z")
            self.records.append(Record(seq=len(self.records) + 1, time=time, event=event))

    def start(self, task: str = "Pay the invoice", *, resumed: bool = False, **more: Any) -> None:
        self.add(ev.SessionStarted(
            task=task, target=WindowTarget(spec="window:0x1", title="Shop — Browser", window_id=1),
            provider="gemini", model="gemini-test", autonomy=Autonomy.GUARDED, max_steps=50, max_minutes=30.0,
            price=Price(input=Decimal(1), output=Decimal(2)), resumed=resumed, **more,
        ))  # fmt: skip

    def see(self, step: int, picture: str = "", mime_type: str = "image/png") -> None:
        digest = picture or f"picture {step}"
        self.blobs.setdefault(digest, png(step))
        geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=NATIVE, sent=NATIVE)
        self.add(ev.Observed(
            step=step, frame_id=f"f{step}", picture=digest, mime_type=mime_type, picture_bytes=100, geometry=geometry,
            title="Shop — Browser", url="https://shop.example.org/",
        ))  # fmt: skip

    def propose(self, step: int, *calls: ev.ProposedCall, narration: str = "", thoughts: str = "") -> None:
        self.wait(2.0)
        raw = f"answer {step}"
        self.blobs[raw] = json.dumps({"text": f"{EVIL} {step}"}).encode()
        self.add(ev.Proposed(
            step=step, calls=calls, narration=narration, thoughts=thoughts, raw=raw, request_bytes=300_000,
            latency_s=2.0, usage=Usage(input_tokens=1000, output_tokens=50),
        ))  # fmt: skip

    def run(self, step: int, call: int, action: Action) -> None:
        self.add(
            ev.Granted(step=step, call=call, grant_id=f"{step}-{call}", action=action, epoch=1),
            ev.Performed(step=step, call=call, result=ActResult.DONE, status=CallStatus.DONE, duration_s=0.05),
            ev.Settled(step=step, call=call, reason=SettleReason.QUIET, waited_s=0.1, changed=True),
        )

    def click(self, step: int, x: int = 100, y: int = 50, *, label: str = "Save") -> None:
        """A whole step with one ordinary click."""
        action = a.Click(at=NativePoint(x, y))
        self.see(step)
        self.propose(step, proposed(0, action, assessed(label)))
        self.add(decided(step, 0))
        self.run(step, 0, action)

    def end(self, outcome: ev.EndedOutcome = ev.EndedOutcome.FINISHED, message: str = "The invoice is paid.") -> None:
        usage = Usage(input_tokens=1000, output_tokens=50)
        self.add(ev.Ended(outcome=outcome, message=message, steps=1, usage=usage, elapsed_s=1.0))


def assessed(label: str, risk: RiskClass = RiskClass.C1, categories: tuple[Category, ...] = ()) -> Assessment:
    control = Control(role=Role.BUTTON, name=label, window="Shop", extent=Rect(80, 40, 60, 20))
    return Assessment(
        risk=risk, categories=categories, label=label, control=control, rule="by-label", reasons=("Why so.",)
    )


def proposed(index: int, action: Action | None, assessment: Assessment | None = None, **more: str) -> ev.ProposedCall:
    name = action.kind if action is not None else "fly_to"
    return ev.ProposedCall(index=index, name=name, action=action, assessment=assessment, **more)  # type: ignore[arg-type]


def decided(step: int, call: int, kind: DecisionKind = DecisionKind.APPROVE, *, human: bool = False) -> ev.Decided:
    by = DecidedBy.HUMAN if human else DecidedBy.POLICY
    return ev.Decided(step=step, call=call, decision=kind, by=by, rule="by-label")


def asked(step: int, call: int, question_id: str) -> ev.Asked:
    question = Question(
        question_id=question_id, answer=a.QuestionKind.CONFIRM, surface=Surface.CARD, text="Allow?", step=step,
        call=call, about="review",
    )  # fmt: skip
    return ev.Asked(question=question, step=step, call=call)


def session_of_all_outcomes() -> Source:
    """Eight answers of the model and a look without one: a batch of two, and a run that was cut off while it acted."""
    source = Source()
    source.start()
    click = a.Click(at=NativePoint(100, 50))
    source.click(1)
    for step, kind in ((2, DecisionKind.SKIP), (3, DecisionKind.DENY)):
        source.see(step)
        source.propose(step, proposed(0, click))
        source.add(decided(step, 0, kind, human=True))
    source.see(4)
    source.add(ev.Retrying(step=4, attempt=1, of=5, wait_s=2.0, reason="It is busy."))
    question = a.AskOperator(question="Which one?", answer=a.QuestionKind.TEXT)
    source.propose(4, proposed(0, question))
    source.add(decided(4, 0), ev.Performed(step=4, call=0, result=ActResult.DONE, status=CallStatus.DONE))
    source.see(5)
    source.propose(5, proposed(0, click), proposed(1, click))
    source.add(decided(5, 0), ev.Granted(step=5, call=0, grant_id="5-0", action=click, epoch=1))
    source.start(resumed=True)
    for step in (1, 2):
        source.click(step)
    source.see(3)
    source.propose(3, proposed(0, click))
    source.add(decided(3, 0, DecisionKind.STOP, human=True))
    source.see(4)
    source.add(ev.Stopped(reason=StopCause.LAPSE, latched=True))
    source.end(ev.EndedOutcome.STOPPED, "")
    return source


def full_session() -> Source:
    """Two runs: a stop, and the end."""
    source = Source()
    source.start(f"Pay the invoice\nand say {EVIL}")
    source.click(1)
    batch: tuple[Action, ...] = (
        a.TypeText(text=EVIL, at=NativePoint(200, 100), submit=True),
        a.Scroll(at=NativePoint(300, 200), dy=3),
        a.Drag(path=(NativePoint(10, 10), NativePoint(60, 80), NativePoint(400, 300))),
    )
    source.see(2)
    calls = [proposed(n, each, assessed(EVIL), intent=EVIL, note=EVIL) for n, each in enumerate(batch)]
    source.propose(2, *calls, narration=EVIL, thoughts=EVIL)
    for number, action in enumerate(batch):
        source.add(decided(2, number))
        source.run(2, number, action)
    pay = a.Click(at=NativePoint(500, 350))
    source.see(3)
    source.propose(3, proposed(0, pay, assessed("Pay now", RiskClass.C4, (Category.PAY,))))
    source.add(asked(3, 0, "q"))
    source.wait(20.0)
    source.add(ev.Answered(question_id="q", answer="yes", by=DecidedBy.HUMAN, took_s=20.1, step=3, call=0))
    source.add(decided(3, 0, human=True))
    source.run(3, 0, pay)
    source.add(ev.Message(text=EVIL), ev.Warned(title="A warning.", detail=EVIL))
    source.add(ev.Retrying(step=4, attempt=1, of=5, wait_s=2.0, reason=EVIL))
    source.see(4, "picture 3")
    source.propose(4, proposed(0, None, error=EVIL))
    source.add(decided(4, 0, DecisionKind.NOT_DONE))
    for step in (5, 6):
        source.see(step)
        source.propose(step, proposed(0, a.Wait(duration_s=1.0)))
        source.add(decided(step, 0))
        source.run(step, 0, a.Wait(duration_s=1.0))
    source.add(ev.Paused(by=PauseCause.HOTKEY))
    source.wait(5.0)
    source.add(ev.Resumed(by="human"), ev.HandedOver(reason=""))
    source.wait(7.0)
    source.add(ev.HandedBack(note=EVIL))
    doing = ev.StoppedAction(action=a.TypeText(text="hello"), window=EVIL)
    source.add(ev.Stopped(
        reason=StopCause.HOTKEY, latched=True, in_flight_action=doing, delivered=2, total=5, released_keys=1,
        press_to_last_event_ms=3.0,
    ))  # fmt: skip
    source.end(ev.EndedOutcome.STOPPED, "")
    source.start("Go on", resumed=True)
    source.click(7)
    source.end()
    source.unknown = ({"seq": 99, "kind": "later", "text": EVIL},)
    return source
