"""Dialogs of pages: shown over the last picture, answered there only, and no page can hold a tab with them."""

from __future__ import annotations

import base64

import pytest

from operator_console.browser.devtools import ProtocolError
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.pages import DialogKind, PageDialog
from tests.page_rig import SAY, Asked, PageServer, Rig, button, buttons, until

pytestmark = pytest.mark.asyncio(loop_scope="module")
KEYS = "<script>addEventListener('keydown', event => say('key ' + event.key))</script>"
EVER = "while (true) alert('again')"
HOLD = "onbeforeunload = event => event.preventDefault(); say('held')"


async def seen(rig: Rig) -> PageDialog:
    """The dialog in a new picture, which no page delays."""
    await until(lambda: rig.state.page.dialog)
    frame = await rig.computer.observe(ImageNeeds())
    assert frame.page is not None
    assert frame.page.dialog is not None
    assert frame.front is not None
    assert frame.front.title == rig.dialog_text().partition("\n")[0]
    return frame.page.dialog


async def answered(rig: Rig, server: PageServer) -> str:
    """What the page says once it goes on."""
    await until(lambda: server.said)
    return server.said.pop(0)


async def test_alert_confirm_and_prompt_wait_for_their_answer(rig: Rig, server: PageServer) -> None:
    asks = ("alert('read this'); say('went on')", "say(confirm('sure?'))", "say(prompt('name?', 'Kim'))")
    server.pages["/"] = SAY + buttons(*asks)
    await rig.go(server.url())
    await rig.click(*button(0))
    dialog = await seen(rig)
    assert (dialog.kind, dialog.message) == (DialogKind.ALERT, "read this")
    assert dialog.origin == server.url("")
    assert server.said == []
    await rig.do("accept")
    assert await answered(rig, server) == "went on"
    for step, answer in (("accept", "true"), ("dismiss", "false")):
        await rig.click(*button(1))
        assert (await seen(rig)).kind is DialogKind.CONFIRM
        await rig.do(step)
        assert await answered(rig, server) == answer
    await rig.click(*button(2))
    assert (await seen(rig)).values == ("Kim",)
    await rig.do("clear")
    await rig.do("type", text="東京 é שלום 👍")
    await rig.do("accept")
    assert await answered(rig, server) == "東京 é שלום 👍"


