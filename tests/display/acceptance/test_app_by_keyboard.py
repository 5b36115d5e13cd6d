"""All stories of a newcomer by keys alone, and how many presses the first ones take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.hands import KeyHands
from tests.display.acceptance.stories import tell, tell_the_first_minutes
from tests.display.rig import AccessibleDesktop


def test_practice_a_stop_and_going_on_are_done_by_keys(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    tell_the_first_minutes(accessible_desktop, tmp_path, KeyHands)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_everything_is_done_by_keys(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: the first minutes above, keys of the other parts in tests/ui (test_console.py,
    panels/test_playback.py, library/test_library.py, dialogs/test_allow_or_deny.py), edits and words for the model in
    test_app_review.py."""
    tell(accessible_desktop, tmp_path, KeyHands)
