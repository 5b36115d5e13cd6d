"""The model settings in the window: profiles are made, changed, copied, deleted, checked and chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSpinBox,
    QWidget,
)

from operator_console.domain.errors import OperatorError
from operator_console.ui.backend import ModelChoice, Preferences
from operator_console.ui.console import Console
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.dialogs.model_settings import ModelSettingsDialog
from operator_console.ui.panels.setup_column import SetupColumn
from operator_console.ui.profile_values import CheckOutcome, CheckReport, ModelProfile
from operator_console.ui.view.check_words import check_advice, check_heading
from tests.display.ui.fake_backend import RUNBOOK, FakeBackend
from tests.edited_profiles import profile
from tests.ui.conftest import Run, until
from tests.ui.panels.test_setup_column import targets
from tests.ui.test_console import opened

BENCH = profile(
    name="Bench", provider="qwen", model="q", base_url="http://127.0.0.1:9/v1", own_key=True, max_steps=7,
    max_minutes=2.25, options={"keep_turns": 5, "excluded": ["of a later version"]}, max_cost=Decimal("0.50"),
    price={"input": Decimal("0.10"), "output": Decimal(4), "currency": "USD"},
)  # fmt: skip
CHEAP = profile(name="Cheap", provider="gemini")


def with_dialog(*profiles: ModelProfile) -> Callable[[Any], Callable[[QApplication, Run], None]]:
    """A test of the open dialog, on Qt's own loop."""

    def wrap(
        test: Callable[[ModelSettingsDialog, Console, FakeBackend], Awaitable[None]],
    ) -> Callable[[QApplication, Run], None]:
        def run(app: QApplication, on_qt: Run) -> None:
            async def work() -> None:
                backend = FakeBackend()
                backend.profiles = {each.name: each for each in profiles}
                async with opened(app, backend) as (console, _):
                    await until(lambda: console.window.setup.chosen_model is not None, "the models")
                    console.window.setup.model_settings.click()
                    await until(lambda: console.model_settings.dialog is not None, "the dialog")
                    dialog = console.model_settings.dialog
                    assert dialog is not None
                    await test(dialog, console, backend)
                    dialog.form.discard()
                    dialog.reject()
                    await until(lambda: console.model_settings.dialog is None, "the dialog to be closed")

            on_qt(work())

        run.__doc__ = test.__doc__
        return run

    return wrap


def field(rows: Any, name: str) -> Any:
    """The widget of a value."""
    return rows.form.editors[name].focus_widget


def texts(dialog: QWidget) -> str:
    """Every text that is shown."""
    return "\n".join(part.text() for part in dialog.findChildren(QLabel) if part.isVisibleTo(dialog))


def question(dialog: QWidget) -> ConfirmDialog:
    """The question that is open."""
    (found,) = [each for each in dialog.findChildren(ConfirmDialog) if each.isVisible()]
    return found


