"""What pages save: in the session's folder, under a plain name, readable by its user only, and told of."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from operator_console.domain.events import Downloaded
from operator_console.domain.frames import ImageNeeds
from tests.page_rig import SAY, Asked, PageServer, Rig, browser_rig, button, buttons, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


def attached(disposition: str, body: bytes = b"hello") -> Callable[[Asked], None]:
    """A page that is a file with this Content-Disposition."""
    return lambda asked: asked.give(body, Content_Type="application/octet-stream", Content_Disposition=disposition)


async def saved(rig: Rig, number: int = 1) -> list[Downloaded]:
    """The next downloads that are told of."""
    news: list[Downloaded] = []

    def more() -> bool:
        news.extend(each for each in rig.computer.take_news() if isinstance(each, Downloaded))
        return len(news) >= number

    await until(more, timeout_s=60)
    return news


def folder(rig: Rig) -> Path:
    return Path(rig.browser.options.downloads)


NAMES = {
    "attachment; filename=plain.txt": "plain.txt",
    'attachment; filename="../../../etc/passwd"': "_.._.._etc_passwd",
    "attachment; filename*=UTF-8''..%2f..%2fevil.sh": "_.._evil.sh",
    "attachment; filename=.bashrc": "bashrc",
    'attachment; filename="C:\\\\Windows\\\\x.dll"': "C__Windows_x.dll",
    "attachment; filename*=UTF-8''x%e2%80%aegpj.exe": "x_gpj.exe",
    "attachment; filename*=UTF-8''%e6%97%a5%e6%9c%ac.txt": "日本.txt",
    "attachment": "file",
}


async def test_a_file_gets_a_plain_name_and_is_for_its_user_only(rig: Rig, server: PageServer) -> None:
    for disposition, name in NAMES.items():
        server.pages["/file"] = attached(disposition)
        answer = await rig.go(server.url("/file"))
        assert answer["isDownload"]
        [news] = await saved(rig)
        assert (news.name, news.size_bytes, news.url, news.complete) == (name, 5, server.url("/file"), True)
        kept = folder(rig) / name
        assert kept.read_bytes() == b"hello"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
        kept.unlink()


async def test_nothing_is_overwritten_and_long_names_are_cut(rig: Rig, server: PageServer) -> None:
    long = "n" * 400
    server.pages |= {"/same": attached("attachment; filename=same.txt"),
                     "/long": attached(f"attachment; filename={long}.pdf")}  # fmt: skip
    for page in ("/same", "/same", "/long", "/long"):
        await rig.go(server.url(page))
        await saved(rig)
    names = sorted(each.name for each in folder(rig).iterdir())
    assert [name for name in names if name.startswith("same")] == ["same (2).txt", "same.txt"]
    cut = [name for name in names if name.startswith("n")]
    assert len(cut) == 2
    assert all(len(name) <= 200 and name.endswith(".pdf") for name in cut)
    for name in names:
        (folder(rig) / name).unlink()


async def test_what_a_page_makes_itself_is_saved_too(rig: Rig, server: PageServer) -> None:
    make = "const link = document.createElement('a'); link.href = {}; link.download = '{}'; link.click()"
    addresses = ("window.URL.createObjectURL(new Blob(['blobby']))", "'data:text/plain,texty'")
    made = [make.format(url, name) for url, name in zip(addresses, ("b.bin", "d.txt"), strict=True)]
    server.pages["/"] = buttons(*made)
    await rig.go(server.url())
    for number, (name, size, url) in enumerate((("b.bin", 6, "blob:http:"), ("d.txt", 5, "data:text/plain"))):
        await rig.click(*button(number))
        [news] = await saved(rig)
        assert (news.name, news.size_bytes) == (name, size)
        assert news.url.startswith(url)
        assert "texty" not in news.url
    for name in ("b.bin", "d.txt"):
        (folder(rig) / name).unlink()


async def test_a_download_that_breaks_off_is_told_and_leaves_nothing(rig: Rig, server: PageServer) -> None:
    def breaks_off(asked: Asked) -> None:
        asked.send_response(200)
        for name, value in (("Content-Length", "99999"), ("Content-Type", "application/zip")):
            asked.send_header(name, value)
        asked.end_headers()
        asked.wfile.write(b"x" * 1000)
        asked.wfile.flush()
        asked.close_connection = True
        asked.connection.close()

    server.pages["/cut.zip"] = breaks_off
    await rig.go(server.url("/cut.zip"))
    [news] = await saved(rig)
    assert (news.name, news.complete) == ("cut.zip", False)
    assert list(folder(rig).iterdir()) == []


async def test_a_dialog_does_not_hold_a_download(rig: Rig, server: PageServer) -> None:
    server.pages |= {"/file": attached("attachment; filename=a.txt"),
                     "/": SAY + buttons("location = '/file'; alert('wait')")}  # fmt: skip
    await rig.go(server.url())
    await rig.click(*button(0))
    assert await rig.asked() == "wait"
    [news] = await saved(rig)
    assert news.name == "a.txt"
    await rig.do("accept")
    (folder(rig) / "a.txt").unlink()


@pytest.mark.parametrize("number", [30, pytest.param(500, marks=pytest.mark.full)])
async def test_many_downloads_are_all_kept(rig: Rig, server: PageServer, number: int) -> None:
    server.pages["/file"] = attached("attachment; filename=many.bin")
    for _ in range(number):
        await rig.act.send_raw("Operator.navigate", {"url": server.url("/file")})
    news = await saved(rig, number)
    assert len({each.name for each in news}) == number
    assert sorted(each.name for each in folder(rig).iterdir()) == sorted(each.name for each in news)
    for each in news:
        (folder(rig) / each.name).unlink()


async def test_a_file_for_the_eye_is_shown_and_not_saved(rig: Rig, server: PageServer) -> None:
    server.pages["/page.pdf"] = lambda asked: asked.give(PDF, Content_Type="application/pdf")
    before = await rig.computer.observe(ImageNeeds())
    answer = await rig.go(server.url("/page.pdf"))
    assert not answer["isDownload"]
    after = await rig.computer.observe(ImageNeeds())
    assert bytes(after.pixels) != bytes(before.pixels)
    assert rig.computer.take_news() == []


PDF = (
    b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>"
)


@pytest.mark.parametrize("saves", [True, pytest.param(False, marks=pytest.mark.full)])
async def test_the_folder_stays_only_if_something_is_in_it(server: PageServer, tmp_path: Path, saves: bool) -> None:
    server.pages["/file"] = attached("attachment; filename=a.txt")
    kept = tmp_path / "s.downloads"
    async with browser_rig(downloads=str(kept)) as made:
        if saves:
            await made.go(server.url("/file"))
            await saved(made)
        session = made.folder
    assert not session.exists()
    assert ([each.name for each in kept.iterdir()] if kept.exists() else None) == (["a.txt"] if saves else None)
