"""The fixture `page`, and the option `--full`: every combination of texts, layouts, locks and applications."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.display.actions.page import ActionPage
from tests.display.rig import Desktop


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="type every text under every layout and lock into each field")


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether `--full` was given. The option exists only if this folder is named on the command line."""
    return bool(request.config.getoption("--full", default=False))


@pytest.fixture
def page(desktop: Desktop) -> Iterator[ActionPage]:
    """The test page, opened in Chromium."""
    with ActionPage() as page:
        page.open(desktop)
        yield page
