"""Right before an action the browser must show what the model saw: document, windows, picture, dialog."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from PIL import Image

from operator_console.browser.dialog_layout import lay_out
from operator_console.browser.page_state import PageState, dialog_window, page_window
from operator_console.domain.actions import Click
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import Grant, HolderCheck, OwnerCheck, ScreenCheck
from operator_console.injector.action_errors import Refused
from operator_console.injector.browser.page_check import PageCheck
from operator_console.injector.browser.page_input import PageInput

SIZE = Size(600, 400)
POINT = NativePoint(300, 90)
WHITE, PATCH = (255, 255, 255), Rect(290, 80, 20, 20)
DIALOG = {
    "number": 7, "kind": "confirm", "message": "Sure?", "origin": "http://a.test", "values": [], "filled": [],
    "focus": 0, "files": [], "several": False, "options": [], "chosen": -1, "first": 0, "element": "",
    "beside": [0.0, 0.0, 0.0, 0.0],
}  # fmt: skip


class Browser:
    """What the host would answer."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {
            "tabs": [{"target": "t", "url": "http://a.test/", "title": "A", "shown": True}], "document": "t:1",
            "url": "http://a.test/", "title": "A", "scale": 1.0, "dialog": None,
        }  # fmt: skip
        self.picture = Image.new("RGB", (SIZE.width, SIZE.height), WHITE)
        self.asked: list[str] = []

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self.asked.append(method)
        if method == "Operator.state":
            return self.state
        written = io.BytesIO()
        self.picture.save(written, "PNG")
        return {"data": base64.b64encode(written.getvalue()).decode()}


@pytest.fixture
def browser() -> Browser:
    return Browser()


def grant(browser: Browser, **changes: Any) -> Grant:
    """For a click, as the state is now."""
    state = PageState.of(browser.state)
    window = page_window(state.page, "", 0, SIZE)
    made = Grant(
        grant_id="0", step=1, call=0, action=Click(at=POINT), target=BrowserTarget(spec="browser", title="Browser"),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE), epoch=1, expires_s=0.0,
        document=state.page.document, owners=(OwnerCheck(at=POINT, window_id=window.window_id),),
        holder=HolderCheck(window_id=window.window_id),
        checks=(ScreenCheck(region=PATCH, pixels=b"\xff\xff\xff\x00" * (PATCH.width * PATCH.height)),),
    )  # fmt: skip
    return replace(made, **changes)


def refusal(browser: Browser, permitted: Grant, *points: NativePoint) -> Refused:
    with pytest.raises(Refused) as refused:
        PageCheck(cast(PageInput, browser)).check(permitted, points or (POINT,))
    return refused.value


def test_what_is_as_it_was_may_be_acted_on(browser: Browser) -> None:
    state = PageCheck(cast(PageInput, browser)).check(grant(browser), (POINT,))
    assert state.page.document == "t:1"
    assert browser.asked == ["Operator.state", "Page.captureScreenshot"]


def test_without_a_picture_to_compare_none_is_taken(browser: Browser) -> None:
    PageCheck(cast(PageInput, browser)).check(grant(browser, checks=()), (POINT,))
    assert browser.asked == ["Operator.state"]


def test_another_document_is_refused(browser: Browser) -> None:
    permitted = grant(browser)
    browser.state["document"] = "t:2"
    assert refusal(browser, permitted).reason == RejectedReason.STALE


def test_a_point_outside_the_picture_is_refused(browser: Browser) -> None:
    assert refusal(browser, grant(browser), NativePoint(600, 10)).reason == RejectedReason.OUT_OF_RANGE


def test_another_tab_is_refused_for_points_and_for_keys(browser: Browser) -> None:
    permitted = grant(browser, document="")
    browser.state["tabs"][0]["target"] = "other"
    assert refusal(browser, replace(permitted, holder=None)).reason == RejectedReason.STALE
    assert refusal(browser, replace(permitted, owners=())).reason == RejectedReason.STALE


def test_a_dialog_that_has_opened_is_refused_by_its_name(browser: Browser) -> None:
    permitted = grant(browser)
    browser.state["dialog"] = DIALOG
    assert "a.test" in refusal(browser, permitted).text


def test_a_dialog_that_was_seen_takes_input_and_no_picture_is_taken(browser: Browser) -> None:
    browser.state["dialog"] = DIALOG
    dialog = PageState.of(browser.state).page.dialog
    assert dialog is not None
    layout = lay_out(dialog, SIZE, 1.0)
    window = dialog_window(dialog, layout.title, "", 0, layout.box)
    number = window.window_id
    permitted = grant(
        browser, owners=(OwnerCheck(at=POINT, window_id=number),), holder=HolderCheck(window_id=number)
    )  # fmt: skip
    PageCheck(cast(PageInput, browser)).check(permitted, (POINT,))
    assert browser.asked == ["Operator.state"]
    browser.state["dialog"] = DIALOG | {"number": 8}
    assert refusal(browser, permitted).reason == RejectedReason.STALE


def test_another_picture_at_the_point_is_refused(browser: Browser) -> None:
    permitted = grant(browser)
    browser.picture.paste((200, 0, 0), (290, 80, 310, 100))
    assert refusal(browser, permitted).reason == RejectedReason.STALE


def test_another_picture_elsewhere_does_not_matter(browser: Browser) -> None:
    permitted = grant(browser)
    browser.picture.paste((200, 0, 0), (0, 0, 100, 80))
    PageCheck(cast(PageInput, browser)).check(permitted, (POINT,))


def test_a_page_of_another_size_is_refused(browser: Browser) -> None:
    permitted = grant(browser)
    browser.picture = browser.picture.resize((500, 400))
    assert refusal(browser, permitted).reason == RejectedReason.STALE
