"""What is chosen in the window reaches the settings file, and what the window does not show stays there."""

from __future__ import annotations

import dataclasses

import pytest

from operator_console.app.backend import preferences_of, with_preferences
from operator_console.domain.risk import Autonomy, Category
from operator_console.settings.model import Hotkeys, Settings, Timing
from operator_console.ui.backend import Preferences
from operator_console.ui.theme_choice import ThemeChoice

CHOSEN = Preferences(
    theme=ThemeChoice.DARK, reduced_motion=True, lead_time_s=1.5, typing_delay_s=0.02, pastes=True,
    accessibility=False,
    allow=(Category.SEND,), target="window:x", provider="gemini", model="m", autonomy=Autonomy.AUTO, max_steps=7,
    max_minutes=3.0,
)  # fmt: skip


def test_every_choice_comes_back() -> None:
    assert all(getattr(CHOSEN, each.name) != each.default for each in dataclasses.fields(Preferences))
    assert preferences_of(with_preferences(Settings(), CHOSEN)) == CHOSEN


@pytest.mark.parametrize("chosen", [CHOSEN, Preferences()])
def test_the_rest_stays_as_it_was(chosen: Preferences) -> None:
    before = Settings(timing=Timing(lead_time_run_s=2.0), hotkeys=Hotkeys(stop="<ctrl>+<alt>+q"))
    after = with_preferences(before, chosen)
    assert (after.timing.lead_time_run_s, after.hotkeys) == (2.0, before.hotkeys)
