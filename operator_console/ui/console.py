"""The app's window at work: holds the view, renders it, posts what the human wants, and owns the window's life.

app.py makes the backend and calls `Console.run()` as its main coroutine; everything else is started from there and has
ended when it returns. Not a decision maker: sessions, stops and records are the backend's.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QKeyCombination, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

from operator_console.domain.errors import ConsoleError
from operator_console.domain.events import StopCause
from operator_console.domain.intents import Pause, Resume, Stop
from operator_console.domain.requests import SessionRequest
from operator_console.ui import bridge as br
from operator_console.ui.backend import (
    ConsoleBackend,
    ModelChoice,
    Opening,
    OpenRecord,
    Preferences,
    SessionHandle,
    TargetChoice,
)
from operator_console.ui.banner import Notice, Tone
from operator_console.ui.bar import CompactBar
from operator_console.ui.confirm import ConfirmDialog
from operator_console.ui.fold import fold, fold_all, with_state
from operator_console.ui.key_dialog import KeyDialog, KeyEntered
from operator_console.ui.model import Phase, SessionView
from operator_console.ui.pictures import Pictures
from operator_console.ui.questions import QuestionDesk
from operator_console.ui.sessions_dialog import SessionsDialog
from operator_console.ui.settings_dialog import SettingsDialog
from operator_console.ui.state_words import waiting
from operator_console.ui.stop_receipt import local_time
from operator_console.ui.theme import Theme, Tokens
from operator_console.ui.window import MainWindow
from operator_console.ui.words import STOP_WORDS

TICK_MS = 250
CLOSING_S = 10.0
"""How long a session may take to end in order when the window is closed."""


class Console(QObject):
    """The window at work.

    Args:
        app: the one QApplication.
        backend: everything behind the window.
        opening: what the app was started for.
    """

    def __init__(self, app: QApplication, backend: ConsoleBackend, opening: Opening | None = None) -> None:
        super().__init__()
        self._backend, self._opening = backend, opening or Opening()
        self._view = self._before_start = SessionView()
        self._handle: SessionHandle | None = None
        self._record: OpenRecord | None = None
        self._guard = backend.guard
        self._notice: Notice | None = None
        self._edited: object = None
        self._looked_s: float | None = None
        self._trouble: ConsoleError | None = None
        self._unfolded = True
        self._latched = False
        self._key_dialog: KeyDialog | None = None
        self._sessions_dialog: SessionsDialog | None = None
        self._done = asyncio.Event()
        self._preferences = backend.preferences
        self.theme = Theme(app, self._preferences.theme)
        self.bridge = br.Bridge(backend)
        self.window = MainWindow()
        self.bar = CompactBar()
        self.desk = QuestionDesk(backend, self.window, self.theme)
        window = self.window
        self.pictures = Pictures(self.bridge, window.stage, window.stage_bar, window.side.timeline)
        self._render_soon = QTimer(self)
        self._render_soon.setSingleShot(True)
        self._render_soon.setInterval(0)
        self._render_soon.timeout.connect(self.render)
        self._clock = QTimer(self)
        self._clock.setInterval(TICK_MS)
        self._clock.timeout.connect(self._tick)
        self._connect()
        self._themed(self.theme.tokens)
        window.stage.set_reduced_motion(self._preferences.reduced_motion)
        window.setup.show_preferences(self._preferences)
        window.setup.show_models(backend.models(), (self._preferences.provider, self._preferences.model))

    def _connect(self) -> None:
        window, bridge = self.window, self.bridge
        bridge.happened.connect(self._happened)
        bridge.frame.connect(self._frame_came)
        bridge.looked.connect(self._looked)
        self.theme.changed.connect(self._themed)
        window.header.stop_pressed.connect(self.stop)
        window.header.pause_pressed.connect(self._pause)
        window.header.resume_pressed.connect(self._resume)
        window.header.settings_pressed.connect(self._open_settings)
        window.header.fold_pressed.connect(window.showMinimized)
        window.setup.start_pressed.connect(self._start_pressed)
        window.setup.refresh_pressed.connect(self._refresh_targets)
        window.setup.target_chosen.connect(self._target_chosen)
        window.setup.key_pressed.connect(self._enter_key)
        window.line.intent.connect(self._post)
        window.line.follow_up.connect(self._follow_up)
        window.line.continue_pressed.connect(self._continue)
        window.line.start_pressed.connect(self._start_pressed)
        window.line.unfold_toggled.connect(self._unfold)
        window.banner.acted.connect(self._notice_acted)
        window.banner.closed.connect(self._notice_closed)
        window.empty.acted.connect(self._refresh_targets)
        window.side.card.intent.connect(self._post)
        window.side.card.picking.connect(self._picking)
        window.side.card.edited.connect(self._card_edited)
        window.stage.picked.connect(window.side.card.take_point)
        window.side.receipt.reset_pressed.connect(self._reset)
        window.side.open_pressed.connect(self._open_sessions)
        window.transport.moved.connect(self._replay_moved)
        window.transport.closed.connect(self._close_record)
        window.file_dropped.connect(self._open_path)
        window.close_wanted.connect(self._close_wanted)
        window.folded.connect(self._folded)
        self.desk.intent.connect(self._post)
        self.bar.intent.connect(self._post)
        self.bar.stop_pressed.connect(self.stop)
        self.bar.open_pressed.connect(self._open_console)
        for keys, slot in (
            (QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_O), self._open_sessions),
            (QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_Comma), self._open_settings),
            (QKeyCombination(Qt.KeyboardModifier.NoModifier, Qt.Key.Key_Escape), self.pictures.back_to_live),
        ):
            QShortcut(QKeySequence(keys), window).activated.connect(slot)

    # life

    async def run(self) -> int:
        """Show the window, work until it is closed, and leave nothing behind. The exit code."""
        self.window.show()
        self._clock.start()
        self.render()
        self._refresh_targets()
        self.bridge.run("interrupted", self._offer_interrupted())
        if self._opening.request is not None:
            self.window.setup.show_request(self._opening.request)
        if self._opening.record is not None:
            self._open_path(self._opening.record)
        try:
            await self._done.wait()
            await self._end_session()
        finally:
            await self._leave()
        return 0

    def close(self) -> None:
        """End the main coroutine (a signal, a test)."""
        self._done.set()

    async def _end_session(self) -> None:
        if self._handle is None or not self._view.phase.active:
            return
        self._handle.post(Stop(reason=StopCause.INTERRUPT, detail="the console was closed"))
        try:
            async with asyncio.timeout(CLOSING_S):
                await self._handle.wait()
        except TimeoutError:
            await self._backend.stop()

    async def _leave(self) -> None:
        self._clock.stop()
        self._render_soon.stop()
        self.desk.close()
        self.window.transport.pause()
        await self.bridge.close()
        if self._record is not None:
            self._record.close()
        self.bar.close()
        self.bar.deleteLater()
        self.window.really_close()
        self.window.deleteLater()

    def _close_wanted(self) -> None:
        if not self._view.phase.active or self._record is not None:
            self.close()
            return
        text = "Closing ends it in order: what is held is released and the record is kept."
        dialog = ConfirmDialog("A session is running", text, "End it and close", "Go on", self.window)
        dialog.confirmed.connect(self.close)
        dialog.open()

    async def _offer_interrupted(self) -> None:
        summary = await self._backend.interrupted()
        if summary is not None and self._notice is None:
            self._say(Notice(
                tone=Tone.INFO, title="The last session broke off.", detail=f"Its record is kept: {summary.task}",
                act="Open record", key=f"open:{summary.path}",
            ))  # fmt: skip

    # what happens

    def _happened(self, happening: br.Happening) -> None:
        match happening:
            case br.RecordCame(record=record):
                if self._record is None:
                    self._view = fold(self._view, record)
            case br.StateCame(state=state):
                if self._record is None:
                    self._view = with_state(self._view, state)
            case br.ShownToModel(frame=frame):
                self.pictures.shown_to_model(frame)
            case br.GuardCame(status=status):
                self._guard = status
            case br.TargetTrouble(error=error):
                self._trouble = error
            case br.PictureCame(digest=digest, image=image):
                self.pictures.came(digest, image)
            case br.TaskFailed(name=name, error=error):
                self._task_failed(name, error)
            case _:
                assert_never(happening)
        self._render_soon.start()

    def _task_failed(self, name: str, error: ConsoleError) -> None:
        if name == "key" and self._key_dialog is not None:
            self._key_dialog.show_error(error)
            return
        model = self.window.setup.chosen_model
        if name == "start":
            self._view = self._before_start
        keyless = name == "start" and model is not None and model.needs_key and not model.has_key
        self._say(Notice.of(error, act="Enter key…" if keyless else "", key="key" if keyless else ""))

    def _frame_came(self, frame: object) -> None:
        self._trouble = None
        self.window.stage.show_frame(frame)  # type: ignore[arg-type]
        self.window.empty.say("")

    def _looked(self, when_s: object) -> None:
        assert isinstance(when_s, float)
        self._looked_s = when_s

    def _themed(self, tokens: Tokens) -> None:
        self.window.set_tokens(tokens)
        self._render_soon.start()

    # what is shown

    def render(self) -> None:
        """Show the view as it is."""
        window, view, replay = self.window, self._shown_view(), self._record is not None
        path = (
            self._record.path if self._record is not None else self._handle.path if self._handle is not None else None
        )
        window.header.show_view(view, path.name if path is not None else "", replay=replay)
        folded = (view.started is not None and view.phase is not Phase.IDLE) or replay
        window.line.setVisible(folded)
        window.setup.setVisible(not folded or window.line.unfold.isChecked())
        window.setup.setEnabled(not view.phase.active)
        window.setup.start.setVisible(not folded)
        window.line.show_view(view, replay=replay)
        window.transport.setVisible(replay)
        window.show_waiting(waiting(view) and not replay)
        marks = self.pictures.marks(view, self._edited)
        self.pictures.show_view(view, marks)
        window.side.show_view(view, self._guard, self.pictures.crop, self.pictures.native, replay=replay)
        self.desk.show_view(view, self.pictures.crop, replay=replay)
        self.bar.show_view(view)
        self._show_bar(view)
        window.banner.show_notice(self._banner(view))
        self._show_empty(view)
        self._tick()

    def _shown_view(self) -> SessionView:
        view = self._view
        if view.phase is Phase.STOPPED and self._guard.latch is None and self._latched and self._record is None:
            return replace(view, phase=Phase.ENDED)
        self._latched = self._latched or self._guard.latch is not None
        return view

    def _banner(self, view: SessionView) -> Notice | None:
        latch = self._guard.latch
        if latch is None or self._record is not None:
            return self._notice
        by = STOP_WORDS[latch.reason] if latch.reason is not None else "a stop"
        when = local_time(latch.since or view.stopped_time)
        title = f"Stopped by {by}{f' at {when}' if when else ''}. Nothing can act until you reset."
        detail = self._notice.title if self._notice is not None and self._notice.tone is Tone.ERROR else ""
        return Notice(tone=Tone.STOP, title=title, detail=detail, closable=False)

    def _show_empty(self, view: SessionView) -> None:
        window = self.window
        if self._record is not None:
            window.empty.say("" if window.stage.fit is not None else "This record has no picture.")
        elif self._trouble is not None:
            detail = " ".join(part for part in (self._trouble.detail, self._trouble.remedy) if part)
            window.empty.say(self._trouble.title, detail, "Refresh targets")
        elif window.setup.chosen_target is None and not view.phase.active:
            busy = self.bridge.running("targets")
            text = "" if busy else "Open a window or connect a monitor, then look again."
            title = "Looking for what can be worked…" if busy else "Nothing to work here."
            window.empty.say(title, text, "" if busy else "Refresh targets")
        elif window.stage.fit is not None:
            window.empty.say("")

    def _tick(self) -> None:
        view, now = self._shown_view(), time.monotonic()
        window, replay = self.window, self._record is not None
        window.header.show_countdown(view, now, replay=replay)
        window.header.show_guard(self._guard, view, replay=replay)
        window.status.show_guard(self._guard, now)
        window.status.show_view(view, view.elapsed_s(None if replay else datetime.now(UTC)))
        window.stage_bar.show_age(now - self._looked_s if self._looked_s is not None and not replay else None)

    # bar

    def _folded(self, _folded: object) -> None:
        self._show_bar(self._shown_view())

    def _show_bar(self, view: SessionView) -> None:
        wanted = self.window.isMinimized() and (view.phase.active or self._guard.latch is not None)
        if not wanted:
            self.bar.hide()
            return
        screen = self.window.screen()
        marks = self.pictures.marks(view, None)
        points = [point for mark in marks for point in mark.points]
        away = QRect(points[0].x, points[0].y, 1, 1) if points else None
        self.bar.place(screen.availableGeometry(), away)
        self.bar.show()

    def _open_console(self) -> None:
        self.window.showNormal()
        self.window.raise_()
        self.window.activateWindow()

    # targets, models, keys

    def _refresh_targets(self) -> None:
        self.window.setup.show_busy(refreshing=True)
        self.bridge.run("targets", self._list_targets())

    async def _list_targets(self) -> None:
        try:
            targets = await self._backend.list_targets()
        finally:
            self.window.setup.show_busy(refreshing=False)
        request = self._opening.request
        wanted = request.target if request is not None else self._preferences.target
        self.window.setup.show_targets(targets, wanted)
        self._render_soon.start()
        if self._opening.start:
            self._opening = replace(self._opening, start=False)
            self._start_pressed()

    def _target_chosen(self, choice: object) -> None:
        self._looked_s, self._trouble = None, None
        if isinstance(choice, TargetChoice):
            self.window.stage.show_frame(choice.picture)
            self.bridge.watch(choice.spec)
        else:
            self.window.stage.show_frame(None)
            self.bridge.watch(None)
        self._render_soon.start()

    def _enter_key(self, choice: object) -> None:
        if not isinstance(choice, ModelChoice):
            return
        dialog = KeyDialog(choice, self.window)
        self._key_dialog = dialog
        dialog.entered.connect(self._key_entered)
        dialog.finished.connect(self._key_closed)
        dialog.open()

    def _key_entered(self, entered: object) -> None:
        assert isinstance(entered, KeyEntered)
        self.bridge.run("key", self._keep_key(entered))

    async def _keep_key(self, entered: KeyEntered) -> None:
        await self._backend.store_key(entered.choice.provider, entered.key)
        self.window.setup.show_models(self._backend.models())
        told = await self._backend.check_key(entered.choice.provider, entered.choice.model)
        if self._key_dialog is not None:
            self._key_dialog.show_result(told)

    def _key_closed(self, _result: int) -> None:
        self._key_dialog = None
        self.bridge.cancel("key")

    # sessions

    def _start_pressed(self) -> None:
        if self.bridge.running("start"):
            self.bridge.cancel("start")
            self._view = self._before_start
            self.window.setup.show_starting(False)
            self._render_soon.start()
            return
        request = self.window.setup.request(self._preferences)
        if request is None:
            self._say(Notice(tone=Tone.ERROR, title=self.window.setup.missing()))
            return
        self._keep_choice()
        self._begin(request, fresh=True)

    def _follow_up(self, text: object) -> None:
        self._go_on(str(text))

    def _continue(self) -> None:
        started = self._view.started
        self._go_on(started.task if started is not None else "")

    def _go_on(self, task: str) -> None:
        started = self._view.started
        path = (
            self._record.path if self._record is not None else self._handle.path if self._handle is not None else None
        )
        if started is None or path is None:
            return
        request = SessionRequest(
            task=task, target=started.target.spec, provider=started.provider, model=started.model,
            autonomy=started.autonomy, allow=started.allow, max_steps=started.max_steps,
            max_minutes=started.max_minutes, lead_time_s=self._preferences.lead_time_s, resume=path,
        )  # fmt: skip
        if self._record is not None:
            records = self._record.records
            self._close_record()
            self._view = fold_all(records)
        self._begin(request, fresh=False)

    def _begin(self, request: SessionRequest, *, fresh: bool) -> None:
        self._notice = None
        self._latched = False
        self._before_start = self._view
        kept = SessionView() if fresh else replace(self._view, ended=None, stopped=None)
        self._view = replace(kept, phase=Phase.STARTING)
        self.window.setup.show_starting(True)
        self.bridge.run("start", self._start(request))
        self._render_soon.start()

    async def _start(self, request: SessionRequest) -> None:
        self._backend.tell(request.provider)
        try:
            handle = await self._backend.start(request, self.bridge)
        finally:
            self.window.setup.show_starting(False)
            self.window.setup.show_models(self._backend.models())
        self._handle = handle
        self.pictures.open_source(handle, replay=False)
        self.window.line.unfold.setChecked(False)
        self.bridge.watch(request.target)
        self._render_soon.start()

    def _keep_choice(self) -> None:
        setup = self.window.setup
        target, model = setup.chosen_target, setup.chosen_model
        if target is None or model is None:
            return
        self._keep(replace(
            self._preferences, target=target.spec, provider=model.provider, model=model.model, autonomy=setup.autonomy,
            max_steps=setup.max_steps.value(), max_minutes=float(setup.max_minutes.value()),
        ))  # fmt: skip

    def _keep(self, preferences: Preferences) -> None:
        if preferences == self._preferences:
            return
        self._preferences = preferences
        try:
            self._backend.keep(preferences)
        except ConsoleError as error:
            self._say(Notice.of(error))

    def _post(self, intent: object) -> None:
        if self._handle is not None and self._record is None:
            self._handle.post(intent)  # type: ignore[arg-type]

    def _pause(self) -> None:
        self._post(Pause())

    def _resume(self) -> None:
        self._post(Resume())

    def stop(self) -> None:
        """The Stop button."""
        if not self.bridge.running("stop"):
            self.bridge.run("stop", self._backend.stop())

    def _reset(self) -> None:
        self.bridge.run("reset", self._backend.reset())
        self._notice = None

    # records

    def _open_sessions(self) -> None:
        dialog = SessionsDialog(self.window)
        self._sessions_dialog = dialog
        dialog.chosen.connect(self._open_path)
        dialog.finished.connect(self._sessions_closed)
        dialog.open()
        self.bridge.run("sessions", self._list_sessions())

    async def _list_sessions(self) -> None:
        found = await self._backend.sessions()
        if self._sessions_dialog is not None:
            self._sessions_dialog.show_sessions(found)

    def _sessions_closed(self, _result: int) -> None:
        self._sessions_dialog = None

    def _open_path(self, path: object) -> None:
        assert isinstance(path, Path)
        if self._view.phase.active and self._record is None:
            self._say(
                Notice(tone=Tone.INFO, title="A session is running.", detail="Open the record when it has ended.")
            )
            return
        self.bridge.run("open", self._open(path))

    async def _open(self, path: Path) -> None:
        record = await self._backend.open_record(path)
        if self._record is not None:
            self._record.close()
        self._record = record
        self._notice = Notice(tone=Tone.INFO, title=record.note) if record.note else None
        self.pictures.open_source(record, replay=True)
        self.window.transport.open_records(record.records)

    def _replay_moved(self, count: object) -> None:
        if self._record is None:
            return
        assert isinstance(count, int)
        self._view = fold_all(self._record.records[:count])
        self._render_soon.start()

    def _close_record(self) -> None:
        if self._record is None:
            return
        self.window.transport.pause()
        self._record.close()
        self._record, self._notice = None, None
        self._view = SessionView()
        self._handle = None
        self.pictures.open_source(None, replay=False)
        self._render_soon.start()

    # small things

    def _unfold(self, _unfolded: object) -> None:
        self._render_soon.start()

    def _picking(self, picking: object) -> None:
        self.window.stage.set_picking(bool(picking))

    def _card_edited(self, action: object) -> None:
        self._edited = action
        self._render_soon.start()

    def _open_settings(self) -> None:
        dialog = SettingsDialog(self._preferences, self._guard, self.window)
        dialog.kept.connect(self._settings_kept)
        dialog.open()

    def _settings_kept(self, preferences: object) -> None:
        assert isinstance(preferences, Preferences)
        self._keep(preferences)
        self.theme.choose(preferences.theme)
        self.window.stage.set_reduced_motion(preferences.reduced_motion)

    def _say(self, notice: Notice | None) -> None:
        self._notice = notice
        self._render_soon.start()

    def _notice_closed(self, _notice: object) -> None:
        self._say(None)

    def _notice_acted(self, notice: object) -> None:
        assert isinstance(notice, Notice)
        self._say(None)
        if notice.key == "key":
            self._enter_key(self.window.setup.chosen_model)
        elif notice.key.startswith("open:"):
            self._open_path(Path(notice.key.removeprefix("open:")))
