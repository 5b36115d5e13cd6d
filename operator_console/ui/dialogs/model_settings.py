"""The model settings: a list of profiles, a form for the chosen one, and a check of it. Opened with `open()`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QListWidget, QProgressBar, QVBoxLayout, QWidget

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.dialogs.option_form import NoNumber
from operator_console.ui.dialogs.profile_form import ProfileEdit, ProfileForm
from operator_console.ui.profile_values import CheckOutcome, CheckReport, ModelProfile, ModelSettings
from operator_console.ui.view.check_words import check_advice, check_heading
from operator_console.ui.widgets.controls import (
    GRID,
    breakable,
    button,
    column,
    enable,
    label,
    row_layout,
    rule,
    set_role,
    wide,
)
from operator_console.ui.widgets.window_size import largest_window

_SIZE, _LEAST = (800, 720), (660, 420)
_MOST_SAID = 400
"""Characters of an answer that are shown; a service may send a whole page."""


class ModelSettingsDialog(QDialog):
    """Edits model profiles.

    Signals:
        saved: carries a ProfileEdit; the caller saves it and calls `show_settings` or `show_error`.
        deleted: carries the name of the profile.
        checked: carries a ProfileEdit; the caller checks it and calls `show_report`.
        check_cancelled: the result is no longer wanted (no payload).
    """

    saved = Signal(object)
    deleted = Signal(object)
    checked = Signal(object)
    check_cancelled = Signal()

    def __init__(self, settings: ModelSettings, draft: ModelProfile, parent: QWidget | None) -> None:
        """`draft`: what a new profile begins as."""
        super().__init__(parent)
        self._profiles = settings.profiles
        self._draft = draft
        self._checking = False
        self._go_on: Callable[[], None] = self._close
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Model settings — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID * 2, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("Model settings"), "title"))
        middle = row_layout(spacing=GRID * 3)
        rows.addLayout(middle, 1)
        middle.addLayout(self._build_list())
        self.form = ProfileForm(settings)
        middle.addWidget(self.form, 1)
        rows.addWidget(rule())
        self._build_result(rows)
        self._build_buttons(rows)
        self.form.changed.connect(self._edited)
        self.form.provider_changed.connect(self._provider_changed)
        self.form.more.clicked.connect(self._limit_size)
        room = parent.window().size() if parent is not None else self.screen().availableSize()
        self.resize(QSize(wide(_SIZE[0]), wide(_SIZE[1])).boundedTo(room - QSize(40, 40)))
        self.show_settings(settings, settings.profiles[0].name if settings.profiles else "")

    # building

    def _build_list(self) -> QVBoxLayout:
        rows = column()
        heading = label(_("Profiles"), "heading")
        self.list = QListWidget()
        self.list.setProperty("role", "boxed")
        self.list.setAccessibleName(_("Profiles"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        heading.setBuddy(self.list)
        rows.addWidget(heading)
        rows.addWidget(self.list, 1)
        line = row_layout(spacing=4)
        self.new = button(_("New"), "link", name=_("New profile"))
        self.duplicate = button(_("Duplicate"), "link", name=_("Duplicate profile"))
        self.delete = button(_("Delete…"), "link", name=_("Delete profile"))
        self._tips = {
            self.new: _("Make another profile"),
            self.duplicate: _("Make another profile with the same values, without its key"),
            self.delete: _("Delete this profile and its own key"),
        }
        for each in (self.new, self.duplicate, self.delete):
            line.addWidget(each)
        line.addStretch(1)
        rows.addLayout(line)
        self.list.currentRowChanged.connect(self._row_changed)
        self.new.clicked.connect(self._new_clicked)
        self.duplicate.clicked.connect(self._duplicate_clicked)
        self.delete.clicked.connect(self._delete_clicked)
        return rows

    def _build_result(self, rows: QVBoxLayout) -> None:
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName(_("Checking"))
        self._result = QFrame()
        self._result.setProperty("role", "plain")
        inside = column(self._result, spacing=2)
        self._result_title, self._result_text = label(role="strong", wrap=True), label(wrap=True)
        self._result_text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._result_advice = label(role="hint", wrap=True)
        for part in (self._result_title, self._result_text, self._result_advice):
            inside.addWidget(part)
        rows.addWidget(self._busy)
        rows.addWidget(self._result)
        self._busy.hide()
        self._result.hide()

    def _build_buttons(self, rows: QVBoxLayout) -> None:
        line = QHBoxLayout()
        self.check = button(_("Check"))
        note = label(
            _("Sends two requests of a session with a drawn picture. Nothing of your screen."), "note", wrap=True
        )
        self.cancel, self.keep = button(_("Close")), button(_("Save"), "primary")
        line.addWidget(self.check)
        line.addSpacing(GRID)
        line.addWidget(note, 1)
        line.addSpacing(GRID)
        line.addWidget(self.cancel)
        line.addWidget(self.keep)
        rows.addLayout(line)
        self.check.clicked.connect(self._check_clicked)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._save_clicked)

    # showing

    def show_settings(self, settings: ModelSettings, chosen: str) -> None:
        """Show the profiles as they are saved now, and one of them; "" for a new one."""
        self._profiles = settings.profiles
        found = next((profile for profile in self._profiles if profile.name == chosen), None)
        self._show(found or self._draft, found.name if found else "")

    def show_saved(self) -> None:
        """Say that the profile was saved."""
        self._say(_("Saved"), "", "", "good")

    def show_error(self, error: ConsoleError) -> None:
        """Say why something was not done."""
        self._say(*error.worded, "bad")

    def show_report(self, report: CheckReport) -> None:
        """Say what came back."""
        tone = {CheckOutcome.WORKS: "good", CheckOutcome.DOUBTFUL: "warn"}.get(report.outcome, "bad")
        self._say(check_heading(report), report.said, check_advice(report), tone)

    def _show(self, profile: ModelProfile, before: str) -> None:
        """Show a profile, saved under the name `before`, or new."""
        self._clear_result()
        names = [each.name for each in self._profiles] + ([] if before else [_("New profile")])
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems(names)
        for row, each in enumerate(self._profiles):
            self.list.item(row).setToolTip(each.problem or each.name)
        self.list.setCurrentRow(names.index(before) if before else len(names) - 1)
        self.list.blockSignals(False)
        for push, tip in self._tips.items():
            enable(push, "" if before else _("Save the new profile first, or choose another one."), tip=tip)
        self.form.show_profile(profile, before)
        self._limit_size()

    def _limit_size(self) -> None:
        """Keep it as wide as its links and the fields of the form are in this language."""
        for part in self.findChildren(QWidget):
            part.ensurePolished()  # applies the style sheet's fonts and paddings before measuring
        links = GRID + sum(push.sizeHint().width() for push in self._tips)
        self.list.setFixedWidth(max(wide(176), links))
        needed = self.minimumSizeHint().expandedTo(QSize(wide(_LEAST[0]), 0))
        self.setMinimumSize(QSize(needed.width(), _LEAST[1]).boundedTo(largest_window(self)))

    def _say(self, title: str, text: str, advice: str, tone: str) -> None:
        self._end_check()
        set_role(self._result_title, tone=tone)
        for part, words in ((self._result_title, title), (self._result_text, text), (self._result_advice, advice)):
            part.setText(breakable(brief(words, _MOST_SAID)))
            part.setToolTip(words if len(words) > _MOST_SAID else "")
            part.setVisible(bool(words))
        self._result.show()

    def _clear_result(self) -> None:
        if self._checking:
            self.check_cancelled.emit()
        self._end_check()
        self._result.hide()

    def _end_check(self) -> None:
        self._checking = False
        self._busy.hide()
        self._name_check(_("Check"))

    def _name_check(self, name: str) -> None:
        self.check.setText(name)
        self.check.setAccessibleName(name)

    # events

    def _edited(self) -> None:
        unchanged = bool(self.form.before) and not self.form.dirty
        named = bool(self.form.name.text().strip())
        enable(
            self.keep,
            _("Give the profile a name first.") if not named else _("Nothing was changed.") if unchanged else "",
        )
        enable(self.check, "" if self.form.chosen_provider is not None else _("Choose a provider first."))

    def _provider_changed(self) -> None:
        self._clear_result()
        self._limit_size()

    def _row_changed(self, row: int) -> None:
        if 0 <= row < len(self._profiles):
            profile = self._profiles[row]
            self._leave(lambda: self._show(profile, profile.name))

    def _new_clicked(self) -> None:
        self._leave(lambda: self._begin(self._draft))

    def _duplicate_clicked(self) -> None:
        self._leave(lambda: self._begin(replace(self.form.profile, name=self._free_name(), own_key=False)))

    def _begin(self, profile: ModelProfile) -> None:
        self._show(profile, "")
        self.form.name.setFocus()
        self.form.name.selectAll()

    def _free_name(self) -> str:
        taken = {profile.name for profile in self._profiles}
        stem = self.form.profile.name[:34]
        return next(made for number in range(2, 1000) if (made := f"{stem} ({number})") not in taken)

    def _delete_clicked(self) -> None:
        title = _("Delete the profile “{name}”?").format(name=self.form.before)
        text = _("The profile will be gone. Records stay.")
        if self.form.profile.own_key:
            text = _("The profile and its key will be gone. Records stay.")
        dialog = ConfirmDialog(title, text, _("Delete"), _("Keep it"), self)
        dialog.confirmed.connect(self._delete_confirmed)
        dialog.open()

    def _delete_confirmed(self) -> None:
        self.form.discard()
        self.deleted.emit(self.form.before)

    def _check_clicked(self) -> None:
        if self._checking:
            self._clear_result()
        elif (edit := self._readable()) is not None:
            self._result.hide()
            self._checking = True
            self._busy.show()
            self._name_check(_("Cancel check"))
            self.checked.emit(edit)

    def _save_clicked(self) -> None:
        edit = self._readable()
        if edit is not None:
            self._clear_result()
            self.saved.emit(edit)

    def _readable(self) -> ProfileEdit | None:
        """What the form holds; None, and said, if a field holds no number."""
        self.form.commit_numbers()
        try:
            return self.form.edit()
        except NoNumber as error:
            title = _("“{field}” is missing or not a number.").format(field=error.title)
            self._say(title, "", _("Write it like 0.25."), "bad")
            error.widget.setFocus()
            return None

    # leaving

    def _leave(self, go_on: Callable[[], None]) -> None:
        """Go on, after asking whether unsaved changes may be lost."""
        if not self.form.dirty:
            go_on()
            return
        names = [each.name for each in self._profiles]
        self.list.blockSignals(True)
        self.list.setCurrentRow(names.index(self.form.before) if self.form.before in names else self.list.count() - 1)
        self.list.blockSignals(False)
        name = self.form.name.text().strip() or _("New profile")
        text = _("What you changed in “{name}” is not saved.").format(name=name)
        dialog = ConfirmDialog(_("Discard the changes?"), text, _("Discard"), _("Keep editing"), self)
        dialog.confirmed.connect(self._discard_confirmed)
        self._go_on = go_on
        dialog.open()

    def _discard_confirmed(self) -> None:
        self.form.discard()
        self._go_on()

    def _close(self) -> None:
        super().reject()

    def reject(self) -> None:
        """Close, after asking whether unsaved changes may be lost."""
        self._leave(self._close)

    def closeEvent(self, event: QCloseEvent) -> None:
        """As `reject`."""
        if self.form.dirty:
            event.ignore()
            self.reject()
        else:
            super().closeEvent(event)
