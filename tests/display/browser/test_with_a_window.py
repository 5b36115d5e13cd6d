"""What differs where the browser has a window: nothing may open beside the page that its picture does not show."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from operator_console.domain.frames import ImageNeeds
from tests.display.browser.test_dialogs import prints_nothing, refused_all
from tests.display.browser.test_tabs import shows
from tests.display.rig import Desktop
from tests.page_rig import SIZE, PageServer, Rig, browser_rig, button, buttons, page_server


@pytest.fixture
def server() -> Iterator[PageServer]:
    """Gives out the pages of a test."""
    with page_server() as made:
        yield made


@pytest.fixture
async def rig(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    """A browser with a window on a clean desktop."""
    monkeypatch.setenv("DISPLAY", desktop.name)
    async with browser_rig(headless=False, display=desktop.name) as made:
        yield made


async def test_no_bubble_and_no_window_opens_and_a_pop_up_is_followed_at_the_pages_size(
    rig: Rig, server: PageServer
) -> None:
    await refused_all(rig, server)
    await prints_nothing(rig, server)
    server.pages |= {"/": "<title>One</title>" + buttons("window.open('/two')"), "/two": "<title>Two</title>"}
    await rig.go(server.url())
    frame = await rig.computer.observe(ImageNeeds())
    assert frame.geometry.native == SIZE
    await rig.click(*button(0))
    await shows(rig, "One", "*Two")
    await rig.act.send_raw("Operator.closeTab")
    await rig.computer.observe(ImageNeeds())
    assert rig.titles() == ["*One"]
