"""All stories of a newcomer by accessible names alone, as a screen reader or a voice control would."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.hands import NameHands
from tests.display.acceptance.stories import tell
from tests.display.rig import AccessibleDesktop


@pytest.mark.full
@pytest.mark.timeout(300)
def test_everything_is_done_by_names(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: the first minutes by keys, and each name in each state of the window (ui/test_names.py)."""
    tell(accessible_desktop, tmp_path, NameHands)
