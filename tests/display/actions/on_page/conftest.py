"""The test page in one Chromium for a module, on a desktop of its own with one guard; each test has the page anew."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.display.actions.page import ActionPage
from tests.display.guard.acting import KeptGuard, kept_guard
from tests.display.rig import Application, Desktop, desktop_of_its_own


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desktop, ActionPage, Application]]:
    """Chromium with the page on a desktop of its own: to start one takes longer than most tests."""
    with desktop_of_its_own(tmp_path_factory.mktemp("page")) as desktop, ActionPage() as page:
        yield desktop, page, page.open(desktop)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guard_of_module(
    browser: tuple[Desktop, ActionPage, Application], homes: Iterator[Path]
) -> AsyncIterator[KeptGuard]:
    """Of the browser's desktop."""
    async with kept_guard(browser[0].name, str(next(homes))) as kept:
        yield kept


@pytest.fixture
def desktop(browser: tuple[Desktop, ActionPage, Application]) -> Iterator[Desktop]:
    """The browser's."""
    desktop, _, application = browser
    yield desktop
    desktop.reset(keep={application.window.xid: application.child})


@pytest.fixture
def page(desktop: Desktop, browser: tuple[Desktop, ActionPage, Application]) -> ActionPage:
    """The test page, loaded anew."""
    _, page, application = browser
    page.begin_again(desktop, application)
    return page
