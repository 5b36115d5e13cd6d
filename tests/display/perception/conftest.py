"""Fixtures for tests of what applications tell of their controls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from tests.display.rig import AccessibleDesktop


@pytest.fixture
async def elements(
    accessible_desktop: AccessibleDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[AccessibleElements]:
    """Asks the applications on the accessible desktop for their elements."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", accessible_desktop.env["DBUS_SESSION_BUS_ADDRESS"])
    made = AccessibleElements(AccessibilityOptions(run_folder=tmp_path))
    await made.start()
    yield made
    await made.close()
