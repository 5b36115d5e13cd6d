"""Owns or reads the clipboard by Qt, in a process of its own. Independent of the product's code.

`python clipboard_client.py FOLDER own|read`: does so each time that FOLDER/order changes (a number), and writes that
number to FOLDER/done then. `own` offers the files text, html and png of the folder, and the list of files in uris where
there is one; `read` writes what is on the clipboard into files of these names.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtGui import QGuiApplication

FORMS = {"text": "text/plain", "html": "text/html", "png": "image/png"}


class Client:
    """The contents of one folder as clipboard data."""

    def __init__(self, app: QGuiApplication, folder: Path, what: str) -> None:
        self._app, self._folder = app, folder
        self._do = self._own if what == "own" else self._read
        self._done = ""
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)
        self._timer.start(10)

    def _look(self) -> None:
        order = self._folder / "order"
        number = order.read_text() if order.exists() else ""
        if number != self._done:
            self._done = number
            self._do()
            (self._folder / "done").write_text(number)

    def _own(self) -> None:
        data = QMimeData()
        for name, kind in FORMS.items():
            data.setData(kind, (self._folder / name).read_bytes())
        if (uris := self._folder / "uris").exists():
            data.setData("text/uri-list", uris.read_bytes())
        self._app.clipboard().setMimeData(data)
        self._app.sync()

    def _read(self) -> None:
        held = self._app.clipboard().mimeData()
        for name, kind in FORMS.items():
            (self._folder / name).write_bytes(bytes(held.data(kind).data()))


if __name__ == "__main__":
    gui = QGuiApplication(sys.argv[:1])
    client = Client(gui, Path(sys.argv[1]), sys.argv[2])
    sys.exit(gui.exec())