@with_dialog()
async def test_a_profile_is_made_and_chosen(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    form = dialog.form
    assert not dialog.keep.isEnabled()
    assert not dialog.delete.isEnabled()
    form.name.setText("My bench")
    form.provider.setCurrentText("Qwen")
    form.model.setEditText("other")
    form.endpoint.setText("http://127.0.0.1:8000/v1")
    form.key.setText("secret-key-1")
    field(form.limits, "max_steps").setValue(12)
    field(form.limits, "max_cost").setText("0,25")
    field(form.price, "input").setText("0.1")
    field(form.price, "output").setText("2")
    field(form.common, "keep_screenshots").setValue(4)
    dialog.keep.click()
    await until(lambda: "My bench" in backend.profiles, "the profile")
    made = backend.profiles["My bench"]
    assert made == profile(
        name="My bench", provider="qwen", model="other", base_url="http://127.0.0.1:8000/v1", max_steps=12,
        options={"keep_screenshots": 4}, max_cost=Decimal("0.25"), own_key=True,
        price={"input": Decimal("0.1"), "output": Decimal(2)},
    )  # fmt: skip
    assert backend.profile_keys == [("My bench", "secret-key-1")]
    await until(lambda: "Saved" in texts(dialog), "the word")
    assert form.key.text() == ""
    assert not dialog.keep.isEnabled()
    setup = console.window.setup
    await until(lambda: setup.chosen_model and setup.chosen_model.profile == "My bench", "the choice")
    setup.task.setPlainText("press Enter")
    request = setup.request(console.preferences.kept)
    assert request is not None
    assert (request.profile, request.provider, request.model, request.max_steps) == ("My bench", "qwen", "other", 12)


@with_dialog(BENCH, CHEAP)
async def test_what_is_shown_and_not_touched_is_saved_unchanged(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    before = dialog.form.dirty
    dialog.form.name.setText("Renamed")
    assert (before, dialog.form.dirty) == (False, True)
    dialog.keep.click()
    await until(lambda: "Renamed" in backend.profiles, "the profile")
    assert backend.profiles["Renamed"] == replace(BENCH, name="Renamed")
    assert list(backend.profiles) == ["Cheap", "Renamed"]
    assert backend.profile_keys == [("Renamed", None)]


@with_dialog(BENCH)
async def test_a_key_is_never_shown_and_can_be_forgotten(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    form = dialog.form
    assert form.key.echoMode() is QLineEdit.EchoMode.Password
    assert form.key.text() == ""
    assert form.forget.isVisibleTo(dialog)
    form.forget.click()
    assert not form.forget.isVisibleTo(dialog)
    dialog.keep.click()
    await until(lambda: backend.profile_keys, "the save")
    assert backend.profile_keys == [("Bench", "")]


@with_dialog(CHEAP)
async def test_without_a_keyring_no_key_is_taken_and_the_profile_is_saved(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    form = dialog.form
    assert form.key.isEnabled()
    form.show_keyring("No keyring is installed that stores secrets safely.")
    assert not form.key.isEnabled()
    assert "No keyring is installed that stores secrets safely. Save the profile without a key" in texts(dialog)
    form.name.setText("Cheaper")
    dialog.keep.click()
    await until(lambda: "Cheaper" in backend.profiles, "the save")


@with_dialog(BENCH)
async def test_a_check_tries_what_is_in_the_form(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    backend.report = CheckReport(outcome=CheckOutcome.KEY_REFUSED, said="Qwen did not accept the key. 401: No.")
    dialog.form.endpoint.setText("http://127.0.0.1:1/v1")
    dialog.form.key.setText("other-key")
    dialog.check.click()
    await until(lambda: "The key was refused" in texts(dialog), "the report")
    assert "401: No." in texts(dialog)
    assert "Enter another key" in texts(dialog)
    ((tried, before, key),) = backend.checked
    assert (tried.values["base_url"], before, key) == ("http://127.0.0.1:1/v1", "Bench", "other-key")
    assert backend.profile_keys == [], "a check saves nothing"
    backend.report = CheckReport(outcome=CheckOutcome.WORKS, said="The endpoint answers.", seconds=0.84)
    dialog.check.click()
    await until(lambda: "It works · answered in 0.8 s" in texts(dialog), "the report")
    assert "refused" not in texts(dialog)
    assert dialog._result_title.property("tone") == "good"
    backend.report = CheckReport(outcome=CheckOutcome.DOUBTFUL, said="It answered in words.", seconds=0.84)
    dialog.check.click()
    await until(lambda: "It answers, but not as asked · answered in 0.8 s" in texts(dialog), "the report")
    assert dialog._result_title.property("tone") == "warn"
    assert "another model" in texts(dialog)


@with_dialog(BENCH)
async def test_a_long_answer_of_a_service_leaves_the_form_in_sight(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    backend.report = CheckReport(outcome=CheckOutcome.REFUSED, said="<p>Not here.</p>" * 200, remedy="Check it.")
    dialog.resize(dialog.minimumSize())
    height = dialog.height()
    dialog.check.click()
    await until(lambda: "The request was refused" in texts(dialog), "the report")
    await asyncio.sleep(0)
    assert dialog.height() == height
    assert dialog.minimumSizeHint().height() <= height


@with_dialog(BENCH, CHEAP)
async def test_a_check_that_lasts_is_cancelled_by_a_press_another_profile_and_closing(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    backend.check_lasts = asyncio.Event()
    running = "model_settings_check"

    async def checking() -> None:
        dialog.check.click()
        await until(lambda: console.bridge.running(running), "the check")
        assert dialog.check.text() == "Cancel check"

    await checking()
    dialog.check.click()
    assert not console.bridge.running(running)
    assert dialog.check.text() == "Check"
    await checking()
    dialog.list.setCurrentRow(1)
    assert not console.bridge.running(running)
    await checking()
    dialog.cancel.click()
    assert not console.bridge.running(running)


@with_dialog(BENCH, CHEAP)
async def test_unsaved_changes_are_asked_about(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    dialog.form.model.setEditText("changed")
    dialog.list.setCurrentRow(1)
    question(dialog).no.click()
    assert (dialog.list.currentRow(), dialog.form.model.currentText()) == (0, "changed")
    dialog.cancel.click()
    question(dialog).no.click()
    assert dialog.isVisible()
    dialog.list.setCurrentRow(1)
    question(dialog).yes.click()
    await until(lambda: dialog.form.before == "Cheap", "the other profile")
    assert dialog.form.model.currentText() == ""
    assert backend.profiles["Bench"] == BENCH


@with_dialog(BENCH)
async def test_a_profile_is_duplicated_without_its_key_and_deleted(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    dialog.duplicate.click()
    assert (dialog.form.name.text(), dialog.form.before) == ("Bench (2)", "")
    assert not dialog.form.forget.isVisibleTo(dialog)
    dialog.keep.click()
    await until(lambda: "Bench (2)" in backend.profiles, "the copy")
    assert backend.profiles["Bench (2)"].own_key is False
    assert backend.profiles["Bench (2)"].values == BENCH.values
    await until(lambda: dialog.form.before == "Bench (2)", "the copy to be shown")
    dialog.delete.click()
    question(dialog).yes.click()
    await until(lambda: "Bench (2)" not in backend.profiles, "the deletion")
    await until(lambda: dialog.form.before == "Bench", "the other one")


@with_dialog(BENCH)
async def test_what_cannot_be_saved_is_said_and_stays(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    field(dialog.form.price, "output").setText("cheap")
    dialog.keep.click()
    assert "“Price of output tokens” is missing or not a number." in texts(dialog)
    field(dialog.form.price, "output").setText("")
    dialog.keep.click()
    assert "“Price of output tokens” is missing" in texts(dialog)
    assert backend.profile_keys == []
    field(dialog.form.price, "output").setText("1")
    backend.unwritable = OperatorError("The disk is full.", remedy="Free some space.")
    dialog.keep.click()
    await until(lambda: "The disk is full." in texts(dialog), "the error")
    assert "Free some space." in texts(dialog)
    assert field(dialog.form.price, "output").text() == "1"
    assert dialog.form.dirty
    backend.unwritable = None


@with_dialog(profile(name="Gone", provider="acme", problem="The provider “acme” is not installed."))
async def test_a_profile_whose_provider_is_not_installed_can_get_another(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    assert "The provider “acme” is not installed." in texts(dialog)
    assert not dialog.check.isEnabled()
    dialog.form.provider.setCurrentText("OpenAI")
    assert dialog.check.isEnabled()
    dialog.keep.click()
    await until(lambda: backend.profiles["Gone"].values["provider"] == "openai", "the save")


@with_dialog(BENCH)
async def test_another_provider_has_other_options(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    form = dialog.form
    assert form.common.form.editors["keep_turns"].value == 5
    form.provider.setCurrentText("Runbook: plain text steps, no model")
    assert not form.endpoint.isEnabled()
    assert not form.key.isEnabled()
    assert form.edit().profile.values["options"] == {}
    form.provider.setCurrentText("Qwen")
    assert form.edit().profile.values["options"] == BENCH.values["options"]
    assert not form.dirty


@with_dialog(BENCH)
async def test_all_controls_have_names_and_the_keyboard_reaches_them(
    dialog: ModelSettingsDialog, console: Console, backend: FakeBackend
) -> None:
    dialog.form.more.click()
    kinds = (QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox, QCheckBox, QPushButton, QListWidget)
    inner = ("qt_spinbox_lineedit",)
    controls = [
        each
        for each in dialog.findChildren(QWidget)
        if isinstance(each, kinds)
        and each.isVisibleTo(dialog)
        and each.objectName() not in inner
        and not isinstance(each.parent(), QComboBox)
    ]
    assert len(controls) > 25
    assert not [each for each in controls if not each.accessibleName()]
    names = [each.accessibleName() for each in controls]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
    unreachable = [each.accessibleName() for each in controls if not each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert not unreachable
    assert not any(each.isDefault() or each.autoDefault() for each in dialog.findChildren(QPushButton))
    QTest.keyClick(dialog.form.name, Qt.Key.Key_Return)
    assert backend.profile_keys == []


def test_every_outcome_has_a_heading_and_each_fault_says_what_to_do() -> None:
    for outcome in CheckOutcome:
        report = CheckReport(outcome=outcome, said="It said so.", remedy="Do this.")
        assert check_heading(report)
        assert bool(check_advice(report)) is (outcome is not CheckOutcome.WORKS)


def test_the_limits_of_a_profile_are_shown_and_those_from_before_come_back(app: QApplication) -> None:
    limited = ModelChoice(
        provider="runbook", model="", title="Short (profile)", profile="Short", max_steps=5, max_minutes=2.5
    )
    column = SetupColumn()
    column.chooser.show_targets(targets("monitor:1"), "")
    column.task.setPlainText("press Enter")
    column.max_steps.setValue(80)
    column.max_minutes.setValue(20)
    column.show_models([RUNBOOK, limited])
    assert column.chosen_model == RUNBOOK
    column.choose_profile("Short")
    made = column.request(Preferences())
    assert made is not None
    assert (made.profile, made.max_steps, made.max_minutes) == ("Short", 5, 2.5)
    assert tuple(column.own_limits) == (80, 20), "what is kept for the next start"
    column.max_steps.setValue(6)
    column.show_models([RUNBOOK, limited])
    assert column.max_steps.value() == 6, "a new list changes no choice"
    column.model.setCurrentIndex(0)
    assert (column.max_steps.value(), column.max_minutes.value()) == (80, 20)
    column.choose_profile("Short")
    column.show_models([RUNBOOK])
    assert column.chosen_model == RUNBOOK


def test_an_endpoint_that_may_want_a_key_has_an_entry_for_it(app: QApplication) -> None:
    def shown(**values: Any) -> tuple[bool, str]:
        column = SetupColumn()
        column.show_models([ModelChoice(provider="qwen", model="q", title="Qwen", **values)])
        return column.key.isVisibleTo(column), column._key_note.text()

    assert shown(takes_key=True, has_key=False) == (True, "No API key. Enter one if the endpoint wants it.")
    assert shown(takes_key=True, needs_key=True, has_key=False) == (True, "No API key for Qwen yet.")
    assert shown(takes_key=True, has_key=True)[0] is False
    assert shown(has_key=False)[0] is False
