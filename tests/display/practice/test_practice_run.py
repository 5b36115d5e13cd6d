"""The practice runbook on the practice window, judged by the window's own file alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operator_console.domain.actions import AskOperator, QuestionKind
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.accessible_elements import AccessibleElements
from operator_console.perception.picture_reader import OcrReader
from operator_console.practice.event_log import Clicked, read_log
from operator_console.practice.launcher import practice_runbook
from operator_console.providers.runbook.provider import RunbookProvider
from operator_console.providers.spec import ScreenReader
from tests.display.practice.conftest import Start
from tests.display.practice.player import Player
from tests.display.rig import AccessibleDesktop, Desktop


@pytest.mark.full
async def test_everything_of_the_runbook_arrives_on_a_scaled_screen(
    desktop: Desktop, practice: Start, reader: OcrReader
) -> None:
    """At 100 %: tests/display/acceptance/test_app_practice.py.

    In each run: at 100 %, and the scaled window in test_practice_window.py.
    """
    # Polish letters stand on this layout's keys, so xdotool need not remap any.
    desktop.set_layout("pl")
    window = await practice(scale=1.25)
    player = Player(desktop=desktop, xid=window.ready.window_id)

    finish = await player.play(RunbookProvider(reader), practice_runbook())

    assert finish.success, finish.message
    assert window.verdict().missing == (), [(call.intent, call.action) for call in player.calls]


class Forbidden:
    """A reader that must not be needed."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        raise AssertionError("the picture is read")

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        raise AssertionError("a field is searched in the picture")


@pytest.mark.parametrize("way", ["both", *(pytest.param(each, marks=pytest.mark.full) for each in ("ocr", "elements"))])
async def test_the_same_runbook_plays_by_text_by_elements_and_by_both(
    accessible_desktop: AccessibleDesktop,
    practice: Start,
    reader: OcrReader,
    elements: AccessibleElements,
    way: str,
) -> None:
    desktop = accessible_desktop.desktop
    desktop.set_layout("pl")
    window = await practice(env=accessible_desktop.env)
    readers: dict[str, tuple[ScreenReader | None, AccessibleElements | None]] = {
        "ocr": (reader, None), "elements": (None, elements), "both": (Forbidden(), elements),
    }  # fmt: skip
    player = Player(desktop=desktop, xid=window.ready.window_id)

    finish = await player.play(RunbookProvider(*readers[way]), practice_runbook())

    assert finish.success, (finish.message, [(call.intent, call.action, call.note) for call in player.calls])
    assert window.verdict().missing == (), [(call.intent, call.action) for call in player.calls]


@pytest.mark.full
async def test_two_buttons_of_one_label_are_asked_about(desktop: Desktop, practice: Start, reader: OcrReader) -> None:
    """In each run: an ambiguous name in tests/providers/runbook/test_provider.py."""
    window = await practice(ambiguous=True)
    asked: list[AskOperator] = []

    def choose_the_one_at_the_water(question: AskOperator) -> str:
        asked.append(question)
        return str([choice.region.x for choice in question.choices if choice.region].index(_leftmost(question)))

    player = Player(desktop=desktop, xid=window.ready.window_id, answer=choose_the_one_at_the_water)
    finish = await player.play(RunbookProvider(reader), 'click "Save"\nexpect "Saved once"')

    assert finish.success, finish.message
    (question,) = asked
    assert question.answer is QuestionKind.CHOOSE
    assert len(question.choices) == 2
    clicked = [event.button for event in read_log(window.log) if isinstance(event, Clicked)]
    assert clicked == ["Save water"]


def _leftmost(question: AskOperator) -> int:
    return min(choice.region.x for choice in question.choices if choice.region)
