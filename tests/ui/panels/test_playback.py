"""The playback controls: scrubber over steps, keys, speeds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from operator_console.ui.panels.playback import FASTEST_S, SPEEDS, Transport
from operator_console.ui.view.replayed_record import Replay
from operator_console.ui.view.session_view import Step
from tests.display.ui.scene import Story, desktop_image

STEPS = 4


@pytest.fixture
def replay(app: QApplication) -> Replay:
    story = Story(image=desktop_image(32, 20))
    story.history(STEPS)
    return Replay.of(story.records)


@pytest.fixture
def transport(replay: Replay) -> Iterator[Transport]:
    made = Transport()
    made.open_replay(replay)
    yield made
    made.pause()
    made.close()
    made.deleteLater()


def press(transport: Transport, *keys: Qt.Key) -> bool:
    """Press keys; whether the last one was obeyed."""
    obeyed = False
    for key in keys:
        obeyed = transport.key(QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))
    return obeyed


def test_a_record_opens_at_its_end_and_counts_steps(transport: Transport, replay: Replay) -> None:
    assert transport.at == len(replay.records)
    assert (transport.place.minimum(), transport.place.maximum(), transport.place.value()) == (0, STEPS, STEPS)
    assert transport.place.accessibleDescription() == "Step 4 of 4"


def test_the_scrubber_goes_over_steps(transport: Transport, replay: Replay) -> None:
    moved: list[object] = []
    transport.moved.connect(moved.append)
    transport.place.setValue(2)
    transport.place.setValue(0)
    assert moved == [replay.end_of_step(2), replay.end_of_step(0)]
    assert transport.place.accessibleDescription() == "Start of 4 steps"


def test_keys_go_back_and_on_by_steps_and_by_events(transport: Transport, replay: Replay) -> None:
    press(transport, Qt.Key.Key_J, Qt.Key.Key_Left)
    assert transport.at == replay.end_of_step(2)
    press(transport, Qt.Key.Key_L)
    assert transport.at == replay.end_of_step(3)
    press(transport, Qt.Key.Key_Comma, Qt.Key.Key_Comma)
    assert transport.at == replay.end_of_step(3) - 2
    assert transport.place.value() == 3
    press(transport, Qt.Key.Key_Right)
    assert transport.at == replay.end_of_step(3)
    press(transport, Qt.Key.Key_Home)
    assert transport.at == replay.end_of_step(0)
    press(transport, Qt.Key.Key_Period)
    assert transport.at == replay.end_of_step(0) + 1
    press(transport, Qt.Key.Key_End)
    assert transport.at == len(replay.records)
    assert not press(transport, Qt.Key.Key_A)


def test_space_plays_from_the_beginning_and_pauses(transport: Transport, replay: Replay) -> None:
    press(transport, Qt.Key.Key_Space)
    assert transport.at == replay.end_of_step(0)
    assert (transport.playing, transport.play.accessibleName()) == (True, "Pause playback")
    press(transport, Qt.Key.Key_K)
    assert (transport.playing, transport.play.accessibleName()) == (False, "Play")


def test_a_speed_divides_the_waits_and_the_highest_goes_by_steps(transport: Transport, replay: Replay) -> None:
    transport.place.setValue(1)
    waits = []
    for index, _ in enumerate(SPEEDS):
        transport.speed.setCurrentIndex(index)
        waits.append(round(transport._wait_s(), 3))
    assert waits == [0.6, 0.3, 0.15, 0.075, FASTEST_S]
    transport._next()
    assert transport.at == replay.end_of_step(2)


def test_a_chosen_step_is_gone_to(transport: Transport, replay: Replay) -> None:
    press(transport, Qt.Key.Key_Space)
    step = next(item for item in replay.whole.items if isinstance(item, Step) and item.number == 3)
    transport.go_to_item(step)
    assert not transport.playing
    assert transport.at == replay.end_of_step(3)


def test_a_step_button_that_leads_nowhere_is_off_and_says_why(transport: Transport, replay: Replay) -> None:
    def states() -> tuple[bool, bool]:
        return transport.back.isEnabled(), transport.forward.isEnabled()

    assert states() == (True, False)
    assert transport.forward.accessibleDescription() == "This is the end of the record."
    transport.go_to(len(replay.records) - 1)
    assert states() == (True, True)
    transport.place.setValue(0)
    assert states() == (False, True)
    assert transport.back.toolTip() == "This is the start of the record."


def test_the_keyboard_goes_on_at_the_scrubber_where_a_step_button_goes_off(transport: Transport) -> None:
    transport.show()
    transport.back.setFocus()
    for _ in range(STEPS):
        assert transport.focusWidget() is transport.back
        transport.back.click()
    assert transport.focusWidget() is transport.place
