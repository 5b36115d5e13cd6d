"""A small recorded-like session as values: a desktop picture, and events that a real run would write. Tests only."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter

from operator_console.browser.dialog_layout import lay_out
from operator_console.computers.browser.dialog_drawing import draw_dialog
from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.elements import Control, ControlSource, Element, Role, TextKnowledge
from operator_console.domain.events import Event, ProposedCall, Record
from operator_console.domain.frames import BrowserTarget, Frame, MonitorTarget, SettleReason, TargetRef, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.pages import Page, PageDialog, Tab
from operator_console.domain.permissions import Coverage, PermissionOffer, PermittedAct
from operator_console.domain.proposals import CallStatus, SafetySignal, Usage
from operator_console.domain.risk import Autonomy, Category, RiskClass

TARGET = MonitorTarget(spec="monitor:1", title="Monitor 1 · 1280 × 800", display=":0")
WINDOW = WindowInfo(window_id=7, title="Expense report", app="Chromium", pid=1, rect=Rect(60, 50, 700, 640))
NOTES, SUBMIT = NativePoint(250, 470), NativePoint(180, 596)
SUBMIT_BUTTON = Control(
    source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.BUTTON, name="Submit report",
    text="Submit report", extent=Rect(90, 576, 180, 40), app="Chromium", window="Expense report",
)  # fmt: skip
NOTES_FIELD = Control(
    source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.TEXT_FIELD, name="Notes", label="Notes",
    extent=Rect(90, 410, 320, 120), app="Chromium", window="Expense report",
)  # fmt: skip
ELEMENTS = (
    *(
        Element(element_id=name, role=role, name=name, box=Rect(90 + column * 330, 158 + row * 80, 300, 34))
        for row, names in enumerate((("Employee", "Date"), ("Purpose", "Amount"), ("Category", "Currency")))
        for column, name in enumerate(names)
        for role in (Role.COMBO_BOX if row == 2 else Role.TEXT_FIELD,)
    ),
    Element(element_id="notes", role=Role.TEXT_FIELD, name="Notes", box=Rect(90, 410, 320, 120)),
    Element(element_id="submit", role=Role.BUTTON, name="Submit report", box=Rect(90, 576, 180, 40)),
    Element(element_id="receipts", role=Role.TERMINAL, name="receipts.txt", box=Rect(820, 448, 420, 272)),
)
"""What the applications of the drawn desktop would tell."""
LOW = Assessment(risk=RiskClass.C1, rule="ordinary", reasons=("ordinary typing",), label="Notes")
IN_NOTES = replace(LOW, control=NOTES_FIELD)
MEDIUM = Assessment(
    risk=RiskClass.C2, rule="closes", reasons=("Closes something.",), label="Close",
    control=Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.BUTTON, name="Close", text="Close",
        extent=Rect(1192, 62, 26, 24), app="galculator", window="galculator",
    ),
)  # fmt: skip
HIGH = Assessment(
    risk=RiskClass.C3, categories=(Category.SEND,), rule="sends-data", reasons=("it submits a form to a recipient",),
    label="Submit report", control=SUBMIT_BUTTON,
)  # fmt: skip
CRITICAL = Assessment(
    risk=RiskClass.C4, categories=(Category.PAY,), rule="pays", reasons=("the button reads “Pay now”",), label="Pay now"
)
CHECK = SafetySignal(
    source="gemini safety_decision", decision="require_confirmation",
    explanation="Submitting sends the report to the accounting department.",
)  # fmt: skip


def desktop_image(width: int = 1280, height: int = 800, tint: int = 0) -> QImage:
    """A drawn desktop: a form, a calculator, a terminal."""
    return QImage(_drawn_desktop(width, height, tint, _has_fonts()))


def _has_fonts() -> bool:
    """Whether texts can be drawn. Tests of plain values need none."""
    return QGuiApplication.instance() is not None


@cache
def _drawn_desktop(width: int, height: int, tint: int, with_text: bool) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#38566a").lighter(100 + tint))
    if not with_text:
        return image
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    font = QFont()
    font.setPixelSize(13)
    painter.setFont(font)
    _window(painter, QRect(60, 50, 700, 640), "Expense report — Chromium")
    painter.setPen(QColor("#1b1f24"))
    for row, (left, right) in enumerate((("Employee", "Date"), ("Purpose", "Amount"), ("Category", "Currency"))):
        for column, name in enumerate((left, right)):
            x, y = 90 + column * 330, 150 + row * 80
            painter.drawText(x, y, name)
            painter.fillRect(QRect(x, y + 8, 300, 34), QColor("white"))
            painter.drawRect(QRect(x, y + 8, 300, 34))
    painter.drawText(90, 400, "Notes")
    painter.drawRect(QRect(90, 410, 320, 120))
    painter.fillRect(QRect(90, 576, 180, 40), QColor(26, 115, 232).lighter(100 + tint))
    painter.setPen(QColor("white"))
    painter.drawText(QRect(90, 576, 180, 40), Qt.AlignmentFlag.AlignCenter, "Submit report")
    _window(painter, QRect(860, 60, 360, 300), "galculator")
    _window(painter, QRect(820, 420, 420, 300), "receipts.txt")
    painter.setPen(QColor("#1b1f24"))
    for row, text in enumerate(
        ("Receipts, November", "train   248.50 PLN", "hotel   612.00 PLN", "meals    91.20 PLN")
    ):
        painter.drawText(834, 470 + row * 22, text)
    painter.end()
    return image


def _window(painter: QPainter, rect: QRect, title: str) -> None:
    painter.fillRect(rect, QColor("#f6f7f8"))
    painter.fillRect(QRect(rect.x(), rect.y(), rect.width(), 28), QColor("#d9e2ef"))
    painter.setPen(QColor("#1b1f24"))
    painter.drawText(rect.x() + 12, rect.y() + 19, title)
    painter.drawRect(rect)


def frame_of(image: QImage, *, target: TargetRef = TARGET, origin: ScreenPoint | None = None) -> Frame:
    """A frame over a copy of the image's pixels."""
    pixels = bytes(image.convertToFormat(QImage.Format.Format_RGB32).constBits())
    native = Size(image.width(), image.height())
    return Frame(
        frame_id=hashlib.blake2b(pixels, digest_size=8).hexdigest(), pixels=memoryview(pixels).toreadonly(),
        geometry=FrameGeometry(origin=origin or ScreenPoint(0, 0), native=native, sent=native), target=target,
        taken_s=time.monotonic(), focus=WINDOW, title=WINDOW.title,
    )  # fmt: skip


