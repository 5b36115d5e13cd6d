"""Shows a situation in the window: decides which panels are visible and passes each its data.

Not a controller: it posts nothing, starts nothing, and remembers only whether the stop was latched and when the phase
began.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from operator_console.domain.actions import Action
from operator_console.domain.errors import ConsoleError
from operator_console.domain.events import Stopped
from operator_console.domain.frames import Frame, TargetKind
from operator_console.domain.geometry import NativePoint
from operator_console.domain.translations import _
from operator_console.ui.backend import Elsewhere, GuardStatus
from operator_console.ui.controllers.preview_pictures import Pictures
from operator_console.ui.controllers.questions_to_operator import QuestionController
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.panels.compact_bar import CompactBar
from operator_console.ui.panels.stop_receipt import local_time
from operator_console.ui.preview.plan_marks import MarkStage
from operator_console.ui.view.call_words import as_asked, would_be
from operator_console.ui.view.cause_words import stopped_words
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.page_words import asked_words, page_of
from operator_console.ui.view.session_view import Item, Phase, SessionView, Step
from operator_console.ui.view.state_words import start_blocked, waiting
from operator_console.ui.view.target_words import (
    TargetNote,
    choice_note,
    covered_note,
    covering_window,
    is_gone,
    pointing_note,
    trouble_note,
    used_in_preview,
)
from operator_console.ui.widgets.controls import enable
from operator_console.ui.window import MainWindow
from operator_console.ui.window_shortcuts import ShortcutAction, keys_of

TABS_CHOSEN_IN = frozenset((Phase.PAUSED, Phase.HANDED_OVER))
"""While nothing can be acted: a tab that is chosen is the operator's own act."""
_ON_THIS_DESKTOP = frozenset((TargetKind.MONITOR, TargetKind.WINDOW, TargetKind.VM))


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that the window shows.

    Attributes:
        record: the session's file; None without one.
        replay: whether a file is read, not a session run.
        whole: everything in that file, of which `view` has reached a part; None without a file.
        starting: whether a start is in progress and can be cancelled.
        pointing: whether a window is chosen by pointing at it.
        looking: whether the target list is being refreshed.
        trouble: why the target cannot be captured.
        target: title of the target in the preview; "" if it is the session's.
        live: the last live frame.
        looked_s: time.monotonic() of the last live frame, changed or not.
        edited: the action as edited so far, for its mark on the preview.
    """

    view: SessionView
    guard: GuardStatus
    record: Path | None = None
    replay: bool = False
    whole: ChunkedList[Item] | None = None
    starting: bool = False
    pointing: bool = False
    looking: bool = False
    notice: Notice | None = None
    target: str = ""
    trouble: ConsoleError | None = None
    live: Frame | None = None
    looked_s: float | None = None
    edited: object = None


class Presenter:
    """Renders a `Situation` in the window's panels."""

    def __init__(self, window: MainWindow, bar: CompactBar, pictures: Pictures, questions: QuestionController) -> None:
        self._window, self._bar, self._pictures, self._questions = window, bar, pictures, questions
        self._latched = False
        self._was_latched = self._was_active = False
        self._reset: Stopped | None = None
        self._phase, self._phase_began_s = Phase.IDLE, 0.0

    def begin(self) -> None:
        """Forget an earlier latch at the start of a session."""
        self._latched = False

    def show(self, now: Situation) -> None:
        """Render everything."""
        window, view, replay = self._window, self.view_of(now), now.replay
        window.header.show_view(view, now.record.name if now.record is not None else "", replay=replay,
                                elsewhere=now.guard.elsewhere)  # fmt: skip
        folded = (view.started is not None and view.phase is not Phase.IDLE) or replay
        window.line.setVisible(folded)
        window.setup.setVisible(not folded or window.line.unfold.isChecked())
        enable(
            window.setup,
            _("The set-up can be changed when the session has ended.")
            if view.phase.active and not now.starting
            else "",
        )
        window.setup.start.setVisible(not folded)
        window.setup.show_starting(now.starting)
        stopped = now.guard.latch is not None
        free = now.starting or (view.phase.active and not replay)
        blocked = None if free else start_blocked(now.guard)
        window.setup.show_blocked(
            blocked.why if blocked is not None else "", tip=f"{_('Start')} ({keys_of(ShortcutAction.START)})"
        )
        window.line.show_view(view, target=now.target, starting=now.starting, replay=replay,
                              folded=window.isMinimized(), blocked=blocked)  # fmt: skip
        window.transport.setVisible(replay)
        window.show_waiting(waiting(view) and not replay)
        marks = self._pictures.marks(view, now.edited)
        stale = now.trouble is not None and not replay
        self._pictures.show_view(view, marks, seen=not stale)
        self._show_page(now, view)
        window.side.card.set_blocked(blocked.why if blocked is not None else "")
        self._show_out_of_reach(now, view, seen=not stale)
        notice = self._banner(now, view)
        in_receipt = _has_focus(window, window.side.receipt)
        window.side.show_view(view, now.guard, self._pictures.crop, self._pictures.native, now.whole)
        in_target = _in_target(now.live)
        self._questions.show_view(view, self._pictures.crop, replay=replay, in_target=in_target)
        self._bar.show_view(view)
        self.show_bar(now)
        window.banner.show_notice(notice)
        self._show_notes(now, view)
        if stopped and not self._was_latched:
            window.come_forward_over_target(in_front=in_target)
            window.open_drawer()  # the receipt and Reset are in the right column
            self._lead_to_reset()
        elif self._was_latched and not stopped and in_receipt:
            (window.line.go_on if folded else window.setup.start).setFocus()
        self._was_latched = stopped
        if self._was_active and view.phase is Phase.ENDED:
            window.come_forward_over_target(in_front=in_target)
            self._lead_to_follow_up()
        self._was_active = view.phase.active and not replay
        self.tick(now)

    def _show_out_of_reach(self, now: Situation, view: SessionView, *, seen: bool) -> None:
        """Say where an action is asked about why it cannot be approved: no live picture, or its place is covered."""
        asked = view.question is not None and view.question.about in ("review", "safety")
        why = why_in_dialog = ""
        gone = not seen and is_gone(now.trouble)
        if not seen:
            why = (
                _("The target is closed. Nothing more can be approved in this session.")
                if gone
                else _("The picture is not live. Approve waits until the target can be seen.")
            )
            why_in_dialog = _("Allow opens when the target can be seen.")
        elif asked and not now.replay and covering_window(now.live, self._next_action(now, view)) is not None:
            why, why_in_dialog = (
                _("Another window covers this place. Approve waits until the target is in front."),
                _("Allow opens when no other window covers the target."),
            )
        self._window.side.card.set_out_of_reach(why, seen=seen)
        self._bar.set_out_of_reach(why)
        self._questions.set_out_of_reach(why_in_dialog, gone=gone)

    def _show_page(self, now: Situation, view: SessionView) -> None:
        """The page of the picture that is shown: a chosen step's, the live one, else the newest of the record."""
        chosen = self._pictures.chosen
        live = now.live if not now.replay else None
        if isinstance(chosen, Step):
            page = page_of(chosen.observed)
        elif live is not None:
            page = live.page
        else:
            steps = (item for item in reversed(view.items) if isinstance(item, Step) and item.observed is not None)
            page = page_of(next((step.observed for step in steps), None))
        by_hand = page is not None and bool(page.document) and view.phase in TABS_CHOSEN_IN
        self._window.page_line.show_page(page, "" if by_hand else _("Pause or take over to choose a tab yourself"))
        self._window.status.show_page(asked_words(page.dialog if page is not None else None))

    def _next_action(self, now: Situation, view: SessionView) -> Action | None:
        """The action that is asked about or comes next, as it would be done."""
        call = view.upcoming_call
        edited = now.edited if isinstance(now.edited, Action) else None
        return would_be(as_asked(call, view), edited).action if call is not None and view.phase.active else None

    def _lead_to_follow_up(self) -> None:
        """After the end the keyboard goes on where the model is answered, or told more; what ran has no buttons now.

        Enter in the empty line does nothing. Who writes, or reads a step that he chose, is left there.
        """
        window = self._window
        if self._pictures.chosen is None and not _has_focus(window, window.setup):
            window.line.message.setFocus()

    def _lead_to_reset(self) -> None:
        """The keyboard goes on at the receipt, whose word counts only after a second; not while a task is written."""
        window, receipt = self._window, self._window.side.receipt
        if not receipt.isHidden() and not _has_focus(window, window.setup):
            receipt.word.setFocus()

    def tick(self, now: Situation) -> None:
        """Update what changes with time alone."""
        view, replay, now_s = self.view_of(now), now.replay, time.monotonic()
        window = self._window
        if view.phase is not self._phase:
            self._phase, self._phase_began_s = view.phase, now_s
        window.header.show_time(view, now_s, self._phase_began_s, replay=replay)
        window.header.show_guard(now.guard, view, replay=replay)
        window.status.show_guard(now.guard, now_s)
        window.status.show_view(view, view.elapsed_s(None if replay else datetime.now(UTC)))
        window.preview_bar.show_age(now_s - now.looked_s if now.looked_s is not None and not replay else None)

    def show_bar(self, now: Situation) -> None:
        """Show the small bar while the window is minimised and a session runs or the stop is latched.

        It stays until the window is opened, also when the session ends: else nothing would be left on the screen.
        """
        view = self.view_of(now)
        wanted = view.phase.active or now.guard.latch is not None or self._bar.isVisible()
        if not self._window.isMinimized() or not wanted:
            self._bar.hide()
            return
        marks = self._pictures.marks(view, None)
        upcoming = [mark for mark in marks if mark.stage is MarkStage.NEXT] or list(marks)
        away = self._on_screen(view, [point for mark in upcoming[:1] for point in mark.points])
        self._bar.place(self._window.screen().availableGeometry(), away)
        self._bar.show()

    def _on_screen(self, view: SessionView, points: Sequence[NativePoint]) -> list[QPoint]:
        """Points of the picture on this desktop, in logical pixels; none where the target is elsewhere."""
        step, started = view.step, view.started
        if step is None or step.observed is None or started is None or started.target.kind not in _ON_THIS_DESKTOP:
            return []
        geometry = step.observed.geometry
        places = [geometry.to_screen(point) for point in points if geometry.contains(point)]
        screen = self._window.screen()
        corner, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
        return [
            QPoint(
                round(corner.x() + (place.x - corner.x()) / ratio), round(corner.y() + (place.y - corner.y()) / ratio)
            )
            for place in places
        ]

    def view_of(self, now: Situation) -> SessionView:
        """The view; stopped while the stop is latched, and a stopped session counts as ended once it was reset.

        A stop after that is not the session's.
        """
        latched = now.guard.latch is not None
        self._latched = self._latched or latched
        if now.replay or now.view.phase.active:
            return now.view
        if latched:
            view = replace(now.view, phase=Phase.STOPPED)
            return replace(view, stopped=None, stopped_time="") if view.stopped is self._reset else view
        if now.view.phase is Phase.STOPPED and self._latched:
            self._reset = now.view.stopped
            return replace(now.view, phase=Phase.ENDED)
        return now.view

    def _banner(self, now: Situation, view: SessionView) -> Notice | None:
        latch = now.guard.latch
        if latch is None and now.guard.elsewhere is not None and now.notice is None:
            return _at_work_elsewhere(now.guard.elsewhere)
        if latch is None or now.replay:
            return now.notice
        when = local_time(latch.since or view.stopped_time)
        stopped = stopped_words(latch.reason)
        title = (
            _("{stopped} at {time}. Nothing can act until you reset.").format(stopped=stopped, time=when)
            if when
            else _("{stopped}. Nothing can act until you reset.").format(stopped=stopped)
        )
        # Keep the other notice's text and button: after a crash there are both a latch and an interrupted record.
        said = now.notice or Notice(tone=Tone.STOP, title="")
        detail = said.title if said.tone is Tone.ERROR else f"{said.title} {said.detail}".strip()
        return Notice(tone=Tone.STOP, title=title, detail=detail, act=said.act, key=said.key, closable=False)

    def _kind(self, view: SessionView) -> TargetKind | None:
        """The kind of the target in the preview."""
        choice = self._window.setup.chooser.choice
        if view.phase.active and view.started is not None:
            return view.started.target.kind
        return choice.kind if choice is not None else None

    def _show_notes(self, now: Situation, view: SessionView) -> None:
        """Say on the preview why there is no picture, or that the target is covered."""
        window, chooser = self._window, self._window.setup.chooser
        note: TargetNote | None = None
        if now.replay:
            before = not _has_picture(view.items) and _has_picture(now.whole or ())
            title = _("There is no picture before the first step.") if before else _("This record has no picture.")
            note = TargetNote(title=title) if window.preview.fit is None else None
        elif now.trouble is not None:
            note = trouble_note(now.trouble, view.phase, self._kind(view))
        elif not view.phase.active and (window.preview.fit is None or chooser.choice is None or chooser.choice.closed):
            note = choice_note(window.setup.chosen_target, looking=now.looking, some=not chooser.empty)
        window.empty.show_note(note)
        shown = None if now.replay or note is not None else covered_note(now.live, self._next_action(now, view))
        window.hint.show_note(pointing_note() if now.pointing else shown)


