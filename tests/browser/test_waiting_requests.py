"""When the host tells of requests: when some begin to wait for their answer, and when none does any more."""

from __future__ import annotations

from typing import Any

from operator_console.browser.host.tabs import Tabs

SESSION = "session"


def tabs() -> Tabs:
    found = Tabs()
    found.add("tab", SESSION)
    return found


def sent(number: int) -> tuple[str, dict[str, Any]]:
    return "Network.requestWillBeSent", {"requestId": str(number), "request": {"url": f"http://127.0.0.1/{number}"}}


def answered(number: int) -> tuple[str, dict[str, Any]]:
    return "Network.responseReceived", {"requestId": str(number)}


def test_the_first_request_and_the_last_answer_are_told_so_that_a_page_that_loads_is_waited_for_no_longer() -> None:
    open_tabs = tabs()
    told = [open_tabs.event(*event, SESSION) for event in (sent(1), sent(2), answered(1), answered(2))]
    assert told == [True, False, False, True]
    assert open_tabs.requested == 2


def test_the_end_of_a_request_that_was_answered_is_not_told() -> None:
    open_tabs = tabs()
    for event in (sent(1), answered(1)):
        open_tabs.event(*event, SESSION)
    assert not open_tabs.event("Network.loadingFinished", {"requestId": "1"}, SESSION)
