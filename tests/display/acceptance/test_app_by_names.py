"""All stories of a newcomer by accessible names alone, as a screen reader or a voice control would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.display.acceptance.hands import NameHands
from tests.display.acceptance.stories import tell_with_a_model, tell_without_a_model
from tests.display.rig import AccessibleDesktop


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("tell", [tell_without_a_model, tell_with_a_model])
def test_everything_is_done_by_names(
    accessible_desktop: AccessibleDesktop, tmp_path: Path, tell: Callable[..., None]
) -> None:
    """In each run: the first minutes by keys, and each name in each state of the window (ui/test_names.py)."""
    tell(accessible_desktop, tmp_path, NameHands)
