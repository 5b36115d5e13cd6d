"""A record that is replayed: the picture belongs to the place, and there is none before the first step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain import events as ev
from operator_console.domain.proposals import Usage
from operator_console.ui.console import Console
from operator_console.ui.view.session_view import Note
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.scene import Story, desktop_image, frame_of
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened

RECORD = Path("2026-11-23_10-00-00.ocsession")
STEPS = 3
SAID = "Slowly, please."
Work = Callable[[Console], Awaitable[None]]


def replayed(work: Work) -> Callable[[QApplication, Run], None]:
    """A test of a record that is open at its end, its last picture shown; the chosen target has a live picture."""

    def test(app: QApplication, on_qt: Run) -> None:
        async def play() -> None:
            backend = FakeBackend()
            story = backend.files[RECORD] = Story(image=desktop_image(64, 48))
            story.history(STEPS)
            story.add(ev.Message(text="And now?"))
            story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
            async with opened(app, backend) as (console, _):
                console.window.preview.show_frame(frame_of(desktop_image(80, 60)))
                console._open_path(RECORD)
                await until(lambda: picture(console) is not None, "the last picture")
                await work(console)

        on_qt(play())

    test.__doc__ = work.__doc__
    return test


def picture(console: Console) -> str | None:
    """The digest of the picture that is shown; None without one."""
    decoded, wanted = console.pictures._decoded, console.pictures._wanted
    if console.window.preview.fit is None or decoded is None or wanted is None or wanted[0] != decoded.digest:
        return None
    return decoded.digest


def picture_of(console: Console, step: int) -> str:
    events = (record.event for record in console.records.replay.records)
    return next((e.picture for e in events if isinstance(e, ev.Observed) and e.step == step), "not read yet")


def note(console: Console) -> str:
    empty = console.window.empty
    return empty._title.text() if empty.isVisible() else ""


async def at_start(console: Console) -> None:
    await until(lambda: note(console) == "There is no picture before the first step.", "that there is no picture yet")
    assert console.window.preview.fit is None, "neither a later picture nor the live one"
    assert console.window.preview._marks == ()


@replayed
async def test_before_the_first_step_there_is_no_picture(console: Console) -> None:
    place = console.window.transport.place
    for _ in range(2):
        QTest.keyClick(place, Qt.Key.Key_Home)
        await at_start(console)
        QTest.keyClick(place, Qt.Key.Key_Right)
        await until(lambda: picture(console) == picture_of(console, 1), "the first picture")
        await until(lambda: note(console) == "", "the note to go, which the next rendering does")
        QTest.keyClick(place, Qt.Key.Key_End)
        await until(lambda: picture(console) == picture_of(console, STEPS), "the last picture")


@replayed
async def test_a_step_that_was_chosen_is_left_before_the_first_one(console: Console) -> None:
    timeline = console.window.side.timeline
    step = next(item for item in console.records.replay.whole.items if getattr(item, "number", 0) == 2)
    row = timeline.rows.row_of(("item", step.seq))
    assert row is not None
    timeline.setCurrentIndex(timeline.rows.index(row))
    await until(lambda: console.window.preview_bar._what.text().startswith("Step 2"), "the step")
    QTest.keyClick(console.window.transport.place, Qt.Key.Key_Home)
    await at_start(console)
    chosen = console.pictures.chosen
    assert isinstance(chosen, Note), "the start is chosen in its place"
    QTest.keyClick(console.window.transport.place, Qt.Key.Key_Comma)
    assert console.window.transport.at == 0
    await at_start(console)
    assert console.pictures.chosen is None, "there is nothing before the start"
    assert not timeline.selectionModel().hasSelection()


@replayed
async def test_a_note_shows_the_picture_of_its_place(console: Console) -> None:
    QTest.keyClick(console.window.transport.place, Qt.Key.Key_Home)
    await at_start(console)
    timeline = console.window.side.timeline
    timeline.setCurrentIndex(timeline.rows.index(0))  # the end, which has no picture of its own
    await until(lambda: picture(console) == picture_of(console, STEPS), "the last picture")


@pytest.mark.parametrize("early", [True, False])
def test_a_note_without_a_picture_never_shows_a_later_one(app: QApplication, on_qt: Run, *, early: bool) -> None:
    async def work() -> None:
        backend = FakeBackend()
        story = backend.files[RECORD] = Story(image=desktop_image(64, 48))
        story.started()
        if early:
            story.add(ev.Message(text=SAID))
        story.observed(1, tint=4)
        if not early:
            story.add(ev.Message(text=SAID))
        story.observed(2, tint=40)
        async with opened(app, backend) as (console, _):
            console._open_path(RECORD)
            await until(lambda: picture(console) == picture_of(console, 2), "the last picture")
            timeline = console.window.side.timeline
            said = next(item for item in console.records.replay.whole.items if getattr(item, "detail", "") == SAID)
            row = timeline.rows.row_of(("item", said.seq))
            assert row is not None
            timeline.setCurrentIndex(timeline.rows.index(row))
            if early:
                await at_start(console)
            else:
                await until(lambda: picture(console) == picture_of(console, 1), "the picture of then")

    on_qt(work())
