"""A session in a browser that the console manages: what the engine does otherwise than on a desktop."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import (
    Action,
    Back,
    CloseTab,
    Forward,
    Navigate,
    OpenBrowser,
    ReadPage,
    Scroll,
    Search,
    SwitchTab,
)
from operator_console.domain.decisions import ActResult
from operator_console.domain.events import Blocked, BlockedBy, Downloaded, Granted, Observed, Performed, SessionStarted
from operator_console.domain.frames import BrowserTarget, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.pages import DialogKind, Page, PageDialog, Tab
from operator_console.domain.proposals import CallStatus
from tests.engine.rig import Rig, does, rig, said

PAGE = Page(
    document="tab-1:loader-1", url="https://shop.test/list", title="List",
    tabs=(Tab(tab_id="tab-1", url="https://shop.test/list", title="List", shown=True),),
)  # fmt: skip
TARGET = BrowserTarget(spec="browser", title="Browser", address="/run/act.sock")
WINDOW = WindowInfo(window_id=7, title="List", app="Chromium", pid=1, rect=Rect(0, 0, 400, 300))


def browsing(*actions: Action) -> Rig:
    run = rig(*(does(action) for action in actions), said("done"), target=TARGET)
    run.computer.page = PAGE
    run.computer.windows = [WINDOW]
    run.computer.focus = WINDOW
    return run


@pytest.mark.parametrize(
    "action",
    [Back(), Forward(), CloseTab(), SwitchTab(number=1), OpenBrowser(), Search(query="tea"),
     Navigate(url="https://shop.test/tea"), Navigate(url="https://shop.test/tea", new_tab=True)],
    ids=lambda action: str(action.kind),
)  # fmt: skip
async def test_browser_actions_are_granted_as_they_are_and_not_as_keys(action: Action) -> None:
    run = browsing(action)
    await run.run()
    assert [each.action for each in run.of(Granted)] == [action]
    assert [grant.document for grant in run.injector.grants] == [PAGE.document], "in the tab that the model saw"


async def test_input_is_granted_for_the_document_that_the_model_saw() -> None:
    run = browsing(Scroll(at=NativePoint(50, 50), dy=1))
    await run.run()
    assert [grant.document for grant in run.injector.grants] == [PAGE.document]


async def test_the_record_says_nothing_that_is_true_of_this_run_only() -> None:
    run = browsing()
    await run.run()
    (started,) = run.of(SessionStarted)
    assert started.target == BrowserTarget(spec="browser", title="Browser")


async def test_each_frame_has_address_tabs_and_the_dialog_that_waits() -> None:
    run = browsing()
    dialog = PageDialog(dialog_id="3", kind=DialogKind.CONFIRM, message="Sure?", origin="https://shop.test")
    run.computer.page = Page(document="1", url=PAGE.url, tabs=PAGE.tabs, dialog=dialog)
    await run.run()
    (seen,) = run.of(Observed)
    assert (seen.url, seen.tabs, seen.dialog) == (PAGE.url, PAGE.tabs, dialog)


async def test_downloads_and_blocked_requests_are_recorded_and_told_to_the_model() -> None:
    run = browsing()
    news: list[Downloaded | Blocked] = [
        Downloaded(name="bill.pdf", folder="/d", url="https://shop.test/bill"),
        Blocked(site="ads.test:443", by=BlockedBy.NOT_ALLOWED_SITE, count=2),
    ]
    run.computer.news = list(news)
    await run.run()
    assert [event for event in run.events if isinstance(event, Downloaded | Blocked)] == news
    told = " ".join(run.model.seen[0].messages)
    assert "bill.pdf" in told
    assert "ads.test:443" in told


async def test_the_page_is_read_without_input() -> None:
    run = browsing(ReadPage())
    run.computer.text_of_page = "Address: https://shop.test/list\n\nTea 3.20"
    await run.run()
    assert run.injector.grants == []
    (result,) = run.model.seen[1].results
    assert (result.status, result.output) == (CallStatus.DONE, run.computer.text_of_page)


async def test_on_a_desktop_no_page_can_be_read() -> None:
    run = rig(does(ReadPage()), said("done"))
    await run.run()
    (performed,) = run.of(Performed)
    assert performed.result is ActResult.FAILED
    assert "manages" in performed.detail
