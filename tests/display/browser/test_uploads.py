"""What pages may be given: the files of one folder that the operator named, chosen in a dialog."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.browser.devtools import ProtocolError
from operator_console.domain.pages import DialogKind, PageDialog
from tests.page_rig import SAY, PageServer, Rig, browser_rig, button, until

pytestmark = pytest.mark.asyncio(loop_scope="module")
READ = """<script>async function read(field) {
  const texts = await Promise.all([...field.files].map(file => file.text()));
  say([...field.files].map((file, n) => file.name + '=' + texts[n]).join(';'));
}</script>"""


def fields(*attributes: str) -> str:
    """A page with these file fields, where `buttons` has its buttons."""
    style = "position:absolute;top:0;width:100px;height:100px;margin:0;left:"
    return SAY + READ + "".join(
        f"<input type=file {each} onchange='read(this)' style='{style}{number * 100}px'>"
        for number, each in enumerate(attributes)
    )  # fmt: skip


@pytest.fixture
def files(upload_folder: Path) -> None:
    """What lies in the folder: files, a hidden one, a folder, and a link that leaves it."""
    for name in ("a.png", "b.pdf", "c.txt", "日本.txt", ".hidden"):
        (upload_folder / name).write_text(name)
    (upload_folder / "folder").mkdir(exist_ok=True)
    if not (upload_folder / "link.txt").is_symlink():
        (upload_folder / "link.txt").symlink_to("/etc/hostname")


async def chooser(rig: Rig, number: int) -> PageDialog:
    """Click a field; what is asked."""
    await rig.click(*button(number))
    await until(lambda: rig.state.page.dialog)
    assert rig.state.page.dialog is not None
    assert rig.state.page.dialog.kind is DialogKind.CHOOSE_FILE
    return rig.state.page.dialog


async def choose(rig: Rig, text: str) -> None:
    await rig.do("clear")
    await rig.do("type", text=text)
    await rig.do("accept")


@pytest.mark.usefixtures("files")
async def test_the_files_of_the_folder_are_listed_and_one_is_sent(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = fields("")
    await rig.go(server.url())
    dialog = await chooser(rig, 0)
    assert dialog.files == ("a.png", "b.pdf", "c.txt", "日本.txt")
    assert rig.dialog_text().startswith("File upload to 127.0.0.1")
    await choose(rig, "日本.txt")
    await until(lambda: server.said)
    assert server.said == ["日本.txt=日本.txt"]


@pytest.mark.usefixtures("files")
async def test_what_is_not_listed_is_not_sent(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = fields("")
    await rig.go(server.url())
    await chooser(rig, 0)
    for name in ("", "../../etc/passwd", "/etc/passwd", "link.txt", ".hidden", "folder", '"a.png" "b.pdf"'):
        with pytest.raises(ProtocolError, match="only the listed files"):
            await choose(rig, name)
    await rig.do("dismiss")
    await until(lambda: rig.state.page.dialog is None)
    assert server.said == []


@pytest.mark.usefixtures("files")
async def test_several_are_sent_only_where_the_page_takes_several(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = fields("multiple")
    await rig.go(server.url())
    assert (await chooser(rig, 0)).several
    await choose(rig, '"a.png" "c.txt"')
    await until(lambda: server.said)
    assert server.said == ["a.png=a.png;c.txt=c.txt"]


@pytest.mark.usefixtures("files")
async def test_files_that_the_page_does_not_take_and_whole_folders_are_not_offered(
    rig: Rig, server: PageServer
) -> None:
    server.pages["/"] = fields("accept='.pdf,image/*'", "webkitdirectory")
    await rig.go(server.url())
    assert (await chooser(rig, 0)).files == ("a.png", "b.pdf")
    await rig.do("dismiss")
    await until(lambda: rig.state.page.dialog is None)
    assert (await chooser(rig, 1)).files == ()
    assert "whole folder" in rig.dialog_text()
    await rig.do("dismiss")


async def test_no_page_asks_for_files_without_a_click(rig: Rig, server: PageServer) -> None:
    server.pages["/"] = fields("") + "<script>document.querySelector('input').click(); say('tried')</script>"
    await rig.go(server.url())
    await until(lambda: server.said)
    assert rig.state.page.dialog is None


async def test_without_a_folder_nothing_is_offered_and_the_dialog_says_so(server: PageServer) -> None:
    server.pages["/"] = fields("")
    async with browser_rig() as made:
        await made.go(server.url())
        assert (await chooser(made, 0)).files == ()
        assert "No file may be uploaded" in made.dialog_text()