def _where_it_runs(session: Elsewhere) -> str:
    """Which process runs a terminal's session, since when, and its record, as far as that is known."""
    since = local_time(session.since)
    state = _("waiting since {time}") if session.paused else _("working since {time}")
    parts = ", ".join(
        (
            *((_("process {number}").format(number=session.pid),) if session.pid else ()),
            *((state.format(time=since),) if since else ()),
            *((_("record {name}").format(name=session.record),) if session.record else ()),
        )
    )
    stop = _("Stop stops it. You can start a session here when it has ended.")
    return f"{parts[:1].upper()}{parts[1:]}. {stop}" if parts else stop


def _at_work_elsewhere(session: Elsewhere) -> Notice:
    detail = _where_it_runs(session)
    title = (
        _("A session that was started in a terminal waits on this display.")
        if session.paused
        else _("A session that was started in a terminal works on this display.")
    )
    return Notice(tone=Tone.INFO, title=title, detail=detail, closable=False)


def _has_picture(items: Iterable[Item]) -> bool:
    return any(isinstance(item, Step) and item.observed is not None for item in items)


def _in_target(live: Frame | None) -> bool:
    """Whether the keyboard is in the target on this desk; of a browser's window it is not told, and taken to be."""
    return live is not None and not used_in_preview(live.target) and live.focus_in_target


def _has_focus(window: MainWindow, panel: QWidget) -> bool:
    """Whether the keyboard is in a panel of the window, whichever window is active."""
    focused: QWidget | None = window.focusWidget()
    return focused is not None and panel.isAncestorOf(focused)
