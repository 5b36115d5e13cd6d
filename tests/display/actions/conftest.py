"""The fixture `full`."""

from __future__ import annotations

import pytest


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether every combination of texts, layouts, locks and applications is typed (`--full`)."""
    return bool(request.config.getoption("--full"))
