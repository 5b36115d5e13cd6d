"""The set-up keeps what was chosen and takes what it is handed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from operator_console.domain.errors import TaskMistake
from operator_console.domain.prices import Price
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.tools import SandboxTool
from operator_console.ui.backend import OfferedTools, Preferences, TargetChoice
from operator_console.ui.panels.setup_column import WIDTH, SetupColumn
from operator_console.ui.theme_choice import DEFAULT_LOOK
from operator_console.ui.theme_colours import Theme
from operator_console.ui.view.autonomy_words import autonomy_words
from tests.display.ui.fake_backend import GEMINI, RUNBOOK
from tests.ui.conftest import Run, until


def targets(*specs: str) -> list[TargetChoice]:
    return [TargetChoice(spec=spec, title=f"{spec} with a title much too long for a narrow column") for spec in specs]


def test_a_request_chooses_its_model_and_autonomy(app: QApplication) -> None:
    column = SetupColumn()
    column.show_models([GEMINI, RUNBOOK])
    column.chooser.show_targets(targets("monitor:1"), "")
    column.show_request(SessionRequest(task="click “Save”", provider="runbook", autonomy=Autonomy.STEP, max_steps=9))
    made = column.request(Preferences())
    assert made is not None
    assert (made.provider, made.autonomy, made.max_steps, made.task) == ("runbook", Autonomy.STEP, 9, "click “Save”")


@pytest.mark.parametrize(("height", "seen"), [(640, "model"), (820, "max_minutes")])
def test_a_low_column_leaves_out_the_picture_and_shows_what_matters(app: QApplication, height: int, seen: str) -> None:
    column = SetupColumn()
    column.show_models([RUNBOOK])
    column.chooser.show_targets(targets("monitor:1"), "")
    column.resize(WIDTH, height)
    column.show()
    column._area.take_layout()
    assert column.chooser._picture.isHidden()
    part = getattr(column, seen)
    assert part.mapTo(column, part.rect().bottomLeft()).y() < column.start.y()
    column.resize(WIDTH, 1200)
    assert column.chooser._picture.isVisible()
    column.close()
    column.deleteLater()


def test_a_cost_limit_is_offered_for_a_model_with_a_price(app: QApplication) -> None:
    column = SetupColumn()
    column.chooser.show_targets(targets("monitor:1"), "")
    column.task.setPlainText("Look.")
    price = Price(input=Decimal(1), output=Decimal(4), currency="EUR")
    priced = replace(GEMINI, price=price, max_cost=Decimal("2.50"))

    def limit() -> tuple[Price | None, Decimal | None]:
        made = column.request(Preferences())
        assert made is not None
        return made.price, made.max_cost

    column.show_models([RUNBOOK, priced])
    assert column.max_cost.isHidden()
    assert limit() == (None, None)
    column.model.setCurrentIndex(1)
    assert not column.max_cost.isHidden()
    assert column.max_cost.suffix() == " EUR"
    assert limit() == (price, Decimal("2.50"))
    column.max_cost.setValue(7.25)
    column.show_models([RUNBOOK, priced])
    assert limit() == (price, Decimal("7.25")), "what was entered stays"
    column.max_cost.setValue(0)
    assert limit() == (price, None)
    column.show_models([replace(priced, max_cost=Decimal("0.001"))])
    assert limit() == (price, Decimal("0.01")), "a small limit does not become none"


def test_a_refresh_keeps_the_chosen_target(app: QApplication) -> None:
    column = SetupColumn()
    column.chooser.show_targets(targets("monitor:1", "window:0x1"), "window:0x1")
    assert column.chosen_target == targets("window:0x1")[0]
    column.chooser.show_targets(targets("window:0x1", "monitor:1"), "")
    assert column.chosen_target == targets("window:0x1")[0]
    column.chooser.show_targets([], "")
    assert column.request(Preferences()) is None


def test_a_target_that_is_gone_stays_chosen_as_closed_and_start_waits_for_a_choice(app: QApplication) -> None:
    column = SetupColumn()
    column.show_models([RUNBOOK])
    column.task.setPlainText("press Enter")
    column.chooser.show_targets(targets("monitor:1", "window:0x1"), "window:0x1")
    for _ in range(2):
        column.chooser.show_targets(targets("monitor:1"), "monitor:1")
        chosen = column.chosen_target
        assert chosen is not None
        assert (chosen.spec, chosen.closed) == ("window:0x1", True)
        assert column.target.currentText().endswith("(closed)")
        assert column.request(Preferences()) is None
        assert column.lacking == "The target is closed. Choose another one first."
    column.chooser.show_targets(targets("window:0x1", "monitor:1"), "")
    assert column.chosen_target is not None
    assert not column.chosen_target.closed
    column.chooser.close_target("window:0x1")
    assert column.request(Preferences()) is None
    column.chooser.choose("monitor:1")
    made = column.request(Preferences())
    assert made is not None
    assert made.target == "monitor:1"


def test_a_target_of_last_time_that_is_not_open_is_replaced_by_none(app: QApplication) -> None:
    column = SetupColumn()
    column.show_models([RUNBOOK])
    column.task.setPlainText("press Enter")
    column.chooser.show_targets(targets("monitor:1"), "window:0x1")
    assert column.target.currentIndex() == -1
    assert column.request(Preferences()) is None
    column.chooser.show_targets(targets("monitor:1", "window:0x1"), "window:0x1")
    assert column.chosen_target is not None
    assert column.chosen_target.spec == "window:0x1"


def test_allowed_categories_count_in_auto_alone(app: QApplication) -> None:
    from operator_console.domain.risk import Category

    column = SetupColumn()
    column.show_models([RUNBOOK])
    column.chooser.show_targets(targets("monitor:1"), "")
    column.task.setPlainText("Do it.")
    kept = Preferences(allow=(Category.SEND,))
    guarded = column.request(kept)
    column.segments[3].click()
    auto = column.request(kept)
    assert guarded is not None
    assert auto is not None
    assert (guarded.allow, auto.allow) == ((), (Category.SEND,))


def test_applications_and_sites_in_scope_are_part_of_the_request(app: QApplication) -> None:
    column = SetupColumn()
    column.chooser.show_targets(targets("monitor:1"), "")
    column.show_models([GEMINI])
    column.task.setPlainText("t")
    column.scope.apps.setText("galculator, text editor,, galculator")
    column.scope.sites.setText("*.example.org ,shop.example")
    made = column.request(Preferences())
    assert made is not None
    assert made.apps == ("galculator", "text editor")
    assert made.sites == ("*.example.org", "shop.example")
    other = SetupColumn()
    other.show_request(made)
    assert (other.scope.apps.text(), other.scope.sites.text()) == (
        "galculator, text editor",
        "*.example.org, shop.example",
    )


def test_long_titles_do_not_widen_it(app: QApplication) -> None:
    column = SetupColumn()
    column.show_models([GEMINI])
    column.chooser.show_targets(targets("monitor:1"), "")
    column.resize(WIDTH, 700)
    assert column.minimumSizeHint().width() <= WIDTH
    assert column.target.minimumSizeHint().width() < WIDTH - 32


def test_auto_lists_what_it_runs_unasked(app: QApplication) -> None:
    column = SetupColumn()
    column.show_preferences(Preferences(autonomy=Autonomy.AUTO))
    shown = [part.text() for part in column.findChildren(QLabel)]
    assert "Like Guarded, and also runs: none yet (Settings)" in shown
    column.show_allowed((Category.SEND, Category.DELETE))
    shown = [part.text() for part in column.findChildren(QLabel)]
    assert "Like Guarded, and also runs: send data, delete things (Settings)" in shown
    assert "Settings" not in autonomy_words(Autonomy.STEP, (Category.SEND,))


def test_the_tools_of_the_settings_are_chosen_for_each_session(app: QApplication) -> None:
    column = SetupColumn()
    column.show_models([RUNBOOK])
    column.chooser.show_targets(targets("monitor:1"), "")
    column.task.setPlainText("press Enter")
    column.show_preferences(Preferences())
    at_first = column.tools.unfolded
    assert not at_first, "the settings name none"
    offered = OfferedTools(
        servers=("time", "rooms"), enabled=("time",), sandboxable=(SandboxTool.BASH,), sandboxed=(SandboxTool.BASH,),
        functions=("mine:book",),
    )  # fmt: skip
    kept = Preferences(tools=offered)
    column.show_preferences(kept)
    assert column.tools.unfolded
    assert [(box.text(), box.isChecked()) for box in column.tools.boxes] == [
        ("MCP server time", True), ("MCP server rooms", False), ("Bash, in a sandbox", True),
    ]  # fmt: skip
    assert any("mine:book" in each.text() for each in column.tools.findChildren(QLabel))
    made = column.request(kept)
    assert made is not None
    assert (made.mcp_servers, made.sandbox_tools) == (None, None)
    for box in column.tools.boxes[1:]:
        box.click()
    column.show_preferences(kept)
    made = column.request(kept)
    assert made is not None
    assert (made.mcp_servers, made.sandbox_tools) == (("time", "rooms"), ())
    column.show_preferences(Preferences(tools=OfferedTools(servers=("rooms",))))
    assert [(box.text(), box.isChecked()) for box in column.tools.boxes] == [("MCP server rooms", False)]


def test_sandboxed_tools_are_off_and_can_be_switched_on_for_the_session(app: QApplication, tmp_path: Path) -> None:
    column = SetupColumn()
    column.show_models([RUNBOOK])
    column.chooser.show_targets(targets("monitor:1"), "")
    column.task.setPlainText("press Enter")
    kept = Preferences(tools=OfferedTools(sandboxable=tuple(SandboxTool)))
    column.show_preferences(kept)
    tools = column.tools
    assert not tools.unfolded
    tools.unfold.click()
    assert [box.isChecked() for box in tools.boxes] == [False, False]
    wanted: list[int] = []
    tools.sandbox_wanted.connect(lambda: wanted.append(1))
    assert not tools.folder.isVisibleTo(column)
    tools.boxes[0].click()
    assert wanted == [1]
    assert tools.folder.isVisibleTo(column)
    tools.show_folder(tmp_path)
    made = column.request(kept)
    assert made is not None
    assert (made.sandbox_tools, made.sandbox_folder) == ((SandboxTool.BASH,), tmp_path)
    tools.refuse_sandbox("bubblewrap is missing. Install it.")
    made = column.request(kept)
    assert made is not None
    assert (made.sandbox_tools, made.sandbox_folder) == (None, None)
    shown = [part.text() for part in column.findChildren(QLabel) if part.isVisibleTo(column)]
    assert "bubblewrap is missing. Install it." in shown


@pytest.fixture
def styled(app: QApplication) -> None:
    Theme(app, DEFAULT_LOOK).style_widgets()


def in_sight(part: QWidget) -> bool:
    return part.isVisible() and part.visibleRegion().boundingRect() == part.rect()


def test_a_mistake_below_the_fold_is_scrolled_to_and_the_line_of_the_cursor_stays_in_sight(
    styled: None, on_qt: Run
) -> None:
    async def work() -> None:
        column = SetupColumn()
        column.show_runbook(True)
        column.show_models([RUNBOOK])
        column.task.setPlainText('clik "Save"\n' * 6)
        column.resize(WIDTH, 420)
        column.show()
        try:
            column.task.setFocus()
            await until(lambda: column.task.visibleRegion().boundingRect().height() > 20, "the layout")
            assert not in_sight(column.mistake)
            mistake = TaskMistake("The runbook has a mistake in line 1.", detail="“clik” is not a step.", line=1)
            column.show_mistake(mistake, select=False)
            await until(lambda: in_sight(column.mistake), "the mistake to be seen", timeout_s=5)
            assert column.focusWidget() is column.task
            column.resize(WIDTH, 260)  # too low for both
            column.show_mistake(mistake, select=False)
            viewport = column.task.viewport()
            seen = viewport.visibleRegion().boundingRect
            await until(lambda: seen().contains(column.task.cursorRect()), "the line of the cursor", timeout_s=5)
        finally:
            column.close()

    on_qt(work())


def test_the_note_on_a_missing_key_is_scrolled_to_when_its_model_is_picked(styled: None, on_qt: Run) -> None:
    async def work() -> None:
        column = SetupColumn()
        column.show_models([RUNBOOK, GEMINI])
        column.resize(WIDTH, 420)
        column.show()
        try:
            column.model.setCurrentIndex(1)
            column.model.activated.emit(1)
            await until(lambda: in_sight(column.key), "the key's button to be seen", timeout_s=5)
        finally:
            column.close()

    on_qt(work())


def test_start_is_as_wide_as_the_fields_above_it_with_and_without_a_scroll_bar(styled: None, on_qt: Run) -> None:
    async def work() -> None:
        column = SetupColumn()
        column.show()
        try:
            for height in (420, 1200, 420):
                column.resize(WIDTH, height)
                await until(
                    lambda: (
                        [part.mapTo(column, QPoint()).x() for part in (column.task, column.start)] == [16, 16]
                        and column.task.width() == column.start.width()
                    ),
                    f"equal widths at {height}",
                    timeout_s=5,
                )
        finally:
            column.close()

    on_qt(work())


def test_the_key_is_asked_for_right_below_its_model(styled: None) -> None:
    column = SetupColumn()
    column.show_models([GEMINI])
    column.resize(WIDTH, 1600)
    column.show()
    try:
        QApplication.processEvents()
        below = [part.mapTo(column, QPoint()).y() for part in (column.model, column.key, column.privacy)]
        assert below == sorted(below)
    finally:
        column.close()


def test_the_chosen_level_does_not_touch_its_neighbours(styled: None) -> None:
    column = SetupColumn()
    column.show()
    try:
        for segment in column.segments:
            font = segment.font()
            font.setBold(True)
            room = segment.width() - QFontMetrics(font).horizontalAdvance(segment.text())
            assert room >= 8, segment.text()
    finally:
        column.close()
