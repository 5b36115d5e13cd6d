"""No text is cut, hidden or covered in the parts of the window that have the least room, at two text sizes.

The gallery checks every state, size and scale: ``python -m tests.display.ui.gallery --check``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from operator_console.domain import events as ev
from operator_console.domain import states as st
from operator_console.domain.actions import TypeText
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Autonomy
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.ui.backend import GuardStatus, Latch, Preferences
from operator_console.ui.panels.action_card import ActionCard
from operator_console.ui.panels.header import Header
from operator_console.ui.panels.session_line import SessionLine
from operator_console.ui.panels.stop_receipt import StopReceipt
from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from operator_console.ui.theme_colours import Theme
from operator_console.ui.view.fold_records import fold
from operator_console.ui.view.session_view import SessionView
from operator_console.ui.view.state_words import start_blocked
from operator_console.ui.widgets.controls import ElidedLabel, label
from operator_console.ui.widgets.window_size import setup_width, side_width
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.gallery_scenes import SCENES
from tests.display.ui.layout_faults import layout_faults
from tests.display.ui.scene import LOW, NOTES, Story, call_of, desktop_image
from tests.ui.conftest import Run, until
from tests.ui.test_console import begun, opened

WIDTHS = (720, 920, 1280, 2560)
BESIDE_SETUP = 428
"""Of the session line in the narrowest window, beside the unfolded set-up."""
RECORD = "expense-report-of-november.ocsession"
STOPPED = ev.Stopped(
    reason=StopCause.HOTKEY, latched=True, in_flight="typing “Train to Kraków”", delivered=9, total=15,
    cancelled=("click “Submit report”",), released_keys=1, press_to_last_event_ms=2.7,
)  # fmt: skip


def look(text_size: float) -> Look:
    return Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL, text_size)


@pytest.fixture(params=[1.0, 1.5], scope="module")
def text_size(app: QApplication, request: pytest.FixtureRequest) -> Iterator[float]:
    Theme(app, look(request.param)).style_widgets()
    yield request.param
    Theme(app, look(1.0)).style_widgets()


@pytest.fixture
def shown() -> Iterator[list[QWidget]]:
    """Widgets that are closed at the end."""
    widgets: list[QWidget] = []
    yield widgets
    for widget in widgets:
        widget.close()
        widget.deleteLater()


def story(*events: ev.Event) -> Story:
    told = Story(image=desktop_image(64, 48))
    told.history(2)
    for event in events:
        told.add(event)
    return told


def view_of(told: Story) -> SessionView:
    view = SessionView()
    for record in told.records:
        view = fold(view, record)
    return view


ENDED = ev.Ended(outcome=ev.EndedOutcome.FINISHED, message="Done.", steps=2, usage=Usage())


def laid_out(widget: QWidget, width: int, height: int = 0) -> None:
    widget.resize(width, height or widget.sizeHint().height())
    layout = widget.layout()
    assert layout is not None
    for _ in range(3):
        layout.activate()
        QApplication.sendPostedEvents()
        widget.resize(width, height or widget.sizeHint().height())


class Layouts(QObject):
    """Counts what is laid out."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self._count = 0
        self._app = app

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802  Qt's own name
        self._count += event.type() is QEvent.Type.LayoutRequest
        return False

    async def settled(self) -> None:
        """Until two turns of the loop lay nothing out: what waits for the room that a layout has made comes between."""
        self._app.installEventFilter(self)
        idle = 0
        while idle < 2:
            before = self._count
            await asyncio.sleep(0)
            idle = idle + 1 if self._count == before else 0
        self._app.removeEventFilter(self)


