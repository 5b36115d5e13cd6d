"""The programs that are started with an isolated desktop are chosen beside it, and kept at Start."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication

from operator_console.app.backend import preferences_of, with_preferences
from operator_console.domain.frames import TargetKind
from operator_console.settings.model import Settings
from operator_console.ui.backend import Preferences, TargetChoice
from operator_console.ui.console import Console
from operator_console.ui.panels.setup_column import SetupColumn
from tests.display.ui.fake_backend import FakeBackend
from tests.ui.conftest import until
from tests.ui.test_console import press, running

MONITOR = TargetChoice(spec="monitor:1", title="Monitor 1", kind=TargetKind.MONITOR)
VIRTUAL = TargetChoice(spec="virtual", title="Virtual desktop", kind=TargetKind.VIRTUAL)


def test_programs_are_chosen_only_beside_a_desktop_that_the_session_starts(app: QApplication) -> None:
    column = SetupColumn()
    for choice, shown in (
        (VIRTUAL, True), (MONITOR, False), (replace(VIRTUAL, running=True), False),
        (replace(VIRTUAL, trouble="Xvfb is missing."), False),
    ):  # fmt: skip
        column.chooser.show_targets([choice], choice.spec)
        column.chooser.choose(choice.spec)
        column._target_chosen(choice)
        assert column.programs.isHidden() is not shown


def test_each_line_is_a_program_once(app: QApplication) -> None:
    column = SetupColumn()
    column.show_preferences(Preferences(programs=("Mousepad", "xterm")))
    assert column.programs.chosen == ("Mousepad", "xterm")
    column.programs.field.setPlainText("  xterm \n\nMousepad\nxterm\n")
    assert column.programs.chosen == ("xterm", "Mousepad")


def test_the_settings_keep_them_with_the_rest_of_their_section() -> None:
    settings = Settings()
    settings = settings.model_copy(update={"virtual": settings.virtual.model_copy(update={"keep": "work"})})
    kept = with_preferences(settings, replace(preferences_of(settings), programs=("xterm",)))
    assert (kept.virtual.programs, kept.virtual.keep) == (("xterm",), "work")
    assert preferences_of(kept).programs == ("xterm",)


@running
async def test_installed_applications_are_offered_and_kept_at_start(console: Console, backend: FakeBackend) -> None:
    setup = console.window.setup
    setup.chooser.show_targets([*(await backend.list_targets()), VIRTUAL], "")
    assert setup.chooser.choose("virtual")
    setup.programs.field.setPlainText("xterm")
    press(setup.programs.add)
    await until(lambda: setup.programs.menu is not None, "the menu")
    assert setup.programs.menu is not None
    actions = setup.programs.menu.actions()
    assert [each.text() for each in actions] == ["Calculator", "Mousepad"]
    actions[1].trigger()
    setup.programs.menu.close()
    assert setup.programs.chosen == ("xterm", "Mousepad")
    setup.task.setPlainText("Write a note.")
    press(setup.start)
    await until(lambda: backend.handle is not None, "the session")
    assert console.preferences.kept.programs == ("xterm", "Mousepad")


def test_where_nothing_is_installed_the_menu_says_so(app: QApplication) -> None:
    column = SetupColumn()
    column.programs.offer(())
    assert column.programs.menu is not None
    (only,) = column.programs.menu.actions()
    assert (only.text(), only.isEnabled()) == ("No application was found", False)
    column.programs.menu.close()
