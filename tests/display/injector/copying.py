"""A program that owns the clipboard as if a person had copied something, and one that reads the clipboard."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

from tests.display.actions.waiting import until
from tests.display.injector.clipboard_client import FORMS
from tests.display.rig import Child, Desktop, wait_until

_CLIENT = Path(__file__).parent / "clipboard_client.py"


class _Client:
    """Start a process that owns or reads the clipboard; see clipboard_client.py."""

    def __init__(self, desktop: Desktop, folder: Path, what: str) -> None:
        self.folder = folder
        self._number = 0
        env = {**desktop.env, "QT_QPA_PLATFORM": "xcb"}
        args = [sys.executable, str(_CLIENT), str(folder), what]
        self.child = desktop.adopt(Child(args, env=env, log=folder / "log"))

    def order(self) -> None:
        self._number += 1
        draft = self.folder / "order.new"
        draft.write_text(str(self._number))
        draft.replace(self.folder / "order")

    def done(self) -> bool:
        done = self.folder / "done"
        return self.child.checked() and done.exists() and done.read_text() == str(self._number)

    def contents(self) -> tuple[bytes, ...]:
        return tuple((self.folder / name).read_bytes() for name in FORMS)


class Copied:
    """Text, rich text and a picture that a person has copied."""

    def __init__(self, desktop: Desktop, folder: Path) -> None:
        self._desktop = desktop
        self._owner = _Client(desktop, folder, "own")
        self._reader: _Client | None = None
        self.content = self._owner.contents()
        self.again()

    @property
    def owner(self) -> Child:
        return self._owner.child

    @property
    def text(self) -> str:
        return self.content[0].decode()

    def again(self) -> None:
        """Copy again in the same program."""
        self._owner.order()
        wait_until(self._owner.done, "the clipboard to be owned")

    async def now(self) -> tuple[bytes, ...]:
        """What another program reads from the clipboard now."""
        if self._reader is None:
            folder = self._owner.folder / "found"
            folder.mkdir()
            self._reader = _Client(self._desktop, folder, "read")
        self._reader.order()
        await until(self._reader.done, "the clipboard to be read")
        return self._reader.contents()


def copy(desktop: Desktop, folder: Path, text: str = "a secret — “kept” 你", size: int = 700_000) -> Copied:
    """Copy a text, the same in bold, and a picture that is too large for one transfer."""
    folder.mkdir()
    (folder / "text").write_text(text, encoding="utf-8")
    (folder / "html").write_text(f"<b>{text}</b>", encoding="utf-8")
    (folder / "png").write_bytes(b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(size))
    return Copied(desktop, folder)


async def copied(desktop: Desktop, folder: Path, text: str = "a secret — “kept” 你", size: int = 700_000) -> Copied:
    """As `copy`, without blocking the event loop of a running session."""
    return await asyncio.to_thread(copy, desktop, folder, text, size)
