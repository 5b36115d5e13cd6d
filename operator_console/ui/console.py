"""The app's main coroutine: connects panels, controllers and backend, and owns the window's lifetime.

Everything started by `Console.run()` has ended when it returns. The backend handles sessions, stops and records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication

from operator_console.domain.actions import Action
from operator_console.domain.errors import ConsoleError, TaskMistake
from operator_console.domain.geometry import NativePoint
from operator_console.domain.hand_input import HandInput, HandTab
from operator_console.domain.intents import End, Intent, Pause, Resume, RetryNow
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.domain.session_request import MachinePassword, SessionRequest
from operator_console.domain.translations import _
from operator_console.ui import bridge as br
from operator_console.ui.backend import (
    ConsoleBackend,
    InputDevices,
    ModelChoice,
    Opening,
    OpenRecord,
)
from operator_console.ui.controllers import known_elements, model_settings
from operator_console.ui.controllers.exports import CANCEL_KEY, SHOW_KEY, ExportController
from operator_console.ui.controllers.hand_over import HandOverController
from operator_console.ui.controllers.known_controls import RESTART_KEY, BrowserRestartController
from operator_console.ui.controllers.library import LibraryController
from operator_console.ui.controllers.machines import MachineController
from operator_console.ui.controllers.main_menu import MainMenu, MenuEntry
from operator_console.ui.controllers.practice_offer import START_PAGE, PracticeController
from operator_console.ui.controllers.preferences import PreferenceController
from operator_console.ui.controllers.preview_pictures import Pictures
from operator_console.ui.controllers.questions_to_operator import QuestionController
from operator_console.ui.controllers.recent_tasks import REMEMBER_START, RecentTasks
from operator_console.ui.controllers.records import OPEN_KEY, RecordController, ReplayController, offer_key
from operator_console.ui.controllers.runbook_editing import RunbookEditing
from operator_console.ui.controllers.scope_suggestion import ScopeSuggestionController
from operator_console.ui.controllers.session import LoginAsked, SessionController
from operator_console.ui.controllers.target import TargetController
from operator_console.ui.controllers.target_drawing import TargetDrawingController
from operator_console.ui.controllers.tray import Tray
from operator_console.ui.dialogs.api_key import ApiKeyController
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.dialogs.help_window import HelpController
from operator_console.ui.dialogs.machine_login import MachineLoginController
from operator_console.ui.dialogs.privacy import PrivacyController
from operator_console.ui.dialogs.target_test import TargetTestController
from operator_console.ui.inspector.inspector import InspectionController
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.panels.compact_bar import CompactBar
from operator_console.ui.panels.start_page import StartPageController
from operator_console.ui.panels.tool_choices import SandboxChoiceController
from operator_console.ui.presenter import Presenter, Situation
from operator_console.ui.startup_window import StartupWindow
from operator_console.ui.theme_colours import Tokens
from operator_console.ui.view.help_pages import RUNBOOK
from operator_console.ui.view.next_steps import NextStep, last_stop
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.state_words import for_the_window, start_blocked
from operator_console.ui.widgets.announcement import announce
from operator_console.ui.widgets.approval_delay import refused_words
from operator_console.ui.widgets.device_gate import DeviceGate
from operator_console.ui.widgets.show_without_focus import show_without_focus
from operator_console.ui.window import SUFFIX
from operator_console.ui.window_shortcuts import ShortcutAction, add_shortcut

if TYPE_CHECKING:
    from operator_console.ui.widgets.enlarged_crop import EnlargedCrop
    from operator_console.ui.window_place import RememberedSetup

TICK_MS = 250
LACKING_KEY = "lacking"
"""The notice that says what the set-up lacks."""
JUDGE, JUDGE_AFTER_S = "judge edit", 0.2
"""The task that asks for the risk of an edited action, and how long after the last change."""


class Console(QObject):
    """The window and its controllers.

    Args:
        app: the one QApplication.
        backend: everything behind the window.
        opening: what to open or set up first.
        startup: the window that is already shown; None creates one.
    """

    _enlarged: EnlargedCrop | None = None
    _enlarged_call: tuple[int, int] | None = None

    def __init__(
        self,
        app: QApplication,
        backend: ConsoleBackend,
        opening: Opening | None = None,
        startup: StartupWindow | None = None,
    ) -> None:
        super().__init__()
        self._backend, self._opening = backend, opening or Opening()
        self._guard = backend.guard
        self._notice: Notice | None = None
        self._edited: Action | None = None
        self._written = ""
        self._done = asyncio.Event()
        startup = startup or StartupWindow(app, backend.preferences.look)
        startup.hand_over()
        startup.closed.connect(self.close)
        if startup.closing:
            self._done.set()
        self.theme, self.window = startup.theme, startup.window
        self._awaited: RememberedSetup | None = startup.awaited
        self.theme.choose(backend.preferences.look)
        self.bridge = br.Bridge(backend)
        self.window.furnish()
        self.bar = CompactBar()
        self.questions = QuestionController(backend, self.window, self.theme)
        window = self.window
        self.pictures = Pictures(self.bridge, window.preview, window.preview_bar, window.side.timeline)
        self.inspection = InspectionController(self.bridge, window.inspector, window.side.timeline, self.pictures)
        self.replay = ReplayController(window.transport, window.side.timeline, self.pictures)
        self.preferences = PreferenceController(backend, self.bridge, window, self.theme)
        request = self._opening.request
        wanted = request.target if request is not None else backend.preferences.target
        self.targets = TargetController(
            backend, self.bridge, window, wanted, last=backend.remembered_setup if request is None else None
        )
        self.drawing = TargetDrawingController(backend, self.bridge)
        self.hand_over = HandOverController(window, self.targets, self._return, self.pictures.back_to_live)
        self.elements = known_elements.KnownElementsController(backend, self.bridge, window)
        self.sessions = SessionController(backend, self.bridge)
        self.records = RecordController(backend, self.bridge, window)
        self.exports = ExportController(backend, self.bridge, window)
        self.library = LibraryController(backend, self.bridge, window, self.theme, self.exports)
        self.keys = ApiKeyController(backend, self.bridge, window)
        self._make_first_steps()
        self.model_settings = model_settings.ModelSettingsController(backend, self.bridge, window)
        self.sandbox = SandboxChoiceController(backend, self.bridge, window.setup.tools)
        self.recent = RecentTasks(backend, self.bridge, window.setup)
        self.tray = Tray()
        self._presenter = Presenter(window, self.bar, self.pictures, self.questions)
        self._make_timers()
        self._connect()
        self._theme_changed(self.theme.tokens)
        self._offer_start()

    def _offer_start(self) -> None:
        self.window.setup.set_ready(True)
        self.window.setup.show_starting(self._starting)

    def _make_timers(self) -> None:
        self._render_soon = QTimer(self, singleShot=True, interval=0)
        self._render_soon.timeout.connect(self.render)
        self._clock = QTimer(self, interval=TICK_MS)
        self._clock.timeout.connect(self._tick)

    def _make_first_steps(self) -> None:
        """What a new operator meets, and finds again: start page, practice, privacy, help."""
        backend, bridge, window = self._backend, self.bridge, self.window
        self.privacy = PrivacyController(backend, window)
        self.login = MachineLoginController(backend, bridge, window)
        self.machines = MachineController(backend, bridge, window, lambda: self.sessions.view.phase)
        self.suggestion = ScopeSuggestionController(backend, bridge, window.setup, self.privacy)
        self.target_test = TargetTestController(backend, bridge, window, self.login)
        self.help = HelpController(bridge, window, self.theme)
        self.practice = PracticeController(
            backend, bridge, window, self.targets, lambda: self.sessions.view, self._opening.practice
        )
        self.start_page = StartPageController(backend, bridge, window, self.preferences)
        self.runbook = RunbookEditing(backend, bridge, window)

    def _connect(self) -> None:
        window, bridge = self.window, self.bridge
        bridge.happened.connect(self._happened)
        bridge.ended.connect(self._task_ended)
        self.theme.changed.connect(self._theme_changed)
        window.header.stop_pressed.connect(self.stop)
        window.header.pause_pressed.connect(self._pause)
        window.header.resume_pressed.connect(self._resume)
        window.header.settings_pressed.connect(self.preferences.open_settings)
        window.header.fold_pressed.connect(window.showMinimized)
        window.line.intent.connect(self._post)
        window.line.follow_up.connect(self._go_on)
        window.line.continue_pressed.connect(self._go_on)
        window.line.start_pressed.connect(self._start_pressed)
        window.line.unfold_toggled.connect(self._render_later)
        window.banner.acted.connect(self._notice_acted)
        window.banner.closed.connect(self._notice_closed)
        window.side.card.intent.connect(self._post)
        window.side.permissions.intent.connect(self._post)
        window.side.card.picking.connect(self._picking)
        window.side.card.edited.connect(self._card_edited)
        window.side.card.enlarge.connect(self._enlarge)
        window.preview.by_hand.connect(self._by_hand)
        window.page_line.tab_chosen.connect(self._tab_chosen)
        window.preview.picked.connect(window.side.card.take_point)
        window.preview.end_picked.connect(window.side.card.take_end)
        window.side.card.set_boxed_in(window.preview)
        question = window.side.card.question
        question.pointed.connect(window.preview.point_at_choice)
        question.armed.connect(window.preview.set_choices_armed)
        window.preview.choice_pointed.connect(question.show_pointed)
        window.preview.choice_pressed.connect(question.choose)
        window.side.card.next_steps.pressed.connect(self._take_step)
        window.side.receipt.reset_pressed.connect(self._reset)
        window.line.export_pressed.connect(self._export)
        window.side.open_pressed.connect(self.library.show)
        window.side.timeline.chosen.connect(self._render_later)
        self.replay.moved.connect(self._replay_moved)
        window.side.changed.connect(self._render_soon.start)
        window.transport.closed.connect(self._close_record)
        window.files_dropped.connect(self._files_dropped)
        window.close_wanted.connect(self._close_wanted)
        window.folded.connect(self._folded)
        self._connect_setup()
        self._connect_first_steps()
        self._connect_controllers()

    def _connect_setup(self) -> None:
        setup, backend = self.window.setup, self._backend
        setup.start_pressed.connect(self._start_pressed)
        setup.key_pressed.connect(self.keys.enter)
        setup.model_settings_pressed.connect(self.model_settings.open)
        setup.task.textChanged.connect(self._setup_changed)
        setup.model_chosen.connect(self._setup_changed)
        setup.chooser.chosen.connect(self._setup_changed)
        setup.browser.check_address, setup.browser.check_site = backend.address_trouble, backend.site_trouble
        setup.machine.read_address = backend.machine_address
        setup.machine.show_machines(backend.machines)
        setup.machine.remove_pressed.connect(self._machine_removed)
        self.machines.noticed.connect(self._say)
        self.machines.went_on.connect(self._notice_went_on)
        setup.programs.add_pressed.connect(self._offer_programs)
        for beside in (setup.browser, setup.machine):
            beside.changed.connect(self._setup_changed)
            beside.changed.connect(self._render_soon.start)

    def _connect_first_steps(self) -> None:
        self.keys.kept.connect(self._key_kept)
        self.start_page.practice_pressed.connect(self.practice.open)
        self.start_page.practice_end_pressed.connect(self.practice.end)
        self.start_page.key_pressed.connect(self.keys.enter)
        self.start_page.open_pressed.connect(self.library.show)
        self.start_page.recent_chosen.connect(self._open_path)
        self.start_page.toggled.connect(self._start_page_toggled)
        self.runbook.noticed.connect(self._say)
        self.suggestion.told.connect(self._models_changed)
        self.window.setup.runbook_help_pressed.connect(partial(self.help.open, RUNBOOK))
        self.practice.changed.connect(self._practice_changed)
        self.practice.noticed.connect(self._say)

    def _connect_controllers(self) -> None:
        self.questions.intent.connect(self._post)
        self.questions.stop_pressed.connect(self.stop)
        self.questions.end_pressed.connect(self._end_without_target)
        self.target_test.noticed.connect(self._say)
        self.targets.changed.connect(self._render_soon.start)
        self.targets.listed.connect(self._listed)
        self.targets.end_wanted.connect(self._end_without_target)
        self.records.noticed.connect(self._offer)
        self.sessions.begun.connect(self._begun)
        self.sessions.failed.connect(self._session_failed)
        self.sessions.login_asked.connect(self._login_asked)
        self.sessions.hand_trouble.connect(self._hand_trouble)
        self.preferences.hotkeys_free = self._hotkeys_free
        self.preferences.open_pressed.connect(self._open_folder)
        self.preferences.told_changed.connect(self._models_changed)
        self.model_settings.changed.connect(self._profiles_changed)
        self.records.opened.connect(self._record_opened)
        self.records.failed.connect(self._record_failed)
        self.records.moved.connect(self._record_moved)
        self.library.chosen.connect(self._open_path)
        self.library.set_up_wanted.connect(self._show_setup)
        self.library.moved.connect(self._file_moved)
        self.library.deleted.connect(self._file_deleted)
        self.browser_restart = BrowserRestartController(self._backend, self.bridge, self.sessions)
        self.browser_restart.noticed.connect(self._offer)
        self.exports.noticed.connect(self._say)
        self.exports.went_on.connect(self._notice_went_on)
        self.bar.intent.connect(self._post)
        self._protect()
        self.tray.stop_pressed.connect(self.stop)
        self.tray.open_pressed.connect(self._open_console)
        self.bar.stop_pressed.connect(self.stop)
        self.bar.open_pressed.connect(self._open_console)
        self.bar.hand_back_pressed.connect(self.window.line.hand_back)
        self._add_shortcuts()

    def _add_shortcuts(self) -> None:
        card, line = self.window.side.card, self.window.line
        keys = ShortcutAction
        for action, push in ((keys.EDIT, card.edit), (keys.SKIP, card.skip), (keys.TAKE_OVER, line.take_over)):
            add_shortcut(action, self.window, partial(_press, push)).setAutoRepeat(False)
        add_shortcut(ShortcutAction.GO_ON, self.window, self._go_on_by_key).setAutoRepeat(False)
        add_shortcut(ShortcutAction.MESSAGE, self.window, line.message.setFocus)
        add_shortcut(ShortcutAction.STEP, self.window, partial(_press, line.autonomy.levels[Autonomy.STEP]))
        add_shortcut(ShortcutAction.START, self.window, self._start_by_key).setAutoRepeat(False)
        add_shortcut(ShortcutAction.OPEN_SESSION, self.window, self.library.show)
        add_shortcut(ShortcutAction.EXPORT, self.window, self._export)
        add_shortcut(ShortcutAction.HELP, self.window, self.help.open)
        self._add_menu()
        add_shortcut(ShortcutAction.SETTINGS, self.window, self.preferences.open_settings)
        add_shortcut(ShortcutAction.BACK_TO_LIVE, self.window, self._escape)
        preview = self.window.preview
        add_shortcut(ShortcutAction.ZOOM_FIT, self.window, preview.fit_to_window)
        add_shortcut(ShortcutAction.ZOOM_ACTUAL, self.window, preview.actual_size)
        add_shortcut(ShortcutAction.ZOOM_IN, self.window, preview.zoom_in)
        add_shortcut(ShortcutAction.ZOOM_OUT, self.window, preview.zoom_out)

    def _protect(self) -> None:
        """Have a yes, Reset and Start count from a person alone, where that is told."""

        def devices() -> InputDevices | None:
            return self._backend.devices

        for asks in (self.bar, self.window.side.card, self.window.side.receipt):
            asks.protect(self._backend.covered, devices)
        setup, line = self.window.setup, self.window.line
        self._start_gate, autonomy, hold = self._gates = tuple(DeviceGate(self) for _ in range(3))
        for gate in self._gates:
            gate.devices = devices
        self._start_gate.add(setup.start, line.start, line.go_on)
        self._start_gate.hear_shortcuts(self.window)
        self._start_gate.refused.connect(self._start_refused)
        autonomy.add(*line.autonomy.levels.values())
        autonomy.refused.connect(self._autonomy_refused)
        hold.add(line.hold)
        line.held.connect(self._held)

    def _add_menu(self) -> None:
        add_shortcut(ShortcutAction.KEYS, self.window, self.show_shortcuts)
        add_shortcut(ShortcutAction.QUIT, self.window, self.window.close)
        entry, keys = MenuEntry, ShortcutAction
        groups = (
            (
                entry(text=_("Start page"), run=self.show_start_page, idle_only=True),
                entry(text=_("Practice"), run=self.practise, idle_only=True),
                entry(text=_("Sessions…"), run=self.library.show, keys=keys.OPEN_SESSION),
                entry(text=_("Export…"), run=self._export, keys=keys.EXPORT, idle_only=True),
            ),
            (
                entry(text=_("Settings…"), run=self.preferences.open_settings, keys=keys.SETTINGS),
                entry(text=_("Model settings…"), run=self.model_settings.open, idle_only=True),
                entry(
                    text=_("Hide a place from the model"),
                    run=self.preferences.hide_place,
                    why_not=self.preferences.why_no_place,
                ),
            ),
            (
                entry(
                    text=_("Take snapshot of the machine"),
                    run=self.machines.take,
                    why_not=self.machines.why_no_snapshot,
                ),
                entry(text=_("Go back to snapshot…"), run=self.machines.go_back, why_not=self.machines.why_no_snapshot),
            ),
            (
                entry(text=_("Open the sessions folder"), run=self._open_sessions_folder),
                entry(text=_("Open the log folder"), run=self._open_log_folder),
            ),
            (
                entry(text=_("Help"), run=self.help.open, keys=keys.HELP),
                entry(text=_("Keyboard shortcuts"), run=self.show_shortcuts, keys=keys.KEYS),
                entry(text=_("About"), run=self.show_about),
            ),
            (entry(text=_("Quit"), run=self.window.close, keys=keys.QUIT),),
        )
        self.menu = MainMenu(self.window.header.menu, groups, self._runs)
        add_shortcut(keys.MENU, self.window, self.menu.open)

    def show_shortcuts(self) -> None:
        """Show all keys."""
        from operator_console.ui.dialogs.shortcuts import ShortcutsDialog

        dialog = ShortcutsDialog(self._guard, self.window)
        dialog.settings_pressed.connect(self.preferences.open_hotkeys)
        dialog.show()

    def show_about(self) -> None:
        """Show version and licence."""
        from operator_console.ui.dialogs.about import AboutDialog

        AboutDialog(self.window).open()

    def _open_sessions_folder(self) -> None:
        self._open_folder(self._backend.folders.sessions)

    def _open_log_folder(self) -> None:
        self._open_folder(self._backend.folders.logs)

    # lifecycle

    async def run(self) -> int:
        """Show the window and run until it is closed. Returns the exit code."""
        if not self._done.is_set():
            self.window.show()
        self._clock.start()
        self.render()
        self._models_changed()
        self.targets.refresh()
        self.bridge.watch_reduced_motion()
        self.records.look_for_interrupted()
        if self._opening.request is not None:
            self.window.setup.show_request(self._opening.request)
        if self._opening.record is not None:
            self._open_path(self._opening.record)
        elif self._opening.request is None:
            self.start_page.begin()
        self.practice.introduce()
        try:
            await self._done.wait()
            await self.sessions.end()
        finally:
            await self._leave()
        return 0

    def close(self) -> None:
        """Make `run` return."""
        self._done.set()

    async def _leave(self) -> None:
        self._clock.stop()
        self._render_soon.stop()
        self.tray.close()
        self.elements.hide()
        self.drawing.hide()
        self.questions.close()
        self.privacy.close()
        self.login.close()
        self.target_test.close()
        self.library.close()
        self.help.close()
        await self._backend.remember_place(self.window.place)
        await self.bridge.close()
        self.records.close()
        self.bar.close()
        self.bar.deleteLater()
        self.window.really_close()
        self.window.deleteLater()

    def _close_wanted(self) -> None:
        if not self._runs():
            self.close()
            return
        text = _("Closing the window ends the session. Held keys and buttons are released, and the record is kept.")
        dialog = ConfirmDialog(
            _("A session is running"), text, _("End session and close"), _("Keep running"), self.window
        )
        dialog.confirmed.connect(self.close)
        dialog.open()

    def _offer(self, notice: Notice) -> None:
        if self._notice is None:
            self._say(notice)

    # event handlers

    def _happened(self, happening: br.Happening) -> None:
        match happening:
            case br.RecordCame(record=record):
                if self.records.record is None:
                    self.sessions.heard(record)
                    self.browser_restart.heard(record)
                    self.hand_over.follow(self.sessions.view)
            case br.StateCame(state=state):
                if self.records.record is None:
                    self.sessions.moved(state)
                    self.hand_over.follow(self.sessions.view)
            case br.ShownToModel(frame=frame):
                self.pictures.shown_to_model(frame)
            case br.GuardCame(status=status):
                self._guard = status
                if status.latch is not None:
                    self.targets.cancel_pointing()
            case br.TargetTrouble(error=error):
                self.targets.lost(error)
            case br.PictureCame(digest=digest, image=image):
                self.pictures.came(digest, image)
            case br.TaskFailed(name=name, error=error):
                self._task_failed(name, error)
            case _:
                assert_never(happening)
        self._render_soon.start()

    def _task_ended(self, name: object) -> None:
        if name == "start":
            self._models_changed()
        if self._awaited is not None and name in ("models", "targets"):
            self._begin_awaited()
        if name == REMEMBER_START:
            self.window.setup.machine.show_machines(self._backend.machines)
        if name in ("start", "targets"):
            self._render_soon.start()

    def _task_failed(self, name: str, error: ConsoleError) -> None:
        if name == "key" and self.keys.failed(error):
            return
        if any(each.failed(name, error) for each in (self.model_settings, self.machines, self.suggestion)):
            return
        model = self.window.setup.chosen_model
        if name == "start":
            self.sessions.refused()
            if isinstance(error, TaskMistake):
                self._show_task_error(error)
                return
        if name == known_elements.TASK:
            self.elements.hide()
        said = self.practice.failed(name, error) or self.runbook.failed(name, error)
        if said is not None:
            self._say(said)
            return
        keyless = name == "start" and model is not None and model.needs_key and not model.has_key
        self._say(Notice.of(error, act=_("Enter key…") if keyless else "", key="key" if keyless else ""))

    def _show_task_error(self, error: TaskMistake) -> None:
        """Show a task error at the task field; for a follow-up task, which is no longer in its field, in the banner."""
        if self._written == self.window.setup.task.toPlainText().rstrip():
            self._show_setup()
            self.window.setup.show_mistake(error)
            self._render_soon.start()
        else:
            self._say(Notice.of(error))

    def _theme_changed(self, tokens: Tokens) -> None:
        self.window.set_tokens(tokens)
        self.runbook.set_tokens(tokens)
        self._render_soon.start()

    # display

    def render(self) -> None:
        """Render the current situation."""
        if not self.sessions.view.phase.active and not self._starting:
            self.targets.end_session()
        situation = self._situation()
        self._presenter.show(situation)
        marks = self.pictures.marks(situation.view, self._edited)
        stopped, seen = self._guard.latch is not None, self.targets.trouble is None
        self.drawing.show(
            situation.view,
            marks,
            self.targets.live if seen else None,
            wanted=self.preferences.kept.target_frame and not stopped and not situation.replay,
        )
        self.runbook.show_view(self.sessions.view)
        self.machines.show()
        self.tray.show_view(self._presenter.view_of(situation))
        self.inspection.show_view(self.sessions.view)
        if self._enlarged is not None and self._enlarged_call != self.window.side.card.place:
            self._enlarged.shut()  # it shows the place of another action

    def _tick(self) -> None:
        for gate in self._gates:
            gate.note_presses()
        self._presenter.tick(self._situation())

    def _situation(self) -> Situation:
        record, handle = self.records.record, self.sessions.handle
        return Situation(
            view=self.sessions.view, guard=self._guard, replay=record is not None,
            record=record.path if record is not None else handle.path if handle is not None else None,
            whole=self.replay.whole, starting=self._starting, looking=self.targets.looking, notice=self._notice,
            target=self.targets.title, trouble=self.targets.trouble,
            live=self.targets.live, pointing=self.targets.pointing, looked_s=self.targets.looked_s, edited=self._edited,
        )  # fmt: skip

    @property
    def _starting(self) -> bool:
        """Whether a session starts, or will once the targets and models are known."""
        return self.sessions.starting or self._awaited is not None

    def _folded(self, _folded: object) -> None:
        self._presenter.show_bar(self._situation())

    def later_start(self, record: Path | None, *, practice: bool) -> None:
        """The program was started again: come forward, and open a file or the practice window if that is asked for."""
        self._open_console()
        if record is not None:
            self._open_path(record)
        elif practice and self._runs():
            self._say_running(_("You can practise when it has ended."))
        elif practice:
            self.practise()

    def _open_console(self) -> None:
        self._restore_window()
        self.window.raise_()
        self.window.activateWindow()

    def _return(self) -> None:
        """Come back after a hand-over, which a limit or a stop can end too: the keyboard stays where it is."""
        if self.window.isMinimized():
            show_without_focus(self.window, self._restore_window)
        else:  # it was opened meanwhile
            self.hand_over.opened()

    def _restore_window(self) -> None:
        self.hand_over.opened()
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.show()

    # targets, models, keys

    def _listed(self) -> None:
        if self._opening.start:
            self._opening = replace(self._opening, start=False)
            self._start_pressed()

    def _offer_programs(self) -> None:
        self.bridge.run("applications", self._list_programs())

    async def _list_programs(self) -> None:
        self.window.setup.programs.offer(await self._backend.applications())

    def _machine_removed(self, address: str) -> None:
        self.bridge.run("forget machine", self._forget_machine(address))

    async def _forget_machine(self, address: str) -> None:
        await self._backend.forget_machine(address)
        self.window.setup.machine.show_machines(self._backend.machines)

    def _key_kept(self, choice: ModelChoice) -> None:
        self.bridge.run("models", self._show_models(chosen=choice))

    def _models_changed(self) -> None:
        self.bridge.run("models", self._show_models())

    def _profiles_changed(self, chosen: str) -> None:
        self.bridge.run("models", self._show_models(chosen))

    async def _show_models(self, profile: str = "", chosen: ModelChoice | None = None) -> None:
        request, kept = self._opening.request, self.preferences.kept
        of = kept if request is None else request
        models = await self._backend.models()
        self.window.setup.show_models(models, (of.provider, of.model, of.profile))
        self.start_page.show_models(models)
        if chosen is not None:
            self.window.setup.choose_model(chosen)
        if profile:
            self.window.setup.choose_profile(profile)

    # sessions

    def _begin_awaited(self) -> None:
        """Start was pressed before the targets and models were known: begin what was shown then, if it is still so."""
        if self.targets.looking or self.bridge.running("models"):
            return
        wanted, self._awaited = self._awaited, None
        now, blocked = self.window.setup.remembered, start_blocked(self._guard)
        if blocked is not None:
            why = blocked.why
        elif wanted is not None and wanted != now:
            why = _setup_changed(wanted.differences(now))
        else:
            self._start_pressed()
            return
        self._say(Notice(tone=Tone.INFO, title=_("The session was not started."), detail=why))

    def _start_pressed(self) -> None:
        if self._starting and self.window.setup.double_pressed:
            return
        if self._awaited is not None:
            self._awaited = None
            self._render_soon.start()
            return
        if self.sessions.starting:
            self.sessions.take_back()
            self._render_soon.start()
            return
        request = self.window.setup.request(self.preferences.kept)
        if request is None:
            self.window.setup.focus_lacking()
            self._say(Notice(tone=Tone.ERROR, title=self.window.setup.lacking, key=LACKING_KEY))
            return
        self.privacy.before(self.window.setup.model_of(request), partial(self._start, request))

    def _setup_changed(self, _choice: object = None) -> None:
        """Take back what was lacking once it is there."""
        notice = self._notice
        if notice is not None and notice.key == LACKING_KEY and notice.title != self.window.setup.lacking:
            self._say(None)

    def _start_by_key(self) -> None:
        """Start, where the button that is shown would; it never cancels a start."""
        shown = (push for push in (self.window.setup.start, self.window.line.start) if push.isVisible())
        if self._starting or not any(push.isEnabled() for push in shown):
            return
        if self._start_gate.shortcut_counts():
            self._start_pressed()
        else:
            self._start_refused()

    def _go_on_by_key(self) -> None:
        """Resume a pause, or continue after the end, as the button that is shown would."""
        if self._runs() and self.sessions.view.phase is Phase.PAUSED:
            self._resume()
        elif self._start_gate.shortcut_counts():
            _press(self.window.line.go_on)
        else:
            self._start_refused()

    def _autonomy_refused(self) -> None:
        self._say(Notice(tone=Tone.INFO, title=_("The autonomy was not changed."), detail=refused_words()))

    def _held(self, on: object) -> None:
        self.bridge.run("hold-to-run", self._backend.set_held(on is True))

    def _start_refused(self) -> None:
        self._say(Notice(tone=Tone.INFO, title=_("The session was not started."), detail=refused_words()))

    def _start(self, request: SessionRequest) -> None:
        if not self.practice.is_of(request):
            self.preferences.keep_choice()
        self._begin(request)

    def _go_on(self, task: str = "") -> None:
        request = self.sessions.going_on(task, self._situation().record, self.preferences.kept.lead_time_s)
        if request is None:
            return
        if self.records.record is None:
            replaced = self.targets.is_replaced(request.target)
            if replaced or self.targets.is_closed(request.target):
                detail = (
                    _("Another window has its id now. Start a new session with the target that you want.")
                    if replaced
                    else _("Start a new session with the target that you want.")
                )
                step = NextStep.CHOOSE_TARGET
                title = _("The target of this session is closed.")
                self._say(Notice(tone=Tone.ERROR, title=title, detail=detail, act=step.words, key=step.name))
                return
        # A session of this window began with the service already; a file may come from elsewhere.
        elsewhere = self.window.setup.model_of(request) if self.records.record is not None else None
        self.privacy.before(elsewhere, partial(self._resume_record, request))

    def _resume_record(self, request: SessionRequest) -> None:
        record = self.records.record
        if record is not None:
            whole = self.records.replay.whole
            self._close_record()
            self.sessions.show(whole)
        self._begin(request)

    def _login_asked(self, asked: LoginAsked) -> None:
        self.login.ask(asked.refused, asked.given, partial(self._begin, asked.request))

    def _begin(self, request: SessionRequest, password: MachinePassword | None = None) -> None:
        self._notice = None
        self._written = request.task
        self.window.setup.show_mistake(None)
        self._presenter.begin()
        self.elements.hide()
        self.suggestion.cancel()
        self.sessions.begin(request, password)
        self._render_soon.start()

    def _begun(self, request: SessionRequest) -> None:
        if not self.practice.begun(request):
            self.start_page.remember()
        if not self.practice.is_of(request) and request.resume is None:
            self.recent.started(request.task)
        self.start_page.hide()
        self.pictures.open_source(self.sessions.handle, replay=False)
        self.window.line.unfold.setChecked(False)
        self.targets.begin_session(request.target)
        self._render_soon.start()

    def _session_failed(self, message: object) -> None:
        """Lead to the card, which says why and has the button that helps."""
        self.window.open_drawer()
        if isinstance(message, str):  # not str(): that would drop its notices
            announce(self.window.side.card, for_the_window(message), urgent=True)

    def _take_step(self, step: NextStep) -> None:
        """Do what a button of the card or the banner offers."""
        match step:
            case NextStep.TRY_NOW:
                self._post(RetryNow())
            case NextStep.STOP_RECEIPT:
                self.window.side.show_receipt(last_stop(self.sessions.view))
            case NextStep.ENTER_KEY:
                self.keys.enter(self.window.setup.chosen_model)
            case NextStep.CHOOSE_TARGET:
                self._show_setup()
                self.window.setup.target.setFocus()
            case NextStep.ANSWER:
                self.window.line.message.setFocus()
            case NextStep.CHANGE_TASK | NextStep.CHANGE_SETUP | NextStep.DONE:
                self._show_setup()
            case NextStep.OPEN_LOGS:
                self._open_log_folder()
            case _:
                assert_never(step)

    def _hotkeys_free(self) -> bool:
        """Whether the guard can be restarted: nothing runs or starts, and the stop is not latched."""
        return not self._runs() and not self._starting and self._guard.latch is None

    def _open_folder(self, folder: object) -> None:
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._say(Notice(tone=Tone.INFO, title=_("Open this folder in a file manager:"), detail=str(folder)))

    def _show_setup(self) -> None:
        self.window.line.unfold.setChecked(True)
        self.window.setup.task.setFocus()

    def show_start_page(self) -> None:
        """Show the start page; not over a session that runs."""
        if self._runs() or (self.records.record is None and self._starting):
            self._say_running(_("You can open the start page when it has ended."))
            return
        self._close_record()
        self.window.line.unfold.setChecked(True)
        self.start_page.show()
        self._render_soon.start()

    def practise(self) -> None:
        """Open the practice window and show its set-up, in place of a record that is read."""
        self._close_record()
        self.window.line.unfold.setChecked(True)
        self.render()  # Start, which takes the focus, is visible now
        self.practice.open()

    def _runs(self) -> bool:
        """Whether a session runs; one that is read does not."""
        return self.sessions.view.phase.active and self.records.record is None

    def _start_page_toggled(self, shown: object) -> None:
        for part in (self.window.preview_bar, self.window.progress, self.window.side.open_session):
            part.setVisible(not shown)

    def _practice_changed(self) -> None:
        running = self.practice.offer is not None
        self.start_page.show_practice(opening=self.practice.opening, running=running)
        if running and not self.practice.opening:
            self.start_page.hide()
        self._render_soon.start()

    def _post(self, intent: Intent) -> None:
        if self.records.record is None:
            self.hand_over.posted(intent)
            self.sessions.post(intent)

    def _by_hand(self, given: HandInput) -> None:
        if self.records.record is None:
            self.sessions.by_hand(given)

    def _tab_chosen(self, number: int) -> None:
        self._by_hand(HandTab(number=number))

    def _pause(self) -> None:
        self._post(Pause())

    def _resume(self) -> None:
        self._post(Resume())

    def _end_without_target(self) -> None:
        trouble = self.targets.trouble
        self._post(End(why=trouble.text if trouble is not None else ""))

    def stop(self) -> None:
        """Stop everything, at a press of the Stop button."""
        if not self.bridge.running("stop"):
            self.bridge.run("stop", self._backend.stop())

    def _reset(self) -> None:
        self.bridge.run("reset", self._backend.reset())
        self._notice = None

    # records

    def _open_path(self, path: Path) -> None:
        if self._runs():
            if not self.library.refuse(path, _("A session is running. You can open a record when it has ended.")):
                self._say_running(_("You can open a record when it has ended."))
            return
        self.records.open(path)

    def _files_dropped(self, paths: tuple[Path, ...]) -> None:
        sessions = paths if len(paths) == 1 else tuple(path for path in paths if path.suffix == SUFFIX)
        match len(sessions):
            case 1:
                self._open_path(sessions[0])
            case 0:
                title = _("None of these {count} files is a session.").format(count=len(paths))
                self._say(Notice(tone=Tone.ERROR, title=title, detail=_("Drop a file whose name ends in .ocsession.")))
            case several:
                title = _("One session can be shown at a time, and {count} were dropped.").format(count=several)
                self._say(Notice(tone=Tone.INFO, title=title, detail=_("Drop one of them.")))

    def _record_failed(self, path: Path, error: ConsoleError) -> None:
        if not self.library.refuse(path, error.text):
            self._say(Notice.of(error))

    def _export(self) -> None:
        situation = self._situation()
        if self.sessions.view.phase.active and not situation.replay:
            self._say_running(_("You can export it when it has ended."))
        elif situation.record is None or self.sessions.view.started is None:
            title, detail = _("There is no session to export."), _("Open one of the sessions first.")
            self._say(Notice(tone=Tone.INFO, title=title, detail=detail, act=_("Open a session"), key="library"))
        else:
            self.exports.ask(situation.record)

    def _file_moved(self, paths: tuple[Path, ...]) -> None:
        """A session file has another name now: if it is the one that is shown, it is shown as before, from there."""
        before, after = paths
        offer = self.records.offer_moved(before, after)
        if offer is not None and self._offers(before):
            self._say(offer)
        self.sessions.renamed(before, after)
        if self.records.record is not None and self.records.record.path.absolute() == before.absolute():
            self.records.move(after)
        self._render_soon.start()

    def _offers(self, path: Path) -> bool:
        """Whether the banner offers to open this file."""
        return self._notice is not None and self._notice.key == offer_key(path)

    def _file_deleted(self, path: Path) -> None:
        if self._offers(path):
            self._say(None)
        if self._situation().record != path:
            return
        if self.records.record is not None:
            self._close_record()
            return
        self._notice = None
        self.sessions.clear()
        self.pictures.open_source(None, replay=False)
        self._render_soon.start()

    def _record_opened(self, _record: object) -> None:
        record = self.records.record
        if record is None:
            return
        self._notice = Notice(tone=Tone.INFO, title=record.note) if record.note else None
        self._awaited = None
        self.library.close()
        self.elements.hide()
        self.start_page.hide()
        self.pictures.open_source(record, replay=True)
        self.replay.open(self.records.replay)
        self._presenter.show(self._situation())  # the scrubber is visible now and can take the focus
        self.window.transport.place.setFocus()

    def _record_moved(self, record: OpenRecord) -> None:
        self.pictures.move_source(record)
        self._render_soon.start()

    def _replay_moved(self, view: SessionView) -> None:
        self.sessions.show(view)
        self._render_soon.start()

    def _close_record(self) -> None:
        if self.records.record is None:
            return
        self.records.close()
        self.replay.close()
        self._notice = None
        self.sessions.clear()
        self.pictures.open_source(None, replay=False)
        self._render_soon.start()

    # helpers

    def _render_later(self, _changed: object) -> None:
        self._render_soon.start()

    def _picking(self, picking: object) -> None:
        self.window.preview.set_picking(bool(picking))

    def _enlarge(self, point: NativePoint, risk: object) -> None:
        from operator_console.ui.widgets.enlarged_crop import EnlargedCrop

        if self._enlarged is None:
            self._enlarged = EnlargedCrop(self.window.preview, self.window.preview.room)
            self.window.preview.room_changed.connect(self._enlarged.fit)
        self._enlarged_call = self.window.side.card.place
        self._enlarged.show_place(
            point, risk if isinstance(risk, RiskClass) else None, self.pictures.crop, self.theme.tokens
        )

    def _escape(self) -> None:
        """Cancel pointing at a window, else close the enlarged picture, else cancel the edit, else go back to live."""
        if self.targets.pointing:
            self.targets.cancel_pointing()
        elif self._enlarged is not None and self._enlarged.isVisible():
            self._enlarged.shut()
        elif self.window.side.card.editing:
            self.window.side.card.cancel_edit()
        else:
            self.pictures.back_to_live()

    def _card_edited(self, action: Action | None) -> None:
        self._edited = action
        self._render_soon.start()
        place = self.window.side.card.place
        if action is None or place is None:
            self.bridge.cancel(JUDGE)
            return
        self.bridge.run(JUDGE, self._judge(place, action))

    async def _judge(self, place: tuple[int, int], action: Action) -> None:
        """Show the risk of the edited action once editing has paused; a newer edit replaces an older one."""
        await asyncio.sleep(JUDGE_AFTER_S)
        handle = self.sessions.handle
        if handle is not None:
            self.window.side.card.show_judged(action, await handle.judged(*place, action))

    def _hand_trouble(self, text: str) -> None:
        self._say(Notice(tone=Tone.INFO, title=text))

    def _say(self, notice: Notice | None) -> None:
        self._notice = notice
        self._render_soon.start()

    def _say_running(self, detail: str) -> None:
        self._say(Notice(tone=Tone.INFO, title=_("A session is running."), detail=detail))

    def _notice_went_on(self, notice: Notice) -> None:
        """Show it unless the notice before it was closed, or gave way to another."""
        if self._notice is not None and self._notice.key == notice.key:
            self._say(notice)

    def _notice_closed(self, _notice: object) -> None:
        self._say(None)

    def _notice_acted(self, notice: Notice) -> None:
        self._say(None)
        if notice.key in NextStep.__members__:
            self._take_step(NextStep[notice.key])
        elif notice.key == START_PAGE:
            self.show_start_page()
        elif notice.key == "key":
            self.keys.enter(self.window.setup.chosen_model)
        elif notice.key == "library":
            self.library.show()
        elif notice.key.startswith(RESTART_KEY):
            self.browser_restart.restart(notice)
        elif notice.key.startswith(SHOW_KEY):
            self.exports.show_exported(notice)
        elif notice.key.startswith(CANCEL_KEY):
            self.exports.cancel_noticed(notice)
        elif notice.key.startswith(OPEN_KEY):
            self._open_path(Path(notice.key.removeprefix(OPEN_KEY)))


def _press(push: QAbstractButton) -> None:
    """Press a button where a hand could."""
    if push.isVisible() and push.isEnabled():
        push.click()


def _setup_changed(parts: Sequence[str]) -> str:
    """Why a start that was pressed early began nothing; `parts`: what differs, names of `RememberedSetup`."""
    names = {
        "target": _("the target"), "target_title": _("the target’s title"), "model_title": _("the model"),
        "autonomy": _("the autonomy"), "max_steps": _("the limit of steps"), "max_minutes": _("the limit of minutes"),
    }  # fmt: skip
    named = [names[part] for part in parts if part != "target_title" or "target" not in parts]
    changed = _("The set-up has changed since you pressed Start. Check it, then press Start again.")
    return f"{changed} {_('Different: {parts}.').format(parts=', '.join(named))}" if named else changed
