"""The settings dialog: pages for appearance, hotkeys, sessions, what Auto runs, folders and privacy.

Imported when it is opened. It changes nothing itself; `kept` carries what is to be used from now on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.errors import OperatorError
from operator_console.domain.hotkeys import DEFAULT_HOTKEYS, HotkeyChords
from operator_console.domain.risk import ALWAYS_ASKED, Category
from operator_console.domain.shutters import shutters_for
from operator_console.domain.translations import _
from operator_console.ui.backend import Folders, Preferences
from operator_console.ui.theme_choice import LARGEST_TEXT_SIZE, LEAST_TEXT_SIZE, ContrastChoice, Look, ThemeChoice
from operator_console.ui.view.words import names_of, permission_name
from operator_console.ui.widgets.controls import (
    GRID,
    ElidedLabel,
    button,
    column,
    label,
    plain,
    roomy,
    row_layout,
    set_role,
    show_text,
    wide,
)
from operator_console.ui.widgets.hotkey_field import HotkeyField, used_elsewhere
from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox
from operator_console.ui.window_shortcuts import SHORTCUTS, keys_of

_THEMES = (ThemeChoice.SYSTEM, ThemeChoice.LIGHT, ThemeChoice.DARK)
_LINES_SHOWN, _AROUND_LINES = 3, 20
_CONTRASTS = (ContrastChoice.SYSTEM, ContrastChoice.NORMAL, ContrastChoice.HIGH)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsContext:
    """What the dialog shows beside the preferences.

    Attributes:
        hotkeys: the present ones; they can be changed only if `hotkeys_free`.
        check_hotkeys: why chords cannot be used; "" if they can.
        told: the titles of the services that the operator was told about, by what names them.
        motion_reduced: whether the desktop asks for reduced motion.
    """

    hotkeys: HotkeyChords
    hotkeys_free: bool
    check_hotkeys: Callable[[HotkeyChords], str]
    folders: Folders
    told: Mapping[str, str]
    motion_reduced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSettings:
    """What Save hands out. `hotkeys`: None if they stay. `forget`: services to tell about again."""

    preferences: Preferences
    hotkeys: HotkeyChords | None = None
    forget: tuple[str, ...] = ()


class SettingsDialog(QDialog):
    """Emits changed settings on Save.

    Signals:
        kept: carries the ChosenSettings.
        open_pressed: a folder is to be opened; carries its Path.
        secrets_pressed: the dialog of secrets is wanted (no payload).
    """

    kept = Signal(object)
    open_pressed = Signal(object)
    secrets_pressed = Signal()

    def __init__(self, preferences: Preferences, context: SettingsContext, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._before, self._context = preferences, context
        self._forget: list[str] = []
        self.folder_buttons: dict[QPushButton, Path] = {}
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Settings — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID + 4, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("Settings"), "title"))
        across = row_layout(spacing=GRID * 2)
        self.list = QListWidget()
        self.list.setProperty("role", "boxed")
        self.list.setAccessibleName(_("Settings"))
        self.pages = QStackedWidget()
        across.addWidget(self.list)
        across.addWidget(self.pages, 1)
        rows.addLayout(across, 1)
        for name, build in (
            (_("Appearance"), self._build_look), (_("Hotkeys"), self._build_hotkeys),
            (_("Sessions"), self._build_sessions), (_("Auto"), self._build_auto),
            (_("Folders"), self._build_folders), (_("Privacy"), self._build_privacy),
        ):  # fmt: skip
            self._add_page(name, build)
        self.list.ensurePolished()
        self.list.setFixedWidth(max(wide(140), self.list.sizeHintForColumn(0) + 2 * self.list.frameWidth() + GRID))
        line = QHBoxLayout()
        line.addStretch(1)
        self.cancel, self.keep = button(_("Cancel")), button(_("Save"), "primary")
        line.addWidget(self.cancel)
        line.addWidget(self.keep)
        rows.addLayout(line)
        self.list.currentRowChanged.connect(self.pages.setCurrentIndex)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._keep)
        self._show_hotkeys()
        room = self.screen().availableSize()
        self.resize(min(wide(720), room.width() - 32), min(wide(520), room.height() - 64))
        self.list.setCurrentRow(0)

    def show_page(self, name: str) -> None:
        """Show the page with this name."""
        self.list.setCurrentItem(self.list.findItems(name, Qt.MatchFlag.MatchExactly)[0])

    def _add_page(self, name: str, build: Callable[[QVBoxLayout], None]) -> None:
        self.list.addItem(name)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = plain()
        rows = column(inner, spacing=GRID, margins=(2, 2, GRID, 2))
        build(rows)
        rows.addStretch(1)
        area.setWidget(inner)
        self.pages.addWidget(area)

    # pages

    def _build_look(self, rows: QVBoxLayout) -> None:
        look = self._before.look
        self.theme, self.contrast = QComboBox(), QComboBox()
        self.theme.addItems([_("Follow system"), _("Light"), _("Dark")])
        self.theme.setCurrentIndex(_THEMES.index(look.theme))
        self.contrast.addItems([_("Follow system"), _("Ordinary"), _("High")])
        self.contrast.setCurrentIndex(_CONTRASTS.index(look.contrast))
        self.size_field = _whole(round(LEAST_TEXT_SIZE * 100), round(LARGEST_TEXT_SIZE * 100), " %")
        self.size_field.setSingleStep(10)
        self.size_field.setValue(round(look.text_size * 100))
        fields = ((_("Theme"), self.theme), (_("Contrast"), self.contrast), (_("Text size"), self.size_field))
        rows.addLayout(_form(fields))
        _say(rows, _("Relative to the text size of your desktop"))
        reduced = self._context.motion_reduced
        self.motion = _box(_("Reduce motion"), checked=reduced or self._before.reduced_motion)
        self.motion.setEnabled(not reduced)
        self.loupe = _box(_("Show the target of the next action enlarged"), checked=self._before.loupe)
        self.frame = _box(_("Frame the target on the desktop"), checked=self._before.target_frame)
        self.frame.setToolTip(
            _("While a session runs. The frame and the ring take no clicks and are never in the model’s pictures.")
        )
        rows.addWidget(self.motion)
        if reduced:
            _say(rows, _("Your desktop asks for reduced motion, so it is reduced anyway."))
            self.motion.setAccessibleDescription(_("Your desktop asks for reduced motion, so it is reduced anyway."))
        rows.addWidget(self.loupe)
        rows.addWidget(self.frame)

    def _build_hotkeys(self, rows: QVBoxLayout) -> None:
        now = self._context.hotkeys
        self.stop = HotkeyField(_("Stop"), now.stop, DEFAULT_HOTKEYS.stop)
        self.pause = HotkeyField(_("Pause"), now.pause, DEFAULT_HOTKEYS.pause)
        self.approve = HotkeyField(_("Approve"), now.approve, DEFAULT_HOTKEYS.approve)
        rows.addLayout(_form(((_("Stop"), self.stop), (_("Pause"), self.pause), (_("Approve"), self.approve))))
        self._hotkey_note = label(wrap=True)
        rows.addWidget(self._hotkey_note)
        free = self._context.hotkeys_free
        if free:
            _say(rows, _("Choose a field and press the keys. Backspace puts the default back."))
            _say(rows, _("The present keys keep working meanwhile: those of Stop stop everything."))
        else:
            _say(rows, _("Hotkeys can be changed when no session runs and nothing is stopped."))
        _say(rows, _("A corner of the screen stops, too; that cannot be changed."))
        for field in (self.stop, self.pause, self.approve):
            field.setEnabled(free)
            field.recorded.connect(self._show_hotkeys)

    def _build_sessions(self, rows: QVBoxLayout) -> None:
        self.steps = _whole(1, 100_000, "")
        self.steps.setValue(self._before.max_steps)
        self.minutes = _whole(1, 10_000, "")
        self.minutes.setValue(max(1, round(self._before.max_minutes)))
        self.lead = QDoubleSpinBox()
        self.lead.setRange(0.0, 10.0)
        self.lead.setSingleStep(0.1)
        self.lead.setDecimals(1)
        self.lead.setSuffix(" s")
        self.lead.setValue(self._before.lead_time_s)
        roomy(self.lead)
        # Translators: the unit after a number. The space stays.
        self.pace = _whole(0, 1000, _(" ms"))
        self.pace.setSingleStep(5)
        self.pace.setValue(round(self._before.typing_delay_s * 1000))
        self.press = _whole(0, 500, _(" ms"))
        self.press.setSingleStep(10)
        self.press.setValue(round(self._before.press_time_s * 1000))
        rows.addLayout(_form((
            (_("Steps"), self.steps), (_("Minutes"), self.minutes),
            ("", _said(_("The limits that a new session begins with. You are asked when one is reached."))),
            (_("Lead time"), self.lead), ("", _said(
                _("How long the ring shows before an ordinary action; twice as long where more is at stake")
            )),
            (_("Pause after each character"), self.pace),
            (_("Length of a click or key press"), self.press), ("", _said(
                _("Games and remote desktops miss what is shorter than a frame of theirs")
            )),
        )))  # fmt: skip
        self.paste = _box(_("Paste long texts that the keyboard cannot type"), checked=self._before.pastes)
        rows.addWidget(self.paste)
        rows.addWidget(
            _note(
                _(
                    "Your clipboard is restored afterwards. Secrets are never pasted, and nothing is pasted "
                    "into terminals. Leave this off for remote desktop windows: Ctrl+V would use the remote "
                    "computer’s clipboard."
                )
            )
        )
        self.accessibility = _box(_("Switch accessibility on while a session runs"), checked=self._before.accessibility)
        rows.addWidget(self.accessibility)
        rows.addWidget(_note(_("Applications then name their controls. It is put back afterwards.")))

        self.only_devices = _box(
            _("Approve and start only by mouse, keyboard, touch or screen reader"), checked=self._before.only_devices
        )
        rows.addWidget(self.only_devices)
        rows.addWidget(
            _note(_("What a program presses counts nowhere then. Switch it off where you work over a remote desktop."))
        )

        self.resume_after_hand = _box(
            _("Go on by itself after you used mouse or keyboard"), checked=self._before.resume_after_hand
        )
        rows.addWidget(self.resume_after_hand)
        rows.addWidget(_note(_("While the model acts, your hand pauses it; after a second without it, it goes on.")))

    def _build_auto(self, rows: QVBoxLayout) -> None:
        rows.addWidget(label(_("Auto runs these without asking"), "heading"))
        self._boxes: dict[Category, QCheckBox] = {}
        boxes = QGridLayout()
        free = [category for category in Category if category not in ALWAYS_ASKED]
        for place, category in enumerate(free):
            box = _box(permission_name(category), checked=category in self._before.allow)
            self._boxes[category] = box
            boxes.addWidget(box, place // 2, place % 2)
        rows.addLayout(boxes)
        always = names_of(category for category in Category if category in ALWAYS_ASKED)
        _say(rows, _("Always asked: {names}, and whatever the model’s service wants confirmed.").format(names=always))
        _say(rows, _("With Step and Guarded, all of them wait for you."))

    def _build_folders(self, rows: QVBoxLayout) -> None:
        folders = self._context.folders
        for name, path, opened in (
            (_("Sessions"), folders.sessions, folders.sessions), (_("Logs"), folders.logs, folders.logs),
            (_("Settings file"), folders.settings, folders.settings.parent),
        ):  # fmt: skip
            rows.addWidget(label(name, "heading"))
            line = QHBoxLayout()
            shown = ElidedLabel(str(path), mode=Qt.TextElideMode.ElideMiddle)
            push = button(_("Open"), name=_("Open: {what}").format(what=name))
            self.folder_buttons[push] = opened
            push.clicked.connect(self._open_clicked)
            line.addWidget(shown, 1)
            line.addWidget(push)
            rows.addLayout(line)
        _say(rows, _("OPERATOR_CONSOLE_HOME moves all of them. Start the console with it set to another folder."))

    def _build_privacy(self, rows: QVBoxLayout) -> None:
        rows.addWidget(label(_("What the model is not shown"), "heading"))
        self.passwords = _box(_("Fields for passwords"), checked=self._before.hide_passwords)
        self.passwords.setToolTip(_("They are black in the model’s pictures and in the record."))
        rows.addWidget(self.passwords)
        self.hide_field = QPlainTextEdit("\n".join(self._before.hide))
        names = label(_("Applications, windows and regions"), wrap=True)
        names.setBuddy(self.hide_field)
        rows.addWidget(names)
        self.hide_field.setAccessibleName(names.text())
        self.hide_field.setTabChangesFocus(True)
        self.hide_field.ensurePolished()  # the font of the style sheet
        line_px = self.hide_field.fontMetrics().lineSpacing() + 1  # Qt rounds each line up
        self.hide_field.setFixedHeight(_LINES_SHOWN * line_px + _AROUND_LINES)
        self.hide_field.setPlaceholderText(_("app:KeePassXC\nwindow:My bank\nmonitor:1 region:0,0,400x40"))
        rows.addWidget(self.hide_field)
        self._hide_note = label(role="trouble", wrap=True)
        self._hide_note.hide()
        rows.addWidget(self._hide_note)
        _say(rows, _("One on each line: app:NAME, window:TITLE or region:X,Y,WxH, alone or behind a target."))
        self.hide_field.textChanged.connect(self._check_hidden)
        rows.addSpacing(GRID)
        self.secrets = button(_("Secrets…"), tip=_("Passwords that the model can have typed, but never sees"))
        self.secrets.clicked.connect(self.secrets_pressed)
        rows.addWidget(self.secrets, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addSpacing(GRID)
        rows.addWidget(label(_("What is kept, and how long"), "heading"))
        rows.addWidget(
            label(
                _(
                    "Each session is kept in one file, with its pictures and what was typed except passwords, "
                    "until you delete it. Only your user can read it. Logs hold no pictures and no "
                    "keys; the oldest are deleted as new ones come. API keys are in the keyring of your "
                    "desktop. The last 12 tasks are kept for the Recent menu at the task field."
                ),
                wrap=True,
            )
        )
        self.tombstones = _box(_("Note which sessions are deleted"), checked=self._before.tombstones)
        rows.addWidget(self.tombstones)
        _say(rows, _("Kept are the name, the times and the hash of the last event, in the console’s own folder."))
        rows.addSpacing(GRID)
        rows.addWidget(label(_("Services that you were told about"), "heading"))
        if not self._context.told:
            _say(
                rows,
                _("None yet. Before the first session with a service, the console shows what leaves this machine."),
            )
        self.again: dict[str, QPushButton] = {}
        for service, title in self._context.told.items():
            line = QHBoxLayout()
            push = button(
                _("Show again"), name=_("Show again before the next session with {service}").format(service=title)
            )
            push.setCheckable(True)
            line.addWidget(ElidedLabel(title, mode=Qt.TextElideMode.ElideMiddle), 1)
            line.addWidget(push)
            rows.addLayout(line)
            self.again[service] = push

    # event handlers

    @property
    def _chords(self) -> HotkeyChords:
        return HotkeyChords(stop=self.stop.chord, pause=self.pause.chord, approve=self.approve.chord)

    def _show_hotkeys(self) -> None:
        """Say why the chords cannot be used, or what else uses them."""
        trouble = self._context.check_hotkeys(self._chords)
        warnings = [f"{field.text()}: {words}" for field in (self.stop, self.pause, self.approve)
                    if (words := _used(field))]  # fmt: skip
        said = f"{trouble[:1].upper()}{trouble[1:]}" if trouble else "\n".join(warnings)
        show_text(self._hotkey_note, said)
        set_role(self._hotkey_note, role="trouble" if trouble else "warning")
        self.keep.setEnabled(not trouble)

    @property
    def _hidden(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.hide_field.toPlainText().splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))

    def _check_hidden(self) -> None:
        """Say which line hides nothing."""
        trouble = ""
        try:
            shutters_for(self._hidden, "")
        except OperatorError as error:
            trouble = " ".join(filter(None, error.worded))
        self._hide_note.setText(trouble)
        self._hide_note.setVisible(bool(trouble))
        self.keep.setEnabled(not trouble)

    def _open_clicked(self) -> None:
        path = next((path for push, path in self.folder_buttons.items() if push is self.sender()), None)
        if path is not None:
            self.open_pressed.emit(path)

    def _keep(self) -> None:
        for field in (self.lead, self.pace, self.press, self.steps, self.minutes, self.size_field):
            field.interpretText()
        look = Look(
            _THEMES[self.theme.currentIndex()], _CONTRASTS[self.contrast.currentIndex()],
            self.size_field.value() / 100,
        )  # fmt: skip
        before = self._before
        same = self.minutes.value() == max(1, round(before.max_minutes))  # the field shows whole minutes only
        motion = before.reduced_motion if self._context.motion_reduced else self.motion.isChecked()
        made = replace(
            before, look=look, reduced_motion=motion, loupe=self.loupe.isChecked(),
            target_frame=self.frame.isChecked(),
            lead_time_s=round(self.lead.value(), 1), typing_delay_s=self.pace.value() / 1000,
            press_time_s=self.press.value() / 1000,
            pastes=self.paste.isChecked(), accessibility=self.accessibility.isChecked(),
            only_devices=self.only_devices.isChecked(), resume_after_hand=self.resume_after_hand.isChecked(),
            tombstones=self.tombstones.isChecked(),
            hide_passwords=self.passwords.isChecked(), hide=self._hidden,
            allow=tuple(category for category, box in self._boxes.items() if box.isChecked()),
            max_steps=self.steps.value(), max_minutes=before.max_minutes if same else float(self.minutes.value()),
        )  # fmt: skip
        hotkeys = self._chords if self._chords != self._context.hotkeys else None
        forget = tuple(service for service, push in self.again.items() if push.isChecked())
        self.kept.emit(ChosenSettings(preferences=made, hotkeys=hotkeys, forget=forget))
        self.accept()


def _used(field: HotkeyField) -> str:
    """What else uses the chord of a field."""
    here = next((action.words for action in SHORTCUTS if keys_of(action) == field.text()), "")
    return _("This window uses it, too: {action}.").format(action=here) if here else used_elsewhere(field.chord)


def _say(rows: QVBoxLayout, text: str) -> None:
    """Add an explanation."""
    rows.addWidget(_said(text))


def _said(text: str) -> QLabel:
    return label(text, "secondary", wrap=True)


def _form(fields: Sequence[tuple[str, QWidget]]) -> QGridLayout:
    """The fields with their titles; without a title, a part is as wide as the form."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(GRID * 2)
    grid.setVerticalSpacing(GRID)
    grid.setColumnStretch(1, 1)
    grid.setColumnMinimumWidth(0, wide(96))
    for row, (name, field) in enumerate(fields):
        if not name:
            grid.addWidget(field, row, 0, 1, 2)
            continue
        title = label(name)
        title.setBuddy(field)
        field.setAccessibleName(name)
        grid.addWidget(title, row, 0)
        grid.addWidget(field, row, 1)
    return grid


def _whole(least: int, most: int, suffix: str) -> QSpinBox:
    made = QSpinBox()
    made.setRange(least, most)
    made.setSuffix(suffix)
    roomy(made)
    return made


def _box(text: str, *, checked: bool) -> WrappedCheckBox:
    made = WrappedCheckBox(text)
    made.setChecked(checked)
    return made


def _note(text: str) -> QLabel:
    made = label(text, "secondary", wrap=True)
    made.setContentsMargins(26, 0, 0, 0)  # aligned with the text of the check box above it
    return made