@pytest.mark.parametrize("state", ["running", "approved ahead", "ended", "stopped", "not ready", "replay"])
def test_the_session_line_shows_the_task_at_every_width(text_size: float, shown: list[QWidget], state: str) -> None:
    line = SessionLine()
    shown.append(line)
    ahead = ev.AutonomyChanged(autonomy=Autonomy.STEP, approve_next=4)
    events: dict[str, ev.Event] = {"ended": ENDED, "stopped": STOPPED, "approved ahead": ahead}
    view = view_of(story(*([events[state]] if state in events else [ENDED] if state == "not ready" else [])))
    dead = GuardStatus(liveness=StopLiveness(live=False, detail="The guard ended. It is being restarted."))
    latched = GuardStatus(liveness=StopLiveness(live=True), latch=Latch(reason=StopCause.HOTKEY))
    blocked = {"stopped": start_blocked(latched), "not ready": start_blocked(dead)}.get(state)
    line.show()
    for width in (BESIDE_SETUP, *WIDTHS):
        line.resize(width, 60)
        line.show_view(view, starting=False, replay=state == "replay", blocked=blocked)
        laid_out(line, width)
        assert layout_faults(line) == [], width
        task = line._task
        assert task.width() >= task.least_width(16), width


def test_the_session_line_has_one_row_where_there_is_room(text_size: float, shown: list[QWidget]) -> None:
    line = SessionLine()
    shown.append(line)
    line.show()
    line.resize(2560, 60)
    line.show_view(view_of(story()), starting=False, replay=False)
    laid_out(line, 2560)
    wide = line.height()
    assert all(chip.isVisible() for chip in line._chips[1:]), "the first gives way to the switch"
    laid_out(line, 600)
    assert line.height() > wide
    laid_out(line, 2560)
    assert line.height() == wide


@pytest.mark.parametrize("replay", [True, False])
def test_the_header_shows_a_readable_part_of_the_records_name_or_none(
    text_size: float, shown: list[QWidget], replay: bool
) -> None:
    header = Header()
    shown.append(header)
    header.show()
    view = view_of(story())
    header.show_guard(GuardStatus(liveness=FakeBackend().live), view, replay=replay)
    for width in WIDTHS:
        header.show_view(view, RECORD, replay=replay)
        laid_out(header, width)
        assert layout_faults(header) == [], width
        assert header._record.isVisible() or header.toolTip() == RECORD
    assert header._record.text() == RECORD


def test_the_stop_receipt_keeps_its_reset_in_sight(text_size: float, shown: list[QWidget]) -> None:
    receipt = StopReceipt()
    shown.append(receipt)
    receipt.show()
    guard = GuardStatus(liveness=FakeBackend().live, latch=Latch(reason=StopCause.HOTKEY))
    receipt.show_stop(STOPPED, "", guard)
    receipt.show_latched(True)
    least = receipt.minimumSizeHint().height()
    for height in (least, 2 * least):
        laid_out(receipt, 360, height)
        assert layout_faults(receipt) == [], height


