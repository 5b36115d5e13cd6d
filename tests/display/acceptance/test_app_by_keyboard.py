"""All stories of a newcomer by keys alone, and how many presses the first ones take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.hands import KeyHands
from tests.display.acceptance.stories import tell
from tests.display.rig import AccessibleDesktop


@pytest.mark.timeout(300)
def test_everything_is_done_by_keys(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    tell(accessible_desktop, tmp_path, KeyHands)
