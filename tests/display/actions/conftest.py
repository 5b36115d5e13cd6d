"""The fixtures `page` and `full`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.display.actions.page import ActionPage
from tests.display.rig import Desktop


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether every combination of texts, layouts, locks and applications is typed (`--full`)."""
    return bool(request.config.getoption("--full"))


@pytest.fixture
def page(desktop: Desktop) -> Iterator[ActionPage]:
    """The test page, opened in Chromium."""
    with ActionPage() as page:
        page.open(desktop)
        yield page