@cache
def _desktop_png(width: int, height: int, tint: int, with_text: bool) -> bytes:
    """Kept, as encoding it would take most of the time of a test of records."""
    return png_of(_drawn_desktop(width, height, tint, with_text))


def png_of(image: QImage) -> bytes:
    """The image as PNG."""
    kept = QByteArray()
    buffer = QBuffer(kept)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(kept.data())


HEADLESS = BrowserTarget(spec="browser:shop.example", title="Browser · shop.example", url="https://shop.example/")
TABS = (
    Tab(tab_id="a", url="https://shop.example/", title="Shop"),
    Tab(tab_id="b", url="https://shop.example/orders?year=2026", title="Your orders in 2026 — Shop & Co", shown=True),
    Tab(tab_id="c", url="https://xn--pple-43d.example/", title=""),
)
PAGE = Page(
    document="b:1", url="https://ada@shop.example/orders?year=2026", title="Your orders", tabs=TABS,
)  # fmt: skip


def page_frame(image: QImage, dialog: PageDialog | None = None) -> Frame:
    """A live frame of a browser, with its dialog drawn over the page."""
    frame = replace(frame_of(image, target=HEADLESS), page=replace(PAGE, dialog=dialog), focus=None)
    if dialog is None:
        return frame
    native = frame.geometry.native
    drawn = draw_dialog(frame.pixels, native, dialog, lay_out(dialog, native, 1.0))
    return replace(frame, frame_id="with a dialog", pixels=memoryview(drawn).toreadonly())


