"""Practice in the window: opens the practice window, sets the session up, and tells the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, QRect, Signal
from PySide6.QtWidgets import QWidget

from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.errors import ConsoleError
from operator_console.domain.events import Ended, EndedOutcome
from operator_console.domain.geometry import Rect
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief
from operator_console.ui.backend import ConsoleBackend, PracticeOffer
from operator_console.ui.bridge import Bridge, Happening, RecordCame
from operator_console.ui.controllers.target import TargetController
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.view.call_words import call_phrase
from operator_console.ui.view.session_view import Call, SessionView, Step
from operator_console.ui.widgets.window_size import header_height, side_width
from operator_console.ui.window import MainWindow

TASK, ENDING, RESULT = "practice", "end practice", "practice result"
START_PAGE = "start-page"
"""The key of a notice whose button shows the start page."""


class PracticeController(QObject):
    """The practice window and its sessions.

    Attributes:
        offer: the open practice window; None without one.

    Signals:
        changed: it was opened or ended, or is being opened (no payload).
        noticed: there is something to say; carries a Notice.
    """

    changed = Signal()
    noticed = Signal(object)

    def __init__(
        self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, targets: TargetController,
        view: Callable[[], SessionView], offer: PracticeOffer | None = None,
    ) -> None:  # fmt: skip
        """`view`: what the window knows of the newest session."""
        super().__init__()
        self._backend, self._bridge, self._window, self._targets = backend, bridge, window, targets
        self.offer, self._view = offer, view
        self._runs = False
        bridge.happened.connect(self._happened)
        bridge.ended.connect(self._task_ended)

    @property
    def opening(self) -> bool:
        """Whether it is being opened or ended."""
        return self._bridge.running(TASK) or self._bridge.running(ENDING)

    def open(self) -> None:
        """Open the practice window and set its session up, each step to be approved."""
        if not self.opening:
            self._bridge.run(TASK, self._open())
            self.changed.emit()

    def end(self) -> None:
        """End the practice window."""
        if not self.opening:
            self._bridge.run(ENDING, self._end())
            self.changed.emit()

    def failed(self, name: str, error: ConsoleError) -> Notice | None:
        """What to say about a task of this controller that failed; None for tasks of others."""
        return Notice.of(error, act=_("What next?"), key=START_PAGE) if name in (TASK, ENDING, RESULT) else None

    def begun(self, request: SessionRequest) -> bool:
        """A session began. Returns whether it is one of practice."""
        self._runs = self.is_of(request)
        return self._runs

    def is_of(self, request: SessionRequest) -> bool:
        """Whether the session would work on the practice window."""
        return self.offer is not None and request.target == self.offer.request.target

    def introduce(self) -> None:
        """Say how practice goes."""
        if self.offer is not None:
            where = (
                _("It runs in an isolated desktop: nothing on your screen is touched.")
                if self.offer.isolated
                else _("It runs in the window “Plant diary” beside this one. Leave that window open.")
            )
            how = _("Press Start. Each step waits until you press Approve; Stop ends it at any time.")
            said = f"{how} {where}" if self._window.setup.autonomy is Autonomy.STEP else where
            self.noticed.emit(Notice(tone=Tone.INFO, title=_("Practice is ready."), detail=said))

    async def _open(self) -> None:
        self.offer = None
        setup = self._window.setup
        offer = await self._backend.open_practice(*room_beside(self._window))
        self.offer = offer = replace(offer, request=replace(offer.request, autonomy=Autonomy.STEP))
        await self._targets.choose(offer.request.target)
        setup.show_models(await self._backend.models())
        setup.write_task(offer.request.task)
        setup.show_request(offer.request)
        starts = (setup.start, self._window.line.start)
        next((push for push in starts if push.isVisible()), setup.start).setFocus()
        self.introduce()

    async def _end(self) -> None:
        await self._backend.close_practice()
        offer, self.offer = self.offer, None
        if offer is not None:
            if self._window.setup.task.toPlainText().strip() == offer.request.task.strip():
                self._window.setup.write_task("")
            await self._targets.choose("")

    async def _tell(self) -> None:
        result = await self._backend.practice_result()
        own = _done_otherwise(self._view())
        if own and result.missing:
            differs = _("What differs from the practice runbook: {differences}.")
            detail = f"{own} {differs.format(differences='; '.join(result.missing))}"
        else:
            detail = own or result.words
        self.noticed.emit(Notice(
            tone=Tone.INFO if result.passed or own else Tone.ERROR, title=_("Practice finished."), detail=detail,
            act=_("What next?"), key=START_PAGE,
        ))  # fmt: skip

    def _happened(self, happening: Happening) -> None:
        if not self._runs or not isinstance(happening, RecordCame) or not isinstance(happening.record.event, Ended):
            return
        if happening.record.event.outcome is EndedOutcome.FINISHED:
            self._bridge.run(RESULT, self._tell())

    def _task_ended(self, name: object) -> None:
        if name in (TASK, ENDING):
            self.changed.emit()


def _done_otherwise(view: SessionView) -> str:
    """What the operator had done otherwise than the runbook says, as a sentence; "": nothing."""
    calls = [call for item in view.items if isinstance(item, Step) for call in item.calls]
    changed = _names(call for call in calls if call.decision is DecisionKind.MODIFY)
    skipped = _names(
        call for call in calls if call.by is DecidedBy.HUMAN and call.decision in (DecisionKind.SKIP, DecisionKind.DENY)
    )
    if changed and skipped:
        return _("You changed {changed} and skipped {skipped}.").format(changed=changed, skipped=skipped)
    if changed:
        return _("You changed {changed}.").format(changed=changed)
    return _("You skipped {skipped}.").format(skipped=skipped) if skipped else ""


def _names(calls: Iterable[Call]) -> str:
    """The controls of calls in one line; a call without one by what it does."""
    words = ((call.control.name if call.control else "") or call.label or call_phrase(call) for call in calls)
    return ", ".join(dict.fromkeys(brief(each, 60) for each in words))


def room_beside(window: MainWindow) -> tuple[Rect, tuple[Rect, ...]]:
    """The screen, and the parts of the console on it that must not be covered: Start, the header with Stop, and the
    right column, where Approve is."""
    whole, start = window.rect(), window.setup.start
    header = QRect(0, 0, whole.width(), header_height())
    side = side_width(whole.width())
    right = QRect(whole.width() - side, 0, side, whole.height())
    parts = (_placed(start, start.rect()), _placed(window, header), _placed(window, right))
    return _rect(window.screen().availableGeometry()), parts


def _placed(widget: QWidget, rect: QRect) -> Rect:
    return _rect(rect.translated(widget.mapToGlobal(QPoint(0, 0))))


def _rect(rect: QRect) -> Rect:
    return Rect(rect.x(), rect.y(), rect.width(), rect.height())
