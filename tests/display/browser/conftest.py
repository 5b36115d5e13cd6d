"""A browser without a window and a page server, one of each for a module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from operator_console.domain.frames import ImageNeeds
from tests.page_rig import PageServer, Rig, browser_rig, page_server


@pytest.fixture(scope="module")
def upload_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that may be uploaded."""
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    """Gives out the module's pages."""
    with page_server() as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_browser(server: PageServer, upload_folder: Path) -> AsyncIterator[Rig]:
    """The browser of the module."""
    async with browser_rig(upload_folder=str(upload_folder)) as made:
        await made.computer.observe(ImageNeeds())  # starts its threads before a test looks which there are
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def rig(shared_browser: Rig, server: PageServer) -> AsyncIterator[Rig]:
    """The browser with one empty tab; nothing was said or asked for yet."""
    yield shared_browser
    for tab in shared_browser.state.page.tabs[1:]:
        del tab
        await shared_browser.act.send_raw("Operator.closeTab")
    await shared_browser.act.send_raw("Operator.navigate", {"url": "about:blank"})
    while (dialog := shared_browser.state.page.dialog) is not None:
        await shared_browser.act.send_raw("Operator.dialog", {"dialog": int(dialog.dialog_id), "do": "accept"})
    server.pages.clear()
    server.said.clear()
    server.requests.clear()
    shared_browser.computer.take_news()
