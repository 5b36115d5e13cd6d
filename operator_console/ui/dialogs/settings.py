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
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.hotkeys import DEFAULT_HOTKEYS, HotkeyChords
from operator_console.domain.risk import ALWAYS_ASKED, Category
from operator_console.domain.translations import _
from operator_console.ui.backend import Folders, Preferences
from operator_console.ui.texts import settings as texts
from operator_console.ui.theme_choice import LARGEST_TEXT_SIZE, LEAST_TEXT_SIZE, ContrastChoice, Look, ThemeChoice
from operator_console.ui.view.hotkey_words import used_elsewhere
from operator_console.ui.view.words import category_name, names_of
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, column, label, roomy, set_role, wide
from operator_console.ui.widgets.hotkey_field import HotkeyField
from operator_console.ui.window_shortcuts import SHORTCUTS, keys_of

_THEMES = {ThemeChoice.SYSTEM: "Follow system", ThemeChoice.LIGHT: "Light", ThemeChoice.DARK: "Dark"}
_CONTRASTS = {ContrastChoice.SYSTEM: "Follow system", ContrastChoice.NORMAL: "Ordinary", ContrastChoice.HIGH: "High"}


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
    """

    kept = Signal(object)
    open_pressed = Signal(object)

    def __init__(self, preferences: Preferences, context: SettingsContext, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._before, self._context = preferences, context
        self._forget: list[str] = []
        self.folder_buttons: dict[QPushButton, Path] = {}
        self.setProperty("role", "sheet")
        self.setWindowTitle(f"{texts.TITLE} — Operator console")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID + 4, margins=(24, 20, 24, 20))
        rows.addWidget(label(texts.TITLE, "title"))
        across = QHBoxLayout()
        across.setSpacing(GRID * 2)
        self.list = QListWidget()
        self.list.setProperty("role", "boxed")
        self.list.setAccessibleName(texts.TITLE)
        self.list.setFixedWidth(wide(140))
        self.pages = QStackedWidget()
        across.addWidget(self.list)
        across.addWidget(self.pages, 1)
        rows.addLayout(across, 1)
        for name, build in (
            (texts.APPEARANCE, self._build_look), (texts.HOTKEYS, self._build_hotkeys),
            (texts.SESSIONS, self._build_sessions), (texts.AUTO, self._build_auto),
            (texts.FOLDERS, self._build_folders), (texts.PRIVACY, self._build_privacy),
        ):  # fmt: skip
            self._add_page(name, build)
        line = QHBoxLayout()
        line.addStretch(1)
        self.cancel, self.keep = button(texts.CANCEL), button(texts.SAVE, "primary")
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
        inner = QWidget()
        inner.setProperty("role", "plain")
        rows = column(inner, spacing=GRID, margins=(2, 2, GRID, 2))
        build(rows)
        rows.addStretch(1)
        area.setWidget(inner)
        self.pages.addWidget(area)

    # pages

    def _build_look(self, rows: QVBoxLayout) -> None:
        look = self._before.look
        self.theme, self.contrast = QComboBox(), QComboBox()
        self.theme.addItems(list(_THEMES.values()))
        self.theme.setCurrentIndex(list(_THEMES).index(look.theme))
        self.contrast.addItems(list(_CONTRASTS.values()))
        self.contrast.setCurrentIndex(list(_CONTRASTS).index(look.contrast))
        self.size_field = _whole(round(LEAST_TEXT_SIZE * 100), round(LARGEST_TEXT_SIZE * 100), " %", texts.TEXT_SIZE)
        self.size_field.setSingleStep(10)
        self.size_field.setValue(round(look.text_size * 100))
        fields = ((texts.THEME, self.theme), (texts.CONTRAST, self.contrast), (texts.TEXT_SIZE, self.size_field))
        rows.addLayout(_form(fields))
        rows.addWidget(label(texts.TEXT_SIZE_NOTE, "secondary", wrap=True))
        reduced = self._context.motion_reduced
        self.motion = _box(texts.REDUCE_MOTION, checked=reduced or self._before.reduced_motion)
        self.motion.setEnabled(not reduced)
        self.loupe = _box(texts.LOUPE, checked=self._before.loupe)
        self.frame = _box(_("Frame the target on the desktop"), checked=self._before.target_frame)
        self.frame.setToolTip(
            _("While a session runs. The frame and the ring take no clicks and are never in the model’s pictures.")
        )
        rows.addWidget(self.motion)
        if reduced:
            rows.addWidget(label(texts.MOTION_REDUCED, "secondary", wrap=True))
            self.motion.setAccessibleDescription(texts.MOTION_REDUCED)
        rows.addWidget(self.loupe)
        rows.addWidget(self.frame)

    def _build_hotkeys(self, rows: QVBoxLayout) -> None:
        now = self._context.hotkeys
        self.stop = HotkeyField(texts.STOP, now.stop, DEFAULT_HOTKEYS.stop)
        self.pause = HotkeyField(texts.PAUSE, now.pause, DEFAULT_HOTKEYS.pause)
        self.approve = HotkeyField(texts.APPROVE, now.approve, DEFAULT_HOTKEYS.approve)
        rows.addLayout(_form(((texts.STOP, self.stop), (texts.PAUSE, self.pause), (texts.APPROVE, self.approve))))
        self._hotkey_note = label(wrap=True)
        rows.addWidget(self._hotkey_note)
        free = self._context.hotkeys_free
        for text in (texts.RECORD_HINT, texts.WHILE_RECORDING) if free else (texts.HOTKEYS_LATER,):
            rows.addWidget(label(text, "secondary", wrap=True))
        rows.addWidget(label(texts.ALSO_CORNERS, "secondary", wrap=True))
        for field in (self.stop, self.pause, self.approve):
            field.setEnabled(free)
            field.recorded.connect(self._show_hotkeys)

    def _build_sessions(self, rows: QVBoxLayout) -> None:
        self.steps = _whole(1, 100_000, "", texts.MAX_STEPS)
        self.steps.setValue(self._before.max_steps)
        self.minutes = _whole(1, 10_000, "", texts.MAX_MINUTES)
        self.minutes.setValue(max(1, round(self._before.max_minutes)))
        rows.addLayout(_form(((texts.MAX_STEPS, self.steps), (texts.MAX_MINUTES, self.minutes))))
        rows.addWidget(label(texts.LIMITS_NOTE, "secondary", wrap=True))
        self.lead = QDoubleSpinBox()
        self.lead.setRange(0.0, 10.0)
        self.lead.setSingleStep(0.1)
        self.lead.setDecimals(1)
        self.lead.setSuffix(" s")
        self.lead.setValue(self._before.lead_time_s)
        self.lead.setAccessibleName(texts.LEAD_TIME)
        roomy(self.lead)
        self.pace = _whole(0, 1000, " ms", texts.TYPING_PACE)
        self.pace.setSingleStep(5)
        self.pace.setValue(round(self._before.typing_delay_s * 1000))
        rows.addSpacing(GRID)
        rows.addLayout(_form(((texts.LEAD_TIME, self.lead),)))
        rows.addWidget(label(texts.LEAD_TIME_NOTE, "secondary", wrap=True))
        rows.addLayout(_form(((texts.TYPING_PACE, self.pace),)))
        self.paste = _box(texts.PASTE, checked=self._before.pastes)
        rows.addWidget(self.paste)
        rows.addWidget(_note(texts.PASTE_NOTE))
        self.accessibility = _box(texts.ACCESSIBILITY, checked=self._before.accessibility)
        rows.addWidget(self.accessibility)
        rows.addWidget(_note(texts.ACCESSIBILITY_NOTE))

    def _build_auto(self, rows: QVBoxLayout) -> None:
        rows.addWidget(label(texts.AUTO_HEADING, "heading"))
        self._boxes: dict[Category, QCheckBox] = {}
        boxes = QGridLayout()
        free = [category for category in Category if category not in ALWAYS_ASKED]
        for place, category in enumerate(free):
            box = _box(category_name(category), checked=category in self._before.allow)
            self._boxes[category] = box
            boxes.addWidget(box, place // 2, place % 2)
        rows.addLayout(boxes)
        always = names_of(category for category in Category if category in ALWAYS_ASKED)
        rows.addWidget(label(texts.always_asked(always), "secondary", wrap=True))
        rows.addWidget(label(texts.AUTO_NOTE, "secondary", wrap=True))

    def _build_folders(self, rows: QVBoxLayout) -> None:
        folders = self._context.folders
        for name, path, opened in (
            (texts.SESSIONS_FOLDER, folders.sessions, folders.sessions), (texts.LOG_FOLDER, folders.logs, folders.logs),
            (texts.SETTINGS_FILE, folders.settings, folders.settings.parent),
        ):  # fmt: skip
            rows.addWidget(label(name, "heading"))
            line = QHBoxLayout()
            shown = ElidedLabel(str(path), mode=Qt.TextElideMode.ElideMiddle)
            push = button(texts.OPEN, name=f"{texts.OPEN}: {name}")
            self.folder_buttons[push] = opened
            push.clicked.connect(self._open_clicked)
            line.addWidget(shown, 1)
            line.addWidget(push)
            rows.addLayout(line)
        rows.addWidget(label(texts.FOLDERS_NOTE, "secondary", wrap=True))

    def _build_privacy(self, rows: QVBoxLayout) -> None:
        rows.addWidget(label(texts.KEPT_HEADING, "heading"))
        rows.addWidget(label(texts.KEPT_TEXT, wrap=True))
        rows.addSpacing(GRID)
        rows.addWidget(label(texts.TOLD_HEADING, "heading"))
        if not self._context.told:
            rows.addWidget(label(texts.TOLD_NONE, "secondary", wrap=True))
        self.again: dict[str, QPushButton] = {}
        for service, title in self._context.told.items():
            line = QHBoxLayout()
            push = button(texts.SHOW_AGAIN, name=texts.show_again_before(title))
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
        self._hotkey_note.setText(said)
        self._hotkey_note.setVisible(bool(said))
        set_role(self._hotkey_note, role="trouble" if trouble else "warning")
        self.keep.setEnabled(not trouble)

    def _open_clicked(self) -> None:
        path = next((path for push, path in self.folder_buttons.items() if push is self.sender()), None)
        if path is not None:
            self.open_pressed.emit(path)

    def _keep(self) -> None:
        for field in (self.lead, self.pace, self.steps, self.minutes, self.size_field):
            field.interpretText()
        look = Look(
            list(_THEMES)[self.theme.currentIndex()], list(_CONTRASTS)[self.contrast.currentIndex()],
            self.size_field.value() / 100,
        )  # fmt: skip
        before = self._before
        same = self.minutes.value() == max(1, round(before.max_minutes))  # the field shows whole minutes only
        motion = before.reduced_motion if self._context.motion_reduced else self.motion.isChecked()
        made = replace(
            before, look=look, reduced_motion=motion, loupe=self.loupe.isChecked(),
            target_frame=self.frame.isChecked(),
            lead_time_s=round(self.lead.value(), 1), typing_delay_s=self.pace.value() / 1000,
            pastes=self.paste.isChecked(), accessibility=self.accessibility.isChecked(),
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
    return texts.taken_by_window(here) if here else used_elsewhere(field.chord)


def _form(fields: Sequence[tuple[str, QWidget]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(GRID * 2)
    grid.setVerticalSpacing(GRID)
    grid.setColumnStretch(1, 1)
    grid.setColumnMinimumWidth(0, wide(96))
    for row, (name, field) in enumerate(fields):
        title = label(name)
        title.setBuddy(field)
        grid.addWidget(title, row, 0)
        grid.addWidget(field, row, 1)
    return grid


def _whole(least: int, most: int, suffix: str, name: str) -> QSpinBox:
    made = QSpinBox()
    made.setRange(least, most)
    made.setSuffix(suffix)
    made.setAccessibleName(name)
    roomy(made)
    return made


def _box(text: str, *, checked: bool) -> QCheckBox:
    made = QCheckBox(text)
    made.setChecked(checked)
    return made


def _note(text: str) -> QLabel:
    made = label(text, "secondary", wrap=True)
    made.setContentsMargins(26, 0, 0, 0)  # aligned with the text of the check box above it
    return made
