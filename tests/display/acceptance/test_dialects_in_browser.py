"""Every dialect works a page in the managed browser through the whole console, and is judged by what the page received.

A form, a drag of a knob and one of the page's own, a menu, a file chosen and one saved.

In each run: tests/providers/contract/test_pages.py; browser/test_hand.py, test_uploads.py and test_downloads.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from operator_console.browser.dialog_layout import PartKind, lay_out
from operator_console.domain.actions import Action, Click, Drag, Move, TypeText
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.pages import DialogKind, PageDialog
from tests.display.acceptance.harness import start_console
from tests.display.acceptance.insistent import Insistent, answered
from tests.display.acceptance.work_page import BILL, WorkPage
from tests.display.rig import desktop_of_its_own, wait_until
from tests.providers.contract.conftest import DIALECTS, geometry_for
from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import Json, Seen, ServerThread, Turn

TEXT = "Zażółć gęślą jaźń — 你好 नमस्ते שלום مرحبا 👩‍🚀 €"
KEY = "test-key"
MOVED_PX = 200
PHOTO = "A photo, in a way."
_PAGE = Size(1440, 900)
CASES = [
    pytest.param(
        dialect, headless, scale, id=f"{dialect.title}-{'headless' if headless else 'window'}-{scale}",
    )
    for dialect in DIALECTS
    for headless in (True, False)
    for scale in (1, 2)
]  # fmt: skip


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("dialect", "headless", "scale"), CASES)
def test_a_form_drags_a_menu_and_files(tmp_path: Path, dialect: Dialect, headless: bool, scale: int) -> None:
    with desktop_of_its_own(tmp_path, (3200, 2100)) as desktop, WorkPage() as page:
        home, uploads = tmp_path / "console", tmp_path / "uploads"
        for folder in (home, uploads):
            folder.mkdir()
        (uploads / "photo.txt").write_text(PHOTO)
        settings = {"headless": headless, "scale": float(scale), "upload_folder": str(uploads)}
        written = "\n".join(f"{name} = {_toml(value)}" for name, value in settings.items())
        (home / "settings.toml").write_text(f"[browser]\n{written}\n")
        turns = _Work(dialect, page, scale).turns()
        model = Insistent(dialect, turns)
        with ServerThread(lambda: dialect.server([model] * (3 * len(turns)), api_key=KEY, browser=True)) as server:
            chosen = ("--provider", dialect.provider_name) if dialect.provider_name else ()
            args = (
                "run", "Fill in the form.", "--json", *chosen, "--model", dialect.model, "--autonomy", "auto",
                "--allow", "upload", "--target", f"browser:{page.url}",
            )  # fmt: skip
            env = {**dialect.environment(server.url, KEY), "OPERATOR_CONSOLE_HOME": str(home)}
            console = start_console(desktop, tmp_path, *args, **env)
            assert console.wait() == 0, console.report()
            assert server.violations == []
        wait_until(lambda: page.logged("done"), f"the page to tell of the last click; it has {page.events}")
    _judge(page, dialect, console.events(), scale)


def _judge(page: WorkPage, dialect: Dialect, told: list[dict[str, Any]], scale: int) -> None:
    for name in ("name", "entry", "bill", "done"):
        (event,) = page.logged(name)
        assert event["trusted"], event
        assert event["shown"] == scale
        # Events are in whole CSS pixels. A dialect names the point on a coarser grid, which costs one at most.
        off = max(abs(is_ - int(meant)) for is_, meant in zip(event["at"], page.places.exactly(name), strict=True))
        assert off <= 1, (event, page.places.exactly(name))
    assert page.logged("done")[0]["value"] == TEXT
    (photo,) = page.logged("photo")
    assert (photo["file"], photo["text"], photo["trusted"]) == ("photo.txt", PHOTO, True)
    if "drag" in dialect.kinds:
        (knob,) = page.logged("knob")
        assert abs(float(knob["left"].removesuffix("px")) - MOVED_PX) <= 1
        assert [(event["data"], event["trusted"]) for event in page.logged("folder")] == [("receipt", True)]
    (saved,) = [event for event in told if event["kind"] == "downloaded"]
    assert (saved["name"], Path(saved["folder"], saved["name"]).read_bytes()) == ("bill.txt", BILL)


class _Work:
    """What the model says."""

    def __init__(self, dialect: Dialect, page: WorkPage, scale: int) -> None:
        self._dialect, self._page, self._scale = dialect, page, scale
        provider = dialect.provider("http://127.0.0.1:9", api_key=KEY)
        self._size = Size(_PAGE.width * scale, _PAGE.height * scale)
        self._geometry = geometry_for(provider, self._size)

    def turns(self) -> list[Turn]:
        drags = [self._drag_knob(), self._drag_item()] if "drag" in self._dialect.kinds else []
        return [
            self._click("name"),
            self._says(TypeText(text=TEXT)),
            *drags,
            self._open_menu(),
            self._click("entry"),
            self._click("photo"),
            self._says(Click(at=self._in_chooser(PartKind.FILE))),
            self._says(Click(at=self._in_chooser(PartKind.ACCEPT))),
            self._click("bill"),
            self._click("done"),
            self._dialect.ends("All is done."),
        ]

    def _says(self, action: Action) -> Turn:
        return self._dialect.turn(action, geometry=self._geometry)

    def _click(self, name: str) -> Turn:
        return lambda seen: answered(self._says(Click(at=self._at(name))), seen)

    def _at(self, name: str, dx: int = 0) -> NativePoint:
        x, y = self._page.places.exactly(name)
        return NativePoint(int((x + dx) * self._scale), int(y * self._scale))

    def _open_menu(self) -> Turn:
        def turn(seen: Seen) -> Json:
            at = self._at("menu")
            return answered(self._says(Move(at=at) if "move" in self._dialect.kinds else Click(at=at)), seen)

        return turn

    def _drag_knob(self) -> Turn:
        return lambda seen: answered(self._says(Drag(path=(self._at("knob"), self._at("knob", MOVED_PX)))), seen)

    def _drag_item(self) -> Turn:
        return lambda seen: answered(self._says(Drag(path=(self._at("item"), self._at("folder")))), seen)

    def _in_chooser(self, kind: PartKind) -> NativePoint:
        dialog = PageDialog(dialog_id="1", kind=DialogKind.CHOOSE_FILE, values=("",), files=("photo.txt",))
        part = next(part for part in lay_out(dialog, self._size, self._scale).parts if part.kind is kind)
        return NativePoint(*part.box.centre)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