def test_a_small_window_with_large_text_shows_everything_in_every_state(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend(preferences=Preferences(look=look(1.5), start_page_seen=True))
        record = Path(RECORD)
        backend.files[record] = story(ENDED)
        async with opened(app, backend, styled=True) as (console, _):
            window, layouts = console.window, Layouts(app)
            window.resize(720, 520)

            async def check(state: str) -> None:
                console.render()
                await layouts.settled()
                assert layout_faults(window) == [], state

            await check("idle")
            window.setup.task.setPlainText("Copy the train receipt into the expense report and submit it.")
            window.setup.start.click()
            await until(lambda: backend.audience is not None, "the start")
            backend.story = story(STOPPED)
            backend.play()
            backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
            backend.enter(st.Stopped(reason=StopCause.HOTKEY))
            await until(window.side.receipt.isVisible, "the receipt")
            await check("stopped")
            assert window.side.rect().contains(window.side.receipt.geometry())
            backend.say_guard(latch=None)
            console._open_path(record)
            await until(window.transport.isVisible, "the record")
            await check("replay")

    try:
        on_qt(work())
    finally:
        Theme(app, look(1.0)).style_widgets()


@pytest.mark.parametrize("scene", ["offered", "choose", "permissions", "machine-snapshot"])
def test_what_asks_has_room_in_a_small_window_with_large_text(app: QApplication, on_qt: Run, scene: str) -> None:
    async def work() -> None:
        backend = FakeBackend(preferences=Preferences(look=look(1.5), start_page_seen=True))
        async with opened(app, backend) as (console, _):
            layouts = Layouts(app)
            await SCENES[scene](console, backend)
            console.window.resize(720, 520)
            for _ in range(2):  # the card tells its column what it needs
                console.render()
                await layouts.settled()
            assert layout_faults(console.window) == []

    try:
        on_qt(work())
    finally:
        Theme(app, look(1.0)).style_widgets()


def test_an_elided_label_says_what_it_needs_for_a_few_characters(text_size: float) -> None:
    label = ElidedLabel("A text of more than twenty characters", pad=10)
    assert ElidedLabel("Ab").least_width(20) == ElidedLabel("Ab").sizeHint().width()
    assert label.least_width(5) < label.least_width(10) < label.sizeHint().width()


def test_the_card_is_as_high_as_its_wrapped_title_needs(text_size: float, shown: list[QWidget]) -> None:
    card = ActionCard()
    shown.append(card)
    card.resize(360, 600)
    layout = card.layout()
    assert layout is not None
    for words in ("Next action", "Asked in a dialog: an action whose words need several lines here. " * 3):
        card._title.setText(words)
        assert card.sizeHint().height() == layout.totalHeightForWidth(card.width())


def test_a_low_column_gives_the_card_the_room_of_the_timeline(app: QApplication, text_size: float, on_qt: Run) -> None:
    async def work() -> None:
        preferences = Preferences(look=look(text_size), start_page_seen=True)
        async with opened(app, FakeBackend(preferences=preferences), styled=True) as (console, backend):
            window, layouts = console.window, Layouts(app)
            window.resize(720, 520)
            await begun(console, backend)
            backend.story.started()
            backend.story.observed(1)
            backend.story.proposed(1, call_of(0, TypeText(text="Überweisungsbestätigung " * 8, at=NOTES), LOW))
            backend.play()
            window.line.unfold.setChecked(True)
            window.open_drawer()
            for height in (520, 900, 520):
                window.resize(720, height)
                console.render()
                await layouts.settled()
                assert layout_faults(window.side) == [], height
                assert window.side.rect().contains(window.side.card.geometry())
                assert window.side.timeline.isVisible() is (height == 900)

    on_qt(work())


def test_the_columns_are_wider_in_a_wide_window(text_size: float) -> None:
    assert side_width(0) == side_width(1440) < side_width(2560)
    assert setup_width(1440, 272) == 272 < setup_width(2560, 272)


def test_while_a_session_runs_the_right_column_stays_beside_the_preview(
    app: QApplication, text_size: float, on_qt: Run
) -> None:
    async def work() -> None:
        preferences = Preferences(look=look(text_size), start_page_seen=True)
        async with opened(app, FakeBackend(preferences=preferences), styled=True) as (console, backend):
            window = console.window
            window.resize(1280, 720)
            await until(
                lambda: window.side.isVisible() is (text_size == 1.0), "no room for both columns and large text"
            )
            await begun(console, backend)
            backend.story.started()
            backend.play()
            await until(lambda: window.side.isVisible() and window.preview_bar.drawer.isHidden(), "the column")

    on_qt(work())


def test_a_pill_has_the_same_room_on_both_sides(text_size: float, shown: list[QWidget]) -> None:
    for made in (label("Reviewing", "pill"), ElidedLabel("Reviewing", "pill", pad=20)):
        shown.append(made)
        made.show()
        made.resize(200, made.sizeHint().height())
        image = made.grab().toImage()
        ground = image.pixelColor(image.width() // 2, 2)
        row = range(image.height() // 4, 3 * image.height() // 4)
        inked = [x for x in range(12, image.width()) if any(image.pixelColor(x, y) != ground for y in row)]
        assert 10 <= inked[0] / image.devicePixelRatio() <= 13, "the padding of the style sheet, and no more"