async def test_an_answer_counts_for_one_dialog_only(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = SAY + buttons("for (const n of [1, 2, 3]) say(confirm(n))")
    await rig.go(server.url())
    await rig.click(*button(0))
    first = await seen(rig)
    await rig.do("accept")
    await until(lambda: rig.state.page.dialog not in (None, first))
    with pytest.raises(ProtocolError, match="not open any more"):
        await rig.act.send_raw("Operator.dialog", {"dialog": int(first.dialog_id), "do": "accept"})
    assert (await seen(rig)).message == "2"
    for _ in (2, 3):
        await seen(rig)
        await rig.do("dismiss")
    await until(lambda: len(server.said) == 3)
    assert sorted(server.said) == ["false", "false", "true"]


async def test_a_frame_of_another_site_and_a_pop_up_ask_as_themselves(rig: Rig, server: PageServer) -> None:
    frame = f"<iframe src='{server.url('/frame', 'localhost')}' style='border:0;width:100px;height:100px'></iframe>"
    server.pages |= {
        "/": "<body style='margin:0'>" + frame + buttons("", "window.open('/pop')"),
        "/frame": buttons("alert('from the frame')"), "/pop": "<title>Pop</title><script>alert('popped')</script>",
    }  # fmt: skip
    await rig.go(server.url())
    await rig.click(*button(1))
    assert (await seen(rig)).message == "popped"
    assert len(rig.titles()) == 2
    await rig.do("accept")
    await rig.act.send_raw("Operator.closeTab")
    server.pages["/"] = "<body style='margin:0'>" + frame
    await rig.go(server.url())
    await rig.click(*button(0))
    dialog = await seen(rig)
    assert (dialog.message, dialog.origin) == ("from the frame", server.url("", "localhost"))
    await rig.do("accept")


async def test_a_page_that_asks_while_it_is_loaded_is_shown_so(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = "<title>Early</title><script>alert('at once')</script>"
    await rig.go(server.url())
    dialog = await seen(rig)
    assert dialog.message == "at once"
    assert rig.state.page.url == server.url()
    await rig.do("accept")
    await until(lambda: not rig.state.page.loading)


@pytest.mark.parametrize("way", ["navigate", "close tab", "close last tab"])
async def test_a_page_that_asks_for_ever_can_be_left(rig: Rig, server: PageServer, way: str) -> None:
    server.pages |= {"/": "<title>Ever</title>" + buttons(EVER), "/two": "<title>Two</title>"}
    if way == "close tab":
        await rig.act.send_raw("Operator.openTab", {"url": server.url()})
        await until(lambda: rig.state.page.url == server.url() and not rig.state.page.loading)
    else:
        await rig.go(server.url())
    await rig.click(*button(0))
    for _ in range(3):
        await seen(rig)
        await rig.do("accept")
    await seen(rig)
    if way == "navigate":
        await rig.go(server.url("/two"))
    else:
        await rig.act.send_raw("Operator.closeTab")
    await until(lambda: rig.state.page.dialog is None and not rig.state.page.loading)
    assert rig.state.page.url == (server.url("/two") if way == "navigate" else "about:blank")
    assert len(rig.titles()) == 1
    await rig.computer.observe(ImageNeeds())


@pytest.mark.parametrize("leave", ["navigate", "close tab", "back"])
async def test_a_page_with_unsaved_changes_asks_before_it_is_left(rig: Rig, server: PageServer, leave: str) -> None:
    server.pages |= {"/": SAY + "<title>Held</title>" + buttons(HOLD), "/two": "<title>Two</title>"}
    await rig.go(server.url("/two"))
    if leave == "close tab":
        await rig.act.send_raw("Operator.openTab", {"url": server.url()})
        await until(lambda: rig.state.page.url == server.url() and not rig.state.page.loading)
    else:
        await rig.go(server.url())
    await rig.click(*button(0))
    assert await answered(rig, server) == "held"

    async def go() -> None:
        match leave:
            case "navigate":
                await rig.go(server.url("/two"))
            case "back":
                await rig.act.send_raw("Operator.history", {"by": -1})
            case _:
                await rig.act.send_raw("Operator.closeTab")

    await go()
    assert (await seen(rig)).kind is DialogKind.LEAVE
    await rig.do("dismiss")
    await until(lambda: not rig.state.page.loading)
    assert rig.state.page.url == server.url()
    await go()
    await seen(rig)
    await rig.do("accept")
    await until(lambda: rig.state.page.url == server.url("/two") and not rig.state.page.loading)


class Vault:
    """Wants user name and password, and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self, asked: Asked) -> None:
        header = asked.headers.get("Authorization", "")
        self.given.append(base64.b64decode(header.partition(" ")[2]).decode())
        if self.given[-1] == "kim:right":
            asked.give("<title>In</title>")
        else:
            asked.give("denied", status=401, WWW_Authenticate='Basic realm="Vault"')


async def sign_in(rig: Rig, user: str, password: str) -> None:
    await rig.do("type", text=user)
    await rig.do("focus", field=1)
    await rig.do("type", text=password)
    await rig.do("accept")


async def test_a_page_behind_a_password_asks_until_it_is_right_and_the_password_is_not_told(
    rig: Rig, server: PageServer
) -> None:
    vault = server.pages["/"] = Vault()
    await rig.go(server.url())
    first = await seen(rig)
    assert (first.kind, first.message, first.origin) == (DialogKind.SIGN_IN, "Vault", server.url(""))
    await sign_in(rig, "kim", "wrong")
    await until(lambda: rig.state.page.dialog not in (None, first) and rig.state.page.dialog.values == ("", ""))
    await rig.do("type", text="kim")
    await rig.do("focus", field=1)
    await rig.do("type", text="right")
    await until(lambda: rig.state.page.dialog is not None and rig.state.page.dialog.focus == 1)
    assert (await seen(rig)).values == ("kim", "")
    await rig.do("accept")
    await until(lambda: rig.state.page.dialog is None and not rig.state.page.loading)
    await rig.computer.observe(ImageNeeds())
    assert rig.titles() == ["*In"]
    assert vault.given == ["", "kim:wrong", "kim:right"]


async def test_a_password_that_is_not_given_leaves_the_servers_own_page(rig: Rig, server: PageServer) -> None:
    vault = server.pages["/"] = Vault()
    await rig.go(server.url("/", "localhost"))
    await seen(rig)
    await rig.do("dismiss")
    await until(lambda: rig.state.page.dialog is None and not rig.state.page.loading)
    assert "denied" in await rig.computer.page_text()
    assert vault.given == [""]


async def test_only_the_page_itself_asks_for_a_password(rig: Rig, server: PageServer) -> None:
    vault = server.pages["/vault"] = Vault()
    parts = "<img src=/vault?image><iframe src=/vault?frame></iframe><script>"
    server.pages["/"] = SAY + parts + "fetch('/vault?script').then(answer => say(answer.status))</script>"
    await rig.go(server.url("/", "localhost"))
    assert await answered(rig, server) == "401"
    await until(lambda: len(vault.given) == 3 and not rig.state.page.loading)
    assert rig.state.page.dialog is None
    assert vault.given == ["", "", ""]


PERMISSIONS = {
    "place": "new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no))",
    "notifications": "Notification.requestPermission().then(found => Promise.reject(found))",
    "camera": "navigator.mediaDevices.getUserMedia({video: true})", "clipboard": "navigator.clipboard.readText()",
    "midi": "navigator.requestMIDIAccess({sysex: true})", "screen": "navigator.mediaDevices.getDisplayMedia()",
    "windows": "getScreenDetails()", "usb": "navigator.usb.requestDevice({filters: []})",
    "serial": "navigator.serial.requestPort()", "files": "showOpenFilePicker()", "save": "showSaveFilePicker()",
    "folder": "showDirectoryPicker()",
}  # fmt: skip


async def test_what_needs_a_permission_is_refused_without_a_question(rig: Rig, server: PageServer) -> None:
    await refused_all(rig, server)


async def refused_all(rig: Rig, server: PageServer) -> None:
    """Ask for each permission with a click, as a page does."""
    for name, ask in PERMISSIONS.items():
        answer = f"{ask}.then(() => say('allowed'), () => say('refused'))"
        server.pages["/ask"] = SAY + f"<script>function ask() {{ {answer} }}</script>" + buttons("ask()")
        await rig.go(server.url("/ask", "localhost"))
        await rig.computer.observe(ImageNeeds())
        await rig.click(*button(0))
        assert (name, await answered(rig, server)) == (name, "refused")


async def test_print_and_links_to_other_programs_open_nothing(rig: Rig, server: PageServer) -> None:
    await prints_nothing(rig, server)


async def prints_nothing(rig: Rig, server: PageServer) -> None:
    """Print, and follow links to other programs; the browser takes input afterwards."""
    server.pages["/"] = SAY + buttons("print(); say('printed')", "say('here')")
    await rig.go(server.url())
    await rig.computer.observe(ImageNeeds())
    await rig.click(*button(0))
    assert await answered(rig, server) == "printed"
    for link in ("mailto:kim@example.org", "tel:112", "steam:run", "chrome://settings", "file:///etc/passwd"):
        server.pages["/link"] = SAY + f"<a href='{link}' style='position:absolute;left:0;top:0;font-size:99px'>link</a>"
        await rig.go(server.url("/link"))
        await rig.computer.observe(ImageNeeds())
        await rig.click(*button(0))
        await rig.go(server.url())
        await rig.computer.observe(ImageNeeds())
        await rig.click(*button(1))
        assert await answered(rig, server) == "here"
        assert len(rig.titles()) == 1