@dataclass(slots=True)
class Story:
    """Makes records one after another, with times a moment apart, and the pictures they name."""

    image: QImage = field(default_factory=desktop_image)
    records: list[Record] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    now: datetime = field(default_factory=lambda: datetime.now(UTC) - timedelta(seconds=42))

    def add(self, event: Event, *, after_s: float = 0.3) -> Record:
        """One more record."""
        self.now += timedelta(seconds=after_s)
        record = Record(seq=len(self.records) + 1, time=self.now.isoformat(), event=event)
        self.records.append(record)
        return record

    def started(
        self, *, task: str = "Copy the train receipt into the expense report and submit it.",
        target: TargetRef = TARGET, sites: tuple[str, ...] = (), **more: object,
    ) -> Record:  # fmt: skip
        """The first record."""
        event = ev.SessionStarted(
            task=task, target=target, provider="gemini", model="gemini-3.8-flash", autonomy=Autonomy.GUARDED,
            max_steps=100, max_minutes=30.0, resumed=bool(more.get("resumed", False)), sites=sites,
        )  # fmt: skip
        return self.add(event)

    def observed(self, step: int, *, tint: int = 0, marks: tuple[ElementMark, ...] = ()) -> Record:
        """A look."""
        size = self.image.width(), self.image.height()
        ours = self.image.cacheKey() == _drawn_desktop(*size, 0, _has_fonts()).cacheKey()
        data = _desktop_png(*size, tint, _has_fonts()) if tint or ours else png_of(self.image)
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        native = Size(*size)
        geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=native, sent=native)
        return self.add(
            ev.Observed(
                step=step,
                frame_id=f"f{step}",
                picture=digest,
                picture_bytes=len(data),
                geometry=geometry,
                focus=WINDOW,
                title=WINDOW.title,
                marks=marks,
            )
        )

    def proposed(
        self, step: int, *calls: ProposedCall, thoughts: str = "", narration: str = "", raw: bytes = b""
    ) -> Record:
        """The model's answer; `raw`: as it arrived."""
        usage = Usage(input_tokens=2_900, output_tokens=160)
        digest = hashlib.sha256(raw).hexdigest() if raw else ""
        self.blobs |= {digest: raw} if raw else {}
        answer = ev.Proposed(
            step=step, calls=calls, thoughts=thoughts, narration=narration, usage=usage, raw=digest,
            request_bytes=248_000, latency_s=0.6,
        )  # fmt: skip
        return self.add(answer, after_s=0.6)

    def done(self, step: int, call: int, *, by: DecidedBy = DecidedBy.POLICY) -> None:
        """A call that was decided, granted and done."""
        self.add(
            ev.Decided(step=step, call=call, decision=DecisionKind.APPROVE, by=by, rule="ordinary", assessment=LOW)
        )
        proposed = next(r.event for r in reversed(self.records) if isinstance(r.event, ev.Proposed))
        action = proposed.calls[call].action
        assert action is not None
        self.add(ev.Granted(step=step, call=call, grant_id=f"g{step}.{call}", action=action, epoch=1), after_s=0.1)
        self.add(
            ev.Performed(
                step=step, call=call, grant_id=f"g{step}.{call}", result=ActResult.DONE, status=CallStatus.DONE
            ),
            after_s=0.2,
        )

    def settled(self, step: int, call: int = 0, *, changed: bool | None = True) -> Record:
        """The picture stopped changing."""
        settled = ev.Settled(step=step, call=call, reason=SettleReason.QUIET, waited_s=0.2, changed=changed)
        return self.add(settled, after_s=0.2)

    def history(self, steps: int = 5) -> None:
        """A few ordinary steps, one of them skipped by the human."""
        self.started()
        actions: tuple[a.Action, ...] = (
            a.Screenshot(), a.Scroll(at=NOTES, dy=3), a.Click(at=NativePoint(560, 250)),
            a.TypeText(text="248.50", at=NativePoint(560, 250)), a.Click(at=NativePoint(560, 330)),
        )  # fmt: skip
        for step in range(1, steps + 1):
            self.observed(step, tint=step * 4)
            action = actions[(step - 1) % len(actions)]
            self.proposed(step, call_of(0, action, LOW if step > 2 else None))
            if step == 2:
                self.add(
                    ev.Decided(
                        step=step, call=0, decision=DecisionKind.SKIP, by=DecidedBy.HUMAN, rule="skipped",
                        feedback="not needed",
                    )
                )  # fmt: skip
                self.add(ev.Performed(step=step, call=0, result=ActResult.DONE, status=CallStatus.SKIPPED))
            else:
                self.done(step, 0)
            self.settled(step)

    def batch(self, step: int = 6) -> None:
        """A step that types and submits."""
        self.observed(step, tint=40)
        self.proposed(
            step,
            call_of(0, a.TypeText(text="Train to Kraków", at=NOTES), IN_NOTES, box=Rect(88, 408, 324, 124)),
            call_of(1, a.Click(at=SUBMIT), HIGH, safety=CHECK),
            thoughts="The fields match the receipt; I add a note and submit the report.",
        )


def call_of(
    index: int, action: a.Action | None, assessment: Assessment | None = None, *, box: Rect | None = None,
    safety: SafetySignal | None = None, intent: str = "",
) -> ProposedCall:  # fmt: skip
    """A proposed call."""
    return ProposedCall(
        index=index, name=action.kind if action else "fly_away", action=action, box=box, safety=safety,
        assessment=assessment, intent=intent or "The fields match the receipt; I add a note and submit the report.",
    )  # fmt: skip


SUBMITTING = Coverage(
    act=PermittedAct.PRESS, risk=RiskClass.C3, role=Role.BUTTON, name="Submit report", app="Chromium",
    site="expenses.example", reasons=(("send", "sends-data"),),
)  # fmt: skip
IN_NOTES_FIELD = Coverage(
    act=PermittedAct.TYPE,
    risk=RiskClass.C1,
    role=Role.TEXT_FIELD,
    name="Notes",
    app="Chromium",
    site="expenses.example",
)
NEXT = Coverage(
    act=PermittedAct.PRESS, risk=RiskClass.C1, role=Role.BUTTON, name="Next", app="importer", window="Import wizard"
)


def permitted(coverage: Coverage, permission_id: str = "p1") -> ev.Permitted:
    """A permission that was given."""
    return ev.Permitted(permission_id=permission_id, text=coverage.sentence, coverage=coverage, question_id="q0")


def review(
    step: int, call: int, action: a.Action, assessment: Assessment, *, dialog: bool = False,
    offer: PermissionOffer | None = None,
) -> Question:  # fmt: skip
    """A question about a call."""
    return Question(
        question_id=f"q{step}.{call}", answer=a.QuestionKind.CONFIRM,
        surface=Surface.DIALOG if dialog else Surface.CARD,
        text="Allow the model to click “Submit report” in “Expense report”?" if dialog else "Approve this step?",
        step=step, call=call, timeout_s=60.0 if dialog else None, about="safety" if dialog else "review",
        action=action, assessment=assessment, offer=offer,
    )  # fmt: skip
