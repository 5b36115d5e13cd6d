"""Tabs and pop-ups of the managed browser: which one is shown, their titles and addresses, and going back."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from operator_console.browser.devtools import ProtocolError
from operator_console.domain.frames import ImageNeeds
from tests.page_rig import SAY, SIZE, PageServer, Rig, button, buttons, until

pytestmark = pytest.mark.asyncio(loop_scope="module")
TWO = "<title>Two</title>" + buttons("window.close()")


async def shows(rig: Rig, *titles: str) -> None:
    """Take pictures until these are the titles of the tabs; "*" marks the one that is shown."""
    async with asyncio.timeout(20):
        while rig.titles() != list(titles) or rig.state.page.loading:
            await rig.computer.observe(ImageNeeds())


async def test_the_title_of_a_page_is_known_with_its_picture_also_after_a_script_changed_it(
    rig: Rig, server: PageServer
) -> None:
    server.pages["/"] = SAY + "<title>Trip form</title>" + buttons("document.title = 'Sent'; say('changed')")
    await rig.go(server.url())
    frame = await rig.computer.observe(ImageNeeds())
    assert frame.title == "Trip form"
    assert frame.page is not None
    assert (frame.page.title, frame.page.url) == ("Trip form", server.url())
    await rig.click(*button(0))
    await until(lambda: server.said)
    assert (await rig.computer.observe(ImageNeeds())).title == "Sent"


async def test_a_pop_up_is_shown_and_when_it_closes_itself_its_opener_is(rig: Rig, server: PageServer) -> None:
    ways = ("", ", '', 'width=300,height=200'", ", '', 'noopener'")
    openers = buttons(*(f"window.open('/two'{each})" for each in ways))
    server.pages |= {"/": "<title>One</title>" + openers, "/two": TWO}
    await rig.go(server.url())
    for number in range(len(ways)):
        await rig.click(*button(number))
        await shows(rig, "One", "*Two")
        frame = await rig.computer.observe(ImageNeeds())
        assert frame.page is not None
        assert (frame.page.url, frame.geometry.native) == (server.url("/two"), SIZE)
        await rig.click(*button(0))
        await shows(rig, "*One")


async def test_a_link_opens_a_tab_in_front_by_its_target_and_behind_by_the_middle_button(
    rig: Rig, server: PageServer
) -> None:
    link = "<a style='position:absolute;left:{}px;top:0;width:100px;height:100px' href=/two {}>x</a>"
    server.pages |= {"/": "<title>One</title>" + link.format(0, "target=_blank") + link.format(100, ""), "/two": TWO}
    await rig.go(server.url())
    await rig.click(*button(1), "middle")
    await shows(rig, "*One", "Two")
    await rig.click(*button(0))
    await shows(rig, "One", "Two", "*Two")


async def test_tabs_are_opened_shown_by_number_and_closed(rig: Rig, server: PageServer) -> None:
    server.pages |= {f"/{number}": SAY + f"<title>{number}</title>" + buttons(f"say({number})") for number in range(3)}
    await rig.go(server.url("/0"))
    for number in (1, 2):
        await rig.act.send_raw("Operator.openTab", {"url": server.url(f"/{number}")})
        await until(lambda: not rig.state.page.loading)
    await shows(rig, "0", "1", "*2")
    for number in (2, 1, 3):  # input reaches the tab that is shown
        await rig.act.send_raw("Operator.showTab", {"number": number})
        await rig.click(*button(0))
        await until(lambda: len(server.said) == 1)
        assert server.said.pop() == str(number - 1)
    with pytest.raises(ProtocolError, match="no such tab"):
        await rig.act.send_raw("Operator.showTab", {"number": 4})
    await rig.act.send_raw("Operator.closeTab")
    assert rig.titles() == ["*0", "1"]  # the one that was shown before


async def test_closing_the_last_tab_leaves_an_empty_one(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = "<title>One</title>"
    await rig.go(server.url())
    await rig.act.send_raw("Operator.closeTab")
    await until(lambda: rig.state.page.url == "about:blank")
    assert len(rig.titles()) == 1


@pytest.mark.full
async def test_fifty_tabs_are_followed(rig: Rig, server: PageServer) -> None:
    """In each run three: `test_tabs_are_opened_shown_by_number_and_closed`."""
    server.pages |= {"/": "<title>One</title>", "/two": TWO}
    await rig.go(server.url())
    for number in range(2, 51):
        await rig.act.send_raw("Operator.openTab", {"url": server.url("/two")})
        assert len(rig.titles()) == number
    for left in range(49, 0, -1):
        await rig.act.send_raw("Operator.closeTab")
        assert len(rig.titles()) == left
    await shows(rig, "*One")


async def test_a_page_cannot_open_a_flood_of_pop_ups_with_one_click(rig: Rig, server: PageServer) -> None:
    many = "for (let i = 0; i < 50; i++) window.open('/two'); say('done')"
    server.pages |= {"/": SAY + "<title>One</title>" + buttons(many), "/two": TWO}
    await rig.go(server.url())
    await rig.click(*button(0))
    await until(lambda: server.said and len(rig.titles()) > 1)
    assert len(rig.titles()) == 2


async def test_history_goes_back_and_forward_and_says_where_it_ends(rig: Rig, server: PageServer) -> None:
    server.pages |= {"/": "<title>One</title>", "/two": TWO}
    await rig.act.send_raw("Operator.openTab", {"url": server.url()})
    await until(lambda: rig.state.page.url == server.url() and not rig.state.page.loading)
    await rig.go(server.url("/two"))
    assert await rig.act.send_raw("Operator.history", {"by": 1}) == {"moved": False}
    assert await rig.act.send_raw("Operator.history", {"by": -1}) == {"moved": True}
    assert rig.state.page.url == server.url()
    assert await rig.act.send_raw("Operator.history", {"by": -1}) == {"moved": False}
    assert await rig.act.send_raw("Operator.history", {"by": 1}) == {"moved": True}
    assert rig.state.page.url == server.url("/two")


NO_PAGES = (
    "chrome://settings", "CHROME://version", "view-source:http://127.0.0.1/", "javascript:alert(1)",
    "java\nscript:alert(1)", "about:flags", "file:///etc/passwd", "devtools://devtools/",
)  # fmt: skip


async def test_what_is_no_page_is_not_opened(rig: Rig) -> None:
    for command, url in itertools.product(("Operator.navigate", "Operator.openTab"), NO_PAGES):
        with pytest.raises(ProtocolError, match="not opened"):
            await rig.act.send_raw(command, {"url": url})
    assert len(rig.titles()) == 1
